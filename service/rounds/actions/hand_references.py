"""Check and restore the references of hands, the client's own IDs."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from schemas.base import ComparedMistake, show
from schemas.hands import SubmittedHand
from scoring.errors import Mistake
from service.db import Transaction
from service.errors import HandConflict
from service.rounds.queries import hand_references as references

_PLACE: Final = ("reference",)


class HandReferences:
    """The references of hands that a transaction records, in any number of rounds."""

    def __init__(self, transaction: Transaction) -> None:
        """Begin without references."""
        self._transaction = transaction
        self._recorded: dict[str, tuple[UUID, int]] = {}

    def restore(self, submitted: SubmittedHand) -> SubmittedHand:
        """Return a hand that counts again with the reference that it had, unless it has another. Links set none."""
        if submitted.restores is None or submitted.reference is not None or self._transaction.is_link:
            return submitted
        return replace(submitted, reference=references.get(self._transaction, submitted.restores))

    def check(self, submitted: SubmittedHand) -> None:
        """
        Check that no hand in force has the reference of a hand, and lock it until the transaction ends.

        Raises:
            HandConflict: another hand has this reference.
        """
        if submitted.reference is None:
            return
        recorded = self._recorded.get(submitted.reference)
        taken = recorded or references.find(self._transaction, submitted.reference)
        if taken is not None:
            round_id, number = taken
            detail = f"the reference {submitted.reference!r} belongs to hand {number} of round {round_id}"
            raise HandConflict(detail, (Mistake(HandConflict.code, _PLACE, detail),))

    def add(self, round_id: UUID, submitted: SubmittedHand) -> None:
        """Add the reference of a hand that is recorded, if it has one."""
        if submitted.reference is not None:
            self._recorded[submitted.reference] = round_id, submitted.hand.number


def refuse_other_reference(recorded: str | None, received: str | None) -> None:
    """
    Check that a hand that was recorded before has the reference that a request has, if it has one.

    Raises:
        HandConflict: it has another one, or none.
    """
    if received not in (None, recorded):
        detail = f"{show(recorded)} is recorded, {show(received)} was received"
        values = {"recorded": recorded, "received": received}
        mistake = ComparedMistake(HandConflict.code, _PLACE, detail, values)
        raise HandConflict(f"`reference` of the hand: {detail}", (mistake,))
