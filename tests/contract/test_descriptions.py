"""Every part of the contract that a client reads or sends has a description, and it is written about anybody."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

Part = dict[str, Any]

ROOT: Final = Path(__file__).parents[2]
CONTRACT: Final = ROOT / "openapi-audit.yaml"


@pytest.fixture(scope="module")
def contract() -> Part:
    read: Part = yaml.load(CONTRACT.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return read


def is_described(contract: Part, part: Part) -> bool:
    """Return whether a part, or the only component that it refers to, has a description."""
    if part.get("description"):
        return True
    if "$ref" in part:
        component: Part = contract
        for step in part["$ref"].removeprefix("#/").split("/"):
            component = component[step]
        return bool(component.get("description"))
    return False


def undescribed_properties(contract: Part) -> Iterator[str]:
    """Yield each property of a component that has no description."""
    for name, component in contract["components"]["schemas"].items():
        for key, part in component.get("properties", {}).items():
            if not is_described(contract, part):
                yield f"{name}.{key}"


def undescribed_parameters(contract: Part, place: str) -> Iterator[str]:
    """Yield each parameter in the path, or in the query, that has no description."""
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            for parameter in operation if method == "parameters" else operation.get("parameters", []):
                if parameter.get("in") == place and not is_described(contract, parameter):
                    yield f"{path} {parameter['name']}"


def test_every_component_has_a_description(contract: Part) -> None:
    assert [name for name, schema in contract["components"]["schemas"].items() if not schema.get("description")] == []


def test_every_property_has_a_description(contract: Part) -> None:
    assert list(undescribed_properties(contract)) == []


def test_every_query_parameter_has_a_description(contract: Part) -> None:
    assert list(undescribed_parameters(contract, "query")) == []


def test_every_path_parameter_has_a_description(contract: Part) -> None:
    assert list(undescribed_parameters(contract, "path")) == []


def test_every_operation_has_a_summary(contract: Part) -> None:
    operations = [(path, part) for path, item in contract["paths"].items() for part in item.values()]
    assert [path for path, part in operations if "operationId" in part and not part.get("summary")] == []


def test_a_missing_description_is_found() -> None:
    part = {
        "components": {
            "schemas": {
                "Board": {"description": "A board."},
                "Player": {
                    "properties": {"board": {"$ref": "#/components/schemas/Board"}, "seat": {"type": "integer"}}
                },
            }
        },
        "paths": {"/v1/boards": {"get": {"parameters": [{"in": "query", "name": "seat"}]}}},
    }
    assert list(undescribed_properties(part)) == ["Player.seat"]
    assert list(undescribed_parameters(part, "query")) == ["/v1/boards seat"]


@pytest.mark.parametrize("path", [CONTRACT, *sorted((ROOT / "schemas").glob("*.py"))], ids=lambda path: path.name)
def test_players_clients_and_users_are_they(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.search(r"\b(he|him|his|himself)\b", line, re.IGNORECASE)] == []
