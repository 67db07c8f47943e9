"""`ofc-server verify` on a stopped service reads what is there, and changes nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, LiteralString

import psycopg
import pytest

from service.clubs.actions import create_club
from service.db import SERVICE_ROLE, Database, migrate
from service.db.migrations import newest_revision
from service.server.embedded import OWNER, Cluster
from tests.support.database.postgres import FORGETFUL
from tests.support.server_process import command

GRANT = "GRANT UPDATE, DELETE ON hands, events, api_keys TO ofc_service"
PRIVILEGES = """
    SELECT relname, privilege_type FROM pg_class, aclexplode(relacl)
    WHERE relname IN ('hands', 'events', 'api_keys') AND grantee = 'ofc_service'::regrole ORDER BY 1, 2
"""


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """The data directory of a stopped service with one club."""
    with Cluster(tmp_path / "ofc", FORGETFUL) as cluster:
        migrate(cluster.url(OWNER))
        cluster.allow_login(SERVICE_ROLE)
        owner = Database(cluster.url(OWNER), role=None)
        create_club(owner, "home")
        owner.close()
    return cluster.home


@contextmanager
def administrator(directory: Path) -> Iterator[psycopg.Connection[Any]]:
    """Connect to the database of a stopped service, as an administrator with the files can."""
    with Cluster(directory, FORGETFUL) as cluster, psycopg.connect(cluster.url(OWNER)) as connection:
        yield connection


def query(directory: Path, statement: LiteralString) -> list[Any]:
    with administrator(directory) as connection:
        return connection.execute(statement).fetchall()


def verify(directory: Path, *arguments: str) -> CompletedProcess[str]:
    return command("verify", "--data", str(directory), *arguments)


def test_privileges_that_were_granted_are_found_and_remain(stopped: Path) -> None:
    with administrator(stopped) as connection:
        connection.execute(GRANT)
    before = query(stopped, PRIVILEGES)
    result = verify(stopped)
    assert result.returncode == 1
    for privilege in ("DELETE", "UPDATE"):
        for table in ("api_keys", "events", "hands"):
            assert f"schema-surplus: grant name={privilege} on table public.{table} to ofc_service" in result.stdout
    assert query(stopped, PRIVILEGES) == before
    assert verify(stopped).stdout == result.stdout


@pytest.mark.parametrize("arguments", [("key", "list"), ("club", "list"), ("status",), ("up", "--port", "0")])
def test_no_other_command_removes_the_trace_of_a_granted_privilege(stopped: Path, arguments: tuple[str, ...]) -> None:
    with administrator(stopped) as connection:
        connection.execute(GRANT)
    before = query(stopped, PRIVILEGES)
    ended = command(*arguments, "--data", str(stopped))
    assert ended.returncode == (1 if arguments[0] == "up" else 0), ended.stderr
    assert query(stopped, PRIVILEGES) == before


def test_a_directory_of_another_release_is_reported_and_left_as_it_is(stopped: Path) -> None:
    with administrator(stopped) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '001'")
    refused = verify(stopped)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f" has revision 001; expected revision {newest_revision()}: " in refused.stderr
    assert "or `ofc-server up` for the embedded PostgreSQL" in refused.stderr
    assert query(stopped, "SELECT version_num FROM alembic_version") == [("001",)]


def test_the_result_is_stored_only_with_its_option(stopped: Path) -> None:
    assert "0 findings" in verify(stopped).stderr
    assert query(stopped, "SELECT count(*) FROM verifications") == [(0,)]
    assert "0 findings" in verify(stopped, "--store-result").stderr
    assert query(stopped, "SELECT events, findings FROM verifications") == [(1, 0)]


def test_verification_leaves_no_transaction_that_wrote(stopped: Path) -> None:
    counter = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
    [(before,)] = query(stopped, counter)
    [(between,)] = query(stopped, counter)
    verify(stopped)
    [(after,)] = query(stopped, counter)
    assert after - between == between - before, "verification took the number of a transaction that writes"
