"""
The rules in WebAssembly have the results and the refusals of the service, for every hand of random rounds.

A failure names its seed. `OFC_SEED=1234` in the environment begins there.
"""

import os
from random import Random

import pytest

from tests.oracle import PRESETS, play, random_document, random_ruleset
from tests.service.rounds.test_over_http_against_oracle import parts_that_differ
from tests.support.api_client import Api
from tests.support.browser.compared_round import ComparedRound
from tests.support.sample_rounds import Document, close, depart, without
from tests.web.browser_rules import BrowserRules

FIRST_SEED = int(os.environ.get("OFC_SEED", "0"))
EACH = 2
MANY = 24
"""So many rounds of each of the 21 presets are more than 500."""


def check_boards(scored: Document, where: str) -> None:
    """Check that complete boards have the figures of the hand, except points."""
    players = {player["seat"]: without(player, "player", "points") for player in scored["result"]["players"]}
    boards = {board["seat"]: without(board, "complete") for board in scored["boards"]}
    assert boards == players, where


def check_round(api: Api, browser: BrowserRules, ruleset: Document, rng: Random, where: str) -> int:
    document = random_document(rng, ruleset, small_stacks=rng.random() < 0.75)
    both, expected = ComparedRound(api, browser, document, ruleset), play(document, ruleset)
    for hand, right in zip(document["hands"], expected["hands"], strict=True):
        number = hand["number"]
        scored = both.check(hand, f"{where}, hand {number}")
        check_boards(scored, f"{where}, hand {number}")
        assert parts_that_differ(right, scored["result"]) == [], f"{where}, hand {number}, oracle"
        assert both.record(hand).status == 201, where
        for departure in document["departures"]:
            if departure["after_hand"] == number:
                assert depart(api, both.id, departure["seat"]).status == 201, where
    if document.get("closed"):
        assert close(api, both.id).status == 200, where
    return len(document["hands"])


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.no_cover
def test_rounds_under_every_preset_have_the_results_of_the_service(api: Api, browser: BrowserRules, name: str) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + EACH):
        where = f"{name}, seed {seed}"
        check_round(api, browser, PRESETS[name], Random(f"in browser: {where}"), where)


@pytest.mark.verify
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.no_cover
def test_500_rounds_have_the_results_of_the_service(api: Api, browser: BrowserRules, name: str) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + MANY):
        where = f"{name}, seed {seed}"
        check_round(api, browser, PRESETS[name], Random(f"in browser: {where}"), where)


@pytest.mark.no_cover
def test_rounds_under_custom_rulesets_have_the_results_of_the_service(api: Api, browser: BrowserRules) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + 4):
        where = f"custom, seed {seed}"
        rng = Random(f"in browser: {where}")
        ruleset = random_ruleset(rng)
        assert api.post("/v1/rulesets", ruleset).status == 201, where
        check_round(api, browser, ruleset, rng, where)
