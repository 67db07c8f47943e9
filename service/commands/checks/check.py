"""A check of `ofc-server doctor`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class CheckState(StrEnum):
    """The result of a check."""

    OK = "ok"
    PROBLEM = "problem"
    UNCHECKED = "unchecked"
    """It cannot be checked from here, or not before another problem is solved."""


@dataclass(frozen=True, slots=True)
class Check:
    """
    A result: one sentence about the state, and for a problem one about what to do.

    >>> Check.problem("disk", "0.1 GiB of 40.0 GiB are free in /srv/ofc.", "Delete old backups.").line
    '0.1 GiB of 40.0 GiB are free in /srv/ofc. Delete old backups.'
    """

    name: str
    state: CheckState
    summary: str
    remedy: str = ""

    @classmethod
    def ok(cls, name: str, summary: str) -> Self:
        """Return a check that passed."""
        return cls(name, CheckState.OK, summary)

    @classmethod
    def problem(cls, name: str, summary: str, remedy: str = "") -> Self:
        """Return a check that found a problem."""
        return cls(name, CheckState.PROBLEM, summary, remedy)

    @classmethod
    def unchecked(cls, name: str, reason: str, remedy: str = "") -> Self:
        """Return a check that was not made."""
        return cls(name, CheckState.UNCHECKED, reason, remedy)

    @property
    def line(self) -> str:
        """The sentences, in one line."""
        return " ".join(f"{self.summary} {self.remedy}".split())


def describe_age(seconds: float) -> str:
    """
    Describe a time for people, in the unit that has one or two digits.

    >>> [describe_age(seconds) for seconds in (0.4, 61, 7_300, 700_000)]
    ['0 seconds', '61 seconds', '2 hours', '8 days']
    """
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(0, seconds):.0f} seconds"
