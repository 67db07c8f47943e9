"""The report of a verification: what was verified, what failed, what could not be checked."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from schemas.base import show
from schemas.problems import sentence_of, show_pointer
from scoring.errors import Mistake, Path

Document = dict[str, Any]

UNKNOWN: Final = "unknown"
"""The expected value of fields that this release does not know."""


class Outcome(StrEnum):
    """
    The result of a verification.

    PASSED means that everything was checked and that no later event is missing. PASSED_SO_FAR means the same for events
    up to the last signed one; later events are not excluded.
    """

    PASSED = "passed"
    PASSED_SO_FAR = "passed-so-far"
    FAILED = "failed"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One error: its place in the file, and a sentence about it without the full stop.

    `found` and `expected` are None where the sentence is enough.
    """

    code: str
    path: Path
    detail: str
    value: str | None = None
    expected: str | None = None

    @classmethod
    def of_difference(cls, code: str, path: Path, value: str, expected: str) -> "Finding":
        """Build a finding from a found and an expected value."""
        return cls(code, path, f"the file has {value}; expected {expected}", value, expected)

    @property
    def document(self) -> Document:
        """The finding as JSON."""
        return {
            "code": self.code,
            "where": show_pointer(self.path),
            "detail": self.detail,
            "found": self.value,
            "expected": self.expected,
        }


@dataclass(slots=True)
class Report:
    """
    What was verified, what failed, and what could not be checked, with the reason.

    Attributes:
        unsigned: what is not signed yet, at the end of the round's events.
        extent: up to where the events are complete; None as long as that is not known.
        is_complete: whether that is up to the checkpoint, so that later events are excluded.
    """

    verified: list[str] = field(default_factory=list)
    failed: list[Finding] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    unsigned: list[str] = field(default_factory=list)
    extent: str | None = None
    is_complete: bool = False

    @property
    def outcome(self) -> Outcome:
        """The result."""
        if self.failed:
            return Outcome.FAILED
        if self.unchecked or self.extent is None:
            return Outcome.INCOMPLETE
        return Outcome.PASSED if self.is_complete else Outcome.PASSED_SO_FAR

    @property
    def document(self) -> Document:
        """The report as JSON."""
        return {
            "outcome": self.outcome.value,
            "extent": None if self.failed or self.unchecked else self.extent,
            "verified": self.verified,
            "failed": [finding.document for finding in self.failed],
            "unchecked": [*self.unchecked, *self.unsigned],
        }

    def fail(self, mistakes: Iterable[Mistake], *place: str | int) -> None:
        """Add mistakes in the part of the file at a place."""
        for mistake in mistakes:
            placed = mistake.under(*place)
            self.failed.append(Finding(placed.code, placed.path, sentence_of(placed)))

    def compare(self, value: object, right: object, path: Path, code: str) -> None:
        """
        Compare a part of the file with the expected value.

        Fields that this release does not know are reported as unchecked.
        """
        for finding in find_unexpected(value, right, path, code):
            if finding.expected == UNKNOWN:
                self.unchecked.append(f"{show_pointer(finding.path)}: this release does not know the field")
            else:
                self.failed.append(finding)


def find_unexpected(value: object, right: object, path: Path, code: str) -> Iterator[Finding]:
    """
    Compare a part of the file with the expected value, figure by figure.

    >>> [finding.expected for finding in find_unexpected({"1": 9}, {"1": 8}, ("stacks",), "figure-differs")]
    ['8']
    """
    if isinstance(value, Mapping) and isinstance(right, Mapping):
        for key in [*right, *(key for key in value if key not in right)]:
            if key in right and key in value:
                yield from find_unexpected(value[key], right[key], (*path, key), code)
            else:
                text = show(value[key]) if key in value else "nothing"
                yield Finding.of_difference(code, (*path, key), text, show(right[key]) if key in right else UNKNOWN)
    elif isinstance(value, list) and isinstance(right, list) and len(value) == len(right):
        for index, (part, right_part) in enumerate(zip(value, right, strict=True)):
            yield from find_unexpected(part, right_part, (*path, index), code)
    elif isinstance(value, list) and isinstance(right, list):
        yield Finding.of_difference(code, path, f"{len(value)} items", f"{len(right)} items")
    elif type(value) is not type(right) or value != right:
        yield Finding.of_difference(code, path, show(value), show(right))
