"""Links to tables, rounds and the club. Only the hashes of their secrets are stored."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, func, insert, or_, select, text, update

from evidence.events import LinkKind
from schemas.links import Link
from service.audit_trail.queries.events import EventKind, record_event
from service.clubs.models import ApiKeyRecord
from service.db import Session, Statement, Transaction
from service.db.failures import conflicts
from service.db.paging import count_rows, select_page
from service.errors import LinkEnded, NotFound
from service.links.models import LinkRecord
from service.rounds.models import RoundRecord
from service.tables.models import TableRecord

_LINK: Final = LinkRecord
_SHOWN: Final = select(
    _LINK.id,
    _LINK.table_id,
    _LINK.round_id,
    _LINK.key_id,
    _LINK.kind,
    _LINK.player,
    func.coalesce(_LINK.label, _LINK.kind).label("label"),
    _LINK.scopes,
    _LINK.created_at,
    _LINK.expires_at,
    _LINK.revoked_at,
    _LINK.last_used_at,
)
_ENDED: Final = LinkEnded("the secret is that of another link; expected a new secret")
_IS_FOR_PAGES: Final = Statement(text("SELECT is_link_for_pages(:secret_sha256) AS is_one"))


def is_for_pages(session: Session, secret_sha256: bytes) -> bool:
    """
    Return whether a secret is, or was, that of a link whose pages have it in their address.

    Args:
        session: a session without a transaction.
        secret_sha256: the hash of the secret.
    """
    [row] = session.query(_IS_FOR_PAGES, {"secret_sha256": secret_sha256})
    return bool(row["is_one"])


def add(transaction: Transaction, link: Link, label_salt: bytes, secret_sha256: bytes, event: bytes) -> None:
    """
    Insert a link and record its event.

    Raises:
        LinkEnded: another link has this secret.
    """
    with conflicts(links_secret_sha256_key=_ENDED):
        transaction.execute(
            insert(_LINK).values(
                club_id=transaction.club_id,
                id=link.id,
                table_id=link.table_id,
                round_id=link.round_id,
                key_id=link.key_id,
                kind=link.kind.value,
                player=link.player,
                label=link.label,
                label_salt=label_salt,
                secret_sha256=secret_sha256,
                scopes=list(link.scopes),
                created_at=link.created_at,
                expires_at=link.expires_at,
            )
        )
    record_event(transaction, EventKind.LINK_ISSUED, event)


def get(transaction: Transaction, link_id: UUID) -> Link:
    """
    Read a link.

    Raises:
        NotFound: the club has no link with this ID.
    """
    row = transaction.execute(_SHOWN.where(_LINK.club_id == transaction.club_id, _LINK.id == link_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no link {link_id}; expected the ID of a link of the club")
    return _load(row)


def list_labelled(transaction: Transaction, label: str) -> list[UUID]:
    """List the IDs of the links of the club with a label."""
    query = select(_LINK.id).where(_LINK.club_id == transaction.club_id, _LINK.label == label)
    return list(transaction.execute(query).scalars())


@dataclass(frozen=True, slots=True)
class LinkFilter:
    """Filters of the links of a club; None means every one."""

    table_id: UUID | None = None
    round_id: UUID | None = None
    kind: LinkKind | None = None
    is_valid: bool | None = None


@dataclass(frozen=True, slots=True)
class ListedLink:
    """
    A link of a list.

    Attributes:
        table: the name of its table; None for a link to the club.
        reference: the operator's reference of its round; None without one, and for a link to a table.
        key: the name of the key that issued it.
    """

    link: Link
    table: str | None
    reference: str | None
    key: str

    @property
    def id(self) -> UUID:
        """The ID of the link."""
        return self.link.id


def list_page(
    transaction: Transaction,
    filter_: LinkFilter,
    *,
    after: UUID | None = None,
    limit: int,
    oldest_first: bool = False,
) -> list[ListedLink]:
    """List the links of the club, the newest or the oldest first, from the one after `after`."""
    page = select_page(_matching(transaction, filter_), _LINK.id, after=after, limit=limit, oldest_first=oldest_first)
    return [ListedLink(_load(row), row.table_name, row.reference, row.key_name) for row in transaction.execute(page)]


def count(transaction: Transaction, filter_: LinkFilter, limit: int) -> int:
    """Count the links of the club up to a limit."""
    return count_rows(transaction, _matching(transaction, filter_), limit)


def _matching(transaction: Transaction, filter_: LinkFilter) -> Select[Any]:
    query = (
        _SHOWN.add_columns(
            TableRecord.name.label("table_name"),
            RoundRecord.reference,
            func.coalesce(ApiKeyRecord.name, ApiKeyRecord.prefix).label("key_name"),
        )
        .outerjoin(TableRecord, (TableRecord.club_id == _LINK.club_id) & (TableRecord.id == _LINK.table_id))
        .outerjoin(RoundRecord, (RoundRecord.club_id == _LINK.club_id) & (RoundRecord.id == _LINK.round_id))
        .join(ApiKeyRecord, (ApiKeyRecord.club_id == _LINK.club_id) & (ApiKeyRecord.id == _LINK.key_id))
        .where(_LINK.club_id == transaction.club_id)
    )
    if filter_.table_id is not None:
        query = query.where(_LINK.table_id == filter_.table_id)
    if filter_.round_id is not None:
        query = query.where(_LINK.round_id == filter_.round_id)
    if filter_.kind is not None:
        query = query.where(_LINK.kind == filter_.kind.value)
    if filter_.is_valid is not None:
        is_valid = (
            _LINK.revoked_at.is_(None)
            & (_LINK.expires_at > transaction.now)
            & or_(ApiKeyRecord.revoked_at.is_(None), ApiKeyRecord.revoked_at > transaction.now)
        )
        query = query.where(is_valid if filter_.is_valid else ~is_valid)
    return query


def list_unrevoked(transaction: Transaction) -> list[Link]:
    """Lock and list the links of the club that are not revoked."""
    query = _SHOWN.where(_LINK.club_id == transaction.club_id, _LINK.revoked_at.is_(None)).with_for_update()
    return [_load(row) for row in transaction.execute(query.order_by(_LINK.id))]


def list_labels(transaction: Transaction, link_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return the labels of links of the club, by their IDs."""
    label = func.coalesce(_LINK.label, _LINK.kind).label("label")
    query = select(_LINK.id, label).where(_LINK.club_id == transaction.club_id, _LINK.id.in_(link_ids))
    return {row.id: row.label for row in transaction.execute(query)}


def revoke(transaction: Transaction, link: Link, event: bytes) -> None:
    """Revoke a link and record the event; a link that was revoked before does not change."""
    statement = (
        update(_LINK)
        .where(_LINK.club_id == transaction.club_id, _LINK.id == link.id, _LINK.revoked_at.is_(None))
        .values(revoked_at=transaction.now)
    )
    if transaction.execute(statement).rowcount == 1:
        record_event(transaction, EventKind.LINK_REVOKED, event)


def _load(row: Row[Any]) -> Link:
    return Link(
        id=row.id,
        table_id=row.table_id,
        round_id=row.round_id,
        key_id=row.key_id,
        kind=LinkKind(row.kind),
        player=row.player,
        label=row.label,
        scopes=tuple(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_at=row.last_used_at,
    )
