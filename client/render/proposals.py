"""Proposals: changes of final settlements that another key confirms."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.console import Column
from client.render.format import ERASED, format_minute
from client.render.settlement import show_comparison

Document = Mapping[str, Any]


def _describe(proposal: Document) -> str:
    """Return what a proposal changes."""
    if proposal["audit"] is not None:
        return f"apply audit {proposal['audit']}"
    return f"correct round {proposal['round']}"


PROPOSALS: Final = (
    Column("id", "id", is_unbroken=True),
    Column("proposed (UTC)", lambda proposal: format_minute(proposal["proposed_at"])),
    Column("by", "by"),
    Column("change", _describe),
    Column("reason", lambda proposal: proposal["reason"] or ERASED),
    Column("state", "state"),
)


def show_proposal(console: Console, proposal: Document) -> None:
    """Print a proposal, what it changes, and how it ended."""
    console.print(Text(f"Proposal {proposal['id']}: {proposal['state']}", style="bold"), soft_wrap=True)
    proposed = f"{format_minute(proposal['proposed_at'])} UTC, {proposal['by']}: {_describe(proposal)}"
    console.print(Text(f"{proposed}; {proposal['reason'] or ERASED}"), soft_wrap=True)
    if proposal["dispute"] is not None:
        upheld = ", which is upheld with it" if proposal["upholds"] else ""
        console.print(Text(f"For dispute {proposal['dispute']}{upheld}."), soft_wrap=True)
    if proposal["comparison"] is not None:
        console.print()
        show_comparison(console, proposal["comparison"])
    elif proposal["state"] == "waiting" and proposal["round"] is not None:
        why = "The round has changed since" if proposal["reason"] else "The request was erased"
        console.print(Text(f"{why}; the proposal cannot be confirmed.", style="yellow"))
    if proposal["end"] is not None:
        console.print(Text(_describe_end(proposal["state"], proposal["end"])), soft_wrap=True)


def _describe_end(state: str, end: Document) -> str:
    """
    Return how a proposal ended.

    >>> end = {"at": "2026-11-20T21:04:00Z", "by": "audit-2", "reason": None, "revision": 3, "recomputation": None}
    >>> _describe_end("confirmed", end)
    '2026-11-20 21:04 UTC, confirmed by audit-2: revision 3'
    """
    results = (
        end["reason"] or (ERASED if state == "withdrawn" else None),
        None if end["revision"] is None else f"revision {end['revision']}",
        None if end["recomputation"] is None else f"recomputation {end['recomputation']}",
    )
    what = "; ".join(result for result in results if result is not None)
    return f"{format_minute(end['at'])} UTC, {state} by {end['by']}: {what}"


def show_proposed(console: Console, proposal: Document) -> None:
    """Print that a change was proposed, and how it takes effect."""
    confirm = f"`ofc proposal confirm {proposal['id']}`"
    console.print(
        Text(f"Proposed: proposal {proposal['id']}. It takes effect when another key confirms it: {confirm}."),
        soft_wrap=True,
    )
