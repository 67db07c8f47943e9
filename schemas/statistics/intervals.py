"""Intervals that contain the true value in 95 % of cases."""

from math import sqrt
from typing import Final

Z: Final = 1.959964
"""The quantile of the normal distribution for an interval of 95 %."""


def mean_interval(count: int, total: int, squares: int) -> tuple[float, float] | None:
    """
    Return the interval of a mean, by the normal distribution; None for fewer than two values.

    >>> low, high = mean_interval(4, 8, 40)
    >>> round(low, 4), round(high, 4)
    (-0.7718, 4.7718)

    Args:
        count: the number of values.
        total: their sum.
        squares: the sum of their squares.
    """
    if count < 2:
        return None
    # In integers until the division, because the squares can exceed the precision of a float.
    spread = squares * count - total**2
    half = Z * sqrt(spread / (count - 1)) / count
    return total / count - half, total / count + half


def rate_interval(successes: int, trials: int) -> tuple[float, float]:
    """
    Return the interval of a rate, by Wilson's formula.

    Unlike the normal interval it is never empty and never below 0 or above 1, also for rare events:

    >>> low, high = rate_interval(0, 10)
    >>> low, round(high, 4)
    (0.0, 0.2775)

    Args:
        successes: how many of the trials were successful.
        trials: the number of trials, at least one.
    """
    rate, share = successes / trials, Z**2 / trials
    middle = rate + share / 2
    half = Z * sqrt((rate * (1 - rate) + share / 4) / trials)
    # At the ends, rounding could leave a tiny distance.
    low = 0.0 if successes == 0 else max(0.0, (middle - half) / (1 + share))
    high = 1.0 if successes == trials else min(1.0, (middle + half) / (1 + share))
    return low, high
