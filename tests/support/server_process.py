"""Runs `ofc-server up` and other commands in processes of their own, and reads the files that they leave."""

import atexit
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import httpx2
import psutil

from service.db import SERVICE_ROLE, migrate
from service.server.embedded import OWNER, Cluster
from tests.support.database.postgres import FORGETFUL
from tests.support.forked_process import Forked

COMMAND = [sys.executable, "-m", "service"]


class Running:
    """An `ofc-server up` that has printed that it is ready."""

    def __init__(
        self, directory: Path, *, program: Sequence[str | Path] = COMMAND, options: Sequence[str] = (), **variables: str
    ) -> None:
        self.directory = directory
        self._log = tempfile.NamedTemporaryFile("a")  # noqa: SIM115 - closed with what writes into it
        reading, writing = os.pipe()
        self._stdout = os.fdopen(reading, encoding="utf-8")
        arguments = ["up", "--port", "0", "--data", str(directory), *options]
        settings = environment(**variables)
        self.up: Forked | subprocess.Popen[bytes]
        if program is COMMAND:
            self.up = Forked(arguments, settings, writing, self._log.fileno())
        else:
            self.up = subprocess.Popen(
                [*program, *arguments],
                cwd=directory.parent,  # away from the modules of the checkout
                env=settings,
                stdout=writing,
                stderr=self._log,
                start_new_session=True,
            )
        os.close(writing)
        self.output = ""
        for line in self._stdout:
            self.output += line
            if "Ctrl-C" in line:
                break
        else:
            raise AssertionError(f"ofc-server up ended with {self.up.wait()} after saying: {self.output}{self.log}")
        self.url = re.findall(r"https?://\S+", self.output)[0]
        self.children = psutil.Process(self.up.pid).children(recursive=True)

    @property
    def log(self) -> str:
        """The stderr of the server and its web workers."""
        return Path(self._log.name).read_text()

    def close(self) -> None:
        """Stop it if it still runs, and delete its output."""
        if self.up.poll() is None:
            self.stop()
        self._stdout.close()
        self._log.close()

    def get(self, path: str) -> httpx2.Response:
        return httpx2.get(self.url + path, timeout=60, trust_env=False, verify=False)

    def child(self, name: str) -> psutil.Process:
        """A process that `up` itself has started."""
        child = self.child_if_any(name)
        assert child is not None, f"no {name} runs"
        return child

    def child_if_any(self, name: str) -> psutil.Process | None:
        """A process that `up` itself has started, or None where it is just not there."""
        for child in psutil.Process(self.up.pid).children():
            with suppress(psutil.NoSuchProcess):
                if name in " ".join(child.cmdline()[:4]):
                    return child
        return None

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Stop it and return its exit code."""
        self.up.send_signal(number)
        return self.up.wait(timeout=120)

    def left_over(self, seconds: float = 0) -> list[str]:
        """What still runs of all that `up` had started, after waiting for it to go."""
        _gone, alive = psutil.wait_procs(self.children, timeout=seconds)
        return [" ".join(one.cmdline()) for one in alive]


@contextmanager
def running(
    directory: Path, *, is_first: bool = False, program: Sequence[str | Path] = COMMAND, **variables: str
) -> Iterator[Running]:
    """Start it, where it is not to be the first start on files that the migrations have run on before."""
    if not (is_first or "OFC_DATABASE_URL" in variables or (directory / "postgres").exists()):
        directory.mkdir(mode=0o700, exist_ok=True)
        subprocess.run(["cp", "-a", made_files(), directory], check=True)
    service = Running(directory, program=program, **variables)
    try:
        yield service
    finally:
        service.close()


@cache
def made_files() -> Path:
    """The files of an embedded PostgreSQL as a first start makes them, which takes it as long as all else."""
    home = Path(tempfile.mkdtemp(prefix="ofc-suite-"))
    atexit.register(shutil.rmtree, home)
    with Cluster(home, FORGETFUL) as cluster:
        migrate(cluster.url(OWNER))
        cluster.allow_login(SERVICE_ROLE)
    return cluster.files


def command(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `ofc-server` to its end."""
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        process = Forked(arguments, environment(**variables), stdout.fileno(), stderr.fileno())
        try:
            code = process.wait(timeout=180)
        finally:
            process.kill()
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, code, stdout.read(), stderr.read())


def make_key(directory: Path, club: str) -> str:
    """Create a club, and return a key with all scopes."""
    for arguments in (("club", "create", club), ("key", "create", "--club", club)):
        done = command(*arguments, "--data", str(directory))
        assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def environment(**variables: str) -> dict[str, str]:
    """
    OFC_ variables of the tester do not matter; one worker starts fastest, none does jobs, tests send requests fast.

    The servers of the suite may lose records in a crash of the machine.
    """
    others = {name: text for name, text in os.environ.items() if not name.startswith("OFC_")}
    usual = {"OFC_WORKERS": "1", "OFC_CONCURRENCY": "0", "OFC_RATE_LIMIT": "0", "OFC_ALLOW_DATA_LOSS": "1"}
    return others | usual | variables


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
