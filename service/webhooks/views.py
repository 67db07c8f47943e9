"""Webhooks: endpoints that receive messages about what happens in the club."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response

from schemas.pages import PageQuerySchema
from schemas.webhooks.endpoints import (
    DeliveryPageSchema,
    DeliveryQuerySchema,
    DeliverySchema,
    SecretRotationRequestSchema,
    WebhookChangesSchema,
    WebhookPageSchema,
    WebhookRequest,
    WebhookRequestSchema,
    WebhookSchema,
    WebhookSecretSchema,
    dump_delivery,
    dump_webhook,
)
from service.clubs.scopes import KeyScope
from service.http.authentication import current_transaction
from service.http.resource import Resource
from service.http.responses import (
    LOCATION,
    NEXT_PAGE,
    NO_STORE,
    REPLAYED,
    created_response,
    json_response,
    no_content,
    respond_page,
)
from service.http.services import current_services
from service.webhooks import actions
from service.webhooks.sending import AllowedAddresses

webhooks = Resource("webhooks", __name__, description="Webhooks: messages about what happens, signed and retried.")
ONE: Final = "/v1/webhooks/<uuid:webhook_id>"


def allowed_addresses() -> AllowedAddresses:
    """Return the addresses to which messages may be sent."""
    allowed: AllowedAddresses = current_services().allowed_addresses
    return allowed


@webhooks.route("/v1/webhooks", methods=["POST"])
@webhooks.operation("add_webhook", KeyScope.WEBHOOKS, records=True)
@webhooks.arguments(WebhookRequestSchema)
@webhooks.response(201, WebhookSchema, headers=LOCATION | REPLAYED)
def post_webhook(request: WebhookRequest) -> Response:
    """
    Create a webhook. `get_webhook_secret` returns the secret that signs its messages.

    The same webhook sent again, with the URL, kinds, description and state of one that exists, is that one.
    """
    added = actions.add_webhook(current_transaction(), request, allowed_addresses())
    return created_response(dump_webhook(added.view), f"/v1/webhooks/{added.view.id}", is_replay=added.is_replay)


@webhooks.route("/v1/webhooks", methods=["GET"])
@webhooks.operation("list_webhooks", KeyScope.WEBHOOKS)
@webhooks.arguments(PageQuerySchema, location="query")
@webhooks.response(200, WebhookPageSchema, headers=NEXT_PAGE)
def get_webhooks(query: dict[str, Any]) -> Response:
    """List the club's webhooks, newest first."""
    page = actions.list_webhooks(current_transaction(), after=query["cursor"], limit=query["limit"])
    return respond_page("webhooks", [dump_webhook(each) for each in page.items], page.next_after)


@webhooks.route(ONE, methods=["GET"])
@webhooks.operation("get_webhook", KeyScope.WEBHOOKS)
@webhooks.response(200, WebhookSchema)
def get_one_webhook(webhook_id: UUID) -> Response:
    """Return a webhook."""
    return json_response(dump_webhook(actions.get_webhook(current_transaction(), webhook_id)))


@webhooks.route(ONE, methods=["PATCH"])
@webhooks.operation("update_webhook", KeyScope.WEBHOOKS)
@webhooks.arguments(WebhookChangesSchema)
@webhooks.response(200, WebhookSchema)
def patch_webhook(changes: dict[str, Any], webhook_id: UUID) -> Response:
    """
    Change the URL, kinds, description or state of a webhook. What is omitted stays as it is.

    The secret stays. A disabled webhook that becomes active receives the messages that wait, and new ones.
    """
    webhook = actions.update_webhook(current_transaction(), webhook_id, changes, allowed_addresses())
    return json_response(dump_webhook(webhook))


@webhooks.route(ONE, methods=["DELETE"])
@webhooks.operation("remove_webhook", KeyScope.WEBHOOKS)
@webhooks.response(204, description="The webhook and its deliveries are deleted.")
def delete_webhook(webhook_id: UUID) -> Response:
    """Delete a webhook with its deliveries. Messages that wait are not sent."""
    actions.remove_webhook(current_transaction(), webhook_id)
    return no_content()


@webhooks.route(f"{ONE}/secret", methods=["GET"])
@webhooks.operation("get_webhook_secret", KeyScope.WEBHOOKS)
@webhooks.response(200, WebhookSecretSchema)
def get_secret(webhook_id: UUID) -> Response:
    """Return the secret that signs the messages of a webhook."""
    secret = actions.get_webhook_secret(current_transaction(), webhook_id)
    return json_response({"secret": secret}, headers=NO_STORE)


@webhooks.route(f"{ONE}/secret/rotate", methods=["POST"])
@webhooks.operation("rotate_webhook_secret", KeyScope.WEBHOOKS, records=True)
@webhooks.arguments(SecretRotationRequestSchema)
@webhooks.response(200, WebhookSchema, headers=REPLAYED)
def post_rotation(request: dict[str, Any], webhook_id: UUID) -> Response:
    """
    Replace the secret of a webhook by a new one.

    Until the overlap ends, every message has a signature with the new secret and one with the old secret, so that the
    endpoint can change its secret at any moment in between.
    """
    overlap = timedelta(seconds=request["overlap_seconds"])
    return json_response(dump_webhook(actions.rotate_webhook_secret(current_transaction(), webhook_id, overlap)))


@webhooks.route(f"{ONE}/test", methods=["POST"])
@webhooks.operation("test_webhook", KeyScope.WEBHOOKS, records=True)
@webhooks.response(202, DeliverySchema, headers=REPLAYED)
def post_test(webhook_id: UUID) -> Response:
    """Send a message of the kind `webhook.test`. `list_webhook_deliveries` shows its result."""
    delivery = actions.test_webhook(current_transaction(), webhook_id)
    return json_response(dump_delivery(delivery), HTTPStatus.ACCEPTED)


@webhooks.route(f"{ONE}/deliveries", methods=["GET"])
@webhooks.operation("list_webhook_deliveries", KeyScope.WEBHOOKS)
@webhooks.arguments(DeliveryQuerySchema, location="query")
@webhooks.response(200, DeliveryPageSchema, headers=NEXT_PAGE)
def get_deliveries(query: dict[str, Any], webhook_id: UUID) -> Response:
    """List the messages to a webhook, newest first: all, or those in one state."""
    page = actions.list_webhook_deliveries(
        current_transaction(), webhook_id, state=query["state"], after=query["cursor"], limit=query["limit"]
    )
    return respond_page("deliveries", [dump_delivery(each) for each in page.items], page.next_after)


@webhooks.route(f"{ONE}/deliveries/<uuid:delivery_id>/redeliver", methods=["POST"])
@webhooks.operation("redeliver_message", KeyScope.WEBHOOKS, records=True)
@webhooks.response(202, DeliverySchema, headers=REPLAYED)
def post_redelivery(webhook_id: UUID, delivery_id: UUID) -> Response:
    """
    Send a message again, with the same `webhook-id`, whether it was delivered or dead-lettered.

    It is sent at once, even if later messages of its round were delivered before.
    """
    delivery = actions.redeliver_message(current_transaction(), webhook_id, delivery_id)
    return json_response(dump_delivery(delivery), HTTPStatus.ACCEPTED)
