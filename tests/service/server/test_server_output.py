"""Output files of `ofc-server`, and errors when writing them."""

import os
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.commands.output import write_atomically
from tests.support.server_process import COMMAND, environment

CONTRACT = (Path(__file__).parents[3] / "openapi.yaml").read_text(encoding="utf-8")


def command(*arguments: str, **variables: str) -> Result:
    """Run `ofc-server` to its end, in this process, where its imports are loaded."""
    return CliRunner().invoke(main, arguments, env=variables)


@pytest.mark.parametrize("group", ["", "club", "key", "signing-key"])
def test_help_lists_every_command_with_a_complete_sentence(group: str) -> None:
    parent = main.get_command(click.Context(main), group) if group else main
    assert isinstance(parent, click.Group)
    listing = " ".join(command(*group.split(), "--help").stdout.partition("Commands:")[2].split())
    for name in parent.list_commands(click.Context(parent)):
        listed = parent.get_command(click.Context(parent), name)
        assert listed is not None
        assert listed.help is not None
        assert f"{name} {' '.join(listed.help.split()).partition('. ')[0]}" in listing
    assert "..." not in listing


@pytest.mark.parametrize("arguments", ["up --data", "key list --data", "openapi --output", "verify --resume"])
def test_an_empty_path_is_rejected(arguments: str) -> None:
    refused = command(*arguments.split(), "")
    assert refused.exit_code == 2
    assert "it is empty; expected the name of a file or a directory" in refused.stderr


def test_a_file_is_overwritten_only_with_the_option(tmp_path: Path) -> None:
    file = tmp_path / "openapi.yaml"
    assert command("openapi", "--output", str(file)).exit_code == 0
    assert file.read_text(encoding="utf-8") == CONTRACT
    file.write_text("mine")
    refused = command("openapi", "--output", str(file))
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == (f"Error: {file} already exists; expected another name, or --overwrite.\n")
    assert file.read_text() == "mine"
    assert command("openapi", "--output", str(file), "--overwrite").exit_code == 0
    assert file.read_text(encoding="utf-8") == CONTRACT
    assert os.listdir(tmp_path) == ["openapi.yaml"]


def test_overwrite_needs_an_output_file() -> None:
    refused = command("openapi", "--overwrite")
    assert refused.exit_code == 2
    assert "--overwrite is given without --output" in refused.stderr


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    file, link = tmp_path / "openapi.yaml", tmp_path / "link.yaml"
    file.write_text("old")
    link.symlink_to(file)
    assert command("openapi", "--output", str(link), "--overwrite").exit_code == 0
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == CONTRACT


@pytest.mark.parametrize("arguments", ["openapi --overwrite --output", "verify --resume"])
def test_an_output_that_is_not_a_file_is_rejected(tmp_path: Path, arguments: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused = command(*arguments.split(), str(pipe), OFC_DATABASE_URL="postgresql:///none")
    assert (refused.exit_code, refused.stderr) == (1, f"Error: {pipe} is not a file; expected the name of a file.\n")
    assert pipe.is_fifo()


def test_an_unfinished_file_of_a_killed_process_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "state"
    left = tmp_path / f".state.{os.getpid()}.unfinished"
    left.write_text("half of")
    write_atomically(file, "all of it")
    assert file.read_text() == "all of it"
    assert not left.exists()


@pytest.mark.parametrize("file", ["missing/openapi.yaml", "a file/openapi.yaml", "loop", "long" * 100])
def test_an_unwritable_file_is_reported(tmp_path: Path, file: str) -> None:
    (tmp_path / "a file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    refused = command("openapi", "--output", str(tmp_path / file))
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"Error: {tmp_path / file} cannot be written: ")
    assert refused.stderr.count("\n") == 1


def test_an_outdated_openapi_document_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "openapi.yaml"
    for content, code in ((CONTRACT.encode(), 0), (CONTRACT.encode() + b"#", 1), (b"\xff\x00", 1)):
        file.write_bytes(content)
        checked = command("openapi", "--check", str(file))
        assert (checked.exit_code, checked.stdout) == (code, "")
        assert (f"`ofc-server openapi --output {file} --overwrite` updates it" in checked.stderr) == bool(code)
        assert "Traceback" not in checked.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
@pytest.mark.parametrize("arguments", ["openapi", "--version", "--help", "key list --help"])
def test_a_full_disk_is_reported(arguments: str) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*COMMAND, *arguments.split()],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr == "Error: The output cannot be written: no space left on device.\n"
