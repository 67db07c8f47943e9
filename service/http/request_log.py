"""Request IDs, the request log and the request metrics."""

import re
from functools import cache
from http import HTTPStatus
from time import perf_counter
from typing import Any, Final
from uuid import UUID

from flask import Flask, Response, current_app, g, request
from uuid_utils.compat import uuid7

from service.logs import get_log
from service.metrics.counters import count_request_end, count_request_start, count_response

_CONVERTER: Final = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_LONGEST_METHOD: Final = 20
_REPLAYED: Final = "Idempotent-Replayed"
_CONSOLE: Final = "console"
_UNKNOWN: Final = "unknown"
"""The operation of a request that no route matches."""

_log = get_log("service.requests")


def log_requests(app: Flask, contract: dict[str, Any]) -> None:
    """Log and count every request of an application, by the operations of its OpenAPI document."""
    app.extensions["ofc_operations"] = {
        (template, method): operation["operationId"]
        for template, operations in contract["paths"].items()
        for method, operation in operations.items()
        if method != "parameters"
    }
    app.before_request(_start)
    app.after_request(_finish)
    app.teardown_request(_tear_down)


def _start() -> None:
    g.begun = perf_counter()
    g.request_id = str(uuid7())
    count_request_start()


def _finish(response: Response) -> Response:
    response.headers["Request-Id"] = g.request_id
    try:
        _log_request(response)
    except Exception:
        # The request is processed. The response must be sent even if it cannot be logged, for example on a full disk.
        _log.exception("request_log_failed", request_id=g.request_id)
    return response


def _tear_down(_error: BaseException | None) -> None:
    if "begun" not in g:
        return
    try:
        count_request_end()
    except Exception:
        _log.exception("request_log_failed", request_id=g.request_id)


def _log_request(response: Response) -> None:
    seconds = perf_counter() - g.begun
    template, operation = _template(), requested_operation()
    problem = g.get("problem_code")
    is_replay = bool(response.headers.getlist(_REPLAYED))
    count_response(operation, response.status_code, seconds, problem, is_replay=is_replay)
    log = _log.error if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR else _log.info
    log(
        "request",
        method=request.method[:_LONGEST_METHOD],
        route=template,
        operation=operation,
        status=response.status_code,
        duration_ms=round(seconds * 1000, 1),
        request_id=g.request_id,
        **_ids(),
        **({"problem": problem} if problem else {}),
        **({"replayed": True} if is_replay else {}),
    )


def _ids() -> dict[str, str]:
    """
    Return the IDs of the key, its club, the session of the console and the resources in the URL.

    Other parts of the URL can be private.
    """
    ids = {name: str(value) for name, value in (request.view_args or {}).items() if isinstance(value, UUID)}
    key, session = g.get("key"), g.get("console_session")
    return {
        **({"key": str(key.id), "club": str(key.club_id)} if key else {}),
        **({"session": str(session.id)} if session else {}),
        **ids,
    }


def _template() -> str | None:
    """Return the path template of the request as in the OpenAPI document, or None if no route matches."""
    return _convert_rule(request.url_rule.rule) if request.url_rule else None


@cache
def _convert_rule(rule: str) -> str:
    """
    Convert a Flask rule to a path template of OpenAPI.

    >>> _convert_rule("/v1/rounds/<uuid:round_id>/hands")
    '/v1/rounds/{round_id}/hands'
    """
    return _CONVERTER.sub(r"{\1}", rule)


def requested_operation() -> str:
    """
    Return the ID of the requested operation, or the endpoint of a page.

    Endpoints of the console begin with `console.`, because some have the name of an operation.
    """
    template = _template()
    if template is None or request.endpoint is None:
        return _UNKNOWN
    method = "get" if request.method == "HEAD" else request.method.lower()
    operations: dict[tuple[str, str], str] = current_app.extensions["ofc_operations"]
    page = request.endpoint if request.blueprint == _CONSOLE else request.endpoint.rpartition(".")[2]
    return operations.get((template, method)) or page
