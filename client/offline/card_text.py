"""
Parse cards as people type, paste or say them: `QsQd4c`, `QQ4`, `queens four`, `queen of spades`.

A card without a suit is its rank. What has two meanings is kept apart from what has none, and neither is guessed.
"""

import re
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from client.spelling import spell_card, split_cards
from scoring.cards import BY_NAME, RANKS, SUITS
from scoring.description import name_rank, name_ranks
from scoring.phrase import Phrase

RANK_NAMES: Final = {rank: name_rank(number) for number, rank in enumerate(RANKS, 2)}
_PLURAL_NAMES: Final = {rank: name_ranks(number) for number, rank in enumerate(RANKS, 2)}
_RANKS: Final = {name: rank for rank, name in RANK_NAMES.items()} | {"two": "2", "trey": "3"}
_PLURALS: Final = {name: rank for rank, name in _PLURAL_NAMES.items()} | {"twos": "2", "treys": "3"}
_SUITS: Final = {
    name + end: suit
    for suit, name in zip(SUITS, ("club", "diamond", "heart", "spade"), strict=True)
    for end in ("", "s")
}
_COUNTS: Final = {"pair": 2, "set": 3, "trip": 3, "trips": 3, "quad": 4, "quads": 4}
_NUMBERS: Final = frozenset({"two", "three", "four"})
"""Ranks that count the cards after them too: `three nines`."""
_FILLERS: Final = frozenset({"and", "of", "the", "with", "kicker"})
_ARTICLE: Final = "a"
"""Beside words it is no ace: `a pair of kings`."""
_ALL: Final = "all"
_ROWS: Final = ("back", "bottom", "discards", "front", "middle", "slash", "top")
"""Words that begin another row, of which a text can have the first letters."""
_WORDS: Final = (*_RANKS, *_PLURALS, *_SUITS, *_COUNTS, *_FILLERS, _ALL, *_ROWS)

_CHUNK: Final = re.compile(r"[^\s,.:]+")
_CARDS: Final = re.compile("(?:(?:10|[2-9TJQKA])(?:[CDHS♣♦♥♠♧♢♡♤]\ufe0f?)?)+", re.IGNORECASE)
_CARD: Final = re.compile("(10|[2-9TJQKA])([CDHS♣♦♥♠♧♢♡♤]?)\ufe0f?", re.IGNORECASE)
_LONE_SUITS: Final = re.compile("(?:[CDHS♣♦♥♠♧♢♡♤]\ufe0f?)+", re.IGNORECASE)
_NUMBER_S: Final = re.compile("(10|[2-9])s")
_APOSTROPHE: Final = re.compile("['\u2019](?=s\\b)")
"""Dictation writes `king's` for `kings`."""


@dataclass(slots=True)
class CardText:
    """
    The cards of a text.

    Attributes:
        cards: the cards in order, each as the service spells it; a rank if the suit is missing; else the text itself.
        groups: for each card the number of the text that named it. `queens` names two.
        doubts: what has two meanings.
        pending_rank: the rank at the end of the text, if it is written as a letter or number and its suit can follow.
        is_begun: whether the text ends within a word.
    """

    cards: list[str] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    pending_rank: str = ""
    is_begun: bool = False

    def __len__(self) -> int:
        return len(self.cards)

    def add(self, *cards: str) -> None:
        """Add the cards that a part of the text names."""
        group = self.groups[-1] + 1 if self.groups else 0
        self.cards += cards
        self.groups += [group] * len(cards)

    def add_suits(self, suits: list[str]) -> bool:
        """Complete the last cards of one rank. Return whether as many of them had no suit."""
        last = self.cards[-1][0] if self.cards else ""
        same = list(takewhile(lambda place: self.cards[place][0] == last, reversed(range(len(self.cards)))))
        open_places = [place for place in reversed(same) if is_open(self.cards[place])]
        for place, suit in zip(open_places, suits, strict=False):
            self.cards[place] += suit
        return len(open_places) >= len(suits)

    def add_suit_to_all(self, suit: str) -> bool:
        """Complete every card that has no suit. Return whether there was one."""
        has_open = any(map(is_open, self.cards))
        self.cards = [card + suit if is_open(card) else card for card in self.cards]
        return has_open


def is_open(card: str) -> bool:
    """Return whether a card of a text is a rank without a suit."""
    return card in RANK_NAMES


def read_cards(text: str, *, is_last: bool = True) -> CardText:
    """
    Parse the cards of a row, or of a whole board without separators.

    >>> read_cards("queens four").cards, read_cards("QQ4c").cards, read_cards("10h, 9♥ td").cards
    (['Q', 'Q', '4'], ['Q', 'Q', '4c'], ['Th', '9h', 'Td'])
    >>> read_cards("queens of spades and diamonds, four of clubs").cards, read_cards("ace jack 7 all hearts").cards
    (['Qs', 'Qd', '4c'], ['Ah', 'Jh', '7h'])
    >>> read_cards("kings three nines").doubts
    ["'three nines' is a three and two nines, or 3 nines; expected 3 9 9 or 9 9 9"]

    Args:
        text: the text.
        is_last: whether it is the end of what is typed, where a word and a card can be incomplete.
    """
    text = _APOSTROPHE.sub("", text)
    chunks = [(match[0], match.end() == len(text) and is_last) for match in _CHUNK.finditer(text)]
    words = [chunk.lower() for chunk, _ in chunks]
    is_spoken = any(word in _RANKS or word in _PLURALS for word in words)
    read = CardText()
    count, is_all, number = 0, False, ""
    for (chunk, is_end), word, following in zip(chunks, words, [*words, ""][1:], strict=True):
        if word in _PLURALS or word in _RANKS:
            rank = _PLURALS.get(word) or _RANKS[word]
            if number and word in _PLURALS:
                read.doubts.append(_doubt_number(number, word))
            read.add(*[rank] * (count or (2 if word in _PLURALS else 1)))
            count, number = 0, word if word in _NUMBERS else ""
            continue
        number = ""
        if word in _COUNTS:
            count = _COUNTS[word]
        elif word == _ALL:
            is_all, read.is_begun = True, is_end
        elif word in _SUITS and is_all:
            if not read.add_suit_to_all(_SUITS[word]):
                read.doubts.append(
                    Phrase(
                        "'all %(suit)s' follows no card without a suit; expected it after the cards of a row", suit=word
                    )
                )
            is_all = False
        elif word == _ARTICLE and following in _COUNTS:
            continue
        elif word in _SUITS or _LONE_SUITS.fullmatch(chunk):
            _add_suits(read, chunk, is_end=is_end)
        elif word not in _FILLERS:
            if count and not (is_end and _begins_word(chunk)):
                read.doubts.append(
                    Phrase(
                        "%(text)s follows a number of cards; expected the name of a rank, such as queens",
                        text=repr(chunk),
                    )
                )
            if chunk == _ARTICLE and is_spoken and not is_end:
                read.doubts.append(
                    Phrase("'a %(rank)s' has an ace, or none; expected ace %(rank)s or %(rank)s", rank=following)
                )
            _add_cards(read, chunk, is_end=is_end, is_spoken=is_spoken)
    return read


def _add_suits(read: CardText, chunk: str, *, is_end: bool) -> None:
    """Add the suits that follow their cards. `d` alone can be the begin of `deuce`."""
    suit = _SUITS.get(chunk.lower())
    suits = [suit] if suit else [spell_card(f"A{each}")[1] for each in chunk.replace("\ufe0f", "")]
    if read.add_suits(suits):
        return
    if is_end and _begins_word(chunk):
        read.is_begun = True
    else:
        read.add(chunk)


def _add_cards(read: CardText, chunk: str, *, is_end: bool, is_spoken: bool) -> None:
    """Add cards in notation, and at the end what further keys can complete."""
    if is_end and is_spoken and chunk == _ARTICLE:
        read.is_begun = True
        return
    begun = chunk[:-1] if is_end and chunk.endswith("1") else chunk
    if begun != chunk and (not begun or _CARDS.fullmatch(begun)):
        read.pending_rank = "1"
        chunk = begun
    if not chunk:
        return
    if _CARDS.fullmatch(chunk):
        if is_spoken and _NUMBER_S.fullmatch(chunk):
            read.doubts.append(_doubt_plural(chunk))
        matches = list(_CARD.finditer(chunk))
        if is_end and not read.pending_rank and not matches[-1][2]:
            read.pending_rank = matches.pop()[1]
        for match in matches:
            read.add(spell_card(match[0]) if match[2] else _rank_of(match[1]))
    elif is_end and _begins_word(chunk):
        read.is_begun = True
    else:
        pieces = [spell_card(piece) for piece in split_cards(chunk)]
        for piece in pieces if any(piece in BY_NAME for piece in pieces) else [chunk]:
            read.add(piece)


def _rank_of(text: str) -> str:
    return "T" if text == "10" else text.upper()


def _begins_word(chunk: str) -> bool:
    return any(word.startswith(chunk.lower()) for word in _WORDS)


def _doubt_number(number: str, plural: str) -> str:
    rank, count = _PLURALS[plural], int(_RANKS[number])
    first, second = " ".join([_RANKS[number], rank, rank]), " ".join([rank] * count)
    return Phrase(
        "'%(one)s %(ranks)s' is a %(one)s and two %(ranks)s, or %(number)s %(ranks)s; expected %(first)s or %(second)s",
        one=number,
        ranks=plural,
        number=count,
        first=first,
        second=second,
    )


def _doubt_plural(chunk: str) -> str:
    rank = _rank_of(chunk[:-1])
    name = RANK_NAMES[rank]
    return Phrase(
        "%(text)s is the %(name)s of spades, or two %(names)s; expected %(name)s of spades or %(rank)s %(rank)s",
        text=repr(chunk),
        name=name,
        names=_PLURAL_NAMES[rank],
        rank=rank,
    )
