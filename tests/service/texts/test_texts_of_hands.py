"""Metadata and references belong to a deal: over corrections, undos and restored hands, and until they are erased."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import ModuleType
from typing import Any, Final

import pytest

from service.corrections.actions import correct as correcting
from service.corrections.actions import undo as undoing
from tests.service.tables.test_changed_tables import verify
from tests.service.texts.test_metadata import METADATA, OTHER, post_lines
from tests.support.api_client import Api, ApiResponse
from tests.support.api_corrections import correct
from tests.support.application import House
from tests.support.database.search_tables import tables_that_hold
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    SIXES,
    Document,
    add_table,
    cards,
    depart,
    hand,
    open_round,
    play,
    undo,
)
from tests.support.server_process import wait_until

DEALS: Final = ({1: HIGH, 2: MID, 3: LOW}, {1: MID, 2: HIGH, 3: LOW}, {1: LOW, 2: MID, 3: HIGH})
VANISHING: Final = {"note": "Vanishing words"}


def played(number: int, deal: int, **more: Any) -> Document:
    return hand(number, number, DEALS[deal - 1], **more)


def own(deal: int) -> Document:
    """Return the reference and the metadata of a deal."""
    return {"reference": f"deal/{deal}", "metadata": {"deal": str(deal)}}


def start(api: Api, *hands: Document, name: str = "kitchen", ruleset: str = "pineapple") -> tuple[str, list[str]]:
    """Open a round and record hands; return its ID and those of the hands."""
    round_id = str(open_round(api, add_table(api, ruleset, name), SIXES)["id"])
    return round_id, [str(post(api, round_id, each)["id"]) for each in hands]


def post(api: Api, round_id: str, body: Document) -> ApiResponse:
    response = api.post(f"/v1/rounds/{round_id}/hands", body)
    assert response.status == 201, response
    return response


def misread(index: int) -> list[Document]:
    """Exchange two cards of the first player of a hand."""
    rows = [cards(row) for row in HIGH.split("/")]
    rows[1][0], rows[2][0] = rows[2][0], rows[1][0]
    names = ("middle", "bottom")
    paths = [f"/hands/{index}/players/0/{name}" for name in names]
    return [{"op": "replace", "path": path, "value": row} for path, row in zip(paths, rows[1:], strict=True)]


def move_to(index: int, number: int) -> list[Document]:
    values = {"number": number, "button": number}
    return [{"op": "replace", "path": f"/hands/{index}/{name}", "value": value} for name, value in values.items()]


def own_of(api: Api, round_id: str) -> list[Document]:
    """Return the references and metadata of the hands of a round."""
    listed = api.get(f"/v1/rounds/{round_id}/hands")["hands"]
    hands = [api.get(f"/v1/hands/{each['id']}") for each in listed]
    return [{"reference": each["reference"], "metadata": each["metadata"]} for each in hands]


NOTHING: Final = {"reference": None, "metadata": {}}


# --- corrections ---


def test_references_and_metadata_stay_with_the_deal_if_a_correction_removes_a_hand(house: House, api: Api) -> None:
    round_id, _ = start(api, *(played(each, each, **own(each)) for each in (1, 2)))
    assert correct(api, round_id, patch=[{"op": "remove", "path": "/hands/0"}, *move_to(0, 1)]).status == 201
    assert own_of(api, round_id) == [own(2)]
    assert verify(house, api) == []


def test_a_hand_that_a_correction_adds_has_no_reference_and_no_metadata(house: House, api: Api) -> None:
    round_id, _ = start(api, played(1, 1, **own(1)))
    first = {"op": "add", "path": "/hands/0", "value": played(1, 2)}
    assert correct(api, round_id, patch=[first, *move_to(1, 2)]).status == 201
    assert own_of(api, round_id) == [NOTHING, own(1)]
    assert verify(house, api) == []


def test_a_removed_hand_frees_its_reference(house: House, api: Api) -> None:
    round_id, _ = start(api, *(played(each, each, **own(each)) for each in (1, 2)))
    assert correct(api, round_id, patch=[{"op": "remove", "path": "/hands/0"}, *move_to(0, 1)]).status == 201
    other, _ = start(api, played(1, 1, **own(1)), name="attic")
    assert own_of(api, other) == [own(1)]
    assert verify(house, api) == []


@pytest.mark.parametrize("is_renumbered", [False, True])
@pytest.mark.parametrize("is_erased", [False, True])
def test_metadata_are_erased_from_the_records_before_a_correction(
    house: House, api: Api, *, is_renumbered: bool, is_erased: bool
) -> None:
    round_id, [*_, last] = start(api, played(1, 2), played(2, 1, metadata=VANISHING))
    patch = misread(1)
    if is_renumbered:
        patch = [{"op": "remove", "path": "/hands/0"}, *move_to(0, 1)]
    assert correct(api, round_id, patch=patch).status == 201
    current = api.get(f"/v1/rounds/{round_id}/hands")["hands"][-1]["id"]
    assert current != last
    address = f"/v1/hands/{current}"
    assert api.get(address)["metadata"] == VANISHING
    if is_erased:
        assert api.delete(f"/v1/texts/{current}").status == 204
    else:
        assert api.patch(address, {"metadata": {}}).status == 200
    assert tables_that_hold(house, "Vanishing") == set()
    assert verify(house, api) == []


def test_the_texts_of_other_hands_with_the_same_number_are_not_erased(house: House, api: Api) -> None:
    round_id, [first, second] = start(api, *(played(each, each, **own(each)) for each in (1, 2)))
    assert correct(api, round_id, patch=[{"op": "remove", "path": "/hands/0"}, *move_to(0, 1)]).status == 201
    assert api.delete(f"/v1/texts/{second}").status == 204
    assert own_of(api, round_id) == [{"reference": "deal/2", "metadata": {}}]
    assert api.get(f"/v1/hands/{first}")["metadata"] == own(1)["metadata"]
    assert verify(house, api) == []


def test_metadata_of_a_corrected_record_are_set_on_the_record_of_now(house: House, api: Api) -> None:
    round_id, [recorded] = start(api, played(1, 1, metadata=METADATA))
    assert correct(api, round_id, patch=misread(0)).status == 201
    changed = api.patch(f"/v1/hands/{recorded}", {"metadata": OTHER})
    [current] = api.get(f"/v1/rounds/{round_id}/hands")["hands"]
    assert (changed.status, changed["id"], changed["metadata"]) == (200, current["id"], OTHER)
    assert api.get(f"/v1/hands/{recorded}")["metadata"] == {}
    assert verify(house, api) == []


# --- undone and restored hands ---


def test_an_undone_hand_frees_its_reference(house: House, api: Api) -> None:
    round_id, [undone] = start(api, played(1, 1, **own(1)))
    assert undo(api, round_id, 1).status == 201
    other, _ = start(api, played(1, 2, **own(1)), name="attic")
    refused = api.post(f"/v1/rounds/{round_id}/hands", {**played(1, 1), "restores": undone})
    assert (refused["code"], refused.mistakes) == ("hand-conflict", {"#/reference": "hand-conflict"})
    assert f"hand 1 of round {other}" in refused["detail"]
    restored = post(api, round_id, {**played(1, 1), "restores": undone, "reference": "deal/7"})
    assert (restored["reference"], restored["metadata"]) == ("deal/7", own(1)["metadata"])
    assert verify(house, api) == []


@pytest.mark.parametrize(
    ("more", "expected"), [({}, own(1)), ({"metadata": OTHER}, {**own(1), "metadata": OTHER}), (own(2), own(2))]
)
def test_a_restored_hand_has_the_reference_and_the_metadata_that_it_had(
    house: House, api: Api, more: Document, expected: Document
) -> None:
    round_id, [undone] = start(api, played(1, 1, **own(1)))
    assert undo(api, round_id, 1).status == 201
    restored = post(api, round_id, {**played(1, 1), "restores": undone, **more})
    assert {name: restored[name] for name in expected} == expected
    assert own_of(api, round_id) == [expected]
    assert verify(house, api) == []


def test_the_metadata_of_a_restored_hand_are_erased_from_the_undone_record(house: House, api: Api) -> None:
    round_id, [undone] = start(api, played(1, 1, metadata=VANISHING))
    assert undo(api, round_id, 1).status == 201
    restored = post(api, round_id, {**played(1, 1), "restores": undone})
    assert api.delete(f"/v1/texts/{restored['id']}").status == 204
    assert tables_that_hold(house, "Vanishing") == set()
    assert verify(house, api) == []


def test_the_metadata_of_a_restored_hand_are_erased_from_its_first_record_also_if_two_hands_were_undone(
    house: House, api: Api
) -> None:
    round_id, undone = start(api, played(1, 1), played(2, 2, metadata=VANISHING))
    assert [undo(api, round_id, number).status for number in (2, 1)] == [201, 201]
    for number, record in enumerate(undone, 1):
        restored = post(api, round_id, {**played(number, number), "restores": record})
    assert restored["metadata"] == VANISHING
    assert api.delete(f"/v1/texts/{restored['id']}").status == 204
    assert tables_that_hold(house, "Vanishing") == set()
    assert verify(house, api) == []


def test_a_hand_restored_with_a_link_has_its_metadata_and_no_reference(house: House, api: Api) -> None:
    round_id, [undone] = start(api, played(1, 1, **own(1)))
    [table] = api.get("/v1/tables")["tables"]
    link = Api(house.app, api.post("/v1/links", {"table": table["id"], "kind": "scorekeeper"})["url"].partition("#")[2])
    assert undo(api, round_id, 1).status == 201
    restored = post(link, round_id, {**played(1, 1), "restores": undone})
    assert {name: restored[name] for name in NOTHING} == NOTHING
    assert own_of(api, round_id) == [{**own(1), "reference": None}]
    assert verify(house, api) == []


# --- batches ---


def test_a_refused_line_does_not_take_its_reference(api: Api) -> None:
    for name in ("kitchen", "attic"):
        open_round(api, add_table(api, name=name), SIXES, reference="evening/1")
    lines = [
        {"round": {"table": "kitchen", "reference": "evening/1"}, **COMPLETE[0], "expected": {"number": 7}},
        {"round": {"table": "attic", "reference": "evening/1"}, **COMPLETE[0]},
    ]
    refused, recorded = post_lines(api, [{**line, "reference": "deal/1"} for line in lines])
    assert (refused["status"], refused["problem"]["code"]) == ("refused", "expected-differs")
    assert (recorded["status"], recorded["hand"]["reference"]) == ("recorded", "deal/1")


# --- requests that wait for a change of the round ---

BLOCKED: Final = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def leave(api: Api) -> str:
    """Record two hands, between which a player leaves for a reason."""
    round_id, _ = start(api, played(1, 1), ruleset="pineapple-qq")
    assert depart(api, round_id, 3, reason="Vanishing words").status == 201
    play(api, round_id, hand(2, 2, {1: HIGH, 2: MID}))
    return round_id


def send_meanwhile(
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    name: str,
    change: Callable[[], ApiResponse],
    send: Callable[[], ApiResponse],
) -> ApiResponse:
    """Change a round, and send a request before the change calls a function of a module, where it has the lock."""
    called, sent = getattr(module, name), []
    with ThreadPoolExecutor(1) as threads:

        def call_later(*arguments: Any) -> Any:
            sent.append(threads.submit(send))
            assert wait_until(lambda: house.query(BLOCKED) != [])
            return called(*arguments)

        monkeypatch.setattr(module, name, call_later)
        assert change().status == 201
        [response] = sent
        return response.result()


def send_while_corrected(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch, round_id: str, send: Callable[[], ApiResponse]
) -> ApiResponse:
    """Correct a round, and send a request after the correction has moved metadata and before it is stored."""
    change = partial(correct, api, round_id, patch=misread(0))
    return send_meanwhile(house, monkeypatch, correcting, "write_rounds", change, send)


def test_a_reason_erased_while_a_hand_is_undone_is_not_inserted_again(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_id = leave(api)
    undone, erase = partial(undo, api, round_id, 2), partial(api.delete, "/v1/players/cyd")
    assert send_meanwhile(house, monkeypatch, undoing, "replay", undone, erase).status == 204
    assert tables_that_hold(house, "Vanishing") == set()
    assert verify(house, api) == []


def test_a_reason_erased_while_a_round_is_corrected_is_not_inserted_again(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_id = leave(api)
    erase = partial(api.delete, "/v1/players/cyd")
    assert send_while_corrected(house, api, monkeypatch, round_id, erase).status == 204
    assert tables_that_hold(house, "Vanishing") == set()
    assert verify(house, api) == []


def test_texts_of_a_round_are_erased_with_metadata_that_a_correction_moves(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_id, _ = start(api, played(1, 1, metadata=VANISHING))
    erase = partial(api.delete, f"/v1/texts/{round_id}")
    assert send_while_corrected(house, api, monkeypatch, round_id, erase).status == 204
    assert tables_that_hold(house, "Vanishing") == set()
    assert verify(house, api) == []


def test_metadata_that_are_set_while_a_hand_is_corrected_are_those_of_the_new_record(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_id, [recorded] = start(api, played(1, 1, metadata=METADATA))
    update = partial(api.patch, f"/v1/hands/{recorded}", {"metadata": OTHER})
    changed = send_while_corrected(house, api, monkeypatch, round_id, update)
    assert (changed.status, changed["metadata"], changed["in_force"]) == (200, OTHER, True)
    assert changed["id"] != recorded
    assert verify(house, api) == []
