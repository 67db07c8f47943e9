"""The random rounds are legal, replayable, and show everything that can happen."""

import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.oracle import PRESETS, play, random_document, random_ruleset
from tests.oracle.deal import cards_seen
from tests.oracle.rows import CATEGORIES, RANKS

PLAYED_PRESETS = 120
NAMES = sorted(PRESETS)


def most_fantasyland_cards(ruleset: dict[str, Any]) -> list[int]:
    fantasyland = ruleset["fantasyland"]
    return [*fantasyland["enter"].values(), *(fantasyland["enter_low"] or {}).values(), fantasyland["stay_cards"]]


def test_random_rulesets_are_valid_as_a_whole() -> None:
    rulesets = [random_ruleset(Random(seed)) for seed in range(500)]
    for ruleset in rulesets:
        players, deals = ruleset["players"], most_fantasyland_cards(ruleset)
        assert 2 <= players["min"] <= players["max"] <= 4
        assert all(13 <= cards <= 17 for cards in deals)
        assert players["max"] * max(cards_seen(ruleset["variant"], 0), *deals) <= 52
        assert min(ruleset["points"].values()) >= 0
        assert all(pays >= 0 for table in ruleset["royalties"].values() for pays in table.values())
        assert set(ruleset["fantasyland"]["enter"]) <= {*(rank + rank for rank in RANKS), "trips"}
        assert ruleset["fantasyland"]["stay"]["top"] in (None, "pair", "three_of_a_kind")
        assert {ruleset["fantasyland"]["stay"][row] for row in ("middle", "bottom")} <= {None, *CATEGORIES[1:]}
        assert ruleset["low_middle"] or ruleset["fantasyland"]["enter_low"] is None
        assert not (ruleset["low_middle"] and ruleset["fantasyland"]["stay"]["middle"])
    assert len({json.dumps(ruleset["stakes"]) + ruleset["leaving"] for ruleset in rulesets}) == 18
    assert {ruleset["variant"] for ruleset in rulesets} == {"pineapple", "turbo", "classic"}
    assert {ruleset["players"]["max"] for ruleset in rulesets} == {2, 3, 4}


def test_the_same_seed_creates_the_same_round() -> None:
    for seed in range(10):
        rng, again = Random(seed), Random(seed)
        assert random_document(rng, random_ruleset(rng)) == random_document(again, random_ruleset(again))


def phenomena(document: dict[str, Any], result: dict[str, Any]) -> Counter[str]:
    """What happened in a round, and how often."""
    seen: Counter[str] = Counter([result["round"]["status"]])
    seen["departure"] = len(document["departures"])
    seen["busted"] = list(result["settlement"]["stacks"].values()).count(0)
    still = [seat for seat in result["round"]["seats"] if seat["playing"]]
    seen["complete by fewer than two"] = result["round"]["status"] == "complete" and len(still) < 2
    for transfer in result["settlement"]["transfers"]:
        seen[f"limited by {transfer['limited_by']}"] += 1
    for hand, played in zip(document["hands"], result["hands"], strict=True):
        seen["top-up"] += len(hand.get("top_ups", []))
        seen["button on a seat that is out"] += hand["button"] not in [player["seat"] for player in hand["players"]]
        upcoming = played["round"]["next"]
        for player, scored in zip(hand["players"], played["players"], strict=True):
            seen["foul"] += scored["foul"]
            if scored["fantasyland"]:
                seen["stay" if player.get("fantasyland") else "enter"] += 1
                seen["Fantasyland lost"] += upcoming is None or str(player["seat"]) not in upcoming["fantasyland"]
            for street in player.get("streets") or []:
                seen["auto"] += bool(street.get("auto"))
        for exchange in played["exchanges"]:
            rows = list(exchange["rows"].values())
            seen["scoop"] += abs(sum(rows)) == 3
            seen["tie"] += exchange["points"] == 0
            seen["one row tied"] += rows.count(0) == 1
    return seen


@pytest.mark.no_cover
def test_random_rounds_show_everything_that_can_happen() -> None:
    seen: Counter[str] = Counter()
    for number in range(PLAYED_PRESETS):
        rng, ruleset = Random(number), PRESETS[NAMES[number % len(NAMES)]]
        document = random_document(rng, ruleset)
        assert json.loads(json.dumps(document)) == document
        result = play(document, ruleset)
        points = result["settlement"]["net"].values()
        assert sum(points) == 0
        assert min(result["settlement"]["stacks"].values()) >= 0
        seen += phenomena(document, result)
    assert sorted(seen) == sorted(
        [
            *("open", "complete", "closed", "complete by fewer than two", "busted", "departure", "top-up", "auto"),
            *("foul", "scoop", "tie", "one row tied", "enter", "stay"),
            *("Fantasyland lost", "button on a seat that is out"),
            *("limited by None", "limited by payer_stack", "limited by winner_room"),
        ]
    )
    assert min(seen.values()) >= 3, seen
