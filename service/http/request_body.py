"""Request bodies of any length, read in constant memory; NDJSON and gzip."""

import sys
import zlib
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from flask import request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge, UnsupportedMediaType

from schemas.base import show
from service.config import ImportLimits
from service.errors import BodyUnreadable, ImportsBusy, ImportTooLarge
from service.http.request_state import current_request
from service.places import Wait

MOST_BYTES: Final = 1024 * 1024
"""The longest body of a request, except of those that import."""
MOST_LARGE_BYTES: Final = 16 * MOST_BYTES
"""The longest body of a request that imports, as it is sent."""
BODY_STATE: Final = "Ofc-Body-State"
"""The header in which the web server says that it has discarded the body; it removes those of clients."""


class BodyState(StrEnum):
    """Whether the web server has the body of a request, and if not, why."""

    COMPLETE = "complete"
    TOO_LARGE = "too-large"
    TOO_MANY = "too-many"
    """As many large bodies are being received as a process holds."""
    INCOMPLETE = "incomplete"
    """It was not received in time."""
    LEFT = "left"
    """The client has closed the connection."""


def _check_state() -> None:
    """
    Check that the web server has the body of the request.

    Raises:
        RequestEntityTooLarge: the body is too long.
        ClientDisconnected: it was not received in time.
        ImportsBusy: the process receives as many large bodies as it can hold.
    """
    match request.headers.get(BODY_STATE):
        case BodyState.TOO_LARGE:
            raise RequestEntityTooLarge
        case BodyState.INCOMPLETE:
            raise ClientDisconnected
        case BodyState.TOO_MANY:
            raise ImportsBusy("too many imports are being received; retry in a few seconds", _RETRY_SECONDS)


IDENTITY: Final = "identity"
"""The `Content-Encoding` of a body that is not encoded."""


def receive_body() -> bytes:
    """
    Return the bytes of the complete request body.

    Raises:
        ClientDisconnected: the body is shorter than `Content-Length`; half a document can be a valid document.
        RequestEntityTooLarge: the body is longer than the limit.
    """
    state = current_request()
    body = state.body
    if body is None:
        _check_state()
        announced, most = request.content_length, request.max_content_length
        if announced is None and most is not None:
            # Werkzeug cuts a chunked body at the limit without an error. One byte more shows that it was longer.
            request.max_content_length = most + 1
        body = request.get_data()
        if announced is not None and len(body) < announced:
            raise ClientDisconnected
        if most is not None and len(body) > most:
            raise RequestEntityTooLarge
        state.body = body
    return body


def check_media_type(*names: str, codings: Sequence[str] = (IDENTITY,)) -> str:
    """
    Return how the request body is encoded.

    Args:
        names: the accepted media types, the usual one first.
        codings: the accepted values of `Content-Encoding`.

    Raises:
        UnsupportedMediaType: the body is of another type, or is encoded otherwise.
    """
    coding: str = request.environ.get("HTTP_CONTENT_ENCODING", IDENTITY).strip().lower()
    unexpected = None
    if request.mimetype not in names:
        sent = request.headers.get("Content-Type")
        unexpected = f"Content-Type is {show(sent) if sent else 'missing'}"
    elif coding not in codings:
        unexpected = f"Content-Encoding is {show(coding)}"
    if unexpected is not None:
        encoded = "without a Content-Encoding" if codings == (IDENTITY,) else "with 'Content-Encoding: gzip' or without"
        raise UnsupportedMediaType(f"{unexpected}; expected 'Content-Type: {names[0]}' {encoded}")
    return coding


NDJSON: Final = "application/x-ndjson"
NDJSON_SCHEMA: Final = {"type": "string", "format": "binary"}
"""The schema of NDJSON in the contract: generated clients stream it, and read one JSON document per line."""
_NAMES: Final = (NDJSON, "application/ndjson", "application/jsonl")
_RETRY_SECONDS: Final = 5
_BLOCK: Final = 256 * 1024
_MEBIBYTE: Final = 1024 * 1024
GZIP: Final = 31
"""`wbits` of zlib for gzip with its header."""


def receive_lines() -> list[tuple[int, bytes]]:
    """
    Return the lines of an NDJSON body, without blank ones, with their numbers from 1.

    Raises:
        UnsupportedMediaType: the body is not NDJSON, or is encoded.
    """
    check_media_type(*_NAMES)
    lines = receive_body().split(b"\n")
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def read_lines_body(limits: ImportLimits, wait: Wait) -> Iterator[bytes]:
    """
    Return an iterator over the blocks of the request body as they are received, decompressed.

    Args:
        limits: the limits of the size.
        wait: yields the blocks that it is given, and may do something while it waits for the next one.

    Raises:
        ImportTooLarge: the body exceeds a limit.
        UnsupportedMediaType: the body is not NDJSON, or is compressed by another method than gzip.
        ClientDisconnected: the body ended early, or the client was silent for too long.
        BodyUnreadable: the body is not valid gzip, or is incomplete.
    """
    encoding = check_media_type(*_NAMES, codings=(IDENTITY, "gzip", "x-gzip"))
    # The usual limit is for bodies that are read into memory. None would mean that limit.
    request.max_content_length = sys.maxsize
    blocks = wait(read_blocks())
    if encoding != IDENTITY:
        return limit_blocks(blocks, limits, is_packed=True)
    if (request.content_length or 0) > limits.mebibytes * _MEBIBYTE:
        raise _too_large(limits.mebibytes)
    return limit_blocks(blocks, limits, is_packed=False)


def limit_blocks(blocks: Iterator[bytes], limits: ImportLimits, *, is_packed: bool) -> Iterator[bytes]:
    """Return blocks of an import, decompressed if they are gzip, that raise an error beyond a limit."""
    return _limit_size(_unpack(blocks, limits.ratio) if is_packed else blocks, limits)


def _limit_size(blocks: Iterator[bytes], limits: ImportLimits) -> Iterator[bytes]:
    """Yield blocks within the limits of bytes and lines, which are counted before anything else is done with them."""
    size = lines = 0
    for block in blocks:
        size += len(block)
        lines += block.count(b"\n")
        if size > limits.mebibytes * _MEBIBYTE:
            raise _too_large(limits.mebibytes)
        if lines > limits.lines or (lines == limits.lines and not block.endswith(b"\n")):
            raise ImportTooLarge(
                f"the import has more than {limits.lines} lines, including blank ones; expected at most {limits.lines};"
                " split the file and import the parts one after the other"
            )
        yield block


def _too_large(mebibytes: int) -> ImportTooLarge:
    return ImportTooLarge(
        f"the import has more than {mebibytes} MiB after decompression; expected at most {mebibytes} MiB:"
        " split the file and import its parts one after the other"
    )


def read_blocks() -> Iterator[bytes]:
    """
    Yield the blocks of the request body as they are received.

    Raises:
        RequestEntityTooLarge, ClientDisconnected, ImportsBusy: the web server does not have the complete body.
    """
    _check_state()
    received = 0
    try:
        while block := request.stream.read(_BLOCK):
            received += len(block)
            yield block
    except OSError:
        raise ClientDisconnected from None
    if request.content_length is not None and received < request.content_length:
        raise ClientDisconnected


def _unpack(blocks: Iterator[bytes], ratio: int) -> Iterator[bytes]:
    """Decompress gzip of one or more members, up to a compression ratio."""
    received = 0

    def counted() -> Iterator[bytes]:
        nonlocal received
        for block in blocks:
            received += len(block)
            yield block

    size = 0
    for block in _unpack_all(counted()):
        size += len(block)
        if size > max(_MEBIBYTE, ratio * received):
            raise ImportTooLarge(
                f"{received} bytes of gzip decompress to more than {ratio} times as many; expected a ratio of at most"
                f" {ratio}: send the file less compressed or uncompressed"
            )
        yield block


def _unpack_all(blocks: Iterator[bytes]) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(GZIP)
    has_begun = False
    try:
        for block in blocks:
            packed = block
            while packed:
                if unpacker.eof:
                    unpacker = zlib.decompressobj(GZIP)
                has_begun = True
                if unpacked := unpacker.decompress(packed, _MEBIBYTE):
                    yield unpacked
                packed = unpacker.unconsumed_tail or unpacker.unused_data
        while has_begun and not unpacker.eof and (unpacked := unpacker.decompress(b"", _MEBIBYTE)):
            yield unpacked
    except zlib.error:
        raise BodyUnreadable(
            "the body is not gzip, as Content-Encoding says; expected gzip or no Content-Encoding"
        ) from None
    if has_begun and not unpacker.eof:
        raise BodyUnreadable("the gzip data of the body is incomplete; expected the complete body")
