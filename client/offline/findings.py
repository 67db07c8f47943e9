"""What came out of checking evidence."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from schemas.fields import show
from schemas.problems import show_pointer
from scoring.errors import Mistake, Path

Document = dict[str, Any]

UNKNOWN: Final = "unknown"
"""Stands for what would be right where a file says more than is known here."""


class Outcome(StrEnum):
    """How it ended: incomplete is no pass, for something could not be checked."""

    PASSED = "passed"
    FAILED = "failed"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be: where in the file, what was found, and what would be right."""

    code: str
    path: Path
    found: str
    right: str

    @property
    def document(self) -> Document:
        """It as JSON."""
        return {"code": self.code, "where": show_pointer(self.path), "found": self.found, "right": self.right}


@dataclass(slots=True)
class Report:
    """What was verified, what failed, and what could not be checked, with the reason."""

    verified: list[str] = field(default_factory=list)
    failed: list[Finding] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        if self.failed:
            return Outcome.FAILED
        return Outcome.INCOMPLETE if self.unchecked else Outcome.PASSED

    @property
    def document(self) -> Document:
        """It as JSON."""
        return {
            "outcome": self.outcome.value,
            "verified": self.verified,
            "failed": [finding.document for finding in self.failed],
            "unchecked": self.unchecked,
        }

    def fail(self, mistakes: Iterable[Mistake], *place: str | int) -> None:
        """Take up what is wrong with a part of the file, which stands in this place."""
        for mistake in mistakes:
            placed = mistake.under(*place)
            found, _, right = placed.detail.partition("; ")
            self.failed.append(Finding(placed.code, placed.path, found, right.removesuffix(" is right")))

    def compare(self, found: object, right: object, path: Path, code: str) -> None:
        """Hold a part of the file against what it should be; what is not known here cannot be checked."""
        for finding in find_differences(found, right, path, code):
            if finding.right == UNKNOWN:
                self.unchecked.append(f"{show_pointer(finding.path)} is not known to this release")
            else:
                self.failed.append(finding)


def find_differences(found: object, right: object, path: Path, code: str) -> Iterator[Finding]:
    """
    Compare a part of the file with what it should be, figure by figure.

    >>> [finding.right for finding in find_differences({"1": 9}, {"1": 8}, ("stacks",), "figure-differs")]
    ['8']
    """
    if isinstance(found, Mapping) and isinstance(right, Mapping):
        for key in [*right, *(key for key in found if key not in right)]:
            if key in right and key in found:
                yield from find_differences(found[key], right[key], (*path, key), code)
            else:
                given = show(found[key]) if key in found else "nothing"
                yield Finding(code, (*path, key), given, show(right[key]) if key in right else UNKNOWN)
    elif isinstance(found, list) and isinstance(right, list) and len(found) == len(right):
        for index, (given, wanted) in enumerate(zip(found, right, strict=True)):
            yield from find_differences(given, wanted, (*path, index), code)
    elif isinstance(found, list) and isinstance(right, list):
        yield Finding(code, path, f"{len(found)} items", f"{len(right)} items")
    elif type(found) is not type(right) or found != right:
        yield Finding(code, path, show(found), show(right))
