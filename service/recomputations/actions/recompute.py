"""Recompute a range of rounds: replay them in bulk, list differences and, if requested, store new revisions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from evidence.events import RoundRecomputed
from scoring import SCORER_VERSION
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.recomputations.actions.audit import RoundsDigest, RoundToReplay, audit_rounds
from service.recomputations.actions.replay import Replayed, replay_round
from service.recomputations.packed.queries import Stretch
from service.recomputations.queries import Difference, RecordedRound, list_recorded, list_versions
from service.rounds.actions.recording_many import RoundWriter
from service.rounds.queries import revisions, rounds
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
        skipped: the number of these that got none although requested; the differences have the reasons.
        moved: the change of each player's net points.
    """

    rounds: int
    hands: int
    digest: RoundsDigest
    differing: int = 0
    applied: int = 0
    skipped: int = 0
    moved: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)


def recompute_rounds(transaction: Transaction, stretch: Stretch, asked: Recomputation) -> Recomputed:
    """
    Replay the rounds of a range, and compare them with the stored results.

    Raises:
        Busy: another transaction held the lock of a round for too long.
    """
    stored = {(each.name, each.version): each for each in rulesets.list_readable(transaction)}
    rules = {key: each.rules for key, each in stored.items()}
    audit = audit_rounds(transaction, stretch, rules, asked.ruleset)
    found = Recomputed(audit.rounds, audit.hands, audit.digest)
    writer = RoundWriter(transaction)
    for suspect, recorded in _read(transaction, audit.suspects):
        replayed = _replay(recorded, stored, asked.ruleset)
        if not suspect.is_digested:
            replayed.digest(found.digest)
        if suspect.differs and not replayed.differences and recorded.head["version"] == suspect.version:
            raise AssertionError(f"round {recorded.id} differs in the bulk replay, but not when replayed alone")
        if replayed.differences:
            found.differing += 1
            found.differences += replayed.differences
            if not asked.applies or _apply(transaction, found, suspect, replayed, stored, asked, writer):
                found.moved.update(replayed.moved)
    writer.write()
    transaction.send()
    return found


def check_rulesets(transaction: Transaction, only: tuple[str, int] | None) -> list[Difference]:
    """List the stored rulesets, or the one given, that have changed since they were added."""
    return [
        Difference(
            None,
            None,
            "ruleset",
            each.digest.hex(),
            each.rules and digest_ruleset(each.rules).hex(),
            f"{each.name}@{each.version} has changed since it was added: "
            + ("its digest differs" if each.rules else "it cannot be read"),
        )
        for each in rulesets.list_readable(transaction)
        if not each.is_as_added and only in (None, (each.name, each.version))
    ]


def _read(transaction: Transaction, suspects: Sequence[RoundToReplay]) -> Iterator[tuple[RoundToReplay, RecordedRound]]:
    """Read suspects consistently: a round that changes while it is read is locked and read again."""
    for start in range(0, len(suspects), _AT_ONCE):
        some = {suspect.round_id: suspect for suspect in suspects[start : start + _AT_ONCE]}
        recorded = {each.id: each for each in list_recorded(transaction, list(some))}
        now = list_versions(transaction, list(some))
        changed = sorted(each.id for each in recorded.values() if now[each.id] != each.head["version"])
        for round_id in changed:
            rounds.lock(transaction, round_id)
            [recorded[round_id]] = list_recorded(transaction, [round_id])
        yield from ((some[round_id], each) for round_id, each in recorded.items())


def _replay(
    recorded: RecordedRound, stored: Mapping[tuple[str, int], StoredRuleset], other: Ruleset | None
) -> Replayed:
    name, version = recorded.head["ruleset_name"], recorded.head["ruleset_version"]
    own = stored.get((name, version))
    ruleset = other or (own.rules if own else None)
    if ruleset is None:
        unknown = Difference(recorded.id, None, "refused", detail=f"its ruleset {name}@{version} cannot be read")
        return Replayed(recorded, None, None, (unknown,), {})
    return replay_round(recorded, ruleset, is_own=other is None)


def _apply(
    transaction: Transaction,
    found: Recomputed,
    suspect: RoundToReplay,
    replayed: Replayed,
    stored: Mapping[tuple[str, int], StoredRuleset],
    asked: Recomputation,
    writer: RoundWriter,
) -> bool:
    """Add a new revision of a round to those to write, or record why not; return whether it was added."""
    recorded = replayed.recorded
    reason = _reason_not_to(suspect, replayed, stored, asked)
    if reason is None:
        before = rounds.lock(transaction, recorded.id)
        if before.version == recorded.head["version"]:
            found.applied += 1
            found.differences.append(_add_revision(transaction, before, replayed, asked, writer))
            return True
        reason = "another request changed the round during the recomputation"
    found.skipped += 1
    detail = f"{reason}; the round was not changed"
    found.differences.append(Difference(recorded.id, None, "skipped", detail=detail))
    return False


def _reason_not_to(
    suspect: RoundToReplay,
    replayed: Replayed,
    stored: Mapping[tuple[str, int], StoredRuleset],
    asked: Recomputation,
) -> str | None:
    head = replayed.recorded.head
    own = stored.get((head["ruleset_name"], head["ruleset_version"]))
    if replayed.recorded.is_open:
        return "the round is open"
    if head["final_revision"] is not None and not asked.final:
        return "its settlement is or was final, and the recomputation does not change such rounds"
    if head["version"] != suspect.version:
        return "another request changed the round during the recomputation"
    if replayed.played is None or replayed.history is None:
        return "the round is invalid"
    if replayed.played.round.is_open:
        return "the new revision would reopen the round"
    if any(difference.what == "boards" for difference in replayed.differences):
        return "a hand's packed boards and its content contradict each other"
    if asked.ruleset is None and (own is None or not own.is_as_added):
        return "its ruleset has changed since it was added"
    return None


def _add_revision(
    transaction: Transaction,
    before: StoredRound,
    replayed: Replayed,
    asked: Recomputation,
    writer: RoundWriter,
) -> Difference:
    assert replayed.history is not None
    assert replayed.played is not None
    given = RevisionToRecord(
        replayed.history, replayed.played, [hand["hand_id"] for hand in replayed.recorded.hands], asked.reason
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
    change = revisions.build_revision(transaction, before, given, event.kind, event.encode())
    after = change.finish(replayed.played.round)
    writer.add(change)
    return Difference(before.id, None, "applied", before.revision, after.revision, "the round has a new revision")
