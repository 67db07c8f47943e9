"""Files of forms, received in constant memory."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from flask import request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnsupportedMediaType
from werkzeug.sansio.multipart import Data, Epilogue, Event, Field, File, MultipartDecoder, NeedData

from service.http.request_body import read_blocks

_FORM: Final = "multipart/form-data"
_MOST_FIELD_BYTES: Final = 64 * 1024
_MOST_BUFFERED: Final = 1024 * 1024
"""More than a block of the body, so that only the headers of a part can be too long."""
_MOST_PARTS: Final = 20


@dataclass(frozen=True, slots=True)
class Upload:
    """
    A file of a form, and the fields before it.

    Attributes:
        fields: the fields before the file.
        filename: the name that the browser sends; empty if no file was chosen.
        blocks: the content of the file, as it is received.
    """

    fields: Mapping[str, str]
    filename: str
    blocks: Iterator[bytes]


def receive_upload() -> Upload:
    """
    Receive the fields of a form that come before its file; the file is received as it is read.

    Raises:
        UnsupportedMediaType: the body is not a form with a file.
        BadRequest: the form is malformed, or has no file.
        RequestEntityTooLarge: a field is too long, or there are too many.
        ClientDisconnected: the body ended early, or the client was silent for too long.
    """
    boundary = request.mimetype_params.get("boundary")
    if request.mimetype != _FORM or not boundary:
        raise UnsupportedMediaType
    # The usual limit is for bodies that are read into memory.
    request.max_content_length = sys.maxsize
    parts = _read_parts(MultipartDecoder(boundary.encode(), _MOST_BUFFERED, max_parts=_MOST_PARTS))
    fields: dict[str, str] = {}
    for part in parts:
        if isinstance(part, Field):
            fields[part.name] = _read_field(parts)
        elif isinstance(part, File):
            return Upload(fields, part.filename, _read_content(parts))
    raise BadRequest


def _read_parts(decoder: MultipartDecoder) -> Iterator[Event]:
    for block in chain(read_blocks(), (None,)):
        try:
            decoder.receive_data(block)
            while not isinstance(part := decoder.next_event(), NeedData):
                yield part
                if isinstance(part, Epilogue):
                    return
        except ValueError as error:
            raise BadRequest from error


def _read_field(parts: Iterator[Event]) -> str:
    content = bytearray()
    for data in _read_content(parts):
        content += data
        if len(content) > _MOST_FIELD_BYTES:
            raise RequestEntityTooLarge
    return content.decode(errors="replace")


def _read_content(parts: Iterator[Event]) -> Iterator[bytes]:
    for part in parts:
        if isinstance(part, Data):
            yield part.data
            if not part.more_data:
                return
