"""The commands about players, their texts and metadata: names, the other IDs of one person, and erasure."""

from collections.abc import Mapping
from typing import Any, Final

import click

from client.api import Client
from client.commands.base import Group
from client.commands.explain import EXAMPLE_HAND_ID
from client.commands.rounds import EXAMPLE_ID
from client.commands.verbs import Verb, add_commands, make_command
from client.lookup import find_id, find_round
from client.render.hands import show_hand
from client.render.players import PLAYERS, show_player
from client.render.rounds import show_round

_JOINING: Final = "ofc player join bob bobby"
Document = Mapping[str, Any]


def _find_hand(client: Client, text: str) -> Document:
    """Find a hand by its id or the end of its id."""
    return {"id": find_id(client, "hand", text)}


_HAND: Final[Mapping[str, Any]] = {
    "metavars": {"hand_id": "HAND", "metadata": "KEY=TEXT"},
    "finds": {"hand_id": _find_hand},
    "show": show_hand,
}

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
        help="Show the name, the aliases and the metadata of a player.",
        examples=["ofc player show bobby"],
        show=show_player,
    ),
    "player name": Verb(
        operation="name_player",
        help="""Set the display name of a player, and their metadata.

        Without --metadata and --no-metadata, the metadata stay as they are.""",
        examples=["ofc player name ann 'Ann Example'", "ofc player name ann Ann --metadata member=0117"],
        arguments=("display_name",),
        metavars={"player": "PLAYER", "display_name": "NAME", "metadata": "KEY=TEXT"},
        clears=("metadata",),
        show=show_player,
    ),
    "player erase": Verb(
        operation="erase_player",
        help="""Erase the names and the metadata of a player, and texts about them.

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
    "round update": Verb(
        operation="update_round",
        help="""Replace the metadata of a round.

        ROUND is its id or, for the newest round of a table, the table's name. What it had is erased.""",
        examples=[
            "ofc round update friday --metadata tournament=friday-7 --metadata city=Lyon",
            "ofc round update friday --no-metadata",
        ],
        clears=("metadata",),
        metavars={"round_id": "ROUND", "metadata": "KEY=TEXT"},
        finds={"round_id": find_round},
        show=show_round,
    ),
    "hand show": Verb(
        operation="get_hand",
        help="Show who won what in a hand, with its reference and its metadata. `ofc hand explain` shows every point.",
        examples=[f"ofc hand show {EXAMPLE_HAND_ID}"],
        **_HAND,
    ),
    "hand update": Verb(
        operation="update_hand",
        help="Replace the metadata of a hand. What it had is erased.",
        examples=[f"ofc hand update {EXAMPLE_HAND_ID} --metadata video=cam2/0117"],
        clears=("metadata",),
        **_HAND,
    ),
    "text erase": Verb(
        operation="erase_texts",
        help="""Erase the texts of a record, such as notes and metadata.

        These are its metadata, notes, reasons, claims, comments and labels.
        RECORD is the id of a table, a round, a hand, a dispute, a payment, a charge, a claim of a payment, a proposal,
        a link, a key or a recomputation. Those of a round are erased with those of its hands, disputes and proposals.
        Results and amounts remain.""",
        examples=[f"ofc text erase {EXAMPLE_ID} --yes"],
        metavars={"record_id": "RECORD"},
        confirms=(None, "Erase the texts of the record, for good?"),
        done="Erased: the texts of {id}.",
    ),
}
"""The rows, by the names of their commands."""


@click.group(name="player", cls=Group, examples=[_JOINING, "ofc player list"])
def players() -> None:
    """
    Set the names of players, join the IDs of one person, and erase texts about players.

    `ofc statistics` and `ofc balances` show the figures of players.
    """


@click.group(name="text", cls=Group, examples=[f"ofc text erase {EXAMPLE_ID} --yes"])
def texts() -> None:
    """Erase the texts of people. This needs a key of the scope `admin`."""


add_commands(players, VERBS)
add_commands(texts, VERBS)
update_round = make_command("update", VERBS["round update"])
show_hand_of_club = make_command("show", VERBS["hand show"])
update_hand = make_command("update", VERBS["hand update"])
