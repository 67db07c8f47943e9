"""Read and change the metadata of rounds and of hands."""

from uuid import UUID

from schemas.metadata import Metadata
from schemas.rounds import RoundView
from scoring.same_hand import find_replaced
from service.db import Transaction
from service.errors import HandConflict
from service.rounds.actions.opening import view_round
from service.rounds.actions.reading import get_hand
from service.rounds.actions.recording import HandResult
from service.rounds.queries import hands, rounds
from service.rounds.queries.stored_round import StoredRound
from service.texts.actions import get_metadata, set_metadata
from service.texts.queries import MetadataOwner, lock_metadata


def get_round_metadata(transaction: Transaction, round_id: UUID) -> Metadata:
    """Return the metadata of a round."""
    return get_metadata(transaction, MetadataOwner.of_round(round_id))


def get_hand_metadata(transaction: Transaction, hand_id: UUID, round_id: UUID) -> Metadata:
    """Return the metadata of the record of a hand in a round."""
    return get_metadata(transaction, MetadataOwner.of_hand(hand_id, round_id))


def update_round(transaction: Transaction, round_id: UUID, metadata: Metadata) -> RoundView:
    """
    Set the metadata of a round instead of those that it had. They belong to no revision.

    Raises:
        NotFound: the round does not exist.
    """
    owner = MetadataOwner.of_round(round_id)
    lock_metadata(transaction, owner)
    stored = rounds.lock(transaction, round_id)
    set_metadata(transaction, owner, metadata)
    return view_round(stored)


def update_hand(transaction: Transaction, hand_id: UUID, metadata: Metadata) -> HandResult:
    """
    Set the metadata of a hand instead of those that it had, and return the hand.

    Of a corrected hand, the record that it has now has them. The round is locked, because a correction moves metadata.

    Raises:
        NotFound: the hand does not exist.
        HandConflict: a correction has removed the hand.
    """
    round_id = hands.get(transaction, hand_id).round_id
    # In the order in which an erasure locks them.
    lock_metadata(transaction, MetadataOwner.of_hand(hand_id, round_id))
    current = _find_current(transaction, rounds.lock(transaction, round_id), hand_id)
    set_metadata(transaction, MetadataOwner.of_hand(current, round_id), metadata)
    return get_hand(transaction, current)


def _find_current(transaction: Transaction, round_: StoredRound, hand_id: UUID) -> UUID:
    """
    Return the record that a hand has after all corrections since.

    Raises:
        HandConflict: a correction has removed the hand.
    """
    stored = hands.get(transaction, hand_id)
    corrected = None if stored.in_force else hands.find_correction(transaction, round_.id, hand_id)
    if corrected is None:
        return hand_id
    before, after = (hands.list_page(transaction, round_.id, revision) for revision in (corrected - 1, corrected))
    replaced = find_replaced([each.hand for each in before], [each.hand for each in after])
    for each in after:
        if replaced.get(each.hand.number) == stored.hand.number:
            return _find_current(transaction, round_, each.id)
    raise HandConflict(f"hand {stored.hand.number} with the record {hand_id} was removed in revision {corrected}")
