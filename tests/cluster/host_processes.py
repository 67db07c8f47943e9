"""Processes on the hosts of the rig, with their logs."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.cluster.network import enter, find_processes


@dataclass
class HostProcess:
    """A program on a host that can be killed and started again."""

    name: str
    host: str
    command: Sequence[str | Path]
    environment: Mapping[str, str]
    logs: Path
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        assert not self.is_running, f"{self.name} runs"
        with (self.logs / f"{self.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*enter(self.host), *self.command],
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def stop(self, seconds: float = 40) -> None:
        """End it as its operator does."""
        self.send(signal.SIGTERM)
        assert self.process is not None
        self.process.wait(seconds)


def find_by_command(host: str, part: str) -> list[int]:
    """Return the processes of a host whose command line contains a text."""
    processes = []
    for pid in find_processes(host):
        with suppress(OSError):
            if part in Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                processes.append(pid)
    return processes


def send_each(processes: Sequence[int], number: signal.Signals) -> None:
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
