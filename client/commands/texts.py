"""The commands for metadata, and for the erasure of texts: one row for each."""

from collections.abc import Mapping
from typing import Any, Final

import click

from client.api import Client
from client.commands.base import Group
from client.commands.verbs import Verb, add_commands, make_command
from client.lookup import find_id, find_round
from client.render.hands import show_hand
from client.render.rounds import show_round

EXAMPLE_HAND: Final = "01a1fa84-64a0-7085-97f3-5be0a7c2d419"
EXAMPLE_ROUND: Final = "01a1fa77-4a59-709e-b6dd-b28a73ab9d3e"

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
    "text erase": Verb(
        operation="erase_texts",
        help="""Erase the texts of a record: its metadata, notes, reasons, claims, comments and labels.

        RECORD is the id of a table, a round, a hand, a dispute, a payment, a charge, a claim of a payment, a proposal,
        a link, a key or a recomputation. Those of a round are erased with those of its hands, disputes and proposals.
        Results and amounts remain.""",
        examples=[f"ofc text erase {EXAMPLE_ROUND} --yes"],
        metavars={"record_id": "RECORD"},
        confirms=(None, "Erase the texts of the record, for good?"),
        done="Erased: the texts of {id}.",
    ),
}
"""The rows, by the names of their commands."""


@click.group(name="text", cls=Group, examples=[f"ofc text erase {EXAMPLE_ROUND}"])
def texts() -> None:
    """Erase the texts of people. This needs a key of the scope `admin`."""


add_commands(texts, VERBS)
update_round = make_command("update", VERBS["round update"])
show_hand_of_club = make_command("show", VERBS["hand show"])
update_hand = make_command("update", VERBS["hand update"])
