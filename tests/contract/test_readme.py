"""The commands of the README work and print what it shows."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.server_process import Running, running

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = Path(sys.executable).parent


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


[TWO_COMMANDS, UP, CURL, OFC] = blocks("sh")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("readme")) as up:
        yield up


def run(command: str, service: Running) -> str:
    """Run a shell's command as it stands in the README, on the test's own service and directory of data."""
    key = service.directory / "api-key"
    command = command.replace("http://127.0.0.1:8000", service.url)
    command = command.replace("~/.local/share/tablestakes/api-key", str(key)).replace(".venv/bin/", f"{COMMANDS}/")
    environment = {**os.environ, "OFC_URL": service.url, "OFC_API_KEY": key.read_text(encoding="utf-8").strip()}
    ran = subprocess.run(
        ["bash", "-euc", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout


def test_the_first_curl_returns_what_the_readme_shows(service: Running) -> None:
    body: dict[str, Any] = json.loads(run(CURL, service))
    shown: dict[str, Any] = json.loads(blocks("json")[0])
    assert shown == {part: body[part] for part in shown}


@pytest.mark.parametrize("line", OFC.strip().splitlines())
def test_each_command_of_the_client_works(line: str, service: Running) -> None:
    assert run(line, service).strip()


@pytest.mark.parametrize("line", [*TWO_COMMANDS.strip().splitlines(), *UP.strip().splitlines()])
def test_each_make_target_is_there(line: str) -> None:
    command = line.partition("#")[0].split()
    subprocess.run([*command, "--dry-run"], cwd=ROOT, capture_output=True, check=True)


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#]+)\)", README))))
def test_each_link_leads_to_a_file(target: str) -> None:
    assert (ROOT / target).exists()
