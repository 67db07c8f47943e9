"""Answers as JSON."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from flask import Response, request

from schemas.pages import show_cursor

MEDIA_TYPE: Final = "application/json"


def answer(
    document: object,
    status: int = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    *,
    media_type: str = MEDIA_TYPE,
) -> Response:
    """Answer with a document as it is."""
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Response(body + "\n", status, dict(headers or {}), content_type=media_type)


def page_link(last: UUID | None) -> dict[str, str]:
    """Lead to the next page, which begins after an item; nowhere where that was the last."""
    if last is None:
        return {}
    query = {**request.args, "cursor": show_cursor(last)}
    return {"Link": f'<{request.path}?{urlencode(query)}>; rel="next"'}


def recorded(document: object, location: str | None = None, *, is_replay: bool) -> Response:
    """Answer that something was recorded, now or, where the same was sent before, then."""
    headers = {"Location": location} if location else {}
    return answer(document, HTTPStatus.CREATED, headers | ({"Idempotent-Replayed": "true"} if is_replay else {}))
