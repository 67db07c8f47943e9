"""Payments that players claim to have made: confirm and decline those that wait, and list all."""

from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import load
from schemas.fields import Choice
from schemas.ledger.claims import ClaimState, PaymentClaim, PaymentClaimDeclineRequestSchema
from schemas.money import show_decimal
from service.clubs.scopes import KeyScope
from service.console.views.accounting.money import ask_about, show_money
from service.console.views.exports import Column
from service.console.views.listing import NAME, Filter, Listing, by_time, show_list
from service.console.views.navigation.finding import PLAYER
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import read_form
from service.http.authentication import current_transaction
from service.ledger.actions.claims import (
    confirm_payment_claim,
    count_payment_claims,
    decline_payment_claim,
    get_payment_claim,
    list_payment_claims,
)
from service.ledger.queries.claims import ClaimFilter
from service.players.actions import list_names

_DECLINE: Final = PaymentClaimDeclineRequestSchema()

CLAIMS: Final = Listing[PaymentClaim](
    name="payment-claims",
    title="Claimed payments",
    columns=(
        Column("id", lambda claim: claim.id),
        Column("claimed_at", lambda claim: claim.claimed_at, "Claimed", style="whole"),
        Column("payer", lambda claim: claim.event.payer, "From", "claim_payer", is_header=True),
        Column("payee", lambda claim: claim.event.payee, "To", "claim_payee"),
        Column(
            "amount",
            lambda claim: show_decimal(claim.event.amount, claim.unit),
            "Amount",
            "claim_amount",
            style="figure",
            is_decimal=True,
        ),
        Column("unit", lambda claim: claim.event.unit),
        Column("paid_at", lambda claim: claim.event.paid_at),
        Column("table", lambda claim: claim.event.table),
        Column("round", lambda claim: claim.event.round),
        Column("reference", lambda claim: claim.event.reference, "Reference"),
        Column("state", lambda claim: claim.state.value, "State", "claim_state"),
        Column("ended_at", lambda claim: None if claim.outcome is None else claim.outcome.at),
        Column("reason", lambda claim: None if claim.outcome is None else claim.outcome.reason),
        Column("action", heading="", cell="claim_action", in_files=False),
    ),
    read=lambda transaction, query, after, limit: list_payment_claims(
        transaction,
        ClaimFilter(query["state"], query["player"]),
        after=after,
        limit=limit,
        oldest_first=query["sort"] == "oldest",
    ),
    count=lambda transaction, query, limit: count_payment_claims(
        transaction, ClaimFilter(query["state"], query["player"]), limit
    ),
    none="No player claims to have paid.",
    no_match="No claims match the filter.",
    rows=("claim", "claims"),
    orders=by_time("claimed_at"),
    filters=(
        Filter("player", label="Player", attributes=NAME, finder=PLAYER),
        Filter(
            "state",
            Choice({state.value: state for state in ClaimState}),
            "State",
            (("", "All"), *((state.value, state.value.capitalize()) for state in ClaimState)),
        ),
    ),
    players=lambda claim: filter(None, (claim.event.payer, claim.event.payee)),
)


@console.get("/money/claims")
@console_page(KeyScope.READ)
def list_claims() -> str | Response:
    """Render the claims of payments, newest first, or send them as a file."""
    return show_list(CLAIMS, "claims.html")


@console.post("/money/claims/<uuid:claim_id>/confirm")
@console_form(KeyScope.WRITE, show_again=show_money)
def save_confirmation(claim_id: UUID) -> BaseResponse:
    """Record the payment that a player claims to have made."""
    ask_about(confirm_payment_claim(current_transaction(), claim_id))
    return redirect(url_for("console.show_money"), HTTPStatus.SEE_OTHER)


@console.get("/money/claims/<uuid:claim_id>/decline")
@console_page(KeyScope.WRITE)
def ask_why_declined(claim_id: UUID) -> str:
    """Render the page that asks why a claim is declined."""
    claim = get_payment_claim(current_transaction(), claim_id)
    names = list_names(current_transaction(), filter(None, (claim.event.payer, claim.event.payee)))
    return render("decline_claim.html", claim=claim, display_names=names)


@console.post("/money/claims/<uuid:claim_id>/decline")
@console_form(KeyScope.WRITE, show_again=ask_why_declined)
def save_decline(claim_id: UUID) -> BaseResponse:
    """Decline a claim, and show the balances."""
    reason: str = load(_DECLINE, {"reason": read_form().get("reason", "").strip()})
    decline_payment_claim(current_transaction(), claim_id, reason)
    return redirect(url_for("console.show_money"), HTTPStatus.SEE_OTHER)
