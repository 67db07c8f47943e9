"""Requests that wait to be sent."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

Document = dict[str, Any]

OPENING: Final = "open_round"
VERBS: Final = {
    OPENING: "rounds",
    "record_hand": "hands",
    "undo_hand": "undo",
    "record_departure": "departures",
    "close_round": "close",
}
"""The operations, and the last part of their path, below the round or, for an opening, below the table."""

_NOT_PART_OF_HAND: Final = ("restores", "expected", "dealt_again")
"""Fields of a request to record a hand that are not part of the hand."""


@dataclass(frozen=True, slots=True)
class Entry:
    """
    A request that changes a round, as it will be sent; `problem` is the last refusal of the service.

    `table_id` is the table of a round to open. The round has an id of this machine until the service has opened it.
    """

    id: int
    server: str
    round_id: str
    verb: str
    body: bytes
    key: str
    stored_at: str
    problem: Document | None
    table_id: str | None = None

    @classmethod
    def read(cls, record: sqlite3.Row) -> Self:
        """Build an entry from its record."""
        values = dict(record)
        problem = values.pop("problem")
        stored_at = values.pop("kept_at")
        return cls(**values, stored_at=stored_at, problem=None if problem is None else json.loads(problem))

    @property
    def path(self) -> str:
        """The path that it is posted to."""
        if self.verb == OPENING:
            return f"/v1/tables/{self.table_id}/{VERBS[OPENING]}"
        return f"/v1/rounds/{self.round_id}/{VERBS[self.verb]}"

    @property
    def document(self) -> Document:
        """The content of the request."""
        read: Document = json.loads(self.body)
        return read

    def matches_response(self, response: Document) -> bool:
        """Return whether a response belongs to this request. Captive portals respond to any request with anything."""
        if self.verb == OPENING:
            is_opened = (
                response.get("reference") == self.document["reference"] and response.get("table") == self.table_id
            )
            return is_opened and isinstance(response.get("id"), str)
        if self.verb != "record_hand":
            return response.get("id") == self.round_id
        is_recorded = isinstance(response.get("id"), str) and isinstance(response.get("in_force"), bool)
        is_of_number = response.get("number") == self.document["number"]
        round_ = response.get("round")
        return is_recorded and is_of_number and isinstance(round_, dict) and round_.get("id") == self.round_id


def find_undo(hand: Entry, behind: Iterable[Entry]) -> Entry | None:
    """Find the request that undoes a waiting hand, among those behind it. It cannot name the record yet."""
    number = hand.document.get("number")
    if hand.verb != "record_hand":
        return None
    for entry in behind:
        if entry.document.get("number") == number:
            return entry if entry.verb == "undo_hand" and "hand" not in entry.document else None
    return None


def apply(document: Document, verb: str, request: Document) -> Document:
    """
    Return a round's document after a request. A request that the document already contains changes nothing.

    >>> document = {"hands": [{"number": 1}], "departures": [], "closed": None}
    >>> apply(document, "record_hand", {"number": 2})["hands"]
    [{'number': 1}, {'number': 2}]
    >>> apply(document, "undo_hand", {"number": 1, "reason": "wrong cards"})["hands"]
    []
    >>> apply({**document, "irregular": [{"hand": 1}]}, "undo_hand", {"number": 1})
    {'hands': [], 'departures': [], 'closed': None}
    """
    if verb == OPENING:
        return document
    hands, departures = list(document["hands"]), list(document.get("departures") or ())
    if verb == "record_hand":
        if request["number"] == len(hands) + 1:
            hands.append({name: value for name, value in request.items() if name not in _NOT_PART_OF_HAND})
        return {**document, "hands": hands}
    if verb == "undo_hand":
        if request["number"] == len(hands):
            hands.pop()
            departures = [left for left in departures if left["after_hand"] < request["number"]]
            irregular = [accepted for accepted in document.get("irregular", ()) if accepted["hand"] <= len(hands)]
            document = {name: value for name, value in document.items() if name != "irregular"}
            document |= {"irregular": irregular} if irregular else {}
        return {**document, "hands": hands, "departures": departures}
    if verb == "record_departure":
        if request["seat"] not in [left["seat"] for left in departures]:
            departures.append(_make_ending(request, len(hands)))
        return {**document, "departures": departures}
    return {**document, "closed": _make_ending(request, len(hands))}


def _make_ending(request: Document, after_hand: int) -> Document:
    """
    Return the departure or the closing of a document that a request after a hand makes.

    >>> _make_ending({"seat": 2, "expected": {"hands": 3}}, 3)
    {'seat': 2, 'after_hand': 3}
    """
    return {name: value for name, value in request.items() if name != "expected"} | {"after_hand": after_hand}
