"""Checkpoints: the size and the root of a tree, with the map of its rounds and a time, to be signed."""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from evidence.errors import refuse
from evidence.tree import HASH_BYTES

_SHAPE: Final = re.compile(
    r"(?P<origin>[^\n]+)\n(?P<size>0|[1-9][0-9]{0,18})\n(?P<root>[A-Za-z0-9+/]+=*)\n(?P<extensions>([^\n]+\n)*)"
)
_ROUNDS: Final = "rounds "
_TIME: Final = "time "


@dataclass(frozen=True, slots=True)
class Checkpoint:
    r"""
    The signed content of a checkpoint.

    >>> checkpoint = Checkpoint.read("example.com/sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n")
    >>> checkpoint.origin, checkpoint.size, checkpoint.root.hex()[:8], checkpoint.rounds_root
    ('example.com/sofa', 20852163, '0ac5186a', None)

    Attributes:
        origin: the owner of the tree.
        size: the number of leaves.
        root: the root hash.
        rounds_root: the root of the map from each round to its newest event among these leaves; None without
            this line, as in checkpoints of others.
        signed_at: when it was signed; None likewise.
    """

    origin: str
    size: int
    root: bytes
    rounds_root: bytes | None = None
    signed_at: datetime | None = None

    @property
    def text(self) -> str:
        """The text to sign: three lines, and one for each optional field."""
        lines = [self.origin, str(self.size), b64encode(self.root).decode()]
        if self.rounds_root is not None:
            lines.append(f"{_ROUNDS}{b64encode(self.rounds_root).decode()}")
        if self.signed_at is not None:
            lines.append(f"{_TIME}{_write_time(self.signed_at)}")
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def read(cls, text: str) -> "Checkpoint":
        """
        Parse the text of a note. Unknown extension lines are ignored.

        Raises:
            EvidenceError: the text is not a checkpoint.
        """
        found = _SHAPE.fullmatch(text)
        root = _read_hash(found["root"]) if found else None
        if found is None or root is None:
            refuse(
                "checkpoint-unreadable",
                "the text of a checkpoint cannot be read; expected three lines: an origin, a size, and a root hash in"
                " base64",
            )
        lines = found["extensions"].split("\n")
        rounds, time = _find(lines, _ROUNDS), _find(lines, _TIME)
        rounds_root = None if rounds is None else _read_hash(rounds)
        if rounds is not None and rounds_root is None:
            refuse("checkpoint-unreadable", f"the line {_ROUNDS + rounds!r} cannot be read; expected a hash in base64")
        signed_at = None if time is None else _read_time(time)
        return cls(found["origin"], int(found["size"]), root, rounds_root, signed_at)


def _find(lines: list[str], name: str) -> str | None:
    """Find the extension line that begins with a name, without the name."""
    found = [line.removeprefix(name) for line in lines if line.startswith(name)]
    if len(found) > 1:
        refuse("checkpoint-unreadable", f"{len(found)} lines begin with {name!r}; expected one at most")
    return found[0] if found else None


def _read_hash(written: str) -> bytes | None:
    try:
        read = b64decode(written, validate=True)
    except ValueError:
        return None
    return read if len(read) == HASH_BYTES and b64encode(read).decode() == written else None


def _read_time(written: str) -> datetime:
    try:
        read = datetime.fromisoformat(written)
    except ValueError:
        read = None
    if read is None or read.tzinfo is None or _write_time(read) != written:
        refuse(
            "checkpoint-unreadable",
            f"the line {_TIME + written!r} cannot be read; expected a time in UTC such as 2026-11-20T21:05:00.250000Z",
        )
    return read


def _write_time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
