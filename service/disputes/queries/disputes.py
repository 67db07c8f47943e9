"""Disputes and their entries."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, and_, func, insert, select, update

from schemas.disputes import COMMENT, DisputeEntry, DisputeRequest, DisputeState
from scoring.hand import Seat
from service.db import Transaction
from service.db.batch import Batch
from service.disputes.models import DisputeEntryRecord, DisputeHeadRecord, DisputeRecord
from service.errors import Busy, NotFound
from service.rounds.models import CorrectionRecord
from service.texts import queries as texts
from service.texts.queries import NewText

FIRST: Final = 1
"""The version of a dispute that has just been opened."""

_DISPUTE: Final = DisputeRecord
_HEAD: Final = DisputeHeadRecord
_ENTRY: Final = DisputeEntryRecord


@dataclass(frozen=True, slots=True)
class DisputeFilter:
    """Filter for a list of disputes; None matches any."""

    state: DisputeState | None = None
    table_id: UUID | None = None
    round_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class StoredDispute:
    """
    A dispute with its current state.

    Attributes:
        revision: the revision of the disputed settlement.
        claim: what is wrong; None after it was erased.
        author: the player, or the name of the key; None after it was erased.
        player: the author, if it is a player.
        version: incremented by each comment and transition.
    """

    id: UUID
    round_id: UUID
    table_id: UUID
    revision: int
    hand: int | None
    seat: Seat | None
    board_row: str | None
    claim: str | None
    author: str | None
    player: str | None
    opened_at: datetime
    state: DisputeState = DisputeState.OPEN
    version: int = FIRST


@dataclass(frozen=True, slots=True)
class Words:
    """
    What an author says in a dispute, as texts.

    Attributes:
        words: the claim, the comment or the reason, if there is one.
        player: the author, if it is a player of the round.
        key_name: the name of the author, if it is a key.
    """

    words: NewText | None
    player: str | None
    key_name: NewText | None

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the author."""
        return {"author": self.player, "author_name": None if self.key_name is None else self.key_name.digest}

    def find_proposer(self, actor: UUID | None) -> UUID | None:
        """Return the key that is the author, if it is another one than that of the request."""
        key_id = None if self.key_name is None else self.key_name.record_id
        return None if key_id == actor else key_id

    @property
    def digest(self) -> bytes | None:
        """The digest of the words, if there are any."""
        return None if self.words is None else self.words.digest

    @property
    def texts(self) -> list[NewText]:
        """The texts to insert."""
        return [text for text in (self.words, self.key_name) if text is not None]


def add(transaction: Transaction, dispute: StoredDispute, claim: Words) -> None:
    """Insert a new dispute. Its round must be locked."""
    others = ("state", "version", "claim", "author", "player")
    record = {name: getattr(dispute, name) for name in dispute.__slots__ if name not in others}
    head = {"dispute_id": dispute.id, "state": dispute.state.value, "version": dispute.version}
    own = {"claim": claim.digest, **claim.columns}
    _insert_texts(transaction, claim)
    transaction.execute(insert(_DISPUTE).values(club_id=transaction.club_id, **record, **own))
    transaction.execute(insert(_HEAD).values(club_id=transaction.club_id, **head))


def _insert_texts(transaction: Transaction, words: Words) -> None:
    batch = Batch()
    texts.insert(transaction, batch, words.texts)
    batch.write(transaction)


def get(transaction: Transaction, dispute_id: UUID) -> StoredDispute:
    """
    Return a dispute.

    Raises:
        NotFound: the dispute does not exist.
    """
    return _get_one(transaction, dispute_id, _select_disputes(transaction).where(_DISPUTE.id == dispute_id))


def list_by_id(transaction: Transaction, ids: Collection[UUID]) -> list[StoredDispute]:
    """List those of some IDs that are disputes of the club."""
    return [_load(row) for row in transaction.execute(_select_disputes(transaction).where(_DISPUTE.id.in_(ids)))]


def lock(transaction: Transaction, dispute_id: UUID) -> StoredDispute:
    """
    Lock a dispute until the transaction ends, and return it. Its round must be locked.

    Raises:
        NotFound: the dispute does not exist.
        Busy: another transaction held the lock for too long.
    """
    query = _select_disputes(transaction).where(_DISPUTE.id == dispute_id).with_for_update(of=_HEAD)
    return _get_one(transaction, dispute_id, query)


def find_same(transaction: Transaction, request: DisputeRequest) -> StoredDispute | None:
    """Find the dispute of a round, which must be locked, with the same claim. One that was erased is not found."""
    query = _select_disputes(transaction).where(
        _DISPUTE.round_id == request.round,
        _DISPUTE.hand.is_not_distinct_from(request.hand),
        _DISPUTE.seat.is_not_distinct_from(request.seat),
        _DISPUTE.board_row.is_not_distinct_from(request.row),
        claim_of(_DISPUTE) == request.claim,
        author_of(_DISPUTE) == request.by,
    )
    row = transaction.execute(query.order_by(_DISPUTE.id).limit(1)).one_or_none()
    return None if row is None else _load(row)


def find_in_round(transaction: Transaction, round_id: UUID, dispute_id: UUID) -> StoredDispute | None:
    """Find a dispute of a round."""
    query = _select_disputes(transaction).where(_DISPUTE.round_id == round_id, _DISPUTE.id == dispute_id)
    row = transaction.execute(query).one_or_none()
    return None if row is None else _load(row)


def list_page(
    transaction: Transaction, filter_: DisputeFilter, *, after: UUID | None = None, limit: int
) -> list[StoredDispute]:
    """List disputes after `after`, oldest first."""
    query = _select_disputes(transaction).order_by(_DISPUTE.id).limit(limit)
    if filter_.state is not None:
        query = query.where(_HEAD.state == filter_.state.value)
    if filter_.table_id is not None:
        query = query.where(_DISPUTE.table_id == filter_.table_id)
    if filter_.round_id is not None:
        query = query.where(_DISPUTE.round_id == filter_.round_id)
    if after is not None:
        query = query.where(_DISPUTE.id > after)
    return [_load(row) for row in transaction.execute(query)]


def add_entry(transaction: Transaction, before: StoredDispute, entry: DisputeEntry, words: Words) -> StoredDispute:
    """
    Insert a comment or transition of a dispute, and return the dispute after it.

    Args:
        transaction: in which the round and then the dispute were locked.
        before: the dispute as it was locked.
        entry: the entry, with the dispute's next version.
        words: its author and its text.

    Raises:
        Busy: another transaction has changed the dispute since it was read.
    """
    after = replace(
        before, version=entry.version, state=before.state if entry.kind == COMMENT else DisputeState(entry.kind)
    )
    statement = (
        update(_HEAD)
        .where(_HEAD.club_id == transaction.club_id, _HEAD.dispute_id == before.id, _HEAD.version == before.version)
        .values(version=after.version, state=after.state.value)
    )
    if transaction.execute(statement).rowcount != 1:
        raise Busy(
            f"dispute {before.id} was changed by another request after version {before.version}; retry the request"
        )
    _insert_texts(transaction, words)
    transaction.execute(
        insert(_ENTRY).values(
            club_id=transaction.club_id,
            dispute_id=before.id,
            version=entry.version,
            round_id=before.round_id,
            kind=entry.kind,
            comment=words.digest,
            correction=entry.correction,
            recorded_at=entry.at,
            **words.columns,
        )
    )
    return after


def find_comment(transaction: Transaction, dispute_id: UUID, by: str, words: str | None) -> DisputeEntry | None:
    """Find a comment with the same author and text."""
    query = _entries(transaction, dispute_id).where(
        _ENTRY.kind == COMMENT, comment_of(_ENTRY) == words, author_of(_ENTRY) == by
    )
    row = transaction.execute(query.limit(1)).one_or_none()
    return None if row is None else _load_entry(row)


def find_entry(transaction: Transaction, dispute_id: UUID, version: int) -> DisputeEntry | None:
    """Find the entry that made a version of a dispute."""
    row = transaction.execute(_entries(transaction, dispute_id).where(_ENTRY.version == version)).one_or_none()
    return None if row is None else _load_entry(row)


def list_entries(transaction: Transaction, dispute_id: UUID) -> list[DisputeEntry]:
    """List the entries of a dispute, in order."""
    query = _entries(transaction, dispute_id).order_by(_ENTRY.version)
    return [_load_entry(row) for row in transaction.execute(query)]


def list_entries_of(transaction: Transaction, disputes: Sequence[UUID]) -> dict[UUID, list[DisputeEntry]]:
    """List the entries of several disputes, in order, by dispute."""
    query = _select_entries(transaction).where(_ENTRY.dispute_id.in_(disputes))
    entries: dict[UUID, list[DisputeEntry]] = {dispute: [] for dispute in disputes}
    for row in transaction.execute(query.order_by(_ENTRY.version)) if disputes else ():
        entries[row.dispute_id].append(_load_entry(row))
    return entries


def list_corrections(transaction: Transaction, dispute: StoredDispute) -> Sequence[int]:
    """List the revisions of the round whose corrections name a dispute."""
    correction = CorrectionRecord
    query = select(correction.revision).where(
        correction.club_id == transaction.club_id,
        correction.round_id == dispute.round_id,
        correction.dispute == dispute.id,
    )
    return list(transaction.execute(query.order_by(correction.revision)).scalars())


def _select_disputes(transaction: Transaction) -> Select[Any]:
    head = and_(_HEAD.club_id == _DISPUTE.club_id, _HEAD.dispute_id == _DISPUTE.id)
    columns = select(
        *(column for column in _DISPUTE.__table__.columns if column.name not in WORDS),
        claim_of(_DISPUTE).label("claim"),
        author_of(_DISPUTE).label("author"),
        _DISPUTE.author.label("player"),
        _HEAD.state,
        _HEAD.version,
    )
    return columns.join(_HEAD, head).where(_DISPUTE.club_id == transaction.club_id)


def _get_one(transaction: Transaction, dispute_id: UUID, query: Select[Any]) -> StoredDispute:
    row = transaction.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"there is no dispute {dispute_id}")
    return _load(row)


def _load(row: Row[Any]) -> StoredDispute:
    record = row._asdict()
    kept = {name: record[name] for name in StoredDispute.__slots__}
    return StoredDispute(**{**kept, "state": DisputeState(row.state)})


def _entries(transaction: Transaction, dispute_id: UUID) -> Select[Any]:
    return _select_entries(transaction).where(_ENTRY.dispute_id == dispute_id)


def _select_entries(transaction: Transaction) -> Select[Any]:
    return select(
        *(column for column in _ENTRY.__table__.columns if column.name not in WORDS),
        comment_of(_ENTRY).label("comment"),
        author_of(_ENTRY).label("author"),
    ).where(_ENTRY.club_id == transaction.club_id)


WORDS: Final = ("claim", "comment", "author", "author_name")
"""The columns of texts and their authors, which are read by the next functions."""


def claim_of(disputes: Any) -> Any:
    """Return the claim of disputes as an expression."""
    return texts.select_content(disputes, disputes.claim)


def comment_of(entries: Any) -> Any:
    """Return the comment or reason of entries as an expression."""
    return texts.select_content(entries, entries.comment)


def author_of(records: Any) -> Any:
    """Return the author of disputes or entries as an expression: a player, or the name of a key."""
    return func.coalesce(records.author, texts.select_content(records, records.author_name))


def _load_entry(row: Row[Any]) -> DisputeEntry:
    return DisputeEntry(row.version, row.kind, row.author, row.comment, row.correction, row.recorded_at)
