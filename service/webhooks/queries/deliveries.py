"""Deliveries: list them, claim those that are due, and store the results of attempts."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, Select, insert, select, text, update

from schemas.webhooks.endpoints import DeliveryState, DeliveryView
from service.db import Transaction
from service.db.paging import Rows, count_rows, select_page
from service.errors import NotFound
from service.webhooks.models import DeliveryRecord

_DELIVERY: Final = DeliveryRecord


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """
    A delivery of which an attempt was begun.

    Attributes:
        attempt: the number of the attempt, which its result must have.
        secrets: those that sign the message, the newest first.
    """

    club_id: UUID
    id: UUID
    webhook_id: UUID
    url: str
    secrets: tuple[bytes, ...]
    kind: str
    about: Any
    round_id: UUID | None
    attempt: int
    first_attempt_at: datetime
    created_at: datetime
    traceparent: str | None


def add_delivery(transaction: Transaction, webhook_id: UUID, delivery_id: UUID, kind: str, about: Any) -> DeliveryView:
    """Insert a message about no round."""
    transaction.execute(
        insert(_DELIVERY).values(
            club_id=transaction.club_id,
            id=delivery_id,
            webhook_id=webhook_id,
            kind=kind,
            data=about,
            rank=1,
            is_redelivery=False,
            state=DeliveryState.WAITING,
            attempts=0,
            next_attempt_at=transaction.now,
            created_at=transaction.now,
        )
    )
    return get_delivery(transaction, webhook_id, delivery_id)


def get_delivery(transaction: Transaction, webhook_id: UUID, delivery_id: UUID) -> DeliveryView:
    """
    Read a delivery.

    Raises:
        NotFound: the webhook has no delivery with this ID.
    """
    row = transaction.execute(_sent(transaction, webhook_id).where(_DELIVERY.id == delivery_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no delivery {delivery_id} of the webhook {webhook_id}")
    return _load_delivery(row)


def list_deliveries(
    transaction: Transaction, webhook_id: UUID, *, state: str | None, after: UUID | None, limit: int
) -> list[DeliveryView]:
    """List the deliveries of a webhook, the newest first, starting after the ID `after`; all, or those in a state."""
    query = select_page(_in_state(transaction, webhook_id, state), _DELIVERY.id, after=after, limit=limit)
    return [_load_delivery(row) for row in transaction.execute(query)]


def count_deliveries(transaction: Transaction, webhook_id: UUID, *, state: str | None, limit: int) -> int:
    """Count the deliveries of a webhook up to a limit; all, or those in a state."""
    return count_rows(transaction, _in_state(transaction, webhook_id, state), limit)


def _in_state(transaction: Transaction, webhook_id: UUID, state: str | None) -> Rows:
    query = _sent(transaction, webhook_id)
    return query if state is None else query.where(_DELIVERY.state == state)


def redeliver(transaction: Transaction, webhook_id: UUID, delivery_id: UUID) -> DeliveryView:
    """
    Send a message again, or at once if it waits. If it was ended, later messages of its round do not wait for it.

    Raises:
        NotFound: the webhook has no delivery with this ID.
    """
    transaction.execute(
        update(_DELIVERY)
        .where(
            _DELIVERY.club_id == transaction.club_id, _DELIVERY.webhook_id == webhook_id, _DELIVERY.id == delivery_id
        )
        .values(
            is_redelivery=_DELIVERY.is_redelivery | (_DELIVERY.state != DeliveryState.WAITING),
            state=DeliveryState.WAITING,
            is_sending=False,
            next_attempt_at=transaction.now,
            first_attempt_at=None,
            ended_at=None,
        )
    )
    return get_delivery(transaction, webhook_id, delivery_id)


def restart_retries(transaction: Transaction, webhook_id: UUID) -> None:
    """Count the time of retries from the next attempt, for all messages of a webhook that wait."""
    transaction.execute(
        update(_DELIVERY)
        .where(
            _DELIVERY.club_id == transaction.club_id,
            _DELIVERY.webhook_id == webhook_id,
            _DELIVERY.state == DeliveryState.WAITING,
        )
        .values(first_attempt_at=None)
    )


def _sent(transaction: Transaction, webhook_id: UUID) -> Select[Any]:
    return select(_DELIVERY.__table__).where(
        _DELIVERY.club_id == transaction.club_id, _DELIVERY.webhook_id == webhook_id
    )


def _load_delivery(row: Row[Any]) -> DeliveryView:
    return DeliveryView(
        id=row.id,
        kind=row.kind,
        round=row.round_id,
        state=row.state,
        attempts=row.attempts,
        next_attempt_at=row.next_attempt_at if row.state == DeliveryState.WAITING else None,
        last_status=row.last_status,
        last_error=row.last_error,
        created_at=row.created_at,
        ended_at=row.ended_at,
    )


@dataclass(frozen=True, slots=True)
class ClubWithWebhooks:
    """A club with messages that are due or being sent, or with deliveries that ended long ago."""

    club_id: UUID
    is_due: bool
    is_expired: bool
    sending: int


_CLUBS: Final = text("SELECT club_id, is_due, is_expired, sending FROM clubs_with_webhooks(:now, :ended_before)")
_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended('webhooks ' || :club_id, 0))")
# A message of a round waits for those before it. A webhook that fails has one connection: it is tried, and slow ones
# leave room for others.
_CLAIM: Final = text("""
    WITH due AS (
        SELECT next.id FROM webhooks AS webhook
        CROSS JOIN LATERAL (
            SELECT count(*) AS messages FROM webhook_deliveries AS sending
            WHERE sending.club_id = :club_id AND sending.webhook_id = webhook.id AND sending.state = 'waiting'
                AND sending.is_sending AND sending.next_attempt_at > :now
        ) AS in_progress
        CROSS JOIN LATERAL (
            SELECT delivery.id, delivery.next_attempt_at FROM webhook_deliveries AS delivery
            WHERE delivery.club_id = :club_id AND delivery.webhook_id = webhook.id AND delivery.state = 'waiting'
                AND delivery.next_attempt_at <= :now
                AND (delivery.is_redelivery OR NOT EXISTS (
                    SELECT FROM webhook_deliveries AS earlier
                    WHERE (earlier.club_id, earlier.webhook_id, earlier.round_id)
                            = (delivery.club_id, delivery.webhook_id, delivery.round_id)
                        AND earlier.state = 'waiting' AND NOT earlier.is_redelivery
                        AND (earlier.sequence, earlier.rank) < (delivery.sequence, delivery.rank)
                ))
            ORDER BY delivery.next_attempt_at, delivery.id
            LIMIT greatest(CASE WHEN webhook.failing_since IS NULL THEN :most_of_webhook ELSE 1 END
                - in_progress.messages, 0) FOR UPDATE SKIP LOCKED
        ) AS next
        WHERE webhook.club_id = :club_id AND webhook.state = 'active'
        ORDER BY next.next_attempt_at, next.id
        LIMIT greatest(least(:limit, :most - (
            SELECT count(*) FROM webhook_deliveries AS sending
            WHERE sending.club_id = :club_id AND sending.state = 'waiting'
                AND sending.is_sending AND sending.next_attempt_at > :now)), 0)
    )
    UPDATE webhook_deliveries AS delivery
    SET attempts = attempts + 1, next_attempt_at = :again_at, is_sending = true,
        first_attempt_at = coalesce(first_attempt_at, :now)
    FROM due WHERE delivery.club_id = :club_id AND delivery.id = due.id
    RETURNING delivery.id, delivery.attempts
""")
_CLAIMED: Final = text("""
    SELECT delivery.id, delivery.webhook_id, webhook.url, webhook.secret, webhook.previous_secret,
        webhook.previous_until, delivery.kind, delivery.data, delivery.round_id, delivery.attempts,
        delivery.first_attempt_at, delivery.created_at, delivery.traceparent
    FROM webhook_deliveries AS delivery
    JOIN webhooks AS webhook ON (webhook.club_id, webhook.id) = (delivery.club_id, delivery.webhook_id)
    WHERE delivery.club_id = :club_id AND delivery.id = :id AND delivery.attempts = :attempt
        AND delivery.state = 'waiting' AND delivery.is_sending AND webhook.state = 'active'
""")
_END: Final = text("""
    UPDATE webhook_deliveries
    SET state = :state, is_sending = false, next_attempt_at = :next_attempt_at, last_status = :last_status,
        last_error = :last_error, ended_at = :ended_at
    WHERE club_id = :club_id AND id = :id AND attempts = :attempt AND state = 'waiting'
""")
# Later messages of the round are looked at again when this one is, and not at every look before.
_FOLLOWING: Final = text("""
    UPDATE webhook_deliveries SET next_attempt_at = :next_attempt_at
    WHERE club_id = :club_id AND webhook_id = :webhook_id AND round_id = :round_id AND state = 'waiting'
        AND NOT is_redelivery AND id <> :id AND attempts = 0
""")
_REMOVE: Final = text("""
    DELETE FROM webhook_deliveries WHERE club_id = :club_id AND id IN (
        SELECT id FROM webhook_deliveries WHERE club_id = :club_id AND ended_at < :before LIMIT :most)
""")


def list_clubs(connection: Connection, now: datetime, ended_before: datetime) -> list[ClubWithWebhooks]:
    """
    List the clubs with messages that are due, or with deliveries that ended before a moment.

    Args:
        connection: from `Database.outside_clubs`.
        now: the moment at which attempts are due.
        ended_before: the moment before which deliveries ended.
    """
    clubs = connection.execute(_CLUBS, {"now": now, "ended_before": ended_before})
    return [ClubWithWebhooks(*club) for club in clubs]


def claim(
    transaction: Transaction, *, limit: int, most: int, most_of_webhook: int, again_after: timedelta
) -> list[tuple[UUID, int]]:
    """
    Begin attempts of deliveries that are due, and return their IDs and the numbers of the attempts.

    Args:
        transaction: the club's transaction.
        limit: the most deliveries to begin.
        most: the most messages of the club that are sent at once.
        most_of_webhook: the most messages that are sent to one of its webhooks at once.
        again_after: the time after which an attempt without a result is repeated.
    """
    # Two transactions that claim at once would count the same attempts in progress.
    transaction.execute(_LOCK, {"club_id": str(transaction.club_id)})
    parameters = {
        "club_id": transaction.club_id,
        "now": transaction.now,
        "limit": limit,
        "most": most,
        "most_of_webhook": most_of_webhook,
        "again_at": transaction.now + again_after,
    }
    return [(row.id, row.attempts) for row in transaction.execute(_CLAIM, parameters)]


def find_claimed(transaction: Transaction, delivery_id: UUID, attempt: int) -> ClaimedDelivery | None:
    """Read a delivery of which an attempt was begun; return None if it has ended, or another attempt was begun."""
    about = {"club_id": transaction.club_id, "id": delivery_id, "attempt": attempt}
    row = transaction.execute(_CLAIMED, about).one_or_none()
    return None if row is None else _load_claimed(transaction, row)


def _load_claimed(transaction: Transaction, row: Row[Any]) -> ClaimedDelivery:
    overlaps = row.previous_until is not None and row.previous_until > transaction.now
    return ClaimedDelivery(
        club_id=transaction.club_id,
        id=row.id,
        webhook_id=row.webhook_id,
        url=row.url,
        secrets=(bytes(row.secret), *([bytes(row.previous_secret)] if overlaps else [])),
        kind=row.kind,
        about=row.data,
        round_id=row.round_id,
        attempt=row.attempts,
        first_attempt_at=row.first_attempt_at,
        created_at=row.created_at,
        traceparent=row.traceparent,
    )


def end_attempt(
    transaction: Transaction,
    delivery: ClaimedDelivery,
    *,
    state: DeliveryState,
    next_attempt_at: datetime,
    status: int | None,
    error: str | None,
) -> bool:
    """Store the result of an attempt, and return whether it is still the newest one."""
    about = {"club_id": transaction.club_id, "id": delivery.id, "next_attempt_at": next_attempt_at}
    ended_at = None if state is DeliveryState.WAITING else transaction.now
    result = {"state": state, "last_status": status, "last_error": error, "ended_at": ended_at}
    ended = transaction.execute(_END, {**about, **result, "attempt": delivery.attempt})
    if ended.rowcount == 1 and delivery.round_id is not None:
        of_round = {"webhook_id": delivery.webhook_id, "round_id": delivery.round_id}
        transaction.execute(_FOLLOWING, {**about, **of_round})
    return ended.rowcount == 1


def remove_ended_before(transaction: Transaction, before: datetime, most: int) -> int:
    """Delete deliveries that ended before a moment, and return their number."""
    parameters = {"club_id": transaction.club_id, "before": before, "most": most}
    return transaction.execute(_REMOVE, parameters).rowcount
