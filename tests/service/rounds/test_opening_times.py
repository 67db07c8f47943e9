"""Opening times of rounds, in documents, imports, lists and statements."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from service.replays.findings import FindingKind
from tests.support.api_client import Api, replayed
from tests.support.application import House
from tests.support.database.corrupt_records import tampering, undone, verify
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    add_table,
    changed,
    close,
    correct_round,
    dealt_again,
    document_of,
    open_round,
    play,
    play_to_the_end,
    post_document,
    record,
    walk,
    without,
)

LONG_AGO = "1999-11-20T20:15:00Z"
PLAYED = "1998-05-01T19:00:00Z"
TIMED = [COMPLETE[0], {**COMPLETE[1], "played_at": PLAYED}, {**COMPLETE[2], "played_at": LONG_AGO}]


def now() -> datetime:
    return datetime.now(UTC)


def written(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("way", ["posted", "imported", "imported the long way"])
@pytest.mark.parametrize(
    ("more", "opened_at"),
    [
        ({"opened_at": LONG_AGO}, LONG_AGO),
        ({"opened_at": "1999-11-20T21:15:00+01:00", "hands": TIMED}, LONG_AGO),
        ({"opened_at": None, "hands": TIMED}, PLAYED),
        ({"hands": TIMED}, PLAYED),
        ({}, None),
    ],
)
def test_the_opening_time_of_a_round_is_that_of_its_document(
    api: Api, house: House, way: str, more: dict[str, Any], opened_at: str | None
) -> None:
    before = now()
    document = document_of(**{"hands": COMPLETE, **more})
    if way == "posted":
        posted = post_document(api, document)
        assert posted.status == 201, posted
        round_id = posted["round"]["id"]
    else:
        if way != "imported":
            document["irregular"] = []
            document["expected"] = {"round": {"hands": 3}}
        [line] = import_all(house, club_of(house, api), lines_of([document]))
        assert line.status == "stored", line
        round_id = str(line.round_id)
    shown = api.get(f"/v1/rounds/{round_id}")
    assert before <= datetime.fromisoformat(shown["recorded_at"]) <= now()
    assert shown["opened_at"] == (opened_at or shown["recorded_at"])
    assert api.get(f"/v1/rounds/{round_id}/document")["opened_at"] == shown["opened_at"]


def test_a_settlement_stays_provisional_from_when_the_round_was_received(api: Api, house: House) -> None:
    api.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple", "correction_window_minutes": 60})
    posted = post_document(api, document_of(hands=COMPLETE, opened_at=LONG_AGO))["round"]["id"]
    [line] = import_all(house, club_of(house, api), lines_of([document_of(hands=TIMED)]))
    for round_id in (posted, str(line.round_id)):
        shown = api.get(f"/v1/rounds/{round_id}")
        assert shown["state"] == "provisional"
        until = api.get(f"/v1/rounds/{round_id}/settlement")["provisional_until"]
        assert datetime.fromisoformat(until) == datetime.fromisoformat(shown["recorded_at"]) + timedelta(minutes=60)


def test_the_time_of_opening_is_no_part_of_what_identifies_a_document(api: Api, house: House) -> None:
    first = post_document(api, document_of(hands=COMPLETE, opened_at=LONG_AGO))
    for opened_at in (PLAYED, None):
        again = post_document(api, document_of(hands=COMPLETE, opened_at=opened_at))
        assert replayed(again)
        assert again["round"]["opened_at"] == LONG_AGO
        [line] = import_all(house, club_of(house, api), lines_of([document_of(hands=COMPLETE, opened_at=opened_at)]))
        assert (line.status, str(line.round_id)) == ("replayed", first["round"]["id"])


def test_a_time_in_the_future_is_refused_beyond_a_small_tolerance(api: Api, house: House) -> None:
    table = add_table(api)
    soon, later = written(now() + timedelta(minutes=3)), written(now() + timedelta(minutes=7))
    played = [COMPLETE[0], {**COMPLETE[1], "played_at": later}, COMPLETE[2]]
    before = house.count_records()
    for document, pointer in (
        (document_of(hands=COMPLETE, opened_at=later), "#/opened_at"),
        (document_of(hands=played), "#/hands/1/played_at"),
    ):
        response = post_document(api, document)
        assert (response.status, response.mistakes) == (422, {pointer: "time-in-future"})
        expected = f"is {later}, in the future; expected at most 5 minutes after the server's time, "
        assert expected in response["errors"][0]["detail"]
        [line] = import_all(house, club_of(house, api), lines_of([document]))
        assert line.problem is not None
        assert [(each["pointer"], each["code"]) for each in line.problem["errors"]] == [(pointer, "time-in-future")]
    response = open_round(api, table, opened_at=later)
    assert (response.status, response.mistakes) == (422, {"#/opened_at": "time-in-future"})
    assert house.count_records() == before
    assert post_document(api, document_of(hands=COMPLETE, opened_at=soon))["round"]["opened_at"] == soon
    opened = open_round(api, table)
    assert opened["opened_at"] > soon  # the order at the table is that of opening
    assert opened["recorded_at"] < soon


@pytest.mark.parametrize(
    ("moment", "code"), [("2099-01-01T00:00:00Z", "time-in-future"), ("0001-01-01T00:00:00Z", "time-too-early")]
)
def test_one_check_refuses_implausible_times_of_hands_openings_documents_and_corrections(
    api: Api, house: House, moment: str, code: str
) -> None:
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, COMPLETE[0])
    timed = {**COMPLETE[1], "played_at": moment}
    late_document = document_of(hands=[COMPLETE[0], timed], reference="late")
    correction = {"reason": "r", "patch": [{"op": "replace", "path": "/hands/0/played_at", "value": moment}]}
    attic = add_table(api, name="attic")
    before = house.count_records()
    for response, pointer in (
        (record(api, round_id, timed), "#/played_at"),
        (open_round(api, attic, opened_at=moment), "#/opened_at"),
        (post_document(api, {**late_document, "table": "den"}), "#/hands/1/played_at"),
        (post_document(api, document_of(opened_at=moment, reference="old")), "#/opened_at"),
        (correct_round(api, round_id, correction), "#/patch/0/value"),
    ):
        assert (response.status, response.mistakes) == (422, {pointer: code}), response
    lines = b"\n".join(json.dumps({"round": round_id, **dealt_again(each)}).encode() for each in (timed, COMPLETE[2]))
    batch = api.request("POST", "/v1/hands", data=lines, headers={"Content-Type": "application/x-ndjson"})
    first, second = map(json.loads, batch.text.splitlines())
    assert (first["status"], first["problem"]["errors"][0]["code"], second["status"]) == (
        "refused",
        code,
        "not_attempted",
    )
    [line] = import_all(house, club_of(house, api), lines_of([late_document]))
    assert line.problem is not None
    assert line.problem["errors"][0]["code"] == code
    assert house.count_records() == before


def test_an_implausible_time_is_listed_with_the_other_mistakes_of_a_hand(api: Api) -> None:
    round_id = open_round(api, add_table(api))["id"]
    response = record(api, round_id, {**COMPLETE[0], "button": 9, "played_at": "2099-01-01T00:00:00Z"})
    assert response.codes >= {"time-in-future"}
    assert len(response.mistakes) == 2


def test_an_opening_can_have_a_time(api: Api) -> None:
    table = add_table(api)
    opened = open_round(api, table, opened_at=LONG_AGO, reference="1")
    assert (opened.status, opened["opened_at"]) == (201, LONG_AGO)
    assert opened["recorded_at"] > "2026"
    again = open_round(api, table, reference="1")
    assert replayed(again)
    assert again["opened_at"] == LONG_AGO


def test_lists_periods_and_statements_go_by_when_rounds_were_opened(api: Api, house: House) -> None:
    table = add_table(api)
    live = open_round(api, table, {1: "ann 200", 2: "bob 200", 3: "cyd 200"})["id"]
    play_to_the_end(api, live)
    sittings = [(LONG_AGO, {1: "ann 50", 2: "bob 60", 3: "cyd 70"}), (PLAYED, {1: "ann 51", 2: "bob 61", 3: "cyd 71"})]
    lines = [document_of(sitting=sitting, hands=COMPLETE, opened_at=opened_at) for opened_at, sitting in sittings]
    later, first = [str(line.round_id) for line in import_all(house, club_of(house, api), lines_of(lines))]
    assert [each["id"] for each in api.get("/v1/rounds")["rounds"]] == [live, later, first]
    paged = [each["id"] for page in walk(api, "/v1/rounds?limit=1") for each in page["rounds"]]
    assert paged == [live, later, first]
    in_1999 = "from=1999-01-01T00:00:00Z&to=2000-01-01T00:00:00Z"
    assert [each["id"] for each in api.get(f"/v1/rounds?{in_1999}")["rounds"]] == [later]
    exported = [json.loads(line) for line in api.get("/v1/export").text.splitlines()]
    assert [each["opened_at"] for each in exported] == [PLAYED, LONG_AGO, api.get(f"/v1/rounds/{live}")["opened_at"]]
    assert [json.loads(line)["opened_at"] for line in api.get(f"/v1/export?{in_1999}").text.splitlines()] == [LONG_AGO]
    for query, rounds, opening, stack in (
        ("", 3, 51, 236),
        (f"?{in_1999}", 1, 50, 86),
        ("?to=2000-01-01T00:00:00Z", 2, 51, 86),
    ):
        shown = api.get(f"/v1/tables/{table}/statement{query}")
        [ann] = [each for each in shown["players"] if each["player"] == "ann"]
        assert (shown["rounds"], ann["opening_stack"], ann["stack"]) == (rounds, opening, stack)


def test_an_export_contains_opening_times_for_imports(api: Api, other_api: Api, house: House) -> None:
    for place, opened_at in enumerate((LONG_AGO, PLAYED)):
        assert post_document(api, document_of(hands=COMPLETE, opened_at=opened_at, reference=str(place))).status == 201
    close(api, open_round(api, api.get("/v1/tables")["tables"][0]["id"])["id"])
    lines = api.get("/v1/export").text.splitlines()
    imported = import_all(house, club_of(house, other_api), [line.encode() for line in lines])
    assert [line.status for line in imported] == ["stored"] * 3
    assert other_api.get("/v1/export").text.splitlines() == lines


def test_rounds_are_in_the_order_at_their_table_though_a_clock_was_ahead(api: Api) -> None:
    table = add_table(api)
    first = open_round(api, table, opened_at=written(now() + timedelta(minutes=4)))
    close(api, first["id"])
    second = open_round(api, table)
    assert second["opened_at"] > first["opened_at"]
    assert [each["id"] for each in api.get(f"/v1/rounds?table={table}")["rounds"]] == [second["id"], first["id"]]


def test_a_correction_leaves_the_time_of_opening(api: Api) -> None:
    round_id = post_document(api, document_of(hands=COMPLETE, opened_at=LONG_AGO))["round"]["id"]
    patch = [{"op": "replace", "path": "/opened_at", "value": PLAYED}]
    document = api.get(f"/v1/rounds/{round_id}/document").document
    for pointer, request in (
        ("#/patch/0/value", {"patch": patch}),
        ("#/document/opened_at", {"document": {**document, "opened_at": PLAYED}}),
    ):
        response = correct_round(api, round_id, {"reason": "it was in May", **request})
        assert (response.status, response.mistakes) == (422, {pointer: "correction-fixed"})
        assert f"is '{PLAYED}'; expected '{LONG_AGO}'" in response["errors"][0]["detail"]
    renamed = changed(without(document, "opened_at"), ("seats/0/player", "dan"))
    assert correct_round(api, round_id, {"reason": "it was dan", "document": renamed}).status == 201
    assert api.get(f"/v1/rounds/{round_id}/document")["opened_at"] == LONG_AGO


def test_times_that_were_changed_are_found(api: Api, house: House) -> None:
    close(api, open_round(api, add_table(api))["id"])
    post_document(api, document_of(hands=COMPLETE, opened_at=LONG_AGO))
    import_all(house, club_of(house, api), lines_of([document_of(hands=TIMED, reference="1998")]))
    with tampering(house.owner, club_of(house, api)) as transaction:
        assert verify(transaction) == []
        for column in ("opened_at", "recorded_at"):
            with undone(transaction):
                later = text(f"UPDATE rounds SET {column} = {column} + interval '1 s' WHERE club_id = :club")
                assert transaction.execute(later, {"club": transaction.club_id}).rowcount == 3
                findings = verify(transaction)
                assert {(each.kind, each.table, each.column) for each in findings} == {
                    (FindingKind.RECORD_DIFFERS, "rounds", column)
                }
                assert len(findings) == 3
