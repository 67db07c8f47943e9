"""Asks `ofc` as a person or a script does: most often in this process, and in one of its own where that matters."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from client.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
EXPECTED = EXAMPLES / "expected"
PRESETS = sorted(path.stem for path in EXPECTED.glob("*.json"))
COMMAND = [sys.executable, "-m", "client"]
_OURS = ("OFC_URL", "OFC_API_KEY", "OFC_API_KEY_FILE", "OFC_DATA", "NO_COLOR", "FORCE_COLOR", "COLUMNS")


@dataclass(frozen=True)
class Said:
    """What a command printed, and the code it ended with."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)

    @property
    def text(self) -> str:
        """What it printed, without what stands unseen at the ends of lines."""
        return "\n".join(line.rstrip() for line in self.out.splitlines())


def ofc(*arguments: str | Path, text: str | bytes | None = None, **variables: str | None) -> Said:
    """Run `ofc` here; a traceback fails the test."""
    environment = dict.fromkeys(_OURS) | variables
    result = CliRunner().invoke(
        main, [str(argument) for argument in arguments], input=text, env=environment, catch_exceptions=False
    )
    return Said(result.exit_code, result.stdout, result.stderr)


def ofc_process(*arguments: str | Path, **variables: str) -> Said:
    """Run `ofc` in a process of its own."""
    run = subprocess.run([*COMMAND, *arguments], env=surroundings(**variables), capture_output=True, timeout=60)
    return Said(run.returncode, run.stdout.decode(), run.stderr.decode())


def surroundings(**variables: str) -> dict[str, str]:
    """Give the environment, without what the tester has set for himself."""
    return {name: value for name, value in os.environ.items() if name not in _OURS} | variables


def write(directory: Path, document: Any, name: str = "document.json") -> Path:
    """Write a document into a file, as text where it is text already."""
    path = directory / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def read_example(name: str) -> Any:
    """Read an example's document."""
    return json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))


def read_expected(name: str) -> Any:
    """Read what an example comes to."""
    return json.loads((EXPECTED / f"{name}.json").read_text(encoding="utf-8"))
