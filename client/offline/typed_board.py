"""
Parse a board as it is typed, pasted or said: `QsQd4c / KsKd9h8h3c / AhJh7h6h2h`, and after one more `/` the discards.

Rows are separated by `/`, `;` or new lines, or have their names before them: `top queens four middle kings nines`.
Without any of these, full stops or else commas separate rows if they separate more than single cards, and else the
cards fill the rows in order.

The text is parsed after every key, so errors, which no further key can correct, are kept apart from missing cards.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from client.offline.card_text import RANK_NAMES, CardText, is_open, read_cards
from schemas.rulesets import load_ruleset
from scoring.board import Row
from scoring.cards import BY_NAME, RANKS, SUITS
from scoring.phrase import Phrase
from scoring.ruleset import BOARD_SIZE, MOST_FANTASYLAND

DISCARDS: Final = "discards"
PARTS: Final = (*(row.value for row in Row), DISCARDS)
FANTASYLAND_CARDS: Final = range(BOARD_SIZE, MOST_FANTASYLAND + 1)
"""How many cards a player can be dealt in Fantasyland."""

_SEPARATOR: Final = re.compile(r"\s*[/;|]\s*|\s*\n\s*|\s*\bslash\b\s*", re.IGNORECASE)
_FULL_STOP: Final = re.compile(r"\.")
_LAST_STOP: Final = re.compile(r"\.\s*$")
_COMMA: Final = re.compile(r",(?!\s*all\b)", re.IGNORECASE)
_NAME: Final = re.compile(
    r"\b(top|front|middle|mid|bottom|back|discards?|discarded)\b(?:\s+row\b)?\s*[:=-]?\s*", re.IGNORECASE
)
_NAMED: Final = {"front": "top", "mid": "middle", "back": "bottom", "discard": DISCARDS, "discarded": DISCARDS}

TakenCards = Mapping[str, str]
"""The place of each card that is on the table already: `{"Qs": "in the top of ann"}`."""


@dataclass(frozen=True, slots=True)
class TypedBoard:
    """
    The parsed text of one player's cards, complete or not.

    Attributes:
        parts: the cards of each row and the discards; a rank is a card whose suit is missing.
        pending_rank: the rank of a last card whose suit can still be typed.
        current: the part at the end of the text.
        wrong: what is invalid or has two meanings.
        missing: what is still missing.
    """

    parts: tuple[tuple[str, ...], ...]
    pending_rank: str
    current: int
    wrong: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def open_suits(self) -> int:
        """The number of cards whose suit is missing."""
        return sum(is_open(card) for cards in self.parts for card in cards)

    @property
    def is_complete(self) -> bool:
        """Whether the board can be played."""
        return not self.wrong and not self.missing

    def document(self) -> dict[str, Any]:
        """Return the board as the wire has it. Discards that were not typed are unknown."""
        named = dict(zip(PARTS, map(list, self.parts), strict=False))
        return {part: cards for part, cards in named.items() if cards or part != DISCARDS}

    def places(self, player: str) -> dict[str, str]:
        """Return the place of each card of the board."""
        return {
            card: f"{_place(index)} of {player}"
            for index, cards in enumerate(self.parts)
            for card in cards
            if not is_open(card)
        }


def read_board(text: str, taken: TakenCards, discards: int) -> TypedBoard:
    """
    Parse the text of a board, complete or not.

    Args:
        text: the text as typed.
        taken: the cards of other players.
        discards: the number of discards in this deal.

    >>> read_board("QsQd4c / KsKd9h8h3c / AhJh7h6h2h", {}, 4).is_complete
    True
    >>> typed = read_board("QsQd / As Q", {"As": "in the top of ben"}, 4)
    >>> typed.pending_rank, typed.wrong
    ('Q', ('As is already in the top of ben',))
    >>> typed.missing[1]
    'the top has 2 cards; expected 3'
    >>> spoken = read_board("queens four, kings nines three, ace jack seven six deuce all hearts", {}, 4)
    >>> spoken.parts[:2], spoken.parts[2], spoken.wrong
    ((('Q', 'Q', '4'), ('K', 'K', '9', '9', '3')), ('Ah', 'Jh', '7h', '6h', '2h'), ())
    >>> spoken.missing[0]
    'Q Q 4 in the top have no suit; expected that of each, for example Qs or queen of spades'
    """
    rows, current, repeated = _split_rows(text, discards)
    doubts = [doubt for row in rows for doubt in row.doubts]
    last = rows[current]
    parts = tuple(tuple(row.cards) for row in rows)
    wrong = (*repeated, *doubts, *_find_wrong(parts, last.pending_rank, current, taken, discards))
    missing = tuple(_find_missing(parts, last, discards))
    return TypedBoard(parts, last.pending_rank, current, wrong, missing)


def _split_rows(text: str, discards: int) -> tuple[list[CardText], int, list[str]]:
    """Return the rows of a text, which of them is at its end, and what is said of a row that is named twice."""
    segments = _split_segments(text.strip("\n"))
    if len(segments) > 1 or segments[0][0] is not None:
        return _place_segments(segments)
    [(_, text)] = segments
    for separator in (_FULL_STOP, _COMMA):
        listed = separator.split(_LAST_STOP.sub(" ", text))
        if len(listed) > 1 and any(len(read_cards(part, is_last=False)) > 1 for part in listed):
            return _place_segments([(None, part) for part in listed])
    rows = _fill(read_cards(text), discards)
    return rows, len(rows) - 1, []


def _split_segments(text: str) -> list[tuple[int | None, str]]:
    """
    Split a text where rows end, and return the row that each part names, if it does.

    >>> _split_segments("QQ4 / KK993 / "), _split_segments("bottom: AKQJT, top QQ4")
    ([(None, 'QQ4'), (None, 'KK993'), (None, '')], [(2, 'AKQJT, '), (0, 'QQ4')])
    """
    segments: list[tuple[int | None, str]] = []
    for part in _SEPARATOR.split(text):
        first, *named = _NAME.split(part)
        if first.strip(" ,") or not named:
            segments.append((None, first))
        for name, cards in zip(named[::2], named[1::2], strict=True):
            name = name.lower()
            segments.append((PARTS.index(_NAMED.get(name, name)), cards))
    return segments


def _place_segments(segments: Sequence[tuple[int | None, str]]) -> tuple[list[CardText], int, list[str]]:
    rows: dict[int, CardText] = {}
    repeated: list[str] = []
    place = -1
    for number, (named, text) in enumerate(segments, 1):
        place = place + 1 if named is None else named
        if place in rows:
            repeated.append(Phrase("cards %(place)s are given twice; expected each row once", place=_place(place)))
        rows[place] = read_cards(text, is_last=number == len(segments))
    return [rows.get(index, CardText()) for index in range(max(rows) + 1)], place, repeated


def _fill(read: CardText, discards: int) -> list[CardText]:
    """
    Divide cards without separators among the rows, in order.

    >>> [row.cards for row in _fill(read_cards("queens four kings"), 0)]
    [['Q', 'Q', '4'], ['K', 'K']]
    """
    rows: list[CardText] = []
    begin = 0
    while True:
        capacity, next_capacity = (capacity_of(len(rows) + more, discards) for more in (0, 1))
        end = begin + capacity if next_capacity else len(read)
        # The card whose suit is typed next belongs to the last row.
        is_last = len(read) + bool(read.pending_rank) <= end
        row = CardText(read.cards[begin:end], read.groups[begin:end])
        rows.append(row)
        if is_last or not next_capacity:
            row.doubts, row.pending_rank, row.is_begun = read.doubts, read.pending_rank, read.is_begun
            return rows
        if end < len(read) and read.groups[end - 1] == read.groups[end]:
            name = RANK_NAMES.get(read.cards[end], read.cards[end])
            row.doubts.append(
                Phrase("cards of one word (%(word)s) are in two rows; expected / between rows", word=name)
            )
        begin = end


def read_row(row: str, text: str) -> list[str]:
    """
    Parse the cards of one row.

    >>> read_row("top", "10h, 9♥ td")
    ['Th', '9h', 'Td']
    >>> read_row("top", "Th 9h")
    Traceback (most recent call last):
    ...
    ValueError: the top has 2 cards; expected 3

    Raises:
        ValueError: the cards are no row; the message has every mistake.
    """
    part = PARTS.index(row)
    read = read_cards(text, is_last=False)
    cards = read.cards
    wrong = [*read.doubts, *_find_wrong([*[()] * part, cards], "", part, {}, 0), *_find_open([*[()] * part, cards])]
    if len(cards) < capacity_of(part, 0):
        wrong.append(_wrong_size(part, len(cards), 0))
    if wrong:
        raise ValueError("; ".join(wrong))
    return cards


def capacity_of(part: int, discards: int) -> int:
    """Return how many cards the top, middle or bottom or the discards hold, counted from 0."""
    return (*(row.size for row in Row), discards)[part] if part < len(PARTS) else 0


def list_cards_left(taken: TakenCards, typed: TypedBoard | None = None) -> list[str]:
    """
    Return the cards that the deck still holds.

    >>> len(list_cards_left({"As": "in the top of ben"}, read_board("QsQd", {}, 4)))
    49
    """
    used = {*taken, *(card for part in typed.parts for card in part)} if typed else set(taken)
    return [card for card in BY_NAME if card not in used]


def format_deck(cards: Sequence[str]) -> list[str]:
    """
    Return the cards that the deck still holds, suit by suit, highest first.

    >>> format_deck(["2c", "Tc", "Ah", "Ks"])
    ['♣ T2', '♥ A', '♠ K']
    """
    suits = []
    for suit, shown in zip(SUITS, "♣♦♥♠", strict=True):
        ranks = [rank for rank in reversed(RANKS) if rank + suit in cards]
        suits += [f"{shown} {''.join(ranks)}"] if ranks else []
    return suits or ["nothing"]


def count_discards(ruleset: dict[str, Any], fantasyland: int) -> int:
    """Return how many cards a player discards, in Fantasyland of so many cards or, for 0, outside."""
    return load_ruleset(ruleset).cards_dealt(fantasyland) - BOARD_SIZE


def _find_wrong(
    parts: Sequence[Sequence[str]], pending_rank: str, current: int, taken: TakenCards, discards: int
) -> Iterator[str]:
    seen: dict[str, str] = {}
    for index, cards in enumerate(parts):
        for card in cards:
            if is_open(card):
                continue
            if card not in BY_NAME:
                yield Phrase(
                    "%(card)s is not a valid card; expected a rank of %(ranks)s and a suit of %(suits)s, "
                    "for example As or 10s",
                    card=repr(card),
                    ranks=RANKS,
                    suits=SUITS,
                )
            elif card in taken or card in seen:
                yield Phrase(
                    "%(card)s is already %(place)s", card=card, place=taken[card] if card in taken else seen[card]
                )
            seen.setdefault(card, _place(index))
        count = len(cards) + bool(pending_rank and index == current)
        if index >= len(PARTS):
            yield Phrase("a fifth part was found; expected top / middle / bottom / discards")
        elif count > capacity_of(index, discards):
            yield _wrong_size(index, count, discards)
    for rank, cards_of_rank in groupby(sorted(card for cards in parts for card in cards if is_open(card))):
        count, left = len(list(cards_of_rank)), len(list_suits_left(rank, {*taken, *seen}))
        if count > left:
            yield Phrase(
                "%(count)s cards named %(rank)s have no suit, but the deck has %(left)s more; "
                "expected %(left)s at most",
                count=count,
                rank=rank,
                left=left,
            )


def list_suits_left(rank: str, used: Collection[str]) -> list[str]:
    """
    Return the suits that a card of a rank can still have.

    >>> list_suits_left("Q", {"Qs", "Qd"})
    ['c', 'h']
    """
    return [suit for suit in SUITS if rank + suit not in used]


def _find_open(parts: Sequence[Sequence[str]]) -> Iterator[str]:
    for index, cards in enumerate(parts):
        if ranks := list(filter(is_open, cards)):
            values = {"cards": " ".join(ranks), "place": _place(index), "example": f"{ranks[0]}s"}
            spoken = f"{RANK_NAMES[ranks[0]]} of spades"
            yield Phrase.with_number(
                "%(cards)s %(place)s has no suit; expected it, for example %(example)s or %(spoken)s",
                "%(cards)s %(place)s have no suit; expected that of each, for example %(example)s or %(spoken)s",
                len(ranks),
                **values,
                spoken=spoken,
            )


def _find_missing(parts: Sequence[Sequence[str]], last: CardText, discards: int) -> Iterator[str]:
    if last.pending_rank:
        yield Phrase("%(rank)s has no suit yet; expected one of %(suits)s", rank=last.pending_rank, suits=SUITS)
    if last.is_begun:
        yield Phrase("the last word is not complete")
    yield from _find_open(parts)
    for index in range(len(PARTS)):
        count = len(parts[index]) if index < len(parts) else 0
        is_unknown = PARTS[index] == DISCARDS and not count
        if count < capacity_of(index, discards) and not is_unknown:
            yield _wrong_size(index, count, discards)


def _wrong_size(part: int, count: int, discards: int) -> str:
    if PARTS[part] != DISCARDS:
        return Phrase.with_number(
            "the %(row)s has %(count)s card; expected %(expected)s",
            "the %(row)s has %(count)s cards; expected %(expected)s",
            count,
            row=Phrase.in_context("row", PARTS[part]),
            expected=capacity_of(part, discards),
        )
    if not discards:
        return Phrase.with_number(
            "%(count)s card after the bottom; expected none, because this deal has no discards",
            "%(count)s cards after the bottom; expected none, because this deal has no discards",
            count,
        )
    return Phrase.with_number(
        "%(count)s card among the discards; expected %(expected)s, or none if they are unknown",
        "%(count)s cards among the discards; expected %(expected)s, or none if they are unknown",
        count,
        expected=discards,
    )


def _place(part: int) -> str:
    if part >= len(PARTS):
        return Phrase("behind the discards")
    places = (Phrase("in the top"), Phrase("in the middle"), Phrase("in the bottom"), Phrase("among the discards"))
    return places[part]
