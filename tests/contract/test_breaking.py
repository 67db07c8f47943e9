"""A change of the contract that breaks clients is found, and lands only where the changelog names it."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.breaking import Break, Part, find_breaks, find_unnamed

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "openapi.yaml"
CHANGELOG = ROOT / "CHANGELOG.md"
ACCEPTED = ROOT / "tests" / "contract" / "accepted.yaml"
"""The contract that clients rely on."""

TABLES = "/v1/tables"
CURRENCY = {"$ref": "#/components/schemas/Currency"}


def read(path: Path) -> Part:
    """Read a contract."""
    contract: Part = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return contract


@pytest.fixture(scope="module")
def contract() -> Part:
    return read(CONTRACT)


def test_every_breaking_change_is_in_the_changelog(contract: Part) -> None:
    breaks = find_breaks(read(ACCEPTED), contract)
    unnamed = [str(each) for each in find_unnamed(breaks, CHANGELOG.read_text(encoding="utf-8"))]
    assert unnamed == [], "name each under '### Breaking' in CHANGELOG.md, or leave the contract as it was"


def schema(contract: Part, name: str) -> Part:
    found: Part = contract["components"]["schemas"][name]
    return found


def field(contract: Part, name: str, of: str) -> Part:
    found: Part = schema(contract, of)["properties"][name]
    return found


def post(contract: Part) -> Part:
    found: Part = contract["paths"][TABLES]["post"]
    return found


BREAKING: dict[str, tuple[Callable[[Part], Any], Break]] = {
    "a path goes": (lambda c: c["paths"].pop("/v1/score"), Break("POST /v1/score", "", "is gone")),
    "an operation goes": (lambda c: c["paths"][TABLES].pop("post"), Break("POST /v1/tables", "", "is gone")),
    "an operation is called otherwise": (
        lambda c: post(c).update(operationId="make_table"),
        Break("POST /v1/tables", "", "is called make_table, and was add_table"),
    ),
    "a question goes": (
        lambda c: c["paths"][TABLES]["get"]["parameters"].pop(0),
        Break("GET /v1/tables", "limit", "can no longer be requested"),
    ),
    "a parameter is required": (
        lambda c: c["paths"][TABLES]["get"]["parameters"][0].update(required=True),
        Break("GET /v1/tables", "limit", "must be given"),
    ),
    "a question is narrower": (
        lambda c: c["paths"][TABLES]["get"]["parameters"][0]["schema"].update(maximum=50),
        Break("GET /v1/tables", "limit", "has a narrower maximum"),
    ),
    "a field can no longer be sent": (
        lambda c: schema(c, "TableRequest")["properties"].pop("minimum_stack"),
        Break("POST /v1/tables", "minimum_stack", "can no longer be sent"),
    ),
    "a field must be sent": (
        lambda c: schema(c, "TableRequest")["required"].append("currency"),
        Break("POST /v1/tables", "currency", "must be sent"),
    ),
    "a type goes": (
        lambda c: field(c, "currency", "TableRequest").update(anyOf=[CURRENCY]),
        Break("POST /v1/tables", "currency", "no longer takes null"),
    ),
    "a text is shorter": (
        lambda c: field(c, "name", "TableRequest").update(maxLength=50),
        Break("POST /v1/tables", "name", "has a narrower maxLength"),
    ),
    "a text is longer": (
        lambda c: field(c, "name", "TableRequest").update(minLength=2),
        Break("POST /v1/tables", "name", "has a narrower minLength"),
    ),
    "a number has a bound": (
        lambda c: schema(c, "PointValue").update(exclusiveMaximum=5),
        Break("POST /v1/tables", "point_value", "has a narrower exclusiveMaximum"),
    ),
    "a text has another pattern": (
        lambda c: field(c, "name", "TableRequest").update(pattern="^[a-z]+$"),
        Break("POST /v1/tables", "name", "has another pattern"),
    ),
    "a list deep inside is shorter": (
        lambda c: field(c, "players", "HandRequest").update(maxItems=3),
        Break("POST /v1/rounds/{round_id}/hands", "players", "has a narrower maxItems"),
    ),
    "a word can no longer be sent": (
        lambda c: schema(c, "Variant")["enum"].remove("turbo"),
        Break("POST /v1/rulesets", "variant", "no longer takes 'turbo'"),
    ),
    "a few words can be sent": (
        lambda c: field(c, "name", "TableRequest").update(enum=["kitchen"]),
        Break("POST /v1/tables", "name", "takes a few values only"),
    ),
    "a field is no longer returned": (
        lambda c: schema(c, "Table")["properties"].pop("created_at"),
        Break("GET /v1/tables/{table_id}", "created_at", "is no longer returned"),
    ),
    "a field is no longer returned in a list": (
        lambda c: schema(c, "Table")["properties"].pop("created_at"),
        Break("GET /v1/tables", "created_at", "is no longer returned"),
    ),
    "a field can be missing": (
        lambda c: schema(c, "Table")["required"].remove("name"),
        Break("GET /v1/tables", "name", "can be missing"),
    ),
    "a response can be null": (
        lambda c: field(c, "name", "Table").update(type=["string", "null"]),
        Break("GET /v1/tables", "name", "can be null"),
    ),
    "a returned object can be null": (
        lambda c: schema(c, "RecordedHandWithRound")["properties"].update(
            round={"anyOf": [field(c, "round", "RecordedHandWithRound"), {"type": "null"}]}
        ),
        Break("POST /v1/rounds/{round_id}/hands", "round", "can be null"),
    ),
    "one more value can be returned": (
        lambda c: schema(c, "RoundStatus")["enum"].append("paused"),
        Break("GET /v1/rounds/{round_id}", "status", "can be 'paused'"),
    ),
    "a format is another": (
        lambda c: field(c, "created_at", "Table").update(format="date"),
        Break("GET /v1/tables", "created_at", "has another format"),
    ),
    "a status goes": (
        lambda c: post(c)["responses"].pop("201"),
        Break("POST /v1/tables", "", "no longer responds with 201"),
    ),
    "a header goes": (
        lambda c: post(c)["responses"]["201"]["headers"].pop("Location"),
        Break("POST /v1/tables", "Location", "is no longer a header of 201"),
    ),
    "a media type of responses is removed": (
        lambda c: post(c)["responses"]["201"].update(content={"text/csv": {}}),
        Break("POST /v1/tables", "", "no longer returns application/json with 201"),
    ),
    "a media type of requests goes": (
        lambda c: post(c)["requestBody"].update(content={"text/csv": {}}),
        Break("POST /v1/tables", "", "no longer takes application/json"),
    ),
    "a key is needed": (
        lambda c: c["paths"]["/healthz"]["get"].pop("security"),
        Break("GET /healthz", "", "needs a key that it did not need"),
    ),
    "a key needs another scope": (
        lambda c: post(c).update(security=[{"key": ["admin"]}]),
        Break("POST /v1/tables", "", "is no longer opened by the scope tables"),
    ),
}  # as a table  # fmt: skip


@pytest.mark.parametrize("kind", BREAKING)
def test_each_kind_of_break_is_found(contract: Part, kind: str) -> None:
    change, expected = BREAKING[kind]
    changed = copy.deepcopy(contract)
    change(changed)
    assert expected in find_breaks(contract, changed)


def query_status(contract: Part) -> Part:
    parameters: list[Part] = contract["paths"]["/v1/rounds"]["get"]["parameters"]
    return next(parameter for parameter in parameters if parameter["name"] == "status")


COMPATIBLE: dict[str, Callable[[Part], Any]] = {
    "nothing": lambda c: None,
    "an operation comes": lambda c: c["paths"].update({"/v1/new": c["paths"]["/v1/score"]}),
    "an optional field can be sent": lambda c: schema(c, "TableRequest")["properties"].update(colour={"type": "null"}),
    "a field need not be sent": lambda c: schema(c, "TableRequest")["required"].remove("ruleset"),
    "one more field is returned": lambda c: schema(c, "Table")["properties"].update(colour={"type": "string"}),
    "a text may be longer": lambda c: field(c, "name", "TableRequest").update(maxLength=500),
    "a text may be anything": lambda c: field(c, "name", "TableRequest").pop("pattern"),
    "null may be sent": lambda c: field(c, "name", "TableRequest").update(type=["string", "null"]),
    "one more value can be requested": lambda c: query_status(c).update(
        schema={"type": "string", "enum": ["open", "complete", "closed", "paused"]}
    ),
    "any value can be requested": lambda c: query_status(c).update(schema={"type": "string"}),
    "one value less is returned": lambda c: field(c, "status", "Round").update(enum=["open", "complete"]),
    "a response is never null": lambda c: field(c, "currency", "Table").update(anyOf=[CURRENCY]),
    "another status": lambda c: post(c)["responses"].update({"423": {"$ref": "#/components/responses/CONFLICT"}}),
    "a scope more is enough": lambda c: post(c)["security"].append({"key": ["write"]}),
    "no key is needed": lambda c: post(c).update(security=[]),
    "another text": lambda c: field(c, "name", "Table").update(description="What it is called.", example="den"),
}  # as a table  # fmt: skip


@pytest.mark.parametrize("kind", COMPATIBLE)
def test_a_compatible_change_is_not_breaking(contract: Part, kind: str) -> None:
    changed = copy.deepcopy(contract)
    COMPATIBLE[kind](changed)
    assert kind == "nothing" or changed != contract
    assert find_breaks(contract, changed) == []


GONE = Break("POST /v1/tables", "", "is gone")
SHORTER = Break("POST /v1/tables", "name", "has a narrower maxLength")


@pytest.mark.parametrize(
    ("changelog", "unnamed"),
    [
        ("## [Unreleased]\n\n### Breaking\n\n- `POST /v1/tables`: `name` is\n  shorter.\n\n## [1.0]\n", []),
        ("## [Unreleased]\n\n### Breaking\n\n- `POST /v1/tables` is gone.\n\n## [1.0]\n", [SHORTER]),
        ("## [Unreleased]\n\n### Breaking\n\n- `GET /v1/tables`: `name` is shorter.\n", [GONE, SHORTER]),
        ("## [Unreleased]\n\n### Changed\n\n- `POST /v1/tables`: `name`.\n", [GONE, SHORTER]),
        ("## [Unreleased]\n\n## [1.0]\n\n### Breaking\n\n- `POST /v1/tables`: `name`.\n", [GONE, SHORTER]),
        ("## [Unreleased]\n\n### Breaking\n\n- Much.\n\n### Added\n\n- `POST /v1/tables`: `name`.\n", [GONE, SHORTER]),
        ("", [GONE, SHORTER]),
    ],
)
def test_a_breaking_change_is_reported_with_its_operation_and_field(changelog: str, unnamed: list[Break]) -> None:
    assert find_unnamed([GONE, SHORTER], changelog) == unnamed
