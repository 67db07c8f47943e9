"""What a player does with a round on the pages of their link, and how a refusal is explained."""

from collections.abc import Mapping
from http import HTTPStatus
from uuid import UUID

from schemas.base import WireError, load
from schemas.disputes import DisputeCommentRequestSchema, DisputeRequestSchema, DisputeWithdrawalRequestSchema
from schemas.links import Link
from schemas.problems import refuse
from schemas.sentences import sentences_of
from schemas.settlements import SettlementConfirmationRequestSchema
from scoring.errors import ScoringError
from service.clubs.queries.keys import StoredKey
from service.clubs.scopes import KeyScope, has_scope
from service.db import Transaction
from service.disputes.actions.disputes import comment_on_dispute, open_dispute, withdraw_dispute
from service.disputes.actions.own_disputes import find_own_dispute
from service.errors import (
    NotFound,
    ServiceError,
)
from service.http.language import (
    current_translations,
    gettext,
)
from service.links.views.evenings import find_seated
from service.links.views.forms import read_number
from service.players.queries.aliases import read_aliases
from service.rounds.actions.reading import get_round
from service.rounds.actions.settlements import confirm_settlement


def change_own_round(
    transaction: Transaction, key: StoredKey, link: Link, round_id: UUID, form: Mapping[str, str]
) -> UUID | None:
    """
    Do what a player has sent, and return the dispute that it was about; None if it was about the round.

    Raises:
        NotFound: the link is not a player's or lacks the scope, the form is unknown, or the round is not one of the
            table, or the dispute not one of the player.
        ConfirmationRefused, DisputeChanged, DisputeInvalid, DisputeRefused, ScoringError, WireError: it is refused.
    """
    action = form.get("action")
    if link.player is None or action not in ("confirm", "dispute", "comment", "withdraw"):
        raise NotFound("the link is not for a player")
    view = get_round(transaction, round_id)
    you = find_seated(link, read_aliases(transaction), view)
    if action == "confirm":
        seat = next((each.seat for each in view.round.seats if each.player == you), None)
        asked = {"seat": seat, "revision": read_number(form.get("revision", ""))}
        confirm_settlement(transaction, round_id, load(SettlementConfirmationRequestSchema(), asked))
        return None
    if not has_scope(key.scopes, (KeyScope.DISPUTES,)):
        raise NotFound("the link is not for disputes")
    if action == "dispute":
        hand = form.get("hand", "")
        asked = {"round": str(round_id), "hand": read_number(hand) if hand else None, "claim": _line(form, "claim")}
        open_dispute(transaction, load(DisputeRequestSchema(), {**asked, "by": you}))
        return None
    dispute = find_own_dispute(transaction, key, round_id, form.get("dispute", ""))
    if action == "comment":
        said = {"comment": _line(form, "comment"), "by": dispute.author}
        comment_on_dispute(transaction, dispute.id, load(DisputeCommentRequestSchema(), said), key)
    else:
        asked = {"version": read_number(form.get("version", "")), "reason": _line(form, "reason") or None}
        request = load(DisputeWithdrawalRequestSchema(), {**asked, "by": dispute.author})
        withdraw_dispute(transaction, dispute.id, request, key)
    return dispute.id


def _line(form: Mapping[str, str], field: str) -> str:
    return " ".join(form.get(field, "").split())


def explain_refusal(error: ServiceError | ScoringError | WireError) -> str:
    """Return a refusal as a sentence for players."""
    refusal = refuse(error)
    if any(mistake.code == "settlement-superseded" for mistake in refusal.mistakes):
        return gettext("The results have changed since you opened this page. Please check them before you confirm.")
    return " ".join(sentences_of(refusal, words=current_translations()))


def advise(status: int) -> tuple[str, str] | None:
    """Return title and advice of the page that a browser shows for a link that does not work."""
    if status == HTTPStatus.NOT_FOUND:
        return gettext("This link does not work"), gettext(
            "The link is incomplete, or not one of this service. Open it again exactly as you received it. If that does"
            " not help, ask the person who sent it for a new link."
        )
    if status == HTTPStatus.GONE:
        return gettext("This link has ended"), gettext(
            "The link was valid, but has expired or was revoked. Nothing is lost: everything is still recorded. Ask the"
            " person who sent it for a new link."
        )
    return None
