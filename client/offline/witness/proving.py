"""Consistency proofs from a service, for a witness to check, and cosignatures to it."""

from base64 import b64encode

from client.api import Client
from evidence import EvidenceError, VerifierKey
from evidence.notes import Signature
from schemas.base import WireError, load
from schemas.events import CheckpointConsistencyProofSchema


def prove(client: Client, old: int, new: int) -> tuple[bytes, ...]:
    """
    Return the hashes of the proof that the tree of a club has grown from one size to another.

    Without growth there is nothing to prove: the proof is empty, and the witness decides.

    Raises:
        ApiError, TransportError: the service refuses, or does not respond.
        EvidenceError: the service did not return a proof.
    """
    if not 0 < old < new:
        return ()
    try:
        read = load(CheckpointConsistencyProofSchema(), dict(client.prove_consistency(from_=old, to=new)))
    except WireError as error:
        raise EvidenceError(error.mistakes) from None
    return tuple(bytes.fromhex(each) for each in read["proof"])


def send_cosignature(client: Client, address: str, key: VerifierKey, line: Signature) -> None:
    """
    Add the cosignature of a witness to a checkpoint of the service.

    Raises:
        ApiError, TransportError: the service refuses, or does not respond.
    """
    signature = b64encode(line.key_id + line.signature).decode()
    client.add_cosignature(address, {"witness": key.written, "signature": signature})
