"""Webhooks: add, change, pause, test and remove them, rotate their secrets, and send messages again."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import load
from schemas.fields import Choice
from schemas.webhooks.endpoints import (
    LONGEST_OVERLAP_SECONDS,
    DeliveryState,
    DeliveryView,
    SecretRotationRequestSchema,
    WebhookChangesSchema,
    WebhookKind,
    WebhookRequest,
    WebhookRequestSchema,
    WebhookView,
)
from service.clubs.scopes import KeyScope
from service.console.views.addresses import address_with
from service.console.views.exports import Column
from service.console.views.listing import Filter, Listing, read_list, send_list_file, show_list
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import console_state, read_form
from service.http.authentication import current_transaction
from service.webhooks import actions
from service.webhooks.queries.deliveries import get_delivery
from service.webhooks.views import allowed_addresses

KINDS: Final = tuple(kind.value for kind in WebhookKind if kind is not WebhookKind.TEST)
OVERLAPS: Final = {"0": "not at all", "3600": "for an hour", "86400": "for a day", "604800": "for a week"}
_STATES: Final = {"waiting": "Waiting", "delivered": "Delivered", "dead_lettered": "Dead-lettered"}
_TABS: Final = (("", "All"), *_STATES.items())
WEBHOOKS: Final = Listing[WebhookView](
    name="webhooks",
    title="Webhooks",
    columns=(
        Column("id", lambda each: each.id),
        Column("url", lambda each: each.url, "Endpoint", "webhook_url", is_header=True),
        Column("description", lambda each: each.description),
        Column("state", lambda each: each.state, "State", "webhook_state"),
        Column("disabled_because", lambda each: each.disabled_because),
        Column("kinds", lambda each: " ".join(each.kinds), "Messages", "webhook_kinds"),
        Column("failing_since", lambda each: each.failing_since, "Failing since"),
        Column("created_at", lambda each: each.created_at, "Added"),
    ),
    read=lambda transaction, _query, after, limit: actions.list_webhooks(transaction, after=after, limit=limit),
    count=lambda transaction, _query, limit: actions.count_webhooks(transaction, limit),
    none="The club has no webhook.",
    rows=("webhook", "webhooks"),
)
DELIVERIES: Final = Listing[DeliveryView](
    name="deliveries-{webhook_id}",
    title="Deliveries",
    label="List of deliveries",
    columns=(
        Column("id", lambda each: each.id),
        Column("created_at", lambda each: each.created_at, "Created", style="whole"),
        Column("kind", lambda each: each.kind, "Message", is_header=True),
        Column("round", lambda each: each.round),
        Column("state", lambda each: each.state, "State", "delivery_state"),
        Column("attempts", lambda each: each.attempts, "Attempts", style="figure"),
        Column("last_status", lambda each: each.last_status),
        Column("last_error", lambda each: each.last_error, "Last response", "delivery_response", style="wide"),
        Column("next_attempt_at", lambda each: each.next_attempt_at, "Next attempt"),
        Column("ended_at", lambda each: each.ended_at),
        Column("action", heading="", cell="delivery_action"),
    ),
    read=lambda transaction, query, after, limit: actions.list_webhook_deliveries(
        transaction, query["webhook_id"], state=query["state"], after=after, limit=limit
    ),
    count=lambda transaction, query, limit: actions.count_webhook_deliveries(
        transaction, query["webhook_id"], state=query["state"], limit=limit
    ),
    none="No message was sent to this webhook yet.",
    rows=("delivery", "deliveries"),
    no_match="No message is in this state.",
    filters=(Filter("state", Choice({state.value: state for state in DeliveryState})),),
)
_REQUEST: Final = WebhookRequestSchema()
_CHANGES: Final = WebhookChangesSchema()
_ROTATION: Final = SecretRotationRequestSchema()


@console.get("/webhooks")
@console_page(KeyScope.WEBHOOKS)
def list_webhooks() -> str | Response:
    """Render the webhooks of the club, newest first, or send them as a file."""
    return show_list(WEBHOOKS, "webhooks.html")


@console.get("/webhooks/new")
@console_page(KeyScope.WEBHOOKS)
def show_new_webhook() -> str:
    """Render the form that adds a webhook."""
    return render("edit_webhook.html", webhook=None, kinds=KINDS, chosen=_chosen(None))


@console.post("/webhooks/new")
@console_form(KeyScope.WEBHOOKS, show_again=show_new_webhook)
def add_webhook() -> str:
    """Add a webhook, and show its secret once."""
    request: WebhookRequest = load(_REQUEST, _read_fields())
    added = actions.add_webhook(current_transaction(), request, allowed_addresses())
    return _render_secret(added.view)


@console.get("/webhooks/<uuid:webhook_id>")
@console_page(KeyScope.WEBHOOKS)
def show_webhook(webhook_id: UUID, delivery_id: UUID | None = None) -> str | Response:
    """
    Render a webhook with its deliveries, newest first, or send these as a file.

    Args:
        webhook_id: the webhook.
        delivery_id: a delivery that could not be sent again, when the page is shown again.
    """
    console_state().page_path = url_for("console.show_webhook", webhook_id=webhook_id)
    if delivery_id is not None:
        get_delivery(current_transaction(), webhook_id, delivery_id)
    webhook = actions.get_webhook(current_transaction(), webhook_id)
    file = send_list_file(DELIVERIES, webhook_id=webhook_id)
    if file is not None:
        return file
    shown = read_list(DELIVERIES, webhook_id=webhook_id)
    state = shown.query["state"]
    tabs = [(label, address_with(state=each or None, cursor=None), each == (state or "")) for each, label in _TABS]
    return render("webhook.html", webhook=webhook, shown=shown, tabs_of_states=tabs, state_names=_STATES)


@console.get("/webhooks/<uuid:webhook_id>/edit")
@console_page(KeyScope.WEBHOOKS)
def show_edit_webhook(webhook_id: UUID) -> str:
    """Render the form that changes a webhook."""
    webhook = actions.get_webhook(current_transaction(), webhook_id)
    return render("edit_webhook.html", webhook=webhook, kinds=KINDS, chosen=_chosen(webhook), shown=_shown(webhook))


@console.post("/webhooks/<uuid:webhook_id>/edit")
@console_form(KeyScope.WEBHOOKS, show_again=show_edit_webhook)
def change_webhook(webhook_id: UUID) -> BaseResponse:
    """
    Change the URL, the kinds and the description of a webhook; its state stays.

    Only what differs from the page is changed, so that what somebody else has changed since it was opened stays.
    """
    form, sent = read_form(), _read_fields()
    shown = {name: form.get(f"shown:{name}", "") for name in ("url", "description", "kinds")}
    sent["kinds"] = _merge_kinds(webhook_id, set(sent["kinds"]), set(shown["kinds"].split(",")) - {""})
    changed = {name: value for name, value in sent.items() if name == "kinds" or (value or "") != shown[name]}
    changes: dict[str, Any] = load(_CHANGES, changed)
    actions.update_webhook(current_transaction(), webhook_id, changes, allowed_addresses())
    return _show(webhook_id)


def _merge_kinds(webhook_id: UUID, sent: set[str], shown: set[str]) -> list[str]:
    """Return the kinds of a webhook with those that a page has added, and without those that it has removed."""
    recorded = set(actions.get_webhook(current_transaction(), webhook_id, for_update=True).kinds)
    return [kind for kind in KINDS if kind in sent - shown or kind in recorded - (shown - sent)]


@console.post("/webhooks/<uuid:webhook_id>/state")
@console_form(KeyScope.WEBHOOKS, show_again=show_webhook)
def change_webhook_state(webhook_id: UUID) -> BaseResponse:
    """Disable a webhook, or make it active again."""
    changes: dict[str, Any] = load(_CHANGES, {"state": read_form().get("state", "")})
    actions.update_webhook(current_transaction(), webhook_id, changes, allowed_addresses())
    return _show(webhook_id)


@console.get("/webhooks/<uuid:webhook_id>/remove")
@console_page(KeyScope.WEBHOOKS)
def confirm_webhook_removal(webhook_id: UUID) -> str:
    """Render the page that asks whether to remove a webhook."""
    return render("remove_webhook.html", webhook=actions.get_webhook(current_transaction(), webhook_id))


@console.post("/webhooks/<uuid:webhook_id>/remove")
@console_form(KeyScope.WEBHOOKS, show_again=confirm_webhook_removal)
def remove_webhook(webhook_id: UUID) -> BaseResponse:
    """Remove a webhook with its deliveries."""
    actions.remove_webhook(current_transaction(), webhook_id)
    return redirect(url_for("console.list_webhooks"), HTTPStatus.SEE_OTHER)


@console.get("/webhooks/<uuid:webhook_id>/rotate")
@console_page(KeyScope.WEBHOOKS)
def confirm_rotation(webhook_id: UUID) -> str:
    """Render the page that asks how to replace the secret of a webhook."""
    webhook = actions.get_webhook(current_transaction(), webhook_id)
    return render("rotate_secret.html", webhook=webhook, overlaps=OVERLAPS.items())


@console.post("/webhooks/<uuid:webhook_id>/rotate")
@console_form(KeyScope.WEBHOOKS, show_again=confirm_rotation)
def rotate_secret(webhook_id: UUID) -> str:
    """Replace the secret of a webhook, and show the new one once."""
    text = read_form().get("overlap", "")
    seconds = (
        int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(LONGEST_OVERLAP_SECONDS)) else -1
    )
    asked = load(_ROTATION, {"overlap_seconds": seconds})
    overlap = timedelta(seconds=asked["overlap_seconds"])
    return _render_secret(actions.rotate_webhook_secret(current_transaction(), webhook_id, overlap))


@console.post("/webhooks/<uuid:webhook_id>/test")
@console_form(KeyScope.WEBHOOKS, show_again=show_webhook)
def test_webhook(webhook_id: UUID) -> BaseResponse:
    """Send a test message to a webhook."""
    actions.test_webhook(current_transaction(), webhook_id)
    return _show(webhook_id)


@console.post("/webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/redeliver")
@console_form(KeyScope.WEBHOOKS, show_again=show_webhook)
def redeliver(webhook_id: UUID, delivery_id: UUID) -> BaseResponse:
    """Send a message to a webhook again."""
    actions.redeliver_message(current_transaction(), webhook_id, delivery_id)
    return _show(webhook_id)


def _chosen(webhook: WebhookView | None) -> dict[str, Any]:
    """Return what the form of a webhook shows: what was sent, or the webhook as it is."""
    form = read_form()
    if form:
        kinds = [kind for kind in KINDS if f"kind:{kind}" in form]
        return {"url": form.get("url", ""), "description": form.get("description", ""), "kinds": kinds}
    return _recorded(webhook)


def _shown(webhook: WebhookView) -> dict[str, str]:
    """Return what the page showed when it was opened, which is sent with its form."""
    form, recorded = read_form(), _recorded(webhook)
    return {
        f"shown:{name}": form.get(f"shown:{name}", ",".join(value) if name == "kinds" else value)
        for name, value in recorded.items()
    }


def _recorded(webhook: WebhookView | None) -> dict[str, Any]:
    if webhook is None:
        return {"url": "", "description": "", "kinds": []}
    return {"url": webhook.url, "description": webhook.description or "", "kinds": webhook.kinds}


def _read_fields() -> dict[str, Any]:
    """Return the fields of the form as a request of the API has them."""
    chosen = _chosen(None)
    return {
        "url": chosen["url"].strip(),
        "kinds": chosen["kinds"],
        "description": chosen["description"].strip() or None,
    }


def _render_secret(webhook: WebhookView) -> str:
    secret = actions.get_webhook_secret(current_transaction(), webhook.id)
    return render("webhook_secret.html", webhook=webhook, secret=secret)


def _show(webhook_id: UUID) -> BaseResponse:
    return redirect(url_for("console.show_webhook", webhook_id=webhook_id), HTTPStatus.SEE_OTHER)
