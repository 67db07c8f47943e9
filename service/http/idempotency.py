"""The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header)."""

from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

import orjson
from flask import Response, request

from service.config import Retention
from service.db import Transaction
from service.errors import IdempotencyKeyInUse, IdempotencyKeyInvalid, IdempotencyKeyReused, ResponseErased
from service.http import idempotent_responses
from service.http.idempotent_responses import IdempotentResponse
from service.http.request_state import current_request
from service.http.responses import MEDIA_TYPE, WAS_REPLAYED
from service.http.services import current_services

HEADER: Final = "Idempotency-Key"
LONGEST: Final = 255

PARAMETER: Final[dict[str, Any]] = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": r"^[!-+\--~]+$"},
    "description": "Makes the request safe to retry: for 30 days, unless the service is configured otherwise, the"
    " same key and body return the first response. Recorded content is recognised without a key at any time."
    " A comma is not allowed, because it separates two keys.",
}


def read_idempotency_key() -> str | None:
    """
    Return the key of the request without quotes, or None if the request lacks the header.

    A comma is rejected, because servers and proxies join the values of two headers with one.

    Raises:
        IdempotencyKeyInvalid: the header is not one valid key.
    """
    sent = request.headers.get(HEADER)
    if sent is None:
        return None
    key = sent.strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not 1 <= len(key) <= LONGEST or "," in key or not all("!" <= character <= "~" for character in key):
        expected = f"expected one key of 1 to {LONGEST} visible ASCII characters except commas"
        raise IdempotencyKeyInvalid(f"{HEADER} is {sent[:80]!r}; {expected}")
    return key


def forget_response() -> None:
    """Do not store the response of the current request under its key, because a retry can have another result."""
    current_request().stores_response = False


def respond_once(
    transaction: Transaction,
    key: str,
    work: Callable[[], Response],
    body_sha256: bytes | None = None,
    *,
    media_type: str = MEDIA_TYPE,
) -> Response:
    """
    Process a request, or return the first response if it was processed before.

    The response is stored in the transaction of the work. An error or `forget_response` stores nothing, so the key can
    be used again. A link has idempotency keys of its own, because it must not receive responses to others.

    Args:
        transaction: of the work.
        key: the idempotency key of the request.
        work: processes the request.
        body_sha256: hash of a body that was streamed and can no longer be read.
        media_type: of the response.

    Raises:
        IdempotencyKeyInUse: the first request is still being processed.
        IdempotencyKeyReused: the key was used for another request.
        ResponseErased: the first response had a text that was erased since.
    """
    stored_key = key if transaction.table_id is None else f"{transaction.actor} {key}"
    # A request that waited would hold a thread and a connection.
    if not idempotent_responses.try_lock(transaction, stored_key):
        raise IdempotencyKeyInUse(
            f"the first request with the {HEADER} {key!r} is still being processed; retry after the number of seconds"
            " in the header Retry-After"
        )
    fingerprint = _fingerprint(body_sha256 or sha256(request.get_data()).digest())
    retention: Retention = current_services().config.retention
    stored = idempotent_responses.find(
        transaction, stored_key, transaction.now - timedelta(days=retention.idempotency_days)
    )
    if stored is None:
        response = work()
        body = response.get_data()
        has_texts = has_texts_of_people(body) or (body_sha256 is None and has_texts_of_people(request.get_data()))
        location = response.headers.get("Location")
        first = IdempotentResponse(fingerprint, response.status_code, location, body, has_texts)
        if current_request().stores_response:
            idempotent_responses.add(transaction, stored_key, first)
        return response
    if stored.is_erased:
        where = f"read {stored.location}" if stored.location else "read the record that it changed"
        raise ResponseErased(
            f"the request with the {HEADER} {key!r} was processed, and its response was erased with a text of a person;"
            f" {where} for its result; expected a new key for a new request"
        )
    if stored.fingerprint != fingerprint:
        raise IdempotencyKeyReused(
            f"the {HEADER} {key!r} was used for another request; expected a new key for a new request"
        )
    headers = {WAS_REPLAYED: "true", **({"Location": stored.location} if stored.location else {})}
    return Response(stored.body, stored.status, headers, content_type=media_type)


TEXT_KEYS: Final = ("by", "claim", "comment", "note", "reason", "words")
"""The JSON keys of texts of people in requests that record, and in their responses."""


def has_texts_of_people(body: bytes) -> bool:
    """Return whether a JSON document, or one of several in lines, has a text of a person; True if it is unreadable."""
    try:
        return _has_texts(orjson.loads(body)) if body else False
    except orjson.JSONDecodeError:
        pass
    try:
        return any(_has_texts(orjson.loads(line)) for line in body.splitlines() if line.strip())
    except orjson.JSONDecodeError:
        return True


def _has_texts(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_texts, value))
    if not isinstance(value, dict):
        return False
    return any(_is_text(key, inner) or _has_texts(inner) for key, inner in value.items())


def _is_text(key: str, value: Any) -> bool:
    return (key in TEXT_KEYS and isinstance(value, str)) or (key == "metadata" and value not in ({}, None))


def _fingerprint(body_sha256: bytes) -> bytes:
    """Hash the method, URL and body of the request."""
    return sha256(f"{request.method} {request.full_path}\n".encode() + body_sha256).digest()
