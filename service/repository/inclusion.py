"""Proofs that events are in their club's tree, and that it only grew."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final
from uuid import UUID

from sqlalchemy import text

from schemas.evidence import consistency_ranges, inclusion_ranges
from service.database import Transaction
from service.repository import trees


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Where an event's leaf is in the tree, and the proof of it."""

    position: int
    proof: tuple[bytes, ...]


_POSITIONS: Final = text("""
    SELECT event_id, position FROM tree_nodes
    WHERE club_id = :club_id AND level = 0 AND event_id = ANY (:event_ids) AND position < :size
""")


def prove(transaction: Transaction, event_ids: Collection[UUID], size: int) -> Mapping[UUID, Inclusion]:
    """Prove of events that they are in the tree of so many leaves; those that are not are left out."""
    parameters = {"club_id": transaction.club_id, "event_ids": list(event_ids), "size": size}
    positions = {each.event_id: each.position for each in transaction.execute(_POSITIONS, parameters)}
    ranges = {event_id: inclusion_ranges(position, size) for event_id, position in positions.items()}
    hashes: Iterator[bytes] = iter(trees.hash_ranges(transaction, [each for some in ranges.values() for each in some]))
    return {
        event_id: Inclusion(positions[event_id], tuple(islice(hashes, len(some)))) for event_id, some in ranges.items()
    }


def prove_growth(transaction: Transaction, old: int, new: int) -> tuple[bytes, ...]:
    """
    Prove that the tree grew from one size to another.

    Raises:
        EvidenceError: the old size is the larger one.
    """
    return tuple(trees.hash_ranges(transaction, consistency_ranges(old, new)))
