"""Deliver messages: claim what is due, send it, store the result, and plan the next attempt."""

import random
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

import orjson

from schemas.webhooks.endpoints import DeliveryState, DisabledBecause, dump_message
from service.db import Database, Transaction
from service.errors import ServiceError
from service.logs import get_log
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
LEASE: Final = timedelta(seconds=60)
"""Time after which a delivery is claimed again, if the process that claimed it has not stored a result."""
CONNECTIONS: Final = 16
"""Maximum number of messages that a process sends at the same time."""
CONNECTIONS_PER_CLUB: Final = 8
"""Maximum number of those to the webhooks of one club, so that slow ones leave room for other clubs."""
CONNECTIONS_PER_WEBHOOK: Final = 4
"""Maximum number of those to one webhook, so that a slow one leaves room for others."""
GONE: Final = 410
_LOOK_SECONDS: Final = 1.0
_EXPIRY_SECONDS: Final = 3600.0
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

    The result of an attempt whose lease has ended is not stored if another attempt has begun.
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
    """Delivers the messages of all clubs, in threads. Several processes can do so at once."""

    def __init__(self, database: Database, allowed: AllowedAddresses) -> None:
        """
        Create a deliverer, which does nothing until it runs.

        Args:
            database: the database of the outbox.
            allowed: the addresses to which messages may be sent.
        """
        self._database = database
        self._allowed = allowed
        self._in_flight: defaultdict[UUID, Counter[UUID]] = defaultdict(Counter)
        self._last_club = UUID(int=0)
        self._lock = threading.Lock()
        self._look = threading.Event()
        self._next_expiry = datetime.min.replace(tzinfo=UTC)

    def run(self, is_over: Callable[[], bool]) -> None:
        """Deliver messages until `is_over`, and end after the attempts in flight."""
        with ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="webhook") as pool:
            while not is_over():
                try:
                    for delivery in self.claim_due():
                        pool.submit(self.deliver, delivery)
                except ServiceError as error:
                    _log.warning("webhooks_interrupted", error=str(error))
                except Exception:
                    _log.exception("webhooks_failed")
                self._look.wait(_LOOK_SECONDS)
                self._look.clear()

    def stop_waiting(self) -> None:
        """Look at once, for example because it is over."""
        self._look.set()

    def claim_due(self) -> list[ClaimedDelivery]:
        """
        Claim what is due in all clubs, as much as there are free connections; remove what ended long ago.

        The club after the last one of which a message was claimed is the first, so that each has its turn.
        """
        now = datetime.now(UTC)
        ended_before = datetime.min.replace(tzinfo=UTC)
        if now >= self._next_expiry:
            self._next_expiry = now + timedelta(seconds=_EXPIRY_SECONDS)
            ended_before = now - RETAINED_FOR
        with self._database.outside_clubs() as connection:
            clubs = deliveries.list_clubs(connection, now, ended_before)
        claimed: list[ClaimedDelivery] = []
        for club in sorted(clubs, key=lambda each: (each.club_id <= self._last_club, each.club_id)):
            if club.is_expired:
                self._remove_ended(club.club_id, ended_before)
            if club.is_due:
                claimed += self._claim(club.club_id)
        return claimed

    def _claim(self, club_id: UUID) -> list[ClaimedDelivery]:
        with self._lock:
            in_flight = dict(self._in_flight.get(club_id, {}))
            free = min(
                CONNECTIONS - sum(each.total() for each in self._in_flight.values()),
                CONNECTIONS_PER_CLUB - sum(in_flight.values()),
            )
        if free <= 0:
            return []
        with self._database.transaction(club_id) as transaction:
            claimed = deliveries.claim(transaction, in_flight, CONNECTIONS_PER_WEBHOOK, free, LEASE)
        if not claimed:
            return []
        self._last_club = club_id
        with self._lock:
            self._in_flight[club_id].update(delivery.webhook_id for delivery in claimed)
        return claimed

    def _remove_ended(self, club_id: UUID, before: datetime) -> None:
        removed = _AT_A_TIME
        while removed == _AT_A_TIME:
            with self._database.transaction(club_id) as transaction:
                removed = deliveries.remove_ended_before(transaction, before, _AT_A_TIME)

    def deliver(self, delivery: ClaimedDelivery) -> None:
        """Send a message once and store the result. If it cannot be stored, another attempt follows."""
        try:
            body = encode_message(delivery)
            attempt = send(delivery.url, delivery.id, body, delivery.secrets, self._allowed)
            with self._database.transaction(delivery.club_id) as transaction:
                record_attempt(transaction, delivery, attempt)
        except ServiceError as error:
            _log.warning("webhook_result_lost", message=str(delivery.id), error=str(error))
        except Exception:
            _log.exception("webhook_failed", message=str(delivery.id))
        finally:
            with self._lock:
                self._in_flight[delivery.club_id] -= Counter([delivery.webhook_id])
                if not self._in_flight[delivery.club_id]:
                    del self._in_flight[delivery.club_id]
            # The next message of the round is due now.
            self._look.set()
