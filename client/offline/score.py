"""Score a hand, or play a round document, without a service; what comes out has the service's own shapes."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from client.offline.refusal import check_expected, refusing
from client.offline.rulesets import find_ruleset
from schemas.base import load
from schemas.documents import DocumentRequestSchema, RoundDocument
from schemas.hands import load_score_request
from schemas.irregular import IrregularHand
from schemas.problems import dump_mistakes
from schemas.rounds import dump_next, dump_seats
from schemas.rulesets import load_ruleset
from schemas.scores import dump_lone_score, dump_points, dump_score, dump_transfers
from schemas.settlements import dump_settlement
from scoring.hand import TopUp
from scoring.history import PlayedRound, replay
from scoring.lone_hand import score_lone_hand
from scoring.round import PlayedHand, add_points
from scoring.round_state import Round
from scoring.ruleset import Ruleset

Document = dict[str, Any]

_ROUND: Final = DocumentRequestSchema()


def is_round(document: Mapping[str, Any]) -> bool:
    """Say whether a document is a whole round, and not one hand."""
    return "hands" in document


def check_shape(document: Document) -> None:
    """
    Check that a document has the shape of a round, before anything of it is posted.

    Raises:
        RefusedError: it has not, with every mistake.
    """
    with refusing():
        load(_ROUND, document)


def score_hand(document: Document, own: Document | None = None) -> Document:
    """
    Score one hand; answers what `POST /v1/score` would.

    Raises:
        RefusedError: it cannot be, with every reason.
    """
    with refusing():
        request = load_score_request(_under(document, own))
        ruleset = load_ruleset(find_ruleset(document, own))
        lone = score_lone_hand(ruleset, request.players, request.button)
        answer = dump_lone_score(ruleset, lone, request.players)
    check_expected(request.expected, answer)
    return answer


def play_round(document: Document, own: Document | None = None) -> Document:
    """
    Play a round document; answers what `POST /v1/documents` would, but for ids and times, and what each hand came to.

    Raises:
        RefusedError: it cannot be, with the first thing that fails.
    """
    read, ruleset, played = _replay(document, own)
    irregular = [IrregularHand(hand.hand.number, hand.irregular) for hand in played.hands if hand.irregular]
    money = read.point_value, read.currency
    answer = {
        "round": {
            "ruleset": str(ruleset),
            "reference": read.reference,
            "point_value": read.point_value,
            "currency": read.currency,
            **_dump_round(played.round),
        },
        "settlement": dump_settlement(played.round, played.payments, 1, *money, irregular=irregular),
        "hands": [_dump_hand(ruleset, hand) for hand in played.hands],
    }
    check_expected(read.expected, answer)
    return answer


def find_next(document: Document, top_ups: Iterable[Document], ruleset: Document) -> Document | None:
    """
    Say what the next hand of a round must be once players have added points before it; None where none can come.

    Raises:
        RefusedError: the round cannot be, with the first thing that fails.
    """
    _, _, played = _replay(document, ruleset)
    added = [TopUp(top_up["seat"], top_up["points"]) for top_up in top_ups]
    following: Document | None = dump_next(add_points(played.round, added).next_hand)
    return following


def _replay(document: Document, own: Document | None) -> tuple[RoundDocument, Ruleset, PlayedRound]:
    with refusing():
        read: RoundDocument = load(_ROUND, _under(document, own))
        ruleset = load_ruleset(find_ruleset(document, own))
        return read, ruleset, replay(read.history(ruleset))


def _under(document: Document, own: Document | None) -> Document:
    """Put the operator's own rules in the place of those that a document names, if it names any."""
    return {**document, "ruleset": own["name"]} if own else document


def _dump_hand(ruleset: Ruleset, played: PlayedHand) -> Document:
    round_ = played.round
    return {
        "number": played.hand.number,
        "button": played.hand.button,
        "irregular": dump_mistakes(played.irregular),
        **dump_score(ruleset, played.score, {seat.seat: seat.player for seat in round_.seats}),
        "transfers": dump_transfers(played.transfers),
        "stacks": dump_points(round_.stacks),
        "round": _dump_round(round_),
    }


def _dump_round(round_: Round) -> Document:
    return {
        "status": round_.status.value,
        "hands": round_.hands,
        "seats": dump_seats(round_),
        "next": dump_next(round_.next_hand),
    }
