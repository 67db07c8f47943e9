"""Clubs and their witnesses: checkpoints that are submitted, and those that a witness fetches itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from client.api import Client
from evidence import SigningKey, VerifierKey, read_note, verify_note
from evidence.witness import read_tree
from tests.client.witness.witness_process import WitnessFiles, WitnessProcess, make_files, serving
from tests.evidence.witness_logs import submit
from tests.support.client.run_ofc import ofc, read_example, write
from tests.support.server_process import Running


@pytest.fixture
def files(client: Client, table: str, tmp_path: Path) -> WitnessFiles:
    """A witness of the club of the service, which has not seen it yet."""
    note = read_note(client.get_checkpoint(grow(client, table)))
    [key] = [VerifierKey.read(each["verifier"]) for each in client.list_checkpoint_keys()]
    return make_files(tmp_path, key, read_tree(note).origin)


@pytest.fixture
def witness(files: WitnessFiles) -> Iterator[WitnessProcess]:
    with serving(files) as process:
        yield process


def grow(client: Client, table: str) -> str:
    client.add_table({"name": table, "ruleset": "pineapple"})
    return client.make_checkpoint()["id"]


def policy_in(folder: Path, files: WitnessFiles, url: str = "") -> Path:
    file = folder / "friends.policy"
    file.write_text(f"log {files.log.written}\nwitness friend {files.key.verifier.written} {url}\nquorum friend\n")
    return file


def test_a_checkpoint_is_submitted_to_the_witnesses_of_a_policy_and_its_evidence_passes(
    files: WitnessFiles, witness: WitnessProcess, client: Client, reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    policy = policy_in(tmp_path, files, witness.url)
    for number in range(2):
        posted = ofc("post", write(tmp_path, {**read_example("turbo"), "table": f"{table}-{number}"}), **reached)
        assert posted.code == 0
        result = ofc(
            "checkpoint", "make", "-o", tmp_path / "seen.checkpoint", "--overwrite", "--policy", policy, **reached
        )
        assert (result.code, result.err) == (0, "")
    note = read_note((tmp_path / "seen.checkpoint").read_text())
    assert verify_note(note, [files.key.verifier]) == [files.key.verifier]
    evidence = tmp_path / "evidence.json"
    evidence.write_text(ofc("round", "evidence", f"{table}-1", **reached).out)
    arguments = ["verify", evidence, "--policy", policy]
    assert ofc(*arguments, "--checkpoint", tmp_path / "seen.checkpoint").code == 0
    assert ofc(*arguments).code == 0
    proof = tmp_path / "hand-1.tlog-proof"
    proof.write_text(ofc("round", "evidence", f"{table}-1", "--hand", "1", **reached).out)
    assert ofc("verify", proof, "--policy", policy).code == 0
    assert ofc("round", "evidence", f"{table}-1", "--hand", "99", **reached).code == 2


def test_a_witness_that_does_not_respond_is_reported_and_the_note_is_written(
    files: WitnessFiles, reached: dict[str, str], tmp_path: Path
) -> None:
    policy = policy_in(tmp_path, files, "http://127.0.0.1:9")
    result = ofc("checkpoint", "make", "-o", tmp_path / "made.checkpoint", "--policy", policy, **reached)
    assert result.code == 1
    assert "warning: not cosigned by friend.example/witness at http://127.0.0.1:9" in result.err
    assert "cosigned by no witness of the policy" in result.err
    assert read_tree(read_note((tmp_path / "made.checkpoint").read_text())).size > 0


def test_the_cosignature_of_another_key_than_that_of_the_policy_is_left_out(
    files: WitnessFiles, witness: WitnessProcess, reached: dict[str, str], tmp_path: Path
) -> None:
    other = make_files(tmp_path, files.log, "other")
    result = ofc("checkpoint", "make", "--policy", policy_in(tmp_path, other, witness.url), **reached)
    assert (result.code, "no valid cosignature with the key of the policy" in result.err) == (1, True)
    assert "friend.example" not in result.out


def watch(files: WitnessFiles, service: Running, reached: dict[str, str], *options: str | Path) -> tuple[int, str, str]:
    result = ofc("witness", "watch", service.url, "--config", files.configuration, "--once", *options, **reached)
    return result.code, result.out, result.err


def test_a_witness_fetches_checkpoints_and_writes_them_with_its_cosignature(
    files: WitnessFiles, service: Running, client: Client, reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    seen = tmp_path / "seen.checkpoint"
    sizes = []
    for number in range(3):
        grow(client, f"{table}-{number}")
        code, out, err = watch(files, service, reached, "-o", seen)
        assert (code, err, out.startswith("cosigned ")) == (0, "", True)
        note = read_note(seen.read_text())
        assert len(verify_note(note, [files.log, files.key.verifier])) == 2
        sizes.append(read_tree(note).size)
        newest = next(client.list_checkpoints(limit=1))
        assert [each["witness"] for each in newest["cosignatures"]] == [files.key.verifier.written]
        assert client.get_checkpoint(newest["id"]) == seen.read_text()
    assert sizes == sorted(set(sizes))
    assert watch(files, service, reached) == (0, "", "")


def test_a_club_that_shows_another_history_ends_the_watch_and_both_notes_are_stored(
    files: WitnessFiles, service: Running, client: Client, reached: dict[str, str], table: str
) -> None:
    """The witness has cosigned another tree with the key of the club before, as a dishonest operator would have it."""
    key = SigningKey.read((service.directory / "signing-key").read_text().split("\n")[0])
    origin = read_tree(read_note(client.get_checkpoint(grow(client, f"{table}-first")))).origin
    forged = submit([b"another history"], 0, key, origin)
    with serving(files) as witness:
        assert witness.send(forged).status_code == 200
    code, _, err = watch(files, service, reached)
    assert (code, "Error: not cosigned" in err) == (1, True)
    printed = ofc("witness", "conflicts", "--config", files.configuration)
    assert (printed.code, origin in printed.out) == (1, True)


def test_a_club_that_the_configuration_does_not_have_is_refused(
    files: WitnessFiles, service: Running, reached: dict[str, str]
) -> None:
    text = files.configuration.read_text()
    files.configuration.write_text(text.replace('origin = "tablestakes/clubs/', 'origin = "elsewhere/'))
    code, _, err = watch(files, service, reached)
    assert (code, "does not know the origin" in err) == (1, True)
