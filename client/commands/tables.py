"""Commands that create tables, list them, and print statements."""

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
    settle_up_option,
)
from client.commands.names import complete_rulesets, complete_tables
from client.lookup import find_table
from client.render.console import make_console
from client.render.rounds import list_tables, show_statement, show_table

Document = dict[str, Any]

table_argument = click.argument("table", metavar="TABLE", shell_complete=complete_tables)


_LAZY_COMMANDS: Final = {
    "link": ("table_links:link", "Create a link to one table, and print it with a QR code."),
    "links": ("table_links:links", "List the links to a table, newest first, with expired and revoked ones."),
    "unlink": ("table_links:unlink", "Revoke a link to a table."),
}


@click.group(
    name="table",
    cls=Group,
    lazy_commands=_LAZY_COMMANDS,
    examples=["ofc table create friday --ruleset pineapple", "ofc table list", "ofc table statement friday"],
)
def tables() -> None:
    """Create tables, and settle up at the end of an evening."""


@tables.command(
    name="create",
    cls=Command,
    examples=[
        "ofc table create friday --ruleset pineapple",
        "ofc table create friday --ruleset progressive --point-value 50 --currency EUR",
    ],
)
@click.argument("name")
@click.option(
    "--ruleset",
    required=True,
    metavar="NAME[@VERSION]",
    help="The ruleset; see `ofc ruleset list`.",
    shell_complete=complete_rulesets,
)
@click.option(
    "--point-value", type=click.IntRange(0), help="The value of a point in minor units: 50 with EUR is 0.50 EUR."
)
@click.option("--currency", metavar="CODE", help="The ISO 4217 code, for example EUR.")
@click.option("--minimum-stack", type=click.IntRange(1), help="The minimum stack of a player who sits down.")
@click.option(
    "--correction-window",
    type=click.IntRange(0),
    metavar="MINUTES",
    help="How long settlements stay provisional; 30 by default.",
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
    """
    Create a table.

    A round uses the ruleset version, the point value and the currency that its table has when the round is opened.
    """
    wanted = {
        "name": name,
        "ruleset": ruleset,
        "point_value": point_value,
        "currency": currency,
        "minimum_stack": minimum_stack,
        "correction_window_minutes": correction_window,
    }
    with session.client() as client:
        request: Any = {field: value for field, value in wanted.items() if value is not None}
        table = client.add_table(request)
    if as_json:
        print_json(table)
    else:
        show_table(make_console(), table)


@tables.command(name="list", cls=Command, examples=["ofc table list", "ofc table list --json"])
@limit_option
@json_option
@pass_session
def list_(session: Session, limit: int, as_json: bool) -> None:
    """List the tables of the club, newest first."""
    with session.client() as client:
        found = list(islice(client.list_tables(), limit))
    if as_json:
        print_json({"tables": found})
    else:
        list_tables(make_console(), found)


@tables.command(
    name="statement",
    cls=Command,
    examples=[
        "ofc table statement friday",
        "ofc table statement friday --from today",
        "ofc table statement friday --settle-up pairs",
    ],
)
@table_argument
@period_options
@settle_up_option
@json_option
@pass_session
def statement(session: Session, table: str, period: Period, settle_up: Any, as_json: bool) -> None:
    """
    Show the sums of a table's rounds, and who pays whom.

    For each player: the opening stack, top-ups, net result and current stack, and the fewest payments that settle
    everyone.
    """
    with session.client() as client:
        found = find_table(client, table)
        summed = client.get_statement(found["id"], settle_up=settle_up, **period.find(client))
    if as_json:
        print_json(summed)
    else:
        show_statement(make_console(), found["name"], summed)
