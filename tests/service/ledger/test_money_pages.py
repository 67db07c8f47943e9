"""The page of money in the console: balances, who pays whom, and the forms of payments, charges and reversals."""

from typing import Any
from xml.etree.ElementTree import Element

import pytest

from service.clubs.scopes import KeyScope
from tests.service.feed.test_api_feed import key_with
from tests.service.ledger.ledger_lines import exchange_seats, ledger, posted
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, table_cells, text_of
from tests.support.sample_rounds import COMPLETE, add_table

EURO = {"point_value": 10, "unit": "EUR"}


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def forms_of(page: Element, action: str) -> list[dict[str, str]]:
    """Return the hidden fields of each form with an action."""
    return [
        {
            each.attrib["name"]: each.attrib["value"]
            for each in form.iter("input")
            if each.attrib.get("type") == "hidden"
        }
        for form in page.iter("form")
        if form.attrib["action"].endswith(action)
    ]


def send(visitor: Visitor, action: str, **fields: str) -> Any:
    """Send the last form of the page with an action, which is to be filled in."""
    hidden = forms_of(visitor.show("/money"), action)[-1]
    return visitor.send(action, {**hidden, **fields})


def test_the_page_shows_balances_and_who_pays_whom(visitor: Visitor, api: Api) -> None:
    assert "No balances." in text_of(visitor.show("/money"))
    posted(api, hands=COMPLETE, reference="0", **EURO)
    posted(api, table="attic", hands=COMPLETE, reference="1")
    add_table(api, name="loft")
    page = visitor.show("/money")
    assert table_cells(page, "Balances: EUR")[1:] == [
        ["ann", "+3.60", "0.00", "+3.60", "0.00", "0.00", "0.00"],
        ["bob", "0.00", "0.00", "0.00", "0.00", "0.00", "0.00"],
        ["cyd", "−3.60", "0.00", "−3.60", "0.00", "0.00", "0.00"],
    ]
    assert table_cells(page, "Balances: Points at attic")[1][:2] == ["ann", "+36"]
    assert "cyd pays ann €3.60" in text_of(page)
    assert "cyd pays ann 36" in text_of(page)
    units = next(each for each in page.iter("select") if each.attrib["name"] == "unit")
    assert [option.text for option in units.iter("option") if option.text][:3] == [
        "EUR",
        "points at attic",
        "points at loft",
    ]
    filtered = visitor.show("/money?player=bob")
    assert [row[0] for row in table_cells(filtered, "Balances: EUR")[1:]] == ["bob"]
    assert "pays ann" not in text_of(filtered)


def test_a_proposed_payment_is_recorded_once_by_its_button(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    [proposed, _] = forms_of(visitor.show("/money"), "/money/payments")
    assert (proposed["payer"], proposed["payee"], proposed["amount"], proposed["unit"]) == ("cyd", "ann", "3.60", "EUR")
    for _ in range(2):
        response = visitor.send("/money/payments", proposed)
        assert (response.status_code, response.location) == (303, "/console/money")
    [line] = ledger(api, "?kind=payment")
    assert (line["payer"], line["payee"], line["amount"], line["reference"]) == (
        "cyd",
        "ann",
        360,
        proposed["reference"],
    )
    page = visitor.show("/money")
    assert len(forms_of(page, "/money/payments")) == 1, "nothing is proposed"
    assert table_cells(page, "Payments and charges")[1][1:5] == ["payment", "cyd", "ann", "EUR 3.60"]


def test_a_payment_recorded_by_another_needs_a_confirmation(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    [first, _], [second, _] = (forms_of(visitor.show("/money"), "/money/payments") for _ in range(2))
    assert first["reference"] != second["reference"]
    assert visitor.send("/money/payments", first).status_code == 303
    refused = visitor.send("/money/payments", second)
    assert refused.status_code == 422
    assert "The same payment or charge was recorded before." in text_of(parse(refused))
    assert len(ledger(api, "?kind=payment")) == 1
    assert visitor.send("/money/payments", {**second, "anyway": "yes"}).status_code == 303
    assert len(ledger(api, "?kind=payment")) == 2


@pytest.mark.parametrize(
    ("unit", "typed", "amount"), [("EUR", "3,5", 350), ("EUR", "12", 1200), ("JPY", "70", 70), ("attic", "8", 8)]
)
def test_a_payment_is_typed_in(visitor: Visitor, api: Api, unit: str, typed: str, amount: int) -> None:
    posted(api, hands=COMPLETE, point_value=1, unit="JPY")
    attic = add_table(api, name="attic")
    unit = attic if unit == "attic" else unit
    sent = send(visitor, "/money/payments", payer="cyd", payee="", amount=typed, unit=unit, note="cash", anyway="yes")
    assert sent.status_code == 303, sent.text
    [line] = ledger(api, "?kind=payment")
    assert (line["payer"], line["payee"], line["amount"], line["unit"], line["note"]) == (
        "cyd",
        None,
        amount,
        unit,
        "cash",
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"amount": "3.555"}, "the amount is '3.555'; expected an amount like 12.50"),
        ({"amount": "0"}, "A number is too small or too large"),
        ({"payee": "cyd"}, "Choose two different players."),
        ({"payee": "dan"}, "Nobody of this name has played in the club"),
        ({"unit": "XXX"}, "Choose a unit that the club has: the unit is 'XXX'"),
    ],
)
def test_a_refused_payment_is_shown_with_what_was_typed(
    visitor: Visitor, api: Api, fields: dict[str, str], message: str
) -> None:
    posted(api, hands=COMPLETE, **EURO)
    typed = {"payer": "cyd", "payee": "ann", "amount": "5", "unit": "EUR", **fields}
    refused = send(visitor, "/money/payments", **typed)
    assert refused.status_code == 422
    page = parse(refused)
    assert message in text_of(page)
    [payer] = [each for each in page.iter("input") if each.attrib.get("id") == "payer"]
    assert payer.attrib["value"] == "cyd"
    assert ledger(api, "?kind=payment") == []


def test_a_form_whose_reference_is_used_is_shown_again_with_another_one(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    typed = {"payer": "cyd", "payee": "ann", "unit": "EUR", "reference": "first"}
    assert send(visitor, "/money/payments", **typed, amount="1.00").status_code == 303
    refused = send(visitor, "/money/payments", **typed, amount="2.00")
    assert refused.status_code == 409
    form = forms_of(parse(refused), "/money/payments")[-1]
    assert form["reference"] != "first"
    assert visitor.send("/money/payments", {**typed, **form, "amount": "2.00"}).status_code == 303
    assert [line["amount"] for line in ledger(api, "?kind=payment")] == [100, 200]


def test_a_charge_is_recorded_and_taken_back(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    charged = send(visitor, "/money/charges", player="ann", amount="2.00", unit="EUR", reason="the room")
    assert charged.status_code == 303, charged.text
    page = visitor.show("/money")
    assert table_cells(page, "Payments and charges")[1][1:5] == ["charge the room", "ann", "the house", "EUR 2.00"]
    assert table_cells(page, "Balances: EUR")[1][:2] == ["the house", "+2.00"]
    [address] = [each.attrib["href"] for each in page.iter("a") if each.attrib["href"].endswith("/reversal")]
    path = address.removeprefix("/console")
    assert "The charge of €2.00 from ann to the house" in text_of(visitor.show(path))
    assert visitor.submit(path, "/reversal", {"reason": ""}).status_code == 422
    assert visitor.submit(path, "/reversal", {"reason": "it was free"}).status_code == 303
    page = visitor.show("/money")
    assert "taken back" in table_cells(page, "Payments and charges")[1][-1]
    assert table_cells(page, "Balances: EUR")[-1][0] == "cyd"
    assert [line["note"] for line in ledger(api) if line["kind"] != "settlement"] == ["the room", "it was free"]
    assert visitor.get(path.replace("charge", "payment")).status_code == 404
    assert visitor.get(path.replace("charge", "loan")).status_code == 404


def test_who_may_not_write_sees_no_forms(house: House, api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    paid = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 1, "reference": "cash"}
    assert api.post("/v1/payments", paid).status == 201
    reader = Visitor.signed_in(house, key_with(house, api, KeyScope.READ))
    page = reader.show("/money")
    assert forms_of(page, "/money/payments") == forms_of(page, "/money/charges") == []
    assert "Take back" not in text_of(page)


def test_a_large_club_sees_its_largest_balances(visitor: Visitor, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    posted(api, hands=COMPLETE, **EURO)
    monkeypatch.setattr("service.console.views.accounting.money._MOST_LINES", 2)
    monkeypatch.setattr("service.console.views.accounting.money._FEWEST_LINES", 1)
    page = visitor.show("/money")
    assert [row[0] for row in table_cells(page, "Balances: EUR")[1:]] == ["ann", "cyd"]
    assert "The 2 largest balances of 3." in text_of(page)


def test_each_of_many_tables_without_a_point_value_has_a_page(
    visitor: Visitor, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    posted(api, hands=COMPLETE, reference="0", **EURO)
    attic = posted(api, table="attic", hands=COMPLETE, reference="1")["round"]["table"]
    others = {1: "ann 100", 2: "dan 100", 3: "eve 100"}
    posted(api, table="loft", sitting=others, hands=COMPLETE, reference="2")
    for unit in ("EUR", attic):
        paid = {"payer": "cyd", "payee": "ann", "unit": unit, "amount": 6, "reference": unit}
        assert api.post("/v1/payments", paid).status == 201
    monkeypatch.setattr("service.console.views.accounting.money._MOST_LISTS", 1)
    page = visitor.show("/money")
    assert "Points without a value: 2 tables" in text_of(page)
    assert "Points at attic" not in text_of(page)
    links = {"".join(link.itertext()): link.attrib["href"] for link in page.iter("a") if "unit=" in link.attrib["href"]}
    assert [*links] == ["attic", "loft"]
    page = visitor.show(links["attic"].removeprefix("/console"))
    assert [row[:2] for row in table_cells(page, "Balances: Points at attic")[1:]] == [
        ["ann", "+30"],
        ["bob", "0"],
        ["cyd", "−30"],
    ]
    assert "Balances: EUR" not in text_of(page)
    assert [row[4] for row in table_cells(page, "Payments and charges")[1:]] == ["points 6 attic"]
    assert "Points at attic" in text_of(visitor.show("/money?player=bob")), "bob has played at one of them"


def test_the_page_of_a_round_shows_what_its_corrections_added(visitor: Visitor, api: Api) -> None:
    round_id = posted(api, hands=COMPLETE, **EURO)["round"]["id"]
    assert "What counts in the ledger" not in text_of(visitor.show(f"/rounds/{round_id}"))
    exchange_seats(api, round_id)
    text = text_of(visitor.show(f"/rounds/{round_id}"))
    assert "the round ended with revision 1. ann +€3.60," in text
    assert "corrected by revision 2. ann −€2.40, cyd +€2.40" in text
    assert "ann −€2.40, cyd +€2.40," not in text
    assert "In all: ann +€1.20, bob €0.00, cyd −€1.20." in text
