"""Recompute a range of rounds: replay them in bulk, list differences and, if requested, store new revisions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from evidence.events import RoundRecomputed
from schemas.jobs.changes import Changes
from schemas.ledger.settling import Worth, worth_of
from scoring import SCORER_VERSION
from scoring.ruleset import Points, Ruleset
from service.db import Transaction
from service.recomputations import queries as recomputations
from service.recomputations.queries import AuditedRound
from service.replays.compare_round import ReplayedRound, compare_round, show_by_seat
from service.replays.findings import Finding, FindingKind
from service.replays.in_bulk import RoundsDigest, Suspect, replay_in_bulk
from service.replays.results import Results
from service.replays.stretches import Stretch
from service.rounds.actions.recording_many import RoundWriter
from service.rounds.queries import revisions, rounds
from service.rounds.queries.new_records import write_reason
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
        reason: the reason of the new revisions; None if it was erased before.
        final: whether rounds whose settlement was final get a new revision too.
        audit: the audit that is applied: a round that is not as it was audited gets no new revision.
    """

    id: UUID
    ruleset: Ruleset | None
    applies: bool
    reason: str | None
    final: bool
    audit: UUID | None = None


@dataclass(slots=True)
class Recomputed:
    """
    The result of a range of rounds.

    Attributes:
        differing: the number of rounds with differences.
        applied: the number of these that got a new revision.
        skipped: the number of rounds that got none although requested; the findings have the reasons.
        tables: the tables of the rounds with differences.
        provisional: what changes in rounds whose settlement was never final; in an audit, what an apply would change.
        final: the same in rounds whose settlement is or was final.
        audited: in an audit, the rounds with differences.
    """

    rounds: int
    hands: int
    digest: RoundsDigest
    differing: int = 0
    applied: int = 0
    skipped: int = 0
    tables: set[UUID] = field(default_factory=set)
    provisional: Changes = field(default_factory=Changes)
    final: Changes = field(default_factory=Changes)
    audited: list[AuditedRound] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def moved(self) -> Mapping[str, Points]:
        """The change of each player's net points, whatever they are worth, without zeros."""
        return Changes.sum(self.provisional, self.final).nets


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A round as it was read to be replayed by the plain rules, what its points are worth, and as it was audited."""

    suspect: Suspect
    records: RoundRecords
    worth: Worth
    audited: AuditedRound | None


@dataclass(frozen=True, slots=True)
class _ComparedRound:
    """
    A round that was replayed by the plain rules.

    Attributes:
        candidate: the round as it was read.
        replayed: the round as it was replayed.
        findings: the differences, with values by seat.
        own: its own ruleset, as it is stored; None if it is missing.
    """

    candidate: _Candidate
    replayed: ReplayedRound
    findings: Sequence[Finding]
    own: StoredRuleset | None

    @property
    def records(self) -> RoundRecords:
        """The records of the round."""
        return self.replayed.records

    @property
    def was_final(self) -> bool:
        """Whether its settlement is or was final."""
        return self.records.head["final_revision"] is not None

    @property
    def scorers_disagree(self) -> bool:
        """Whether a round that was read twice alike has other results in bulk than by the plain rules."""
        is_same = self.records.head["version"] == self.candidate.suspect.version
        return is_same and self.candidate.suspect.hashed not in (None, self.replayed.hashed)


def recompute_rounds(transaction: Transaction, stretch: Stretch, asked: Recomputation) -> Recomputed:
    """
    Replay the rounds of a range, and compare them with the stored results.

    Where an audit is applied, the rounds of the range are those that it found to differ. Each gets a new revision or is
    skipped, also if it no longer differs.

    Raises:
        Busy: another transaction held the lock of a round for too long.
    """
    stored = {(each.name, each.version): each for each in rulesets.list_readable(transaction)}
    rules = {key: each.rules for key, each in stored.items()}
    bulk = replay_in_bulk(transaction, stretch, rules, asked.ruleset)
    digest, suspects = bulk.digest(all_suspect=asked.audit is not None)
    total = Recomputed(bulk.rounds, bulk.hands, digest)
    writer = RoundWriter(transaction)
    for candidate in _read(transaction, suspects, asked.audit):
        compared = _compare(candidate, stored, asked.ruleset)
        digest.add(compared.replayed.hashed)
        if compared.findings:
            total.differing += 1
            total.tables.add(compared.records.head["table_id"])
            total.findings += compared.findings
        if compared.findings or candidate.audited is not None:
            _decide(transaction, total, compared, asked, writer)
    writer.write()
    transaction.send()
    return total


def _decide(
    transaction: Transaction, total: Recomputed, compared: _ComparedRound, asked: Recomputation, writer: RoundWriter
) -> None:
    """Add a new revision of a round to those to write, or note it for an apply, and count what is changed."""
    if asked.applies:
        is_changed = _apply(transaction, total, compared, asked, writer)
    else:
        records = compared.records
        total.audited.append(AuditedRound(records.id, records.revision, compared.replayed.hashed))
        is_changed = _reason_never_to(compared, asked) is None
    if is_changed:
        changes = total.final if compared.was_final else total.provisional
        changes.add_round(compared.candidate.worth, compared.replayed.moved)


def _compare(
    candidate: _Candidate, stored: Mapping[tuple[str, int], StoredRuleset], other: Ruleset | None
) -> _ComparedRound:
    """Replay a round by its own ruleset or another, and list the differences."""
    head = candidate.records.head
    own = stored.get((head["ruleset_name"], head["ruleset_version"]))
    replayed = _replay(candidate.records, own, other)
    findings = [_show(replayed, finding) for finding in replayed.findings]
    compared = _ComparedRound(candidate, replayed, findings, own)
    if compared.scorers_disagree:
        return replace(compared, findings=[*findings, _disagreement(candidate.records)])
    return compared


def _show(replayed: ReplayedRound, finding: Finding) -> Finding:
    stored, expected = show_by_seat(replayed, finding)
    return replace(finding, stored=stored, expected=expected)


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


def _read(transaction: Transaction, suspects: Sequence[Suspect], audit: UUID | None) -> Iterator[_Candidate]:
    """Read suspects consistently: a round that changes while it is read is locked and read again."""
    for start in range(0, len(suspects), _AT_ONCE):
        some = {suspect.round_id: suspect for suspect in suspects[start : start + _AT_ONCE]}
        recorded = {each.id: each for each in read_records(transaction, list(some))}
        now = list_versions(transaction, list(some))
        changed = sorted(each.id for each in recorded.values() if now[each.id] != each.head["version"])
        for round_id in changed:
            rounds.lock(transaction, round_id)
            [recorded[round_id]] = read_records(transaction, [round_id])
        worths = recomputations.list_worths(transaction, list(some))
        audited = {} if audit is None else recomputations.find_audited(transaction, audit, list(some))
        for round_id, each in recorded.items():
            # A damaged database can lack the record of a round.
            worth = worths.get(round_id) or worth_of(None, None, str(each.head["table_id"]))
            yield _Candidate(some[round_id], each, worth, None if audit is None else audited[round_id])


def _replay(recorded: RoundRecords, own: StoredRuleset | None, other: Ruleset | None) -> ReplayedRound:
    ruleset = other or (own.rules if own else None)
    if ruleset is None:
        name, version = recorded.head["ruleset_name"], recorded.head["ruleset_version"]
        detail = f"its ruleset {name}@{version} cannot be read"
        unknown = Finding(FindingKind.CONTENT_UNPLAYABLE, "round_heads", recorded.key, detail=detail)
        return ReplayedRound(recorded, None, Results(), (unknown,))
    return compare_round(recorded, ruleset, is_own=other is None)


def _apply(
    transaction: Transaction, total: Recomputed, compared: _ComparedRound, asked: Recomputation, writer: RoundWriter
) -> bool:
    """Add a new revision of a round to those to write, or record why not; return whether it was added."""
    recorded = compared.records
    reason = _reason_not_to(compared, asked)
    if reason is None:
        before = rounds.lock(transaction, recorded.id)
        if before.version == recorded.head["version"]:
            total.applied += 1
            total.findings.append(_add_revision(transaction, before, compared.replayed, asked, writer))
            return True
        reason = "another request changed the round during the recomputation"
    total.skipped += 1
    detail = f"{reason}; the round was not changed"
    total.findings.append(Finding(FindingKind.SKIPPED, "round_heads", recorded.key, detail=detail))
    return False


def _reason_not_to(compared: _ComparedRound, asked: Recomputation) -> str | None:
    """Return why a round gets no new revision; None if it gets one."""
    records, audited = compared.records, compared.candidate.audited
    if audited is not None and records.revision != audited.revision:
        return f"it has revision {records.revision}, and revision {audited.revision} was audited"
    reason = _reason_never_to(compared, asked)
    if reason is not None:
        return reason
    if compared.was_final and not asked.final:
        return "its settlement is or was final, and the recomputation does not change such rounds"
    if records.head["version"] != compared.candidate.suspect.version:
        return "another request changed the round during the recomputation"
    if audited is not None and compared.replayed.hashed != audited.digest:
        return "its result is not that of the audit"
    if not compared.findings:
        return "it no longer differs from its result"
    return None


def _reason_never_to(compared: _ComparedRound, asked: Recomputation) -> str | None:
    """Return why a round gets no new revision, whether or not it is final; None if it can get one."""
    if compared.records.is_open:
        return "the round is open"
    if compared.scorers_disagree:
        return "the bulk scorer and the plain rules have different results"
    if compared.replayed.played is None or compared.replayed.history is None:
        return "the round is invalid"
    if compared.replayed.played.round.is_open:
        return "the new revision would reopen the round"
    if any(finding.column == "boards" for finding in compared.findings):
        return "a hand's packed boards and its content contradict each other"
    if asked.ruleset is None and (compared.own is None or not compared.own.is_as_added):
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
    reason = None if asked.reason is None else write_reason(asked.reason, before.id, job_id=asked.id)
    hand_ids = [hand["hand_id"] for hand in replayed.records.hands]
    revision = RevisionToRecord(replayed.history, replayed.played, hand_ids, reason)
    event = RoundRecomputed(
        round=before.id,
        recomputation=asked.id,
        ruleset=str(replayed.history.ruleset),
        ruleset_digest=digest_ruleset(replayed.history.ruleset),
        revision=before.revision + 1,
        reason=None if reason is None else reason.digest,
        scorer=SCORER_VERSION,
    )
    change = revisions.build_revision(transaction, before, revision, event.kind, event.encode(), replayed.records)
    writer.add(change)
    detail = "the round has a new revision"
    key = replayed.records.key
    return Finding(FindingKind.APPLIED, "round_heads", key, None, before.revision, change.after.revision, detail)
