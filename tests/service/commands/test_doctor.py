"""The command `ofc-server doctor`: what it finds, and what it shows for each problem."""

import json
import shutil
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from service.cli import main
from service.commands.checks import Check, CheckState, run_checks
from service.commands.checks.machine import check_disk, check_embedded_backup, check_https, check_web
from service.commands.checks.workers import LONGEST_AGES, check_checkpoints, check_jobs, check_records, check_webhooks
from service.config import Config, Hosting
from service.jobs.queries.backlog import Backlog
from service.worker import make_worker_app
from tests.support.application import Records, close_queue
from tests.support.certificates import Certificate, make_certificate
from tests.support.database.postgres import Logins

NAMES = [
    "configuration",
    *("database", "roles", "migrations", "schema", "durability", "clock"),
    *("broker", "workers", "beat", "jobs", "webhooks", "checkpoints", "records"),
    *("disk", "https", "web", "backups"),
]
CONFIG = Config("postgresql:///ofc")
HOSTING = Hosting.from_environment({})
IDLE = Backlog(
    jobs=0,
    queued_seconds=0.0,
    chunks=0,
    disputes=0,
    deliveries=0,
    delivery_seconds=0.0,
    failing_webhooks=0,
    waiting_events=0,
    unsigned_events=0,
    checkpoint_seconds=0.0,
    findings=0,
    connections=1,
    most_connections=100,
    database_bytes=1,
)


def problems(checks: list[Check]) -> dict[str, str]:
    return {check.name: check.line for check in checks if check.state is CheckState.PROBLEM}


def test_every_check_has_one_line_and_problems_set_the_exit_code(logins: Logins) -> None:
    service = {"OFC_DATABASE_URL": logins.service, "OFC_ALLOW_DATA_LOSS": "1"}
    done = CliRunner().invoke(main, ["doctor"], env=service)
    assert (done.exit_code, done.stderr) == (1, "")
    lines = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    assert [name for _, name, _ in lines] == NAMES
    assert {name for state, name, _ in lines if state == "problem"} == {"workers", "beat"}
    [workers] = [text for _, name, text in lines if name == "workers"]
    assert workers.startswith("No worker is active; started in the last 30 days: ")
    assert "Start `ofc-server up`" in workers
    shown = json.loads(CliRunner().invoke(main, ["doctor", "--json"], env=service).stdout)
    assert shown["is_ok"] is False
    assert [(check["state"], check["name"]) for check in shown["checks"]] == [(state, name) for state, name, _ in lines]
    assert all((check["state"] == "problem") <= bool(check["remedy"]) for check in shown["checks"])


@contextmanager
def environment_of(logins: Logins, **others: str) -> Iterator[dict[str, str]]:
    yield {"OFC_DATABASE_URL": logins.service, "OFC_ALLOW_DATA_LOSS": "1", **others}
    close_queue()


def test_a_service_with_active_workers_has_no_problem(logins: Logins, tmp_path: Path) -> None:
    with environment_of(logins, OFC_DATA=str(tmp_path)) as environment:
        record_runs(logins)
        assert problems(run_checks(environment)) == {}
        Records(logins.owner).change(
            "UPDATE shared.moments SET at = now() - interval '1 hour' WHERE name = 'grow_trees'"
        )
        assert problems(run_checks(environment)) == {
            "beat": "Periodic tasks that do not run: grow_trees (60 minutes ago). Start `ofc-server up`, or an"
            " `ofc-server worker`; if one runs, read its log."
        }


def record_runs(logins: Logins) -> None:
    for name in (*LONGEST_AGES, "worker room (jobs)"):
        Records(logins.owner).change("INSERT INTO shared.moments (name, at) VALUES (%s, now())", name)


def test_every_periodic_task_is_expected() -> None:
    scheduled = make_worker_app(replace(CONFIG, broker_url="redis://localhost")).conf.beat_schedule
    assert set(scheduled) == set(LONGEST_AGES)
    assert all(scheduled[name]["schedule"] * 2 < longest for name, longest in LONGEST_AGES.items())


@pytest.mark.parametrize(
    ("statement", "name", "sentence"),
    [
        ("ALTER TABLE rounds NO FORCE ROW LEVEL SECURITY", "schema", "`ofc-server verify` lists each difference."),
        ("UPDATE alembic_version SET version_num = '001'", "migrations", "run `ofc-server migrate`"),
        ("GRANT {owner} TO ofc_service", "roles", "expected tables of a role of which it is not a member"),
    ],
    ids=["schema", "migrations", "roles"],
)
def test_a_changed_database_is_a_problem_with_its_remedy(
    logins: Logins, tmp_path: Path, statement: str, name: str, sentence: str
) -> None:
    [(owner,)] = Records(logins.owner).query("SELECT current_user")
    change = statement.format(owner=owner)
    with environment_of(logins, OFC_DATA=str(tmp_path)) as environment:
        Records(logins.owner).change(change)
        assert sentence in problems(run_checks(environment))[name]
        if name == "roles":
            Records(logins.owner).change(f"REVOKE {owner} FROM ofc_service")


def test_an_unreachable_database_and_broker_are_problems_without_their_passwords(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{closed.getsockname()[1]}"
        environment = {
            "OFC_DATABASE_URL": f"postgresql://ofc:secret-1@{host}/ofc",
            "OFC_BROKER_URL": f"redis://:secret-2@{host}/0",
            "OFC_DATA": str(tmp_path),
        }
        checks = run_checks(environment)
    assert [check.name for check in checks] == NAMES
    by_name = problems(checks)
    assert set(by_name) == {"database", "broker"}
    assert "Start PostgreSQL, or correct OFC_DATABASE_URL." in by_name["database"]
    assert "correct OFC_BROKER_URL" in by_name["broker"]
    assert "secret" not in str(checks)


def test_an_invalid_configuration_comes_first(tmp_path: Path) -> None:
    checks = run_checks({"OFC_RATE_LIMIT": "many", "OFC_DATA": str(tmp_path)})
    assert [check.name for check in checks] == NAMES
    assert set(problems(checks)) == {"configuration"}
    assert "OFC_RATE_LIMIT is 'many'" in checks[0].line


def test_a_directory_without_records_is_a_problem(tmp_path: Path) -> None:
    checks = run_checks({"OFC_DATA": str(tmp_path)})
    assert [check.name for check in checks] == NAMES
    assert "There are no records in" in problems(checks)["database"]


@pytest.mark.parametrize(
    ("check", "changed", "sentence"),
    [
        (check_jobs, {"jobs": 1, "queued_seconds": 61.0}, "the oldest queued one has waited for 61 seconds."),
        (check_webhooks, {"deliveries": 2, "delivery_seconds": 300.0}, "the oldest one has been due for 5 minutes."),
        (check_webhooks, {"failing_webhooks": 1}, "endpoints that fail: 1."),
        (check_records, {"findings": 3}, "has 3 findings."),
        (
            lambda backlog: check_checkpoints(backlog, None),
            {"unsigned_events": 4, "checkpoint_seconds": 301.0},
            "the oldest checkpoint with later events is 5 minutes old. Start a worker with the key",
        ),
    ],
)
def test_what_waits_too_long_is_a_problem(check: Any, changed: dict[str, Any], sentence: str) -> None:
    assert check(IDLE).state is CheckState.OK
    result = check(replace(IDLE, **changed))
    assert result.state is CheckState.PROBLEM
    assert sentence in result.line


def test_an_unreadable_signing_key_is_a_problem(tmp_path: Path) -> None:
    check = check_checkpoints(IDLE, tmp_path / "signing-key")
    assert (check.state, check.remedy) == (CheckState.PROBLEM, "Without the key, no checkpoints are made.")


def test_a_full_disk_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    total = 100 * 2**30
    for free, state in ((6 * 2**30, CheckState.OK), (4 * 2**30, CheckState.PROBLEM)):
        usage = type(shutil.disk_usage(tmp_path))(total, total - free, free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _path, usage=usage: usage)
        assert check_disk(tmp_path).state is state


def test_an_old_backup_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").touch()
    assert check_embedded_backup(tmp_path).state is CheckState.OK
    for days, state in ((6, CheckState.OK), (8, CheckState.PROBLEM)):
        made_at = datetime.now(UTC) - timedelta(days=days)
        (tmp_path / "last-backup").write_text(made_at.isoformat())
        check = check_embedded_backup(tmp_path)
        assert check.state is state
        assert f"{days} days ago" in check.line


@pytest.mark.parametrize(
    ("url", "host", "state"),
    [
        ("", "127.0.0.1", CheckState.OK),
        ("", "0.0.0.0", CheckState.PROBLEM),
        ("http://localhost:8000", "127.0.0.1", CheckState.OK),
        ("http://club.example", "127.0.0.1", CheckState.PROBLEM),
    ],
)
def test_addresses_without_tls_are_problems_unless_only_this_machine_has_them(
    url: str, host: str, state: CheckState
) -> None:
    assert check_https(replace(CONFIG, public_url=url), replace(HOSTING, host=host)).state is state


@contextmanager
def encrypted_server(files: Certificate) -> Iterator[str]:
    """Serve a response of status 503 with a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    with context.wrap_socket(listener.accept()[0], server_side=True) as client:
                        if client.recv(4096):
                            client.sendall(b"HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n")
                except ssl.SSLError:
                    continue
                except OSError:
                    return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"https://localhost:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_the_certificate_and_the_readiness_of_the_public_address_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = make_certificate(tmp_path)
    with encrypted_server(files) as url:
        config = replace(CONFIG, public_url=url)
        refused = check_https(config, HOSTING)
        assert refused.state is CheckState.PROBLEM
        assert "is not valid: " in refused.line
        monkeypatch.setenv("SSL_CERT_FILE", str(files.authority))
        accepted = check_https(config, HOSTING)
        assert "is valid for" in accepted.line
        assert "/readyz has status 503" in check_web(config).line
    assert "does not respond" in check_web(config).line


def test_the_files_of_a_certificate_are_checked(tmp_path: Path) -> None:
    files = make_certificate(tmp_path)
    hosting = replace(HOSTING, host="0.0.0.0", tls=(files.certificate, files.key))
    assert check_https(CONFIG, hosting).state is CheckState.OK
    other = replace(hosting, tls=(files.certificate, make_certificate(tmp_path / "other").key))
    assert "does not belong to the certificate" in check_https(CONFIG, other).line
