"""Open a round at a table, with the service or, while it does not respond, on this machine."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from client.api import Client
from client.entry.current_round import (
    BackgroundCall,
    CurrentRound,
    find_stored,
    learn_table,
    play_waiting,
    send_waiting,
    server_errors_as_outage,
    store_round,
)
from client.errors import ApiError, TransportError
from client.outbox.cache import KnownRound, KnownTable
from client.outbox.send import Sent
from client.outbox.store import Outbox, make_round_id

Document = dict[str, Any]

_NOT_FOUND: Final = 404
_LETTERS: Final = "23456789abcdefghjkmnpqrstvwxyz"


@dataclass(frozen=True, slots=True)
class OpenedRound:
    """A round that was opened, with its state. `outage` says why it is only on this machine so far."""

    table: str
    round: Document
    outage: TransportError | None = None


def open_round(
    client: Client,
    outbox: Outbox,
    table: str,
    seats: Sequence[Document],
    reference: str | None,
    notify: Callable[[Sent], None],
    outage: TransportError | None = None,
) -> OpenedRound:
    """
    Send waiting requests of a table and open a round at it. Without the service, open it on this machine.

    The round always has a reference: by it the service recognizes a round that is opened twice.

    Args:
        client: the service.
        outbox: the waiting requests.
        table: the table's name or id; without the service only a table that is stored on this machine.
        seats: who sits where with how much; a stack left out carries over.
        reference: the name of the round at its table.
        notify: called with every waiting request that was sent.
        outage: why the service did not respond just now, so that it is not called again.

    Raises:
        RefusedError: the round or a waiting request is refused.
        TransportError: the service does not respond, and the table is not stored on this machine.
    """
    request = {"seats": list(seats), "reference": reference or make_reference()}
    sent: list[Sent] = []

    def call() -> OpenedRound:
        # SQLite connections must not be shared between threads.
        with Outbox(outbox.directory, outbox.server) as opened, server_errors_as_outage(client):
            return _open(client, opened, table, request, sent.append)

    try:
        if outage is not None:
            raise outage
        return BackgroundCall(client, call).wait()
    except TransportError as error:
        found = outbox.find_table(table)
        if found is None:
            raise
        return OpenedRound(found.document["name"], _open_offline(outbox, found, request), error)
    finally:
        for each in sent:
            notify(each)


def make_reference() -> str:
    """Return a unique name for a round: the day and some letters."""
    return f"{datetime.now().astimezone():%Y-%m-%d}/{''.join(secrets.choice(_LETTERS) for _ in range(6))}"


def list_stacks_left(outbox: Outbox, table: str) -> dict[str, int]:
    """Return the stack of every player at the end of their last round at a table, as far as this machine knows."""
    stacks: dict[str, int] = {}
    for known in outbox.list_rounds(table):
        stacks |= {seat["player"]: seat["stack"] for seat in play_waiting(outbox, known)["seats"]}
    return stacks


def _open(client: Client, outbox: Outbox, table: str, request: Document, notify: Callable[[Sent], None]) -> OpenedRound:
    found = outbox.find_table(table) or learn_table(client, outbox, table)
    send_waiting(client, outbox, found.document["name"], notify)
    try:
        opened = client.open_round(found.document["id"], request)
    except ApiError as error:
        if error.problem["status"] != _NOT_FOUND:
            raise
        # The address may belong to another club by now.
        found = learn_table(client, outbox, table)
        opened = client.open_round(found.document["id"], request)
    store_round(client, outbox, found.document["name"], opened)
    return OpenedRound(found.document["name"], opened)


def _open_offline(outbox: Outbox, table: KnownTable, request: Document) -> Document:
    """Open a round on this machine, and queue the request behind the waiting ones of the table."""
    from client.offline import rounds  # slow to import

    name, table_id = table.document["name"], table.document["id"]
    last = find_stored(outbox, name)
    if last is not None and last.round["status"] == "open":
        rounds.refuse_open(name)
    carried = list_stacks_left(outbox, name)
    document = rounds.open_round(table.document, table.ruleset, request["seats"], request["reference"], carried)
    shown = {"id": None, "table": table_id, "state": "open", "opened_at": _next_opening_time(last)}
    known = KnownRound(make_round_id(), name, document, table.ruleset, response=shown)
    # If the service has other stacks to carry over, that is a conflict for the user to resolve.
    stacks = [{"seat": seat["seat"], "opening_stack": seat["stack"]} for seat in document["seats"]]
    # The round belongs to the evening in which it was opened, whenever the request is sent.
    opening = {**request, "opened_at": shown["opened_at"], "expected": {"seats": stacks}}
    outbox.add_opening(table_id, opening, known)
    return play_waiting(outbox, known)


def _next_opening_time(last: CurrentRound | None) -> str:
    """Return the current time, or one after the opening of the last round: clocks differ, but rounds stay in order."""
    opened_at = datetime.now(UTC)
    if last is not None and last.round["opened_at"] is not None:
        opened_at = max(opened_at, datetime.fromisoformat(last.round["opened_at"]) + timedelta(microseconds=1))
    return opened_at.isoformat(timespec="microseconds")
