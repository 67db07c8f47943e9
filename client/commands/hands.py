"""Commands that record hands at the table."""

import re
import shlex
from typing import Any, Final

import click
from rich.console import Console

from client.api import Client
from client.commands.base import Command, Group, Session, json_option, pass_session, print_json
from client.commands.names import complete_tables
from client.commands.seating import offer_round
from client.commands.sending import SubmittedChange, finish_saved, print_sent, submit_change
from client.entry.current_round import CurrentRound, RoundOverError
from client.entry.hand import BUTTON, ask_again
from client.entry.next_hand import HandPrompt, confirm_restore, enter_hand
from client.entry.prompt import make_asker
from client.entry.question import Asker
from client.errors import RefusedError, UnreadableError
from client.lookup import find_seat
from client.outbox.cache import now
from client.outbox.store import Outbox
from client.render.console import make_console
from client.render.format import Names
from client.render.hands import explain_hand, explain_next
from client.render.problems import SAME_DEAL
from client.responses import find_undone_record

Document = dict[str, Any]

_ADDED: Final = re.compile(r"(.+)=([1-9]\d{0,15})", re.ASCII)


@click.group(
    name="hand",
    cls=Group,
    lazy_commands={
        "correct": ("corrections:correct_hand", "Correct a recorded hand of the table's round."),
        "explain": ("explain:explain_hand", "Explain a recorded hand, point by point."),
        "find": ("find_hands:find_hands", "Find hands of all rounds, newest recorded first."),
    },
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
@click.argument("table", metavar="TABLE", shell_complete=complete_tables)
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
@click.option("--played-at", metavar="TIME", help="When it was played, if not now (RFC 3339).")
@click.option("--dealt-again", is_flag=True, help="Record it even if an earlier hand has the same boards.")
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
    dealt_again: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Record the next hand of the table's round.

    Prompts seat by seat for cards like QsQd4c / KsKd9h8h3c / AhJh7h6h2h, shows the result, and records the hand when
    you agree. Without a network the hand is checked and saved on this machine. From a pipe, each line is a reply. After
    the end of a round, a terminal offers to open the next one.
    """
    console = make_console(error=as_json)
    asker = make_asker()
    with session.client() as client, session.outbox(client) as outbox:
        next_hand = _begin(console, asker, client, outbox, table, top_ups)
        if next_hand is None:
            return
        entry, known = next_hand.entry, next_hand.current.known
        entry.played_at = played_at
        entry.dealt_again = dealt_again
        for seat, text in boards:
            entry.fill(entry.find_place(seat), text)
        if button is not None:
            entry.fill(BUTTON, button)
        draft_note = _describe_draft(known.table, top_ups, played_at)
        try:
            done = _add(console, asker, client, outbox, next_hand, is_agreed=yes)
        except KeyboardInterrupt:
            entry.save(entry.typed)
            console.print(f"Stopped; {draft_note}.", soft_wrap=True)
            raise
        except RefusedError as error:
            entry.save(entry.typed)
            if error.code == SAME_DEAL:
                command = _command(known.table, top_ups, played_at, "--dealt-again")
                error.advice = f"If this hand is not recorded yet, `{command}` records it."
            raise
        if done is None:
            entry.save(entry.typed)
            console.print(f"Not recorded; {draft_note}.", soft_wrap=True)
            return
        if done.outage is not None:
            finish_saved(console, outbox, known.table, done, as_json=as_json)
    if as_json and done.response is not None:
        print_json(done.response)


def _begin(
    console: Console, asker: Asker, client: Client, outbox: Outbox, table: str, top_ups: tuple[str, ...]
) -> HandPrompt | None:
    """
    Begin the next hand. After the end of a round, a person at a terminal can open the next one; None if they decline.

    Raises:
        RefusedError: a waiting request is refused, or the top-ups are invalid.
        UnreadableError: the round is over, and there is no terminal to open the next one.
    """

    def begin() -> HandPrompt:
        return HandPrompt(
            client,
            outbox,
            table,
            lambda current: [_read_top_up(current, text) for text in top_ups],
            lambda sent: print_sent(console, sent),
            lambda current: _print_changed(console, current),
            is_prompt=asker.can_correct,
        )

    try:
        return begin()
    except RoundOverError as error:
        if not asker.can_correct:
            raise
        return begin() if offer_round(console, asker, client, outbox, error.last) else None


def _add(
    console: Console, asker: Asker, client: Client, outbox: Outbox, next_hand: HandPrompt, *, is_agreed: bool
) -> SubmittedChange | None:
    """
    Prompt for a hand and record it. What the service rejects is typed again. None if the scorekeeper declines.

    Raises:
        RefusedError: the hand is refused and there is no terminal to correct it, or an earlier request is refused.
    """
    while True:
        entered = enter_hand(console, asker, next_hand, is_agreed=is_agreed)
        if entered is None:
            return None
        hand, result = entered
        current = next_hand.current
        if current.outage is not None:
            # The hand may be sent much later than it was played.
            hand.setdefault("played_at", now())
        try:
            done = _record(console, client, outbox, current, hand)
        except RefusedError as error:
            record = find_undone_record(error.problem)
            if record is not None:
                if not confirm_restore(console, asker, hand, is_agreed=is_agreed):
                    return None
                done = _record(console, client, outbox, current, {**hand, "restores": record})
            else:
                ask_again(console, asker, next_hand.entry, error)
                continue
        _print_recorded(console, next_hand, hand, result, done)
        return done


def _record(console: Console, client: Client, outbox: Outbox, current: CurrentRound, hand: Document) -> SubmittedChange:
    return submit_change(console, client, outbox, current, "record_hand", hand)


def _print_recorded(
    console: Console, next_hand: HandPrompt, hand: Document, result: Document, done: SubmittedChange
) -> None:
    if done.outage is not None:
        return
    name = f"hand {hand['number']} at {next_hand.current.known.table}"
    if done.response is None:
        console.print(f"Recorded by another `ofc`: {name}.", soft_wrap=True)
        return
    if done.response["stacks"] != result["stacks"]:
        console.print("The service has a different result, which counts:")
        explain_hand(console, hand, done.response, next_hand.current.known.ruleset, next_hand.entry.names)
        explain_next(console, done.response["round"], next_hand.entry.names)
    console.print(f"Recorded: {name}.", soft_wrap=True)


def _print_changed(console: Console, current: CurrentRound) -> None:
    console.print("The round has changed since this machine last read it.", style="yellow")
    explain_next(console, current.round, Names(current.round["seats"]))


def _read_top_up(current: CurrentRound, text: str) -> Document:
    found = _ADDED.fullmatch(text)
    if found is None:
        raise UnreadableError(f"--top-up {text!r} does not name a seat and points; expected, for example, 1=40")
    seat = find_seat(current.round["seats"], found[1], f"at {current.known.table}")
    return {"seat": seat, "points": int(found[2])}


def _describe_draft(table: str, top_ups: tuple[str, ...], played_at: str | None) -> str:
    """Return the command that continues with the hand."""
    return f"the typed text is stored, and `{_command(table, top_ups, played_at)}` continues with it"


def _command(table: str, top_ups: tuple[str, ...], played_at: str | None, *more: str) -> str:
    """Return the command that adds the hand, with all that was given besides the cards."""
    options = [part for text in top_ups for part in ("--top-up", text)]
    options += ["--played-at", played_at] if played_at is not None else []
    return shlex.join(["ofc", "hand", "add", table, *options, *more])
