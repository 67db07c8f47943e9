"""Errors over HTTP: problem documents with what was received and what is accepted."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from scoring.errors import ScoringError
from service.errors import OperatorError, ServiceError
from service.http.problem_kinds import PROBLEM_KINDS
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    NOBODYS,
    THREE,
    WORKED,
    changed,
    document_of,
    hand,
    start_round,
)

# --- what a problem looks like ---


def test_a_problem_has_a_detail_and_a_page(api: Api) -> None:
    response = api.post("/v1/score", changed(WORKED, ("players/0/top/0", "Qx")))
    assert response.status == 422
    assert response.headers["Content-Type"] == "application/problem+json"
    accepted = "expected a rank of 23456789TJQKA and a suit of cdhs, for example 'As' or 'Td'"
    detail = f"`players[0].top[0]` is 'Qx'; {accepted}"
    assert response.document == {
        "type": "/problems/request-invalid",
        "title": "Validation failed",
        "status": 422,
        "code": "request-invalid",
        "detail": detail,
        "request_id": response.headers["Request-Id"],
        "errors": [
            {
                "pointer": "#/players/0/top/0",
                "code": "card-unknown",
                "detail": detail,
            }
        ],
    }


def test_every_response_has_a_unique_request_id(api: Api) -> None:
    responses = [api.get("/v1/tables"), api.get("/healthz"), api.get("/nowhere"), api.post("/v1/tables", {})]
    responses.append(api.request("GET", "/healthz", headers={"Request-Id": "mine"}))
    assert len({response.headers["Request-Id"] for response in responses}) == 5
    assert all(re.fullmatch(r"[0-9a-f-]{36}", response.headers["Request-Id"]) for response in responses)


@pytest.mark.parametrize("code", PROBLEM_KINDS)
def test_a_title_has_two_to_four_words(code: str) -> None:
    assert 2 <= len(PROBLEM_KINDS[code].title.split()) <= 4


@pytest.mark.parametrize("code", PROBLEM_KINDS)
def test_every_problem_kind_has_a_page(house: House, code: str) -> None:
    page = house.app.test_client().get(f"/problems/{code}")
    assert page.status_code == 200
    assert page.content_type.startswith("text/html")
    kind = PROBLEM_KINDS[code]
    text = page.get_data(as_text=True).replace("&#39;", "'")
    for words in (kind.title, kind.advice, f"status {kind.status.value} "):
        assert words in text
    assert f'href="/problems/{code}"' in house.app.test_client().get("/problems").get_data(as_text=True)


def test_an_unknown_page_is_a_problem(api: Api) -> None:
    for path in ("/problems/no-luck", "/nowhere", "/v1", "/v1/nowhere", "/v1/rounds/../tables/x"):
        response = api.get(path)
        assert response.status == 404
        assert response["code"] == "not-found"


def test_the_home_page_names_the_service(house: House) -> None:
    page = house.app.test_client().get("/")
    assert page.status_code == 200
    assert "Tablestakes" in page.get_data(as_text=True)


def kinds_of(error: type[Exception]) -> Iterator[type[Any]]:
    for kind in error.__subclasses__():
        yield kind
        yield from kinds_of(kind)


REQUESTED = [
    error for error in (*kinds_of(ServiceError), *kinds_of(ScoringError)) if not issubclass(error, OperatorError)
]
"""Errors of requests, without those of operator commands."""


@pytest.mark.parametrize("error", REQUESTED, ids=lambda error: error.__name__)
def test_every_error_code_has_a_problem_kind(error: type[Any]) -> None:
    assert error.code in PROBLEM_KINDS


# --- query parameters ---


@pytest.mark.parametrize(
    "id_", ["1", "kitchen", NOBODYS[:-1], f"{{{NOBODYS}}}", NOBODYS.replace("-", ""), "%00", "%F0"]
)
def test_an_invalid_id_is_not_found(api: Api, id_: str) -> None:
    for path in ("/v1/tables/{}", "/v1/rounds/{}", "/v1/hands/{}", "/v1/rounds/{}/settlement", "/v1/rounds/{}/hands"):
        response = api.get(path.format(id_))
        assert response.status == 404
        assert response["code"] == "not-found"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/v1/tables", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("GET", "/v1/score", {"POST", "OPTIONS"}),
        ("PUT", f"/v1/rounds/{NOBODYS}", {"GET", "HEAD", "PATCH", "OPTIONS"}),
        ("GET", f"/v1/rounds/{NOBODYS}/close", {"POST", "OPTIONS"}),
        ("PUT", f"/v1/hands/{NOBODYS}", {"GET", "HEAD", "PATCH", "OPTIONS"}),
        ("POST", "/healthz", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_method_not_allowed_lists_the_allowed_methods(api: Api, method: str, path: str, allowed: set[str]) -> None:
    response = api.request(method, path)
    assert response.status == 405
    assert response["code"] == "method-not-allowed"
    assert set(response.headers["Allow"].split(", ")) == allowed


def test_options_lists_the_allowed_methods_without_content(api: Api, house: House) -> None:
    client = house.app.test_client()
    for path, operations in [*api.contract["paths"].items(), ("/docs", {"get": {}})]:
        allowed = {method.upper() for method in operations if method != "parameters"}
        # What a player whose ID ends like this path has is read, changed and erased there.
        allowed |= {"GET", "HEAD", "PUT", "DELETE"} if path.startswith("/v1/players/{player}/") else set()
        response = client.options(re.sub(r"\{\w+\}", NOBODYS, path.replace("{number}", "1")))
        assert (response.status_code, response.data) == (204, b""), path
        assert set(response.headers["Allow"].split(", ")) == {
            *allowed,
            "OPTIONS",
            *(["HEAD"] if "GET" in allowed else []),
        }
        assert "Content-Type" not in response.headers
        assert response.headers["Request-Id"]
        assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert client.options("/nowhere").status_code == 404


def test_a_trailing_slash_is_ignored(house: House) -> None:
    assert house.app.test_client().get("/v1/rulesets/").status_code == 200


@pytest.mark.parametrize("path", ["/v1//tables", "/v1/tables//", "/v1/rounds//hands", "/docs//"])
def test_a_url_with_an_empty_segment_is_not_found(nobody: Api, path: str) -> None:
    response = nobody.request("GET", path, headers={"Host": "evil.example"})
    assert (response.status, response["code"]) == (404, "not-found")
    assert "Location" not in response.headers


def test_unknown_query_parameters_are_rejected(api: Api, house: House) -> None:
    """A misspelled dry run must not be recorded."""
    round_id = start_round(api)
    records = house.count_records()
    for method, path, document in (
        ("POST", f"/v1/rounds/{round_id}/hands", hand(1, 1, THREE)),
        ("POST", "/v1/documents", document_of(hands=[hand(1, 1, THREE)])),
        ("POST", "/v1/tables", {"name": "attic", "ruleset": "pineapple"}),
        ("GET", f"/v1/rounds/{round_id}", None),
        ("GET", "/v1/rulesets", None),
        ("GET", "/v1/rulesets/pineapple", None),
    ):
        response = api.request(method, f"{path}?just_looking=true", json=document)
        assert response.status == 422
        assert response.mistakes == {"#/query/just_looking": "field-unknown"}
        known = "expected dry_run" if method == "POST" else "expected no query parameters"
        assert response["detail"] == f"`query.just_looking` is unknown; {known}"
    assert house.count_records() == records
    assert api.get("/healthz?probe=1").status == 200
