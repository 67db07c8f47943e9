"""Authentication over HTTP: keys, clubs and public operations."""

import json
import re

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    NOBODYS,
    OPEN_TO_ALL,
    THREE,
    hand,
    operations,
    start_round,
)


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "key-missing"),
        ("", "key-missing"),
        ("Bearer", "key-missing"),
        ("Bearer ", "key-missing"),
        ("Basic b2ZjOm9mYw==", "key-missing"),
        ("Basic !!!", "key-missing"),
        ("ofc_of_nobody", "key-missing"),
        ("Bearer ofc_of_nobody", "key-unknown"),
        ("Bearer ofc_of_nobody more", "key-unknown"),
        ("Bearer key=ofc_of_nobody", "key-missing"),
        ("Bearer " + "k" * 8000, "key-unknown"),
        ("Bearer kéy", "key-unknown"),
    ],
)
def test_requests_without_a_valid_key_are_unauthorized(nobody: Api, header: str | None, code: str) -> None:
    headers = {} if header is None else {"Authorization": header}
    for method, path in (("GET", "/v1/tables"), ("POST", "/v1/score"), ("GET", f"/v1/rounds/{NOBODYS}")):
        response = nobody.request(method, path, headers=headers)
        assert response.status == 401
        assert response["code"] == code
        assert response.headers["WWW-Authenticate"] == "Bearer"
        assert "ofc_of_nobody" not in json.dumps(response.document)
    for path in ("/v1/rulesets", "/v1/rulesets/pineapple"):
        response = nobody.request("GET", path, headers=headers)
        assert response.status == (401 if header else 200), "an invalid key is refused"


def test_the_authorization_scheme_is_case_insensitive(api: Api, nobody: Api) -> None:
    for scheme in ("bearer", "BEARER"):
        assert nobody.request("GET", "/v1/tables", headers={"Authorization": f"{scheme} {api.key}"}).status == 200


def test_a_revoked_key_is_unauthorized(api: Api, house: House) -> None:
    assert api.get("/v1/tables").status == 200
    house.change("UPDATE api_keys SET revoked_at = now() WHERE secret_sha256 = sha256(%s)", str(api.key).encode())
    for path in ("/v1/tables", "/v1/rulesets"):
        response = api.get(path)
        assert response.status == 401
        assert response["code"] == "key-unknown"
        assert "or revoked" in response["detail"]


def test_only_public_operations_work_without_a_key(nobody: Api) -> None:
    statuses = {name: nobody.request(method, path).status for method, path, name in operations(nobody)}
    assert {name for name, status in statuses.items() if status != 401} == OPEN_TO_ALL


def test_records_of_another_club_are_not_found(api: Api, other_api: Api) -> None:
    round_id = start_round(api)
    played = api.post(f"/v1/rounds/{round_id}/hands", hand(1, 1, THREE))
    table = played["round"]["table"]
    paths = [
        f"/v1/tables/{table}",
        f"/v1/rounds/{round_id}",
        f"/v1/rounds/{round_id}/hands",
        f"/v1/rounds/{round_id}/settlement",
        f"/v1/rounds/{round_id}/document",
        f"/v1/hands/{played['id']}",
    ]
    for path in paths:
        assert api.get(path).status == 200
        theirs, nobodys = other_api.get(path), other_api.get(re.sub(r"[0-9a-f-]{36}", NOBODYS, path))
        assert theirs.status == nobodys.status == 404
        assert theirs["detail"].replace(path.split("/")[3], "") == nobodys["detail"].replace(NOBODYS, "")
    for path in ("/v1/tables", "/v1/rounds", f"/v1/rounds?table={table}", "/v1/rounds?player=ann"):
        assert next(iter(other_api.get(path).document.values())) == []
