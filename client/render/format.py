"""Cards, points, amounts of money and player names as text that any terminal can print."""

import codecs
import io
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.text import Text


_SUBSTITUTE: Final = "ofc-stand-in"
_PLAIN: Final = str.maketrans(
    {"♣": "c", "♦": "d", "♥": "h", "♠": "s", "→": "->", "▲": "^", "▼": "v", "−": "-", "–": "-", "·": "-", "…": "..."}
)
_UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_PRINTED_AS_IS: Final = "\n\t\u200c\u200d"
"""Lines and tabs, and the two joiners that names in some scripts need."""


ERASED: Final = "(erased)"
"""What is printed in place of a text that was erased."""
SUITS: Final = {"c": ("♣", "green"), "d": ("♦", "blue"), "h": ("♥", "red"), "s": ("♠", "bold")}
ROWS: Final = ("top", "middle", "bottom")


def escape_unprintable(text: str) -> str:
    r"""
    Replace control characters and other invisible ones by JSON escapes.

    >>> print(escape_unprintable("ann\u202e \x1b[2J"))
    ann\u202e \u001b[2J
    """
    return text if text.isprintable() else "".join(map(_escape, text))


def _escape(character: str) -> str:
    if character in _PRINTED_AS_IS or unicodedata.category(character) not in _UNPRINTABLE:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))


def substitute_unprintable() -> None:
    """Replace suits and arrows by letters on outputs that cannot encode them: A♠ becomes As."""
    codecs.register_error(_SUBSTITUTE, _substitute)
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(errors=_SUBSTITUTE)


def _substitute(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError), "this is for printing"
    missing = error.object[error.start : error.end]
    return missing.translate(_PLAIN).encode("ascii", "backslashreplace").decode(), error.end


def show_cards(cards: Iterable[str]) -> "Text":
    """
    Format cards with coloured suits.

    >>> show_cards(["As", "Td"]).plain
    'A♠ T♦'
    """
    from rich.text import Text  # slow to import

    shown = [Text(card[0] + SUITS[card[1]][0], style=SUITS[card[1]][1]) for card in cards]
    return Text(" ").join(shown)


def signed(points: int) -> str:
    """
    Format points with their sign.

    >>> signed(4), signed(-4), signed(0)
    ('+4', '−4', '0')
    """
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


def plural(number: int, word: str) -> str:
    """
    Format a count with its noun.

    >>> plural(1, "point"), plural(3, "card")
    ('1 point', '3 cards')
    """
    return f"{number} {word}" + ("" if number == 1 else "s")


def join(words: Iterable[str]) -> str:
    """
    Join words with commas and a final "and".

    >>> join(["ann"]), join(["ann", "bob"]), join(["ann", "bob", "cyd"])
    ('ann', 'ann and bob', 'ann, bob and cyd')
    """
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


class Names:
    """The displayed names of players: their id where it is known, their seat otherwise."""

    def __init__(self, seats: Iterable[Mapping[str, Any]]) -> None:
        self._players = {seat["seat"]: seat.get("player") for seat in seats}

    def __getitem__(self, seat: int | str) -> str:
        """
        Return the name of the player in a seat.

        >>> Names([{"seat": 1, "player": "ann"}])[1], Names([])[2]
        ('ann', 'seat 2')
        """
        return self._players.get(int(seat)) or f"seat {seat}"


def show_money(minor: int, unit: str, minor_digits: int) -> str:
    """
    Format an amount in minor units, of which the response has the number of digits.

    >>> show_money(-1250, "EUR", 2), show_money(70, "JPY", 0), show_money(5, "KWD", 3)
    ('−12.50 EUR', '70 JPY', '0.005 KWD')
    """
    digits = str(abs(minor)).rjust(minor_digits + 1, "0")
    amount = f"{digits[:-minor_digits]}.{digits[-minor_digits:]}" if minor_digits else digits
    return f"{'−' if minor < 0 else ''}{amount} {unit}"


def show_amount(amount: int, unit: str | None, minor_digits: int | None) -> str:
    """
    Format an amount in minor units or, without a unit, in points.

    >>> show_amount(1250, "EUR", 2), show_amount(1, None, None)
    ('12.50 EUR', '1 point')
    """
    return plural(amount, "point") if unit is None else show_money(amount, unit, minor_digits or 0)


def format_minute(written: str | None) -> str:
    """
    Format a time in UTC to the minute.

    >>> format_minute("2026-11-20T20:30:00Z"), format_minute(None)
    ('2026-11-20 20:30', '–')
    """
    return "–" if written is None else written[:16].replace("T", " ")
