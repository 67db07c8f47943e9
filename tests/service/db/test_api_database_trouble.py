"""Errors of the database over HTTP."""

import socket
from collections.abc import Iterator

import psycopg
import pytest
from flask import Flask
from sqlalchemy import make_url

from service.app import create_app
from service.clubs.actions import create_club_with_key
from service.config import Config
from service.http.services import services_of
from tests.support.api_client import Api
from tests.support.application import House, Records
from tests.support.database.postgres import Logins, text_of
from tests.support.log_capture import Log
from tests.support.sample_rounds import OPEN_TO_ALL, operations


@pytest.fixture
def homeless() -> Iterator[Flask]:
    """Return an application whose database is unreachable."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    app = create_app(Config(f"postgresql://ofc:hush-hush@127.0.0.1:{port}/ofc"))
    yield app
    services_of(app).database.close()


def test_an_unreachable_database_is_unavailable(homeless: Flask, log: Log) -> None:
    api = Api(homeless, "ofc_any")
    for method, path, name in operations(api):
        if name not in OPEN_TO_ALL:
            response = api.request(method, path)
            assert response.status == 503
            assert response["code"] == "database-unavailable"
            assert response["detail"] == "Nothing was stored. Retry the request later."
    assert api.get("/readyz").status == 503
    assert "127.0.0.1" in log.getvalue(), "the operator's log says which database it is"
    assert "hush-hush" not in log.getvalue()


def test_operations_without_a_database_work_when_it_is_unreachable(homeless: Flask) -> None:
    nobody = Api(homeless, None)
    assert nobody.get("/healthz")["status"] == "ok"
    assert nobody.get("/openapi.yaml").status == 200
    assert len(nobody.get("/v1/rulesets")["rulesets"]) == 21
    assert nobody.get("/v1/tables").status == 401, "a key is missing, whatever the database does"


def test_a_database_without_tables_needs_migrations(bare_logins: Logins) -> None:
    app = create_app(Config(bare_logins.owner))
    api = Api(app, "ofc_any")
    for path in ("/v1/tables", "/readyz"):
        response = api.get(path)
        assert response.status == 503
        assert response["code"] == "database-behind"
        assert "ofc-server migrate" in response["detail"]
    services_of(app).database.close()


def test_a_database_is_used_again_after_an_outage(logins: Logins, house: House) -> None:
    app = create_app(Config(logins.service, logins.owner))
    api = Api(app, create_club_with_key(logins.owner, "home"))
    assert api.get("/v1/tables").status == 200
    house.query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
        logins.service.rpartition("/")[2].partition("?")[0],
    )
    assert api.get("/v1/tables").status == 200
    services_of(app).database.close()


def test_an_unhandled_exception_exposes_no_internals(logins: Logins, log: Log) -> None:
    app = create_app(Config(logins.service, logins.owner))
    key = create_club_with_key(logins.owner, "home")
    records = Records(logins.owner)
    records.change("CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''the inner''; END'")
    records.change("CREATE TRIGGER fail BEFORE INSERT ON tables FOR EACH ROW EXECUTE FUNCTION fail()")
    table = {"name": "kitchen", "ruleset": "pineapple"}
    response = app.test_client().post("/v1/tables", json=table, headers={"Authorization": f"Bearer {key}"})
    assert response.status_code == 500
    assert response.content_type == "application/problem+json"
    problem = response.get_json(force=True)
    assert problem["code"] == "internal-error"
    assert problem["request_id"] == response.headers["Request-Id"]
    assert problem["request_id"] in log.getvalue()
    assert "the inner" in log.getvalue()
    assert "the inner" not in response.get_data(as_text=True)
    services_of(app).database.close()


def test_a_read_only_database_is_read_and_rejects_changes(logins: Logins, log: Log) -> None:
    key = create_club_with_key(logins.owner, "home")
    name = logins.owner.rpartition("/")[2].partition("?")[0]
    Records(logins.owner).change(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    app = create_app(Config(logins.service, logins.owner))
    api = Api(app, key)
    assert api.get("/v1/tables").status == 200, "the first use of the key cannot be noted"
    new_table = {"name": "kitchen", "ruleset": "pineapple"}
    for response in (api.post("/v1/tables", new_table), api.get("/readyz")):
        assert (response.status, response["code"], response["title"]) == (
            503,
            "database-read-only",
            "Database is read-only",
        )
        assert response["detail"].startswith("Nothing was stored: the database accepts no changes at present.")
    assert "is read-only: an administrator can change `default_transaction_read_only`" in log.getvalue()
    services_of(app).database.close()


def test_a_statement_that_takes_too_long_is_no_conflict(logins: Logins) -> None:
    key = create_club_with_key(logins.owner, "home")
    slow = make_url(logins.service).update_query_dict({"options": "-c statement_timeout=300ms"})
    app = create_app(Config(text_of(slow), logins.owner))
    api = Api(app, key)
    with psycopg.connect(logins.owner) as other:
        other.execute("LOCK TABLE tables")
        for response in (api.get("/v1/tables"), api.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple"})):
            assert (response.status, response["code"]) == (503, "statement-timeout")
    assert api.get("/v1/tables").status == 200
    services_of(app).database.close()
