"""Rounds settled in bulk have the results of rounds settled one by one."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from scoring.bulk.round_states import states_of
from scoring.bulk.rounds import BulkRounds
from scoring.bulk.settle import settle_rounds
from scoring.bulk.transfers import exchange_order, pay
from scoring.exchange import Exchange
from scoring.history import History, replay
from scoring.presets import PRESETS
from scoring.ruleset import Ruleset, WinLimit
from scoring.score import paying_order
from scoring.settlement import settle
from tests.scoring.bulk.rounds import in_bulk, plainly, ruleset_and_rounds, spoil

CHUNK = 500
RANDOM = [f"random ruleset {number}" for number in range(10)]


def check_rounds(ruleset: Ruleset, histories: Sequence[History]) -> int:
    """Compare rounds with the results of each by itself; return how many were refused."""
    laid = BulkRounds.of(histories)
    settlement = settle_rounds(ruleset, laid)
    for number, history in enumerate(histories):
        result, expected = in_bulk(laid, settlement, number, history), plainly(history)
        if laid.odd[number]:
            expected["hands"], expected["late"] = [], []
        assert result == expected, f"{ruleset}, round {number}: {history}"
    return int(settlement.refused.sum())


@pytest.mark.parametrize("name", [*PRESETS, *RANDOM])
@pytest.mark.no_cover
def test_a_batch_of_rounds_has_the_results_of_single_rounds_and_refuses_invalid_ones(name: str) -> None:
    rng = Random(name)
    ruleset, histories = ruleset_and_rounds(rng, name, 3)
    assert check_rounds(ruleset, histories) == 0
    spoilt = [spoil(rng, history) for history in histories for _ in range(8)]
    assert check_rounds(ruleset, [*histories, *spoilt]) > 0


@pytest.mark.verify
@pytest.mark.parametrize("first", range(0, 20_000, CHUNK))
@pytest.mark.no_cover
def test_twenty_thousand_rounds_have_the_results_of_single_rounds(first: int) -> None:
    rng, names = Random(first), [*PRESETS]
    for turn in range(10):
        name = names[(first // CHUNK + turn) % len(names)] if turn < 5 else "random ruleset"
        ruleset, histories = ruleset_and_rounds(rng, name, CHUNK // 10)
        spoilt = [spoil(rng, history) for history in histories]
        assert check_rounds(ruleset, histories + spoilt) > 0


@pytest.mark.no_cover
def test_other_rules_return_the_other_result() -> None:
    _, histories = ruleset_and_rounds(Random(1), "pineapple", 12)
    for other in ("pineapple-2-4-us-none", "progressive-round", "turbo", "deuce-to-seven"):
        under_others = [replace(history, ruleset=PRESETS[other]) for history in histories]
        check_rounds(PRESETS[other], under_others)


@pytest.mark.no_cover
def test_the_rounds_that_are_tried_meet_everything() -> None:
    met: set[str] = set()
    for name in ("pineapple-1-6-us-classic", "progressive-round", "classic"):
        ruleset, histories = ruleset_and_rounds(Random(name), name, 16)
        laid = BulkRounds.of(histories)
        settlement = settle_rounds(ruleset, laid)
        met |= {f"{len(history.seats)} players" for history in histories}
        met |= {f"{players} of {seats} dealt" for players, seats in _dealt(laid)}
        met |= {f"limited by {number}" for number in np.unique(settlement.transfers.limited_by)}
        met |= {"foul"} if settlement.scores.fouls.any() else set()
        met |= {"top-up"} if laid.top_ups.any() else set()
        met |= {"departure"} if laid.leaves.any() else set()
        met |= {"paid late"} if settlement.late_transfers.due.any() else set()
        met |= {"stayed"} if settlement.expected.stays[settlement.before].any() else set()
        met |= {f"status {number}" for number in np.unique(settlement.expected.status[settlement.final])}
    assert met >= {"2 players", "3 players", "4 players", "2 of 3 dealt", "3 of 4 dealt", "foul", "top-up", "departure"}
    assert met >= {f"limited by {number}" for number in range(3)} | {f"status {number}" for number in range(3)}
    assert met >= {"paid late", "stayed"}


def _dealt(laid: BulkRounds) -> set[tuple[int, int]]:
    seats = (laid.seats > 0).sum(axis=1)[laid.round_of_hand]
    return set(zip(laid.dealt.sum(axis=1).tolist(), seats.tolist(), strict=True))


@pytest.mark.parametrize("limit", WinLimit)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.no_cover
def test_exchanges_are_paid_as_those_of_one_hand_are(players: int, limit: WinLimit) -> None:
    rng = np.random.default_rng(players)
    hands = 1_500
    points = np.triu(rng.integers(-9, 10, (hands, players, players)), 1)
    exchanges = points - points.transpose(0, 2, 1)
    buttons = rng.integers(0, players, hands)
    before, opening = rng.integers(0, 12, (2, hands, players))
    after = before.copy()
    order = exchange_order(players)[np.full(hands, 2**players - 1), buttons]
    transfers = pay(exchanges, order, after, opening, limit)
    for hand in range(hands):
        seats = paying_order(range(1, players + 1), int(buttons[hand]) + 1)
        pairs = [(a, b) for at, a in enumerate(seats) for b in seats[at + 1 :]]
        owed = [Exchange(a, b, int(exchanges[hand, a - 1, b - 1])) for a, b in pairs]
        stacks, opened = (dict(enumerate(row[hand].tolist(), start=1)) for row in (before, opening))
        settled = settle(owed, stacks, limit, opened)
        assert after[hand].tolist() == list(settled.stacks.values())
        paid = transfers.paid[hand][transfers.due[hand] > 0].tolist()
        assert paid == [transfer.paid for transfer in settled.transfers]


def test_no_rounds_are_no_work() -> None:
    settlement = settle_rounds(PRESETS["pineapple"], BulkRounds.of([]))
    assert settlement.refused.shape == (0,)
    assert settlement.exchanges.shape == (0, 1)


def test_nobody_plays_alone() -> None:
    _, histories = ruleset_and_rounds(Random(4), "pineapple", 3)
    assert check_rounds(PRESETS["pineapple"], [replace(each, seats=each.seats[:1]) for each in histories]) == 3


def test_points_too_large_for_the_arrays_are_left_to_the_rules_themselves() -> None:
    _, [history] = ruleset_and_rounds(Random(2), "pineapple", 1)
    first, *others = history.seats
    rich = replace(history, seats=(replace(first, opening_stack=2**60), *others))
    laid = BulkRounds.of([rich, history])
    settlement = settle_rounds(PRESETS["pineapple"], laid)
    assert settlement.refused.tolist() == laid.odd.tolist() == [True, False]
    assert len(replay(rich).hands) == len(history.hands)


@pytest.mark.no_cover
def test_tables_for_two_seats_are_not_used_for_three() -> None:
    ruleset, histories = ruleset_and_rounds(Random(1), "pineapple-qq", 24)
    twos = [history for history in histories if len(history.seats) == 2]
    check_rounds(ruleset, twos)
    states = states_of(ruleset)
    for button, cards in product((0, 1), (0, 14)):
        every = np.arange(states.count)
        buttons, dealt = np.full_like(every, button), np.ones((states.count, 2), np.bool_)
        enters, nothing = np.full((states.count, 2), cards, np.uint8), np.zeros((states.count, 2), np.int64)
        states.begin(every, buttons, dealt, nothing.astype(np.uint8), nothing, dealt[:, 0])
        states.end(every, buttons, dealt, enters, dealt, dealt)
    assert states.count > 32
    check_rounds(ruleset, histories)


def test_a_button_in_no_seat_of_the_round_is_refused() -> None:
    ruleset, histories = ruleset_and_rounds(Random(3), "turbo", 2)
    laid = BulkRounds.of(histories)
    laid.buttons[laid.starts[1]] = 99
    settlement = settle_rounds(ruleset, laid)
    assert settlement.refused.tolist() == [False, True]
    assert settlement.taken.tolist() == [True] * len(histories[0].hands) + [False] * len(histories[1].hands)
