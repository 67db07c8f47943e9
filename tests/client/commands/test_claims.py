"""`ofc payment claim` and what ends a claim, against a service."""

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import COMPLETE, document_of

PAID = ("cyd", "ann", "--unit", "EUR", "--amount")


@pytest.fixture
def played(client: Client, table: str) -> str:
    client.play_document(document_of(table=table, hands=COMPLETE, point_value=5, unit="EUR"))
    return table


def test_a_claim_is_listed_and_confirmed(reached: dict[str, str], played: str) -> None:
    claimed = ofc("payment", "claim", *PAID, "100", "--reference", f"{played} 1", "--json", **reached).document
    listed = ofc("payment", "claims", "--state", "pending", **reached).text
    assert f"cyd    ann    1.00 EUR  pending  {claimed['id']}" in listed
    result = ofc("payment", "confirm", claimed["id"], **reached)
    assert result.code == 0, result.err
    shown = result.text
    assert shown.startswith("cyd → ann: 1.00 EUR\nthe payment ")
    assert claimed["id"] not in ofc("payment", "claims", "--state", "pending", **reached).text


def test_a_claim_is_declined_with_a_reason_or_withdrawn(reached: dict[str, str], played: str) -> None:
    for number, (end, state) in enumerate(
        [(("decline", "--reason", "not received"), "declined"), (("withdraw",), "withdrawn")]
    ):
        said = ofc("payment", "claim", *PAID, "2", "--reference", f"{played} {number}", "--json", **reached).document
        ended = ofc("payment", end[0], said["id"], *end[1:], **reached).text
        assert f"the claim {said['id']} is {state}" in ended
        refused = ofc("payment", "confirm", said["id"], **reached)
        assert (refused.code, f"was {state}" in refused.err) == (1, True)


def test_a_claim_that_may_be_a_mistake_is_warned_of(reached: dict[str, str], played: str) -> None:
    for number in range(2):
        said = ofc("payment", "claim", *PAID, "3", "--reference", f"{played} equal {number}", **reached)
    assert "Warning: `amount` is that of the payment claim" in said.text
