"""Consistency proofs from a service, for a witness to check."""

from client.api import Client
from evidence.errors import EvidenceError
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
