"""The form in which an auditor enters the cards of a correction, row by row."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from schemas.sentences import describe_mistake
from scoring.board import Row
from scoring.cards import Card
from scoring.errors import Mistake
from scoring.hand import Cards, Seat
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
        lost: what was typed in rows whose change no longer applies, because somebody else changed the same card.
    """

    typed: Mapping[Place, str]
    changed: Mapping[Place, Sequence[str]]
    lost: Mapping[Place, str] = field(default_factory=dict)

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
    """
    Return the rows of a form, and which of them differ from the recorded hands; unknown rows are omitted.

    Args:
        form: the fields of the form.
        hands: the hands of the revision that the page showed.
    """
    recorded = list_rows(hands)
    typed = {place: text[:_LONGEST] for place, text in _list_typed(form) if place in recorded}
    changed = {}
    for place, text in typed.items():
        cards = split_cards(text)
        if sorted(cards) != sorted(map(str, recorded[place])):
            changed[place] = cards
    return EnteredRows(typed, changed)


def follow(entered: EnteredRows, before: Sequence[StoredHand], now: Sequence[StoredHand]) -> EnteredRows:
    """
    Return changes of an older revision as changes of the one in force, card by card.

    A row that was not changed has the cards of the revision in force.

    Args:
        entered: the rows as they were entered on a page of the older revision.
        before: the hands of that revision.
        now: the hands of the revision in force.
    """
    old, new = list_rows(before), list_rows(now)
    typed, changed, lost = {}, {}, {}
    for place, cards in entered.changed.items():
        recorded = [str(card) for card in new.get(place, ())]
        if sorted(cards) == sorted(recorded):
            continue
        moved = _move_change([str(card) for card in old[place]], cards, recorded)
        if moved is None or place not in new:
            lost[place] = entered.typed[place]
            continue
        changed[place] = moved
        typed[place] = entered.typed[place] if old[place] == new[place] else " ".join(moved)
    return EnteredRows(typed, changed, lost)


def _move_change(old: Sequence[str], cards: Sequence[str], new: Sequence[str]) -> list[str] | None:
    """
    Exchange the cards in another row that were exchanged in a row; return None if it does not have them.

    >>> _move_change(["Ah", "Kd", "9c"], ["Ah", "Td", "9c"], ["Ah", "Kd", "3d"])
    ['Ah', 'Td', '3d']
    >>> _move_change(["Ah", "Kd", "9c"], ["Ah", "Kd", "4d"], ["Ah", "Kd", "3d"]) is None
    True
    """
    removed = {card for card in old if card not in cards}
    added = iter([card for card in cards if card not in old])
    if not removed <= set(new):
        return None
    exchanged = [next(added, None) if card in removed else card for card in new]
    return [*(card for card in exchanged if card is not None), *added]


def list_rows(hands: Sequence[StoredHand]) -> dict[Place, Cards]:
    """Return the cards of every row of hands."""
    return {
        (stored.hand.number, seat, row): cards
        for stored in hands
        for seat, played in stored.hand.by_seat.items()
        for row, cards in played.board.rows.items()
    }


def _list_typed(form: Mapping[str, str]) -> Iterator[tuple[Place, str]]:
    for name, text in form.items():
        if match := _FIELD.fullmatch(name):
            yield (int(match[1]), int(match[2]), Row(match[3])), text


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
    if not isinstance(index, int) or index >= len(places) or len(mistake.path) < 3:
        return describe_mistake(mistake, players).removesuffix(".")
    card = mistake.path[3] if len(mistake.path) > 3 else None
    which = f"card {card + 1} " if isinstance(card, int) and mistake.detail.startswith("is ") else ""
    return f"{name_row(places[index], players)}: {which}{mistake.detail}"


def name_row(place: Place, players: Mapping[Seat, str]) -> str:
    """
    Return the name of a row for people.

    >>> name_row((2, 1, Row.TOP), {1: "ann"})
    'Hand 2, ann, top row'
    """
    hand, seat, row = place
    return f"Hand {hand}, {players.get(seat, f'seat {seat}')}, {row.value} row"
