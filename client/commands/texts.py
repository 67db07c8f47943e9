"""The commands for metadata, for display names, and for the erasure of texts: one row for each."""

from collections.abc import Mapping
from typing import Any, Final

import click

from client.api import Client
from client.commands.base import Group
from client.commands.verbs import Verb, add_commands, make_command
from client.lookup import find_id, find_round
from client.render.console import Column, show_metadata
from client.render.format import format_minute
from client.render.hands import show_hand
from client.render.rounds import show_round

EXAMPLE_HAND: Final = "01a1fa84-64a0-7085-97f3-5be0a7c2d419"
EXAMPLE_ROUND: Final = "01a1fa77-4a59-709e-b6dd-b28a73ab9d3e"

Document = Mapping[str, Any]


def _find_hand(client: Client, text: str) -> Document:
    """Find a hand by its id or the end of its id."""
    return {"id": find_id(client, "hand", text)}


def _show_player(console: Any, player: Document) -> None:
    """Print a player with their display name and metadata."""
    console.print(f"{player['player']}: {player['display_name']}", soft_wrap=True)
    show_metadata(console, player)


_HAND: Final[Mapping[str, Any]] = {
    "metavars": {"hand_id": "HAND", "metadata": "KEY=TEXT"},
    "finds": {"hand_id": _find_hand},
    "show": show_hand,
}

VERBS: Final[Mapping[str, Verb]] = {
    "round update": Verb(
        operation="update_round",
        help="""Replace the metadata of a round.

        ROUND is its id or, for the newest round of a table, the table's name. What it had is erased.""",
        examples=["ofc round update friday --metadata tournament=friday-7 --metadata city=Lyon"],
        metavars={"round_id": "ROUND", "metadata": "KEY=TEXT"},
        finds={"round_id": find_round},
        show=show_round,
    ),
    "hand show": Verb(
        operation="get_hand",
        help="Show who won what in a hand, with its reference and its metadata. `ofc hand explain` shows every point.",
        examples=[f"ofc hand show {EXAMPLE_HAND}"],
        **_HAND,
    ),
    "hand update": Verb(
        operation="update_hand",
        help="Replace the metadata of a hand. What it had is erased.",
        examples=[f"ofc hand update {EXAMPLE_HAND} --metadata video=cam2/0117"],
        **_HAND,
    ),
    "player list": Verb(
        operation="list_players",
        help="List the players with a display name, newest first.",
        examples=["ofc player list", "ofc player list --json"],
        columns=(
            Column("player", "player"),
            Column("display name", "display_name"),
            Column("set (UTC)", lambda player: format_minute(player["named_at"])),
        ),
        items="players",
        limit=50,
    ),
    "player show": Verb(
        operation="get_player",
        help="Show the display name of a player, and their metadata.",
        examples=["ofc player show ann"],
        metavars={"player": "PLAYER"},
        show=_show_player,
    ),
    "player name": Verb(
        operation="name_player",
        help="Set the display name of a player, and replace their metadata if --metadata is given.",
        examples=["ofc player name ann 'Ann Example'", "ofc player name ann Ann --metadata member=0117"],
        arguments=("display_name",),
        metavars={"player": "PLAYER", "display_name": "NAME", "metadata": "KEY=TEXT"},
        show=_show_player,
    ),
    "player erase": Verb(
        operation="erase_player",
        help="""Erase the display name of a player, their metadata, and the texts by them and about them.

        Rounds, hands and settlements remain, with the player's ID.""",
        examples=["ofc player erase ann --yes"],
        metavars={"player": "PLAYER"},
        confirms=(None, "Erase the texts by the player and about them, for good?"),
        done="Erased: the texts by {id} and about them.",
    ),
    "text erase": Verb(
        operation="erase_texts",
        help="""Erase the texts of a record: its metadata, notes, reasons, claims, comments and labels.

        RECORD is the id of a table, a round, a hand, a dispute, a payment, a charge, a link, a key or a recomputation.
        Those of a round are erased with those of its hands and disputes. Results and amounts remain.""",
        examples=[f"ofc text erase {EXAMPLE_ROUND} --yes"],
        metavars={"record_id": "RECORD"},
        confirms=(None, "Erase the texts of the record, for good?"),
        done="Erased: the texts of {id}.",
    ),
}
"""The rows, by the names of their commands."""


@click.group(name="player", cls=Group, examples=["ofc player name ann 'Ann Example'", "ofc player erase ann"])
def players() -> None:
    """
    Set the display names of players, and erase the texts by them and about them.

    PLAYER is the player's ID, as rounds have it.
    """


@click.group(name="text", cls=Group, examples=[f"ofc text erase {EXAMPLE_ROUND}"])
def texts() -> None:
    """Erase the texts of people. This needs a key of the scope `admin`."""


add_commands(players, VERBS)
add_commands(texts, VERBS)
update_round = make_command("update", VERBS["round update"])
show_hand_of_club = make_command("show", VERBS["hand show"])
update_hand = make_command("update", VERBS["hand update"])
