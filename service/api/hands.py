"""Hands."""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import Response

from schemas.hands import HandRequestSchema, SubmittedHand
from schemas.rounds import HandAnswerSchema, HandPageSchema, HandQuerySchema, dump_recorded_hand, dump_round
from service.api.access import current_transaction
from service.api.answers import LOCATION, NEXT_PAGE, REPLAYED, answer, page_link, recorded
from service.api.receiving import receive_body
from service.api.resource import Resource
from service.scopes import Scope
from service.usecases.expected import check_expected
from service.usecases.get_hand import get_hand
from service.usecases.list_hands import list_hands
from service.usecases.record_hand import record_hand

hands = Resource("hands", __name__, description="Finished hands, in the order in which they were played.")


@hands.route("/v1/rounds/<uuid:round_id>/hands", methods=["POST"])
@hands.operation("record_hand", Scope.WRITE, records=True, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT))
@hands.arguments(HandRequestSchema)
@hands.response(201, HandAnswerSchema, headers=LOCATION | REPLAYED)
def post_hand(submitted: SubmittedHand, round_id: UUID) -> Response:
    """
    Record the next hand of a round: it is checked, scored and settled, and the round moves on.

    The same hand again is answered as it was recorded; another hand with its number is a conflict. A hand that was
    undone is answered so too, with `in_force` false: to count again, it says which record it `restores`.
    """
    result = record_hand(current_transaction(), round_id, submitted, receive_body())
    document = {**dump_recorded_hand(result.recorded), "round": dump_round(result.view)}
    check_expected(submitted.expected, document)
    return recorded(document, f"/v1/hands/{result.recorded.id}", is_replay=result.is_replay)


@hands.route("/v1/rounds/<uuid:round_id>/hands", methods=["GET"])
@hands.operation("list_hands", Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@hands.arguments(HandQuerySchema, location="query")
@hands.response(200, HandPageSchema, headers=NEXT_PAGE)
def get_hands(query: dict[str, Any], round_id: UUID) -> Response:
    """List the hands of a round, as it stands or in an older revision, in the order in which they were played."""
    after = query.pop("cursor")
    page = list_hands(current_transaction(), round_id, after=after, **query)
    return answer({"hands": [dump_recorded_hand(hand) for hand in page.items]}, headers=page_link(page.next_after))


@hands.route("/v1/hands/<uuid:hand_id>", methods=["GET"])
@hands.operation("get_hand", Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@hands.response(200, HandAnswerSchema)
def get_one_hand(hand_id: UUID) -> Response:
    """Show a hand, what it came to, and the round as it stands now."""
    found = get_hand(current_transaction(), hand_id)
    return answer({**dump_recorded_hand(found.recorded), "round": dump_round(found.view)})
