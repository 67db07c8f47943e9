"""
Evidence for records: events as bytes, the Merkle tree of events, and signed checkpoints.

Nothing here needs a database or a server: anyone who has the bytes can verify them. docs/evidence.md has the
format to the byte. `evidence.events` has the payload of each kind of event, and `evidence.fold` makes rounds from them.
"""

from evidence.canonical import canonical_json, digest_of
from evidence.checkpoints import Checkpoint
from evidence.envelope import Event, Headings, hash_event, read_event, write_event, write_heading
from evidence.errors import EvidenceError
from evidence.keys import SigningKey, VerifierKey
from evidence.notes import SignedNote, read_note, sign_note, verify_note
from evidence.round_map import (
    MapEntry,
    Tile,
    key_of,
    prove_entry,
    read_tile,
    root_of,
    update_map,
    verify_entry,
    write_tile,
)
from evidence.tree import (
    EMPTY_ROOT,
    Edge,
    Place,
    Range,
    consistency_ranges,
    hash_leaf,
    hash_node,
    hashes_of,
    inclusion_ranges,
    places_of,
    verify_consistency,
    verify_inclusion,
)

__all__ = [
    "EMPTY_ROOT",
    "Checkpoint",
    "Edge",
    "Event",
    "EvidenceError",
    "Headings",
    "MapEntry",
    "Place",
    "Range",
    "SignedNote",
    "SigningKey",
    "Tile",
    "VerifierKey",
    "canonical_json",
    "consistency_ranges",
    "digest_of",
    "hash_event",
    "hash_leaf",
    "hash_node",
    "hashes_of",
    "inclusion_ranges",
    "key_of",
    "places_of",
    "prove_entry",
    "read_event",
    "read_note",
    "read_tile",
    "root_of",
    "sign_note",
    "update_map",
    "verify_consistency",
    "verify_entry",
    "verify_inclusion",
    "verify_note",
    "write_event",
    "write_heading",
    "write_tile",
]
