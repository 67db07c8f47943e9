"""Files of C2SP `tlog-proof`: a signed checkpoint and the proof that one event is in its tree."""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Final

from evidence.checkpoints import Checkpoint, read_hash
from evidence.errors import refuse
from evidence.notes import MOST_BYTES, SignedNote, read_note
from evidence.tree import hash_leaf, verify_inclusion

HEADER: Final = "c2sp.org/tlog-proof@v1"
_HEAD: Final = re.compile(rf"{re.escape(HEADER)}\n(?:extra (?P<extra>[^\n]*)\n)?index (?P<index>0|[1-9][0-9]{{0,18}})")
_MOST_BYTES: Final = 4 * MOST_BYTES


@dataclass(frozen=True, slots=True)
class LogProof:
    """
    The proof that an entry is in the tree of a checkpoint.

    Attributes:
        extra: the event's bytes: the hash of the leaf is theirs.
        index: the position of the event in the tree.
        proof: the hashes of the inclusion proof, from the bottom up.
        note: the signed checkpoint, with the cosignatures of witnesses.
    """

    extra: bytes
    index: int
    proof: tuple[bytes, ...]
    note: SignedNote

    @property
    def written(self) -> str:
        """The file."""
        extra = f"extra {b64encode(self.extra).decode()}\n" if self.extra else ""
        proof = "".join(f"{b64encode(each).decode()}\n" for each in self.proof)
        return f"{HEADER}\n{extra}index {self.index}\n{proof}\n{self.note.written}"

    @property
    def checkpoint(self) -> Checkpoint:
        """The tree of the checkpoint."""
        return Checkpoint.read(self.note.text)

    def verify_inclusion(self) -> None:
        """
        Verify that the event is in the tree of the checkpoint. The signatures are not verified here.

        Raises:
            EvidenceError: the proof does not show it.
        """
        tree = self.checkpoint
        verify_inclusion(hash_leaf(self.extra), self.index, tree.size, self.proof, tree.root)


def read_log_proof(written: str) -> LogProof:
    """
    Parse a file, without verifying it.

    Raises:
        EvidenceError: the text is not such a file.
    """
    head, blank, note = written.partition("\n\n")
    match = _HEAD.match(head)
    rest = head[match.end() :] if match else ""
    if not blank or match is None or len(written) > _MOST_BYTES or rest[:1] not in ("", "\n"):
        refuse(
            "proof-unreadable",
            f"this is not a proof of an event; expected `{HEADER}`, optionally a line `extra`, a line `index`, hashes,"
            " an empty line and a signed checkpoint",
        )
    hashes = [read_hash(line) for line in rest.split("\n")[1:]]
    if None in hashes:
        refuse("proof-unreadable", "a line of the proof is not a hash; expected 32 bytes in base64")
    try:
        extra = b64decode(match["extra"] or "", validate=True)
    except ValueError:
        refuse("proof-unreadable", "the extra data are not valid base64")
    return LogProof(extra, int(match["index"]), tuple(each for each in hashes if each), read_note(note))
