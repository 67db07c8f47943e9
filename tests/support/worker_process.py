"""Runs `ofc-server worker` on any broker, and kills what it starts."""

import gzip
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tests.support.api_client import Api, ApiResponse
from tests.support.database.postgres import Logins
from tests.support.forked_process import Forked
from tests.support.sample_rounds import COMPLETE, Document, document_of
from tests.support.server_process import environment, wait_until

ENDED = ("succeeded", "failed", "cancelled")


class Working:
    """A worker that has printed that it is ready: `ofc-server worker`, or another command that starts one."""

    def __init__(
        self, logins: Logins, *, concurrency: int = 1, command: Sequence[str] | None = None, **variables: str
    ) -> None:
        self._log = tempfile.NamedTemporaryFile("a")  # noqa: SIM115 - closed with what writes into it
        env = environment(OFC_DATABASE_URL=logins.service, **variables)
        options, log = ["--concurrency", str(concurrency)], self._log.fileno()
        self.process = (
            Forked(["worker", *options], env, log, log)
            if command is None
            else subprocess.Popen([*command, *options], env=env, stdout=log, stderr=log, start_new_session=True)
        )
        count = 1 if command else concurrency + 1
        is_ready = wait_until(lambda: self.log.count("worker_ready") >= count or self.process.poll() is not None, 60)
        if not is_ready or self.process.poll() is not None:
            log = self.log
            self.close()
            raise AssertionError(log)

    @property
    def log(self) -> str:
        return Path(self._log.name).read_text()

    @property
    def children(self) -> list[psutil.Process]:
        """Its processes that work."""
        return psutil.Process(self.process.pid).children(recursive=True)

    @property
    def job_processes(self) -> list[psutil.Process]:
        """Those that work on chunks of jobs."""
        with suppress(psutil.NoSuchProcess):
            return [child for child in self.children if "jobs" in child.cmdline()]
        return []

    def kill(self) -> None:
        """Kill all of it at once."""
        # Its processes have sessions of their own, and those that die would be started again.
        os.killpg(self.process.pid, signal.SIGSTOP)
        for child in self.children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        """
        Stop it, and return its exit code.

        Raises:
            AssertionError: it does not end; the log contains what its threads do then.
        """
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            # Celery logs the stack of every thread.
            self.process.send_signal(signal.SIGUSR1)
            wait_until(lambda: "Thread" in self.log, 5)
            raise AssertionError(self.log) from None

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
        self._log.close()


@contextmanager
def working(logins: Logins, *, concurrency: int = 1, **variables: str) -> Iterator[Working]:
    worker = Working(logins, concurrency=concurrency, **variables)
    try:
        yield worker
    finally:
        worker.close()


def rounds_to_import(count: int, table: str = "kitchen") -> list[Document]:
    """Whole rounds of three hands each, each with a reference of its own."""
    return [document_of(table=table, hands=COMPLETE, reference=f"{table}/{number}") for number in range(1, count + 1)]


def lines_of(documents: Iterable[Any]) -> bytes:
    """Write documents as NDJSON; what is not one is written as it is."""
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in documents)


def post_import(api: Api, content: bytes, *, packed: bool = False, **headers: str) -> ApiResponse:
    """Send a file to import."""
    sent = {"Content-Type": "application/x-ndjson", **({"Content-Encoding": "gzip"} if packed else {}), **headers}
    return api.request("POST", "/v1/imports", data=gzip.compress(content) if packed else content, headers=sent)


def wait_for(
    api: Api, job: str, is_so: Callable[[ApiResponse], bool] | None = None, seconds: float = 60
) -> ApiResponse:
    """Wait until an import has ended, or something else is so of it."""
    responses: list[ApiResponse] = []

    def look() -> bool:
        responses[:] = [api.get(job)]
        assert responses[0].status == 200, responses[0]
        return is_so(responses[0]) if is_so else responses[0]["state"] in ENDED

    assert wait_until(look, seconds), responses
    return responses[0]


def results_of(api: Api, job: str) -> list[Document]:
    """What became of every line."""
    response = api.app.test_client().get(f"{job}/results", headers={"Authorization": f"Bearer {api.key}"})
    assert response.status_code == 200
    return [json.loads(line) for line in response.get_data(as_text=True).splitlines()]
