"""Many hands and rounds in one call."""

import gzip
import json
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from client.responses import Document

if TYPE_CHECKING:
    from client import models
    from client.connection import Connection

MOST_LINES: Final = 500
MOST_BYTES: Final = 1024 * 1024
_ENDED: Final = frozenset({"succeeded", "failed", "cancelled"})
_PAGE: Final = "500"
_PAUSE: Final = 0.5


class BulkOperations:
    """The operations of a client with many hands or rounds."""

    _connection: "Connection"

    def record_hands(self, hands: Iterable[Document]) -> "list[models.HandLineResult]":
        """
        Record hands of any rounds, and return one result per hand, in order.

        Each hand has its `round`: an ID, or `{"table": NAME, "reference": REFERENCE}`. They are sent in requests of up
        to 500 hands. A refused hand stops its round and no other. The same hands can be sent again at any time: what is
        recorded is a replay.
        """
        results: list[models.HandLineResult] = []
        for body in split_lines(hands):
            found: list[models.HandLineResult] = self._connection.post_for_lines("/v1/hands", body)
            for number, result in enumerate(found, start=len(results) + 1):
                result["line"] = number
                results.append(result)
        return results

    def list_documents(self, **filters: str | None) -> "Iterator[models.RoundDocument]":
        """
        List rounds as documents, oldest first, filtered by `table`, `from` and `to`.

        Pages are fetched as they are read.
        """
        query = {"limit": _PAGE, **{name: value for name, value in filters.items() if value is not None}}
        while True:
            page = self._connection.get_lines("/v1/export", query)
            yield from page.parse()
            if page.next_cursor is None:
                return
            query["cursor"] = page.next_cursor

    def import_documents(self, documents: Iterable[Document], *, is_provisional: bool = False) -> "models.Import":
        """
        Import rounds from documents, wait until the import has ended, and return it.

        `list_import_results` returns the result of each document. Settlements are final unless `is_provisional` is set.
        """
        path = "/v1/imports?state=provisional" if is_provisional else "/v1/imports"
        packed = gzip.compress(b"".join(map(_to_line, documents)), mtime=0)
        job: models.Import = self._connection.post_lines(path, packed, str(uuid4()))
        while job.state not in _ENDED:
            time.sleep(_PAUSE)
            job = self._connection.get(f"/v1/imports/{job.id}")
        return job


def split_lines(documents: Iterable[Document]) -> Iterator[bytes]:
    r"""
    Split documents into request bodies of at most 500 lines and 1 MiB, one document a line.

    >>> list(split_lines([{"number": 1}, {"number": 2}]))
    [b'{"number":1}\n{"number":2}\n']
    """
    body, count = bytearray(), 0
    for line in map(_to_line, documents):
        if count == MOST_LINES or (count and len(body) + len(line) > MOST_BYTES):
            yield bytes(body)
            body, count = bytearray(), 0
        body += line
        count += 1
    if count:
        yield bytes(body)


def _to_line(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
