"""
Show the service at its main job, from nothing to points paid.

Starts the service on an embedded database in a temporary folder, posts every example over HTTP with the command `ofc`,
prints each settlement with its explanation, and checks it against the result in the example.
"""

import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from schemas.problems import find_unexpected, show_pointer

EXAMPLES = Path(__file__).parent
SINGLE_HAND = "score.json"
COMMANDS = Path(sys.executable).parent
READY = re.compile(r"Ready on (http://\S+)")
STOPPED = 130

# What an operator has set for their own service must not reach this one.
ENVIRONMENT = {name: text for name, text in os.environ.items() if not name.startswith("OFC_")}


@contextmanager
def running_service(directory: Path) -> Iterator[str]:
    """Run `ofc-server up` on a free port until the block ends, however it ends; gives its address."""
    # One web process is enough for one client, and nothing of the demo is a job.
    command = [
        COMMANDS / "ofc-server",
        "up",
        "--port",
        "0",
        "--data",
        directory,
        "--workers",
        "1",
        "--concurrency",
        "0",
    ]
    quietly = {**ENVIRONMENT, "OFC_LOG_LEVEL": "warning"}
    server = subprocess.Popen(command, env=quietly, stdout=subprocess.PIPE, text=True)
    try:
        yield wait_for_address(server)
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            server.kill()


def wait_for_address(server: "subprocess.Popen[str]") -> str:
    """Read what the service says until it is ready."""
    assert server.stdout is not None
    for line in server.stdout:
        if ready := READY.search(line):
            return ready[1]
    raise SystemExit("The service did not start; what it said is above.")


def play_example(example: Path, environment: Mapping[str, str]) -> bool:
    """Post one example hand by hand with explanations, and return whether the result is that of the example."""
    print(f"\n━━━ {example.name} ".ljust(100, "━"), flush=True)
    if run_ofc("post", example, env=environment).returncode:
        print(f"✗ {example.name} was not taken")
        return False
    # Posted once more it records nothing, and answers with what was recorded.
    again = run_ofc("post", "--json", example, env=environment, stdout=subprocess.PIPE)
    again.check_returncode()
    played = json.loads(again.stdout)
    return came_to(played["settlement"], EXAMPLES / "expected" / example.name)


def run_ofc(*arguments: str | Path, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    """Run the client. A Ctrl-C reaches the demo alone, which ends the client, also one that is only just starting."""
    return subprocess.run([COMMANDS / "ofc", *arguments], start_new_session=True, check=False, **options)


def came_to(settlement: Mapping[str, Any], expected: Path) -> bool:
    """Compare a settlement with what an example says, and print every place at which they differ."""
    differences = list(find_unexpected(json.loads(expected.read_text(encoding="utf-8")), settlement, ()))
    for difference in differences:
        print(f"  {show_pointer(difference.path)}  {difference.detail}")
    print(f"{'✗ not as' if differences else '✓ as'} expected/{expected.name} says", flush=True)
    return not differences


def main() -> int:
    """Play every example; exit code 0 if each has its expected result."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    examples = sorted(path for path in EXAMPLES.glob("*.json") if path.name != SINGLE_HAND)
    try:
        with tempfile.TemporaryDirectory(prefix="ofc-demo-") as scratch:
            directory = Path(scratch) / "ofc"
            print("Starting the service on an embedded database in a temporary folder ...", flush=True)
            with running_service(directory) as url:
                key_file = directory / "api-key"
                environment = {**ENVIRONMENT, "OFC_URL": url, "OFC_API_KEY_FILE": str(key_file)}
                results = [play_example(example, environment) for example in examples]
    except KeyboardInterrupt:
        print("\nStopped.")
        return STOPPED
    print(f"\n{sum(results)} of {len(results)} rounds have the result that their examples expect.")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
