"""Bytes of many records below each other, of those that are laid out alike."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from service.recomputations.packed.rounds import Integers


def alike(layouts: Sequence[Any]) -> Iterator[Integers]:
    """
    Give the places of those that are alike in everything.

    >>> [places.tolist() for places in alike([np.array([7, 8, 7]), np.array([0, 0, 0])])]
    [[0, 2], [1]]
    """
    order = np.lexsort(layouts)
    changes = np.zeros(max(len(order) - 1, 0), np.bool_)
    for layout in layouts:
        changes |= np.diff(layout[order].astype(np.int64)) != 0
    yield from np.split(order, np.flatnonzero(changes) + 1) if len(order) else ()


def lay(contents: Sequence[bytes], places: Integers, size: int) -> Any:
    """
    Lay the beginnings of some of these below each other: [places, size].

    Raises:
        ValueError: one ends before.
    """
    beginnings = b"".join([contents[place][:size] for place in places.tolist()])
    return np.frombuffer(beginnings, np.uint8).reshape(len(places), size)


def bytes_of(content: bytes) -> Any:
    """Give bytes as an array."""
    return np.frombuffer(content, np.uint8)


def join(count: int, parts: Sequence[Any]) -> Any:
    """Put parts side by side, of so many records: each [records, bytes], or [bytes] where all say the same."""
    ends = np.cumsum([part.shape[-1] for part in parts]).tolist()
    joined = np.empty((count, ends[-1]), np.uint8)
    for part, end in zip(parts, ends, strict=True):
        joined[:, end - part.shape[-1] : end] = part
    return joined


def hashes_of(contents: Iterable[bytes]) -> Any:
    """Give the SHA-256 of each: [contents, 32]."""
    return bytes_of(b"".join([sha256(content).digest() for content in contents])).reshape(-1, sha256().digest_size)
