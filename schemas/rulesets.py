"""Rulesets on the wire."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import post_load

from schemas.base import WireError, WireSchema, load
from schemas.fields import Boolean, Choice, Inner, Integer, Listing, Table, Text
from scoring.board import ByRow
from scoring.errors import Mistake
from scoring.ruleset import (
    FantasylandRules,
    Leaving,
    LowEntry,
    PlayerLimits,
    PointRules,
    Ruleset,
    Scope,
    StakesRules,
    Variant,
    WinLimit,
    frozen_table,
)
from scoring.strength import CATEGORY_BY_LABEL, Category

NAME_PATTERN: Final = "^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$"
REFERENCE_PATTERN: Final = "^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?(?:@[1-9][0-9]{0,8})?$"
MOST_VERSION: Final = 999_999_999


def _words(enum: Any) -> dict[str, Any]:
    return {member.value: member for member in enum}


class RulesetReference(Text):
    """A ruleset by name, in its newest version, or by name@version."""

    def __init__(self, **options: Any) -> None:
        wanted = "a ruleset's name, or name@version"
        super().__init__(longest=80, pattern=REFERENCE_PATTERN, wanted=wanted, **options)


class PlayerLimitsSchema(WireSchema):
    """How many may play a round."""

    min = Integer(required=True)
    max = Integer(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> PlayerLimits:
        return PlayerLimits(**read)


class PointRulesSchema(WireSchema):
    """What a row, two rows, three rows and a foul are worth."""

    row = Integer(required=True)
    majority_bonus = Integer(required=True)
    scoop_bonus = Integer(required=True)
    foul_penalty = Integer(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> PointRules:
        return PointRules(**read)


class RoyaltiesSchema(WireSchema):
    """Royalties by row, each from what is made to its points."""

    top = Table(Integer(), required=True)
    middle = Table(Integer(), required=True)
    bottom = Table(Integer(), required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ByRow[Mapping[str, int]]:
        return ByRow(**read).map(frozen_table)


class StaySchema(WireSchema):
    """The lowest category that renews Fantasyland, by row."""

    top = Choice(CATEGORY_BY_LABEL, required=True, allow_none=True)
    middle = Choice(CATEGORY_BY_LABEL, required=True, allow_none=True)
    bottom = Choice(CATEGORY_BY_LABEL, required=True, allow_none=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ByRow[Category | None]:
        return ByRow(**read)


class LowEntrySchema(WireSchema):
    """How many cards 7-5-4-3-2 in the middle earns, alone and with a top row that enters."""

    cards = Integer(required=True)
    both = Integer(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> LowEntry:
        return LowEntry(**read)


class FantasylandSchema(WireSchema):
    """Who enters Fantasyland, who stays, and with how many cards."""

    enter = Table(Integer(), required=True)
    enter_low = Inner(LowEntrySchema, allow_none=True, load_default=None)
    stay = Inner(StaySchema, required=True)
    stay_cards = Integer(required=True)
    stay_limit = Integer(required=True, allow_none=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> FantasylandRules:
        return FantasylandRules(**{**read, "enter": frozen_table(read["enter"])})


class StakesSchema(WireSchema):
    """Over which stretch stacks count, and what caps the winner."""

    scope = Choice(_words(Scope), required=True)
    win_limit = Choice(_words(WinLimit), required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> StakesRules:
        return StakesRules(**read)


class RulesetSchema(WireSchema):
    """A ruleset, whole. A change is a new version; the version may be left out when one is added."""

    name = Text(required=True, longest=64, pattern=NAME_PATTERN, wanted="small letters, digits and inner hyphens")
    version = Integer(least=1, most=MOST_VERSION, load_default=None)
    variant = Choice(_words(Variant), required=True)
    players = Inner(PlayerLimitsSchema, required=True)
    low_middle = Boolean(required=True)
    points = Inner(PointRulesSchema, required=True)
    royalties = Inner(RoyaltiesSchema, required=True)
    fantasyland = Inner(FantasylandSchema, required=True)
    stakes = Inner(StakesSchema, required=True)
    leaving = Choice(_words(Leaving), required=True)


class RulesetPageSchema(WireSchema):
    """Rulesets, presets first."""

    rulesets = Listing(Inner(RulesetSchema), most=1000)


_RULESET: Final = RulesetSchema()


def load_ruleset(received: object, *, version: int | None = None) -> Ruleset:
    """
    Read a ruleset; one without a version gets the one given here.

    Raises:
        WireError: it has not the shape of a ruleset.
        RulesetError: its rules contradict each other.
    """
    read = load(_RULESET, received)
    read["version"] = read["version"] or version
    if read["version"] is None:
        raise WireError((Mistake("field-missing", ("version",), "is missing; it must be given"),))
    return Ruleset(**read)


def dump_ruleset(ruleset: Ruleset) -> dict[str, Any]:
    """
    Write a ruleset.

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
