"""Writes `client/operations.py`: a method for each operation of the contract, with all its parameters."""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any, Final

from client.responses import CHECKS
from tests.support.client.contract import JSON, ROOT, Contract, Schema, format_source, read_contract, write_name

OPERATIONS: Final = ROOT / "client" / "operations.py"
NDJSON: Final = "application/x-ndjson"
_KEY: Final = "Idempotency-Key"
_RECOGNIZED: Final = frozenset({"record_hand", "record_hands", "play_document", "add_ruleset"})
"""Operations that the service recognizes by their content at any time: a key would only make them slower."""
_WORDS: Final = {"break_long_words": False, "break_on_hyphens": False}
_PAGED: Final = frozenset({"cursor", "after"})
HEADER: Final = '''\
"""
The operations of the service as methods. Generated from the contract by `make generate`.

A request is a dictionary of a type of `client.requests`. A method whose name ends with `_as` returns the response in
another form than JSON, as it was received.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from client import responses
from client.paths import build_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from client import models, requests
    from client.calls import Calls, Pages
    from client.responses import Content


class Operations:
    """The part of `Client` with a method for each operation of the contract, of the same name."""

    _calls: Calls
'''


class Operation:
    """An operation of the contract, as a method."""

    def __init__(self, contract: Contract, name: str) -> None:
        self.contract = contract
        self.name = name
        self.schema = contract.operations[name]
        self.body = contract.list_body(name)
        self.forms = contract.list_forms(name)
        self.parameters: list[Schema] = self.schema["parameters"]
        self.page = self._find_page()

    def _find_page(self) -> tuple[str, str] | None:
        content = self.forms.get(JSON, {}).get("schema", {})
        return self.contract.find_items(content["$ref"].rpartition("/")[2]) if "$ref" in content else None

    def write(self) -> Iterator[str]:
        """Yield the lines of the method, and of the one for other forms if there are any."""
        first, *others = self.forms or [""]
        yield from self._write_method(self.name, "", *self._write_call(first))
        if others:
            form = f"form: Literal[{', '.join(map(repr, others))}]"
            call = f"self._calls.get_content({self._path()}, form{self._query()})"
            yield from self._write_method(f"{self.name}_as", form, "Content", call)

    def _write_call(self, form: str) -> tuple[str, str]:
        """Return the type of the response in a form, and the call for it."""
        model = self.contract.find_response(self.name)
        if self.body is not None and self.body[0] == NDJSON:
            call = "post_lines" if form == NDJSON else "post_packed"
            returned = f"list[models.{model}]" if form == NDJSON else f"models.{model}"
            return returned, f"self._calls.{call}({self._path()}, lines{self._query()}{self._headers()})"
        if not form:
            body = ", body=request" if self.body else ""
            return "None", f'self._calls.call_without_response("{self.schema["method"]}", {self._path()}{body})'
        if form == JSON and self.page is not None:
            pages = f"self._calls.get_pages({self._path()}, {self.page[0]!r}{self._rest()})"
            is_paged = any(each["name"] in ("cursor", "If-None-Match") for each in self.parameters)
            return (f"Pages[models.{model}]", pages) if is_paged else (f"list[models.{model}]", f"list({pages})")
        if form == JSON:
            body = ", body=request" if self.body else ""
            return f"models.{model}", f'self._calls.call("{self.schema["method"]}", {self._path()}{body}{self._rest()})'
        if form == NDJSON and not any(each["name"] in _PAGED for each in self.parameters):
            return f"list[models.{model}]", f"list(self._calls.get_content({self._path()}, {form!r}).parse())"
        if form == NDJSON:
            return "Content", f"self._calls.get_content({self._path()}, {form!r}{self._query()})"
        return "str", f"self._calls.get_text({self._path()}, {form!r})"

    def _rest(self) -> str:
        """Write the arguments that calls for JSON share."""
        schema = next(iter(self.forms.values()))["schema"]["$ref"].rpartition("/")[2]
        check = CHECKS.get(self.page[1] if self.page else schema)
        is_valid = f", is_valid=responses.{check.__name__}" if check else ""
        return f"{self._query()}{self._headers()}{is_valid}"

    def _path(self) -> str:
        names = [write_name(each["name"]) for each in self.parameters if each["in"] == "path"]
        return f"build_path({', '.join([repr(self.schema['path']), *map('{0}={0}'.format, names)])})"

    def _query(self) -> str:
        """Write the argument of the query; a dry run is asked for or not sent."""
        named = {each["name"]: write_name(each["name"]) for each in self.parameters if each["in"] == "query"}
        pairs = [f"{name!r}: {value}{' or None' if name == 'dry_run' else ''}" for name, value in named.items()]
        return f", query={{{', '.join(pairs)}}}" if pairs else ""

    def _headers(self) -> str:
        pairs = [f"{each['name']!r}: {write_name(each['name'])}" for each in self.parameters if each["in"] == "header"]
        makes_key = any(each["name"] == _KEY for each in self.parameters) and self.name not in _RECOGNIZED
        return (f", headers={{{', '.join(pairs)}}}" if pairs else "") + (", makes_key=True" if makes_key else "")

    def _write_method(self, name: str, first: str, returned: str, call: str) -> Iterator[str]:
        arguments = dict([first.split(": ", 1)] if first else [])
        documented = {"form": "the media type."} if first else {}
        for each in self.parameters:
            if each["in"] == "path":
                arguments[write_name(each["name"])] = self.contract.write_type(each["schema"], "models.")
        if self.body is not None and not first:
            is_lines = self.body[0] == NDJSON
            body = f"requests.{self.body[1]}"
            is_optional = not self.schema["requestBody"].get("required")
            body = f"Iterable[{body}] | bytes" if is_lines else f"{body} | None = None" if is_optional else body
            arguments["lines" if is_lines else "request"] = body
            described = str(self.contract.schemas[self.body[1]]["description"]).partition("\n")[0]
            documented["lines" if is_lines else "request"] = described
        # Texts and other forms have no entity tag.
        has_headers = not first and returned != "str"
        named = [each for each in self.parameters if each["in"] == "query" or (each["in"] == "header" and has_headers)]
        options = {write_name(each["name"]): self._write_option(each) for each in named}
        documented |= {write_name(each["name"]): _describe(each) for each in self.parameters}
        separator = ["*"] if options else []
        written = [f"{argument}: {kind}" for argument, kind in arguments.items()]
        written += separator + [f"{option}: {kind}" for option, kind in options.items()]
        yield ""
        yield f"    def {name}({', '.join(['self', *written])}) -> {returned}:"
        in_order = {each: documented[each] for each in [*arguments, *options]}
        yield from _write_docstring(self._summary(is_other_form=bool(first)), in_order)
        yield f"        {'' if returned == 'None' else 'return '}{call}"

    def _summary(self, *, is_other_form: bool) -> str:
        return f"Return the response of `{self.name}` in another form." if is_other_form else self.schema["summary"]

    def _write_option(self, parameter: Mapping[str, Any]) -> str:
        written = self.contract.write_type(parameter["schema"], "models.")
        if parameter.get("required"):
            return written
        return "bool = False" if parameter["name"] == "dry_run" else f"{written} | None = None"


def _describe(parameter: Mapping[str, Any]) -> str:
    """Return the first sentence of a parameter's description."""
    return " ".join(str(parameter["description"]).split()).partition(". ")[0].removesuffix(".") + "."


def _write_docstring(summary: str, arguments: Mapping[str, str]) -> Iterator[str]:
    if not arguments:
        yield f'        """{summary}"""'
        return
    yield '        """'
    yield f"        {summary}"
    yield ""
    yield "        Args:"
    for name, text in arguments.items():
        yield from wrap(f"{name}: {text}", 116, initial_indent=" " * 12, subsequent_indent=" " * 16, **_WORDS)
    yield '        """'


def write_operations(document: Schema) -> str:
    """Return the source of `client/operations.py`."""
    contract = Contract(document)
    lines = [HEADER, *(line for name in contract.operations for line in Operation(contract, name).write())]
    return format_source("\n".join(lines) + "\n", OPERATIONS)


if __name__ == "__main__":
    OPERATIONS.write_text(write_operations(read_contract()), encoding="utf-8")
