"""Commands that change the round in play: undo a hand, record a departure, close the round."""

from collections.abc import Callable
from typing import Any

import click
from rich.console import Console

from client.commands.base import Command, Session, json_option, pass_session, print_json
from client.commands.names import complete_players, complete_tables
from client.commands.sending import finish_saved, print_sent, submit_change
from client.entry.current_round import CurrentRound, find_current_round, require_next
from client.entry.hand import write_hand
from client.entry.prompt import confirm, make_asker
from client.errors import UnreadableError
from client.lookup import find_seat
from client.offline.score import play_round
from client.render.console import make_console
from client.render.format import Names
from client.render.hands import explain_hand, explain_next
from client.render.rounds import show_round
from client.render.settlement import show_dropped

Document = dict[str, Any]

BuildRequest = Callable[[CurrentRound], Document | None]

table_argument = click.argument("table", metavar="TABLE", shell_complete=complete_tables)


@click.command(
    cls=Command,
    examples=["ofc undo friday --yes", "ofc undo friday --reason 'two cards of ben exchanged' --yes"],
)
@click.argument("table", metavar="TABLE", shell_complete=complete_tables)
@click.option("--reason", metavar="TEXT", help="The reason; it is stored with the settlement.")
@click.option("--yes", is_flag=True, help="Undo it without asking.")
@json_option
@pass_session
def undo(session: Session, table: str, reason: str | None, yes: bool, as_json: bool) -> None:
    """
    Undo the last hand of the table's round.

    The round is as it was before the hand. The record of the hand remains, and its cards are offered when the hand is
    typed again. Without a network the undo is saved on this machine.
    """
    console = make_console(error=as_json)
    with session.client() as client, session.outbox(client) as outbox:
        current = find_current_round(client, outbox, table, lambda sent: print_sent(console, sent))
        names = Names(current.round["seats"])
        hand = _last_hand(current)
        request = {"number": hand["number"], **({"reason": reason} if reason else {})}
        if hand["number"] in current.known.records:
            request["hand"] = current.known.records[hand["number"]]
        _show(console, current, hand, names)
        if not yes and not confirm(make_asker(), f"Undo hand {hand['number']}?"):
            console.print("Nothing was undone.")
            return
        current.check("undo_hand", request)
        done = submit_change(console, client, outbox, current, "undo_hand", request)
        # Its cards are offered when the hand is typed again.
        outbox.store_draft(current.known.round_id, hand["number"], write_hand(hand))
        if done.outage is not None:
            finish_saved(console, outbox, current.known.table, done, as_json=as_json)
            return
    if as_json:
        print_json(done.response or {})
        return
    console.print(f"Undone: hand {hand['number']} at {current.known.table}.")
    if done.response is not None:
        show_dropped(console, done.response.get("dropped_departures", ()))
        explain_next(console, done.response, names)


def _last_hand(current: CurrentRound) -> Document:
    hands = current.known.document["hands"]
    if not hands:
        raise UnreadableError(f"the round at {current.known.table} has no recorded hand; there is nothing to undo")
    last: Document = hands[-1]
    return last


def _show(console: Console, current: CurrentRound, hand: Document, names: Names) -> None:
    known = current.known
    played = play_round(known.document, known.ruleset)["hands"][-1]
    explain_hand(console, hand, played, known.ruleset, names)
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

    PLAYER is the player's name, the seat, or both as in 2:ben. Without a network it is saved on this machine.
    """

    def build_request(current: CurrentRound) -> Document:
        return {
            "seat": find_seat(current.round["seats"], player, f"at {current.known.table}"),
            **({"reason": reason} if reason else {}),
            "expected": {"hands": current.round["hands"]},
        }

    _change(session, table, "record_departure", build_request, as_json=as_json)


@click.command(name="close", cls=Command, examples=["ofc round close friday --reason 'the room closes' --yes"])
@table_argument
@click.option("--reason", metavar="TEXT", required=True, help="The reason.")
@click.option("--yes", is_flag=True, help="Close it without asking.")
@json_option
@pass_session
def close(session: Session, table: str, reason: str, yes: bool, as_json: bool) -> None:
    """
    Close the table's round early, for good.

    Open points are settled, and Fantasyland that is still owed is void. Without a network it is saved on this machine.
    """

    def build_request(current: CurrentRound) -> Document | None:
        number, name = current.round["hands"], current.known.table
        is_agreed = yes or confirm(make_asker(), f"Close the round at {name} after hand {number}?")
        return {"reason": reason, "expected": {"hands": number}} if is_agreed else None

    _change(session, table, "close_round", build_request, as_json=as_json)


def _change(session: Session, table: str, verb: str, build_request: BuildRequest, *, as_json: bool) -> None:
    """Build a request for the round in play and submit it. A `build_request` that returns None changes nothing."""
    console = make_console(error=as_json)
    with session.client() as client, session.outbox(client) as outbox:
        current = find_current_round(client, outbox, table, lambda sent: print_sent(console, sent))
        require_next(current)
        request = build_request(current)
        if request is None:
            console.print("Nothing was changed.")
            return
        current.check(verb, request)
        done = submit_change(console, client, outbox, current, verb, request)
        if done.outage is not None:
            finish_saved(console, outbox, current.known.table, done, as_json=as_json)
            return
        response = done.response or client.get_round(current.known.round_id)
    if as_json:
        print_json(response)
    else:
        show_round(console, response)
