"""An archive of WAL restores the service to a moment, and checkpoints show what is lost then."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from service.server.embedded import Cluster
from tests.deploy.archived_cluster import (
    CLEAN,
    CONFIGURATION,
    INSTALL,
    PROGRAM,
    Archive,
    logins_of,
    query,
    read_moment,
)
from tests.service.commands import test_backups as backups
from tests.service.commands.test_backups import client_of, under_load
from tests.support.api_client import Api
from tests.support.application import SIGNING_KEY, house_on
from tests.support.sample_rounds import COMPLETE, play, start_round
from tests.support.server_process import command, running, wait_until


@dataclass(frozen=True)
class Played:
    """A history on both sides of a moment, with a checkpoint of each."""

    archive: Archive
    round_id: str
    moment: datetime
    earlier: Path
    later: Path


@dataclass(frozen=True)
class Moment:
    """A moment with a checkpoint that was published before it, and the settlements of rounds that had ended."""

    at: datetime
    checkpoint: Path
    settlements: dict[str, Any]


def keep_checkpoint(api: Api, file: Path) -> Path:
    checkpoint = api.post("/v1/checkpoints", {})["id"]
    file.write_text(api.get(f"/v1/checkpoints/{checkpoint}").text, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    directory = tmp_path_factory.mktemp("archived")
    archive = Archive(directory)
    with archive.primary() as cluster, house_on(logins_of(cluster)) as house:
        api = house.new_client()
        round_id = start_round(api)
        play(api, round_id, COMPLETE[0])
        archive.make_base_backup(cluster)
        play(api, round_id, COMPLETE[1])
        earlier = keep_checkpoint(api, directory / "earlier")
        moment = read_moment(cluster)
        play(api, round_id, COMPLETE[2])
        later = keep_checkpoint(api, directory / "later")
    return Played(archive, round_id, moment, earlier, later)


def verify(cluster: Cluster, *checkpoints: Path) -> tuple[int, list[str]]:
    """Return the exit code of `ofc-server verify`, and the kinds and tables of its findings."""
    logins, key = logins_of(cluster), cluster.home / "signing-key"
    key.write_text(SIGNING_KEY.secret)
    settings = {
        "OFC_DATABASE_URL": logins.service,
        "OFC_OWNER_URL": logins.owner,
        "OFC_SIGNING_KEY_FILE": str(key),
    }
    options = [part for checkpoint in checkpoints for part in ("--checkpoint", str(checkpoint))]
    ended = command("verify", "--json", *options, **settings)
    *findings, _summary = map(json.loads, ended.stdout.splitlines())
    return ended.returncode, [f"{finding['kind']} {finding['table']}" for finding in findings]


def count_hands(cluster: Cluster) -> object:
    return query(cluster, "SELECT count(*) FROM hands")


def test_a_restored_moment_has_all_before_it_and_contradicts_later_checkpoints(played: Played) -> None:
    with played.archive.restored("moment", played.moment) as cluster:
        assert count_hands(cluster) == 2
        assert verify(cluster, played.earlier) == (0, [])
        assert verify(cluster, played.later) == (1, ["checkpoint-broken tree_nodes"])


def test_the_archive_without_wal_before_the_base_backup_restores_everything(played: Played) -> None:
    before = {path.name for path in played.archive.wal.iterdir()}
    played.archive.run(CLEAN)
    assert {path.name for path in played.archive.wal.iterdir()} < before
    with played.archive.restored("everything", None) as cluster:
        assert count_hands(cluster) == 3
        assert verify(cluster, played.earlier, played.later) == (0, [])


@pytest.mark.verify
def test_any_moment_under_load_is_restored_also_after_the_server_was_killed(tmp_path: Path) -> None:
    archive, moments = Archive(tmp_path), list[Moment]()
    with archive.primary() as cluster:
        logins, signing_key = logins_of(cluster), tmp_path / "signing-key"
        signing_key.write_text(SIGNING_KEY.secret)
        settings = {
            "OFC_DATABASE_URL": logins.service,
            "OFC_OWNER_URL": logins.owner,
            "OFC_SIGNING_KEY_FILE": str(signing_key),
            "OFC_CONCURRENCY": "1",
        }
        with running(tmp_path / "ofc", **settings) as service, client_of(service) as client:
            with under_load(client) as settlements:
                archive.make_base_backup(cluster)
                for number in range(3):
                    finished = dict(settlements)
                    checkpoint = backups.keep_checkpoint(client, tmp_path / f"checkpoint-{number}")
                    moments.append(Moment(read_moment(cluster), checkpoint, finished))
                    assert wait_until(lambda finished=finished: len(settlements) >= len(finished) + 2)  # type: ignore[misc]  # bound at once
            segment = query(cluster, "SELECT pg_walfile_name(pg_switch_wal())")
            assert wait_until(lambda: (archive.wal / str(segment)).exists())
            archived = len(settlements)
            client.post("/v1/tables", json={"name": "lost", "ruleset": "pineapple"})
            lost = backups.keep_checkpoint(client, tmp_path / "lost")
        assert cluster.pid is not None
        os.kill(cluster.pid, signal.SIGKILL)
    key = (tmp_path / "ofc" / "api-key").read_text().strip()

    later = [*(moment.checkpoint for moment in moments[1:]), lost]
    for number, moment in enumerate(moments):
        with archive.restored(f"restored-{number}", moment.at) as cluster:
            assert verify(cluster, moment.checkpoint) == (0, [])
            assert verify(cluster, later[number]) == (1, ["checkpoint-broken tree_nodes"])
            with house_on(logins_of(cluster)) as house:
                api = Api(house.app, key)
                for round_id, settlement in moment.settlements.items():
                    assert api.get(f"/v1/rounds/{round_id}/settlement").document == settlement
    with archive.restored("everything", None) as cluster:
        assert verify(cluster, *(moment.checkpoint for moment in moments)) == (0, [])
        assert verify(cluster, lost) == (1, ["checkpoint-broken tree_nodes"])
        assert query(cluster, "SELECT count(*) FROM round_heads WHERE status = 'complete'") == archived


def archive_wal(segment: Path, target: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([PROGRAM, segment, target], capture_output=True, text=True, timeout=60, check=False)


def test_a_segment_is_archived_once_and_never_replaced(tmp_path: Path) -> None:
    segment, target = tmp_path / "segment", tmp_path / "target"
    segment.write_text("one")
    assert [archive_wal(segment, target).returncode for _ in range(2)] == [0, 0]
    segment.write_text("two")
    refused = archive_wal(segment, target)
    assert (refused.returncode, target.read_text()) == (1, "one")
    assert "exists with another content" in refused.stderr


def test_a_copy_that_was_interrupted_is_made_again(tmp_path: Path) -> None:
    segment, target = tmp_path / "segment", tmp_path / "target"
    segment.write_text("whole")
    (tmp_path / "target.part").write_text("wh")
    assert archive_wal(segment, target).returncode == 0
    assert (target.read_text(), (tmp_path / "target.part").exists()) == ("whole", False)
    assert archive_wal(segment, tmp_path / "missing" / "target").returncode != 0


def test_the_docs_install_the_files_where_the_configuration_expects_them() -> None:
    assert "deploy/postgresql/archive_wal.sh /usr/local/bin/" in INSTALL
    assert "/usr/local/bin/archive_wal.sh" in CONFIGURATION
    assert "/backups/wal/" in CONFIGURATION
