"""Where explanations are printed: on terminals and into pipes."""

import codecs
import io
import os
import sys
from typing import Final, NoReturn

from rich.console import Console

_PIPE_WIDTH: Final = 160
_STAND_IN: Final = "ofc-stand-in"
_PLAIN: Final = str.maketrans(
    {"♣": "c", "♦": "d", "♥": "h", "♠": "s", "→": "->", "▲": "^", "▼": "v", "−": "-", "–": "-", "·": "-", "…": "..."}
)


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


def print_plainly_where_needed() -> None:
    """Let outputs that cannot show suits and arrows show letters in their place, so that A♠ becomes As."""
    codecs.register_error(_STAND_IN, _stand_in)
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(errors=_STAND_IN)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError), "this is for printing"
    missing = error.object[error.start : error.end]
    return missing.translate(_PLAIN).encode("ascii", "backslashreplace").decode(), error.end
