"""Commands that create and change tables, list them, and print statements."""

from typing import Any

import click

from client.commands.administration import add_verbs
from client.commands.base import (
    Command,
    Group,
    Period,
    Session,
    json_option,
    pass_session,
    period_options,
    print_json,
    settle_up_option,
)
from client.commands.names import complete_tables
from client.lookup import find_table
from client.render.console import make_console
from client.render.rounds import show_statement

table_argument = click.argument("table", metavar="TABLE", shell_complete=complete_tables)


@click.group(
    name="table",
    cls=Group,
    examples=["ofc table create friday --ruleset pineapple", "ofc table list", "ofc table statement friday"],
)
def tables() -> None:
    """Create and change tables, and settle up at the end of an evening."""


add_verbs(tables)


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
        record = find_table(client, table)
        summed = client.get_statement(record["id"], settle_up=settle_up, **period.find(client))
    if as_json:
        print_json(summed)
    else:
        show_statement(make_console(), record["name"], summed)
