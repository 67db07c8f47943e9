"""Store a change of a round in the outbox, send it, and report what happened to it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click
from rich.console import Console

from client.api import Client
from client.commands.base import Session, print_json
from client.entry.current_round import BackgroundCall, CurrentRound
from client.errors import RefusedError, TransportError
from client.outbox.entries import Document, Entry
from client.outbox.send import Sent, send_round
from client.outbox.store import Outbox, is_new
from client.render.format import plural
from client.render.queue import count_changes, describe
from client.responses import Response

_SERVER_ERROR: Final = 500
"""The status of a server error; the request may be valid."""


def print_sent(console: Console, sent: Sent) -> None:
    """Print that a waiting request was sent."""
    console.print(f"Sent: {describe(sent.entry, sent.table)}.", soft_wrap=True)


@dataclass(frozen=True, slots=True)
class SubmittedChange:
    """
    A change of a round that is stored on this machine, and its outcome.

    If `outage` says why the service could not be reached, the change waits. Otherwise `response` is that of the
    service, or None if another process has sent the change meanwhile.
    """

    entry: Entry
    response: Response | None = None
    outage: TransportError | None = None


def submit_change(
    console: Console, client: Client, outbox: Outbox, current: CurrentRound, verb: str, request: Document
) -> SubmittedChange:
    """
    Store a change and send it behind earlier ones. It waits while the service does not respond.

    Raises:
        RefusedError: the change or an earlier request is refused.
    """
    entry = outbox.add(current.known.round_id, verb, request)
    return send_stored(console, client, outbox, entry, current.outage)


def send_stored(
    console: Console, client: Client, outbox: Outbox, entry: Entry, outage: TransportError | None = None
) -> SubmittedChange:
    """
    Send a stored request, unless the service is known to be unreachable.

    Raises:
        RefusedError: the change or an earlier request is refused.
    """
    if outage is not None:
        return SubmittedChange(entry, outage=outage)
    sent: list[Sent] = []

    def send() -> None:
        # SQLite connections must not be shared between threads.
        with Outbox(outbox.directory, outbox.server) as opened:
            for each in send_round(client, opened, entry.round_id, up_to=entry):
                sent.append(each)

    try:
        BackgroundCall(client, send).wait()
    except TransportError as error:
        outage = error
    except RefusedError as error:
        _finish_refused(console, outbox, entry, error)
        raise
    except KeyboardInterrupt:
        console.print(f"Stopped; {describe_queued(entry)}.")
        raise
    finally:
        for each in [each for each in sent if each.entry.id != entry.id]:
            print_sent(console, each)
    responses = [each.response for each in sent if each.entry.id == entry.id]
    if responses:
        return SubmittedChange(entry, responses[0])
    return SubmittedChange(entry, outage=outage)


def print_saved(console: Console, outbox: Outbox, table: str, outage: TransportError) -> None:
    """Print that a change is saved on this machine, how many wait for its table, and why."""
    console.print(f"{describe_saved(outbox.list_table_entries(table))}.", soft_wrap=True)
    console.print(f"`ofc queue flush` sends it: {outage}.", soft_wrap=True, style="dim")


def finish_saved(console: Console, outbox: Outbox, table: str, done: SubmittedChange, *, as_json: bool) -> None:
    """Print that a change waits, as JSON too for scripts."""
    if done.outage is not None:
        print_saved(console, outbox, table, done.outage)
    if as_json:
        print_json({"waiting": dump_entry(outbox, done.entry)})


def dump_offline(received_at: str, waiting: Sequence[Entry]) -> dict[str, Any]:
    """Return the age of data that is shown without the service, and how many requests wait."""
    hands = sum(entry.verb == "record_hand" for entry in waiting)
    return {"as_of": received_at, "hands_waiting": hands, "others_waiting": len(waiting) - hands}


def describe_saved(waiting: Iterable[Entry]) -> str:
    """Return how many changes wait on this machine."""
    verbs = [entry.verb for entry in waiting]
    hands = verbs.count("record_hand")
    return f"Saved on this machine; {count_changes(hands, len(verbs) - hands)} to be sent"


def dump_entry(outbox: Outbox, entry: Entry) -> dict[str, Any]:
    """Return a waiting request as JSON for scripts."""
    known = outbox.find_round(entry.round_id)
    return {
        "id": entry.id,
        "round": None if is_new(entry.round_id) else entry.round_id,
        "reference": known.reference if known else None,
        "table": known.table if known else None,
        "operation": entry.verb,
        "request": entry.document,
        "kept_at": entry.stored_at,
        "problem": entry.problem,
    }


def _finish_refused(console: Console, outbox: Outbox, entry: Entry, error: RefusedError) -> None:
    """
    Drop a refused change, because the user sees the refusal.

    One refused for an earlier request or by a server error waits.
    """
    own = next((waiting for waiting in outbox.list_entries(entry.round_id) if waiting.id == entry.id), None)
    if own is None:
        return
    if own.problem is not None and own.problem.get("status") != _SERVER_ERROR:
        outbox.drop(entry)
        error.source = error.queued_as = None
        return
    console.print(f"Not sent; {describe_queued(entry)}.")


def describe_queued(entry: Entry) -> str:
    """Return the number of a request in the outbox, and the command that sends it."""
    return f"it waits in the outbox as {entry.id}, and `ofc queue flush` sends it"


def count_waiting(session: Session, client: Client, *, table: str | None = None, round_id: str | None = None) -> int:
    """Count the requests that wait for the rounds of a table, or for one round."""
    found = session.find_outbox(client)
    if found is None:
        return 0
    with found as outbox:
        return len(outbox.list_entries(round_id)) if table is None else outbox.count_table_entries(table)


def warn_of_waiting(number: int, place: str) -> None:
    """Print on stderr that requests wait for what is shown."""
    if number:
        click.echo(describe_waiting(number, place), err=True)


def describe_waiting(number: int, place: str) -> str:
    """
    Return how many requests wait, and the command that sends them.

    >>> describe_waiting(2, "table")
    '2 requests for this table wait: `ofc queue flush` sends them'
    """
    wait, them = ("waits", "it") if number == 1 else ("wait", "them")
    return f"{plural(number, 'request')} for this {place} {wait}: `ofc queue flush` sends {them}"
