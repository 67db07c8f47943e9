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
    RECORD_MISSING = "record-missing"
    RECORD_SURPLUS = "record-surplus"
    RECORD_DIFFERS = "record-differs"
    FIGURE_DIFFERS = "figure-differs"
    SUM_BROKEN = "sum-broken"
    CLUB_UNKNOWN = "club-unknown"
    PAGE_UNREADABLE = "page-unreadable"
    RECORD_UNREADABLE = "record-unreadable"
    SCHEMA_MISSING = "schema-missing"
    SCHEMA_DIFFERS = "schema-differs"
    SCHEMA_SURPLUS = "schema-surplus"
    SCHEMA_EXTENDED = "schema-extended"
    KEY_UNKNOWN = "key-unknown"
    SIGNATURE_WRONG = "signature-wrong"
    ROUND_MAP_WRONG = "round-map-wrong"
    CHECKPOINT_BROKEN = "checkpoint-broken"


MEANS: Final[Mapping[FindingKind, str]] = {
    FindingKind.EVENT_UNREADABLE: "An event's bytes cannot be decoded.",
    FindingKind.EVENT_DIFFERS: "A column of an event is not what its bytes say.",
    FindingKind.EVENT_HASH: "The stored hash of an event is not that of its bytes.",
    FindingKind.EVENT_MISSING: "A number is missing among the events of a round, or its last events are.",
    FindingKind.EVENT_SURPLUS: "Two events of a round have one number, or its head counts fewer than there are.",
    FindingKind.CHAIN_BROKEN: "An event does not name the one before it in its round.",
    FindingKind.CONTENT_UNPLAYABLE: "What an event says, or the events of a round, cannot have happened or be read.",
    FindingKind.RECORD_MISSING: "Events speak of a record that is not there.",
    FindingKind.RECORD_SURPLUS: "A record is there of which no event speaks.",
    FindingKind.RECORD_DIFFERS: "A column is not what the event says that made the record.",
    FindingKind.FIGURE_DIFFERS: "A figure differs from the result of the round, replayed from its events.",
    FindingKind.SUM_BROKEN: "Points were created or lost, or a figure is negative that cannot be.",
    FindingKind.SIGNATURE_WRONG: "A stored checkpoint is not signed by a published key, or by somebody else too.",
    FindingKind.ROUND_MAP_WRONG: "A stored checkpoint was signed with a map of rounds that does not follow from"
    " the events.",
    FindingKind.CHECKPOINT_BROKEN: "The tree or the map of rounds does not lead to a checkpoint that was kept"
    " elsewhere: events were cut off or rewritten.",
    FindingKind.CLUB_UNKNOWN: "Records belong to a club that there is not.",
    FindingKind.PAGE_UNREADABLE: "PostgreSQL cannot read a block on disk, for it is damaged.",
    FindingKind.RECORD_UNREADABLE: "A record could not be verified, because a block that belongs to it is damaged.",
    FindingKind.SCHEMA_MISSING: "A table, column, constraint, trigger, policy, function or grant of this release is"
    " missing.",
    FindingKind.SCHEMA_DIFFERS: "An object of the schema has another definition than in this release.",
    FindingKind.SCHEMA_SURPLUS: "An object was added to the schema that can change records or what others see of them.",
    FindingKind.SCHEMA_EXTENDED: "An index, a view, a table or a privilege to read was added to the schema. No damage.",
    FindingKind.KEY_UNKNOWN: "A published key is neither the configured signing key nor one that it replaced.",
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
