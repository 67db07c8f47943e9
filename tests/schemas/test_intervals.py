"""The intervals of means and rates, for any figures."""

from fractions import Fraction
from math import isclose, sqrt
from statistics import NormalDist, fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.statistics.intervals import Z, mean_interval, rate_interval

VALUES = st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=40)
TRIALS = st.integers(1, 10**7).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


def test_the_quantile_is_that_of_95_percent() -> None:
    assert isclose(Z, NormalDist().inv_cdf(0.975), abs_tol=1e-6)


@given(VALUES)
def test_the_interval_of_a_mean_is_the_normal_one(values: list[int]) -> None:
    interval = mean_interval(len(values), sum(values), sum(value * value for value in values))
    assert interval is not None
    half = Z * stdev(values) / sqrt(len(values))
    assert interval == pytest.approx((fmean(values) - half, fmean(values) + half), abs=1e-6)
    assert interval[0] <= interval[1]


@given(VALUES, st.integers(-100, 100))
def test_the_interval_of_a_mean_moves_with_the_values(values: list[int], moved: int) -> None:
    def interval(each: list[int]) -> tuple[float, float]:
        ends = mean_interval(len(each), sum(each), sum(value * value for value in each))
        assert ends is not None
        return ends

    expected = tuple(end + moved for end in interval(values))
    assert interval([value + moved for value in values]) == pytest.approx(expected, abs=1e-5)


@given(st.integers(0, 1), st.integers(-100, 100))
def test_one_value_has_no_interval(count: int, value: int) -> None:
    assert mean_interval(count, count * value, count * value * value) is None


@given(TRIALS)
def test_the_interval_of_a_rate_contains_it_and_stays_between_0_and_1(figures: tuple[int, int]) -> None:
    successes, trials = figures
    interval = rate_interval(successes, trials)
    assert 0 <= interval[0] <= successes / trials <= interval[1] <= 1
    assert interval[0] < interval[1]
    assert (interval[0] == 0) == (successes == 0)


@given(TRIALS)
def test_the_ends_of_a_rate_solve_wilsons_equation(figures: tuple[int, int]) -> None:
    """At each end, the rate is as far from the true value as the quantile says: (p − w)² = z² w (1 − w) / n."""
    successes, trials = figures
    ends = rate_interval(successes, trials)
    for end in ends:
        distance = float((Fraction(successes, trials) - Fraction(end)) ** 2)
        assert distance == pytest.approx(Z**2 * end * (1 - end) / trials, rel=1e-6, abs=1e-15)


@given(TRIALS)
def test_failures_have_the_mirrored_interval(figures: tuple[int, int]) -> None:
    successes, trials = figures
    interval, mirrored = rate_interval(successes, trials), rate_interval(trials - successes, trials)
    assert interval == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-9)


@given(TRIALS, st.integers(2, 100))
def test_more_trials_narrow_the_interval(figures: tuple[int, int], times: int) -> None:
    successes, trials = figures
    few, many = rate_interval(successes, trials), rate_interval(successes * times, trials * times)
    assert few is not None
    assert many is not None
    assert many[1] - many[0] < few[1] - few[0]


def test_known_intervals_of_rates() -> None:
    """Values of the literature: Brown, Cai and DasGupta (2001), and others of the same formula."""
    for successes, trials, low, high in ((0, 10, 0.0, 0.2775), (1, 10, 0.0179, 0.4042), (5, 10, 0.2366, 0.7634)):
        assert rate_interval(successes, trials) == pytest.approx((low, high), abs=1e-4)
