"""The OpenAPI document: up to date, valid, complete, and as strict as the service."""

import ast
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

import service.app
from schemas.base import WireError, WireSchema, load
from schemas.game_fields import CARD_PATTERN
from service.app import create_app
from service.config import Config
from service.http.services import services_of
from service.jobs import actions as jobs
from service.openapi import build_contract, render
from service.openapi_components import find_response_schemas
from tests.service.rounds import (
    test_api_documents,
    test_api_refused_deals,
    test_api_refused_documents,
    test_api_refused_hands,
)
from tests.service.rulesets import test_api_rulesets
from tests.support.api_client import Document, resolve
from tests.support.application import House
from tests.support.sample_rounds import WORKED, changed

ROOT = Path(__file__).parents[3]
FORMS = {
    "/openapi.yaml": {"application/yaml"},
    "/metrics": {"text/plain"},
    "/v1/hands/{hand_id}/explanation": {"application/json", "text/plain", "text/html"},
    "/v1/imports/{import_id}/results": {"application/x-ndjson"},
    "/v1/export": {"application/x-ndjson", "application/vnd.apache.parquet"},
    "/v1/statement": {"application/json", "text/csv"},
    "/v1/ledger": {"application/json", "text/csv", "application/vnd.apache.parquet"},
    "/v1/plots/{plot}": {"application/json", "image/svg+xml", "text/csv"},
    "post /v1/hands": {"application/x-ndjson"},
    "/v1/events": {"application/x-ndjson"},
    "/v1/checkpoints/{address}": {"text/plain"},
    "/v1/recomputations/{recomputation_id}/differences": {"application/json", "application/x-ndjson"},
}
"""Media types of responses that are not JSON."""

WITHOUT_CLUB = {"check_health", "check_readiness", "get_contract", "get_metrics"}


CONDITIONAL = {
    "get_contract",
    "get_round",
    "get_settlement",
    "get_statement",
    "get_table",
    "list_rounds",
    "list_scorekeepers",
}
"""Operations whose responses have an entity tag."""


def make_app() -> Flask:
    return create_app(Config("postgresql:///ofc"))


@pytest.fixture(scope="module")
def contract() -> Document:
    return build_contract(services_of(make_app()).contract)


def operations(contract: Document) -> Iterator[tuple[str, str, Document]]:
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield method, path, operation


def schemas_in(part: Any, place: str = "#") -> Iterator[tuple[str, Document]]:
    """Yield every object schema of the document with its location."""
    if isinstance(part, dict):
        if part.get("type") in ("object", ["object", "null"]):
            yield place, part
        for name, inner in part.items():
            yield from schemas_in(inner, f"{place}/{name}")
    elif isinstance(part, list):
        for index, inner in enumerate(part):
            yield from schemas_in(inner, f"{place}/{index}")


def parts_in(part: Any) -> Iterator[Document]:
    """Yield every object of the document."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from parts_in(inner)


@pytest.mark.parametrize(("file", "is_whole"), [("openapi.yaml", False), ("openapi-audit.yaml", True)])
def test_the_committed_openapi_documents_are_up_to_date(file: str, is_whole: bool) -> None:
    written = (ROOT / file).read_text(encoding="utf-8")
    assert written == render(services_of(make_app()).contract, is_whole=is_whole), "`make generate` writes it anew"


def test_the_service_serves_its_openapi_document(house: House) -> None:
    written = (ROOT / "openapi.yaml").read_bytes()
    browser = house.app.test_client()
    shown = browser.get("/openapi.yaml", buffered=True)
    assert shown.content_type == "application/yaml"
    assert shown.data == written
    packed = browser.get("/openapi.yaml", headers={"Accept-Encoding": "gzip"}, buffered=True)
    assert (packed.content_type, packed.headers["Content-Encoding"]) == ("application/yaml", "gzip")
    assert gzip.decompress(packed.data) == written
    for accepted, tag in (("gzip", packed.headers["ETag"]), ("identity", shown.headers["ETag"])):
        sent = {"Accept-Encoding": accepted, "If-None-Match": tag}
        assert browser.get("/openapi.yaml", headers=sent, buffered=True).status_code == 304


def test_no_request_builds_the_openapi_document(house: House) -> None:
    app = make_app()
    assert app.test_client().get("/openapi.yaml", buffered=True).status_code == 200
    assert "document" not in vars(services_of(app).contract)


@pytest.mark.no_cover
def test_the_openapi_document_is_valid(contract: Document) -> None:
    OpenAPIV31SpecValidator(contract).validate()
    assert yaml.load(render(services_of(make_app()).contract, is_whole=True), yaml.CSafeLoader) == contract
    assert list(contract) == ["openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components"]
    assert contract["openapi"] == "3.1.0"


def test_routes_and_operations_are_the_same(contract: Document) -> None:
    routes = {
        (method.lower(), re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in make_app().url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not rule.endpoint.startswith(("apps.", "console.", "pages.", "link_pages."))
    }
    assert {(method, path) for method, path, _ in operations(contract)} == routes


def test_every_operation_is_an_action(contract: Document) -> None:
    service_root = Path(service.app.__file__).parent
    modules = [*service_root.glob("*/actions.py"), *service_root.glob("*/actions/*.py")]
    parsed = [ast.parse(module.read_text(encoding="utf-8")) for module in modules]
    actions = {node.name for tree in parsed for node in tree.body if isinstance(node, ast.FunctionDef)}
    # What can be done to a job is the same whatever it is of.
    of_jobs = [name.removesuffix("_job") for name in vars(jobs) if name.endswith("_job")]
    actions |= {f"{verb}_{kind}" for verb in of_jobs for kind in ("import", "recomputation")}
    names = [operation["operationId"] for _, _, operation in operations(contract)]
    assert len(set(names)) == len(names)
    assert set(names) - WITHOUT_CLUB <= actions


def test_every_operation_has_a_summary_and_a_tag(contract: Document) -> None:
    tags = {tag["name"] for tag in contract["tags"]}
    for method, path, operation in operations(contract):
        assert operation["summary"].endswith("."), f"{method} {path}"
        assert set(operation["tags"]) <= tags
    assert all(tag["description"].endswith(".") for tag in contract["tags"])


def test_every_operation_lists_its_responses(contract: Document) -> None:
    for method, path, operation in operations(contract):
        parameters = operation.get("parameters", [])
        expected = {"4XX", "default"}
        expected |= {"404"} if "{" in path else set()
        expected |= {"409"} if any(parameter["name"] == "Idempotency-Key" for parameter in parameters) else set()
        reads = "requestBody" in operation or any(parameter["in"] == "query" for parameter in parameters)
        expected |= {"422"} if reads else set()
        expected |= {"304"} if operation["operationId"] in CONDITIONAL else set()
        responses = set(operation["responses"])
        assert expected <= responses, f"{method} {path}"
        assert responses - expected
        assert responses - expected <= {"200", "201", "202", "204"}, f"{method} {path}"
        assert list(operation["responses"]) == sorted(operation["responses"])


def test_every_response_has_a_schema_and_a_request_id(contract: Document) -> None:
    for method, path, operation in operations(contract):
        for status, response in operation["responses"].items():
            resolved = resolve(contract, response)
            assert "Request-Id" in resolved["headers"], f"{method} {path} {status}"
            if status in ("204", "304"):
                continue
            if status.startswith(("4", "default")):
                assert list(resolved["content"]) == ["application/problem+json"]
                [problem] = resolved["content"].values()
                assert problem["schema"] == {"$ref": "#/components/schemas/Problem"}
            else:
                assert set(resolved["content"]) == FORMS.get(f"{method} {path}", FORMS.get(path, {"application/json"}))
                assert all(media["schema"] for media in resolved["content"].values())


def test_headers_for_clients_are_documented(contract: Document) -> None:
    for method, path, operation in operations(contract):
        headers = {
            status: set(resolve(contract, response)["headers"]) for status, response in operation["responses"].items()
        }
        is_list = any(parameter.get("name") == "cursor" for parameter in operation.get("parameters", []))
        assert ("Link" in headers.get("200", ())) == is_list, f"{method} {path}"
        assert "WWW-Authenticate" in headers["4XX"]
        is_recorded = any(parameter.get("name") == "Idempotency-Key" for parameter in operation.get("parameters", []))
        succeeding = next(headers[status] for status in ("201", "202", "200", "204") if status in headers)
        assert ("Idempotent-Replayed" in succeeding) == is_recorded, f"{method} {path}"
        makes = {"open_round", "record_hand", "play_document", "add_table", "add_ruleset"}
        makes |= {"start_import", "start_recomputation", "open_dispute", "make_checkpoint", "add_webhook"}
        makes |= {"propose_correction", "propose_recomputation"}
        assert ("Location" in succeeding) == (operation["operationId"] in makes), f"{method} {path}"


def test_requests_refuse_undocumented_fields_and_responses_are_open(contract: Document) -> None:
    in_responses = find_response_schemas(contract)
    for name, schema in contract["components"]["schemas"].items():
        if "properties" in schema:
            assert schema.get("additionalProperties") is (None if name in in_responses else False), name
    assert {"Round", "Problem", "RoundDocument"} <= in_responses
    assert {"HandRequest", "TableRequest", "CorrectionRequest"}.isdisjoint(in_responses)


def test_objects_with_any_properties_have_values_of_one_type(contract: Document) -> None:
    free = set()
    for place, schema in schemas_in(contract["components"]["schemas"]):
        if schema.get("additionalProperties") is True:
            free.add(place.rpartition("/")[2])
        elif "properties" not in schema:
            values = resolve(contract, schema["additionalProperties"])
            assert values["type"] in ("integer", "string"), place
    assert free == {"ExpectedResponse"}, "part of a response, which is compared and never stored"


def test_what_occurs_twice_is_a_component_with_a_name(contract: Document) -> None:
    """Generated clients would otherwise have types such as `State3`."""
    for place, schema in contract["components"]["schemas"].items():
        for inner in parts_in(schema.get("properties", schema.get("items", {}))):
            assert "enum" not in inner or len(inner["enum"]) == 1, f"{place}: name the choices in COMPONENTS"
            assert inner.get("pattern") != CARD_PATTERN, place


def test_optional_fields_of_requests_have_no_default_that_makes_them_required(contract: Document) -> None:
    for name, schema in contract["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            assert "default" not in described, f"{name}.{field}"
    button = contract["components"]["schemas"]["PlayerHand"]["properties"]["fantasyland"]
    assert button["description"].endswith("Default: 0.")


def test_every_schema_has_a_type_and_is_used(contract: Document) -> None:
    components = contract["components"]["schemas"]
    for name, schema in components.items():
        assert schema["description"], name
        for field, described in schema.get("properties", {}).items():
            assert {"type", "$ref", "anyOf"} & set(described), f"{name}.{field}"
    text = str(contract)
    assert [name for name in components if f"'#/components/schemas/{name}'" not in text] == []


def test_numbers_and_strings_have_limits(contract: Document) -> None:
    def kinds(part: Any, place: str) -> Iterator[tuple[str, Document]]:
        if isinstance(part, dict):
            if "type" in part and isinstance(part["type"], str | list):
                yield place, part
            for name, inner in part.items():
                yield from kinds(inner, f"{place}/{name}")

    for place, described in kinds(contract["components"]["schemas"], "#"):
        types = described["type"] if isinstance(described["type"], list) else [described["type"]]
        if "integer" in types:
            assert -(2**53) < described["minimum"] <= described["maximum"] < 2**53, place
        if "string" in types:
            assert {"maxLength", "enum", "format", "pattern"} & set(described), place
        if "array" in types:
            assert described["maxItems"] >= described["minItems"], place


def test_query_parameters_are_never_null(contract: Document) -> None:
    for _, path, operation in operations(contract):
        for parameter in operation.get("parameters", []):
            schema = resolve(contract, parameter["schema"])
            assert isinstance(schema["type"], str), f"{path} {parameter['name']}"
            assert schema.get("default", 0) is not None


VALUES: list[Any] = [
    None, True, 0, -1, 1, 1.0, 1.5, 14, 10_001, 2**53, 10**30, "", "As", "pineapple", "EUR", "Ä♣", "x" * 600, "a\nb",
    "2026-11-20T20:15:00Z", "hand", [], ["As"], ["As", "Kd", "2c"], [1], {}, {"QQ": 14}, {"reason": "x"},
]  # as a table  # fmt: skip
REQUESTS: dict[str, Document] = {
    "ScoreRequest": {**WORKED, "expected": {}, "players": [
        {**WORKED["players"][0], "stays": 0, "opening_stack": 3, "player": "ann", "discards": None, "fantasyland": 0}
    ]},
    "TableRequest": {"name": "x", "ruleset": "turbo", "point_value": 1, "unit": "EUR", "minimum_stack": 5},
    "TableChanges": {
        "name": "x",
        "ruleset": "turbo",
        "point_value": 1,
        "unit": "EUR",
        "minimum_stack": 5,
        "correction_window_minutes": 5,
        "is_archived": True,
    },
    "RoundRequest": {"seats": [{"seat": 1, "player": "ann", "stack": 5}], "reference": "x", "expected": None},
    "DepartureRequest": {"seat": 1, "reason": "late"},
    "RoundCloseRequest": {"reason": "late"},
    "HandRequest": {
        "number": 1,
        "button": 1,
        "played_at": None,
        "top_ups": [{"seat": 1, "points": 5}],
        "players": [{**test_api_refused_deals.PINEAPPLE["players"][0], "player": None}],
    },
    "RoundDocumentRequest": test_api_documents.eventful(),
    "Ruleset": test_api_rulesets.OWN,
}  # as a table  # fmt: skip


def places(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every field of a request; of a list only its first item."""
    if path:
        yield path
    if isinstance(part, dict):
        for name, inner in part.items():
            yield from places(inner, (*path, name))
    elif isinstance(part, list) and part:
        yield from places(part[0], (*path, "0"))


@pytest.mark.parametrize("name", REQUESTS)
def test_the_service_accepts_exactly_what_the_openapi_document_allows(contract: Document, name: str) -> None:
    """
    What the contract cannot say is left out: that money has both parts, and which moments and units exist.

    That nobody opens with 0 points is left to the rules, which name it beside their other mistakes.
    """
    schema = next(kind for kind in subclasses(WireSchema) if kind.__name__ == f"{name}Schema")()
    registry = Registry().with_resource("urn:contract", DRAFT202012.create_resource(contract))
    validator = Draft202012Validator({"$ref": f"urn:contract#/components/schemas/{name}"}, registry=registry)
    assert validator.is_valid(REQUESTS[name])
    load(schema, REQUESTS[name])
    for path in places(REQUESTS[name]):
        for value in VALUES:
            if path[-1] not in ("played_at", "opened_at", "unit") and (path[-1], value) != ("point_value", None):
                request = changed(REQUESTS[name], ("/".join(path), value))
                if (path[0], path[-1], value) == ("seats", "stack", 0):
                    continue
                assert is_taken(schema, request) == validator.is_valid(request), f"{path} {value!r}"


def is_taken(schema: WireSchema, request: Document) -> bool:
    try:
        load(schema, request)
    except WireError:
        return False
    return True


def subclasses(schema: type[WireSchema]) -> Iterator[type[WireSchema]]:
    for kind in schema.__subclasses__():
        yield kind
        yield from subclasses(kind)


def test_every_error_of_the_rules_is_tested_over_http() -> None:
    """Errors that the request schema prevents are excluded."""
    rules = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    table = rules.partition("## What is refused")[2].partition("\n## ")[0]
    known = {
        code
        for line in table.splitlines()
        if line.startswith("| `")
        for code in re.findall(r"`([a-z-]+)`", line.split("|")[1])
    }
    provoked = {case[0] for case in test_api_refused_deals.REFUSED} | {
        case[0] for case in test_api_refused_hands.REFUSED
    }
    provoked |= set(test_api_refused_documents.REFUSED) | {case[2] for case in test_api_rulesets.CONTRADICTIONS}
    refused_as_shape = {"ruleset-name", "ruleset-version", "seat-number", "stack-negative", "top-up-points"}
    # The service itself adds the nets up, so they balance.
    refused_as_shape |= {"nets-unbalanced"}
    assert known - provoked == refused_as_shape
