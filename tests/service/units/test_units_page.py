"""Units in the console: defined on the page of the tables, and offered where amounts are recorded."""

import pytest

from service.clubs.scopes import KeyScope
from tests.service.console.test_signing_in import signed_in_with
from tests.service.ledger.ledger_lines import ledger, posted
from tests.service.ledger.test_money_pages import send
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, rows_of, table_cells, text_of
from tests.support.sample_rounds import COMPLETE, add_table

CHIPS = {"code": "chips", "name": "Chips of the club", "digits": "0"}
MILLIBITCOIN = {"code": "mBTC", "name": "Millibitcoin", "digits": "5"}


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.mark.smoke
def test_a_unit_is_defined_on_the_page_of_the_tables(visitor: Visitor, api: Api) -> None:
    for unit in (CHIPS, MILLIBITCOIN):
        assert visitor.submit("/tables", "/units", unit).location == "/console/tables#units"
    add_table(api, point_value=12_500, unit="mBTC")
    add_table(api, name="attic", point_value=5, unit="EUR")
    page = visitor.show("/tables")
    assert [row[:3] for row in table_cells(page, "Units")[1:]] == [
        ["chips", "Chips of the club", "1 chips"],
        ["mBTC", "Millibitcoin", "0.00001 mBTC"],
        ["EUR", "Euro", "€0.01"],
    ]
    assert "mBTC 0.12500" in text_of(page)
    rows = rows_of(visitor.get("/tables?format=csv"))
    assert {(row["point_value"], row["unit"]) for row in rows} == {("0.12500", "mBTC"), ("0.05", "EUR")}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"code": "EUR"}, "A currency has this code. Choose another one."),
        ({"code": "chip s"}, "Something was not filled in correctly"),
        ({"digits": "9"}, "A number is too small or too large"),
        ({"digits": "two"}, "Something was not filled in correctly"),
        ({"name": ""}, "A text is empty or too long"),
        ({"code": "Chips"}, "The club has a unit with this code, which never changes. Choose another code."),
    ],
)
def test_a_refused_definition_is_shown_with_what_was_typed(
    visitor: Visitor, api: Api, fields: dict[str, str], message: str
) -> None:
    assert api.post("/v1/units", {**CHIPS, "digits": 0}).status == 201
    typed = {**MILLIBITCOIN, **fields}
    refused = visitor.submit("/tables", "/units", typed)
    assert refused.status_code in (409, 422)
    page = parse(refused)
    assert message in text_of(page)
    values = {each.attrib["name"]: each.attrib["value"] for each in page.iter("input") if "value" in each.attrib}
    assert {name: values[name] for name in typed} == typed
    assert len(api.get("/v1/units")["units"]) == 1


def test_who_cannot_change_tables_defines_no_units(house: House, api: Api) -> None:
    reader = signed_in_with(house, api, KeyScope.READ)
    assert "Define a unit" not in text_of(reader.show("/tables"))


def test_amounts_of_a_unit_are_typed_and_shown_with_its_digits(visitor: Visitor, api: Api) -> None:
    assert api.post("/v1/units", {**MILLIBITCOIN, "digits": 5}).status == 201
    posted(api, hands=COMPLETE, point_value=12_500, unit="mBTC")
    page = visitor.show("/money")
    assert table_cells(page, "Balances: mBTC")[1][:2] == ["ann", "+4.50000"]
    assert "cyd pays ann 4.50000 mBTC" in text_of(page)
    sent = send(visitor, "/money/payments", payer="cyd", payee="ann", amount="1,25", unit="mBTC")
    assert sent.status_code == 303
    assert [line["amount"] for line in ledger(api, "?kind=payment")] == [125_000]
    assert "cyd pays ann 3.25000 mBTC" in text_of(visitor.show("/money"))
    refused = send(visitor, "/money/payments", payer="cyd", payee="ann", amount="0.000001", unit="mBTC")
    assert "expected an amount like 0.01250" in text_of(parse(refused))
    [newest, *_, oldest] = rows_of(visitor.get("/ledger?format=csv"))
    assert (newest["amount"], newest["unit"]) == ("1.25000", "mBTC")
    assert (oldest["amount"], oldest["unit"]) == ("0.75000", "mBTC")
