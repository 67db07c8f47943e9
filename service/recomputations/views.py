"""Recomputations: stored rounds replayed by workers."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import Response

from schemas.jobs.differences import DifferenceView, RecomputationDifferencePageSchema, dump_difference
from schemas.jobs.progress import JobQuerySchema
from schemas.jobs.recomputations import (
    RecomputationPageSchema,
    RecomputationRequest,
    RecomputationRequestSchema,
    RecomputationSchema,
    dump_recomputation,
)
from schemas.pages import PageQuerySchema
from service.clubs.scopes import KeyScope
from service.http.authentication import current_transaction, database, require_scope
from service.http.request_body import NDJSON, NDJSON_SCHEMA
from service.http.resource import Resource
from service.http.responses import (
    LOCATION,
    MEDIA_TYPE,
    NEXT_PAGE,
    REPLAYED,
    best_media_type,
    json_response,
    respond_page,
)
from service.http.services import current_services
from service.jobs.actions import cancel_job, pause_job, resume_job
from service.jobs.app import look_after_commit
from service.jobs.queries.jobs import JobState, StoredJob
from service.recomputations.actions.recomputations import (
    KIND,
    get_recomputation,
    list_differences,
    list_recomputations,
    read_differences,
    start_recomputation,
    view_recomputation,
)

recomputations = Resource(
    "recomputations",
    __name__,
    description="Stored rounds, played again and compared with the records.",
)


@recomputations.route("/v1/recomputations", methods=["POST"])
@recomputations.operation("start_recomputation", KeyScope.RECOMPUTE, records=True)
@recomputations.arguments(RecomputationRequestSchema)
@recomputations.response(202, RecomputationSchema, headers=LOCATION | REPLAYED)
def post_recomputation(request: RecomputationRequest) -> Response:
    """
    Replay stored rounds from their boards, and report every difference from the records.

    `audit` changes nothing; with another ruleset it shows who would have won what. `apply` stores a new revision of
    every round that differs, except open rounds, rounds that change meanwhile and, unless `final` is true, rounds whose
    settlement was final; these are reported. `apply` with an `audit` changes exactly what this audit found: a round
    that has another revision or another result by now is skipped, so repeating the request does no harm. The summary
    has what each player gains or loses, in points and money, and the payments that settle it up. In a club that
    requires a second auditor, `apply` with `final` is a 409 `second-auditor-required`: propose to apply an audit.
    """
    if request.final:
        require_scope(KeyScope.CORRECT_FINAL)
    view = start_recomputation(current_transaction(), request)
    _look_after_commit(view.job.id)
    location = {"Location": f"/v1/recomputations/{view.job.id}"}
    return json_response(dump_recomputation(view), HTTPStatus.ACCEPTED, location)


@recomputations.route("/v1/recomputations", methods=["GET"])
@recomputations.operation("list_recomputations", KeyScope.RECOMPUTE, KeyScope.READ)
@recomputations.arguments(JobQuerySchema, location="query")
@recomputations.response(200, RecomputationPageSchema, headers=NEXT_PAGE)
def get_recomputations(query: dict[str, Any]) -> Response:
    """List the club's recomputations with their progress and results so far, newest first."""
    state = query["state"] and JobState(query["state"])
    page = list_recomputations(current_transaction(), state=state, after=query["cursor"], limit=query["limit"])
    return respond_page("recomputations", [dump_recomputation(view) for view in page.items], page.next_after)


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>", methods=["GET"])
@recomputations.operation("get_recomputation", KeyScope.RECOMPUTE, KeyScope.READ)
@recomputations.response(200, RecomputationSchema)
def get_one_recomputation(recomputation_id: UUID) -> Response:
    """Return a recomputation with its progress and its results so far."""
    return json_response(dump_recomputation(get_recomputation(current_transaction(), recomputation_id)))


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>/cancel", methods=["POST"])
@recomputations.operation("cancel_recomputation", KeyScope.RECOMPUTE, records=True)
@recomputations.response(200, RecomputationSchema, headers=REPLAYED)
def post_cancel(recomputation_id: UUID) -> Response:
    """
    Cancel a recomputation. Stored results stay; running chunks are completed; no further ones are started.

    A recomputation that has ended does not change.
    """
    return _changed(cancel_job(current_transaction(), recomputation_id, KIND))


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>/pause", methods=["POST"])
@recomputations.operation("pause_recomputation", KeyScope.RECOMPUTE, records=True)
@recomputations.response(200, RecomputationSchema, headers=REPLAYED)
def post_pause(recomputation_id: UUID) -> Response:
    """Pause a recomputation until it is resumed."""
    return _changed(pause_job(current_transaction(), recomputation_id, KIND))


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>/resume", methods=["POST"])
@recomputations.operation("resume_recomputation", KeyScope.RECOMPUTE, records=True)
@recomputations.response(200, RecomputationSchema, headers=REPLAYED)
def post_resume(recomputation_id: UUID) -> Response:
    """Resume a paused recomputation."""
    return _changed(resume_job(current_transaction(), recomputation_id, KIND))


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>/differences", methods=["GET"])
@recomputations.operation("list_differences", KeyScope.RECOMPUTE, KeyScope.READ)
@recomputations.arguments(PageQuerySchema, location="query")
@recomputations.response(200, RecomputationDifferencePageSchema, headers=NEXT_PAGE)
@recomputations.doc(responses={HTTPStatus.OK: {"content": {NDJSON: {"schema": NDJSON_SCHEMA}}}})
def get_differences(query: dict[str, Any], recomputation_id: UUID) -> Response:
    """
    List the differences that a recomputation has found so far, in the order of rounds.

    With `Accept: application/x-ndjson`, the response has all differences after the cursor, one per line, and `limit` is
    ignored. While the recomputation runs, more can appear anywhere in the list.
    """
    transaction, after = current_transaction(), query["cursor"]
    page = list_differences(transaction, recomputation_id, after=after, limit=query["limit"])
    if best_media_type((MEDIA_TYPE, NDJSON)) == NDJSON:
        differences = read_differences(partial(database().reading, transaction.club_id), recomputation_id, after=after)
        return Response(_lines(differences), content_type=NDJSON)
    return respond_page("differences", [dump_difference(view) for view in page.items], page.next_after)


def _lines(differences: Iterable[DifferenceView]) -> Iterator[bytes]:
    for view in differences:
        yield json.dumps(dump_difference(view), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _changed(job: StoredJob) -> Response:
    _look_after_commit(job.id)
    return json_response(dump_recomputation(view_recomputation(current_transaction(), job)))


def _look_after_commit(job_id: UUID) -> None:
    look_after_commit(current_transaction(), job_id, current_services().send)
