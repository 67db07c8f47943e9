"""A stretch of rounds recomputed: audited many at once, and those that differ named and, where asked, settled anew."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from evidence.events import RoundRecomputed
from scoring import SCORER_VERSION
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.recomputations.actions.audit import RoundsDigest, Suspect, audit_rounds
from service.recomputations.actions.replay import Replayed, replay_round
from service.recomputations.packed.queries import Stretch
from service.recomputations.queries import Difference, RecordedRound, list_recorded, list_versions
from service.rounds.queries import revisions, rounds
from service.rounds.queries.revisions import RevisionToRecord
from service.rulesets import queries as rulesets
from service.rulesets.queries import StoredRuleset, digest_ruleset

_AT_ONCE: Final = 500
"""So many rounds are read at once to be played one by one."""


@dataclass(frozen=True, slots=True)
class Recomputation:
    """
    What was asked for.

    Attributes:
        id: the job's.
        ruleset: the rules to play by, where those are others than each round's own.
        applies: whether rounds that differ are settled anew.
        reason: why, for their new settlements.
        final: whether also those whose settlement is, or was, final.
    """

    id: UUID
    ruleset: Ruleset | None
    applies: bool
    reason: str
    final: bool


@dataclass(slots=True)
class Recomputed:
    """
    What a stretch came to.

    Attributes:
        differing: rounds in which anything differs.
        applied: those of them that were settled anew.
        skipped: those that were to be, and were not; the differences say why.
        moved: how much more each player's net would be, or is now.
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
    Play the rounds of a stretch again, and hold them against what was stored.

    Raises:
        Busy: somebody else holds a round for too long.
    """
    stored = {(each.name, each.version): each for each in rulesets.list_readable(transaction)}
    rules = {key: each.rules for key, each in stored.items()}
    audit = audit_rounds(transaction, stretch, rules, asked.ruleset)
    found = Recomputed(audit.rounds, audit.hands, audit.digest)
    for suspect, recorded in _read(transaction, audit.suspects):
        replayed = _replay(recorded, stored, asked.ruleset)
        if not suspect.is_digested:
            replayed.digest(found.digest)
        if suspect.differs and not replayed.differences and recorded.head["version"] == suspect.version:
            raise AssertionError(f"round {recorded.id} differs as one of many, and not by itself")
        if replayed.differences:
            found.differing += 1
            found.differences += replayed.differences
            if not asked.applies or _apply(transaction, found, suspect, replayed, stored, asked):
                found.moved.update(replayed.moved)
    return found


def check_rulesets(transaction: Transaction, only: tuple[str, int] | None) -> list[Difference]:
    """Name the rulesets that are not as they were added; of one, or of all that the club has stored."""
    return [
        Difference(
            None,
            None,
            "ruleset",
            each.digest.hex(),
            each.rules and digest_ruleset(each.rules).hex(),
            f"{each.name}@{each.version} is not as it was added: "
            + ("its digest is another" if each.rules else "it cannot be read"),
        )
        for each in rulesets.list_readable(transaction)
        if not each.is_as_added and only in (None, (each.name, each.version))
    ]


def _read(transaction: Transaction, suspects: Sequence[Suspect]) -> Iterator[tuple[Suspect, RecordedRound]]:
    """Read suspects, each as it was at one moment: what somebody changes meanwhile is locked, and read again."""
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
    suspect: Suspect,
    replayed: Replayed,
    stored: Mapping[tuple[str, int], StoredRuleset],
    asked: Recomputation,
) -> bool:
    """Settle a round anew, or say why not; and whether it was."""
    recorded = replayed.recorded
    reason = _reason_not_to(suspect, replayed, stored, asked)
    if reason is None and rounds.lock(transaction, recorded.id).version != recorded.head["version"]:
        reason = "the round has changed meanwhile"
    if reason is None:
        found.applied += 1
        found.differences.append(_settle_anew(transaction, replayed, asked))
        return True
    found.skipped += 1
    detail = f"{reason}; nothing of it was changed"
    found.differences.append(Difference(recorded.id, None, "skipped", detail=detail))
    return False


def _reason_not_to(
    suspect: Suspect,
    replayed: Replayed,
    stored: Mapping[tuple[str, int], StoredRuleset],
    asked: Recomputation,
) -> str | None:
    head = replayed.recorded.head
    own = stored.get((head["ruleset_name"], head["ruleset_version"]))
    if replayed.recorded.is_open:
        return "the round is open"
    if head["final_revision"] is not None and not asked.final:
        return "its settlement is or was final, and the recomputation leaves those"
    if head["version"] != suspect.version:
        return "the round has changed meanwhile"
    if replayed.played is None or replayed.history is None:
        return "the round is invalid"
    if replayed.played.round.is_open:
        return "it would be open again"
    if any(difference.what == "boards" for difference in replayed.differences):
        return "a hand's boards and its content contradict each other, and it is unknown which is correct"
    if asked.ruleset is None and (own is None or not own.is_as_added):
        return "its ruleset is not as it was added"
    return None


def _settle_anew(transaction: Transaction, replayed: Replayed, asked: Recomputation) -> Difference:
    assert replayed.history is not None
    assert replayed.played is not None
    before = rounds.get(transaction, replayed.recorded.id)
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
    after = revisions.add(transaction, before, given, event.kind, event.encode())
    return Difference(
        before.id, None, "applied", before.revision, after.revision, "the round was settled anew, as a new revision"
    )
