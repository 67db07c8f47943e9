"""Units that a club defines: they never change, and amounts in them have their digits wherever they are shown."""

import csv
import io
from functools import partial
from typing import Any

import pytest

from schemas.fields import MOST_INTEGER
from schemas.ledger.defined_units import MOST_UNITS
from schemas.verification.evidence_file import verify as verify_file
from schemas.verification.report import Outcome
from service.replays.findings import FindingKind
from tests.service.feed.test_api_feed import feed
from tests.service.ledger.ledger_lines import ledger, posted, read_csv
from tests.service.links.linked_table import link_to
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.application import House
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.race import at_once
from tests.support.sample_rounds import (
    COMPLETE,
    THREE,
    add_table,
    changed,
    correct_round,
    document_of,
    hand,
    open_round,
    play,
    without,
)

CHIPS = {"code": "chips", "name": "Chips of the club", "digits": 0}
MILLIBITCOIN = {"code": "mBTC", "name": "Millibitcoin", "digits": 5}
WORTH: dict[str, Any] = {"point_value": 12_500, "unit": "mBTC"}
"""An eighth of a millibitcoin."""


def define(api: Api, **unit: Any) -> ApiResponse:
    return api.post("/v1/units", unit)


def units_of(api: Api) -> list[dict[str, Any]]:
    return [without(unit, "defined_at") for unit in api.get("/v1/units")["units"]]


# --- definitions ---


@pytest.mark.smoke
def test_a_club_defines_units_beside_the_currencies_that_it_uses(api: Api, other_api: Api) -> None:
    assert units_of(api) == []
    for unit in (MILLIBITCOIN, CHIPS):
        defined = define(api, **unit)
        assert (defined.status, without(defined.document, "defined_at")) == (201, unit)
    add_table(api, point_value=5, unit="CHF")
    posted(api, table="attic", hands=COMPLETE, point_value=1, unit="EUR")
    posted(api, table="loft", hands=COMPLETE)
    francs, euros = (
        {"code": code, "name": name, "digits": 2} for code, name in (("CHF", "Swiss Franc"), ("EUR", "Euro"))
    )
    assert units_of(api) == [CHIPS, MILLIBITCOIN, francs, euros]
    assert [unit["defined_at"] is None for unit in api.get("/v1/units")["units"]] == [False, False, True, True]
    assert units_of(other_api) == []


def test_the_same_definition_is_a_replay_and_another_one_a_conflict(api: Api, house: House) -> None:
    first = define(api, **CHIPS)
    before = house.count_records()
    again = define(api, **CHIPS)
    assert replayed(again)
    assert again.document == first.document
    for changes, pointers in (
        ({"digits": 2}, {"#/digits"}),
        ({"name": "Counters"}, {"#/name"}),
        ({"code": "Chips"}, set()),
    ):
        refused = define(api, **{**CHIPS, **changes})
        assert (refused.status, refused["code"]) == (409, "unit-conflict")
        assert refused.mistakes.keys() == pointers | {"#/code"}
    assert house.count_records() == before


@pytest.mark.parametrize(
    ("changes", "mistakes"),
    [
        ({"code": "EUR"}, {"#/code": "unit-code-taken"}),
        ({"code": "eur"}, {"#/code": "unit-code-taken"}),
        ({"code": "c"}, {"#/code": "text-pattern"}),
        ({"code": "c" * 13}, {"#/code": "text-length"}),
        ({"code": "4chips"}, {"#/code": "text-pattern"}),
        ({"code": "chip-s"}, {"#/code": "text-pattern"}),
        ({"code": None}, {"#/code": "field-null"}),
        ({"digits": 9}, {"#/digits": "out-of-range"}),
        ({"digits": -1}, {"#/digits": "out-of-range"}),
        ({"name": ""}, {"#/name": "text-length"}),
        ({"name": "x" * 101, "digits": 1.5}, {"#/name": "text-length", "#/digits": "not-an-integer"}),
    ],
)
def test_an_invalid_definition_is_refused(api: Api, changes: dict[str, Any], mistakes: dict[str, str]) -> None:
    refused = define(api, **{**CHIPS, **changes})
    assert (refused.status, refused.mistakes) == (422, mistakes)


def test_the_number_of_units_is_limited(api: Api) -> None:
    for number in range(MOST_UNITS):
        assert define(api, **{**CHIPS, "code": f"chips{number}"}).status == 201
    refused = define(api, **CHIPS)
    assert (refused.status, refused["code"]) == (409, "unit-conflict")
    assert replayed(define(api, **{**CHIPS, "code": "chips7"}))


def test_of_definitions_at_once_one_is_recorded(api: Api) -> None:
    responses = at_once(*(partial(define, api, **{**CHIPS, "digits": number % 2}) for number in range(8)))
    assert {response.status for response in responses} == {201, 409}
    [unit] = api.get("/v1/units")["units"]
    assert {response["digits"] for response in responses if response.status == 201} == {unit["digits"]}


def test_a_definition_is_an_event_that_verification_compares(api: Api, house: House) -> None:
    define(api, **MILLIBITCOIN)
    [defined] = [event for event in feed(house, api) if event["kind"] == "unit.defined"]
    assert defined["content"] == MILLIBITCOIN
    assert verify(house, api) == []
    with house.owner.transaction(club_of(house, api)) as transaction:
        transaction.connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
        transaction.connection.exec_driver_sql("UPDATE units SET digits = 8")
    [finding] = verify(house, api)
    assert (finding.kind, finding.table, finding.column) == (FindingKind.RECORD_DIFFERS, "units", "digits")
    assert (finding.stored, finding.expected) == (8, 5)


# --- amounts ---


def test_rounds_and_their_amounts_have_the_digits_of_their_unit(api: Api, house: House) -> None:
    define(api, **MILLIBITCOIN)
    table = add_table(api, **WORTH)
    assert api.get(f"/v1/tables/{table}")["unit_digits"] == 5
    opened = open_round(api, table)
    assert (opened["unit"], opened["unit_digits"]) == ("mBTC", 5)
    played = play(api, opened["id"], hand(1, 1, THREE))
    assert played["round"]["unit_digits"] == 5
    assert api.post(f"/v1/rounds/{opened['id']}/close", {"reason": "midnight"}).status == 200
    money = api.get(f"/v1/rounds/{opened['id']}/settlement")["money"]
    assert (money["unit"], money["unit_digits"], money["point_value"]) == ("mBTC", 5, 12_500)
    [first, *_] = ledger(api)
    assert (first["unit"], first["unit_digits"], first["amount"]) == ("mBTC", 5, first["paid"] * 12_500)
    assert {(line["amount"], line["unit"]) for line in read_csv(api)} == {("0.75000", "mBTC")}
    [balances] = api.get("/v1/balances")["units"]
    assert (balances["unit"], balances["unit_digits"], balances["table_name"]) == ("mBTC", 5, None)
    statement = api.get(f"/v1/tables/{table}/statement")
    assert statement["unit_digits"] == {"mBTC": 5}
    assert {paid["unit"] for paid in statement["payments"]["money"]} == {"mBTC"}
    rows = csv.DictReader(io.StringIO(api.request("GET", "/v1/statement", headers={"Accept": "text/csv"}).text))
    assert {row["amount"].partition(".")[2] for row in rows} == {"00000", "50000"}
    assert {event["content"].get("unit_digits") for event in feed(house, api) if event["round"]} == {5, None}
    assert verify(house, api) == []


def test_payments_and_charges_have_the_digits_of_their_unit(api: Api, house: House) -> None:
    posted(api, hands=COMPLETE, point_value=10, unit="EUR")
    define(api, **CHIPS)
    define(api, **MILLIBITCOIN)
    paying = {"payer": "cyd", "payee": "ann", "unit": "mBTC", "amount": 125_000, "reference": "1"}
    paid = api.post("/v1/payments", paying)
    assert (paid.status, paid["unit"], paid["unit_digits"]) == (201, "mBTC", 5)
    [warning] = paid["warnings"]
    assert warning["detail"] == "`amount` is 1.25000 mBTC, and 'cyd' owed 0.00000 mBTC"
    charging = {"player": "ann", "unit": "chips", "amount": 3, "reason": "the room", "reference": "2"}
    charged = api.post("/v1/charges", charging)
    assert (charged.status, charged["unit"], charged["unit_digits"]) == (201, "chips", 0)
    assert [unit["unit"] for unit in api.get("/v1/balances")["units"]] == ["EUR", "chips", "mBTC"]
    assert [line["amount"] for line in ledger(api, "?unit=chips")] == [3]
    assert [row["amount"] for row in read_csv(api, "?unit=mBTC")] == ["1.25000"]
    assert verify(house, api) == []


def test_amounts_of_eight_digits_are_exact_up_to_the_largest_integer(api: Api) -> None:
    define(api, code="BTC", name="Bitcoin", digits=8)
    played = posted(api, hands=COMPLETE, point_value=10**9, unit="BTC")
    net = played["settlement"]["money"]["net"]
    assert net == {"1": 36 * 10**9, "2": 0, "3": -36 * 10**9}
    assert max(abs(amount) for amount in net.values()) <= MOST_INTEGER
    assert {row["amount"] for row in read_csv(api)} >= {"60.00000000"}
    rich = {1: f"ann {MOST_INTEGER // 10**9}", 2: "bob 100"}
    refused = api.post("/v1/documents", document_of(sitting=rich, table="attic", point_value=10**9, unit="BTC"))
    assert (refused.status, refused.mistakes) == (422, {"#/seats": "points-overflow"})


def test_a_link_to_a_table_shows_the_digits_of_its_unit(api: Api, house: House) -> None:
    define(api, **MILLIBITCOIN)
    table = add_table(api, **WORTH)
    link = link_to(house, api, table)
    assert (link.get(f"/v1/tables/{table}")["unit"], link.get(f"/v1/tables/{table}")["unit_digits"]) == ("mBTC", 5)
    assert open_round(link, table)["unit_digits"] == 5
    assert link.get("/v1/units").status == 403


def test_a_table_keeps_its_unit_and_its_rounds_when_the_unit_changes(api: Api, house: House) -> None:
    define(api, **MILLIBITCOIN)
    table = add_table(api, **WORTH)
    first = open_round(api, table)["id"]
    assert api.post(f"/v1/rounds/{first}/close", {"reason": "midnight"}).status == 200
    changed = api.patch(f"/v1/tables/{table}", {"unit": "EUR"})
    assert (changed["point_value"], changed["unit"], changed["unit_digits"]) == (12_500, "EUR", 2)
    second = open_round(api, table)
    assert second["unit_digits"] == 2
    assert api.get(f"/v1/rounds/{first}")["unit_digits"] == 5
    assert api.patch(f"/v1/tables/{table}", {"name": "attic"})["unit"] == "EUR"
    assert verify(house, api) == []


# --- documents and evidence ---


def test_a_document_has_the_digits_of_its_unit_and_is_refused_with_others(
    api: Api, other_api: Api, house: House
) -> None:
    define(api, **MILLIBITCOIN)
    round_id = posted(api, hands=COMPLETE, reference="1", **WORTH)["round"]["id"]
    exported = api.get(f"/v1/rounds/{round_id}/document").document
    assert (exported["unit"], exported["unit_digits"]) == ("mBTC", 5)
    assert replayed(api.post("/v1/documents", exported))
    assert replayed(api.post("/v1/documents", without(exported, "unit_digits")))
    other = {**exported, "unit_digits": 8, "reference": "2"}
    refused = api.post("/v1/documents", other)
    assert (refused.status, refused.mistakes) == (422, {"#/unit_digits": "unit-digits"})
    [line] = import_all(house, club_of(house, api), lines_of([other]))
    assert line.problem is not None
    assert [each["pointer"] for each in line.problem["errors"]] == ["#/unit_digits"]
    # In another club, the unit is not known, or is another one.
    assert other_api.post("/v1/documents", exported).mistakes == {"#/unit": "unit-unknown"}
    define(other_api, **{**MILLIBITCOIN, "digits": 8})
    assert other_api.post("/v1/documents", exported).mistakes == {"#/unit_digits": "unit-digits"}


def test_a_correction_keeps_the_digits_of_the_unit(api: Api, house: House) -> None:
    define(api, **MILLIBITCOIN)
    round_id = posted(api, hands=COMPLETE, **WORTH)["round"]["id"]
    document = api.get(f"/v1/rounds/{round_id}/document").document
    amended = changed(without(document, "unit_digits"), ("seats/0/player", "dan"))
    refused = correct_round(api, round_id, {"reason": "it was dan", "document": {**amended, "unit_digits": 2}})
    assert (refused.status, refused.mistakes) == (422, {"#/document/unit_digits": "correction-fixed"})
    corrected = correct_round(api, round_id, {"reason": "it was dan", "document": amended})
    assert corrected.status == 201, corrected
    assert api.get(f"/v1/rounds/{round_id}/document")["unit_digits"] == 5
    assert verify(house, api) == []


def test_evidence_of_a_round_proves_the_digits_of_its_unit(api: Api) -> None:
    define(api, **MILLIBITCOIN)
    round_id = posted(api, hands=COMPLETE, **WORTH)["round"]["id"]
    file = api.get(f"/v1/rounds/{round_id}/evidence").document
    assert file["revisions"][0]["settlement"]["money"]["unit_digits"] == 5
    report = verify_file(file, ())
    assert report.failed == []
    file["revisions"][0]["settlement"]["money"]["unit_digits"] = 2
    report = verify_file(file, ())
    assert report.outcome is Outcome.FAILED
    assert [finding.path for finding in report.failed] == [("revisions", 0, "settlement", "money", "unit_digits")]
