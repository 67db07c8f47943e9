from schemas.evidence import EvidenceError, inclusion_ranges
from scoring.errors import Mistake
from service.database import Transaction
from service.repository import trees
from service.usecases.prove_consistency import require_size


def prove_inclusion(transaction: Transaction, position: int, size: int) -> list[bytes]:
    """
    Give the hashes that prove that the club's tree of a size has the event that is at a position.

    Raises:
        EvidenceError: the tree of that size has no such position, or has never been so large.
    """
    require_size(transaction, size, "size")
    if position >= size:
        detail = f"{position} is given; a tree of {size} events has the positions 0 to {size - 1}"
        raise EvidenceError((Mistake("position-unknown", ("query", "position"), detail),))
    return trees.hash_ranges(transaction, inclusion_ranges(position, size))
