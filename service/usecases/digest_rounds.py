"""One number for what any number of rounds come to, however they are cut and in whatever order they are played."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

_SIZE: Final = 32
_MODULUS: Final = 1 << 8 * _SIZE


@dataclass(slots=True)
class RoundsDigest:
    """
    The sum of a SHA-256 for each round, modulo 2²⁵⁶.

    A sum, for it is the same whatever comes first and in however many parts; of hashes that begin with the round's id,
    for two rounds that swap their results then change it. It is no XOR: of those, any digest can be made from a few
    hundred rounds by linear algebra, and a round counted twice would vanish.

    >>> one, other = RoundsDigest(), RoundsDigest()
    >>> one.add(b"first", b"6", 1), one.add(b"second", b"-6", 1)
    (None, None)
    >>> other.add(b"second", b"-6", 1), other.add(b"first", b"6", 1)
    (None, None)
    >>> one == other, one.hex()[:16]
    (True, '47c94dbddebd0c4b')
    """

    total: int = 0

    def add(self, round_id: bytes, figures: Any, status: int, late: bytes = b"") -> None:
        """
        Count a round in.

        Args:
            round_id: whose.
            figures: what its hands come to, as bytes of one layout.
            status: how it stands then.
            late: what was paid after its last hand.
        """
        digest = sha256(round_id)
        digest.update(figures)
        digest.update(b"%d " % status + late)
        self.total = (self.total + int.from_bytes(digest.digest(), "big")) % _MODULUS

    def add_all(self, other: str) -> None:
        """Count in what another digest has, written by `hex`."""
        self.total = (self.total + int(other, 16)) % _MODULUS

    def hex(self) -> str:
        """Write it."""
        return self.total.to_bytes(_SIZE, "big").hex()
