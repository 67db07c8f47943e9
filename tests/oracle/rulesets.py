"""Random rulesets: valid as a whole, every field varied over time."""

from random import Random
from typing import Any

from tests.oracle.presets import RUSSIAN, TOP, US, US_LOW
from tests.oracle.rows import CATEGORIES, RANKS

PAIRS = [rank + rank for rank in RANKS]
LOWS = ["ten_low", "nine_low", "eight_low", "seven_low", "75432"]
LOWEST_PAIRS = ["QQ", "QQ", "KK", "AA", "JJ", "99", "22", "trips"]


def random_table(rng: Random, keys: list[str], most: int) -> dict[str, int]:
    """Some of the keys, each worth something or explicitly nothing."""
    return {key: rng.randint(0, most) for key in keys if rng.random() < 0.7}


def random_royalties(rng: Random, low_middle: bool) -> dict[str, dict[str, int]]:
    kind = rng.random()
    if kind < 0.4:
        return US_LOW if low_middle else rng.choice([US, RUSSIAN])
    top = TOP if kind < 0.7 else random_table(rng, PAIRS + [rank * 3 for rank in RANKS], 25)
    middle = random_table(rng, LOWS if low_middle else CATEGORIES[1:], 20)
    return {"top": top, "middle": middle, "bottom": random_table(rng, CATEGORIES[1:], 15)}


def random_enter(rng: Random, fewest: int, most: int) -> dict[str, int]:
    kind = rng.random()
    if kind < 0.1:
        return {}
    if kind < 0.6:
        return {rng.choice(LOWEST_PAIRS): rng.randint(fewest, most)}
    keys = [key for key in [*PAIRS[7:], "trips"] if rng.random() < 0.6]
    cards = sorted(rng.randint(fewest, most) for _ in keys)
    if rng.random() < 0.3:
        rng.shuffle(cards)
    return dict(zip(keys, cards, strict=True))


def random_fantasyland(rng: Random, low_middle: bool, fewest: int, most: int) -> dict[str, Any]:
    enter_low = None
    if low_middle and rng.random() < 0.7:
        enter_low = {"cards": rng.randint(fewest, most), "both": rng.randint(fewest, most)}
    fives = [None, *CATEGORIES[1:], "full_house", "four_of_a_kind"]
    return {
        "enter": random_enter(rng, fewest, most),
        "enter_low": enter_low,
        "stay": {
            "top": rng.choice([None, "pair", "three_of_a_kind"]),
            "middle": None if low_middle else rng.choice(fives),
            "bottom": rng.choice(fives),
        },
        "stay_cards": rng.randint(fewest, most),
        "stay_limit": rng.choice([None, None, 0, 1, 2]),
    }


def random_ruleset(rng: Random) -> dict[str, Any]:
    """A ruleset that nobody plays and everybody could: no deal of it needs more than 52 cards."""
    variant = rng.choice(["pineapple", "pineapple", "turbo", "classic"])
    most_players = rng.choice([2, 3, 3] if variant == "pineapple" else [2, 3, 4, 4])
    fewest_players = 2 if rng.random() < 0.9 else rng.randint(2, most_players)
    low_middle = rng.random() < 0.25
    most_cards = 13 if most_players == 4 or (variant != "pineapple" and rng.random() < 0.6) else 17
    return {
        "name": f"random-{rng.getrandbits(48):012x}",
        "version": 1,
        "variant": variant,
        "players": {"min": fewest_players, "max": most_players},
        "low_middle": low_middle,
        "points": {
            "row": rng.choice([0, 1, 1, 1, 2, 5]),
            "majority_bonus": rng.choice([0, 0, 1, 2]),
            "scoop_bonus": rng.choice([0, 0, 1, 3, 4]),
            "foul_penalty": rng.choice([0, 3, 6, 6, 10]),
        },
        "royalties": {row: dict(table) for row, table in random_royalties(rng, low_middle).items()},
        "fantasyland": random_fantasyland(rng, low_middle, 13, most_cards),
        "stakes": {
            "scope": rng.choice(["hand", "fantasyland", "round"]),
            "win_limit": rng.choice(["stack", "opening", "none"]),
        },
        "leaving": rng.choice(["between_hands", "between_rounds"]),
    }
