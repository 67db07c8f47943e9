from itertools import islice

import click

from client.commands.common import Command, Group, Session, json_option, pass_session, print_json
from client.commands.line import count_waiting, tell_waiting
from client.finding import find_table
from client.render.console import make_console
from client.render.tables import list_tables, show_statement, show_table

table_argument = click.argument("table", metavar="TABLE")


@click.group(
    name="table",
    cls=Group,
    examples=["ofc table create friday --ruleset pineapple", "ofc table list", "ofc table statement friday"],
)
def tables() -> None:
    """Set up tables, and settle up at the end of an evening."""


@tables.command(
    name="create",
    cls=Command,
    examples=[
        "ofc table create friday --ruleset pineapple",
        "ofc table create friday --ruleset progressive --point-value 50 --currency EUR",
    ],
)
@click.argument("name")
@click.option("--ruleset", required=True, metavar="NAME[@VERSION]", help="What is played: see `ofc ruleset list`.")
@click.option(
    "--point-value", type=click.IntRange(0), help="What a point is worth, in minor units: 50 with EUR is 0.50 EUR."
)
@click.option("--currency", metavar="CODE", help="Three capital letters, like EUR.")
@click.option("--minimum-stack", type=click.IntRange(1), help="The least that a player sits down with.")
@click.option(
    "--correction-window",
    type=click.IntRange(0),
    metavar="MINUTES",
    help="How long settlements stay provisional: 30 unless said otherwise.",
)
@json_option
@pass_session
def create(
    session: Session,
    name: str,
    ruleset: str,
    point_value: int | None,
    currency: str | None,
    minimum_stack: int | None,
    correction_window: int | None,
    as_json: bool,
) -> None:
    """Set up a table. Its rounds keep the ruleset's version, the point value and the currency that it has now."""
    wanted = {
        "name": name,
        "ruleset": ruleset,
        "point_value": point_value,
        "currency": currency,
        "minimum_stack": minimum_stack,
        "correction_window_minutes": correction_window,
    }
    with session.client() as client:
        table = client.add_table({field: value for field, value in wanted.items() if value is not None})
    if as_json:
        print_json(table)
    else:
        show_table(make_console(), table)


@tables.command(name="list", cls=Command, examples=["ofc table list", "ofc table list --json"])
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@json_option
@pass_session
def list_(session: Session, limit: int, as_json: bool) -> None:
    """List the club's tables, the newest first."""
    with session.client() as client:
        found = list(islice(client.list_tables(), limit))
    if as_json:
        print_json({"tables": found})
    else:
        list_tables(make_console(), found)


@tables.command(
    name="statement",
    cls=Command,
    examples=["ofc table statement friday", "ofc table statement friday --from 2026-11-20T00:00:00Z --json"],
)
@table_argument
@click.option("--from", "opened_from", metavar="TIME", help="Only rounds opened at this time or later (RFC 3339).")
@click.option("--to", "opened_before", metavar="TIME", help="Only rounds opened before this time.")
@json_option
@pass_session
def statement(session: Session, table: str, opened_from: str | None, opened_before: str | None, as_json: bool) -> None:
    """
    Sum up a table's rounds, and say who pays whom.

    Player by player: what he opened with, added, won or lost and has now, and the fewest payments that settle everyone.
    """
    with session.client() as client:
        found = find_table(client, table)
        summed = client.get_statement(found["id"], **{"from": opened_from, "to": opened_before})
        tell_waiting(count_waiting(session, client, table=found["name"]), "table")
    if as_json:
        print_json(summed)
    else:
        show_statement(make_console(), found["name"], summed)
