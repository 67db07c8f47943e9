"""The command that shows statements over several tables."""

from typing import Any

import click

from client.commands.base import (
    Command,
    Period,
    Session,
    json_option,
    pass_session,
    period_options,
    print_json,
    settle_up_option,
)
from client.commands.names import complete_players, complete_tables
from client.files import standard_output
from client.lookup import find_table
from client.render.console import make_console
from client.render.rounds import show_club_statement


@click.command(
    cls=Command,
    examples=[
        "ofc statement --from today",
        "ofc statement --player ann --from 2026-11-01 --to 2026-12-01",
        "ofc statement --table kitchen --csv > kitchen.csv",
        "ofc statement --from today --settle-up pairs",
    ],
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    help="Only this table, by its name or id; more than once for several.",
    shell_complete=complete_tables,
)
@click.option("--player", help="Only rounds that this player played.", shell_complete=complete_players)
@period_options
@settle_up_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, for spreadsheets.")
@json_option
@pass_session
def statement(
    session: Session,
    tables: tuple[str, ...],
    player: str | None,
    period: Period,
    settle_up: str | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """
    Show what players won and lost over several tables, and who pays whom.

    All tables of the club, unless --table is given. Amounts of different currencies are not added up.
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json were given; expected one of them")
    with session.client() as client:
        ids = ",".join(find_table(client, table)["id"] for table in tables) or None
        wanted: dict[str, Any] = {"tables": ids, "player": player, "settle_up": settle_up, **period.find(client)}
        if as_csv:
            output = standard_output()
            output.write(client.get_club_statement_as("text/csv", **wanted).content)
            output.flush()
            return
        summed = client.get_club_statement(**wanted)
    if as_json:
        print_json(summed)
    else:
        show_club_statement(make_console(), summed)
