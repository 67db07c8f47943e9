"""Evidence files: one JSON file per round that can be verified without the service."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from evidence.codec import Base64, Codec, Hash, JsonObject, Lines, codec_of
from evidence.errors import EvidenceError
from evidence.round_map import MOST_SEQUENCE
from evidence.texts import SaltedText
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
    """
    The document of a revision, its settlement and its hands, as the service returns them.

    The table of the document has the name that it had when the round was opened.
    """

    revision: int
    document: JsonObject
    settlement: JsonObject
    hands: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFile:
    """
    The evidence of a round.

    Attributes:
        revisions: all revisions, the newest last.
        rulesets: the rulesets of the revisions, in full.
        texts: the reasons of the revisions that were not erased, with the keys of their digests in the events.
        events: the events of the round, in order.
        related: the events outside of rounds that these refer to: those of the table until the opening, and of the
            rulesets.
        checkpoint: the signed note over the tree that the proofs lead to; None where none was signed yet.
        sealed: the last event of that tree, `checkpoint.sealed`, which has the root of the map of rounds and the time.
        newest: which event of the round was the newest when the checkpoint was signed; None where it has no event of
            the round.
        consistency: with an older checkpoint, where that was asked for.
        keys: the public keys that signed it, each in one line.
    """

    format: str = FORMAT
    club: UUID
    round: UUID
    revisions: tuple[EvidenceRevision, ...]
    rulesets: tuple[JsonObject, ...]
    texts: tuple[SaltedText, ...]
    events: tuple[ProvedEvent, ...]
    related: tuple[ProvedEvent, ...]
    checkpoint: Lines | None
    sealed: ProvedEvent | None
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
    # A file without the newest event is evidence of the events that it has, and one without texts of the rest.
    omitted: dict[str, Any] = {"sealed": None, "newest": None, "texts": []}
    file = _FILE.decode({**omitted, **received} if isinstance(received, Mapping) else received)
    mistakes = tuple(_mistakes(file))
    if mistakes:
        raise EvidenceError(mistakes)
    return file


def _mistakes(file: EvidenceFile) -> list[Mistake]:
    """List what is wrong beyond the types of values."""
    mistakes = []
    if file.format != FORMAT:
        mistakes.append(Mistake("value-unknown", ("format",), f"is {file.format!r}; expected one of {FORMAT}"))
    if file.newest is not None and not 1 <= file.newest.sequence <= MOST_SEQUENCE:
        detail = f"is {file.newest.sequence}; expected an integer from 1 to {MOST_SEQUENCE}"
        mistakes.append(Mistake("out-of-range", ("newest", "sequence"), detail))
    for name in ("events", "revisions"):
        if not getattr(file, name):
            mistakes.append(Mistake("list-length", (name,), "has 0 items; expected at least 1"))
    proved = [
        *((("events", index), each) for index, each in enumerate(file.events)),
        *((("related", index), each) for index, each in enumerate(file.related)),
        *([(("sealed",), file.sealed)] if file.sealed else []),
    ]
    mistakes += [
        Mistake("proof-alone", (*place, "proof"), "an event has a position and a proof, or neither")
        for place, each in proved
        if (each.position is None) != (each.proof is None)
    ]
    return mistakes
