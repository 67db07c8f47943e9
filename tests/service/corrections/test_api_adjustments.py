"""Corrections and recomputations of final settlements over HTTP, with their adjustments."""

from collections.abc import Iterator
from functools import partial
from random import Random

import pytest

from service.rulesets.actions import ruleset_named, store_ruleset
from tests.oracle import PRESETS, random_document
from tests.support.api_client import Api
from tests.support.api_settlements import (
    WINDOW,
    another_key,
    confirm,
    correct,
    events_of,
    make_final,
    refused,
    sweep_all,
)
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.database.recomputed_rounds import named, recompute
from tests.support.import_lines import club_of, database_of
from tests.support.race import at_once
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    THREE,
    Document,
    close,
    complete_round,
    hand,
    play,
    post_document,
    settlement_of,
    undo,
    without,
)


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    """A database in which a sweep finds the settlements of these tests only."""
    with open_house(embedded_postgres) as opened:
        yield opened


# --- what is final is not undone, and is corrected only by who may ---


def test_a_hand_of_a_final_settlement_is_not_undone_but_corrected(api: Api, house: House) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    before = house.count_records()
    assert refused(undo(api, round_id, 3), "undo-refused", "settlement-final")
    assert house.count_records() == before
    correct(api, round_id)
    assert settlement_of(api, round_id)["state"] == "provisional"
    assert refused(undo(api, round_id, 3), "undo-refused", "settlement-final")


def test_a_hand_of_a_provisional_settlement_is_undone_and_the_round_is_open_again(api: Api) -> None:
    round_id = complete_round(api)
    confirm(api, round_id, 1)
    assert undo(api, round_id, 3)["state"] == "open"
    played = hand(3, 3, {1: LOW, 2: MID, 3: HIGH})
    assert play(api, round_id, played)["round"]["state"] == "provisional"
    assert settlement_of(api, round_id)["confirmed"] == []


def test_correcting_a_final_settlement_requires_its_own_scope(api: Api, house: House) -> None:
    round_id, allowed = complete_round(api), another_key(house, api, "read", "correct", "correct-final")
    narrow = another_key(house, api, "read", "correct")
    assert correct(narrow, round_id).status == 201
    make_final(api, round_id)
    before = house.count_records()
    back = [{"op": "replace", "path": "/hands/1", "value": hand(2, 2, THREE)}]
    response = correct(narrow, round_id, back)
    assert (response.status, response["code"]) == (403, "scope-missing")
    assert "correct-final" in response["detail"]
    assert house.count_records() == before
    # What was corrected before it was final is known again.
    assert correct(allowed, round_id, back).status == 201
    assert settlement_of(api, round_id)["state"] == "provisional"
    assert correct(narrow, round_id).status == 403


def test_a_correction_cannot_reopen_a_round_whose_settlement_was_final(api: Api, house: House) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    before = house.count_records()
    shorter = [{"op": "remove", "path": "/hands/2"}]
    response = correct(api, round_id, shorter)
    assert (response.status, response.mistakes) == (422, {"#/patch/0": "settlement-final"})
    assert house.count_records() == before
    closed = {"op": "add", "path": "/closed", "value": {"after_hand": 2, "reason": "the third was never played"}}
    assert correct(api, round_id, [*shorter, closed]).status == 201


# --- adjustments ---


def test_a_correction_of_a_final_settlement_has_an_adjustment(api: Api) -> None:
    round_id = complete_round(api, point_value=10, unit="EUR")
    make_final(api, round_id)
    # Seat 1 won 12 in each of three hands, and lost 12 in one of them as it turns out.
    right = {
        "from_revision": 1,
        "transfers": [{"payer": "ann", "payee": "cyd", "points": 24, "money": 240}],
    }
    response = correct(api, round_id)
    assert response["adjustment"] == settlement_of(api, round_id)["adjustment"] == right
    assert correct(api, round_id)["adjustment"] == right
    assert settlement_of(api, round_id, 1)["adjustment"] is None


def test_an_adjustment_starts_from_the_last_final_settlement(api: Api) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    correct(api, round_id)
    third = [{"op": "replace", "path": "/hands/2", "value": hand(3, 3, {1: LOW, 2: MID, 3: HIGH})}]
    twice = correct(api, round_id, third)["adjustment"]
    assert twice == {
        "from_revision": 1,
        "transfers": [{"payer": "ann", "payee": "cyd", "points": 48, "money": None}],
    }
    make_final(api, round_id)
    back = [{"op": "replace", "path": "/hands/2", "value": COMPLETE[2]}]
    assert correct(api, round_id, back)["adjustment"] == {
        "from_revision": 3,
        "transfers": [{"payer": "cyd", "payee": "ann", "points": 24, "money": None}],
    }


def test_a_correction_that_moves_no_points_has_an_empty_adjustment(api: Api) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    later = [{"op": "add", "path": "/hands/0/played_at", "value": "2026-11-20T20:15:00Z"}]
    assert correct(api, round_id, later)["adjustment"] == {"from_revision": 1, "transfers": []}


@pytest.mark.parametrize("name", ["pineapple", "progressive-round", "turbo", "classic"])
def test_final_nets_plus_adjustment_equal_the_new_nets(api: Api, name: str) -> None:
    """Each a random round that, as it turns out, was quite another."""
    rng = Random(name)
    corrected = 0
    for number in range(6):
        one, other = (without(random_document(rng, PRESETS[name]), "reference") for _ in range(2))
        posted = post_document(api, {**one, "table": f"{name} {number}"})
        round_id, sitting = posted["round"]["id"], posted["round"]["seats"]
        if posted["round"]["status"] == "open":
            close(api, round_id)
        before = by_player(sitting, settlement_of(api, round_id)["net"])
        for seat in sitting:
            assert confirm(api, round_id, seat["seat"]).status == 201
        original = api.get(f"/v1/rounds/{round_id}/document").document
        amended = {**other, **{part: original[part] for part in ("table", "reference", "point_value", "unit")}}
        closed = {"after_hand": len(other["hands"]), "reason": "the room closes"}
        response = correct(api, round_id, None, document=amended)
        if response.status != 201:  # it would be open
            response = correct(api, round_id, None, document={**amended, "closed": closed})
        assert response.status == 201, response
        corrected += 1
        after = by_player(response["round"]["seats"], settlement_of(api, round_id)["net"])
        for paid in response["adjustment"]["transfers"]:
            before[paid["payer"]] = before.get(paid["payer"], 0) - paid["points"]
            before[paid["payee"]] = before.get(paid["payee"], 0) + paid["points"]
            assert paid["points"] > 0
        assert {player: net for player, net in before.items() if net} == {
            player: net for player, net in after.items() if net
        }
    assert corrected == 6


def by_player(sitting: list[Document], nets: Document) -> dict[str, int]:
    return {seat["player"]: nets[str(seat["seat"])] for seat in sitting}


# --- recomputations ---


def test_a_recomputation_changes_final_settlements_only_with_final(api: Api, house: House) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    with database_of(house).transaction(club_of(house, api)) as transaction:
        rules = ruleset_named(transaction, "pineapple-2-4-us-none")
        store_ruleset(transaction, rules)
        left = recompute(transaction, ruleset=rules, applies=True)
        assert (left.differing, left.applied, left.skipped) == (1, 0, 1)
        assert "final" in str(left.findings[-1].detail)
        done = recompute(transaction, ruleset=rules, applies=True, final=True)
        assert (done.applied, done.skipped, named(done)[-1][2]) == (1, 0, "applied")
    settlement = settlement_of(api, round_id)
    assert (settlement["state"], settlement["adjustment"]["from_revision"]) == ("provisional", 1)


def test_a_recomputation_of_final_settlements_needs_the_scope_for_it(api: Api, house: House) -> None:
    body = {"scope": {}, "mode": "apply", "reason": "yearly audit", "final": True}
    narrow = another_key(house, api, "recompute")
    response = narrow.post("/v1/recomputations", body)
    assert (response.status, response["code"]) == (403, "scope-missing")
    assert narrow.post("/v1/recomputations", {**body, "final": False}).status == 202
    allowed = another_key(house, api, "recompute", "correct-final").post("/v1/recomputations", body)
    assert (allowed.status, allowed["final"]) == (202, True)


# --- races ---


def has_no_gap(house: House, round_id: str) -> bool:
    [(version,)] = house.query("SELECT version FROM round_heads WHERE round_id = %s", round_id)
    return [sequence for sequence, _ in events_of(house, round_id)] == list(range(1, version + 1))


@pytest.fixture
def lone_house(server: Server) -> Iterator[House]:
    """A service of its own, because a sweep finalizes the settlements of all tests that share one."""
    with open_house(server) as house:
        yield house


def test_a_last_confirmation_during_a_sweep_finalizes_a_settlement_once(lone_house: House) -> None:
    house, api = lone_house, lone_house.new_client()
    for attempt in range(3):
        round_id = complete_round(api, name=f"table {attempt}", **{WINDOW: 0})
        confirm(api, round_id, 1)
        confirm(api, round_id, 2)
        response, *_ = at_once(partial(confirm, api, round_id, 3), *[partial(sweep_all, house)] * 2)
        assert response.status == 201 or refused(response, "confirmation-refused", "settlement-final")
        assert settlement_of(api, round_id)["confirmed"] == ([1, 2, 3] if response.status == 201 else [1, 2])
        sweep_all(house)
        assert settlement_of(api, round_id)["state"] == "final"
        kinds = [kind for _, kind in events_of(house, round_id)]
        assert kinds.count("settlement.finalized") == 1
        assert has_no_gap(house, round_id)


def test_a_correction_and_a_sweep_at_once_are_serialized(lone_house: House) -> None:
    house, api = lone_house, lone_house.new_client()
    adjusted = 0
    for attempt in range(3):
        round_id = complete_round(api, name=f"table {attempt}", **{WINDOW: 0})
        response, _ = at_once(partial(correct, api, round_id), partial(sweep_all, house))
        # Without a version, a correction is of the round as it was when the request came.
        assert response.status == 201 or (response.status, response["code"]) == (409, "round-changed")
        final_first = [kind for _, kind in events_of(house, round_id)][4] == "settlement.finalized"
        if response.status == 201:
            assert (response["adjustment"] is not None) == final_first
            adjusted += final_first
        sweep_all(house)
        assert settlement_of(api, round_id)["state"] == "final"
        assert has_no_gap(house, round_id)
