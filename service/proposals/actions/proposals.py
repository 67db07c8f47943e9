"""Propose changes of final settlements, and list, confirm and withdraw proposals."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NoReturn
from uuid import UUID

import orjson

from evidence import canonical_json
from evidence.events import ProposalConfirmed, ProposalKind, ProposalOpened, ProposalWithdrawn
from evidence.texts import SaltedText, digest_text
from schemas.base import WireError, load
from schemas.corrections.comparisons import RoundComparison
from schemas.corrections.proposals import (
    CorrectionProposalRequest,
    CorrectionProposalRequestSchema,
    Proposal,
    ProposalState,
    ProposalView,
    read_reason,
)
from schemas.jobs.recomputations import APPLY, RecomputationRequest
from scoring.errors import Mistake, ScoringError
from service.clubs.queries.keys import StoredKey
from service.corrections.actions.correct import compare_revisions, store_correction
from service.corrections.actions.planning import PlannedCorrection, check_dispute, compare_planned, plan_correction
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.disputes.actions.deciders import require_decider
from service.disputes.actions.disputes import resolve_dispute
from service.disputes.actions.steps import check_step
from service.disputes.queries import disputes
from service.errors import (
    CorrectionInvalid,
    HandIrregular,
    ProposalChanged,
    ProposalRefused,
    RulesetUnknown,
    TableArchived,
)
from service.jobs.queries import jobs
from service.proposals import queries as proposals
from service.proposals.actions.second_auditors import require_second_auditor
from service.proposals.queries import ProposalFilter, StoredProposal
from service.recomputations.actions.recomputations import KIND, get_audit, queue_recomputation, view_recomputation
from service.rounds.actions.checks import require_version
from service.rounds.queries import rounds
from service.rounds.queries.revisions import list_made
from service.rounds.queries.stored_round import StoredRound

_IMPOSSIBLE: Final = (ScoringError, WireError, CorrectionInvalid, HandIrregular, RulesetUnknown)
"""The errors of a correction of a round that has changed since."""


@dataclass(frozen=True, slots=True)
class ChangedProposal:
    """A proposal after a request, and whether the request is a replay."""

    view: ProposalView
    is_replay: bool


def propose_correction(
    transaction: Transaction,
    round_id: UUID,
    request: CorrectionProposalRequest,
    received: bytes,
    key: StoredKey,
    *,
    require_final: Callable[[], None],
) -> ChangedProposal:
    """
    Propose a correction of a round, which another key confirms. The same request sent again is the same proposal.

    Args:
        transaction: the club's transaction.
        round_id: the round.
        request: the correction.
        received: the request body, which is stored.
        key: the key of the request.
        require_final: called if a settlement of the round was final; raises if the key may not correct such a round.

    Raises:
        NotFound: the round does not exist.
        RoundChanged, DisputeChanged: the round or the dispute has another version than the request expects.
        CorrectionInvalid, HandIrregular, RulesetUnknown, ScoringError, WireError, TableArchived: the round cannot be
            corrected so, or the correction changes nothing.
        DisputeInvalid, DisputeRefused: the dispute cannot be upheld, or has ended.
        OwnRound: the correction names a dispute, and the player of the key sat in the round.
        ProposalRefused: another proposal of the round waits.
    """
    before = rounds.lock(transaction, round_id)
    identity = request.identity(round_id)
    same = proposals.find_same(transaction, round_id, identity)
    if same is not None:
        return ChangedProposal(_view(transaction, same), is_replay=True)
    correction = request.correction
    if before.finality.final_revision is not None:
        require_final()
    require_version(before, correction.version)
    check_dispute(transaction, before, correction, key)
    if request.upholds is not None and correction.dispute is not None:
        dispute = disputes.lock(transaction, correction.dispute)
        check_step(transaction, before, dispute, request.upholds, key)
    planned = plan_correction(transaction, before, correction)
    if not planned.is_change:
        raise CorrectionInvalid("the round is recorded like this already; expected a correction that changes something")
    _refuse_another(transaction, ProposalFilter(ProposalState.WAITING, round_id=round_id))
    content = SaltedText.of(received.decode())
    event = ProposalOpened(
        proposal=ProposalKind.CORRECTION,
        digest=planned.digest,
        request=digest_text(identity, content.salt),
        received=content.digest,
        round=round_id,
        table=before.table_id,
        revision=before.revision,
        dispute=correction.dispute,
        upholds=request.upholds is not None,
        audit=None,
    )
    added = proposals.add(transaction, event, content)
    stored = proposals.get(transaction, added)
    view = ProposalView(stored.proposal, compare_planned(transaction, planned))
    return ChangedProposal(view, is_replay=False)


def propose_recomputation(transaction: Transaction, audit_id: UUID, reason: str, received: bytes) -> ChangedProposal:
    """
    Propose to apply an audit with its final rounds. The same request sent again is the same proposal.

    Raises:
        NotFound: the recomputation does not exist.
        WireError: it is no audit, or has not succeeded.
        ProposalRefused: another proposal to apply it waits.
    """
    job = jobs.lock(transaction, audit_id, KIND)
    identity = canonical_json({"audit": str(audit_id), "reason": reason}).decode()
    same = proposals.find_same(transaction, audit_id, identity)
    if same is not None:
        return ChangedProposal(ProposalView(same.proposal, None), is_replay=True)
    get_audit(transaction, job.id)
    _refuse_another(transaction, ProposalFilter(ProposalState.WAITING, audit_id=audit_id))
    content = SaltedText.of(received.decode())
    event = ProposalOpened(
        proposal=ProposalKind.RECOMPUTATION,
        digest=bytes.fromhex(view_recomputation(transaction, job).job.summary["digest"]),
        request=digest_text(identity, content.salt),
        received=content.digest,
        round=None,
        table=None,
        revision=None,
        dispute=None,
        upholds=False,
        audit=audit_id,
    )
    added = proposals.add(transaction, event, content)
    return ChangedProposal(ProposalView(proposals.get(transaction, added).proposal, None), is_replay=False)


def _refuse_another(transaction: Transaction, filter_: ProposalFilter) -> None:
    waiting = proposals.list_page(transaction, filter_, limit=1)
    if waiting:
        detail = f"proposal {waiting[0].id} waits; confirm or withdraw it first"
        raise ProposalRefused(detail, (Mistake("proposal-waiting", (), detail),))


def get_proposal(transaction: Transaction, proposal_id: UUID) -> ProposalView:
    """
    Return a proposal with what it changes.

    Raises:
        NotFound: the proposal does not exist.
    """
    return _view(transaction, proposals.get(transaction, proposal_id))


def list_proposals(
    transaction: Transaction, filter_: ProposalFilter, *, after: UUID | None, limit: int
) -> Page[Proposal]:
    """List the proposals of the club, the newest first."""
    page = proposals.list_page(transaction, filter_, after=after, limit=limit + 1)
    return cut_page(page, limit, lambda proposal: proposal)


def count_proposals(transaction: Transaction, filter_: ProposalFilter, limit: int) -> int:
    """Count the proposals of the club, up to a limit."""
    return proposals.count(transaction, filter_, limit)


def find_waiting(transaction: Transaction, round_id: UUID) -> ProposalView | None:
    """Find the proposal to correct a round that waits, with what it changes."""
    waiting = proposals.list_page(transaction, ProposalFilter(ProposalState.WAITING, round_id=round_id), limit=1)
    return get_proposal(transaction, waiting[0].id) if waiting else None


def confirm_proposal(transaction: Transaction, proposal_id: UUID, key: StoredKey) -> ChangedProposal:
    """
    Confirm a proposal with another key, so that it takes effect. The same confirmation sent again changes nothing.

    Raises:
        NotFound: the proposal does not exist.
        NotSecondAuditor: the key has proposed it, or belongs to the same people.
        OwnRound: the player of the key sat in the round.
        ProposalRefused: the proposal has ended.
        ProposalChanged: the round has changed since, or would change otherwise, or the request was erased.
        DisputeRefused: the dispute has ended, or is no longer under review.
        TableArchived: the correction would reopen the round at an archived table.
    """
    stored = _lock(transaction, proposal_id)
    proposal = stored.proposal
    if proposal.state is ProposalState.CONFIRMED and proposal.end is not None and proposal.end.key == key.id:
        return ChangedProposal(_view(transaction, stored), is_replay=True)
    _refuse_ended(proposal)
    require_second_auditor(transaction, proposal, key)
    if proposal.round is not None:
        require_decider(transaction, key, proposal.round)
        event = _correct(transaction, stored, proposal.round, key)
    else:
        event = _apply_audit(transaction, proposal, read_reason(_require_content(stored)))
    proposals.confirm(transaction, proposal, event)
    return ChangedProposal(get_proposal(transaction, proposal_id), is_replay=False)


def withdraw_proposal(transaction: Transaction, proposal_id: UUID, reason: str, key: StoredKey) -> ChangedProposal:
    """
    Withdraw a proposal, or refuse that of another key. The same withdrawal sent again changes nothing.

    Raises:
        NotFound: the proposal does not exist.
        OwnRound: it is that of another key, and the player of the key sat in the round.
        ProposalRefused: the proposal has ended.
    """
    stored = _lock(transaction, proposal_id)
    proposal = stored.proposal
    end = proposal.end
    is_withdrawn = proposal.state is ProposalState.WITHDRAWN
    if end is not None and is_withdrawn and end.key == key.id and end.reason in (None, reason):
        return ChangedProposal(_view(transaction, stored), is_replay=True)
    _refuse_ended(proposal)
    if proposal.round is not None and proposal.key != key.id:
        require_decider(transaction, key, proposal.round)
    why = SaltedText.of(reason)
    event = ProposalWithdrawn(proposal=proposal.id, reason=why.digest)
    proposals.withdraw(transaction, proposal, event, why)
    return ChangedProposal(get_proposal(transaction, proposal_id), is_replay=False)


def _lock(transaction: Transaction, proposal_id: UUID) -> StoredProposal:
    """Lock the round or the audit of a proposal, and return the proposal as it is then."""
    proposal = proposals.get(transaction, proposal_id).proposal
    if proposal.round is not None:
        rounds.lock(transaction, proposal.round)
    elif proposal.audit is not None:
        jobs.lock(transaction, proposal.audit, KIND)
    return proposals.get(transaction, proposal_id)


def _refuse_ended(proposal: Proposal) -> None:
    if proposal.end is not None:
        detail = f"the proposal was {proposal.state.value} with the key {proposal.end.by!r}"
        raise ProposalRefused(detail, (Mistake("proposal-ended", (), detail),))


def _correct(transaction: Transaction, stored: StoredProposal, round_id: UUID, key: StoredKey) -> ProposalConfirmed:
    """Correct the round exactly as it was proposed, and uphold the dispute if that was proposed too."""
    proposal, content = stored.proposal, _require_content(stored)
    request = _read_request(content)
    before = rounds.lock(transaction, round_id)
    if before.revision != proposal.revision:
        _refuse_newer(transaction, before, proposal)
    check_dispute(transaction, before, request.correction, key)
    planned = _plan_again(transaction, before, request)
    if not planned.is_change or planned.digest != proposal.digest:
        _refuse_otherwise("the correction would have another result than when it was proposed")
    comparison = store_correction(transaction, planned, request.correction, content.encode())
    if request.upholds is not None and proposal.dispute is not None:
        # Comments since do not change what is decided.
        version = disputes.lock(transaction, proposal.dispute).version
        decision = replace(request.upholds, version=version)
        resolve_dispute(transaction, proposal.dispute, decision, key, authors={decision.by: proposal.key})
    return ProposalConfirmed(proposal=proposal.id, revision=comparison.revision, recomputation=None)


def _plan_again(transaction: Transaction, before: StoredRound, request: CorrectionProposalRequest) -> PlannedCorrection:
    """
    Plan a proposed correction again.

    Raises:
        ProposalChanged: it is no longer possible.
        TableArchived: it would reopen the round at an archived table.
    """
    try:
        return plan_correction(transaction, before, request.correction)
    except _IMPOSSIBLE as error:
        _refuse_otherwise(f"the correction is no longer possible: {error}")


def _apply_audit(transaction: Transaction, proposal: Proposal, reason: str) -> ProposalConfirmed:
    """Queue the recomputation that applies an audit; rounds that have changed since the audit are skipped."""
    request = RecomputationRequest(
        scope=None, mode=APPLY, ruleset=None, reason=reason, final=True, audit=proposal.audit
    )
    job = queue_recomputation(transaction, request).job
    return ProposalConfirmed(proposal=proposal.id, revision=None, recomputation=job.id)


def _refuse_newer(transaction: Transaction, before: StoredRound, proposal: Proposal) -> NoReturn:
    """Refuse a proposal of an older revision, with every revision since."""
    since = [each for each in list_made(transaction, before.id) if each.number > (proposal.revision or 0)]
    mistakes = [
        Mistake(
            ProposalChanged.code,
            (),
            f"revision {each.number} was made by {each.author or 'the service'}: {each.reason}",
        )
        for each in since
    ]
    raise ProposalChanged(
        f"the round has revision {before.revision}; the proposal is for revision {proposal.revision}", mistakes
    )


def _refuse_otherwise(detail: str) -> NoReturn:
    raise ProposalChanged(detail, (Mistake(ProposalChanged.code, (), detail),))


def _view(transaction: Transaction, stored: StoredProposal) -> ProposalView:
    return ProposalView(stored.proposal, _compare(transaction, stored))


def _compare(transaction: Transaction, stored: StoredProposal) -> RoundComparison | None:
    """Return what a correction has changed or would change; None if the round has changed since it was proposed."""
    proposal = stored.proposal
    if proposal.round is None:
        return None
    before = rounds.get(transaction, proposal.round)
    revision = None if proposal.end is None else proposal.end.revision
    if revision is not None:
        return compare_revisions(transaction, before, revision - 1, revision)
    if before.revision != proposal.revision or stored.content is None:
        return None
    try:
        planned = plan_correction(transaction, before, _read_request(stored.content).correction, is_preview=True)
    except (*_IMPOSSIBLE, TableArchived):
        return None
    return compare_planned(transaction, planned) if planned.digest == proposal.digest else None


def _require_content(stored: StoredProposal) -> str:
    """
    Return the body of the request of a proposal.

    Raises:
        ProposalChanged: it was erased, so that nobody can tell any longer why it was proposed.
    """
    if stored.content is None:
        _refuse_otherwise("the request of the proposal was erased; withdraw it, and propose the change again")
    return stored.content


def _read_request(content: str) -> CorrectionProposalRequest:
    request: CorrectionProposalRequest = load(CorrectionProposalRequestSchema(), orjson.loads(content))
    return request
