"""Deliver messages: begin what is due, send it, store the result, and plan the next attempt."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

import orjson

from schemas.webhooks.endpoints import DeliveryState, DisabledBecause, dump_message
from service.db import Database, Transaction
from service.logs import get_log
from service.trace_context import tracing
from service.webhooks.actions import disable_webhook
from service.webhooks.queries import deliveries, webhooks
from service.webhooks.queries.deliveries import ClaimedDelivery
from service.webhooks.sending import AllowedAddresses, Attempt, send

FIRST_DELAY: Final = timedelta(seconds=5)
LONGEST_DELAY: Final = timedelta(hours=12)
_FACTOR: Final = 3.0
RETRIED_FOR: Final = timedelta(days=3)
"""Time from the first attempt after which a message is dead-lettered."""
DISABLED_AFTER: Final = timedelta(days=5)
"""Time of failures, without a success or a longer pause, after which a webhook is disabled."""
RETAINED_FOR: Final = timedelta(days=30)
"""Time for which deliveries that ended are listed."""
REPEATED_AFTER: Final = timedelta(seconds=60)
"""Time after which an attempt is repeated, if the worker has not stored a result."""
CONNECTIONS: Final = 48
"""Maximum number of messages that are sent at the same time, fewer than the threads of a worker."""
CONNECTIONS_PER_CLUB: Final = 8
"""Maximum number of those to the webhooks of one club, so that slow ones leave room for other clubs."""
CONNECTIONS_PER_WEBHOOK: Final = 4
"""Maximum number of those to one webhook, so that a slow one leaves room for others."""
GONE: Final = 410
_AT_A_TIME: Final = 500

_log = get_log(__name__)


def delay_after(attempt: int) -> timedelta:
    """
    Return the time from a failed attempt to the next one: three times as long each time, with jitter.

    >>> 2.5 <= delay_after(1).total_seconds() <= 5
    True
    >>> timedelta(hours=6) <= delay_after(500) <= timedelta(hours=12)
    True
    """
    longest = min(FIRST_DELAY * _FACTOR ** min(attempt - 1, 20), LONGEST_DELAY)
    return longest * random.uniform(0.5, 1)


def encode_message(delivery: ClaimedDelivery) -> bytes:
    """Return the body of a message, the same bytes for every attempt."""
    return orjson.dumps(dump_message(delivery.kind, delivery.created_at, delivery.about), option=orjson.OPT_SORT_KEYS)


def record_attempt(transaction: Transaction, delivery: ClaimedDelivery, attempt: Attempt) -> None:
    """
    Store the result of an attempt, and disable the webhook if its endpoint is gone or has failed for too long.

    The result is not stored if another attempt has begun meanwhile.
    """
    next_attempt_at = transaction.now
    state = DeliveryState.DELIVERED
    if not attempt.is_success:
        next_attempt_at += delay_after(delivery.attempt)
        is_last = next_attempt_at > delivery.first_attempt_at + RETRIED_FOR
        state = DeliveryState.DEAD_LETTERED if is_last else DeliveryState.WAITING
    if state is DeliveryState.DEAD_LETTERED:
        next_attempt_at = transaction.now
        _log.warning("webhook_dead_lettered", webhook=str(delivery.webhook_id), message=str(delivery.id))
    is_stored = deliveries.end_attempt(
        transaction,
        delivery,
        state=state,
        next_attempt_at=next_attempt_at,
        status=attempt.status,
        error=attempt.error,
    )
    if not is_stored:
        return
    failing_since = webhooks.record_health(transaction, delivery.webhook_id, is_well=attempt.is_success)
    because = None
    if attempt.status == GONE:
        because = DisabledBecause.GONE
    elif failing_since is not None and transaction.now - failing_since >= DISABLED_AFTER:
        because = DisabledBecause.FAILING
    if because is not None:
        disable_webhook(transaction, delivery.webhook_id, because)


class Deliverer:
    """Delivers the messages of all clubs. Several processes can do so at once."""

    def __init__(
        self, database: Database, allowed: AllowedAddresses, send_task: Callable[[UUID, UUID, int], None]
    ) -> None:
        """
        Create a deliverer.

        Args:
            database: the database of the outbox.
            allowed: the addresses to which messages may be sent.
            send_task: has a worker call `deliver`, with these IDs of a club and a delivery and number of an attempt.
        """
        self._database = database
        self._allowed = allowed
        self._send_task = send_task

    def dispatch(self) -> None:
        """Begin attempts of what is due in all clubs, as many as there are free connections, and share these."""
        now = datetime.now(UTC)
        with self._database.outside_clubs() as connection:
            clubs = deliveries.list_clubs(connection, now, datetime.min.replace(tzinfo=UTC))
        free = CONNECTIONS - sum(club.sending for club in clubs)
        due = [club for club in clubs if club.is_due]
        random.shuffle(due)
        for place, club in enumerate(sorted(due, key=lambda each: each.sending)):
            if free <= 0:
                return
            share = max(1, free // (len(due) - place))
            with self._database.transaction(club.club_id) as transaction:
                claimed = deliveries.claim(
                    transaction,
                    limit=share,
                    most=CONNECTIONS_PER_CLUB,
                    most_of_webhook=CONNECTIONS_PER_WEBHOOK,
                    again_after=REPEATED_AFTER,
                )
            free -= len(claimed)
            for delivery_id, attempt in claimed:
                self._send_task(club.club_id, delivery_id, attempt)

    def deliver(self, club_id: UUID, delivery_id: UUID, attempt: int) -> None:
        """Send a message once, and store the result. If it cannot be stored, another attempt follows."""
        with self._database.transaction(club_id) as transaction:
            delivery = deliveries.find_claimed(transaction, delivery_id, attempt)
        if delivery is None:
            return
        with tracing(delivery.traceparent):
            result = send(delivery.url, delivery.id, encode_message(delivery), delivery.secrets, self._allowed)
            with self._database.transaction(club_id) as transaction:
                record_attempt(transaction, delivery, result)
        # The next message of the round is due now, and a connection is free.
        self.dispatch()


def remove_ended(database: Database) -> int:
    """Remove the deliveries of all clubs that ended long ago, and return their number."""
    now = datetime.now(UTC)
    before, removed = now - RETAINED_FOR, 0
    with database.outside_clubs() as connection:
        clubs = [club.club_id for club in deliveries.list_clubs(connection, now, before) if club.is_expired]
    for club_id in clubs:
        last = _AT_A_TIME
        while last == _AT_A_TIME:
            with database.transaction(club_id) as transaction:
                last = deliveries.remove_ended_before(transaction, before, _AT_A_TIME)
            removed += last
    return removed
