"""A named, immutable, versioned set of rules."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from scoring.board import ByRow, Row
from scoring.cards import RANKS
from scoring.errors import Mistake, RulesetError
from scoring.strength import Category

PAIRS: Final = tuple(rank * 2 for rank in RANKS)
TRIPS: Final = tuple(rank * 3 for rank in RANKS)
TOP_ROYALTIES: Final = PAIRS + TRIPS
CATEGORY_ROYALTIES: Final = tuple(category.label for category in Category if category)
LOW_ROYALTIES: Final = ("ten_low", "nine_low", "eight_low", "seven_low", "75432")
ENTRIES: Final = (*PAIRS, "trips")
"""What can enter Fantasyland by the top row, weakest first."""

DECK_SIZE: Final = 52
BOARD_SIZE: Final = 13
MOST_FANTASYLAND: Final = 17
MOST_POINTS: Final = 1_000_000
"""No single score may be higher, so that no sum of a round leaves 64 bits."""

NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?", re.ASCII)

Points = int
Table = Mapping[str, int]


class StakesScope(StrEnum):
    """The scope of the stakes: how long opening stacks count, and when chips move."""

    HAND = "hand"
    FANTASYLAND = "fantasyland"
    ROUND = "round"


class WinLimit(StrEnum):
    """What caps the winner of an exchange; the payer's stack always caps too."""

    STACK = "stack"
    OPENING = "opening"
    NONE = "none"


class Leaving(StrEnum):
    """When a player may leave or top up."""

    BETWEEN_HANDS = "between_hands"
    BETWEEN_ROUNDS = "between_rounds"


class StreetRule(NamedTuple):
    """The number of cards that a street deals, places and discards."""

    dealt: int
    placed: int
    discarded: int


class Variant(StrEnum):
    """
    How an ordinary hand is dealt.

    >>> Variant.TURBO.streets, Variant.PINEAPPLE.cards_dealt
    ((StreetRule(dealt=5, placed=5, discarded=0), StreetRule(dealt=4, placed=4, discarded=0), \
StreetRule(dealt=4, placed=4, discarded=0)), 17)

    Rule: docs/rules.md#the-deal
    """

    PINEAPPLE = "pineapple"
    TURBO = "turbo"
    CLASSIC = "classic"

    @property
    def streets(self) -> tuple[StreetRule, ...]:
        """The streets of an ordinary hand, in order."""
        return _STREETS[self]

    @property
    def cards_dealt(self) -> int:
        """How many cards a player outside Fantasyland sees in a hand."""
        return sum(street.dealt for street in self.streets)


_FIRST_STREET: Final = StreetRule(5, 5, 0)
_STREETS: Final = {
    Variant.PINEAPPLE: (_FIRST_STREET, *[StreetRule(3, 2, 1)] * 4),
    Variant.TURBO: (_FIRST_STREET, *[StreetRule(4, 4, 0)] * 2),
    Variant.CLASSIC: (_FIRST_STREET, *[StreetRule(1, 1, 0)] * 8),
}


def frozen_table(table: Table) -> Table:
    """Return an immutable copy of a table."""
    return MappingProxyType(dict(table))


@dataclass(frozen=True, slots=True)
class PlayerLimits:
    """How many may play a round."""

    min: int
    max: int


@dataclass(frozen=True, slots=True)
class PointRules:
    """The points for a row, two rows, three rows and a foul."""

    row: Points
    majority_bonus: Points
    scoop_bonus: Points
    foul_penalty: Points


@dataclass(frozen=True, slots=True)
class LowEntry:
    """How many cards 7-5-4-3-2 in the middle earns, alone and together with a top row that enters."""

    cards: int
    both: int


@dataclass(frozen=True, slots=True)
class FantasylandRules:
    """
    Who enters Fantasyland, who stays, and with how many cards.

    `enter` leads from the weakest top row to the cards it earns: a pair such as `"QQ"`, or `"trips"`; a better one
    earns the same until the next entry. Empty, nobody enters by the top row.
    """

    enter: Table
    enter_low: LowEntry | None
    stay: ByRow[Category | None]
    stay_cards: int
    stay_limit: int | None

    @property
    def deals(self) -> frozenset[int]:
        """Every number of cards that Fantasyland can deal under these rules."""
        entries = set(self.enter.values())
        if self.enter_low is not None:
            entries |= {self.enter_low.cards, self.enter_low.both}
        return frozenset(entries | {self.stay_cards}) if entries else frozenset()


@dataclass(frozen=True, slots=True)
class StakesRules:
    """The scope of the stakes, and what caps the winner."""

    scope: StakesScope
    win_limit: WinLimit


@dataclass(frozen=True)
class Ruleset:
    """
    A set of rules for dealing, scoring and paying a hand.

    A ruleset is data: code asks for a rule, never for a name. It never changes; a change is a new version.

    Raises:
        RulesetError: the rules contradict each other or the deck; every contradiction is named.

    Rule: docs/rules.md#rulesets
    """

    name: str
    version: int
    variant: Variant
    players: PlayerLimits
    low_middle: bool
    points: PointRules
    royalties: ByRow[Table]
    fantasyland: FantasylandRules
    stakes: StakesRules
    leaving: Leaving = field(default=Leaving.BETWEEN_ROUNDS)

    def __post_init__(self) -> None:
        mistakes = list(_mistakes(self))
        if mistakes:
            raise RulesetError(mistakes)

    def __hash__(self) -> int:
        return hash((self.name, self.version))

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    @cached_property
    def entries(self) -> Mapping[str, int]:
        """How many cards each pair on top, and three of a kind, earns; what earns none is left out."""
        cards, earned = 0, {}
        for entry in ENTRIES:
            cards = self.fantasyland.enter.get(entry, cards)
            if cards:
                earned[entry] = cards
        return earned

    def streets(self, fantasyland: int) -> tuple[StreetRule, ...]:
        """List the streets of a hand: one for Fantasyland of that many cards, the variant's for 0."""
        if fantasyland:
            return (StreetRule(fantasyland, BOARD_SIZE, fantasyland - BOARD_SIZE),)
        return self.variant.streets

    def cards_dealt(self, fantasyland: int) -> int:
        """Return how many cards a player sees: in Fantasyland of that many cards or, for 0, outside."""
        return fantasyland or self.variant.cards_dealt


def _mistakes(ruleset: Ruleset) -> Iterator[Mistake]:
    if not NAME.fullmatch(ruleset.name):
        form = "up to 64 lowercase letters, digits and inner hyphens"
        detail = f"{ruleset.name!r} is not a valid ruleset name; expected {form}"
        yield Mistake("ruleset-name", ("name",), detail)
    if ruleset.version < 1:
        yield Mistake("ruleset-version", ("version",), f"version {ruleset.version} is too low; expected 1 or more")
    yield from _player_mistakes(ruleset)
    yield from _point_mistakes(ruleset)
    yield from _fantasyland_mistakes(ruleset)


def _player_mistakes(ruleset: Ruleset) -> Iterator[Mistake]:
    fewest, most = ruleset.players.min, ruleset.players.max
    if fewest < 2:
        yield Mistake("players-range", ("players", "min"), f"{fewest} players are too few; expected 2 or more")
    if most < fewest:
        yield Mistake(
            "players-range",
            ("players", "max"),
            f"the maximum number of players, {most}, is less than the minimum, {fewest}",
        )
    dealt = max({ruleset.variant.cards_dealt, *ruleset.fantasyland.deals})
    if most * dealt > DECK_SIZE:
        detail = f"{most} players with {dealt} cards each need {most * dealt} cards; the deck has {DECK_SIZE}"
        yield Mistake("deck-too-small", ("players", "max"), detail)


def _point_mistakes(ruleset: Ruleset) -> Iterator[Mistake]:
    for name in ("row", "majority_bonus", "scoop_bonus", "foul_penalty"):
        yield from _points_in_range(getattr(ruleset.points, name), "points", name)
    payable = ByRow(TOP_ROYALTIES, LOW_ROYALTIES if ruleset.low_middle else CATEGORY_ROYALTIES, CATEGORY_ROYALTIES)
    for row, table in ruleset.royalties.items():
        for label, points in table.items():
            if label not in payable[row]:
                detail = f"{label!r} earns no royalties in the {row}; expected one of {', '.join(payable[row])}"
                yield Mistake("royalty-unknown", ("royalties", row.value, label), detail)
            else:
                yield from _points_in_range(points, "royalties", row.value, label)


def _points_in_range(points: int, *path: str) -> Iterator[Mistake]:
    if not 0 <= points <= MOST_POINTS:
        yield Mistake("points-range", path, f"{points} points are out of range; expected 0 to {MOST_POINTS}")


def _fantasyland_mistakes(ruleset: Ruleset) -> Iterator[Mistake]:
    rules = ruleset.fantasyland
    for entry, cards in rules.enter.items():
        if entry not in ENTRIES:
            detail = (
                f"{entry!r} is not a top row that can enter Fantasyland; expected a pair from '22' to 'AA', or 'trips'"
            )
            yield Mistake("entry-unknown", ("fantasyland", "enter", entry), detail)
        yield from _deal_in_range(cards, "enter", entry)
    if rules.enter_low is not None:
        if not ruleset.low_middle:
            detail = "7-5-4-3-2 in the middle can enter only where the middle is a low; here low_middle is false"
            yield Mistake("low-needed", ("fantasyland", "enter_low"), detail)
        yield from _deal_in_range(rules.enter_low.cards, "enter_low", "cards")
        yield from _deal_in_range(rules.enter_low.both, "enter_low", "both")
    yield from _deal_in_range(rules.stay_cards, "stay_cards")
    for row, category in rules.stay.items():
        yield from _stay_mistakes(row, category, ruleset.low_middle)
    if rules.stay_limit is not None and rules.stay_limit < 0:
        detail = f"{rules.stay_limit} repeats are too few; expected 0 or more, or null for no limit"
        yield Mistake("stay-limit", ("fantasyland", "stay_limit"), detail)


def _deal_in_range(cards: int, *path: str) -> Iterator[Mistake]:
    if not BOARD_SIZE <= cards <= MOST_FANTASYLAND:
        detail = f"Fantasyland of {cards} cards cannot be dealt; expected {BOARD_SIZE} to {MOST_FANTASYLAND}"
        yield Mistake("fantasyland-range", ("fantasyland", *path), detail)


def _stay_mistakes(row: Row, category: Category | None, low_middle: bool) -> Iterator[Mistake]:
    path = ("fantasyland", "stay", row.value)
    if category is None:
        return
    if row is Row.MIDDLE and low_middle:
        yield Mistake(
            "stay-unknown", path, "a low in the middle renews no Fantasyland; expected null where low_middle is true"
        )
    elif category is Category.HIGH_CARD:
        yield Mistake(
            "stay-unknown", path, "every row is at least high_card, so all would stay; expected pair or better"
        )
    elif row is Row.TOP and category not in (Category.PAIR, Category.THREE_OF_A_KIND):
        yield Mistake(
            "stay-unknown", path, f"three cards never make {category.label}; expected pair or three_of_a_kind"
        )
