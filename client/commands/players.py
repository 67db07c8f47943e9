"""The commands about players: their names, and the other IDs of one person, which are joined and parted."""

from collections.abc import Mapping
from typing import Final

import click

from client.commands.base import Group
from client.commands.verbs import Verb, add_commands
from client.render.players import PLAYERS

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
        help="Show the display name and the aliases of a player, by any of their IDs.",
        examples=["ofc player show bobby"],
        columns=PLAYERS,
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
    Show the names of players, and join the IDs of one person.

    `ofc statistics` and `ofc balances` show the figures of players.
    """


add_commands(players, VERBS)
