"""Whether what the service proves of its tree of events leads to checkpoints that somebody has kept."""

from collections.abc import Mapping
from typing import Any

from client.errors import UnreadableError
from client.offline.proofs import SignedTree
from client.offline.refusal import refusal
from schemas.base import WireError, WireSchema, load
from schemas.checkpoints import ConsistencySchema, InclusionSchema
from schemas.evidence import hash_event, read_event, verify_consistency, verify_inclusion
from schemas.evidence_files import Base64
from schemas.fields import show_time

Document = Mapping[str, Any]


class _WrittenSchema(WireSchema):
    bytes = Base64(required=True)


def require_one_club(older: SignedTree, newer: SignedTree) -> None:
    """
    See that two checkpoints are of one club.

    Raises:
        UnreadableError: they are of two.
    """
    one, other = older.checkpoint.origin, newer.checkpoint.origin
    if one != other:
        raise UnreadableError(f"the first checkpoint is of {one}, and the second of {other}; two of one club are right")


def check_growth(answer: Document, older: SignedTree, newer: SignedTree) -> None:
    """
    See that the tree of the newer checkpoint holds the events of the older one first, unchanged and in their order.

    Raises:
        RefusedError: the answer does not prove it.
    """
    old, new = older.checkpoint, newer.checkpoint
    try:
        proof = _read_hashes(ConsistencySchema(), answer)
        verify_consistency(old.size, new.size, proof, old.root, new.root)
    except WireError as error:
        raise refusal("proof-wrong", *error.mistakes) from error


def check_inclusion(answer: Document, written: str, position: int, tree: SignedTree) -> str:
    """
    See that an event is at a position of the tree of a checkpoint, and say what event it is.

    Args:
        answer: the service's proof.
        written: the event's bytes, in base64.
        position: of the event.
        tree: that was signed.

    Raises:
        RefusedError: the answer does not prove it, or what it proves is no event.
    """
    size, root = tree.checkpoint.size, tree.checkpoint.root
    try:
        event = _read_bytes(written)
        verify_inclusion(hash_event(event), position, size, _read_hashes(InclusionSchema(), answer), root)
        read = read_event(event)
    except WireError as error:
        raise refusal("proof-wrong", *error.mistakes) from error
    return f"{read.kind} of {show_time(read.at)}"


def _read_bytes(written: str) -> bytes:
    read: bytes = load(_WrittenSchema(), {"bytes": written})["bytes"]
    return read


def _read_hashes(schema: WireSchema, answer: Document) -> list[bytes]:
    return [bytes.fromhex(each) for each in load(schema, dict(answer))["proof"]]
