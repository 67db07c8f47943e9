"""The service's operations as methods of the same names; documents go in and out as they are on the wire."""

import gzip
import json
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote

import httpx2

from client.connection import Answer, Connection, Document, Lines
from client.errors import UnreadableError

DEFAULT_URL: Final = "http://127.0.0.1:8000"
_PAGE: Final = "100"
_LINES: Final = "500"


class Client:
    """
    A connection to a service.

    A request that did not reach the service is sent again, a few times. One whose answer was lost on the way is sent
    again where that is safe: reading changes nothing, and a hand or document recorded already is answered as it was.

    Raises:
        ApiError: from every method, the service refused.
        TransportError: from every method, it did not answer, also after a few attempts.
        UnreadableError: address or key, or a name or an id, are none.
    """

    def __init__(
        self, url: str = DEFAULT_URL, key: str | None = None, *, transport: httpx2.BaseTransport | None = None
    ) -> None:
        self._connection = Connection(url, key, transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def score_hand(self, request: Document) -> Answer:
        """Score a hand without storing it."""
        return self._connection.post("/v1/score", request, is_repeatable=True)

    def list_rulesets(self) -> list[Document]:
        """List the presets and the club's own rulesets."""
        return list(self._connection.get_pages("/v1/rulesets", "rulesets", {}))

    def get_ruleset(self, reference: str) -> Answer:
        """Show a ruleset by name or name@version."""
        return self._connection.get(_path("rulesets", reference))

    def add_ruleset(self, ruleset: Document) -> Answer:
        """Store a ruleset of the club's own, or a new version of one."""
        return self._connection.post("/v1/rulesets", ruleset, is_repeatable=True)

    def add_table(self, table: Document) -> Answer:
        """Set up a table."""
        return self._connection.post("/v1/tables", table)

    def get_table(self, table: str) -> Answer:
        """Show a table."""
        return self._connection.get(_path("tables", table))

    def find_table(self, name: str) -> Document | None:
        """Find a table by its name, which is unique in a club."""
        return next(iter(self._connection.get_pages("/v1/tables", "tables", {"name": name})), None)

    def open_round(self, table: str, request: Document) -> Answer:
        """Open a round at a table; one with a reference is opened once."""
        is_repeatable = request.get("reference") is not None
        return self._connection.post(_path("tables", table, "rounds"), request, is_repeatable=is_repeatable)

    def list_rounds(self, **wanted: str | None) -> Iterator[Document]:
        """List rounds, the newest first, by `table`, `player`, `status`, `from` and `to`."""
        query = {name: value for name, value in wanted.items() if value is not None}
        return self._connection.get_pages("/v1/rounds", "rounds", {"limit": _PAGE, **query})

    def get_round(self, round_id: str) -> Answer:
        """Show a round as it stands."""
        return self._connection.get(_path("rounds", round_id))

    def close_round(self, round_id: str, reason: str) -> Answer:
        """End a round early."""
        return self._connection.post(_path("rounds", round_id, "close"), {"reason": reason})

    def record_hand(self, round_id: str, hand: Document) -> Answer:
        """Record the next hand of a round."""
        return self._connection.post(_path("rounds", round_id, "hands"), hand, is_repeatable=True)

    def get_hand(self, hand_id: str) -> Answer:
        """Show a hand and what it came to."""
        return self._connection.get(_path("hands", hand_id))

    def list_hands(self, round_id: str) -> Iterator[Document]:
        """List the hands of a round in order, page by page as they are read."""
        return self._connection.get_pages(_path("rounds", round_id, "hands"), "hands", {"limit": _PAGE})

    def record_departure(self, round_id: str, departure: Document) -> Answer:
        """Record that a player left between two hands."""
        return self._connection.post(_path("rounds", round_id, "departures"), departure)

    def get_settlement(self, round_id: str) -> Answer:
        """Show who paid whom in a round."""
        return self._connection.get(_path("rounds", round_id, "settlement"))

    def get_document(self, round_id: str) -> Answer:
        """Show a round as one document."""
        return self._connection.get(_path("rounds", round_id, "document"))

    def play_document(self, document: Document) -> Answer:
        """Play a round whole from one document."""
        return self._connection.post("/v1/documents", document, is_repeatable=True)

    def export_rounds(self, *, cursor: str | None = None, **wanted: str | None) -> Lines:
        """Export rounds as documents, one a line, the oldest first, from a cursor on; by `table`, `from` and `to`."""
        query = {name: value for name, value in {"cursor": cursor, **wanted}.items() if value is not None}
        return self._connection.get_lines("/v1/export", {"limit": _LINES, **query})

    def start_import(self, lines: bytes, key: str) -> Answer:
        """Import rounds from documents, one a line; the same lines under the same key are the same import."""
        return self._connection.post_lines("/v1/imports", gzip.compress(lines, mtime=0), key)

    def get_import(self, import_id: str) -> Answer:
        """Show an import: how far it is, and what it came to so far."""
        return self._connection.get(_path("imports", import_id))

    def cancel_import(self, import_id: str) -> Answer:
        """Stop an import; what is stored stays."""
        return self._connection.post(_path("imports", import_id, "cancel"), {}, is_repeatable=True)

    def list_import_results(self, import_id: str) -> list[Document]:
        """Say what became of every line of an import."""
        results = self._connection.get_lines(_path("imports", import_id, "results"), {})
        return [json.loads(line) for line in results.content.splitlines()]


def _path(*parts: str) -> str:
    """
    Write the address of something; an id is one part of it, whatever it holds.

    >>> _path("rounds", "../tables?"), _path("rulesets", "turbo@1")
    ('/v1/rounds/..%2Ftables%3F', '/v1/rulesets/turbo@1')

    Raises:
        UnreadableError: a part is empty, which would be the address of something else.
    """
    if not all(parts):
        raise UnreadableError("a name or an id is empty; one of something that there is, is right")
    return "/v1/" + "/".join(quote(part, safe="@") for part in parts)
