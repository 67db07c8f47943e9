"""Cards, points and players, as people read them."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich.text import Text

SUITS: Final = {"c": ("♣", "green"), "d": ("♦", "blue"), "h": ("♥", "red"), "s": ("♠", "bold")}
ROWS: Final = ("top", "middle", "bottom")


def show_cards(cards: Iterable[str]) -> Text:
    """
    Show cards with coloured suits.

    >>> show_cards(["As", "Td"]).plain
    'A♠ T♦'
    """
    shown = [Text(card[0] + SUITS[card[1]][0], style=SUITS[card[1]][1]) for card in cards]
    return Text(" ").join(shown)


def signed(points: int) -> str:
    """
    Show points with their sign.

    >>> signed(4), signed(-4), signed(0)
    ('+4', '−4', '0')
    """
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


def plural(number: int, word: str) -> str:
    """
    Count something.

    >>> plural(1, "point"), plural(3, "card")
    ('1 point', '3 cards')
    """
    return f"{number} {word}" + ("" if number == 1 else "s")


def join(words: Iterable[str]) -> str:
    """
    List words as one says them.

    >>> join(["ann"]), join(["ann", "bob"]), join(["ann", "bob", "cyd"])
    ('ann', 'ann and bob', 'ann, bob and cyd')
    """
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


class Names:
    """What players are called: their id where it is known, their seat otherwise."""

    def __init__(self, seats: Iterable[Mapping[str, Any]]) -> None:
        self._players = {seat["seat"]: seat.get("player") for seat in seats}

    def __getitem__(self, seat: int | str) -> str:
        """
        Name the player in a seat.

        >>> Names([{"seat": 1, "player": "ann"}])[1], Names([])[2]
        ('ann', 'seat 2')
        """
        return self._players.get(int(seat)) or f"seat {seat}"
