"""Responses of the service, and checks of the fields that the client reads."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, TypeGuard

Document = dict[str, Any]

Check = Callable[[Document], bool]
"""Returns whether a response comes from the service, and not from a proxy or another server."""

BUSY: Final = frozenset({"busy", "idempotency-key-in-use"})
"""Codes of temporary conflicts; retry the request."""

HAND_CONFLICT: Final = "hand-conflict"
"""The code of a hand whose number another hand of the round has."""

HAND_UNDONE: Final = "hand-undone"
"""The code of a hand that was recorded before and undone. It counts again if it names the record that it `restores`."""


def find_undone_record(problem: Mapping[str, Any]) -> str | None:
    """
    Return the record that a hand has to restore, or None if the problem is another one.

    >>> find_undone_record({"code": "hand-undone", "errors": [{"pointer": "#/restores", "expected": "01a1"}]})
    '01a1'
    """
    if problem["code"] != HAND_UNDONE:
        return None
    return next((str(each["expected"]) for each in problem["errors"] if "expected" in each), None)


class Response(Document):
    """
    A JSON object that the service responded with. Its fields are attributes too; `client.models` has their types.

    >>> round_ = parse_json('{"status": "open", "next": {"number": 1}, "keys": []}')
    >>> round_.status, round_["status"], round_.next.number
    ('open', 'open', 1)
    """

    is_replay: bool = False
    """Whether what was posted had been recorded before."""

    etag: str | None = None
    """The entity tag, for `if_none_match` of the next read."""

    if not TYPE_CHECKING:  # The classes of `client.models` declare the fields.

        def __getattr__(self, name: str) -> Any:
            """Return a field."""
            try:
                return self[name]
            except KeyError:
                fields = ", ".join(self) or "none"
                raise AttributeError(f"the response has no field {name!r}; its fields: {fields}") from None


def parse_json(text: str | bytes) -> Any:
    """
    Parse a response. Its objects become `Response`.

    Raises:
        ValueError: the text is not JSON.
    """
    return json.loads(text, object_hook=Response)


def is_object(response: object) -> TypeGuard[Document]:
    """Return whether a value is a JSON object. Most responses are checked for no more."""
    return isinstance(response, dict)


def is_problem(response: object) -> TypeGuard[Document]:
    """Return whether a value is a problem document."""
    if not _has(response, title=str, code=str, detail=str):
        return False
    mistakes = response.get("errors", [])
    return isinstance(mistakes, list) and all(_has(mistake, pointer=str, detail=str) for mistake in mistakes)


def is_club(response: object) -> TypeGuard[Document]:
    """Return whether a value is a club."""
    return _has(response, time_zone=str, evening_begins=str)


def is_table(response: object) -> TypeGuard[Document]:
    """Return whether a value is a table."""
    return _has(response, id=str, name=str, ruleset=str)


def is_round(response: object) -> TypeGuard[Document]:
    """Return whether a value is a round with its current state."""
    if not _has(response, id=str, ruleset=str, status=str, hands=int, seats=list, next=dict | None):
        return False
    upcoming = response["next"]
    is_next = upcoming is None or _has(upcoming, number=int, seats=list, fantasyland=dict)
    return is_next and all(_has(seat, seat=int, player=str) for seat in response["seats"])


def is_document(response: object) -> TypeGuard[Document]:
    """Return whether a value is a round document."""
    return _has(response, ruleset=str, seats=list, hands=list) and all(
        _has(hand, number=int) for hand in response["hands"]
    )


def is_ruleset(response: object) -> TypeGuard[Document]:
    """Return whether a value is a ruleset."""
    return _has(response, name=str, version=int, variant=str, stakes=dict)


def is_hand(response: object) -> TypeGuard[Document]:
    """Return whether a value is a recorded hand."""
    return _has(response, id=str, number=int)


def is_hand_of_round(response: object) -> TypeGuard[Document]:
    """Return whether a value is the result of a hand, with its round after the hand."""
    if not is_hand(response) or not is_round(response.get("round")):
        return False
    return _has(response, players=list, exchanges=list, transfers=list, stacks=dict)


CHECKS: Final[Mapping[str, Check]] = {
    "Club": is_club,
    "OpenedRound": is_round,
    "RecordedHand": is_hand,
    "ListedHand": is_hand,
    "RecordedHandWithRound": is_hand_of_round,
    "Round": is_round,
    "RoundAfterUndo": is_round,
    "RoundDocument": is_document,
    "RoundWithMetadata": is_round,
    "Ruleset": is_ruleset,
    "ListedRuleset": is_ruleset,
    "Table": is_table,
    "TableWithMetadata": is_table,
}
"""Checks by the schemas of the contract, which the generated methods apply. Other responses are objects."""


def _has(response: object, **kinds: type | UnionType) -> TypeGuard[Document]:
    """
    Return whether a value is an object with the given fields of the given types.

    >>> _has({"id": "1", "next": None}, id=str, next=dict | None), _has({"id": 1}, id=str), _has([], id=str)
    (True, False, False)
    """
    return isinstance(response, dict) and all(
        name in response and isinstance(response[name], kind) for name, kind in kinds.items()
    )


@dataclass(frozen=True, slots=True)
class Content:
    """The body of a response, the cursor of the next page, and the total number of lines if known."""

    content: bytes
    next_cursor: str | None = None
    total: int | None = None
    media_type: str = ""
    status: int = 200

    def parse(self) -> Iterator[Any]:
        """Yield each line of NDJSON, parsed."""
        return map(parse_json, self.content.splitlines())
