import re
import shlex
from datetime import UTC, datetime
from typing import Any, Final

import click
from rich.console import Console

from client.answers import Answer
from client.api import Client
from client.commands.common import Command, Group, Session, json_option, pass_session, print_json
from client.commands.line import put_in_line, tell_sent, waits
from client.entry.agreeing import agree
from client.entry.hand import BUTTON, HandEntry
from client.entry.in_play import InPlay, find_in_play, require_next
from client.errors import RefusedError, TransportError, UnreadableError
from client.finding import find_seat
from client.outbox.store import Outbox
from client.render.cards import Names
from client.render.console import make_console

Document = dict[str, Any]

_ADDED: Final = re.compile(r"(.+)=([1-9]\d{0,15})", re.ASCII)


@click.group(
    name="hand",
    cls=Group,
    elsewhere={"explain": ("explain:explain_hand", "Explain a recorded hand, point by point.")},
    examples=["ofc hand add friday"],
)
def hands() -> None:
    """Record hands at the table."""


@hands.command(
    name="add",
    cls=Command,
    examples=[
        "ofc hand add friday",
        "ofc hand add friday --button ann --seat ann 'AhKd9c / JsJd8c5h2c / AsAdTcTh4s'",
        "ofc hand add friday --yes < boards.txt",
    ],
)
@click.argument("table", metavar="TABLE")
@click.option("--button", metavar="SEAT", help="Who has the button, by seat or player; known after the first hand.")
@click.option(
    "--seat",
    "boards",
    nargs=2,
    multiple=True,
    metavar="SEAT CARDS",
    help="A player's cards, top / middle / bottom, and if known / discards.",
)
@click.option("--top-up", "top_ups", multiple=True, metavar="SEAT=POINTS", help="Points that a player adds before it.")
@click.option("--played-at", metavar="TIME", help="When it was played, where that is not now (RFC 3339).")
@click.option("--yes", is_flag=True, help="Record it without asking.")
@json_option
@pass_session
def add(
    session: Session,
    table: str,
    button: str | None,
    boards: tuple[tuple[str, str], ...],
    top_ups: tuple[str, ...],
    played_at: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Record the next hand of the table's round.

    Asks seat by seat for cards like QsQd4c / KsKd9h8h3c / AhJh7h6h2h, shows what they come to, and records the hand
    when you agree. Without a network it is checked here and waits in the outbox. From a pipe, each line is an answer.
    """
    console = make_console(error=as_json)
    with session.client() as client, session.outbox(client) as outbox:
        in_play = find_in_play(client, outbox, table, lambda sent: tell_sent(console, outbox, sent))
        entry = _begin(outbox, in_play, top_ups)
        entry.played_at = played_at
        for seat, text in boards:
            entry.give(entry.find_place(seat), text)
        if button is not None:
            entry.give(BUTTON, button)
        try:
            hand = agree(console, client, in_play, entry, is_agreed=yes)
        except KeyboardInterrupt:
            entry.keep(entry.typed)
            console.print(f"Stopped; {_is_kept(in_play, top_ups, played_at)}.", soft_wrap=True)
            raise
        if hand is None:
            entry.keep(entry.typed)
            console.print(f"Not recorded; {_is_kept(in_play, top_ups, played_at)}.", soft_wrap=True)
            return
        try:
            answer = _record(console, client, outbox, in_play, hand)
        except RefusedError:
            entry.keep(entry.typed)
            raise
    if as_json and answer is not None:
        print_json(answer)


def _begin(outbox: Outbox, in_play: InPlay, top_ups: tuple[str, ...]) -> HandEntry:
    """Begin where somebody has stopped before, with everyone who plays once points are added."""
    following, known = require_next(in_play), in_play.known
    number = following["number"]
    added = [_read_top_up(in_play, text) for text in top_ups]
    if added:
        from client.offline.score import find_next  # the rules take a moment to load, and few hands need them here

        following = find_next(known.document, added, known.ruleset) or following
    return HandEntry(
        following,
        Names(in_play.standing["seats"]),
        known.ruleset,
        top_ups=added,
        typed=outbox.find_draft(known.round_id, number),
        keep=lambda typed: outbox.keep_draft(known.round_id, number, dict(typed)),
    )


def _read_top_up(in_play: InPlay, text: str) -> Document:
    found = _ADDED.fullmatch(text)
    if found is None:
        raise UnreadableError(f"--top-up {text!r} does not say who adds how much; 1=40 is right")
    seat = find_seat(in_play.standing["seats"], found[1], f"at {in_play.known.table}")
    return {"seat": seat, "points": int(found[2])}


def _record(console: Console, client: Client, outbox: Outbox, in_play: InPlay, hand: Document) -> Answer | None:
    """
    Keep the hand, and send it where the service can be reached.

    Raises:
        RefusedError: it was refused after all, or what waits before it was.
        TransportError: the service does not answer; the hand waits.
    """
    known, name = in_play.known, f"hand {hand['number']} at {in_play.known.table}"
    if in_play.away is not None:
        # When it is recorded says nothing of when it was played.
        hand.setdefault("played_at", datetime.now(UTC).isoformat(timespec="seconds"))
        kept = outbox.keep(known.round_id, "record_hand", hand)
        raise TransportError(f"{waits(kept)}: {in_play.away}")
    answer = put_in_line(console, client, outbox, known.round_id, "record_hand", hand)
    console.print(f"Recorded: {name}." if answer is not None else f"Recorded by another `ofc`: {name}.")
    return answer


def _is_kept(in_play: InPlay, top_ups: tuple[str, ...], played_at: str | None) -> str:
    """Name the command that goes on with the hand, with what is told of it beside the cards."""
    told = [part for text in top_ups for part in ("--top-up", text)]
    told += ["--played-at", played_at] if played_at is not None else []
    command = shlex.join(["ofc", "hand", "add", in_play.known.table, *told])
    return f"what was typed is kept, and `{command}` goes on with it"
