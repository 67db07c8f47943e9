"""The payments of statements on the console: apart for points of each worth, and by pairs."""

import pytest

from tests.service.ledger.test_settling_up import EUROS, FRANCS, play_two
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, rows_of, table_cells, text_of


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def test_points_of_each_worth_have_payments_of_their_own(visitor: Visitor, api: Api) -> None:
    play_two(api, "attic", "kim", "uma", **EUROS)
    play_two(api, "cellar", "uma", "kim", **FRANCS)
    play_two(api, "garden", "uma", "kim")
    page = visitor.show("/statement?period=all")
    assert table_cells(page, "Payments in points of €0.10")[1:] == [["uma", "kim", "6"]]
    assert table_cells(page, "Payments in points of CHF\xa00.50")[1:] == [["kim", "uma", "6"]]
    assert table_cells(page, "Payments in points at garden")[1:] == [["kim", "uma", "6"]]
    assert "12" not in {
        cell for label in ("CHF", "EUR") for row in table_cells(page, f"Payments in {label}") for cell in row
    }
    listed = rows_of(visitor.get("/statement?period=all&format=csv&part=payments"))
    assert [(row["payer"], row["amount"], row["unit"], row["point_value"], row["table"]) for row in listed] == [
        ("kim", "6", "", "0.50", ""),
        ("uma", "6", "", "0.10", ""),
        ("kim", "6", "", "", "garden"),
        ("kim", "3.00", "CHF", "", ""),
        ("uma", "0.60", "EUR", "", ""),
    ]


def test_payments_by_pairs(visitor: Visitor, api: Api) -> None:
    table = play_two(api, "attic", "ann", "bob", **EUROS)
    play_two(api, "attic", "bob", "cyd", **EUROS)
    for path in ("/statement?period=all", f"/tables/{table}?from=2020-01-01"):
        assert table_cells(visitor.show(path), "Payments in EUR")[1:] == [["cyd", "ann", "0.60"]]
        page = visitor.show(f"{path}&settle_up=pairs")
        assert table_cells(page, "Payments in EUR")[1:] == [["bob", "ann", "0.60"], ["cyd", "bob", "0.60"]]
        assert "No fewer payments are possible" not in text_of(page)
        for link in page.iter("a"):
            if "format=" in link.attrib["href"]:
                assert "settle_up=pairs" in link.attrib["href"]
        assert visitor.get(f"{path}&settle_up=pairs&format=json").json["payments_are"] == "pairs"
