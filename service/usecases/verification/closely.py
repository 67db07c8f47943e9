"""Rounds looked at one by one: every record held against what their events say must be there."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import groupby
from typing import Any
from uuid import UUID

from scoring.ruleset import Ruleset
from service.database import Transaction
from service.repository import audited
from service.repository.audited import Stretch
from service.usecases.verification.comparing import Key, Row, compare_records
from service.usecases.verification.findings import Finding, FindingKind
from service.usecases.verification.round_records import round_records
from service.usecases.verification.sums import check_sums
from service.usecases.verification.told import ToldEvent, UntellableError, UntoldError, follow_round


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
            records = round_records(follow_round(round_id, [_told(event) for event in of_round]), rulesets)
        except UntellableError as error:
            kind = FindingKind.CONTENT_UNTOLD if isinstance(error, UntoldError) else FindingKind.CONTENT_UNPLAYABLE
            key = {"club_id": transaction.club_id, "round_id": round_id}
            findings.append(Finding(kind, "events", key, "content", str(error)))
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


def _told(event: Any) -> ToldEvent:
    """Take an event as it is kept; what somebody emptied tells nothing."""
    return ToldEvent(event.sequence, event.kind, event.at, bytes(event.content or b""), bytes(event.hash or b""))
