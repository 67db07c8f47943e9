"""What every answer tells browsers and caches, whatever answers."""

from typing import Final

from flask import Flask, Response, request

SAFE: Final = {
    # A page says itself what it may load; nothing else is for a browser to show.
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
NOT_KEPT: Final = {"Cache-Control": "no-store"}
"""For what not everybody may see."""


def keep_answers_safe(app: Flask) -> None:
    """Let every answer say how it is to be treated, but for what a view has said already."""
    app.after_request(_say)


def _say(response: Response) -> Response:
    said = {**SAFE, **NOT_KEPT} if "Authorization" in request.headers else SAFE
    # Not by `setdefault`, which makes an error of every header that is not there.
    told = {name.lower() for name, _ in response.headers}
    for name, value in said.items():
        if name.lower() not in told:
            response.headers.add(name, value)
    return response
