from typing import Any

import click

from client.commands.common import REFUSED, Command, Group, Session, json_option, pass_session, print_json
from client.commands.line import tell_sent
from client.entry.asking import confirm, make_asker
from client.errors import UnreadableError
from client.outbox.entries import Entry
from client.outbox.sending import WITHDRAWN, send_all, send_round
from client.outbox.store import Outbox
from client.render.console import make_console
from client.render.queue import describe, list_waiting

entry_argument = click.argument("entry_id", metavar="ID", type=click.IntRange(1))


@click.group(name="queue", cls=Group, examples=["ofc queue list", "ofc queue flush"])
def queue() -> None:
    """Look after what could not be sent."""


@queue.command(name="list", cls=Command, examples=["ofc queue list", "ofc queue list --json"])
@json_option
@pass_session
def list_(session: Session, as_json: bool) -> None:
    """List what waits for the service, and why."""
    with session.client() as client, session.outbox(client) as outbox:
        _list(outbox, as_json)


@queue.command(name="flush", cls=Command, examples=["ofc queue flush"])
@json_option
@pass_session
def flush(session: Session, as_json: bool) -> None:
    """
    Send what waits for the service.

    What was refused before is tried again. Each round goes in its order: behind what is refused it waits, and the other
    rounds go on.
    """
    console = make_console(error=as_json)
    with session.client() as client, session.outbox(client) as outbox:
        try:
            for sent in send_all(client, outbox):
                tell_sent(console, outbox, sent)
        finally:
            _list(outbox, as_json)
        is_stopped = any(entry.problem for entry in outbox.list_entries())
    if is_stopped:
        raise SystemExit(REFUSED)


@queue.command(name="drop", cls=Command, examples=["ofc queue drop 1 --yes"])
@entry_argument
@click.option("--yes", is_flag=True, help="Drop it without asking.")
@pass_session
def drop(session: Session, entry_id: int, yes: bool) -> None:
    """
    Give up something that waits.

    It will never be sent; what waits behind it goes on without it. A hand that is undone behind it goes with all up to
    its undo.
    """
    with session.client() as client, session.outbox(client) as outbox:
        entry = outbox.get(entry_id)
        along = ", ".join(_name(outbox, each) for each in outbox.list_dropped_with(entry))
        what = f"{_name(outbox, entry)}, and with it {along}" if along else _name(outbox, entry)
        if not yes and not confirm(make_asker(), f"Drop {what}?"):
            make_console().print("Nothing was dropped.")
            return
        with outbox.line_of(entry.round_id):
            dropped = outbox.drop(outbox.get(entry_id))
        for each in dropped:
            make_console().print(f"Dropped: {_name(outbox, each)}.")


@queue.command(name="restore", cls=Command, examples=["ofc queue restore 1"])
@entry_argument
@pass_session
def restore(session: Session, entry_id: int) -> None:
    """
    Let a hand that was undone before count again.

    A hand with the very cards of one that was undone is recorded already and does not count. This sends it once more,
    and says that it shall.
    """
    with session.client() as client, session.outbox(client) as outbox:
        entry = outbox.get(entry_id)
        if entry.problem is None or entry.problem["code"] != WITHDRAWN:
            raise UnreadableError(f"{entry_id} is not a hand that was undone before; `ofc queue list` shows what it is")
        with outbox.line_of(entry.round_id):
            outbox.rewrite(outbox.get(entry_id), {**entry.document, "restores": entry.problem["hand"]})
        for sent in send_round(client, outbox, entry.round_id):
            tell_sent(make_console(), outbox, sent)


def _list(outbox: Outbox, as_json: bool) -> None:
    waiting = outbox.list_entries()
    if as_json:
        print_json({"waiting": [_dump(outbox, entry) for entry in waiting], "elsewhere": outbox.count_elsewhere()})
        return
    list_waiting(make_console(), [(entry, _table(outbox, entry)) for entry in waiting], outbox.count_elsewhere())


def _dump(outbox: Outbox, entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "round": entry.round_id,
        "table": _table(outbox, entry),
        "operation": entry.verb,
        "request": entry.document,
        "kept_at": entry.kept_at,
        "problem": entry.problem,
    }


def _name(outbox: Outbox, entry: Entry) -> str:
    return describe(entry, _table(outbox, entry))


def _table(outbox: Outbox, entry: Entry) -> str | None:
    known = outbox.find_known(entry.round_id)
    return known.table if known else None
