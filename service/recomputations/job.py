from collections.abc import Sequence
from typing import ClassVar, Final
from uuid import UUID

from service.db import Transaction
from service.jobs.queries.chunks import Chunk, Done, Part, Plan
from service.jobs.queries.jobs import StoredJob
from service.recomputations import queries as recomputations
from service.recomputations.actions.recomputations import read_asked
from service.recomputations.actions.recompute import check_rulesets, recompute_rounds
from service.recomputations.packed.queries import Scope, Stretch
from service.recomputations.queries import Difference, SizedStretch

MOST_HANDS: Final = 20_000
"""So many are played at once, in half a second or so, and need some 60 MB."""
_HANDS_BY_OTHER_RULES: Final = 4_000
"""Under other rules most rounds differ, and are played one by one."""
_SPLIT_INTO: Final = 64
_DIFFERENCES: Final = 1 << 32
"""So many differences have a place in a stretch before the next one begins; their numbers rise with the rounds."""


class RecomputationKind:
    """The kind `recomputation`: a chunk is a stretch of rounds."""

    unit: ClassVar[str] = "rounds"

    def plan(self, transaction: Transaction, job: StoredJob) -> Plan:
        """Make a chunk of every stretch; progress counts hands, and rounds are what is accounted for."""
        asked = read_asked(transaction, job)
        most = _HANDS_BY_OTHER_RULES if asked.recomputation.ruleset else MOST_HANDS
        cut = recomputations.cut_stretches(transaction, asked.scope, most)
        parts = [
            _part(each, each.rounds, number * _DIFFERENCES, _DIFFERENCES)
            for number, each in enumerate(cut.stretches, start=1)
        ]
        return Plan(cut.rounds, parts)

    def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
        """Recompute a stretch; the first says which rulesets are not as they were added, too."""
        asked = read_asked(transaction, job)
        part = chunk.part.what
        stretch = _stretch(asked.scope, chunk)
        found = recompute_rounds(transaction, stretch, asked.recomputation)
        rulesets = check_rulesets(transaction, asked.scope.ruleset) if part["place"] == _DIFFERENCES else []
        recomputations.add_differences(transaction, job.id, part["place"], [*rulesets, *found.differences])
        # A round that was opened since is looked at too, and stands for none of those that were there.
        accounted = min(found.rounds, part["rounds"])
        result = {
            "rounds": found.rounds,
            "hands": found.hands,
            "differing": found.differing,
            "applied": found.applied,
            "skipped": found.skipped,
            "net_moved": found.moved,
            "digest": found.digest.hex(),
        }
        return Done(accounted, result)

    def split(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Sequence[Part]:
        """Cut a stretch into some dozens, and those into single rounds. Rounds opened since count for none."""
        part, asked = chunk.part.what, read_asked(transaction, job)
        most = max(1, (chunk.part.size + part["rounds"]) // _SPLIT_INTO)
        stretch = _stretch(asked.scope, chunk)
        cut = recomputations.cut_stretches(transaction, asked.scope, most, (stretch.first, stretch.last)).stretches
        if len(cut) <= 1:
            return []
        differences, left, parts = part["differences"] // len(cut), part["rounds"], []
        for number, each in enumerate(cut):
            parts.append(_part(each, min(each.rounds, left), part["place"] + number * differences, differences))
            left -= min(each.rounds, left)
        return parts

    def give_up(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done | None:
        """Say which rounds were not recomputed; the job has failed."""
        part = chunk.part.what
        detail = f"the rounds from {part['first']} to {part['last']} could not be recomputed; report it"
        recomputations.add_differences(
            transaction, job.id, part["place"], [Difference(None, None, "set-aside", detail=detail)]
        )
        return None

    def end(self, transaction: Transaction, job: StoredJob) -> None:
        """Nothing is to be put away."""


def _part(each: SizedStretch, rounds: int, place: int, differences: int) -> Part:
    """Describe a chunk: its rounds, how many of them were there, and the place of its differences in the list."""
    first, last = str(each.stretch.first), str(each.stretch.last)
    what = {"first": first, "last": last, "rounds": rounds, "place": place, "differences": differences}
    return Part(each.hands, what)


def _stretch(scope: Scope, chunk: Chunk) -> Stretch:
    return Stretch(scope, UUID(chunk.part.what["first"]), UUID(chunk.part.what["last"]))
