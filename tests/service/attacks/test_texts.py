"""
What a text can do to the service: nothing.

Every field of every request that takes a text, as the contract describes them, gets texts that mean something to
PostgreSQL, to templates, to browsers, to terminals and to shells.
"""

import copy
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.service.clubs.test_scopes import BODIES, where
from tests.service.conformance.club import Club
from tests.service.conformance.test_conformance import CONTRACT, OPERATIONS
from tests.support.api_client import Api, Document, resolve
from tests.support.application import House

pytestmark = pytest.mark.thorough

NASTY = [
    "'; DROP TABLE rounds; --",
    "' OR '1'='1",
    "'||(SELECT pg_sleep(9))||'",
    "1); DELETE FROM hands; --",
    "$1 %s %(club_id)s :club_id {0} ?",
    "{{ 7 * 7 }} ${7*7} {% include 'x' %}",
    "<script>alert(1)</script>",
    "../../../../etc/passwd",
    "$(sleep 9) `sleep 9` | sleep 9",
    "=cmd|' /C calc'!A0",
    "a\x00b",
    'a\nb\r\n{"event": "forged"}',
    "\x1b[31mred\x1b[0m\x07",
    "\x9b31mred\x9b0m\x85",
    "\u202eevil\u2066",
    "\ud800",
    "x" * 100_000,
    "%00%0d%0aSet-Cookie: a=b",
]
SLOW = 5.0
OF_LINES = ("start_import", "record_hands")
"""Operations whose body has lines; each line is read as the body of another operation."""
RECORDS = [name for name, operation in OPERATIONS.items() if "requestBody" in operation and name not in OF_LINES]

PARAMETERS = {
    operation["operationId"]: {
        parameter["name"]: parameter["in"]
        for parameter in (*item.get("parameters", ()), *operation.get("parameters", ()))
        if parameter["in"] != "header"
    }
    for item in CONTRACT["paths"].values()
    for method, operation in item.items()
    if method != "parameters"
}

Place = tuple[str | int, ...]


def texts_in(schema: Document, body: Any, place: Place = ()) -> Iterator[Place]:
    """Every place of a body where its schema takes a text; of a list, the first item stands for all."""
    schema = resolve(CONTRACT, schema)
    for inner in schema.get("anyOf", ()):
        yield from texts_in(inner, body, place)
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if place and ("string" in kinds or "enum" in schema):
        yield place
    for name, inner in schema.get("properties", {}).items():
        value = body.get(name) if isinstance(body, dict) else None
        yield from texts_in(inner, value, (*place, name))
    if "items" in schema and isinstance(body, list) and body:
        yield from texts_in(schema["items"], body[0], (*place, 0))


def put(body: Any, place: Place, text: str) -> Any:
    """Copy a body with a text at a place, and with what it takes to get there."""
    changed = copy.deepcopy(body)
    part = changed
    for step in place[:-1]:
        if isinstance(part, dict) and not isinstance(part.get(step), dict | list):
            part[step] = {}
        part = part[step]
    part[place[-1]] = text
    return changed


def address_of(api: Api, operation_id: str, club: Club) -> tuple[str, str]:
    method, path = where(api, operation_id)
    values = {name: give() for name, give in club.parameters.items() if f"{{{name}}}" in path}
    return method, path.format_map(values)


@pytest.mark.parametrize("operation_id", RECORDS)
@pytest.mark.no_cover
def test_no_text_in_a_body_is_more_than_a_text(house: House, api: Api, other_api: Api, operation_id: str) -> None:
    club, theirs = Club(api, operation_id), Club(other_api, operation_id)
    theirs.play_hand()
    their_rounds = other_api.get("/v1/rounds").document
    method, address = address_of(api, operation_id, club)
    body = club.bodies[operation_id]() if operation_id in club.bodies else BODIES.get(operation_id)
    content = OPERATIONS[operation_id]["requestBody"]["content"]["application/json"]
    places = list(dict.fromkeys(texts_in(content["schema"], body)))
    tries = any(parameter["name"] == "dry_run" for parameter in OPERATIONS[operation_id]["parameters"])
    before = house.count_records()
    for place in places:
        for text in NASTY:
            sent, begun = put(body or {}, place, text), time.monotonic()
            response = api.request(method, address + ("?dry_run=true" if tries else ""), json=sent)
            assert response.status < 500, (place, text, response)
            assert time.monotonic() - begun < SLOW, (place, text)
            if response.status < 300 and ("\x00" in text or "\x9b" in text):
                raise AssertionError(f"{place} took {text!r}")
    assert set(house.count_records()) == set(before), "no table has gone or come"
    assert other_api.get("/v1/rounds").document == their_rounds


@pytest.mark.parametrize("operation_id", OPERATIONS)
@pytest.mark.no_cover
def test_no_text_in_an_address_is_more_than_a_text(house: House, api: Api, operation_id: str) -> None:
    club = Club(api, operation_id)
    club.play_hand()
    method, path = where(api, operation_id)
    values = {each: club.parameters[each]() for each in PARAMETERS[operation_id] if f"{{{each}}}" in path}
    tables = set(house.count_records())
    for text in [*NASTY[:-2], "x" * 3000, NASTY[-1]]:
        written = quote(text.encode("utf-8", "surrogatepass"), safe="")
        for name, place in PARAMETERS[operation_id].items():
            address = path.format_map({**values, name: written})
            query = f"?{name}={written}" if place == "query" else ""
            begun = time.monotonic()
            response = api.request(method, address + query, **({"json": {}} if method in ("POST", "PUT") else {}))
            assert response.status < 500, (name, text, response)
            assert time.monotonic() - begun < SLOW, (name, text)
            assert "Set-Cookie" not in response.headers
    assert set(house.count_records()) == tables


@pytest.mark.parametrize("text", [text for text in NASTY if len(text) < 100 and text.isprintable()])
def test_an_accepted_text_is_stored_and_found_unchanged(api: Api, text: str) -> None:
    response = api.post("/v1/tables", {"name": text, "ruleset": "pineapple"})
    assert response.status == 201
    assert api.get(f"/v1/tables/{response['id']}")["name"] == text
    tables = api.get(f"/v1/tables?name={quote(text, safe='')}")["tables"]
    assert [table["id"] for table in tables] == [response["id"]]
    assert api.get("/v1/tables?name=%25")["tables"] == []


def test_every_text_of_the_contract_is_tried() -> None:
    """The walk finds what it is there for."""
    schemas = {name: OPERATIONS[name]["requestBody"]["content"]["application/json"]["schema"] for name in RECORDS}
    assert ("name",) in set(texts_in(schemas["add_table"], {}))
    document = {"seats": [{}], "hands": [{"players": [{"top": ["As"]}]}]}
    assert {("table",), ("seats", 0, "player"), ("hands", 0, "players", 0, "top", 0)} <= set(
        texts_in(schemas["play_document"], document)
    )
