"""Send waiting requests in the order of each round."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from client.api import Client
from client.errors import ApiError, TransportError
from client.outbox.entries import OPENING, Entry
from client.outbox.store import Outbox
from client.responses import BUSY, Response

_NOT_ABOUT_REQUEST: Final = frozenset({401, 403, 408, 425, 429})
"""Statuses of refusals that are about the key or the moment, and not about the request."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request that was waiting, and the response to it."""

    entry: Entry
    response: Response
    table: str | None


def send_round(client: Client, outbox: Outbox, round_id: str, up_to: Entry | None = None) -> Iterator[Sent]:
    """
    Send the waiting requests of a round in order, all or up to one, while holding the lock of the round.

    A refused request remains with the reason, and everything behind it waits: the requests of its round, and the
    opening of the table's next one.

    Raises:
        ApiError: a request was refused.
        TransportError: the service does not respond, or another server does; unsent requests wait.
    """
    opened = None
    with outbox.lock_round(round_id):
        while waiting := outbox.list_entries(round_id):
            entry = waiting[0]
            if up_to is not None and entry.id > up_to.id:
                return
            if entry.verb == OPENING and outbox.is_behind_another_round(entry):
                return
            known = outbox.find_round(round_id)
            try:
                response = client.send(entry.path, entry.body, entry.key, entry.matches_response)
            except ApiError as error:
                if entry.verb == "record_hand":
                    error.hand = entry.document
                if _is_about_request(error):
                    outbox.store_problem(entry, error.problem)
                    error.source, error.queued_as = f"outbox {entry.id}", entry.id
                raise
            outbox.complete_entry(entry, response)
            yield Sent(entry, response, known.table if known else None)
            if entry.verb == OPENING:
                opened = str(response["id"])
    if opened is not None:
        yield from send_round(client, outbox, opened, up_to)


def send_all(client: Client, outbox: Outbox) -> Iterator[Sent]:
    """
    Send all waiting requests, round by round. A refusal stops its round only.

    Raises:
        ApiError: the key is not accepted, or the service asks to retry later.
        TransportError: the service does not respond, or was busy with a round after all others were sent.
    """
    busy = None
    for round_id in dict.fromkeys(entry.round_id for entry in outbox.list_entries()):
        try:
            yield from send_round(client, outbox, round_id)
        except ApiError as error:
            if error.code in BUSY:
                busy = error
            elif not _is_about_request(error):
                raise
    if busy is not None:
        raise TransportError(f"{client.server} could not accept all waiting requests: {busy}") from busy


def _is_about_request(error: ApiError) -> bool:
    """Return whether a refusal is about the request itself, and not about the key or the moment."""
    return error.problem.get("status") not in _NOT_ABOUT_REQUEST and error.code not in BUSY
