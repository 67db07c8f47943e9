"""Outputs that cannot show what a card looks like."""

import codecs
import io
import sys
from typing import Final

_STAND_IN: Final = "ofc-stand-in"
_PLAIN: Final = str.maketrans(
    {"♣": "c", "♦": "d", "♥": "h", "♠": "s", "→": "->", "▲": "^", "▼": "v", "−": "-", "–": "-", "·": "-", "…": "..."}
)


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
