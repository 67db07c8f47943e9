"""Runs `ofc witness` in processes of their own."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from evidence import VerifierKey
from evidence.cosignatures import CosigningKey
from evidence.witness import Submission
from tests.evidence.witness_logs import ORIGIN


@dataclass
class WitnessProcess:
    """An `ofc witness serve` that listens."""

    process: subprocess.Popen[str]
    url: str

    def send(self, submission: Submission) -> httpx2.Response:
        return self.post(submission.written.encode())

    def post(self, body: bytes) -> httpx2.Response:
        return httpx2.post(f"{self.url}/add-checkpoint", content=body, timeout=30, trust_env=False)

    def get(self, path: str) -> httpx2.Response:
        return httpx2.get(self.url + path, timeout=30, trust_env=False)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=30)


@dataclass
class WitnessFiles:
    """The configuration of a witness of one log, and both keys."""

    configuration: Path
    log: VerifierKey
    key: CosigningKey

    @property
    def database(self) -> Path:
        return self.configuration.parent / "witness.sqlite"


def make_files(directory: Path, log: VerifierKey, origin: str = ORIGIN) -> WitnessFiles:
    key = CosigningKey.make("friend.example/witness")
    (directory / "witness.key").write_text(key.secret + "\n")
    configuration = directory / "witness.toml"
    configuration.write_text(f"""
        key_file = "witness.key"
        database = "witness.sqlite"
        listen = "127.0.0.1:0"

        [[log]]
        origin = "{origin}"
        keys = ["{log.written}"]
    """)
    return WitnessFiles(configuration, log, key)


def run_ofc(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "client", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@contextmanager
def serving(files: WitnessFiles) -> Iterator[WitnessProcess]:
    command = [sys.executable, "-m", "client", "witness", "serve", "--config", str(files.configuration)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            match = re.search(r"http://\S+", line)
            if match:
                yield WitnessProcess(process, match[0])
                break
        else:
            raise AssertionError(f"the witness ended with {process.wait()}")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
