"""Checkpoints, cosignatures and proofs of the project verify with code of others: Go and `sigstore`."""

import json
import os
import shutil
import subprocess
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from evidence import Checkpoint, SigningKey, sign_note
from evidence.cosignatures import CosigningKey
from evidence.files import decode_file
from tests.evidence import naive

PROGRAM = Path(__file__).parent / "go_verifier" / "verify.go"
RELEASE = Path(__file__).parent / "releases" / "0.1.0.json"
# Debian's package golang-golang-x-mod-dev puts the modules there, for the compiler without modules.
MODULES = Path(os.environ.get("GOPATH", "/usr/share/gocode"))
LOG, WITNESS = SigningKey.make("tablestakes"), CosigningKey.make("witness.example/w1")
ORIGIN = "tablestakes/clubs/0193f0c0-0000-7000-8000-000000000001"
EVENTS = [bytes([number]) * number for number in range(40)]


def sample(old: int, new: int, index: int) -> dict[str, Any]:
    tree = Checkpoint(ORIGIN, new, naive.mth(EVENTS[:new]))
    proof = naive.proof(old, EVENTS[:new])
    return {
        "Note": sign_note(tree.text, [LOG, WITNESS]).written,
        "Log": LOG.verifier.written,
        "Witness": WITNESS.verifier.written,
        "Event": b64encode(EVENTS[index]).decode(),
        "Index": index,
        "Inclusion": _hashes(naive.path(index, EVENTS[:new])),
        "OldSize": old,
        "OldRoot": b64encode(naive.mth(EVENTS[:old])).decode(),
        "Consistency": _hashes(proof),
    }


def _hashes(proof: list[bytes]) -> list[str]:
    return [b64encode(each).decode() for each in proof]


def run_go(samples: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": str(MODULES), "GOFLAGS": ""}
    lines = "\n".join(map(json.dumps, samples))
    command = ["go", "run", str(PROGRAM)]
    return subprocess.run(command, input=lines, env=environment, capture_output=True, text=True, check=False)


needs_go = pytest.mark.skipif(
    shutil.which("go") is None or not (MODULES / "src/golang.org/x/mod/sumdb/tlog").is_dir(),
    reason="Go or its package golang.org/x/mod is not installed (Debian: golang-go, golang-golang-x-mod-dev)",
)


@needs_go
def test_go_verifies_checkpoints_cosignatures_and_proofs() -> None:
    pairs = [(1, 2), (1, 40), (3, 7), (4, 8), (7, 8), (8, 8), (13, 29), (32, 33), (39, 40)]
    result = run_go([sample(old, new, new - 1) for old, new in pairs] + [sample(6, 11, index) for index in range(11)])
    assert (result.stdout, result.stderr) == ("verified\n", "")


@needs_go
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("Event", "AAAA"),
        ("Index", 3),
        ("OldRoot", b64encode(bytes(32)).decode()),
        ("Witness", CosigningKey.make("witness.example/w1").verifier.written),
    ],
    ids=["event", "index", "root", "witness"],
)
def test_go_refuses_what_was_changed(field: str, value: object) -> None:
    assert run_go([{**sample(6, 11, 4), field: value}]).returncode == 1


def test_sigstore_reads_checkpoints_and_their_signatures_verify() -> None:
    checkpoint = pytest.importorskip("sigstore._internal.rekor.checkpoint", reason="sigstore is not installed")
    tree = Checkpoint(ORIGIN, 40, naive.mth(EVENTS))
    read = checkpoint.SignedCheckpoint.from_text(sign_note(tree.text, [LOG, WITNESS]).written)
    assert (read.checkpoint.origin, read.checkpoint.log_size) == (ORIGIN, 40)
    assert (read.checkpoint.log_hash, read.checkpoint.other_content) == (tree.root.hex(), [])
    by_log, by_witness = read.signed_note.signatures
    assert (by_log.sig_hash, by_witness.sig_hash) == (LOG.verifier.id, WITNESS.verifier.id)
    text, signature = read.signed_note.note.encode(), b64decode(by_witness.signature)
    Ed25519PublicKey.from_public_bytes(LOG.verifier.public).verify(b64decode(by_log.signature), text)
    signed = b"cosignature/v1\ntime %d\n%b" % (int.from_bytes(signature[:8], "big"), text)
    witness = Ed25519PublicKey.from_public_bytes(WITNESS.verifier.public)
    witness.verify(signature[8:], signed)
    with pytest.raises(InvalidSignature):
        witness.verify(signature[8:], text)


@needs_go
def test_go_verifies_the_evidence_of_a_release() -> None:
    """The tree's proofs come from the file; only the cosignature is added."""
    file = decode_file(json.loads(RELEASE.read_text(encoding="utf-8")))
    assert file.checkpoint is not None
    assert file.consistency is not None
    retained = RELEASE.with_suffix(".checkpoint").read_text(encoding="utf-8").split("\n")
    text = file.checkpoint.partition("\n\n")[0] + "\n"
    cosigned = file.checkpoint + sign_note(text, [WITNESS]).lines
    samples = [
        {
            "Note": cosigned,
            "Log": RELEASE.with_suffix(".key").read_text(encoding="utf-8").strip(),
            "Witness": WITNESS.verifier.written,
            "Event": b64encode(each.event).decode(),
            "Index": each.position,
            "Inclusion": _hashes(list(each.proof or ())),
            "OldSize": file.consistency.size,
            "OldRoot": retained[2],
            "Consistency": _hashes(list(file.consistency.proof)),
        }
        for each in (*file.events, *file.related)
        if each.position is not None
    ]
    result = run_go(samples)
    assert (result.stdout, result.stderr) == ("verified\n", "")
