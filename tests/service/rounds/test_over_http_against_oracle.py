"""
The whole service against the oracle: random rounds, hand by hand and as documents, come to what the rules alone say.

A failure names its seed. `OFC_SEED=1234` in the environment begins there.
"""

import os
from random import Random
from typing import Any

import pytest

from tests.oracle import PRESETS, play, random_document, random_ruleset
from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import Document, close, depart, record, without

FIRST_SEED = int(os.environ.get("OFC_SEED", "0"))
EACH = 2
MANY = 30
RANDOM_RULESETS = [f"random ruleset {number}" for number in range(10)]


def parts_that_differ(expected: Any, actual: Any, place: str = "") -> list[str]:
    """Return the values that differ from the oracle's; the service may return more values."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        missing = [f"{place}/{name}: missing" for name in expected if name not in actual]
        inner = [
            parts_that_differ(expected[name], actual[name], f"{place}/{name}") for name in expected if name in actual
        ]
        return missing + [part for parts in inner for part in parts]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        inner = [
            parts_that_differ(one, other, f"{place}/{index}")
            for index, (one, other) in enumerate(zip(expected, actual, strict=True))
        ]
        return [part for parts in inner for part in parts]
    same = expected == actual and type(expected) is type(actual)
    return [] if same else [f"{place}: is {actual!r}; expected {expected!r}"]


def check(where: str, expected: Any, actual: Any) -> None:
    assert parts_that_differ(expected, actual) == [], where


def play_by_hand(api: Api, document: Document, expected: Document, where: str) -> str:
    """Post a round hand by hand, and compare every response with the oracle."""
    money = {name: document[name] for name in ("point_value", "unit") if name in document}
    table = api.post("/v1/tables", {"name": document["table"], "ruleset": document["ruleset"], **money})
    opening = {"seats": document["seats"], "reference": document["reference"]}
    opened = api.post(f"/v1/tables/{table['id']}/rounds", opening)
    assert opened.status == 201, where
    round_id = str(opened["id"])
    for played, right in zip(document["hands"], expected["hands"], strict=True):
        number = played["number"]
        response = record(api, round_id, played)
        assert response.status == 201, (where, response)
        check(f"{where}, hand {number}", right, response.document)
        for departure in document["departures"]:
            if departure["after_hand"] == number:
                assert (
                    depart(api, round_id, departure["seat"], **without(departure, "seat", "after_hand")).status == 201
                )
    if document.get("closed"):
        assert close(api, round_id, document["closed"]["reason"]).status == 200, where
    return round_id


def check_recorded(api: Api, round_id: str, expected: Document, where: str) -> None:
    """Compare the records of a round with the oracle."""
    check(f"{where}, round", expected["round"], api.get(f"/v1/rounds/{round_id}").document)
    check(f"{where}, settlement", expected["settlement"], api.get(f"/v1/rounds/{round_id}/settlement").document)
    hands = api.get(f"/v1/rounds/{round_id}/hands?limit=100")["hands"]
    check(f"{where}, hands", [without(right, "round") for right in expected["hands"]], hands)
    settlement = api.get(f"/v1/rounds/{round_id}/settlement")
    assert sum(settlement["net"].values()) == 0
    assert min(settlement["stacks"].values()) >= 0


def check_round(api: Api, ruleset: Document, rng: Random, where: str, *, small_stacks: bool) -> None:
    document = random_document(rng, ruleset, small_stacks=small_stacks)
    expected = play(document, ruleset)
    round_id = play_by_hand(api, document, expected, where)
    check_recorded(api, round_id, expected, where)
    again: ApiResponse = api.post("/v1/documents", document)
    assert (again.status, again.headers.get("Idempotent-Replayed")) == (201, "true"), where
    assert again["round"]["id"] == round_id
    whole = api.post("/v1/documents", {**document, "table": f"{document['table']} whole"})
    assert whole.status == 201, where
    check_recorded(api, whole["round"]["id"], expected, f"{where}, whole")
    check(f"{where}, whole", {name: expected[name] for name in ("round", "settlement")}, whole.document)


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + EACH))
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.no_cover
def test_rounds_under_every_preset_match_the_oracle(api: Api, name: str, seed: int) -> None:
    where = f"{name}, seed {seed}"
    check_round(api, PRESETS[name], Random(f"over HTTP: {where}"), where, small_stacks=seed % 4 > 0)


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + 1))
@pytest.mark.parametrize("name", RANDOM_RULESETS)
def test_rounds_under_custom_rulesets_match_the_oracle(api: Api, name: str, seed: int) -> None:
    check_own(api, name, seed)


def check_own(api: Api, name: str, seed: int) -> None:
    where = f"{name}, seed {seed}"
    rng = Random(f"over HTTP: {where}")
    ruleset = random_ruleset(rng)
    assert api.post("/v1/rulesets", ruleset).status == 201, where
    check_round(api, ruleset, rng, where, small_stacks=True)


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + MANY))
@pytest.mark.parametrize("name", [*PRESETS, *RANDOM_RULESETS])
def test_many_rounds_match_the_oracle(api: Api, name: str, seed: int) -> None:
    if name in PRESETS:
        where = f"{name}, seed {seed}"
        check_round(api, PRESETS[name], Random(f"over HTTP: {where}"), where, small_stacks=seed % 4 > 0)
    else:
        check_own(api, name, seed)


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + EACH))
def test_a_scored_hand_matches_the_first_hand_of_its_round(api: Api, seed: int) -> None:
    for name, ruleset in PRESETS.items():
        rng = Random(f"scored: {name} {seed}")
        document = random_document(rng, ruleset)
        if not document["hands"] or document["hands"][0].get("top_ups"):
            continue
        expected = play(document, ruleset)["hands"][0]
        stacks = {place["seat"]: place["stack"] for place in document["seats"]}
        first = document["hands"][0]
        request = {
            "ruleset": document["ruleset"],
            "button": first["button"],
            "players": [{**played, "stack": stacks[played["seat"]]} for played in first["players"]],
        }
        names = ["ruleset", "players", "exchanges"]
        if ruleset["stakes"]["scope"] != "round":
            names += ["transfers", "stacks"]
        check(f"{name}, seed {seed}", {part: expected[part] for part in names}, api.post("/v1/score", request).document)
