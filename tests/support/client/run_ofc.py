"""Run `ofc` in this process, or in its own where that matters, and read and write documents for it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from client.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"
EXPECTED = EXAMPLES / "expected"
PRESETS = sorted(path.stem for path in EXPECTED.glob("*.json"))
COMMAND = [sys.executable, "-m", "client"]
_OURS = ("OFC_URL", "OFC_API_KEY", "OFC_API_KEY_FILE", "OFC_TIMEOUT", "NO_COLOR", "FORCE_COLOR", "COLUMNS")


_TIMEOUT = "60"
"""Seconds for a response of a service in this process, which shares the machine with other tests."""


@dataclass(frozen=True)
class CommandResult:
    """The output of a command, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The output, parsed as JSON."""
        return json.loads(self.out)

    @property
    def text(self) -> str:
        """The output without trailing spaces."""
        return "\n".join(line.rstrip() for line in self.out.splitlines())


def ofc(*arguments: str | Path, text: str | bytes | None = None, **variables: str | None) -> CommandResult:
    """Run `ofc` in this process. A traceback fails the test."""
    environment = dict.fromkeys(_OURS) | {"OFC_TIMEOUT": _TIMEOUT} | variables
    result = CliRunner().invoke(
        main, [str(argument) for argument in arguments], input=text, env=environment, catch_exceptions=False
    )
    return CommandResult(result.exit_code, result.stdout, result.stderr)


def ofc_process(*arguments: str | Path, **variables: str) -> CommandResult:
    """Run `ofc` in a process of its own."""
    run = subprocess.run([*COMMAND, *arguments], env=clean_environment(**variables), capture_output=True, timeout=60)
    return CommandResult(run.returncode, run.stdout.decode(), run.stderr.decode())


def clean_environment(**variables: str) -> dict[str, str]:
    """Return the environment without variables of `ofc` that the tester has set."""
    return {name: value for name, value in os.environ.items() if name not in _OURS} | variables


def write(directory: Path, document: Any, name: str = "document.json") -> Path:
    """Write a document into a file. A string is written as it is."""
    path = directory / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def read_example(name: str) -> Any:
    """Read an example's document."""
    return json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))


def read_expected(name: str) -> Any:
    """Read the expected result of an example."""
    return json.loads((EXPECTED / f"{name}.json").read_text(encoding="utf-8"))
