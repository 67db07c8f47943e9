"""Request bodies of any length, read in constant memory; NDJSON and gzip."""

import sys
import zlib
from collections.abc import Iterator
from typing import Final, NoReturn

from flask import g, request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge, UnsupportedMediaType

from service.config import ImportLimits
from service.errors import BodyUnreadable, ImportTooLarge


class BodyAwaited(BaseException):
    """
    The request is admitted, and its body is not there yet: the web server receives it and then asks again.

    It is no `Exception`, for nothing between the view and the web server is to answer it.
    """


class AwaitedBody:
    """Stands for a body that is not there yet, as a request's `wsgi.input`; whoever reads it wants it."""

    def read(self, _size: int = -1) -> NoReturn:
        """
        Ask for the body.

        Raises:
            BodyAwaited: always.
        """
        raise BodyAwaited

    readline = readlines = __next__ = read


def is_body_awaited() -> bool:
    """Whether the request's body is not there yet; to read it then is to admit the request."""
    return isinstance(request.environ["wsgi.input"], AwaitedBody)


def was_body_awaited() -> bool:
    """Whether the request was admitted before its body was there, and now comes again with it."""
    return getattr(request.environ.get("gunicorn.socket"), "was_awaited", False)


def receive_body() -> bytes:
    """
    Give the exact bytes of the request's body, once all of it is there.

    Raises:
        ClientDisconnected: it ended before its announced length; half a document may read like a whole one.
        RequestEntityTooLarge: it is longer than any body may be, whether it said so or not.
    """
    body: bytes | None = g.get("received")
    if body is None:
        announced, most = request.content_length, request.max_content_length
        if announced is None and most is not None:
            # What comes in chunks is read so far and no farther, and Werkzeug does not say that there was more.
            request.max_content_length = most + 1
        body = request.get_data()
        if announced is not None and len(body) < announced:
            raise ClientDisconnected
        if most is not None and len(body) > most:
            raise RequestEntityTooLarge
        g.received = body
    return body


NDJSON: Final = "application/x-ndjson"
_NAMES: Final = (NDJSON, "application/ndjson", "application/jsonl")
_BLOCK: Final = 256 * 1024
_MEBIBYTE: Final = 1024 * 1024
GZIP: Final = 31
"""zlib's number for gzip, with its header."""


def read_lines_body(limits: ImportLimits) -> Iterator[bytes]:
    """
    Give the request's body block by block as it comes, unpacked where it is compressed.

    Raises:
        ImportTooLarge: it is larger than the limits say, or unpacks to more than they say.
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
    if encoding != "identity":
        return _limit_size(_unpack(blocks, limits.ratio), limits.mebibytes)
    if (request.content_length or 0) > limits.mebibytes * _MEBIBYTE:
        raise _too_large(limits.mebibytes)
    return _limit_size(blocks, limits.mebibytes)


def _limit_size(blocks: Iterator[bytes], mebibytes: int) -> Iterator[bytes]:
    size = 0
    for block in blocks:
        size += len(block)
        if size > mebibytes * _MEBIBYTE:
            raise _too_large(mebibytes)
        yield block


def _too_large(mebibytes: int) -> ImportTooLarge:
    return ImportTooLarge(
        f"the import has more than {mebibytes} MiB, unpacked; expected at most {mebibytes} MiB:"
        " split the file, and import its parts one after the other"
    )


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


def _unpack(blocks: Iterator[bytes], ratio: int) -> Iterator[bytes]:
    """Unpack gzip, of one part or of several, as long as not far more comes out than goes in."""
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
                f"{received} bytes of gzip unpack to more than {ratio} times as many; expected at most that:"
                " send the file compressed less, or not at all"
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
                if unpacked := unpacker.decompress(packed, _BLOCK):
                    yield unpacked
                packed = unpacker.unconsumed_tail or unpacker.unused_data
        while has_begun and not unpacker.eof and (unpacked := unpacker.decompress(b"", _BLOCK)):
            yield unpacked
    except zlib.error:
        raise BodyUnreadable(
            "the body is not gzip, as Content-Encoding says; expected gzip or no Content-Encoding"
        ) from None
    if has_begun and not unpacker.eof:
        raise BodyUnreadable("the body ends in the middle of its gzip; send it whole")
