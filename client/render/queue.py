"""Requests that wait to be sent."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from client.render.format import plural
from client.render.problems import SAME_DEAL, after_place, show_conflict
from client.responses import HAND_UNDONE


class WaitingRequest(Protocol):
    """A request that waits."""

    @property
    def id(self) -> int:
        """Its number in the queue."""

    @property
    def round_id(self) -> str:
        """The round that it is for."""

    @property
    def verb(self) -> str:
        """The operation."""

    @property
    def stored_at(self) -> str:
        """When it was stored."""

    @property
    def problem(self) -> Mapping[str, Any] | None:
        """The last refusal."""

    @property
    def document(self) -> Mapping[str, Any]:
        """Its content."""


def describe(entry: WaitingRequest, table: str | None) -> str:
    """Return what a request does, and at which table."""
    line = entry.document
    what = {
        "open_round": f"opening of round {line.get('reference')}",
        "record_hand": f"hand {line.get('number')}",
        "undo_hand": f"undo of hand {line.get('number')}",
        "record_departure": f"departure from seat {line.get('seat')}",
        "close_round": "closing of the round",
    }[entry.verb]
    return f"{what} at {table}" if table else f"{what} in round {entry.round_id}"


def count_changes(hands: int, others: int) -> str:
    """
    Return how many changes wait.

    >>> count_changes(1, 0), count_changes(2, 1), count_changes(0, 2)
    ('1 hand waits', '2 hands and 1 other change wait', '2 changes wait')
    """
    counted = [plural(hands, "hand")] if hands else []
    counted += [plural(others, "other change" if hands else "change")] if others or not hands else []
    return f"{' and '.join(counted)} {'waits' if hands + others == 1 else 'wait'}"


def list_waiting(
    console: Console, waiting: Iterable[tuple[WaitingRequest, str | None]], other_services: Mapping[str, int]
) -> None:
    """Print waiting requests, each with its operation and its refusal, and how many wait for other services."""
    is_empty = True
    stopped: set[str] = set()
    for entry, table in waiting:
        is_empty = False
        line = Text(f"{entry.id}  {describe(entry, table)}", style="bold")
        line.append(f"  since {entry.stored_at[:16].replace('T', ' ')}", style="not bold dim")
        console.print(line)
        if entry.problem is not None:
            stopped.add(entry.round_id)
            _show_refusal(console, entry, entry.problem)
        elif entry.round_id in stopped:
            console.print(Text("   waits behind a refused request", style="dim"))
    if is_empty:
        console.print("No requests wait.")
    for server, number in other_services.items():
        console.print(Text(f"{plural(number, 'request')} for {server}: give its address with --url.", style="dim"))


def _show_refusal(console: Console, entry: WaitingRequest, problem: Mapping[str, Any]) -> None:
    console.print(Text(f"   refused: {problem['title']} ({problem['code']})", style="red"))
    mistakes = problem["errors"] or [{"pointer": "", "detail": problem["detail"]}]
    for mistake in mistakes:
        line = f"{mistake['pointer']}  {after_place(mistake['detail'])}".strip()
        console.print(Padding(Text(line), (0, 0, 0, 5), expand=False))
    if entry.verb == "record_hand":
        show_conflict(console, entry.document, problem["errors"])
    what = "drops it" if entry.verb != "open_round" else "drops the round with all requests that wait for it"
    ways = [f"`ofc queue drop {entry.id}` {what}", "`ofc queue flush` tries it again"]
    if entry.verb == "open_round" and problem["code"] == "expected-differs":
        ways.insert(0, f"`ofc queue use-stacks {entry.id}` opens it with the stacks that it was played with")
    if problem["code"] == HAND_UNDONE:
        ways.insert(0, f"`ofc queue restore {entry.id}` restores it")
    if problem["code"] == SAME_DEAL:
        ways.insert(0, f"`ofc queue dealt-again {entry.id}` records it: the players were dealt the same cards again")
    console.print(Padding(Text("; ".join(ways), style="dim"), (0, 0, 0, 3), expand=False))
