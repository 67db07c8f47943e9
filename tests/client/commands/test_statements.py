"""`ofc statement` against a service: over several tables, as a table, JSON and CSV."""

from typing import Any

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import COMPLETE, document_of


@pytest.fixture
def tables(client: Client, table: str) -> tuple[str, str]:
    for name, money in ((table, {"point_value": 5, "unit": "EUR"}), (f"{table}-2", {})):
        client.play_document(document_of(table=name, hands=COMPLETE, **money))
    return table, f"{table}-2"


def test_results_are_summed_up_over_tables(reached: dict[str, str], tables: tuple[str, str]) -> None:
    first, second = tables
    both = ofc("statement", "--table", first, "--table", second, **reached)
    assert both.code == 0, both
    lines = [line.split() for line in both.text.splitlines() if line]
    assert lines[:5] == [
        ["2", "rounds"],
        ["player", "table", "rounds", "net", "money"],
        ["ann", "2", "+72", "1.80", "EUR"],
        [first, "1", "+36", "1.80", "EUR"],
        [second, "1", "+36"],
    ]
    assert lines.count(["cyd", "→", "ann", "36", "points"]) == 2, "points without a value are not added to others"
    assert "Settled in points of 0.05 EUR by the fewest payments" in both.text
    assert f"Settled in points at {second}" in both.text
    assert ["cyd", "→", "ann", "1.80", "EUR"] in lines
    assert "Points without a value are settled besides the money." in both.text
    pairs = ofc("statement", "--table", first, "--settle-up", "pairs", **reached)
    assert "Settled in money by pairs" in pairs.text
    document = ofc("table", "statement", first, "--settle-up", "pairs", "--json", **reached).document
    assert document["payments_are"] == "pairs"
    only = ofc("statement", "--table", first, "--player", "ann", "--json", **reached).document
    assert [(each["player"], each["net"]) for each in only["players"]] == [("ann", 36), ("bob", 0), ("cyd", -36)]
    assert ofc("statement", "--table", first, "--to", "2000-01-01", **reached).text.endswith(
        "No rounds have been played."
    )


def test_charges_are_in_a_column_of_their_own(reached: dict[str, str], client: Client, table: str) -> None:
    document = document_of(table=table, hands=COMPLETE, charge_per="hand", charge_amount=1)
    round_id = client.play_document(document)["round"]["id"]
    drink: Any = {"player": "ann", "unit": "EUR", "amount": 300, "reason": "a drink", "round": round_id}
    client.record_charge({**drink, "reference": f"{table} drink"})
    shown = ofc("statement", "--table", table, **reached)
    lines = [line.split() for line in shown.text.splitlines() if line]
    assert lines[1:4] == [
        ["player", "table", "rounds", "net", "money", "charges"],
        ["ann", "1", "+36", "3", "points,", "3.00", "EUR"],
        ["bob", "1", "0", "3", "points"],
    ]
    assert "charges" in ofc("table", "statement", table, **reached).text
    settlement = ofc("round", "settlement", round_id, **reached)
    assert "charge" in settlement.text


def test_csv_is_that_of_the_service(reached: dict[str, str], tables: tuple[str, str]) -> None:
    printed = ofc("statement", "--table", tables[0], "--csv", **reached)
    assert printed.out.splitlines()[:2] == [
        "player,table,rounds,top_ups,net,amount,charge,unit",
        f"ann,{tables[0]},1,0,36,1.80,,EUR",
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--csv", "--json"], "--csv and --json were given; expected one of them"),
        (["--from", "soon"], "'soon' is not a time"),
    ],
)
def test_invalid_options_are_refused(options: list[str], expected: str) -> None:
    result = ofc("statement", *options)
    assert (result.code, result.out) == (2, "")
    assert expected in result.err


def test_an_unknown_table_is_refused(reached: dict[str, str]) -> None:
    result = ofc("statement", "--table", "nowhere", **reached)
    assert (result.code, result.out) == (2, "")
    assert "there is no table 'nowhere'" in result.err
