"""Error responses as problem documents (RFC 9457)."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Final

from flask import Flask, Response
from werkzeug.exceptions import ClientDisconnected, HTTPException

from evidence import EvidenceError
from schemas.base import MOST_SHOWN, Dumped, WireError
from schemas.problems import dump_mistakes, refuse
from scoring.errors import Mistake, ScoringError
from service.database_errors import DatabaseError
from service.errors import IdempotencyKeyInUse, ImportTooLarge, ServiceError, TooManyRequests
from service.http.details import describe_rejection
from service.http.problem_kinds import PROBLEM_KINDS
from service.http.request_state import current_request
from service.http.responses import json_response
from service.logs import format_exception, get_log

MEDIA_TYPE: Final = "application/problem+json"

_log = get_log(__name__)

_BY_STATUS: Final = {
    HTTPStatus.NOT_FOUND: "not-found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method-not-allowed",
    HTTPStatus.NOT_ACCEPTABLE: "not-acceptable",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "body-too-large",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "media-type-unsupported",
}


def problem_response(
    code: str, detail: str, mistakes: Iterable[Mistake] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """Return a response with a problem document, by the code of its kind."""
    state = current_request()
    state.problem = code
    document = build_problem(code, detail, dump_mistakes(list(mistakes)[:MOST_SHOWN]), state.request_id)
    return json_response(document, PROBLEM_KINDS[code].status, headers, media_type=MEDIA_TYPE)


def build_problem(code: str, detail: str, errors: list[Dumped], request_id: str) -> Dumped:
    """Return a problem document, by the code of its kind."""
    kind = PROBLEM_KINDS[code]
    return {
        "type": f"/problems/{code}",
        "title": kind.title,
        "status": kind.status.value,
        "code": code,
        "detail": detail,
        "request_id": request_id,
        "errors": errors,
    }


def register_error_handlers(app: Flask) -> None:
    """Register handlers that turn every exception into a problem document."""
    app.register_error_handler(EvidenceError, _refused)
    app.register_error_handler(WireError, _refused)
    app.register_error_handler(ScoringError, _refused)
    app.register_error_handler(ServiceError, _service_problem)
    app.register_error_handler(DatabaseError, _database_problem)
    app.register_error_handler(ClientDisconnected, _incomplete_problem)
    app.register_error_handler(HTTPException, _http_problem)
    app.register_error_handler(Exception, _unhandled_problem)


def _refused(error: EvidenceError | WireError | ScoringError) -> Response:
    refusal = refuse(error)
    return problem_response(refusal.code, refusal.detail, refusal.mistakes)


def _service_problem(error: ServiceError) -> Response:
    headers: dict[str, str] = {}
    if PROBLEM_KINDS[error.code].status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, ImportTooLarge):
        # The remaining body is not read.
        headers["Connection"] = "close"
    if isinstance(error, TooManyRequests | IdempotencyKeyInUse):
        headers["Retry-After"] = str(error.retry_after)
    return problem_response(error.code, str(error), error.mistakes, headers)


def _database_problem(error: DatabaseError) -> Response:
    """Log the message, which names the database, and return a response without it."""
    _log.error("database_error", request_id=current_request().request_id, error=str(error))
    return problem_response(error.code, PROBLEM_KINDS[error.code].advice)


def _http_problem(error: HTTPException) -> Response:
    status = HTTPStatus(error.code or 500)
    code = _BY_STATUS.get(status, "request-malformed" if status < 500 else "internal-error")
    headers = dict(error.get_headers())
    headers.pop("Content-Type", None)
    detail = describe_rejection(error) or PROBLEM_KINDS[code].advice
    return problem_response(code, detail, headers=headers)


def _incomplete_problem(_error: ClientDisconnected) -> Response:
    return problem_response(
        "request-incomplete", PROBLEM_KINDS["request-incomplete"].advice, headers={"Connection": "close"}
    )


def _unhandled_problem(error: Exception) -> Response:
    _log.error("unhandled_exception", request_id=current_request().request_id, exception=format_exception(error))
    return problem_response("internal-error", PROBLEM_KINDS["internal-error"].advice)
