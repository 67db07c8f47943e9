"""`ofc-server verify` on a database of which a block on disk is damaged."""

import json
import subprocess
from pathlib import Path

import psycopg
import pytest

from service.audit_trail.actions import make_checkpoint
from service.db import SERVICE_ROLE
from service.server.embedded import OWNER, Cluster
from tests.support.application import SIGNING_KEY, house_on
from tests.support.database.postgres import FORGETFUL, Logins
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import COMPLETE, play, start_round
from tests.support.server_process import command, made_files

BLOCK = 8192


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a database in which a club has played two rounds."""
    directory = tmp_path_factory.mktemp("played") / "ofc"
    directory.mkdir(mode=0o700)
    subprocess.run(["cp", "-a", made_files(), directory], check=True)
    with Cluster(directory, FORGETFUL) as cluster:
        logins = Logins(owner=cluster.url(OWNER), service=cluster.url(SERVICE_ROLE))
        with house_on(logins) as house:
            api = house.new_client()
            for table in ("kitchen", "garden"):
                play(api, start_round(api, name=table), *COMPLETE)
            with database_of(house).transaction(club_of(house, api)) as transaction:
                make_checkpoint(transaction, SIGNING_KEY)
    return directory


@pytest.fixture
def stopped(played: Path, tmp_path: Path) -> Path:
    """The same, for a test to damage."""
    directory = tmp_path / "ofc"
    subprocess.run(["cp", "-a", played, directory], check=True)
    return directory


def damage(directory: Path, table: str) -> None:
    """Flip one bit in the first block of a table, while nobody runs the database."""
    with Cluster(directory, FORGETFUL) as cluster, psycopg.connect(cluster.url(OWNER)) as connection:
        connection.execute("CHECKPOINT")
        [(path, size)] = connection.execute(
            "SELECT pg_relation_filepath(%s), pg_relation_size(%s)", [table, table]
        ).fetchall()
    assert size >= BLOCK
    [file] = directory.rglob(path)
    content = bytearray(file.read_bytes())
    content[BLOCK - 100] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("table", ["hand_scores", "rounds", "events", "clubs", "tree_nodes"])
def test_a_damaged_block_is_reported_and_the_others_are_verified(stopped: Path, table: str) -> None:
    damage(stopped, table)
    result = command("verify", "--json", "--data", str(stopped))
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    *findings, summary = map(json.loads, result.stdout.splitlines())
    pages = [finding for finding in findings if finding["kind"] == "page-unreadable"]
    assert {(page["table"], page["key"]["block"]) for page in pages} == {(table, 0)}
    if table in ("hand_scores", "rounds"):
        unread = [finding for finding in findings if finding["kind"] == "record-unreadable"]
        assert len(unread) == 2, "both rounds have records in the block"
    assert summary["summary"]["found"]["page-unreadable"] >= 1


def test_a_sound_database_has_no_finding(stopped: Path) -> None:
    result = command("verify", "--data", str(stopped))
    assert result.stdout == ""
    assert result.returncode == 3, "only the checkpoint is missing"
