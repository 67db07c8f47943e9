"""Record that a round was paid, from the page of the round."""

from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import load
from schemas.ledger.payments import PaymentRequestSchema
from service.clubs.scopes import KeyScope
from service.console.views.accounting.money import ask_about
from service.console.views.pages import console, console_form
from service.console.views.rounds.replay import show_round
from service.console.views.session import read_form
from service.http.authentication import current_transaction
from service.ledger.actions.checks import read_form_amount
from service.ledger.actions.payments import record_payment

_PAYMENT: Final = PaymentRequestSchema()


@console.post("/rounds/<uuid:round_id>/payments")
@console_form(KeyScope.WRITE, show_again=show_round)
def save_round_payment(round_id: UUID) -> BaseResponse:
    """Record a payment that names the round, under the reference of its form, and show the round."""
    form = read_form()
    unit = form.get("unit", "")
    request = {
        "payer": form.get("payer") or None,
        "payee": form.get("payee") or None,
        "unit": unit,
        "amount": read_form_amount(current_transaction(), form.get("amount", ""), unit),
        "round": str(round_id),
        "reference": form.get("reference", ""),
    }
    ask_about(record_payment(current_transaction(), load(_PAYMENT, request), None))
    return redirect(url_for("console.show_round", round_id=round_id), HTTPStatus.SEE_OTHER)
