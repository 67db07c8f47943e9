"""What waits to be sent."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from client.render.cards import plural


class Waiting(Protocol):
    """A request that waits."""

    @property
    def id(self) -> int:
        """Its number in the queue."""

    @property
    def round_id(self) -> str:
        """The round that it is for."""

    @property
    def verb(self) -> str:
        """What it does."""

    @property
    def kept_at(self) -> str:
        """When it was put in line."""

    @property
    def problem(self) -> Mapping[str, Any] | None:
        """Why it was refused last."""

    @property
    def document(self) -> Mapping[str, Any]:
        """What it says."""


def describe(entry: Waiting, table: str | None) -> str:
    """Say what a request does, and where."""
    said = entry.document
    what = {
        "record_hand": f"hand {said.get('number')}",
        "undo_hand": f"undo of hand {said.get('number')}",
        "record_departure": f"departure from seat {said.get('seat')}",
        "close_round": "closing of the round",
    }[entry.verb]
    return f"{what} at {table}" if table else f"{what} in round {entry.round_id}"


def list_waiting(console: Console, waiting: Iterable[tuple[Waiting, str | None]], elsewhere: Mapping[str, int]) -> None:
    """List what waits, each with what it does and why it was refused; then how much waits for other services."""
    is_empty = True
    stopped: set[str] = set()
    for entry, table in waiting:
        is_empty = False
        line = Text(f"{entry.id}  {describe(entry, table)}", style="bold")
        line.append(f"  since {entry.kept_at[:16].replace('T', ' ')}", style="not bold dim")
        console.print(line)
        if entry.problem is not None:
            stopped.add(entry.round_id)
            _show_refusal(console, entry, entry.problem)
        elif entry.round_id in stopped:
            console.print(Text("   waits behind what was refused", style="dim"))
    if is_empty:
        console.print("Nothing waits.")
    for server, number in elsewhere.items():
        console.print(Text(f"{plural(number, 'request')} for {server}: give its address with --url.", style="dim"))


def _show_refusal(console: Console, entry: Waiting, problem: Mapping[str, Any]) -> None:
    console.print(Text(f"   refused: {problem['title']} ({problem['code']})", style="red"))
    mistakes = problem["errors"] or [{"pointer": "", "detail": problem["detail"]}]
    for mistake in mistakes:
        said = f"{mistake['pointer']}  {mistake['detail']}".strip()
        console.print(Padding(Text(said), (0, 0, 0, 5), expand=False))
    ways = [f"`ofc queue drop {entry.id}` gives it up", "`ofc queue flush` tries it again"]
    if "hand" in problem:
        ways.insert(0, f"`ofc queue restore {entry.id}` lets it count again")
    console.print(Padding(Text("; ".join(ways), style="dim"), (0, 0, 0, 3), expand=False))
