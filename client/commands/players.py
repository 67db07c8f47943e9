"""The commands about players: their names and metadata, the other IDs of one person, and the erasure of texts."""

from collections.abc import Mapping
from typing import Final

import click

from client.commands.base import Group
from client.commands.verbs import Verb, add_commands
from client.render.players import PLAYERS, show_player

_JOINING: Final = "ofc player join bob bobby"

VERBS: Final[Mapping[str, Verb]] = {
    "player list": Verb(
        operation="list_players",
        help="List players with a display name or aliases, newest first.",
        examples=["ofc player list", "ofc player list --json"],
        columns=PLAYERS,
        items="players",
        limit=100,
    ),
    "player show": Verb(
        operation="get_player",
        help="Show the display name, the aliases and the metadata of a player, by any of their IDs.",
        examples=["ofc player show bobby"],
        show=show_player,
    ),
    "player name": Verb(
        operation="name_player",
        help="Set the display name of a player, and replace their metadata if --metadata is given.",
        examples=["ofc player name ann 'Ann Example'", "ofc player name ann Ann --metadata member=0117"],
        arguments=("display_name",),
        metavars={"player": "PLAYER", "display_name": "NAME", "metadata": "KEY=TEXT"},
        show=show_player,
    ),
    "player erase": Verb(
        operation="erase_player",
        help="""Erase the display names of a player, their metadata, and the texts by them and about them.

        Those under all IDs of the player are erased. Rounds, hands and settlements remain, with the player's IDs.""",
        examples=["ofc player erase ann --yes"],
        metavars={"player": "PLAYER"},
        confirms=(None, "Erase the texts by the player and about them, for good?"),
        done="Erased: the texts by {id} and about them.",
    ),
    "player join": Verb(
        operation="join_player",
        help="""Join ALIAS, another ID of the same person, to PLAYER.

        Records stay as they are. Every list, balance, statement and statistic shows both as PLAYER, and a stack of one
        carries over to the other. IDs that sat in one round cannot be joined.""",
        examples=[_JOINING],
        arguments=("alias",),
        columns=PLAYERS,
    ),
    "player part": Verb(
        operation="part_player",
        help="Part ALIAS from PLAYER. Every figure is again what it was without the join.",
        examples=["ofc player part bob bobby"],
        arguments=("alias",),
        columns=PLAYERS,
    ),
}
"""The rows, by the names of their commands."""


@click.group(name="player", cls=Group, examples=[_JOINING, "ofc player list"])
def players() -> None:
    """
    Set the names of players, join the IDs of one person, and erase the texts by players and about them.

    `ofc statistics` and `ofc balances` show the figures of players.
    """


add_commands(players, VERBS)
