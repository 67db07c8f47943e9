"""Undoing hands over HTTP."""

import json

import pytest

from scoring import SCORER_VERSION
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    KINGS,
    LOW,
    MID,
    QUEENS,
    SEVENS,
    SIXES,
    THREE,
    Document,
    add_table,
    close,
    depart,
    document_of,
    hand,
    hands_of,
    open_round,
    play,
    post_document,
    read_round,
    record,
    round_of,
    settlement_of,
    start_round,
    undo,
    without,
)

NOBODYS = "01a1fa84-64a0-7085-97f3-8afdbd6ebc27"
FIRST, SECOND, LAST = COMPLETE
OTHER = hand(2, 2, {1: LOW, 2: MID, 3: HIGH})
"""A second hand with other cards."""


# --- the round goes back ---


@pytest.mark.smoke
def test_an_undo_restores_the_round_before_its_last_hand(api: Api) -> None:
    round_id = start_round(api, sitting={1: "ann 100", 2: "bob 100", 3: "cyd 9"})
    play(api, round_id, FIRST)
    before = round_of(api, round_id)
    play(api, round_id, hand(2, 2, {1: HIGH, 2: MID}))
    response = undo(api, round_id, 2, reason="two cards exchanged")
    assert response.status == 201
    assert "Idempotent-Replayed" not in response.headers
    assert without(response.document, "version") == before
    assert response["version"] == 4
    assert read_round(api, round_id) == response.document
    assert [listed["number"] for listed in hands_of(api, round_id)] == [1]


def test_fantasyland_is_owed_again_once_its_hand_is_undone(api: Api) -> None:
    round_id = start_round(api, "pineapple-qq", SIXES)
    play(api, round_id, hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS}))
    owed = round_of(api, round_id)
    fantasyland = {1: {"board": HIGH, "fantasyland": 14}, 2: MID, 3: {"board": LOW, "fantasyland": 14}}
    play(api, round_id, hand(2, 3, fantasyland))
    undo(api, round_id, 2)
    assert round_of(api, round_id) == owed
    assert owed["next"]["fantasyland"] == {"1": 14, "3": 14}
    assert undo(api, round_id, 1)["next"] == {"number": 1, "button": None, "seats": [1, 2, 3], "fantasyland": {}}


def test_top_ups_are_undone_with_their_hand(api: Api) -> None:
    round_id = start_round(api, "pineapple-qq", SIXES)
    before = round_of(api, round_id)
    play(api, round_id, hand(1, 1, THREE, top_ups=[{"seat": 3, "points": 40}]))
    assert undo(api, round_id, 1)["seats"] == before["seats"]
    assert settlement_of(api, round_id)["net"] == {"1": 0, "2": 0, "3": 0}
    assert settlement_of(api, round_id, 1)["net"] == {"1": 12, "2": 0, "3": -12}
    assert settlement_of(api, round_id, 1)["stacks"] == {"1": 112, "2": 100, "3": 128}


def test_hands_are_undone_one_after_the_other(api: Api) -> None:
    round_id = start_round(api)
    stood = [round_of(api, round_id)]
    ids = []
    for played in (FIRST, SECOND):
        ids.append(play(api, round_id, played)["id"])
        stood.append(round_of(api, round_id))
    for number in (2, 1):
        undo(api, round_id, number)
        assert round_of(api, round_id) == stood[number - 1]
    assert settlement_of(api, round_id)["revision"] == 3
    play(api, round_id, {**FIRST, "played_at": "2026-11-20T20:15:00Z", "restores": ids[0]}, OTHER)
    assert settlement_of(api, round_id)["stacks"] == {"1": 100, "2": 100, "3": 100}


def test_another_hand_takes_the_number(api: Api) -> None:
    round_id = start_round(api, point_value=10, unit="EUR")
    play(api, round_id, FIRST, SECOND)
    undo(api, round_id, 2)
    response = record(api, round_id, OTHER)
    assert response.status == 201
    assert "Idempotent-Replayed" not in response.headers
    assert response["stacks"] == {"1": 100, "2": 100, "3": 100}
    settled = settlement_of(api, round_id)
    assert (settled["revision"], settled["state"]) == (2, "open")
    assert settled["money"]["net"] == {"1": 0, "2": 0, "3": 0}
    assert [paid["hand"] for paid in settled["transfers"]] == [1, 1, 1, 2, 2, 2]
    stored_hands = api.get(f"/v1/rounds/{round_id}/document")["hands"]
    assert [played["players"][0]["top"] for played in stored_hands] == [["Ah", "Kd", "9c"], ["Qs", "Jc", "6d"]]
    assert record(api, round_id, hand(2, 2, {1: MID, 2: LOW, 3: HIGH}))["code"] == "hand-conflict"


def test_a_complete_round_is_open_again(api: Api) -> None:
    table = add_table(api)
    round_id = open_round(api, table)["id"]
    play(api, round_id, FIRST, SECOND)
    before = round_of(api, round_id)
    play(api, round_id, LAST)
    assert open_round(api, add_table(api, name="attic"), {1: "ann 5", 2: "bob 5"}).status == 201
    assert undo(api, round_id, 3)["status"] == "open"
    assert round_of(api, round_id) == before
    assert open_round(api, table)["code"] == "round-open"
    assert play(api, round_id, hand(3, 3, {1: LOW, 2: MID, 3: HIGH}))["round"]["status"] == "complete"
    assert [seat["stack"] for seat in open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})["seats"]] == [112, 100, 88]


def test_undoing_the_completing_hand_reverts_the_payout_of_scope_round(api: Api) -> None:
    round_id = start_round(api, "progressive-round")
    play(api, round_id, FIRST, SECOND)
    before = settlement_of(api, round_id)
    play(api, round_id, LAST)
    undo(api, round_id, 3)
    after = settlement_of(api, round_id)
    assert (after["revision"], after["transfers"], after["stacks"]) == (2, [], before["stacks"])
    assert settlement_of(api, round_id, 1)["stacks"] == {"1": 136, "2": 100, "3": 64}
    close(api, round_id)
    assert settlement_of(api, round_id)["stacks"] == {"1": 124, "2": 100, "3": 76}


def test_departures_after_the_hand_are_dropped_and_earlier_ones_stay(api: Api, house: House) -> None:
    round_id = start_round(api, "pineapple-qq")
    play(api, round_id, FIRST)
    depart(api, round_id, 1, reason="last train")
    before = round_of(api, round_id)
    two = {2: HIGH, 3: MID}
    second = play(api, round_id, hand(2, 2, two))
    assert depart(api, round_id, 3)["status"] == "complete"
    assert undo(api, round_id, 2).status == 201
    assert round_of(api, round_id) == before
    left = api.get(f"/v1/rounds/{round_id}/document")["departures"]
    assert left == [{"seat": 1, "after_hand": 1, "reason": "last train"}]
    times = house.query("SELECT recorded_at FROM departures WHERE round_id = %s AND seat = 1", round_id)
    assert len(times) == 2
    assert len(set(times)) == 1
    play(api, round_id, hand(2, 2, two, restores=second["id"]))
    assert depart(api, round_id, 3)["status"] == "complete"


# --- the records stay ---


def test_an_undone_hand_stays_readable(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST)
    second = play(api, round_id, SECOND)
    before, listed = settlement_of(api, round_id), hands_of(api, round_id)
    undone = undo(api, round_id, 2)
    play(api, round_id, OTHER)
    shown = api.get(f"/v1/hands/{second['id']}")
    assert without(shown.document, "round", "in_force") == without(second.document, "round", "in_force")
    assert (second["in_force"], shown["in_force"]) == (True, False)
    assert shown["round"]["version"] == undone["version"] + 1
    assert settlement_of(api, round_id, 1).document == {**before.document, "state": "superseded"}
    assert hands_of(api, round_id, 1) == [listed[0], {**listed[1], "in_force": False}]
    assert hands_of(api, round_id, 2) == hands_of(api, round_id)
    assert [played["in_force"] for played in hands_of(api, round_id)] == [True, True]


def test_an_unknown_revision_is_not_found(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST)
    for part in ("settlement", "hands"):
        response = api.get(f"/v1/rounds/{round_id}/{part}?revision=2")
        assert response.status == 404
        assert response["detail"] == f"round {round_id} has no revision 2; it has revision 1 only"
    undo(api, round_id, 1)
    assert hands_of(api, round_id, 2) == []
    assert "it has revisions 1 to 2" in api.get(f"/v1/rounds/{round_id}/settlement?revision=3")["detail"]
    for revision in ("0", "-1", "x", "1.0", ""):
        response = api.get(f"/v1/rounds/{round_id}/settlement?revision={revision}")
        code = "out-of-range" if revision in ("0", "-1") else "not-an-integer"
        assert response.mistakes == {"#/query/revision": code}


def test_hands_of_an_older_revision_are_listed_page_by_page(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    undo(api, round_id, 2)
    first = api.get(f"/v1/rounds/{round_id}/hands?revision=1&limit=1")
    assert [listed["number"] for listed in first["hands"]] == [1]
    link = first.headers["Link"].removeprefix("<").removesuffix('>; rel="next"')
    assert [listed["number"] for listed in api.get(link)["hands"]] == [2]


def test_an_undo_records_an_event_with_the_withdrawn_hand(api: Api, house: House) -> None:
    round_id = start_round(api, "pineapple-qq")
    second = play(api, round_id, FIRST, SECOND)
    depart(api, round_id, 1)
    response = undo(api, round_id, 2, reason="seat 2 was misread")
    *earlier, (kind, sequence, request_id, content) = house.query(
        "SELECT kind, sequence, request_id, content FROM events WHERE round_id = %s ORDER BY sequence", round_id
    )
    assert [event[1] for event in earlier] == [1, 2, 3, 4]
    assert (kind, sequence, request_id) == ("hand.withdrawn", response["version"], response.headers["Request-Id"])
    event = json.loads(bytes(content))
    [(digest,)] = house.query("SELECT encode(digest, 'hex') FROM hands WHERE id = %s", second["id"])
    assert event == {
        "round": round_id,
        "number": 2,
        "hand": second["id"],
        "digest": digest,
        "departures": [1],
        "reason": event["reason"],
        "revision": 2,
        "scorer": SCORER_VERSION,
    }
    undo(api, round_id, 1)
    reasons = [settlement_of(api, round_id, revision)["reason"] for revision in (1, 2, 3)]
    assert reasons == [None, "seat 2 was misread", "hand 1 was undone"]
    [(digest,)] = house.query("SELECT encode(digest, 'hex') FROM texts WHERE content = 'seat 2 was misread'")
    assert event["reason"] == digest
    assert settlement_of(api, round_id)["reason"] == "hand 1 was undone"


def test_a_repeated_document_returns_the_reason_of_the_newest_revision(api: Api) -> None:
    document = document_of(hands=[hand(1, 1, THREE)])
    played = post_document(api, document)
    assert played["settlement"]["reason"] is None
    undo(api, played["round"]["id"], 1, reason="seat 2 was misread")
    again = post_document(api, document)
    assert again["settlement"] == settlement_of(api, played["round"]["id"]).document
    assert again["settlement"]["reason"] == "seat 2 was misread"


# --- what cannot be undone ---


@pytest.mark.parametrize(
    ("played", "number", "mistakes", "detail"),
    [
        ([], 1, {"#/hand": "hand-unknown"}, f"{NOBODYS} is not a record of hand 1 of this round"),
        ([FIRST], 2, {"#/hand": "hand-unknown"}, f"{NOBODYS} is not a record of hand 2 of this round"),
        (
            [FIRST, SECOND],
            1,
            {"#/number": "hand-not-last"},
            "hand 1 cannot be undone; expected hand 2, the last of the round",
        ),
    ],
)
def test_only_the_last_hand_is_undone(
    api: Api, house: House, played: list[Document], number: int, mistakes: dict[str, str], detail: str
) -> None:
    round_id = start_round(api)
    for each in played:
        play(api, round_id, each)
    records = house.count_records()
    response = undo(api, round_id, number)
    assert response.status == 409
    assert response["code"] == "undo-refused"
    assert response.mistakes == mistakes
    assert response["detail"] == detail
    assert house.count_records() == records


def test_hands_of_a_closed_round_cannot_be_undone(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST)
    close(api, round_id)
    records = house.count_records()
    response = undo(api, round_id, 1)
    assert response.status == 409
    assert response["code"] == "undo-refused"
    assert response.mistakes == {"#": "round-closed"}
    assert response["detail"] == "the round was closed after hand 1; none of its hands can be undone"
    assert house.count_records() == records


def test_hands_of_a_round_followed_by_another_cannot_be_undone(api: Api, house: House) -> None:
    table = add_table(api)
    first = open_round(api, table)["id"]
    play(api, first, FIRST, SECOND, LAST)
    later = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})["id"]
    for end in (lambda: None, lambda: close(api, later)):
        end()
        records = house.count_records()
        response = undo(api, first, 3)
        assert response.status == 409
        assert response["code"] == "undo-refused"
        assert response.mistakes == {"#": "round-follows"}
        assert later in response["detail"]
        assert house.count_records() == records


def test_an_undo_of_another_club_s_round_is_not_found(api: Api, other_api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST)
    for client, address in ((other_api, round_id), (api, NOBODYS)):
        assert undo(client, address, 1)["code"] == "not-found"
    assert api.get(f"/v1/rounds/{round_id}")["hands"] == 1


@pytest.mark.parametrize(
    ("request_", "mistakes"),
    [
        ({"number": 0}, {"#/number": "out-of-range"}),
        ({"number": "1"}, {"#/number": "not-an-integer"}),
        ({"reason": ""}, {"#/reason": "text-length"}),
        ({"hand": "1"}, {"#/hand": "not-an-id"}),
        ({"expected": []}, {"#/expected": "not-an-object"}),
        ({"hands": 2}, {"#/hands": "field-unknown"}),
    ],
)
def test_an_invalid_undo_is_refused(api: Api, request_: Document, mistakes: dict[str, str]) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST)
    response = api.post(f"/v1/rounds/{round_id}/undo", {"number": 1, "hand": NOBODYS, **request_})
    assert response.status == 422
    assert response.mistakes == mistakes
    assert api.get(f"/v1/rounds/{round_id}")["hands"] == 1


def test_an_undo_with_another_result_than_expected_stores_nothing(api: Api, house: House) -> None:
    round_id = start_round(api, "pineapple-qq")
    play(api, round_id, FIRST)
    depart(api, round_id, 3)
    records = house.count_records()
    response = undo(api, round_id, 1, expected={"version": 3})
    assert response.status == 422
    assert response.mistakes == {"#/expected/version": "expected-differs"}
    assert house.count_records() == records
    assert undo(api, round_id, 1, expected={"version": 4, "hands": 0, "next": {"number": 1}}).status == 201
