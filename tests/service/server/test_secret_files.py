"""Settings that are read from files."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli import main
from service.config import ConfigError
from service.secret_files import NAMES, read_secret_files


@pytest.mark.parametrize("name", NAMES)
def test_the_content_of_the_file_replaces_its_path(name: str, tmp_path: Path) -> None:
    (tmp_path / "url").write_text("scheme://login:secret@host/ofc\n")
    environment = {f"{name}_FILE": str(tmp_path / "url"), "OFC_PORT": "1"}
    read_secret_files(environment)
    assert environment == {name: "scheme://login:secret@host/ofc", "OFC_PORT": "1"}


def test_an_empty_file_counts_as_unset(tmp_path: Path) -> None:
    (tmp_path / "url").touch()
    environment = {"OFC_BROKER_URL_FILE": str(tmp_path / "url")}
    read_secret_files(environment)
    assert environment == {"OFC_BROKER_URL": ""}


def test_a_value_and_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^OFC_OWNER_URL and OFC_OWNER_URL_FILE are set; expected one of them\.$"):
        read_secret_files({"OFC_OWNER_URL": "postgresql:///ofc", "OFC_OWNER_URL_FILE": str(tmp_path)})


def test_a_file_that_cannot_be_read_is_an_error_of_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OFC_DATABASE_URL_FILE", str(tmp_path / "missing"))
    ended = CliRunner().invoke(main, ["migrate"])
    expected = f"The file {tmp_path}/missing of OFC_DATABASE_URL_FILE cannot be read: no such file or directory."
    assert (ended.exit_code, expected in ended.stderr) == (1, True)
    assert "OFC_DATABASE_URL" not in os.environ


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "url").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="is not text in UTF-8; expected a URL"):
        read_secret_files({"OFC_DATABASE_URL_FILE": str(tmp_path / "url")})
