"""Hands accepted as played, over HTTP: `irregular`, completion, undo, corrections and what-if questions."""

import json
from pathlib import Path

import pytest

from client.errors import RefusedError
from client.offline.score import play_round
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.api_corrections import correct, part_of, refused
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    THREE,
    TWO,
    Document,
    changed,
    complete_round,
    document_of,
    hand,
    hands_of,
    post_document,
    record,
    round_of,
    settlement_of,
    start_round,
    undo,
    without,
)

EXAMPLE = json.loads((Path(__file__).parents[3] / "examples" / "progressive-round.json").read_text())
NOBODY_PLAYS = document_of(
    "pineapple-qq",
    {1: "ann 10", 2: "bob 3", 3: "cyd 3"},
    [hand(1, 1, THREE), hand(2, 2, {2: HIGH, 3: MID}, top_ups=[{"seat": 3, "points": 5}])],
    departures=[{"seat": 1, "after_hand": 1, "reason": "a train"}],
    irregular=[{"hand": 2}],
)
"""Seat 1 wins everything and leaves: between the hands nobody is still playing."""
HELD_OPEN = document_of(
    "pineapple",
    {1: "ann 100", 2: "bob 100"},
    [hand(number, 2 - number % 2, TWO) for number in (1, 2, 3, 4)],
    irregular=[{"hand": 4}],
)
"""Two players and four hands: the round would be complete after the second."""


def stored(api: Api, document: Document) -> str:
    posted = post_document(api, document)
    assert posted.status == 201, posted
    return str(posted["round"]["id"])


# --- only recorded hands ---


@pytest.mark.parametrize("numbers", [[7], [99], [6, 7], [7, 7]])
def test_a_document_that_marks_a_hand_which_the_round_does_not_have_is_refused(
    api: Api, house: House, numbers: list[int]
) -> None:
    document = {**EXAMPLE, "irregular": [{"hand": number} for number in numbers]}
    records = house.count_records()
    response = post_document(api, document)
    wrong = {f"#/irregular/{index}/hand": "irregular-hand" for index, number in enumerate(numbers) if number > 6}
    assert (response.status, response["code"], response.mistakes) == (422, "round-invalid", wrong)
    assert "hands 1 to 6 are recorded" in response["errors"][0]["detail"]
    assert house.count_records() == records
    with pytest.raises(RefusedError, match="hands 1 to 6 are recorded"):
        play_round(document)


def test_a_mark_on_a_hand_that_follows_changes_nothing(api: Api, house: House) -> None:
    marked = stored(api, {**EXAMPLE, "irregular": [{"hand": 6}, {"hand": 2}]})
    assert round_of(api, marked)["status"] == "complete"
    assert [seat["stack"] for seat in round_of(api, marked)["seats"]] == [29, 121, 0]
    assert settlement_of(api, marked)["irregular"] == []
    assert record(api, marked, hand(7, 1, THREE)).status == 409
    check_everywhere(house, api)


def test_lines_with_accepted_hands_stop_no_other_line(api: Api, house: House) -> None:
    good = document_of(hands=[hand(number, number, THREE) for number in (1, 2, 3)])
    unknown = {**good, "irregular": [{"hand": 4}], "table": "hall"}
    gone = changed(NOBODY_PLAYS, ("departures/0/seat", 2), ("table", "attic"))
    lines = [good, unknown, NOBODY_PLAYS | {"table": "cellar"}, gone, {**HELD_OPEN, "table": "garden"}]
    imported = import_all(house, club_of(house, api), lines_of(lines))
    assert [line.status for line in imported] == ["stored", "refused", "stored", "refused", "stored"]
    problems = [line.problem["errors"] for line in imported if line.problem]
    assert [[(each["pointer"], each["code"]) for each in errors] for errors in problems] == [
        [("#/irregular/0/hand", "irregular-hand")],
        [
            ("#/hands/1", "round-complete"),
            ("#/hands/1/button", "button-wrong"),
            ("#/hands/1/players/0/seat", "player-left"),
            ("#/hands/1/players", "player-missing"),
        ],
    ]
    check_everywhere(house, api)


def test_a_correction_that_removes_an_accepted_hand_removes_its_mark_too(api: Api, house: House) -> None:
    round_id = stored(api, HELD_OPEN)
    removed = [{"op": "remove", "path": "/hands/3"}]
    for more in ({}, {"irregular": "accept"}):
        response = refused(api, house, round_id, patch=removed, **more)
        assert (response.status, response.mistakes) == (422, {"#/patch/0": "irregular-hand"})
        assert response["errors"][0]["detail"].startswith("`patch[0]`: at #/irregular/0/hand of the patched document: ")
        document = part_of(api, round_id, "document").document
        response = refused(api, house, round_id, document={**document, "hands": document["hands"][:3]}, **more)
        assert (response.status, response.mistakes) == (422, {"#/document/irregular/0/hand": "irregular-hand"})
    response = api.post(f"/v1/rounds/{round_id}/what-if", {"patch": removed})
    assert (response.status, response.mistakes) == (422, {"#/patch/0": "irregular-hand"})


# --- the last accepted hand ---


def test_a_round_is_not_complete_before_the_last_accepted_hand(api: Api, house: House) -> None:
    round_id = stored(api, HELD_OPEN)
    settled = settlement_of(api, round_id)
    assert (settled["state"], settled["net"]) == ("provisional", {"1": 24, "2": -24})
    assert [(each["hand"], [reason["code"] for reason in each["reasons"]]) for each in settled["irregular"]] == [
        (4, ["round-complete"])
    ]
    [(content,)] = house.query(
        "SELECT content FROM events WHERE round_id = %s AND kind = 'hand.recorded' ORDER BY sequence DESC LIMIT 1",
        round_id,
    )
    assert json.loads(bytes(content))["irregular"] is True
    explained = [api.get(f"/v1/hands/{each['id']}/explanation") for each in hands_of(api, round_id)]
    assert [each.status for each in explained] == [200] * 4
    check_everywhere(house, api)


def test_under_scope_round_nothing_is_paid_before_the_last_accepted_hand(api: Api, house: House) -> None:
    round_id = stored(api, {**HELD_OPEN, "ruleset": "progressive-round"})
    assert {paid["hand"] for paid in settlement_of(api, round_id)["transfers"]} == {4}
    check_everywhere(house, api)


def test_undoing_the_last_accepted_hand_replays_the_other_hands(api: Api, house: House) -> None:
    round_id = stored(api, HELD_OPEN)
    response = undo(api, round_id, 4)
    assert (response.status, response["status"], response["hands"]) == (201, "complete", 3)
    assert "dropped_departures" not in response.document
    # Hand 3 had followed because the round was held open for hand 4.
    assert [each["hand"] for each in settlement_of(api, round_id)["irregular"]] == [3]
    assert record(api, round_id, hand(4, 1, TWO)).status == 409
    check_everywhere(house, api)
    assert undo(api, round_id, 3)["status"] == "complete"
    assert settlement_of(api, round_id)["irregular"] == []
    assert undo(api, round_id, 2)["status"] == "open"
    check_everywhere(house, api)


# --- nobody is still playing ---


def test_a_round_without_players_stays_open_until_the_accepted_hand(api: Api, house: House) -> None:
    round_id = stored(api, NOBODY_PLAYS)
    shown = round_of(api, round_id)
    assert (shown["status"], [seat["stack"] for seat in shown["seats"]]) == ("complete", [16, 0, 5])
    reasons = settlement_of(api, round_id)["irregular"][0]["reasons"]
    assert {reason["code"] for reason in reasons} == {"round-complete", "button-wrong", "player-busted"}
    check_everywhere(house, api)


def test_a_correction_and_a_what_if_can_leave_no_players(api: Api, house: House) -> None:
    round_id = start_round(api, "pineapple-qq", {1: "ann 100", 2: "bob 3"})
    assert record(api, round_id, hand(1, 1, TWO)).status == 201
    for patch in (
        [{"op": "add", "path": "/departures/-", "value": {"seat": 1, "after_hand": 1}},
         {"op": "add", "path": "/hands/-", "value": hand(2, 2, TWO)}],
        [{"op": "add", "path": "/hands/-", "value": hand(2, 2, TWO)},
         {"op": "add", "path": "/departures/-", "value": {"seat": 1, "after_hand": 1}}],
    ):  # as a table  # fmt: skip
        responses = (
            refused(api, house, round_id, patch=patch, irregular="accept"),
            api.post(f"/v1/rounds/{round_id}/what-if", {"patch": patch}),
            post_document(api, changed_document(api, round_id, patch)),
        )
        assert [response.status for response in responses] == [422, 422, 422]
        assert all("player-left" in response.codes for response in responses)


def changed_document(api: Api, round_id: str, patch: list[Document]) -> Document:
    document = part_of(api, round_id, "document").document
    values = {change["path"].split("/")[1]: change["value"] for change in patch}
    return {
        **without(document, "reference"),
        "hands": [*document["hands"], values["hands"]],
        "departures": [values["departures"]],
        "irregular": [{"hand": 2}],
    }


# --- departures that come after the end ---

DROPPED = [{"seat": 1, "after_hand": 1, "reason": "a train"}]


def test_an_undo_lists_the_departures_that_were_dropped(api: Api, house: House) -> None:
    round_id = stored(api, NOBODY_PLAYS)
    response = undo(api, round_id, 2)
    assert (response.status, response["status"], response["dropped_departures"]) == (201, "complete", DROPPED)
    assert settlement_of(api, round_id)["stacks"] == {"1": 16, "2": 0, "3": 0}
    assert part_of(api, round_id, "document")["departures"] == []
    again = undo(api, round_id, 2)
    assert replayed(again)
    assert again["dropped_departures"] == DROPPED
    check_everywhere(house, api)


def test_a_departure_in_a_sequence_is_dropped_with_the_accepted_hand_after_it(api: Api, house: House) -> None:
    enters = {
        1: "QsQd4c / KsKd9h8h3c / AhJh7h6h2h",
        2: "Ac8d2s / TsTc5d5c6s / 7s7d7cJdJs",
        3: "Kh8c3h / AsQcJc8s2d / 9d9cTd5h4h",
    }
    document = document_of("pineapple-qq", hands=[hand(1, 1, enters), hand(2, 2, {2: HIGH, 3: MID})])
    departures = [{"seat": 1, "after_hand": 1}, {"seat": 3, "after_hand": 2}]
    round_id = stored(api, {**document, "departures": departures, "irregular": [{"hand": 2}]})
    response = undo(api, round_id, 2)
    assert response.status == 201, response
    assert [each["seat"] for each in response["dropped_departures"]] == [1, 3]
    assert response["next"]["fantasyland"] == {"1": 14}
    check_everywhere(house, api)


@pytest.mark.parametrize("more", [{}, {"irregular": "accept"}])
def test_a_correction_lists_the_departures_that_were_dropped(api: Api, house: House, more: Document) -> None:
    round_id = stored(api, NOBODY_PLAYS)
    patch = [{"op": "remove", "path": "/hands/1"}, {"op": "remove", "path": "/irregular/0"}]
    version = api.get(f"/v1/rounds/{round_id}")["version"]
    tried = correct(api, round_id, query="?dry_run=true", patch=patch, version=version, **more)
    response = correct(api, round_id, patch=patch, version=version, **more)
    assert (response.status, response.document) == (tried.status, tried.document) == (201, response.document)
    assert (response["round"]["status"], response["dropped_departures"], response["changed"]) == (
        "complete",
        DROPPED,
        True,
    )
    assert part_of(api, round_id, "document")["departures"] == []
    again = correct(api, round_id, patch=patch, version=version, **more)
    assert (replayed(again), again["dropped_departures"]) == (True, DROPPED)
    check_everywhere(house, api)


def test_a_departure_that_the_correction_itself_adds_is_not_dropped(api: Api, house: House) -> None:
    round_id = complete_round(api, ruleset="pineapple-qq")
    late = [{"op": "add", "path": "/departures/-", "value": {"seat": 1, "after_hand": 3}}]
    response = refused(api, house, round_id, patch=late)
    assert (response.status, response.mistakes) == (422, {"#/patch/0/value": "round-complete"})


# --- what if ---


def what_if(api: Api, round_id: str, **fields: object) -> ApiResponse:
    return api.post(f"/v1/rounds/{round_id}/what-if", fields)


@pytest.mark.parametrize("ruleset", ["pineapple", "progressive-round", "pineapple-kk", "progressive"])
def test_a_what_if_accepts_hands_top_ups_and_departures_as_played(api: Api, house: House, ruleset: str) -> None:
    top_up = [{"seat": 3, "points": 40}]
    document = document_of(
        "pineapple-qq",
        {1: "ann 12", 2: "bob 6", 3: "cyd 6"},
        [hand(1, 1, THREE), hand(2, 3, {1: HIGH, 3: LOW}, top_ups=top_up), hand(3, 1, {1: HIGH, 3: LOW})],
        departures=[{"seat": 2, "after_hand": 1}, {"seat": 1, "after_hand": 3}],
        irregular=[{"hand": number} for number in (2, 3)],
    )
    round_id = stored(api, without(document, "departures") | {"departures": document["departures"][:1]})
    records = house.count_records()
    response = what_if(api, round_id, ruleset=ruleset)
    assert response.status == 200, response
    assert len(response["round"]["seats"]) == 3
    assert sum(each["after"] for each in response["net"]) == 0
    assert response["round"]["seats"][2]["top_ups"] == 40
    assert house.count_records() == records


@pytest.mark.parametrize("ruleset", ["pineapple", "progressive-round", "pineapple-aa"])
def test_a_what_if_accepts_a_departure_and_a_closing_where_the_round_would_be_complete(api: Api, ruleset: str) -> None:
    enters = {1: "QsQd4c / KsKd9h8h3c / AhJh7h6h2h", 2: "Ac8d2s / TsTc5d5c6s / 7s7d7cJdJs"}
    hands = [hand(1, 2, TWO), hand(2, 1, enters)]
    document = document_of("pineapple-qq", {1: "ann 100", 2: "bob 100"}, hands)
    round_id = stored(api, {**document, "closed": {"after_hand": 2, "reason": "fire"}})
    response = what_if(api, round_id, ruleset=ruleset)
    assert response.status == 200, response
    assert response["round"]["status"] in ("complete", "closed")
    left = stored(
        api,
        document_of(
            "pineapple-qq", hands=[hand(1, 1, THREE)], departures=[{"seat": 3, "after_hand": 1}], table="attic"
        ),
    )
    assert what_if(api, left, ruleset=ruleset).status == 200


def test_a_what_if_reports_whether_anything_changes(api: Api) -> None:
    round_id = complete_round(api)
    assert what_if(api, round_id)["changed"] is False
    assert what_if(api, round_id, ruleset="progressive")["changed"] is True


# --- places in the request ---


def test_a_mistake_under_another_ruleset_points_to_the_ruleset(api: Api) -> None:
    known = {1: {"board": HIGH, "discards": ["2s", "3d", "6s", "7c"]}, 2: MID, 3: LOW}
    round_id = stored(api, document_of(hands=[hand(1, 1, known)]))
    response = what_if(api, round_id, ruleset="classic")
    assert (response.status, response.mistakes) == (422, {"#/ruleset": "discards-count"})
    assert response["errors"][0]["detail"].startswith(
        "`ruleset`: at #/hands/0/players/0/discards of the round's document: "
    )
    assert what_if(api, round_id, ruleset="pinapple").mistakes == {"#/ruleset": "ruleset-unknown"}


@pytest.mark.parametrize(
    ("patch", "pointer", "code"),
    [
        ([{"op": "replace", "path": "/hands/2", "value": hand(3, 9, THREE)}], "#/patch/0/value/button", "seat-unknown"),
        ([{"op": "remove", "path": "/closed"},
          {"op": "add", "path": "/hands/0", "value": hand(1, 1, {1: HIGH, 2: MID, 9: LOW})},
          {"op": "remove", "path": "/hands/1"}],
         "#/patch/1/value/players/2/seat", "seat-unknown"),
        ([{"op": "test", "path": "/table", "value": "kitchen"}, {"op": "remove", "path": "/hands/1/players/2"}],
         "#/patch/1", "player-missing"),
        ([{"op": "copy", "from": "/hands/0/players/0/top/0", "path": "/hands/0/players/1/top/0"},
          {"op": "remove", "path": "/hands/0/players/1/top/1"}], "#/patch/0", "card-twice"),
        ([{"op": "move", "from": "/hands/2", "path": "/hands/0"}], "#/patch/0", "hand-number"),
    ],
)  # as a table  # fmt: skip
def test_a_mistake_in_a_patched_document_points_to_the_operation_that_brought_it(
    api: Api, house: House, patch: list[Document], pointer: str, code: str
) -> None:
    round_id = complete_round(api)
    response = refused(api, house, round_id, patch=patch)
    assert (response.status, response.mistakes.get(pointer)) == (422, code), response
    what = what_if(api, round_id, patch=patch)
    assert what.status == 200 if code == "player-missing" else what.mistakes[pointer] == code
    assert all(place == "#/patch" or place.startswith("#/patch/") for place in response.mistakes)


def test_a_departure_that_is_not_allowed_points_to_the_seat(api: Api) -> None:
    round_id = start_round(api)
    assert record(api, round_id, hand(1, 1, THREE)).status == 201
    response = api.post(f"/v1/rounds/{round_id}/departures", {"seat": 2})
    assert (response.status, response.mistakes) == (422, {"#/seat": "departure-not-allowed"})
