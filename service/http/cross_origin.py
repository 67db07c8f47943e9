"""Cross-origin requests (CORS): access of web pages of other origins."""

import re
from collections.abc import Sequence
from typing import Final

from flask import Flask
from flask_cors import CORS

_METHODS: Final = ("GET", "POST", "PUT", "DELETE")
_SENT: Final = (
    "Authorization", "Content-Encoding", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match",
    "Last-Event-ID",
)  # fmt: skip
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
