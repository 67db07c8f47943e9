"""Requests that are recognized by their content when they are sent again late: the table of docs/integration.md."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.api_corrections import SWAPPED
from tests.support.api_disputes import CLAIM, body_of, opened
from tests.support.application import House
from tests.support.client.docs_sessions import DOCS
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    SIXES,
    Document,
    add_table,
    changed,
    complete_round,
    correct_round,
    dealt_again,
    depart,
    document_of,
    find_record,
    hand,
    open_round,
    play,
    post_document,
    seats,
    start_round,
    undo,
    without,
)

FIRST, SECOND, LAST = COMPLETE
OTHER = hand(2, 2, {1: LOW, 2: MID, 3: HIGH})
PAGE = (DOCS / "integration.md").read_text(encoding="utf-8")
[TABLE] = re.findall(r"\| request \| is recognized by .*?\n\n", PAGE, re.DOTALL)
ROWS = [line.split(" | ")[0].removeprefix("| ") for line in TABLE.splitlines()[2:] if line]

Later = Callable[[], Any]
Case = tuple[str, Document, Later]
"""The path and the body of a request, and what happens before it is sent again."""


def of_hand(api: Api) -> Case:
    round_id = start_round(api)
    play(api, round_id, FIRST)
    return f"/v1/rounds/{round_id}/hands", dealt_again(SECOND), lambda: correct_round(api, round_id, swapped())


def of_opening(api: Api) -> Case:
    table = add_table(api)
    body = {"seats": seats(SIXES), "reference": "friday/1", "expected": {"hands": 0}}
    return f"/v1/tables/{table}/rounds", body, lambda: play(api, newest_round(api), FIRST)


def of_document(api: Api) -> Case:
    body = document_of(hands=[FIRST])
    return "/v1/documents", body, lambda: play(api, newest_round(api), SECOND)


def of_undo(api: Api) -> Case:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    body = {"number": 2, "hand": find_record(api, round_id, 2), "expected": {"hands": 1}}
    return f"/v1/rounds/{round_id}/undo", body, lambda: play(api, round_id, OTHER)


def of_correction(api: Api) -> Case:
    round_id = complete_round(api)
    version = api.get(f"/v1/rounds/{round_id}")["version"]
    back = {"reason": "no", "patch": [{"op": "replace", "path": "/hands/1", "value": SECOND}]}
    return (
        f"/v1/rounds/{round_id}/corrections",
        {**swapped(), "version": version},
        lambda: correct_round(api, round_id, back),
    )


def of_departure(api: Api) -> Case:
    round_id = start_round(api, "pineapple-qq")
    play(api, round_id, FIRST)
    body = {"seat": 1, "reason": "last train", "expected": {"hands": 1}}
    return f"/v1/rounds/{round_id}/departures", body, lambda: play(api, round_id, hand(2, 2, {2: HIGH, 3: MID}))


def of_closing(api: Api) -> Case:
    round_id = start_round(api)
    play(api, round_id, FIRST)
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    body = {"reason": "late", "expected": {"hands": 1}}
    return f"/v1/rounds/{round_id}/close", body, lambda: open_round(api, table)


def of_confirmation(api: Api) -> Case:
    round_id = complete_round(api)
    path = f"/v1/rounds/{round_id}/confirmations"
    return path, {"seat": 1, "revision": 1}, lambda: api.post(path, {"seat": 2})


def of_table(api: Api) -> Case:
    body = {"name": "kitchen", "ruleset": "pineapple", "point_value": 5, "unit": "EUR"}
    return "/v1/tables", body, lambda: add_table(api, name="attic")


def of_webhook(api: Api) -> Case:
    body = {"url": "https://club.example/webhooks", "kinds": ["round.completed", "hand.recorded"]}
    return "/v1/webhooks", body, lambda: api.post("/v1/webhooks", {**body, "url": "https://other.example/"})


def of_ruleset(api: Api) -> Case:
    preset = api.get("/v1/rulesets/pineapple").document
    body = without(changed(preset, ("name", "house")), "version")
    return "/v1/rulesets", {**body, "version": 1}, lambda: start_round(api)


def of_dispute(api: Api) -> Case:
    round_id = complete_round(api)
    return "/v1/disputes", {"round": round_id, "claim": CLAIM, "by": "ann"}, lambda: opened(api, round_id, by="bob")


CASES: dict[str, Callable[[Api], Case]] = {
    "a hand": of_hand,
    "an opening": of_opening,
    "a document": of_document,
    "an undo": of_undo,
    "a correction": of_correction,
    "a departure": of_departure,
    "a closing": of_closing,
    "a confirmation": of_confirmation,
    "a table": of_table,
    "a webhook": of_webhook,
    "a ruleset": of_ruleset,
    "a dispute, and each step of it": of_dispute,
}


def swapped() -> Document:
    return {"reason": "misread", "patch": SWAPPED}


def newest_round(api: Api) -> str:
    return str(api.get("/v1/rounds?limit=1")["rounds"][0]["id"])


def test_every_row_of_the_table_is_tested() -> None:
    assert list(CASES) == ROWS


@pytest.mark.parametrize("row", CASES)
def test_a_late_copy_of_a_recognized_request_changes_nothing(api: Api, house: House, row: str) -> None:
    path, body, later = CASES[row](api)
    first = api.post(path, body)
    assert first.status in (200, 201), first
    assert not replayed(first)
    later()
    records = house.count_records()
    again = api.post(path, body)
    assert (again.status, again.headers.get("Idempotent-Replayed")) == (first.status, "true"), again
    assert again.document.get("id") == first.document.get("id")
    assert house.count_records() == records


@pytest.mark.parametrize("step", ["comments", "review", "resolve", "withdraw"])
def test_a_late_copy_of_a_step_of_a_dispute_changes_nothing(api: Api, house: House, step: str) -> None:
    dispute_id = opened(api)
    if step == "resolve":
        assert api.post(f"/v1/disputes/{dispute_id}/review", body_of("review", 1)).status == 201
    body = body_of(step, api.get(f"/v1/disputes/{dispute_id}")["version"])
    assert not replayed(api.post(f"/v1/disputes/{dispute_id}/{step}", body))
    records = house.count_records()
    assert replayed(api.post(f"/v1/disputes/{dispute_id}/{step}", body))
    assert house.count_records() == records


def test_an_undone_hand_that_is_sent_again_is_no_success(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    record = find_record(api, round_id, 2)
    undo(api, round_id, 2)
    records = house.count_records()
    refused = api.post(f"/v1/rounds/{round_id}/hands", SECOND)
    assert (refused.status, refused["code"]) == (409, "hand-undone")
    [error] = refused["errors"]
    assert (error["pointer"], error["expected"]) == ("#/restores", record)
    undone, later = post_lines(api, round_id, SECOND, LAST)
    assert (undone["status"], undone["hand"], later["status"]) == ("undone", None, "not_attempted")
    assert undone["problem"]["errors"] == refused["errors"]
    assert house.count_records() == records
    lines = post_lines(api, round_id, {**SECOND, "restores": record}, dealt_again(LAST))
    assert [line["status"] for line in lines] == ["recorded", "recorded"]


def post_lines(api: Api, round_id: str, *hands: Document) -> list[Document]:
    lines = b"\n".join(json.dumps({"round": round_id, **each}).encode() for each in hands)
    sent = api.request("POST", "/v1/hands", data=lines, headers={"Content-Type": "application/x-ndjson"})
    return list(map(json.loads, sent.text.splitlines()))


# --- what content cannot tell ---


def test_the_refusal_of_an_undo_without_its_hand_names_the_last_one(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    last = find_record(api, round_id, 2)
    records = house.count_records()
    for body, missing in (({"number": 2}, {"hand": last}), ({}, {"number": 2, "hand": last})):
        refused = api.post(f"/v1/rounds/{round_id}/undo", body)
        assert (refused.status, values_of(refused)) == (422, missing)
        assert last in refused["errors"][-1]["detail"]
    assert house.count_records() == records


def test_the_refusal_of_a_correction_without_a_version_names_the_current_one(api: Api, house: House) -> None:
    round_id = complete_round(api)
    version = api.get(f"/v1/rounds/{round_id}")["version"]
    records = house.count_records()
    for body in (swapped(), {**swapped(), "version": None}):
        refused = api.post(f"/v1/rounds/{round_id}/corrections", body)
        assert (refused.status, values_of(refused)) == (422, {"version": version})
        assert f"expected {version}, the version of the round as it is now" in refused["detail"]
    assert house.count_records() == records


def values_of(refused: ApiResponse) -> Document:
    return {error["pointer"].removeprefix("#/"): error["expected"] for error in refused["errors"]}


def test_a_late_undo_leaves_the_hand_that_took_the_number(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    sent = {"number": 2, "hand": find_record(api, round_id, 2)}
    assert api.post(f"/v1/rounds/{round_id}/undo", sent).status == 201
    play(api, round_id, OTHER)
    assert replayed(api.post(f"/v1/rounds/{round_id}/undo", sent))
    assert api.get(f"/v1/rounds/{round_id}")["hands"] == 2


def test_a_late_correction_leaves_the_one_after_it(api: Api) -> None:
    round_id = post_document(api, document_of(hands=[FIRST]))["round"]["id"]
    path = f"/v1/rounds/{round_id}/corrections"

    def stack(value: int) -> Document:
        version = api.get(f"/v1/rounds/{round_id}")["version"]
        patch = [{"op": "replace", "path": "/seats/0/stack", "value": value}]
        return {"reason": "miscounted", "version": version, "patch": patch}

    first = stack(400)
    assert api.post(path, first).status == 201
    assert api.post(path, stack(401)).status == 201
    late = api.post(path, first)
    assert replayed(late)
    assert late["revision"] == 2
    assert api.get(f"/v1/rounds/{round_id}")["seats"][0]["opening_stack"] == 401


def test_an_undo_of_a_record_that_was_corrected_is_refused(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    before = find_record(api, round_id, 2)
    assert correct_round(api, round_id, swapped()).status == 201
    now = find_record(api, round_id, 2)
    records = house.count_records()
    refused = api.post(f"/v1/rounds/{round_id}/undo", {"number": 2, "hand": before})
    assert (refused.status, refused["code"]) == (409, "undo-refused")
    assert refused.mistakes == {"#/hand": "hand-corrected"}
    assert now in refused["detail"]
    assert house.count_records() == records


# --- other content is a conflict ---


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ruleset", "turbo"),
        ("point_value", 6),
        ("unit", "USD"),
        ("minimum_stack", 9),
        ("correction_window_minutes", 0),
    ],
)
def test_another_table_of_the_same_name_is_a_conflict(api: Api, house: House, field: str, value: object) -> None:
    path, body, _ = of_table(api)
    api.post(path, body)
    records = house.count_records()
    refused = api.post(path, {**body, field: value})
    assert (refused.status, refused["code"]) == (409, "table-conflict")
    assert f"#/{field}" in refused.mistakes
    assert house.count_records() == records


def test_another_reason_is_no_copy_of_a_departure_or_a_closing(api: Api) -> None:
    round_id = start_round(api, "pineapple-qq")
    play(api, round_id, FIRST)
    assert depart(api, round_id, 1, reason="last train").status == 201
    assert depart(api, round_id, 1).status == 422
    path = f"/v1/rounds/{round_id}/close"
    assert api.post(path, {"reason": "late"}).status == 200
    assert api.post(path, {"reason": "fire"}).status == 409
