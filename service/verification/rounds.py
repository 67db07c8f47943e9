"""Rounds compared with their events: every record that the events lead to, column by column."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Final
from uuid import UUID

from evidence import EvidenceError
from evidence.fold import StoredEvent, fold_round
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.replays.comparing import Expected, Key, Row, check_sums, compare_records
from service.replays.findings import Finding, FindingKind
from service.replays.in_bulk import ProvenRound, replay_in_bulk
from service.replays.stretches import LAST, Stretch
from service.verification.chains import check_chains
from service.verification.expected_entries import Happened
from service.verification.expected_records import InvalidRoundError, expect_records
from service.verification.figures import SUMMED_UP, compare_figures
from service.verification.queries import audited
from service.verification.queries.audited import Event

_UNREADABLE: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What records can raise that the service would never store; their rounds are replayed one by one."""


@dataclass(frozen=True, slots=True)
class BulkProof:
    """
    What a replay in bulk shows of some rounds; the others can be replayed by the plain rules only.

    Attributes:
        proven: the rounds whose stored results follow from their stored hands, each with its end.
        differing: the rounds whose stored results differ.
    """

    proven: Mapping[UUID, ProvenRound] = field(default_factory=dict)
    differing: Sequence[UUID] = ()


def prove_in_bulk(transaction: Transaction, stretch: Stretch, rulesets: Mapping[str, Ruleset]) -> BulkProof:
    """
    Replay rounds in bulk from their records.

    Results are all columns that `comparing` calls played, of rounds that have ended and were never revised. What is
    read of hands, seats, departures and closings is compared with the events elsewhere.

    Args:
        transaction: of the club; it reads one moment.
        stretch: some thousand rounds.
        rulesets: those of the club, by name and version, as its events have them.
    """
    if stretch.after == LAST:
        return BulkProof()
    known = {(ruleset.name, ruleset.version): ruleset for ruleset in rulesets.values()}
    try:
        bulk = replay_in_bulk(transaction, stretch, known)
        proven, differing = bulk.list_proven(), bulk.list_differing()
    except _UNREADABLE:
        return BulkProof()
    for round_id in audited.list_revised(transaction, stretch):
        proven.pop(round_id, None)
    return BulkProof(proven, differing)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_YEAR: Final = 9998
"""The last year after which a correction window can still end."""


def verify_rounds(
    transaction: Transaction, stretch: Stretch, rulesets: Mapping[str, Ruleset]
) -> tuple[list[Finding], int]:
    """
    Return what is not as the events of some rounds say, and the number of the events.

    The results of most rounds are proven by the audit in bulk. Where anything is found, all rounds are replayed from
    their events, so that every column that differs is named.

    Args:
        transaction: of the club; it reads one moment.
        stretch: some thousand rounds.
        rulesets: those of the club, by name and version, as its events have them.
    """
    events = list(audited.read_events(transaction, stretch, loose=False))
    findings = list(check_chains(events, audited.read_heads(transaction, stretch)))
    bulk = prove_in_bulk(transaction, stretch, rulesets)
    differences = compare_rounds(transaction, stretch, events, rulesets, bulk.proven)
    if differences and bulk.proven:
        differences = compare_rounds(transaction, stretch, events, rulesets, {})
    figures = compare_figures(transaction, stretch, rounds_of(transaction, differences, tables=SUMMED_UP))
    disagreements = _find_disagreements(transaction, bulk.differing, differences)
    return [*findings, *differences, *disagreements, *figures], len(events)


def _find_disagreements(
    transaction: Transaction, differing: Iterable[UUID], findings: Sequence[Finding]
) -> list[Finding]:
    """List the rounds that differ in bulk only: their records follow from their events by the plain rules."""
    named = rounds_of(transaction, findings)
    return [
        Finding(FindingKind.SCORERS_DISAGREE, "round_heads", {"club_id": transaction.club_id, "round_id": round_id})
        for round_id in differing
        if round_id not in named
    ]


def rounds_of(
    transaction: Transaction, findings: Iterable[Finding], *, tables: Collection[str] | None = None
) -> set[UUID]:
    """Return the rounds of findings in some tables or in all; those of disputes have none."""
    named = [finding for finding in findings if tables is None or finding.table in tables]
    hands = [finding.key["id"] for finding in named if finding.table == "hands"]
    rounds = {finding.key["id"] for finding in named if finding.table == "rounds"}
    rounds.update(finding.round_id for finding in named if finding.round_id is not None)
    return rounds | audited.find_rounds_of_hands(transaction, hands)


def compare_rounds(
    transaction: Transaction,
    stretch: Stretch,
    events: Sequence[Event],
    rulesets: Mapping[str, Ruleset],
    proven: Mapping[UUID, ProvenRound],
) -> list[Finding]:
    """
    Compare the records of some rounds with those that their events lead to.

    Args:
        transaction: of the club; it reads one moment.
        stretch: the rounds.
        events: of these rounds, in order.
        rulesets: those of the club, by name and version.
        proven: the rounds whose results need no replay, as `prove_in_bulk` returns them.
    """
    expected: dict[str, dict[Key, Row]] = defaultdict(dict)
    findings, unexpected = [], set()
    skipped = set(proven)
    for name, of_round in groupby(events, key=lambda event: event.round_id):
        round_id = UUID(name.decode())
        try:
            records, is_replayed = _expect(round_id, list(of_round), rulesets, proven.get(round_id))
        except (EvidenceError, InvalidRoundError) as error:
            key = {"club_id": transaction.club_id, "round_id": round_id}
            findings.append(Finding(FindingKind.CONTENT_UNPLAYABLE, "events", key, "content", str(error)))
            unexpected.add(round_id)
            skipped.discard(round_id)
            continue
        if is_replayed:
            skipped.discard(round_id)
        for table, rows in records.items():
            expected[table].update(rows)
    for table in audited.OF_ROUNDS:
        stored = audited.list_of_rounds(transaction, table, stretch, skipped)
        findings += check_sums(table, stored)
        if table == "texts":
            expected[table] = _without_erased(transaction, expected[table], stored)
        if table == "disputes":
            unexpected |= {row["id"] for row in stored if row["round_id"] in unexpected}
        compared = [row for row in stored if _owner(row) not in unexpected] if unexpected else stored
        findings += compare_records(transaction.club_id, table, compared, expected[table])
    received = audited.list_submissions(transaction, [id_ for (id_,) in expected["submissions"]])
    findings += compare_records(transaction.club_id, "submissions", received, expected["submissions"])
    return findings


def _without_erased(transaction: Transaction, expected: Mapping[Key, Row], stored: Iterable[Row]) -> dict[Key, Row]:
    """
    Return the expected texts without those that are missing because they were erased.

    Erasures are read only if a text is missing: that erased texts are gone is verified with the records of the club.
    """
    missing = expected.keys() - {(row["digest"],) for row in stored}
    erased = audited.list_erased(transaction) if missing else set()
    return {key: row for key, row in expected.items() if key not in missing or key[0] not in erased}


def _owner(row: Row) -> UUID | None:
    """Return the round that a record belongs to, or its dispute where it does not name the round."""
    owner: UUID | None = row.get("round_id") or row.get("dispute_id") or row.get("id")
    return owner


def _expect(
    round_id: UUID, events: Sequence[Event], rulesets: Mapping[str, Ruleset], proven: ProvenRound | None
) -> tuple[Expected, bool]:
    """Return the records that events lead to, and whether the round was replayed for that."""
    stored = [_stored(event) for event in events]
    folded = fold_round(round_id, stored)
    for index in folded.unknown:
        event = events[index]
        detail = f"this release does not know the kind {event.kind.decode()!r}"
        raise InvalidRoundError(f"event {event.sequence.decode()}: {detail}")
    if len(folded.revisions) > 1:
        proven = None
    happened = [Happened(event.id, each.kind, each.at) for event, each in zip(events, stored, strict=True)]
    records = expect_records(folded, happened, int(events[-1].sequence or 0), events[-1].hash, rulesets, proven)
    return records, proven is None


def _stored(event: Event) -> StoredEvent:
    actor = UUID(event.actor.decode()) if event.actor else None
    return StoredEvent(int(event.sequence or 0), event.kind.decode(), _read_time(event.at), event.content, actor)


def _read_time(written: bytes) -> datetime:
    """Parse a time; one outside of Python's calendar is a finding of its event, and another one is used here."""
    try:
        at = datetime.fromisoformat(written.decode())
    except ValueError:
        return _EPOCH
    return at if at.year <= _LAST_YEAR else _EPOCH
