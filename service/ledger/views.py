"""The ledger of a club, its balances and statements, and the payments and charges that people record."""

from collections.abc import Iterable
from http import HTTPStatus
from itertools import chain
from typing import Any, Final
from uuid import UUID

from flask import Response

from schemas.ledger.balances import BalancesQuerySchema, BalancesSchema, dump_balances
from schemas.ledger.claims import (
    PaymentClaimDeclineRequestSchema,
    PaymentClaimPageSchema,
    PaymentClaimQuerySchema,
    PaymentClaimRequest,
    PaymentClaimRequestSchema,
    PaymentClaimSchema,
    dump_payment_claim,
)
from schemas.ledger.club_statements import (
    ClubStatementQuerySchema,
    ClubStatementSchema,
    dump_club_statement,
    dump_statement_rows,
)
from schemas.ledger.ledger_lines import (
    LEDGER_HEADER,
    LedgerPageSchema,
    LedgerQuerySchema,
    dump_ledger_line,
    dump_ledger_rows,
)
from schemas.ledger.payments import (
    ChargeRequest,
    ChargeRequestSchema,
    PaymentRequest,
    PaymentRequestSchema,
    RecordedChargeSchema,
    RecordedPaymentSchema,
    ReversalRequestSchema,
    ReversalSchema,
    dump_recorded,
    dump_reversal,
)
from schemas.pages import DEFAULT
from service.clubs.actions import get_club
from service.clubs.scopes import KeyScope, has_scope
from service.http.authentication import Reach, current_key, current_transaction
from service.http.idempotency import read_idempotency_key
from service.http.parquet import PARQUET, PARQUET_FILE, refuse_for_form, respond_parquet
from service.http.resource import JSON, Resource
from service.http.responses import (
    CSV,
    MEDIA_TYPE,
    NEXT_PAGE,
    REPLAYED,
    best_media_type,
    created_response,
    json_response,
    next_page_link,
    respond_page,
)
from service.http.streams import reserve_stream
from service.ledger.actions.balances import get_balances
from service.ledger.actions.claims import (
    claim_payment,
    confirm_payment_claim,
    decline_payment_claim,
    list_payment_claims,
    withdraw_payment_claim,
)
from service.ledger.actions.journal import export_ledger, export_ledger_parquet, list_ledger
from service.ledger.actions.payments import record_charge, record_payment, reverse_charge, reverse_payment
from service.ledger.actions.statements import get_club_statement
from service.ledger.queries.claims import ClaimFilter
from service.ledger.queries.journal import JournalFilter
from service.rounds.queries.round_filter import RoundFilter

ledger = Resource("ledger", __name__, description="The journal of a club, for its books, and its statements.")
payments = Resource("payments", __name__, description="Payments of players, and charges of the house.")

_CSV: Final = {"content": {CSV: {"schema": {"type": "string"}}}}


@ledger.route("/v1/ledger", methods=["GET"])
@ledger.operation("list_ledger", KeyScope.READ, forms=(JSON, CSV, PARQUET))
@ledger.arguments(LedgerQuerySchema, location="query")
@ledger.response(200, LedgerPageSchema, headers=NEXT_PAGE)
@ledger.doc(responses={HTTPStatus.OK: {"content": {**_CSV["content"], **PARQUET_FILE}}})
def get_ledger(query: dict[str, Any]) -> Response:
    """
    List the journal of the club in the order in which it was written, as lines that say who owes whom how much.

    A round is in the journal from its end: the settlement has a line for each payment between two players, also those
    that the caps reduced to nothing. Later corrections and undos add entries of what they changed. A line that was
    listed with a `position` never changes, except the name of its table, its note and whether its round is final.

    `next_cursor` is there on the last page too: with it, a client lists later what was written since. Lines whose
    `position` is null are listed again when they have one, under the same `id` and `line`.

    With `Accept: text/csv` the response is CSV (RFC 4180, UTF-8, with a header) as of one moment, with amounts of money
    as decimal numbers. An apostrophe precedes a text that a spreadsheet would run as a formula, unless `ids` is `raw`.

    With `Accept: application/vnd.apache.parquet`, the response is a Parquet file of all lines as of one moment with the
    fields of the JSON, if the service is installed with the extra `parquet` (406).
    """
    media_type = best_media_type((MEDIA_TYPE, CSV, PARQUET))
    if media_type == PARQUET:
        refuse_for_form({"limit": query["limit"], "ids": query["raw"]}, ("limit", "ids"), PARQUET)
    after, limit, raw = query.pop("cursor"), query.pop("limit"), query.pop("raw")
    transaction = current_transaction()
    filter_ = JournalFilter(**get_club(transaction).period(query))
    is_audited = has_scope(current_key().scopes, (KeyScope.AUDIT,))
    if media_type == PARQUET:
        reserve_stream()
        file = export_ledger_parquet(transaction, filter_, after=after, is_audited=is_audited)
        return respond_parquet(file, f"{MEDIA_TYPE!r}, {CSV!r}")
    if media_type == CSV and limit is None:
        reserve_stream()
        # Read the first block before the response begins, so that most errors still get a problem document.
        blocks = export_ledger(transaction, filter_, after=after, raw=raw)
        head = [next(blocks), next(blocks, b"")]
        return _csv_response(chain([b"".join(head)], blocks), {})
    page = list_ledger(transaction, filter_, after=after, limit=limit or DEFAULT)
    cursor = page.next_after.show()
    link = next_page_link(cursor if page.has_more else None)
    if media_type == CSV:
        return _csv_response([LEDGER_HEADER + dump_ledger_rows(page.lines, raw=raw)], link)
    lines = [dump_ledger_line(line, is_audited=is_audited) for line in page.lines]
    return json_response({"lines": lines, "has_more": page.has_more, "next_cursor": cursor}, headers=link)


@ledger.route("/v1/balances", methods=["GET"])
@ledger.operation("get_balances", KeyScope.READ, by_link=Reach.TABLE)
@ledger.arguments(BalancesQuerySchema, location="query")
@ledger.response(200, BalancesSchema)
def get_all_balances(query: dict[str, Any]) -> Response:
    """
    Return what everyone is owed or owes now, by unit, and the payments that settle it.

    A balance is the sum of the journal: rounds from their end, payments and charges. Open rounds add nothing. A link
    has the balances of its table only, as `table` has.
    """
    return json_response(dump_balances(get_balances(current_transaction(), **query)))


@ledger.route("/v1/statement", methods=["GET"])
@ledger.operation("get_club_statement", KeyScope.READ, by_link=Reach.TABLE, forms=(JSON, CSV))
@ledger.arguments(ClubStatementQuerySchema, location="query")
@ledger.response(200, ClubStatementSchema)
@ledger.doc(responses={HTTPStatus.OK: _CSV})
def get_statement(query: dict[str, Any]) -> Response:
    """
    Return the results of rounds at all tables or some, player by player, and the payments that settle them up.

    The rounds are those opened at or after `from` and before `to`, or on an `evening` of the club; all rounds by
    default. Each round counts with its own point value and unit. Open rounds count as they are now. If more than
    sixteen players remain after those with opposite totals have paid each other, the payments are few, but perhaps not
    the fewest. With `Accept: text/csv` the response has a row for each player, table and unit.
    """
    transaction = current_transaction()
    by, raw = query.pop("settle_up"), query.pop("raw")
    view = get_club_statement(transaction, RoundFilter(**get_club(transaction).period(query)), by)
    if best_media_type((MEDIA_TYPE, CSV)) == CSV:
        return _csv_response([dump_statement_rows(view, raw=raw)], {})
    return json_response(dump_club_statement(view))


@payments.route("/v1/payments", methods=["POST"])
@payments.operation("record_payment", KeyScope.WRITE, by_link=Reach.TABLE, records=True)
@payments.arguments(PaymentRequestSchema)
@payments.response(201, RecordedPaymentSchema, headers=REPLAYED)
def post_payment(request: PaymentRequest) -> Response:
    """
    Record that one player paid another, or the house.

    The `reference`, or else the header `Idempotency-Key`, identifies the payment: sent again with the same content, it
    is recorded once; with other content, it is a conflict. The same content under another reference is another payment.
    A payment of more than is owed is recorded; the payer is owed the rest then. A scorekeeper's link records payments
    of players of its table, in a unit of its table.
    """
    recorded = record_payment(current_transaction(), request, read_idempotency_key())
    return created_response(dump_recorded(recorded.recorded, recorded.warnings), is_replay=recorded.is_replay)


@payments.route("/v1/payments/<uuid:payment_id>/reversal", methods=["POST"])
@payments.operation("reverse_payment", KeyScope.WRITE, by_link=Reach.TABLE, records=True)
@payments.arguments(ReversalRequestSchema)
@payments.response(201, ReversalSchema, headers=REPLAYED)
def post_payment_reversal(reason: str, payment_id: UUID) -> Response:
    """
    Take back a payment. The journal then has both; a payment can be taken back once.

    A scorekeeper's link takes back payments that belong to its table.
    """
    reversed_ = reverse_payment(current_transaction(), payment_id, reason)
    return created_response(dump_reversal(reversed_.reversal), is_replay=reversed_.is_replay)


@payments.route("/v1/charges", methods=["POST"])
@payments.operation("record_charge", KeyScope.WRITE, records=True)
@payments.arguments(ChargeRequestSchema)
@payments.response(201, RecordedChargeSchema, headers=REPLAYED)
def post_charge(request: ChargeRequest) -> Response:
    """
    Record that a player owes the house an amount, for example a fee.

    The `reference`, or else the header `Idempotency-Key`, identifies the charge, as it does a payment.
    """
    recorded = record_charge(current_transaction(), request, read_idempotency_key())
    return created_response(dump_recorded(recorded.recorded, recorded.warnings), is_replay=recorded.is_replay)


@payments.route("/v1/charges/<uuid:charge_id>/reversal", methods=["POST"])
@payments.operation("reverse_charge", KeyScope.WRITE, records=True)
@payments.arguments(ReversalRequestSchema)
@payments.response(201, ReversalSchema, headers=REPLAYED)
def post_charge_reversal(reason: str, charge_id: UUID) -> Response:
    """Take back a charge. The journal then has both; a charge can be taken back once."""
    reversed_ = reverse_charge(current_transaction(), charge_id, reason)
    return created_response(dump_reversal(reversed_.reversal), is_replay=reversed_.is_replay)


@payments.route("/v1/payment-claims", methods=["POST"])
@payments.operation("claim_payment", KeyScope.WRITE, by_link=Reach.TABLE, by_player=True, records=True)
@payments.arguments(PaymentClaimRequestSchema)
@payments.response(201, PaymentClaimSchema, headers=REPLAYED)
def post_payment_claim(request: PaymentClaimRequest) -> Response:
    """
    Record that a player claims to have paid another, or the house.

    A claim is no payment, and in no balance, until the payee or the club confirms it. The `reference`, or else the
    header `Idempotency-Key`, identifies the claim and the payment that confirms it. A player's link claims payments of
    this player.
    """
    claimed = claim_payment(current_transaction(), request, read_idempotency_key())
    return created_response(dump_payment_claim(claimed.claim, claimed.warnings), is_replay=claimed.is_replay)


@payments.route("/v1/payment-claims", methods=["GET"])
@payments.operation("list_payment_claims", KeyScope.READ, by_link=Reach.TABLE, by_player=True)
@payments.arguments(PaymentClaimQuerySchema, location="query")
@payments.response(200, PaymentClaimPageSchema, headers=NEXT_PAGE)
def get_payment_claims(query: dict[str, Any]) -> Response:
    """
    List claims of payments, newest first.

    A player's link has those by this player and to this player, any other link to a table those of its table.
    """
    filter_ = ClaimFilter(query["state"], query["player"])
    page = list_payment_claims(current_transaction(), filter_, after=query["cursor"], limit=query["limit"])
    return respond_page("claims", [dump_payment_claim(each) for each in page.items], page.next_after)


@payments.route("/v1/payment-claims/<uuid:payment_claim_id>/confirm", methods=["POST"])
@payments.operation("confirm_payment_claim", KeyScope.WRITE, by_link=Reach.TABLE, by_player=True, records=True)
@payments.response(201, RecordedPaymentSchema, headers=REPLAYED)
def post_claim_confirmation(payment_claim_id: UUID) -> Response:
    """
    Confirm that a claimed payment was received: it is recorded as a payment, with the reference of the claim.

    A player's link confirms payments to this player. A claim is confirmed once: sent again, the response has the same
    payment.
    """
    recorded = confirm_payment_claim(current_transaction(), payment_claim_id)
    return created_response(dump_recorded(recorded.recorded, recorded.warnings), is_replay=recorded.is_replay)


@payments.route("/v1/payment-claims/<uuid:payment_claim_id>/decline", methods=["POST"])
@payments.operation("decline_payment_claim", KeyScope.WRITE, by_link=Reach.TABLE, by_player=True, records=True)
@payments.arguments(PaymentClaimDeclineRequestSchema)
@payments.response(201, PaymentClaimSchema, headers=REPLAYED)
def post_claim_decline(reason: str, payment_claim_id: UUID) -> Response:
    """Decline a claim, because the payment was not received. A player's link declines payments to this player."""
    declined = decline_payment_claim(current_transaction(), payment_claim_id, reason)
    return created_response(dump_payment_claim(declined.claim), is_replay=declined.is_replay)


@payments.route("/v1/payment-claims/<uuid:payment_claim_id>/withdraw", methods=["POST"])
@payments.operation("withdraw_payment_claim", KeyScope.WRITE, by_link=Reach.TABLE, by_player=True, records=True)
@payments.response(201, PaymentClaimSchema, headers=REPLAYED)
def post_claim_withdrawal(payment_claim_id: UUID) -> Response:
    """Withdraw a claim that is pending. A player's link withdraws claims of this player."""
    withdrawn = withdraw_payment_claim(current_transaction(), payment_claim_id)
    return created_response(dump_payment_claim(withdrawn.claim), is_replay=withdrawn.is_replay)


def _csv_response(blocks: Iterable[bytes], headers: dict[str, str]) -> Response:
    return Response(blocks, headers=headers, content_type=f"{CSV}; charset=utf-8; header=present")
