"""Imports and recomputations: list them, show their progress and results, pause, resume and cancel them."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.fields import Choice, show_time
from schemas.jobs import STATES, DifferenceView, JobView, RecomputationView
from schemas.pages import PageQuerySchema, show_cursor
from service.clubs.queries import keys
from service.clubs.scopes import KeyScope
from service.config import Retention
from service.console.views.addresses import read_query
from service.console.views.exports import Column, read_all, send_list, wanted_form
from service.console.views.pages import PAGE_SIZE, console, console_form, console_page, render
from service.console.views.session import PageForbidden, allows, console_state
from service.db import Transaction
from service.db.pages import Page
from service.errors import NotFound
from service.http.authentication import current_transaction
from service.http.services import current_services
from service.imports.actions import imports
from service.imports.actions.imports import LineResult
from service.jobs.actions import cancel_job, pause_job, resume_job
from service.jobs.app import look_after_commit
from service.jobs.queries import jobs
from service.jobs.queries.jobs import ENDED, JobState, StoredJob
from service.recomputations.actions import recomputations

SCOPES: Final = (KeyScope.READ, KeyScope.IMPORTS, KeyScope.RECOMPUTE)
MOST_MOVED: Final = 200
"""The number of players whose points are shown: the largest gains and the largest losses, half of each."""
KINDS: Final = {imports.KIND: KeyScope.IMPORTS, recomputations.KIND: KeyScope.RECOMPUTE}
"""The kinds of jobs, and the scope that starts and changes them."""
_FILE_PAGE: Final = 500


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


class JobsQuerySchema(PageQuerySchema):
    """The filter of jobs."""

    kind = Choice({kind: kind for kind in KINDS})
    state = Choice({state: state for state in STATES})


class ResultsQuerySchema(PageQuerySchema):
    """The filter of the results of a job."""

    status = Choice({status: status for status in ("stored", "replayed", "refused")})
    part = Choice({"points": "points"})


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


_QUERY: Final = JobsQuerySchema()
_RESULTS: Final = ResultsQuerySchema()
_OF_ALL: Final[tuple[Column[JobRow], ...]] = (
    Column("id", lambda row: str(row.job.id)),
    Column("kind", lambda row: row.kind),
    Column("state", lambda row: row.job.state),
    Column("done", lambda row: row.job.done),
    Column("total", lambda row: row.job.total),
    Column("created_at", lambda row: show_time(row.job.created_at)),
    Column("started_at", lambda row: show_time(row.job.started_at)),
    Column("ended_at", lambda row: show_time(row.job.ended_at)),
    Column("failure", lambda row: row.job.failure),
)
_LINES: Final[tuple[Column[LineResult], ...]] = (
    Column("line", lambda each: each.line),
    Column("status", lambda each: each.status),
    Column("round", lambda each: each.round_id),
    Column("problem", lambda each: each.problem and each.problem["detail"]),
)
_DIFFERENCES: Final[tuple[Column[DifferenceView], ...]] = (
    Column("round", lambda each: each.round and str(each.round)),
    Column("hand", lambda each: each.hand),
    Column("kind", lambda each: each.kind),
    Column("column", lambda each: each.column),
    Column("stored", lambda each: each.stored),
    Column("expected", lambda each: each.expected),
    Column("detail", lambda each: each.detail),
)
_MOVED: Final[tuple[Column[tuple[str, int]], ...]] = (
    Column("player", lambda moved: moved[0]),
    Column("points", lambda moved: moved[1]),
)


@console.get("/jobs")
@console_page(*SCOPES)
def list_jobs() -> str | Response:
    """Render the imports or the recomputations of the club, newest first, or send them as a file."""
    query = read_query(_QUERY)
    kind = query["kind"] or next(each for each in KINDS if _can_read(each))
    if not _can_read(kind):
        raise PageForbidden(f"The list of {kind}s needs a key with the scope 'read' or {KINDS[kind].value!r}.")
    state = query["state"] and JobState(query["state"])
    if form := wanted_form():
        counted: list[Column[JobRow]] = [
            Column(name, lambda row, name=name: row.job.summary[name])  # type: ignore[misc]  # mypy has no type for `name`
            for name in (imports.COUNTED if kind == imports.KIND else recomputations.COUNTED)
        ]
        rows = read_all(lambda transaction, after: _list(transaction, kind, state, after, _FILE_PAGE))
        return send_list(f"{kind}s", form, [*_OF_ALL, *counted], rows)
    page = _list(current_transaction(), kind, state, query["cursor"], PAGE_SIZE)
    return render(
        "jobs.html",
        rows=page.items,
        kind=kind,
        kinds=[each for each in KINDS if _can_read(each)],
        states=[("", "All"), *((each, each) for each in STATES)],
        next_cursor=page.next_after and show_cursor(page.next_after),
    )


def _can_read(kind: str) -> bool:
    return allows(KeyScope.READ, KINDS[kind])


def _list(transaction: Transaction, kind: str, state: JobState | None, after: UUID | None, limit: int) -> Page[JobRow]:
    if kind == imports.KIND:
        found = imports.list_imports(transaction, state=state, after=after, limit=limit)
        return Page([JobRow(kind, view, {}) for view in found.items], found.next_after)
    listed = recomputations.list_recomputations(transaction, state=state, after=after, limit=limit)
    return Page([JobRow(kind, view.job, view.parameters) for view in listed.items], listed.next_after)


@console.get("/jobs/<uuid:job_id>")
@console_page(*SCOPES)
def show_job(job_id: UUID) -> str | Response:
    """Render a job with its progress, and its results or differences, or send these as a file."""
    transaction = current_transaction()
    stored = _get(transaction, job_id)
    if not _can_read(stored.kind):
        raise PageForbidden(f"This page needs a key with the scope 'read' or {KINDS[stored.kind].value!r}.")
    console_state().page_path = url_for("console.show_job", job_id=job_id)
    query = read_query(_RESULTS)
    status, after, form = query["status"], query["cursor"], wanted_form()
    found: Page[Any]
    moved: list[tuple[str, int]] = []
    missing = None
    if stored.kind == imports.KIND:
        view = imports.view_import(transaction, stored)
        try:
            retention: Retention = current_services().config.retention
            imports.check_results_remain(transaction, stored, retention)
        except NotFound as error:
            if form:
                raise
            missing = str(error)
        if form:
            rows = read_all(lambda reading, last: _list_lines(reading, job_id, status, last, _FILE_PAGE))
            return send_list(f"import-{job_id}", form, _LINES, rows)
        found = Page([], None) if missing else _list_lines(transaction, job_id, status, after, PAGE_SIZE)
    else:
        recomputed: RecomputationView = recomputations.view_recomputation(transaction, stored)
        view = recomputed.job
        moved = sorted(view.summary["net_moved"].items(), key=lambda each: (-each[1], each[0]))
        if form and query["part"] == "points":
            return send_list(f"recomputation-{job_id}-points", form, _MOVED, moved)
        if form:
            differing = read_all(lambda reading, last: _list_differences(reading, job_id, last, _FILE_PAGE))
            return send_list(f"recomputation-{job_id}", form, _DIFFERENCES, differing)
        found = _list_differences(transaction, job_id, after, PAGE_SIZE)
    return render(
        f"{stored.kind}.html",
        row=JobRow(stored.kind, view, stored.parameters),
        found=found.items,
        moved=moved if len(moved) <= MOST_MOVED else moved[: MOST_MOVED // 2] + moved[-MOST_MOVED // 2 :],
        players_moved=len(moved),
        missing=missing,
        next_cursor=found.next_after and show_cursor(found.next_after),
        status=status or "",
        show_value=show_value,
        is_running=stored.state not in (*ENDED, JobState.PAUSED),
        can_change=allows(KINDS[stored.kind]) and stored.state not in (*ENDED, JobState.CANCELLING),
        by=stored.actor and keys.list_names(transaction, [stored.actor]).get(stored.actor),
        address=request.full_path.rstrip("?"),
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


def _list_lines(
    transaction: Transaction, job_id: UUID, status: str | None, after: UUID | None, limit: int
) -> Page[LineResult]:
    return imports.list_line_results(transaction, job_id, status=status, after=after, limit=limit)


def _list_differences(transaction: Transaction, job_id: UUID, after: UUID | None, limit: int) -> Page[DifferenceView]:
    return recomputations.list_differences(transaction, job_id, after=after, limit=limit)


@console.post("/jobs/<uuid:job_id>/pause")
@console_form(SCOPES, show_again=show_job)
def pause(job_id: UUID) -> BaseResponse:
    """Pause a job until it is resumed."""
    pause_job(current_transaction(), job_id, _kind_to_change(job_id))
    return show_changed_job(job_id)


@console.post("/jobs/<uuid:job_id>/resume")
@console_form(SCOPES, show_again=show_job)
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
@console_form(SCOPES, show_again=show_job)
def cancel(job_id: UUID) -> BaseResponse:
    """Cancel a job. What it has stored stays."""
    cancel_job(current_transaction(), job_id, _kind_to_change(job_id))
    return show_changed_job(job_id)


def _kind_to_change(job_id: UUID) -> str:
    """
    Return the kind of a job that the key of the session can change.

    Raises:
        NotFound: the club does not have the job.
        PageForbidden: the key lacks the scope.
    """
    kind = _get(current_transaction(), job_id).kind
    if not allows(KINDS[kind]):
        raise PageForbidden(f"To change this {kind}, you need a key with the scope {KINDS[kind].value!r}.")
    return kind


def show_changed_job(job_id: UUID) -> BaseResponse:
    """Have a worker look at a job after the commit, and redirect to the job."""
    look_after_commit(current_transaction(), job_id, current_services().send)
    return redirect(url_for("console.show_job", job_id=job_id), HTTPStatus.SEE_OTHER)
