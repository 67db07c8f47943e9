"""Links that were revoked before their end; others are kept nowhere."""

from sqlalchemy import exists, select
from sqlalchemy.dialects.postgresql import insert

from schemas.link_tokens import Link
from service.audit import EventKind, record_event
from service.database import Transaction
from service.models import RevokedLinkRecord


def is_there(transaction: Transaction, link: Link) -> bool:
    """Say whether a link of the transaction's club was revoked."""
    record = RevokedLinkRecord
    sought = exists().where(
        record.club_id == transaction.club_id,
        record.round_id == link.round_id,
        record.expires_at == link.expires_at,
    )
    return bool(transaction.execute(select(sought)).scalar_one())


def add(transaction: Transaction, link: Link, event: bytes) -> None:
    """Let a link of the transaction's club open nothing any more; the event says so, if it was not so already."""
    adding = insert(RevokedLinkRecord).values(
        club_id=transaction.club_id,
        round_id=link.round_id,
        expires_at=link.expires_at,
        revoked_at=transaction.now,
    )
    statement = adding.on_conflict_do_nothing().returning(RevokedLinkRecord.round_id)
    if transaction.execute(statement).first() is not None:
        record_event(transaction, EventKind.LINK_REVOKED, event)
