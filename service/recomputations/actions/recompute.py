"""Recompute a range of rounds: replay them in bulk, list differences and, if requested, store new revisions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from evidence.events import RoundRecomputed
from scoring import SCORER_VERSION
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.replays.compare_round import ReplayedRound, compare_round, show_by_seat
from service.replays.findings import Finding, FindingKind
from service.replays.in_bulk import RoundsDigest, Suspect, replay_in_bulk
from service.replays.results import Results
from service.replays.stretches import Stretch
from service.rounds.actions.recording_many import RoundWriter
from service.rounds.queries import revisions, rounds
from service.rounds.queries.records import RoundRecords, list_versions, read_records
from service.rounds.queries.revisions import RevisionToRecord
from service.rounds.queries.stored_round import StoredRound
from service.rulesets import queries as rulesets
from service.rulesets.queries import StoredRuleset, digest_ruleset

_AT_ONCE: Final = 500
"""The number of rounds that are read at once to be replayed one by one."""


@dataclass(frozen=True, slots=True)
class Recomputation:
    """
    The options of a recomputation.

    Attributes:
        id: the id of the job.
        ruleset: the ruleset to replay with, if not each round's own.
        applies: whether rounds that differ get a new revision.
        reason: the reason of the new revisions.
        final: whether rounds whose settlement was final get a new revision too.
    """

    id: UUID
    ruleset: Ruleset | None
    applies: bool
    reason: str
    final: bool


@dataclass(slots=True)
class Recomputed:
    """
    The result of a range of rounds.

    Attributes:
        differing: the number of rounds with differences.
        applied: the number of these that got a new revision.
        skipped: the number of these that got none although requested; the findings have the reasons.
        moved: the change of each player's net points.
    """

    rounds: int
    hands: int
    digest: RoundsDigest
    differing: int = 0
    applied: int = 0
    skipped: int = 0
    moved: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


def recompute_rounds(transaction: Transaction, stretch: Stretch, asked: Recomputation) -> Recomputed:
    """
    Replay the rounds of a range, and compare them with the stored results.

    Raises:
        Busy: another transaction held the lock of a round for too long.
    """
    stored = {(each.name, each.version): each for each in rulesets.list_readable(transaction)}
    rules = {key: each.rules for key, each in stored.items()}
    bulk = replay_in_bulk(transaction, stretch, rules, asked.ruleset)
    digest, suspects = bulk.digest()
    total = Recomputed(bulk.rounds, bulk.hands, digest)
    writer = RoundWriter(transaction)
    for suspect, records in _read(transaction, suspects):
        replayed = _replay(records, stored, asked.ruleset)
        digest.add(replayed.hashed)
        findings = [_show(replayed, finding) for finding in replayed.findings]
        if _scorers_disagree(suspect, replayed):
            findings.append(_disagreement(records))
        if findings:
            total.differing += 1
            total.findings += findings
            if not asked.applies or _apply(transaction, total, suspect, replayed, stored, asked, writer):
                total.moved.update(replayed.moved)
    writer.write()
    transaction.send()
    return total


def _show(replayed: ReplayedRound, finding: Finding) -> Finding:
    stored, expected = show_by_seat(replayed, finding)
    return replace(finding, stored=stored, expected=expected)


def _scorers_disagree(suspect: Suspect, replayed: ReplayedRound) -> bool:
    """Return whether a round that was read twice alike has other results in bulk than by the plain rules."""
    is_same = replayed.records.head["version"] == suspect.version
    return is_same and suspect.hashed not in (None, replayed.hashed)


def _disagreement(records: RoundRecords) -> Finding:
    detail = "the bulk scorer and the plain rules have different results; report it"
    return Finding(FindingKind.SCORERS_DISAGREE, "round_heads", records.key, detail=detail)


def check_rulesets(transaction: Transaction, only: str | None) -> list[Finding]:
    """List the stored rulesets, or the one given, that have changed since they were added."""
    return [
        Finding(
            FindingKind.RECORD_DIFFERS,
            "rulesets",
            {"club_id": transaction.club_id, "name": each.name, "version": each.version},
            "digest",
            each.digest.hex(),
            each.rules and digest_ruleset(each.rules).hex(),
            f"{each.name}@{each.version} has changed since it was added: "
            + ("its digest differs" if each.rules else "it cannot be read"),
        )
        for each in rulesets.list_readable(transaction)
        if not each.is_as_added and only in (None, f"{each.name}@{each.version}")
    ]


def _read(transaction: Transaction, suspects: Sequence[Suspect]) -> Iterator[tuple[Suspect, RoundRecords]]:
    """Read suspects consistently: a round that changes while it is read is locked and read again."""
    for start in range(0, len(suspects), _AT_ONCE):
        some = {suspect.round_id: suspect for suspect in suspects[start : start + _AT_ONCE]}
        recorded = {each.id: each for each in read_records(transaction, list(some))}
        now = list_versions(transaction, list(some))
        changed = sorted(each.id for each in recorded.values() if now[each.id] != each.head["version"])
        for round_id in changed:
            rounds.lock(transaction, round_id)
            [recorded[round_id]] = read_records(transaction, [round_id])
        yield from ((some[round_id], each) for round_id, each in recorded.items())


def _replay(
    recorded: RoundRecords, stored: Mapping[tuple[str, int], StoredRuleset], other: Ruleset | None
) -> ReplayedRound:
    name, version = recorded.head["ruleset_name"], recorded.head["ruleset_version"]
    own = stored.get((name, version))
    ruleset = other or (own.rules if own else None)
    if ruleset is None:
        detail = f"its ruleset {name}@{version} cannot be read"
        unknown = Finding(FindingKind.CONTENT_UNPLAYABLE, "round_heads", recorded.key, detail=detail)
        return ReplayedRound(recorded, None, Results(), (unknown,))
    return compare_round(recorded, ruleset, is_own=other is None)


def _apply(
    transaction: Transaction,
    total: Recomputed,
    suspect: Suspect,
    replayed: ReplayedRound,
    stored: Mapping[tuple[str, int], StoredRuleset],
    asked: Recomputation,
    writer: RoundWriter,
) -> bool:
    """Add a new revision of a round to those to write, or record why not; return whether it was added."""
    recorded = replayed.records
    reason = _reason_not_to(suspect, replayed, stored, asked)
    if reason is None:
        before = rounds.lock(transaction, recorded.id)
        if before.version == recorded.head["version"]:
            total.applied += 1
            total.findings.append(_add_revision(transaction, before, replayed, asked, writer))
            return True
        reason = "another request changed the round during the recomputation"
    total.skipped += 1
    detail = f"{reason}; the round was not changed"
    total.findings.append(Finding(FindingKind.SKIPPED, "round_heads", recorded.key, detail=detail))
    return False


def _reason_not_to(
    suspect: Suspect,
    replayed: ReplayedRound,
    stored: Mapping[tuple[str, int], StoredRuleset],
    asked: Recomputation,
) -> str | None:
    head = replayed.records.head
    own = stored.get((head["ruleset_name"], head["ruleset_version"]))
    if replayed.records.is_open:
        return "the round is open"
    if head["final_revision"] is not None and not asked.final:
        return "its settlement is or was final, and the recomputation does not change such rounds"
    if head["version"] != suspect.version:
        return "another request changed the round during the recomputation"
    if _scorers_disagree(suspect, replayed):
        return "the bulk scorer and the plain rules have different results"
    if replayed.played is None or replayed.history is None:
        return "the round is invalid"
    if replayed.played.round.is_open:
        return "the new revision would reopen the round"
    if any(finding.column == "boards" for finding in replayed.findings):
        return "a hand's packed boards and its content contradict each other"
    if asked.ruleset is None and (own is None or not own.is_as_added):
        return "its ruleset has changed since it was added"
    return None


def _add_revision(
    transaction: Transaction,
    before: StoredRound,
    replayed: ReplayedRound,
    asked: Recomputation,
    writer: RoundWriter,
) -> Finding:
    assert replayed.history is not None
    assert replayed.played is not None
    revision = RevisionToRecord(
        replayed.history, replayed.played, [hand["hand_id"] for hand in replayed.records.hands], asked.reason
    )
    event = RoundRecomputed(
        round=before.id,
        recomputation=asked.id,
        ruleset=str(replayed.history.ruleset),
        ruleset_digest=digest_ruleset(replayed.history.ruleset),
        revision=before.revision + 1,
        reason=asked.reason,
        scorer=SCORER_VERSION,
    )
    change = revisions.build_revision(transaction, before, revision, event.kind, event.encode(), replayed.records)
    writer.add(change)
    detail = "the round has a new revision"
    key = replayed.records.key
    return Finding(FindingKind.APPLIED, "round_heads", key, None, before.revision, change.after.revision, detail)
