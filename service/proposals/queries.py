"""Proposals and how they ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, TextClause, text

from evidence.events import EventPayload, ProposalConfirmed, ProposalOpened, ProposalWithdrawn
from evidence.texts import SaltedText, digest_text
from schemas.corrections.proposals import Proposal, ProposalEnd, ProposalKind, ProposalState, read_reason
from service.audit_trail.queries.events import EventWriter
from service.db import Transaction
from service.db.batch import Batch
from service.db.paging import count_rows
from service.errors import Busy, NotFound
from service.proposals.models import ProposalEndRecord, ProposalRecord
from service.texts import queries as texts
from service.texts.models import TextField
from service.texts.queries import NewText, content_of


@dataclass(frozen=True, slots=True)
class ProposalFilter:
    """Filters of the proposals of a club; None means every one."""

    state: ProposalState | None = None
    round_id: UUID | None = None
    audit_id: UUID | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of its conditions."""
        return {"state": self.state and self.state.value, "round_id": self.round_id, "audit_id": self.audit_id}


@dataclass(frozen=True, slots=True)
class StoredProposal:
    """
    A proposal with the body of its request.

    Attributes:
        content: None after it was erased.
    """

    proposal: Proposal
    content: str | None


_SELECT: Final = f"""
    SELECT proposal.*, body.content, body.salt, coalesce(maker.name, maker.prefix) AS made_by,
        ended.state, ended.ended_by, ended.ended_at, {content_of("ended.reason")} AS end_reason,
        ended.revision AS made_revision, ended.recomputation_id, coalesce(ender.name, ender.prefix) AS ender
    FROM proposals AS proposal
    JOIN api_keys AS maker ON (maker.club_id, maker.id) = (proposal.club_id, proposal.proposed_by)
    LEFT JOIN texts AS body ON (body.club_id, body.digest) = (proposal.club_id, proposal.received)
    LEFT JOIN proposal_ends AS ended ON (ended.club_id, ended.proposal_id) = (proposal.club_id, proposal.id)
    LEFT JOIN api_keys AS ender ON (ender.club_id, ender.id) = (ended.club_id, ended.ended_by)
    WHERE proposal.club_id = :club_id
"""
_BY_ID: Final = text(f"{_SELECT} AND proposal.id = :proposal_id")
_OF_RECORD: Final = text(f"""
    {_SELECT} AND (proposal.round_id = :record_id OR proposal.audit_id = :record_id) AND body.salt IS NOT NULL
    ORDER BY proposal.id
""")
_MATCHING: Final = f"""
    {_SELECT} AND (CAST(:state AS text) IS NULL OR coalesce(ended.state, 'waiting') = :state)
        AND (CAST(:round_id AS uuid) IS NULL OR proposal.round_id = :round_id)
        AND (CAST(:audit_id AS uuid) IS NULL OR proposal.audit_id = :audit_id)
"""
_LIST: Final = text(f"""
    {_MATCHING} AND (CAST(:after AS uuid) IS NULL OR proposal.id < :after)
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


def find_same(transaction: Transaction, record_id: UUID, identity: str) -> StoredProposal | None:
    """Find the proposal to change a round or to apply an audit that the same request has made, unless it was erased."""
    for row in transaction.execute(_OF_RECORD, {"club_id": transaction.club_id, "record_id": record_id}):
        if digest_text(identity, bytes(row.salt)) == bytes(row.request_digest):
            return _load(row)
    return None


def list_page(
    transaction: Transaction, filter_: ProposalFilter, *, after: UUID | None = None, limit: int
) -> list[Proposal]:
    """List proposals, the newest first, from the one after `after`."""
    parameters = {"club_id": transaction.club_id, **filter_.parameters, "after": after, "limit": limit}
    return [_load(row).proposal for row in transaction.execute(_LIST, parameters)]


def count(transaction: Transaction, filter_: ProposalFilter, limit: int) -> int:
    """Count proposals, up to a limit."""
    return count_rows(transaction, _MATCHING, limit, filter_.parameters)


def count_waiting(transaction: Transaction) -> int:
    """Return the number of proposals that wait."""
    return int(transaction.execute(_COUNT_WAITING, {"club_id": transaction.club_id}).scalar_one())


def add(transaction: Transaction, event: ProposalOpened, content: SaltedText) -> UUID:
    """
    Insert a proposal, which has the ID of its event, with the body of its request, and return the ID.

    Its round or audit must be locked.
    """
    record = {
        "kind": event.proposal.value,
        "proposed_by": transaction.actor,
        "proposed_at": transaction.now,
        "digest": event.digest,
        "request_digest": event.request,
        "received": event.received,
        "round_id": event.round,
        "table_id": event.table,
        "revision": event.revision,
        "dispute": event.dispute,
        "upholds": event.upholds,
        "audit_id": event.audit,
    }
    batch = Batch()
    added = _add(transaction, batch, event)
    batch.insert(ProposalRecord, {"club_id": transaction.club_id, "id": added, **record})
    texts.insert(transaction, batch, [NewText(TextField.SUBMISSION, content, added)])
    batch.write(transaction)
    return added


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


def withdraw(transaction: Transaction, proposal: Proposal, event: ProposalWithdrawn, reason: SaltedText) -> None:
    """Insert that a proposal was withdrawn, and why. Its round or audit must be locked."""
    record = {
        "state": ProposalState.WITHDRAWN.value,
        "reason": reason.digest,
        "round_id": None,
        "revision": None,
        "recomputation_id": None,
    }
    _end(transaction, proposal, event, record, NewText(TextField.REASON, reason, proposal.id))


def _end(
    transaction: Transaction, proposal: Proposal, event: EventPayload, record: Mapping[str, Any], *added: NewText
) -> None:
    batch = Batch()
    _add(transaction, batch, event, after=proposal.id)
    ended = {
        "club_id": transaction.club_id,
        "proposal_id": proposal.id,
        "proposed_by": proposal.key,
        "ended_by": transaction.actor,
        "ended_at": transaction.now,
    }
    batch.insert(ProposalEndRecord, {**ended, **record})
    texts.insert(transaction, batch, added)
    again = Busy("the proposal was confirmed or withdrawn by another request; retry the request")
    batch.write(transaction, proposal_ends_pkey=again)


def _add(transaction: Transaction, batch: Batch, event: EventPayload, *, after: UUID | None = None) -> UUID:
    """Add an event to a batch, and return its ID; `after` is that of an earlier event."""
    added, _ = EventWriter(transaction, batch).add(event.kind, event.encode(), after=after)
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
    content: str | None = row.content
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
        reason=None if content is None else read_reason(content),
        digest=bytes(row.digest),
        key=row.proposed_by,
        by=row.made_by,
        proposed_at=row.proposed_at,
        end=ended,
    )
    return StoredProposal(proposal, content)
