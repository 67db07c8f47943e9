"""The service behind a connection pooler: it has its role and settings, or does not start."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import make_url, text

from service.app import create_app
from service.clubs.actions import create_club_with_key
from service.config import Config
from service.database_errors import DatabaseDenied
from service.db import SERVICE_ROLE, Database
from service.http.services import services_of
from tests.support.api_client import Api
from tests.support.application import Records, close_queue
from tests.support.database.poolers import NO_PGBOUNCER, PGBOUNCER, options_dropped, pgbouncer
from tests.support.database.postgres import Logins, text_of
from tests.support.sample_rounds import (
    COMPLETE,
    SIXES,
    dealt_again,
    document_of,
    play_to_the_end,
    seats,
    settlement_of,
    start_round,
)
from tests.support.server_process import command, running, wait_until

pytestmark = pytest.mark.thorough

NEEDS_PGBOUNCER = pytest.mark.skipif(PGBOUNCER is None, reason=NO_PGBOUNCER)
POOLERS = [
    "options dropped",
    pytest.param("session", marks=NEEDS_PGBOUNCER),
    pytest.param("transaction", marks=NEEDS_PGBOUNCER),
]
WATCHED = ("rounds", "hands", "jobs", "job_chunks", "import_pieces", "shared.kombu_message", "shared.moments")
AS_THE_SERVICE = (SERVICE_ROLE, "30s", "10s", "1min", "UTC")
EXPECTED = {("records", *AS_THE_SERVICE, "on"), ("messages", *AS_THE_SERVICE, "local")}
"""A message may be lost with the server, so it waits for no standby."""


@pytest.fixture(params=POOLERS)
def pooled(request: pytest.FixtureRequest, tmp_path: Path, logins: Logins) -> Iterator[Logins]:
    """Return a database behind a pooler that drops the startup `options`."""
    with ExitStack() as stack:
        if request.param == "options dropped":
            yield stack.enter_context(options_dropped(logins))
        else:
            yield stack.enter_context(pgbouncer(tmp_path, logins, request.param))


@contextmanager
def watched(logins: Logins) -> Iterator[set[tuple[str, ...]]]:
    """
    Record the role and the settings under which rows are written into some tables.

    The triggers are no part of the schema, so whatever checks that has to be done before.
    """
    records, rows = Records(logins.owner), set[tuple[str, ...]]()
    records.change(
        "CREATE TABLE worked (kind text, role text, a text, b text, c text, d text, e text, "
        "UNIQUE (kind, role, a, b, c, d, e))"
    )
    records.change("GRANT INSERT ON worked TO PUBLIC")
    records.change("""
        CREATE FUNCTION note_role() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO public.worked VALUES (
                CASE TG_TABLE_NAME WHEN 'kombu_message' THEN 'messages' ELSE 'records' END,
                current_user, current_setting('statement_timeout'), current_setting('lock_timeout'),
                current_setting('idle_in_transaction_session_timeout'),
                current_setting('timezone'), current_setting('synchronous_commit')) ON CONFLICT DO NOTHING;
            RETURN NULL;
        END $$
    """)
    for table in WATCHED:
        records.change(f"CREATE TRIGGER note_role AFTER INSERT ON {table} EXECUTE FUNCTION note_role()")
    yield rows
    rows |= set(records.query("SELECT * FROM worked"))


@pytest.mark.parametrize("login", ["owner", "service"])
def test_every_transaction_has_the_role_and_settings_of_the_service(logins: Logins, pooled: Logins, login: str) -> None:
    app = create_app(Config(getattr(pooled, login), pooled.owner, allow_data_loss=True))
    api = Api(app, create_club_with_key(pooled.owner, "home"))
    assert api.get("/readyz").status == 200
    with watched(logins) as rows:
        round_id = start_round(api)
        play_to_the_end(api, round_id)
        imported = api.request(
            "POST", "/v1/imports", data=json.dumps(document_of()), content_type="application/x-ndjson"
        )
        assert imported.status == 202
        assert settlement_of(api, round_id)["net"]
    close_queue()
    assert rows == EXPECTED
    services_of(app).database.close()


def test_the_service_works_behind_a_pooler(tmp_path: Path, logins: Logins, pooled: Logins) -> None:
    login = {"OFC_DATABASE_URL": pooled.owner, "OFC_CONCURRENCY": "1", "OFC_WORKERS": "2"}
    lines = [json.dumps(document_of(hands=COMPLETE, reference=str(number))) for number in range(40)]
    with running(tmp_path, **login) as service:
        assert service.get("/readyz").status_code == 200
        assert wait_until(lambda: "worker_ready" in service.log, seconds=60)
        headers = {"Authorization": f"Bearer {(tmp_path / 'api-key').read_text().strip()}"}
        with (
            watched(logins) as rows,
            httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False, verify=False) as client,
        ):
            kind = {"Content-Type": "application/x-ndjson"}
            job = client.post("/v1/imports", content="\n".join(lines), headers=kind).headers["Location"]
            with ThreadPoolExecutor(8) as pool:
                statuses = list(pool.map(lambda number: play_round(client, number), range(12)))
            assert set(statuses) == {(201, 201, 201, 201, 201)}
            assert wait_until(lambda: client.get(job).json()["state"] == "succeeded", seconds=60)
            assert client.get(job).json()["summary"]["rounds"] == len(lines)
        assert service.stop() == 0
    assert rows == EXPECTED


def play_round(client: httpx2.Client, number: int) -> tuple[int, ...]:
    """Play a complete round at a new table, and return the statuses of the responses."""
    table = client.post("/v1/tables", json={"name": f"table {number}", "ruleset": "pineapple"})
    opened = client.post(f"/v1/tables/{table.json()['id']}/rounds", json={"seats": seats(SIXES)})
    hands = [client.post(f"/v1/rounds/{opened.json()['id']}/hands", json=dealt_again(played)) for played in COMPLETE]
    return tuple(each.status_code for each in (table, opened, *hands))


def test_settings_of_the_operator_apply_where_options_are_dropped(logins: Logins) -> None:
    with options_dropped(logins) as dropped:
        options = {"options": r"-c lock_timeout=7s --search-path=public,\ pg_catalog -c role=none"}
        database = Database(text_of(make_url(dropped.owner).update_query_dict(options)))
        with database.outside_clubs() as connection:
            names = ("lock_timeout", "search_path", "role")
            values = [connection.scalar(text("SELECT current_setting(:name)"), {"name": name}) for name in names]
        database.close()
    assert values == ["7s", "public, pg_catalog", SERVICE_ROLE]


def test_a_transaction_without_the_role_of_the_service_fails(logins: Logins) -> None:
    records = Records(logins.owner)
    records.change(
        "CREATE FUNCTION set_config(text, text, boolean) RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT $2; END"
    )
    with options_dropped(logins) as dropped:
        # PostgreSQL's own function then comes after the one that does nothing.
        options = {"options": "-c search_path=public,pg_catalog"}
        records.change(f"ALTER DATABASE {make_url(logins.owner).database} SET search_path = public, pg_catalog")
        database = Database(text_of(make_url(dropped.owner).update_query_dict(options)))
        with pytest.raises(DatabaseDenied, match="the transaction works as"), database.outside_clubs():
            pass
        database.close()


@pytest.mark.parametrize(
    ("change", "back", "words"),
    [
        (
            f"ALTER ROLE {SERVICE_ROLE} BYPASSRLS",
            f"ALTER ROLE {SERVICE_ROLE} NOBYPASSRLS",
            f"ALTER ROLE {SERVICE_ROLE} NOSUPERUSER NOBYPASSRLS",
        ),
        (
            f"ALTER ROLE {SERVICE_ROLE} SUPERUSER",
            f"ALTER ROLE {SERVICE_ROLE} NOSUPERUSER",
            "is a superuser or bypasses row-level security",
        ),
        (
            f"ALTER TABLE hands OWNER TO {SERVICE_ROLE}",
            "ALTER TABLE hands OWNER TO CURRENT_USER",
            f"The role {SERVICE_ROLE} owns tables",
        ),
    ],
)
def test_a_role_with_too_many_rights_is_rejected(
    logins: Logins, tmp_path: Path, change: str, back: str, words: str
) -> None:
    app = create_app(Config(logins.service, allow_data_loss=True))
    api, records = Api(app, None), Records(logins.owner)
    assert api.get("/readyz").status == 200
    records.change(change)
    try:
        refused = api.get("/readyz")
        ended = command("worker", "--concurrency", "1", OFC_DATABASE_URL=logins.service)
        database = Database(logins.service)
        with pytest.raises(DatabaseDenied, match=words):
            database.check_head()
        database.close()
    finally:
        records.change(back)
        services_of(app).database.close()
    assert (refused.status, refused["code"]) == (503, "database-denied")
    assert ended.returncode == 1
    assert words in ended.stderr
    assert [line.startswith("Error: ") for line in ended.stderr.splitlines()] == [True]
    assert api.get("/readyz").status == 200
    services_of(app).database.close()


@NEEDS_PGBOUNCER
@pytest.mark.parametrize(
    ("mode", "ignored", "words"),
    [
        ("statement", "options", "transaction blocks not allowed in statement pooling mode"),
        ("session", "extra_float_digits", "`ignore_startup_parameters = options`"),
    ],
)
def test_an_unsupported_pooler_is_rejected(tmp_path: Path, logins: Logins, mode: str, ignored: str, words: str) -> None:
    with pgbouncer(tmp_path, logins, mode, ignored) as pooled:
        # The owner's login takes the direct way, so that migrations are not what fails.
        login = {"OFC_DATABASE_URL": pooled.service, "OFC_OWNER_URL": logins.owner}
        ended = command("up", "--port", "0", "--data", str(tmp_path / "ofc"), **login)
        app = create_app(Config(pooled.service))
        assert Api(app, None).get("/readyz").status == 503
        services_of(app).database.close()
    assert ended.returncode == 1
    assert words in ended.stderr
    assert [line.startswith("Error: ") for line in ended.stderr.splitlines()] == [True]
