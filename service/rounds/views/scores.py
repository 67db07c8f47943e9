"""Scoring without storing."""

from flask import Response

from schemas.scores import HandScoreSchema, ScoreRequest, ScoreRequestSchema, dump_lone_score
from service.clubs.scopes import Scope
from service.http.authentication import current_transaction
from service.http.resource import Resource
from service.http.responses import json_response
from service.rounds.actions.checks import check_expected
from service.rounds.actions.read_rounds import score_hand

scores = Resource("scores", __name__, description="Score a finished hand without storing it.")


@scores.route("/v1/score", methods=["POST"])
@scores.operation("score_hand", Scope.SCORE)
@scores.arguments(ScoreRequestSchema)
@scores.response(200, HandScoreSchema)
def post_score(request: ScoreRequest) -> Response:
    """
    Score a hand without storing it.

    The response has transfers and stacks if the request has the button and every player's stack; if the stakes have
    scope `round`, as if the round ended with this hand.
    """
    ruleset, lone = score_hand(current_transaction(), request)
    document = dump_lone_score(ruleset, lone, request.players)
    check_expected(request.expected, document)
    return json_response(document)
