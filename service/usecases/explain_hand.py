from uuid import UUID

from schemas.explanations import ExplanationView
from scoring.explanation import hands as explaining
from service.database import Transaction
from service.errors import NotFound
from service.repository import hands, histories, rounds
from service.usecases.find_revision import find_revision


def explain_hand(transaction: Transaction, hand_id: UUID, revision: int | None = None) -> ExplanationView:
    """
    Say why a hand came to what it came to: in the newest revision of its round that has it, or in the one asked for.

    The revision is played again from its records, for what caps a payment can lie hands before it: what everyone opened
    the scope of the stakes with, or what has added up over the round.

    Raises:
        NotFound: the club has no such hand, its round no such revision, or the revision not this hand.
    """
    stored = hands.get(transaction, hand_id)
    asked = stored.revision
    if revision is not None:
        asked = find_revision(rounds.get(transaction, stored.round_id), revision)
        if not hands.is_in_revision(transaction, stored, asked):
            raise NotFound(f"revision {asked} of round {stored.round_id} has no hand {hand_id}")
    history = histories.get(transaction, stored.round_id, asked).history
    explained = explaining.explain_hand(history, stored.hand.number)
    return ExplanationView(str(stored.id), str(stored.round_id), asked, stored.in_force, explained)
