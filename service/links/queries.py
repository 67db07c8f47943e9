"""Secrets of links, and revoked links."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import Select, exists, select, tuple_
from sqlalchemy.dialects.postgresql import Insert, insert

from schemas.access import Link
from service.audit_trail.queries.events import EventKind, record_event
from service.db import Transaction
from service.db.failures import conflicts
from service.errors import Busy
from service.links.models import LinkSecretRecord, RevokedLinkRecord
from service.rounds.models import RoundRecord
from service.tables.models import TableRecord

_FIRST: Final = 1
_LENGTH: Final = 32


def find_secret(transaction: Transaction) -> tuple[int, bytes] | None:
    """Return the version of the current secret and the secret; None if the club has none."""
    found = transaction.execute(_newest_first(transaction).limit(1)).one_or_none()
    return None if found is None else (found.version, found.secret)


def list_secrets(transaction: Transaction) -> list[bytes]:
    """Return the secrets of the club, the current one first."""
    return [found.secret for found in transaction.execute(_newest_first(transaction))]


def _newest_first(transaction: Transaction) -> Select[int, bytes]:
    record = LinkSecretRecord
    query = select(record.version, record.secret).where(record.club_id == transaction.club_id)
    return query.order_by(record.version.desc())


def get_or_create_secret(transaction: Transaction) -> bytes:
    """Return the current secret, after creating one if the club has none. Concurrent calls get the same."""
    found = find_secret(transaction)
    if found is None:
        transaction.execute(_insert(transaction, _FIRST).on_conflict_do_nothing())
        found = find_secret(transaction)
        assert found is not None
    return found[1]


def renew_secret(transaction: Transaction) -> int:
    """
    Create a new secret, which replaces the current one, and return its version.

    Raises:
        Busy: another transaction is doing the same.
    """
    found = find_secret(transaction)
    version = _FIRST if found is None else found[0] + 1
    with conflicts(link_secrets_pkey=Busy("Another command is revoking the links of this club; retry.")):
        transaction.execute(_insert(transaction, version))
    return version


def _insert(transaction: Transaction, version: int) -> Insert:
    return insert(LinkSecretRecord).values(
        club_id=transaction.club_id, version=version, secret=secrets.token_bytes(_LENGTH), created_at=transaction.now
    )


def is_revoked(transaction: Transaction, link: Link) -> bool:
    """Return whether a link of the transaction's club was revoked."""
    record = RevokedLinkRecord
    sought = exists().where(
        record.club_id == transaction.club_id,
        record.round_id == link.round_id,
        record.expires_at == link.expires_at,
    )
    return bool(transaction.execute(select(sought)).scalar_one())


@dataclass(frozen=True, slots=True)
class RevokedLink:
    """A revoked link to a round. Links themselves are signed and not stored."""

    round_id: UUID
    reference: str | None
    table: str
    expires_at: datetime
    revoked_at: datetime


def list_revoked(
    transaction: Transaction, *, before: tuple[datetime, UUID] | None = None, limit: int | None
) -> list[RevokedLink]:
    """List the revoked links to rounds, the newest revocation first, from the one after `before`; all without limit."""
    record = RevokedLinkRecord
    query = (
        select(
            record.round_id,
            RoundRecord.reference,
            TableRecord.name.label("table"),
            record.expires_at,
            record.revoked_at,
        )
        .join(RoundRecord, (RoundRecord.club_id == record.club_id) & (RoundRecord.id == record.round_id))
        .join(TableRecord, (TableRecord.club_id == RoundRecord.club_id) & (TableRecord.id == RoundRecord.table_id))
        .where(record.club_id == transaction.club_id)
    )
    if before is not None:
        query = query.where(tuple_(record.revoked_at, record.round_id) < before)
    query = query.order_by(record.revoked_at.desc(), record.round_id.desc()).limit(limit)
    return [
        RevokedLink(found.round_id, found.reference, found.table, found.expires_at, found.revoked_at)
        for found in transaction.execute(query)
    ]


def revoke(transaction: Transaction, link: Link, event: bytes) -> None:
    """Insert the revocation of a link and its event, unless it was revoked before."""
    adding = insert(RevokedLinkRecord).values(
        club_id=transaction.club_id,
        round_id=link.round_id,
        expires_at=link.expires_at,
        revoked_at=transaction.now,
    )
    statement = adding.on_conflict_do_nothing().returning(RevokedLinkRecord.round_id)
    if transaction.execute(statement).first() is not None:
        record_event(transaction, EventKind.LINK_REVOKED, event)
