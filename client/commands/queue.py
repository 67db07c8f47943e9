"""Commands for requests that wait in the outbox."""

from pathlib import Path

import click

from client.commands.base import REFUSED, Command, Group, Session, json_option, pass_session, print_json
from client.commands.sending import dump_entry, print_sent
from client.entry.exported import import_requests
from client.entry.prompt import confirm, make_asker
from client.errors import UnreadableError
from client.outbox.entries import OPENING, Entry
from client.outbox.exported import read_exported
from client.outbox.send import send_all, send_round
from client.outbox.store import Outbox
from client.render.console import make_console
from client.render.format import plural
from client.render.problems import SAME_DEAL
from client.render.queue import describe, list_waiting
from client.responses import find_undone_record

entry_argument = click.argument("entry_id", metavar="ID", type=click.IntRange(1))


@click.group(name="queue", cls=Group, examples=["ofc queue list", "ofc queue flush"])
def queue() -> None:
    """List, send and drop requests that wait on this machine."""


@queue.command(name="list", cls=Command, examples=["ofc queue list", "ofc queue list --json"])
@json_option
@pass_session
def list_(session: Session, as_json: bool) -> None:
    """List requests that wait for the service, and why."""
    with session.client() as client, session.outbox(client) as outbox:
        _list(outbox, as_json)


@queue.command(name="flush", cls=Command, examples=["ofc queue flush"])
@json_option
@pass_session
def flush(session: Session, as_json: bool) -> None:
    """
    Send requests that wait for the service.

    Requests that were refused are tried again. The requests of a round are sent in order: a refused one stops its
    round, and no other round.
    """
    console = make_console(error=as_json)
    with session.client() as client, session.outbox(client) as outbox:
        try:
            for sent in send_all(client, outbox):
                print_sent(console, sent)
        finally:
            _list(outbox, as_json)
        is_stopped = any(entry.problem for entry in outbox.list_entries())
    if is_stopped:
        raise SystemExit(REFUSED)


@queue.command(name="import", cls=Command, examples=["ofc queue import queue.ndjson"])
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@pass_session
def import_(session: Session, file: Path) -> None:
    """
    Send the requests that a phone has exported.

    They are added to those that wait on this machine. Each keeps its bytes and its idempotency key, so that it takes
    effect once, also if the phone sends it too.
    """
    requests = read_exported(file)
    console = make_console()
    with session.client() as client, session.outbox(client) as outbox:
        added = import_requests(client, outbox, requests)
        console.print(f"{plural(added, 'request')} added.")
        try:
            for sent in send_all(client, outbox):
                print_sent(console, sent)
        finally:
            _list(outbox, as_json=False)
        is_stopped = any(entry.problem for entry in outbox.list_entries())
    if is_stopped:
        raise SystemExit(REFUSED)


@queue.command(name="drop", cls=Command, examples=["ofc queue drop 1 --yes"])
@entry_argument
@click.option("--yes", is_flag=True, help="Drop it without asking.")
@pass_session
def drop(session: Session, entry_id: int, yes: bool) -> None:
    """
    Drop a request that waits.

    It will never be sent, and the requests behind it are sent without it. A hand with an undo behind it is dropped
    together with all requests up to the undo.
    """
    with session.client() as client, session.outbox(client) as outbox:
        entry = outbox.get(entry_id)
        along = ", ".join(_name(outbox, each) for each in outbox.list_dropped_with(entry))
        what = f"{_name(outbox, entry)}, and with it {along}" if along else _name(outbox, entry)
        if not yes and not confirm(make_asker(), f"Drop {what}?"):
            make_console().print("Nothing was dropped.")
            return
        with outbox.lock_round(entry.round_id):
            entry = outbox.get(entry_id)
            names = [_name(outbox, each) for each in (entry, *outbox.list_dropped_with(entry))]
            outbox.drop(entry)
        for name in names:
            make_console().print(f"Dropped: {name}.", soft_wrap=True)


@queue.command(name="restore", cls=Command, examples=["ofc queue restore 1"])
@entry_argument
@pass_session
def restore(session: Session, entry_id: int) -> None:
    """
    Restore a hand that was undone before.

    A hand with the same cards as an undone hand is already recorded and does not count. This sends it again and
    restores it.
    """
    with session.client() as client, session.outbox(client) as outbox:
        entry = outbox.get(entry_id)
        record = None if entry.problem is None else find_undone_record(entry.problem)
        if record is None:
            raise UnreadableError(
                f"request {entry_id} is not a hand that was undone before; `ofc queue list` shows what it is"
            )
        with outbox.lock_round(entry.round_id):
            outbox.rewrite(outbox.get(entry_id), {**entry.document, "restores": record})
        for sent in send_round(client, outbox, entry.round_id):
            print_sent(make_console(), sent)


@queue.command(name="use-stacks", cls=Command, examples=["ofc queue use-stacks 1"])
@entry_argument
@pass_session
def use_stacks(session: Session, entry_id: int) -> None:
    """
    Open a round with the stacks that it was played with.

    The service refuses a round that was opened without a network if it has other stacks for the players to carry over.
    This sends the request again, with the stacks of this machine.
    """
    with session.client() as client, session.outbox(client) as outbox:
        entry = outbox.get(entry_id)
        known = outbox.find_round(entry.round_id)
        if entry.verb != OPENING or known is None:
            raise UnreadableError(f"request {entry_id} does not open a round; `ofc queue list` shows what it is")
        with outbox.lock_round(entry.round_id):
            outbox.rewrite(
                outbox.get(entry_id), {"seats": known.document["seats"], "reference": entry.document["reference"]}
            )
        for sent in send_round(client, outbox, entry.round_id):
            print_sent(make_console(), sent)


@queue.command(name="dealt-again", cls=Command, examples=["ofc queue dealt-again 1"])
@entry_argument
@pass_session
def confirm_deal(session: Session, entry_id: int) -> None:
    """
    Record a hand that was refused as the same deal.

    A hand with the boards of an earlier hand of its round has most likely been recorded already. This sends it again,
    and confirms that the players were dealt the same cards twice.
    """
    with session.client() as client, session.outbox(client) as outbox:
        entry = outbox.get(entry_id)
        if entry.problem is None or entry.problem["code"] != SAME_DEAL:
            raise UnreadableError(
                f"request {entry_id} was not refused as the same deal; `ofc queue list` shows what it is"
            )
        with outbox.lock_round(entry.round_id):
            outbox.rewrite(outbox.get(entry_id), {**entry.document, "dealt_again": True})
        for sent in send_round(client, outbox, entry.round_id):
            print_sent(make_console(), sent)


def _list(outbox: Outbox, as_json: bool) -> None:
    waiting = outbox.list_entries()
    if as_json:
        print_json(
            {"waiting": [dump_entry(outbox, entry) for entry in waiting], "elsewhere": outbox.count_other_services()}
        )
        return
    list_waiting(make_console(), [(entry, _place(outbox, entry)) for entry in waiting], outbox.count_other_services())


def _name(outbox: Outbox, entry: Entry) -> str:
    return describe(entry, _table(outbox, entry))


def _table(outbox: Outbox, entry: Entry) -> str | None:
    known = outbox.find_round(entry.round_id)
    return known.table if known else None


def _place(outbox: Outbox, entry: Entry) -> str | None:
    """Return the table of a request, with the reference of the round."""
    known = outbox.find_round(entry.round_id)
    if known is None or known.reference is None or entry.verb == OPENING:
        return known.table if known else None
    return f"{known.table}, round {known.reference}"
