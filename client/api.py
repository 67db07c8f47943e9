"""The operations of the service as methods with the same names. Documents are passed as the wire has them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypedDict, Unpack

from client.access import AccessOperations
from client.bulk import BulkOperations
from client.errors import attach_hand
from client.paths import build_path, drop_none
from client.players import PlayerOperations
from client.plots import PlotOperations
from client.raw import RawOperations
from client.recomputations import RecomputationOperations
from client.responses import (
    Content,
    Document,
    is_club,
    is_document,
    is_hand,
    is_hand_of_round,
    is_round,
    is_ruleset,
    is_table,
)
from client.webhooks import WebhookOperations

if TYPE_CHECKING:
    import httpx2

    from client import models
    from client.connection import OnWaiting

DEFAULT_URL: Final = "http://127.0.0.1:8000"
_PAGE: Final = "100"
_LINES: Final = "500"


class EventFilters(TypedDict, total=False):
    """Filters of events: kinds, separated by commas, and the IDs of a table and of a round."""

    kind: str | None
    table: str | None
    round: str | None


class Client(
    RawOperations,
    BulkOperations,
    PlayerOperations,
    PlotOperations,
    RecomputationOperations,
    AccessOperations,
    WebhookOperations,
):
    """
    A connection to a service.

    A request that failed on the network, or whose response was lost, is retried a few times. It takes effect once: the
    service recognizes a hand or a document by its content, and any other request by its idempotency key.

    Raises:
        ApiError: from every method, if the service refuses the request.
        TransportError: from every method, if the service does not respond, also after a few retries.
        UnreadableError: the address or the key is invalid, or a name or an id is empty.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        key: str | None = None,
        *,
        transport: httpx2.BaseTransport | None = None,
        timeout: float | None = None,
        on_waiting: OnWaiting | None = None,
    ) -> None:
        """
        Create a client, which connects with its first request.

        Args:
            url: the address of the service.
            key: an API key, or the secret of a link.
            transport: of httpx2, for tests.
            timeout: how many seconds a connection and the response to a read may take, with all retries; 5 and 30
                seconds an attempt, and retries for 20 seconds, if omitted.
            on_waiting: called with the reason when a request takes longer than a second because it is retried; the
                reason is logged by the logger `tablestakes` if omitted.
        """
        # httpx2 is slow to import, and commands that work offline do not need it.
        from client.connection import Connection, log_waiting

        self._connection = Connection(url, key, transport, timeout, on_waiting or log_waiting)
        self.server = self._connection.server
        self.timeout = timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def score_hand(self, request: Document) -> models.HandScore:
        """Score a hand without storing it."""
        return self._connection.post("/v1/score", request, is_idempotent=True)

    def list_rulesets(self) -> list[models.Ruleset]:
        """List the presets and the custom rulesets of the club."""
        return list(self._connection.get_pages("/v1/rulesets", "rulesets", {}, is_ruleset))

    def get_ruleset(self, reference: str) -> models.Ruleset:
        """Return a ruleset by name or name@version."""
        return self._connection.get(build_path("rulesets", reference), is_valid=is_ruleset)

    def add_ruleset(self, ruleset: Document) -> models.Ruleset:
        """Store a custom ruleset of the club, or a new version of one."""
        return self._connection.post("/v1/rulesets", ruleset, is_idempotent=True)

    def add_table(self, table: Document) -> models.Table:
        """Create a table."""
        return self._connection.post("/v1/tables", table)

    def list_tables(self) -> Iterator[models.Table]:
        """List the tables of the club, newest first. Pages are fetched as they are read."""
        return self._connection.get_pages("/v1/tables", "tables", {"limit": _PAGE}, is_table)

    def get_table(self, table: str) -> models.Table:
        """Return a table."""
        return self._connection.get(build_path("tables", table), is_valid=is_table)

    def find_table(self, name: str) -> models.Table | None:
        """Find a table by its name, which is unique in a club."""
        return next(iter(self._connection.get_pages("/v1/tables", "tables", {"name": name}, is_table)), None)

    def open_round(self, table: str, request: Document) -> models.OpenedRound:
        """Open a round at a table."""
        return self._connection.post(build_path("tables", table, "rounds"), request, is_valid=is_round)

    def list_rounds(self, **filters: str | None) -> Iterator[models.Round]:
        """List rounds, newest first, filtered by `table`, `player`, `status`, `from` and `to`, `limit` a page."""
        return self._connection.get_pages("/v1/rounds", "rounds", {"limit": _PAGE, **drop_none(filters)}, is_round)

    def get_statement(self, table: str, **filters: str | None) -> models.TableStatement:
        """Return the statement of a table: the sums of its rounds opened at or after `from` and before `to`."""
        return self._connection.get(build_path("tables", table, "statement"), drop_none(filters))

    def get_club(self) -> models.Club:
        """Return the club of the key, with its time zone."""
        return self._connection.get("/v1/club", is_valid=is_club)

    def get_club_statement(self, **filters: str | None) -> models.ClubStatement:
        """Return the results of rounds over several tables, filtered by `tables`, `player`, `from` and `to`."""
        return self._connection.get("/v1/statement", drop_none(filters))

    def export_club_statement(self, **filters: str | None) -> Content:
        """Return the results of rounds over several tables as CSV, filtered as `get_club_statement` does."""
        return self._connection.get_lines("/v1/statement", drop_none(filters), "text/csv")

    def list_ledger(self, **filters: str | None) -> Iterator[models.LedgerLine]:
        """List payments, oldest round first, filtered by `table`, `player`, `from` and `to`, `limit` a page."""
        return self._connection.get_pages("/v1/ledger", "payments", {"limit": _LINES, **drop_none(filters)})

    def export_ledger(self, *, cursor: str | None = None, **filters: str | None) -> Content:
        """Return a page of payments as CSV with a header, filtered as `list_ledger` does."""
        query = {"limit": _LINES, **drop_none({"cursor": cursor, **filters})}
        return self._connection.get_lines("/v1/ledger", query, "text/csv")

    def list_statistics(self, **filters: str | None) -> models.Statistics:
        """Return the statistics of all players, filtered by `table`, `ruleset`, `from` and `to`."""
        return self._connection.get("/v1/statistics", drop_none(filters))

    def get_player_statistics(self, player: str, **filters: str | None) -> models.Statistics:
        """Return the statistics of a player, filtered as those of all players."""
        return self._connection.get(build_path("players", player, "statistics"), drop_none(filters))

    def get_round(self, round_id: str) -> models.Round:
        """Return a round with its current state."""
        return self._connection.get(build_path("rounds", round_id), is_valid=is_round)

    def close_round(self, round_id: str, reason: str, *, expected: Document | None = None) -> models.Round:
        """Close a round early, if it is as `expected`: for example `{"hands": 3}`."""
        closing = {"reason": reason} if expected is None else {"reason": reason, "expected": expected}
        return self._connection.post(build_path("rounds", round_id, "close"), closing, is_valid=is_round)

    def record_hand(self, round_id: str, hand: Document) -> models.RecordedHandWithRound:
        """Record the next hand of a round."""
        return self._post_hand(build_path("rounds", round_id, "hands"), hand)

    def try_hand(self, round_id: str, hand: Document) -> models.RecordedHandWithRound:
        """Return the result that the next hand of a round would have. Nothing is recorded."""
        return self._post_hand(f"{build_path('rounds', round_id, 'hands')}?dry_run=true", hand)

    def _post_hand(self, path: str, hand: Document) -> models.RecordedHandWithRound:
        with attach_hand(hand):
            return self._connection.post(path, hand, is_idempotent=True, is_valid=is_hand_of_round)

    def get_hand(self, hand_id: str) -> models.RecordedHandWithRound:
        """Return a recorded hand with its result."""
        return self._connection.get(build_path("hands", hand_id))

    def explain_hand(self, hand_id: str, revision: int | None = None) -> models.HandExplanation:
        """Return the explanation of a hand, in the given revision or else in the newest one that has the hand."""
        return self._connection.get(build_path("hands", hand_id, "explanation"), _revision(revision))

    def read_explanation(self, hand_id: str, form: str, revision: int | None = None) -> str:
        """Return the explanation of a hand as `text/plain` or `text/html`."""
        return self._connection.get_text(build_path("hands", hand_id, "explanation"), form, _revision(revision))

    def list_hands(self, round_id: str, revision: int | None = None) -> Iterator[models.RecordedHand]:
        """List the hands of a round in order. Pages are fetched as they are read."""
        query = {"limit": _PAGE, **_revision(revision)}
        return self._connection.get_pages(build_path("rounds", round_id, "hands"), "hands", query, is_hand)

    def find_hands(self, **filters: str | None) -> Iterator[models.FoundHand]:
        """Find hands in force by `player`, `table`, `ruleset`, `foul`, `fantasyland`, `from` and `to`."""
        return self._connection.get_pages("/v1/hands", "hands", {"limit": _PAGE, **drop_none(filters)})

    def undo_hand(self, round_id: str, request: Document) -> models.RoundAfterUndo:
        """Undo the last hand of a round: `request` has its `number`, and the ID of its record as `hand`."""
        return self._connection.post(build_path("rounds", round_id, "undo"), request, is_valid=is_round)

    def record_departure(self, round_id: str, departure: Document) -> models.Round:
        """Record that a player left between two hands."""
        return self._connection.post(build_path("rounds", round_id, "departures"), departure, is_valid=is_round)

    def confirm_settlement(self, round_id: str, confirmation: Document) -> models.RoundSettlement:
        """Record that a player confirms the settlement of a round."""
        return self._connection.post(build_path("rounds", round_id, "confirmations"), confirmation)

    def get_settlement(self, round_id: str) -> models.RoundSettlement:
        """Return the settlement of a round: who paid whom."""
        return self._connection.get(build_path("rounds", round_id, "settlement"))

    def correct_round(self, round_id: str, correction: Document) -> models.RoundComparison:
        """Correct what was recorded of a round: `correction` has the `version` of the round that it is based on."""
        return self._connection.post(build_path("rounds", round_id, "corrections"), correction)

    def try_correction(self, round_id: str, correction: Document) -> models.RoundComparison:
        """Return what a correction would change. Nothing is stored."""
        path = f"{build_path('rounds', round_id, 'corrections')}?dry_run=true"
        return self._connection.post(path, correction, is_idempotent=True)

    def what_if(self, round_id: str, request: Document) -> models.RoundComparison:
        """Return the result of a round under other rules, or with other hands."""
        return self._connection.post(build_path("rounds", round_id, "what-if"), request, is_idempotent=True)

    def issue_link(self, round_id: str, expires_in: int) -> models.ViewerLink:
        """Create an address at which a round can be read without a key, valid for `expires_in` seconds."""
        return self._connection.post(
            build_path("rounds", round_id, "links"), {"expires_in": expires_in}, is_idempotent=True
        )

    def revoke_link(self, token: str) -> None:
        """Revoke one address that shows a round."""
        self._connection.delete(build_path("links", token))

    def open_dispute(self, request: Document) -> models.DisputeWithHistory:
        """Open a dispute of the settlement of a round."""
        return self._connection.post("/v1/disputes", request)

    def list_disputes(self, **filters: str | None) -> Iterator[models.Dispute]:
        """List disputes, oldest first, filtered by `state`, `table` and `round`."""
        return self._connection.get_pages("/v1/disputes", "disputes", {"limit": _PAGE, **drop_none(filters)})

    def get_dispute(self, dispute_id: str) -> models.DisputeWithHistory:
        """Return a dispute with its history."""
        return self._connection.get(build_path("disputes", dispute_id))

    def comment_on_dispute(self, dispute_id: str, comment: Document) -> models.DisputeWithHistory:
        """Add a comment to a dispute."""
        return self._connection.post(build_path("disputes", dispute_id, "comments"), comment)

    def review_dispute(self, dispute_id: str, review: Document) -> models.DisputeWithHistory:
        """Start the review of a dispute."""
        return self._connection.post(build_path("disputes", dispute_id, "review"), review)

    def resolve_dispute(self, dispute_id: str, resolution: Document) -> models.DisputeWithHistory:
        """Resolve a dispute: uphold or reject it."""
        return self._connection.post(build_path("disputes", dispute_id, "resolve"), resolution)

    def try_resolution(self, dispute_id: str, resolution: Document) -> models.DisputeWithHistory:
        """Check a resolution of a dispute. Nothing is stored."""
        path = f"{build_path('disputes', dispute_id, 'resolve')}?dry_run=true"
        return self._connection.post(path, resolution, is_idempotent=True)

    def withdraw_dispute(self, dispute_id: str, withdrawal: Document) -> models.DisputeWithHistory:
        """Withdraw a dispute."""
        return self._connection.post(build_path("disputes", dispute_id, "withdraw"), withdrawal)

    def get_document(self, round_id: str) -> models.RoundDocument:
        """Return a round as one document."""
        return self._connection.get(build_path("rounds", round_id, "document"), is_valid=is_document)

    def get_evidence(self, round_id: str, since: int | None = None) -> models.Evidence:
        """
        Return the evidence of a round.

        With `since`, it proves that the checkpoint of that size has grown into the newest one.
        """
        query = {} if since is None else {"since": str(since)}
        return self._connection.get(build_path("rounds", round_id, "evidence"), query)

    def play_document(self, document: Document) -> models.RoundWithSettlement:
        """Post a whole round as one document."""
        return self._connection.post("/v1/documents", document, is_idempotent=True)

    def export_rounds(self, *, cursor: str | None = None, **filters: str | None) -> Content:
        """Export a page of rounds as documents, one a line, oldest first, filtered by `table`, `from` and `to`."""
        return self._connection.get_lines("/v1/export", {"limit": _LINES, **drop_none({"cursor": cursor, **filters})})

    def export_parquet(self, **filters: str | None) -> bytes:
        """
        Export the hands in force as a Parquet file, filtered as `export_rounds` does.

        `records` is `hands`, `results` or `transfers`: what the file has a row for.
        """
        return self._connection.get_lines("/v1/export", drop_none(filters), "application/vnd.apache.parquet").content

    def start_import(self, lines: bytes, key: str, *, is_provisional: bool = False) -> models.Import:
        """
        Import rounds from documents, one a line. The same lines under the same key are the same import.

        Settlements are final unless `is_provisional` is set.
        """
        path = "/v1/imports?state=provisional" if is_provisional else "/v1/imports"
        return self._connection.post_lines(path, gzip.compress(lines, mtime=0), key)

    def list_imports(self, *, state: str | None = None) -> Iterator[models.Import]:
        """List the imports of the club, newest first: all, or those in one state."""
        return self._connection.get_pages("/v1/imports", "imports", {"limit": _PAGE, **drop_none({"state": state})})

    def get_import(self, import_id: str) -> models.Import:
        """Return an import: its progress and its results so far."""
        return self._connection.get(build_path("imports", import_id))

    def cancel_import(self, import_id: str) -> models.Import:
        """Cancel an import. Rounds that are stored remain stored."""
        return self._connection.post(build_path("imports", import_id, "cancel"), {})

    def pause_import(self, import_id: str) -> models.Import:
        """Pause an import."""
        return self._connection.post(build_path("imports", import_id, "pause"), {})

    def resume_import(self, import_id: str) -> models.Import:
        """Resume a paused import."""
        return self._connection.post(build_path("imports", import_id, "resume"), {})

    def list_import_results(self, import_id: str) -> list[models.ImportLineResult]:
        """Return the result of every line of an import."""
        return list(self._connection.get_lines(build_path("imports", import_id, "results"), {}).parse())

    def make_checkpoint(self) -> models.Checkpoint:
        """Sign the tree of all events so far. Without events since the newest checkpoint, return that one."""
        return self._connection.post("/v1/checkpoints", {})

    def list_checkpoints(self) -> Iterator[models.Checkpoint]:
        """List the checkpoints of the club, newest first. Pages are fetched as they are read."""
        return self._connection.get_pages("/v1/checkpoints", "checkpoints", {"limit": _PAGE})

    def get_checkpoint(self, address: str) -> str:
        """Return the signed text of a checkpoint. No key is needed."""
        return self._connection.get_text(build_path("checkpoints", address), "text/plain")

    def list_checkpoint_keys(self) -> list[models.CheckpointKey]:
        """List every public key that has signed a checkpoint, oldest first. No key is needed."""
        return list(self._connection.get_pages("/.well-known/tablestakes-checkpoint-keys", "keys", {}))

    def prove_consistency(self, old: int, new: int) -> models.CheckpointConsistencyProof:
        """Return the proof that the tree of the club only grew from one size to another."""
        return self._connection.get("/v1/checkpoints/consistency", {"from": str(old), "to": str(new)})

    def prove_inclusion(self, position: int, size: int) -> models.CheckpointInclusionProof:
        """Return the proof that an event is in the tree of a size."""
        return self._connection.get("/v1/checkpoints/inclusion", {"position": str(position), "size": str(size)})

    def list_events(self, after: int | None = None, wait: int = 0, **filters: Unpack[EventFilters]) -> Content:
        """
        List events, one a line, after a position or from the first event, filtered by `kind`, `table` and `round`.

        Without a newer event the service waits for one, `wait` seconds at most.
        """
        query = {"limit": _LINES, "wait": str(wait)}
        query |= {name: str(value) for name, value in filters.items() if value is not None}
        query |= {} if after is None else {"after": str(after)}
        return self._connection.get_lines("/v1/events", query)


def _revision(revision: int | None) -> dict[str, str]:
    return {} if revision is None else {"revision": str(revision)}
