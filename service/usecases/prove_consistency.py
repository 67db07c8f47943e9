from schemas.evidence import EvidenceError, consistency_ranges
from scoring.errors import Mistake
from service.database import Transaction
from service.repository import trees


def prove_consistency(transaction: Transaction, old: int, new: int) -> list[bytes]:
    """
    Give the hashes that prove that the club's tree only grew from one size to another.

    Raises:
        EvidenceError: the old size is the larger one, or the tree has never been so large.
    """
    ranges = consistency_ranges(old, new)
    size = trees.get_head(transaction).size
    if new > size:
        detail = f"{new} is given; the tree has {size} events, and no size beyond that can be proved"
        raise EvidenceError((Mistake("size-unknown", ("query", "to"), detail),))
    return trees.hash_ranges(transaction, ranges)
