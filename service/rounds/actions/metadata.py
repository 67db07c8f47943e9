"""Read and change the metadata of rounds and of hands."""

from uuid import UUID

from schemas.metadata import Metadata
from schemas.rounds import RoundView
from service.db import Transaction
from service.errors import HandConflict
from service.rounds.actions.opening import view_round
from service.rounds.actions.reading import get_hand, get_round
from service.rounds.actions.recording import HandResult
from service.rounds.queries import hands, rounds
from service.texts.actions import get_metadata, set_metadata
from service.texts.queries import MetadataOwner, lock_metadata


def get_round_metadata(transaction: Transaction, round_id: UUID) -> Metadata:
    """Return the metadata of a round."""
    return get_metadata(transaction, MetadataOwner.of_round(round_id))


def get_round_with_metadata(transaction: Transaction, round_id: UUID) -> tuple[RoundView, Metadata]:
    """
    Return a round as it is now, with its metadata.

    Raises:
        NotFound: the round does not exist.
    """
    return get_round(transaction, round_id), get_round_metadata(transaction, round_id)


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

    The round is locked, because a correction moves metadata to the records that it makes.

    Raises:
        NotFound: the hand does not exist.
        HandConflict: a correction has replaced or removed the record.
    """
    owner = MetadataOwner.of_hand(hand_id, hands.get(transaction, hand_id).round_id)
    # In the order in which an erasure locks them.
    lock_metadata(transaction, owner)
    round_ = rounds.lock(transaction, hands.get(transaction, hand_id).round_id)
    stored = hands.get(transaction, hand_id)
    corrected = None if stored.in_force else hands.find_correction(transaction, round_.id, hand_id)
    if corrected is not None:
        raise HandConflict(
            f"{hand_id} is a record of hand {stored.hand.number} that was corrected in revision {corrected}; expected"
            " the ID of a hand of the round as it is now"
        )
    set_metadata(transaction, owner, metadata)
    return get_hand(transaction, hand_id)
