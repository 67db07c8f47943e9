"""Start and read recomputations, and list the differences that they found."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.base import WireError
from schemas.fields import show_time
from schemas.jobs import DifferenceView, JobView, RecomputationRequest, RecomputationView, ScopeRequest
from scoring.errors import Mistake
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import NotFound
from service.jobs.queries import jobs
from service.jobs.queries.jobs import JobState, Progress, StoredJob
from service.recomputations import queries as recomputations
from service.recomputations.actions.recompute import Recomputation
from service.replays.in_bulk import RoundsDigest
from service.rounds.queries.records import list_versions
from service.rounds.queries.round_filter import RoundFilter
from service.rulesets.actions import find_ruleset, ruleset_named, store_ruleset
from service.tables import queries as tables

KIND: Final = "recomputation"
COUNTED: Final = ("rounds", "hands", "differing", "applied", "skipped")
APPLY: Final = "apply"


@dataclass(frozen=True, slots=True)
class RecomputationOptions:
    """The request of a recomputation: its rounds, and what to do with them."""

    scope: RoundFilter
    recomputation: Recomputation


def read_options(transaction: Transaction, job: StoredJob) -> RecomputationOptions:
    """Parse the request that `start_recomputation` stored with the job."""
    asked, scope = job.parameters, job.parameters["scope"]
    ruleset = None if asked["ruleset"] is None else _stored(transaction, asked["ruleset"])
    return RecomputationOptions(
        RoundFilter(
            table_id=scope["table"] and UUID(scope["table"]),
            round_ids=None if scope["rounds"] is None else tuple(map(UUID, scope["rounds"])),
            ruleset=scope["ruleset"],
            opened_from=scope["from"] and datetime.fromisoformat(scope["from"]),
            opened_before=scope["to"] and datetime.fromisoformat(scope["to"]),
        ),
        Recomputation(job.id, ruleset, asked["mode"] == APPLY, asked["reason"], asked.get("final", False)),
    )


def view_recomputation(transaction: Transaction, job: StoredJob) -> RecomputationView:
    """Sum the results of a recomputation so far."""
    return _view_job(job, jobs.get_progress(transaction, job.id))


def _view_job(job: StoredJob, progress: Progress) -> RecomputationView:
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
        job.id,
        job.state.value,
        progress.done,
        job.total,
        summary,
        job.created_at,
        job.started_at,
        job.ended_at,
        job.failure,
    )
    return RecomputationView(view, job.parameters)


def _stored(transaction: Transaction, reference: str) -> Ruleset:
    ruleset = find_ruleset(transaction, reference)
    assert ruleset is not None, "rulesets are never removed"
    return ruleset


def get_recomputation(transaction: Transaction, recomputation_id: UUID) -> RecomputationView:
    """
    Return a recomputation with its progress and results so far.

    Raises:
        NotFound: the recomputation does not exist.
    """
    return view_recomputation(transaction, jobs.get(transaction, recomputation_id, KIND))


def list_recomputations(
    transaction: Transaction, *, state: JobState | None = None, after: UUID | None, limit: int
) -> Page[RecomputationView]:
    """List the club's recomputations with their progress and results so far, newest first."""
    page = jobs.list_page(transaction, KIND, state, after=after, limit=limit + 1)
    return cut_page(page, limit, lambda listed: _view_job(listed.job, listed.progress))


def start_recomputation(transaction: Transaction, request: RecomputationRequest) -> RecomputationView:
    """
    Queue a recomputation of stored rounds.

    Raises:
        WireError: the table or a round does not exist.
        RulesetUnknown: the ruleset does not exist.
    """
    scope = request.scope
    unknown = tuple(_find_unknown(transaction, scope))
    if unknown:
        raise WireError(unknown)
    of_scope = None if scope.ruleset is None else ruleset_named(transaction, scope.ruleset, "scope", "ruleset")
    other = None if request.ruleset is None else ruleset_named(transaction, request.ruleset)
    if other is not None and request.mode == APPLY:
        store_ruleset(transaction, other)
    asked: dict[str, Any] = {
        "scope": {
            "table": scope.table and str(scope.table),
            "rounds": None if scope.rounds is None else [str(round_id) for round_id in scope.rounds],
            "ruleset": of_scope and str(of_scope),
            "from": show_time(scope.opened_from),
            "to": show_time(scope.opened_before),
        },
        "mode": request.mode,
        "ruleset": other and str(other),
        "reason": request.reason,
        "final": request.final,
    }
    job = jobs.add(transaction, uuid7(), KIND, asked)
    return view_recomputation(transaction, job)


def _find_unknown(transaction: Transaction, scope: ScopeRequest) -> Iterator[Mistake]:
    if scope.table is not None:
        try:
            tables.get(transaction, scope.table)
        except NotFound as error:
            yield Mistake("table-unknown", ("scope", "table"), str(error))
    known = list_versions(transaction, scope.rounds) if scope.rounds else {}
    for index, round_id in enumerate(scope.rounds or ()):
        if round_id not in known:
            yield Mistake("round-unknown", ("scope", "rounds", index), f"there is no round {round_id}")


_AT_A_TIME: Final = 1000


def list_differences(
    transaction: Transaction, recomputation_id: UUID, *, after: UUID | None, limit: int
) -> Page[DifferenceView]:
    """
    List the differences found so far, in the order of rounds.

    Raises:
        NotFound: the recomputation does not exist.
    """
    job = jobs.get(transaction, recomputation_id, KIND)
    return cut_page(_list(transaction, job.id, after, limit + 1), limit, lambda view: view)


def read_differences(
    read: Callable[[], AbstractContextManager[Transaction]], recomputation_id: UUID, *, after: UUID | None
) -> Iterator[DifferenceView]:
    """Yield all differences found so far, read in parts so that slow clients keep no transaction open."""
    while True:
        with read() as transaction:
            listed = _list(transaction, recomputation_id, after, _AT_A_TIME)
        yield from listed
        if len(listed) < _AT_A_TIME:
            return
        after = listed[-1].id


def _list(transaction: Transaction, job_id: UUID, after: UUID | None, limit: int) -> list[DifferenceView]:
    number = None if after is None else min(after.int, 2**63 - 1)
    return recomputations.list_findings(transaction, job_id, after=number, limit=limit)
