"""Webhooks: add, change, read and remove them."""

import secrets
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, case, delete, func, insert, select, text, update

from schemas.webhooks.endpoints import DisabledBecause, WebhookRequest, WebhookState, WebhookView
from service.db import Transaction
from service.db.paging import count_rows
from service.errors import NotFound
from service.webhooks.models import WebhookRecord
from service.webhooks.queries import deliveries

_WEBHOOK: Final = WebhookRecord
_SECRET_BYTES: Final = 32
LONGEST_PAUSE: Final = timedelta(days=1)
"""Time without attempts after which the time of failures begins again: twice the longest delay of a retry."""
_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


def lock_adding(transaction: Transaction) -> None:
    """Lock the creation of webhooks in the club until the transaction ends."""
    transaction.execute(_LOCK, {"name": f"{transaction.club_id} webhooks"})


def add(transaction: Transaction, webhook_id: UUID, request: WebhookRequest) -> WebhookView:
    """Insert a webhook with a new secret."""
    transaction.execute(
        insert(_WEBHOOK).values(
            club_id=transaction.club_id,
            id=webhook_id,
            **_requested(request),
            secret=secrets.token_bytes(_SECRET_BYTES),
            created_at=transaction.now,
        )
    )
    return get(transaction, webhook_id)


def replace(transaction: Transaction, webhook_id: UUID, request: WebhookRequest) -> WebhookView:
    """
    Replace what a webhook was created with.

    A webhook that is active again, or has another URL, has a new chance: its failures before are forgotten.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    before = get(transaction, webhook_id, for_update=True)
    values = _requested(request)
    if request.state is WebhookState.DISABLED and before.disabled_because is not None:
        values["disabled_because"] = before.disabled_because
    is_enabled = request.state is WebhookState.ACTIVE and before.state != WebhookState.ACTIVE
    if is_enabled or request.url != before.url:
        values["failing_since"] = None
        deliveries.restart_retries(transaction, webhook_id)
    return _change(transaction, webhook_id, **values)


def rotate_secret(transaction: Transaction, webhook_id: UUID, overlap: timedelta) -> WebhookView:
    """
    Create a new secret; messages are signed with the old one too until the overlap ends.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    get(transaction, webhook_id, for_update=True)
    return _change(
        transaction,
        webhook_id,
        secret=secrets.token_bytes(_SECRET_BYTES),
        previous_secret=_WEBHOOK.secret,
        previous_until=transaction.now + overlap,
    )


def remove(transaction: Transaction, webhook_id: UUID) -> None:
    """Delete a webhook with its deliveries, if the club has it."""
    transaction.execute(delete(_WEBHOOK).where(_WEBHOOK.club_id == transaction.club_id, _WEBHOOK.id == webhook_id))


def disable(transaction: Transaction, webhook_id: UUID, because: DisabledBecause) -> bool:
    """Disable an active webhook. Returns whether it was active."""
    disabled = transaction.execute(
        update(_WEBHOOK)
        .where(_WEBHOOK.club_id == transaction.club_id, _WEBHOOK.id == webhook_id, _WEBHOOK.state == "active")
        .values(state=WebhookState.DISABLED, disabled_because=because)
        .returning(_WEBHOOK.id)
    )
    return disabled.first() is not None


def record_health(transaction: Transaction, webhook_id: UUID, *, is_well: bool) -> datetime | None:
    """
    Store since when a webhook has failed without a success in between, and return it.

    The time begins again after a pause without attempts, because the endpoint can have worked meanwhile.
    """
    paused_after = transaction.now - LONGEST_PAUSE
    go_on = case((_WEBHOOK.last_failure_at >= paused_after, _WEBHOOK.failing_since), else_=None)
    failing_since = None if is_well else func.coalesce(go_on, transaction.now)
    statement = (
        update(_WEBHOOK)
        .where(_WEBHOOK.club_id == transaction.club_id, _WEBHOOK.id == webhook_id)
        .values(failing_since=failing_since, last_failure_at=None if is_well else transaction.now)
        .returning(_WEBHOOK.failing_since)
    )
    if is_well:
        statement = statement.where(_WEBHOOK.failing_since.is_not(None))
    since: datetime | None = transaction.execute(statement).scalar_one_or_none()
    return since


def _requested(request: WebhookRequest) -> dict[str, Any]:
    is_disabled = request.state is WebhookState.DISABLED
    return {
        "url": request.url,
        "kinds": [kind.value for kind in request.kinds],
        "description": request.description,
        "state": request.state,
        "disabled_because": DisabledBecause.REQUEST if is_disabled else None,
    }


def _change(transaction: Transaction, webhook_id: UUID, **values: Any) -> WebhookView:
    mine = (_WEBHOOK.club_id == transaction.club_id, _WEBHOOK.id == webhook_id)
    transaction.execute(update(_WEBHOOK).where(*mine).values(**values))
    return get(transaction, webhook_id)


def get(transaction: Transaction, webhook_id: UUID, *, for_update: bool = False) -> WebhookView:
    """
    Read a webhook.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    query = _mine(transaction).where(_WEBHOOK.id == webhook_id)
    row = transaction.execute(query.with_for_update() if for_update else query).one_or_none()
    if row is None:
        raise NotFound(f"there is no webhook {webhook_id}")
    return _load(transaction, row)


def get_secret(transaction: Transaction, webhook_id: UUID) -> bytes:
    """
    Read the secret of a webhook.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    query = select(_WEBHOOK.secret).where(_WEBHOOK.club_id == transaction.club_id, _WEBHOOK.id == webhook_id)
    secret = transaction.execute(query).scalar_one_or_none()
    if secret is None:
        raise NotFound(f"there is no webhook {webhook_id}")
    return bytes(secret)


def list_page(transaction: Transaction, *, after: UUID | None, limit: int) -> list[WebhookView]:
    """List webhooks, the newest first, starting after the ID `after`."""
    query = _mine(transaction).order_by(_WEBHOOK.id.desc()).limit(limit)
    if after is not None:
        query = query.where(_WEBHOOK.id < after)
    return [_load(transaction, row) for row in transaction.execute(query)]


def count(transaction: Transaction, limit: int) -> int:
    """Count the webhooks of the club, up to a limit."""
    return count_rows(transaction, _mine(transaction), limit)


def _mine(transaction: Transaction) -> Select[Any]:
    return select(_WEBHOOK.__table__).where(_WEBHOOK.club_id == transaction.club_id)


def _load(transaction: Transaction, row: Row[Any]) -> WebhookView:
    overlaps = row.previous_until is not None and row.previous_until > transaction.now
    return WebhookView(
        id=row.id,
        url=row.url,
        kinds=row.kinds,
        description=row.description,
        state=row.state,
        disabled_because=row.disabled_because,
        failing_since=row.failing_since,
        previous_secret_until=row.previous_until if overlaps else None,
        created_at=row.created_at,
    )
