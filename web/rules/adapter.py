"""
The rules for a page: a round and a hand as JSON in, the result or the refusal of the service as JSON out.

A browser runs this module, and the files of the service that it imports, in WebAssembly. It adds no rule: it calls what
the service calls for `POST /v1/rounds/{id}/hands`, and `scoring.unfinished_board` for a hand that is still being set.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from client.offline.card_text import is_open
from client.offline.typed_board import PARTS, list_suits_left, read_board
from schemas.base import MOST_SHOWN, WireError, load
from schemas.documents import RoundDocument, load_document
from schemas.hands import HandRequestSchema, SubmittedHand
from schemas.ledger.device_balances import settle_on_device
from schemas.money import refuse_inexact
from schemas.next_hand import (
    SAME_DEAL,
    WRONG_NUMBER,
    dump_boards_so_far,
    dump_played_hand,
    dump_played_round,
    find_conflict,
    find_hand_mistakes,
    find_repeated_mistakes,
    play_next_hand,
)
from schemas.problems import Refusal, dump_mistakes, find_unexpected, refuse
from schemas.rulesets import load_ruleset
from schemas.strict_json import read_json
from scoring import SCORER_VERSION
from scoring.board import Row
from scoring.cards import BY_NAME
from scoring.errors import HandError, Mistake, RoundError, ScoringError
from scoring.history import PlayedRound, replay, without_needless_marks
from scoring.phrase import Phrase
from scoring.presets import PRESETS
from scoring.round_state import Round
from scoring.ruleset import Ruleset
from scoring.same_hand import is_same_hand

Document = dict[str, Any]
_Parts = tuple[list[Document], list[Document], list[Document]]

_HAND: Final = HandRequestSchema()
_OF_REQUESTS: Final = ("charges", "dealt_again", "expected", "restores")
"""Fields of a hand to record that a hand of a document does not have."""
_LATER: Final = frozenset({"field-missing", "player-missing"})
"""Codes of mistakes that disappear when the rest of a hand is entered."""


_MOST_LEVELS: Final = 500
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


class _Refused(Exception):
    """The service would refuse the hand."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(refusal.detail)


@dataclass(frozen=True, slots=True)
class _PageRound:
    """A round as the page has it, and its replay."""

    document: RoundDocument
    ruleset: Ruleset
    played: PlayedRound

    @property
    def round(self) -> Round:
        """The round before the next hand."""
        return self.played.round


def describe_rules() -> str:
    """Return the versions of the rules, and the presets that they know, as JSON."""
    presets = [str(preset) for preset in PRESETS.values()]
    return json.dumps({"scorer": SCORER_VERSION, "python": sys.version.split()[0], "presets": presets})


def score(round_text: str, hand_text: str) -> str:
    """
    Score the next hand of a round, whether it is complete or not, as JSON.

    The result has a `kind`:

    - `complete`: `result` is the response of the service to the hand, without IDs and times.
    - `partial`: cards or players are missing. `errors` are the mistakes that entering them does not correct.
    - `refused`: the service would refuse the hand.
    - `round_refused`: the round itself is not valid.

    All but the first have the service's `problem`: its code, detail and errors. All but the last have `boards`: for
    each player the full rows, whether the board is foul in any case, and the Fantasyland that the full rows earn.

    Args:
        round_text: JSON with `document`, as `GET /v1/rounds/{id}/document` returns it, `ruleset`, as
            `GET /v1/rulesets/{reference}` returns it, and optionally `requests`: what was requested since, each with
            its `operation` and `body`. With `before`, the number of a hand, only what was played before it counts.
        hand_text: the request body to record the hand, as far as it is known.
    """
    try:
        page_round = _read_round(round_text)
    except (WireError, ScoringError) as error:
        return json.dumps({"kind": "round_refused", "problem": _dump_refusal(refuse(error))})
    received: Any = None
    try:
        received = _read_hand(hand_text)
        result = _play(page_round, received)
    except _Refused as refused:
        return json.dumps(_dump_refused(page_round, received, refused.refusal))
    except (WireError, ScoringError) as error:
        return json.dumps(_dump_refused(page_round, received, refuse(error)))
    return json.dumps({"kind": "complete", "boards": dump_boards_so_far(page_round.round, received), "result": result})


def replay_round(round_text: str) -> str:
    """
    Replay a round with the requests that wait, as JSON.

    Its `round` is as the service will show it, without IDs and times; `charged` is what is charged for it, by seat. The
    `kind` is `replayed` or, with the `problem`, `round_refused`. Requests that were recorded before change nothing.

    Args:
        round_text: as for `score`.
    """
    try:
        page_round = _read_round(round_text)
    except (WireError, ScoringError) as error:
        return json.dumps({"kind": "round_refused", "problem": _dump_refusal(refuse(error))})
    charge, hands = page_round.document.standing_charge, page_round.document.hands
    charged = {} if charge is None else charge.charge(each.hand.seats for each in hands)
    return json.dumps({"kind": "replayed", "round": dump_played_round(page_round.round), "charged": charged})


def settle_up(held_text: str) -> str:
    """Return the `units` of what is owed with what waits on the device, as `settle_on_device` describes it, as JSON."""
    held = read_json(held_text.encode("utf-8", "surrogatepass"))
    return json.dumps({"kind": "settled", "units": settle_on_device(held)})


def read_typed(typed_text: str) -> str:
    """
    Read a board as it is typed, pasted or said, by the grammar of `ofc hand add`, as JSON.

    `parts` has the cards of each row and the discards: each with its rank, and its suit or, if that is missing, the
    suits that it can have. `wrong` is what is invalid or has two meanings, and `missing` what is still missing: phrases
    with their messages and values.

    Args:
        typed_text: JSON with `text`, `taken`, the place of each card that another player has, and `discards`, how many
            the player has.
    """
    typed = read_json(typed_text.encode("utf-8", "surrogatepass"))
    taken = typed["taken"]
    board = read_board(typed["text"], taken, typed["discards"])
    used = {*taken, *(card for cards in board.parts for card in cards)}
    parts = {part: [_dump_typed(card, used) for card in cards] for part, cards in zip(PARTS, board.parts, strict=False)}
    pending = {"1": "T", "10": "T"}.get(board.pending_rank, board.pending_rank.upper())
    if pending and board.current < len(PARTS):
        parts[PARTS[board.current]].append(_dump_typed(pending, used))
    wrong, missing = ([_dump_phrase(each) for each in remarks] for remarks in (board.wrong, board.missing))
    return json.dumps({"kind": "typed", "parts": parts, "wrong": wrong, "missing": missing})


def _dump_phrase(text: str | int) -> Document | str | int:
    """Return a phrase in English, with its message and values, so that the page shows it in its language."""
    if not isinstance(text, Phrase):
        return text
    return {
        "text": str(text),
        "message": text.message,
        "plural": text.plural,
        "number": text.number,
        "context": text.context,
        "values": {name: _dump_phrase(value) for name, value in text.values.items()},
    }


def _dump_typed(card: str, used: set[str]) -> Document:
    if is_open(card):
        return {"rank": card, "suit": None, "suits": list_suits_left(card, used)}
    rank, suit = (card[0], card[1]) if card in BY_NAME else (card, None)
    return {"rank": rank, "suit": suit, "suits": []}


@lru_cache(maxsize=4)
def _read_round(text: str) -> _PageRound:
    """
    Parse a round, and replay it.

    Raises:
        WireError, ScoringError: it is not valid.
    """
    received = read_json(text.encode("utf-8", "surrogatepass"))
    if not isinstance(received, dict) or not isinstance(received.get("document"), dict):
        raise WireError((Mistake("field-missing", ("document",), "is required"),))
    ruleset = load_ruleset(received.get("ruleset"))
    content, requests, before = received["document"], received.get("requests"), received.get("before")
    document = load_document(
        _without_requests(_apply(content, requests or [], before) if requests or before else content)
    )
    if document.ruleset not in (ruleset.name, str(ruleset)):
        detail = f"is {document.ruleset!r}; expected {str(ruleset)!r}, the given ruleset"
        raise RoundError([Mistake("ruleset-differs", ("document", "ruleset"), detail)])
    return _PageRound(document, ruleset, replay(without_needless_marks(document.history(ruleset))))


def _apply(document: Document, requests: list[Document], before: int | None) -> Document:
    """
    Return a document after requests, or as it was before a hand.

    >>> _apply({"hands": []}, [{"operation": "record_hand", "body": {"number": 1}}], None)["hands"]
    [{'number': 1}]
    >>> _apply({"hands": [{"number": 1}, {"number": 2}]}, [], 2)["hands"]
    [{'number': 1}]
    """
    hands, departures = list(document["hands"]), list(document.get("departures") or ())
    closed, irregular = document.get("closed"), list(document.get("irregular") or ())
    for request in requests:
        operation, body = request["operation"], request["body"]
        if operation == "record_hand" and body["number"] == len(hands) + 1:
            hands.append(body)
        elif operation == "undo_hand" and body["number"] == len(hands):
            hands, departures, irregular = _cut(len(hands), hands, departures, irregular)
        elif operation == "record_departure" and body["seat"] not in [left["seat"] for left in departures]:
            departures.append({"seat": body["seat"], "reason": body.get("reason"), "after_hand": len(hands)})
        elif operation == "close_round":
            closed = {"after_hand": len(hands), "reason": body["reason"]}
    if before is not None and before <= len(hands):
        hands, departures, irregular = _cut(before, hands, departures, irregular)
        closed = None
    changed = {"hands": hands, "departures": departures, "closed": closed, "irregular": irregular}
    return {**document, **changed}


def _cut(number: int, hands: list[Document], departures: list[Document], irregular: list[Document]) -> _Parts:
    """Return the hands before one, and the departures and marks up to there."""
    return (
        hands[: number - 1],
        [left for left in departures if left["after_hand"] < number],
        [accepted for accepted in irregular if accepted["hand"] < number],
    )


def _without_requests(document: Document) -> Document:
    """Return a document whose hands have no field that only requests have."""
    hands = document.get("hands")
    if not isinstance(hands, list):
        return document
    return {**document, "hands": [_without_request(hand) if isinstance(hand, dict) else hand for hand in hands]}


def _without_request(hand: Document) -> Document:
    kept = {name: value for name, value in hand.items() if name not in _OF_REQUESTS}
    players = kept.get("players")
    if isinstance(players, list):
        kept["players"] = [
            {name: value for name, value in player.items() if name != "player"} if isinstance(player, dict) else player
            for player in players
        ]
    return kept


def _read_hand(text: str) -> Any:
    """
    Decode the JSON of a hand.

    WebAssembly ends when its stack overflows, so the nesting is measured first.

    Raises:
        WireError: it is not JSON, or nests too deeply.
    """
    if text.count("[") + text.count("{") > _MOST_LEVELS and _count_levels(text) > _MOST_LEVELS:
        detail = "objects and arrays are nested too deeply; expected fewer levels"
        raise WireError((Mistake("json-depth", (), detail),))
    return read_json(text.encode("utf-8", "surrogatepass"))


def _count_levels(text: str) -> int:
    """
    Return how deeply a JSON document nests.

    >>> _count_levels('{"a": [[], "[[["]}')
    3
    """
    level = deepest = 0
    for bracket in _BRACKETS.findall(text):
        level += {"[": 1, "{": 1, "]": -1, "}": -1}.get(bracket, 0)
        deepest = max(deepest, level)
    return deepest


def _play(page_round: _PageRound, received: Any) -> Document:
    """
    Return the response of the service to a hand.

    Raises:
        WireError, ScoringError, _Refused: the service would refuse it.
    """
    round_ = page_round.round
    try:
        submitted: SubmittedHand = load(_HAND, received)
    except WireError as error:
        raise error.with_more(find_hand_mistakes(round_, received), received) from error
    result = _find_recorded(page_round, submitted) or _play_next(page_round, submitted)
    mistakes = () if submitted.expected is None else tuple(_find_unexpected(submitted.expected, result))
    if mistakes:
        raise _Refused(Refusal("expected-differs", "the result differs from `expected`; nothing was stored", mistakes))
    return result


def _find_unexpected(expected: Mapping[str, Any], result: Document) -> Iterator[Mistake]:
    """List the differences from what a request expects. Fields that only a record has are not compared."""
    for mistake in find_unexpected(expected, result):
        is_of_record = mistake.path[1:] and (len(mistake.path) == 2 or mistake.path[:2] == ("expected", "round"))
        if mistake.code != "expected-unknown" or not is_of_record:
            yield mistake


def _find_recorded(page_round: _PageRound, submitted: SubmittedHand) -> Document | None:
    """
    Return the result of a hand that the round has already; None if its number is new.

    Raises:
        HandError, _Refused: the round has another hand of this number.
    """
    round_, number = page_round.round, submitted.hand.number
    if number > round_.hands:
        return None
    recorded = page_round.document.hands[number - 1]
    if submitted.restores is not None or not is_same_hand(recorded.hand, submitted.hand):
        raise _Refused(Refusal("hand-conflict", *find_conflict(round_, submitted, recorded.hand)))
    is_identical = recorded.digest == submitted.digest
    mistakes = find_repeated_mistakes(round_, submitted, is_identical=is_identical)
    if mistakes:
        raise HandError(mistakes)
    return {
        **dump_played_hand(page_round.ruleset, page_round.played.hands[number - 1]),
        "round": dump_played_round(round_),
    }


def _play_next(page_round: _PageRound, submitted: SubmittedHand) -> Document:
    round_ = page_round.round
    boards = ((each.hand.number, each.hand.seats, each.hand.boards) for each in page_round.document.hands)
    try:
        played = play_next_hand(round_, submitted, boards)
    except HandError as error:
        first = error.mistakes[0]
        if first.code in (WRONG_NUMBER, SAME_DEAL):
            raise _Refused(Refusal(first.code, first.detail, error.mistakes)) from error
        raise
    refuse_inexact(played.round, page_round.document.point_value, "top_ups")
    return dump_played_hand(page_round.ruleset, played)


def _dump_refusal(refusal: Refusal) -> Document:
    errors = dump_mistakes(refusal.mistakes[:MOST_SHOWN])
    return {"code": refusal.code, "detail": refusal.detail, "errors": errors}


def _dump_refused(page_round: _PageRound, received: Any, refusal: Refusal) -> Document:
    boards, problem = dump_boards_so_far(page_round.round, received), _dump_refusal(refusal)
    lasting = tuple(mistake for mistake in refusal.mistakes if not _is_for_later(mistake, received))
    if len(lasting) == len(refusal.mistakes):
        return {"kind": "refused", "boards": boards, "problem": problem}
    errors = dump_mistakes(lasting[:MOST_SHOWN])
    return {"kind": "partial", "boards": boards, "problem": problem, "errors": errors}


def _is_for_later(mistake: Mistake, received: Any) -> bool:
    """Return whether a mistake is only that cards or players are missing."""
    if mistake.code in _LATER:
        return True
    value = received
    try:
        for step in mistake.path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return False
    if not isinstance(value, list):
        return False
    if mistake.code == "row-size":
        return len(value) < Row(str(mistake.path[-1])).size
    return mistake.code == "list-length" and not value
