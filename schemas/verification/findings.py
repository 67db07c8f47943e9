"""What a verification of an evidence file finds: the kinds of findings, and a finding with its place."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from scoring.errors import Path

MistakeCode = NewType("MistakeCode", str)
"""The code of a mistake that decoding or replaying the file raised; its detail is a sentence."""


class FindingCode(StrEnum):
    """The kinds of findings that a verification makes itself."""

    CHAIN_BROKEN = "chain-broken"
    CHECKPOINT_DIFFERS = "checkpoint-differs"
    EVENT_IMPOSSIBLE = "event-impossible"
    EVENTS_OMITTED = "events-omitted"
    FIGURE_DIFFERS = "figure-differs"
    NEWEST_EVENT_DIFFERS = "newest-event-differs"
    NEWEST_EVENT_UNPROVED = "newest-event-unproved"
    ORIGIN_DIFFERS = "origin-differs"
    QUORUM_MISSING = "quorum-missing"
    REVISIONS_COUNT = "revisions-count"
    RULESET_DIFFERS = "ruleset-differs"
    SEAL_DIFFERS = "seal-differs"
    TABLE_MISSING = "table-missing"
    TEXT_UNKNOWN = "text-unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One error: its place in the file, and what is wrong, without the full stop.

    Attributes:
        value, expected: what the file has, and the correct value; None where the detail is enough.
        subject: what the value is, in words; None where the place has no name.
    """

    code: FindingCode | MistakeCode
    path: Path
    detail: str
    value: str | None = None
    expected: str | None = None
    subject: str | None = None

    @classmethod
    def of_difference(cls, code: FindingCode, path: Path, value: str, expected: str) -> "Finding":
        """Build a finding from a found and an expected value."""
        return cls(code, path, f"the file has {value}; expected {expected}", value, expected)
