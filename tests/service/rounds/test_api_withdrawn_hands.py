"""Repeated undos and undone hands, undos at once, and undos of random rounds."""

import json
from functools import partial
from random import Random
from typing import Any

import pytest

from tests.oracle import PRESETS, random_document
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.application import House
from tests.support.race import at_once
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    Document,
    add_table,
    close,
    correct_round,
    depart,
    document_of,
    find_record,
    hand,
    open_round,
    play,
    read_round,
    record,
    round_of,
    seats,
    settlement_of,
    start_round,
    undo,
    without,
)

NOBODYS = "01a1fa84-64a0-7085-97f3-8afdbd6ebc27"
FIRST, SECOND, LAST = COMPLETE
OTHER = hand(2, 2, {1: LOW, 2: MID, 3: HIGH})
"""A second hand with other cards."""


# --- the same undo again ---


@pytest.mark.parametrize("then", ["nothing", "another undo", "a closing"])
def test_the_same_undo_again_undoes_no_second_hand(api: Api, house: House, then: str) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    undo(api, round_id, 2)
    if then == "another undo":
        undo(api, round_id, 1)
    elif then == "a closing":
        close(api, round_id)
    records = house.count_records()
    again = undo(api, round_id, 2, reason="asked again")
    assert replayed(again)
    assert again.document == read_round(api, round_id)
    assert house.count_records() == records


def test_an_undo_with_a_record_id_undoes_no_other_record(api: Api, house: House) -> None:
    round_id = start_round(api)
    second = play(api, round_id, FIRST, SECOND)
    assert not replayed(undo(api, round_id, 2, hand=second["id"]))
    other = play(api, round_id, OTHER)
    records = house.count_records()
    late = undo(api, round_id, 2, hand=second["id"])
    assert replayed(late)
    assert late.document == other["round"]
    assert house.count_records() == records
    assert not replayed(undo(api, round_id, 2, hand=other["id"]))


def test_an_undo_of_a_hand_that_is_not_in_the_round_is_refused(api: Api, house: House) -> None:
    round_id = start_round(api)
    first = play(api, round_id, FIRST)
    play(api, round_id, SECOND)
    elsewhere = play(api, start_round(api, name="attic"), FIRST)
    records = house.count_records()
    for named in (first["id"], elsewhere["id"], NOBODYS):
        response = undo(api, round_id, 2, hand=named)
        assert response.status == 409
        assert response["code"] == "undo-refused"
        assert response.mistakes == {"#/hand": "hand-unknown"}
        assert response["detail"] == f"{named} is not a record of hand 2 of this round"
    assert house.count_records() == records


def test_an_undo_has_a_dry_run(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    records = house.count_records()
    request = {"number": 2, "hand": find_record(api, round_id, 2)}
    tried = api.post(f"/v1/rounds/{round_id}/undo?dry_run=true", request)
    assert (tried.status, tried["hands"]) == (201, 1)
    assert house.count_records() == records
    assert undo(api, round_id, 2).document == tried.document


def test_an_undo_with_an_idempotency_key_undoes_no_later_hand(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    request = {"number": 2, "hand": find_record(api, round_id, 2)}
    sent: Document = {"json": request, "headers": {"Idempotency-Key": '"undo-1"'}}
    undone = api.request("POST", f"/v1/rounds/{round_id}/undo", **sent)
    play(api, round_id, OTHER)
    records = house.count_records()
    again = api.request("POST", f"/v1/rounds/{round_id}/undo", **sent)
    assert replayed(again)
    assert again.document == undone.document
    assert house.count_records() == records


# --- the withdrawn hand once more ---


def test_a_late_copy_of_an_undone_hand_does_not_restore_it(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST)
    second = play(api, round_id, SECOND)
    undo(api, round_id, 2)
    for changes in ("nothing", "another hand", "a closing"):
        if changes == "another hand":
            play(api, round_id, OTHER)
        elif changes == "a closing":
            close(api, round_id)
        records = house.count_records()
        assert is_undone(record(api, round_id, SECOND), second["id"])
        assert house.count_records() == records


def test_a_late_copy_of_an_undone_hand_is_undone_whatever_was_undone_since(api: Api) -> None:
    round_id = start_round(api)
    second = play(api, round_id, FIRST, SECOND)
    undo(api, round_id, 2)
    undo(api, round_id, 1)
    assert is_undone(record(api, round_id, SECOND), second["id"])
    assert api.get(f"/v1/rounds/{round_id}")["hands"] == 0


def test_a_late_copy_of_a_corrected_hand_is_a_replay_until_its_number_is_undone(api: Api, house: House) -> None:
    round_id = start_round(api)
    second = play(api, round_id, FIRST, SECOND)
    change = {"op": "replace", "path": "/hands/1", "value": OTHER}
    assert correct_round(api, round_id, {"reason": "misread", "patch": [change]}).status == 201
    records = house.count_records()
    late = record(api, round_id, SECOND)
    assert replayed(late)
    assert (late["id"], late["in_force"], late["round"]["hands"]) == (second["id"], False, 2)
    assert house.count_records() == records
    undo(api, round_id, 2)
    assert is_undone(record(api, round_id, SECOND), second["id"])


def test_a_hand_that_a_correction_removed_is_undone(api: Api) -> None:
    round_id = start_round(api)
    second = play(api, round_id, FIRST, SECOND)
    change = {"op": "remove", "path": "/hands/1"}
    assert correct_round(api, round_id, {"reason": "a misdeal", "patch": [change]}).status == 201
    assert is_undone(record(api, round_id, SECOND), second["id"])
    assert record(api, round_id, {**SECOND, "restores": second["id"]})["round"]["hands"] == 2


def is_undone(response: ApiResponse, record_id: str) -> bool:
    """Return whether a hand was refused because it was undone, and the refusal names the record to restore."""
    [error] = response["errors"]
    refusal = response.status, response["code"], error["pointer"], error["expected"]
    return refusal == (409, "hand-undone", "#/restores", record_id)


def test_restores_counts_an_undone_hand_again(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST)
    second = play(api, round_id, SECOND)
    undo(api, round_id, 2)
    back = record(api, round_id, {**SECOND, "restores": second["id"]})
    assert not replayed(back)
    assert back["id"] != second["id"]
    assert back["in_force"] is True
    assert (back["stacks"], back["round"]["hands"]) == (second["stacks"], 2)
    [(content,)] = house.query(
        "SELECT content FROM events WHERE round_id = %s ORDER BY sequence DESC LIMIT 1",
        round_id,
    )
    assert json.loads(bytes(content))["restores"] == second["id"]
    assert api.get(f"/v1/hands/{second['id']}")["in_force"] is False
    records = house.count_records()
    for same in (SECOND, {**SECOND, "restores": second["id"]}, {**SECOND, "restores": back["id"]}):
        again = record(api, round_id, same)
        assert replayed(again)
        assert again.document == back.document
    assert house.count_records() == records


def test_a_late_copy_of_a_restored_hand_does_not_restore_it_twice(api: Api, house: House) -> None:
    round_id = start_round(api)
    first = play(api, round_id, FIRST)
    undo(api, round_id, 1)
    back = play(api, round_id, {**FIRST, "restores": first["id"]})
    undo(api, round_id, 1)
    records = house.count_records()
    late = record(api, round_id, {**FIRST, "restores": first["id"]})
    assert is_undone(late, back["id"])
    assert house.count_records() == records
    assert not replayed(record(api, round_id, {**FIRST, "restores": back["id"]}))


def test_restores_must_name_a_record_of_the_same_hand_and_number(api: Api, house: House) -> None:
    round_id = start_round(api)
    first = play(api, round_id, FIRST)
    second = play(api, round_id, SECOND)
    undo(api, round_id, 2)
    records = house.count_records()
    for restores in (NOBODYS, first["id"]):
        response = record(api, round_id, {**SECOND, "restores": restores})
        assert response.status == 409
        assert response["code"] == "hand-conflict"
        assert response.mistakes == {"#/restores": "hand-conflict"}
    response = record(api, round_id, {**OTHER, "restores": second["id"]})
    assert response.mistakes == {"#/restores": "hand-conflict"}
    assert house.count_records() == records
    play(api, round_id, OTHER)
    response = record(api, round_id, {**SECOND, "restores": second["id"]})
    assert response.status == 409
    assert set(response.mistakes.values()) == {"hand-conflict"}
    undo(api, round_id, 2)
    undo(api, round_id, 1)
    response = record(api, round_id, {**SECOND, "restores": second["id"]})
    assert response.status == 409
    assert response.mistakes == {"#/number": "hand-number"}


def test_a_document_is_a_replay_after_an_undo_too(api: Api, house: House) -> None:
    for reference in (None, "friday/1"):
        table = "kitchen" if reference is None else "attic"
        document = {**document_of(hands=[FIRST, SECOND], reference=reference), "table": table}
        played = api.post("/v1/documents", document)
        round_id = played["round"]["id"]
        undo(api, round_id, 2)
        records = house.count_records()
        again = api.post("/v1/documents", document)
        assert replayed(again)
        assert again["round"] == read_round(api, round_id)
        assert house.count_records() == records


# --- several at once ---


def test_equal_undos_at_once_undo_one_hand(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    request = {"number": 2, "hand": find_record(api, round_id, 2)}
    responses = at_once(*[partial(api.post, f"/v1/rounds/{round_id}/undo", request)] * 6)
    assert sorted(map(replayed, responses)) == [False] + [True] * 5
    assert len({json.dumps(response.document) for response in responses}) == 1
    assert api.get(f"/v1/rounds/{round_id}")["hands"] == 1
    assert settlement_of(api, round_id)["revision"] == 2


def test_of_an_undo_and_the_next_hand_at_once_one_succeeds(api: Api) -> None:
    winners = set()
    for number in range(8):
        round_id = start_round(api, name=f"table {number}")
        play(api, round_id, FIRST)
        undone, played = at_once(
            partial(undo, api, round_id, 1, hand=find_record(api, round_id, 1)),
            partial(record, api, round_id, SECOND),
        )
        stands = api.get(f"/v1/rounds/{round_id}")
        if undone.status == 201:
            assert (played.status, stands["hands"]) == (409, 0)
            assert "hand-number" in played.codes
            winners.add("undo")
        else:
            assert (undone["code"], played.status, stands["hands"]) == ("undo-refused", 201, 2)
            winners.add("hand")
        assert stands["version"] == 3
    assert winners


def test_of_an_undo_and_the_next_round_at_once_one_succeeds(api: Api) -> None:
    for number in range(8):
        table = add_table(api, name=f"table {number}")
        first = open_round(api, table)["id"]
        play(api, first, FIRST, SECOND, LAST)
        undone, opened = at_once(
            partial(undo, api, first, 3, hand=find_record(api, first, 3)),
            partial(api.post, f"/v1/tables/{table}/rounds", {"seats": seats({1: "ann", 2: "bob"})}),
        )
        assert sorted([undone.status, opened.status]) == [201, 409]
        assert undone.status == 201 or undone["code"] == "undo-refused"
        assert opened.status == 201 or opened["code"] == "round-open"


# --- any round ---


@pytest.mark.parametrize("name", ["pineapple", "pineapple-qq", "progressive-round", "turbo"])
def test_undoing_any_hand_restores_the_earlier_state(api: Api, name: str) -> None:
    """Random rounds, in which every third hand or so is undone, and played again as it was."""
    rng = Random(name)
    undone = 0
    for number in range(5):
        document = random_document(rng, PRESETS[name])
        table = add_table(api, name, f"{name} {number}")
        opened = api.post(f"/v1/tables/{table}/rounds", {"seats": document["seats"]})
        round_id = opened["id"]
        for played in document["hands"]:
            before, settled = round_of(api, round_id), settlement_of(api, round_id)
            recorded = play(api, round_id, played)
            leave(api, round_id, document, played["number"])
            if rng.random() < 0.4:
                after, came_to = round_of(api, round_id), settlement_of(api, round_id)
                assert undo(api, round_id, played["number"]).status == 201
                assert round_of(api, round_id) == before
                for part in ("transfers", "stacks", "net", "standings"):
                    assert settlement_of(api, round_id)[part] == settled[part]
                play(api, round_id, {**played, "restores": recorded["id"]})
                leave(api, round_id, document, played["number"])
                assert round_of(api, round_id) == after
                beside = ("revision", "reason", "provisional_until")
                again = settlement_of(api, round_id).document
                assert without(again, *beside) == without(came_to.document, *beside)
                undone += 1
        again = api.post(
            "/v1/documents",
            {**without(document, "closed", "point_value", "unit"), "table": f"again {name} {number}"},
        )
        for part in ("stacks", "net", "standings", "transfers"):
            assert again["settlement"][part] == settlement_of(api, round_id)[part]
    assert undone > 2


def leave(api: Api, round_id: str, document: Document, number: int) -> None:
    """Record the departures after a hand of the document."""
    for departure in document["departures"]:
        if departure["after_hand"] == number:
            more: Any = {"reason": departure["reason"]} if "reason" in departure else {}
            assert depart(api, round_id, departure["seat"], **more).status == 201
