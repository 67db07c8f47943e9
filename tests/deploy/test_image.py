"""The image that `make image` builds: one container with the web server and its PostgreSQL, and one with a worker."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import uuid4

import httpx2
import pytest

from client.version import VERSION
from tests.support.client.run_ofc import EXAMPLES, clean_environment
from tests.support.server_process import wait_until

IMAGE: Final = f"localhost/tablestakes:{VERSION}"
PODMAN: Final = shlex.split(os.environ.get("PODMAN", "podman"))
"""The command, with options such as `--root DIR`."""
OPTIONS: Final = shlex.split(os.environ.get("PODMAN_RUN", ""))
"""More options of `podman run`, such as `--cgroups=disabled`."""
HARDENED: Final = ("--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges")
PORT: Final = "8473"
DATABASE: Final = "postgresql://ofc_service@/ofc?host=/data/socket&port=5432"


def podman(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command, env = [*PODMAN, *arguments], {**os.environ, **variables}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=env)


def is_built() -> bool:
    return shutil.which(PODMAN[0]) is not None and podman("image", "exists", IMAGE).returncode == 0


pytestmark = [
    pytest.mark.verify,
    pytest.mark.skipif(not is_built(), reason=f"podman or the image {IMAGE} is not here; `make image` builds it"),
]


def start(name: str, volume: str, *command: str, **variables: str) -> None:
    settings = [f"--env={key}={value}" for key, value in variables.items()]
    options = [*OPTIONS, *HARDENED, "--network=host", f"--volume={volume}:/data", f"--name={name}", *settings]
    started = podman("run", "--detach", *options, IMAGE, *command)
    assert started.returncode == 0, started.stderr


@pytest.fixture(scope="module")
def containers() -> Iterator[tuple[str, str]]:
    """The names of the containers of the web server and of the worker."""
    volume = f"ofc-test-{uuid4().hex[:8]}"
    web, worker = f"{volume}-web", f"{volume}-worker"
    try:
        start(web, volume, "up", "--concurrency", "0", OFC_HOST="127.0.0.1", OFC_PORT=PORT)
        assert wait_until(lambda: "Press Ctrl-C" in podman("logs", web).stdout, 120), podman("logs", web)
        start(worker, volume, "worker", OFC_DATABASE_URL=DATABASE, OFC_SIGNING_KEY_FILE="/data/signing-key")
        yield web, worker
    finally:
        podman("rm", "--force", "--time", "30", worker, web)
        podman("volume", "rm", "--force", volume)


def test_both_containers_become_healthy(containers: tuple[str, str]) -> None:
    for container in containers:
        check = ("exec", container, "python3", "/opt/tablestakes/healthcheck.py")
        assert wait_until(lambda check=check: podman(*check).returncode == 0), podman("logs", container)  # type: ignore[misc]  # bound at once


def test_they_run_as_a_user_without_rights_on_files_that_cannot_be_written(containers: tuple[str, str]) -> None:
    for container in containers:
        program = "import os; print(os.getuid(), os.access('/opt/tablestakes', os.W_OK), os.access('/etc', os.W_OK))"
        assert podman("exec", container, "python3", "-c", program).stdout.split() == ["10001", "False", "False"]


def test_a_round_is_recorded_and_the_worker_runs_the_periodic_tasks(
    containers: tuple[str, str], tmp_path: Path
) -> None:
    web, _ = containers
    key = podman("exec", web, "cat", "/data/api-key").stdout
    (tmp_path / "key").write_text(key)
    (tmp_path / "key").chmod(0o600)
    reached = clean_environment(OFC_URL=f"http://127.0.0.1:{PORT}", OFC_API_KEY_FILE=str(tmp_path / "key"))
    posted = subprocess.run(
        ["ofc", "post", EXAMPLES / "pineapple.json"],
        env=reached,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert posted.returncode == 0, posted.stderr

    def is_working() -> bool:
        status = podman("exec", web, "ofc-server", "status", "--json")
        return status.returncode == 0 and json.loads(status.stdout)["is_working"]

    assert wait_until(is_working, 120)
    assert httpx2.get(f"http://127.0.0.1:{PORT}/readyz", trust_env=False).status_code == 200
