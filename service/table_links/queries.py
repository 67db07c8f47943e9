"""Links to tables. Only the hashes of their secrets are stored."""

from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, insert, select, update

from evidence.events import TableLinkKind
from schemas.table_links import TableLink
from service.db import Transaction
from service.errors import NotFound
from service.ledger.queries.events import EventKind, record_event
from service.table_links.models import TableLinkRecord

_LINK: Final = TableLinkRecord
_SHOWN: Final = select(
    _LINK.id,
    _LINK.table_id,
    _LINK.key_id,
    _LINK.kind,
    _LINK.label,
    _LINK.scopes,
    _LINK.created_at,
    _LINK.expires_at,
    _LINK.revoked_at,
    _LINK.last_used_at,
)


def add(transaction: Transaction, link: TableLink, secret_sha256: bytes, event: bytes) -> None:
    """Insert a link to a table of the transaction's club."""
    transaction.execute(
        insert(_LINK).values(
            club_id=transaction.club_id,
            id=link.id,
            table_id=link.table_id,
            key_id=link.key_id,
            kind=link.kind.value,
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
        label=found.label,
        scopes=tuple(found.scopes),
        created_at=found.created_at,
        expires_at=found.expires_at,
        revoked_at=found.revoked_at,
        last_used_at=found.last_used_at,
    )
