"""The correction of a round for which there is no dispute: the cards, what they would change, and the reason."""

from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.game_fields import MOST_HANDS
from schemas.pages import QueryInteger, QuerySchema
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_known_query
from service.console.views.corrections.requests import (
    Preview,
    needs_second_auditor,
    preview_correction,
    propose_correction_of_form,
    require_revision,
    show_form,
    store_correction,
)
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.rounds.reading import read_round
from service.console.views.session import read_form
from service.errors import CorrectionInvalid
from service.http.authentication import current_transaction, require_scope
from service.players.actions import list_names
from service.rounds.queries import rounds

_NOTHING: Final = "no card is changed; change the cards of a row, and then correct the round"


class CorrectedHandQuerySchema(QuerySchema):
    """The hand that the form shows first."""

    hand = QueryInteger(least=1, most=MOST_HANDS)


def _render_correction(round_id: UUID, preview: Preview | None = None, hand: int | None = None) -> str:
    # What the page shows, and where it leads to, is for keys that can read.
    require_scope(KeyScope.READ)
    transaction = current_transaction()
    read = read_round(round_id, None)
    if hand is not None:
        read.find_hand(hand)
    shown = show_form(transaction, read.stored, read.happened, hand=hand, preview=preview)
    disputes = [each.case for each in shown["others"]]
    people = {*read.names.values(), *(player for case in disputes for player in (case.author, *case.players.values()))}
    return render(
        "round_correction.html",
        read=read,
        case=None,
        waiting=[case for case in disputes if not case.state.is_ended],
        display_names=list_names(transaction, people),
        **shown,
    )


@console.get("/rounds/<uuid:round_id>/correction")
@console_page(KeyScope.CORRECT)
def show_correction(round_id: UUID) -> str:
    """Render the form that corrects a round, with the cards of its first hand or of another."""
    return _render_correction(round_id, hand=read_known_query(CorrectedHandQuerySchema())["hand"])


@console.post("/rounds/<uuid:round_id>/correction")
@console_form(KeyScope.CORRECT, show_again=_render_correction)
def correct_round(round_id: UUID) -> BaseResponse | str | tuple[str, int]:
    """
    Correct a round and show what has changed, or show what the entered cards would change.

    A correction is of the version and the revision of the round that the page showed. The same form sent again corrects
    nothing again, and shows the same. If a second auditor must confirm the correction, it is proposed.
    """
    require_scope(KeyScope.READ)
    transaction = current_transaction()
    stored = rounds.get(transaction, round_id)
    if read_form().get("decision") != "correct":
        preview = preview_correction(transaction, stored)
        page = _render_correction(round_id, preview)
        if preview.problem is not None:
            return page, HTTPStatus.UNPROCESSABLE_ENTITY
        return page
    require_revision(stored)
    if needs_second_auditor(stored):
        proposed = propose_correction_of_form(transaction, stored)
        if proposed is None:
            raise CorrectionInvalid(_NOTHING)
        address = url_for("console.show_proposal", proposal_id=proposed.view.proposal.id)
        return redirect(address, HTTPStatus.SEE_OTHER)
    corrected = store_correction(transaction, stored)
    if corrected is None:
        raise CorrectionInvalid(_NOTHING)
    number = corrected.comparison.revision
    compared: dict[str, Any] = {"from": max(1, number - 1), "to": number}
    return redirect(url_for("console.show_revisions", round_id=round_id, **compared), HTTPStatus.SEE_OTHER)
