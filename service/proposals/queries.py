"""Proposals and how they ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, TextClause, text

from evidence.events import EventPayload, ProposalConfirmed, ProposalOpened, ProposalWithdrawn
from schemas.corrections.proposals import Proposal, ProposalEnd, ProposalKind, ProposalState, read_reason
from service.audit_trail.queries.events import EventWriter
from service.db import Transaction
from service.db.base import Base
from service.db.batch import Batch
from service.errors import Busy, NotFound, ProposalRefused
from service.proposals.models import ProposalEndRecord, ProposalRecord


@dataclass(frozen=True, slots=True)
class ProposalFilter:
    """Filters of the proposals of a club; None means every one."""

    state: ProposalState | None = None
    round_id: UUID | None = None
    audit_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class StoredProposal:
    """A proposal with the bytes of its request."""

    proposal: Proposal
    content: bytes


_SELECT: Final = """
    SELECT proposal.*, maker.name AS made_by, ended.state, ended.ended_by, ended.ended_at, ended.reason AS end_reason,
        ended.revision AS made_revision, ended.recomputation_id, ender.name AS ender
    FROM proposals AS proposal
    JOIN api_keys AS maker ON (maker.club_id, maker.id) = (proposal.club_id, proposal.proposed_by)
    LEFT JOIN proposal_ends AS ended ON (ended.club_id, ended.proposal_id) = (proposal.club_id, proposal.id)
    LEFT JOIN api_keys AS ender ON (ender.club_id, ender.id) = (ended.club_id, ended.ended_by)
    WHERE proposal.club_id = :club_id
"""
_BY_ID: Final = text(f"{_SELECT} AND proposal.id = :proposal_id")
_BY_REQUEST: Final = text(f"{_SELECT} AND proposal.request_digest = :request_digest")
_LIST: Final = text(f"""
    {_SELECT} AND (CAST(:state AS text) IS NULL OR coalesce(ended.state, 'waiting') = :state)
        AND (CAST(:round_id AS uuid) IS NULL OR proposal.round_id = :round_id)
        AND (CAST(:audit_id AS uuid) IS NULL OR proposal.audit_id = :audit_id)
        AND (CAST(:after AS uuid) IS NULL OR proposal.id < :after)
    ORDER BY proposal.id DESC LIMIT :limit
""")
_COUNT_WAITING: Final = text("""
    SELECT count(*) FROM proposals AS proposal
    LEFT JOIN proposal_ends AS ended ON (ended.club_id, ended.proposal_id) = (proposal.club_id, proposal.id)
    WHERE proposal.club_id = :club_id AND ended.proposal_id IS NULL
""")


def get(transaction: Transaction, proposal_id: UUID) -> StoredProposal:
    """
    Read a proposal.

    Raises:
        NotFound: the club does not have the proposal.
    """
    stored = _find(transaction, _BY_ID, proposal_id=proposal_id)
    if stored is None:
        raise NotFound(f"there is no proposal {proposal_id}")
    return stored


def find_same(transaction: Transaction, request_digest: bytes) -> StoredProposal | None:
    """Find the proposal that the same request has made."""
    return _find(transaction, _BY_REQUEST, request_digest=request_digest)


def list_page(
    transaction: Transaction, filter_: ProposalFilter, *, after: UUID | None = None, limit: int
) -> list[Proposal]:
    """List proposals, the newest first, from the one after `after`."""
    parameters = {
        "club_id": transaction.club_id,
        "state": filter_.state and filter_.state.value,
        "round_id": filter_.round_id,
        "audit_id": filter_.audit_id,
        "after": after,
        "limit": limit,
    }
    return [_load(row).proposal for row in transaction.execute(_LIST, parameters)]


def count_waiting(transaction: Transaction) -> int:
    """Return the number of proposals that wait."""
    return int(transaction.execute(_COUNT_WAITING, {"club_id": transaction.club_id}).scalar_one())


def add(transaction: Transaction, event: ProposalOpened, content: bytes) -> UUID:
    """Insert a proposal, which has the ID of its event, and return the ID. Its round or audit must be locked."""
    record = {
        "kind": event.proposal.value,
        "proposed_by": transaction.actor,
        "proposed_at": transaction.now,
        "digest": event.digest,
        "request_digest": event.request,
        "content": content,
        "round_id": event.round,
        "table_id": event.table,
        "revision": event.revision,
        "dispute": event.dispute,
        "upholds": event.upholds,
        "audit_id": event.audit,
    }
    return _insert(transaction, event, ProposalRecord, record)


def confirm(transaction: Transaction, proposal: Proposal, event: ProposalConfirmed) -> None:
    """Insert that a proposal was confirmed, and what it has changed. Its round or audit must be locked."""
    record = {
        "state": ProposalState.CONFIRMED.value,
        "reason": None,
        "round_id": proposal.round,
        "revision": event.revision,
        "recomputation_id": event.recomputation,
    }
    _end(transaction, proposal, event, record)


def withdraw(transaction: Transaction, proposal: Proposal, event: ProposalWithdrawn, reason: str) -> None:
    """Insert that a proposal was withdrawn, and why. Its round or audit must be locked."""
    record = {
        "state": ProposalState.WITHDRAWN.value,
        "reason": reason,
        "round_id": None,
        "revision": None,
        "recomputation_id": None,
    }
    _end(transaction, proposal, event, record)


def _end(transaction: Transaction, proposal: Proposal, event: EventPayload, record: Mapping[str, Any]) -> None:
    ended = {
        "proposal_id": proposal.id,
        "proposed_by": proposal.key,
        "ended_by": transaction.actor,
        "ended_at": transaction.now,
    }
    _insert(transaction, event, ProposalEndRecord, {**ended, **record}, after=proposal.id)


def _insert(
    transaction: Transaction,
    event: EventPayload,
    model: type[Base],
    record: Mapping[str, Any],
    *,
    after: UUID | None = None,
) -> UUID:
    """Insert an event and its record, and return the ID of the event; `after` is that of an earlier event."""
    batch = Batch()
    added, _ = EventWriter(transaction, batch).add(event.kind, event.encode(), after=after)
    own = {} if model is ProposalEndRecord else {"id": added}
    batch.insert(model, {"club_id": transaction.club_id, **own, **record})
    same = ProposalRefused("the same proposal was made by another request; retry the request")
    ended = Busy("the proposal was confirmed or withdrawn by another request; retry the request")
    batch.write(transaction, proposals_request_digest_key=same, proposal_ends_pkey=ended)
    return UUID(str(added))


def _find(transaction: Transaction, query: TextClause, **parameters: Any) -> StoredProposal | None:
    row = transaction.execute(query, {"club_id": transaction.club_id, **parameters}).one_or_none()
    return None if row is None else _load(row)


def _load(row: Row[Any]) -> StoredProposal:
    ended = None
    if row.state is not None:
        ended = ProposalEnd(
            key=row.ended_by,
            by=row.ender,
            at=row.ended_at,
            reason=row.end_reason,
            revision=row.made_revision,
            recomputation=row.recomputation_id,
        )
    content = bytes(row.content)
    proposal = Proposal(
        id=row.id,
        kind=ProposalKind(row.kind),
        state=ProposalState(row.state or ProposalState.WAITING),
        round=row.round_id,
        table=row.table_id,
        revision=row.revision,
        dispute=row.dispute,
        upholds=row.upholds,
        audit=row.audit_id,
        reason=read_reason(content),
        digest=bytes(row.digest),
        key=row.proposed_by,
        by=row.made_by,
        proposed_at=row.proposed_at,
        end=ended,
    )
    return StoredProposal(proposal, content)
