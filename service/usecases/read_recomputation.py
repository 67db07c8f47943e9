"""A recomputation as its job keeps it: what was asked for, and what it came to."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from schemas.jobs import JobView
from schemas.recomputations import RecomputationView
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.repository import jobs
from service.repository.jobs import StoredJob
from service.repository.packed.queries import Scope
from service.usecases.digest_rounds import RoundsDigest
from service.usecases.find_ruleset import find_ruleset
from service.usecases.recompute_rounds import Recomputation

KIND: Final = "recomputation"
COUNTED: Final = ("rounds", "hands", "differing", "applied", "skipped")
APPLY: Final = "apply"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a recomputation is to do, and with which rounds."""

    scope: Scope
    recomputation: Recomputation


def read_asked(transaction: Transaction, job: StoredJob) -> Asked:
    """Read what was asked for, as `start_recomputation` has written it."""
    asked, scope = job.asked, job.asked["scope"]
    ruleset = None if asked["ruleset"] is None else _stored(transaction, asked["ruleset"])
    name, _, version = (scope["ruleset"] or "").partition("@")
    return Asked(
        Scope(
            table_id=scope["table"] and UUID(scope["table"]),
            round_ids=None if scope["rounds"] is None else tuple(map(UUID, scope["rounds"])),
            ruleset=(name, int(version)) if name else None,
            opened_from=scope["from"] and datetime.fromisoformat(scope["from"]),
            opened_before=scope["to"] and datetime.fromisoformat(scope["to"]),
        ),
        Recomputation(job.id, ruleset, asked["mode"] == APPLY, asked["reason"], asked.get("final", False)),
    )


def view_recomputation(transaction: Transaction, job: StoredJob) -> RecomputationView:
    """Add up what a recomputation came to so far."""
    progress = jobs.get_progress(transaction, job.id)
    counted: Counter[str] = Counter()
    moved: Counter[str] = Counter()
    digest = RoundsDigest()
    for result in progress.results:
        counted.update({name: result[name] for name in COUNTED})
        moved.update(result["net_moved"])
        digest.add_all(result["digest"])
    summary = {
        **{name: counted[name] for name in COUNTED},
        "net_moved": {player: points for player, points in sorted(moved.items()) if points},
        "digest": digest.hex(),
    }
    view = JobView(
        job.id, job.state.value, progress.done, job.total, summary, job.created_at, job.started_at, job.ended_at
    )
    return RecomputationView(view, job.asked)


def _stored(transaction: Transaction, reference: str) -> Ruleset:
    ruleset = find_ruleset(transaction, reference)
    assert ruleset is not None, "rulesets are never removed"
    return ruleset
