"""`ofc post` with charges of hands, and with the standing charge of a round."""

from pathlib import Path

import pytest

from client.api import Client
from tests.support.client.posted_rounds import short_round
from tests.support.client.run_ofc import ofc, write


@pytest.mark.parametrize("options", [[], ["--whole"]])
def test_charges_of_hands_and_the_standing_charge_are_posted_once(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path, options: list[str]
) -> None:
    document = short_round(table, charge_per="hand", charge_amount=2)
    rake = {"player": "ann", "unit": "EUR", "amount": 50, "reason": "rake"}
    document["hands"][0]["charges"] = [rake]
    path = write(tmp_path, document)
    posted = ofc("post", *options, "--json", path, **reached)
    assert posted.code == 0, posted
    again = ofc("post", "--json", path, **reached)
    assert again.code == 0, again
    round_id = posted.document["round"]["id"]
    charged = [line for line in client.list_ledger(round=round_id) if line["payee"] is None]
    lines = [(line["kind"], line["payer"], line["amount"], line["reference"]) for line in charged]
    assert sorted(lines) == [
        ("charge", "ann", 50, f"{round_id}/1/1"),
        ("settlement", "ann", 4, "1"),
        ("settlement", "bob", 4, "1"),
    ]


def test_a_table_with_another_standing_charge_refuses_the_round(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    options = ["--ruleset", "pineapple", "--charge-per", "round", "--charge-amount", "5"]
    assert ofc("table", "create", table, *options, **reached).code == 0
    refused = ofc("post", write(tmp_path, short_round(table)), **reached)
    assert refused.code == 1
    assert "#/charge_amount  is nothing here and 5 at" in refused.err
