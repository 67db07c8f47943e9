from itertools import islice
from typing import Final
from uuid import UUID

import click

from client.api import Client
from client.commands.common import Command, Group, Session, json_option, pass_session, print_json
from client.errors import UnreadableError
from client.render.cards import Names
from client.render.console import make_console
from client.render.rounds import list_rounds, show_round
from client.render.settlement import show_settlement

EXAMPLE_ID: Final = "01a1fa77-4a59-709e-b6dd-b28a73ab9d3e"

id_argument = click.argument("round_id", metavar="ID", type=click.UUID)


@click.group(name="round", cls=Group, examples=["ofc round list --status open", f"ofc round show {EXAMPLE_ID}"])
def rounds() -> None:
    """Look at rounds that are recorded."""


@rounds.command(name="show", cls=Command, examples=[f"ofc round show {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def show(session: Session, round_id: UUID, as_json: bool) -> None:
    """Show a round as it stands, and what the next hand must be."""
    with session.client() as client:
        found = client.get_round(str(round_id))
    if as_json:
        print_json(found)
    else:
        show_round(make_console(), found)


@rounds.command(
    name="list",
    cls=Command,
    examples=[
        "ofc round list --status open --table kitchen",
        "ofc round list --player ann --from 2026-11-01T00:00:00Z",
    ],
)
@click.option("--table", help="Only of this table, by its name or id.")
@click.option("--player", help="Only with this player.")
@click.option("--status", type=click.Choice(["open", "complete", "closed"]), help="Only in this state.")
@click.option("--from", "opened_from", metavar="TIME", help="Opened at this time or later (RFC 3339).")
@click.option("--to", "opened_before", metavar="TIME", help="Opened before this time.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@json_option
@pass_session
def list_(
    session: Session,
    table: str | None,
    player: str | None,
    status: str | None,
    opened_from: str | None,
    opened_before: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List rounds, the newest first."""
    wanted = {"player": player, "status": status, "from": opened_from, "to": opened_before}
    with session.client() as client:
        table_id = None if table is None else find_table_id(client, table)
        found = list(islice(client.list_rounds(table=table_id, **wanted), limit))
    if as_json:
        print_json({"rounds": found})
    else:
        list_rounds(make_console(), found)


def find_table_id(client: Client, table: str) -> str:
    """Find a table's id by its name, which people know, or take it for an id, which programs know."""
    try:
        return str(UUID(table))
    except ValueError:
        found = client.find_table(table)
    if found is None:
        raise UnreadableError(f"there is no table {table!r}; `ofc round list` without --table lists the rounds of all")
    return str(found["id"])


@rounds.command(name="settlement", cls=Command, examples=[f"ofc round settlement {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def settlement(session: Session, round_id: UUID, as_json: bool) -> None:
    """Show who paid whom, what was cut off, and the standings."""
    with session.client() as client:
        found = client.get_settlement(str(round_id))
        if as_json:
            print_json(found)
            return
        round_ = client.get_round(str(round_id))
        ruleset = client.get_ruleset(round_["ruleset"])
    show_settlement(make_console(), found, ruleset, Names(round_["seats"]))


@rounds.command(name="document", cls=Command, examples=[f"ofc round document {EXAMPLE_ID} > round.json"])
@id_argument
@pass_session
def document(session: Session, round_id: UUID) -> None:
    """Print a round as one document: what happened, and no result."""
    with session.client() as client:
        print_json(client.get_document(str(round_id)))
