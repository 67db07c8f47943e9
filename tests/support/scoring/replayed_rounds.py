"""Round documents replayed by the scorer, with results in the oracle's form."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from schemas.documents import load_document
from schemas.money import find_currency
from schemas.rounds import dump_next, dump_seats
from schemas.rulesets import load_ruleset
from schemas.scores import dump_score, dump_single_hand, load_score_request
from schemas.settlements import dump_points, dump_settlement, dump_transfers
from scoring.history import History, accept_irregular, replay
from scoring.round import PlayedHand
from scoring.round_state import Round
from scoring.single_hand import score_single_hand

Shape = dict[str, Any]


def accept_document(document: Mapping[str, Any], ruleset: Mapping[str, Any]) -> History:
    """Read a round document and accept every hand as played that does not follow the hands before it."""
    return accept_irregular(load_document(document).history(load_ruleset(ruleset)))


def play_document(
    document: Mapping[str, Any], ruleset: Mapping[str, Any], standing: frozenset[int] = frozenset()
) -> Shape:
    """Play a round document, and say of every hand and of the whole what the service would say."""
    read = load_document(document)
    played = replay(replace(read.history(load_ruleset(ruleset)), irregular=standing))
    unit = None if read.unit is None else find_currency(read.unit)
    settlement = dump_settlement(played.round, played.payments, 1, read.point_value, unit)
    return {
        "hands": [_hand(hand) for hand in played.hands],
        "round": _round(played.round),
        "settlement": {part: settlement[part] for part in ("transfers", "stacks", "net", "standings", "money")},
    }


def score_request(request: Mapping[str, Any], ruleset: Mapping[str, Any]) -> Shape:
    """Score a hand by itself; without transfers and stacks where they cannot be known."""
    read, rules = load_score_request(request), load_ruleset(ruleset)
    single = score_single_hand(rules, read.players, read.button)
    result = _without_words(dump_single_hand(rules, single, read.players))
    return {part: value for part, value in result.items() if value is not None}


def _without_words(score: Shape) -> Shape:
    """A score without what only says it: names and descriptions."""
    for player in score["players"]:
        del player["player"]
        for row in player["rows"].values():
            assert row.pop("description")
    return score


def _hand(played: PlayedHand) -> Shape:
    return {
        **_without_words(dump_score(played.round.ruleset, played.score, {})),
        "number": played.hand.number,
        "transfers": dump_transfers(played.transfers),
        "stacks": dump_points(played.round.stacks),
        "round": _round(played.round),
    }


def _round(round_: Round) -> Shape:
    seats = [{part: value for part, value in seat.items() if part != "top_ups"} for seat in dump_seats(round_)]
    return {
        "status": round_.status.value,
        "hands": round_.hands,
        "seats": seats,
        "next": dump_next(round_.next_hand),
    }
