"""Imports and recomputations: list them, show their progress and results, pause, resume and cancel them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.fields import Choice
from schemas.jobs.differences import DifferenceView
from schemas.jobs.progress import STATES, JobView
from schemas.jobs.recomputations import AUDIT, RecomputationView
from service.clubs.queries import keys
from service.clubs.scopes import KeyScope
from service.config import Retention
from service.console.views.addresses import read_query
from service.console.views.changes import list_shown_names, send_changes_file, show_recomputation
from service.console.views.exports import Column, wanted_form
from service.console.views.listing import Filter, Listing, Query, read_list, send_list_file, show_list
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import allows, console_state, current_club
from service.db import Transaction
from service.db.pages import Page
from service.errors import NotFound
from service.http.authentication import current_transaction, require_scope
from service.http.services import current_services
from service.imports.actions import imports
from service.imports.actions.imports import LineResult
from service.jobs.actions import cancel_job, pause_job, resume_job
from service.jobs.app import look_after_commit
from service.jobs.queries import jobs
from service.jobs.queries.jobs import ENDED, JobState, StoredJob
from service.proposals.actions.proposals import list_proposals
from service.proposals.queries import ProposalFilter
from service.recomputations.actions import recomputations
from service.recomputations.actions.chunk_results import COUNTED

SCOPES: Final = (KeyScope.READ, KeyScope.IMPORTS, KeyScope.RECOMPUTE)
_MOST_APPLIED: Final = 10
"""The number of recomputations that the page of an audit lists, which applied it."""
KINDS: Final = {imports.KIND: KeyScope.IMPORTS, recomputations.KIND: KeyScope.RECOMPUTE}
"""The kinds of jobs, and the scope that starts and changes them."""


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job of either kind."""

    kind: str
    job: JobView
    parameters: Mapping[str, Any]

    @property
    def unit(self) -> str:
        """What the progress counts."""
        return "lines" if self.kind == imports.KIND else "hands"


def show_value(value: Any) -> str:
    """
    Return a stored or expected value for people: one line for each item of a list of objects.

    >>> show_value({"1": 4, "2": -4}), show_value([6, -6]), show_value(None)
    ('1: 4, 2: −4', '6, −6', '–')
    >>> print(show_value([{"order": 1, "paid": 4}, {"order": 2, "paid": 6}]))
    order 1, paid 4
    order 2, paid 6
    """
    match value:
        case None:
            return "–"
        case dict():
            return ", ".join(f"{name}: {show_value(each)}" for name, each in value.items())
        case [dict(), *_]:
            return "\n".join(", ".join(f"{name} {show_value(part)}" for name, part in each.items()) for each in value)
        case list():
            return ", ".join(map(show_value, value))
    return str(value).replace("-", "−") if isinstance(value, int) else str(value)


def _read_imports(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Page[JobRow]:
    page = imports.list_imports(transaction, state=query["state"], after=after, limit=limit)
    return Page([JobRow(imports.KIND, view, {}) for view in page.items], page.next_after)


def _read_recomputations(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Page[JobRow]:
    page = recomputations.list_recomputations(transaction, state=query["state"], after=after, limit=limit)
    return Page([JobRow(recomputations.KIND, view.job, view.parameters) for view in page.items], page.next_after)


def _count(name: str, heading: str | None = None) -> Column[JobRow]:
    return Column(name, lambda row: row.job.summary[name], heading, style="figure")


_FIRST: Final[Sequence[Column[JobRow]]] = (
    Column("id", lambda row: row.job.id),
    Column("kind", lambda row: row.kind),
    Column("created_at", lambda row: row.job.created_at, "Created", "job_created", is_header=True),
    Column("state", lambda row: row.job.state, "State", "job_state"),
    Column("done", lambda row: row.job.done, "Progress", "job_progress", style="figure"),
    Column("total", lambda row: row.job.total),
)
_LAST: Final[Sequence[Column[JobRow]]] = (
    Column("started_at", lambda row: row.job.started_at),
    Column("ended_at", lambda row: row.job.ended_at, "Ended"),
    Column("failure", lambda row: row.job.failure),
)
_FILTERS: Final = (
    Filter("kind", Choice({kind: kind for kind in KINDS}), "Kind", kind="hidden"),
    Filter(
        "state",
        Choice({state: JobState(state) for state in STATES}),
        "State",
        (("", "All"), *((state, state) for state in STATES)),
    ),
)
JOBS: Final = {
    imports.KIND: Listing[JobRow](
        name="imports",
        title="Jobs",
        label="Imports",
        columns=(
            *_FIRST,
            _count("rounds", "Rounds stored"),
            _count("hands"),
            _count("replayed", "Stored before"),
            _count("refused", "Refused"),
            *_LAST,
        ),
        read=_read_imports,
        count=lambda transaction, query, limit: imports.count_imports(transaction, query["state"], limit),
        none="The club has no import yet.",
        rows=("import", "imports"),
        no_match="No import matches.",
        filters=_FILTERS,
    ),
    recomputations.KIND: Listing[JobRow](
        name="recomputations",
        title="Jobs",
        label="Recomputations",
        columns=(
            *_FIRST,
            Column("reason", lambda row: row.parameters["reason"], "Reason", empty="erased"),
            Column("mode", lambda row: row.parameters["mode"], "Mode"),
            _count("rounds", "Rounds"),
            _count("hands"),
            _count("differing", "Differing"),
            *(_count(name) for name in COUNTED if name not in ("rounds", "hands", "differing")),
            *_LAST,
        ),
        read=_read_recomputations,
        count=lambda transaction, query, limit: recomputations.count_recomputations(transaction, query["state"], limit),
        none="The club has no recomputation yet.",
        rows=("recomputation", "recomputations"),
        no_match="No recomputation matches.",
        filters=_FILTERS,
    ),
}
LINES: Final = Listing[LineResult](
    name="import-{job_id}",
    title="Lines",
    label="Results of lines",
    columns=(
        Column("line", lambda each: each.line, "Line", style="figures-start", is_header=True),
        Column("status", lambda each: each.status, "Result", "line_status"),
        Column("round", lambda each: each.round_id),
        Column("problem", lambda each: each.problem and each.problem["detail"], "Round or reason", "line_result"),
    ),
    read=lambda transaction, query, after, limit: imports.list_line_results(
        transaction, query["job_id"], status=query["status"], after=after, limit=limit
    ),
    count=lambda transaction, query, limit: imports.count_line_results(
        transaction, query["job_id"], query["status"], limit
    ),
    none="No line has a result yet.",
    rows=("line", "lines"),
    no_match="No line has this result.",
    filters=(Filter("status", Choice({status: status for status in ("stored", "replayed", "refused")})),),
    is_stacked=False,
)
DIFFERENCES: Final = Listing[DifferenceView](
    name="recomputation-{job_id}",
    title="Differences",
    label="List of differences",
    columns=(
        Column("round", lambda each: each.round, "Round", "difference_round", is_header=True),
        Column("hand", lambda each: each.hand, "Hand", "difference_hand"),
        Column("kind", lambda each: each.kind),
        Column("column", lambda each: each.column, "Value", "difference_value"),
        Column("stored", lambda each: each.stored, "Stored", "difference_stored", style="wide"),
        Column("expected", lambda each: each.expected, "Expected", "difference_expected", style="wide"),
        Column("detail", lambda each: each.detail, "Explanation"),
    ),
    read=lambda transaction, query, after, limit: recomputations.list_differences(
        transaction, query["job_id"], after=after, limit=limit
    ),
    count=lambda transaction, query, limit: recomputations.count_differences(transaction, query["job_id"], limit),
    none="No difference was found.",
    rows=("difference", "differences"),
)


@console.get("/jobs")
@console_page(*SCOPES)
def list_jobs() -> str | Response:
    """Render the imports or the recomputations of the club, newest first, or send them as a file."""
    kind = read_query(JOBS[imports.KIND].query)["kind"] or next(each for each in KINDS if _can_read(each))
    require_scope(KeyScope.READ, KINDS[kind])
    readable = [each for each in KINDS if _can_read(each)]
    kinds = [(JOBS[each].label, url_for("console.list_jobs", kind=each), each == kind) for each in readable]
    return show_list(JOBS[kind], "jobs.html", kind=kind, kinds=kinds)


def _can_read(kind: str) -> bool:
    return allows(KeyScope.READ, KINDS[kind])


@console.get("/jobs/<uuid:job_id>")
@console_page(*SCOPES)
def show_job(job_id: UUID) -> str | Response:
    """Render a job with its progress, and its results or differences, or send these as a file."""
    transaction = current_transaction()
    stored = _get(transaction, job_id)
    require_scope(KeyScope.READ, KINDS[stored.kind])
    console_state().page_path = url_for("console.show_job", job_id=job_id)
    return _show_import(stored) if stored.kind == imports.KIND else _show_recomputation(stored)


def _show_import(stored: StoredJob) -> str | Response:
    transaction = current_transaction()
    missing = None
    try:
        retention: Retention = current_services().config.retention
        imports.check_results_remain(transaction, stored, retention)
    except NotFound as error:
        if wanted_form():
            raise
        missing = str(error)
    file = send_list_file(LINES, job_id=stored.id)
    if file is not None:
        return file
    shown = None if missing else read_list(LINES, job_id=stored.id)
    return _render_job(stored, imports.view_import(transaction, stored), shown=shown, missing=missing)


def _show_recomputation(stored: StoredJob) -> str | Response:
    transaction = current_transaction()
    view: RecomputationView = recomputations.view_recomputation(transaction, stored)
    file = send_changes_file(f"recomputation-{stored.id}", view)
    if file is None:
        file = send_list_file(DIFFERENCES, job_id=stored.id)
    if file is not None:
        return file
    changes = show_recomputation(view)
    is_audit = stored.parameters["mode"] == AUDIT
    return _render_job(
        stored,
        view.job,
        shown=read_list(DIFFERENCES, job_id=stored.id),
        changes=changes,
        display_names=list_shown_names(changes),
        is_audit=is_audit,
        can_apply=is_audit and stored.state is JobState.SUCCEEDED and allows(KeyScope.RECOMPUTE),
        applied=recomputations.list_applied(transaction, stored.id, limit=_MOST_APPLIED),
        proposed=list_proposals(transaction, ProposalFilter(audit_id=stored.id), after=None, limit=_MOST_APPLIED).items,
        needs_second=current_club().second_auditor,
    )


def _render_job(stored: StoredJob, view: JobView, **values: Any) -> str:
    return render(
        f"{stored.kind}.html",
        row=JobRow(stored.kind, view, stored.parameters),
        show_value=show_value,
        is_running=stored.state not in (*ENDED, JobState.PAUSED),
        can_change=allows(KINDS[stored.kind]) and stored.state not in (*ENDED, JobState.CANCELLING),
        by=stored.actor and keys.list_names(current_transaction(), [stored.actor]).get(stored.actor),
        **values,
    )


def _get(transaction: Transaction, job_id: UUID) -> StoredJob:
    """
    Read a job of either kind.

    Raises:
        NotFound: the club does not have the job, or its input is still being received.
    """
    stored = jobs.get(transaction, job_id)
    if stored.kind not in KINDS or stored.state is JobState.RECEIVING or not stored.parameters:
        raise NotFound(f"there is no job {job_id}")
    return stored


@console.post("/jobs/<uuid:job_id>/pause")
@console_form(*SCOPES, show_again=show_job)
def pause(job_id: UUID) -> BaseResponse:
    """Pause a job until it is resumed."""
    pause_job(current_transaction(), job_id, _kind_to_change(job_id))
    return show_changed_job(job_id)


@console.post("/jobs/<uuid:job_id>/resume")
@console_form(*SCOPES, show_again=show_job)
def resume(job_id: UUID) -> BaseResponse:
    """Resume a paused job."""
    resume_job(current_transaction(), job_id, _kind_to_change(job_id))
    return show_changed_job(job_id)


@console.get("/jobs/<uuid:job_id>/cancel")
@console_page(KeyScope.IMPORTS, KeyScope.RECOMPUTE)
def confirm_cancel(job_id: UUID) -> str:
    """Render the page that asks whether to cancel a job."""
    return render("cancel_job.html", job_id=job_id, kind=_kind_to_change(job_id))


@console.post("/jobs/<uuid:job_id>/cancel")
@console_form(*SCOPES, show_again=show_job)
def cancel(job_id: UUID) -> BaseResponse:
    """Cancel a job. What it has stored stays."""
    cancel_job(current_transaction(), job_id, _kind_to_change(job_id))
    return show_changed_job(job_id)


def _kind_to_change(job_id: UUID) -> str:
    """
    Return the kind of a job that the key of the session can change.

    Raises:
        NotFound: the club does not have the job.
        ScopeMissing: the key lacks the scope.
    """
    kind = _get(current_transaction(), job_id).kind
    require_scope(KINDS[kind])
    return kind


def show_changed_job(job_id: UUID) -> BaseResponse:
    """Have a worker look at a job after the commit, and redirect to the job."""
    look_after_commit(current_transaction(), job_id, current_services().send)
    return redirect(url_for("console.show_job", job_id=job_id), HTTPStatus.SEE_OTHER)
