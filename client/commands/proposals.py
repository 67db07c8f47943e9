"""The commands about proposals: one row for each, over the operations of the contract."""

from collections.abc import Mapping
from typing import Any, Final

import click

from client.api import Client
from client.commands.base import Group
from client.commands.verbs import Verb, add_commands
from client.lookup import find_id
from client.render.proposals import PROPOSALS, show_proposal

EXAMPLE_PROPOSAL: Final = "01a1fc11-7d20-7b64-8e1f-2c9a5b3d4e60"


def _find(client: Client, text: str) -> Mapping[str, Any]:
    return {"id": find_id(client, "proposal", text)}


_ONE: Final[Mapping[str, Any]] = {"finds": {"proposal_id": _find}}

PROPOSAL_VERBS: Final[Mapping[str, Verb]] = {
    "proposal list": Verb(
        operation="list_proposals",
        help="List proposals, newest first.",
        examples=["ofc proposal list --state waiting", "ofc proposal list --round friday --json"],
        metavars={"round": "ROUND"},
        columns=PROPOSALS,
        items="proposals",
        limit=50,
    ),
    "proposal show": Verb(
        operation="get_proposal",
        help="Show a proposal with what it changes.",
        examples=[f"ofc proposal show {EXAMPLE_PROPOSAL}"],
        show=show_proposal,
        **_ONE,
    ),
    "proposal confirm": Verb(
        operation="confirm_proposal",
        help="""Confirm a proposal, so that it takes effect.

        The key must be another than the one that proposed it, and not of the same people. What changes is shown before
        anything is stored. A round that has changed since is not corrected.""",
        examples=[f"ofc proposal confirm {EXAMPLE_PROPOSAL} --yes"],
        show=show_proposal,
        confirms=("get_proposal", "Confirm it?"),
        done="Confirmed: proposal {id}.",
        **_ONE,
    ),
    "proposal withdraw": Verb(
        operation="withdraw_proposal",
        help="Withdraw a proposal, or refuse that of another key.",
        examples=[f"ofc proposal withdraw {EXAMPLE_PROPOSAL} --reason 'the other camera shows it'"],
        done="Withdrawn: proposal {id}.",
        **_ONE,
    ),
}
"""The rows, by the names of their commands."""


@click.group(
    name="proposal",
    cls=Group,
    examples=["ofc proposal list --state waiting", f"ofc proposal confirm {EXAMPLE_PROPOSAL} --yes"],
)
def proposals() -> None:
    """
    Confirm and withdraw changes of final settlements.

    In a club that requires a second auditor, `ofc round correct`, `ofc hand correct`, `ofc dispute resolve` and `ofc
    recompute start` propose what would change a final settlement. It takes effect when another key confirms it.
    """


add_commands(proposals, PROPOSAL_VERBS)
