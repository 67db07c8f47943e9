"""Writes the types of the Python client: `client/models.py` for responses and `client/requests.py` for requests."""

import keyword
from collections.abc import Iterable, Iterator
from typing import Final

from tests.support.client.contract import ROOT, Contract, Schema, format_source, read_contract, write_literal

MODELS: Final = ROOT / "client" / "models.py"
REQUESTS: Final = ROOT / "client" / "requests.py"
_MODELS_HEADER: Final = '''\
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
_REQUESTS_HEADER: Final = '''\
"""Requests to the service as types. Generated from the contract by `make generate`."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''


def write_models(document: Schema) -> str:
    """Return the source of `client/models.py`."""
    contract = Contract(document)
    names = contract.list_with_parts([name for name in map(contract.find_response, contract.operations) if name])
    names = contract.list_with_parts([*names, "Problem"])
    lines = [_MODELS_HEADER, *_write_enumerations(contract, names)]
    for name in filter(contract.is_class, names):
        lines += ["", "", *_write_model(contract, name)]
    return format_source("\n".join(lines) + "\n", MODELS)


def write_requests(document: Schema) -> str:
    """Return the source of `client/requests.py`."""
    contract = Contract(document)
    bodies = [body[1] for body in map(contract.list_body, contract.operations) if body is not None]
    names = contract.list_with_parts(bodies)
    lines = [_REQUESTS_HEADER, *_write_enumerations(contract, names)]
    for name in filter(contract.is_class, names):
        lines += ["", "", *_write_request(contract, name)]
    return format_source("\n".join(lines) + "\n", REQUESTS)


def _write_enumerations(contract: Contract, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if "enum" in contract.schemas[name]:
            yield f"{name} = {write_literal(contract.schemas[name]['enum'])}"


def _write_model(contract: Contract, name: str) -> Iterator[str]:
    schema = contract.schemas[name]
    yield f"class {name}(Response):"
    yield f'    """{_first_line(schema)}"""'
    yield ""
    for field, each in schema["properties"].items():
        if field in schema.get("required", ()) and not keyword.iskeyword(field) and not hasattr(dict, field):
            yield f"    {field}: {contract.write_type(each)}"


def _write_request(contract: Contract, name: str) -> Iterator[str]:
    """Yield the lines of a dictionary type; one with a field that Python uses as a word has the form of a call."""
    schema = contract.schemas[name]
    fields = {}
    for field, each in schema["properties"].items():
        written = contract.write_type(each)
        fields[field] = written if field in schema.get("required", ()) else f"NotRequired[{written}]"
    if any(map(keyword.iskeyword, fields)):
        yield f"{name} = TypedDict({name!r}, {{"
        yield from (f"    {field!r}: {written!r}," for field, written in fields.items())
        yield "})"
        yield f'"""{_first_line(schema)}"""'
        return
    yield f"class {name}(TypedDict):"
    yield f'    """{_first_line(schema)}"""'
    yield ""
    yield from (f"    {field}: {written}" for field, written in fields.items())


def _first_line(schema: Schema) -> str:
    return str(schema["description"]).partition("\n")[0]


if __name__ == "__main__":
    MODELS.write_text(write_models(read_contract()), encoding="utf-8")
    REQUESTS.write_text(write_requests(read_contract()), encoding="utf-8")
