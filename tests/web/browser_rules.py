"""The rules for browsers, built and run in Node.js."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from web.install import find_node
from web.rules.build import build

Document = dict[str, Any]
DRIVER = Path(__file__).parent / "score_lines.mjs"


def build_rules(directory: Path) -> Path:
    """Build the rules as `make setup` does, unless they are built."""
    built = directory / "rules"
    if (built / "python.mjs").exists():
        return built
    built.mkdir()
    build(built)
    # Node.js reads a script without a `package.json` as a module by its name only.
    shutil.copyfile(built / "python.js", built / "python.mjs")
    return built


class BrowserRules:
    """Python in WebAssembly, which scores one hand after the other."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.description: Document = self._read()
        self.milliseconds: list[dict[str, float]] = []

    def score(self, round_: object, hand: object) -> Document:
        """Score a hand as the page does."""
        return self.score_text(json.dumps(round_), json.dumps(hand))

    def replay(self, round_: object) -> Document:
        """Replay a round with the requests that wait as the page does."""
        return self.score_text(json.dumps(round_), None)

    def settle(self, held: object) -> Document:
        """Settle up what a device has as the page does."""
        return self._send({"held": json.dumps(held)})

    def read(self, typed: object) -> Document:
        """Read a board as it is typed as the page does."""
        return self._send({"typed": json.dumps(typed)})

    def score_text(self, round_: str, hand: str | None) -> Document:
        return self._send({"round": round_, "hand": hand})

    def _send(self, line: Document) -> Document:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        scored = self._read()
        self.milliseconds.append(scored["milliseconds"])
        result: Document = json.loads(scored["result"])
        return result

    def _read(self) -> Document:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process ended"
        read: Document = json.loads(line)
        return read


@contextmanager
def running_rules(built: Path) -> Iterator[BrowserRules]:
    """Run the built rules in a process of their own."""
    command = [*find_node(), str(DRIVER), str(built)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield BrowserRules(process)
        finally:
            process.kill()
