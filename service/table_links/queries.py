"""Links to tables. Only the hashes of their secrets are stored."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, insert, or_, select, text, update

from evidence.events import TableLinkKind
from schemas.table_links import TableLink
from service.audit_trail.queries.events import EventKind, record_event
from service.clubs.models import ApiKeyRecord
from service.db import Session, Statement, Transaction
from service.errors import NotFound
from service.table_links.models import TableLinkRecord
from service.tables.models import TableRecord

_LINK: Final = TableLinkRecord
_SHOWN: Final = select(
    _LINK.id,
    _LINK.table_id,
    _LINK.key_id,
    _LINK.kind,
    _LINK.player,
    _LINK.label,
    _LINK.scopes,
    _LINK.created_at,
    _LINK.expires_at,
    _LINK.revoked_at,
    _LINK.last_used_at,
)


_IS_FOR_PAGES: Final = Statement(text("SELECT is_link_for_pages(:secret_sha256) AS is_one"))


def is_for_pages(session: Session, secret_sha256: bytes) -> bool:
    """
    Return whether a secret is, or was, that of a link whose pages have it in their address.

    Args:
        session: a session without a transaction.
        secret_sha256: the hash of the secret.
    """
    [found] = session.query(_IS_FOR_PAGES, {"secret_sha256": secret_sha256})
    return bool(found["is_one"])


def add(transaction: Transaction, link: TableLink, secret_sha256: bytes, event: bytes) -> None:
    """Insert a link to a table of the transaction's club."""
    transaction.execute(
        insert(_LINK).values(
            club_id=transaction.club_id,
            id=link.id,
            table_id=link.table_id,
            key_id=link.key_id,
            kind=link.kind.value,
            player=link.player,
            label=link.label,
            secret_sha256=secret_sha256,
            scopes=list(link.scopes),
            created_at=link.created_at,
            expires_at=link.expires_at,
        )
    )
    record_event(transaction, EventKind.TABLE_LINK_ISSUED, event)


def get(transaction: Transaction, table_id: UUID, link_id: UUID) -> TableLink:
    """
    Read a link to a table.

    Raises:
        NotFound: the table has no link with this ID.
    """
    mine = _LINK.club_id == transaction.club_id, _LINK.table_id == table_id
    found = transaction.execute(_SHOWN.where(*mine, _LINK.id == link_id)).one_or_none()
    if found is None:
        raise NotFound(f"the table {table_id} has no link {link_id}")
    return _load(found)


def list_page(transaction: Transaction, table_id: UUID, *, after: UUID | None = None, limit: int) -> list[TableLink]:
    """List the links to a table, the newest first, from the one after `after`."""
    query = _SHOWN.where(_LINK.club_id == transaction.club_id, _LINK.table_id == table_id)
    if after is not None:
        query = query.where(_LINK.id < after)
    return [_load(found) for found in transaction.execute(query.order_by(_LINK.id.desc()).limit(limit))]


def list_labelled(transaction: Transaction, label: str) -> list[UUID]:
    """List the IDs of the links of the club with a label."""
    query = select(_LINK.id).where(_LINK.club_id == transaction.club_id, _LINK.label == label)
    return list(transaction.execute(query).scalars())


@dataclass(frozen=True, slots=True)
class LinkFilter:
    """Filters of the links of a club; None means every one."""

    table_id: UUID | None = None
    kind: TableLinkKind | None = None
    is_valid: bool | None = None


@dataclass(frozen=True, slots=True)
class ListedLink:
    """A link of a list, with the names of its table and of the key that issued it."""

    link: TableLink
    table: str
    key: str

    @property
    def id(self) -> UUID:
        """The ID of the link."""
        return self.link.id


def list_club_page(
    transaction: Transaction, wanted: LinkFilter, *, after: UUID | None = None, limit: int
) -> list[ListedLink]:
    """List the links to all tables of the club, the newest first, from the one after `after`."""
    query = (
        _SHOWN.add_columns(TableRecord.name.label("table_name"), ApiKeyRecord.name.label("key_name"))
        .join(TableRecord, (TableRecord.club_id == _LINK.club_id) & (TableRecord.id == _LINK.table_id))
        .join(ApiKeyRecord, (ApiKeyRecord.club_id == _LINK.club_id) & (ApiKeyRecord.id == _LINK.key_id))
        .where(_LINK.club_id == transaction.club_id)
    )
    if wanted.table_id is not None:
        query = query.where(_LINK.table_id == wanted.table_id)
    if wanted.kind is not None:
        query = query.where(_LINK.kind == wanted.kind.value)
    if wanted.is_valid is not None:
        is_valid = (
            _LINK.revoked_at.is_(None)
            & (_LINK.expires_at > transaction.now)
            & or_(ApiKeyRecord.revoked_at.is_(None), ApiKeyRecord.revoked_at > transaction.now)
        )
        query = query.where(is_valid if wanted.is_valid else ~is_valid)
    if after is not None:
        query = query.where(_LINK.id < after)
    return [
        ListedLink(_load(found), found.table_name, found.key_name)
        for found in transaction.execute(query.order_by(_LINK.id.desc()).limit(limit))
    ]


def list_labels(transaction: Transaction, link_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return the labels of links of the club, by their IDs."""
    query = select(_LINK.id, _LINK.label).where(_LINK.club_id == transaction.club_id, _LINK.id.in_(link_ids))
    return {found.id: found.label for found in transaction.execute(query)}


def revoke(transaction: Transaction, link: TableLink, event: bytes) -> None:
    """Revoke a link and record the event; a link that was revoked before does not change."""
    statement = (
        update(_LINK)
        .where(_LINK.club_id == transaction.club_id, _LINK.id == link.id, _LINK.revoked_at.is_(None))
        .values(revoked_at=transaction.now)
    )
    if transaction.execute(statement).rowcount == 1:
        record_event(transaction, EventKind.TABLE_LINK_REVOKED, event)


def _load(found: Row[Any]) -> TableLink:
    return TableLink(
        id=found.id,
        table_id=found.table_id,
        key_id=found.key_id,
        kind=TableLinkKind(found.kind),
        player=found.player,
        label=found.label,
        scopes=tuple(found.scopes),
        created_at=found.created_at,
        expires_at=found.expires_at,
        revoked_at=found.revoked_at,
        last_used_at=found.last_used_at,
    )
