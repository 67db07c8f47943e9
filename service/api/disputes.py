"""Disputes: what somebody holds against a settlement, and what becomes of it."""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import Response

from schemas.disputes import (
    CommentRequestSchema,
    DisputeCaseSchema,
    DisputePageSchema,
    DisputeQuerySchema,
    DisputeRequest,
    DisputeRequestSchema,
    ResolutionRequestSchema,
    ReviewRequestSchema,
    StepRequest,
    WithdrawalRequestSchema,
    dump_case,
    dump_dispute,
)
from service.api.access import current_transaction
from service.api.answers import LOCATION, NEXT_PAGE, REPLAYED, answer, page_link, recorded
from service.api.resource import Resource
from service.repository.disputes import DisputeFilter
from service.scopes import Scope
from service.usecases.comment_on_dispute import comment_on_dispute
from service.usecases.get_dispute import get_dispute
from service.usecases.list_disputes import list_disputes
from service.usecases.open_dispute import open_dispute
from service.usecases.resolve_dispute import resolve_dispute
from service.usecases.review_dispute import review_dispute
from service.usecases.view_dispute import ChangedDispute
from service.usecases.withdraw_dispute import withdraw_dispute

disputes = Resource("disputes", __name__, description="Disputes: what somebody holds against a settlement.")

CONFLICTS = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


@disputes.route("/v1/disputes", methods=["POST"])
@disputes.operation("open_dispute", Scope.DISPUTES, records=True)
@disputes.arguments(DisputeRequestSchema)
@disputes.response(201, DisputeCaseSchema, headers=LOCATION | REPLAYED)
def post_dispute(request: DisputeRequest) -> Response:
    """
    Hold something against the settlement of a round that is no longer played.

    The same claim about the same place by the same player is the same dispute, also once it has ended: who claims it
    anew says what is new.
    """
    opened = open_dispute(current_transaction(), request)
    return _changed(opened, f"/v1/disputes/{opened.case.dispute.id}")


@disputes.route("/v1/disputes", methods=["GET"])
@disputes.operation("list_disputes", Scope.READ, Scope.DISPUTES)
@disputes.arguments(DisputeQuerySchema, location="query")
@disputes.response(200, DisputePageSchema, headers=NEXT_PAGE)
def get_disputes(query: dict[str, Any]) -> Response:
    """
    List the club's disputes, the oldest first, by state, table and round: what is to be looked into.

    Beside each stands what is unusual about its round, against the table's last fifty other rounds that are over. Each
    finding has its figures, those of the table, and the formula that compares them.
    """
    after, limit = query["cursor"], query["limit"]
    wanted = DisputeFilter(query["state"], query["table"], query["round"])
    page = list_disputes(current_transaction(), wanted, after=after, limit=limit)
    return answer({"disputes": [dump_dispute(view) for view in page.items]}, headers=page_link(page.next_after))


@disputes.route("/v1/disputes/<uuid:dispute_id>", methods=["GET"])
@disputes.operation("get_dispute", Scope.READ, Scope.DISPUTES, problems=(HTTPStatus.NOT_FOUND,))
@disputes.response(200, DisputeCaseSchema)
def get_one_dispute(dispute_id: UUID) -> Response:
    """Show a dispute, everything that followed it, and what is unusual about its round."""
    return answer(dump_case(get_dispute(current_transaction(), dispute_id)))


@disputes.route("/v1/disputes/<uuid:dispute_id>/comments", methods=["POST"])
@disputes.operation("comment_on_dispute", Scope.DISPUTES, records=True, problems=CONFLICTS)
@disputes.arguments(CommentRequestSchema)
@disputes.response(201, DisputeCaseSchema, headers=REPLAYED)
def post_comment(request: StepRequest, dispute_id: UUID) -> Response:
    """Say something about a dispute that has not ended. The same words of the same person are one comment."""
    return _changed(comment_on_dispute(current_transaction(), dispute_id, request))


@disputes.route("/v1/disputes/<uuid:dispute_id>/review", methods=["POST"])
@disputes.operation("review_dispute", Scope.DISPUTES, records=True, problems=CONFLICTS)
@disputes.arguments(ReviewRequestSchema)
@disputes.response(201, DisputeCaseSchema, headers=REPLAYED)
def post_review(request: StepRequest, dispute_id: UUID) -> Response:
    """Look into an open dispute from now on: it is under review."""
    return _changed(review_dispute(current_transaction(), dispute_id, request))


@disputes.route("/v1/disputes/<uuid:dispute_id>/resolve", methods=["POST"])
@disputes.operation("resolve_dispute", Scope.DISPUTES, records=True, problems=CONFLICTS)
@disputes.arguments(ResolutionRequestSchema)
@disputes.response(201, DisputeCaseSchema, headers=REPLAYED)
def post_resolution(request: StepRequest, dispute_id: UUID) -> Response:
    """
    End a dispute that is under review: it is upheld or rejected.

    One that is upheld was answered by a correction that names it, or says why nothing is corrected. Of two who resolve
    it at once one does, and the other is told so; the same again by the same person is answered with the dispute as it
    stands.
    """
    return _changed(resolve_dispute(current_transaction(), dispute_id, request))


@disputes.route("/v1/disputes/<uuid:dispute_id>/withdraw", methods=["POST"])
@disputes.operation("withdraw_dispute", Scope.DISPUTES, records=True, problems=CONFLICTS)
@disputes.arguments(WithdrawalRequestSchema)
@disputes.response(201, DisputeCaseSchema, headers=REPLAYED)
def post_withdrawal(request: StepRequest, dispute_id: UUID) -> Response:
    """Give a dispute up that has not ended."""
    return _changed(withdraw_dispute(current_transaction(), dispute_id, request))


def _changed(changed: ChangedDispute, location: str | None = None) -> Response:
    return recorded(dump_case(changed.case), location, is_replay=changed.is_replay)
