"""Commands that record hands at the table."""

import json
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType
from typing import Any, Final

import click
from rich.console import Console

from client.api import Client
from client.commands.base import Command, Group, Session, json_option, pass_session, print_json
from client.commands.names import complete_tables
from client.commands.seating import offer_round
from client.entry.current_round import CurrentRound, find_current_round, require_next
from client.entry.hand import BUTTON, HandEntry, ask_again
from client.entry.next_hand import begin_hand, enter_hand, record_hand
from client.entry.prompt import make_asker
from client.entry.question import Asker
from client.errors import ApiError, RefusedError, TransportError, UnreadableError
from client.files import write_new
from client.lookup import find_seat
from client.render.console import make_console
from client.render.hands import explain_hand, explain_next
from client.render.problems import SAME_DEAL
from client.responses import BUSY, HAND_CONFLICT, Response

Document = dict[str, Any]

_ADDED: Final = re.compile(r"(.+)=([1-9]\d{0,15})", re.ASCII)
_SERVER_ERROR: Final = 500
"""Statuses from this one on are server errors; the hand may be valid."""
_NOT_ABOUT_HAND: Final = frozenset({401, 403, 408, 425, 429})
"""Statuses of refusals that are about the key or the moment."""
_NOT_IN_FILE_NAMES: Final = re.compile(r"[^\w.-]+")
_NAME_LENGTH: Final = 40
"""How many characters of a table's name are in the name of a file, whose bytes are limited."""


@click.group(
    name="hand",
    cls=Group,
    lazy_commands={
        "correct": ("corrections:correct_hand", "Correct a recorded hand of the table's round."),
        "explain": ("explain:explain_hand", "Explain a recorded hand, point by point."),
        "find": ("administration:find_hands", "Find hands of all rounds, newest recorded first."),
        "show": ("players:show_hand_of_club", "Show who won what in a hand, with its reference and its metadata."),
        "update": ("players:update_hand", "Replace the metadata of a hand."),
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
    you agree. If it cannot be sent, the hand is written to a file for `ofc post`. From a pipe, each line is a reply.
    After the end of a round, a terminal offers to open the next one.
    """
    console = make_console(error=as_json)
    asker = make_asker()
    with session.client() as client:
        current = _begin(console, asker, client, table)
        if current is None:
            return
        entry = begin_hand(current, [_read_top_up(current, text) for text in top_ups])
        entry.played_at = played_at
        entry.dealt_again = dealt_again
        for seat, text in boards:
            entry.fill(entry.find_place(seat), text)
        if button is not None:
            entry.fill(BUTTON, button)
        response = _add(console, asker, client, current, entry, is_agreed=yes)
    if response is None:
        console.print("Nothing was recorded.")
    elif as_json:
        print_json(response)


def _begin(console: Console, asker: Asker, client: Client, table: str) -> CurrentRound | None:
    """
    Find the round in play. After its end, a person at a terminal can open the next one; None if they decline.

    Raises:
        UnreadableError: the round is over, and there is no terminal to open the next one.
    """
    current = find_current_round(client, table)
    if current.round["next"] is None and asker.can_correct:
        return offer_round(console, asker, client, current)
    require_next(current.table, current.round)
    return current


def _add(
    console: Console, asker: Asker, client: Client, current: CurrentRound, entry: HandEntry, *, is_agreed: bool
) -> Response | None:
    """
    Prompt for a hand and record it. What the service rejects is typed again. None if the scorekeeper declines.

    Raises:
        RefusedError: the hand is refused, and typing cannot correct it.
        TransportError: the hand could not be sent; its advice names the file that has it.
    """

    def send(hand: Document) -> Response:
        return _send(client, current, hand)

    while True:
        try:
            entered = enter_hand(console, asker, current, entry, is_agreed=is_agreed)
        except KeyboardInterrupt:
            console.print("Stopped; nothing was recorded.")
            raise
        if entered is None:
            return None
        hand, result = entered
        try:
            response = record_hand(console, asker, send, hand, is_agreed=is_agreed)
        except RefusedError as error:
            error.advice = error.advice or _advise(current.table, hand, error)
            if error.advice is not None:
                raise
            ask_again(console, asker, entry, error)
            continue
        if response is not None:
            _print_recorded(console, current, entry, hand, result, response)
        return response


def _send(client: Client, current: CurrentRound, hand: Any) -> Response:
    """
    Send a hand. Write it to a file if there is no response, nobody waits for it, or a refusal is not about the hand.

    Raises:
        RefusedError: the hand, the key or the moment is refused.
        TransportError: the service does not respond.
    """
    try:
        with _stopping_on_signals():
            return client.record_hand(current.id, hand)
    except TransportError as error:
        error.advice = _save(current, hand)
        raise
    except ApiError as error:
        if error.status >= _SERVER_ERROR or error.status in _NOT_ABOUT_HAND or error.code in BUSY:
            error.advice = _save(current, hand)
        raise
    except KeyboardInterrupt:
        click.echo(_save(current, hand), err=True)
        raise


@contextmanager
def _stopping_on_signals() -> Iterator[None]:
    """Handle a closed terminal and a termination signal like Ctrl-C."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _save(current: CurrentRound, hand: Document) -> str:
    """Write a hand to a file in the current directory, and return how to record it."""
    # It may be sent much later than it was played.
    played_at = hand.get("played_at") or datetime.now(UTC).isoformat(timespec="seconds")
    line = json.dumps({"round": current.id, **hand, "played_at": played_at}, ensure_ascii=False)
    table = _NOT_IN_FILE_NAMES.sub("-", current.table)[:_NAME_LENGTH]
    try:
        file = write_new(f"hand-{hand['number']}-of-{table}.json", f"{line}\n".encode())
    except UnreadableError as error:
        return f"{error}. Write this line to a file, and `ofc post FILE` records the hand:\n{line}"
    return f"The hand is in {file}; `ofc post {file}` records it, once."


def _advise(table: str, hand: Document, error: RefusedError) -> str | None:
    """Return what to do about a hand that must not be typed again."""
    number = hand["number"]
    if error.code == SAME_DEAL:
        return "If this hand is not recorded yet, repeat the command with `--dealt-again`."
    if error.code == HAND_CONFLICT:
        return f"Hand {number} was recorded from elsewhere meanwhile; `ofc hand correct {table} {number}` corrects it."
    return None


def _print_recorded(
    console: Console, current: CurrentRound, entry: HandEntry, hand: Document, result: Document, response: Response
) -> None:
    if response["stacks"] != result["stacks"]:
        console.print("The service has a different result, which counts:")
        explain_hand(console, hand, response, current.ruleset, entry.names)
        explain_next(console, response["round"], entry.names)
    console.print(f"Recorded: hand {hand['number']} at {current.table}.", soft_wrap=True)


def _read_top_up(current: CurrentRound, text: str) -> Document:
    match = _ADDED.fullmatch(text)
    if match is None:
        raise UnreadableError(f"--top-up {text!r} does not name a seat and points; expected, for example, 1=40")
    seat = find_seat(current.round["seats"], match[1], f"at {current.table}")
    return {"seat": seat, "points": int(match[2])}
