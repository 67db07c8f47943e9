"""Start and read recomputations, and list the differences that they found."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.base import WireError
from schemas.fields import show_time
from schemas.jobs.differences import DifferenceView
from schemas.jobs.progress import JobView
from schemas.jobs.recomputations import APPLY, AUDIT, RecomputationRequest, RecomputationView, ScopeRequest
from scoring.errors import Mistake
from scoring.ruleset import Ruleset
from service.clubs.actions import refuse_single_auditor
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import NotFound
from service.jobs.queries import jobs
from service.jobs.queries.jobs import JobState, Progress, StoredJob
from service.players.queries.aliases import Aliases, read_aliases
from service.recomputations import queries as recomputations
from service.recomputations.actions.chunk_results import COUNTED, sum_results
from service.recomputations.actions.recompute import Recomputation
from service.rounds.queries.records import list_versions
from service.rounds.queries.round_filter import RoundFilter
from service.rulesets.actions import find_ruleset, ruleset_named, store_ruleset
from service.tables import queries as tables

KIND: Final = "recomputation"


@dataclass(frozen=True, slots=True)
class RecomputationOptions:
    """The request of a recomputation: its rounds, and what to do with them."""

    scope: RoundFilter
    recomputation: Recomputation


def read_options(transaction: Transaction, job: StoredJob) -> RecomputationOptions:
    """Parse the request that `start_recomputation` stored with the job."""
    asked = job.parameters
    ruleset = None if asked["ruleset"] is None else _stored(transaction, asked["ruleset"])
    audit = None if asked.get("audit") is None else UUID(asked["audit"])
    applies = asked["mode"] == APPLY
    recomputation = Recomputation(job.id, ruleset, applies, asked["reason"], asked.get("final", False), audit)
    # A round that has left the scope since the audit is to be skipped with a reason.
    scope = _read_scope(asked["scope"]) if audit is None else RoundFilter(audit=audit)
    return RecomputationOptions(scope, recomputation)


def _read_scope(scope: Mapping[str, Any]) -> RoundFilter:
    return RoundFilter(
        table_id=scope["table"] and UUID(scope["table"]),
        round_ids=None if scope["rounds"] is None else tuple(map(UUID, scope["rounds"])),
        ruleset=scope["ruleset"],
        opened_from=scope["from"] and datetime.fromisoformat(scope["from"]),
        opened_before=scope["to"] and datetime.fromisoformat(scope["to"]),
    )


def view_recomputation(transaction: Transaction, job: StoredJob) -> RecomputationView:
    """Sum the results of a recomputation so far, by player."""
    return _view_job(job, jobs.get_progress(transaction, job.id), read_aliases(transaction))


def _view_job(job: StoredJob, progress: Progress, aliases: Aliases) -> RecomputationView:
    total = sum_results(progress.results)
    summary = {
        **{name: total.counted[name] for name in COUNTED},
        "tables": len(total.tables),
        "digest": total.digest.hex(),
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
    by_player = (each.by(aliases.player_of) for each in (total.provisional, total.final))
    return RecomputationView(view, job.parameters, *by_player)


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
    aliases = read_aliases(transaction)
    return cut_page(page, limit, lambda listed: _view_job(listed.job, listed.progress, aliases))


def count_recomputations(transaction: Transaction, state: JobState | None, limit: int) -> int:
    """Count the club's recomputations, up to a limit."""
    return jobs.count(transaction, KIND, state, limit)


def list_applied(transaction: Transaction, audit_id: UUID, *, limit: int) -> list[StoredJob]:
    """List the recomputations that applied an audit, newest first."""
    return jobs.list_with_parameter(transaction, KIND, "audit", str(audit_id), limit=limit)


def start_recomputation(transaction: Transaction, request: RecomputationRequest) -> RecomputationView:
    """
    Queue a recomputation of stored rounds, or one that applies an audit.

    Raises:
        WireError: the table, a round or the audit does not exist, or the audit has not succeeded.
        RulesetUnknown: the ruleset does not exist.
        SecondAuditorRequired: it would change final settlements, and the club requires a second auditor.
    """
    if request.final and request.mode == APPLY:
        refuse_single_auditor(
            transaction,
            "propose that an audit is applied with `POST /v1/recomputations/{recomputation_id}/proposals`, or apply it"
            " without `final`",
        )
    return queue_recomputation(transaction, request)


def queue_recomputation(transaction: Transaction, request: RecomputationRequest) -> RecomputationView:
    """
    Queue a recomputation, as `start_recomputation`, without or after the confirmation of a second auditor.

    Raises:
        WireError: the table, a round or the audit does not exist, or the audit has not succeeded.
        RulesetUnknown: the ruleset does not exist.
    """
    if request.audit is not None:
        asked = _ask_for_audited(transaction, request.audit)
    else:
        assert request.scope is not None, "a request without an audit has a scope"
        asked = _ask_for_scope(transaction, request.scope, request.ruleset)
    asked |= {
        "mode": request.mode,
        "reason": request.reason,
        "final": request.final,
        "audit": request.audit and str(request.audit),
    }
    if asked["ruleset"] is not None and request.mode == APPLY:
        store_ruleset(transaction, _stored(transaction, asked["ruleset"]))
    job = jobs.add(transaction, uuid7(), KIND, asked)
    return view_recomputation(transaction, job)


def _ask_for_scope(transaction: Transaction, scope: ScopeRequest, ruleset: str | None) -> dict[str, Any]:
    """Return the rounds and the ruleset of a request as they are stored with the job."""
    unknown = tuple(_find_unknown(transaction, scope))
    if unknown:
        raise WireError(unknown)
    of_scope = None if scope.ruleset is None else ruleset_named(transaction, scope.ruleset, "scope", "ruleset")
    other = None if ruleset is None else ruleset_named(transaction, ruleset)
    return {
        "scope": {
            "table": scope.table and str(scope.table),
            "rounds": None if scope.rounds is None else [str(round_id) for round_id in scope.rounds],
            "ruleset": of_scope and str(of_scope),
            "from": show_time(scope.opened_from),
            "to": show_time(scope.opened_before),
        },
        "ruleset": other and str(other),
    }


def _ask_for_audited(transaction: Transaction, audit_id: UUID) -> dict[str, Any]:
    """Return the rounds and the ruleset of an audit that has succeeded."""
    parameters = get_audit(transaction, audit_id).parameters
    return {name: parameters[name] for name in ("scope", "ruleset")}


def get_audit(transaction: Transaction, audit_id: UUID) -> StoredJob:
    """
    Return an audit that has succeeded.

    Raises:
        WireError: it does not exist, is no audit, or has not succeeded.
    """
    audit = jobs.find(transaction, audit_id)
    if audit is None or audit.kind != KIND:
        raise WireError((Mistake("audit-unknown", ("audit",), f"there is no recomputation {audit_id}"),))
    if audit.parameters["mode"] != AUDIT:
        detail = f"recomputation {audit_id} has stored new revisions itself; expected an audit"
        raise WireError((Mistake("not-an-audit", ("audit",), detail),))
    if audit.state is not JobState.SUCCEEDED:
        detail = f"recomputation {audit_id} is {audit.state.value}; expected an audit that has succeeded"
        raise WireError((Mistake("audit-unfinished", ("audit",), detail),))
    return audit


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


def count_differences(transaction: Transaction, recomputation_id: UUID, limit: int) -> int:
    """Count the differences found so far, up to a limit."""
    return recomputations.count_findings(transaction, recomputation_id, limit)


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
