"""Cosignatures of witnesses: C2SP `tlog-cosignature`, version 1, with Ed25519."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, Final

from evidence.keys import COSIGNATURE, SigningKey, VerifierKey
from evidence.notes import Signature, SignedNote

_TIME_BYTES: Final = 8
_LATEST: Final = 2**63 - 1


def _message(text: bytes, at: int) -> bytes:
    """Return the bytes that a witness signs; the first line separates them from those that a log signs."""
    return b"cosignature/v1\ntime %d\n%b" % (at, text)


@dataclass(frozen=True)
class CosignerKey(VerifierKey):
    """
    The public key of a witness, which verifies its cosignatures.

    >>> CosignerKey.read("remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2").id.hex()
    'da77ade7'
    """

    kind: ClassVar[bytes] = COSIGNATURE

    def has_signed(self, text: bytes, signature: bytes) -> bool:
        """Return whether a cosignature of a checkpoint's text was made with this key, at the time that it contains."""
        at = time_of(signature)
        return 0 < at <= _LATEST and super().has_signed(_message(text, at), signature[_TIME_BYTES:])


@dataclass(frozen=True, repr=False)
class CosigningKey(SigningKey):
    """
    The private key of a witness.

    >>> key = CosigningKey.make("witness.example/w1")
    >>> key.verifier.has_signed(b"text", key.cosign(b"text", 1679315147))
    True
    """

    verifies: ClassVar[type[VerifierKey]] = CosignerKey

    def sign(self, text: bytes) -> bytes:
        """Cosign a checkpoint's text now."""
        return self.cosign(text, int(time.time()))

    def cosign(self, text: bytes, at: int) -> bytes:
        """
        Cosign a checkpoint's text at a time.

        Args:
            text: of the checkpoint, all its lines.
            at: seconds since 1970, at least 1.
        """
        return at.to_bytes(_TIME_BYTES, "big") + super().sign(_message(text, at))


@dataclass(frozen=True, slots=True)
class Cosignature:
    """A valid cosignature of a note: by which witness, and when."""

    key: VerifierKey
    at: datetime
    signature: Signature


def cosign_note(text: str, key: CosigningKey, at: int) -> SignedNote:
    """Return a checkpoint's text with the cosignature of a witness alone."""
    return SignedNote(text, (Signature(key.name, key.verifier.id, key.cosign(text.encode(), at)),))


def time_of(signature: bytes) -> int:
    """Return the seconds since 1970 that a cosignature contains."""
    return int.from_bytes(signature[:_TIME_BYTES], "big")


def cosignatures_of(note: SignedNote, witnesses: frozenset[CosignerKey]) -> list[Cosignature]:
    """
    Return the valid cosignatures of a note, one for each witness that signed it: the latest.

    Signatures by unknown keys, and invalid ones under the name of a witness, are left out: anyone can add a line.
    """
    known = {(key.name, key.id): key for key in witnesses}
    valid: dict[CosignerKey, Cosignature] = {}
    for each in note.signatures:
        key = known.get((each.name, each.key_id))
        if key is None or not key.has_signed(note.text.encode(), each.signature):
            continue
        at = moment_of(each.signature)
        if key not in valid or valid[key].at < at:
            valid[key] = Cosignature(key, at, each)
    return list(valid.values())


def moment_of(signature: bytes) -> datetime:
    """Return the moment that a cosignature contains; one after the year 9999 is that year's last."""
    seconds = time_of(signature)
    last = datetime.max.replace(tzinfo=UTC, microsecond=0)
    return last if seconds >= last.timestamp() else datetime.fromtimestamp(seconds, UTC)
