"""The API reference page: operations by resource, and the types that they read and return."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlencode

from schemas.fields import Characters
from schemas.game_fields import CARD_PATTERN
from service.clubs.scopes import name_scopes
from service.openapi import REQUEST_ID

Document = dict[str, Any]

_PLAIN: Final = (None, *(characters.pattern for characters in Characters))
"""Patterns that the page does not show."""

_MOST_SHOWN: Final = 1_000_000
"""Larger bounds are technical limits, and not shown."""


@dataclass(frozen=True, slots=True)
class Word:
    """A part of a type description: a word, a literal value, or the name of a schema, which is a link."""

    text: str
    is_value: bool = False
    is_shape: bool = False


Words = tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field, parameter or header."""

    name: str
    type: Words
    is_required: bool
    description: str
    place: str | None = None
    example: str | None = None


def fields_of(schema: Document) -> tuple[Field, ...]:
    """List the fields of an object."""
    required = schema.get("required", ())
    return tuple(
        Field(name, describe_type(described), name in required, described.get("description", ""))
        for name, described in schema.get("properties", {}).items()
    )


def describe_type(schema: Document) -> Words:
    """
    Describe the values that a schema accepts.

    >>> "".join(word.text for word in describe_type({"type": "integer", "minimum": 1, "maximum": 4}))
    'integer, 1 to 4'
    >>> "".join(word.text for word in describe_type({"type": "array", "items": {"$ref": "#/components/schemas/Hand"}}))
    'list, each: Hand'
    """
    return tuple(_words(schema))


def _words(schema: Document) -> Iterator[Word]:
    if "$ref" in schema:
        yield Word(schema["$ref"].rpartition("/")[2], is_shape=True)
    elif "anyOf" in schema or "allOf" in schema:
        yield from _joined([_words(part) for part in schema.get("anyOf") or schema["allOf"]])
    elif "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        yield from _joined([iter([Word("null" if value is None else str(value), is_value=True)]) for value in values])
    else:
        yield from _plain_words(schema)


def _plain_words(schema: Document) -> Iterator[Word]:
    types = schema.get("type", "anything")
    kinds = [types] if isinstance(types, str) else [kind for kind in types if kind != "null"]
    kind = kinds[0]
    if kind == "array":
        fewest, most = schema.get("minItems", 0), schema.get("maxItems")
        yield Word(f"list of {fewest}" if fewest and fewest == most else "list")
        yield Word(", each: ")
        yield from _words(schema["items"])
    elif kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        yield Word("object, each value: ")
        yield from _words(schema["additionalProperties"])
    else:
        yield Word(" or ".join(kinds))
        yield from _limits(schema)
    if "null" in types and not isinstance(types, str):
        yield Word(" or null")


def _limits(schema: Document) -> Iterator[Word]:
    """Describe the bounds, pattern and default of a plain value."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and abs(least) <= _MOST_SHOWN:
        is_open = most is None or most > _MOST_SHOWN
        yield Word(f", {least} or more" if is_open else f", {least} to {most}")
    if schema.get("pattern") == CARD_PATTERN:
        yield Word(", a card: ")
        yield Word("As", is_value=True)
    elif "format" in schema:
        yield Word(f", {schema['format']}")
    elif schema.get("pattern") not in _PLAIN:
        yield Word(", ")
        yield Word(schema["pattern"], is_value=True)
    if "maxLength" in schema:
        yield Word(f", up to {schema['maxLength']} characters")
    if schema.get("default") is not None:
        yield Word(f"; {str(schema['default']).lower()} if omitted")


def _joined(parts: list[Iterator[Word]]) -> Iterator[Word]:
    for number, part in enumerate(parts):
        if number:
            yield Word(" or " if number == len(parts) - 1 else ", ")
        yield from part


METHODS: Final = ("get", "post", "put", "patch", "delete")
_JSON: Final = "application/json"
_PROBLEMS_FROM: Final = 400
_SERVICE: Final = "http://127.0.0.1:8000"


@dataclass(frozen=True, slots=True)
class Form:
    """Another media type of a response, with an example."""

    media_type: str
    example: str
    cut: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """A request or response body: its type, fields, example and other media types."""

    type: Words
    fields: tuple[Field, ...]
    example: str
    cut: str | None
    forms: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful response; the headers do not include the one that every response has."""

    status: HTTPStatus
    description: str
    headers: tuple[Field, ...]
    body: Body | None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the API."""

    name: str
    method: str
    path: str
    summary: str
    description: str
    access: str
    parameters: tuple[Field, ...]
    request: Body | None
    answers: tuple[Answer, ...]
    problems: tuple[HTTPStatus, ...]
    curl: str


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource and its operations."""

    name: str
    description: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """An object schema of requests or responses."""

    name: str
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A kind of problem, with an example."""

    code: str
    title: str
    example: str


@dataclass(frozen=True, slots=True)
class Reference:
    """The content of the API reference page."""

    title: str
    version: str
    description: str
    resources: tuple[Resource, ...]
    shapes: tuple[Shape, ...]
    problems: tuple[tuple[HTTPStatus, tuple[Problem, ...]], ...]


def read_contract(contract: Document) -> Reference:
    """Build the content of the reference page from an OpenAPI document."""
    reader = _Reader(contract)
    info = contract["info"]
    resources = tuple(
        Resource(tag["name"], tag["description"], tuple(reader.operations(tag["name"]))) for tag in contract["tags"]
    )
    shapes = tuple(
        Shape(name, schema["description"], fields_of(schema))
        for name, schema in sorted(contract["components"]["schemas"].items())
    )
    return Reference(info["title"], info["version"], info["description"], resources, shapes, tuple(reader.problems()))


def show_json(value: object) -> str:
    """
    Return a value as JSON, with each part on one line if it fits.

    >>> print(show_json({"top": ["Qs", "Qd", "4c"], "said": "so " * 33}))
    {
      "top": ["Qs", "Qd", "4c"],
      "said": "so so so so so so so so so so so so so so so so so so so so so so so so so so so so so so so so so "
    }
    """
    return _show(value, "", 0)


def _show(value: object, indent: str, before: int) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + before + len(line) <= 110 or not isinstance(value, dict | list) or not value:
        return line
    inner = indent + "  "
    if isinstance(value, list):
        items, (opening, closing) = [_show(item, inner, 0) for item in value], "[]"
    else:
        names = {name: json.dumps(name, ensure_ascii=False) + ": " for name in value}
        items = [names[name] + _show(item, inner, len(names[name])) for name, item in value.items()]
        opening, closing = "{}"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}{closing}"


class _Reader:
    """Reads an OpenAPI document and resolves its references."""

    def __init__(self, contract: Document) -> None:
        self._contract = contract

    def operations(self, tag: str) -> Iterator[Operation]:
        """Yield the operations of a resource."""
        for path, item in self._contract["paths"].items():
            for method in METHODS:
                if tag in item.get(method, {}).get("tags", ()):
                    yield self._operation(method, path, item)

    def problems(self) -> Iterator[tuple[HTTPStatus, tuple[Problem, ...]]]:
        """Yield the kinds of problem by status."""
        found = [(HTTPStatus[name], response) for name, response in self._contract["components"]["responses"].items()]
        for status, response in sorted(found):
            [media] = response["content"].values()
            examples = ((code, self._resolve(example)) for code, example in media["examples"].items())
            yield status, tuple(Problem(code, said["summary"], show_json(said["value"])) for code, said in examples)

    def _operation(self, method: str, path: str, item: Document) -> Operation:
        operation = item[method]
        parameters = [*item.get("parameters", []), *operation.get("parameters", [])]
        request = self._body(operation["requestBody"]) if "requestBody" in operation else None
        statuses = [(HTTPStatus(int(status)), answered) for status, answered in operation["responses"].items()]
        return Operation(
            operation["operationId"],
            method.upper(),
            path,
            operation["summary"],
            operation.get("description", ""),
            _describe_access(operation),
            tuple(_parameter(parameter) for parameter in parameters),
            request,
            tuple(self._answer(status, answered) for status, answered in statuses if status < _PROBLEMS_FROM),
            tuple(status for status, _ in statuses if status >= _PROBLEMS_FROM),
            _curl(method, path, operation, parameters, request),
        )

    def _answer(self, status: HTTPStatus, answered: Document) -> Answer:
        answered = self._resolve(answered)
        description = answered["description"] if answered["description"] != status.phrase else ""
        headers = (_field(name, header) for name, header in answered["headers"].items() if name not in REQUEST_ID)
        return Answer(status, description, tuple(headers), self._body(answered) if "content" in answered else None)

    def _body(self, described: Document) -> Body:
        # Show JSON first, then the other media types.
        first, *others = sorted(described["content"].items(), key=lambda form: form[0] != _JSON)
        schema, (text, cut) = first[1]["schema"], self._example(first[1])
        forms = tuple(Form(name, *self._example(media)) for name, media in others)
        return Body(describe_type(schema), fields_of(self._resolve(schema)), text, cut, forms)

    def _example(self, media: Document) -> tuple[str, str | None]:
        [example] = [self._resolve(example) for example in media["examples"].values()]
        value = example["value"]
        return value if isinstance(value, str) else show_json(value), example.get("summary")

    def _resolve(self, part: Document) -> Document:
        """Resolve a reference."""
        found: Any = self._contract if "$ref" in part else part
        for name in part.get("$ref", "#").split("/")[1:]:
            found = found[name]
        resolved: Document = found
        return resolved


def _parameter(parameter: Document) -> Field:
    return _field(parameter["name"], parameter, place=parameter["in"])


def _field(name: str, described: Document, place: str | None = None) -> Field:
    example = described.get("example")
    shown = None if example is None else example if isinstance(example, str) else json.dumps(example)
    is_needed = bool(described.get("required", False))
    return Field(name, describe_type(described["schema"]), is_needed, described.get("description", ""), place, shown)


def _describe_access(operation: Document) -> str:
    """Describe the key that an operation requires."""
    security = operation["security"]
    if not security:
        return "No key is required."
    if {} in security:
        return "No key is required; with one, the response includes the club's own data."
    return f"Requires a key with the scope {name_scopes(scope for way in security for scope in way['key'])}."


def _curl(method: str, path: str, operation: Document, parameters: Iterable[Document], request: Body | None) -> str:
    """Return the request as a curl command, with required parameters, the key and example headers."""
    for parameter in parameters:
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(str(parameter["example"]), safe="@"))
    needed = {p["name"]: p["example"] for p in parameters if p["in"] == "query" and p.get("required")}
    lines = [f"curl {_quoted(_SERVICE + path + ('?' + urlencode(needed) if needed else ''))}"]
    # Without -X, curl sends POST with a body and GET without one.
    if method != ("post" if "requestBody" in operation else "get"):
        lines.append(f"-X {method.upper()}")
    if operation.get("security") != [] and {} not in operation.get("security", ()):
        lines.append('-H "Authorization: Bearer $OFC_API_KEY"')
    headers = {p["name"]: p["example"] for p in parameters if p["in"] == "header"}
    lines += [f"-H {_quoted(f'{name}: {value}')}" for name, value in headers.items()]
    if request is not None:
        lines += ["-H 'Content-Type: application/json'", f"-d {_quoted(request.example)}"]
    return " \\\n  ".join(lines)


def _quoted(text: str) -> str:
    """Quote a text for the shell."""
    return "'" + text.replace("'", "'\\''") + "'"
