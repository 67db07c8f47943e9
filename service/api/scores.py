"""Scoring without storing."""

from flask import Response

from schemas.hands import ScoreRequest, ScoreRequestSchema
from schemas.scores import ScoreSchema, dump_lone_score
from service.api.access import current_transaction
from service.api.answers import answer
from service.api.resource import Resource
from service.scopes import Scope
from service.usecases.expected import check_expected
from service.usecases.score_hand import score_hand

scores = Resource("scores", __name__, description="Score a finished hand without storing it.")


@scores.route("/v1/score", methods=["POST"])
@scores.operation("score_hand", Scope.SCORE)
@scores.arguments(ScoreRequestSchema)
@scores.response(200, ScoreSchema)
def post_score(request: ScoreRequest) -> Response:
    """
    Score a hand.

    Transfers and stacks are answered where every player has a stack and the button is given; under scope `round` as if
    the round ended here.
    """
    ruleset, lone = score_hand(current_transaction(), request)
    document = dump_lone_score(ruleset, lone, request.players)
    check_expected(request.expected, document)
    return answer(document)
