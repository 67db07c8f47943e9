"""Verify evidence files, and the proofs of checkpoints that the service returns, without a service and a network."""

from collections.abc import Mapping, Sequence
from typing import Any

from client.errors import UnreadableError
from client.offline.problems import make_refusal
from evidence import EvidenceError, VerifierKey, hash_event, read_event, verify_consistency, verify_inclusion
from evidence.codec import Base64, codec_of
from evidence.files import decode_file
from evidence.log_proof import HEADER as PROOF_HEADER
from evidence.policy import Policy, read_policy
from schemas.base import WireError, WireSchema, load
from schemas.events import CheckpointConsistencyProofSchema, CheckpointInclusionProofSchema
from schemas.fields import show_time
from schemas.verification.evidence_file import verify
from schemas.verification.log_proof import find_hand_proof, verify_log_proof
from schemas.verification.proofs import SignedTree, read_signed
from schemas.verification.report import Outcome

__all__ = [
    "PROOF_HEADER",
    "Outcome",
    "SignedTree",
    "read_checkpoint",
    "read_keys",
    "read_trust_policy",
    "verify",
    "verify_log_proof",
]


def read_keys(written: Sequence[str]) -> list[VerifierKey]:
    """
    Parse the keys that the user trusts.

    Raises:
        UnreadableError: one of them is not a public key.
    """
    try:
        return [VerifierKey.read(each.strip()) for each in written]
    except EvidenceError as error:
        raise UnreadableError(f"--key: {error}") from None


def read_trust_policy(written: bytes, name: str) -> Policy:
    """
    Parse the policy that the user trusts.

    Raises:
        UnreadableError: it is not a trust policy.
    """
    try:
        return read_policy(written)
    except EvidenceError as error:
        raise UnreadableError(f"{name}: {error}") from None


def write_hand_proof(received: Mapping[str, Any], number: int) -> str:
    """
    Return the proof of a hand from the evidence of its round.

    Raises:
        UnreadableError: the evidence has no signed event that recorded the hand.
    """
    try:
        proof = find_hand_proof(decode_file(received), number)
    except EvidenceError as error:
        raise UnreadableError(f"the evidence cannot be read: {error}") from None
    if proof is None:
        raise UnreadableError(f"no signed event records hand {number}; `ofc checkpoint make` signs all events so far")
    return proof.written


def read_checkpoint(written: str, name: str) -> SignedTree:
    """
    Parse a checkpoint that the user has retained.

    Raises:
        UnreadableError: the text is not a signed checkpoint.
    """
    try:
        return read_signed(written)
    except EvidenceError as error:
        raise UnreadableError(f"{name}: {error}") from None


Document = Mapping[str, Any]


def require_one_club(older: SignedTree, newer: SignedTree) -> None:
    """
    Check that two checkpoints are of the same club.

    Raises:
        UnreadableError: they are of two clubs.
    """
    one, other = older.checkpoint.origin, newer.checkpoint.origin
    if one != other:
        raise UnreadableError(
            f"the first checkpoint is of {one}, and the second of {other}; expected two checkpoints of one club"
        )


def check_growth(result: Document, older: SignedTree, newer: SignedTree) -> None:
    """
    Verify that the events of the older checkpoint are the first ones of the newer one, unchanged and in order.

    Raises:
        RefusedError: the proof is invalid.
    """
    old, new = older.checkpoint, newer.checkpoint
    try:
        proof = _read_hashes(CheckpointConsistencyProofSchema(), result)
        verify_consistency(old.size, new.size, proof, old.root, new.root)
    except (EvidenceError, WireError) as error:
        raise make_refusal("proof-wrong", *error.mistakes) from error


def check_inclusion(result: Document, written: str, position: int, tree: SignedTree) -> str:
    """
    Verify that an event is at a position of the tree of a checkpoint, and return a description of the event.

    Args:
        result: the proof, from the service.
        written: the event's bytes, in base64.
        position: of the event.
        tree: the signed tree.

    Raises:
        RefusedError: the proof is invalid, or the bytes are not an event.
    """
    size, root = tree.checkpoint.size, tree.checkpoint.root
    try:
        event = _read_bytes(written)
        verify_inclusion(
            hash_event(event), position, size, _read_hashes(CheckpointInclusionProofSchema(), result), root
        )
        read = read_event(event)
    except (EvidenceError, WireError) as error:
        raise make_refusal("proof-wrong", *error.mistakes) from error
    return f"{read.kind} of {show_time(read.at)}"


def _read_bytes(written: str) -> bytes:
    try:
        read: bytes = codec_of(Base64).decode(written)
    except EvidenceError as error:
        raise EvidenceError(tuple(mistake.under("bytes") for mistake in error.mistakes)) from error
    return read


def _read_hashes(schema: WireSchema, result: Document) -> list[bytes]:
    return [bytes.fromhex(each) for each in load(schema, dict(result))["proof"]]
