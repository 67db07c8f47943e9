"""Clients generated from the OpenAPI document: made without warnings, type-checked, and used to play a round."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.server_process import Running, running
from web.install import find_node

pytestmark = pytest.mark.thorough
ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "openapi.yaml"
PROGRAMS = Path(__file__).parent / "clients"
PACKAGES = ROOT / "web" / "node_modules"
BIN = Path(sys.executable).parent
EXPECTED = {
    "points": {"1": 4, "2": -4},
    "category": "pair",
    "refused": "same-deal",
    "status": "closed",
    "state": "provisional",
    "net": {"1": 4, "2": -4},
    "paid": [4],
    "other_net": {"ann": 3, "ben": -3},
    "imported": ["stored"],
}
"""What every client reports of the round that it played."""


def run(*command: str | Path, directory: Path) -> str:
    """Run a program that must succeed, and return what it printed."""
    done = subprocess.run([str(part) for part in command], cwd=directory, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("up") / "ofc", OFC_CONCURRENCY="1") as up:
        yield up


def play(service: Running, *program: str | Path, directory: Path) -> Any:
    key = (service.directory / "api-key").read_text().strip()
    return json.loads(run(*program, service.url, key, directory.name, directory=directory))


@pytest.mark.verify
def test_openapi_python_client_makes_a_client_that_plays_a_round(service: Running, tmp_path: Path) -> None:
    settings = PROGRAMS / "openapi-python-client.yaml"
    options = ["--path", CONTRACT, "--config", settings, "--meta", "none", "--output-path", "tablestakes_client"]
    output = run(BIN / "openapi-python-client", "generate", *options, directory=tmp_path)
    assert "WARNING" not in output, output
    assert [path.name for path in (tmp_path / "tablestakes_client" / "models").glob("*[0-9].py")] == []
    program = shutil.copy(PROGRAMS / "play_round.py", tmp_path)
    run(BIN / "mypy", "--strict", program, directory=tmp_path)
    assert play(service, sys.executable, program, directory=tmp_path) == EXPECTED


@pytest.mark.verify
def test_datamodel_code_generator_makes_models_that_play_a_round(service: Running, tmp_path: Path) -> None:
    models = tmp_path / "tablestakes_models.py"
    form = ["--output-model-type", "pydantic_v2.BaseModel", "--use-annotated", "--formatters", "builtin"]
    options = ["--input", CONTRACT, "--input-file-type", "openapi", "--output", models, *form]
    run(BIN / "datamodel-codegen", *options, directory=tmp_path)
    assert re.findall(r"^class (\w*\d)\b", models.read_text(), re.MULTILINE) == []
    program = shutil.copy(PROGRAMS / "play_round_with_models.py", tmp_path)
    run(BIN / "mypy", "--strict", program, directory=tmp_path)
    assert play(service, sys.executable, program, directory=tmp_path) == EXPECTED


def test_openapi_typescript_makes_types_that_play_a_round(service: Running, tmp_path: Path) -> None:
    node = find_node()
    (tmp_path / "node_modules").symlink_to(PACKAGES)
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    shutil.copy(PROGRAMS / "play_round.ts", tmp_path)
    generator, compiler = PACKAGES / "openapi-typescript" / "bin" / "cli.js", PACKAGES / "typescript" / "bin" / "tsc"
    run(*node, generator, CONTRACT, "--output", "contract.d.ts", directory=tmp_path)
    options = ["--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"]
    run(*node, compiler, *options, "play_round.ts", directory=tmp_path)
    assert play(service, *node, "play_round.js", directory=tmp_path) == EXPECTED
