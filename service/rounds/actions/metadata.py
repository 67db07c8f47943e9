"""Read and change the metadata of rounds and of hands."""

from uuid import UUID

from schemas.metadata import Metadata
from schemas.rounds import RoundView
from service.db import Transaction
from service.errors import HandConflict
from service.rounds.actions.opening import view_round
from service.rounds.actions.reading import get_hand
from service.rounds.actions.recording import HandResult
from service.rounds.queries import hands, rounds
from service.texts.actions import get_metadata, set_metadata
from service.texts.hands import list_records
from service.texts.queries import MetadataOwner


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
    stored = rounds.lock(transaction, round_id)
    set_metadata(transaction, MetadataOwner.of_round(round_id), metadata)
    return view_round(stored)


def update_hand(transaction: Transaction, hand_id: UUID, metadata: Metadata) -> HandResult:
    """
    Set the metadata of a hand instead of those that it had, and return the hand.

    If the record was corrected, they are those of the record that the hand has now. The round is locked, so that it has
    no other one meanwhile.

    Raises:
        NotFound: the hand does not exist.
        HandConflict: a correction has removed the hand.
        Busy: another transaction held the lock of the round for too long.
    """
    round_id = hands.get(transaction, hand_id).round_id
    rounds.lock(transaction, round_id)
    current = list_records(transaction, hand_id)[-1]
    _refuse_removed(transaction, round_id, current)
    set_metadata(transaction, MetadataOwner.of_hand(current, round_id), metadata)
    return get_hand(transaction, current)


def _refuse_removed(transaction: Transaction, round_id: UUID, newest: UUID) -> None:
    """
    Check that no correction has removed a hand, given its newest record. A hand that was undone can be restored.

    Raises:
        HandConflict: a correction has removed the hand.
    """
    stored = hands.get(transaction, newest)
    removed = None if stored.in_force else hands.find_correction(transaction, round_id, newest)
    if removed is not None:
        raise HandConflict(f"hand {stored.hand.number} with the record {newest} was removed in revision {removed}")
