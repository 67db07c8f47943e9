"""Proofs of the tree of events are checked against stored checkpoints."""

import json
from pathlib import Path
from typing import Any

import pytest

from client.api import Client
from evidence import Checkpoint, read_note
from tests.support.client.faulty_server import build_response, faulty
from tests.support.client.run_ofc import ofc

Checkpoints = tuple[Path, Path]


@pytest.fixture
def checkpoints(reached: dict[str, str], client: Client, table: str, tmp_path: Path) -> Checkpoints:
    """Two checkpoints, between which something happened."""
    files = tmp_path / "older.checkpoint", tmp_path / "newer.checkpoint"
    for number, file in enumerate(files):
        client.add_table({"name": f"{table}-{number}", "ruleset": "pineapple"})
        assert ofc("checkpoint", "make", "-o", file, **reached).code == 0
    return files


def read(file: Path) -> Checkpoint:
    return Checkpoint.read(read_note(file.read_text(encoding="utf-8")).text)


def forge(file: Path, **changes: Any) -> Path:
    """Write a checkpoint with other fields, which its signatures do not cover."""
    _, *signatures = file.read_text(encoding="utf-8").split("\n\n")
    checkpoint = read(file)
    fields = {"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root, **changes}
    forged = file.with_name("forged.checkpoint")
    forged.write_text("\n\n".join([Checkpoint(**fields).text.rstrip("\n"), *signatures]), encoding="utf-8")
    return forged


def test_a_grown_tree_is_proved_consistent(reached: dict[str, str], checkpoints: Checkpoints) -> None:
    older, newer = checkpoints
    result = ofc("checkpoint", "prove-consistency", older, newer, **reached)
    sizes = read(older).size, read(newer).size
    assert (result.code, result.err) == (0, "")
    assert " ".join(result.text.split()) == (
        f"{newer} is consistent with {older}: its first {sizes[0]} of {sizes[1]} events are those of {older}, unchanged"
    )
    proof = ofc("checkpoint", "prove-consistency", older, newer, "--json", **reached).document
    assert (proof["from"], proof["to"]) == sizes
    assert ofc("checkpoint", "prove-consistency", newer, newer, **reached).code == 0


def test_the_inclusion_of_an_event_in_a_checkpoint_is_proved(reached: dict[str, str], checkpoints: Checkpoints) -> None:
    _, newer = checkpoints
    size = read(newer).size
    events = [json.loads(line) for line in ofc("events", **reached).out.splitlines()]
    for position in (0, size - 1):
        result = ofc("checkpoint", "prove-inclusion", str(position), newer, **reached)
        assert result.code == 0, result.err
        happened = events[position]
        assert " ".join(result.text.split()) == (
            f"the event at position {position}, {happened['kind']} of {happened['at']},"
            f" is among the {size} events of {newer}"
        )
    proof = ofc("checkpoint", "prove-inclusion", "0", newer, "--json", **reached).document
    assert (proof["position"], proof["size"]) == (0, size)


def test_another_history_is_not_proved(reached: dict[str, str], checkpoints: Checkpoints) -> None:
    older, newer = checkpoints
    forged = forge(older, root=bytes(32))
    for arguments in (("prove-consistency", forged, newer), ("prove-inclusion", "0", forged)):
        result = ofc("checkpoint", *arguments, **reached)
        assert (result.code, result.out) == (1, "")
        assert "Invalid proof (proof-wrong)" in result.err
        assert "the proof leads to the root" in result.err


def test_checkpoints_of_two_clubs_are_refused(reached: dict[str, str], checkpoints: Checkpoints) -> None:
    older, newer = checkpoints
    result = ofc("checkpoint", "prove-consistency", forge(older, origin="tablestakes/clubs/other"), newer, **reached)
    assert (result.code, result.out) == (2, "")
    assert "is of tablestakes/clubs/other, and" in result.err


def test_impossible_trees_are_refused(reached: dict[str, str], checkpoints: Checkpoints) -> None:
    older, newer = checkpoints
    for arguments in (
        ("prove-consistency", newer, older),
        ("prove-consistency", older, forge(newer, size=900_000)),
        ("prove-inclusion", str(read(newer).size), newer),
        ("prove-inclusion", "999999", newer),
    ):
        result = ofc("checkpoint", *arguments, **reached)
        assert (result.code, result.out) == (1, ""), result
        assert "Traceback" not in result.err


def test_an_invalid_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nothing").write_text("nothing", encoding="utf-8")
    for file in (tmp_path / "nothing", tmp_path / "missing"):
        result = ofc("checkpoint", "prove-inclusion", "0", file)
        assert (result.code, result.out) == (2, "")
        assert str(file) in result.err


@pytest.mark.parametrize("proof", [None, "no list", ["ff"], [7]])
def test_an_invalid_proof_proves_nothing(checkpoints: Checkpoints, proof: Any) -> None:
    older, newer = checkpoints
    document = {"from": read(older).size, "to": read(newer).size, "proof": proof}
    with faulty(build_response(200, document)) as server:
        result = ofc("checkpoint", "prove-consistency", older, newer, OFC_URL=server.url)
    assert (result.code, result.out) == (1, "")
    assert "proof-wrong" in result.err


def test_an_event_that_was_not_signed_proves_nothing(checkpoints: Checkpoints) -> None:
    _, newer = checkpoints
    event = {"position": 5, "bytes": "AAAA", "hash": "00" * 32, "kind": "x", "at": "x"}
    for content in (b"", b"nothing\n", json.dumps({**event, "position": 6}).encode(), json.dumps(event).encode()):
        listed = build_response(200, content.decode(), "application/x-ndjson")
        proved = build_response(200, {"position": 5, "size": read(newer).size, "proof": []})
        with faulty(proved, listed) as server:
            result = ofc("checkpoint", "prove-inclusion", "5", newer, OFC_URL=server.url)
        assert result.code in (1, 3), content
        assert result.out == ""
        assert "Traceback" not in result.err
