"""Rounds looked at one by one: every record held against what their events say must be there."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

from evidence import EvidenceError
from evidence.fold import StoredEvent, fold_round
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.verification.comparing import Key, Row, Told, compare_records
from service.verification.findings import Finding, FindingKind
from service.verification.queries import audited
from service.verification.queries.audited import Stretch
from service.verification.round_records import InvalidRoundError, round_records
from service.verification.sums import check_sums


def look_closely(
    transaction: Transaction, stretch: Stretch, rulesets: Mapping[str, Ruleset]
) -> tuple[list[Finding], int]:
    """
    Name what is not as the events of rounds say, column by column.

    Args:
        transaction: whose club's.
        stretch: some hundred rounds.
        rulesets: those of the club, by name and version, as its events tell them.

    Returns:
        What was found, and how many events there are.
    """
    events = audited.list_told(transaction, stretch)
    told: dict[str, dict[Key, Row]] = defaultdict(dict)
    findings, untold = [], set()
    for round_id, of_round in groupby(events, key=lambda event: event.round_id):
        try:
            records = _records(round_id, list(of_round), rulesets)
        except (EvidenceError, InvalidRoundError) as error:
            key = {"club_id": transaction.club_id, "round_id": round_id}
            findings.append(Finding(FindingKind.CONTENT_UNPLAYABLE, "events", key, "content", str(error)))
            untold.add(round_id)
            continue
        for table, rows in records.items():
            told[table].update(rows)
    for table in audited.OF_ROUNDS:
        kept = audited.list_of_rounds(transaction, table, stretch)
        findings += check_sums(table, kept)
        if table == "disputes":
            untold |= {row["id"] for row in kept if row["round_id"] in untold}
        followed = [row for row in kept if _owner(row) not in untold]
        findings += compare_records(transaction.club_id, table, followed, told[table])
    came_in = audited.list_submissions(transaction, [id_ for (id_,) in told["submissions"]])
    findings += compare_records(transaction.club_id, "submissions", came_in, told["submissions"])
    return findings, len(events)


def _owner(row: Row) -> UUID | None:
    """Name the round that a record belongs to, or its dispute where it does not name the round."""
    owner: UUID | None = row.get("round_id") or row.get("dispute_id") or row.get("id")
    return owner


def _records(round_id: UUID, events: Sequence[Any], rulesets: Mapping[str, Ruleset]) -> Told:
    """Say what must be recorded of a round; an event that somebody emptied has no content."""
    folded = fold_round(
        round_id, [StoredEvent(event.sequence, event.kind, event.at, bytes(event.content or b"")) for event in events]
    )
    for index in folded.unknown:
        event = events[index]
        raise InvalidRoundError(f"event {event.sequence}: this release does not know the kind {event.kind!r}")
    last = events[-1]
    return round_records(folded, last.sequence, bytes(last.hash or b""), rulesets)
