"""What every resource has in common: strict reading, a key, and documented answers."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

import flask_smorest
from flask import Request, request
from marshmallow import RAISE, Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import UnsupportedMediaType

from schemas.base import WireError, find_mistakes
from schemas.strict_json import read_json
from scoring.errors import Mistake
from service.api.access import with_key, with_key_if_any

JSON: Final = "application/json"


class StrictParser(FlaskParser):
    """Reads requests strictly; every mistake is named with its place."""

    DEFAULT_UNKNOWN_BY_LOCATION: dict[str, str | None] = {"json": RAISE, "query": RAISE}  # noqa: RUF012 - as webargs declares it

    def load_json(self, req: Request, schema: Schema) -> Any:
        """Read the body, whatever else may be wrong with it first."""
        if req.mimetype != JSON:
            raise UnsupportedMediaType
        return read_json(req.get_data())

    def load_querystring(self, req: Request, schema: Schema) -> Any:
        """Read what is asked for; nothing can be asked for twice."""
        twice = [name for name, given in req.args.lists() if len(given) > 1]
        if twice:
            raise WireError(
                tuple(Mistake("field-twice", ("query", name), "is given twice; once is right") for name in twice)
            )
        return super().load_querystring(req, schema)

    def handle_error(self, error: ValidationError, req: Request, schema: Schema, **_: Any) -> Any:
        """Name every mistake."""
        assert isinstance(error.messages, dict), "webargs puts messages under their location"
        [(location, messages)] = error.messages.items()
        mistakes = find_mistakes(ValidationError(messages))
        raise WireError(tuple(mistakes if location == "json" else (found.under(location) for found in mistakes)))


class Resource(flask_smorest.Blueprint):  # type: ignore[misc]  # flask-smorest is not typed
    """A resource of the API, read strictly."""

    ARGUMENTS_PARSER = StrictParser()

    def operation(
        self, name: str, *, needs_key: bool = True, asks_database: bool = True, problems: tuple[int, ...] = ()
    ) -> Callable[..., Any]:
        """
        Name an operation in the OpenAPI document, guard it, and list the problems that it can answer.

        Without `needs_key`, a key opens the club's own beside what everybody sees.
        """
        usual = [HTTPStatus.UNAUTHORIZED, HTTPStatus.SERVICE_UNAVAILABLE] if asks_database else []
        if asks_database:
            usual.append(HTTPStatus.FORBIDDEN)

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            if asks_database:
                view = with_key(view) if needs_key else with_key_if_any(view)
            for status in sorted({*usual, *problems}):
                view = self.alt_response(status, HTTPStatus(status).name)(view)
            security: dict[str, Any] = {} if needs_key else {"security": [{}, {"key": []}] if asks_database else []}
            documented: Callable[..., Any] = self.doc(operationId=name, **security)(view)
            return documented

        return decorate


def received_bytes() -> bytes:
    """Give the exact bytes of the request's body."""
    return request.get_data()


def decoded_body() -> Any:
    """Give the request's body as it was decoded, where a use case reads it itself."""
    return read_json(request.get_data())
