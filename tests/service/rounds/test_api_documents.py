"""Rounds as documents: recorded whole, repeated, and returned."""

import json
from random import Random
from typing import Any

import pytest

from tests.oracle import PRESETS, random_document
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    QUEENS,
    REST,
    SEVENS,
    THREE,
    Document,
    add_table,
    changed,
    close,
    depart,
    document_of,
    hand,
    open_round,
    play,
    post_document,
    read_round,
    without,
)

QQ = "pineapple-qq"


def eventful(**more: Any) -> Document:
    """A document with every feature of a round."""
    fantasyland = {
        "board": HIGH,
        "fantasyland": 14,
        "discards": ["3d"],
        "streets": [
            {
                "dealt": ["As", "Ad", "Tc", "Th", "4s", "Js", "Jd", "8c", "5h", "2c", "Ah", "Kd", "9c", "3d"],
                "top": ["Ah", "Kd", "9c"],
                "middle": ["Js", "Jd", "8c", "5h", "2c"],
                "bottom": ["As", "Ad", "Tc", "Th", "4s"],
                "discards": ["3d"],
                "auto": ["Ah", "Kd", "9c", "3d"],
            }
        ],
    }
    hands = [
        hand(1, 2, {1: QUEENS, 2: SEVENS, 3: "KhKc3s / 9s9d8s8c4h / AsAdQhQc2d"}, played_at="2026-11-20T20:15:00Z"),
        hand(2, 2, {1: fantasyland, 2: MID, 3: {"board": LOW, "fantasyland": 14}}),
        hand(3, 3, {1: HIGH, 3: LOW}, top_ups=[{"seat": 3, "points": 7}]),
    ]
    return document_of(
        QQ,
        {1: "ann 3", 2: "bob 50", 3: "cyd 50"},
        hands,
        reference="2026-11-20/3",
        point_value=10,
        unit="EUR",
        departures=[{"seat": 2, "after_hand": 2, "reason": "last train"}],
        closed={"after_hand": 3, "reason": "power cut"},
        **more,
    )


def test_a_document_is_recorded_and_its_table_is_created(api: Api) -> None:
    response = post_document(api, eventful())
    assert response.status == 201
    round_ = response["round"]
    assert response.headers["Location"] == f"/v1/rounds/{round_['id']}"
    assert read_round(api, round_["id"]) == round_
    assert api.get(f"/v1/rounds/{round_['id']}/settlement").document == response["settlement"]
    assert (round_["status"], round_["hands"], round_["reference"]) == ("closed", 3, "2026-11-20/3")
    assert (round_["ruleset"], round_["point_value"], round_["unit"]) == ("pineapple-qq@1", 10, "EUR")
    [table] = api.get("/v1/tables")["tables"]
    assert (table["id"], table["name"], table["ruleset"]) == (round_["table"], "kitchen", "pineapple-qq@1")
    assert (table["point_value"], table["unit"], table["minimum_stack"]) == (10, "EUR", None)
    assert [played["number"] for played in api.get(f"/v1/rounds/{round_['id']}/hands")["hands"]] == [1, 2, 3]


@pytest.mark.smoke
def test_a_document_is_returned_with_every_field(api: Api) -> None:
    sent = eventful()
    round_id = post_document(api, sent)["round"]["id"]
    shown = api.get(f"/v1/rounds/{round_id}/document").document
    assert shown == {
        **sent,
        "ruleset": "pineapple-qq@1",
        "opened_at": sent["hands"][0]["played_at"],
        "unit_digits": 2,
        "hands": [in_full(played) for played in sent["hands"]],
    }


def in_full(played: Document) -> Document:
    """A hand with every field."""
    unknown = {"fantasyland": 0, "discards": None, "streets": None}
    return {"played_at": None, "top_ups": [], **played, "players": [{**unknown, **one} for one in played["players"]]}


def came_to(played: ApiResponse) -> Document:
    """A settlement without the time at which it becomes final, and without what it is about, which is the round."""
    about = {name: played["settlement"][name] for name in ("round", "table", "reference")}
    round_ = played["round"]
    assert about == {"round": round_["id"], "table": round_["table"], "reference": round_["reference"]}
    return without(played["settlement"], "provisional_until", "table", "round", "reference")


def test_a_document_recorded_in_another_club_is_the_same(api: Api, other_api: Api) -> None:
    first = post_document(api, eventful())
    shown = api.get(f"/v1/rounds/{first['round']['id']}/document").document
    for playing, reference in ((api, "another"), (other_api, shown["reference"])):
        second = post_document(playing, {**shown, "reference": reference})
        assert second.status == 201
        assert came_to(second) == came_to(first)
        again = playing.get(f"/v1/rounds/{second['round']['id']}/document").document
        assert again == {**shown, "reference": reference}


@pytest.mark.parametrize("seed", range(8))
def test_random_documents_round_trip(api: Api, seed: int) -> None:
    rng = Random(f"documents {seed}")
    ruleset = PRESETS[rng.choice(list(PRESETS))]
    first = post_document(api, random_document(rng, ruleset))
    assert first.status == 201
    shown = api.get(f"/v1/rounds/{first['round']['id']}/document").document
    if shown["closed"] is None and first["round"]["status"] == "open":
        close(api, first["round"]["id"])
    second = post_document(api, {**shown, "reference": "the same elsewhere", "table": "attic"})
    assert came_to(second) == came_to(first)
    again = api.get(f"/v1/rounds/{second['round']['id']}/document").document
    assert again == {**shown, "reference": "the same elsewhere", "table": "attic"}


def test_every_hand_of_a_document_refers_to_its_request_body(api: Api, house: House) -> None:
    body = json.dumps(eventful(), indent=1).encode()
    response = api.request("POST", "/v1/documents", data=body, headers={"Content-Type": "application/json"})
    stored = house.query(
        "SELECT s.id, t.content, s.kind, length(h.boards) FROM hands h JOIN submissions s ON s.id = h.submission_id"
        " JOIN texts t ON t.digest = s.text WHERE h.round_id = %s ORDER BY h.number",
        response["round"]["id"],
    )
    assert len({submission for submission, *_ in stored}) == 1
    assert [(content.encode(), kind, length) for _, content, kind, length in stored] == [
        (body, "document", 39),
        (body, "document", 39),
        (body, "document", 26),
    ]


def test_an_open_document_is_continued_hand_by_hand(api: Api) -> None:
    response = post_document(api, document_of(hands=COMPLETE[:2]))
    assert response["round"]["next"] == {"number": 3, "button": 3, "seats": [1, 2, 3], "fantasyland": {}}
    assert response["settlement"]["state"] == "open"
    assert play(api, response["round"]["id"], COMPLETE[2])["round"]["status"] == "complete"


def test_a_document_may_have_no_hands(api: Api) -> None:
    response = post_document(api, document_of())
    assert (response["round"]["status"], response["round"]["hands"]) == ("open", 0)
    assert response["round"]["next"]["button"] is None


def test_departures_may_be_in_any_order(api: Api, house: House) -> None:
    rules = changed(PRESETS["turbo"], ("name", "come-and-go"), ("leaving", "between_hands"))
    api.post("/v1/rulesets", rules)
    document = document_of(
        "come-and-go",
        {1: "ann 100", 2: "bob 100", 3: "cyd 100", 4: "dan 100"},
        [hand(1, 1, {**THREE, 4: REST}), hand(2, 2, THREE)],
        reference="friday/1",
        departures=[{"seat": 3, "after_hand": 2, "reason": "late"}, {"seat": 4, "after_hand": 1}],
    )
    first = post_document(api, document)
    assert first["round"]["status"] == "complete"
    shown = api.get(f"/v1/rounds/{first['round']['id']}/document")["departures"]
    assert shown == [{"seat": 4, "after_hand": 1, "reason": None}, {"seat": 3, "after_hand": 2, "reason": "late"}]
    records = house.count_records()
    for departures in (document["departures"], shown):
        assert post_document(api, {**document, "departures": departures}).headers["Idempotent-Replayed"] == "true"
    assert house.count_records() == records
    by_hand = {**document, "reference": "friday/2"}
    table = first["round"]["table"]
    request = {"seats": document["seats"], "reference": "friday/2"}
    round_id = api.post(f"/v1/tables/{table}/rounds", request)["id"]
    play(api, round_id, document["hands"][0])
    depart(api, round_id, 4)
    play(api, round_id, document["hands"][1])
    depart(api, round_id, 3, reason="late")
    assert post_document(api, by_hand).headers["Idempotent-Replayed"] == "true"


# --- the table ---


def test_a_document_for_a_table_with_other_rules_is_played_under_its_own(api: Api) -> None:
    table = add_table(api, "progressive", point_value=5, unit="USD", minimum_stack=1000)
    response = post_document(api, eventful())
    round_ = response["round"]
    assert response.status == 201
    assert round_["table"] == table
    assert (round_["ruleset"], round_["point_value"], round_["unit"]) == ("pineapple-qq@1", 10, "EUR")
    shown = api.get(f"/v1/tables/{table}")
    assert (shown["ruleset"], shown["point_value"], shown["unit"]) == ("progressive@1", 5, "USD")
    following = open_round(api, table, {1: "ann 1000", 3: "cyd 1000"})
    assert (following["ruleset"], following["unit"]) == ("progressive@1", "USD")


def test_a_document_without_money_does_not_use_the_table_s_money(api: Api) -> None:
    add_table(api, point_value=5, unit="USD")
    response = post_document(api, document_of(hands=COMPLETE))
    assert response["settlement"]["money"] is None
    assert response["round"]["unit"] is None


def test_a_document_names_a_version_or_means_the_newest(api: Api) -> None:
    own = without(changed(PRESETS["pineapple"], ("name", "saturday")), "version")
    for bonus in (4, 5):
        api.post("/v1/rulesets", changed(own, ("points/scoop_bonus", bonus)))
    newest = post_document(api, document_of("saturday", hands=COMPLETE))
    assert newest["round"]["ruleset"] == "saturday@2"
    older = post_document(api, document_of("saturday@1", hands=COMPLETE))
    assert older["round"]["ruleset"] == "saturday@1"
    assert older["settlement"]["net"] != newest["settlement"]["net"]


def test_an_open_document_waits_for_the_tables_open_round(api: Api, house: House) -> None:
    table = add_table(api)
    opened = open_round(api, table)
    records = house.count_records()
    response = post_document(api, document_of(hands=COMPLETE[:1]))
    assert response.status == 409
    assert response["code"] == "round-open"
    assert house.count_records() == records
    close(api, opened["id"])
    assert post_document(api, document_of(hands=COMPLETE[:1])).status == 201


@pytest.mark.parametrize(
    "ended", [document_of(hands=COMPLETE), document_of(hands=COMPLETE[:1], closed={"after_hand": 1, "reason": "late"})]
)
def test_a_complete_document_does_not_affect_the_open_round(api: Api, ended: Document) -> None:
    table = add_table(api)
    opened = open_round(api, table)
    response = post_document(api, ended)
    assert response.status == 201
    assert api.get(f"/v1/rounds/{opened['id']}")["status"] == "open"
    assert open_round(api, table).status == 409
    assert play(api, opened["id"], COMPLETE[0])["round"]["hands"] == 1


# --- the same document again ---


@pytest.mark.parametrize("reference", [{"reference": "friday/1"}, {}, {"reference": None}])
def test_the_same_document_again_returns_the_recorded_round(api: Api, house: House, reference: Document) -> None:
    document = document_of(hands=COMPLETE, **reference)
    first = post_document(api, document)
    assert "Idempotent-Replayed" not in first.headers
    records = house.count_records()
    for again in (
        document,
        dict(reversed(document.items())),
        {**document, "seats": document["seats"][::-1], "departures": [], "closed": None, "point_value": None},
        {**document, "hands": [in_full(played) for played in document["hands"]]},
        {**document, "ruleset": "pineapple@1"},
        {**document, "expected": {"round": {"status": "complete"}}},
    ):
        response = post_document(api, again)
        assert response.status == 201
        assert response.headers["Idempotent-Replayed"] == "true"
        assert response.headers["Location"] == first.headers["Location"]
        assert response.document == first.document
    assert house.count_records() == records


def test_a_document_is_a_replay_although_its_round_has_changed(api: Api, house: House) -> None:
    for reference in ({"reference": "friday/1"}, {"table": "attic"}):
        document = {**document_of(hands=COMPLETE[:1]), **reference}
        first = post_document(api, document)
        play(api, first["round"]["id"], COMPLETE[1])
        records = house.count_records()
        again = post_document(api, document)
        assert again.status == 201
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again["round"] == read_round(api, first["round"]["id"])
        assert house.count_records() == records


@pytest.mark.parametrize(
    "change",
    [
        ("hands/0/button", 2),
        ("seats/0/stack", 101),
        ("seats/0/player", "zoe"),
        ("ruleset", "progressive"),
        ("point_value", 10),
        ("unit", "EUR"),
        ("hands/1/played_at", "2026-11-20T20:15:00Z"),
        ("closed", {"after_hand": 1, "reason": "late"}),
        ("hands", COMPLETE[:2]),
    ],
    ids=lambda change: change[0],
)
def test_a_reference_belongs_to_one_content(api: Api, house: House, change: tuple[str, Any]) -> None:
    document = document_of(hands=COMPLETE, reference="friday/1")
    first = post_document(api, document)
    records = house.count_records()
    other = changed({**document, "point_value": 5, "unit": "USD"}, change)
    response = post_document(api, other)
    assert response.status == 409
    assert response["code"] == "round-conflict"
    assert response.mistakes == {"#/reference": "round-conflict"}
    assert first["round"]["id"] in response["detail"]
    assert house.count_records() == records


def test_without_a_reference_other_content_is_another_round(api: Api) -> None:
    first = post_document(api, document_of(hands=COMPLETE))
    second = post_document(api, document_of(hands=COMPLETE, point_value=5, unit="EUR"))
    assert second.status == 201
    assert second["round"]["id"] != first["round"]["id"]


def test_a_round_played_by_hand_is_the_same_as_its_document(api: Api, house: House) -> None:
    document = eventful()
    table = add_table(api, QQ, point_value=10, unit="EUR")
    request = {"seats": document["seats"], "reference": document["reference"]}
    round_id = api.post(f"/v1/tables/{table}/rounds", request)["id"]
    play(api, round_id, *document["hands"][:2])
    depart(api, round_id, 2, reason="last train")
    assert post_document(api, document)["code"] == "round-conflict", "a part of it is other content"
    play(api, round_id, document["hands"][2])
    close(api, round_id, "power cut")
    records = house.count_records()
    response = post_document(api, document)
    assert response.status == 201
    assert response.headers["Idempotent-Replayed"] == "true"
    assert response["round"] == read_round(api, round_id)
    assert response["settlement"] == api.get(f"/v1/rounds/{round_id}/settlement").document
    assert house.count_records() == records


def test_opening_by_hand_what_a_document_recorded_is_the_same_round(api: Api) -> None:
    first = post_document(api, document_of(hands=COMPLETE[:1], reference="friday/1"))
    response = open_round(api, first["round"]["table"], reference="friday/1")
    assert response.headers["Idempotent-Replayed"] == "true"
    assert response["id"] == first["round"]["id"]
    again = api.post(f"/v1/rounds/{response['id']}/hands", COMPLETE[0])
    assert again.headers["Idempotent-Replayed"] == "true"


def test_another_club_has_its_own_tables_and_references(api: Api, other_api: Api) -> None:
    document = document_of(hands=COMPLETE, reference="friday/1")
    first, theirs = post_document(api, document), post_document(other_api, changed(document, ("seats/0/stack", 5)))
    assert theirs.status == 201
    assert theirs["round"]["table"] != first["round"]["table"]
    assert other_api.get(f"/v1/rounds/{first['round']['id']}/document").status == 404
