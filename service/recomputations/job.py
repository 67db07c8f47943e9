from collections.abc import Sequence
from typing import ClassVar, Final
from uuid import UUID

from service.db import Transaction
from service.jobs.queries import jobs
from service.jobs.queries.chunks import Chunk, Done, Part, Plan
from service.jobs.queries.jobs import StoredJob
from service.recomputations import queries as recomputations
from service.recomputations.actions.chunk_results import dump_result
from service.recomputations.actions.recomputations import read_options
from service.recomputations.actions.recompute import check_rulesets, recompute_rounds
from service.replays import stretches
from service.replays.findings import Finding, FindingKind
from service.replays.stretches import Stretch
from service.rounds.queries.round_filter import RoundFilter
from service.texts.queries import lock_texts_shared

MOST_HANDS: Final = 20_000
"""The number of hands in a chunk: they take about half a second and 60 MB."""
HANDS_ONE_BY_ONE: Final = 4_000
"""The number of hands in a chunk with another ruleset or of an applied audit: most are replayed one by one."""
_SPLIT_INTO: Final = 64
_DIFFERENCES: Final = 1 << 32
"""The range of difference numbers of a chunk; numbers are in the order of rounds."""


class RecomputationKind:
    """The job kind `recomputation`: a chunk is a range of rounds."""

    unit: ClassVar[str] = "rounds"

    def plan(self, transaction: Transaction, job: StoredJob) -> Plan:
        """Return one chunk for each range of rounds. Progress counts hands; the job accounts for rounds."""
        asked = read_options(transaction, job)
        is_one_by_one = asked.recomputation.ruleset is not None or asked.recomputation.audit is not None
        most = HANDS_ONE_BY_ONE if is_one_by_one else MOST_HANDS
        cut = stretches.divide(transaction, Stretch(scope=asked.scope), most)
        parts = [
            _part(each, each.rounds, number * _DIFFERENCES, _DIFFERENCES)
            for number, each in enumerate(cut.parts, start=1)
        ]
        return Plan(cut.rounds, parts)

    def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
        """Recompute a range of rounds; the first chunk also reports changed rulesets."""
        # The reason can have been erased since the job was read. While the lock is held, it is not erased.
        lock_texts_shared(transaction, job.id)
        asked = read_options(transaction, jobs.get(transaction, job.id, job.kind))
        part = chunk.part.what
        stretch = _stretch(asked.scope, chunk)
        total = recompute_rounds(transaction, stretch, asked.recomputation)
        rulesets = check_rulesets(transaction, asked.scope.ruleset) if part["place"] == _DIFFERENCES else []
        recomputations.add_findings(transaction, job.id, part["place"], [*rulesets, *total.findings])
        recomputations.add_audited(transaction, job.id, total.audited)
        # Rounds opened after the plan are recomputed too, but not accounted for.
        accounted = min(total.rounds, part["rounds"])
        return Done(accounted, dump_result(total))

    def split(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Sequence[Part]:
        """Split a range into some dozens, and those into single rounds. Rounds opened since are not accounted for."""
        part, asked = chunk.part.what, read_options(transaction, job)
        most = max(1, (chunk.part.size + part["rounds"]) // _SPLIT_INTO)
        stretch = _stretch(asked.scope, chunk)
        cut = stretches.divide(transaction, stretch, most).parts
        if len(cut) <= 1:
            return []
        differences, left, parts = part["differences"] // len(cut), part["rounds"], []
        for number, each in enumerate(cut):
            parts.append(_part(each, min(each.rounds, left), part["place"] + number * differences, differences))
            left -= min(each.rounds, left)
        return parts

    def give_up(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done | None:
        """Record the rounds that were not recomputed; the job has failed."""
        part = chunk.part.what
        detail = f"the rounds from {part['first']} to {part['last']} could not be recomputed; report it"
        lost = Finding(FindingKind.DEAD_LETTERED, "rounds", {"club_id": transaction.club_id}, detail=detail)
        recomputations.add_findings(transaction, job.id, part["place"], [lost])
        return None

    def end(self, transaction: Transaction, job: StoredJob) -> None:
        """Do nothing: a recomputation leaves nothing to delete."""


def _part(each: stretches.Part, rounds: int, place: int, differences: int) -> Part:
    """Return a chunk: its range of rounds, their number, and its range of difference numbers."""
    first, last = str(each.stretch.first), str(each.stretch.upto)
    what = {"first": first, "last": last, "rounds": rounds, "place": place, "differences": differences}
    return Part(each.hands, what)


def _stretch(scope: RoundFilter, chunk: Chunk) -> Stretch:
    return Stretch.between(UUID(chunk.part.what["first"]), UUID(chunk.part.what["last"]), scope)
