"""The operations and schemas of the contract, as the generators of the Python client read them."""

import keyword
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

Schema = Mapping[str, Any]

ROOT: Final = Path(__file__).parents[3]
JSON: Final = "application/json"
_SIMPLE: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_PREFIX: Final = "#/components/schemas/"


def read_contract() -> Schema:
    """Return the parsed `openapi-audit.yaml`."""
    document: Schema = yaml.load((ROOT / "openapi-audit.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    return document


class Contract:
    """The schemas and operations of `openapi-audit.yaml`."""

    def __init__(self, document: Schema) -> None:
        self.schemas: Mapping[str, Schema] = document["components"]["schemas"]
        self.operations: dict[str, Schema] = {
            operation["operationId"]: {
                **operation,
                "method": method.upper(),
                "path": path,
                "parameters": [*item.get("parameters", ()), *operation.get("parameters", ())],
            }
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if isinstance(operation, dict) and "operationId" in operation
        }

    def list_forms(self, operation: str) -> Mapping[str, Schema]:
        """Return the media types that an operation responds with, and their schemas."""
        for status, response in self.operations[operation]["responses"].items():
            if status in ("200", "201", "202"):
                forms: Mapping[str, Schema] = response.get("content", {})
                return forms
        return {}

    def find_response(self, operation: str) -> str | None:
        """Return the schema that an operation responds with; of a page, the schema of its items."""
        for content in self.list_forms(operation).values():
            schema = content.get("x-line-schema") or content["schema"]
            if "$ref" in schema:
                name = schema["$ref"].removeprefix(_PREFIX)
                items = self.find_items(name)
                return name if items is None else items[1]
        return None

    def find_items(self, name: str) -> tuple[str, str] | None:
        """Return the field of the items of a list and their schema; None for another schema."""
        properties = self.schemas[name].get("properties", {})
        lists = {field: each for field, each in properties.items() if each.get("type") == "array"}
        if not lists or ("next_cursor" not in properties and len(properties) != 1):
            return None
        field = next(iter(lists))
        return field, lists[field]["items"]["$ref"].removeprefix(_PREFIX)

    def list_body(self, operation: str) -> tuple[str, str] | None:
        """Return the media type of the request body and its schema, of a line where it has lines; None without one."""
        for form, content in self.operations[operation].get("requestBody", {}).get("content", {}).items():
            schema = content.get("x-line-schema") or content["schema"]
            return form, schema["$ref"].removeprefix(_PREFIX)
        return None

    def list_with_parts(self, names: Iterable[str]) -> list[str]:
        """Return schemas with all their parts, in the order of the contract."""
        waiting, listed = list(names), set[str]()
        while waiting:
            name = waiting.pop()
            if name not in listed:
                listed.add(name)
                waiting += _list_references(self.schemas[name])
        return [name for name in self.schemas if name in listed]

    def is_class(self, name: str) -> bool:
        """Return whether a schema is an object with named fields."""
        return "properties" in self.schemas[name]

    def write_type(self, schema: Schema, prefix: str = "") -> str:
        """Write a schema as a type; `prefix` precedes the names of classes and enumerations."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_PREFIX)
            is_named = self.is_class(name) or "enum" in self.schemas[name]
            return f"{prefix}{name}" if is_named else self.write_type(self.schemas[name], prefix)
        if "anyOf" in schema or "oneOf" in schema:
            kinds = dict.fromkeys(self.write_type(each, prefix) for each in schema.get("anyOf") or schema["oneOf"])
            return " | ".join(kinds)
        if "const" in schema or "enum" in schema:
            return write_literal(schema.get("enum") or [schema["const"]])
        kinds = schema.get("type", "any")
        named = [kinds] if isinstance(kinds, str) else kinds
        return " | ".join(self._write_kind(kind, schema, prefix) for kind in named)

    def _write_kind(self, kind: str, schema: Schema, prefix: str) -> str:
        if kind == "array":
            return f"list[{self.write_type(schema['items'], prefix)}]"
        if kind == "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {self.write_type(values, prefix) if isinstance(values, dict) else 'Any'}]"
        return _SIMPLE.get(kind, "Any")


def write_literal(values: Iterable[object]) -> str:
    """Write the values of an enumeration as a type."""
    return f"Literal[{', '.join(f'{value!r}' for value in values)}]"


def write_name(name: str) -> str:
    """Write the name of a parameter in Python: `If-None-Match` becomes `if_none_match`, and `from` `from_`."""
    written = name.lower().replace("-", "_")
    return f"{written}_" if keyword.iskeyword(written) else written


def format_source(source: str, path: Path) -> str:
    """Return a source as ruff formats it."""
    ruff = [Path(sys.executable).with_name("ruff"), "format", "--stdin-filename", path, "-"]
    return subprocess.run(ruff, input=source, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def _list_references(schema: object) -> list[str]:
    if isinstance(schema, dict):
        names = [schema["$ref"].removeprefix(_PREFIX)] if isinstance(schema.get("$ref"), str) else []
        return names + [name for value in schema.values() for name in _list_references(value)]
    if isinstance(schema, list):
        return [name for value in schema for name in _list_references(value)]
    return []
