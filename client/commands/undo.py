from typing import Any

import click
from rich.console import Console

from client.api import Client
from client.commands.common import Command, Session, json_option, pass_session, print_json
from client.commands.line import put_in_line, tell_sent, waits
from client.entry.asking import confirm, make_asker
from client.entry.in_play import InPlay, find_in_play
from client.errors import TransportError, UnreadableError
from client.offline.score import play_round
from client.render.cards import Names
from client.render.console import make_console
from client.render.hand import explain_hand, explain_next

Document = dict[str, Any]


@click.command(
    cls=Command,
    examples=["ofc undo friday --yes", "ofc undo friday --reason 'two cards of ben exchanged' --yes"],
)
@click.argument("table", metavar="TABLE")
@click.option("--reason", metavar="TEXT", help="Why; it is kept with the settlement.")
@click.option("--yes", is_flag=True, help="Undo it without asking.")
@json_option
@pass_session
def undo(session: Session, table: str, reason: str | None, yes: bool, as_json: bool) -> None:
    """
    Withdraw the last hand of the table's round.

    The round stands as before the hand; the record stays. Without a network it waits in the outbox.
    """
    console = make_console(error=as_json)
    with session.client() as client, session.outbox(client) as outbox:
        in_play = find_in_play(client, outbox, table, lambda sent: tell_sent(console, outbox, sent))
        names = Names(in_play.standing["seats"])
        hand = _last_hand(in_play)
        request = {"number": hand["number"], **({"reason": reason} if reason else {})}
        if in_play.away is None:
            request["hand"] = _find_record(client, in_play.known.round_id, hand["number"])["id"]
        elif hand["number"] in in_play.known.records:
            request["hand"] = in_play.known.records[hand["number"]]
        _show(console, in_play, hand, names)
        if not yes and not confirm(make_asker(), f"Undo hand {hand['number']}?"):
            console.print("Nothing was undone.")
            return
        if in_play.away is not None:
            in_play.check("undo_hand", request)
            kept = outbox.keep(in_play.known.round_id, "undo_hand", request)
            raise TransportError(f"{waits(kept)}: {in_play.away}")
        answer = put_in_line(console, client, outbox, in_play.known.round_id, "undo_hand", request)
    if as_json:
        print_json(answer or {})
        return
    console.print(f"Undone: hand {hand['number']} at {in_play.known.table}.")
    if answer is not None:
        explain_next(console, answer, names)


def _last_hand(in_play: InPlay) -> Document:
    hands = in_play.known.document["hands"]
    if not hands:
        raise UnreadableError(f"no hand of the round at {in_play.known.table} is recorded; there is nothing to undo")
    last: Document = hands[-1]
    return last


def _find_record(client: Client, round_id: str, number: int) -> Document:
    """Find the record of the round's last hand, so that no other is undone in its place."""
    for hand in client.list_hands(round_id):
        if hand["number"] == number:
            return hand
    raise UnreadableError(f"hand {number} was undone meanwhile; `ofc round show {round_id}` shows the round as it is")


def _show(console: Console, in_play: InPlay, hand: Document, names: Names) -> None:
    known = in_play.known
    played = play_round(known.document, known.ruleset)["hands"][-1]
    explain_hand(console, hand, played, known.ruleset, names)
    console.print()
