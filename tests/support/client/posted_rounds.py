"""Rounds that `ofc post` posts, and the results that it prints."""

from typing import Any

from tests.support.api_settlements import without_players
from tests.support.client.run_ofc import CommandResult, read_example, read_expected
from tests.support.sample_rounds import HIGH, MID, document_of, hand

Document = dict[str, Any]


def at_table(document: Document, table: str) -> Document:
    return {**document, "table": table}


def first_hands(document: Document, number: int) -> Document:
    """Cut a document after some hands, as it was while the round was still being played."""
    cut = {**document, "hands": document["hands"][:number]}
    cut["departures"] = [left for left in document.get("departures", []) if left["after_hand"] <= number]
    cut.pop("closed", None)
    return cut


def settlement_of(result: CommandResult) -> Document:
    """Return the settlement that a post with --json printed."""
    assert result.code == 0, result
    settlement: Document = result.document["settlement"]
    return settlement


def results_in(settlement: Document, name: str) -> Document:
    """
    Return the parts of a settlement that the expected result of an example has.

    What only the settlement of a round in the API has must agree with the example: reference, players and amounts.
    """
    example = read_example(name)
    players = {seat["seat"]: seat["player"] for seat in example["seats"]}
    assert settlement["reference"] == example["reference"]
    for transfer in settlement["transfers"]:
        named = (transfer["payer_player"], transfer["payee_player"])
        assert named == (players[transfer["payer"]], players[transfer["payee"]])
        value = example.get("point_value")
        assert transfer["amount"] == (None if value is None else value * transfer["paid"])
    plain = without_players(settlement)
    return {part: plain[part] for part in read_expected(name)}


def short_round(table: str, **more: Any) -> Document:
    """Write a round of two hands in which nobody enters Fantasyland; seat 1 wins both."""
    hands = [hand(1, 1, {1: HIGH, 2: MID}), hand(2, 2, {1: HIGH, 2: MID})]
    return document_of(sitting={1: "ann 100", 2: "bob 100"}, hands=hands, **{"reference": "1", **more, "table": table})
