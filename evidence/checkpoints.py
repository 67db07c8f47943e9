"""Checkpoints: the size and the root of a tree, to be signed."""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Final

from evidence.errors import refuse
from evidence.tree import HASH_BYTES

MOST_LEAVES: Final = 2**63 - 1
_SHAPE: Final = re.compile(r"(?P<origin>[^\n]+)\n(?P<size>0|[1-9][0-9]{0,18})\n(?P<root>[A-Za-z0-9+/]+=*)\n")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    r"""
    The signed content of a checkpoint.

    >>> checkpoint = Checkpoint.read("example.com/sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n")
    >>> checkpoint.origin, checkpoint.size, checkpoint.root.hex()[:8]
    ('example.com/sofa', 20852163, '0ac5186a')

    Attributes:
        origin: the owner of the tree.
        size: the number of leaves.
        root: the root hash.
    """

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text to sign, three lines."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"

    @classmethod
    def read(cls, text: str) -> "Checkpoint":
        """
        Parse the text of a note.

        Raises:
            EvidenceError: the text is not a checkpoint, or has further lines.
        """
        match = _SHAPE.fullmatch(text)
        root = read_hash(match["root"]) if match else None
        if match is None or root is None or int(match["size"]) > MOST_LEAVES:
            refuse(
                "checkpoint-unreadable",
                "the text of a checkpoint cannot be read; expected three lines: an origin, a size, and a root hash in"
                " base64",
            )
        return cls(match["origin"], int(match["size"]), root)


def read_hash(written: str) -> bytes | None:
    """Return the hash that is written in base64; None if it is not one."""
    try:
        read = b64decode(written, validate=True)
    except ValueError:
        return None
    return read if len(read) == HASH_BYTES and b64encode(read).decode() == written else None
