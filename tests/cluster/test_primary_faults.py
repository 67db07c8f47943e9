"""The primary of PostgreSQL is lost, in each way: what was acknowledged is on the standby that follows."""

import os
import signal
from pathlib import Path
from typing import Final

import pytest

from tests.cluster.host_processes import find_by_command, send_each
from tests.cluster.network import cut, heal
from tests.cluster.rig import SERVERS
from tests.cluster.scene import Scene

pytestmark = pytest.mark.cluster
TTL: Final = 20
FAILOVER_SECONDS: Final = TTL + 5


def read_postmaster(data: Path) -> int:
    return int((data / "postmaster.pid").read_text().splitlines()[0])


def test_a_switchover_loses_nothing(scene: Scene) -> None:
    primary = scene.rig.find_primary()
    candidate = scene.rig.find_standbys()[0]
    result = scene.run("switchover", lambda: scene.rig.switch_over(primary, candidate), lambda: None)
    assert result.unanswered == 0
    assert scene.rig.find_primary() == candidate


def test_a_killed_postgresql_loses_nothing(scene: Scene) -> None:
    postmaster = read_postmaster(scene.rig.data_folder(scene.rig.find_primary()))
    result = scene.run("PostgreSQL of the primary killed", lambda: os.kill(postmaster, signal.SIGKILL), lambda: None)
    assert result.unanswered == 0
    assert result.seconds <= FAILOVER_SECONDS


def test_a_killed_host_of_the_primary_loses_nothing(scene: Scene) -> None:
    primary = scene.rig.find_primary()

    def end_host() -> None:
        cut(primary)
        scene.rig.kill_host(primary)

    def start_host() -> None:
        heal(primary)
        scene.rig.start_host(primary)

    result = scene.run("host of the primary lost", end_host, start_host)
    assert result.unanswered == 0
    assert result.seconds <= FAILOVER_SECONDS


def test_a_primary_that_is_cut_off_loses_nothing(scene: Scene) -> None:
    primary = scene.rig.find_primary()
    result = scene.run("host of the primary cut off", lambda: cut(primary), lambda: heal(primary))
    assert result.unanswered == 0
    assert result.seconds <= FAILOVER_SECONDS


def test_a_frozen_primary_loses_nothing(scene: Scene) -> None:
    primary = scene.rig.find_primary()
    frozen: list[int] = []

    def freeze() -> None:
        frozen.extend(find_by_command(primary, "postgres"))
        send_each(frozen, signal.SIGSTOP)

    result = scene.run("PostgreSQL of the primary frozen", freeze, lambda: send_each(frozen, signal.SIGCONT))
    assert result.unanswered == 0


def test_commits_that_no_standby_confirms_are_refused(scene: Scene) -> None:
    receivers: list[int] = []

    def freeze() -> None:
        standbys = [server for server in SERVERS if server != scene.rig.find_primary()]
        receivers.extend(pid for server in standbys for pid in find_by_command(server, "walreceiver"))
        assert len(receivers) == 2
        send_each(receivers, signal.SIGSTOP)

    result = scene.run("no standby confirms for 40 s", freeze, lambda: send_each(receivers, signal.SIGCONT), lasts=40)
    assert result.unanswered == 0
    assert result.refused > 0
