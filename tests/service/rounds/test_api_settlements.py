"""Settlements over HTTP: provisional, confirmed, final, and adjusted where a final one is corrected."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

import pytest

from tests.support.api_client import Api, replayed
from tests.support.api_settlements import AT_ONCE, WINDOW, confirm, correct, events_of, make_final, refused, sweep_all
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.race import at_once
from tests.support.sample_rounds import (
    COMPLETE,
    Document,
    close,
    complete_round,
    document_of,
    play,
    post_document,
    settlement_of,
    start_round,
)


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    """A database in which a sweep finds the settlements of these tests only."""
    with open_house(embedded_postgres) as opened:
        yield opened


# --- states ---


def test_a_settlement_is_provisional_for_the_table_s_window_from_the_last_hand_on(api: Api) -> None:
    round_id = start_round(api, **{WINDOW: 45})
    play(api, round_id, *COMPLETE[:2])
    before = settlement_of(api, round_id)
    assert (before["state"], before["provisional_until"], before["confirmed"]) == ("open", None, [])
    last = play(api, round_id, COMPLETE[2])
    settlement = settlement_of(api, round_id)
    assert (settlement["state"], settlement["adjustment"]) == ("provisional", None)
    until = timedelta(minutes=45) + datetime.fromisoformat(last["recorded_at"])
    assert datetime.fromisoformat(settlement["provisional_until"]) == until
    for shown in (last["round"], api.get(f"/v1/rounds/{round_id}")):
        assert shown["state"] == "provisional"


def test_a_round_that_was_closed_or_sent_whole_is_provisional_too(api: Api) -> None:
    closed = start_round(api)
    play(api, closed, *COMPLETE[:1])
    assert close(api, closed)["state"] == "provisional"
    sent = post_document(api, document_of(hands=COMPLETE, table="parlour"))
    assert sent["settlement"]["state"] == sent["round"]["state"] == "provisional"
    half = post_document(api, document_of(hands=COMPLETE[:1], table="cellar"))
    assert half["settlement"]["state"] == half["round"]["state"] == "open"


@pytest.mark.smoke
def test_a_settlement_whose_window_has_passed_is_final_once_a_worker_has_swept(api: Api, house: House) -> None:
    round_id = complete_round(api, **{WINDOW: 0})
    waiting = complete_round(api, name="parlour")
    assert settlement_of(api, round_id)["state"] == "provisional"
    sweep_all(house)
    settlement = settlement_of(api, round_id)
    assert (settlement["state"], settlement["provisional_until"]) == ("final", None)
    assert api.get(f"/v1/rounds/{round_id}")["version"] == 5
    assert events_of(house, round_id)[-1] == (5, "settlement.finalized")
    assert settlement_of(api, waiting)["state"] == "provisional"


def test_a_repeated_document_returns_the_current_settlement(api: Api, house: House) -> None:
    document = document_of(hands=COMPLETE)
    round_id = post_document(api, document)["round"]["id"]
    confirm(api, round_id, 2)
    house.change("UPDATE round_heads SET provisional_until = now() WHERE round_id = %s", round_id)
    sweep_all(house)
    again = post_document(api, document)
    assert replayed(again)
    assert (again["settlement"]["state"], again["settlement"]["confirmed"]) == ("final", [2])
    assert again["settlement"] == settlement_of(api, round_id).document


def test_imported_settlements_are_final_unless_they_are_to_be_provisional(api: Api, house: House) -> None:
    club = club_of(house, api)
    documents = [document_of(hands=COMPLETE, reference=f"r/{number}") for number in range(2)]
    [final] = import_all(house, club, lines_of(documents[:1]), is_final=True)
    [provisional] = import_all(house, club, lines_of(documents[1:]), is_final=False)
    assert settlement_of(api, str(final.round_id))["state"] == "final"
    assert settlement_of(api, str(provisional.round_id))["state"] == "provisional"
    exported = [api.get(f"/v1/rounds/{each.round_id}/document").document for each in (final, provisional)]
    for state in (True, False):
        again = import_all(house, club, lines_of(exported), is_final=state)
        assert [each.status for each in again] == ["replayed", "replayed"]


def test_expected_values_of_a_line_are_compared_with_its_imported_state(api: Api, house: House) -> None:
    club = club_of(house, api)
    expecting = {**document_of(hands=COMPLETE), "expected": {"settlement": {"state": "final", "confirmed": []}}}
    for is_final, status in ((False, "refused"), (True, "stored"), (False, "replayed")):
        [became] = import_all(house, club, lines_of([expecting]), is_final=is_final)
        assert became.status == status


def test_rounds_are_listed_by_the_state_of_their_settlement(api: Api, house: House) -> None:
    final = complete_round(api, **{WINDOW: 0})
    sweep_all(house)
    provisional = complete_round(api, name="parlour")
    opened = start_round(api, name="cellar")
    for state, ids in {"final": [final], "provisional": [provisional], "open": [opened], "disputed": []}.items():
        listed = api.get(f"/v1/rounds?state={state}")["rounds"]
        assert [each["id"] for each in listed] == ids
        assert {each["state"] for each in listed} <= {state}
    wrong = api.get("/v1/rounds?state=superseded")
    assert (wrong.status, wrong.mistakes) == (422, {"#/query/state": "not-a-choice"})


# --- confirmations ---


def test_a_settlement_that_everyone_has_confirmed_is_final(api: Api, house: House) -> None:
    round_id = complete_round(api)
    until = settlement_of(api, round_id)["provisional_until"]
    for seat, confirmed in ((3, [3]), (1, [1, 3])):
        response = confirm(api, round_id, seat)
        assert not replayed(response)
        assert (response["state"], response["confirmed"], response["provisional_until"]) == (
            "provisional",
            confirmed,
            until,
        )
    last = confirm(api, round_id, 2, revision=1)
    assert (last["state"], last["confirmed"], last["provisional_until"]) == ("final", [1, 2, 3], None)
    assert last.document == settlement_of(api, round_id).document
    recorded_kinds = [(sequence, kind) for sequence, kind in events_of(house, round_id) if sequence > 4]
    assert recorded_kinds == [*((number, "settlement.confirmed") for number in (5, 6, 7)), (8, "settlement.finalized")]
    contents = house.query(
        "SELECT content FROM events WHERE round_id = %s AND sequence > 6 ORDER BY sequence", round_id
    )
    assert [json.loads(content) for (content,) in contents] == [
        {"round": round_id, "revision": 1, "seat": 2},
        {"round": round_id, "revision": 1, "because": "confirmed"},
    ]


def test_the_same_confirmation_again_changes_nothing(api: Api, house: House) -> None:
    round_id = complete_round(api)
    confirm(api, round_id, 1)
    before = house.count_records()
    assert replayed(confirm(api, round_id, 1))
    assert house.count_records() == before
    make_final(api, round_id)
    before = house.count_records()
    again = confirm(api, round_id, 3)
    assert replayed(again)
    assert again["state"] == "final"
    assert house.count_records() == before


def test_equal_confirmations_at_once_are_stored_once(api: Api, house: House) -> None:
    round_id = complete_round(api)
    responses = at_once(*[partial(confirm, api, round_id, 2)] * AT_ONCE)
    assert [replayed(response) for response in responses].count(False) == 1
    assert settlement_of(api, round_id)["confirmed"] == [2]
    assert events_of(house, round_id)[-1] == (5, "settlement.confirmed")


def test_confirmations_of_all_players_at_once_finalize_a_settlement_once(api: Api, house: House) -> None:
    round_id = complete_round(api)
    at_once(*[partial(confirm, api, round_id, seat) for seat in (1, 2, 3) * 4])
    assert settlement_of(api, round_id)["state"] == "final"
    kinds = [kind for _, kind in events_of(house, round_id)]
    assert (kinds.count("settlement.confirmed"), kinds.count("settlement.finalized")) == (3, 1)


def test_only_a_provisional_settlement_can_be_confirmed(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, *COMPLETE[:1])
    before = house.count_records()
    assert refused(confirm(api, round_id, 1), "confirmation-refused", "settlement-open")
    play(api, round_id, *COMPLETE[1:])
    confirm(api, round_id, 1)
    house.change("UPDATE round_heads SET provisional_until = now() WHERE round_id = %s", round_id)
    sweep_all(house)
    response = confirm(api, round_id, 2)
    assert refused(response, "confirmation-refused", "settlement-final")
    assert "no further confirmation" in response["detail"]
    assert house.count_records()["confirmations"] == before["confirmations"] + 1


@pytest.mark.parametrize(
    ("body", "status", "mistakes"),
    [
        ({"seat": 4}, 422, {"#/seat": "seat-unknown"}),
        ({"seat": 0}, 422, {"#/seat": "out-of-range"}),
        ({}, 422, {"#/seat": "field-missing"}),
        ({"seat": 1, "revision": 2}, 409, {"#/revision": "settlement-superseded"}),
        ({"seat": 1, "revision": 2**53 - 1}, 409, {"#/revision": "settlement-superseded"}),
    ],
)
def test_mistakes_of_a_confirmation_are_reported(
    api: Api, house: House, body: Document, status: int, mistakes: Document
) -> None:
    round_id = complete_round(api)
    before = house.count_records()
    response = api.post(f"/v1/rounds/{round_id}/confirmations", body)
    assert (response.status, response.mistakes) == (status, mistakes)
    assert house.count_records() == before


def test_a_new_revision_needs_new_confirmations(api: Api) -> None:
    round_id = complete_round(api)
    confirm(api, round_id, 1)
    first = settlement_of(api, round_id)["provisional_until"]
    correct(api, round_id)
    settlement = settlement_of(api, round_id)
    assert (settlement["state"], settlement["confirmed"], settlement["adjustment"]) == ("provisional", [], None)
    assert settlement["provisional_until"] > first
    old = settlement_of(api, round_id, 1)
    assert (old["state"], old["confirmed"], old["provisional_until"]) == ("superseded", [1], None)
    assert replayed(confirm(api, round_id, 1, revision=1))
    assert refused(confirm(api, round_id, 2, revision=1), "confirmation-refused", "settlement-superseded")
    assert not replayed(confirm(api, round_id, 1, revision=2))


def test_a_dry_run_of_a_confirmation_is_not_stored(api: Api, house: House) -> None:
    round_id = complete_round(api)
    before = house.count_records()
    tried = api.post(f"/v1/rounds/{round_id}/confirmations?dry_run=true", {"seat": 1})
    assert tried["confirmed"] == [1]
    assert house.count_records() == before
