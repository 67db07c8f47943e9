"""Deprecated operations, query parameters and fields: in the contract, and in the headers of responses."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date
from typing import Any

import pytest
from uuid_utils.compat import uuid7

from service.app import create_app
from service.clubs.actions import create_club, create_key
from service.config import Config
from service.deprecations import DEPRECATIONS, Deprecation
from service.openapi import CONTRACT
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.sample_rounds import NOBODYS, add_table, open_round

ANNOUNCED, ENDS = date(2026, 12, 1), date(2028, 1, 31)
GUIDE = "https://tablestakes.example/docs/versioning#statements"

Service = Callable[..., Api]


def deprecate(part: str, announced: date = ANNOUNCED, ends: date = ENDS, replacement: str = GUIDE) -> Deprecation:
    return Deprecation(part, announced, ends, replacement)


@pytest.fixture
def service(house: House) -> Iterator[Service]:
    """Start applications in which parts are deprecated, each with a key of a new club."""
    with ExitStack() as stack:

        def start(*deprecations: Deprecation) -> Api:
            app = create_app(Config(house.logins.service, rate_limit=1000), deprecations)
            stack.callback(app.extensions["ofc_database"].close)
            return Api(app, create_key(house.owner, create_club(house.owner, f"club {uuid7()}"), name="first").secret)

        yield start


def announced_in(response: ApiResponse) -> dict[str, str]:
    return {name: response.headers[name] for name in ("Deprecation", "Sunset", "Link") if name in response.headers}


def contract_of(api: Api) -> dict[str, Any]:
    document: dict[str, Any] = api.app.extensions["ofc_contract"].document
    return document


EVERYTHING = {
    "Deprecation": "@1796083200",
    "Sunset": "Mon, 31 Jan 2028 00:00:00 GMT",
    "Link": f'<{GUIDE}>; rel="deprecation"',
}


def test_nothing_is_deprecated(api: Api) -> None:
    assert DEPRECATIONS == ()
    assert announced_in(api.get("/v1/tables")) == {}
    assert "deprecated: true" not in CONTRACT.read_text(encoding="utf-8")


def test_every_response_of_a_deprecated_operation_has_the_headers(service: Service) -> None:
    api = service(deprecate("get_table"))
    table = add_table(api)
    found = api.get(f"/v1/tables/{table}")
    unchanged = api.request("GET", f"/v1/tables/{table}", headers={"If-None-Match": found.headers["ETag"]})
    unknown = api.get(f"/v1/tables/{NOBODYS}")
    assert [found.status, unchanged.status, unknown.status] == [200, 304, 404]
    for response in (found, unchanged, unknown):
        assert announced_in(response) == EVERYTHING
    assert announced_in(api.get("/v1/tables")) == {}
    operation = contract_of(api)["paths"]["/v1/tables/{table_id}"]["get"]
    assert operation["deprecated"] is True
    assert {"Deprecation", "Sunset", "Link", "ETag"} <= {*operation["responses"]["200"]["headers"]}


def test_a_deprecated_parameter_is_announced_to_those_who_send_it(service: Service) -> None:
    api = service(deprecate("list_rounds?player"))
    assert announced_in(api.get("/v1/rounds?player=ann")) == EVERYTHING
    assert announced_in(api.get("/v1/rounds?player=")) == EVERYTHING
    assert announced_in(api.get("/v1/rounds")) == {}
    assert announced_in(api.get("/v1/hands?player=ann")) == {}
    operation = contract_of(api)["paths"]["/v1/rounds"]["get"]
    marked = {each["name"] for each in operation["parameters"] if each.get("deprecated")}
    assert (marked, "deprecated" in operation) == ({"player"}, False)


def test_a_deprecated_field_is_announced_by_all_operations_that_have_it(service: Service) -> None:
    api = service(deprecate("Round.reference"))
    table = add_table(api)
    opened = open_round(api, table)
    for path in ("/v1/rounds", f"/v1/rounds/{opened['id']}"):
        assert announced_in(api.get(path)) == EVERYTHING
    for path in ("/v1/tables", f"/v1/tables/{table}"):
        assert announced_in(api.get(path)) == {}
    schemas = contract_of(api)["components"]["schemas"]
    assert [
        (name, field)
        for name, schema in schemas.items()
        for field, described in schema.get("properties", {}).items()
        if described.get("deprecated")
    ] == [("Round", "reference")]


def test_the_link_to_the_next_page_comes_first(service: Service) -> None:
    api = service(deprecate("list_tables"))
    for name in ("kitchen", "attic"):
        add_table(api, name=name)
    following, deprecation = announced_in(api.get("/v1/tables?limit=1"))["Link"].split(", ")
    assert following.endswith('rel="next"')
    assert deprecation == EVERYTHING["Link"]
    described = contract_of(api)["paths"]["/v1/tables"]["get"]["responses"]["200"]["headers"]["Link"]["description"]
    assert 'rel="next"' in described
    assert 'rel="deprecation"' in described


def test_of_several_parts_the_dates_that_come_first_are_sent(service: Service) -> None:
    other = "https://tablestakes.example/docs/versioning#players"
    api = service(
        deprecate("list_rounds", announced=date(2027, 3, 1), ends=date(2028, 6, 30)),
        deprecate("list_rounds?player", replacement=other),
    )
    assert announced_in(api.get("/v1/rounds?player=ann")) == {
        **EVERYTHING,
        "Link": f'{EVERYTHING["Link"]}, <{other}>; rel="deprecation"',
    }
    assert announced_in(api.get("/v1/rounds"))["Sunset"] == "Fri, 30 Jun 2028 00:00:00 GMT"


@pytest.mark.parametrize("part", ["list_nothing", "list_rounds?nobody", "Round.nothing", "Nothing.name"])
def test_a_part_that_the_contract_does_not_have_is_refused_at_the_start(service: Service, part: str) -> None:
    with pytest.raises(KeyError):
        service(deprecate(part))


def test_an_end_before_twelve_months_is_refused() -> None:
    with pytest.raises(ValueError, match="expected twelve months after 2026-12-01 or later"):
        deprecate("get_table", ends=date(2027, 11, 30))
    assert deprecate("get_table", ends=date(2027, 12, 1)).ends == date(2027, 12, 1)
