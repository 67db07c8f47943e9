"""Corrections and what-if questions."""

from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import UUID

from flask import Response

from schemas.corrections.comparisons import RoundComparisonSchema, dump_comparison
from schemas.corrections.requests import CorrectionRequest, CorrectionRequestSchema, WhatIfRequest, WhatIfRequestSchema
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.corrections.actions.amend import what_if
from service.corrections.actions.correct import correct_round, find_mistakes
from service.http.authentication import Reach, current_key, current_transaction, require_scope
from service.http.request_body import receive_body
from service.http.resource import Resource
from service.http.responses import REPLAYED, created_response, json_response
from service.openapi import REQUEST_ID
from service.rounds.actions.checks import check_expected

corrections = Resource("corrections", __name__, description="Corrections of rounds, and results under other rules.")


def _find_correction_mistakes(received: Any, round_id: UUID) -> Iterator[Mistake]:
    return find_mistakes(current_transaction(), round_id, received)


@corrections.route("/v1/rounds/<uuid:round_id>/corrections", methods=["POST"])
@corrections.operation("correct_round", KeyScope.CORRECT, by_link=Reach.TABLE, records=True)
@corrections.arguments(CorrectionRequestSchema, find_more=_find_correction_mistakes)
@corrections.response(201, RoundComparisonSchema, headers=REPLAYED)
@corrections.alt_response(
    200, schema=RoundComparisonSchema, headers=REQUEST_ID, description="The correction changes nothing."
)
def post_correction(request: CorrectionRequest, round_id: UUID) -> Response:
    """
    Correct a round: amend its document, and replay it from the start.

    The response has every hand that changes, before and after, and the net points of every player. The previous records
    stay; the round gets a new revision. A later hand that no longer follows the hands before it is refused, unless it
    is accepted as played. The same correction sent again returns what its revision changed. A correction that changes
    nothing is a 200 with `changed` false, and adds no revision. Departures that were possible only before an accepted
    hand that the correction removes are dropped, and listed in `dropped_departures`.

    A correction with `dispute` does not resolve the dispute: `POST /v1/disputes/{dispute_id}/resolve` does, afterwards.

    If a settlement of the round was final, the players have settled up by it: the correction then requires the scope
    `correct-final` too, and its `adjustment` has the payments from that settlement to the new one. In a club that
    requires a second auditor it is a 409 `second-auditor-required`: propose it instead, and another key confirms it.

    A key whose `player` sat in the round is refused if the correction names a dispute (`own-round`).
    """
    require_final = partial(require_scope, KeyScope.CORRECT_FINAL)
    key = current_key()
    corrected = correct_round(
        current_transaction(), round_id, request, receive_body(), key, require_final=require_final
    )
    document = dump_comparison(corrected.comparison)
    if not corrected.is_replay:
        check_expected(request.expected, document)
    if not corrected.comparison.changed:
        return json_response(document)
    return created_response(document, is_replay=corrected.is_replay)


@corrections.route("/v1/rounds/<uuid:round_id>/what-if", methods=["POST"])
@corrections.operation("what_if", KeyScope.READ)
@corrections.arguments(WhatIfRequestSchema)
@corrections.response(200, RoundComparisonSchema)
def post_what_if(request: WhatIfRequest, round_id: UUID) -> Response:
    """
    Return the result of a round under another ruleset, or with another document. Nothing is stored.

    Hands, top-ups and departures are accepted as played, whatever that ruleset allows between hands.
    """
    return json_response(dump_comparison(what_if(current_transaction(), round_id, request)))
