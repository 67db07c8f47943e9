"""Evidence files: one JSON file per round that can be verified without the service."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from evidence.codec import Base64, Codec, Hash, Json, Lines, codec_of
from evidence.errors import EvidenceError
from scoring.errors import Mistake

FORMAT: Final = "tablestakes-evidence/1"
"""The encoding of the file; another way of encoding it gets another number."""


@dataclass(frozen=True, slots=True)
class ProvedEvent:
    """An event's bytes, its position in the tree and the proof of it; None for one that has not joined the tree."""

    event: Base64
    position: int | None
    proof: tuple[Hash, ...] | None


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """The proof that the checkpoint's tree extends one of another size."""

    size: int
    proof: tuple[Hash, ...]


@dataclass(frozen=True, slots=True)
class NewestEvent:
    """
    The entry of the round in the checkpoint's map of rounds, and the proof of it.

    Attributes:
        sequence: the number in the round of its newest event when the checkpoint was signed.
        event: the hash of that event.
        proof: the hashes of the inclusion proof in the map, from the bottom up.
    """

    sequence: int
    event: Hash
    proof: tuple[Hash, ...]


@dataclass(frozen=True, slots=True)
class EvidenceRevision:
    """The document of a revision, its settlement and its hands, as the service returns them."""

    revision: int
    document: Json
    settlement: Json
    hands: tuple[Json, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFile:
    """
    The evidence of a round.

    Attributes:
        revisions: all revisions, the newest last.
        rulesets: the rulesets of the revisions, in full.
        events: the events of the round, in order.
        related: the events outside of rounds that these refer to: the table and the rulesets.
        checkpoint: the signed note over the tree that the proofs lead to; None where none was signed yet.
        newest: which event of the round was the newest when the checkpoint was signed; None where it has no event of
            the round.
        consistency: with an older checkpoint, where that was asked for.
        keys: the public keys that signed it, each in one line.
    """

    format: str = FORMAT
    club: UUID
    round: UUID
    revisions: tuple[EvidenceRevision, ...]
    rulesets: tuple[Json, ...]
    events: tuple[ProvedEvent, ...]
    related: tuple[ProvedEvent, ...]
    checkpoint: Lines | None
    newest: NewestEvent | None
    consistency: ConsistencyProof | None
    keys: tuple[str, ...]


_FILE: Final[Codec[EvidenceFile]] = codec_of(EvidenceFile)


def encode_file(file: EvidenceFile) -> dict[str, Any]:
    """Return an evidence file as JSON."""
    encoded: dict[str, Any] = _FILE.encode(file)
    return encoded


def decode_file(received: object) -> EvidenceFile:
    """
    Decode an evidence file, without verifying it.

    Raises:
        EvidenceError: it does not have the form of one, with every place in it.
    """
    # A file without the newest event is evidence of the events that it has.
    file = _FILE.decode({"newest": None, **received} if isinstance(received, Mapping) else received)
    mistakes = tuple(_mistakes(file))
    if mistakes:
        raise EvidenceError(mistakes)
    return file


def _mistakes(file: EvidenceFile) -> list[Mistake]:
    """List what is wrong beyond the types of values."""
    found = []
    if file.format != FORMAT:
        found.append(Mistake("value-unknown", ("format",), f"is {file.format!r}; expected one of {FORMAT}"))
    for name in ("events", "revisions"):
        if not getattr(file, name):
            found.append(Mistake("list-length", (name,), "has 0 items; expected at least 1"))
    for name, events in (("events", file.events), ("related", file.related)):
        found += [
            Mistake("proof-alone", (name, index, "proof"), "an event has a position and a proof, or neither")
            for index, each in enumerate(events)
            if (each.position is None) != (each.proof is None)
        ]
    return found
