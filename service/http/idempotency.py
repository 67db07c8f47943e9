"""Requests that come again: the header `Idempotency-Key`, as the IETF's draft has it."""

import time
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from flask import Response, current_app, request

from service.config import Retention
from service.db import Transaction
from service.errors import RetryKeyInUse, RetryKeyInvalid, RetryKeyReused
from service.http import queries as http
from service.http.queries import KeptAnswer
from service.http.responses import MEDIA_TYPE, WAS_REPLAYED

HEADER: Final = "Idempotency-Key"
LONGEST: Final = 255
_PATIENCE: Final = 5.0
_PAUSE: Final = 0.02

PARAMETER: Final[dict[str, Any]] = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": r"^[!-+\--~]+$"},
    "description": "Makes the request safe to retry: for 30 days, unless the service is configured otherwise, the"
    " same key and body return the first response. Recorded content is recognised without a key at any time."
    " A comma is not allowed, because it separates two keys.",
}


def read_retry_key() -> str | None:
    """
    Read the key of the request, quoted or not; None where it has none.

    A comma is where the values of two headers of this name were joined, by the server or by a proxy before it.

    Raises:
        RetryKeyInvalid: the header is there without one readable key.
    """
    sent = request.headers.get(HEADER)
    if sent is None:
        return None
    key = sent.strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not 1 <= len(key) <= LONGEST or "," in key or not all("!" <= character <= "~" for character in key):
        right = f"expected one key of 1 to {LONGEST} visible ASCII characters except commas"
        raise RetryKeyInvalid(f"{HEADER} is {sent[:80]!r}; {right}")
    return key


def answer_once(
    transaction: Transaction, key: str, work: Callable[[], Response], body_sha256: bytes | None = None
) -> Response:
    """
    Do the work of a request, or give the first answer again where it was done before.

    The key is kept in the work's own transaction: a refusal keeps nothing and frees the key.

    Args:
        transaction: of the work.
        key: which the request carries.
        work: answers the request.
        body_sha256: of a body that was read as it came, and is not there any more.

    Raises:
        RetryKeyInUse: the first request is still at work, also after some patience.
        RetryKeyReused: the key came with another request.
    """
    _take(transaction, key)
    fingerprint = _fingerprint(body_sha256 or sha256(request.get_data()).digest())
    retention: Retention = current_app.extensions["ofc_retention"]
    kept = http.find(transaction, key, transaction.now - timedelta(days=retention.idempotency_days))
    if kept is None:
        answer = work()
        first = KeptAnswer(fingerprint, answer.status_code, answer.headers.get("Location"), answer.get_data())
        http.add(transaction, key, first)
        return answer
    if kept.fingerprint != fingerprint:
        raise RetryKeyReused(f"the {HEADER} {key!r} was used for another request; expected a new key for a new request")
    headers = {WAS_REPLAYED: "true", **({"Location": kept.location} if kept.location else {})}
    return Response(kept.body, kept.status, headers, content_type=MEDIA_TYPE)


def _take(transaction: Transaction, key: str) -> None:
    """Wait for the first request with the key to end, but not for long: whoever waits holds a connection."""
    deadline = time.monotonic() + _PATIENCE
    while not http.try_lock(transaction, key):
        if time.monotonic() > deadline:
            raise RetryKeyInUse(f"the first request with the {HEADER} {key!r} is still being processed; retry later")
        time.sleep(_PAUSE)


def _fingerprint(body_sha256: bytes) -> bytes:
    """Tell requests apart: by method, address and body."""
    return sha256(f"{request.method} {request.full_path}\n".encode() + body_sha256).digest()
