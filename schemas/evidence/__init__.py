"""
What proves that records are as they were: events as bytes, the tree that they are leaves of, and signed checkpoints.

Nothing here asks a database or a server, so that whoever holds the bytes can check them. docs/evidence.md has the
format to the byte.
"""

from schemas.evidence.checkpoints import Checkpoint
from schemas.evidence.errors import EvidenceError
from schemas.evidence.events import Event, Headings, hash_event, read_event, write_event, write_heading
from schemas.evidence.keys import SigningKey, VerifierKey
from schemas.evidence.notes import SignedNote, read_note, sign_note, verify_note
from schemas.evidence.proofs import (
    consistency_ranges,
    inclusion_ranges,
    verify_consistency,
    verify_inclusion,
)
from schemas.evidence.tree import EMPTY_ROOT, Edge, Place, Range, hash_leaf, hash_node, hashes_of, places_of

__all__ = [
    "EMPTY_ROOT",
    "Checkpoint",
    "Edge",
    "Event",
    "EvidenceError",
    "Headings",
    "Place",
    "Range",
    "SignedNote",
    "SigningKey",
    "VerifierKey",
    "consistency_ranges",
    "hash_event",
    "hash_leaf",
    "hash_node",
    "hashes_of",
    "inclusion_ranges",
    "places_of",
    "read_event",
    "read_note",
    "sign_note",
    "verify_consistency",
    "verify_inclusion",
    "verify_note",
    "write_event",
    "write_heading",
]
