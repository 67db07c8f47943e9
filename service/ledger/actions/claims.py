"""Record that a player claims to have paid, and confirm, decline or withdraw what is claimed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from evidence.events import PaymentClaimDeclined, PaymentClaimed, PaymentClaimWithdrawn, PaymentRecorded
from evidence.texts import SaltedText
from schemas.base import ComparedMistake, show
from schemas.ledger.claims import ClaimState, PaymentClaim, PaymentClaimRequest, dump_payment_claim
from schemas.ledger.journal import EntryKind, account_of
from schemas.ledger.units import table_of
from schemas.money import Unit
from scoring.errors import Mistake
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import PaymentConflict, ScopeMissing
from service.ledger.actions.checks import (
    find_amount_unit,
    find_equal_claim,
    find_equal_payment,
    find_other_unit,
    find_same_player,
    find_too_much,
    find_unknown_players,
    find_unknown_round,
    find_unknown_unit,
    lock_reference,
    refuse_mistakes,
)
from service.ledger.actions.payments import RecordedPayment, replay_payment
from service.ledger.queries import claims, payments
from service.ledger.queries.balances import list_net_balances
from service.ledger.queries.claims import ClaimFilter
from service.players.queries.aliases import read_aliases
from service.rounds.actions.checks import find_time_mistakes

_MOST_PENDING: Final = 100
_COMPARED: Final = ("payer", "payee", "unit", "amount", "paid_at", "round")


@dataclass(frozen=True, slots=True)
class RecordedClaim:
    """
    A claim, recorded or ended now or by an earlier request.

    Attributes:
        claim: the claim as it is now.
        is_replay: whether the same request was recorded before.
        warnings: what may be a mistake in it.
    """

    claim: PaymentClaim
    is_replay: bool
    warnings: tuple[Mistake, ...] = ()


def claim_payment(transaction: Transaction, request: PaymentClaimRequest, key: str | None) -> RecordedClaim:
    """
    Record that a player claims to have paid. The same content under the same reference is one claim.

    Args:
        transaction: of the club, or of a link: that of a player claims payments of this player only.
        request: the payment.
        key: identifies the claim, if the request has no reference.

    Raises:
        ScopeMissing: the link is that of another player.
        WireError: it has no reference and no key, or names an unknown player, an unknown unit or an impossible time.
        PaymentConflict: a payment, a charge or another claim has this reference.
    """
    _refuse_others(transaction, request.payer)
    reference = lock_reference(transaction, request.reference, key)
    unit = find_amount_unit(transaction, request.unit)
    round_ = None if request.round is None else payments.find_round(transaction, request.round)
    event = PaymentClaimed(
        payer=request.payer,
        payee=request.payee,
        unit=request.unit,
        unit_digits=unit.digits if unit else 0,  # an unknown unit is refused below
        amount=request.amount,
        paid_at=request.paid_at or transaction.now,
        table=round_.table_id if round_ else table_of(request.unit) or transaction.table_id,
        round=request.round,
        reference=reference,
    )
    stored = claims.find_by_reference(transaction, reference)
    if stored is not None:
        _refuse_differences(stored, event, request)
        return RecordedClaim(stored, is_replay=True)
    payments.refuse_used_reference(transaction, reference)
    refuse_mistakes(
        *_find_unknown(transaction, request, unit),
        *find_unknown_round(request.round, round_),
        *find_other_unit(request.unit, round_),
        *find_time_mistakes(transaction.now, [(("paid_at",), request.paid_at)]),
    )
    warnings = _find_warnings(transaction, event, request)
    return RecordedClaim(claims.record(transaction, event), is_replay=False, warnings=warnings)


def confirm_payment_claim(transaction: Transaction, claim_id: UUID) -> RecordedPayment:
    """
    Record the payment that a player claims to have made. It has the reference of the claim.

    Raises:
        NotFound: the club has no claim with this ID.
        ScopeMissing: the link is of a player who is not the payee.
        PaymentConflict: the claim was declined or withdrawn.
    """
    claim = _lock(transaction, claim_id)
    claimed, outcome = claim.event, claim.outcome
    _refuse_others(transaction, claimed.payee)
    if outcome is not None:
        _refuse_other_outcome(claim, ClaimState.CONFIRMED)
        return replay_payment(transaction, payments.get(transaction, outcome.event_id, EntryKind.PAYMENT))
    event = PaymentRecorded(
        payer=claimed.payer,
        payee=claimed.payee,
        unit=claimed.unit,
        unit_digits=claimed.unit_digits,
        amount=claimed.amount,
        paid_at=claimed.paid_at,
        table=claimed.table,
        round=claimed.round,
        reference=claimed.reference,
        note=None,
        claim=claim.id,
    )
    paid_at = None if claimed.paid_at == claim.claimed_at else claimed.paid_at
    warnings = *find_equal_payment(transaction, event, paid_at), *find_too_much(transaction, event)
    return RecordedPayment(claims.confirm(transaction, claim, event), is_replay=False, warnings=warnings)


def decline_payment_claim(transaction: Transaction, claim_id: UUID, reason: str) -> RecordedClaim:
    """
    Record that a claim is not confirmed. A second time for the same reason is the first one.

    Raises:
        NotFound: the club has no claim with this ID.
        ScopeMissing: the link is of a player who is not the payee.
        PaymentConflict: the claim was confirmed or withdrawn, or declined for another reason.
    """
    claim = _lock(transaction, claim_id)
    _refuse_others(transaction, claim.event.payee)
    if claim.outcome is not None:
        _refuse_other_outcome(claim, ClaimState.DECLINED)
        if claim.outcome.reason not in (None, reason):
            raise _refuse_end(claim, "declined for another reason")
        return RecordedClaim(claim, is_replay=True)
    note = SaltedText.of(reason)
    event = PaymentClaimDeclined(claim=claim.id, reason=note.digest)
    outcome = claims.decline(transaction, claim, event, note)
    return RecordedClaim(replace(claim, outcome=outcome), is_replay=False)


def withdraw_payment_claim(transaction: Transaction, claim_id: UUID) -> RecordedClaim:
    """
    Record that the payer no longer claims to have paid.

    Raises:
        NotFound: the club has no claim with this ID.
        ScopeMissing: the link is of a player who is not the payer.
        PaymentConflict: the claim was confirmed or declined.
    """
    claim = _lock(transaction, claim_id)
    _refuse_others(transaction, claim.event.payer)
    if claim.outcome is not None:
        _refuse_other_outcome(claim, ClaimState.WITHDRAWN)
        return RecordedClaim(claim, is_replay=True)
    outcome = claims.withdraw(transaction, claim, PaymentClaimWithdrawn(claim=claim.id))
    return RecordedClaim(replace(claim, outcome=outcome), is_replay=False)


def list_payment_claims(
    transaction: Transaction,
    filter_: ClaimFilter,
    *,
    after: UUID | None = None,
    limit: int,
    oldest_first: bool = False,
) -> Page[PaymentClaim]:
    """List claims, newest first or the oldest first."""
    listed = claims.list_page(transaction, filter_, after=after, limit=limit + 1, oldest_first=oldest_first)
    return cut_page(listed, limit, lambda claim: claim)


def count_payment_claims(transaction: Transaction, filter_: ClaimFilter, limit: int) -> int:
    """Count claims up to a limit."""
    return claims.count(transaction, filter_, limit)


def get_payment_claim(transaction: Transaction, claim_id: UUID) -> PaymentClaim:
    """
    Return a claim.

    Raises:
        NotFound: the club has no claim with this ID.
    """
    return claims.get(transaction, claim_id)


def _lock(transaction: Transaction, claim_id: UUID) -> PaymentClaim:
    payments.lock(transaction, str(claim_id))
    return claims.get(transaction, claim_id)


def _refuse_others(transaction: Transaction, player: str | None) -> None:
    """
    Check that the link of a player is used for what this player may do.

    Raises:
        ScopeMissing: it is that of another player.
    """
    ids = () if transaction.player is None else read_aliases(transaction).ids_of(transaction.player)
    if ids and player not in ids:
        whose = "the house" if player is None else repr(player)
        raise ScopeMissing(
            f"the link is that of the player {transaction.player!r}, and this is for {whose}; expected a key or a"
            " scorekeeper's link with the scope 'write'"
        )


def _refuse_other_outcome(claim: PaymentClaim, expected: ClaimState) -> None:
    """
    Check how a claim ended.

    Raises:
        PaymentConflict: it ended otherwise.
    """
    if claim.state is not expected:
        raise _refuse_end(claim, f"{claim.state.value}; expected a pending claim")


def _refuse_end(claim: PaymentClaim, ended: str) -> PaymentConflict:
    """Return the error for a claim that has ended otherwise."""
    detail = f"the payment claim {claim.id} was {ended}"
    return PaymentConflict(detail, (Mistake("payment-claim-ended", ("path", "payment_claim_id"), detail),))


def _find_unknown(transaction: Transaction, request: PaymentClaimRequest, unit: Unit | None) -> Iterator[Mistake]:
    """
    List unknown players and units.

    A player's link also knows those with whom the player has to settle up, in the whole club.
    """
    owed = list_net_balances(transaction).get(unit, {}) if unit and transaction.player is not None else {}
    aliases = read_aliases(transaction)
    if not {aliases.player_of(account_of(each)) for each in (request.payer, request.payee)} <= owed.keys():
        yield from find_unknown_players(transaction, aliases, {"payer": request.payer, "payee": request.payee})
    yield from find_same_player(aliases, request.payer, request.payee)
    if not owed:
        yield from find_unknown_unit(transaction, request.unit, unit)


def _refuse_differences(stored: PaymentClaim, event: PaymentClaimed, request: PaymentClaimRequest) -> None:
    """
    Compare a claim with what was received under its reference.

    Raises:
        PaymentConflict: with every difference.
    """
    if request.paid_at is None and stored.event.paid_at == stored.claimed_at:
        event = replace(event, paid_at=stored.event.paid_at)
    was, now = dump_payment_claim(stored), dump_payment_claim(replace(stored, event=event))
    differences = [
        ComparedMistake(
            PaymentConflict.code,
            (field,),
            f"{show(was[field])} is recorded, {show(now[field])} was received",
            {"recorded": was[field], "received": now[field]},
        )
        for field in _COMPARED
        if was[field] != now[field]
    ]
    if differences:
        detail = f"the payment claim {stored.id} has the reference {event.reference!r}"
        raise PaymentConflict(
            f"{detail} and other content", (Mistake(PaymentConflict.code, ("reference",), detail), *differences)
        )


def _find_warnings(
    transaction: Transaction, event: PaymentClaimed, request: PaymentClaimRequest
) -> tuple[Mistake, ...]:
    """Return what may be a mistake in a claim: it can be claimed or recorded already, or be more than is owed."""
    pending = claims.list_page(transaction, ClaimFilter(ClaimState.PENDING, event.payer), limit=_MOST_PENDING)
    ids = read_aliases(transaction).ids_of(event.payer)
    own = [each.event.amount for each in pending if each.event.payer in ids and each.event.unit == event.unit]
    payment = PaymentRecorded(
        payer=event.payer,
        payee=event.payee,
        unit=event.unit,
        unit_digits=event.unit_digits,
        amount=event.amount,
        paid_at=event.paid_at,
        table=event.table,
        reference=event.reference,
        note=None,
    )
    return (
        *find_equal_payment(transaction, payment, request.paid_at),
        *find_equal_claim(transaction, event),
        *find_too_much(transaction, event, pending=sum(own)),
    )
