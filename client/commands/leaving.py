"""Players who leave, and rounds that end early."""

from collections.abc import Callable
from typing import Any

import click

from client.answers import Answer
from client.commands.common import Command, Session, json_option, pass_session, print_json
from client.commands.line import put_in_line, tell_sent, waits
from client.entry.asking import confirm, make_asker
from client.entry.in_play import InPlay, find_in_play, require_next
from client.errors import TransportError
from client.finding import find_seat
from client.render.console import make_console
from client.render.rounds import show_round

Document = dict[str, Any]
Ask = Callable[[InPlay], Document | None]

table_argument = click.argument("table", metavar="TABLE")


@click.command(name="leave", cls=Command, examples=["ofc round leave friday ann --reason 'last train'"])
@table_argument
@click.argument("player", metavar="PLAYER")
@click.option("--reason", metavar="TEXT", help="Why.")
@json_option
@pass_session
def leave(session: Session, table: str, player: str, reason: str | None, as_json: bool) -> None:
    """
    Record that a player left the table's round.

    PLAYER is the player's id, the seat, or both as in 2:ben. Without a network it waits in the outbox.
    """

    def request(in_play: InPlay) -> Document:
        return {
            "seat": find_seat(in_play.standing["seats"], player, f"at {in_play.known.table}"),
            **({"reason": reason} if reason else {}),
        }

    _change(session, table, "record_departure", request, as_json=as_json)


@click.command(name="close", cls=Command, examples=["ofc round close friday --reason 'the room closes' --yes"])
@table_argument
@click.option("--reason", metavar="TEXT", required=True, help="Why.")
@click.option("--yes", is_flag=True, help="Close it without asking.")
@json_option
@pass_session
def close(session: Session, table: str, reason: str, yes: bool, as_json: bool) -> None:
    """
    End the table's round early, for good.

    What was added up is settled, and Fantasyland still owed is void. Without a network it waits in the outbox.
    """

    def request(in_play: InPlay) -> Document | None:
        number, name = in_play.standing["hands"], in_play.known.table
        is_agreed = yes or confirm(make_asker(), f"Close the round at {name} after hand {number}?")
        return {"reason": reason} if is_agreed else None

    _change(session, table, "close_round", request, as_json=as_json)


def _change(session: Session, table: str, verb: str, ask: Ask, *, as_json: bool) -> None:
    """Change the round that is played at a table by what is asked for; None changes nothing."""
    console = make_console(error=as_json)
    with session.client() as client, session.outbox(client) as outbox:
        in_play = find_in_play(client, outbox, table, lambda sent: tell_sent(console, outbox, sent))
        require_next(in_play)
        request = ask(in_play)
        if request is None:
            console.print("Nothing was changed.")
            return
        if in_play.away is not None:
            in_play.check(verb, request)
            kept = outbox.keep(in_play.known.round_id, verb, request)
            raise TransportError(f"{waits(kept)}: {in_play.away}")
        answer: Answer | Document | None = put_in_line(console, client, outbox, in_play.known.round_id, verb, request)
        answer = answer or client.get_round(in_play.known.round_id)
    if as_json:
        print_json(answer)
    else:
        show_round(console, answer)
