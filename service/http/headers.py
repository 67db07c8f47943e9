"""Security headers of every response."""

from typing import Final

from flask import Flask, Response, request

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


def _add_headers(response: Response) -> Response:
    defaults = {**SECURITY_HEADERS, **NO_STORE} if "Authorization" in request.headers else SECURITY_HEADERS
    # `setdefault` raises and catches a KeyError for every header that is not set, which is slow.
    present = {name.lower() for name, _ in response.headers}
    for name, value in defaults.items():
        if name.lower() not in present:
            response.headers.add(name, value)
    return response
