"""The page of a dispute: the claim, the boards, what a correction would change, and the decision."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import WireError, load
from schemas.corrections.requests import CorrectionRequestSchema, WhatIfRequestSchema
from schemas.disputes import (
    DisputeCommentRequestSchema,
    DisputeEntry,
    DisputeResolutionRequestSchema,
    DisputeReviewRequestSchema,
    DisputeState,
    DisputeWithdrawalRequestSchema,
)
from scoring.errors import Mistake, ScoringError
from service.clubs.scopes import KeyScope
from service.console.views.disputes import files
from service.console.views.disputes.boards import ShownComparison, show_boards, show_comparison
from service.console.views.disputes.form import (
    EnteredRows,
    explain,
    field_name,
    name_row,
    read_rows,
    show_cards,
)
from service.console.views.disputes.lists import ANOMALIES, window_of
from service.console.views.disputes.news import (
    NewRevisions,
    find_new,
    find_shown,
    list_others,
    read_changes,
    show_version,
)
from service.console.views.exports import send_list, wanted_form, wanted_part
from service.console.views.pages import Refusal, console, console_form, console_page, render
from service.console.views.session import allows, console_state, read_form
from service.corrections.actions.amend import what_if
from service.corrections.actions.correct import compare_revisions, correct_round
from service.db import Transaction
from service.disputes.actions.cases import get_case
from service.disputes.actions.disputes import comment_on_dispute, resolve_dispute, review_dispute, withdraw_dispute
from service.disputes.queries import disputes
from service.errors import CorrectionInvalid, RoundChanged, RulesetUnknown
from service.http.authentication import current_key, current_transaction, require_scope
from service.http.request_state import current_request
from service.http.responses import encode_json
from service.players.actions import list_names
from service.rounds.actions.recording import view_hand
from service.rounds.actions.settlements import get_settlement
from service.rounds.queries import histories, rounds
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.stored_round import StoredRound

_CHANGED: Final = ("dispute-changed", "round-changed")
_ACCEPT: Final = "accept"


@dataclass(frozen=True, slots=True)
class Preview:
    """The result of the entered cards: what they change, or why they are refused."""

    comparison: ShownComparison | None = None
    problem: str | None = None


def _number(field: str) -> Any:
    """Return the field of the form as a number if it is one; the schemas explain any other."""
    text = read_form().get(field, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text or None


def _line(field: str) -> str:
    """Return a field of the form as one line."""
    return " ".join(read_form().get(field, "").split())


def _render_case(dispute_id: UUID, preview: Preview | None = None) -> str:
    console_state().page_path = url_for("console.show_dispute", dispute_id=dispute_id)
    transaction = current_transaction()
    view = get_case(transaction, dispute_id)
    case = view.case
    entries = disputes.list_entries(transaction, dispute_id)
    stored = rounds.get(transaction, case.round_id)
    history = histories.get(transaction, stored.id, stored.revision)
    new = find_new(transaction, stored, history)
    is_changed = new is not None or current_request().problem in _CHANGED
    read = _number("version")
    form = read_form()
    players = {seat.seat: seat.player for seat in stored.round.seats}
    entered = read_changes(transaction, stored, history)
    others = list_others(transaction, case)
    return render(
        "dispute.html",
        display_names=list_names(transaction, [case.author, *players.values()]),
        case=case,
        unusual=view.unusual,
        anomalies=ANOMALIES,
        history=entries,
        entries_read=read if is_changed and isinstance(read, int) else None,
        is_changed=is_changed,
        new=new,
        lost=[(name_row(place, players), text) for place, text in entered.lost.items()],
        others=others,
        others_shown=" ".join(show_version(each.case.id, each.case.version) for each in others),
        revision=stored.revision,
        settlement=get_settlement(transaction, stored.id),
        round_version=stored.version,
        players=players,
        window=window_of(case),
        now=transaction.now,
        preview=preview or Preview(),
        result=None if not case.state.is_ended else _show_result(transaction, stored, entries[-1]),
        can_decide=allows(KeyScope.DISPUTES) and not case.state.is_ended,
        can_correct=allows(KeyScope.DISPUTES) and allows(KeyScope.CORRECT) and _may_correct(stored),
        was_final=stored.finality.final_revision is not None,
        reason=form.get("reason", ""),
        comment=form.get("comment", ""),
        withdrawal=form.get("withdrawal", ""),
        accepts=form.get("irregular") == _ACCEPT,
        **_show_hand(case.hand, history, entered, new),
    )


def _may_correct(stored: StoredRound) -> bool:
    return stored.finality.final_revision is None or allows(KeyScope.CORRECT_FINAL)


def _show_hand(
    disputed: int | None, history: StoredHistory, entered: EnteredRows, new: NewRevisions | None
) -> dict[str, Any]:
    """Return the hand that is shown, and the fields of its rows: name, recorded and entered cards, those before."""
    numbers = [stored.hand.number for stored in history.hands]
    number = _number("show") or _number("hand") or disputed
    if number not in numbers:
        number = numbers[0] if numbers else None
    if number is None:
        return {"hand": None, "hands": [], "boards": [], "carried": [], "fields": {}}
    stored = history.hands[numbers.index(number)]
    boards = show_boards(view_hand(stored))
    fields = {}
    for board in boards:
        for row in board.rows:
            place = (number, board.seat, row.row)
            recorded = show_cards(row.cards)
            before = None if new is None else new.rows.get(place)
            fields[board.seat, row.row] = (field_name(place), recorded, entered.typed.get(place, recorded), before)
    return {"hand": number, "hands": numbers, "boards": boards, "carried": entered.outside(number), "fields": fields}


def _show_result(transaction: Transaction, stored: StoredRound, last: DisputeEntry) -> Mapping[str, Any]:
    """Return how the dispute ended: the last entry, and what its correction changed."""
    comparison = None
    if last.correction is not None:
        comparison = show_comparison(compare_revisions(transaction, stored, last.correction - 1, last.correction))
    return {"entry": last, "comparison": comparison}


@console.get("/disputes/<uuid:dispute_id>")
@console_page(KeyScope.READ)
def show_dispute(dispute_id: UUID) -> str | BaseResponse:
    """Render a dispute, or send a part of it as a file."""
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
    request = load(DisputeReviewRequestSchema(), {"version": _number("version"), "by": current_key().name})
    review_dispute(current_transaction(), dispute_id, request)
    return _to_case(dispute_id)


@console.post("/disputes/<uuid:dispute_id>/comment")
@console_form(KeyScope.DISPUTES, show_again=_render_case)
def add_comment(dispute_id: UUID) -> BaseResponse:
    """Add a comment to the version of a dispute that was read."""
    asked = load(DisputeCommentRequestSchema(), {"comment": _line("comment"), "by": current_key().name})
    version = load(DisputeReviewRequestSchema(), {"version": _number("version"), "by": asked.by}).version
    comment_on_dispute(current_transaction(), dispute_id, replace(asked, version=version))
    return _to_case(dispute_id, "history")


@console.post("/disputes/<uuid:dispute_id>/withdraw")
@console_form(KeyScope.DISPUTES, show_again=_render_case)
def withdraw(dispute_id: UUID) -> BaseResponse:
    """Withdraw the version of a dispute that was read."""
    asked = {"version": _number("version"), "by": current_key().name, "reason": _line("withdrawal") or None}
    withdraw_dispute(current_transaction(), dispute_id, load(DisputeWithdrawalRequestSchema(), asked))
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
    and the revision of the round that the page showed.
    """
    decision = read_form().get("decision")
    if decision not in ("uphold", "reject"):
        return _preview(dispute_id)
    transaction = current_transaction()
    stored = rounds.get(transaction, disputes.get(transaction, dispute_id).round_id)
    _require_revision(stored)
    is_corrected = decision == "uphold" and _correct(transaction, dispute_id, stored)
    state = DisputeState.UPHELD if decision == "uphold" else DisputeState.REJECTED
    asked = {
        "version": _number("version"),
        "state": state.value,
        "by": current_key().name,
        "reason": _line("reason") or None,
    }
    # A correction has checked the version of the round, and changed it.
    round_version = None if is_corrected else _round_version()
    resolve_dispute(transaction, dispute_id, load(DisputeResolutionRequestSchema(), asked), round_version=round_version)
    return _to_case(dispute_id, "result")


def _round_version() -> int:
    """Return the version of the round that the page showed; 0, which no round has, if the form has no number."""
    version = _number("round_version")
    return version if isinstance(version, int) else 0


def _require_revision(stored: StoredRound) -> None:
    """
    Check that a form of the round's version in force is of its revision in force too, as every page sends it.

    A form of an older version is refused later, unless it is a replay.

    Raises:
        RoundChanged: the form has no revision, or another one.
    """
    if _round_version() == stored.version and _number("revision") != stored.revision:
        detail = f"the form is not for revision {stored.revision} of the round, which is in force; open the page again"
        raise RoundChanged(detail, (Mistake("round-changed", ("revision",), detail),))


def _correct(transaction: Transaction, dispute_id: UUID, stored: StoredRound) -> bool:
    """
    Correct the round of a dispute as the form says, and return True; return False if no card was changed.

    What was changed is compared with the revision that the page showed. Rows of cards that somebody else has corrected
    since are therefore no changes, and the version of the round refuses the others.

    Raises:
        ScopeMissing: the key may not correct the round.
        ServiceError, ScoringError, WireError: as `correct_round`.
    """
    console_state().seat_names = {seat.seat: seat.player for seat in stored.round.seats}
    entered = read_rows(read_form(), histories.get(transaction, stored.id, find_shown(stored)).hands)
    if not entered.changed:
        return False
    require_scope(KeyScope.CORRECT)
    received = {
        "reason": _line("reason"),
        "changes": entered.dump(),
        "version": _round_version(),
        "dispute": str(dispute_id),
        **({"irregular": _ACCEPT} if read_form().get("irregular") == _ACCEPT else {}),
    }
    require_final = partial(require_scope, KeyScope.CORRECT_FINAL)
    try:
        request = load(CorrectionRequestSchema(), received)
        correct_round(transaction, stored.id, request, encode_json(received), require_final=require_final)
    except (ScoringError, WireError) as error:
        raise CorrectionInvalid(_explain(error, entered, stored)) from error
    return True


def _preview(dispute_id: UUID) -> tuple[str, int] | str:
    """Render the page with what the entered cards would change."""
    transaction = current_transaction()
    stored = rounds.get(transaction, disputes.get(transaction, dispute_id).round_id)
    entered = read_changes(transaction, stored, histories.get(transaction, stored.id, stored.revision))
    if not entered.changed:
        return _render_case(dispute_id)
    try:
        request = load(WhatIfRequestSchema(), {"changes": entered.dump()})
        comparison = what_if(transaction, stored.id, request)
    except (CorrectionInvalid, RulesetUnknown, ScoringError, WireError) as error:
        problem = Preview(problem=_explain(error, entered, stored))
        return _render_case(dispute_id, problem), HTTPStatus.UNPROCESSABLE_ENTITY
    return _render_case(dispute_id, Preview(show_comparison(comparison)))


def _explain(error: Refusal, entered: EnteredRows, stored: StoredRound) -> str:
    return explain(error, entered, {seat.seat: seat.player for seat in stored.round.seats})


def _to_case(dispute_id: UUID, part: str = "") -> BaseResponse:
    address = url_for("console.show_dispute", dispute_id=dispute_id, _anchor=part or None)
    return redirect(address, HTTPStatus.SEE_OTHER)
