"""A progress bar on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Task as Row
from rich.text import Text

from client.render.console import make_console


class ProgressBar:
    """A progress bar with a count of rounds or other things."""

    def __init__(self, progress: Progress, what: str, counted: str) -> None:
        self._progress = progress
        self._row = progress.add_task(what, total=None, rounds=0, counted=counted)

    def expect(self, total: float | None) -> None:
        """Set the total, if it is known."""
        self._progress.update(self._row, total=total)

    def show(self, done: float, rounds: int) -> None:
        """Set how much is done, and how many rounds that is."""
        self._progress.update(self._row, completed=done, rounds=rounds)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Hide the bar while a question is asked, which it would overwrite."""
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()


class _RateColumn(ProgressColumn):
    """The rate in rounds a second."""

    def render(self, task: Row) -> Text:
        """Return the average rate over the whole time."""
        rounds, counted = task.fields["rounds"], task.fields["counted"]
        rate = f", {rounds / task.elapsed:.0f}/s" if task.elapsed else ""
        return Text(f"{rounds} {counted}{rate}")


@contextmanager
def show_progress(what: str, *, counted: str = "rounds", is_shown: bool = True) -> Iterator[ProgressBar]:
    """Show a progress bar with rate and time left while the block runs, if the output is a terminal."""
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
        yield ProgressBar(progress, what, counted)
