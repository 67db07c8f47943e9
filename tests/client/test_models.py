"""The Python client as a library has the types of the contract."""

import ast
import inspect
import re
from pathlib import Path

import pytest
import yaml

import client
from client.api import Client
from client.responses import Response, parse_json
from tests.support.client.write_models import MODELS, Contract, write_models

ROOT = Path(__file__).parents[2]
DOCUMENT = yaml.load((ROOT / "openapi-audit.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
CONTRACT = Contract(DOCUMENT)
RETURNS_LINES = {"export_rounds", "list_events"}
"""Methods that return a page of lines as they were received, so that commands write and verify the same bytes."""
FOR_OTHERS = {
    *("show_linked_round", "show_linked_hand"),  # for browsers with a link to one round
    *("check_health", "check_readiness", "get_metrics"),  # for operators
    "get_contract",
}
METHODS = sorted(
    name
    for name in CONTRACT.operations
    if hasattr(Client, name) and CONTRACT.find_response(name) and name not in RETURNS_LINES
)


def test_the_models_are_those_of_the_contract() -> None:
    assert MODELS.read_text(encoding="utf-8") == write_models(DOCUMENT), "run `make generate`"


def test_every_operation_for_programs_has_a_method() -> None:
    assert {name for name in CONTRACT.operations if not hasattr(Client, name)} == FOR_OTHERS
    assert len(METHODS) > 45


@pytest.mark.parametrize("name", METHODS)
def test_each_method_returns_the_type_of_its_operation(name: str) -> None:
    annotation = str(inspect.signature(getattr(Client, name)).return_annotation)
    assert re.findall(r"models\.(\w+)", annotation) == [CONTRACT.find_response(name)]


@pytest.mark.parametrize("name", [name for name in METHODS if name.startswith("list_")])
def test_each_list_of_pages_is_an_iterator(name: str) -> None:
    annotation = str(inspect.signature(getattr(Client, name)).return_annotation)
    pages = [
        content["schema"]["$ref"].rpartition("/")[2]
        for content in CONTRACT.operations[name]["responses"]["200"]["content"].values()
        if "$ref" in content["schema"]
    ]
    if any("next_cursor" in CONTRACT.schemas[page]["properties"] for page in pages) and name != "list_rulesets":
        assert annotation.startswith("Iterator[")


def test_the_models_declare_every_required_field() -> None:
    classes = {
        node.name: {
            each.target.id
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        for node in ast.parse(MODELS.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    undeclared = {
        (name, field)
        for name, fields in classes.items()
        for field in CONTRACT.schemas[name].get("required", [])
        if field not in fields
    }
    assert undeclared == {
        ("CheckpointConsistencyProof", "from"),
        ("ClubStatement", "from"),
        ("Evidence", "keys"),
        ("Plot", "from"),
        ("Statistics", "from"),
        ("TableStatement", "from"),
    }


def test_the_fields_of_a_response_are_attributes() -> None:
    response = parse_json('{"seats": [{"seat": 1}], "net": {"1": 5}, "next": null}')
    assert isinstance(response, Response)
    assert (response.seats[0].seat, response.net["1"], response.next) == (1, 5, None)
    assert response == {"seats": [{"seat": 1}], "net": {"1": 5}, "next": None}
    with pytest.raises(AttributeError, match="the response has no field 'stacks'; its fields: seats, net, next"):
        _ = response.stacks


def test_the_package_exports_the_client_and_its_errors() -> None:
    assert client.Client is Client
    assert all(getattr(client, name).__name__ == name for name in client.__all__)
    with pytest.raises(AttributeError, match="module 'client' has no attribute 'Server'"):
        _ = client.Server
