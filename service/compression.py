"""Static files, compressed once for each process and sent to clients that accept gzip."""

import gzip
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from flask import Response, request, send_from_directory
from werkzeug.security import safe_join
from werkzeug.wrappers import Response as BaseResponse

_ENCODING: Final = "gzip"
_COMPRESSIBLE: Final = frozenset(
    (".css", ".html", ".js", ".json", ".mjs", ".svg", ".wasm", ".webmanifest", ".yaml", ".zip")
)
_LEAST_BYTES: Final = 1024
_WORTH: Final = 0.9
"""A file is compressed if that makes it smaller than this part of it."""
_LEVEL: Final = 6
_MOST_FILES: Final = 128


def send_static(folder: Path, name: str, media_type: str | None = None) -> BaseResponse:
    """
    Send a file below a folder, compressed if that is worth it and the client accepts it.

    The compressed file has a tag of its own, because a tag is for the bytes that are sent.

    Args:
        folder: the folder.
        name: the path of the file in it.
        media_type: of the file; by default what its ending means.
    """
    plain = send_from_directory(folder, name, mimetype=media_type)
    plain.vary.add("Accept-Encoding")
    path = safe_join(str(folder), name)
    if path is None or "Range" in request.headers or not request.accept_encodings.quality(_ENCODING):
        return plain
    packed = _compress_file(Path(path))
    if packed is None:
        return plain
    content, tag = packed
    plain.close()
    response = Response(content, mimetype=plain.mimetype)
    response.headers.update({"Content-Encoding": _ENCODING, "Cache-Control": "no-cache"})
    response.vary.add("Accept-Encoding")
    response.last_modified = plain.last_modified
    response.set_etag(tag)
    return response.make_conditional(request)


def _compress_file(path: Path) -> tuple[bytes, str] | None:
    if path.suffix not in _COMPRESSIBLE:
        return None
    status = path.stat()
    return _compress(path, status.st_mtime_ns) if status.st_size >= _LEAST_BYTES else None


@lru_cache(maxsize=_MOST_FILES)
def _compress(path: Path, _changed: int) -> tuple[bytes, str] | None:
    """Return a compressed file and its tag, or None if it is hardly smaller."""
    content = path.read_bytes()
    packed = gzip.compress(content, _LEVEL, mtime=0)
    return (packed, sha256(packed).hexdigest()[:32]) if len(packed) < _WORTH * len(content) else None
