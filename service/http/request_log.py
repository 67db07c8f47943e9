"""Every request gets a name, a line in the log, and its place in the metrics."""

import re
from functools import cache
from http import HTTPStatus
from time import perf_counter
from typing import Any, Final
from uuid import UUID

from flask import Flask, Response, current_app, g, request
from uuid_utils.compat import uuid7

from service.logs import get_log
from service.metrics.counters import count_answer, count_beginning, count_end

_CONVERTER: Final = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_LONGEST_METHOD: Final = 20
_REPLAYED: Final = "Idempotent-Replayed"
_NOWHERE: Final = "unknown"
"""The operation of a request that leads nowhere."""

_log = get_log("service.requests")


def observe_requests(app: Flask, contract: dict[str, Any]) -> None:
    """Name, log and count every request of an application that has this contract."""
    app.extensions["ofc_operations"] = {
        (template, method): operation["operationId"]
        for template, operations in contract["paths"].items()
        for method, operation in operations.items()
        if method != "parameters"
    }
    app.before_request(_begin)
    app.after_request(_end)
    app.teardown_request(_leave)


def _begin() -> None:
    g.begun = perf_counter()
    g.request_id = str(uuid7())
    count_beginning()


def _end(response: Response) -> Response:
    response.headers["Request-Id"] = g.request_id
    try:
        _note(response)
    except Exception:
        # The work is done and must be answered, also where it cannot be counted: where a disk is full, say.
        _log.exception("request_not_noted", request_id=g.request_id)
    return response


def _leave(_error: BaseException | None) -> None:
    if "begun" not in g:
        return
    try:
        count_end()
    except Exception:
        _log.exception("request_not_noted", request_id=g.request_id)


def _note(response: Response) -> None:
    seconds = perf_counter() - g.begun
    template = _template()
    operation = _operation(template)
    problem = g.get("problem_code")
    is_replay = bool(response.headers.getlist(_REPLAYED))
    count_answer(operation, response.status_code, seconds, problem, is_replay=is_replay)
    log = _log.error if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR else _log.info
    log(
        "request",
        method=request.method[:_LONGEST_METHOD],
        route=template,
        operation=operation,
        status=response.status_code,
        duration_ms=round(seconds * 1000, 1),
        request_id=g.request_id,
        **_who_and_what(),
        **({"problem": problem} if problem else {}),
        **({"replayed": True} if is_replay else {}),
    )


def _who_and_what() -> dict[str, str]:
    """Name the key, its club and the ids asked for. What else is in an address is the client's, and stays out."""
    ids = {name: str(value) for name, value in (request.view_args or {}).items() if isinstance(value, UUID)}
    key = g.get("key")
    return {**({"key": str(key.id), "club": str(key.club_id)} if key else {}), **ids}


def _template() -> str | None:
    """Give the address asked for as the contract writes it, or None where it leads nowhere."""
    return _as_in_contract(request.url_rule.rule) if request.url_rule else None


@cache
def _as_in_contract(rule: str) -> str:
    """
    Write an address as the contract does.

    >>> _as_in_contract("/v1/rounds/<uuid:round_id>/hands")
    '/v1/rounds/{round_id}/hands'
    """
    return _CONVERTER.sub(r"{\1}", rule)


def _operation(template: str | None) -> str:
    """Name what was asked for: by its operation in the contract, or by its page."""
    if template is None or request.endpoint is None:
        return _NOWHERE
    method = "get" if request.method == "HEAD" else request.method.lower()
    operations: dict[tuple[str, str], str] = current_app.extensions["ofc_operations"]
    return operations.get((template, method)) or request.endpoint.rpartition(".")[2]
