"""Cross-origin requests (CORS): off unless origins are listed, right preflights, and never cookies."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Config, ConfigError, read_settings
from service.http.services import services_of
from service.openapi import build_contract
from tests.support.application import House

CLUB = "https://club.example"
LOCAL = "http://localhost:5173"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization, content-type"}

Client = Callable[..., FlaskClient]


@pytest.fixture
def client(house: House) -> Iterator[Client]:
    with ExitStack() as stack:

        def make(*origins: str) -> FlaskClient:
            app = create_app(Config(house.logins.service, cors_origins=origins))
            stack.callback(services_of(app).database.close)
            return app.test_client()

        yield make


def granted(response: TestResponse) -> dict[str, str]:
    return {name: value for name, value in response.headers if name.startswith("Access-Control-")}


def send(client: FlaskClient, method: str, path: str, origin: str, **headers: str) -> TestResponse:
    return client.open(path, method=method, headers={"Origin": origin, **headers})


def test_by_default_no_other_origin_may_read_anything(client: Client) -> None:
    service = client()
    assert granted(send(service, "GET", "/v1/rulesets", CLUB)) == {}
    assert granted(send(service, "OPTIONS", "/v1/tables", CLUB, **PREFLIGHT)) == {}


@pytest.mark.parametrize("origin", [CLUB, LOCAL])
def test_a_listed_origin_may_send_requests_with_a_key(client: Client, origin: str) -> None:
    response = send(client(CLUB, LOCAL), "OPTIONS", "/v1/tables", origin, **PREFLIGHT)
    assert response.status_code == 204
    assert granted(response) == {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Headers": "authorization, content-type",
        "Access-Control-Allow-Methods": "DELETE, GET, PATCH, POST, PUT",
        "Access-Control-Expose-Headers": response.headers["Access-Control-Expose-Headers"],
        "Access-Control-Max-Age": "600",
    }
    assert "Origin" in response.headers["Vary"]


def test_a_listed_origin_may_read_responses_and_problems_and_their_headers(client: Client) -> None:
    for path, status in (("/v1/rulesets", 200), ("/v1/tables", 401), ("/nowhere", 404)):
        response = send(client(CLUB), "GET", path, CLUB)
        assert (response.status_code, response.headers["Access-Control-Allow-Origin"]) == (status, CLUB)
        exposed = response.headers["Access-Control-Expose-Headers"]
        assert {"ETag", "Link", "Location", "Request-Id", "Idempotent-Replayed"} <= {*exposed.split(", ")}
        assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize(
    "origin",
    [
        "https://other.example",
        "http://club.example",
        f"{CLUB}:8443",
        f"{CLUB}.evil.example",
        "null",
        "https://clubxexample",
    ],
)
def test_another_origin_gets_no_permission(client: Client, origin: str) -> None:
    service = client(CLUB)
    assert granted(send(service, "GET", "/v1/rulesets", origin)) == {}
    assert granted(send(service, "OPTIONS", "/v1/tables", origin, **PREFLIGHT)) == {}


def test_a_listed_origin_may_send_every_header_that_the_api_reads(client: Client, house: House) -> None:
    contract = build_contract(services_of(house.app).contract)
    operations = [operation for item in contract["paths"].values() for operation in item.values()]
    described = {
        parameter["name"].lower()
        for operation in operations
        if "operationId" in operation
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "header"
    }
    assert {"idempotency-key", "if-none-match"} <= described
    sent = sorted(described | {"authorization", "content-encoding", "content-type"})
    headers: dict[str, Any] = {**PREFLIGHT, "Access-Control-Request-Headers": ", ".join(sent)}
    response = send(client(CLUB), "OPTIONS", "/v1/events", CLUB, **headers)
    assert granted(response)["Access-Control-Allow-Headers"].split(", ") == sent


def test_headers_and_methods_that_the_api_does_not_use_are_not_permitted(client: Client) -> None:
    headers: dict[str, Any] = {**PREFLIGHT, "Access-Control-Request-Headers": "cookie, x-other"}
    assert "Access-Control-Allow-Headers" not in granted(send(client(CLUB), "OPTIONS", "/v1/tables", CLUB, **headers))
    headers = {**PREFLIGHT, "Access-Control-Request-Method": "TRACE"}
    assert "Access-Control-Allow-Methods" not in granted(send(client(CLUB), "OPTIONS", "/v1/tables", CLUB, **headers))


@pytest.mark.parametrize(
    "text", ["*", "club.example", "https://club.example/app", "https://CLUB.example", "null", "https://*.example"]
)
def test_what_is_no_origin_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(ConfigError, match=r"OFC_CORS_ORIGINS has .*expected origins like https://club\.example"):
        read_settings({"OFC_CORS_ORIGINS": text})
