"""Webhooks: endpoints, their secrets and deliveries, and the messages that they receive."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Dumped, Sentence, WireSchema
from schemas.fields import Choice, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.pages import PageQuerySchema, PageSchema

LONGEST_URL: Final = 500
DEFAULT_OVERLAP_SECONDS: Final = 86_400
LONGEST_OVERLAP_SECONDS: Final = 604_800
MOST_WEBHOOKS: Final = 20
"""Maximum number of a club's webhooks."""


class WebhookKind(StrEnum):
    """Kind of a message."""

    HAND_RECORDED = "hand.recorded"
    HAND_WITHDRAWN = "hand.withdrawn"
    ROUND_COMPLETED = "round.completed"
    SETTLEMENT_FINALIZED = "settlement.finalized"
    ROUND_CORRECTED = "round.corrected"
    DISPUTE_OPENED = "dispute.opened"
    DISPUTE_RESOLVED = "dispute.resolved"
    DISPUTE_WITHDRAWN = "dispute.withdrawn"
    PAYMENT_RECORDED = "payment.recorded"
    PAYMENT_REVERSED = "payment.reversed"
    PAYMENT_CLAIMED = "payment.claimed"
    PAYMENT_CLAIM_DECLINED = "payment.claim-declined"
    PAYMENT_CLAIM_WITHDRAWN = "payment.claim-withdrawn"
    CHARGE_RECORDED = "charge.recorded"
    CHARGE_REVERSED = "charge.reversed"
    IMPORT_ENDED = "import.ended"
    TEST = "webhook.test"


class WebhookState(StrEnum):
    """Whether messages are sent to a webhook."""

    ACTIVE = "active"
    DISABLED = "disabled"


class DisabledBecause(StrEnum):
    """Why a webhook is disabled."""

    REQUEST = "request"
    FAILING = "failing"
    GONE = "gone"


class DeliveryState(StrEnum):
    """How far a delivery is."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    DEAD_LETTERED = "dead_lettered"


_CHOSEN: Final = {kind.value: kind for kind in WebhookKind if kind is not WebhookKind.TEST}
_KINDS: Final = {kind.value: kind for kind in WebhookKind}
_STATES: Final = {state.value: state for state in WebhookState}
_DELIVERY_STATES: Final = {state.value: state for state in DeliveryState}


class UrlField(Text):
    """The URL of an endpoint."""

    default_description = (
        "URL of the endpoint. The scheme `http` is accepted only for hosts that the operator names in"
        " `OFC_WEBHOOK_ALLOW`."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(
            longest=LONGEST_URL,
            pattern="^https?://[!-~]+$",
            meaning="a URL like https://club.example/webhooks",
            metadata={"example": "https://club.example/webhooks"},
            **options,
        )


@dataclass(frozen=True, slots=True)
class WebhookRequest:
    """A webhook to create."""

    url: str
    kinds: Sequence[WebhookKind]
    description: str | None
    state: WebhookState


_STATE: Final = (
    "Whether messages are sent. A disabled webhook receives none; those that wait are sent when it is active again."
)


def _list_kinds(**options: Any) -> Listing:
    return Listing(Choice(_CHOSEN), least=1, most=len(_CHOSEN), description="Kinds of messages to receive.", **options)


def _describe_use(**options: Any) -> Text:
    return Text(longest=200, allow_none=True, description="What the webhook is used for.", **options)


class WebhookRequestSchema(WireSchema):
    """A webhook: an endpoint, and the kinds of messages that it receives."""

    url = UrlField(required=True)
    kinds = _list_kinds(required=True)
    description = _describe_use(load_default=None)
    state = Choice(_STATES, load_default=WebhookState.ACTIVE, description=_STATE)

    @validates_schema(skip_on_field_errors=True)
    def _check_url(self, read: dict[str, Any], **_: Any) -> None:
        _check_url(read)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> WebhookRequest:
        return WebhookRequest(**_load_request(read))


class WebhookChangesSchema(WireSchema):
    """What to change in a webhook. A field that is omitted stays as it is."""

    url = UrlField()
    kinds = _list_kinds()
    description = _describe_use()
    state = Choice(_STATES, description=_STATE)

    @validates_schema(skip_on_field_errors=True)
    def _check_url(self, read: dict[str, Any], **_: Any) -> None:
        _check_url(read)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> dict[str, Any]:
        return _load_request(read)


def _check_url(read: Mapping[str, Any]) -> None:
    if "url" in read and (problem := find_url_problem(read["url"])):
        raise ValidationError(Sentence("text-pattern", problem), "url")


def _load_request(read: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of a `WebhookRequest`: those that are given."""
    loaded = dict(read)
    if "kinds" in read:
        loaded["kinds"] = tuple(kind for kind in WebhookKind if kind in read["kinds"])
    if "state" in read:
        loaded["state"] = WebhookState(read["state"])
    return loaded


_LABEL: Final = "[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST: Final = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})*")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def find_url_problem(url: str) -> str | None:
    """
    Return why a URL cannot be the URL of a webhook, or None if it can.

    >>> find_url_problem("https://club.example:8443/hooks?key=1")
    >>> find_url_problem("https://ann:secret@club.example/")
    'has a user name or password; expected a URL like https://club.example/webhooks'
    >>> find_url_problem("https://club..example/")
    "has the host 'club..example', which is no valid name and no address; expected a URL like https://club.example/webhooks"
    """
    expected = "expected a URL like https://club.example/webhooks"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return f"is not a valid URL; {expected}"
    if not host or port == 0:
        return f"names no host or no valid port; {expected}"
    if not _is_address(host) and not _HOST.fullmatch(host):
        return f"has the host {host[:80]!r}, which is no valid name and no address; {expected}"
    if parts.username is not None or parts.password is not None:
        return f"has a user name or password; {expected}"
    if "#" in url:
        return f"has a fragment; {expected}"
    return None


class WebhookSchema(WireSchema):
    """A webhook of the club, without its secret."""

    id = UuidField(required=True, description="ID of the webhook.")
    url = UrlField(required=True)
    kinds = Listing(
        Choice(_CHOSEN), most=len(_CHOSEN), required=True, description="Kinds of messages that it receives."
    )
    description = Text(required=True, allow_none=True, description="What the webhook is used for.")
    state = Choice(_STATES, required=True, description="Whether messages are sent.")
    disabled_because = Choice(
        {reason.value: reason for reason in DisabledBecause},
        required=True,
        allow_none=True,
        description="Why it is disabled: on request, after five days of failed deliveries, or because the"
        " endpoint responded with 410. Null if it is active.",
    )
    failing_since = Time(
        required=True,
        allow_none=True,
        description="Time of the first failed attempt since the last successful one. Null if the last one succeeded.",
    )
    previous_secret_until = Time(
        required=True,
        allow_none=True,
        description="Time until which messages are also signed with the secret before the last rotation.",
    )
    created_at = Time(required=True, description="Time when the webhook was created.")


class WebhookPageSchema(PageSchema):
    """One page of webhooks, newest first."""

    webhooks = Listing(
        Inner(WebhookSchema), most=100, required=True, description="The webhooks of this page, newest first."
    )


class WebhookSecretSchema(WireSchema):
    """The secret that signs the messages of a webhook."""

    secret = Text(
        required=True,
        longest=100,
        pattern="^whsec_[A-Za-z0-9+/=]+$",
        metadata={"example": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
        description="The secret, as libraries for Standard Webhooks expect it.",
    )


class SecretRotationRequestSchema(WireSchema):
    """A rotation of the secret of a webhook."""

    overlap_seconds = Integer(
        least=0,
        most=LONGEST_OVERLAP_SECONDS,
        load_default=DEFAULT_OVERLAP_SECONDS,
        description="Seconds for which messages are also signed with the old secret.",
    )


class DeliverySchema(WireSchema):
    """A message to a webhook, and the state of its delivery."""

    id = UuidField(required=True, description="ID of the message: the header `webhook-id` of every attempt.")
    kind = Choice(_KINDS, required=True, description="Kind of the message.")
    round = UuidField(required=True, allow_none=True, description="ID of the round. Null if it is about no round.")
    state = Choice(_DELIVERY_STATES, required=True, description="State of the delivery.")
    attempts = Integer(least=0, most=999_999_999, required=True, description="Number of attempts.")
    next_attempt_at = Time(
        required=True, allow_none=True, description="Time of the next attempt. Null if there will be none."
    )
    last_status = Integer(
        least=100,
        most=999,
        required=True,
        allow_none=True,
        description="Status of the last response, if there was one.",
    )
    last_error = Text(
        required=True, longest=500, allow_none=True, description="Why the last attempt failed. Null if it did not."
    )
    created_at = Time(required=True, description="Time of the change that the message is about.")
    ended_at = Time(
        required=True, allow_none=True, description="Time when it was delivered or dead-lettered. Null if it waits."
    )


class DeliveryQuerySchema(PageQuerySchema):
    """The page and the filter of a list of deliveries."""

    state = Choice(_DELIVERY_STATES, description="List only deliveries in this state.")


class DeliveryPageSchema(PageSchema):
    """One page of deliveries, newest first."""

    deliveries = Listing(
        Inner(DeliverySchema), most=100, required=True, description="The deliveries of this page, newest first."
    )


@dataclass(frozen=True, slots=True)
class WebhookView:
    """A webhook."""

    id: UUID
    url: str
    kinds: Sequence[str]
    description: str | None
    state: str
    disabled_because: str | None
    failing_since: datetime | None
    previous_secret_until: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """A message to a webhook."""

    id: UUID
    kind: str
    round: UUID | None
    state: str
    attempts: int
    next_attempt_at: datetime | None
    last_status: int | None
    last_error: str | None
    created_at: datetime
    ended_at: datetime | None


def dump_webhook(webhook: WebhookView) -> Dumped:
    """Encode a webhook."""
    return {
        "id": str(webhook.id),
        "url": webhook.url,
        "kinds": list(webhook.kinds),
        "description": webhook.description,
        "state": webhook.state,
        "disabled_because": webhook.disabled_because,
        "failing_since": show_time(webhook.failing_since),
        "previous_secret_until": show_time(webhook.previous_secret_until),
        "created_at": show_time(webhook.created_at),
    }


def dump_delivery(delivery: DeliveryView) -> Dumped:
    """Encode a delivery."""
    return {
        "id": str(delivery.id),
        "kind": delivery.kind,
        "round": None if delivery.round is None else str(delivery.round),
        "state": delivery.state,
        "attempts": delivery.attempts,
        "next_attempt_at": show_time(delivery.next_attempt_at),
        "last_status": delivery.last_status,
        "last_error": delivery.last_error,
        "created_at": show_time(delivery.created_at),
        "ended_at": show_time(delivery.ended_at),
    }


def dump_message(kind: str, created_at: datetime, about: Mapping[str, Any]) -> Dumped:
    """Return the body of a message, as Standard Webhooks recommends it."""
    return {"type": kind, "timestamp": show_time(created_at), "data": dict(about)}
