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
    require_size(transaction, new, "to")
    return trees.hash_ranges(transaction, ranges)


def require_size(transaction: Transaction, size: int, name: str) -> None:
    """
    Go on only where the club's tree has ever been so large.

    Raises:
        EvidenceError: it never was; `name` is what the request calls the size.
    """
    largest = trees.get_head(transaction).size
    if size > largest:
        detail = f"{size} is given; the tree has {largest} events, and no size beyond that can be proved"
        raise EvidenceError((Mistake("size-unknown", ("query", name), detail),))
