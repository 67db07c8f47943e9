"""The Python client as a library has the types of the contract."""

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import client
from client.api import Client
from client.responses import Response, parse_json
from tests.support.client.contract import Contract, Schema, read_contract, write_name
from tests.support.client.write_models import MODELS, REQUESTS, write_models, write_requests
from tests.support.client.write_operations import OPERATIONS, write_operations
from tests.support.client.write_parameters import PARAMETERS, write_parameters

DOCUMENT = read_contract()
CONTRACT = Contract(DOCUMENT)
RETURNS_CONTENT = {"export_rounds", "list_events", "get_contract"}
"""Methods that return what was received, so that commands write and verify the same bytes."""
METHODS = sorted(
    name
    for name in CONTRACT.operations
    if hasattr(Client, name) and CONTRACT.find_response(name) and name not in RETURNS_CONTENT
)


@pytest.mark.parametrize(
    ("file", "write"),
    [
        (MODELS, write_models),
        (REQUESTS, write_requests),
        (OPERATIONS, write_operations),
        (PARAMETERS, write_parameters),
    ],
)
def test_the_client_is_generated_from_the_contract(file: Path, write: Callable[[Schema], str]) -> None:
    assert file.read_text(encoding="utf-8") == write(DOCUMENT), "run `make generate`"


def test_every_operation_has_a_method() -> None:
    assert {name for name in CONTRACT.operations if not hasattr(Client, name)} == set()
    assert len(METHODS) > 45


@pytest.mark.parametrize("name", CONTRACT.operations)
def test_each_method_has_the_parameters_of_its_operation(name: str) -> None:
    named = {write_name(each["name"]) for each in CONTRACT.operations[name]["parameters"]}
    signature = inspect.signature(getattr(Client, name))
    if signature.return_annotation == "str":
        named.discard("if_none_match")  # a text has no entity tag
    assert {*signature.parameters} - {"self", "request", "lines"} == named


@pytest.mark.parametrize("name", METHODS)
def test_each_method_returns_the_type_of_its_operation(name: str) -> None:
    annotation = str(inspect.signature(getattr(Client, name)).return_annotation)
    assert re.findall(r"models\.(\w+)", annotation) == [CONTRACT.find_response(name)]


@pytest.mark.parametrize("name", [name for name in METHODS if name.startswith("list_")])
def test_each_list_of_pages_is_read_as_it_is_needed(name: str) -> None:
    annotation = str(inspect.signature(getattr(Client, name)).return_annotation)
    pages = [
        content["schema"]["$ref"].rpartition("/")[2]
        for content in CONTRACT.operations[name]["responses"]["200"]["content"].values()
        if "$ref" in content["schema"]
    ]
    if any("next_cursor" in CONTRACT.schemas[page]["properties"] for page in pages):
        of_one_page = name in ("list_rulesets", "list_units")
        assert annotation.startswith("list[" if of_one_page else "Pages["), "rulesets and units have one page"


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
