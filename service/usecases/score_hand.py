from schemas.hands import ScoreRequest
from scoring.lone_hand import LoneScore, score_lone_hand
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.usecases.find_ruleset import ruleset_named


def score_hand(transaction: Transaction, request: ScoreRequest) -> tuple[Ruleset, LoneScore]:
    """
    Score a hand without storing it.

    Raises:
        RulesetUnknown: there is no such ruleset.
        HandError: the hand cannot have been dealt like this.
    """
    ruleset = ruleset_named(transaction, request.ruleset)
    return ruleset, score_lone_hand(ruleset, request.players, request.button)
