"""The tree and its proofs as RFC 6962 defines them, word for word, without anything that makes them fast."""

from collections.abc import Sequence
from hashlib import sha256


def split(n: int) -> int:
    """The largest power of two smaller than n."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def mth(d: Sequence[bytes]) -> bytes:
    """The hash of a tree over these leaves."""
    if not d:
        return sha256(b"").digest()
    if len(d) == 1:
        return sha256(b"\x00" + d[0]).digest()
    k = split(len(d))
    return sha256(b"\x01" + mth(d[:k]) + mth(d[k:])).digest()


def path(m: int, d: Sequence[bytes]) -> list[bytes]:
    """The audit path of leaf m."""
    if len(d) == 1:
        return []
    k = split(len(d))
    return [*path(m, d[:k]), mth(d[k:])] if m < k else [*path(m - k, d[k:]), mth(d[:k])]


def proof(m: int, d: Sequence[bytes]) -> list[bytes]:
    """The consistency proof from the first m leaves."""
    return subproof(m, d, True)


def subproof(m: int, d: Sequence[bytes], b: bool) -> list[bytes]:
    """One step of it; b says whether this is still the old tree itself."""
    if m == len(d):
        return [] if b else [mth(d)]
    k = split(len(d))
    if m <= k:
        return [*subproof(m, d[:k], b), mth(d[k:])]
    return [*subproof(m - k, d[k:], False), mth(d[:k])]
