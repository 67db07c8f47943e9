"""The base class of all resources: request validation, authentication and the OpenAPI description."""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import flask_smorest
from flask import request
from werkzeug.exceptions import NotAcceptable

from schemas.base import WireError, WireSchema, load, show
from schemas.strict_json import read_json
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.http import dry_run, idempotency
from service.http.authentication import (
    Access,
    Reach,
    ReadAhead,
    read_nothing_ahead,
    with_key,
    with_key_if_any,
    with_key_to_record,
    with_key_to_upload,
)
from service.http.request_body import NDJSON, check_media_type, receive_body
from service.http.responses import TAGGED, best_media_type
from service.openapi import REQUEST_ID
from service.openapi_published import INTERNAL

JSON: Final = "application/json"
RESPONSE_TYPES: Final = (JSON, NDJSON, "application/yaml", "application/problem+json")

_READS_QUERY: Final = "reads_query"
"""Attribute of a view that has query parameters."""

_DESCRIPTION: Final = "_apidoc"
"""Attribute in which flask-smorest stores the description of a view."""

_TO_RECORD: Final = [idempotency.PARAMETER, dry_run.PARAMETER]


def read_body(schema: WireSchema) -> Any:
    """Validate the request body, and return what the schema loads from it."""
    check_media_type(JSON)
    return load(schema, decoded_body())


def read_query(schema: WireSchema) -> Any:
    """Validate the query parameters, each given once at most, and return what the schema loads from them."""
    parameters = request.args
    mistakes = [
        Mistake("field-twice", ("query", name), "is given twice; expected once")
        for name, values in parameters.lists()
        if len(values) > 1
    ]
    mistakes += _find_invalid_utf_8()
    if mistakes:
        raise WireError(tuple(mistakes))
    try:
        return load(schema, parameters.to_dict())
    except WireError as error:
        raise WireError(tuple(mistake.under("query") for mistake in error.mistakes)) from error


def _find_invalid_utf_8() -> Iterator[Mistake]:
    """Yield a mistake for every value that is not UTF-8. Werkzeug would return it as percent-encoded text."""
    for parameter in request.query_string.split(b"&"):
        name, _, value = map(unquote_to_bytes, parameter.partition(b"="))
        try:
            value.decode()
        except UnicodeDecodeError:
            place = ("query", name.decode(errors="replace"))
            yield Mistake("text-characters", place, "is not UTF-8; expected percent-encoded UTF-8")


_READERS: Final = {"json": read_body, "query": read_query}


class Resource(flask_smorest.Blueprint):
    """A resource of the API, with validated requests."""

    def arguments(
        self,
        schema: type[WireSchema],
        *,
        location: str = "json",
        find_more: Callable[..., Iterable[Mistake]] | None = None,
        **options: Any,
    ) -> Callable[..., Any]:
        """
        Validate requests with a schema.

        Args:
            schema: of the request.
            location: `json` or `query`.
            find_more: finds further mistakes in an invalid body, from the decoded body and the arguments of the view.
            options: passed to flask-smorest.
        """
        # One instance for all requests: building a schema takes longer than loading a body.
        shape, read = schema(), _READERS[location]
        describe = _describing(super().arguments(shape, location=location, **options))

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(view)
            def reading(*arguments: Any, **options: Any) -> Any:
                try:
                    loaded = read(shape)
                except WireError as error:
                    if find_more is None:
                        raise
                    received = decoded_body()
                    raise error.with_more(find_more(received, *arguments, **options), received) from error
                return view(loaded, *arguments, **options)

            setattr(reading, _READS_QUERY, location == "query" or hasattr(view, _READS_QUERY))
            described: Callable[..., Any] = describe(reading)
            return described

        return decorate

    def response(
        self, status: int, schema: Any = None, *, headers: dict[str, Any] | None = None, **options: Any
    ) -> Callable[..., Any]:
        """Document the response of a successful request."""
        return _describing(super().response(status, schema, headers={**(headers or {}), **REQUEST_ID}, **options))

    def alt_response(self, *arguments: Any, **options: Any) -> Callable[..., Any]:
        """Document another response."""
        return _describing(super().alt_response(*arguments, **options))

    @staticmethod
    def doc(**described: Any) -> Callable[..., Any]:
        """Document further properties of an operation."""
        return _describing(flask_smorest.Blueprint.doc(**described))

    def operation(
        self,
        name: str,
        *scopes: KeyScope,
        needs_key: bool = True,
        by_link: Reach | None = None,
        by_player: bool = False,
        uses_database: bool = True,
        records: bool = False,
        waits: bool = False,
        conditional: bool = False,
        is_internal: bool = False,
        ahead: ReadAhead = read_nothing_ahead,
        forms: tuple[str, ...] = (JSON,),
    ) -> Callable[..., Any]:
        """
        Document an operation, and add authentication and transactions to its view.

        Args:
            name: the ID of the operation.
            scopes: the key needs one of these.
            needs_key: whether a key is required; if not, a key adds the records of its club to what is public.
            by_link: the links whose secret can be used as the key; only records of their table or round are visible.
            by_player: whether players' links can be used without the scope, each for what its player does.
            uses_database: whether the operation needs the database, and so a key or a link.
            records: whether it changes records; it then supports dry runs and idempotency keys.
            waits: whether it can wait for an event; it then begins its transactions itself.
            conditional: whether its responses have a tag that `If-None-Match` compares.
            is_internal: whether it is for the pages of the service; the published contract is without it.
            ahead: returns the queries with which it begins, from the arguments of the view, if it changes records.
            forms: the media types of its responses.
        """
        if uses_database and not scopes:
            raise TypeError(f"the operation {name} uses the database without a scope; expected a scope")
        access = Access(scopes, by_link, by_player)

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            if records:
                view = with_key_to_record(view, access, forms[0], ahead)
            elif uses_database:
                guard = with_key_to_upload if waits else with_key if needs_key else with_key_if_any
                view = guard(_without_unread_query(view), access)
            view = negotiate(forms, view)
            described: dict[str, Any] = {"operationId": name, "security": _security(scopes)}
            if by_link:
                described["x-link"] = by_link.value
            if is_internal:
                described[INTERNAL] = True
            if not needs_key:
                described["security"] = [{}, *_security(scopes)] if uses_database else []
            if conditional:
                view = self.alt_response(
                    HTTPStatus.NOT_MODIFIED, description="The client has this response.", headers=TAGGED | REQUEST_ID
                )(view)
            if records:
                described["parameters"] = _TO_RECORD
            documented: Callable[..., Any] = self.doc(**described)(view)
            return documented

        return decorate

    def upload(
        self, name: str, *scopes: KeyScope, body: dict[str, Any], query: tuple[dict[str, Any], ...] = ()
    ) -> Callable[..., Any]:
        """
        Document an operation that streams its request body, and add authentication to its view.

        The view begins its transactions itself: none may stay open while the client sends. The operation supports
        idempotency keys but no dry runs. `query` describes the query parameters, because the parameters documented here
        replace all others.
        """

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            view = negotiate((JSON,), with_key_to_upload(_without_unread_query(view), Access(scopes)))
            described = {
                "operationId": name,
                "security": _security(scopes),
                "parameters": [*query, idempotency.PARAMETER],
                "requestBody": body,
            }
            documented: Callable[..., Any] = self.doc(**described)(view)
            return documented

        return decorate


def _security(scopes: tuple[KeyScope, ...]) -> list[dict[str, list[str]]]:
    """Return the security requirement of OpenAPI: a key with one of these scopes."""
    return [{"key": [scope.value]} for scope in scopes]


def _describing(decorate: Callable[..., Any]) -> Callable[..., Any]:
    """
    Return a decorator that adds the documentation of a flask-smorest decorator to a view, and nothing else.

    The decorators themselves would wrap the view a dozen times, which takes longer than the view.
    """
    added = getattr(decorate(_undocumented_view), _DESCRIPTION)

    def describe(view: Callable[..., Any]) -> Callable[..., Any]:
        setattr(view, _DESCRIPTION, _merge(getattr(view, _DESCRIPTION, {}), added))
        return view

    return describe


def _undocumented_view() -> None:
    """Return None, as a view without documentation."""


def _merge(before: Any, added: Any) -> Any:
    """
    Return the documentation of a view with additions, without changing the argument.

    >>> _merge({"responses": {200: ["a"], 404: ["b"]}}, {"responses": {200: ["c"]}, "name": "d"})
    {'responses': {200: ['a', 'c'], 404: ['b']}, 'name': 'd'}
    """
    if isinstance(before, dict) and isinstance(added, dict):
        return before | {name: _merge(before[name], part) if name in before else part for name, part in added.items()}
    return [*before, *added] if isinstance(before, list) and isinstance(added, list) else added


def without_query(view: Callable[..., Any]) -> Callable[..., Any]:
    """Reject query parameters of a view that has none."""

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Any:
        if request.args:
            unknown = "is unknown; expected no query parameters"
            raise WireError(tuple(Mistake("field-unknown", ("query", name), unknown) for name in request.args))
        return view(*arguments, **options)

    return guarded


def _without_unread_query(view: Callable[..., Any]) -> Callable[..., Any]:
    """Reject query parameters of a view, unless it reads them."""
    return view if getattr(view, _READS_QUERY, False) else without_query(view)


def negotiate(media_types: tuple[str, ...], view: Callable[..., Any]) -> Callable[..., Any]:
    """Reject requests that do not accept any media type of the view's responses."""

    @wraps(view)
    def negotiated(*arguments: Any, **options: Any) -> Any:
        if not request.accept_mimetypes or best_media_type((*media_types, *RESPONSE_TYPES)):
            return view(*arguments, **options)
        accepted = ", ".join(map(repr, (*media_types, "*/*")))
        raise NotAcceptable(f"Accept is {show(str(request.accept_mimetypes))}; expected {accepted} or no Accept header")

    return negotiated


def decoded_body() -> Any:
    """Return the decoded JSON of the request body, without validation by a schema."""
    return read_json(receive_body())
