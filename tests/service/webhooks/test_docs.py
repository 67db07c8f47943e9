"""The examples of docs/webhooks.md verify messages that the service sends."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from schemas.webhooks.endpoints import WebhookKind
from tests.support.webhook_receiver import Receiver, Sending
from web.install import find_node

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    [block] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


def run_node(directory: Path, *arguments: str) -> str:
    """Run a program that must succeed, and return what it printed."""
    command = [*map(str, find_node()), *arguments]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


def test_the_table_has_every_kind_of_message() -> None:
    table = PAGE.partition("\n| kind |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z.-]+)` \|", table, re.MULTILINE) == sorted(
        WebhookKind, key=lambda kind: table.index(kind.value)
    )


def test_the_python_example_verifies_a_message(club: Sending, receiver: Receiver) -> None:
    defined: dict[str, Any] = {}
    exec(example("python"), defined)
    club.api.post(f"{club.address}/test", None)
    club.deliver()
    [received] = receiver.received
    assert defined["receive"](club.secret, received.headers, received.body) == received.message
    with pytest.raises(Exception, match="No matching signature"):
        defined["receive"](club.secret, received.headers, received.body + b" ")


@pytest.mark.thorough
def test_the_typescript_example_verifies_a_message(club: Sending, receiver: Receiver, tmp_path: Path) -> None:
    club.api.post(f"{club.address}/test", None)
    assert club.api.post(f"{club.address}/secret/rotate", {"overlap_seconds": 60}).status == 200
    club.deliver()
    [received] = receiver.received
    sent = {"secret": club.secret, "headers": received.headers, "body": received.body.decode()}
    (tmp_path / "receive.ts").write_text(example("typescript"))
    (tmp_path / "sent.json").write_text(json.dumps(sent))
    (tmp_path / "check.mjs").write_text("""
        import { readFileSync } from "node:fs"
        import { receive } from "./receive.js"
        const { secret, headers, body } = JSON.parse(readFileSync("sent.json", "utf8"))
        console.log(JSON.stringify(receive(secret, headers, body)))
        try { receive(secret, headers, body + " ") } catch (error) { console.log(error.message) }
    """)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    packages = ROOT / "web" / "node_modules"
    (tmp_path / "node_modules").symlink_to(packages)
    options = ["--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", "node"]
    run_node(tmp_path, str(packages / "typescript" / "bin" / "tsc"), *options, "receive.ts")
    message, refused = run_node(tmp_path, "check.mjs").splitlines()
    assert json.loads(message) == received.message
    assert refused == "No matching signature found"
