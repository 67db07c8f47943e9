"""Score a hand, or play a round document, without a service; what comes out has the service's own shapes."""

from collections.abc import Mapping
from typing import Any

from client.errors import ApiError
from schemas.base import WireError
from schemas.documents import load_document
from schemas.hands import load_score_request
from schemas.problems import dump_mistakes
from schemas.rounds import dump_next, dump_seats
from schemas.rulesets import dump_ruleset, load_ruleset
from schemas.scores import dump_lone_score, dump_points, dump_score, dump_transfers
from schemas.settlements import dump_settlement
from scoring.errors import Mistake, ScoringError
from scoring.history import replay
from scoring.lone_hand import score_lone_hand
from scoring.presets import PRESETS
from scoring.round import PlayedHand
from scoring.ruleset import Ruleset

Document = dict[str, Any]


def is_round(document: Mapping[str, Any]) -> bool:
    """Say whether a document is a whole round, and not one hand."""
    return "hands" in document


def find_ruleset(document: Mapping[str, Any], own: Document | None) -> Document:
    """
    Find the rules that a document names: a preset, or the operator's own, given as an object.

    Raises:
        ApiError: there are none of that name here, or the given ones contradict each other.
    """
    return dump_ruleset(_ruleset(document, own))


def score_document(document: Document, own: Document | None = None) -> Document:
    """
    Score one hand; answers what `POST /v1/score` would.

    Raises:
        ApiError: it cannot be, with every reason.
    """
    try:
        request = load_score_request(document)
        ruleset = _ruleset(document, own)
        return dump_lone_score(ruleset, score_lone_hand(ruleset, request.players, request.button), request.players)
    except (WireError, ScoringError) as error:
        raise _refusal(error) from error


def play_round(document: Document, own: Document | None = None) -> Document:
    """
    Play a round document; answers what each hand came to, and the settlement.

    Raises:
        ApiError: it cannot be, with the first thing that fails.
    """
    try:
        read = load_document(document)
        ruleset = _ruleset(document, own)
        played = replay(read.history(ruleset))
    except (WireError, ScoringError) as error:
        raise _refusal(error) from error
    return {
        "hands": [_dump_hand(ruleset, hand) for hand in played.hands],
        "settlement": dump_settlement(played.round, played.payments, 1, read.point_value, read.currency),
    }


def _dump_hand(ruleset: Ruleset, played: PlayedHand) -> Document:
    round_ = played.round
    return {
        "number": played.hand.number,
        "button": played.hand.button,
        **dump_score(ruleset, played.score, {seat.seat: seat.player for seat in round_.seats}),
        "transfers": dump_transfers(played.transfers),
        "stacks": dump_points(round_.stacks),
        "round": {
            "status": round_.status.value,
            "hands": round_.hands,
            "seats": dump_seats(round_),
            "next": dump_next(round_.next_hand),
        },
    }


def _ruleset(document: Mapping[str, Any], own: Document | None) -> Ruleset:
    reference = str(document.get("ruleset", ""))
    if own is not None:
        try:
            return load_ruleset(own, version=1)
        except (WireError, ScoringError) as error:
            raise _refusal(error) from error
    for ruleset in PRESETS.values():
        if reference in (ruleset.name, str(ruleset)):
            return ruleset
    detail = f"{reference!r} is no preset; give your own rules with --ruleset FILE. Presets: {', '.join(PRESETS)}"
    raise _refusal(ScoringError([Mistake("ruleset-unknown", ("ruleset",), detail)]))


def _refusal(error: WireError | ScoringError) -> ApiError:
    mistakes = error.mistakes
    code = getattr(error, "code", "request-invalid")
    detail = mistakes[0].detail if len(mistakes) == 1 else f"{len(mistakes)} mistakes, the first: {mistakes[0].detail}"
    return ApiError({"title": "This cannot be", "code": code, "detail": detail, "errors": dump_mistakes(mistakes)})
