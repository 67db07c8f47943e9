"""
Parse a board as it is typed: `QsQd4c / KsKd9h8h3c / AhJh7h6h2h`, and after one more `/` the discards.

The text is parsed after every key, so errors, which no further key can correct, are kept apart from missing cards.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from client.spelling import spell_card, split_cards
from schemas.rulesets import load_ruleset
from scoring.board import Row
from scoring.cards import BY_NAME, RANKS, SUITS
from scoring.ruleset import BOARD_SIZE, MOST_FANTASYLAND

DISCARDS: Final = "discards"
PARTS: Final = (*(row.value for row in Row), DISCARDS)
FANTASYLAND_CARDS: Final = range(BOARD_SIZE, MOST_FANTASYLAND + 1)
"""How many cards a player can be dealt in Fantasyland."""

_RANK_BEGUN: Final = frozenset(RANKS.lower() + RANKS) | {"1", "10"}

TakenCards = Mapping[str, str]
"""The place of each card that is on the table already: `{"Qs": "in the top of ann"}`."""


@dataclass(frozen=True, slots=True)
class TypedBoard:
    """
    The parsed text of one player's cards, complete or not.

    `pending_rank` is the rank of a last card whose suit is still missing.
    """

    parts: tuple[tuple[str, ...], ...]
    pending_rank: str
    wrong: tuple[str, ...]
    missing: tuple[str, ...]

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
        return {card: f"{_place(index)} of {player}" for index, cards in enumerate(self.parts) for card in cards}


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
    """
    texts = text.split("/")
    pending_rank = _find_pending_rank(texts[-1])
    if pending_rank:
        texts[-1] = texts[-1].rstrip()[: -len(pending_rank)]
    parts = tuple(tuple(spell_card(card) for card in split_cards(part)) for part in texts)
    wrong = tuple(_find_wrong(parts, pending_rank, taken, discards))
    missing = tuple(_find_missing(parts, pending_rank, discards))
    return TypedBoard(parts, pending_rank, wrong, missing)


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
    cards = [spell_card(card) for card in split_cards(text)]
    wrong = list(_find_wrong([*[()] * part, cards], "", {}, 0))
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


def _find_pending_rank(text: str) -> str:
    """
    Return the rank at the end whose suit is still missing.

    >>> _find_pending_rank("QsQ"), _find_pending_rank("Qs10"), _find_pending_rank("Qs"), _find_pending_rank("Q s")
    ('Q', '10', '', '')
    """
    cards = split_cards(text)
    is_last = bool(cards) and text.endswith(cards[-1])
    return cards[-1] if is_last and cards[-1] in _RANK_BEGUN else ""


def _find_wrong(parts: Sequence[Sequence[str]], pending_rank: str, taken: TakenCards, discards: int) -> Iterator[str]:
    seen: dict[str, str] = {}
    for index, cards in enumerate(parts):
        for card in cards:
            if card not in BY_NAME:
                advice = f"expected a rank of {RANKS} and a suit of {SUITS}, for example As or 10s"
                yield f"{card!r} is not a valid card; {advice}"
            elif card in taken:
                yield f"{card} is already {taken[card]}"
            elif card in seen:
                yield f"{card} is already {seen[card]}"
            seen.setdefault(card, _place(index))
        count = len(cards) + bool(pending_rank and index == len(parts) - 1)
        if index >= len(PARTS):
            yield "a fifth part was found; expected top / middle / bottom / discards"
        elif count > capacity_of(index, discards):
            yield _wrong_size(index, count, discards)


def _find_missing(parts: Sequence[Sequence[str]], pending_rank: str, discards: int) -> Iterator[str]:
    if pending_rank:
        yield f"{pending_rank} has no suit yet; expected one of {SUITS}"
    for index in range(len(PARTS)):
        count = len(parts[index]) if index < len(parts) else 0
        is_unknown = PARTS[index] == DISCARDS and not count
        if count < capacity_of(index, discards) and not is_unknown:
            yield _wrong_size(index, count, discards)


def _wrong_size(part: int, count: int, discards: int) -> str:
    have = f"{count} card{'' if count == 1 else 's'}"
    if PARTS[part] != DISCARDS:
        return f"the {PARTS[part]} has {have}; expected {capacity_of(part, discards)}"
    if not discards:
        return f"{have} after the bottom; expected none, because this deal has no discards"
    return f"{have} among the discards; expected {discards}, or none if they are unknown"


def _place(part: int) -> str:
    if part >= len(PARTS):
        return "behind the discards"
    return "among the discards" if PARTS[part] == DISCARDS else f"in the {PARTS[part]}"
