"""The contract as a page shows it: operations by resource, the shapes that they read and answer, and the problems."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlencode

from service.openapi import REQUEST_ID
from service.scopes import name_scopes
from service.web.shapes import Field, Words, fields_of, say_type

Document = dict[str, Any]

METHODS: Final = ("get", "post", "put", "patch", "delete")
_JSON: Final = "application/json"
_PROBLEMS_FROM: Final = 400
_SERVICE: Final = "http://127.0.0.1:8000"


@dataclass(frozen=True, slots=True)
class Form:
    """Another form of the same answer, by its media type, and an example."""

    media_type: str
    example: str
    cut: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """What is sent or answered: its type, its fields where it has some, an example, and its other forms."""

    type: Words
    fields: tuple[Field, ...]
    example: str
    cut: str | None
    forms: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered when all goes well; the headers are those beside the one that every answer has."""

    status: HTTPStatus
    description: str
    headers: tuple[Field, ...]
    body: Body | None


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be asked of the service."""

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
    """The operations that belong together."""

    name: str
    description: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """An object that is sent or answered."""

    name: str
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A kind of problem, as it was once answered."""

    code: str
    title: str
    example: str


@dataclass(frozen=True, slots=True)
class Reference:
    """All that the page of the API shows."""

    title: str
    version: str
    description: str
    resources: tuple[Resource, ...]
    shapes: tuple[Shape, ...]
    problems: tuple[tuple[HTTPStatus, tuple[Problem, ...]], ...]


def read_contract(contract: Document) -> Reference:
    """Arrange a contract for people."""
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
    Write a document with what fits on one line on one line.

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
    """Reads a contract, following its references."""

    def __init__(self, contract: Document) -> None:
        self._contract = contract

    def operations(self, tag: str) -> Iterator[Operation]:
        """Give the operations of a resource."""
        for path, item in self._contract["paths"].items():
            for method in METHODS:
                if tag in item.get(method, {}).get("tags", ()):
                    yield self._operation(method, path, item)

    def problems(self) -> Iterator[tuple[HTTPStatus, tuple[Problem, ...]]]:
        """Give the kinds of problem by their status."""
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
            _say_access(operation),
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
        # What is answered in several forms comes first in the one for programs.
        first, *others = sorted(described["content"].items(), key=lambda form: form[0] != _JSON)
        schema, (text, cut) = first[1]["schema"], self._example(first[1])
        forms = tuple(Form(name, *self._example(media)) for name, media in others)
        return Body(say_type(schema), fields_of(self._resolve(schema)), text, cut, forms)

    def _example(self, media: Document) -> tuple[str, str | None]:
        [example] = [self._resolve(example) for example in media["examples"].values()]
        value = example["value"]
        return value if isinstance(value, str) else show_json(value), example.get("summary")

    def _resolve(self, part: Document) -> Document:
        """Follow a reference into the contract."""
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
    return Field(name, say_type(described["schema"]), is_needed, described.get("description", ""), place, shown)


def _say_access(operation: Document) -> str:
    """Say which key an operation needs."""
    security = operation["security"]
    if not security:
        return "Needs no key."
    if {} in security:
        return "Needs no key; with one, the club's own is there too."
    return f"Needs a key with the scope {name_scopes(scope for way in security for scope in way['key'])}."


def _curl(method: str, path: str, operation: Document, parameters: Iterable[Document], request: Body | None) -> str:
    """Write the request as a command, with what must be given, and with a key where sending again must be safe."""
    for parameter in parameters:
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(str(parameter["example"]), safe="@"))
    needed = {p["name"]: p["example"] for p in parameters if p["in"] == "query" and p.get("required")}
    lines = [f"curl {_quoted(_SERVICE + path + ('?' + urlencode(needed) if needed else ''))}"]
    # Without it curl posts where there is a body, and gets where there is none.
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
    """Quote a text for the shell, whatever is in it."""
    return "'" + text.replace("'", "'\\''") + "'"
