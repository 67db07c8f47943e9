"""
Show the service at its main job, from nothing to points paid.

Starts the service on an embedded database in a temporary folder, posts every example over HTTP with the command `ofc`,
prints each settlement with its explanation, and checks it against what the example says it comes to.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EXAMPLES = Path(__file__).parent
COMMANDS = Path(sys.executable).parent
READY = re.compile(r"Ready on (http://\S+)")


@contextmanager
def running_service(directory: Path) -> Iterator[str]:
    """Run `ofc-server up` on a free port until the block ends; gives its address."""
    command = [COMMANDS / "ofc-server", "up", "--port", "0", "--data", directory]
    quietly = {**os.environ, "OFC_LOG_LEVEL": "warning"}
    server = subprocess.Popen(command, env=quietly, stdout=subprocess.PIPE, text=True)
    try:
        yield wait_for_address(server)
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)


def wait_for_address(server: "subprocess.Popen[str]") -> str:
    """Read what the server says until it is ready."""
    assert server.stdout is not None
    for line in server.stdout:
        if ready := READY.search(line):
            return ready[1]
    raise SystemExit("the service did not start; what it said is above")


def ofc(*arguments: str | Path, environment: dict[str, str]) -> str:
    """Run the client; its complaints are shown as they are."""
    command = [COMMANDS / "ofc", *arguments]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def play_example(example: Path, environment: dict[str, str]) -> bool:
    """Post one example hand by hand, print what it comes to, and say whether that is what it says."""
    print(f"\n━━━ {example.name} " + "━" * max(0, 90 - len(example.name)), flush=True)
    print(ofc("post", example, environment=environment), end="", flush=True)
    document = json.loads(example.read_text(encoding="utf-8"))
    reference, table = document["reference"], document["table"]
    [recorded] = [
        round_
        for round_ in json.loads(ofc("round", "list", "--json", environment=environment))["rounds"]
        if round_["reference"] == reference and table
    ]
    settlement = json.loads(ofc("round", "settlement", recorded["id"], "--json", environment=environment))
    expected = json.loads((EXAMPLES / "expected" / example.name).read_text(encoding="utf-8"))
    wrong = [name for name, value in expected.items() if settlement[name] != value]
    print(f"✗ {', '.join(wrong)} differ from expected/{example.name}" if wrong else f"✓ as expected/{example.name} says")
    return not wrong


def main() -> int:
    """Play every example; exit code 0 if each came to what it says."""
    with tempfile.TemporaryDirectory(prefix="ofc-demo-") as scratch:
        directory = Path(scratch) / "ofc"
        with running_service(directory) as url:
            environment = {**os.environ, "OFC_URL": url, "OFC_API_KEY": (directory / "api-key").read_text().strip()}
            examples = sorted(path for path in EXAMPLES.glob("*.json") if path.name != "score.json")
            results = [play_example(example, environment) for example in examples]
    print(f"\n{sum(results)} of {len(results)} rounds came to what their examples say.")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
