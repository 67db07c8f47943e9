"""Sends what waits, in the order of each round."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from client.answers import BUSY, Answer
from client.api import Client
from client.errors import ApiError, TransportError
from client.outbox.entries import Entry
from client.outbox.store import Outbox

_NOT_ITS_FAULT: Final = frozenset({401, 403, 408, 425, 429})
"""Refusals that say nothing about the request: the key is wrong, or the moment."""

WITHDRAWN: Final = "hand-withdrawn"
"""The code of a hand that was recorded before, undone, and so counts for nothing now."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request that was waiting, and its answer."""

    entry: Entry
    answer: Answer


def send_round(client: Client, outbox: Outbox, round_id: str, up_to: Entry | None = None) -> Iterator[Sent]:
    """
    Send what waits for a round, all or up to one request, in order, while nobody else does.

    What is not taken stays where it is with the reason, and what is behind it waits.

    Raises:
        ApiError: a request was refused.
        TransportError: the service does not answer, or something else does; what was not answered waits.
    """
    with outbox.line_of(round_id):
        while waiting := outbox.list_entries(round_id):
            entry = waiting[0]
            if up_to is not None and entry.id > up_to.id:
                return
            try:
                answer = client.send(entry.path, entry.body, entry.key, entry.is_answered_by)
                _refuse_withdrawn(entry, answer)
            except ApiError as error:
                if _is_about_it(error):
                    outbox.note_problem(entry, error.problem)
                    error.about, error.waits_as = f"outbox {entry.id}", entry.id
                raise
            outbox.remove_answered(entry, answer)
            yield Sent(entry, answer)


def send_all(client: Client, outbox: Outbox) -> Iterator[Sent]:
    """
    Send everything that waits, round by round; one that is refused stops its round alone.

    Raises:
        ApiError: the key opens nothing, or the moment is wrong.
        TransportError: the service does not answer, or, once all others are sent, was busy with a round throughout.
    """
    busy = None
    for round_id in dict.fromkeys(entry.round_id for entry in outbox.list_entries()):
        try:
            yield from send_round(client, outbox, round_id)
        except ApiError as error:
            if error.code in BUSY:
                busy = error
            elif not _is_about_it(error):
                raise
    if busy is not None:
        raise TransportError(f"{client.server} cannot take all that waits now: {busy}") from busy


def _is_about_it(error: ApiError) -> bool:
    """Say whether the request itself was not taken, and not only its key or the moment."""
    return error.problem.get("status") not in _NOT_ITS_FAULT and error.code not in BUSY


def _refuse_withdrawn(entry: Entry, answer: Answer) -> None:
    """
    Refuse to take a hand for recorded that was undone before: it counts only where somebody says that it shall.

    Raises:
        ApiError: the hand does not count.
    """
    if entry.verb == "record_hand" and not answer["in_force"]:
        raise ApiError(withdrawn(entry.document["number"], str(answer["id"])))


def withdrawn(number: int, hand_id: str) -> dict[str, Any]:
    """Say that a hand does not count, in the form of a problem document."""
    detail = f"hand {number} was recorded with the same cards and undone; it does not count until it is restored"
    return {
        "title": "The hand was undone before",
        "status": 409,
        "code": WITHDRAWN,
        "detail": detail,
        "errors": [],
        "hand": hand_id,
    }
