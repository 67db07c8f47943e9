"""Commands that open, show, list and confirm rounds."""

from dataclasses import replace
from itertools import islice
from typing import Any, Final

import click

from client.commands.base import (
    Command,
    Group,
    Period,
    Session,
    json_option,
    limit_option,
    pass_session,
    period_options,
    print_json,
)
from client.commands.names import complete_players, complete_rounds, complete_tables, table_option
from client.commands.seating import SITTING, Sitting, seat_all
from client.entry.player_names import resolve_names, yes_option
from client.lookup import find_round, find_seat, find_table, list_table_names
from client.render.console import make_console
from client.render.format import Names
from client.render.hands import list_hands
from client.render.rounds import list_rounds, show_round
from client.render.settlement import show_settlement

Document = dict[str, Any]

EXAMPLE_ID: Final = "01a1fa77-4a59-709e-b6dd-b28a73ab9d3e"

round_argument = click.argument("round_", metavar="ROUND", shell_complete=complete_rounds)


_LAZY_COMMANDS: Final = {
    "close": ("changes:close", "Close the table's round early, for good."),
    "correct": ("corrections:correct_round", "Correct what was recorded of a round."),
    "explain": ("explain:explain_round", "Explain every hand of a round, point by point."),
    "evidence": ("verify:get_evidence", "Print the evidence of a round, for `ofc verify`."),
    "leave": ("changes:leave", "Record that a player left the table's round."),
    "update": ("players:update_round", "Replace the metadata of a round."),
    "what-if": ("corrections:what_if", "Show the result of a round with changes, without storing it."),
}


@click.group(
    name="round",
    cls=Group,
    lazy_commands=_LAZY_COMMANDS,
    examples=["ofc round open friday ann=200 ben=200", "ofc round show friday"],
)
def rounds() -> None:
    """Open rounds, and show recorded ones."""


@rounds.command(
    name="open",
    cls=Command,
    examples=[
        "ofc round open friday ann=200 ben=200 cyd=200",
        "ofc round open friday 1:ann=200 3:ben=200 --reference 2026-11-20/3",
    ],
)
@click.argument("table", metavar="TABLE", shell_complete=complete_tables)
@click.argument(
    "sitting", nargs=-1, required=True, metavar="PLAYER[=STACK]...", type=SITTING, shell_complete=complete_players
)
@click.option("--reference", metavar="TEXT", help="Your reference for the round.")
@yes_option
@json_option
@pass_session
def open_(
    session: Session, table: str, sitting: tuple[Sitting, ...], reference: str | None, yes: bool, as_json: bool
) -> None:
    """
    Open a round at a table.

    The players are seated in the given order, clockwise. Without a stack, a player carries over the stack of the last
    round at the table. Seats are counted from 1; 3:ann=200 seats ann in seat 3. A new player whose name differs from a
    known player's by case or accents only is asked about.
    """
    with session.client() as client:
        table_id = find_table(client, table)["id"]
        names = resolve_names(client, table_id, [one.player for one in sitting], yes=yes)
        seats: Any = seat_all(replace(one, player=names[one.player]) for one in sitting)
        opened = client.open_round(table_id, {"seats": seats, "reference": reference})
    if as_json:
        print_json(opened)
    else:
        show_round(make_console(), opened)


@rounds.command(name="show", cls=Command, examples=["ofc round show friday", f"ofc round show {EXAMPLE_ID}"])
@round_argument
@json_option
@pass_session
def show(session: Session, round_: str, as_json: bool) -> None:
    """
    Show the state of a round, and what the next hand must be.

    ROUND is its id or, for the newest round of a table, the table's name.
    """
    with session.client() as client:
        record = client.get_round(find_round(client, round_)["id"])
    if as_json:
        print_json(record)
    else:
        show_round(make_console(), record)


@rounds.command(
    name="list",
    cls=Command,
    examples=[
        "ofc round list --status open --table kitchen",
        "ofc round list --player ann --from -7d",
        "ofc round list --from yesterday --to today",
    ],
)
@table_option
@click.option("--player", help="Only with this player.", shell_complete=complete_players)
@click.option("--status", type=click.Choice(["open", "complete", "closed"]), help="List only items in this state.")
@click.option(
    "--state",
    type=click.Choice(["open", "provisional", "disputed", "final"]),
    help="Only with settlements in this state.",
)
@period_options
@limit_option
@json_option
@pass_session
def list_(
    session: Session,
    table: str | None,
    player: str | None,
    status: str | None,
    state: str | None,
    period: Period,
    limit: int,
    as_json: bool,
) -> None:
    """List rounds, newest first."""
    with session.client() as client:
        query: dict[str, Any] = {"player": player, "status": status, "state": state, **period.find(client)}
        table_id = None if table is None else find_table(client, table)["id"]
        records = list(islice(client.list_rounds(table=table_id, **query), limit))
        names = {} if as_json else list_table_names(client)
    if as_json:
        print_json({"rounds": records})
    else:
        list_rounds(make_console(), records, names)


@rounds.command(
    name="settlement", cls=Command, examples=["ofc round settlement friday", f"ofc round settlement {EXAMPLE_ID}"]
)
@round_argument
@json_option
@pass_session
def settlement(session: Session, round_: str, as_json: bool) -> None:
    """
    Show who paid whom, what was cut off, and the standings.

    ROUND is its id or, for the newest round of a table, the table's name.
    """
    with session.client() as client:
        record = find_round(client, round_)
        settled = client.get_settlement(record["id"])
        if as_json:
            print_json(settled)
            return
        ruleset = client.get_ruleset(record["ruleset"])
    show_settlement(make_console(), settled, ruleset, Names(record["seats"]))


@rounds.command(name="confirm", cls=Command, examples=[f"ofc round confirm {EXAMPLE_ID} ann"])
@round_argument
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True, shell_complete=complete_players)
@json_option
@pass_session
def confirm(session: Session, round_: str, players: tuple[str, ...], as_json: bool) -> None:
    """
    Confirm the settlement of a round for players.

    Once all players of the round have confirmed it, the settlement is final. ROUND is its id or, for the newest round
    of a table, the table's name; PLAYER is the player's name, the seat, or both as in 2:ben.
    """
    with session.client() as client:
        record = find_round(client, round_)
        seats = [find_seat(record["seats"], player, "in the round") for player in players]
        seen = client.get_settlement(record["id"])
        for seat in seats:
            seen = client.confirm_settlement(record["id"], {"seat": seat, "revision": seen["revision"]})
        ruleset = client.get_ruleset(record["ruleset"])
    if as_json:
        print_json(seen)
    else:
        shown = len(seen["transfers"])
        show_settlement(make_console(), seen, ruleset, Names(record["seats"]), shown_before=shown)


@rounds.command(name="document", cls=Command, examples=[f"ofc round document {EXAMPLE_ID} > round.json"])
@round_argument
@pass_session
def document(session: Session, round_: str) -> None:
    """
    Print a round as one document: the hands as played, without results.

    ROUND is its id or, for the newest round of a table, the table's name.
    """
    with session.client() as client:
        print_json(client.get_document(find_round(client, round_)["id"]))


@rounds.command(name="hands", cls=Command, examples=["ofc round hands friday", f"ofc round hands {EXAMPLE_ID}"])
@round_argument
@click.option("--revision", type=click.IntRange(1), metavar="NUMBER", help="Show an older revision of the round.")
@json_option
@pass_session
def hands(session: Session, round_: str, revision: int | None, as_json: bool) -> None:
    """
    List the hands of a round, with their ids.

    The points of each player are shown too. ROUND is its id or, for the newest round of a table, the table's name.
    """
    with session.client() as client:
        record = find_round(client, round_)
        listed = list(client.list_hands(record["id"], revision=revision))
    if as_json:
        print_json({"hands": listed})
    else:
        list_hands(make_console(), listed, Names(record["seats"]))
