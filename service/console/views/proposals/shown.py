"""A proposal as pages show it: what it would change, and whether the key of the session can confirm it."""

from dataclasses import dataclass
from uuid import UUID

from schemas.corrections.proposals import Proposal, ProposalState, ProposalView
from schemas.money import Unit
from service.clubs.scopes import KeyScope
from service.console.views.corrections.boards import ShownComparison, show_comparison
from service.console.views.session import allows
from service.db import Transaction
from service.disputes.actions.deciders import explain_own_round, find_own_player
from service.http.authentication import current_key
from service.proposals.actions.proposals import find_waiting
from service.proposals.actions.second_auditors import find_why_not
from service.rounds.queries import rounds


@dataclass(frozen=True, slots=True)
class ShownProposal:
    """
    A proposal, what its correction changes, and what the key of the session can do with it.

    Attributes:
        comparison: None if the round has changed since, or if it is no correction.
        refusal: why the key cannot confirm it; None if it can, or if it has ended.
        can_end: whether the key can withdraw or refuse it.
        is_own: whether the key has made it.
    """

    proposal: Proposal
    comparison: ShownComparison | None
    point_value: int | None
    unit: Unit | None
    refusal: str | None
    can_end: bool
    is_own: bool

    @property
    def is_waiting(self) -> bool:
        """Whether it can still be confirmed or withdrawn."""
        return self.proposal.state is ProposalState.WAITING

    @property
    def players(self) -> list[str]:
        """The players whose points it changes."""
        return [] if self.comparison is None else [net.player for net in self.comparison.nets]


def show_waiting(transaction: Transaction, round_id: UUID) -> ShownProposal | None:
    """Return the proposal to correct a round that waits, if there is one."""
    view = find_waiting(transaction, round_id)
    return None if view is None else show_proposal_view(transaction, view)


def show_proposal_view(transaction: Transaction, view: ProposalView) -> ShownProposal:
    """Return a proposal as pages show it."""
    proposal, key = view.proposal, current_key()
    own = None if proposal.round is None else find_own_player(transaction, key, proposal.round)
    stored = None if proposal.round is None else rounds.get(transaction, proposal.round)
    is_own, has_scope = key.id == proposal.key, allows(KeyScope.CORRECT_FINAL)
    return ShownProposal(
        proposal=proposal,
        comparison=None if view.comparison is None else show_comparison(view.comparison),
        point_value=None if stored is None else stored.point_value,
        unit=None if stored is None else stored.unit,
        refusal=_find_refusal(transaction, proposal, own) if proposal.state is ProposalState.WAITING else None,
        can_end=has_scope and (own is None or is_own),
        is_own=is_own,
    )


def _find_refusal(transaction: Transaction, proposal: Proposal, own: str | None) -> str | None:
    """Return why the key of the session cannot confirm a proposal; None if it can."""
    key = current_key()
    if not allows(KeyScope.CORRECT_FINAL):
        return f"the key {key.name!r} lacks the scope {KeyScope.CORRECT_FINAL.value!r}"
    if own is not None and proposal.round is not None:
        return explain_own_round(key, own, proposal.round)
    return find_why_not(transaction, proposal, key)
