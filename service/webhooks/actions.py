"""Add, change, read and remove webhooks; list deliveries, send test messages, and send messages again."""

from base64 import b64encode
from datetime import timedelta
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.webhooks.endpoints import (
    MOST_WEBHOOKS,
    DeliveryView,
    WebhookKind,
    WebhookRequest,
    WebhookState,
    WebhookView,
)
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import WebhookConflict
from service.webhooks.addresses import AllowedAddresses, Target, check_target
from service.webhooks.queries import deliveries, webhooks

SECRET_PREFIX: Final = "whsec_"


def add_webhook(transaction: Transaction, request: WebhookRequest, allowed: AllowedAddresses) -> WebhookView:
    """
    Create a webhook.

    Raises:
        WebhookRefused: messages may not be sent to the URL.
        WebhookConflict: the club has too many webhooks.
    """
    check_target(Target.of(request.url), allowed)
    if webhooks.lock_adding(transaction) >= MOST_WEBHOOKS:
        raise WebhookConflict(f"the club has {MOST_WEBHOOKS} webhooks; expected to delete one first")
    return webhooks.add(transaction, uuid7(), request)


def update_webhook(
    transaction: Transaction, webhook_id: UUID, request: WebhookRequest, allowed: AllowedAddresses
) -> WebhookView:
    """
    Replace the URL, kinds, description and state of a webhook.

    Raises:
        NotFound: the club has no webhook with this ID.
        WebhookRefused: messages may not be sent to the URL.
    """
    webhooks.get(transaction, webhook_id)
    check_target(Target.of(request.url), allowed)
    return webhooks.replace(transaction, webhook_id, request)


def get_webhook(transaction: Transaction, webhook_id: UUID) -> WebhookView:
    """
    Return a webhook.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    return webhooks.get(transaction, webhook_id)


def list_webhooks(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[WebhookView]:
    """List the club's webhooks, the newest first."""
    return cut_page(webhooks.list_page(transaction, after=after, limit=limit + 1), limit, lambda view: view)


def remove_webhook(transaction: Transaction, webhook_id: UUID) -> None:
    """
    Delete a webhook with its deliveries.

    Raises:
        NotFound: the club has no webhook with this ID.
    """
    webhooks.get(transaction, webhook_id)
    webhooks.remove(transaction, webhook_id)


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
    return webhooks.rotate_secret(transaction, webhook_id, overlap)


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
    found = deliveries.list_deliveries(transaction, webhook_id, state=state, after=after, limit=limit + 1)
    return cut_page(found, limit, lambda view: view)


def redeliver_message(transaction: Transaction, webhook_id: UUID, delivery_id: UUID) -> DeliveryView:
    """
    Send a message again.

    Raises:
        NotFound: the club has no webhook, or the webhook no delivery, with this ID.
        WebhookConflict: the webhook is disabled.
    """
    _check_active(webhooks.get(transaction, webhook_id))
    return deliveries.redeliver(transaction, webhook_id, delivery_id)


def _check_active(webhook: WebhookView) -> None:
    if webhook.state != WebhookState.ACTIVE:
        raise WebhookConflict(f"the webhook is disabled; expected the state {WebhookState.ACTIVE.value!r}")
