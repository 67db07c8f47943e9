"""docs/rules.md 5, Presets: the twenty-one presets, written down from its table a second time."""

import copy
from typing import Any

POINTS = {
    "1-6": {"row": 1, "majority_bonus": 0, "scoop_bonus": 3, "foul_penalty": 6},
    "2-4": {"row": 1, "majority_bonus": 1, "scoop_bonus": 0, "foul_penalty": 6},
}
TOP_PAIRS = {"66": 1, "77": 2, "88": 3, "99": 4, "TT": 5, "JJ": 6, "QQ": 7, "KK": 8, "AA": 9}
LOW_TRIPS = {"222": 10, "333": 11, "444": 12, "555": 13, "666": 14, "777": 15, "888": 16}
HIGH_TRIPS = {"999": 17, "TTT": 18, "JJJ": 19, "QQQ": 20, "KKK": 21, "AAA": 22}
TOP = {**TOP_PAIRS, **LOW_TRIPS, **HIGH_TRIPS}
MADE = ["straight", "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush"]
US = {
    "top": TOP,
    "middle": {"three_of_a_kind": 2, **dict(zip(MADE, [4, 8, 12, 20, 30, 50], strict=True))},
    "bottom": dict(zip(MADE, [2, 4, 6, 10, 15, 25], strict=True)),
}
RUSSIAN = {
    "top": TOP,
    "middle": {"three_of_a_kind": 2, **dict(zip(MADE, [4, 8, 12, 16, 20, 30], strict=True))},
    "bottom": dict(zip(MADE, [2, 4, 6, 8, 10, 15], strict=True)),
}
US_LOW = {**US, "middle": {"nine_low": 1, "eight_low": 2, "seven_low": 4, "75432": 8}}

NEVER = (None, None, None)
TRIPS_OR_QUADS = ("three_of_a_kind", None, "four_of_a_kind")
TRIPS_FULL_QUADS = ("three_of_a_kind", "full_house", "four_of_a_kind")
TRIPS_QUADS_QUADS = ("three_of_a_kind", "four_of_a_kind", "four_of_a_kind")
BY_TOP_ROW = {"QQ": 14, "KK": 15, "AA": 16, "trips": 17}


def preset(
    name: str,
    enter: dict[str, int],
    stay: tuple[str | None, str | None, str | None],
    stakes: tuple[str, str],
    leaving: str,
    variant: str = "pineapple",
    most_players: int = 3,
    method: str = "1-6",
    royalties: dict[str, dict[str, int]] = US,
    stay_cards: int = 14,
    stay_limit: int | None = None,
    enter_low: dict[str, int] | None = None,
) -> dict[str, Any]:
    return {
        "name": name,
        "version": 1,
        "variant": variant,
        "players": {"min": 2, "max": most_players},
        "low_middle": enter_low is not None,
        "points": dict(POINTS[method]),
        "royalties": {row: dict(table) for row, table in royalties.items()},
        "fantasyland": {
            "enter": dict(enter),
            "enter_low": enter_low,
            "stay": dict(zip(("top", "middle", "bottom"), stay, strict=True)),
            "stay_cards": stay_cards,
            "stay_limit": stay_limit,
        },
        "stakes": {"scope": stakes[0], "win_limit": stakes[1]},
        "leaving": leaving,
    }


def of_source_000(method: str, royalties: str, fantasyland: str) -> dict[str, Any]:
    enter = {} if fantasyland == "none" else {"QQ": 14}
    stay = {"none": NEVER, "classic": TRIPS_OR_QUADS, "unlimited": TRIPS_FULL_QUADS}[fantasyland]
    return preset(
        f"pineapple-{method}-{royalties}-{fantasyland}",
        enter,
        stay,
        ("fantasyland", "opening"),
        "between_hands",
        method=method,
        royalties={"russian": RUSSIAN, "us": US}[royalties],
        stay_limit=1 if fantasyland == "classic" else None,
    )


HAND, SEQUENCE, WHOLE = ("hand", "stack"), ("fantasyland", "opening"), ("round", "opening")
ROUNDS, HANDS = "between_rounds", "between_hands"
LOW_14_15 = {"cards": 14, "both": 15}

ALL = [
    preset("pineapple", {"QQ": 14}, TRIPS_OR_QUADS, HAND, ROUNDS),
    preset("progressive", BY_TOP_ROW, TRIPS_OR_QUADS, HAND, ROUNDS),
    preset("deuce-to-seven", {"KK": 14}, TRIPS_OR_QUADS, HAND, ROUNDS, royalties=US_LOW, enter_low=LOW_14_15),
    preset("turbo", {"QQ": 13}, TRIPS_FULL_QUADS, HAND, ROUNDS, variant="turbo", most_players=4, stay_cards=13),
    preset("pineapple-qq", {"QQ": 14}, TRIPS_FULL_QUADS, SEQUENCE, HANDS),
    preset("pineapple-kk", {"KK": 14}, TRIPS_QUADS_QUADS, SEQUENCE, HANDS),
    preset("pineapple-aa", {"AA": 14}, TRIPS_QUADS_QUADS, SEQUENCE, HANDS),
    preset("progressive-round", BY_TOP_ROW, TRIPS_FULL_QUADS, WHOLE, ROUNDS),
    preset("classic", {"QQ": 13}, TRIPS_FULL_QUADS, HAND, ROUNDS, variant="classic", most_players=4, stay_cards=13),
    *(
        of_source_000(method, royalties, fantasyland)
        for method in ("2-4", "1-6")
        for royalties in ("russian", "us")
        for fantasyland in ("none", "classic", "unlimited")
    ),
]
PRESETS: dict[str, dict[str, Any]] = {ruleset["name"]: ruleset for ruleset in ALL}


def changed(name: str, **changes: Any) -> dict[str, Any]:
    """A preset with some of its fields changed, as operators make their own rulesets."""
    ruleset = copy.deepcopy(PRESETS[name])
    for part, values in changes.items():
        ruleset[part] = ruleset[part] | values if isinstance(values, dict) else values
    return ruleset
