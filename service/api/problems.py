"""What went wrong, as problem documents. The only place that knows status codes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from flask import Flask, Response, g
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import ClientDisconnected, HTTPException

from schemas.base import MOST_SHOWN, Dumped, WireError
from schemas.problems import dump_mistakes
from scoring.errors import Mistake, ScoringError
from service.api.answers import answer
from service.errors import DatabaseError, ServiceError, TooManyRequests
from service.logs import get_log, show_exception
from service.refusals import refusal_of

MEDIA_TYPE: Final = "application/problem+json"

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its status, its title, and what to do about it."""

    status: HTTPStatus
    title: str
    advice: str


KINDS: Final[Mapping[str, Kind]] = {
    "json-invalid": Kind(
        HTTPStatus.BAD_REQUEST,
        "The body is not JSON as it should be",
        "Send one JSON document in UTF-8, no key twice in an object, and only numbers that JSON knows.",
    ),
    "body-unreadable": Kind(
        HTTPStatus.BAD_REQUEST,
        "The body cannot be unpacked",
        "Send it whole, and compressed as the header Content-Encoding says: gzip, or not at all.",
    ),
    "request-malformed": Kind(HTTPStatus.BAD_REQUEST, "The request cannot be read", "Correct the request."),
    "idempotency-key-invalid": Kind(
        HTTPStatus.BAD_REQUEST,
        "The idempotency key cannot be read",
        "Send one header 'Idempotency-Key' of 1 to 255 visible ASCII characters but commas, a new UUID for each thing.",
    ),
    "idempotency-key-reused": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The idempotency key belongs to another request",
        "A key stands for one request with one body. Send this one with a key of its own.",
    ),
    "idempotency-key-in-use": Kind(
        HTTPStatus.CONFLICT,
        "The first request with this idempotency key is still at work",
        "Send the request again in a moment; it will be answered as the first was.",
    ),
    "not-acceptable": Kind(
        HTTPStatus.NOT_ACCEPTABLE, "The answer is JSON", "Send 'Accept: application/json', or no Accept at all."
    ),
    "key-missing": Kind(
        HTTPStatus.UNAUTHORIZED,
        "A key is needed",
        "Send the header 'Authorization: Bearer KEY' with one of your club's keys.",
    ),
    "key-unknown": Kind(
        HTTPStatus.UNAUTHORIZED, "The key is not known", "Check the key; it may have been revoked or cut off."
    ),
    "scope-missing": Kind(
        HTTPStatus.FORBIDDEN,
        "The key does not open this",
        "Send the request with a key that has the scope named; the operator of the service makes keys.",
    ),
    "rate-limited": Kind(
        HTTPStatus.TOO_MANY_REQUESTS,
        "Too many requests for now",
        "Send the request again after as many seconds as the header Retry-After says. Nothing was stored.",
    ),
    "not-found": Kind(
        HTTPStatus.NOT_FOUND,
        "There is no such thing",
        "Check the address and the id. What belongs to another club is not found either.",
    ),
    "method-not-allowed": Kind(
        HTTPStatus.METHOD_NOT_ALLOWED,
        "That cannot be done here",
        "The header Allow lists the methods that can be used.",
    ),
    "body-too-large": Kind(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The body is too large", "Send a body of up to 1 MiB."),
    "request-incomplete": Kind(
        HTTPStatus.REQUEST_TIMEOUT,
        "The request did not come whole",
        "Its body ended early, or paused for too long. Nothing was stored. Send the whole request again.",
    ),
    "media-type-unsupported": Kind(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "The body is of another kind",
        "Send JSON, not compressed, with the header 'Content-Type: application/json', and imports as"
        " 'application/x-ndjson', plain or in gzip.",
    ),
    "request-invalid": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The request has not the shape that it should have",
        "Correct every place named in errors; the OpenAPI document shows the shape.",
    ),
    "hand-invalid": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The hand cannot be",
        "It cannot have been dealt like this, or cannot follow the hands before it. Nothing was stored. Correct every"
        " place named in errors and send it again.",
    ),
    "card-invalid": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY, "There is no such card", "Write cards as rank and suit: 'As', 'Td', '2c'."
    ),
    "board-invalid": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The board is not whole",
        "Three cards belong on top, five in the middle and five at the bottom.",
    ),
    "stakes-invalid": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The stacks cannot be settled",
        "Everyone who has points to pay or to get needs a stack of 0 points or more.",
    ),
    "round-invalid": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The round cannot be like this",
        "Seats, stacks, departures and closings must fit the ruleset. Nothing was stored.",
    ),
    "ruleset-invalid": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY, "The rules contradict each other", "Correct every rule named in errors."
    ),
    "ruleset-unknown": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "There is no such ruleset",
        "GET /v1/rulesets lists the presets and your club's own rulesets.",
    ),
    "hand-irregular": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "A later hand could not have followed",
        "Correct that hand too, where it was recorded wrong. Where it was played like this, send 'irregular': 'stands':"
        " it then counts as it was played, and is marked irregular with the reasons. Nothing was stored.",
    ),
    "correction-invalid": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The round cannot be corrected like this",
        "A correction changes what happened in one round, and leaves its table, its reference and its money. Nothing"
        " was stored.",
    ),
    "dispute-invalid": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The dispute cannot be like this",
        "It names a round, and a hand and a seat that the round has. One that is upheld was answered by a correction"
        " that names it, or says in reason why nothing is corrected. Nothing was stored.",
    ),
    "expected-differs": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The answer is not what was expected",
        "Sender and service disagree about the result. Nothing was stored. Compare the two values at each place.",
    ),
    "round-complete": Kind(
        HTTPStatus.CONFLICT, "The round is complete", "It takes no further hand; open a new round at the table."
    ),
    "round-closed": Kind(
        HTTPStatus.CONFLICT, "The round was closed", "It takes no further hand; open a new round at the table."
    ),
    "round-open": Kind(
        HTTPStatus.CONFLICT,
        "A round is open at this table",
        "A table plays one round at a time; finish or close it first.",
    ),
    "round-conflict": Kind(
        HTTPStatus.CONFLICT,
        "The reference belongs to another round",
        "A round with this reference and other content is recorded at this table. Use a new reference.",
    ),
    "hand-conflict": Kind(
        HTTPStatus.CONFLICT,
        "The number belongs to another hand",
        "A hand with this number and other content is recorded in this round. GET the round for the next number.",
    ),
    "table-conflict": Kind(
        HTTPStatus.CONFLICT, "The name belongs to another table", "Names of tables are unique in a club; use a new one."
    ),
    "signing-key-missing": Kind(
        HTTPStatus.CONFLICT,
        "The service has no key to sign with",
        "Whoever runs it names the key's file in OFC_SIGNING_KEY_FILE; `ofc-server signing-key create` makes one.",
    ),
    "undo-refused": Kind(
        HTTPStatus.CONFLICT,
        "The hand cannot be undone",
        "The last hand of a round can be, until the round is closed, another is opened at its table, or its settlement"
        " is disputed or final. GET the round for the number of its last hand.",
    ),
    "confirmation-refused": Kind(
        HTTPStatus.CONFLICT,
        "The settlement cannot be confirmed",
        "A settlement can be confirmed while it is provisional. GET the round's settlement for its state and revision.",
    ),
    "round-changed": Kind(
        HTTPStatus.CONFLICT,
        "The round is no longer as it was read",
        "Somebody has changed the round since. Nothing was stored. GET the round and its document again, and correct"
        " what is there now.",
    ),
    "dispute-changed": Kind(
        HTTPStatus.CONFLICT,
        "The dispute is no longer as it was read",
        "Somebody has said or done something about it since. Nothing was stored. GET the dispute again, and decide"
        " anew.",
    ),
    "dispute-refused": Kind(
        HTTPStatus.CONFLICT,
        "The dispute takes no such step now",
        "A dispute is opened once its round is over, comes under review, and is then upheld or rejected; until then it"
        " can be withdrawn. What has ended stays ended.",
    ),
    "job-ended": Kind(
        HTTPStatus.CONFLICT,
        "The job has ended, or is about to",
        "Nothing is left to pause or to resume. What it came to can be read; start another where more is to be done.",
    ),
    "ruleset-conflict": Kind(
        HTTPStatus.CONFLICT,
        "A stored ruleset never changes",
        "Leave the version out, or give the next one, to add the rules as a new version; presets' names are taken.",
    ),
    "busy": Kind(
        HTTPStatus.CONFLICT, "Somebody else is changing the same thing", "Nothing was stored. Send the request again."
    ),
    "database-unavailable": Kind(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "The database does not answer",
        "Nothing was stored. Send the request again soon.",
    ),
    "outcome-unknown": Kind(
        HTTPStatus.GATEWAY_TIMEOUT,
        "Whether it was stored is not known",
        "The database stopped answering just as it was to keep this. Send the same request again soon: with its"
        " Idempotency-Key, or where the same content is the same record, it is stored once, now or before.",
    ),
    "database-behind": Kind(
        HTTPStatus.SERVICE_UNAVAILABLE, "The database awaits its migration", "Run 'ofc-server migrate', then try again."
    ),
    "database-newer": Kind(
        HTTPStatus.SERVICE_UNAVAILABLE, "A newer release has changed the database", "Run that release, or a newer one."
    ),
    "database-denied": Kind(
        HTTPStatus.SERVICE_UNAVAILABLE, "The database does not let the service in", "The operator must grant the login."
    ),
    "internal-error": Kind(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Something went wrong in the service",
        "Nothing was stored. Report the request id to the operator of the service.",
    ),
}
"""Every kind of problem by its stable code."""

_BY_STATUS: Final = {
    HTTPStatus.NOT_FOUND: "not-found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method-not-allowed",
    HTTPStatus.NOT_ACCEPTABLE: "not-acceptable",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "body-too-large",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "media-type-unsupported",
}


def problem(
    code: str, detail: str, mistakes: Iterable[Mistake] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """Make a problem document of a known kind."""
    g.problem_code = code
    document = complete_problem(code, detail, dump_mistakes(list(mistakes)[:MOST_SHOWN]), g.request_id)
    return answer(document, KINDS[code].status, headers, media_type=MEDIA_TYPE)


def complete_problem(code: str, detail: str, errors: list[Dumped], request_id: str) -> Dumped:
    """Write a problem of a known kind, with all that its kind has in common."""
    kind = KINDS[code]
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
    """Answer every error with a problem document."""
    app.register_error_handler(WireError, _refused)
    app.register_error_handler(ScoringError, _refused)
    app.register_error_handler(ServiceError, _service_problem)
    app.register_error_handler(DatabaseError, _database_problem)
    app.register_error_handler(ClientDisconnected, _incomplete_problem)
    app.register_error_handler(ParseException, _malformed_problem)
    app.register_error_handler(HTTPException, _http_problem)
    app.register_error_handler(Exception, _unforeseen_problem)


def _refused(error: WireError | ScoringError) -> Response:
    refusal = refusal_of(error)
    return problem(refusal.code, refusal.detail, refusal.mistakes)


def _service_problem(error: ServiceError) -> Response:
    headers: dict[str, str] = {}
    if KINDS[error.code].status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(error.retry_after)
    return problem(error.code, str(error), error.mistakes, headers)


def _database_problem(error: DatabaseError) -> Response:
    """Tell the operator which database it is, and everybody else what to do."""
    _log.error("database_error", request_id=g.request_id, error=str(error))
    return problem(error.code, KINDS[error.code].advice)


def _http_problem(error: HTTPException) -> Response:
    status = HTTPStatus(error.code or 500)
    code = _BY_STATUS.get(status, "request-malformed" if status < 500 else "internal-error")
    headers = dict(error.get_headers())
    headers.pop("Content-Type", None)
    return problem(code, KINDS[code].advice, headers=headers)


def _incomplete_problem(_error: ClientDisconnected) -> Response:
    return problem("request-incomplete", KINDS["request-incomplete"].advice, headers={"Connection": "close"})


def _malformed_problem(_error: ParseException) -> Response:
    """Answer a body whose chunks are none; what follows on the connection is no request, whatever it looks like."""
    detail = "the body is sent in chunks, and a chunk is not written as one; RFC 9112 says how"
    return problem("request-malformed", detail, headers={"Connection": "close"})


def _unforeseen_problem(error: Exception) -> Response:
    _log.error("unforeseen_error", request_id=g.request_id, exception=show_exception(error))
    return problem("internal-error", KINDS["internal-error"].advice)
