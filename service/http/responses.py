"""Answers as JSON."""

import json
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID
from wsgiref.types import WSGIEnvironment

import orjson
from flask import Response, request
from werkzeug.datastructures import Headers, MIMEAccept

from schemas.pages import show_cursor

MEDIA_TYPE: Final = "application/json"
WAS_REPLAYED: Final = "Idempotent-Replayed"
"""The header of an answer that was given before."""

_TEXT: Final = {"type": "string"}
NEXT_PAGE: Final = {"Link": {"schema": _TEXT, "description": '`<…>; rel="next"`, if there is a next page.'}}
LOCATION: Final = {"Location": {"schema": _TEXT, "description": "Path of the created resource."}}
REPLAYED: Final = {
    WAS_REPLAYED: {
        "schema": {"type": "string", "const": "true"},
        "description": "Present if the same request was recorded before, and nothing was recorded now.",
    }
}
"""Headers, as the contract describes them."""


class _Answer(Response):
    """An answer whose headers go out as they are: it has a body of known length, and its addresses are its own."""

    def get_wsgi_headers(self, _environ: WSGIEnvironment) -> Headers:
        """Leave out what Werkzeug looks for in every answer, its address above all, which it takes apart."""
        return self.headers


def answer(
    document: object,
    status: int = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    *,
    media_type: str = MEDIA_TYPE,
) -> Response:
    """Answer with a document as it is."""
    return _Answer(_write(document) + b"\n", status, dict(headers or {}), content_type=media_type)


def _write(document: object) -> bytes:
    r"""
    Write a document, a tenth of the time of Python's own: a hand and its round are three thousand characters.

    >>> _write({"player": "Zoë", "points": 1 << 64})
    b'{"player":"Zo\xc3\xab","points":18446744073709551616}'
    """
    try:
        return orjson.dumps(document)
    except TypeError:  # a number of more than 64 bits, which somebody may have sent with what he expects
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def best_form(forms: Iterable[str]) -> str | None:
    """
    Give the media type that the request likes best of those that there are; None where it accepts none of them.

    Of what it accepts only the kind counts: what a charset or a version is said beside is all the same here.
    """
    accepted = [(kind.partition(";")[0].rstrip(), quality) for kind, quality in request.accept_mimetypes]
    form: str | None = MIMEAccept(accepted).best_match(forms)
    return form


def nothing() -> Response:
    """Answer that it is done, where nothing is left to show."""
    done = Response(status=HTTPStatus.NO_CONTENT)
    del done.headers["Content-Type"]
    return done


def page_link(last: UUID | None) -> dict[str, str]:
    """Lead to the next page, which begins after an item; nowhere where that was the last."""
    if last is None:
        return {}
    query = {**request.args, "cursor": show_cursor(last)}
    return {"Link": f'<{request.path}?{urlencode(query)}>; rel="next"'}


def answer_page(name: str, shown: list[Any], next_after: UUID | None = None) -> Response:
    """Answer with one page of a list, and where the next page begins."""
    cursor = None if next_after is None else show_cursor(next_after)
    return answer({name: shown, "has_more": cursor is not None, "next_cursor": cursor}, headers=page_link(next_after))


def recorded(document: object, location: str | None = None, *, is_replay: bool) -> Response:
    """Answer that something was recorded, now or, where the same was sent before, then."""
    headers = {"Location": location} if location else {}
    return answer(document, HTTPStatus.CREATED, headers | ({WAS_REPLAYED: "true"} if is_replay else {}))
