"""Recomputations: stored rounds played again, by workers."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, current_app

from schemas.pages import PageQuerySchema
from schemas.recomputations import (
    DifferencePageSchema,
    DifferenceView,
    RecomputationRequest,
    RecomputationRequestSchema,
    RecomputationSchema,
    dump_difference,
    dump_recomputation,
)
from service.api.access import current_transaction, database, require_scope
from service.api.answers import LOCATION, MEDIA_TYPE, NEXT_PAGE, REPLAYED, answer, best_form, page_link
from service.api.resource import Resource
from service.api.streams import NDJSON
from service.repository.jobs import StoredJob
from service.scopes import Scope
from service.tasks import announce_after_commit
from service.usecases.get_recomputation import get_recomputation
from service.usecases.job_states import cancel_job, pause_job, resume_job
from service.usecases.list_differences import list_differences, read_differences
from service.usecases.read_recomputation import KIND, view_recomputation
from service.usecases.start_recomputation import start_recomputation

recomputations = Resource(
    "recomputations",
    __name__,
    description="Stored rounds played again from their boards, and held against the records.",
)

CONFLICTS: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


@recomputations.route("/v1/recomputations", methods=["POST"])
@recomputations.operation("start_recomputation", Scope.RECOMPUTE, records=True)
@recomputations.arguments(RecomputationRequestSchema)
@recomputations.response(202, RecomputationSchema, headers=LOCATION | REPLAYED)
def post_recomputation(request: RecomputationRequest) -> Response:
    """
    Play stored rounds again from their boards, and name what is stored otherwise than it is computed.

    `audit` changes nothing; with another ruleset it says who would have won what. `apply` settles the rounds that
    differ anew, as new revisions; it leaves open rounds, those that change meanwhile and, unless `final` is true, those
    whose settlement has been final, as they are, and says so.
    """
    if request.final:
        require_scope(Scope.CORRECT_FINAL)
    view = start_recomputation(current_transaction(), request)
    _announce()
    location = {"Location": f"/v1/recomputations/{view.job.id}"}
    return answer(dump_recomputation(view), HTTPStatus.ACCEPTED, location)


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>", methods=["GET"])
@recomputations.operation("get_recomputation", Scope.RECOMPUTE, Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@recomputations.response(200, RecomputationSchema)
def get_one_recomputation(recomputation_id: UUID) -> Response:
    """Show a recomputation: how far it is, and what it came to so far."""
    return answer(dump_recomputation(get_recomputation(current_transaction(), recomputation_id)))


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>/cancel", methods=["POST"])
@recomputations.operation("cancel_recomputation", Scope.RECOMPUTE, records=True, problems=CONFLICTS)
@recomputations.response(200, RecomputationSchema, headers=REPLAYED)
def post_cancel(recomputation_id: UUID) -> Response:
    """
    Stop a recomputation. What was found and applied stays; chunks at work end; nothing more is begun.

    A recomputation that has ended stays as it is.
    """
    return _changed(cancel_job(current_transaction(), recomputation_id, KIND))


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>/pause", methods=["POST"])
@recomputations.operation("pause_recomputation", Scope.RECOMPUTE, records=True, problems=CONFLICTS)
@recomputations.response(200, RecomputationSchema, headers=REPLAYED)
def post_pause(recomputation_id: UUID) -> Response:
    """Let a recomputation rest until it is resumed."""
    return _changed(pause_job(current_transaction(), recomputation_id, KIND))


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>/resume", methods=["POST"])
@recomputations.operation("resume_recomputation", Scope.RECOMPUTE, records=True, problems=CONFLICTS)
@recomputations.response(200, RecomputationSchema, headers=REPLAYED)
def post_resume(recomputation_id: UUID) -> Response:
    """Let a paused recomputation go on where it was."""
    return _changed(resume_job(current_transaction(), recomputation_id, KIND))


@recomputations.route("/v1/recomputations/<uuid:recomputation_id>/differences", methods=["GET"])
@recomputations.operation("list_differences", Scope.RECOMPUTE, Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@recomputations.arguments(PageQuerySchema, location="query")
@recomputations.response(200, DifferencePageSchema, headers=NEXT_PAGE)
@recomputations.doc(responses={HTTPStatus.OK: {"content": {NDJSON: {"schema": {"type": "string"}}}}})
def get_differences(query: dict[str, Any], recomputation_id: UUID) -> Response:
    """
    List what a recomputation has found so far, in the order of rounds.

    With `Accept: application/x-ndjson` all of it, or all from the cursor on, one difference a line; `limit` is of no
    account then. While the recomputation runs, more can come anywhere in the list.
    """
    transaction, after = current_transaction(), query["cursor"]
    page = list_differences(transaction, recomputation_id, after=after, limit=query["limit"])
    if best_form((MEDIA_TYPE, NDJSON)) == NDJSON:
        found = read_differences(partial(database().reading, transaction.club_id), recomputation_id, after=after)
        return Response(_lines(found), content_type=NDJSON)
    return answer({"differences": [dump_difference(view) for view in page.items]}, headers=page_link(page.next_after))


def _lines(found: Iterable[DifferenceView]) -> Iterator[bytes]:
    for view in found:
        yield json.dumps(dump_difference(view), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _changed(job: StoredJob) -> Response:
    _announce()
    return answer(dump_recomputation(view_recomputation(current_transaction(), job)))


def _announce() -> None:
    announce_after_commit(current_transaction(), current_app.extensions["ofc_announce"])
