"""The twenty-one presets."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from scoring.board import ByRow
from scoring.ruleset import (
    PAIRS,
    TRIPS,
    FantasylandRules,
    Leaving,
    LowEntry,
    PlayerLimits,
    PointRules,
    Ruleset,
    StakesRules,
    StakesScope,
    Table,
    Variant,
    WinLimit,
    frozen_table,
)
from scoring.strength import CATEGORY_BY_LABEL, Category

ONE_SIX: Final = PointRules(row=1, majority_bonus=0, scoop_bonus=3, foul_penalty=6)
TWO_FOUR: Final = PointRules(row=1, majority_bonus=1, scoop_bonus=0, foul_penalty=6)

_TOP: Final = frozen_table(
    {pair: points for points, pair in enumerate(PAIRS[4:], start=1)}
    | {trips: points for points, trips in enumerate(TRIPS, start=10)}
)
_US: Final = ByRow(
    _TOP,
    frozen_table(
        {
            "three_of_a_kind": 2,
            "straight": 4,
            "flush": 8,
            "full_house": 12,
            "four_of_a_kind": 20,
            "straight_flush": 30,
            "royal_flush": 50,
        }
    ),
    frozen_table(
        {"straight": 2, "flush": 4, "full_house": 6, "four_of_a_kind": 10, "straight_flush": 15, "royal_flush": 25}
    ),
)
_RUSSIAN: Final = ByRow(
    _TOP,
    frozen_table({**_US.middle, "four_of_a_kind": 16, "straight_flush": 20, "royal_flush": 30}),
    frozen_table({**_US.bottom, "four_of_a_kind": 8, "straight_flush": 10, "royal_flush": 15}),
)
_LOW: Final = frozen_table({"nine_low": 1, "eight_low": 2, "seven_low": 4, "75432": 8})

_HAND_STACK: Final = StakesRules(StakesScope.HAND, WinLimit.STACK)
_SEQUENCE_OPENING: Final = StakesRules(StakesScope.FANTASYLAND, WinLimit.OPENING)


def _stay(top: str | None, middle: str | None, bottom: str | None) -> ByRow[Category | None]:
    return ByRow(top, middle, bottom).map(lambda label: CATEGORY_BY_LABEL[label] if label else None)


_TRIPS_QUADS: Final = _stay("three_of_a_kind", None, "four_of_a_kind")
_TRIPS_FULL_QUADS: Final = _stay("three_of_a_kind", "full_house", "four_of_a_kind")
_TRIPS_QUADS_QUADS: Final = _stay("three_of_a_kind", "four_of_a_kind", "four_of_a_kind")


def _fantasyland(enter: Table, stay: ByRow[Category | None], cards: int = 14) -> FantasylandRules:
    return FantasylandRules(frozen_table(enter), None, stay, stay_cards=cards, stay_limit=None)


_PROGRESSIVE: Final = {"QQ": 14, "KK": 15, "AA": 16, "trips": 17}

_PINEAPPLE: Final = Ruleset(
    name="pineapple",
    version=1,
    variant=Variant.PINEAPPLE,
    players=PlayerLimits(2, 3),
    low_middle=False,
    points=ONE_SIX,
    royalties=_US,
    fantasyland=_fantasyland({"QQ": 14}, _TRIPS_QUADS),
    stakes=_HAND_STACK,
    leaving=Leaving.BETWEEN_ROUNDS,
)


def _live_rooms() -> Iterator[Ruleset]:
    """List the rules played in sets, hand by hand from the player's stack."""
    yield _PINEAPPLE
    yield replace(_PINEAPPLE, name="progressive", fantasyland=_fantasyland(_PROGRESSIVE, _TRIPS_QUADS))
    yield replace(
        _PINEAPPLE,
        name="deuce-to-seven",
        low_middle=True,
        royalties=ByRow(_US.top, _LOW, _US.bottom),
        fantasyland=replace(_fantasyland({"KK": 14}, _TRIPS_QUADS), enter_low=LowEntry(cards=14, both=15)),
    )
    turbo = replace(
        _PINEAPPLE,
        name="turbo",
        variant=Variant.TURBO,
        players=PlayerLimits(2, 4),
        fantasyland=_fantasyland({"QQ": 13}, _TRIPS_FULL_QUADS, cards=13),
    )
    yield turbo
    yield replace(turbo, name="classic", variant=Variant.CLASSIC)


def _online_rooms() -> Iterator[Ruleset]:
    """List the rules whose stacks count over a sequence or a round."""
    for pair, stay in (("QQ", _TRIPS_FULL_QUADS), ("KK", _TRIPS_QUADS_QUADS), ("AA", _TRIPS_QUADS_QUADS)):
        yield replace(
            _PINEAPPLE,
            name=f"pineapple-{pair.lower()}",
            fantasyland=_fantasyland({pair: 14}, stay),
            stakes=_SEQUENCE_OPENING,
            leaving=Leaving.BETWEEN_HANDS,
        )
    yield replace(
        _PINEAPPLE,
        name="progressive-round",
        fantasyland=_fantasyland(_PROGRESSIVE, _TRIPS_FULL_QUADS),
        stakes=StakesRules(StakesScope.ROUND, WinLimit.OPENING),
    )


def _method_rooms() -> Iterator[Ruleset]:
    """List the twelve rules named by method, royalties and Fantasyland."""
    fantasylands = {
        "none": _fantasyland({}, _stay(None, None, None)),
        "classic": replace(_fantasyland({"QQ": 14}, _TRIPS_QUADS), stay_limit=1),
        "unlimited": _fantasyland({"QQ": 14}, _TRIPS_FULL_QUADS),
    }
    for method, points in (("2-4", TWO_FOUR), ("1-6", ONE_SIX)):
        for table, royalties in (("russian", _RUSSIAN), ("us", _US)):
            for kind, fantasyland in fantasylands.items():
                yield replace(
                    _PINEAPPLE,
                    name=f"pineapple-{method}-{table}-{kind}",
                    points=points,
                    royalties=royalties,
                    fantasyland=fantasyland,
                    stakes=_SEQUENCE_OPENING,
                    leaving=Leaving.BETWEEN_HANDS,
                )


PRESETS: Final[Mapping[str, Ruleset]] = MappingProxyType(
    {ruleset.name: ruleset for ruleset in (*_live_rooms(), *_online_rooms(), *_method_rooms())}
)
"""The presets by name, each in its version 1.

>>> len(PRESETS), str(PRESETS["turbo"]), PRESETS["turbo"].players.max
(21, 'turbo@1', 4)

Rule: docs/rules.md#presets
"""
