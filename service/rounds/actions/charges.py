"""Charges that are recorded together with hands. The ledger records them; here is when."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol
from uuid import UUID

from schemas.base import WireError
from schemas.documents import RoundDocument
from schemas.hands import SubmittedHand
from service.errors import PaymentConflict
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange


class ChargeRecorder(Protocol):
    """Records the charges of hands, in the transaction in which the hands are recorded."""

    def read(self, hands: Iterable[tuple[UUID, SubmittedHand]]) -> None:
        """Read what is recorded of the charges of hands, each with its round, with one statement for all."""

    def prepare(self, round_: StoredRound, submitted: SubmittedHand, *, is_new: bool = False) -> Any:
        """Validate the charges of a hand that is recorded now, and return those to be added."""

    def add(self, change: RoundChange, charges: Any) -> None:
        """Add charges to the change that records their hand."""

    def compare(self, round_id: UUID, submitted: SubmittedHand) -> None:
        """Check that the charges of a hand that is recorded already are those recorded of it."""


def add_charges(change: RoundChange, document: RoundDocument, charges: ChargeRecorder) -> None:
    """
    Add the charges of the hands of a new round.

    Raises:
        WireError: a charge is invalid; the mistake has its path in the document.
    """
    for index, submitted in enumerate(document.hands):
        if submitted.charges:
            with _in_hand(index):
                charges.add(change, charges.prepare(change.before, submitted, is_new=True))


def compare_charges(round_id: UUID, document: RoundDocument, charges: ChargeRecorder) -> None:
    """
    Check that the charges of the hands of a repeated document are those recorded of them.

    Raises:
        PaymentConflict: those of a hand differ; the mistakes have their paths in the document.
    """
    charges.read((round_id, submitted) for submitted in document.hands)
    for index, submitted in enumerate(document.hands):
        if submitted.charges:
            with _in_hand(index):
                charges.compare(round_id, submitted)


@contextmanager
def _in_hand(index: int) -> Iterator[None]:
    """Prefix the paths of mistakes with a hand of the document."""
    try:
        yield
    except WireError as error:
        raise WireError(tuple(mistake.under("hands", index) for mistake in error.mistakes)) from error
    except PaymentConflict as error:
        mistakes = tuple(mistake.under("hands", index) for mistake in error.mistakes)
        raise PaymentConflict(str(error), mistakes) from error
