"""Add, change, read and remove webhooks; list deliveries, send test messages, and send messages again."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.events import EventPayload, WebhookAdded, WebhookChanged, WebhookRemoved, WebhookSecretRotated
from schemas.webhooks.endpoints import (
    MOST_WEBHOOKS,
    DeliveryView,
    DisabledBecause,
    WebhookKind,
    WebhookRequest,
    WebhookState,
    WebhookView,
)
from service.audit_trail.queries.events import record_event
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import WebhookConflict
from service.logs import get_log
from service.webhooks.queries import deliveries, webhooks
from service.webhooks.sending import AllowedAddresses, Target, check_target

SECRET_PREFIX: Final = "whsec_"

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class AddedWebhook:
    """A webhook, and whether the request that created it is a replay."""

    view: WebhookView
    is_replay: bool


def add_webhook(transaction: Transaction, request: WebhookRequest, allowed: AllowedAddresses) -> AddedWebhook:
    """
    Create a webhook. The same webhook sent again is the existing one.

    Raises:
        WebhookRefused: messages may not be sent to the URL.
        WebhookConflict: the club has too many webhooks.
    """
    check_target(Target.of(request.url), allowed)
    webhooks.lock_adding(transaction)
    existing = webhooks.list_page(transaction, after=None, limit=MOST_WEBHOOKS)
    for webhook in existing:
        if _requested(webhook) == _requested(request):
            return AddedWebhook(webhook, is_replay=True)
    if len(existing) >= MOST_WEBHOOKS:
        raise WebhookConflict(f"the club has {MOST_WEBHOOKS} webhooks; expected to delete one first")
    added = webhooks.add(transaction, uuid7(), request)
    _record(transaction, WebhookAdded(**_describe(added)))
    return AddedWebhook(added, is_replay=False)


def update_webhook(
    transaction: Transaction, webhook_id: UUID, changes: Mapping[str, Any], allowed: AllowedAddresses
) -> WebhookView:
    """
    Change a webhook.

    A webhook whose URL is no longer allowed can be disabled and described.

    Args:
        transaction: a transaction of the club of the webhook.
        webhook_id: the webhook.
        changes: fields of a `WebhookRequest`; the others stay as they are.
        allowed: where messages may be sent.

    Raises:
        NotFound: the club has no webhook with this ID.
        WebhookRefused: messages may not be sent to the new URL, or to the URL of a webhook that becomes active.
    """
    before = webhooks.get(transaction, webhook_id, for_update=True)
    request = replace(
        WebhookRequest(
            before.url, tuple(map(WebhookKind, before.kinds)), before.description, WebhookState(before.state)
        ),
        **changes,
    )
    is_enabled = request.state is WebhookState.ACTIVE and before.state != WebhookState.ACTIVE
    if is_enabled or request.url != before.url:
        check_target(Target.of(request.url), allowed)
    changed = webhooks.replace(transaction, webhook_id, request)
    if _requested(changed) != _requested(before):
        _record(transaction, WebhookChanged(**_describe(changed)))
    return changed


def get_webhook(transaction: Transaction, webhook_id: UUID, *, for_update: bool = False) -> WebhookView:
    """
    Return a webhook; with `for_update`, lock it until the transaction ends.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    return webhooks.get(transaction, webhook_id, for_update=for_update)


def list_webhooks(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[WebhookView]:
    """List the club's webhooks, the newest first."""
    return cut_page(webhooks.list_page(transaction, after=after, limit=limit + 1), limit, lambda view: view)


def count_webhooks(transaction: Transaction, limit: int) -> int:
    """Count the club's webhooks, up to a limit."""
    return webhooks.count(transaction, limit)


def disable_webhook(transaction: Transaction, webhook_id: UUID, because: DisabledBecause) -> None:
    """Disable a webhook whose endpoint is gone or has failed for too long, if it is active."""
    if webhooks.disable(transaction, webhook_id, because):
        _record(transaction, WebhookChanged(**_describe(webhooks.get(transaction, webhook_id))))
        _log.warning("webhook_disabled", webhook=str(webhook_id), reason=because.value)


def remove_webhook(transaction: Transaction, webhook_id: UUID) -> None:
    """
    Delete a webhook with its deliveries.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    removed = webhooks.get(transaction, webhook_id, for_update=True)
    webhooks.remove(transaction, webhook_id)
    _record(transaction, WebhookRemoved(webhook=removed.id, host=Target.of(removed.url).host))


def get_webhook_secret(transaction: Transaction, webhook_id: UUID) -> str:
    """
    Return the secret of a webhook, as libraries for Standard Webhooks expect it.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    return SECRET_PREFIX + b64encode(webhooks.get_secret(transaction, webhook_id)).decode()


def rotate_webhook_secret(transaction: Transaction, webhook_id: UUID, overlap: timedelta) -> WebhookView:
    """
    Create a new secret; messages are signed with the old one too until the overlap ends.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    rotated = webhooks.rotate_secret(transaction, webhook_id, overlap)
    host, seconds = Target.of(rotated.url).host, int(overlap.total_seconds())
    _record(transaction, WebhookSecretRotated(webhook=rotated.id, host=host, overlap_seconds=seconds))
    return rotated


def test_webhook(transaction: Transaction, webhook_id: UUID) -> DeliveryView:
    """
    Send a test message, whatever kinds the webhook has chosen.

    Raises:
        NotFound: the club has no webhook with this ID.
        WebhookConflict: the webhook is disabled.
    """
    _check_active(webhooks.get(transaction, webhook_id))
    about = {"webhook_id": str(webhook_id)}
    return deliveries.add_delivery(transaction, webhook_id, uuid7(), WebhookKind.TEST, about)


def list_webhook_deliveries(
    transaction: Transaction, webhook_id: UUID, *, state: str | None, after: UUID | None, limit: int
) -> Page[DeliveryView]:
    """
    List the deliveries of a webhook, the newest first.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    webhooks.get(transaction, webhook_id)
    views = deliveries.list_deliveries(transaction, webhook_id, state=state, after=after, limit=limit + 1)
    return cut_page(views, limit, lambda view: view)


def count_webhook_deliveries(transaction: Transaction, webhook_id: UUID, *, state: str | None, limit: int) -> int:
    """Count the deliveries of a webhook, up to a limit."""
    return deliveries.count_deliveries(transaction, webhook_id, state=state, limit=limit)


def redeliver_message(transaction: Transaction, webhook_id: UUID, delivery_id: UUID) -> DeliveryView:
    """
    Send a message again.

    Raises:
        NotFound: the club has no webhook, or the webhook no delivery, with this ID.
        WebhookConflict: the webhook is disabled.
    """
    _check_active(webhooks.get(transaction, webhook_id))
    return deliveries.redeliver(transaction, webhook_id, delivery_id)


def _record(transaction: Transaction, event: EventPayload) -> None:
    record_event(transaction, event.kind, event.encode())


def _describe(webhook: WebhookView) -> dict[str, Any]:
    """Return the fields of an event about a webhook: neither its secret nor the path of its URL."""
    host = Target.of(webhook.url).host
    return {"webhook": webhook.id, "host": host, "kinds": tuple(webhook.kinds), "state": str(webhook.state)}


def _requested(webhook: WebhookView | WebhookRequest) -> tuple[object, ...]:
    """Return what a request can change in a webhook."""
    return webhook.url, list(webhook.kinds), webhook.description, webhook.state


def _check_active(webhook: WebhookView) -> None:
    if webhook.state != WebhookState.ACTIVE:
        raise WebhookConflict(f"the webhook is disabled; expected the state {WebhookState.ACTIVE.value!r}")
