"""The report of a verification: what was verified, what failed, what could not be checked."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from schemas.base import show
from schemas.problems import sentence_of, show_pointer
from schemas.verification.findings import Finding, FindingCode, MistakeCode
from schemas.verification.sentences import describe_finding, name_subject
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


@dataclass(slots=True)
class Report:
    """
    What was verified, what failed, and what could not be checked, with the reason.

    Attributes:
        unsigned: what is not signed yet, at the end of the round's events.
        extent: up to where the events are complete; None as long as that is not known.
        is_complete: whether that is up to the checkpoint, so that later events are excluded.
        names: the players of the round by seat; empty as long as they are not known.
    """

    verified: list[str] = field(default_factory=list)
    failed: list[Finding] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    unsigned: list[str] = field(default_factory=list)
    extent: str | None = None
    is_complete: bool = False
    names: Mapping[int, str] = field(default_factory=dict)

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
            "failed": [_dump(finding) for finding in self.failed],
            "unchecked": [*self.unchecked, *self.unsigned],
        }

    def fail(self, mistakes: Iterable[Mistake], *place: str | int) -> None:
        """Add mistakes in the part of the file at a place."""
        for mistake in mistakes:
            placed = mistake.under(*place)
            self.failed.append(Finding(MistakeCode(placed.code), placed.path, sentence_of(placed)))

    def compare(self, value: object, right: object, path: Path, code: FindingCode) -> None:
        """
        Compare a part of the file with the expected value.

        Fields that this release does not know are reported as unchecked.
        """
        for finding in find_unexpected(value, right, path, code):
            if finding.expected == UNKNOWN:
                self.unchecked.append(f"{show_pointer(finding.path)}: this release does not know the field")
            else:
                subject = name_subject(finding.path[len(path) :], right, self.names)
                self.failed.append(replace(finding, subject=subject))


def split_place(line: str) -> tuple[str | None, str]:
    """
    Return the place that a line of a report begins with, if it has one, and the line as a sentence.

    >>> split_place("#/events/0: event 1 is not signed yet"), split_place("event 1 is signed")
    (('#/events/0', 'Event 1 is not signed yet.'), (None, 'Event 1 is signed.'))
    """
    place, colon, rest = line.partition(": ")
    has_place = bool(colon) and place.startswith("#")
    text = rest if has_place else line
    return (place if has_place else None), f"{text[:1].upper()}{text[1:]}."


def _dump(finding: Finding) -> Document:
    """Encode a finding."""
    return {
        "code": finding.code,
        "where": show_pointer(finding.path),
        "detail": finding.detail,
        "found": finding.value,
        "expected": finding.expected,
        "sentence": describe_finding(finding),
    }


def find_unexpected(value: object, right: object, path: Path, code: FindingCode) -> Iterator[Finding]:
    """
    Compare a part of the file with the expected value, figure by figure.

    >>> [finding.expected for finding in find_unexpected({"1": 9}, {"1": 8}, ("stacks",), FindingCode.FIGURE_DIFFERS)]
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
