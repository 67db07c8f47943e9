"""
The scorer and the oracle agree on random rounds, and on what cannot be.

A failure names its seed. `OFC_SEED=1234` in the environment begins there, or finds rounds that no run has seen.
"""

import copy
import os
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from schemas.base import WireError
from scoring.errors import ScoringError
from tests.oracle import PRESETS, Refused, play, random_document, random_ruleset, score
from tests.support.scoring.replayed_rounds import Shape, accept_document, play_document, score_request

FIRST_SEED = int(os.environ.get("OFC_SEED", "0"))
CHUNK = 10
LONG_CHUNK = 100
"""For the long runs: every chunk is a test that every run of the suite collects."""
IRREGULAR_CHUNK = 25
"""So many that hands of some are accepted as played, under every ruleset."""
RULESETS = [*PRESETS, "random rulesets"]


def seeds(number: int, chunk: int = CHUNK) -> pytest.MarkDecorator:
    """So many seeds in chunks, which two processes can share; all but the first chunk are left to CI."""
    chunks = range(FIRST_SEED, FIRST_SEED + number, chunk)
    marked = [pytest.param(first, marks=pytest.mark.thorough if first > FIRST_SEED else ()) for first in chunks]
    return pytest.mark.parametrize("first", marked, ids=map("seed {} on".format, chunks))


def random_round(name: str, seed: int) -> tuple[Shape, Shape]:
    """A ruleset and a round played under it; most stacks are small, so that caps bind and players go out."""
    rng = Random(f"{name} {seed}")
    ruleset = PRESETS[name] if name in PRESETS else random_ruleset(rng)
    return ruleset, random_document(rng, ruleset, small_stacks=seed % 8 > 0)


def check_rounds(name: str, first: int) -> None:
    for seed in range(first, first + CHUNK):
        ruleset, document = random_round(name, seed)
        expected, result = play(document, ruleset), play_document(document, ruleset)
        for number, (hand, hand_found) in enumerate(zip(expected["hands"], result["hands"], strict=True), start=1):
            assert hand_found == hand, f"{name}, seed {seed}, hand {number}"
        assert result == expected, f"{name}, seed {seed}"


@seeds(30)
@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.no_cover
def test_random_rounds_match_the_oracle(name: str, first: int) -> None:
    check_rounds(name, first)


@pytest.mark.verify
@seeds(2000, LONG_CHUNK)
@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.no_cover
def test_many_random_rounds_match_the_oracle(name: str, first: int) -> None:
    for seed in range(first, first + LONG_CHUNK, CHUNK):
        check_rounds(name, seed)


def alone(rng: Random, hand: Mapping[str, Any], ruleset: Mapping[str, Any]) -> Shape:
    """Return a hand without its round, mostly with what the round would provide."""
    fantasyland, known = ruleset["fantasyland"], rng.random() < 0.8
    most = 3 if fantasyland["stay_limit"] is None else fantasyland["stay_limit"]
    players = []
    for player in hand["players"]:
        players.append(dict(player))
        if player.get("fantasyland") == fantasyland["stay_cards"]:
            players[-1]["stays"] = rng.randint(0, most)
        if known:
            players[-1]["stack"] = rng.randint(0, 60)
            players[-1]["opening_stack"] = rng.choice([None, rng.randint(0, 60)])
    return {"ruleset": ruleset["name"], "button": rng.choice([None, hand["button"], 9]), "players": players}


@seeds(20)
@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.no_cover
def test_random_single_hands_match_the_oracle(name: str, first: int) -> None:
    for seed in range(first, first + CHUNK // 5):
        ruleset, document = random_round(name, seed)
        for hand in document["hands"]:
            request = alone(Random(seed), hand, ruleset)
            assert score_request(request, ruleset) == score(request, ruleset), f"{name}, seed {seed}"


# --- what cannot be ---


def spoil(rng: Random, document: Mapping[str, Any]) -> Shape:
    """Change one thing in a legal round; most of the time it cannot be then."""
    spoilt = copy.deepcopy(dict(document))
    hand = rng.choice(spoilt["hands"])
    player = rng.choice(hand["players"])
    rows = ("top", "middle", "bottom")
    change = rng.randrange(13)
    if change == 0:
        hand["button"] = rng.randint(1, 9)
    elif change == 1:
        hand["players"].remove(player)
    elif change == 2:
        player["seat"] = rng.randint(1, 9)
    elif change == 3:
        player["fantasyland"] = rng.choice([0, 13, 14, 15, 16, 17])
    elif change == 4:
        player[rng.choice(rows)][0] = rng.choice("23456789TJQKA") + rng.choice("cdhs")
    elif change == 5:
        hand["number"] += rng.choice([-1, 1])
    elif change == 6:
        hand["top_ups"] = [{"seat": rng.randint(1, 4), "points": rng.randint(1, 9)}]
    elif change == 7:
        spoilt["departures"] = [{"seat": rng.randint(1, 4), "after_hand": rng.randint(0, len(spoilt["hands"]) + 1)}]
    elif change == 8:
        spoilt["closed"] = {"after_hand": rng.randint(0, len(spoilt["hands"])), "reason": "it rains"}
    elif change == 9:
        rng.choice(spoilt["seats"])["stack"] = rng.randint(0, 60)
    elif change == 10:
        del spoilt["hands"][rng.randrange(len(spoilt["hands"]))]
    elif change == 11:
        player["discards"] = (player.get("discards") or [])[1:]
    else:
        _spoil_streets(rng, player)
    return spoilt


def _spoil_streets(rng: Random, player: Shape) -> None:
    """Move a card between the lists of a street, or into what the clock set."""
    streets = player.get("streets") or [
        {"dealt": [], "top": [], "middle": [], "bottom": [], "discards": [], "auto": []}
    ]
    player["streets"] = streets
    street = rng.choice(streets)
    taken, target = (rng.choice(["dealt", "top", "middle", "bottom", "discards", "auto"]) for _ in range(2))
    if street.get(taken) and taken != target and len(street.get(target, [])) < 3:
        card = rng.choice(street[taken])
        street.setdefault(target, []).append(card)
        if taken != "dealt":
            street[taken].remove(card)


def check_spoilt_rounds(name: str, first: int) -> int:
    refused = 0
    for seed in range(first, first + CHUNK):
        ruleset, document = random_round(name, seed)
        if document["hands"]:
            refused += _refused_by_both(ruleset, spoil(Random(seed), document), f"{name}, seed {seed}")
    return refused


def _refused_by_both(ruleset: Shape, spoilt: Shape, where: str) -> bool:
    try:
        expected = play(spoilt, ruleset)
    except Refused as reason:
        with pytest.raises((ScoringError, WireError)):
            pytest.fail(f"{where}: taken, but {reason}: {play_document(spoilt, ruleset)}")
        return True
    assert play_document(spoilt, ruleset) == expected, where
    return False


@seeds(20)
@pytest.mark.parametrize("name", ["pineapple", "turbo", "pineapple-1-6-us-classic", "random rulesets"])
@pytest.mark.no_cover
def test_exactly_what_the_oracle_refuses_is_refused(name: str, first: int) -> None:
    assert check_spoilt_rounds(name, first) > CHUNK // 4


@pytest.mark.verify
@seeds(500, LONG_CHUNK)
@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.no_cover
def test_exactly_what_the_oracle_refuses_is_refused_in_many_rounds(name: str, first: int) -> None:
    for seed in range(first, first + LONG_CHUNK, CHUNK):
        assert check_spoilt_rounds(name, seed) > CHUNK // 4


# --- hands accepted as played ---


def check_irregular_rounds(name: str, first: int) -> int:
    rounds = 0
    for seed in range(first, first + IRREGULAR_CHUNK):
        ruleset, document = random_round(name, seed)
        if document["hands"]:
            rounds += _is_accepted_by_both(ruleset, _renumbered(spoil(Random(seed), document)), f"{name}, seed {seed}")
    return rounds


def _renumbered(document: Shape) -> Shape:
    """A hand that was taken out has left no gap."""
    for number, hand in enumerate(document["hands"], start=1):
        hand["number"] = number
    return document


def _is_accepted_by_both(ruleset: Shape, spoilt: Shape, where: str) -> bool:
    try:
        accepted = frozenset(accept_document(spoilt, ruleset).irregular)
        result = play_document(spoilt, ruleset, accepted)
    except (ScoringError, WireError):
        return False
    assert result == play(spoilt, ruleset, accepted), where
    for number in accepted:
        earlier = frozenset(each for each in accepted if each < number)
        with pytest.raises(Refused):
            pytest.fail(f"{where}: hand {number} could follow: {play(_cut_off(spoilt, number), ruleset, earlier)}")
    return bool(accepted)


def _cut_off(document: Shape, number: int) -> Shape:
    """Copy a document up to a hand."""
    departures = [each for each in document.get("departures", []) if each["after_hand"] < number]
    return {**document, "hands": document["hands"][:number], "departures": departures, "closed": None}


@seeds(50, IRREGULAR_CHUNK)
@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.no_cover
def test_hands_accepted_as_played_match_the_oracle(name: str, first: int) -> None:
    assert check_irregular_rounds(name, first) > 0


@pytest.mark.verify
@seeds(500, LONG_CHUNK)
@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.no_cover
def test_hands_accepted_as_played_match_the_oracle_in_many_rounds(name: str, first: int) -> None:
    for seed in range(first, first + LONG_CHUNK, IRREGULAR_CHUNK):
        assert check_irregular_rounds(name, seed) > 0
