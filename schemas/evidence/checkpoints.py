"""Checkpoints: the size and the root of a tree, to be signed."""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Final

from schemas.evidence.errors import refuse
from schemas.evidence.tree import HASH_BYTES

_SHAPE: Final = re.compile(r"(?P<origin>[^\n]+)\n(?P<size>0|[1-9][0-9]{0,18})\n(?P<root>[A-Za-z0-9+/]+=*)\n")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    r"""
    What is signed of a tree.

    >>> checkpoint = Checkpoint.read("example.com/sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n")
    >>> checkpoint.origin, checkpoint.size, checkpoint.root.hex()[:8]
    ('example.com/sofa', 20852163, '0ac5186a')

    Attributes:
        origin: whose tree it is.
        size: how many leaves it has.
        root: the hash that stands for them.
    """

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """What is signed: three lines."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"

    @classmethod
    def read(cls, text: str) -> "Checkpoint":
        """
        Read the text of a note.

        Raises:
            EvidenceError: it is no checkpoint.
        """
        found = _SHAPE.fullmatch(text)
        try:
            root = b64decode(found["root"], validate=True) if found else b""
        except ValueError:
            root = b""
        if found is None or len(root) != HASH_BYTES or b64encode(root).decode() != found["root"]:
            refuse("checkpoint-unreadable", "a checkpoint is three lines: an origin, a size, and a root hash in base64")
        return cls(found["origin"], int(found["size"]), root)
