"""`ofc checkpoint` against a real service: what was signed is printed byte for byte, and stored complete."""

import os
from pathlib import Path
from uuid import uuid4

import pytest

from client.api import Client
from evidence import Checkpoint, VerifierKey, read_note, verify_note
from tests.support.client.faulty_server import NOTHING, build_response, faulty
from tests.support.client.run_ofc import ofc, ofc_process, read_example, write

NOTE = "tablestakes/clubs/1\n7\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— tablestakes AAAA\n"
MADE = build_response(201, {"id": str(uuid4()), "size": 7, "root": "", "created_at": ""})
NOTED = build_response(200, NOTE, "text/plain; charset=utf-8")


def something_happens(client: Client, table: str) -> None:
    client.add_table({"name": table, "ruleset": "pineapple"})


def test_a_stored_checkpoint_is_signed_by_the_key_that_is_shown(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    something_happens(client, table)
    file = tmp_path / "today.checkpoint"
    result = ofc("checkpoint", "make", "-o", file, **reached)
    assert (result.code, result.err) == (0, "")
    keys = [VerifierKey.read(line) for line in ofc("checkpoint", "keys", **reached).out.splitlines()]
    note = read_note(file.read_bytes().decode())
    verify_note(note, keys)
    newest = ofc("checkpoint", "list", "--json", **reached).document["checkpoints"][0]
    signed = Checkpoint.read(note.text)
    assert (signed.size, signed.root.hex()) == (newest["size"], newest["root"])
    assert result.out.split() == [
        *("checkpoint", "of", str(signed.size), "events", "written", "to", f"{file};", "its", "address", "is"),
        newest["id"],
    ]


def test_the_evidence_of_a_round_is_consistent_with_an_earlier_retained_checkpoint(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    file, keys = tmp_path / "stored", tmp_path / "club.key"
    something_happens(client, f"{table}-2")
    assert ofc("checkpoint", "make", "-o", file, **reached).code == 0
    keys.write_text(ofc("checkpoint", "keys", **reached).out, encoding="utf-8")
    since = Checkpoint.read(read_note(file.read_bytes().decode()).text).size
    round_ = write(tmp_path, {**read_example("turbo"), "table": table, "reference": "friday"})
    assert ofc("post", round_, **reached).code == 0
    assert ofc("checkpoint", "make", **reached).code == 0
    evidence = ofc("round", "evidence", table, "--since", str(since), **reached).document
    result = ofc("verify", write(tmp_path, evidence, "evidence.json"), "--key", keys, "--checkpoint", file)
    assert result.code == 0, result.out
    assert "  1 revision with 5 hands follow from the events" in result.out


def test_without_new_events_the_newest_checkpoint_is_printed_again(
    reached: dict[str, str], client: Client, table: str
) -> None:
    something_happens(client, table)
    first = ofc("checkpoint", "make", **reached)
    assert first.code == 0
    assert ofc("checkpoint", "make", **reached).out == first.out
    something_happens(client, f"{table}-2")
    assert ofc("checkpoint", "make", **reached).out != first.out


def test_a_checkpoint_is_public_to_holders_of_its_address(reached: dict[str, str], client: Client) -> None:
    note = ofc("checkpoint", "make", **reached).out
    address = next(client.list_checkpoints())["id"]
    without_key = {**reached, "OFC_API_KEY_FILE": ""}
    assert ofc("checkpoint", "show", address, **without_key).out == note
    assert ofc("checkpoint", "keys", **without_key).out.startswith("tablestakes+")
    assert ofc("checkpoint", "list", **without_key).code == 1


def test_checkpoints_are_listed_newest_first(reached: dict[str, str], client: Client, table: str) -> None:
    for name in (table, f"{table}-2"):
        something_happens(client, name)
        client.make_checkpoint()
    heading, *lines = ofc("checkpoint", "list", "--limit", "2", **reached).text.splitlines()
    assert heading.split() == ["signed", "at", "events", "address"]
    newer, older = (int(line.split()[1]) for line in lines)
    assert newer > older


def test_an_unknown_address_is_refused(reached: dict[str, str]) -> None:
    result = ofc("checkpoint", "show", str(uuid4()), **reached)
    assert (result.code, result.out) == (1, "")


def test_a_printed_note_has_the_same_bytes_on_every_output(reached: dict[str, str]) -> None:
    note = ofc("checkpoint", "make", **reached).out
    assert "— tablestakes " in note
    assert ofc_process("checkpoint", "make", **reached, PYTHONIOENCODING="ascii").out == note


def test_an_existing_checkpoint_file_is_overwritten_only_on_request(reached: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "today.checkpoint"
    file.write_text("yesterday's", encoding="utf-8")
    result = ofc("checkpoint", "make", "-o", file, **reached)
    assert result.code == 2
    assert "already exists; expected another name, or --overwrite" in result.err
    assert file.read_text(encoding="utf-8") == "yesterday's"
    assert ofc("checkpoint", "make", "-o", file, "--overwrite", **reached).code == 0
    assert file.read_bytes().decode() == ofc("checkpoint", "make", **reached).out
    assert os.listdir(tmp_path) == [file.name]


def test_nothing_is_signed_if_it_cannot_be_stored(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("", encoding="utf-8")
    with faulty(MADE, NOTED) as server:
        assert ofc("checkpoint", "make", "-o", tmp_path / "there", OFC_URL=server.url).code == 2
        assert server.requests == []


@pytest.mark.parametrize("name", ["no/folder", "/dev/null", "."], ids=["no folder", "a device", "a folder"])
def test_only_regular_files_are_written(tmp_path: Path, name: str) -> None:
    with faulty(MADE, NOTED) as server:
        result = ofc("checkpoint", "make", "-o", tmp_path / name, "--overwrite", OFC_URL=server.url)
    assert result.code == 2
    assert "cannot be written" in result.err
    assert Path("/dev/null").is_char_device()
    assert os.listdir(tmp_path) == []


def test_overwriting_needs_a_file_name() -> None:
    result = ofc("checkpoint", "make", "--overwrite")
    assert result.code == 2
    assert "--overwrite was given without a file to write; expected an option that names the file" in result.err


def test_an_incomplete_note_leaves_no_file(tmp_path: Path) -> None:
    with faulty(MADE, NOTHING) as server:
        assert ofc("checkpoint", "make", "-o", tmp_path / "stored", OFC_URL=server.url).code == 3
    assert os.listdir(tmp_path) == []
