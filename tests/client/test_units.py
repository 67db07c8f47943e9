"""`ofc units` and `ofc unit define` against a service, and rounds in units of a club with and without one."""

from pathlib import Path

from client.api import Client
from tests.support.client.run_ofc import ofc, write
from tests.support.sample_rounds import COMPLETE, document_of


def test_a_unit_is_defined_and_listed_and_a_table_uses_it(reached: dict[str, str], client: Client, table: str) -> None:
    code = f"u{table[-8:]}"
    defining = ("unit", "define", code, "--name", "Millibitcoin", "--digits", "5")
    defined = ofc(*defining, **reached)
    assert (defined.code, defined.text) == (0, f"unit {code}, Millibitcoin: the smallest amount is 0.00001 {code}")
    again = ofc(*defining, "--json", **reached).document
    assert (again["code"], again["name"], again["digits"]) == (code, "Millibitcoin", 5)
    assert again in client.list_units()
    assert again in ofc("units", "--json", **reached).document["units"]
    assert code in ofc("units", **reached).out
    created = ofc("table", "create", table, "--ruleset", "turbo", "--point-value", "12500", "--unit", code, **reached)
    assert f"a point is 0.12500 {code}" in created.out


def test_an_unknown_unit_is_refused_with_how_one_is_defined(reached: dict[str, str], table: str) -> None:
    refused = ofc("table", "create", table, "--ruleset", "turbo", "--point-value", "1", "--unit", "chps", **reached)
    assert refused.code == 1
    message = " ".join(refused.err.split())
    assert "#/unit is 'chps'; expected a currency of ISO 4217, such as EUR, or a unit of the club" in message
    assert "POST /v1/units defines one" in message


def test_a_round_in_another_unit_of_the_same_code_is_not_posted(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    code = f"v{table[-8:]}"
    assert ofc("unit", "define", code, "--name", "Millibitcoin", "--digits", "5", **reached).code == 0
    document = document_of(hands=COMPLETE, table=table, reference="1", point_value=12_500, unit=code)
    for options in ((), ("--whole",)):
        refused = ofc("post", write(tmp_path, {**document, "unit_digits": 8}), *options, **reached)
        assert refused.code == 1
        assert "#/unit_digits is 8" in " ".join(refused.err.split())
    assert list(client.list_rounds(table_name=table)) == []
    assert ofc("post", write(tmp_path, {**document, "unit_digits": 5}), **reached).code == 0


def test_a_round_without_a_service_needs_the_digits_of_its_unit(tmp_path: Path) -> None:
    document = document_of(hands=COMPLETE, point_value=12_500, unit="mBTC")
    refused = ofc("score", write(tmp_path, document))
    assert refused.code == 1
    assert "#/unit  is 'mBTC', not a currency of ISO 4217" in refused.out + refused.err
    scored = ofc("score", write(tmp_path, {**document, "unit_digits": 5}))
    assert (scored.code, "+4.50000 mBTC" in scored.out or "4.50000 mBTC" in scored.out) == (0, True)
    refused = ofc("score", write(tmp_path, {**document, "unit": "EUR", "unit_digits": 5}))
    assert "#/unit_digits  is 5; expected 2, which are the digits of the unit 'EUR'" in refused.out + refused.err
