from schemas.explanations import ExplanationView
from schemas.link_tokens import Link
from scoring.explanation import hands as explaining
from service.database import Transaction
from service.errors import NotFound
from service.repository import histories, rounds


def show_linked_hand(transaction: Transaction, link: Link, number: int) -> ExplanationView:
    """
    Say why a hand of a round, as that stands, came to what it came to, to whoever has a link to the round.

    Raises:
        NotFound: the round has no such hand.
    """
    stored = rounds.get(transaction, link.round_id)
    happened = histories.get(transaction, stored.id, stored.revision)
    if not 1 <= number <= len(happened.hands):
        raise NotFound(f"the round has no hand {number}; it has {len(happened.hands)}")
    hand_id = str(happened.hands[number - 1].id)
    explained = explaining.explain_hand(happened.history, number)
    return ExplanationView(hand_id, str(stored.id), stored.revision, True, explained)
