"""`ofc-server signing-key`: create, show and rotate, without printing the private key."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from evidence import VerifierKey
from service.audit_trail.signing import read_signing_key
from service.cli import main


def run(*arguments: str, fails: bool = False) -> str:
    result = CliRunner().invoke(main, ["signing-key", *arguments])
    assert (result.exit_code != 0) == fails, result.output
    return result.output


def test_a_signing_key_is_created_shown_and_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OFC_SIGNING_KEY_FILE", raising=False)
    data, file = ("--data", str(tmp_path)), tmp_path / "signing-key"
    output = run("create", *data, "--name", "example.org/ofc")
    first = read_signing_key(file)
    assert first.name == "example.org/ofc"
    shown = json.loads(run("show", *data, "--json"))
    assert VerifierKey.read(shown["verifier"]) == first.verifier
    assert "already exists" in run("create", *data, fails=True)
    rotated = run("rotate", *data)
    second = read_signing_key(file)
    assert second.verifier != first.verifier
    assert second.verifier.written in rotated
    for key in (first, second):
        assert key.secret.split("+", 4)[4] not in output + rotated + json.dumps(shown)


def test_commands_use_the_configured_key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFC_SIGNING_KEY_FILE", str(tmp_path / "elsewhere"))
    assert "cannot be read" in run("show", fails=True)
    run("create")
    assert read_signing_key(tmp_path / "elsewhere").name == "tablestakes"
    assert "is not a valid key name" in run("rotate", "--name", "two names", fails=True)
