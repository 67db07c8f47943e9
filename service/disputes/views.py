"""Disputes of settlements: open, list, comment, review, resolve, withdraw."""

from typing import Any
from uuid import UUID

from flask import Response

from schemas.disputes import (
    DisputeCommentRequestSchema,
    DisputePageSchema,
    DisputeQuerySchema,
    DisputeRequest,
    DisputeRequestSchema,
    DisputeResolutionRequestSchema,
    DisputeReviewRequestSchema,
    DisputeTransitionRequest,
    DisputeWithdrawalRequestSchema,
    DisputeWithHistorySchema,
    dump_dispute,
    dump_dispute_with_history,
)
from service.clubs.scopes import KeyScope
from service.disputes.actions.disputes import (
    ChangedDispute,
    comment_on_dispute,
    get_dispute,
    list_disputes,
    open_dispute,
    resolve_dispute,
    review_dispute,
    withdraw_dispute,
)
from service.disputes.queries.disputes import DisputeFilter
from service.http.authentication import Reach, current_key, current_transaction
from service.http.resource import Resource
from service.http.responses import LOCATION, NEXT_PAGE, REPLAYED, created_response, json_response, respond_page

disputes = Resource("disputes", __name__, description="Disputes of settlements.")


@disputes.route("/v1/disputes", methods=["POST"])
@disputes.operation("open_dispute", KeyScope.DISPUTES, records=True)
@disputes.arguments(DisputeRequestSchema)
@disputes.response(201, DisputeWithHistorySchema, headers=LOCATION | REPLAYED)
def post_dispute(request: DisputeRequest) -> Response:
    """
    Open a dispute of the settlement of a round that has ended.

    The same claim by the same author about the same round, hand, seat and row is the same dispute, even after it has
    ended. To dispute again, change the claim.
    """
    opened = open_dispute(current_transaction(), request)
    return _changed(opened, f"/v1/disputes/{opened.dispute.dispute.id}")


@disputes.route("/v1/disputes", methods=["GET"])
@disputes.operation("list_disputes", KeyScope.READ, KeyScope.DISPUTES, by_link=Reach.TABLE)
@disputes.arguments(DisputeQuerySchema, location="query")
@disputes.response(200, DisputePageSchema, headers=NEXT_PAGE)
def get_disputes(query: dict[str, Any]) -> Response:
    """
    List the club's disputes, oldest first, by state, table and round.

    Each dispute has the anomalies of its round: ratios that are unusually high compared with the last fifty other
    rounds of the table that have ended, with both ratios and the formula.
    """
    after, limit = query["cursor"], query["limit"]
    filter_ = DisputeFilter(query["state"], query["table"], query["round"])
    page = list_disputes(current_transaction(), filter_, after=after, limit=limit)
    return respond_page("disputes", [dump_dispute(view) for view in page.items], page.next_after)


@disputes.route("/v1/disputes/<uuid:dispute_id>", methods=["GET"])
@disputes.operation("get_dispute", KeyScope.READ, KeyScope.DISPUTES)
@disputes.response(200, DisputeWithHistorySchema)
def get_one_dispute(dispute_id: UUID) -> Response:
    """Return a dispute with its history and the anomalies of its round."""
    return json_response(dump_dispute_with_history(get_dispute(current_transaction(), dispute_id)))


@disputes.route("/v1/disputes/<uuid:dispute_id>/comments", methods=["POST"])
@disputes.operation("comment_on_dispute", KeyScope.DISPUTES, records=True)
@disputes.arguments(DisputeCommentRequestSchema)
@disputes.response(201, DisputeWithHistorySchema, headers=REPLAYED)
def post_comment(request: DisputeTransitionRequest, dispute_id: UUID) -> Response:
    """
    Add a comment to a dispute that has not ended.

    The same comment by the same author is stored once.
    """
    return _changed(comment_on_dispute(current_transaction(), dispute_id, request, current_key()))


@disputes.route("/v1/disputes/<uuid:dispute_id>/review", methods=["POST"])
@disputes.operation("review_dispute", KeyScope.DISPUTES, records=True)
@disputes.arguments(DisputeReviewRequestSchema)
@disputes.response(201, DisputeWithHistorySchema, headers=REPLAYED)
def post_review(request: DisputeTransitionRequest, dispute_id: UUID) -> Response:
    """Start the review of an open dispute."""
    return _changed(review_dispute(current_transaction(), dispute_id, request, current_key()))


@disputes.route("/v1/disputes/<uuid:dispute_id>/resolve", methods=["POST"])
@disputes.operation("resolve_dispute", KeyScope.DISPUTES, records=True)
@disputes.arguments(DisputeResolutionRequestSchema)
@disputes.response(201, DisputeWithHistorySchema, headers=REPLAYED)
def post_resolution(request: DisputeTransitionRequest, dispute_id: UUID) -> Response:
    """
    Resolve a dispute that is under review: uphold or reject it.

    To uphold a dispute, a correction must name it, or `reason` must say why nothing is corrected. If two clients
    resolve a dispute at the same time, one succeeds and the other gets a 409. The same resolution by the same author,
    sent again, returns the dispute as it is now. A key whose `player` sat in the round resolves and reviews none of its
    disputes, and withdraws only those of this player (`own-round`).
    """
    return _changed(resolve_dispute(current_transaction(), dispute_id, request, current_key()))


@disputes.route("/v1/disputes/<uuid:dispute_id>/withdraw", methods=["POST"])
@disputes.operation("withdraw_dispute", KeyScope.DISPUTES, records=True)
@disputes.arguments(DisputeWithdrawalRequestSchema)
@disputes.response(201, DisputeWithHistorySchema, headers=REPLAYED)
def post_withdrawal(request: DisputeTransitionRequest, dispute_id: UUID) -> Response:
    """Withdraw a dispute that has not ended."""
    return _changed(withdraw_dispute(current_transaction(), dispute_id, request, current_key()))


def _changed(changed: ChangedDispute, location: str | None = None) -> Response:
    return created_response(dump_dispute_with_history(changed.dispute), location, is_replay=changed.is_replay)
