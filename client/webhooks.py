"""The operations on webhooks as methods with the same names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from client.paths import build_path, drop_none
from client.responses import Document

if TYPE_CHECKING:
    from client import models
    from client.connection import Connection

_PAGE: Final = "100"


class WebhookOperations:
    """The part of `Client` that manages webhooks."""

    _connection: "Connection"

    def add_webhook(self, webhook: Document) -> "models.Webhook":
        """Create a webhook."""
        return self._connection.post("/v1/webhooks", webhook)

    def list_webhooks(self) -> "Iterator[models.Webhook]":
        """List the webhooks of the club, newest first. Pages are fetched as they are read."""
        return self._connection.get_pages("/v1/webhooks", "webhooks", {"limit": _PAGE})

    def get_webhook(self, webhook_id: str) -> "models.Webhook":
        """Return a webhook, without its secret."""
        return self._connection.get(build_path("webhooks", webhook_id))

    def update_webhook(self, webhook_id: str, changes: Document) -> "models.Webhook":
        """Change the URL, kinds, description or state of a webhook; what `changes` lacks stays as it is."""
        return self._connection.patch(build_path("webhooks", webhook_id), changes)

    def remove_webhook(self, webhook_id: str) -> None:
        """Delete a webhook with its deliveries."""
        self._connection.delete(build_path("webhooks", webhook_id))

    def test_webhook(self, webhook_id: str) -> "models.Delivery":
        """Send a test message to a webhook."""
        return self._connection.post(build_path("webhooks", webhook_id, "test"), {})

    def get_webhook_secret(self, webhook_id: str) -> "models.WebhookSecret":
        """Return the secret that signs the messages of a webhook."""
        return self._connection.get(build_path("webhooks", webhook_id, "secret"))

    def rotate_webhook_secret(self, webhook_id: str, overlap_seconds: int | None = None) -> "models.Webhook":
        """Replace the secret of a webhook. Both secrets sign messages until the overlap ends."""
        overlap = {} if overlap_seconds is None else {"overlap_seconds": overlap_seconds}
        return self._connection.post(build_path("webhooks", webhook_id, "secret", "rotate"), overlap)

    def list_webhook_deliveries(self, webhook_id: str, *, state: str | None = None) -> "Iterator[models.Delivery]":
        """List the messages to a webhook, newest first: all, or those in one state."""
        query = {"limit": _PAGE, **drop_none({"state": state})}
        return self._connection.get_pages(build_path("webhooks", webhook_id, "deliveries"), "deliveries", query)

    def redeliver_message(self, webhook_id: str, delivery_id: str) -> "models.Delivery":
        """Send a message to a webhook again."""
        return self._connection.post(build_path("webhooks", webhook_id, "deliveries", delivery_id, "redeliver"), {})
