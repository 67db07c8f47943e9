"""Settling up: every net becomes zero, with the fewest payments."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.errors import StakesError
from scoring.settle_up import MOST_EXACT, Payment, find_adjustment, find_payments
from tests.support.scoring.strategies import PROPERTY

NAMES = [f"player-{number:02}" for number in range(40)]


@st.composite
def balanced(draw: st.DrawFn, most_players: int, size: int = 9) -> dict[str, int]:
    """Nets that add up to zero; small ones do so within groups more often."""
    won = draw(st.lists(st.integers(-size, size), max_size=most_players - 1))
    return dict(zip(NAMES, [*won, -sum(won)], strict=False))


def settled(nets: Mapping[str, int], payments: tuple[Payment, ...]) -> dict[str, int]:
    """What is left of the nets after the payments."""
    left = Counter(nets)
    for payment in payments:
        left[payment.payer] += payment.amount
        left[payment.payee] -= payment.amount
    return dict(left)


@PROPERTY
@given(before=balanced(7), after=balanced(9))
def test_an_adjustment_leads_from_the_nets_that_were_settled_to_those_that_are(
    before: dict[str, int], after: dict[str, int]
) -> None:
    payments = find_adjustment(before, after).payments
    left = settled({player: after.get(player, 0) - before.get(player, 0) for player in {*before, *after}}, payments)
    assert set(left.values()) <= {0}
    assert all(payment.amount > 0 and payment.payer != payment.payee for payment in payments)


def divisions(players: list[str]) -> Iterator[list[list[str]]]:
    """Every way to divide players into groups, one after the other."""
    if not players:
        yield []
        return
    first, *others = players
    for division in divisions(others):
        yield [[first], *division]
        for index, group in enumerate(division):
            yield [*division[:index], [first, *group], *division[index + 1 :]]


def most_groups(nets: Mapping[str, int]) -> int:
    """The most groups of zero into which those who have won or lost can be divided, by trying every division."""
    players = [player for player, net in nets.items() if net]
    return max(
        len(division)
        for division in divisions(players)
        if all(sum(nets[player] for player in group) == 0 for group in division)
    )


@PROPERTY
@given(balanced(12) | balanced(40, size=10**15))
def test_payments_bring_everyone_to_zero(nets: dict[str, int]) -> None:
    result = find_payments(nets)
    assert set(settled(nets, result.payments).values()) <= {0}
    assert len(result.payments) <= max(0, sum(1 for net in nets.values() if net) - 1)


@PROPERTY
@given(balanced(12) | balanced(40))
def test_losers_pay_and_winners_are_paid(nets: dict[str, int]) -> None:
    result = find_payments(nets)
    for payment in result.payments:
        assert payment.amount > 0
        assert nets[payment.payer] < 0 < nets[payment.payee]
    pairs = [(payment.payer, payment.payee) for payment in result.payments]
    assert len(set(pairs)) == len(pairs)


@PROPERTY
@given(balanced(7))
@example(dict(zip(NAMES, [5, 5, -4, -6, 3, -3, 0], strict=False)))
@example(dict(zip(NAMES, [6, 1, 1, -2, -3, -3], strict=False)))
def test_there_are_as_few_payments_as_trying_every_division_finds(nets: dict[str, int]) -> None:
    result = find_payments(nets)
    players = sum(1 for net in nets.values() if net)
    assert result.is_fewest
    assert len(result.payments) == players - most_groups(nets)


@PROPERTY
@given(balanced(12) | balanced(40), st.randoms(use_true_random=False))
def test_the_order_of_players_does_not_matter(nets: dict[str, int], rng: random.Random) -> None:
    shuffled = rng.sample(list(nets.items()), len(nets))
    assert find_payments(dict(shuffled)) == find_payments(nets)


def alone(players: int) -> dict[str, int]:
    """So many players, of whom only all together come to zero."""
    lost = {NAMES[place]: -(2**place) for place in range(players - 1)}
    return {**lost, NAMES[players - 1]: 2 ** (players - 1) - 1}


def test_the_fewest_are_found_for_sixteen_players_and_not_promised_for_more() -> None:
    for players, is_fewest in ((MOST_EXACT, True), (MOST_EXACT + 1, False)):
        result = find_payments(alone(players))
        assert result.is_fewest is is_fewest
        assert len(result.payments) == players - 1
        assert set(settled(alone(players), result.payments).values()) == {0}


def test_players_who_pair_off_or_are_even_do_not_count_among_the_sixteen() -> None:
    pairs = {f"pair-{number}-{side:+}": side * (10**6 + number) for number in range(20) for side in (1, -1)}
    result = find_payments({**pairs, **alone(MOST_EXACT), "even": 0})
    assert result.is_fewest
    assert len(result.payments) == 20 + MOST_EXACT - 1


def test_nets_that_do_not_add_up_cannot_be_settled() -> None:
    with pytest.raises(StakesError, match="the nets add up to 1; expected 0") as refused:
        find_payments({"ann": 3, "bob": -2})
    assert [mistake.code for mistake in refused.value.mistakes] == ["nets-unbalanced"]
