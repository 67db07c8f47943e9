"""A unit of the club on the pages of the console: standing charges, claims, joined IDs and recomputations."""

import pytest

from tests.service.console.test_disputes import rows_of as table_rows_of
from tests.service.console.test_jobs import OTHER_RULES, started, work_on
from tests.service.ledger.ledger_lines import ledger, posted
from tests.service.ledger.test_money_pages import send
from tests.service.units.test_defined_units import MILLIBITCOIN, WORTH, define
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, rows_of, table_cells, text_of
from tests.support.sample_rounds import COMPLETE, Document, add_table, complete_round

BY_HAND: Document = {"charge_per": "hand", "charge_amount": 2_500}


@pytest.fixture(autouse=True)
def _units(api: Api) -> None:
    assert define(api, **MILLIBITCOIN).status == 201


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.mark.smoke
def test_the_pages_of_a_round_and_its_table_have_the_charge(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api, **WORTH, **BY_HAND)
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    # Columns of money have their unit in the heading, after that of the stacks.
    won = {f"/rounds/{round_id}": "+4.50000 mBTC", f"/tables/{table}": "136 +4.50000 0.07500 mBTC"}
    for path, shown in won.items():
        page = text_of(visitor.show(path))
        assert "0.12500 mBTC" in page
        assert "0.02500 mBTC a hand and player to the house" in page
        assert "0.07500 mBTC" in page
        assert shown in page
    assert "Stack mBTC Charges" in page
    statement = text_of(visitor.show("/statement"))
    assert "Net points mBTC Charges" in statement
    assert "−36 −4.50000 0.07500 mBTC" in statement
    rows = rows_of(visitor.get(f"/tables/{table}?format=csv"))
    assert {(row["charge"], row["unit"]) for row in rows if row["charge"]} == {("0.07500", "mBTC")}


def test_the_form_of_a_table_changes_its_unit_with_its_charge(visitor: Visitor, api: Api) -> None:
    table = add_table(api, point_value=10, unit="EUR", **BY_HAND)
    refused = visitor.submit(f"/tables/{table}", "/edit", {"unit": "mBTC"})
    assert refused.status_code == 422
    assert visitor.submit(f"/tables/{table}", "/edit", {"unit": "mBTC", "charge_amount": "30"}).status_code == 303
    changed = api.get(f"/v1/tables/{table}")
    assert (changed["unit"], changed["unit_digits"], changed["charge_amount"]) == ("mBTC", 5, 30)


def test_forms_of_money_offer_a_unit_before_it_is_used(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE, point_value=10, unit="EUR")
    page = visitor.show("/money")
    offered = [option.text for option in page.iter("option") if option.attrib.get("value") == "mBTC"]
    assert offered == ["mBTC"] * 3
    sent = send(visitor, "/money/charges", player="ann", amount="0.02", unit="mBTC", reason="the room")
    assert sent.status_code == 303, sent.text
    assert [(line["amount"], line["unit_digits"]) for line in ledger(api, "?kind=charge")] == [(2_000, 5)]
    assert table_cells(visitor.show("/money"), "Balances: mBTC")[1][:2] == ["the house", "+0.02000"]


def test_a_claim_is_shown_and_confirmed_with_the_digits_of_its_unit(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE, **WORTH)
    claimed = {"payer": "cyd", "payee": "ann", "unit": "mBTC", "amount": 125_000, "reference": "tap-1"}
    claim = api.post("/v1/payment-claims", claimed)
    assert "cyd claims to have paid ann 1.25000 mBTC" in text_of(visitor.show("/money"))
    assert "1.25000 mBTC" in text_of(visitor.show(f"/money/claims/{claim['id']}/decline"))
    assert [row["amount"] for row in rows_of(visitor.get("/money/claims?format=csv"))] == ["1.25000"]
    assert visitor.submit("/money", f"{claim['id']}/confirm", {}).status_code == 303
    assert "cyd pays ann 3.25000 mBTC" in text_of(visitor.show("/money"))


def test_ids_are_joined_with_their_balances_in_a_unit_of_the_club(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE, **WORTH)
    second = {1: "ann 100", 2: "bob 100", 3: "cydney 100"}
    posted(api, table="attic", sitting=second, hands=COMPLETE, **WORTH)
    row = table_rows_of(visitor.show("/player-aliases/join?player=cyd&alias=cydney"))[-1]
    assert [" ".join(cell.split()) for cell in row] == ["mBTC", "−4.50000 mBTC", "−4.50000 mBTC", "−9.00000 mBTC"]


def test_what_a_recomputation_would_change_has_the_digits_of_the_unit(house: House, api: Api, visitor: Visitor) -> None:
    complete_round(api, **WORTH)
    page = started(visitor, ruleset=OTHER_RULES, reason="what if")
    work_on(house, api, page)
    summary = api.get(f"/v1/recomputations/{page.rpartition('/')[2]}")["summary"]
    assert summary["unit_digits"] == {"mBTC": 5}
    assert summary["payments"]["money"] == [{"payer": "ann", "payee": "cyd", "amount": 150_000, "unit": "mBTC"}]
    assert "1.50000 mBTC" in text_of(visitor.show(page))
    paid = [row for row in read_files(visitor, f"{page}?part=payments") if row["unit"]]
    assert [(row["amount"], row["unit"]) for row in paid] == [("1.50000", "mBTC")]
    moved = read_files(visitor, f"{page}?part=points")
    assert [(row["player"], row["amount"], row["unit"]) for row in moved] == [
        ("cyd", "1.50000", "mBTC"),
        ("ann", "-1.50000", "mBTC"),
    ]
