"""The contract is accepted by the linters that teams run on the contracts of others."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from web.install import find_node

ROOT = Path(__file__).parents[2]
CONTRACTS = [ROOT / "openapi.yaml", ROOT / "openapi-audit.yaml"]
PACKAGES = ROOT / "web" / "node_modules"
RULES = Path(__file__).parent / "linters"
SECONDS = 300


def lint(program: str, *arguments: str | Path, contract: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    command = [*find_node(), PACKAGES / program, "lint", *arguments, contract]
    return subprocess.run(
        command, cwd=RULES, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def redocly(contract: Path) -> subprocess.CompletedProcess[str]:
    arguments = "--config", RULES / "redocly.yaml", "--format", "stylish"
    return lint("@redocly/cli/bin/cli.js", *arguments, contract=contract)


def spectral(contract: Path) -> subprocess.CompletedProcess[str]:
    arguments = "--ruleset", RULES / "spectral.yaml", "--format", "text"
    return lint("@stoplight/spectral-cli/dist/index.js", *arguments, contract=contract)


@pytest.mark.no_cover
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_redocly_accepts_the_contract(contract: Path) -> None:
    linted = redocly(contract)
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.no_cover
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_spectral_accepts_the_contract(contract: Path) -> None:
    linted = spectral(contract)
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.no_cover
def test_both_refuse_an_example_that_is_not_of_its_schema(tmp_path: Path) -> None:
    parameter = {"in": "query", "name": "limit", "schema": {"type": "integer"}, "example": "many"}
    operation = {
        "operationId": "list_hands",
        "parameters": [parameter],
        "responses": {"200": {"description": "Hands."}},
    }
    document = {"openapi": "3.1.0", "info": {"title": "Hands", "version": "1"}, "paths": {"/hands": {"get": operation}}}
    contract = tmp_path / "openapi.json"
    contract.write_text(json.dumps(document))
    assert "no-invalid-parameter-examples" in redocly(contract).stdout
    assert "oas3-valid-media-example" in spectral(contract).stdout
