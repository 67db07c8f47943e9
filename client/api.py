"""The service's operations as methods of the same names; documents go in and out as they are on the wire."""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import quote

from client.answers import (
    Answer,
    Document,
    Lines,
    is_document,
    is_hand,
    is_hand_of_round,
    is_round,
    is_ruleset,
    is_table,
)
from client.errors import UnreadableError

if TYPE_CHECKING:
    import httpx2

DEFAULT_URL: Final = "http://127.0.0.1:8000"
_PAGE: Final = "100"
_LINES: Final = "500"


class Client:
    """
    A connection to a service.

    A request that did not reach the service, or whose answer was lost on the way, is sent again, a few times. It is
    done once: the service knows a hand or a document again by its content, and all else by its idempotency key.

    Raises:
        ApiError: from every method, the service refused.
        TransportError: from every method, it did not answer, also after a few attempts.
        UnreadableError: address or key, or a name or an id, are none.
    """

    def __init__(
        self, url: str = DEFAULT_URL, key: str | None = None, *, transport: "httpx2.BaseTransport | None" = None
    ) -> None:
        # What speaks HTTP takes a while to load, and what asks nobody needs none of it.
        from client.connection import Connection

        self._connection = Connection(url, key, transport)
        self.server = self._connection.server

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
        return self._connection.post("/v1/score", request, has_identity=True)

    def list_rulesets(self) -> list[Document]:
        """List the presets and the club's own rulesets."""
        return list(self._connection.get_pages("/v1/rulesets", "rulesets", {}, is_ruleset))

    def get_ruleset(self, reference: str) -> Answer:
        """Show a ruleset by name or name@version."""
        return self._connection.get(_path("rulesets", reference), is_right=is_ruleset)

    def add_ruleset(self, ruleset: Document) -> Answer:
        """Store a ruleset of the club's own, or a new version of one."""
        return self._connection.post("/v1/rulesets", ruleset, has_identity=True)

    def add_table(self, table: Document) -> Answer:
        """Set up a table."""
        return self._connection.post("/v1/tables", table)

    def list_tables(self) -> Iterator[Document]:
        """List the club's tables, the newest first, page by page as they are read."""
        return self._connection.get_pages("/v1/tables", "tables", {"limit": _PAGE}, is_table)

    def get_table(self, table: str) -> Answer:
        """Show a table."""
        return self._connection.get(_path("tables", table), is_right=is_table)

    def find_table(self, name: str) -> Document | None:
        """Find a table by its name, which is unique in a club."""
        return next(iter(self._connection.get_pages("/v1/tables", "tables", {"name": name}, is_table)), None)

    def open_round(self, table: str, request: Document) -> Answer:
        """Open a round at a table."""
        return self._connection.post(_path("tables", table, "rounds"), request)

    def list_rounds(self, **wanted: str | None) -> Iterator[Document]:
        """List rounds, the newest first, by `table`, `player`, `status`, `from` and `to`, `limit` a page."""
        return self._connection.get_pages("/v1/rounds", "rounds", {"limit": _PAGE, **_given(wanted)}, is_round)

    def get_statement(self, table: str, **wanted: str | None) -> Answer:
        """Sum up a table's rounds, those opened at or after `from` and before `to`."""
        return self._connection.get(_path("tables", table, "statement"), _given(wanted))

    def get_round(self, round_id: str) -> Answer:
        """Show a round as it stands."""
        return self._connection.get(_path("rounds", round_id), is_right=is_round)

    def close_round(self, round_id: str, reason: str) -> Answer:
        """End a round early."""
        return self._connection.post(_path("rounds", round_id, "close"), {"reason": reason})

    def record_hand(self, round_id: str, hand: Document) -> Answer:
        """Record the next hand of a round."""
        return self._connection.post(_path("rounds", round_id, "hands"), hand, has_identity=True)

    def try_hand(self, round_id: str, hand: Document) -> Answer:
        """Say what the next hand of a round would come to, and record nothing."""
        path = f"{_path('rounds', round_id, 'hands')}?dry_run=true"
        return self._connection.post(path, hand, has_identity=True, is_right=is_hand_of_round)

    def send(self, path: str, body: bytes, key: str, is_right: Callable[[Document], bool]) -> Answer:
        """
        Send a request as it was written before; under its idempotency key it is done once, whenever that is.

        An answer that is not right for it comes from something else, and nothing was done.
        """
        return self._connection.post_bytes(path, body, key, is_right)

    def get_hand(self, hand_id: str) -> Answer:
        """Show a hand and what it came to."""
        return self._connection.get(_path("hands", hand_id))

    def explain_hand(self, hand_id: str, revision: int | None = None) -> Answer:
        """Say why a hand came to what it came to, in the newest revision that has it or in the one asked for."""
        return self._connection.get(_path("hands", hand_id, "explanation"), _revision(revision))

    def read_explanation(self, hand_id: str, form: str, revision: int | None = None) -> str:
        """Read the same in a form for people: `text/plain` or `text/html`."""
        return self._connection.get_text(_path("hands", hand_id, "explanation"), form, _revision(revision))

    def list_hands(self, round_id: str, revision: int | None = None) -> Iterator[Document]:
        """List the hands of a round in order, page by page as they are read."""
        query = {"limit": _PAGE, **_revision(revision)}
        return self._connection.get_pages(_path("rounds", round_id, "hands"), "hands", query, is_hand)

    def undo_hand(self, round_id: str, request: Document) -> Answer:
        """Withdraw the last hand of a round."""
        return self._connection.post(_path("rounds", round_id, "undo"), request)

    def record_departure(self, round_id: str, departure: Document) -> Answer:
        """Record that a player left between two hands."""
        return self._connection.post(_path("rounds", round_id, "departures"), departure)

    def confirm_settlement(self, round_id: str, confirmation: Document) -> Answer:
        """Keep that a player says a round's settlement is right."""
        return self._connection.post(_path("rounds", round_id, "confirmations"), confirmation)

    def get_settlement(self, round_id: str) -> Answer:
        """Show who paid whom in a round."""
        return self._connection.get(_path("rounds", round_id, "settlement"))

    def correct_round(self, round_id: str, correction: Document) -> Answer:
        """Put right what was recorded of a round."""
        return self._connection.post(_path("rounds", round_id, "corrections"), correction)

    def try_correction(self, round_id: str, correction: Document) -> Answer:
        """Say what a correction would change, and store nothing."""
        path = f"{_path('rounds', round_id, 'corrections')}?dry_run=true"
        return self._connection.post(path, correction, has_identity=True)

    def what_if(self, round_id: str, request: Document) -> Answer:
        """Show what a round would have come to by other rules, or had something else happened."""
        return self._connection.post(_path("rounds", round_id, "what-if"), request, has_identity=True)

    def issue_link(self, round_id: str, expires_in: int) -> Answer:
        """Make an address at which a round can be read without a key, for so many seconds."""
        return self._connection.post(_path("rounds", round_id, "links"), {"expires_in": expires_in}, has_identity=True)

    def revoke_link(self, token: str) -> None:
        """Let one address that shows a round open nothing any more."""
        self._connection.delete(_path("links", token))

    def open_dispute(self, request: Document) -> Answer:
        """Hold something against the settlement of a round."""
        return self._connection.post("/v1/disputes", request)

    def list_disputes(self, **wanted: str | None) -> Iterator[Document]:
        """List disputes, the oldest first, by `state`, `table` and `round`."""
        return self._connection.get_pages("/v1/disputes", "disputes", {"limit": _PAGE, **_given(wanted)})

    def get_dispute(self, dispute_id: str) -> Answer:
        """Show a dispute and everything that followed it."""
        return self._connection.get(_path("disputes", dispute_id))

    def comment_on_dispute(self, dispute_id: str, comment: Document) -> Answer:
        """Say something about a dispute."""
        return self._connection.post(_path("disputes", dispute_id, "comments"), comment)

    def review_dispute(self, dispute_id: str, review: Document) -> Answer:
        """Look into a dispute from now on."""
        return self._connection.post(_path("disputes", dispute_id, "review"), review)

    def resolve_dispute(self, dispute_id: str, resolution: Document) -> Answer:
        """End a dispute: it is upheld or rejected."""
        return self._connection.post(_path("disputes", dispute_id, "resolve"), resolution)

    def try_resolution(self, dispute_id: str, resolution: Document) -> Answer:
        """Say what a dispute would come to, and store nothing."""
        path = f"{_path('disputes', dispute_id, 'resolve')}?dry_run=true"
        return self._connection.post(path, resolution, has_identity=True)

    def withdraw_dispute(self, dispute_id: str, withdrawal: Document) -> Answer:
        """Give a dispute up."""
        return self._connection.post(_path("disputes", dispute_id, "withdraw"), withdrawal)

    def get_document(self, round_id: str) -> Answer:
        """Show a round as one document."""
        return self._connection.get(_path("rounds", round_id, "document"), is_right=is_document)

    def get_evidence(self, round_id: str, since: int | None = None) -> Answer:
        """Show all that proves a round; since a checkpoint of so many events, that it has grown from that."""
        return self._connection.get(
            _path("rounds", round_id, "evidence"), {} if since is None else {"since": str(since)}
        )

    def play_document(self, document: Document) -> Answer:
        """Play a round whole from one document."""
        return self._connection.post("/v1/documents", document, has_identity=True)

    def export_rounds(self, *, cursor: str | None = None, **wanted: str | None) -> Lines:
        """Export rounds as documents, one a line, the oldest first, from a cursor on; by `table`, `from` and `to`."""
        return self._connection.get_lines("/v1/export", {"limit": _LINES, **_given({"cursor": cursor, **wanted})})

    def start_import(self, lines: bytes, key: str, *, is_provisional: bool = False) -> Answer:
        """
        Import rounds from documents, one a line; the same lines under the same key are the same import.

        Their settlements are final, unless they are to be provisional.
        """
        path = "/v1/imports?state=provisional" if is_provisional else "/v1/imports"
        return self._connection.post_lines(path, gzip.compress(lines, mtime=0), key)

    def get_import(self, import_id: str) -> Answer:
        """Show an import: how far it is, and what it came to so far."""
        return self._connection.get(_path("imports", import_id))

    def cancel_import(self, import_id: str) -> Answer:
        """Stop an import; what is stored stays."""
        return self._connection.post(_path("imports", import_id, "cancel"), {})

    def list_import_results(self, import_id: str) -> list[Document]:
        """Say what became of every line of an import."""
        results = self._connection.get_lines(_path("imports", import_id, "results"), {})
        return [json.loads(line) for line in results.content.splitlines()]

    def start_recomputation(self, request: Document) -> Answer:
        """Ask for stored rounds to be played again."""
        return self._connection.post("/v1/recomputations", request)

    def get_recomputation(self, recomputation_id: str) -> Answer:
        """Show a recomputation: how far it is, and what it came to so far."""
        return self._connection.get(_path("recomputations", recomputation_id))

    def cancel_recomputation(self, recomputation_id: str) -> Answer:
        """Stop a recomputation; what was found and applied stays."""
        return self._connection.post(_path("recomputations", recomputation_id, "cancel"), {})

    def pause_recomputation(self, recomputation_id: str) -> Answer:
        """Let a recomputation rest."""
        return self._connection.post(_path("recomputations", recomputation_id, "pause"), {})

    def resume_recomputation(self, recomputation_id: str) -> Answer:
        """Let a recomputation that rests go on."""
        return self._connection.post(_path("recomputations", recomputation_id, "resume"), {})

    def list_differences(self, recomputation_id: str) -> Iterator[Document]:
        """List what a recomputation has found so far, page by page as they are read."""
        path = _path("recomputations", recomputation_id, "differences")
        return self._connection.get_pages(path, "differences", {"limit": _PAGE})

    def make_checkpoint(self) -> Answer:
        """Sign the tree of all events so far; where nothing happened since the newest checkpoint, it is that one."""
        return self._connection.post("/v1/checkpoints", {})

    def list_checkpoints(self) -> Iterator[Document]:
        """List what was signed of the club's tree, the newest first, page by page as they are read."""
        return self._connection.get_pages("/v1/checkpoints", "checkpoints", {"limit": _PAGE})

    def get_checkpoint(self, address: str) -> str:
        """Read a checkpoint as it was signed; no key is needed."""
        return self._connection.get_text(_path("checkpoints", address), "text/plain")

    def list_checkpoint_keys(self) -> list[Document]:
        """List every public key that ever signed a checkpoint, the oldest first; no key is needed."""
        return list(self._connection.get_pages("/.well-known/tablestakes-checkpoint-keys", "keys", {}))

    def prove_consistency(self, old: int, new: int) -> Answer:
        """Prove that the club's tree only grew from one size to another."""
        return self._connection.get("/v1/checkpoints/consistency", {"from": str(old), "to": str(new)})

    def prove_inclusion(self, position: int, size: int) -> Answer:
        """Prove that an event is in the club's tree of a size."""
        return self._connection.get("/v1/checkpoints/inclusion", {"position": str(position), "size": str(size)})

    def list_events(self, after: int | None = None, wait: int = 0) -> Lines:
        """
        List what happened, one event a line, after the one at a position or from the first on.

        Where there is none yet, the service waits for one, so many seconds at most.
        """
        query = {"limit": _LINES, "wait": str(wait)} | ({} if after is None else {"after": str(after)})
        return self._connection.get_lines("/v1/events", query)

    def list_keys(self) -> Iterator[Document]:
        """List the club's keys, the newest first, page by page as they are read."""
        return self._connection.get_pages("/v1/keys", "keys", {"limit": _PAGE})

    def revoke_key(self, key_id: str) -> None:
        """Let a key of the club open nothing any more."""
        self._connection.delete(_path("keys", key_id))


def _given(wanted: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in wanted.items() if value is not None}


def _revision(revision: int | None) -> dict[str, str]:
    return {} if revision is None else {"revision": str(revision)}


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
