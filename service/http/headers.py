"""Security headers of every response, and access of web pages of other origins."""

import re
from collections.abc import Sequence
from typing import Final

from flask import Flask, Response, request
from flask_cors import CORS

SECURITY_HEADERS: Final = {
    # Pages set a policy of their own. A browser shows no other response.
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
NO_STORE: Final = {"Cache-Control": "no-store"}
"""Headers of responses that must not be cached."""


def add_security_headers(app: Flask) -> None:
    """Add the security headers that a view did not set to every response."""
    app.after_request(_add_headers)


_METHODS: Final = ("GET", "POST", "PUT", "DELETE")
_SENT: Final = ("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match")
_READ: Final = (
    "ETag", "Idempotent-Replayed", "Link", "Location", "RateLimit", "RateLimit-Policy", "Request-Id", "Retry-After",
    "Total-Rounds",
)  # fmt: skip
_PREFLIGHT_SECONDS: Final = 600


def allow_origins(app: Flask, origins: Sequence[str]) -> None:
    """
    Allow scripts of web pages of some origins to use the API, never with cookies.

    The same origin needs no permission, so by default no headers are sent.
    """
    if origins:
        CORS(
            app,
            origins=[re.compile(re.escape(origin) + r"\Z") for origin in origins],
            methods=_METHODS,
            allow_headers=_SENT,
            expose_headers=_READ,
            max_age=_PREFLIGHT_SECONDS,
            supports_credentials=False,
        )


def _add_headers(response: Response) -> Response:
    defaults = {**SECURITY_HEADERS, **NO_STORE} if "Authorization" in request.headers else SECURITY_HEADERS
    # `setdefault` raises and catches a KeyError for every header that is not set, which is slow.
    present = {name.lower() for name, _ in response.headers}
    for name, value in defaults.items():
        if name.lower() not in present:
            response.headers.add(name, value)
    return response
