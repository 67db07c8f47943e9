"""What waits to be sent."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

Document = dict[str, Any]

VERBS: Final = {
    "record_hand": "hands",
    "undo_hand": "undo",
    "record_departure": "departures",
    "close_round": "close",
}
"""The operations that wait in line, and where in their round they go to."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A request that changes a round, as it will be sent; `problem` is why the service refused it last."""

    id: int
    server: str
    round_id: str
    verb: str
    body: bytes
    key: str
    kept_at: str
    problem: Document | None

    @classmethod
    def read(cls, record: sqlite3.Row) -> Self:
        """Make one from its record."""
        problem = record["problem"]
        return cls(**{**dict(record), "problem": None if problem is None else json.loads(problem)})

    @property
    def path(self) -> str:
        """Where it is posted to."""
        return f"/v1/rounds/{self.round_id}/{VERBS[self.verb]}"

    @property
    def document(self) -> Document:
        """What it says."""
        read: Document = json.loads(self.body)
        return read

    def is_answered_by(self, answer: Document) -> bool:
        """Say whether an answer belongs to it; what stands before a network answers anything to everything."""
        if self.verb != "record_hand":
            return answer.get("id") == self.round_id
        is_recorded = isinstance(answer.get("id"), str) and isinstance(answer.get("in_force"), bool)
        is_of_number = answer.get("number") == self.document["number"]
        round_ = answer.get("round")
        return is_recorded and is_of_number and isinstance(round_, dict) and round_.get("id") == self.round_id


def find_undo(hand: Entry, behind: Iterable[Entry]) -> Entry | None:
    """Find what undoes a hand that waits, among what waits behind it: it cannot name the record yet."""
    number = hand.document.get("number")
    if hand.verb != "record_hand":
        return None
    for entry in behind:
        if entry.document.get("number") == number:
            return entry if entry.verb == "undo_hand" and "hand" not in entry.document else None
    return None


def apply(document: Document, verb: str, request: Document) -> Document:
    """
    Say what a round's document is after a request; one that the document shows already changes nothing.

    >>> document = {"hands": [{"number": 1}], "departures": [], "closed": None}
    >>> apply(document, "record_hand", {"number": 2})["hands"]
    [{'number': 1}, {'number': 2}]
    >>> apply(document, "undo_hand", {"number": 1, "reason": "wrong cards"})["hands"]
    []
    """
    hands, departures = list(document["hands"]), list(document.get("departures") or ())
    if verb == "record_hand":
        if request["number"] == len(hands) + 1:
            hands.append({name: value for name, value in request.items() if name not in ("restores", "expected")})
        return {**document, "hands": hands}
    if verb == "undo_hand":
        if request["number"] == len(hands):
            hands.pop()
            departures = [left for left in departures if left["after_hand"] < request["number"]]
        return {**document, "hands": hands, "departures": departures}
    if verb == "record_departure":
        if request["seat"] not in [left["seat"] for left in departures]:
            departures.append({**request, "after_hand": len(hands)})
        return {**document, "departures": departures}
    return {**document, "closed": {"after_hand": len(hands), "reason": request["reason"]}}
