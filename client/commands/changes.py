"""Commands that change the round in play: undo a hand, record a departure, close the round."""

import shlex
from typing import Any

import click
from rich.console import Console

from client.commands.base import Command, Session, json_option, pass_session, print_json
from client.commands.names import complete_players, complete_tables
from client.entry.current_round import CurrentRound, advising, require_next
from client.entry.prompt import confirm, make_asker
from client.errors import TransportError, UnreadableError
from client.lookup import find_newest_round, find_seat
from client.offline.score import play_round
from client.render.console import make_console
from client.render.format import Names
from client.render.hands import explain_hand, explain_next
from client.render.rounds import show_round
from client.render.settlement import show_dropped

Document = dict[str, Any]

table_argument = click.argument("table", metavar="TABLE", shell_complete=complete_tables)


@click.command(
    cls=Command,
    examples=["ofc undo friday --yes", "ofc undo friday --hand 1 --reason 'two cards of ben exchanged' --yes"],
)
@click.argument("table", metavar="TABLE", shell_complete=complete_tables)
@click.option("--hand", "number", type=click.IntRange(1), metavar="NUMBER", help="Only if this is the last hand.")
@click.option("--reason", metavar="TEXT", help="The reason; it is stored with the settlement.")
@click.option("--yes", is_flag=True, help="Undo it without asking.")
@json_option
@pass_session
def undo(session: Session, table: str, number: int | None, reason: str | None, yes: bool, as_json: bool) -> None:
    """
    Undo the last hand of the table's round.

    The round is as it was before the hand. The record of the hand remains. With --hand the command can be repeated: a
    hand that was undone already stays undone, and no other one is.
    """
    console = make_console(error=as_json)
    with session.client() as client:
        at, newest = find_newest_round(client, table)
        # Read the records before the document: if a hand is replaced meanwhile, the undo names the old one and fails.
        records = {hand["number"]: hand["id"] for hand in client.list_hands(newest["id"])}
        current = CurrentRound.read(client, at["name"], newest)
        if number is not None and len(current.document["hands"]) == number - 1:
            console.print(f"Hand {number} at {current.table} is undone already.")
            if as_json:
                print_json(current.round)
            return
        hand = _last_hand(current, number)
        if hand["number"] not in records:
            raise UnreadableError(f"hand {hand['number']} was recorded while the round was read; run the command again")
        _show(console, current, hand)
        if not yes and not confirm(make_asker(), f"Undo hand {hand['number']}?"):
            console.print("Nothing was undone.")
            return
        request: Any = {"number": hand["number"], "hand": records[hand["number"]]}
        try:
            undone = client.undo_hand(current.id, request | ({"reason": reason} if reason else {}))
        except TransportError as error:
            error.advice = (
                f"`ofc undo {shlex.quote(table)} --hand {hand['number']}` repeats it, and undoes no other hand."
            )
            raise
    if as_json:
        print_json(undone)
        return
    console.print(f"Undone: hand {hand['number']} at {current.table}.")
    show_dropped(console, undone.get("dropped_departures", ()))
    explain_next(console, undone, Names(current.round["seats"]))


def _last_hand(current: CurrentRound, number: int | None) -> Document:
    """
    Return the last hand of a round.

    Raises:
        UnreadableError: the round has no hand, or its last one has another number than the given one.
    """
    hands = current.document["hands"]
    if not hands:
        raise UnreadableError(f"the round at {current.table} has no recorded hand; there is nothing to undo")
    last: Document = hands[-1]
    if number not in (None, last["number"]):
        raise UnreadableError(f"the last hand at {current.table} is {last['number']}; expected {number}")
    return last


def _show(console: Console, current: CurrentRound, hand: Document) -> None:
    played = play_round(current.document, current.ruleset)["hands"][-1]
    explain_hand(console, hand, played, current.ruleset, Names(current.round["seats"]))
    console.print()


@click.command(name="leave", cls=Command, examples=["ofc round leave friday ann --reason 'last train'"])
@table_argument
@click.argument("player", metavar="PLAYER", shell_complete=complete_players)
@click.option("--reason", metavar="TEXT", help="The reason.")
@json_option
@pass_session
def leave(session: Session, table: str, player: str, reason: str | None, as_json: bool) -> None:
    """
    Record that a player left the table's round.

    PLAYER is the player's name, the seat, or both as in 2:ben.
    """
    with session.client() as client:
        at, newest = find_newest_round(client, table)
        require_next(at["name"], newest)
        departure: Any = {
            "seat": find_seat(newest["seats"], player, f"at {at['name']}"),
            **({"reason": reason} if reason else {}),
            "expected": {"hands": newest["hands"]},
        }
        with advising(at["name"]):
            changed = client.record_departure(newest["id"], departure)
    if as_json:
        print_json(changed)
    else:
        show_round(make_console(), changed)


@click.command(name="close", cls=Command, examples=["ofc round close friday --reason 'the room closes' --yes"])
@table_argument
@click.option("--reason", metavar="TEXT", required=True, help="The reason.")
@click.option("--yes", is_flag=True, help="Close it without asking.")
@json_option
@pass_session
def close(session: Session, table: str, reason: str, yes: bool, as_json: bool) -> None:
    """
    Close the table's round early, for good.

    Open points are settled, and Fantasyland that is still owed is void.
    """
    console = make_console(error=as_json)
    with session.client() as client:
        at, newest = find_newest_round(client, table)
        require_next(at["name"], newest)
        number = newest["hands"]
        if not yes and not confirm(make_asker(), f"Close the round at {at['name']} after hand {number}?"):
            console.print("Nothing was changed.")
            return
        changed = client.close_round(newest["id"], {"reason": reason, "expected": {"hands": number}})
    if as_json:
        print_json(changed)
    else:
        show_round(console, changed)
