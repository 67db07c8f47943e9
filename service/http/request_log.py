"""Request IDs, the request log and the request metrics."""

import re
from functools import cache
from http import HTTPStatus
from time import perf_counter
from typing import Any, Final
from uuid import UUID

from flask import Flask, Response, request

from service.http.request_state import RequestState, begin_request, current_request, find_request
from service.http.services import current_services, services_of
from service.logs import get_log
from service.metrics.counters import count_request_end, count_request_start, count_response
from service.trace_context import HEADER as TRACE_HEADER
from service.trace_context import begin_trace

_CONVERTER: Final = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_LONGEST_METHOD: Final = 20
_REPLAYED: Final = "Idempotent-Replayed"
_CONSOLE: Final = "console."
_POLLED: Final = frozenset({"check_health", "check_readiness", "get_metrics"})
"""Operations that monitoring requests every few seconds."""
_LOGGED_AFTER: Final = 60.0
"""Time in seconds after which another successful request of such an operation is logged."""
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
    begin_trace(request.headers.get(TRACE_HEADER))
    state = begin_request(RequestState(*_find_operation()))
    count_request_start()
    state.in_flight.callback(count_request_end)


def _finish(response: Response) -> Response:
    state = current_request()
    response.headers["Request-Id"] = state.request_id
    try:
        _log_request(state, response)
    except Exception:
        # The request is processed. The response must be sent even if it cannot be logged, for example on a full disk.
        _log.exception("request_log_failed", request_id=state.request_id)
    return response


def _tear_down(_error: BaseException | None) -> None:
    begin_trace(None)
    state = find_request()
    if state is None:
        return
    try:
        # Once, although the context of a request with a streamed response ends twice.
        state.in_flight.close()
    except Exception:
        _log.exception("request_log_failed", request_id=state.request_id)


def _log_request(state: RequestState, response: Response) -> None:
    """Log and count a request. Of its URL, only the IDs are logged: other parts can be private."""
    status = response.status_code
    seconds = perf_counter() - state.begun
    line = {
        "method": request.method[:_LONGEST_METHOD],
        "route": state.route,
        "operation": state.operation,
        "status": status,
        "duration_ms": round(seconds * 1000, 1),
        "request_id": state.request_id,
    }
    if state.key is not None:
        line["key"], line["club"] = str(state.key.id), str(state.key.club_id)
    if state.session_id is not None:
        line["session"] = str(state.session_id)
    for name, value in (request.view_args or {}).items():
        if isinstance(value, UUID):
            line[name] = str(value)
    if state.problem is not None:
        line["problem"] = state.problem
    if is_replay := _REPLAYED in response.headers:
        line["replayed"] = True
    count_response(state.operation, status, seconds, state.problem, is_replay=is_replay)
    if state.operation in _POLLED and status == HTTPStatus.OK and not _is_due(state.operation):
        return
    log = _log.error if status >= HTTPStatus.INTERNAL_SERVER_ERROR else _log.info
    log("request", **line)


def _is_due(operation: str) -> bool:
    """Return whether this process has not logged the operation for a while, and count its next while from now."""
    logged_at, now = current_services().polls_logged_at, perf_counter()
    if now - logged_at.get(operation, float("-inf")) < _LOGGED_AFTER:
        return False
    logged_at[operation] = now
    return True


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
