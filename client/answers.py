"""What a service answers with, as it comes from the connection."""

from dataclasses import dataclass
from types import UnionType
from typing import Any, Final, TypeGuard

Document = dict[str, Any]

BUSY: Final = frozenset({"busy", "idempotency-key-in-use"})
"""Codes of refusals that end by themselves, soon."""


class Answer(Document):
    """A document that the service answered with."""

    is_replay: bool = False
    """Whether what was posted had been recorded before."""


def is_object(answer: object) -> TypeGuard[Document]:
    """Say whether it is a JSON object, which is all that is known of most answers."""
    return isinstance(answer, dict)


def is_problem(answer: object) -> TypeGuard[Document]:
    """Say whether it is a problem document."""
    if not _has(answer, title=str, code=str, detail=str):
        return False
    mistakes = answer.get("errors", [])
    return isinstance(mistakes, list) and all(_has(mistake, pointer=str, detail=str) for mistake in mistakes)


def is_table(answer: object) -> TypeGuard[Document]:
    """Say whether it is a table."""
    return _has(answer, id=str, name=str)


def is_round(answer: object) -> TypeGuard[Document]:
    """Say whether it is a round as it stands."""
    if not _has(answer, id=str, ruleset=str, status=str, hands=int, seats=list, next=dict | None):
        return False
    following = answer["next"]
    is_next = following is None or _has(following, number=int, seats=list, fantasyland=dict)
    return is_next and all(_has(seat, seat=int, player=str) for seat in answer["seats"])


def is_document(answer: object) -> TypeGuard[Document]:
    """Say whether it is a round as one document."""
    return _has(answer, ruleset=str, seats=list, hands=list) and all(_has(hand, number=int) for hand in answer["hands"])


def is_ruleset(answer: object) -> TypeGuard[Document]:
    """Say whether it is a ruleset."""
    return _has(answer, name=str, version=int, variant=str, stakes=dict)


def is_hand(answer: object) -> TypeGuard[Document]:
    """Say whether it is a recorded hand."""
    return _has(answer, id=str, number=int)


def is_hand_of_round(answer: object) -> TypeGuard[Document]:
    """Say whether it is what a hand came to, with its round as it stands then."""
    if not is_hand(answer) or not is_round(answer.get("round")):
        return False
    return _has(answer, players=list, exchanges=list, transfers=list, stacks=dict)


def _has(answer: object, **kinds: type | UnionType) -> TypeGuard[Document]:
    """
    Say whether an answer has what is read of it.

    >>> _has({"id": "1", "next": None}, id=str, next=dict | None), _has({"id": 1}, id=str), _has([], id=str)
    (True, False, False)
    """
    return isinstance(answer, dict) and all(
        name in answer and isinstance(answer[name], kind) for name, kind in kinds.items()
    )


@dataclass(frozen=True, slots=True)
class Lines:
    """NDJSON, where its next page begins, and how many lines there are in all."""

    content: bytes
    next_cursor: str | None
    total: int | None
