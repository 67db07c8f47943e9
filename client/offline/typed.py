"""
A board as it is typed: `QsQd4c / KsKd9h8h3c / AhJh7h6h2h`, and after one more `/` what was discarded.

It is read after every key, so what is wrong, which no further key can mend, is told from what is still missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from client.spelling import spell_card, split_cards
from schemas.rulesets import load_ruleset
from scoring.board import Row
from scoring.cards import BY_NAME, RANKS, SUITS
from scoring.ruleset import BOARD_SIZE

DISCARDS: Final = "discards"
PARTS: Final = (*(row.value for row in Row), DISCARDS)
_RANK_BEGUN: Final = frozenset(RANKS.lower() + RANKS) | {"1", "10"}

Taken = Mapping[str, str]
"""Where each card is that lies on the table already: `{"Qs": "in the top of ann"}`."""


@dataclass(frozen=True, slots=True)
class TypedBoard:
    """
    What was typed so far of one player's cards.

    `begun` is the rank of a card whose suit is still to come.
    """

    parts: tuple[tuple[str, ...], ...]
    begun: str
    wrong: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Say whether it can be played as it stands."""
        return not self.wrong and not self.missing

    def document(self) -> dict[str, Any]:
        """Write it as the wire does; discards that nobody typed are unknown."""
        named = dict(zip(PARTS, map(list, self.parts), strict=False))
        return {part: cards for part, cards in named.items() if cards or part != DISCARDS}

    def places(self, player: str) -> dict[str, str]:
        """Say where each of its cards lies."""
        return {card: f"{_place(index)} of {player}" for index, cards in enumerate(self.parts) for card in cards}


def read_board(text: str, taken: Taken, discards: int) -> TypedBoard:
    """
    Read what was typed so far.

    Args:
        text: as it was typed.
        taken: the cards that others have.
        discards: how many are thrown away in this deal.

    >>> read_board("QsQd4c / KsKd9h8h3c / AhJh7h6h2h", {}, 4).is_whole
    True
    >>> typed = read_board("QsQd / As Q", {"As": "in the top of ben"}, 4)
    >>> typed.begun, typed.wrong
    ('Q', ('As is already in the top of ben',))
    >>> typed.missing[1]
    'the top has 2 cards; 3 belong there'
    """
    texts = text.split("/")
    begun = _begun(texts[-1])
    if begun:
        texts[-1] = texts[-1].rstrip()[: -len(begun)]
    parts = tuple(tuple(spell_card(card) for card in split_cards(part)) for part in texts)
    wrong = tuple(_find_wrong(parts, begun, taken, discards))
    missing = tuple(_find_missing(parts, begun, discards))
    return TypedBoard(parts, begun, wrong, missing)


def room_in(part: int, discards: int) -> int:
    """How many cards belong into the top, middle, bottom, or among the discards, counted from 0."""
    return (*(row.size for row in Row), discards)[part] if part < len(PARTS) else 0


def cards_left(taken: Taken, typed: TypedBoard | None = None) -> list[str]:
    """
    List the cards that the deck still holds.

    >>> len(cards_left({"As": "in the top of ben"}, read_board("QsQd", {}, 4)))
    49
    """
    gone = {*taken, *(card for part in typed.parts for card in part)} if typed else set(taken)
    return [card for card in BY_NAME if card not in gone]


def show_left(cards: Sequence[str]) -> str:
    """
    Write the cards that the deck still holds, suit by suit, the highest first.

    >>> show_left(["2c", "Tc", "Ah", "Ks"])
    '♣ T2  ♥ A  ♠ K'
    """
    suits = []
    for suit, shown in zip(SUITS, "♣♦♥♠", strict=True):
        ranks = [rank for rank in reversed(RANKS) if rank + suit in cards]
        suits += [f"{shown} {''.join(ranks)}"] if ranks else []
    return "  ".join(suits) or "nothing"


def count_discards(ruleset: dict[str, Any], fantasyland: int) -> int:
    """Say how many cards a player throws away, in Fantasyland of so many cards or, for 0, outside."""
    return load_ruleset(ruleset).cards_dealt(fantasyland) - BOARD_SIZE


def _begun(text: str) -> str:
    """
    Find the rank at the end whose suit is still to come.

    >>> _begun("QsQ"), _begun("Qs10"), _begun("Qs"), _begun("Q s")
    ('Q', '10', '', '')
    """
    cards = split_cards(text)
    is_last = bool(cards) and text.endswith(cards[-1])
    return cards[-1] if is_last and cards[-1] in _RANK_BEGUN else ""


def _find_wrong(parts: Sequence[Sequence[str]], begun: str, taken: Taken, discards: int) -> Iterator[str]:
    seen: dict[str, str] = {}
    for index, cards in enumerate(parts):
        for card in cards:
            if card not in BY_NAME:
                yield f"{card!r} is no card; a rank of {RANKS} and a suit of {SUITS} is, like As or 10s"
            elif card in taken:
                yield f"{card} is already {taken[card]}"
            elif card in seen:
                yield f"{card} is already {seen[card]}"
            seen.setdefault(card, _place(index))
        found = len(cards) + bool(begun and index == len(parts) - 1)
        if index >= len(PARTS):
            yield "a fifth part was found; top / middle / bottom / discards are all that there are"
        elif found > room_in(index, discards):
            yield _wrong_size(index, found, discards)


def _find_missing(parts: Sequence[Sequence[str]], begun: str, discards: int) -> Iterator[str]:
    if begun:
        yield f"{begun} has no suit yet; one of {SUITS} belongs behind it"
    for index in range(len(PARTS)):
        found = len(parts[index]) if index < len(parts) else 0
        is_unknown = PARTS[index] == DISCARDS and not found
        if found < room_in(index, discards) and not is_unknown:
            yield _wrong_size(index, found, discards)


def _wrong_size(part: int, found: int, discards: int) -> str:
    have = f"{found} card{'' if found == 1 else 's'}"
    if PARTS[part] != DISCARDS:
        return f"the {PARTS[part]} has {have}; {room_in(part, discards)} belong there"
    if not discards:
        return f"{have} after the bottom; nothing is discarded in this deal"
    return f"{have} among the discards; {discards} belong there or, where nobody knows them, none"


def _place(part: int) -> str:
    if part >= len(PARTS):
        return "behind the discards"
    return "among the discards" if PARTS[part] == DISCARDS else f"in the {PARTS[part]}"
