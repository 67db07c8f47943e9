"""Where explanations are printed: on terminals and into pipes."""

import os
from typing import Final, NoReturn

from rich.console import Console

_PIPE_WIDTH: Final = 160


class PlainConsole(Console):
    """A console that takes texts as they are, and says when whoever read it has gone."""

    def on_broken_pipe(self) -> NoReturn:
        """Let the command decide how to end."""
        raise BrokenPipeError


def make_console(*, error: bool = False) -> Console:
    """Write for people: colours on a terminal that has them, unless NO_COLOR is set; wide lines into a pipe."""
    console = PlainConsole(
        stderr=error,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        markup=False,
        emoji=False,
        highlight=False,
    )
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console
