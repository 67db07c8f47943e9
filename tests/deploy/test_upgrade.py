"""A service is used, backed up, restored and upgraded from the last release; its history is as published."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.deploy.releases import find_earlier_commit, install_checkout, install_commit
from tests.service.commands.test_backups import client_of, keep_checkpoint
from tests.support.installation import Environment
from tests.support.sample_rounds import COMPLETE, SIXES, dealt_again, seats
from tests.support.server_process import Running

pytestmark = pytest.mark.verify


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("releases")


@pytest.fixture(scope="module")
def earlier(directory: Path) -> Environment:
    commit = find_earlier_commit()
    if commit is None:
        pytest.skip("this is no checkout of the repository")
    return install_commit(commit, directory / "earlier")


@pytest.fixture(scope="module")
def present(directory: Path) -> Environment:
    return install_checkout(directory / "present")


@contextmanager
def started(environment: Environment, data: Path) -> Iterator[httpx2.Client]:
    """Start the service of an environment, and yield a client with its first key."""
    program = [environment.directory / "bin" / "ofc-server"]
    service = Running(data, program=program, OFC_CONCURRENCY="1", OFC_ALLOW_DATA_LOSS="0")
    try:
        with client_of(service) as client:
            yield client
    finally:
        service.close()


def open_round(client: httpx2.Client, name: str) -> str:
    table = client.post("/v1/tables", json={"name": name, "ruleset": "pineapple"}).json()["id"]
    opened: str = client.post(f"/v1/tables/{table}/rounds", json={"seats": seats(SIXES)}).json()["id"]
    return opened


def post_hand(client: httpx2.Client, round_id: str, played: dict[str, Any]) -> None:
    response = client.post(f"/v1/rounds/{round_id}/hands", json=dealt_again(played))
    assert response.status_code == 201, response.text


def verify(environment: Environment, data: Path, *checkpoints: Path) -> "subprocess.CompletedProcess[str]":
    options = [part for checkpoint in checkpoints for part in ("--checkpoint", str(checkpoint))]
    return environment.run("ofc-server", "verify", *options, "--data", data)


def test_a_restored_backup_of_the_last_release_is_upgraded_and_goes_on(
    earlier: Environment, present: Environment, tmp_path: Path
) -> None:
    data, copy, restored = tmp_path / "data", tmp_path / "copy", tmp_path / "restored"
    with started(earlier, data) as client:
        complete, unfinished = open_round(client, "kitchen"), open_round(client, "parlour")
        for played in COMPLETE:
            post_hand(client, complete, played)
        post_hand(client, unfinished, COMPLETE[0])
        settlement = client.get(f"/v1/rounds/{complete}/settlement").json()
        published = keep_checkpoint(client, tmp_path / "published")
        backed_up = earlier.run("ofc-server", "backup", "--data", data, copy)
        assert backed_up.returncode == 0, backed_up.stderr
        post_hand(client, unfinished, COMPLETE[1])
        lost = keep_checkpoint(client, tmp_path / "lost")

    subprocess.run(["cp", "-a", copy, restored], check=True, timeout=60)
    with started(present, restored) as client:
        assert client.get(f"/v1/rounds/{complete}/settlement").json() == settlement
        assert client.get(f"/v1/rounds/{unfinished}").json()["hands"] == 1
        for played in COMPLETE[1:]:
            post_hand(client, unfinished, played)
        assert client.get(f"/v1/rounds/{unfinished}/settlement").status_code == 200
        upgraded = keep_checkpoint(client, tmp_path / "upgraded")

    passed = verify(present, restored, published, upgraded)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    contradicted = verify(present, restored, lost)
    assert (contradicted.returncode, "checkpoint-broken" in contradicted.stdout) == (1, True), contradicted.stdout
