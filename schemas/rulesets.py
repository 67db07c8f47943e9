"""Rulesets."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import post_load

from schemas.base import WireError, WireSchema, load
from schemas.fields import Boolean, Choice, Dictionary, Inner, Integer, Listing, Text
from schemas.pages import PageSchema
from scoring.board import ByRow
from scoring.errors import Mistake
from scoring.ruleset import (
    ENTRIES,
    FantasylandRules,
    Leaving,
    LowEntry,
    PlayerLimits,
    PointRules,
    Ruleset,
    StakesRules,
    StakesScope,
    Variant,
    WinLimit,
    frozen_table,
)
from scoring.strength import CATEGORY_BY_LABEL, Category

NAME_PATTERN: Final = "^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$"
MOST_VERSION: Final = 999_999_999


def _words(enum: Any) -> dict[str, Any]:
    return {member.value: member for member in enum}


class PlayerLimitsSchema(WireSchema):
    """The number of players of a round."""

    min = Integer(required=True, description="Minimum number of players.")
    max = Integer(required=True, description="Maximum number of players.")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> PlayerLimits:
        return PlayerLimits(**read)


class PointRulesSchema(WireSchema):
    """Points for rows, bonuses and fouls."""

    row = Integer(required=True, description="Points for winning a row.")
    majority_bonus = Integer(required=True, description="Bonus points for winning two of the three rows.")
    scoop_bonus = Integer(required=True, description="Bonus points for winning all three rows.")
    foul_penalty = Integer(
        required=True,
        description="Points that a foul board pays to each board that is not foul, royalties not included.",
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> PointRules:
        return PointRules(**read)


class RoyaltyTablesSchema(WireSchema):
    """Royalty points by row."""

    top = Dictionary(
        Integer(),
        required=True,
        description="Royalty points of the top row, by pair (`66` to `AA`) and three of a kind (`222` to `AAA`).",
    )
    middle = Dictionary(Integer(), required=True, description="Royalty points of the middle row, by category.")
    bottom = Dictionary(Integer(), required=True, description="Royalty points of the bottom row, by category.")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ByRow[Mapping[str, int]]:
        return ByRow(**read).map(frozen_table)


class FantasylandStaySchema(WireSchema):
    """The lowest category that renews Fantasyland, by row."""

    top = Choice(
        CATEGORY_BY_LABEL,
        required=True,
        allow_none=True,
        description="Lowest category of the top row. Null if the top row cannot renew Fantasyland.",
    )
    middle = Choice(
        CATEGORY_BY_LABEL,
        required=True,
        allow_none=True,
        description="Lowest category of the middle row. Null if the middle row cannot renew Fantasyland.",
    )
    bottom = Choice(
        CATEGORY_BY_LABEL,
        required=True,
        allow_none=True,
        description="Lowest category of the bottom row. Null if the bottom row cannot renew Fantasyland.",
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ByRow[Category | None]:
        return ByRow(**read)


class FantasylandLowEntrySchema(WireSchema):
    """Entry into Fantasyland by 7-5-4-3-2 in the middle row."""

    cards = Integer(required=True, description="Number of Fantasyland cards for 7-5-4-3-2 in the middle row alone.")
    both = Integer(
        required=True, description="Number of Fantasyland cards for 7-5-4-3-2 together with a top row that also enters."
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> LowEntry:
        return LowEntry(**read)


class FantasylandRulesSchema(WireSchema):
    """Who enters Fantasyland, who stays, and with how many cards."""

    enter = Dictionary(
        Integer(),
        required=True,
        description="Number of Fantasyland cards by the weakest top row that earns them: a pair such as `QQ`,"
        " or `trips`.",
    )
    enter_low = Inner(
        FantasylandLowEntrySchema,
        allow_none=True,
        load_default=None,
        description="Entry by 7-5-4-3-2 in the middle row. Null if there is none.",
    )
    stay = Inner(FantasylandStaySchema, required=True, description="Lowest category that renews Fantasyland, by row.")
    stay_cards = Integer(required=True, description="Number of cards dealt to a player who stays.")
    stay_limit = Integer(
        required=True, allow_none=True, description="How many times in a row a player can stay. Null for no limit."
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> FantasylandRules:
        return FantasylandRules(**{**read, "enter": frozen_table(read["enter"])})


class StakesRulesSchema(WireSchema):
    """How stacks limit payments."""

    scope = Choice(
        _words(StakesScope),
        required=True,
        description="Period over which stacks limit payments: one hand, a sequence of Fantasyland hands, or the round.",
    )
    win_limit = Choice(
        _words(WinLimit),
        required=True,
        description="What limits the winner: the current stack, the opening stack, or nothing.",
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> StakesRules:
        return StakesRules(**read)


class RulesetSchema(WireSchema):
    """A ruleset. It never changes; a change is a new version."""

    name = Text(
        required=True,
        longest=64,
        pattern=NAME_PATTERN,
        meaning="small letters, digits and inner hyphens",
        description="Name of the ruleset: lowercase letters, digits and inner hyphens.",
    )
    version = Integer(
        least=1,
        most=MOST_VERSION,
        load_default=None,
        description="Version of the ruleset, from 1. Assigned by the service if omitted.",
    )
    variant = Choice(_words(Variant), required=True, description="How a hand is dealt outside Fantasyland.")
    players = Inner(PlayerLimitsSchema, required=True, description="Minimum and maximum number of players in a round.")
    low_middle = Boolean(required=True, description="True if the middle row is deuce-to-seven low.")
    points = Inner(PointRulesSchema, required=True, description="Points for rows, bonuses and fouls.")
    royalties = Inner(RoyaltyTablesSchema, required=True, description="Royalty points by row.")
    fantasyland = Inner(
        FantasylandRulesSchema, required=True, description="Who enters Fantasyland, who stays, and with how many cards."
    )
    stakes = Inner(StakesRulesSchema, required=True, description="How stacks limit payments.")
    leaving = Choice(
        _words(Leaving),
        required=True,
        description="When players can leave or top up: between hands, or only between rounds.",
    )


class ListedRulesetSchema(RulesetSchema):
    """A ruleset, and the ruleset in words."""

    words = Text(
        required=True,
        longest=100,
        description="The game, and what enters Fantasyland: `Pineapple, Fantasyland from queens`.",
    )


class RulesetPageSchema(PageSchema):
    """One page of rulesets, presets first."""

    rulesets = Listing(Inner(ListedRulesetSchema), most=1000, description="The rulesets of this page, presets first.")


_RULESET: Final = RulesetSchema()


def load_ruleset(received: object, *, version: int | None = None) -> Ruleset:
    """
    Parse a ruleset; `version` is the version of one that has none.

    Raises:
        WireError: it is not valid.
        RulesetError: its rules contradict each other.
    """
    read = load(_RULESET, received)
    read["version"] = read["version"] or version
    if read["version"] is None:
        raise WireError((Mistake("field-missing", ("version",), "is required"),))
    return Ruleset(**read)


def dump_ruleset(ruleset: Ruleset) -> dict[str, Any]:
    """
    Encode a ruleset.

    >>> from scoring.presets import PRESETS
    >>> load_ruleset(dump_ruleset(PRESETS["deuce-to-seven"])) == PRESETS["deuce-to-seven"]
    True
    """
    points, fantasyland = ruleset.points, ruleset.fantasyland
    low = fantasyland.enter_low
    return {
        "name": ruleset.name,
        "version": ruleset.version,
        "variant": ruleset.variant.value,
        "players": {"min": ruleset.players.min, "max": ruleset.players.max},
        "low_middle": ruleset.low_middle,
        "points": {
            "row": points.row,
            "majority_bonus": points.majority_bonus,
            "scoop_bonus": points.scoop_bonus,
            "foul_penalty": points.foul_penalty,
        },
        "royalties": {row.value: dict(table) for row, table in ruleset.royalties.items()},
        "fantasyland": {
            "enter": dict(fantasyland.enter),
            "enter_low": None if low is None else {"cards": low.cards, "both": low.both},
            "stay": {row.value: stay.label if stay else None for row, stay in fantasyland.stay.items()},
            "stay_cards": fantasyland.stay_cards,
            "stay_limit": fantasyland.stay_limit,
        },
        "stakes": {"scope": ruleset.stakes.scope.value, "win_limit": ruleset.stakes.win_limit.value},
        "leaving": ruleset.leaving.value,
    }


def dump_listed_ruleset(ruleset: Ruleset) -> dict[str, Any]:
    """Encode a ruleset with the ruleset in words."""
    return {**dump_ruleset(ruleset), "words": describe_ruleset(ruleset)}


_RANKS: Final = (
    *("twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines"),
    *("tens", "jacks", "queens", "kings", "aces", "three of a kind"),
)
"""What can enter Fantasyland in words, in the order of `ENTRIES`."""


def describe_ruleset(ruleset: Ruleset) -> str:
    """
    Return a ruleset in words: its game, and what enters Fantasyland.

    >>> from scoring.presets import PRESETS
    >>> for name in ("pineapple", "progressive", "deuce-to-seven"):
    ...     describe_ruleset(PRESETS[name])
    'Pineapple, Fantasyland from queens'
    'Pineapple, progressive Fantasyland from queens'
    'Pineapple with a low middle row, Fantasyland from kings'
    """
    game = f"{ruleset.variant.value.capitalize()}{' with a low middle row' if ruleset.low_middle else ''}"
    rules = ruleset.fantasyland
    if not rules.enter:
        return f"{game}, {'no Fantasyland' if rules.enter_low is None else 'Fantasyland from 7-5-4-3-2'}"
    progressive = "progressive " if len(set(rules.enter.values())) > 1 else ""
    return f"{game}, {progressive}Fantasyland from {_RANKS[min(map(ENTRIES.index, rules.enter))]}"
