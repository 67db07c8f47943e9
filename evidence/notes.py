"""C2SP signed notes: a readable text with signatures below it."""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from evidence.errors import refuse
from evidence.keys import SigningKey, VerifierKey

MOST_BYTES: Final = 100_000
_ID_BYTES: Final = 4
_LINE: Final = re.compile(r"— (?P<name>[^\s+]+) (?P<signature>[A-Za-z0-9+/]+=*)")
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature, with the name and id of its key."""

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text, including its final line feed, and its signatures by any keys."""

    text: str
    signatures: tuple[Signature, ...]

    @property
    def written(self) -> str:
        """The note as it is served."""
        return f"{self.text}\n{self.lines}"

    @property
    def lines(self) -> str:
        """The lines of the signatures."""
        return "".join(
            f"— {signed.name} {b64encode(signed.key_id + signed.signature).decode()}\n" for signed in self.signatures
        )


def sign_note(text: str, keys: Sequence[SigningKey]) -> SignedNote:
    r"""
    Sign a text with one or more keys.

    >>> key = SigningKey.make("example.org/night")
    >>> verify_note(sign_note("one\n", [key]), [key.verifier]) == [key.verifier]
    True
    """
    _check_text(text)
    return SignedNote(text, tuple(Signature(key.name, key.verifier.id, key.sign(text.encode())) for key in keys))


def read_note(written: str) -> SignedNote:
    """
    Parse a note, without verifying its signatures.

    Raises:
        EvidenceError: the text is not a signed note.
    """
    if len(written.encode()) > MOST_BYTES:
        refuse("note-unreadable", f"a signed note cannot be read; expected at most {MOST_BYTES} bytes")
    text, blank, below = written.rpartition("\n\n")
    if not blank or not below.endswith("\n"):
        refuse(
            "note-unreadable", "a signed note cannot be read; expected a text, an empty line, and lines of signatures"
        )
    _check_text(f"{text}\n")
    return SignedNote(f"{text}\n", read_signatures(below))


def read_signatures(lines: str) -> tuple[Signature, ...]:
    """
    Parse lines of signatures, without their text.

    Raises:
        EvidenceError: one of them is not a signature line.
    """
    if len(lines.encode()) > MOST_BYTES or not lines.endswith("\n"):
        refuse("note-unreadable", f"expected lines of signatures, at most {MOST_BYTES} bytes")
    return tuple(map(_read_signature, lines.removesuffix("\n").split("\n")))


def verify_note(note: SignedNote, keys: Iterable[VerifierKey]) -> list[VerifierKey]:
    """
    Return the keys that signed a note. Signatures by unknown keys are ignored, because anyone may add one.

    Raises:
        EvidenceError: none of the keys signed the note, or a signature with a key's name and id is invalid.
    """
    known = {(key.name, key.id): key for key in keys}
    signed = [(known[name], signature) for name, signature in _by_key(note) if name in known]
    for key, signature in signed:
        if not key.has_signed(note.text.encode(), signature):
            refuse("signature-wrong", f"the signature under the name {key.name!r} is not by the key {key.id.hex()}")
    if not signed:
        names = ", ".join(f"{each.name} {each.key_id.hex()}" for each in note.signatures)
        refuse("signature-unknown", f"no known key signed the note; it has signatures by {names}")
    return [key for key, _ in signed]


def _by_key(note: SignedNote) -> list[tuple[tuple[str, bytes], bytes]]:
    return [((each.name, each.key_id), each.signature) for each in note.signatures]


def _read_signature(line: str) -> Signature:
    match = _LINE.fullmatch(line)
    try:
        signature = b64decode(match["signature"], validate=True) if match else b""
    except ValueError:
        signature = b""
    if match is None or len(signature) <= _ID_BYTES or b64encode(signature).decode() != match["signature"]:
        refuse("note-unreadable", f"{line[:60]!r} is not a signature line; expected a dash, a name and base64")
    return Signature(match["name"], signature[:_ID_BYTES], signature[_ID_BYTES:])


def _check_text(text: str) -> None:
    if not text.endswith("\n") or _CONTROL.search(text):
        refuse("note-unreadable", "the text of a signed note does not end with its line, or holds a control character")
