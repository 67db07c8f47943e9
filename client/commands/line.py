"""Changes of a round, put in line on this machine before they are sent."""

from typing import Final

import click
from rich.console import Console

from client.answers import Answer
from client.api import Client
from client.commands.common import Session
from client.errors import RefusedError, TransportError
from client.outbox.entries import Document, Entry
from client.outbox.sending import Sent, send_round
from client.outbox.store import Outbox
from client.render.cards import plural
from client.render.queue import describe

_BROKEN: Final = 500
"""The status of a service that failed: nothing is wrong with the request."""


def tell_sent(console: Console, outbox: Outbox, sent: Sent) -> None:
    """Say that something that was waiting is done."""
    known = outbox.find_known(sent.entry.round_id)
    console.print(f"Sent: {describe(sent.entry, known.table if known else None)}.")


def send_in_line(console: Console, client: Client, outbox: Outbox, entry: Entry) -> Answer | None:
    """
    Send what was put in line, behind what waits before it; None where another process has sent it meanwhile.

    Raises:
        RefusedError: it was refused, or what waits before it was.
        TransportError: the service does not answer; it waits.
    """
    answer = None
    try:
        for sent in send_round(client, outbox, entry.round_id, up_to=entry):
            if sent.entry.id == entry.id:
                answer = sent.answer
            else:
                tell_sent(console, outbox, sent)
    except TransportError as error:
        raise TransportError(f"{waits(entry)}: {error}") from error
    except RefusedError as error:
        _end_refused(console, outbox, entry, error)
        raise
    except KeyboardInterrupt:
        console.print(f"Stopped; {waits(entry)}.")
        raise
    return answer


def _end_refused(console: Console, outbox: Outbox, entry: Entry, error: RefusedError) -> None:
    """Give up what is refused while somebody looks on; what was refused before it, or may yet be taken, stays."""
    own = next((waiting for waiting in outbox.list_entries(entry.round_id) if waiting.id == entry.id), None)
    if own is None:
        return
    if own.problem is not None and own.problem.get("status") != _BROKEN:
        outbox.drop(entry)
        error.about = error.waits_as = None
        return
    console.print(f"Not sent; {waits(entry)}.")


def waits(entry: Entry) -> str:
    """Say that a request is safe, and what will send it."""
    return f"it waits in the outbox as {entry.id}, and `ofc queue flush` sends it"


def count_waiting(session: Session, client: Client, *, table: str | None = None, round_id: str | None = None) -> int:
    """Count what waits for the rounds of a table, or for one round."""
    found = session.find_outbox(client)
    if found is None:
        return 0
    with found as outbox:
        return len(outbox.list_entries(round_id)) if table is None else outbox.count_at(table)


def tell_waiting(number: int, place: str) -> None:
    """Say of what is shown that something is still to come; scripts that read the answer are told beside it."""
    if number:
        click.echo(say_waiting(number, place), err=True)


def say_waiting(number: int, place: str) -> str:
    """
    Say how much waits, and what will send it.

    >>> say_waiting(2, "table")
    '2 requests for this table wait: `ofc queue flush` sends them'
    """
    wait, them = ("waits", "it") if number == 1 else ("wait", "them")
    return f"{plural(number, 'request')} for this {place} {wait}: `ofc queue flush` sends {them}"


def put_in_line(
    console: Console, client: Client, outbox: Outbox, round_id: str, verb: str, request: Document
) -> Answer | None:
    """
    Keep a request, then send it behind what waits before it.

    Raises:
        RefusedError: it was refused, or what waits before it was.
        TransportError: the service does not answer; it waits.
    """
    return send_in_line(console, client, outbox, outbox.keep(round_id, verb, request))
