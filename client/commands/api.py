"""The command that sends any request of the API, as `openapi.yaml` describes it."""

import json
import re
import sys
from typing import Any, Final

import click

from client.commands.base import Command, Session, pass_session, print_json
from client.commands.names import complete_files
from client.errors import UnreadableError
from client.files import open_bytes, read_text, standard_output
from client.render.format import escape_unprintable
from client.responses import Content

_IN_QUERY: Final = frozenset({"GET", "DELETE"})
_NOT_MODIFIED: Final = 304
_NAME: Final = re.compile(r"(?P<first>[^\[\]=]+)(?P<others>(?:\[[^\[\]]*\])*)")
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_INTEGER: Final = re.compile(r"-?(0|[1-9]\d{0,15})", re.ASCII)

Field = tuple[str, Any]


class FieldType(click.ParamType[Field]):
    """
    A field as `name=value`.

    A typed one is JSON if it is true, false, null or an integer, and the text of a file after @.

    >>> FieldType(is_typed=True).convert("point_value=50", None, None)
    ('point_value', 50)
    >>> FieldType(is_typed=False).convert("reference=50", None, None)
    ('reference', '50')
    """

    name = "field"

    def __init__(self, *, is_typed: bool) -> None:
        self.is_typed = is_typed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Field:
        """Split a field, and parse its value if it is typed."""
        name, equals, text = str(value).partition("=")
        if not equals or _NAME.fullmatch(name) is None:
            self.fail(f"{value!r} is not a field; expected NAME=VALUE, for example name=friday", param, ctx)
        return name, _parse_value(text) if self.is_typed else text


class HeaderType(click.ParamType[tuple[str, str]]):
    """
    A header as `Name: value`.

    >>> HeaderType().convert("Accept: text/csv", None, None)
    ('Accept', 'text/csv')
    """

    name = "header"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Split a header."""
        name, colon, text = str(value).partition(":")
        if not colon or not re.fullmatch(r"[A-Za-z0-9-]+", name) or not (text.isascii() and text.isprintable()):
            self.fail(f"{value!r} is not a header; expected NAME: VALUE, for example 'Accept: text/csv'", param, ctx)
        return name, text.strip()


@click.command(
    cls=Command,
    examples=[
        "ofc api GET /v1/rounds -f status=open --paginate",
        "ofc api POST /v1/tables -f name=attic -f ruleset=pineapple -F point_value=50 -f unit=EUR",
        "ofc api POST /v1/score --input examples/score.json",
        "ofc api GET /v1/ledger -H 'Accept: text/csv' > payments.csv",
    ],
)
@click.argument("method", type=click.Choice(["GET", "POST", "PUT", "PATCH", "DELETE"], case_sensitive=False))
@click.argument("path")
@click.option(
    "-f", "--raw-field", "raw", type=FieldType(is_typed=False), multiple=True, metavar="NAME=VALUE", help="A text."
)
@click.option(
    "-F",
    "--field",
    "typed",
    type=FieldType(is_typed=True),
    multiple=True,
    metavar="NAME=VALUE",
    help="A field of another type: true, false, null, an integer, or @FILE for the text of a file.",
)
@click.option(
    "-H", "--header", "headers", type=HeaderType(), multiple=True, metavar="NAME: VALUE", help="A request header."
)
@click.option(
    "--input", "file", metavar="FILE", help="The request body; - reads standard input.", shell_complete=complete_files
)
@click.option("--paginate", is_flag=True, help="Read all pages of a list that has a cursor, and print them as one.")
@pass_session
def api(
    session: Session,
    method: str,
    path: str,
    raw: tuple[Field, ...],
    typed: tuple[Field, ...],
    headers: tuple[tuple[str, str], ...],
    file: str | None,
    paginate: bool,
) -> None:
    """
    Send a request to the API, and print the response.

    PATH is that of an operation in openapi.yaml, for example /v1/rounds. Fields are members of the JSON body:
    expected[hands]=3 sets a member of an object, and kinds[]=hand.recorded adds an element to an array. For GET,
    DELETE and a request with --input, fields are the query.

    JSON is indented on a terminal, and printed as it was received otherwise. A request that fails on the network is
    sent again, and takes effect once; only a link can be created twice.
    """
    method = method.upper()
    if paginate and method != "GET":
        raise click.UsageError("--paginate was given with another method than GET; expected GET")
    fields = build_fields([*raw, *typed])
    body = None if file is None else _read(file)
    is_query = method in _IN_QUERY or body is not None
    if fields and not is_query:
        body = json.dumps(fields, ensure_ascii=False).encode()
    query = _write_query(fields) if is_query else {}
    with session.client(is_patient=paginate) as client:
        response = client.request(method, _check_path(path), query=query, body=body, headers=dict(headers))
        if paginate and response.next_cursor is not None:
            pages = [response]
            while pages[-1].next_cursor is not None:
                query["cursor"] = pages[-1].next_cursor
                pages.append(client.request(method, _check_path(path), query=query, headers=dict(headers)))
            response = join_pages(pages)
    if response.status == _NOT_MODIFIED:
        click.echo("not modified", err=True)
    _print(response)


def build_fields(fields: list[Field]) -> dict[str, Any]:
    """
    Build an object from named fields.

    >>> build_fields([("name", "friday"), ("expected[hands]", 3), ("kinds[]", "a"), ("kinds[]", "b")])
    {'name': 'friday', 'expected': {'hands': 3}, 'kinds': ['a', 'b']}

    Raises:
        UsageError: a field is given twice, or as values of different types.
    """
    built: dict[str, Any] = {}
    for name, value in fields:
        match = _NAME.fullmatch(name)
        assert match is not None, "the option has checked the name"
        keys = [match["first"], *re.findall(r"\[([^\[\]]*)\]", match["others"])]
        try:
            _set(built, keys, value)
        except TypeError:
            raise click.UsageError(f"{name!r} contradicts another field; expected each name once") from None
    return built


def _set(part: Any, keys: list[str], value: Any) -> None:
    """Set a field of an object, or append to an array, whose name is empty."""
    key, *others = keys
    if key == "":
        if not isinstance(part, list) or others:
            raise TypeError
        part.append(value)
        return
    if not isinstance(part, dict):
        raise TypeError
    if others:
        _set(part.setdefault(key, [] if others[0] == "" else {}), others, value)
    elif key in part:
        raise TypeError
    else:
        part[key] = value


def join_pages(pages: list[Content]) -> Content:
    """
    Join the pages of a list: the lines of texts, and the items of JSON.

    Pages of CSV begin with the same header, which is left out of all but the first.
    """
    first, *others = pages
    if first.media_type == "application/json":
        documents = [json.loads(page.content) for page in pages]
        [name] = [name for name, value in documents[0].items() if isinstance(value, list)]
        items = [item for document in documents for item in document[name]]
        joined = json.dumps({**documents[-1], name: items}, ensure_ascii=False).encode()
    elif first.media_type == "text/csv":
        joined = first.content + b"".join(page.content.partition(b"\r\n")[2] for page in others)
    else:
        joined = b"".join(page.content for page in pages)
    return Content(joined, media_type=first.media_type)


def _check_path(path: str) -> str:
    """
    Return the path of a request.

    Raises:
        UnreadableError: it is an address, or contains a query.
    """
    if "://" in path or path.startswith("//") or not path:
        raise UnreadableError(f"{path!r} is not a path; expected one such as /v1/rounds, and the address as --url")
    if "?" in path or "#" in path:
        raise UnreadableError(f"{path!r} contains a query; expected options such as -f status=open")
    return path if path.startswith("/") else f"/{path}"


def _parse_value(text: str) -> Any:
    if text.startswith("@"):
        return read_text(text[1:])
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return int(text) if _INTEGER.fullmatch(text) else text


def _write_query(fields: dict[str, Any]) -> dict[str, str]:
    """Return fields as texts of a query; arrays are separated by commas."""
    query = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            raise click.UsageError(f"the field {name!r} is an object; expected texts and numbers in a query")
        values = value if isinstance(value, list) else [value]
        query[name] = ",".join(each if isinstance(each, str) else json.dumps(each) for each in values)
    return query


def _read(file: str) -> bytes:
    with open_bytes(file) as opened:
        return opened.read()


def _print(response: Content) -> None:
    """Print a body: as it was received, or readable on a terminal."""
    if not sys.stdout.isatty():
        output = standard_output()
        output.write(response.content)
        output.flush()
        return
    if response.media_type in ("application/json", "application/problem+json") and response.content:
        print_json(json.loads(response.content))
        return
    try:
        click.echo(escape_unprintable(response.content.decode()), nl=False)
    except UnicodeDecodeError:
        raise UnreadableError(
            f"the response is {response.media_type}, which is no text for a terminal; expected > FILE"
        ) from None
