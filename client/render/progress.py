"""How far many rounds have come, on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Task as Row
from rich.text import Text

from client.render.console import make_console


class Coming:
    """A bar that moves as rounds, or whatever is counted, come."""

    def __init__(self, progress: Progress, what: str, counted: str) -> None:
        self._progress = progress
        self._row = progress.add_task(what, total=None, rounds=0, counted=counted)

    def expect(self, total: float | None) -> None:
        """Say how much there is, where that is known."""
        self._progress.update(self._row, total=total)

    def show(self, done: float, rounds: int) -> None:
        """Say how much is done, and how many rounds that is."""
        self._progress.update(self._row, completed=done, rounds=rounds)


class _RateColumn(ProgressColumn):
    """Rounds a second."""

    def render(self, task: Row) -> Text:
        """Say how many there were, over all of the time."""
        rounds, counted = task.fields["rounds"], task.fields["counted"]
        rate = f", {rounds / task.elapsed:.0f}/s" if task.elapsed else ""
        return Text(f"{rounds} {counted}{rate}")


@contextmanager
def watch(what: str, *, counted: str = "rounds", is_shown: bool = True) -> Iterator[Coming]:
    """Show a bar with rate and time left while the block runs, where somebody looks at a terminal."""
    console = make_console(error=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        _RateColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not (is_shown and console.is_terminal)
    ) as progress:
        yield Coming(progress, what, counted)
