"""What a replay or a verification finds in stored records, explained for operators."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

MOST_NAMED: Final = 1000
"""The most missing records that are reported one by one."""


class FindingKind(StrEnum):
    """What is wrong with a record."""

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
    SCORERS_DISAGREE = "scorers-disagree"
    APPLIED = "applied"
    SKIPPED = "skipped"
    DEAD_LETTERED = "dead-lettered"


MEANS: Final[Mapping[FindingKind, str]] = {
    FindingKind.EVENT_UNREADABLE: "An event's bytes cannot be decoded.",
    FindingKind.EVENT_DIFFERS: "A column of an event differs from its bytes.",
    FindingKind.EVENT_HASH: "The stored hash of an event is not the hash of its bytes.",
    FindingKind.EVENT_MISSING: "An event of a round is missing.",
    FindingKind.EVENT_SURPLUS: "Two events of a round have the same number, or the round has more events than"
    " its head counts.",
    FindingKind.CHAIN_BROKEN: "An event does not contain the hash of the event before it in its round.",
    FindingKind.CONTENT_UNPLAYABLE: "The content of an event or a hand cannot be decoded, or a round cannot be replayed"
    " from them.",
    FindingKind.RECORD_MISSING: "A record that the events lead to is missing.",
    FindingKind.RECORD_SURPLUS: "A record exists that no event leads to.",
    FindingKind.RECORD_DIFFERS: "A column differs from the event or the record that it must agree with.",
    FindingKind.FIGURE_DIFFERS: "A figure differs from the result of the round, replayed from its hands.",
    FindingKind.SUM_BROKEN: "Points were created or lost, or a figure is negative that must not be.",
    FindingKind.SIGNATURE_WRONG: "A stored checkpoint is not signed by published keys alone.",
    FindingKind.ROUND_MAP_WRONG: "The map of rounds in an event `checkpoint.sealed` does not follow from the events"
    " before it.",
    FindingKind.CHECKPOINT_BROKEN: "The tree contradicts a checkpoint that was retained elsewhere: events were cut"
    " off or rewritten.",
    FindingKind.CLUB_UNKNOWN: "Records belong to a club that does not exist.",
    FindingKind.PAGE_UNREADABLE: "PostgreSQL cannot read a damaged block on disk.",
    FindingKind.RECORD_UNREADABLE: "A record could not be verified, because one of its blocks is damaged.",
    FindingKind.SCHEMA_MISSING: "A table, column, constraint, trigger, policy, function or grant of this release is"
    " missing.",
    FindingKind.SCHEMA_DIFFERS: "An object of the schema has another definition than in this release.",
    FindingKind.SCHEMA_SURPLUS: "An object was added to the schema that can change records or what others see of them.",
    FindingKind.SCHEMA_EXTENDED: "An index, a view, a table or a privilege to read was added to the schema. No damage.",
    FindingKind.KEY_UNKNOWN: "A published key is neither the configured signing key nor one that it replaced.",
    FindingKind.SCORERS_DISAGREE: "The bulk scorer and the plain rules have different results for a round. The records"
    " are compared with the plain rules; report it.",
    FindingKind.APPLIED: "The recomputation stored a new revision of the round.",
    FindingKind.SKIPPED: "The recomputation did not change the round.",
    FindingKind.DEAD_LETTERED: "Rounds could not be recomputed.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One difference between what is stored and what follows from events or hands, or a change made because of one.

    Attributes:
        table: where it was found, or is missing.
        key: the columns of the record's key.
        column: the column; None for the whole record.
        stored: the stored value.
        expected: the value that follows, where it is known.
        detail: an explanation, if the values do not suffice.
    """

    kind: FindingKind
    table: str
    key: Mapping[str, Any]
    column: str | None = None
    stored: Any = None
    expected: Any = None
    detail: str | None = None

    @property
    def round_id(self) -> UUID | None:
        """The round that the record belongs to, if its key names the round."""
        return self.key.get("round_id")

    @property
    def hand(self) -> int | None:
        """The number of the hand that the record belongs to, if its key names the hand."""
        return self.key.get("number")


def dump_value(value: Any) -> Any:
    """
    Convert a stored value to JSON: bytes to hexadecimal digits, IDs and times to text.

    >>> dump_value({"digest": bytes(2), "stacks": [6, -6]})
    {'digest': '0000', 'stacks': [6, -6]}
    """
    if isinstance(value, (bytes, memoryview)):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {name: dump_value(each) for name, each in value.items()}
    if isinstance(value, list):
        return [dump_value(each) for each in value]
    return value if isinstance(value, (str, int, float)) or value is None else str(value)
