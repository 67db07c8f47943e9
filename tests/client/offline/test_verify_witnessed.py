"""`ofc verify --policy`: the quorum of witnesses is demanded, and what lacks it fails; and the proof of one hand."""

from pathlib import Path

import pytest

from evidence import SigningKey, read_note, sign_note
from evidence.cosignatures import CosigningKey
from evidence.files import decode_file
from schemas.verification.log_proof import find_hand_proof
from tests.support.client.release_evidence import KEYS, NEWEST, Document, changed_at, file_of, newest_file
from tests.support.client.run_ofc import ofc, write

WITNESSES = [CosigningKey.make(f"{name}.example/witness") for name in ("ann", "ben", "cara")]
LINES = "".join(f"witness {key.name[:3]} {key.verifier.written}\n" for key in WITNESSES)
TWO_OF_THREE = f"log {KEYS[0].written}\n{LINES}group friends 2 ann ben car\nquorum friends\n"
NOTE: str = newest_file()["checkpoint"]


def cosigned(*keys: SigningKey, note: str = NOTE) -> str:
    return note + sign_note(read_note(note).text, keys).lines


def file_with(*keys: SigningKey) -> Document:
    return changed_at(("checkpoint",), cosigned(*keys)) if keys else newest_file()


def policy_in(folder: Path, policy: str = TWO_OF_THREE) -> Path:
    file = folder / "friends.policy"
    file.write_text(policy)
    return file


def test_a_file_with_the_quorum_passes_without_another_key(tmp_path: Path) -> None:
    file = write(tmp_path, file_with(*WITNESSES[:2]))
    result = ofc("verify", file, "--policy", policy_in(tmp_path))
    assert result.code == 0, result.out
    assert "The checkpoint is cosigned by ann.example/witness at" in result.text
    assert "The checkpoint is signed by a log of your policy" in result.text


def test_cosignatures_can_come_with_the_retained_checkpoint(tmp_path: Path) -> None:
    retained = tmp_path / "witnessed.checkpoint"
    retained.write_text(cosigned(*WITNESSES))
    arguments = ["verify", write(tmp_path, newest_file()), "--policy", policy_in(tmp_path)]
    assert ofc(*arguments, "--checkpoint", retained).code == 0
    assert ofc(*arguments).code == 1


@pytest.mark.parametrize(
    ("keys", "detail"),
    [
        ([], "no witness of your policy"),
        (WITNESSES[:1], "cosigned by ann.example/witness at"),
        ([WITNESSES[0], WITNESSES[0]], "cosigned by ann.example/witness at"),
        ([WITNESSES[0], CosigningKey.make("ben.example/witness")], "cosigned by ann.example/witness at"),
    ],
    ids=["none", "one", "twice", "another key"],
)
def test_a_file_without_the_quorum_fails(tmp_path: Path, keys: list[SigningKey], detail: str) -> None:
    result = ofc("verify", write(tmp_path, file_with(*keys)), "--policy", policy_in(tmp_path), "--json")
    assert (result.code, result.document["outcome"]) == (1, "failed")
    [failed] = result.document["failed"]
    assert (failed["code"], detail in failed["detail"]) == ("quorum-missing", True)


def test_cosignatures_of_another_checkpoint_do_not_count(tmp_path: Path) -> None:
    other = sign_note("tablestakes/clubs/other\n1\nAAAA\n", WITNESSES).lines
    result = ofc("verify", write(tmp_path, changed_at(("checkpoint",), NOTE + other)), "--policy", policy_in(tmp_path))
    assert result.code == 1


def test_a_file_without_a_checkpoint_or_of_another_log_fails(tmp_path: Path) -> None:
    unsigned = changed_at(("checkpoint",), None)
    assert ofc("verify", write(tmp_path, unsigned), "--policy", policy_in(tmp_path)).code == 1
    stranger = SigningKey.make("tablestakes").verifier.written
    for log in (stranger, SigningKey.make("elsewhere").verifier.written):
        policy = policy_in(tmp_path, TWO_OF_THREE.replace(KEYS[0].written, log))
        assert ofc("verify", write(tmp_path, file_with(*WITNESSES)), "--policy", policy).code == 1


def test_a_policy_whose_log_has_another_name_fails(tmp_path: Path) -> None:
    """The name of the log is that of the origin, or its beginning up to a slash."""
    for name, code in (("tablestakes", 0), ("table", 1), ("tablestakes/clubs", 0)):
        key = SigningKey.make(name)
        note = sign_note(read_note(NOTE).text, [key, *WITNESSES]).written
        policy = policy_in(tmp_path, TWO_OF_THREE.replace(KEYS[0].written, key.verifier.written))
        document = {**changed_at(("checkpoint",), note), "keys": [key.verifier.written]}
        assert ofc("verify", write(tmp_path, document), "--policy", policy).code == code


def test_an_invalid_policy_is_refused_before_anything_is_verified(tmp_path: Path) -> None:
    result = ofc("verify", file_of(NEWEST, "json"), "--policy", policy_in(tmp_path, "quorum nobody\n"))
    assert (result.code, "line 1 of the policy" in result.err) == (2, True)


def test_a_policy_without_witnesses_demands_none(tmp_path: Path) -> None:
    policy = policy_in(tmp_path, f"log {KEYS[0].written}\nquorum none\n")
    result = ofc("verify", file_of(NEWEST, "json"), "--policy", policy)
    assert (result.code, "Your policy demands no witness." in result.text) == (0, True)


# --- the proof of one hand ---


def proof_of(number: int, *keys: SigningKey) -> str:
    proof = find_hand_proof(decode_file(file_with(*keys)), number)
    assert proof is not None
    return proof.written


def proof_file(folder: Path, proof: str) -> Path:
    file = folder / "hand.tlog-proof"
    file.write_text(proof)
    return file


def test_the_proof_of_a_hand_passes_with_the_key_or_the_policy(tmp_path: Path) -> None:
    file = proof_file(tmp_path, proof_of(1, *WITNESSES))
    for option in (["--key", KEYS[0].written], ["--policy", policy_in(tmp_path)]):
        result = ofc("verify", file, *option)
        assert result.code == 0, result.out
        assert f"hand 1 of round {newest_file()['round']}" in result.text
        assert "PASSED: the event is signed as of checkpoint" in result.text


def test_the_proof_of_a_hand_without_a_key_is_incomplete_and_without_the_quorum_fails(tmp_path: Path) -> None:
    file = proof_file(tmp_path, proof_of(1))
    assert ofc("verify", file).code == 4
    assert ofc("verify", file, "--policy", policy_in(tmp_path)).code == 1
    assert ofc("verify", file, "--key", SigningKey.make("tablestakes").verifier.written).code == 1
    assert ofc("verify", file, "--checkpoint", file_of(NEWEST, "checkpoint")).code == 2


def test_a_changed_proof_fails(tmp_path: Path) -> None:
    lines = proof_of(1).split("\n")
    first = proof_of(2).split("\n")
    for place in (1, 2, 3):
        changed = [*lines[:place], first[place], *lines[place + 1 :]]
        assert ofc("verify", proof_file(tmp_path, "\n".join(changed)), "--key", KEYS[0].written).code == 1


def test_a_hand_that_nobody_recorded_has_no_proof() -> None:
    assert find_hand_proof(decode_file(newest_file()), 99) is None
