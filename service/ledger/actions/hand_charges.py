"""Record charges of the house together with the hands that they are for."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple
from uuid import UUID

from evidence.events import ChargeRecorded
from evidence.texts import SaltedText
from schemas.base import WireError
from schemas.hands import SubmittedHand
from schemas.ledger.hand_charges import HandCharge, reference_of
from schemas.ledger.payments import Recorded
from schemas.ledger.settling import worth_of
from schemas.ledger.units import table_of
from schemas.money import Unit
from scoring.errors import Mistake
from service.db import Transaction
from service.errors import PaymentConflict, ScopeMissing
from service.ledger.actions.checks import find_amount_unit, find_other_table, find_unknown_players, find_unknown_unit
from service.ledger.actions.payments import find_differences
from service.ledger.queries import payments
from service.ledger.queries.payments import StoredRecord
from service.players.queries.aliases import Aliases, read_aliases
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange

_CHARGES: Final = "charges"


class PreparedCharge(NamedTuple):
    """A charge to be recorded."""

    event: ChargeRecorded
    reason: SaltedText


class HandCharges:
    """Records the charges of hands beside them, and compares those of repeated hands with what is recorded."""

    def __init__(self, transaction: Transaction) -> None:
        """Begin in the transaction in which the hands are recorded."""
        self._transaction = transaction
        self._stored: dict[str, StoredRecord] = {}
        self._read: set[str] = set()
        self._units: dict[str, Unit | None] = {}

    def read(self, hands: Iterable[tuple[UUID, SubmittedHand]]) -> None:
        """Read what is recorded of the charges of hands, each with its round, with one statement for all."""
        self._find([reference for each in hands for reference in _list_references(*each)])

    def prepare(self, round_: StoredRound, submitted: SubmittedHand, *, is_new: bool = False) -> list[PreparedCharge]:
        """
        Validate the charges of a hand that is recorded now, and return those to be added.

        There are none to be added if the same charges are recorded of an earlier hand with its number, which was
        undone.

        Args:
            round_: the round.
            submitted: the hand.
            is_new: whether the round is recorded now too, so that nothing can be recorded of its hands.

        Raises:
            ScopeMissing: the request has a link.
            WireError: a charge names an unknown player or unit.
            PaymentConflict: other charges are recorded under one of the references, or one was taken back.
        """
        if not submitted.charges:
            return []
        self._refuse_link()
        stored = {} if is_new else self._find(_list_references(round_.id, submitted))
        if stored:
            self.compare(round_.id, submitted)
            self._refuse_reversed(stored.values())
            return []
        units = [self._find_unit(round_, charge.unit) for charge in submitted.charges]
        mistakes = tuple(self._find_mistakes(round_, submitted.charges, units))
        if mistakes:
            raise WireError(mistakes)
        number = submitted.hand.number
        return [
            _prepare(charge, unit.digits, round_.id, round_.table_id, reference_of(round_.id, number, place))
            for place, (charge, unit) in enumerate(zip(submitted.charges, units, strict=True), 1)
            if unit is not None  # an unknown unit is refused above
        ]

    def add(self, change: RoundChange, charges: Iterable[PreparedCharge]) -> None:
        """Add charges to the change that records their hand."""
        for event, reason in charges:
            entry_id = payments.add(self._transaction, change.records, event, reason)
            recorded = Recorded(entry_id, self._transaction.now, event)
            self._stored[event.reference] = StoredRecord(recorded, reason.text)

    def compare(self, round_id: UUID, submitted: SubmittedHand) -> None:
        """
        Check that the charges of a hand that is recorded already are those recorded of it; a hand can omit them.

        Raises:
            ScopeMissing: the request has a link.
            PaymentConflict: they differ; every difference is listed.
        """
        if not submitted.charges:
            return
        self._refuse_link()
        *references, following = _list_references(round_id, submitted)
        stored = self._find([*references, following])
        mistakes = list(_find_differences(round_id, submitted.charges, references, stored))
        if following in stored:
            detail = f"has {len(submitted.charges)} items, and more charges are recorded of the hand"
            mistakes.append(Mistake(PaymentConflict.code, (_CHARGES,), detail))
        if mistakes:
            detail = (
                f"hand {submitted.hand.number} of round {round_id} is recorded with other charges; omit `charges`, and"
                " record or take back single charges instead"
            )
            raise PaymentConflict(detail, tuple(mistakes))

    def _refuse_link(self) -> None:
        if self._transaction.is_link:
            raise ScopeMissing("a link cannot record charges, which are owed in the whole club; expected a key")

    def _refuse_reversed(self, stored: Iterable[StoredRecord]) -> None:
        """Raise if a charge that is recorded already was taken back, so that it does not count."""
        mistakes = tuple(
            Mistake("payment-reversed", (_CHARGES, index), f"the charge {each.recorded.id} was taken back")
            for index, each in enumerate(stored)
            if payments.find_reversal(self._transaction, each.recorded.id) is not None
        )
        if mistakes:
            detail = "charges of an earlier hand with this number were taken back; omit `charges`, and record others"
            raise PaymentConflict(f"{detail} with POST /v1/charges", mistakes)

    def _find(self, references: Sequence[str]) -> dict[str, StoredRecord]:
        """Find what is recorded under references; what was read before is not read again."""
        unread = [reference for reference in references if reference not in self._read]
        if unread:
            self._stored |= payments.list_by_references(self._transaction, unread)
            self._read.update(unread)
        return {reference: self._stored[reference] for reference in references if reference in self._stored}

    def _find_unit(self, round_: StoredRound, code: str) -> Unit | None:
        """Find the unit of a charge; nothing is read for the unit of its round."""
        own = worth_of(round_.point_value, round_.unit, str(round_.table_id)).amount_unit
        if code == own.code:
            return own
        if code not in self._units:
            self._units[code] = find_amount_unit(self._transaction, code)
        return self._units[code]

    @cached_property
    def _aliases(self) -> Aliases:
        return read_aliases(self._transaction)

    def _find_mistakes(
        self, round_: StoredRound, charges: Sequence[HandCharge], units: Sequence[Unit | None]
    ) -> Iterator[Mistake]:
        """List what is wrong with charges of a round; nothing is read for players of the round and its own unit."""
        seated = {seat.player for seat in round_.round.seats}
        for index, (charge, unit) in enumerate(zip(charges, units, strict=True)):
            mistakes: list[Mistake] = []
            if charge.player not in seated:
                mistakes += find_unknown_players(self._transaction, self._aliases, {"player": charge.player})
            has_no_value = round_.point_value is None and table_of(charge.unit) == round_.table_id
            if not has_no_value:
                mistakes += find_unknown_unit(self._transaction, charge.unit, unit)
                mistakes += find_other_table(charge.unit, round_.table_id)
            yield from (mistake.under(_CHARGES, index) for mistake in mistakes)


def _list_references(round_id: UUID, submitted: SubmittedHand) -> list[str]:
    """List the references of the charges of a hand, and the one after them, under which nothing may be recorded."""
    count = len(submitted.charges)
    return [reference_of(round_id, submitted.hand.number, place) for place in range(1, count + 2)] if count else []


def _prepare(
    charge: HandCharge, unit_digits: int, round_id: UUID, table_id: UUID | None, reference: str
) -> PreparedCharge:
    reason = SaltedText.of(charge.reason)
    event = ChargeRecorded(
        player=charge.player,
        unit=charge.unit,
        unit_digits=unit_digits,
        amount=charge.amount,
        table=table_id,
        round=round_id,
        reference=reference,
        reason=reason.digest,
    )
    return PreparedCharge(event, reason)


def _find_differences(
    round_id: UUID, charges: Iterable[HandCharge], references: Iterable[str], stored: dict[str, StoredRecord]
) -> Iterator[Mistake]:
    """List the differences of charges from those recorded under their references."""
    for index, (charge, reference) in enumerate(zip(charges, references, strict=True)):
        recorded = stored.get(reference)
        if recorded is None:
            yield Mistake(PaymentConflict.code, (_CHARGES, index), "is not recorded of the hand")
            continue
        was = recorded.recorded.event
        event = _prepare(charge, was.unit_digits, round_id, was.table, reference).event
        for mistake in find_differences(recorded, event, None, charge.reason):
            yield mistake.under(_CHARGES, index)
