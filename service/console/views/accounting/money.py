"""Money: what everyone owes in the end, who pays whom, and the payments and charges that were recorded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID, uuid4

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import WireError, load
from schemas.ledger.balances import Balance, UnitBalances
from schemas.ledger.claims import ClaimState
from schemas.ledger.journal import EntryKind, player_of
from schemas.ledger.payments import ChargeRequestSchema, PaymentRequestSchema, ReversalRequestSchema
from schemas.ledger.settling import worth_of
from schemas.ledger.units import UnitField, table_of
from schemas.money import Unit, show_decimal
from scoring.settle_up import Payment
from service.clubs.scopes import KeyScope
from service.console.views.exports import Column
from service.console.views.listing import NAME, Filter, Listing, Query, Sum, by_time, read_list, send_list_file
from service.console.views.navigation.finding import PLAYER
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import console_state, read_form
from service.db import Transaction
from service.db.pages import Page
from service.errors import NotFound, PaymentConflict
from service.http.authentication import current_transaction
from service.http.formats import format_amount
from service.http.request_state import current_request
from service.ledger.actions.balances import get_balances
from service.ledger.actions.checks import read_form_amount
from service.ledger.actions.claims import list_payment_claims
from service.ledger.actions.payments import (
    RecordedPayment,
    count_payments,
    get_payment,
    list_payments,
    record_charge,
    record_payment,
    reverse_charge,
    reverse_payment,
    sum_payments,
)
from service.ledger.queries.balances import list_tables_of_points
from service.ledger.queries.claims import ClaimFilter
from service.ledger.queries.payments import ListedRecord
from service.players.actions import list_names
from service.tables.actions import list_tables
from service.units.queries import list_all as list_defined

_MOST_TABLES: Final = 100
_MOST_LISTS: Final = 10
"""With more tables than so many whose points have no value, each has a page of its own."""
_MOST_LINES: Final = 200
_FEWEST_LINES: Final = 20
_MOST_CLAIMS: Final = 20
"""The number of balances on a page, which the units share equally, and the number that each has at least."""
_PAYMENT: Final = PaymentRequestSchema()
_CHARGE: Final = ChargeRequestSchema()
_REVERSAL: Final = ReversalRequestSchema()
_REVERSE: Final = {EntryKind.PAYMENT.value: reverse_payment, EntryKind.CHARGE.value: reverse_charge}


def _read_payments(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Page[ListedRecord]:
    return list_payments(
        transaction,
        player=query["player"],
        unit=query["unit"],
        after=after,
        limit=limit,
        oldest_first=query["sort"] == "oldest",
    )


def _count_payments(transaction: Transaction, query: Query, limit: int) -> int:
    return count_payments(transaction, player=query["player"], unit=query["unit"], limit=limit)


def _sum_payments(transaction: Transaction, query: Query) -> Sequence[Sum]:
    """Return the sums of what was not taken back; amounts of different units are never added."""
    sums = sum_payments(transaction, player=query["player"], unit=query["unit"])
    return [(f"{kind.value.capitalize()}s", format_amount(amount, unit)) for kind, amount, unit in sums]


def _players_of(row: ListedRecord) -> Iterator[str]:
    yield from filter(None, (row.payer, row.payee))


PAYMENTS: Final = Listing[ListedRecord](
    name="payments",
    title="Money",
    label="Payments and charges",
    columns=(
        Column("recorded_at", lambda row: row.recorded.recorded_at, "Recorded", style="whole"),
        Column("kind", lambda row: row.kind.value, "Entry", "recorded_kind"),
        Column("payer", lambda row: row.payer, "From", "recorded_payer"),
        Column("payee", lambda row: row.payee, "To", "recorded_payee"),
        Column(
            "amount",
            lambda row: show_decimal(row.recorded.event.amount, row.unit),
            "Amount",
            "recorded_amount",
            style="figure",
            is_decimal=True,
        ),
        Column("unit", lambda row: row.unit.code),
        Column("reference", lambda row: row.recorded.event.reference, "Reference"),
        Column("note", lambda row: row.note),
        Column("id", lambda row: row.id),
        Column("reversed_at", lambda row: row.reversed_at),
        Column("action", heading="", cell="recorded_action", in_files=False),
    ),
    read=_read_payments,
    none="No payments or charges are recorded.",
    no_match="No payments or charges match the filter.",
    rows=("entry", "entries"),
    orders=by_time("recorded_at"),
    count=_count_payments,
    sums=_sum_payments,
    filters=(
        Filter("player", label="Player", attributes=NAME, finder=PLAYER),
        Filter("unit", UnitField(), "Unit, or ID of a table", attributes={**NAME, "list": "units"}),
    ),
    players=_players_of,
)


@console.get("/money")
@console_page(KeyScope.READ)
def show_money(claim_id: UUID | None = None) -> str | Response:
    """
    Render the balances, who pays whom, and the payments and charges, newest first, or send these as a file.

    Args:
        claim_id: a claim that could not be confirmed, when the page is shown again.
    """
    # A form that was refused shows this page again, at another address.
    console_state().page_path = url_for("console.show_money")
    file = send_list_file(PAYMENTS)
    if file is not None:
        return file
    shown = read_list(PAYMENTS)
    transaction, query = current_transaction(), shown.query
    unlisted = list_tables_of_points(transaction, query["player"])
    if query["unit"] is not None or len(unlisted) <= _MOST_LISTS:
        unlisted = []
    others = [str(table.id) for table in unlisted]
    view = get_balances(transaction, player=query["player"], unit=query["unit"], other_units=others)
    most = max(_FEWEST_LINES, _MOST_LINES // max(1, len(view.units)))
    units = [ShownUnit(each, most) for each in view.units]
    claims = list_payment_claims(transaction, ClaimFilter(ClaimState.PENDING, query["player"]), limit=_MOST_CLAIMS)
    players = {name for unit in units for name in unit.players}
    players.update(name for claim in claims.items for name in (claim.event.payer, claim.event.payee) if name)
    return render(
        "money.html",
        title=PAYMENTS.title,
        shown=shown,
        view=view,
        units=units,
        claims=claims,
        unlisted=unlisted,
        display_names={**shown.display_names, **list_names(transaction, players)},
        suggested=sorted(players),
        offered=_list_units(transaction, {each.unit: each.table_name for each in view.units}),
        new_reference=lambda: str(uuid4()),
        reference_of=_find_reference,
        player_of=player_of,
        show_decimal=show_decimal,
    )


def _find_reference(sent: Mapping[str, str]) -> str:
    """
    Return the reference of a form: the one that was sent, so that what was recorded is not recorded again.

    A new form has a new one, and so has a form that was refused because another payment or charge has the reference.
    """
    is_taken = current_request().problem == PaymentConflict.code
    return str(uuid4()) if is_taken else sent.get("reference") or str(uuid4())


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """
    The balances in one unit that a page shows, of those who are owed or owe most.

    Attributes:
        whole: all balances in the unit.
        most: the number of balances, and of payments, that the page shows.
    """

    whole: UnitBalances
    most: int

    @property
    def name(self) -> str:
        """The unit in words."""
        code = self.whole.unit.code
        return code if table_of(code) is None else f"Points at {self.whole.table_name or code}"

    @property
    def balances(self) -> Sequence[Balance]:
        """The balances, the highest first."""
        largest = sorted(self.whole.balances, key=lambda each: -abs(each.total))[: self.most]
        return sorted(largest, key=lambda each: -each.total)

    @property
    def payments(self) -> Sequence[Payment]:
        """The payments that settle all balances in the unit, the largest first."""
        return sorted(self.whole.settled.payments, key=lambda paid: -paid.amount)[: self.most]

    @property
    def players(self) -> set[str]:
        """The players of the balances and payments."""
        named = {each.account for each in self.balances}
        named.update(account for paid in self.payments for account in (paid.payer, paid.payee))
        return {name for account in named if (name := player_of(account)) is not None}


def _list_units(transaction: Transaction, known: Mapping[Unit, str | None]) -> list[tuple[str, str]]:
    """Return the units that forms offer, with their names: those of the journal, of the tables and of the club."""
    tables = {unit.code: table for unit, table in known.items()}
    for table in list_tables(transaction, limit=_MOST_TABLES).items:
        code = worth_of(table.point_value, table.unit, table.id).amount_unit.code
        tables.setdefault(code, table.name)
    for defined in list_defined(transaction):
        tables.setdefault(defined.unit.code, None)
    return [(code, code if table_of(code) is None else f"points at {table or code}") for code, table in tables.items()]


@console.post("/money/payments")
@console_form(KeyScope.WRITE, show_again=show_money)
def save_payment() -> BaseResponse:
    """Record a payment under the reference of its form, so that the form sent twice is one payment."""
    form = _read_fields("payer", "payee", "unit", "note", "reference")
    request = load(_PAYMENT, {"payer": None, "payee": None, **form, "amount": _read_amount(form)})
    ask_about(record_payment(current_transaction(), request, None))
    return redirect(url_for("console.show_money"), HTTPStatus.SEE_OTHER)


@console.post("/money/charges")
@console_form(KeyScope.WRITE, show_again=show_money)
def save_charge() -> BaseResponse:
    """Record a charge under the reference of its form."""
    form = _read_fields("player", "unit", "reason", "reference")
    ask_about(record_charge(current_transaction(), load(_CHARGE, {**form, "amount": _read_amount(form)}), None))
    return redirect(url_for("console.show_money"), HTTPStatus.SEE_OTHER)


def ask_about(recorded: RecordedPayment) -> None:
    """
    Refuse what may be a mistake, unless the form says that it is none.

    Two people can have the page open, and both record what it proposes.

    Raises:
        WireError: there are warnings; the transaction is rolled back.
    """
    if recorded.warnings and not recorded.is_replay and read_form().get("anyway") != "yes":
        raise WireError(recorded.warnings)


@console.get("/money/<kind>/<uuid:entry_id>/reversal")
@console_page(KeyScope.WRITE)
def confirm_reversal(kind: str, entry_id: UUID) -> str:
    """Render the page that asks why a payment or charge is taken back."""
    stored = get_payment(current_transaction(), entry_id, _read_kind(kind))
    listed = ListedRecord(stored.recorded, stored.note, None, None)
    names = list_names(current_transaction(), _players_of(listed))
    return render("reverse_payment.html", row=listed, display_names=names)


@console.post("/money/<kind>/<uuid:entry_id>/reversal")
@console_form(KeyScope.WRITE, show_again=confirm_reversal)
def save_reversal(kind: str, entry_id: UUID) -> BaseResponse:
    """Take back a payment or charge, and show the balances."""
    reason: str = load(_REVERSAL, _read_fields("reason"))
    _REVERSE[_read_kind(kind).value](current_transaction(), entry_id, reason)
    return redirect(url_for("console.show_money"), HTTPStatus.SEE_OTHER)


def _read_kind(kind: str) -> EntryKind:
    """
    Return whether an address is that of a payment or of a charge.

    Raises:
        NotFound: it is that of neither.
    """
    if kind not in _REVERSE:
        raise NotFound(f"there are no entries of the kind {kind[:80]!r} to take back")
    return EntryKind(kind)


def _read_fields(*names: str) -> dict[str, str]:
    """Return the fields of the form that are not empty."""
    form = read_form()
    return {name: value for name in names if (value := form.get(name, "").strip())}


def _read_amount(form: Mapping[str, Any]) -> int | str:
    """
    Return the amount of the form in minor units of its unit.

    Raises:
        WireError: it is no amount of the unit.
    """
    return read_form_amount(current_transaction(), read_form().get("amount", ""), form.get("unit", ""))
