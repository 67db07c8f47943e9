"""The command that shows statistics of players."""

import click

from client.commands.base import Command, Period, Session, json_option, pass_session, period_options, print_json
from client.commands.names import complete_players, complete_rulesets, complete_tables
from client.lookup import find_table
from client.render.console import make_console
from client.render.statistics import show_statistics


@click.command(
    cls=Command,
    examples=["ofc statistics", "ofc statistics --table kitchen --ruleset pineapple --from 2026-11-01"],
)
@click.argument("player", metavar="[PLAYER]", required=False, shell_complete=complete_players)
@click.option("--table", help="Only rounds at this table, by its name or id.", shell_complete=complete_tables)
@click.option(
    "--ruleset", metavar="NAME[@VERSION]", help="Only hands under this ruleset.", shell_complete=complete_rulesets
)
@period_options
@json_option
@pass_session
def statistics(
    session: Session, player: str | None, table: str | None, ruleset: str | None, period: Period, as_json: bool
) -> None:
    """
    Show statistics of a player, or of all players, most hands first.

    Only the revisions in force count, so statistics follow corrections.
    """
    with session.client() as client:
        table_id = None if table is None else find_table(client, table)["id"]
        wanted = {"table": table_id, "ruleset": ruleset, **period.find(client)}
        found = client.list_statistics(**wanted) if player is None else client.get_player_statistics(player, **wanted)
    if as_json:
        print_json(found)
    else:
        show_statistics(make_console(), found)
