"""The programs of docs/quickstart.md record a round, and receive a message when its settlement is final."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.client.docs_sessions import DOCS, code_blocks
from tests.support.server_process import Running, running, wait_until
from tests.support.webhook_receiver import receiving
from tests.web.conftest import COMPILER, ROOT, STRICT, address_and_key, link_packages, run
from web.install import find_node

pytestmark = pytest.mark.thorough
ADDRESS = "http://127.0.0.1:9000/webhooks"


def blocks(kind: str) -> list[str]:
    return code_blocks("quickstart.md", kind)


START, FUNCTION, *_, WEBHOOK, CONFIRM = SHELL = blocks("sh")
[MESSAGE] = [block.strip() for block in blocks("") if block.startswith("settlement.finalized")]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path / "ofc", OFC_CONCURRENCY="1", OFC_WEBHOOK_ALLOW="127.0.0.1") as up:
        yield up


def run_shell(service: Running, directory: Path, *commands: str, url: str) -> str:
    """Run shell blocks with the address of a receiver, without the one that sets the address and the key."""
    script = "\n".join(commands).replace(ADDRESS, url)
    assert url in script
    return run("bash", "-euo", "pipefail", "-c", script, directory=directory, **address_and_key(service))


@contextmanager
def receiver_of(service: Running, directory: Path, *program: str | Path, port: int) -> Iterator[Path]:
    """Run the receiver of the page with the secret of a webhook. Yield the file with what it prints."""
    secret = run_shell(
        service, directory, FUNCTION, WEBHOOK, "echo $WEBHOOK_SECRET", url=f"http://127.0.0.1:{port}/webhooks"
    )
    printed = directory / "printed"
    with (
        printed.open("w") as out,
        subprocess.Popen(
            [str(part) for part in program],
            cwd=directory,
            stdout=out,
            env={"WEBHOOK_SECRET": secret.strip()},
            start_new_session=True,
        ) as process,
    ):
        try:
            assert wait_until(lambda: is_listening(port))
            yield printed
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # Node.js from PyPI is a child of the program


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def check_shown(settlement: Any) -> None:
    [shown] = map(json.loads, blocks("json"))
    assert settlement == shown


def test_the_shell_commands_work(service: Running, tmp_path: Path) -> None:
    assert "OFC_URL=http://127.0.0.1:8000" in START
    with receiving() as receiver:
        printed = run_shell(service, tmp_path, *SHELL[1:], "echo $WEBHOOK_SECRET", url=receiver.url)
        points, rest = printed.split("recorded\n")
        settlement, end = json.JSONDecoder().raw_decode(rest)
        *states, delivery, secret = rest[end:].split()
        assert points.splitlines() == ["[1,-8,4]", "[2,8,6]"]
        check_shown(settlement)
        assert states == ["provisional", "final"]
        assert json.loads(delivery)[0] == "settlement.finalized"
        assert wait_until(lambda: receiver.kinds == ["settlement.finalized"])
        assert receiver.received[0].verify(secret)["data"]["reference"] == "2026-11-20/1"


def test_the_python_program_works(service: Running, tmp_path: Path, port: int) -> None:
    (tmp_path / "receiver.py").write_text("".join(blocks("python receiver")).replace("9000", str(port)))
    last = "import json\nprint(json.dumps({name: settlement[name] for name in ('state', 'net', 'money')}))\n"
    (tmp_path / "quickstart.py").write_text("\n".join([*blocks("python"), last]))
    with receiver_of(service, tmp_path, sys.executable, "receiver.py", port=port) as received:
        printed = run(sys.executable, "quickstart.py", directory=tmp_path, **address_and_key(service)).splitlines()
        assert printed[-2] == "final"
        check_shown(json.loads(printed[-1]))
        assert wait_until(lambda: received.read_text().strip() == MESSAGE), received.read_text()
    mypy = Path(sys.executable).with_name("mypy")
    run(mypy, "--check-untyped-defs", "quickstart.py", directory=tmp_path, MYPYPATH=str(ROOT))


def test_the_typescript_program_works(service: Running, tmp_path: Path, port: int, built: Path) -> None:
    link_packages(tmp_path, built)
    (tmp_path / "receiver.ts").write_text("".join(blocks("typescript receiver")).replace("9000", str(port)))
    last = "const { state, net, money } = settlement;\nconsole.log(JSON.stringify({ state, net, money }));\n"
    (tmp_path / "quickstart.ts").write_text("\n".join([*blocks("typescript"), last]))
    run(*find_node(), COMPILER, *STRICT, "receiver.ts", "quickstart.ts", directory=tmp_path)
    with receiver_of(service, tmp_path, *find_node(), "receiver.js", port=port) as received:
        printed = run(*find_node(), "quickstart.js", directory=tmp_path, **address_and_key(service)).splitlines()
        assert printed[-2] == "final"
        check_shown(json.loads(printed[-1]))
        assert wait_until(lambda: received.read_text().strip() == MESSAGE), received.read_text()


def test_programs_of_several_languages_run_in_one_club(service: Running, tmp_path: Path, built: Path) -> None:
    link_packages(tmp_path, built)
    with receiving() as receiver:
        run_shell(service, tmp_path, *SHELL[1:], url=receiver.url)
    (tmp_path / "quickstart.py").write_text("\n".join(blocks("python")))
    (tmp_path / "quickstart.ts").write_text("\n".join(blocks("typescript")))
    run(*find_node(), COMPILER, *STRICT, "quickstart.ts", directory=tmp_path)
    for program in ([sys.executable, "quickstart.py"], [*find_node(), "quickstart.js"]):
        printed = run(*program, directory=tmp_path, **address_and_key(service)).splitlines()
        assert printed[-1] == "final", printed
    assert '"type": "module"' in (DOCS / "quickstart.md").read_text(encoding="utf-8")


def test_the_language_of_each_block_is_run() -> None:
    assert set(re.findall(r"^```(\S.*)$", (DOCS / "quickstart.md").read_text(encoding="utf-8"), re.MULTILINE)) == {
        "sh", "python", "typescript", "json", "python receiver", "typescript receiver"
    }  # as a table  # fmt: skip
