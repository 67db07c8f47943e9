"""Rulesets as data: what they refuse, and the presets."""

import dataclasses
from dataclasses import replace
from typing import Any

import pytest

from schemas.rulesets import dump_ruleset
from scoring.errors import RulesetError
from scoring.presets import PRESETS
from scoring.ruleset import MOST_POINTS, Ruleset, StakesScope, Variant
from tests.oracle import PRESETS as PRESETS_OF_THE_ORACLE
from tests.support.scoring.notation import pointer_to, ruleset_of


def refusals(**changes: Any) -> list[tuple[str, str]]:
    """What is wrong with a preset so changed."""
    with pytest.raises(RulesetError) as refused:
        ruleset_of({"like": "pineapple", **changes})
    return [(mistake.code, pointer_to(mistake.path)) for mistake in refused.value.mistakes]


def test_the_presets_are_those_of_the_rules() -> None:
    assert {name: dump_ruleset(ruleset) for name, ruleset in PRESETS.items()} == PRESETS_OF_THE_ORACLE
    assert len(PRESETS) == 21


def test_the_presets_match_the_table_of_the_rules() -> None:
    once = [name for name, ruleset in PRESETS.items() if ruleset.fantasyland.stay_limit == 1]
    assert once == [f"pineapple-{method}-{table}-classic" for method in ("2-4", "1-6") for table in ("russian", "us")]
    assert [name for name, ruleset in PRESETS.items() if ruleset.players.max == 4] == ["turbo", "classic"]
    assert [name for name, ruleset in PRESETS.items() if ruleset.low_middle] == ["deuce-to-seven"]
    assert [name for name, ruleset in PRESETS.items() if ruleset.stakes.scope is StakesScope.ROUND] == [
        "progressive-round"
    ]


@pytest.mark.parametrize("ruleset", PRESETS.values(), ids=str)
def test_on_top_a_pair_earns_its_rank_less_five_and_three_of_a_kind_its_rank_and_eight(ruleset: Ruleset) -> None:
    ranks = {rank: value for value, rank in enumerate("23456789TJQKA", start=2)}
    pairs = {rank * 2: value - 5 for rank, value in ranks.items() if value > 5}
    assert ruleset.royalties.top == pairs | {rank * 3: value + 8 for rank, value in ranks.items()}


@pytest.mark.parametrize("name", ["", "-", "a-", "-a", "A", "a b", "ä", "a_b", "a" * 65, "a\n"])
def test_a_name_is_small_letters_digits_and_inner_hyphens(name: str) -> None:
    with pytest.raises(RulesetError, match="is not a valid ruleset name"):
        replace(PRESETS["turbo"], name=name)


@pytest.mark.parametrize("name", ["a", "2-7", "a" * 64, "house-rules-9"])
def test_such_a_name_is_one(name: str) -> None:
    assert str(replace(PRESETS["turbo"], name=name, version=3)) == f"{name}@3"


@pytest.mark.parametrize("field", ["row", "majority_bonus", "scoop_bonus", "foul_penalty"])
@pytest.mark.parametrize("points", [-1, MOST_POINTS + 1])
def test_points_are_not_negative_and_not_beyond_measure(field: str, points: int) -> None:
    assert refusals(points={field: points}) == [("points-range", f"#/points/{field}")]


def test_nothing_and_the_most_are_points() -> None:
    points = {"row": 0, "majority_bonus": 0, "scoop_bonus": MOST_POINTS, "foul_penalty": 0}
    assert ruleset_of({"like": "pineapple", "points": points}).points.scoop_bonus == MOST_POINTS


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ("top", "two_pair"),
        ("top", "trips"),
        ("top", "AKQ"),
        ("middle", "high_card"),
        ("middle", "seven_low"),
        ("bottom", "AA"),
        ("bottom", "75432"),
    ],
)
def test_royalties_are_for_what_the_row_can_make(row: str, key: str) -> None:
    assert refusals(royalties={row: {key: 1}}) == [("royalty-unknown", f"#/royalties/{row}/{key}")]


def test_a_low_middle_earns_for_lows_only() -> None:
    low = ruleset_of({"like": "deuce-to-seven", "royalties": {"middle": {"ten_low": 3}}})
    assert low.royalties.middle == {"ten_low": 3}
    with pytest.raises(RulesetError, match="'flush' earns no royalties in the middle"):
        ruleset_of({"like": "deuce-to-seven", "royalties": {"middle": {"flush": 8}}})


@pytest.mark.parametrize("cards", [12, 18, 0, -14])
def test_fantasyland_has_thirteen_to_seventeen_cards(cards: int) -> None:
    both = {"cards": 14, "both": cards}
    assert ("fantasyland-range", "#/fantasyland/enter/QQ") in refusals(fantasyland={"enter": {"QQ": cards}})
    assert ("fantasyland-range", "#/fantasyland/stay_cards") in refusals(fantasyland={"stay_cards": cards})
    assert ("fantasyland-range", "#/fantasyland/enter_low/both") in refusals(fantasyland={"enter_low": both})


@pytest.mark.parametrize("entry", ["AAA", "QK", "Q", "", "flush", "TRIPS", "qq"])
def test_a_pair_or_trips_on_top_enter(entry: str) -> None:
    assert refusals(fantasyland={"enter": {entry: 14}}) == [("entry-unknown", f"#/fantasyland/enter/{entry}")]


def test_a_better_top_row_earns_the_cards_of_the_next_lower_entry() -> None:
    ruleset = ruleset_of({"like": "progressive", "fantasyland": {"enter": {"QQ": 16, "AA": 14}}})
    assert ruleset.entries == {"QQ": 16, "KK": 16, "AA": 14, "trips": 14}


def test_staying_needs_at_least_a_pair_and_on_top_a_pair_or_three_of_a_kind() -> None:
    stay = {"top": "straight", "middle": "high_card", "bottom": "high_card"}
    assert [code for code, _ in refusals(fantasyland={"stay": stay})] == ["stay-unknown"] * 3
    stay = {"top": "pair", "middle": "pair", "bottom": "royal_flush"}
    assert ruleset_of({"like": "pineapple", "fantasyland": {"stay": stay}})


def test_no_repeat_at_all_is_a_limit() -> None:
    assert ruleset_of({"like": "pineapple", "fantasyland": {"stay_limit": 0}}).fantasyland.stay_limit == 0


def test_the_deck_must_last_for_the_most_players() -> None:
    assert refusals(players={"max": 4}) == [("deck-too-small", "#/players/max")]
    assert refusals(variant="classic", players={"max": 4}) == [("deck-too-small", "#/players/max")]  # 14 in Fantasyland
    nobody_enters = {"enter": {}, "stay_cards": 14}
    assert ruleset_of({"like": "pineapple", "variant": "classic", "players": {"max": 4}, "fantasyland": nobody_enters})


def test_players_are_at_least_two() -> None:
    assert refusals(players={"min": 0, "max": 1}) == [("players-range", "#/players/min")]
    assert refusals(players={"min": 3, "max": 2}) == [("players-range", "#/players/max")]
    assert ruleset_of({"like": "pineapple", "players": {"min": 2, "max": 2}}).players.max == 2


def test_a_ruleset_never_changes() -> None:
    ruleset = PRESETS["pineapple"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        ruleset.low_middle = True
    with pytest.raises(TypeError):
        ruleset.royalties.top["AA"] = 100
    with pytest.raises(TypeError):
        PRESETS["mine"] = ruleset


def test_rulesets_are_equal_when_every_rule_is() -> None:
    pineapple = PRESETS["pineapple"]
    assert replace(pineapple) == pineapple
    assert replace(pineapple, version=2) != pineapple
    assert len({pineapple, replace(pineapple), replace(pineapple, version=2)}) == 2


def test_the_variants_deal_seventeen_or_thirteen_cards() -> None:
    assert {variant.value: (len(variant.streets), variant.cards_dealt) for variant in Variant} == {
        "pineapple": (5, 17),
        "turbo": (3, 13),
        "classic": (9, 13),
    }
    assert all(street.dealt == street.placed + street.discarded for variant in Variant for street in variant.streets)
    assert all(sum(street.placed for street in variant.streets) == 13 for variant in Variant)
