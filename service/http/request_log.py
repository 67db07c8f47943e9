"""Request IDs, the request log and the request metrics."""

import re
from contextlib import ExitStack
from functools import cache
from http import HTTPStatus
from time import perf_counter
from typing import Any, Final
from uuid import UUID

from flask import Flask, Response, g, request
from uuid_utils.compat import uuid7

from service.http.services import current_services, services_of
from service.logs import get_log
from service.metrics.counters import count_request_end, count_request_start, count_response

_CONVERTER: Final = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_LONGEST_METHOD: Final = 20
_REPLAYED: Final = "Idempotent-Replayed"
_CONSOLE: Final = "console."
_UNKNOWN: Final = "unknown"
"""The operation of a request that no route matches."""

_log = get_log("service.requests")


def log_requests(app: Flask, contract: dict[str, Any]) -> None:
    """Log and count every request of an application, by the operations of its OpenAPI document."""
    services_of(app).operations = {
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
    g.route, g.operation = _find_operation()
    g.in_flight = in_flight = ExitStack()
    count_request_start()
    in_flight.callback(count_request_end)


def _finish(response: Response) -> Response:
    response.headers["Request-Id"] = g.request_id
    try:
        _log_request(response)
    except Exception:
        # The request is processed. The response must be sent even if it cannot be logged, for example on a full disk.
        _log.exception("request_log_failed", request_id=g.request_id)
    return response


def _tear_down(_error: BaseException | None) -> None:
    if "in_flight" not in g:
        return
    try:
        # Once, although the context of a request with a streamed response ends twice.
        g.in_flight.close()
    except Exception:
        _log.exception("request_log_failed", request_id=g.request_id)


def _log_request(response: Response) -> None:
    """Log and count a request. Of its URL, only the IDs are logged: other parts can be private."""
    status = response.status_code
    seconds = perf_counter() - g.begun
    line = {
        "method": request.method[:_LONGEST_METHOD],
        "route": g.route,
        "operation": g.operation,
        "status": status,
        "duration_ms": round(seconds * 1000, 1),
        "request_id": g.request_id,
    }
    if (key := g.get("key")) is not None:
        line["key"], line["club"] = str(key.id), str(key.club_id)
    if (session := g.get("console_session")) is not None:
        line["session"] = str(session.id)
    for name, value in (request.view_args or {}).items():
        if isinstance(value, UUID):
            line[name] = str(value)
    if problem := g.get("problem_code"):
        line["problem"] = problem
    if is_replay := _REPLAYED in response.headers:
        line["replayed"] = True
    count_response(g.operation, status, seconds, problem, is_replay=is_replay)
    log = _log.error if status >= HTTPStatus.INTERNAL_SERVER_ERROR else _log.info
    log("request", **line)


@cache
def _convert_rule(rule: str) -> str:
    """
    Convert a Flask rule to a path template of OpenAPI.

    >>> _convert_rule("/v1/rounds/<uuid:round_id>/hands")
    '/v1/rounds/{round_id}/hands'
    """
    return _CONVERTER.sub(r"{\1}", rule)


def _find_operation() -> tuple[str | None, str]:
    """
    Return the path template of the request as in the OpenAPI document, and the ID of the operation or the endpoint.

    Endpoints of the console begin with `console.`, because some have the name of an operation.
    """
    rule = request.url_rule
    if rule is None:
        return None, _UNKNOWN
    template = _convert_rule(rule.rule)
    method = "get" if request.method == "HEAD" else request.method.lower()
    operations = current_services().operations
    page = rule.endpoint if rule.endpoint.startswith(_CONSOLE) else rule.endpoint.rpartition(".")[2]
    return template, operations.get((template, method)) or page
