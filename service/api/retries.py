"""Requests that come again: the header `Idempotency-Key`, as the IETF's draft has it."""

import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from flask import Response, request

from service.api.answers import MEDIA_TYPE, WAS_REPLAYED
from service.database import Transaction
from service.errors import RetryKeyInUse, RetryKeyInvalid, RetryKeyReused
from service.repository import kept_answers
from service.repository.kept_answers import KeptAnswer

HEADER: Final = "Idempotency-Key"
LONGEST: Final = 255
_PATIENCE: Final = 5.0
_PAUSE: Final = 0.02

PARAMETER: Final[dict[str, Any]] = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": r"^[!-+\--~]+$"},
    "description": "Makes the request safe to send again for ever: the same key and body get the first answer again."
    " A comma would part two keys, and one is right.",
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
        right = f"one key of 1 to {LONGEST} visible ASCII characters, none of them a comma, is right"
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
    kept = kept_answers.find(transaction, key)
    if kept is None:
        answer = work()
        first = KeptAnswer(fingerprint, answer.status_code, answer.headers.get("Location"), answer.get_data())
        kept_answers.add(transaction, key, first)
        return answer
    if kept.fingerprint != fingerprint:
        raise RetryKeyReused(f"the {HEADER} {key!r} came with another request before; a new request needs a new key")
    headers = {WAS_REPLAYED: "true", **({"Location": kept.location} if kept.location else {})}
    return Response(kept.body, kept.status, headers, content_type=MEDIA_TYPE)


def _take(transaction: Transaction, key: str) -> None:
    """Wait for the first request with the key to end, but not for long: whoever waits holds a connection."""
    deadline = time.monotonic() + _PATIENCE
    while not kept_answers.try_lock(transaction, key):
        if time.monotonic() > deadline:
            raise RetryKeyInUse(f"the first request with the {HEADER} {key!r} is still at work; ask again in a moment")
        time.sleep(_PAUSE)


def _fingerprint(body_sha256: bytes) -> bytes:
    """Tell requests apart: by method, address and body."""
    return sha256(f"{request.method} {request.full_path}\n".encode() + body_sha256).digest()
