"""The form in which an auditor enters the cards of a correction, row by row."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from schemas.problems import sentence_of
from scoring.board import Row
from scoring.cards import Card
from scoring.errors import Mistake
from scoring.hand import Seat
from service.console.views.pages import Refusal
from service.rounds.queries.hands import StoredHand

_FIELD: Final = re.compile(r"cards\.([1-9][0-9]{0,4})\.([1-9][0-9]{0,3})\.(top|middle|bottom)", re.ASCII)
_SEPARATORS: Final = re.compile(r"[\s,;/]+")
_TEN: Final = re.compile("10(?=[shdcSHDC♠♥♦♣])")
_SUITS: Final = str.maketrans("♠♥♦♣", "shdc")
_LONGEST: Final = 60

Place = tuple[int, Seat, Row]
"""A row: the number of its hand, the seat and the row."""


@dataclass(frozen=True, slots=True)
class EnteredRows:
    """
    The rows of a form that were changed.

    Attributes:
        typed: what was typed, for every row of the form.
        changed: the cards of the rows that differ from the recorded ones; a text that is no card is among them.
    """

    typed: Mapping[Place, str]
    changed: Mapping[Place, Sequence[str]]

    def dump(self) -> list[dict[str, Any]]:
        """Return the changes as a correction has them."""
        return [
            {"hand": hand, "seat": seat, "row": row.value, "cards": list(cards)}
            for (hand, seat, row), cards in self.changed.items()
        ]

    def outside(self, hand: int) -> list[tuple[str, str]]:
        """Return the names and values of the changed fields of other hands, which the form carries along."""
        return [(field_name(place), self.typed[place]) for place in self.changed if place[0] != hand]


def field_name(place: Place) -> str:
    """
    Return the name of the field of a row.

    >>> field_name((2, 1, Row.TOP))
    'cards.2.1.top'
    """
    hand, seat, row = place
    return f"cards.{hand}.{seat}.{row.value}"


def read_rows(form: Mapping[str, str], hands: Sequence[StoredHand]) -> EnteredRows:
    """Return the rows of a form, and which of them differ from the recorded hands; unknown rows are omitted."""
    recorded = {
        (stored.hand.number, seat, row): cards
        for stored in hands
        for seat, played in stored.hand.by_seat.items()
        for row, cards in played.board.rows.items()
    }
    typed = {place: text[:_LONGEST] for place, text in _list_typed(form) if place in recorded}
    changed = {}
    for place, text in typed.items():
        cards = split_cards(text)
        if sorted(cards) != sorted(map(str, recorded[place])):
            changed[place] = cards
    return EnteredRows(typed, changed)


def _list_typed(form: Mapping[str, str]) -> Iterator[tuple[Place, str]]:
    for name, text in form.items():
        if found := _FIELD.fullmatch(name):
            yield (int(found[1]), int(found[2]), Row(found[3])), text


def split_cards(text: str) -> list[str]:
    """
    Split cards as people type them; a part that is no card stays as it is.

    >>> split_cards("ah, KD 10c"), split_cards("AhKd9c"), split_cards("A♥ 1x")
    (['Ah', 'Kd', 'Tc'], ['Ah', 'Kd', '9c'], ['Ah', '1x'])
    """
    joined = _SEPARATORS.sub("", _TEN.sub("T", text)).translate(_SUITS)
    parts = [joined[start : start + 2] for start in range(0, len(joined), 2)]
    return [part[:1].upper() + part[1:].lower() for part in parts]


def show_cards(cards: Sequence[Card]) -> str:
    """
    Return cards as the form shows them.

    >>> show_cards([Card.parse("Ah"), Card.parse("Td")])
    'Ah Td'
    """
    return " ".join(map(str, cards))


def explain(error: Refusal, rows: EnteredRows, players: Mapping[Seat, str]) -> str:
    """Return why the entered cards are refused, with the row of each mistake in words."""
    if not error.mistakes:
        return str(error)
    return "; ".join(_explain(mistake, list(rows.changed), players) for mistake in error.mistakes[:3]) + "."


def _explain(mistake: Mistake, places: Sequence[Place], players: Mapping[Seat, str]) -> str:
    index = mistake.path[1] if len(mistake.path) > 1 and mistake.path[0] == "changes" else None
    if not isinstance(index, int) or index >= len(places):
        return sentence_of(mistake)
    hand, seat, row = places[index]
    card = mistake.path[3] if len(mistake.path) > 3 else None
    which = f"card {card + 1} " if isinstance(card, int) and mistake.detail.startswith("is ") else ""
    return f"Hand {hand}, {players.get(seat, f'seat {seat}')}, {row.value} row: {which}{mistake.detail}"
