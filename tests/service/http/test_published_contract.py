"""The published contract: what clients need of the whole contract, and shorter."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from service.app import create_app
from service.config import Config
from service.http.services import services_of
from service.openapi import build_contract
from service.openapi_published import publish
from tests.support.api_client import Document, resolve, validate

OF_PAGES = {"show_scorekeeper", "hide_scorekeeper", "list_scorekeepers", "sign_in_phone"}


@pytest.fixture(scope="module")
def contract() -> Document:
    return build_contract(services_of(create_app(Config("postgresql:///ofc"))).contract)


@pytest.fixture(scope="module")
def published(contract: Document) -> Document:
    return publish(contract)


def operations(contract: Document) -> dict[str, Document]:
    """Return the operations of a contract by their IDs."""
    parts = [part for item in contract["paths"].values() for name, part in item.items() if name != "parameters"]
    return {operation["operationId"]: operation for operation in parts}


def parts_in(part: Any) -> Iterator[Document]:
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from parts_in(inner)


@pytest.mark.no_cover
def test_it_is_valid(published: Document) -> None:
    OpenAPIV31SpecValidator(published).validate()


def test_it_has_all_operations_but_those_of_pages(contract: Document, published: Document) -> None:
    assert set(operations(published)) == set(operations(contract)) - OF_PAGES


def test_it_has_no_examples_of_bodies_and_no_contents_of_events(published: Document) -> None:
    assert all("examples" not in part for part in parts_in(published))
    assert "Event" in published["components"]["schemas"]
    assert [name for name in published["components"]["schemas"] if name.endswith("Content")] == []


def test_parameters_and_headers_are_those_of_the_whole_contract(contract: Document, published: Document) -> None:
    whole = operations(contract)
    for name, operation in operations(published).items():
        parameters = [resolve(published, parameter) for parameter in operation.get("parameters", [])]
        assert parameters == whole[name].get("parameters", []), name
        for status, response in operation["responses"].items():
            headers = resolve(published, response).get("headers", {})
            shown = {header: resolve(published, described) for header, described in headers.items()}
            assert shown == resolve(contract, whole[name]["responses"][status]).get("headers", {}), (name, status)


def test_every_event_is_valid(contract: Document, published: Document) -> None:
    examples = [
        example for name, example in contract["components"]["examples"].items() if name.startswith("list_events.200")
    ]
    lines = [line for example in examples for line in example["value"].splitlines()]
    assert lines
    for line in lines:
        validate(published, {"$ref": "#/components/schemas/Event"}, json.loads(line))
