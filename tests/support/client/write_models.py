"""Writes `client/models.py`: the responses of the contract as types, for the Python client."""

import keyword
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

Schema = Mapping[str, Any]

ROOT: Final = Path(__file__).parents[3]
MODELS: Final = ROOT / "client" / "models.py"
HEADER: Final = '''\
"""
Responses of the service as types. Generated from the contract by `make generate`.

A response is a dictionary whose fields are attributes too: `round_["status"]` is `round_.status`. Two kinds of fields
are not declared: those that can be absent, `document.get("reference")`, and those with a name that Python uses,
`statement["from"]`.
"""

from __future__ import annotations

from typing import Any, Literal

from client.responses import Response
'''
_SIMPLE: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_PREFIX: Final = "#/components/schemas/"


class Contract:
    """The schemas and operations of `openapi-audit.yaml`."""

    def __init__(self, document: Schema) -> None:
        self.schemas: Mapping[str, Schema] = document["components"]["schemas"]
        self.operations: dict[str, Schema] = {
            operation["operationId"]: operation
            for path in document["paths"].values()
            for operation in path.values()
            if isinstance(operation, dict) and "operationId" in operation
        }

    def find_response(self, operation: str) -> str | None:
        """Return the schema that an operation responds with; of a page, the schema of its items."""
        for status, response in self.operations[operation]["responses"].items():
            if status in ("200", "201", "202"):
                for content in response.get("content", {}).values():
                    schema = content.get("x-line-schema") or content["schema"]
                    if "$ref" in schema:
                        return self._item_of(schema["$ref"].removeprefix(_PREFIX))
        return None

    def _item_of(self, name: str) -> str:
        properties = self.schemas[name].get("properties", {})
        lists = [each for each in properties.values() if each.get("type") == "array"]
        is_list = "next_cursor" in properties or (len(properties) == 1 and lists)
        return str(lists[0]["items"]["$ref"].removeprefix(_PREFIX)) if is_list else name

    def list_models(self) -> list[str]:
        """List the schemas that become classes: those of responses, with all their parts."""
        waiting = [name for name in map(self.find_response, self.operations) if name] + ["Problem"]
        found = set[str]()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += _list_references(self.schemas[name])
        return [name for name in self.schemas if name in found]

    def is_class(self, name: str) -> bool:
        """Return whether a schema is an object with named fields."""
        return "properties" in self.schemas[name]

    def write_type(self, schema: Schema) -> str:
        """Write a schema as a type."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_PREFIX)
            is_named = self.is_class(name) or "enum" in self.schemas[name]
            return str(name) if is_named else self.write_type(self.schemas[name])
        if "anyOf" in schema or "oneOf" in schema:
            kinds = dict.fromkeys(self.write_type(each) for each in schema.get("anyOf") or schema["oneOf"])
            return " | ".join(kinds)
        if "const" in schema or "enum" in schema:
            return _write_literal(schema.get("enum") or [schema["const"]])
        kinds = schema.get("type", "any")
        return " | ".join(self._write_kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))

    def _write_kind(self, kind: str, schema: Schema) -> str:
        if kind == "array":
            return f"list[{self.write_type(schema['items'])}]"
        if kind == "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {self.write_type(values) if isinstance(values, dict) else 'Any'}]"
        return _SIMPLE.get(kind, "Any")

    def write_class(self, name: str) -> Iterator[str]:
        """Yield the lines of the class of a schema."""
        schema = self.schemas[name]
        yield f"class {name}(Response):"
        yield f'    """{schema["description"].partition(chr(10))[0]}"""'
        yield ""
        for field, each in schema["properties"].items():
            if field in schema.get("required", ()) and not keyword.iskeyword(field) and not hasattr(dict, field):
                yield f"    {field}: {self.write_type(each)}"


def write_models(document: Schema) -> str:
    """Return the source of `client/models.py`."""
    contract = Contract(document)
    lines = [HEADER]
    names = contract.list_models()
    for name in names:
        if "enum" in contract.schemas[name]:
            lines += [f"{name} = {_write_literal(contract.schemas[name]['enum'])}"]
    for name in names:
        if contract.is_class(name):
            lines += ["", "", *contract.write_class(name)]
    ruff = [Path(sys.executable).with_name("ruff"), "format", "--stdin-filename", MODELS, "-"]
    source = "\n".join(lines) + "\n"
    return subprocess.run(ruff, input=source, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def _write_literal(values: Iterable[object]) -> str:
    return f"Literal[{', '.join(f'{value!r}' for value in values)}]"


def _list_references(schema: object) -> list[str]:
    if isinstance(schema, dict):
        found = [schema["$ref"].removeprefix(_PREFIX)] if isinstance(schema.get("$ref"), str) else []
        return found + [name for value in schema.values() for name in _list_references(value)]
    if isinstance(schema, list):
        return [name for value in schema for name in _list_references(value)]
    return []


if __name__ == "__main__":
    MODELS.write_text(write_models(yaml.safe_load((ROOT / "openapi-audit.yaml").read_text(encoding="utf-8"))))
