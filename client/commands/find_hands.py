"""The command that finds hands of all rounds."""

from itertools import islice
from typing import Any

import click

from client.commands.base import (
    Command,
    Period,
    Session,
    json_option,
    limit_option,
    pass_session,
    period_options_for,
    print_json,
)
from client.commands.names import complete_players, complete_rulesets, table_option
from client.lookup import find_table
from client.render.console import make_console
from client.render.hands import list_found_hands


@click.command(
    name="find",
    cls=Command,
    examples=["ofc hand find --player ann --from -7d --foul", "ofc hand find --table kitchen --no-fantasyland"],
)
@click.option(
    "--player", metavar="PLAYER", help="Only hands that were dealt to this player.", shell_complete=complete_players
)
@table_option
@click.option(
    "--ruleset", metavar="NAME[@VERSION]", help="Only hands under this ruleset.", shell_complete=complete_rulesets
)
@click.option("--foul/--no-foul", default=None, help="Only hands with a foul board, or without; of --player, if given.")
@click.option(
    "--fantasyland/--no-fantasyland",
    default=None,
    help="Only hands with a player in Fantasyland, or without; of --player, if given.",
)
@period_options_for("hands played, or else recorded,")
@limit_option
@json_option
@pass_session
def find_hands(
    session: Session,
    player: str | None,
    table: str | None,
    ruleset: str | None,
    foul: bool | None,
    fantasyland: bool | None,
    period: Period,
    limit: int,
    as_json: bool,
) -> None:
    """
    Find hands of all rounds, newest recorded first.

    A hand that was undone or corrected is not listed; the record that replaces it is.
    """
    with session.client() as client:
        wanted: dict[str, Any] = {
            "player": player,
            "table": None if table is None else find_table(client, table)["id"],
            "ruleset": ruleset,
            "foul": foul,
            "fantasyland": fantasyland,
            **period.find(client),
        }
        found = list(islice(client.find_hands(**wanted), limit))
    if as_json:
        print_json({"hands": found})
    else:
        list_found_hands(make_console(), found)
