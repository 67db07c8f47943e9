"""Writes `client/parameters.py`: the parameters of the operations as data, for the commands of `ofc`."""

from collections.abc import Iterator
from typing import Any, Final

from tests.support.client.contract import JSON, ROOT, Contract, Schema, format_source, read_contract

PARAMETERS: Final = ROOT / "client" / "parameters.py"
HEADER: Final = '''\
"""Parameters of operations, and fields of their requests. Generated from the contract by `make generate`."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Parameter(NamedTuple):
    """A parameter in the path or the query, or a field of the body: its type, values and description."""

    name: str
    place: str
    type: str
    choices: tuple[str, ...]
    help: str
    is_required: bool
    minimum: int | None


PARAMETERS: Final[Mapping[str, tuple[Parameter, ...]]] = {
'''
_TYPES: Final = ("string", "integer", "boolean", "array", "object")
_OF_TEXTS: Final = {"array": "items", "object": "additionalProperties"}
"""The types of several texts, with what describes one of these."""


class Fields:
    """The parameters and fields of the operations of a contract."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract

    def write(self, operation: str) -> Iterator[str]:
        """Yield a line for each parameter of an operation, without headers, and for each field of its JSON body."""
        for each in self.contract.operations[operation]["parameters"]:
            if each["in"] != "header":
                yield from self._write_one(each["name"], each["in"], each["schema"], each)
        body = self.contract.list_body(operation)
        if body is not None and body[0] == JSON:
            schema = self.contract.schemas[body[1]]
            for name, field in schema["properties"].items():
                required = {"required": name in schema.get("required", ())}
                yield from self._write_one(name, "body", field, {**field, **required})

    def _write_one(self, name: str, place: str, schema: Schema, described: Any) -> Iterator[str]:
        """Yield the line of a parameter that can be written as a text or as several."""
        resolved = self._resolve(schema)
        kind = resolved.get("type")
        one = self._resolve(resolved.get(_OF_TEXTS[kind], {})) if kind in _OF_TEXTS else resolved
        if kind not in _TYPES or (kind in _OF_TEXTS and one.get("type") != "string"):
            return
        choices = tuple(one.get("enum", ()))
        text = " ".join(str(described.get("description") or resolved.get("description", "")).split())
        values = (name, place, kind, choices, text, bool(described.get("required")), resolved.get("minimum"))
        yield f"Parameter({', '.join(map(repr, values))}),"

    def _resolve(self, schema: Schema | bool) -> Schema:
        """Return a schema without references, and without null."""
        if isinstance(schema, bool):  # no property, or any
            return {}
        while "$ref" in schema:
            schema = self.contract.schemas[schema["$ref"].rpartition("/")[2]]
        kinds = schema.get("anyOf") or schema.get("oneOf")
        if kinds:
            others = [each for each in map(self._resolve, kinds) if each.get("type") != "null"]
            return others[0] if len(others) == 1 else {}
        if isinstance(schema.get("type"), list):
            [kind] = [each for each in schema["type"] if each != "null"]
            return {**schema, "type": kind}
        return schema


def write_parameters(document: Schema) -> str:
    """Return the source of `client/parameters.py`."""
    fields = Fields(Contract(document))
    lines = [HEADER]
    for operation in fields.contract.operations:
        lines += [f'    "{operation}": (', *fields.write(operation), "    ),"]
    return format_source("\n".join([*lines, "}"]) + "\n", PARAMETERS)


if __name__ == "__main__":
    PARAMETERS.write_text(write_parameters(read_contract()), encoding="utf-8")
