"""What the form of a correction shows and does: cards, a preview, and a new revision of the round."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from schemas.base import WireError, load
from schemas.corrections.proposals import CorrectionProposalRequestSchema
from schemas.corrections.requests import CorrectionRequestSchema, WhatIfRequestSchema
from scoring.errors import Mistake, ScoringError
from scoring.hand import Seat
from service.clubs.scopes import KeyScope
from service.console.views.corrections.boards import ShownComparison, show_boards, show_comparison
from service.console.views.corrections.form import EnteredRows, explain, field_name, name_row, read_rows, show_cards
from service.console.views.corrections.news import (
    NewRevisions,
    find_new,
    find_shown,
    list_disputes_of,
    read_changes,
    show_version,
)
from service.console.views.pages import Refusal
from service.console.views.proposals.shown import show_waiting
from service.console.views.session import allows, console_state, current_club, read_form
from service.corrections.actions.amend import what_if
from service.corrections.actions.correct import CorrectedRound, correct_round
from service.db import Transaction
from service.errors import CorrectionInvalid, RoundChanged, RulesetUnknown
from service.http.authentication import current_key, require_scope
from service.http.request_state import current_request
from service.http.responses import encode_json
from service.proposals.actions.proposals import ChangedProposal, propose_correction
from service.rounds.actions.recording import view_hand
from service.rounds.queries import histories
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.stored_round import StoredRound

_CHANGED: Final = ("dispute-changed", "round-changed")
_ACCEPT: Final = "accept"


@dataclass(frozen=True, slots=True)
class Preview:
    """The result of the entered cards: what they change, or why they are refused."""

    comparison: ShownComparison | None = None
    problem: str | None = None


def read_number(field: str) -> Any:
    """Return the field of the form as a number if it is one; the schemas explain any other."""
    text = read_form().get(field, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text or None


def read_line(field: str) -> str:
    """Return a field of the form as one line."""
    return " ".join(read_form().get(field, "").split())


def read_round_version() -> int:
    """Return the version of the round that the page showed; 0, which no round has, if the form has no number."""
    version = read_number("round_version")
    return version if isinstance(version, int) else 0


def require_revision(stored: StoredRound) -> None:
    """
    Check that a form of the round's version in force is of its revision in force too, as every page sends it.

    A form of an older version is refused later, unless it is a replay.

    Raises:
        RoundChanged: the form has no revision, or another one.
    """
    if read_round_version() == stored.version and read_number("revision") != stored.revision:
        detail = f"the form is not for revision {stored.revision} of the round, which is in force; open the page again"
        raise RoundChanged(detail, (Mistake("round-changed", ("revision",), detail),))


def show_form(
    transaction: Transaction,
    stored: StoredRound,
    history: StoredHistory,
    *,
    hand: int | None,
    preview: Preview | None = None,
    dispute: UUID | None = None,
) -> dict[str, Any]:
    """
    Return what the template of the form shows, also what has changed since the page of the form was opened.

    Args:
        transaction: the club's transaction.
        stored: the round.
        history: its revision in force.
        hand: the number of the hand that is shown first; None for the first one.
        preview: what the entered cards change.
        dispute: the dispute that the form decides; None if it corrects the round only.
    """
    new = find_new(transaction, stored, history)
    entered = read_changes(transaction, stored, history)
    others = list_disputes_of(transaction, stored.id, except_for=dispute)
    players = _list_players(stored)
    was_final = stored.finality.final_revision is not None
    return {
        "is_changed": new is not None or current_request().problem in _CHANGED,
        "new": new,
        "lost": [(name_row(place, players), text) for place, text in entered.lost.items()],
        "others": others,
        "others_shown": " ".join(show_version(each.case.id, each.case.version) for each in others),
        "revision": stored.revision,
        "round_version": stored.version,
        "point_value": stored.point_value,
        "unit": stored.unit,
        "players": players,
        "preview": preview or Preview(),
        "can_correct": allows(KeyScope.CORRECT) and (not was_final or allows(KeyScope.CORRECT_FINAL)),
        "was_final": was_final,
        "needs_second": needs_second_auditor(stored),
        "waiting_proposal": show_waiting(transaction, stored.id),
        "reason": read_form().get("reason", ""),
        "accepts": read_form().get("irregular") == _ACCEPT,
        **_show_hand(hand, history, entered, new),
    }


def _list_players(stored: StoredRound) -> Mapping[Seat, str]:
    return {seat.seat: seat.player for seat in stored.round.seats}


def _show_hand(
    first: int | None, history: StoredHistory, entered: EnteredRows, new: NewRevisions | None
) -> dict[str, Any]:
    """Return the hand that is shown, and the fields of its rows: name, recorded and entered cards, those before."""
    numbers = [stored.hand.number for stored in history.hands]
    number = read_number("show") or read_number("hand") or first
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


def preview_correction(transaction: Transaction, stored: StoredRound) -> Preview:
    """Return what the entered cards would change; nothing is stored. It is empty if no card is changed."""
    entered = read_changes(transaction, stored, histories.get(transaction, stored.id, stored.revision))
    if not entered.changed:
        return Preview()
    try:
        comparison = what_if(transaction, stored.id, load(WhatIfRequestSchema(), {"changes": entered.dump()}))
    except (CorrectionInvalid, RulesetUnknown, ScoringError, WireError) as error:
        return Preview(problem=_explain(error, entered, stored))
    return Preview(show_comparison(comparison))


def store_correction(
    transaction: Transaction, stored: StoredRound, dispute: UUID | None = None
) -> CorrectedRound | None:
    """
    Correct a round as the form requests it; return None if no card was changed.

    What was changed is compared with the revision that the page showed. Rows of cards that somebody else has corrected
    since are therefore no changes, and the version of the round refuses the others.

    Args:
        transaction: the club's transaction.
        stored: the round.
        dispute: the dispute that the correction answers, if there is one.

    Raises:
        ScopeMissing: the key may not correct the round.
        ServiceError, ScoringError, WireError: as `correct_round`.
    """
    entered = _read_entered(transaction, stored)
    if not entered.changed:
        return None
    received = _write_request(entered, dispute)
    try:
        request = load(CorrectionRequestSchema(), received)
        return correct_round(
            transaction, stored.id, request, encode_json(received), current_key(), require_final=_require_final
        )
    except (ScoringError, WireError) as error:
        raise CorrectionInvalid(_explain(error, entered, stored)) from error


def propose_correction_of_form(
    transaction: Transaction,
    stored: StoredRound,
    dispute: UUID | None = None,
    upholds: Mapping[str, Any] | None = None,
) -> ChangedProposal | None:
    """
    Propose to correct a round as the form requests it; return None if no card was changed.

    Args:
        transaction: the club's transaction.
        stored: the round.
        dispute: the dispute that the correction answers, if there is one.
        upholds: the decision that upholds the dispute with the correction, as a request has it.

    Raises:
        ScopeMissing: the key may not correct the round.
        ServiceError, ScoringError, WireError: as `propose_correction`.
    """
    entered = _read_entered(transaction, stored)
    if not entered.changed:
        return None
    received = _write_request(entered, dispute) | ({} if upholds is None else {"upholds": upholds})
    try:
        request = load(CorrectionProposalRequestSchema(), received)
        return propose_correction(
            transaction, stored.id, request, encode_json(received), current_key(), require_final=_require_final
        )
    except (ScoringError, WireError) as error:
        raise CorrectionInvalid(_explain(error, entered, stored)) from error


def needs_second_auditor(stored: StoredRound) -> bool:
    """Return whether a second auditor must confirm a correction of a round."""
    return stored.finality.final_revision is not None and current_club().second_auditor


def _read_entered(transaction: Transaction, stored: StoredRound) -> EnteredRows:
    """Return the rows of the form that differ from the revision that the page showed."""
    console_state().seat_names = _list_players(stored)
    entered = read_rows(read_form(), histories.get(transaction, stored.id, find_shown(stored)).hands)
    if entered.changed:
        require_scope(KeyScope.CORRECT)
    return entered


def _write_request(entered: EnteredRows, dispute: UUID | None) -> dict[str, Any]:
    """Return the correction of the form as a request has it."""
    reason = read_line("reason")
    return {
        **({"reason": reason} if reason else {}),
        "changes": entered.dump(),
        "version": read_round_version(),
        **({} if dispute is None else {"dispute": str(dispute)}),
        **({"irregular": _ACCEPT} if read_form().get("irregular") == _ACCEPT else {}),
    }


def _require_final() -> None:
    require_scope(KeyScope.CORRECT_FINAL)


def _explain(error: Refusal, entered: EnteredRows, stored: StoredRound) -> str:
    return explain(error, entered, _list_players(stored))
