"""A unit of the club in all that the ledger has: charges, claims, statements, files, verification and aliases."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from service.replays.findings import FindingKind
from tests.service.ledger.ledger_lines import CSV, ledger, posted, read_csv
from tests.service.ledger.test_ledger_parquet import as_listed
from tests.service.players.test_aliases import join
from tests.service.rounds.test_parquet import export, rows
from tests.service.tables.test_changed_tables import verify
from tests.service.units.test_defined_units import CHIPS, MILLIBITCOIN, WORTH, define
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.application import House
from tests.support.database.recomputed_rounds import tamper
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    THREE,
    Document,
    add_table,
    complete_round,
    document_of,
    hand,
    play,
    record,
    settlement_of,
    start_round,
)

BY_HAND: Document = {"charge_per": "hand", "charge_amount": 2_500}
RAKE: Document = {"player": "ann", "unit": "mBTC", "amount": 1_250, "reason": "rake"}
CLAIMED: Document = {"payer": "cyd", "payee": "ann", "unit": "mBTC", "amount": 450_000, "reference": "tap-1"}


@pytest.fixture(autouse=True)
def _units(api: Api) -> None:
    for unit in (CHIPS, MILLIBITCOIN):
        assert define(api, **unit).status == 201


def units_in(lines: list[Document]) -> set[tuple[str, int]]:
    return {(line["unit"], line["unit_digits"]) for line in lines}


def statement_rows(api: Api) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(api.request("GET", "/v1/statement", headers=CSV).text)))


# --- standing charges ---


@pytest.mark.smoke
def test_a_standing_charge_is_in_the_unit_of_its_table(api: Api, house: House) -> None:
    round_id = complete_round(api, **WORTH, **BY_HAND)
    charge = settlement_of(api, round_id)["standing_charge"]
    assert (charge["unit"], charge["unit_digits"], {*charge["charged"].values()}) == ("mBTC", 5, {7_500})
    lines = [line for line in ledger(api) if line["payee"] is None]
    assert ([line["amount"] for line in lines], units_in(lines)) == ([7_500] * 3, {("mBTC", 5)})
    assert {row["amount"] for row in read_csv(api) if not row["payee"]} == {"0.07500"}
    [balances] = api.get("/v1/balances")["units"]
    assert units_in([balances]) == {("mBTC", 5)}
    charges = {each["player"]: each["charges"] for each in balances["players"]}
    assert charges == {"ann": -7_500, "bob": -7_500, "cyd": -7_500, None: 22_500}
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    for path in ("/v1/statement", f"/v1/tables/{table}/statement"):
        statement = api.get(path)
        assert statement["unit_digits"] == {"mBTC": 5}
        assert {each["player"]: (each["money"], each["charges"]) for each in statement["players"]} == {
            "ann": ({"mBTC": 450_000}, {"mBTC": 7_500}),
            "bob": ({"mBTC": 0}, {"mBTC": 7_500}),
            "cyd": ({"mBTC": -450_000}, {"mBTC": 7_500}),
        }
    first = statement_rows(api)[0]
    assert (first["amount"], first["charge"], first["unit"]) == ("4.50000", "0.07500", "mBTC")
    assert verify(house, api) == []


def test_a_table_that_gets_a_unit_of_the_club_needs_its_charge_in_it(api: Api) -> None:
    table = add_table(api, point_value=10, unit="EUR", **BY_HAND)
    refused = api.patch(f"/v1/tables/{table}", {"unit": "mBTC"})
    assert refused.mistakes == {"#/charge_amount": "field-missing"}
    assert "it is in EUR now, and the table would have mBTC" in refused["detail"]
    changed = api.patch(f"/v1/tables/{table}", {"unit": "mBTC", "charge_amount": 30})
    assert (changed["unit"], changed["unit_digits"], changed["charge_amount"]) == ("mBTC", 5, 30)
    assert api.patch(f"/v1/tables/{table}", {"unit": "mBTC", "point_value": 1}).status == 200


def test_a_table_in_a_unit_of_the_club_is_created_once(api: Api) -> None:
    table = {"name": "kitchen", "ruleset": "pineapple", **WORTH, **BY_HAND}
    created = api.post("/v1/tables", table)
    assert (created.status, created["unit"], created["unit_digits"]) == (201, "mBTC", 5)
    assert replayed(api.post("/v1/tables", table))
    other = api.post("/v1/tables", {**table, "unit": "chips"})
    assert (other.status, other["code"], "#/unit" in other.mistakes) == (409, "table-conflict", True)


def test_pairs_of_players_settle_up_in_a_unit_of_the_club(api: Api) -> None:
    posted(api, hands=COMPLETE, **WORTH)
    payments = api.get("/v1/statement?settle_up=pairs")["payments"]
    pairs = [("bob", "ann"), ("cyd", "ann"), ("cyd", "bob")]
    assert sorted((each["payer"], each["payee"]) for each in payments["money"]) == pairs
    assert {(each["amount"], each["unit"]) for each in payments["money"]} == {(225_000, "mBTC")}
    assert {(each["amount"], each["unit"], each["point_value"]) for each in payments["points"]} == {
        (18, "mBTC", 12_500)
    }


def test_a_statement_has_the_digits_of_a_unit_that_is_only_charged(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE, point_value=10, unit="EUR")["round"]["id"]
    drink = {"player": "bob", "unit": "mBTC", "amount": 25, "reason": "a drink", "round": round_id, "reference": "1"}
    assert api.post("/v1/charges", drink).status == 201
    statement = api.get("/v1/statement")
    assert statement["unit_digits"] == {"EUR": 2, "mBTC": 5}
    assert {each["player"]: each["charges"] for each in statement["players"]}["bob"] == {"mBTC": 25}
    charged = [row for row in statement_rows(api) if row["charge"]]
    assert [(row["amount"], row["charge"], row["unit"]) for row in charged] == [("", "0.00025", "mBTC")]


# --- charges of hands ---


@pytest.mark.parametrize("worth", [WORTH, {"point_value": 10, "unit": "EUR"}, {}], ids=["own", "other", "points"])
def test_a_hand_is_charged_in_a_unit_of_the_club(api: Api, house: House, worth: dict[str, Any]) -> None:
    round_id = start_round(api, **worth)
    charged = hand(1, 1, THREE, charges=[RAKE])
    play(api, round_id, charged)
    assert replayed(record(api, round_id, charged))
    refused = record(api, round_id, hand(2, 2, THREE, charges=[{**RAKE, "unit": "mbtc"}]))
    assert (refused.status, refused.mistakes) == (422, {"#/charges/0/unit": "unit-unknown"})
    assert "or a unit of the club (chips, mBTC)" in refused["detail"]
    lines = ledger(api, "?kind=charge")
    assert ([line["amount"] for line in lines], units_in(lines)) == ([1_250], {("mBTC", 5)})
    assert [row["amount"] for row in read_csv(api, "?kind=charge")] == ["0.01250"]
    assert verify(house, api) == []


@pytest.mark.parametrize("is_imported", [False, True])
def test_a_document_is_charged_in_a_unit_of_the_club(api: Api, house: House, is_imported: bool) -> None:
    hands = [{**COMPLETE[0], "charges": [RAKE]}, *COMPLETE[1:]]
    document = document_of(hands=hands, reference="1", **WORTH, **BY_HAND)
    if is_imported:
        [line] = import_all(house, club_of(house, api), lines_of([document]))
        assert line.status == "stored"
    else:
        posted(api, **document)
    lines = ledger(api)
    assert (units_in(lines), len([line for line in lines if line["payee"] is None])) == ({("mBTC", 5)}, 4)
    assert api.get("/v1/tables")["tables"][0]["unit_digits"] == 5
    assert verify(house, api) == []


# --- claims ---


def claim(api: Api, **changes: Any) -> ApiResponse:
    return api.post("/v1/payment-claims", {**CLAIMED, **changes})


def test_a_claim_and_its_payment_have_the_digits_of_the_unit(api: Api, house: House) -> None:
    posted(api, hands=COMPLETE, **WORTH)
    claimed = claim(api, amount=500_000)
    assert (claimed.status, claimed["unit"], claimed["unit_digits"]) == (201, "mBTC", 5)
    [warning] = claimed["warnings"]
    assert warning["detail"] == "`amount` is 5.00000 mBTC, and 'cyd' owed 4.50000 mBTC"
    assert replayed(claim(api, amount=500_000))
    assert claim(api, unit="mbtc", reference="tap-2").mistakes == {"#/unit": "unit-unknown"}
    assert units_in(api.get("/v1/payment-claims")["claims"]) == {("mBTC", 5)}
    paid = api.post(f"/v1/payment-claims/{claimed['id']}/confirm", None)
    assert (paid.status, paid["unit"], paid["unit_digits"]) == (201, "mBTC", 5)
    [balances] = api.get("/v1/balances")["units"]
    owed = {each["player"]: each["balance"] for each in balances["players"]}
    assert (units_in([balances]), owed) == ({("mBTC", 5)}, {"ann": -50_000, "bob": 0, "cyd": 50_000})
    assert verify(house, api) == []


# --- files, verification, aliases ---


def test_a_parquet_file_has_the_digits_of_every_line(api: Api, tmp_path: Path) -> None:
    table = posted(api, hands=COMPLETE, **WORTH, **BY_HAND)["round"]["table"]
    points = posted(api, hands=COMPLETE, table="attic")["round"]["table"]
    assert api.post("/v1/charges", {**RAKE, "unit": "chips", "reference": "1"}).status == 201
    listed = rows(export(api, tmp_path / "ledger.parquet", "ledger"))
    assert units_in(listed) == {("mBTC", 5), ("chips", 0), (points, 0)}
    assert [as_listed(row) for row in listed] == ledger(api)
    assert units_in(rows(export(api, tmp_path / "some.parquet", "ledger", table=table))) == {("mBTC", 5)}


@pytest.mark.parametrize(
    ("table", "condition"),
    [
        ("tables", ""),
        ("rounds", ""),
        ("round_statistics", " AND player = 'ann'"),
        ("entries", " AND kind = 'settlement'"),
        ("entries", " AND kind = 'payment'"),
        ("entries", " AND kind = 'charge'"),
        ("payment_claims", ""),
    ],
)
def test_changed_digits_are_found(api: Api, house: House, table: str, condition: str) -> None:
    posted(api, hands=COMPLETE, **WORTH)
    assert api.post("/v1/payments", {**CLAIMED, "amount": 1, "reference": "cash"}).status == 201
    assert api.post("/v1/charges", {**RAKE, "reference": "rake"}).status == 201
    assert claim(api).status == 201
    assert verify(house, api) == []
    change = f"UPDATE {table} SET unit_digits = 2 WHERE club_id = %s{condition}"
    tamper(house.owner_url, change, club_of(house, api))
    differences = {(finding.kind, finding.table, finding.column) for finding in verify(house, api)}
    assert (FindingKind.RECORD_DIFFERS, table, "unit_digits") in differences


def test_ids_that_are_joined_have_one_balance_in_a_unit_of_the_club(api: Api, house: House) -> None:
    posted(api, hands=COMPLETE, **WORTH)
    second = {1: "ann 100", 2: "bob 100", 3: "cydney 100"}
    posted(api, table="attic", sitting=second, hands=COMPLETE, **WORTH)
    assert join(api, "cyd", "cydney").status == 201
    [balances] = api.get("/v1/balances")["units"]
    owed = {each["player"]: each["balance"] for each in balances["players"]}
    assert (units_in([balances]), owed) == ({("mBTC", 5)}, {"ann": 900_000, "bob": 0, "cyd": -900_000})
    [warning] = claim(api, payer="cydney", amount=900_001)["warnings"]
    assert warning["detail"] == "`amount` is 9.00001 mBTC, and 'cydney' owed 9.00000 mBTC"
    assert verify(house, api) == []
