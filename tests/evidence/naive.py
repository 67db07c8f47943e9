"""The tree of RFC 6962 with its proofs, and the map of rounds, by their definitions and as slow as those are."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from uuid import UUID


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


def map_root(entries: Mapping[UUID, tuple[int, bytes]], bits: str = "") -> bytes:
    """Hash by the definition: nothing is zeros, one entry is itself, several are their two halves."""
    inside = [round_id for round_id in entries if _bits(round_id).startswith(bits)]
    if not inside:
        return bytes(32)
    if len(inside) == 1:
        sequence, event = entries[inside[0]]
        key = sha256(str(inside[0]).encode()).digest()
        return sha256(b"\x02" + key + sequence.to_bytes(8, "big") + event).digest()
    some = {round_id: entries[round_id] for round_id in inside}
    return sha256(b"\x03" + map_root(some, bits + "0") + map_root(some, bits + "1")).digest()


def _bits(round_id: UUID) -> str:
    return f"{int.from_bytes(sha256(str(round_id).encode()).digest(), 'big'):0256b}"
