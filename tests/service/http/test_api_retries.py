"""Retried requests and dry runs."""

import time
from functools import partial
from typing import Any

import psycopg
import pytest

from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.race import at_once
from tests.support.sample_rounds import HIGH, KINGS, LOW, MID, QUEENS, SEVENS, hand, start_round

KEY = "8e03978e-40d5-43e8-bc93-6894a57f9324"
FIRST = hand(1, 3, {1: HIGH, 2: MID, 3: LOW})
OTHER = hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS})


def post(api: Api, path: str, document: object, key: str | None = KEY, **headers: str) -> ApiResponse:
    sent = {**headers, **({"Idempotency-Key": key} if key is not None else {})}
    return api.request("POST", path, json=document, headers=sent)


def post_hand(api: Api, round_id: str, document: object = FIRST, key: str | None = KEY) -> ApiResponse:
    return post(api, f"/v1/rounds/{round_id}/hands", document, key)


@pytest.mark.smoke
def test_a_repeated_request_with_the_same_key_returns_the_first_response(api: Api) -> None:
    round_id = start_round(api)
    first = post_hand(api, round_id)
    api.post(f"/v1/rounds/{round_id}/close", {"reason": "late"})
    again = post_hand(api, round_id)
    assert (again.status, again.document) == (first.status, first.document)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Request-Id"] != first.headers["Request-Id"]


def test_a_repeated_request_creates_one_table(api: Api) -> None:
    request = {"name": "kitchen", "ruleset": "pineapple"}
    first, again = post(api, "/v1/tables", request), post(api, "/v1/tables", request)
    assert (first.status, again.status) == (201, 201)
    assert again.document == first.document
    assert [table["id"] for table in api.get("/v1/tables")["tables"]] == [first["id"]]


def test_idempotency_keys_can_be_quoted(api: Api) -> None:
    request = {"name": "kitchen", "ruleset": "pineapple"}
    post(api, "/v1/tables", request, KEY)
    assert post(api, "/v1/tables", request, f'"{KEY}"').headers["Idempotent-Replayed"] == "true"


def test_a_key_reused_for_another_body_or_url_is_rejected(api: Api, house: House) -> None:
    one, other = start_round(api, name="one"), start_round(api, name="other")
    post_hand(api, one)
    before = house.count_records()
    for response in (post_hand(api, one, OTHER), post_hand(api, other), post(api, "/v1/tables", FIRST)):
        assert response.status == 422
        assert response["code"] == "idempotency-key-reused"
        assert KEY in response["detail"]
    assert house.count_records() == before


@pytest.mark.parametrize("key", ["", '""', "a b", "ä", "x" * 256], ids=["empty", "quotes", "space", "umlaut", "long"])
def test_an_invalid_idempotency_key_is_rejected(api: Api, key: str) -> None:
    response = post(api, "/v1/tables", {"name": "kitchen", "ruleset": "pineapple"}, key)
    assert (response.status, response["code"]) == (400, "idempotency-key-invalid")


@pytest.mark.parametrize("keys", [("a", "b"), ("a", "a"), ('"a"', '"b"'), ("a", ""), ("a,b",)])
def test_two_idempotency_keys_are_rejected(api: Api, house: House, keys: tuple[str, ...]) -> None:
    before = house.count_records()
    headers = [("Authorization", f"Bearer {api.key}"), *(("Idempotency-Key", key) for key in keys)]
    document = {"name": "kitchen", "ruleset": "pineapple"}
    response = house.app.test_client().post("/v1/tables", json=document, headers=headers)
    problem = response.get_json()
    assert (response.status_code, problem["code"]) == (400, "idempotency-key-invalid")
    assert f"is {', '.join(keys)!r};" in problem["detail"]
    assert house.count_records() == before


def test_an_error_response_is_not_stored_under_the_key(api: Api, house: House) -> None:
    round_id = start_round(api)
    before = house.count_records()
    refused = post_hand(api, round_id, {**FIRST, "number": 2})
    assert (refused.status, refused["code"]) == (409, "hand-number")
    assert house.count_records() == before
    assert post_hand(api, round_id).status == 201


def test_idempotency_keys_are_separate_for_each_club(api: Api, other_api: Api) -> None:
    request = {"name": "kitchen", "ruleset": "pineapple"}
    first, other = post(api, "/v1/tables", request), post(other_api, "/v1/tables", request)
    assert first["id"] != other["id"]
    assert "Idempotent-Replayed" not in other.headers


def test_concurrent_requests_with_one_key_create_one_record(api: Api, house: House) -> None:
    round_id = start_round(api)
    responses = at_once(*[partial(post_hand, api, round_id)] * 6)
    assert {response.status for response in responses} <= {201, 409}
    responses = [response if response.status == 201 else post_hand(api, round_id) for response in responses]
    assert all(response.document == responses[0].document for response in responses)
    assert house.query("SELECT count(*) FROM hands WHERE round_id = %s", round_id) == [(1,)]


def test_a_key_in_use_is_a_conflict_at_once(api: Api, house: House) -> None:
    [(club,)] = house.query("SELECT club_id FROM tables WHERE id = %s", _table(api))
    with psycopg.connect(house.owner_url) as first:
        first.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", [f"{club} {KEY}"])
        begun = time.monotonic()
        response = post(api, "/v1/tables", {"name": "cellar", "ruleset": "pineapple"})
        assert time.monotonic() - begun < 2, "it does not hold a thread and a connection"
    assert (response.status, response["code"]) == (409, "idempotency-key-in-use")
    assert response.headers["Retry-After"] == "1"
    assert post(api, "/v1/tables", {"name": "cellar", "ruleset": "pineapple"}).status == 201


def test_a_key_in_use_does_not_wait_for_the_round(api: Api, house: House) -> None:
    round_id = start_round(api)
    [(club,)] = house.query("SELECT club_id FROM rounds WHERE id = %s", round_id)
    with psycopg.connect(house.owner_url) as first:
        first.execute("SELECT set_config('ofc.club', %s, true)", [str(club)])
        first.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", [f"{club} {KEY}"])
        first.execute("SELECT FROM round_heads WHERE round_id = %s FOR UPDATE", [round_id])
        begun = time.monotonic()
        response = post_hand(api, round_id)
        assert time.monotonic() - begun < 2
    assert (response.status, response["code"]) == (409, "idempotency-key-in-use")


def test_a_dry_run_returns_the_same_response_and_stores_nothing(api: Api, house: House) -> None:
    round_id = start_round(api)
    before = house.count_records()
    tried = api.post(f"/v1/rounds/{round_id}/hands?dry_run=true", FIRST)
    assert house.count_records() == before
    done = api.post(f"/v1/rounds/{round_id}/hands?dry_run=false", FIRST)
    assert tried.status == done.status == 201
    assert _lasting(tried.document) == _lasting(done.document)


def test_a_dry_run_returns_the_same_errors(api: Api) -> None:
    round_id = start_round(api)
    wrong = {**FIRST, "button": 9}
    tried, done = api.post(f"/v1/rounds/{round_id}/hands?dry_run=true", wrong), post_hand(api, round_id, wrong)
    assert tried["errors"] == done["errors"]


def test_a_dry_run_rejects_an_invalid_idempotency_key(api: Api) -> None:
    table = {"name": "kitchen", "ruleset": "pineapple"}
    refused = api.request("POST", "/v1/tables?dry_run=true", json=table, headers={"Idempotency-Key": "two words"})
    assert (refused.status, refused["code"]) == (400, "idempotency-key-invalid")


def test_a_dry_run_neither_reads_nor_writes_keys(api: Api) -> None:
    round_id = start_round(api)
    path = f"/v1/rounds/{round_id}/hands"
    assert post(api, f"{path}?dry_run=true", FIRST).status == 201
    assert "Idempotent-Replayed" not in post(api, path, FIRST).headers
    assert "Idempotent-Replayed" not in post(api, f"/v1/rounds/{round_id}/close?dry_run=true", {"reason": "x"}).headers


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("/v1/documents", "document"),
        ("/v1/tables/{table}/rounds", {"seats": [{"seat": at, "player": f"p{at}", "stack": 9} for at in (1, 2)]}),
        ("/v1/rounds/{round}/close", {"reason": "late"}),
        ("/v1/rounds/{round}/departures", {"seat": 3}),
    ],
)
def test_every_recording_operation_has_a_dry_run(api: Api, house: House, path: str, document: Any) -> None:
    table = _table(api)
    round_id = start_round(api, "pineapple-qq", name="den")
    api.post(f"/v1/rounds/{round_id}/hands", FIRST)
    if document == "document":
        document = {**api.get(f"/v1/rounds/{round_id}/document").document, "reference": "tried", "table": "attic"}
    before = house.count_records()
    response = api.post(path.format(table=table, round=round_id) + "?dry_run=true", document)
    assert response.status in (200, 201), response.document
    assert house.count_records() == before


@pytest.mark.parametrize(
    ("query", "code"),
    [("dry_run=yes", "not-a-boolean"), ("dry_run=true&dry_run=true", "field-twice"), ("dryrun=true", "field-unknown")],
)
def test_an_invalid_dry_run_parameter_is_rejected(api: Api, query: str, code: str) -> None:
    response = api.post(f"/v1/tables?{query}", {"name": "kitchen", "ruleset": "pineapple"})
    assert (response.status, response.codes) == (422, {code})


@pytest.mark.parametrize("accept", ["text/html", "application/xml;q=0.9", "image/*", "application/json;version=2;q=0"])
def test_requests_that_do_not_accept_json_are_not_acceptable(api: Api, accept: str) -> None:
    response = api.request("GET", "/v1/tables", headers={"Accept": accept})
    assert (response.status, response["code"]) == (406, "not-acceptable")


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "application/*",
        "application/json",
        "text/html, application/json;q=0.1",
        "application/json; charset=utf-8",
        "text/html;level=1, application/json;version=2;q=0.1",
    ],
)
def test_requests_that_accept_json_succeed(api: Api, accept: str) -> None:
    assert api.request("GET", "/v1/tables", headers={"Accept": accept}).status == 200


def _table(api: Api) -> str:
    return str(api.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple"})["id"])


def _lasting(response: Any) -> Any:
    """Return a response without its IDs and times."""
    return {name: value for name, value in response.items() if name not in ("id", "recorded_at")}
