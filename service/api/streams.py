"""Bodies of any length, read and written in memory that does not grow with them."""

import sys
import zlib
from collections.abc import Iterator
from typing import Final

from flask import request
from werkzeug.exceptions import ClientDisconnected, UnsupportedMediaType

from service.errors import BodyUnreadable

NDJSON: Final = "application/x-ndjson"
_NAMES: Final = (NDJSON, "application/ndjson", "application/jsonl")
_BLOCK: Final = 256 * 1024
GZIP: Final = 31
"""zlib's number for gzip, with its header."""


def read_lines_body() -> Iterator[bytes]:
    """
    Give the request's body block by block as it comes, unpacked where it is compressed.

    Raises:
        UnsupportedMediaType: it is not NDJSON, or compressed in another way than by gzip.
        ClientDisconnected: it ended early, or paused for too long.
        BodyUnreadable: it is not compressed as it says, or not whole.
    """
    if request.mimetype not in _NAMES:
        raise UnsupportedMediaType
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip"):
        raise UnsupportedMediaType
    # The usual limit is for what is read into memory whole. (None would mean that one.)
    request.max_content_length = sys.maxsize
    blocks = _blocks()
    return blocks if encoding == "identity" else _unpack(blocks)


def _blocks() -> Iterator[bytes]:
    received = 0
    try:
        while block := request.stream.read(_BLOCK):
            received += len(block)
            yield block
    except OSError:
        raise ClientDisconnected from None
    if request.content_length is not None and received < request.content_length:
        raise ClientDisconnected


def _unpack(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack gzip, of one part or of several, no matter how much comes out of how little."""
    unpacker = zlib.decompressobj(GZIP)
    has_begun = False
    try:
        for block in blocks:
            packed = block
            while packed:
                if unpacker.eof:
                    unpacker = zlib.decompressobj(GZIP)
                has_begun = True
                if unpacked := unpacker.decompress(packed, _BLOCK):
                    yield unpacked
                packed = unpacker.unconsumed_tail or unpacker.unused_data
        while has_begun and not unpacker.eof and (unpacked := unpacker.decompress(b"", _BLOCK)):
            yield unpacked
    except zlib.error:
        raise BodyUnreadable(
            "the body is not gzip, as Content-Encoding says; gzip or no Content-Encoding is right"
        ) from None
    if has_begun and not unpacker.eof:
        raise BodyUnreadable("the body ends in the middle of its gzip; send it whole")
