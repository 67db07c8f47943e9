"""Proposals: changes of final settlements that take effect when another key confirms them."""

from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import UUID

from flask import Response

from schemas.corrections.proposals import (
    CorrectionProposalRequest,
    CorrectionProposalRequestSchema,
    ProposalPageSchema,
    ProposalQuerySchema,
    ProposalWithChangesSchema,
    RecomputationProposalRequestSchema,
    WithdrawalRequestSchema,
    dump_proposal,
    dump_proposal_with_changes,
)
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.corrections.actions.correct import find_mistakes
from service.http.authentication import current_key, current_transaction, require_scope
from service.http.request_body import receive_body
from service.http.resource import Resource
from service.http.responses import LOCATION, NEXT_PAGE, REPLAYED, created_response, json_response, respond_page
from service.http.services import current_services
from service.jobs.app import look_after_commit
from service.proposals.actions.proposals import (
    ChangedProposal,
    confirm_proposal,
    get_proposal,
    list_proposals,
    propose_correction,
    propose_recomputation,
    withdraw_proposal,
)
from service.proposals.queries import ProposalFilter
from service.rounds.actions.checks import check_expected

proposals = Resource("proposals", __name__, description="Changes of final settlements that another key confirms.")


def _find_correction_mistakes(received: Any, round_id: UUID) -> Iterator[Mistake]:
    return find_mistakes(current_transaction(), round_id, received)


@proposals.route("/v1/rounds/<uuid:round_id>/proposals", methods=["POST"])
@proposals.operation("propose_correction", KeyScope.CORRECT, records=True)
@proposals.arguments(CorrectionProposalRequestSchema, find_more=_find_correction_mistakes)
@proposals.response(201, ProposalWithChangesSchema, headers=LOCATION | REPLAYED)
def post_correction_proposal(request: CorrectionProposalRequest, round_id: UUID) -> Response:
    """
    Propose a correction of a round, which takes effect when another key confirms it.

    A club can require this for rounds of which a settlement was final (`second_auditor` of the club); it is possible
    for every round. The response has what the correction would change, as that of `correct_round`. Nothing of the
    round changes until the proposal is confirmed, with `POST /v1/proposals/{proposal_id}/confirm`. The same proposal
    sent again is the same proposal, even after it has ended. To propose it again, change its reason.

    For a round of which a settlement was final it requires the scope `correct-final` too.
    """
    if request.upholds is not None:
        require_scope(KeyScope.DISPUTES)
    proposed = propose_correction(
        current_transaction(),
        round_id,
        request,
        receive_body(),
        current_key(),
        require_final=partial(require_scope, KeyScope.CORRECT_FINAL),
    )
    if not proposed.is_replay:
        check_expected(request.correction.expected, dump_proposal_with_changes(proposed.view))
    return _created(proposed)


@proposals.route("/v1/recomputations/<uuid:recomputation_id>/proposals", methods=["POST"])
@proposals.operation("propose_recomputation", KeyScope.RECOMPUTE, records=True)
@proposals.arguments(RecomputationProposalRequestSchema)
@proposals.response(201, ProposalWithChangesSchema, headers=LOCATION | REPLAYED)
def post_recomputation_proposal(reason: str, recomputation_id: UUID) -> Response:
    """
    Propose to apply an audit, with its rounds whose settlement is or was final.

    When another key confirms it, a recomputation applies exactly what the audit found: rounds that have another
    revision or another result by then are skipped. It requires the scope `correct-final` too.
    """
    require_scope(KeyScope.CORRECT_FINAL)
    return _created(propose_recomputation(current_transaction(), recomputation_id, reason, receive_body()))


@proposals.route("/v1/proposals", methods=["GET"])
@proposals.operation("list_proposals", KeyScope.READ)
@proposals.arguments(ProposalQuerySchema, location="query")
@proposals.response(200, ProposalPageSchema, headers=NEXT_PAGE)
def get_proposals(query: dict[str, Any]) -> Response:
    """List the club's proposals, newest first, by state and round."""
    filter_ = ProposalFilter(query["state"], query["round"])
    page = list_proposals(current_transaction(), filter_, after=query["cursor"], limit=query["limit"])
    return respond_page("proposals", [dump_proposal(proposal) for proposal in page.items], page.next_after)


@proposals.route("/v1/proposals/<uuid:proposal_id>", methods=["GET"])
@proposals.operation("get_proposal", KeyScope.READ)
@proposals.response(200, ProposalWithChangesSchema)
def get_one_proposal(proposal_id: UUID) -> Response:
    """Return a proposal with what it changes."""
    return json_response(dump_proposal_with_changes(get_proposal(current_transaction(), proposal_id)))


@proposals.route("/v1/proposals/<uuid:proposal_id>/confirm", methods=["POST"])
@proposals.operation("confirm_proposal", KeyScope.CORRECT_FINAL, records=True)
@proposals.response(201, ProposalWithChangesSchema, headers=REPLAYED)
def post_confirmation(proposal_id: UUID) -> Response:
    """
    Confirm a proposal, so that it takes effect.

    The key is another one than that of the proposal. Neither has created or replaced the other, directly or by way of
    others, and they are not those of the same player. A key whose `player` sat in the round confirms no correction of
    it. The correction, the decision of its dispute and the confirmation are stored together, or nothing is. If the
    round has another revision by now, or the correction would have another result, it is a 409 `proposal-changed`.
    """
    confirmed = confirm_proposal(current_transaction(), proposal_id, current_key())
    look_at_recomputation(confirmed)
    return _created(confirmed, has_location=False)


def look_at_recomputation(confirmed: ChangedProposal) -> None:
    """Have a worker look at the recomputation that a confirmed proposal has queued, after the commit."""
    end = confirmed.view.proposal.end
    if end is not None and end.recomputation is not None:
        look_after_commit(current_transaction(), end.recomputation, current_services().send)


@proposals.route("/v1/proposals/<uuid:proposal_id>/withdraw", methods=["POST"])
@proposals.operation("withdraw_proposal", KeyScope.CORRECT_FINAL, records=True)
@proposals.arguments(WithdrawalRequestSchema)
@proposals.response(201, ProposalWithChangesSchema, headers=REPLAYED)
def post_withdrawal(reason: str, proposal_id: UUID) -> Response:
    """Withdraw a proposal, or refuse that of another key."""
    withdrawn = withdraw_proposal(current_transaction(), proposal_id, reason, current_key())
    return _created(withdrawn, has_location=False)


def _created(changed: ChangedProposal, *, has_location: bool = True) -> Response:
    location = f"/v1/proposals/{changed.view.proposal.id}" if has_location else None
    return created_response(dump_proposal_with_changes(changed.view), location, is_replay=changed.is_replay)
