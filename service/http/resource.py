"""What every resource has in common: strict reading, a key, and documented answers."""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import flask_smorest
from flask import request
from werkzeug.exceptions import NotAcceptable, UnsupportedMediaType

from schemas.base import WireError, WireSchema, load
from schemas.strict_json import read_json
from scoring.errors import Mistake
from service.clubs.scopes import Scope
from service.http import dry_run, idempotency
from service.http.authentication import (
    with_key,
    with_key_if_any,
    with_key_to_record,
    with_key_to_stream,
    with_key_to_upload,
    with_link,
)
from service.http.request_body import NDJSON, receive_body
from service.http.responses import best_form
from service.openapi import REQUEST_ID

JSON: Final = "application/json"
_AS_IT_IS: Final = "identity"
ANSWERS: Final = (JSON, NDJSON, "application/yaml", "application/problem+json")

_READS_QUERY: Final = "reads_query"
"""Marks a view that can be asked for something in its query string."""

_DESCRIPTION: Final = "_apidoc"
"""Where flask-smorest keeps what it is told of a view."""

_OF_ANY: Final = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.NOT_ACCEPTABLE,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.REQUEST_URI_TOO_LONG,
    HTTPStatus.EXPECTATION_FAILED,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    HTTPStatus.NOT_IMPLEMENTED,
)
"""What a request can be refused with before it is known what it asks for, beside a form that there is not."""
_OF_THE_DATABASE: Final = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_OF_A_LINK: Final = (
    HTTPStatus.NOT_FOUND,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_OF_RECORDING: Final = (HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.GATEWAY_TIMEOUT)
_OF_A_BODY: Final = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
)


def read_body(schema: WireSchema) -> Any:
    """Read the request's body strictly; every mistake is named with its place."""
    if request.mimetype != JSON or _coding() != _AS_IT_IS:
        raise UnsupportedMediaType
    return load(schema, decoded_body())


def _coding() -> str:
    coding: str = request.environ.get("HTTP_CONTENT_ENCODING", _AS_IT_IS)
    return coding.strip().lower()


def read_query(schema: WireSchema) -> Any:
    """Read what the request asks for; nothing can be asked for twice."""
    asked = request.args
    mistakes = [
        Mistake("field-twice", ("query", name), "is given twice; expected once")
        for name, given in asked.lists()
        if len(given) > 1
    ]
    mistakes += _not_in_utf_8()
    if mistakes:
        raise WireError(tuple(mistakes))
    try:
        return load(schema, asked.to_dict())
    except WireError as error:
        raise WireError(tuple(mistake.under("query") for mistake in error.mistakes)) from error


def _not_in_utf_8() -> Iterator[Mistake]:
    """Find what Werkzeug leaves percent-encoded because it is not text: it would be taken for a text that says so."""
    for written in request.query_string.split(b"&"):
        name, _, value = map(unquote_to_bytes, written.partition(b"="))
        try:
            value.decode()
        except UnicodeDecodeError:
            place = ("query", name.decode(errors="replace"))
            yield Mistake("text-characters", place, "is not UTF-8; expected percent-encoded UTF-8")


_READERS: Final = {"json": read_body, "query": read_query}


class Resource(flask_smorest.Blueprint):
    """A resource of the API, read strictly."""

    def arguments(
        self,
        schema: type[WireSchema],
        *,
        location: str = "json",
        find_more: Callable[..., Iterable[Mistake]] | None = None,
        **options: Any,
    ) -> Callable[..., Any]:
        """
        Read requests by a schema, and list the problems that a body can have beside its shape.

        Args:
            schema: of the request.
            location: `json` or `query`.
            find_more: lists what else is wrong in a body that cannot be read, from the decoded body and the arguments
                of the view.
            options: as flask-smorest has them.
        """
        # One for all requests: a schema takes longer to make than a body to read.
        shape, read = schema(), _READERS[location]
        describe = _describing(super().arguments(shape, location=location, **options))
        problems = _OF_A_BODY if location == "json" else ()

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(view)
            def reading(*arguments: Any, **options: Any) -> Any:
                try:
                    asked = read(shape)
                except WireError as error:
                    if find_more is None:
                        raise
                    received = decoded_body()
                    raise error.with_more(find_more(received, *arguments, **options), received) from error
                return view(asked, *arguments, **options)

            for status in problems:
                self.alt_response(status, status.name)(reading)
            setattr(reading, _READS_QUERY, location == "query" or hasattr(view, _READS_QUERY))
            described: Callable[..., Any] = describe(reading)
            return described

        return decorate

    def response(
        self, status: int, schema: Any = None, *, headers: dict[str, Any] | None = None, **options: Any
    ) -> Callable[..., Any]:
        """Describe what is answered when all goes well."""
        return _describing(super().response(status, schema, headers={**(headers or {}), **REQUEST_ID}, **options))

    def alt_response(self, *arguments: Any, **options: Any) -> Callable[..., Any]:
        """Describe what else is answered."""
        return _describing(super().alt_response(*arguments, **options))

    @staticmethod
    def doc(**described: Any) -> Callable[..., Any]:
        """Describe more of an operation."""
        return _describing(flask_smorest.Blueprint.doc(**described))

    def operation(
        self,
        name: str,
        *scopes: Scope,
        needs_key: bool = True,
        by_link: bool = False,
        asks_database: bool = True,
        records: bool = False,
        streams: bool = False,
        waits: bool = False,
        problems: tuple[int, ...] = (),
        forms: tuple[str, ...] = (JSON,),
    ) -> Callable[..., Any]:
        """
        Name an operation in the OpenAPI document, guard it, and list the problems that it can answer.

        Args:
            name: the use case's.
            scopes: of which a key needs one.
            needs_key: without it, a key opens the club's own beside what everybody sees.
            by_link: whether the token in its address opens it, in place of a key.
            asks_database: whether there is anything to guard.
            records: whether it changes records; it can then be tried, and sent again under an idempotency key.
            streams: whether it reads for as long as its answer is being sent.
            waits: whether it may wait for something to happen; it then begins its transactions itself.
            problems: statuses beside the usual ones.
            forms: the media types that it can answer in.
        """
        if asks_database and not (scopes or by_link):
            raise TypeError(f"{name} asks the database for what a key opens, and names no scope that opens it")
        usual = {*_OF_ANY}
        usual |= {*(_OF_A_LINK if by_link else _OF_THE_DATABASE)} if asks_database else set()
        usual |= {*_OF_RECORDING} if records else set()

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            if by_link:
                view = with_link(without_query(view))
            elif records:
                view = with_key_to_record(view, scopes)
            elif asks_database:
                view = view if getattr(view, _READS_QUERY, False) else without_query(view)
                guard = with_key_to_stream if streams else with_key if needs_key else with_key_if_any
                guard = with_key_to_upload if waits else guard
                view = guard(view, scopes)
            view = answering_in(forms, view)
            for status in sorted({*usual, *problems}):
                view = self.alt_response(status, HTTPStatus(status).name)(view)
            described: dict[str, Any] = {"operationId": name, "security": _security(scopes)}
            if not needs_key:
                described["security"] = [{}, *_security(scopes)] if asks_database else []
            if records:
                described["parameters"] = [idempotency.PARAMETER, dry_run.PARAMETER]
            documented: Callable[..., Any] = self.doc(**described)(view)
            return documented

        return decorate

    def upload(
        self, name: str, *scopes: Scope, body: dict[str, Any], query: tuple[dict[str, Any], ...] = ()
    ) -> Callable[..., Any]:
        """
        Name an operation that reads a body of any length as it comes, and list the problems that it can answer.

        The view itself begins its transactions: none may stay open as long as somebody sends. It can be sent again
        under an idempotency key, and not be tried. What can be asked for in the query is described here, for the
        parameters described here are all that are.
        """
        problems = {*_OF_ANY, *_OF_THE_DATABASE, *_OF_RECORDING, *_OF_A_BODY}

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            view = view if getattr(view, _READS_QUERY, False) else without_query(view)
            view = answering_in((JSON,), with_key_to_upload(view, scopes))
            for status in sorted(problems):
                view = self.alt_response(status, status.name)(view)
            described = {
                "operationId": name,
                "security": _security(scopes),
                "parameters": [*query, idempotency.PARAMETER],
                "requestBody": body,
            }
            documented: Callable[..., Any] = self.doc(**described)(view)
            return documented

        return decorate


def _security(scopes: tuple[Scope, ...]) -> list[dict[str, list[str]]]:
    """Say in the contract's words that a key with one of these scopes is needed."""
    return [{"key": [scope.value]} for scope in scopes]


def _describing(decorate: Callable[..., Any]) -> Callable[..., Any]:
    """
    Take of flask-smorest's decorators what they say of a view, and leave the view as it is.

    Each would run some code around it in every request, a dozen of them more than the view's own; and copy what was
    said before, so that it says its part of nothing.
    """
    said = getattr(decorate(_nothing), _DESCRIPTION)

    def describe(view: Callable[..., Any]) -> Callable[..., Any]:
        setattr(view, _DESCRIPTION, _joined(getattr(view, _DESCRIPTION, {}), said))
        return view

    return describe


def _nothing() -> None:
    """Stand for a view of which nothing was said."""


def _joined(before: Any, said: Any) -> Any:
    """
    Say more of a view, and change nothing of what was said.

    >>> _joined({"responses": {200: ["a"], 404: ["b"]}}, {"responses": {200: ["c"]}, "name": "d"})
    {'responses': {200: ['a', 'c'], 404: ['b']}, 'name': 'd'}
    """
    if isinstance(before, dict) and isinstance(said, dict):
        return before | {name: _joined(before[name], part) if name in before else part for name, part in said.items()}
    return [*before, *said] if isinstance(before, list) and isinstance(said, list) else said


def without_query(view: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse what is asked for where nothing can be: overlooked, it would be answered as if it had been heard."""

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Any:
        if request.args:
            unknown = "is unknown; expected no query parameters"
            raise WireError(tuple(Mistake("field-unknown", ("query", name), unknown) for name in request.args))
        return view(*arguments, **options)

    return guarded


def answering_in(forms: tuple[str, ...], view: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse a request that does not accept what the view answers."""

    @wraps(view)
    def negotiated(*arguments: Any, **options: Any) -> Any:
        if not request.accept_mimetypes or best_form((*forms, *ANSWERS)):
            return view(*arguments, **options)
        raise NotAcceptable

    return negotiated


def decoded_body() -> Any:
    """Give the request's body as it was decoded, where a use case reads it itself."""
    return read_json(receive_body())
