"""Backups of a running service: they contain every confirmed commit, and `ofc-server verify` passes."""

import os
import re
import secrets
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from service.server.embedded.binaries import binary
from tests.support.database.postgres import Logins, Server, text_of
from tests.support.sample_rounds import COMPLETE, SIXES, dealt_again, seats
from tests.support.server_process import Running, command, running, wait_until

DOCS = (Path(__file__).parents[3] / "docs" / "operations.md").read_text(encoding="utf-8")
[BACKUP, DUMP, RESTORE] = re.findall(
    r"```sh\n(.*?)```", DOCS.partition("## Backup")[2].partition("\n## ")[0], re.DOTALL
)
CLIENTS = 3


def client_of(service: Running) -> httpx2.Client:
    key = (service.directory / "api-key").read_text().strip()
    headers = {"Authorization": f"Bearer {key}"}
    return httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False, verify=False)


@contextmanager
def under_load(client: httpx2.Client) -> Iterator[dict[str, Any]]:
    """Play rounds from several clients at once; yield the settlements of confirmed rounds, by round."""
    settlements, is_over, numbers = dict[str, Any](), list[bool](), count(1)

    def play() -> None:
        while not is_over:
            table = client.post("/v1/tables", json={"name": f"table {next(numbers)}", "ruleset": "pineapple"}).json()[
                "id"
            ]
            round_id = client.post(f"/v1/tables/{table}/rounds", json={"seats": seats(SIXES)}).json()["id"]
            for played in COMPLETE:
                assert client.post(f"/v1/rounds/{round_id}/hands", json=dealt_again(played)).status_code == 201
            settlements[round_id] = client.get(f"/v1/rounds/{round_id}/settlement").json()

    with ThreadPoolExecutor(CLIENTS) as pool:
        playing = [pool.submit(play) for _ in range(CLIENTS)]
        try:
            assert wait_until(lambda: len(settlements) >= CLIENTS, seconds=60)
            yield settlements
            enough = len(settlements) + CLIENTS
            assert wait_until(lambda: len(settlements) >= enough, seconds=60), "the service went on"
        finally:
            is_over.append(True)
            for each in playing:
                each.result()


def keep_checkpoint(client: httpx2.Client, file: Path) -> Path:
    """Create a checkpoint and store it outside of the service."""
    response = client.post("/v1/checkpoints", json={})
    assert response.status_code == 201, response.text
    file.write_text(client.get(f"/v1/checkpoints/{response.json()['id']}").text, encoding="utf-8")
    return file


def test_a_backup_under_load_is_a_valid_data_directory(tmp_path: Path) -> None:
    home, copy = tmp_path / "ofc", tmp_path / "backups"
    with running(home) as service, client_of(service) as client:
        with under_load(client) as settlements:
            checkpoint = keep_checkpoint(client, tmp_path / "home.checkpoint")
            before = dict(settlements)
            command_line = BACKUP.replace("/srv/ofc", str(home)).replace("/backups/2026-11-20", str(copy)).split()
            assert command_line[0] == "ofc-server"
            result = command(*command_line[1:])
        again = command(*command_line[1:])
    assert result.returncode == 0, result.stderr
    assert (again.returncode, again.stderr.count("\n")) == (1, 1)
    assert "already exists" in again.stderr
    assert sorted(os.listdir(tmp_path)) == ["backups", "home.checkpoint", "ofc"]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o700
    for name in ("api-key", "signing-key"):
        assert stat.S_IMODE((copy / name).stat().st_mode) == 0o600
        assert (copy / name).read_text() == (home / name).read_text()
    passed = command("verify", "--checkpoint", str(checkpoint), "--data", str(copy))
    assert passed.returncode == 0, passed.stdout + passed.stderr
    with running(copy) as restored, client_of(restored) as client:
        after = {each: client.get(f"/v1/rounds/{each}/settlement").json() for each in before}
        assert after == before
        assert client.post("/v1/tables", json={"name": "after", "ruleset": "pineapple"}).status_code == 201


def test_a_failed_backup_leaves_no_files(tmp_path: Path) -> None:
    nothing = command("backup", str(tmp_path / "copy"), "--data", str(tmp_path / "no such directory"))
    external = command("backup", str(tmp_path / "copy"), OFC_DATABASE_URL="postgresql:///ofc")
    assert (nothing.returncode, external.returncode) == (1, 1)
    assert "There are no records in" in nothing.stderr
    assert "back it up with pg_basebackup or pg_dump" in external.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def backup_login(server: Server) -> Iterator[str]:
    """Return the read-only login that docs/operations.md describes."""
    name = f"ofc_backup_{secrets.token_hex(4)}"
    server.execute(sql.SQL("CREATE ROLE {} LOGIN BYPASSRLS IN ROLE pg_read_all_data").format(sql.Identifier(name)))
    yield name
    server.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


def test_a_dump_of_an_external_postgresql_under_load_can_be_restored(
    tmp_path: Path, server: Server, logins: Logins, bare_logins: Logins, backup_login: str
) -> None:
    assert "BYPASSRLS IN ROLE pg_read_all_data" in DOCS
    variables = {
        "OFC_BACKUP_URL": text_of(make_url(logins.owner).set(username=backup_login)),
        "OFC_RESTORE_URL": bare_logins.owner,
    }
    (tmp_path / "backups").mkdir()
    login = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}
    with (
        running(tmp_path / "ofc", **login) as service,
        client_of(service) as client,
        under_load(client) as settlements,
    ):
        before = dict(settlements)
        run(DUMP, tmp_path, variables)
    run(RESTORE, tmp_path, variables)
    restored = {"OFC_DATABASE_URL": bare_logins.service, "OFC_OWNER_URL": bare_logins.owner}
    passed = command("verify", **restored)
    # All of it is as it was written; there is no checkpoint, without which a missing end cannot be detected.
    assert (passed.returncode, passed.stdout) == (3, ""), passed.stdout + passed.stderr
    with running(tmp_path / "ofc", **restored) as service, client_of(service) as client:
        assert {each: client.get(f"/v1/rounds/{each}/settlement").json() for each in before} == before
    with psycopg.connect(bare_logins.owner) as connection:
        grants = connection.execute(
            "SELECT count(*) FROM information_schema.role_table_grants WHERE grantee = 'ofc_service'"
        )
        assert grants.fetchone() != (0,)


def run(block: str, directory: Path, variables: dict[str, str]) -> None:
    """Run commands of the docs in a temporary directory."""
    path = f"{binary('pg_dump').parent}:{os.environ['PATH']}"
    block = block.replace("/backups", str(directory / "backups"))
    subprocess.run(["bash", "-euc", block], env={**os.environ, **variables, "PATH": path}, check=True)
