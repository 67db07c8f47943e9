"""The page of a dispute: the claim, the boards, what a correction would change, and the decision."""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import load
from schemas.disputes import (
    DisputeCommentRequestSchema,
    DisputeEntry,
    DisputeResolutionRequestSchema,
    DisputeReviewRequestSchema,
    DisputeState,
    DisputeWithdrawalRequestSchema,
)
from service.clubs.scopes import KeyScope
from service.console.views.corrections.boards import show_comparison
from service.console.views.corrections.requests import (
    Preview,
    needs_second_auditor,
    preview_correction,
    propose_correction_of_form,
    read_line,
    read_number,
    read_round_version,
    require_revision,
    show_form,
    store_correction,
)
from service.console.views.disputes import files
from service.console.views.disputes.case_file import render_case_file
from service.console.views.disputes.lists import window_of
from service.console.views.exports import send_list, wanted_form, wanted_part, wants_print
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import allows, console_state, read_form
from service.corrections.actions.correct import compare_revisions
from service.db import Transaction
from service.disputes.actions.cases import get_case
from service.disputes.actions.deciders import find_own_player
from service.disputes.actions.disputes import comment_on_dispute, resolve_dispute, review_dispute, withdraw_dispute
from service.disputes.queries import disputes
from service.http.authentication import current_key, current_transaction
from service.players.actions import list_names
from service.rounds.actions.settlements import get_settlement
from service.rounds.queries import histories, rounds
from service.rounds.queries.stored_round import StoredRound


def _render_case(dispute_id: UUID, preview: Preview | None = None) -> str:
    console_state().page_path = url_for("console.show_dispute", dispute_id=dispute_id)
    transaction = current_transaction()
    view = get_case(transaction, dispute_id)
    case = view.case
    entries = disputes.list_entries(transaction, dispute_id)
    stored = rounds.get(transaction, case.round_id)
    history = histories.get(transaction, stored.id, stored.revision)
    shown = show_form(transaction, stored, history, hand=case.hand, preview=preview, dispute=dispute_id)
    read = read_number("version")
    form = read_form()
    own_player = find_own_player(transaction, current_key(), stored.id)
    can_comment = allows(KeyScope.DISPUTES) and not case.state.is_ended
    return render(
        "dispute.html",
        display_names=list_names(transaction, filter(None, [case.author, *shown["players"].values()])),
        case=case,
        unusual=view.unusual,
        history=entries,
        entries_read=read if shown["is_changed"] and isinstance(read, int) else None,
        settlement=get_settlement(transaction, stored.id),
        window=window_of(case),
        now=transaction.now,
        result=None if not case.state.is_ended else _show_result(transaction, stored, entries[-1]),
        own_player=own_player if can_comment else None,
        can_comment=can_comment,
        can_decide=can_comment and own_player is None,
        can_withdraw=can_comment and own_player in (None, case.author),
        comment=form.get("comment", ""),
        withdrawal=form.get("withdrawal", ""),
        **shown,
    )


def _show_result(transaction: Transaction, stored: StoredRound, last: DisputeEntry) -> Mapping[str, Any]:
    """Return how the dispute ended: the last entry, and what its correction changed."""
    comparison = None
    if last.correction is not None:
        comparison = show_comparison(compare_revisions(transaction, stored, last.correction - 1, last.correction))
    return {"entry": last, "comparison": comparison}


@console.get("/disputes/<uuid:dispute_id>")
@console_page(KeyScope.READ)
def show_dispute(dispute_id: UUID) -> str | BaseResponse:
    """Render a dispute, or all of it to print, or send a part of it as a file."""
    if wants_print():
        return render_case_file(dispute_id)
    form, part = wanted_form(), wanted_part(*files.PARTS)
    return _render_case(dispute_id) if form is None else _send_part(dispute_id, form, part)


def _send_part(dispute_id: UUID, form: str, part: str) -> BaseResponse:
    transaction = current_transaction()
    case = get_case(transaction, dispute_id).case
    entries = disputes.list_entries(transaction, dispute_id)
    name = f"dispute-{dispute_id}-{part}"
    if part == "history":
        return send_list(name, form, files.HISTORY, files.list_history(case, entries))
    stored = rounds.get(transaction, case.round_id)
    if part == "comparison":
        result = _show_result(transaction, stored, entries[-1]) if case.state.is_ended else {"comparison": None}
        return send_list(name, form, files.COMPARISON, files.list_compared(case, result["comparison"]))
    settlement = get_settlement(transaction, stored.id)
    players = {seat.seat: seat.player for seat in stored.round.seats}
    return send_list(name, form, files.SETTLEMENT, files.list_settlement(case, settlement, players))


@console.post("/disputes/<uuid:dispute_id>/review")
@console_form(KeyScope.DISPUTES, show_again=_render_case)
def take_dispute(dispute_id: UUID) -> BaseResponse:
    """Start the review of a dispute."""
    request = load(DisputeReviewRequestSchema(), {"version": read_number("version"), "by": current_key().name})
    review_dispute(current_transaction(), dispute_id, request, current_key())
    return _to_case(dispute_id)


@console.post("/disputes/<uuid:dispute_id>/comment")
@console_form(KeyScope.DISPUTES, show_again=_render_case)
def add_comment(dispute_id: UUID) -> BaseResponse:
    """Add a comment to the version of a dispute that was read."""
    asked = load(DisputeCommentRequestSchema(), {"comment": read_line("comment"), "by": current_key().name})
    version = load(DisputeReviewRequestSchema(), {"version": read_number("version"), "by": asked.by}).version
    comment_on_dispute(current_transaction(), dispute_id, replace(asked, version=version), current_key())
    return _to_case(dispute_id, "history")


@console.post("/disputes/<uuid:dispute_id>/withdraw")
@console_form(KeyScope.DISPUTES, show_again=_render_case)
def withdraw(dispute_id: UUID) -> BaseResponse:
    """Withdraw the version of a dispute that was read."""
    asked = {"version": read_number("version"), "by": current_key().name, "reason": read_line("withdrawal") or None}
    request = load(DisputeWithdrawalRequestSchema(), asked)
    withdraw_dispute(current_transaction(), dispute_id, request, current_key())
    return _to_case(dispute_id, "result")


@console.get("/disputes/<uuid:dispute_id>/<any(review, comment, withdraw, decide):_step>")
@console_page(KeyScope.READ)
def reopen_case(dispute_id: UUID, _step: str) -> BaseResponse:
    """Redirect to the page of a dispute from the address of one of its forms, which a browser has after a refusal."""
    return _to_case(dispute_id, "")


@console.post("/disputes/<uuid:dispute_id>/decide")
@console_form(KeyScope.DISPUTES, show_again=_render_case)
def decide_dispute(dispute_id: UUID) -> BaseResponse | str | tuple[str, int]:
    """
    Uphold or reject a dispute, or show what the entered cards would change.

    A dispute is upheld in the transaction of its correction: both are stored, or neither. A decision is of the version
    and the revision of the round that the page showed. If a second auditor must confirm the correction, both are
    proposed.
    """
    decision = read_form().get("decision")
    transaction = current_transaction()
    stored = rounds.get(transaction, disputes.get(transaction, dispute_id).round_id)
    if decision not in ("uphold", "reject"):
        preview = preview_correction(transaction, stored)
        page = _render_case(dispute_id, preview)
        if preview.problem is not None:
            return page, HTTPStatus.UNPROCESSABLE_ENTITY
        return page
    require_revision(stored)
    key = current_key()
    decided = {"version": read_number("version"), "by": key.name, "reason": read_line("reason") or None}
    is_corrected = False
    if decision == "uphold" and needs_second_auditor(stored):
        if propose_correction_of_form(transaction, stored, dispute_id, decided) is not None:
            return _to_case(dispute_id, "proposal")
    elif decision == "uphold":
        is_corrected = store_correction(transaction, stored, dispute_id) is not None
    state = DisputeState.UPHELD if decision == "uphold" else DisputeState.REJECTED
    # A correction has checked the version of the round, and changed it.
    round_version = None if is_corrected else read_round_version()
    request = load(DisputeResolutionRequestSchema(), {**decided, "state": state.value})
    resolve_dispute(transaction, dispute_id, request, key, round_version=round_version)
    return _to_case(dispute_id, "result")


def _to_case(dispute_id: UUID, part: str = "") -> BaseResponse:
    address = url_for("console.show_dispute", dispute_id=dispute_id, _anchor=part or None)
    return redirect(address, HTTPStatus.SEE_OTHER)
