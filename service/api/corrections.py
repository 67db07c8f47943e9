"""Rounds put right, and rounds as they might have been."""

from functools import partial
from http import HTTPStatus
from uuid import UUID

from flask import Response

from schemas.corrections import (
    ComparisonSchema,
    CorrectionRequest,
    CorrectionRequestSchema,
    WhatIfRequest,
    WhatIfRequestSchema,
    dump_comparison,
)
from service.api.access import current_transaction, require_scope
from service.api.answers import REPLAYED, answer, recorded
from service.api.receiving import receive_body
from service.api.resource import Resource
from service.scopes import Scope
from service.usecases.correct_round import correct_round
from service.usecases.expected import check_expected
from service.usecases.what_if import what_if

corrections = Resource("corrections", __name__, description="Rounds put right, and rounds as they might have been.")


@corrections.route("/v1/rounds/<uuid:round_id>/corrections", methods=["POST"])
@corrections.operation(
    "correct_round", Scope.CORRECT, records=True, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
)
@corrections.arguments(CorrectionRequestSchema)
@corrections.response(201, ComparisonSchema, headers=REPLAYED)
def post_correction(request: CorrectionRequest, round_id: UUID) -> Response:
    """
    Put right what was recorded of a round: its document is amended, and played again from the start.

    Answered are all hands of which something changes, old beside new, and the net per player. The records that were
    there stay; the round has a new revision. A hand that could not have followed the corrected ones is refused, unless
    it stands. The same correction again is answered with what its revision changed.

    Where a settlement has been final, everyone was settled up by it: a correction then needs the scope `correct-final`
    too, and its `adjustment` says who pays whom.
    """
    require_final = partial(require_scope, Scope.CORRECT_FINAL)
    corrected = correct_round(current_transaction(), round_id, request, receive_body(), require_final=require_final)
    document = dump_comparison(corrected.comparison)
    check_expected(request.expected, document)
    return recorded(document, is_replay=corrected.is_replay)


@corrections.route("/v1/rounds/<uuid:round_id>/what-if", methods=["POST"])
@corrections.operation("what_if", Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@corrections.arguments(WhatIfRequestSchema)
@corrections.response(200, ComparisonSchema)
def post_what_if(request: WhatIfRequest, round_id: UUID) -> Response:
    """
    Show what a round would have come to by other rules, or had something else happened. Nothing is stored.

    Hands that could not have followed stand.
    """
    return answer(dump_comparison(what_if(current_transaction(), round_id, request)))
