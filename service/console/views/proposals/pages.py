"""The list of proposals, the page of each, and the forms that confirm and withdraw one."""

from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import load
from schemas.corrections.proposals import Proposal, ProposalKind, ProposalState, WithdrawalRequestSchema
from schemas.fields import Choice, UuidField
from service.clubs.scopes import KeyScope
from service.console.views.corrections.requests import read_line
from service.console.views.exports import Column
from service.console.views.listing import Filter, Listing, Query, show_list
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.proposals.shown import show_proposal_view
from service.console.views.session import console_state
from service.db import Transaction
from service.db.pages import Page
from service.http.authentication import current_key, current_transaction
from service.players.actions import list_names
from service.proposals.actions.proposals import (
    confirm_proposal,
    count_proposals,
    get_proposal,
    list_proposals,
    withdraw_proposal,
)
from service.proposals.queries import ProposalFilter
from service.proposals.views import look_at_recomputation
from service.tables import queries as tables

_WITHDRAWAL: Final = WithdrawalRequestSchema()


def _read_proposals(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Page[Proposal]:
    return list_proposals(transaction, _filter(query), after=after, limit=limit)


def _filter(query: Query) -> ProposalFilter:
    return ProposalFilter(query["state"], query["round"])


PROPOSALS: Final = Listing[Proposal](
    name="proposals",
    title="Proposals",
    columns=(
        Column("id", lambda each: each.id),
        Column("kind", lambda each: each.kind, "Proposal", "proposal_kind", is_header=True),
        Column("state", lambda each: each.state, "State", "proposal_state"),
        Column("round", lambda each: each.round),
        Column("table", lambda each: each.table),
        Column("revision", lambda each: each.revision),
        Column("dispute", lambda each: each.dispute),
        Column("upholds", lambda each: each.upholds),
        Column("audit", lambda each: each.audit),
        Column("reason", lambda each: each.reason, "Reason"),
        Column("digest", lambda each: each.digest.hex()),
        Column("by", lambda each: each.by, "By key"),
        Column("proposed_at", lambda each: each.proposed_at, "Proposed"),
        Column("ended_by", lambda each: each.end and each.end.by, "Ended by"),
        Column("ended_at", lambda each: each.end and each.end.at, "Ended"),
        Column("end_reason", lambda each: each.end and each.end.reason),
        Column("made_revision", lambda each: each.end and each.end.revision),
        Column("recomputation", lambda each: each.end and each.end.recomputation),
    ),
    read=_read_proposals,
    count=lambda transaction, query, limit: count_proposals(transaction, _filter(query), limit),
    none="Nothing has been proposed.",
    no_match="No proposal matches.",
    rows=("proposal", "proposals"),
    filters=(
        Filter(
            "state",
            Choice({state.value: state for state in ProposalState}),
            "State",
            (("", "All"), *((state.value, state.value.capitalize()) for state in ProposalState)),
        ),
        Filter("round", UuidField(), "Round", kind="hidden"),
    ),
)


@console.get("/proposals")
@console_page(KeyScope.READ)
def list_all_proposals() -> str | Response:
    """Render the proposals, newest first, or send them as a file."""
    return show_list(PROPOSALS)


@console.get("/proposals/<uuid:proposal_id>")
@console_page(KeyScope.READ)
def show_proposal(proposal_id: UUID) -> str:
    """Render a proposal with what it changes."""
    console_state().page_path = url_for("console.show_proposal", proposal_id=proposal_id)
    transaction = current_transaction()
    shown = show_proposal_view(transaction, get_proposal(transaction, proposal_id))
    table_id = shown.proposal.table
    table = None if table_id is None else tables.list_names(transaction, [table_id])[table_id]
    return render("proposal.html", waiting=shown, table=table, display_names=list_names(transaction, shown.players))


@console.post("/proposals/<uuid:proposal_id>/confirm")
@console_form(KeyScope.CORRECT_FINAL, show_again=show_proposal)
def confirm_one_proposal(proposal_id: UUID) -> BaseResponse:
    """Confirm a proposal, and show what it has changed."""
    confirmed = confirm_proposal(current_transaction(), proposal_id, current_key())
    look_at_recomputation(confirmed)
    return redirect(_find_result(confirmed.view.proposal), HTTPStatus.SEE_OTHER)


@console.post("/proposals/<uuid:proposal_id>/withdraw")
@console_form(KeyScope.CORRECT_FINAL, show_again=show_proposal)
def withdraw_one_proposal(proposal_id: UUID) -> BaseResponse:
    """Withdraw a proposal, or refuse that of another key."""
    reason: str = load(_WITHDRAWAL, {"reason": read_line("proposal_reason")})
    withdraw_proposal(current_transaction(), proposal_id, reason, current_key())
    return redirect(url_for("console.show_proposal", proposal_id=proposal_id), HTTPStatus.SEE_OTHER)


@console.get("/proposals/<uuid:proposal_id>/<any(confirm, withdraw):_step>")
@console_page(KeyScope.READ)
def reopen_proposal(proposal_id: UUID, _step: str) -> BaseResponse:
    """Redirect to the page of a proposal from the address of one of its forms, which a browser has after a refusal."""
    return redirect(url_for("console.show_proposal", proposal_id=proposal_id), HTTPStatus.SEE_OTHER)


def _find_result(proposal: Proposal) -> str:
    """Return the address of the page that shows what a confirmed proposal has changed."""
    end = proposal.end
    assert end is not None, "the proposal is confirmed"
    if proposal.kind is ProposalKind.RECOMPUTATION:
        return url_for("console.show_job", job_id=end.recomputation)
    if proposal.upholds:
        return url_for("console.show_dispute", dispute_id=proposal.dispute, _anchor="result")
    return url_for("console.show_revisions", round_id=proposal.round)
