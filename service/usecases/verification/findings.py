"""What can be found wrong in a database, in words for who runs the service."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

MOST_NAMED: Final = 1000
"""So many records that are missing are named one by one where a single number says how many there must be."""


class FindingKind(StrEnum):
    """How a record is not as it was written."""

    EVENT_UNREADABLE = "event-unreadable"
    EVENT_DIFFERS = "event-differs"
    EVENT_HASH = "event-hash"
    EVENT_MISSING = "event-missing"
    EVENT_SURPLUS = "event-surplus"
    CHAIN_BROKEN = "chain-broken"
    CONTENT_UNPLAYABLE = "content-unplayable"
    CONTENT_UNTOLD = "content-untold"
    RECORD_MISSING = "record-missing"
    RECORD_SURPLUS = "record-surplus"
    RECORD_DIFFERS = "record-differs"
    FIGURE_DIFFERS = "figure-differs"
    SUM_BROKEN = "sum-broken"
    CLUB_UNKNOWN = "club-unknown"
    SIGNATURE_WRONG = "signature-wrong"
    CHECKPOINT_BROKEN = "checkpoint-broken"


MEANS: Final[Mapping[FindingKind, str]] = {
    FindingKind.EVENT_UNREADABLE: "An event's bytes are no event.",
    FindingKind.EVENT_DIFFERS: "A column of an event is not what its bytes say.",
    FindingKind.EVENT_HASH: "The stored hash of an event is not that of its bytes.",
    FindingKind.EVENT_MISSING: "A number is missing among the events of a round, or its last events are.",
    FindingKind.EVENT_SURPLUS: "Two events of a round have one number, or its head counts fewer than there are.",
    FindingKind.CHAIN_BROKEN: "An event does not name the one before it in its round.",
    FindingKind.CONTENT_UNPLAYABLE: "What an event says, or the events of a round, cannot have happened or be read.",
    FindingKind.CONTENT_UNTOLD: "An event was recorded before events told all: what it made cannot be held against it."
    " No damage.",
    FindingKind.RECORD_MISSING: "Events speak of a record that is not there.",
    FindingKind.RECORD_SURPLUS: "A record is there of which no event speaks.",
    FindingKind.RECORD_DIFFERS: "A column is not what the event says that made the record.",
    FindingKind.FIGURE_DIFFERS: "A figure is not what the round comes to, played again from its events.",
    FindingKind.SUM_BROKEN: "Points were created or lost, or a figure is negative that cannot be.",
    FindingKind.SIGNATURE_WRONG: "A stored checkpoint is not signed by a published key, or by somebody else too.",
    FindingKind.CHECKPOINT_BROKEN: "The tree does not lead to a checkpoint that was kept elsewhere: events were cut"
    " off or rewritten.",
    FindingKind.CLUB_UNKNOWN: "Records belong to a club that there is not.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One thing that is not as it was written.

    Attributes:
        table: in which it was found, or is missing.
        key: which record of the table, by the columns of its key.
        column: which of its columns; None where it is the whole record.
        found: what is there.
        right: what belongs there, as far as that can be told.
    """

    kind: FindingKind
    table: str
    key: Mapping[str, Any]
    column: str | None = None
    found: Any = None
    right: Any = None
