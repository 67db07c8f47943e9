"""PostgreSQL servers that can lose commits, or are read-only."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from service.app import create_app
from service.config import Config
from service.db import SERVICE_ROLE, Database
from service.http.services import services_of
from service.server.embedded import OWNER, Cluster
from tests.support.api_client import Api
from tests.support.application import Records
from tests.support.database.postgres import Logins, text_of
from tests.support.server_process import command, made_files

READ_ONLY = ("is a standby", "is read-only")


@pytest.mark.parametrize(
    ("requested", "setting"), [(None, "on"), ("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")]
)
def test_commits_are_synchronous(logins: Logins, requested: str | None, setting: str) -> None:
    [(default,)] = Records(logins.owner).query("SELECT current_setting('synchronous_commit')")
    assert default == "off", "what the server says for itself"
    options = {"options": f"-c synchronous_commit={requested}"} if requested else {}
    database = Database(text_of(make_url(logins.service).update_query_dict(options)))
    with database.outside_clubs() as connection:
        assert connection.scalar(text("SELECT current_setting('synchronous_commit')")) == setting
    database.close()


@pytest.mark.parametrize("arguments", [("up", "--port", "0"), ("worker", "--concurrency", "1")], ids=" ".join)
def test_commands_reject_an_unsafe_server_unless_allowed(
    logins: Logins, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    data = ("--data", str(tmp_path / "ofc")) if arguments[0] == "up" else ()
    login = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}
    refused = command(*arguments, *data, **login, OFC_ALLOW_DATA_LOSS="0")
    assert refused.returncode == 1
    check_sentence(refused.stderr, "runs with fsync = off and full_page_writes = off")
    assert "OFC_ALLOW_DATA_LOSS=1" in refused.stderr
    assert not (tmp_path / "ofc").exists()


def test_readyz_rejects_an_unsafe_server_unless_allowed(logins: Logins) -> None:
    for allowed, status in ((False, 503), (True, 200)):
        app = create_app(Config(logins.service, allow_data_loss=allowed))
        assert Api(app, None).get("/readyz").status == status
        services_of(app).database.close()


def test_allow_data_loss_is_0_or_1() -> None:
    refused = command("migrate", OFC_DATABASE_URL="postgresql:///ofc", OFC_ALLOW_DATA_LOSS="yes")
    check_sentence(refused.stderr, "OFC_ALLOW_DATA_LOSS is 'yes'; expected an integer from 0 to 1.")


def test_status_shows_the_durability_of_the_database(logins: Logins) -> None:
    login = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}
    shown = json.loads(command("status", "--json", **login).stdout)["database"]
    assert shown == {
        "fsync": "off",
        "full_page_writes": "off",
        "synchronous_commit": "on",
        "default_synchronous_commit": "off",
        "standby": False,
        "read_only": False,
    }
    output = command("status", **login).stderr
    assert "fsync = off, full_page_writes = off, synchronous_commit = on (set by the service; the default" in output
    assert "A crash of the database can lose committed records: fsync and full_page_writes must be on." in output


@pytest.fixture(scope="module")
def standby(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a standby of a primary that sends nothing."""
    with Cluster(make_standby(tmp_path_factory.mktemp("standby"))) as cluster:
        yield cluster


def make_standby(home: Path) -> Path:
    """Create the data directory of a standby."""
    shutil.copytree(made_files(), home / "postgres")
    owner = made_files().stat()
    for path in (home / "postgres", *(home / "postgres").rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
    # A standby must allow as many connections as its primary last did.
    with Cluster(home):
        pass
    (home / "postgres" / "standby.signal").touch()
    return home


@pytest.mark.parametrize(
    "arguments",
    [
        ("up", "--port", "0"),
        ("worker", "--concurrency", "1"),
        ("club", "create", "riverside"),
        ("key", "create", "--club", "home", "--name", "tablet"),
    ],
    ids=" ".join,
)
def test_commands_that_write_reject_a_standby(standby: Cluster, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    data = ("--data", str(tmp_path)) if arguments[0] == "up" else ()
    login = {"OFC_DATABASE_URL": standby.url(SERVICE_ROLE), "OFC_OWNER_URL": standby.url(OWNER)}
    refused = command(*arguments, *data, **login)
    assert refused.returncode == 1
    if arguments[0] != "key":  # whose club is not there
        check_sentence(refused.stderr, *READ_ONLY)


@pytest.mark.parametrize("arguments", [("club", "list"), ("key", "list"), ("status",), ("migrate",)], ids=" ".join)
def test_commands_that_read_work_on_a_standby(standby: Cluster, arguments: tuple[str, ...]) -> None:
    login = {"OFC_DATABASE_URL": standby.url(SERVICE_ROLE), "OFC_OWNER_URL": standby.url(OWNER)}
    done = command(*arguments, **login)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    if arguments == ("status",):
        assert "The database is read-only, as a standby is." in done.stderr


def test_up_rejects_embedded_files_of_a_standby(tmp_path: Path) -> None:
    refused = command("up", "--port", "0", "--data", str(make_standby(tmp_path)))
    assert refused.returncode == 1
    check_sentence(refused.stderr, *READ_ONLY)


@pytest.mark.parametrize(
    "arguments",
    [("up", "--port", "0"), ("worker", "--concurrency", "1"), ("club", "create", "riverside")],
    ids=" ".join,
)
def test_a_read_only_database_is_rejected(logins: Logins, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    Records(logins.owner).change(
        f"ALTER DATABASE {make_url(logins.owner).database} SET default_transaction_read_only = on"
    )
    data = ("--data", str(tmp_path)) if arguments[0] == "up" else ()
    refused = command(*arguments, *data, OFC_DATABASE_URL=logins.service, OFC_OWNER_URL=logins.owner)
    assert refused.returncode == 1
    check_sentence(refused.stderr, "is read-only")


def test_a_read_only_database_without_tables_is_not_migrated(bare_logins: Logins) -> None:
    Records(bare_logins.owner).change(
        f"ALTER DATABASE {make_url(bare_logins.owner).database} SET default_transaction_read_only = on"
    )
    refused = command("migrate", OFC_DATABASE_URL=bare_logins.owner)
    assert refused.returncode == 1
    check_sentence(refused.stderr, "is read-only")


def check_sentence(stderr: str, *words: str) -> None:
    """Check that stderr is one line with one of these texts."""
    [line] = stderr.splitlines()
    assert line.startswith("Error: ")
    assert any(each in line for each in words), line
