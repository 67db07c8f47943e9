"""Every settlement of three players with stacks up to six and points up to six, against the formula of the rules."""

from itertools import product

import pytest

from scoring.exchange import Exchange
from scoring.ruleset import WinLimit
from scoring.settlement import settle

MOST = 6
PAIRS = ((1, 2), (1, 3), (2, 3))
EXCHANGES = {(pair, points): Exchange(*pair, points) for pair, points in product(PAIRS, range(-MOST, MOST + 1))}
STACKS = list(product(range(MOST + 1), repeat=3))
FIRST_STACKS = [pytest.param(first, marks=pytest.mark.thorough if first % 3 else ()) for first in range(MOST + 1)]

Paid = tuple[int, int, int, int, str | None, int, int]
"""Payer, payee, due, paid, what cut it off, and both stacks after it."""


def by_the_formula(stacks: list[int], points: tuple[int, ...], limit: str, opening: tuple[int, ...]) -> list[Paid]:
    """paid = min(due, payer's stack now, winner's room); seats count from 1."""
    paid_out: list[Paid] = []
    for pair, won in zip(PAIRS, points, strict=True):
        if won:
            payee, payer = pair if won > 0 else pair[::-1]
            due, has, now = abs(won), stacks[payer - 1], stacks[payee - 1]
            room = now if limit == "stack" else max(2 * opening[payee - 1] - now, 0) if limit == "opening" else due
            paid = min(due, has, room)
            by = None if paid == due else "payer_stack" if has <= room else "winner_room"
            stacks[payer - 1] -= paid
            stacks[payee - 1] += paid
            paid_out.append((payer, payee, due, paid, by, stacks[payer - 1], stacks[payee - 1]))
    return paid_out


def as_settled(
    stacks: tuple[int, ...], points: tuple[int, ...], limit: WinLimit, opening: tuple[int, ...]
) -> tuple[list[Paid], list[int]]:
    exchanges = [EXCHANGES[pair, won] for pair, won in zip(PAIRS, points, strict=True)]
    settled = settle(
        exchanges, {1: stacks[0], 2: stacks[1], 3: stacks[2]}, limit, {1: opening[0], 2: opening[1], 3: opening[2]}
    )
    transfers: list[Paid] = [
        (each.payer, each.payee, each.due, each.paid, each.limited_by, each.payer_stack, each.payee_stack)
        for each in settled.transfers
    ]
    return transfers, list(settled.stacks.values())


@pytest.mark.parametrize("limit", WinLimit)
@pytest.mark.parametrize("first", FIRST_STACKS, ids="{} in front of the first seat".format)
@pytest.mark.no_cover
def test_every_settlement_of_three_players_follows_the_formula(limit: WinLimit, first: int) -> None:
    for stacks in (stacks for stacks in STACKS if stacks[0] == first):
        for points in product(range(-MOST, MOST + 1), repeat=3):
            after = list(stacks)
            expected = by_the_formula(after, points, limit.value, stacks)
            assert as_settled(stacks, points, limit, stacks) == (expected, after), (stacks, points)
            assert sum(after) == sum(stacks)
            assert min(after) >= 0


@pytest.mark.parametrize("limit", WinLimit)
@pytest.mark.no_cover
def test_every_settlement_of_two_players_inside_a_sequence_follows_the_formula(limit: WinLimit) -> None:
    for stacks, opening in product(product(range(MOST + 1), repeat=2), repeat=2):
        for won in range(-MOST, MOST + 1):
            after = [*stacks, 0]
            expected = by_the_formula(after, (won, 0, 0), limit.value, (*opening, 0))
            assert as_settled((*stacks, 0), (won, 0, 0), limit, (*opening, 0)) == (expected, after), (
                stacks,
                opening,
                won,
            )
