from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from service.database import Transaction
from service.repository import recomputations
from service.repository.chunks import Chunk, Part
from service.repository.jobs import StoredJob
from service.repository.packed.queries import Stretch
from service.repository.recomputations import Difference
from service.usecases.read_recomputation import read_asked
from service.usecases.recompute_rounds import check_rulesets, recompute_rounds

MOST_HANDS: Final = 20_000
"""So many are played at once, in half a second or so, and need some 60 MB."""
_HANDS_BY_OTHER_RULES: Final = 4_000
"""Under other rules most rounds differ, and are played one by one."""


class RecomputationKind:
    """The kind `recomputation`: a chunk is a stretch of rounds."""

    def plan(self, transaction: Transaction, job: StoredJob) -> Iterator[Part]:
        """Make a chunk of every stretch; progress counts hands."""
        asked = read_asked(transaction, job)
        most = _HANDS_BY_OTHER_RULES if asked.recomputation.ruleset else MOST_HANDS
        for stretch, hands in recomputations.cut_stretches(transaction, asked.scope, most):
            yield Part(hands, {"first": str(stretch.first), "last": str(stretch.last)})

    def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Mapping[str, Any]:
        """Recompute a stretch; the first says which rulesets are not as they were added, too."""
        asked = read_asked(transaction, job)
        part = chunk.part.what
        stretch = Stretch(asked.scope, UUID(part["first"]), UUID(part["last"]))
        found = recompute_rounds(transaction, stretch, asked.recomputation)
        rulesets = check_rulesets(transaction, asked.scope.ruleset) if chunk.number == 1 else []
        recomputations.add_differences(transaction, job.id, chunk.number, [*rulesets, *found.differences])
        return {
            "rounds": found.rounds,
            "hands": found.hands,
            "differing": found.differing,
            "applied": found.applied,
            "skipped": found.skipped,
            "net_moved": found.moved,
            "digest": found.digest.hex(),
        }

    def set_aside(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> None:
        """Say which rounds were not recomputed."""
        part = chunk.part.what
        detail = f"the rounds from {part['first']} to {part['last']} could not be recomputed; report it"
        recomputations.add_differences(
            transaction, job.id, chunk.number, [Difference(None, None, "set-aside", detail=detail)]
        )

    def end(self, transaction: Transaction, job: StoredJob) -> None:
        """Nothing is to be put away."""
