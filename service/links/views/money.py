"""What a player owes and is owed, on the pages of the player's link, and the forms by which payments are claimed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from evidence.events import PaymentRecorded
from schemas.base import WireError, load
from schemas.ledger.claims import PaymentClaim, PaymentClaimDeclineRequestSchema, PaymentClaimRequestSchema
from schemas.ledger.journal import EntryKind, account_of, player_of
from schemas.ledger.units import table_of
from schemas.money import Unit, show_decimal
from schemas.problems import refuse
from schemas.sentences import sentences_of
from scoring.errors import Mistake, ScoringError
from service.db import Transaction
from service.errors import NotFound, PaymentConflict, ScopeMissing, ServiceError
from service.http.formats import format_amount, format_day, format_money, format_money_won
from service.http.language import current_translations, gettext
from service.ledger.actions.checks import read_form_amount
from service.ledger.actions.claims import (
    claim_payment,
    confirm_payment_claim,
    decline_payment_claim,
    withdraw_payment_claim,
)
from service.ledger.actions.player_account import OwnUnit, PlayerAccount, read_player_account
from service.ledger.actions.round_totals import RoundTotals, sum_up_round
from service.ledger.queries.journal import RoundEntry
from service.ledger.queries.payments import ListedRecord

REFUSALS: Final = (PaymentConflict, ScopeMissing, ScoringError, WireError)
"""What is refused in a form about money, and explained on the page."""
_CLAIM: Final = PaymentClaimRequestSchema()
_DECLINE: Final = PaymentClaimDeclineRequestSchema()
_REPEATED: Final = ("action", "claim", "payee", "unit", "amount", "reference", "round")


class Doubtful(WireError):
    """A form may be a mistake, and is recorded only if the player sends it again."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """
    Why a form about money was refused.

    Attributes:
        error: what was refused.
        form: the fields that were sent.
    """

    error: ServiceError | ScoringError | WireError
    form: Mapping[str, str]

    @property
    def sentences(self) -> Sequence[str]:
        """The reasons as sentences for players."""
        return list(sentences_of(refuse(self.error), words=current_translations()))

    @property
    def question(self) -> Mapping[str, str]:
        """The fields with which the form can be sent again; none if it was not only doubtful."""
        if not isinstance(self.error, Doubtful):
            return {}
        return {name: self.form[name] for name in _REPEATED if name in self.form}


@dataclass(frozen=True, slots=True)
class OpenPayment:
    """
    A payment that the player is to make.

    Attributes:
        payee: None for the house.
        amount: what is to be paid, as people read it.
        left: the part that the player does not claim to have paid, as a decimal number; empty if there is none.
    """

    payee: str | None
    unit: str
    amount: str
    left: str
    left_shown: str
    reference: str = field(default_factory=lambda: str(uuid4()))


@dataclass(frozen=True, slots=True)
class OwnMoney:
    """
    The part of a page about the money of its player.

    Attributes:
        account: what the player owes and is owed.
        zone: the time zone of the club.
        address: the URL to which forms are sent.
        round_id: the round of the page, to which a form leads back; None for the page of the table.
        refusal: why the last form was refused.
    """

    account: PlayerAccount
    zone: ZoneInfo
    address: str
    round_id: UUID | None = None
    refusal: Refusal | None = None

    @property
    def you(self) -> str:
        """The player."""
        return self.account.player

    @property
    def open_payments(self) -> Sequence[OpenPayment]:
        """The payments that the player is to make."""
        return [
            OpenPayment(
                player_of(each.payee),
                own.unit.code,
                self._show_in(own, each.amount),
                show_decimal(left, own.unit) if left > 0 else "",
                self._show_in(own, left),
            )
            for own in self.account.units
            for each in own.owes
            for left in [each.amount - self.account.sum_pending(own.unit, each.payee)]
        ]

    @property
    def owed(self) -> Sequence[tuple[str | None, str]]:
        """The payments that others are to make to the player: who, and the amount."""
        return [
            (player_of(each.payer), self._show_in(own, each.amount)) for own in self.account.units for each in own.owed
        ]

    def show(self, amount: int, unit: Unit) -> str:
        """Return an amount for people."""
        return format_amount(amount, unit)

    def show_change(self, entry: RoundEntry) -> str:
        """Return by how much an adjustment changes what the player is owed."""
        return format_money_won(sum(entry.amounts.get(each, 0) for each in self.account.ids), entry.unit)

    def show_day(self, at: datetime) -> str:
        """Return a day for people."""
        return format_day(at, self.zone)

    def is_payment(self, listed: ListedRecord) -> bool:
        """Return whether something is a payment, and no charge."""
        return listed.kind is EntryKind.PAYMENT

    def moment_of(self, listed: ListedRecord) -> datetime:
        """Return when a payment was paid, or a charge recorded."""
        event = listed.recorded.event
        return event.paid_at if isinstance(event, PaymentRecorded) else listed.recorded.recorded_at

    def is_to_you(self, claim: PaymentClaim) -> bool:
        """Return whether a claim is that the player was paid."""
        return claim.event.payee in self.account.ids

    def _show_in(self, own: OwnUnit, amount: int) -> str:
        """Return an amount for people, with the table of its points."""
        shown = self.show(amount, own.unit)
        if table_of(own.unit.code) is None:
            return shown
        if own.table_name:
            return gettext("%(amount)s at %(table)s", amount=shown, table=own.table_name)
        return gettext("%(amount)s at another table", amount=shown)


def read_money(
    transaction: Transaction,
    zone: ZoneInfo,
    address: str,
    *,
    round_id: UUID | None = None,
    refusal: Refusal | None = None,
) -> OwnMoney | None:
    """
    Read the money of the player of a link; None if the link is not personal.

    Args:
        transaction: of the link.
        zone: the time zone of the club.
        address: the URL to which forms are sent.
        round_id: the round of the page, if it is one.
        refusal: why the last form was refused.
    """
    if transaction.player is None:
        return None
    return OwnMoney(read_player_account(transaction), zone, address, round_id, refusal)


@dataclass(frozen=True, slots=True)
class ShownTotals:
    """The part of the page of a round about what it adds to what is owed."""

    totals: RoundTotals
    zone: ZoneInfo

    @property
    def players(self) -> Sequence[tuple[str | None, str, Sequence[str], str]]:
        """Of each player the total, what corrections added, and what was paid or received for the round."""
        return [
            (
                player_of(account),
                format_money_won(self.totals.totals.get(account, 0), self.totals.unit),
                [self._show_change(*change) for change in self.totals.list_changes(account)],
                self._show_paid(self.totals.paid.get(account, 0)),
            )
            for account in self.totals.accounts
        ]

    def _show_change(self, entry: RoundEntry, amount: int) -> str:
        reason = f": {entry.reason}" if entry.reason else ""
        day = format_day(entry.posted_at, self.zone)
        shown = format_money_won(amount, self.totals.unit)
        return gettext("%(amount)s by the correction of %(day)s", amount=shown, day=day) + reason

    def _show_paid(self, amount: int) -> str:
        if not amount:
            return ""
        shown = format_money(abs(amount), self.totals.unit)
        if amount > 0:
            return gettext("paid %(amount)s so far", amount=shown)
        return gettext("received %(amount)s so far", amount=shown)


def read_totals(transaction: Transaction, round_id: UUID, revision: int, zone: ZoneInfo) -> ShownTotals | None:
    """Read what a round adds, if it was corrected after it had ended, or something was paid for it; else None."""
    totals = sum_up_round(transaction, round_id, revision)
    return ShownTotals(totals, zone) if totals and (totals.changes or totals.payments) else None


def change_money(transaction: Transaction, form: Mapping[str, str]) -> None:
    """
    Claim, confirm, decline or withdraw a payment for a player.

    Raises:
        NotFound: the link is not a player's, or the form is unknown.
        Doubtful: it may be a mistake, and the form does not say that it is none.
        PaymentConflict, ScopeMissing, WireError: it is refused.
    """
    action, player = form.get("action"), transaction.player
    if player is None or action not in ("paid", "received", "not-received", "withdraw"):
        raise NotFound("the link is not for a player")
    if action == "paid":
        claimed = claim_payment(transaction, load(_CLAIM, _read_claim(transaction, player, form)), None)
        _ask_about(claimed.warnings, form, is_replay=claimed.is_replay)
        return
    claim_id = _read_id(form.get("claim", ""))
    if action == "received":
        recorded = confirm_payment_claim(transaction, claim_id)
        _ask_about(recorded.warnings, form, is_replay=recorded.is_replay)
    elif action == "not-received":
        decline_payment_claim(transaction, claim_id, load(_DECLINE, {"reason": form.get("reason", "").strip()}))
    else:
        withdraw_payment_claim(transaction, claim_id)


def _read_claim(transaction: Transaction, player: str, form: Mapping[str, str]) -> dict[str, Any]:
    unit = form.get("unit", "")
    return {
        "payer": player,
        "payee": player_of(account_of(form.get("payee") or None)),
        "unit": unit,
        "amount": read_form_amount(transaction, form.get("amount", ""), unit),
        "reference": form.get("reference", ""),
    }


def _ask_about(warnings: tuple[Mistake, ...], form: Mapping[str, str], *, is_replay: bool) -> None:
    """
    Refuse what may be a mistake, unless the form says that it is none.

    Raises:
        Doubtful: there are warnings; the transaction is rolled back.
    """
    if warnings and not is_replay and form.get("anyway") != "yes":
        raise Doubtful(warnings)


def _read_id(written: str) -> UUID:
    """
    Parse the ID of a claim.

    Raises:
        NotFound: it is not an ID.
    """
    try:
        return UUID(written)
    except ValueError:
        raise NotFound(f"there is no payment claim {written[:80]!r}") from None
