"""What links know of the units of the club: those of their table, of its entries, and of what their player owes."""

import pytest

from tests.service.ledger.ledger_lines import posted
from tests.service.links.linked_table import issue, issue_to_round, link_to
from tests.service.links.test_link_pages import Visitor
from tests.service.links.test_links_to_rounds import HTML, page_of
from tests.service.links.test_money_on_pages import form_of, money_of, send, tap
from tests.service.units.test_defined_units import CHIPS, MILLIBITCOIN, WORTH, define
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.sample_rounds import COMPLETE, Document, add_table, open_round, play_to_the_end

GOLD = {"code": "gold", "name": "Gold", "digits": 3}
PAID: Document = {"payer": "cyd", "payee": "ann", "unit": "mBTC", "amount": 125_000, "reference": "1"}


@pytest.fixture(autouse=True)
def _units(api: Api) -> None:
    for unit in (CHIPS, MILLIBITCOIN, GOLD):
        assert define(api, **unit).status == 201


@pytest.fixture
def friday(api: Api) -> Document:
    """A round at the table of the links, by which cyd owes ann 4.5 mBTC."""
    played: Document = posted(api, table="friday", hands=COMPLETE, **WORTH)["round"]
    return played


@pytest.fixture
def monday(api: Api) -> Document:
    """A round at another table, by which cyd owes ann 0.072 of gold."""
    played: Document = posted(api, table="monday", hands=COMPLETE, point_value=2, unit="gold")["round"]
    return played


@pytest.mark.smoke
def test_a_scorekeeper_records_payments_in_the_unit_of_the_table_only(
    house: House, api: Api, friday: Document, monday: Document
) -> None:
    link = link_to(house, api, friday["table"])
    paid = link.post("/v1/payments", PAID)
    assert (paid.status, paid["unit"], paid["unit_digits"]) == (201, "mBTC", 5)
    for unit in ("gold", "chips", "nothing"):
        [mistake] = link.post("/v1/payments", {**PAID, "unit": unit, "reference": "2"})["errors"]
        assert (mistake["pointer"], mistake["code"], mistake["expected"]) == ("#/unit", "unit-unknown", "mBTC")
    [balances] = link.get("/v1/balances")["units"]
    assert (balances["unit"], balances["unit_digits"]) == ("mBTC", 5)
    check_everywhere(house, api)


def test_a_scorekeeper_records_payments_in_the_unit_that_the_table_had(
    house: House, api: Api, friday: Document
) -> None:
    assert api.patch(f"/v1/tables/{friday['table']}", {"unit": "EUR", "point_value": 10}).status == 200
    link = link_to(house, api, friday["table"])
    for unit, digits in (("mBTC", 5), ("EUR", 2)):
        paid = link.post("/v1/payments", {**PAID, "unit": unit, "reference": unit})
        assert (paid.status, paid["unit_digits"]) == (201, digits)


def test_a_player_claims_payments_in_the_units_of_what_the_player_owes(
    house: House, api: Api, friday: Document, monday: Document
) -> None:
    link = link_to(house, api, friday["table"], "player", player="cyd")
    for unit, digits in (("mBTC", 5), ("gold", 3)):
        claimed = link.post("/v1/payment-claims", {**PAID, "unit": unit, "amount": 1, "reference": unit})
        assert (claimed.status, claimed["unit"], claimed["unit_digits"]) == (201, unit, digits)
        paid = api.post(f"/v1/payment-claims/{claimed['id']}/confirm", None)
        assert (paid.status, paid["unit_digits"]) == (201, digits)
    refused = link.post("/v1/payment-claims", {**PAID, "unit": "chips", "reference": "3"})
    assert refused.mistakes == {"#/unit": "unit-unknown"}
    assert "gold" not in refused["detail"]
    check_everywhere(house, api)


def test_the_page_of_a_player_has_the_digits_of_the_unit(
    house: House, api: Api, friday: Document, monday: Document
) -> None:
    cyd, ann = (Visitor(house, issue(api, friday["table"], kind="player", player=player)) for player in ("cyd", "ann"))
    shown = money_of(cyd)
    assert "You owe ann 4.50000 mBTC I have paid 4.50000 mBTC" in shown
    assert "You owe ann 0.072 gold" in shown
    places = [form_of(cyd, "paid", place=place) for place in range(4)]
    [other] = [
        each
        for each in places
        if (each["payee"], each["unit"]) == ("ann", "mBTC") and each["reference"].endswith("-other")
    ]
    assert send(cyd, {**other, "amount": "1,25"}).status_code == 303
    assert "You have paid ann 1.25000 mBTC" in money_of(cyd)
    assert [(each["amount"], each["unit_digits"]) for each in api.get("/v1/payment-claims")["claims"]] == [(125_000, 5)]
    assert "cyd has paid you 1.25000 mBTC, they say" in money_of(ann)
    tap(ann, "received")
    assert "cyd paid you" in money_of(ann)
    assert "You owe ann 3.25000 mBTC" in money_of(cyd)
    check_everywhere(house, api)


def test_the_page_of_a_round_has_the_digits_of_its_charge(house: House, api: Api) -> None:
    round_id = posted(api, hands=COMPLETE, charge_per="hand", charge_amount=2_500, **WORTH)["round"]["id"]
    page = house.app.test_client().get(page_of(issue_to_round(api, round_id)), headers=HTML)
    assert page.text.count("0.07500\u00a0mBTC") == 3
    assert "4.50000\u00a0mBTC" in page.text


def test_a_round_of_a_scorekeeper_is_paid_in_its_unit(house: House, api: Api) -> None:
    table = add_table(api, **WORTH)
    link = link_to(house, api, table)
    round_id = str(open_round(link, table)["id"])
    play_to_the_end(link, round_id)
    paid = link.post("/v1/payments", {**PAID, "round": round_id})
    assert (paid.status, paid["unit_digits"], paid["round"]) == (201, 5, round_id)
    [mistake] = api.post("/v1/payments", {**PAID, "unit": "gold", "round": round_id, "reference": "2"})["errors"]
    assert (mistake["pointer"], mistake["expected"]) == ("#/unit", "mBTC")
