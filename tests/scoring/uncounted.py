"""Tests whose lines are not counted, because counting would take several times as long as the test."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import pytest

P = ParamSpec("P")


def uncounted(test: Callable[P, None]) -> Callable[P, None]:
    """
    Leave a long test out of coverage.

    The mark alone only stops what is called for every line; Python 3.11 goes on looking for it, nearly as slowly, until
    the running code itself tells it to stop. Coverage goes on after the test.
    """

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        sys.settrace(None)
        test(*args, **kwargs)

    return pytest.mark.no_cover(run)
