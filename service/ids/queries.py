"""Find ids by their ends, in every table whose records people name by an id."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import text

from schemas.ids import LONGEST_DESCRIPTION, FoundId, IdKind
from service.db import Transaction

_JOBS: Final = "concat_ws(', ', record.state, to_char(record.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'))"
_ENTRIES: Final = "(SELECT * FROM entries WHERE kind = '{}') AS record"
_SOURCES: Final = {
    IdKind.TABLE: ("record.name", "tables AS record"),
    IdKind.ROUND: (
        "concat_ws(', ', to_char(record.opened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),"
        " array_to_string(head.players, ', '))",
        "rounds AS record JOIN round_heads AS head ON (head.club_id, head.round_id) = (record.club_id, record.id)",
    ),
    IdKind.HAND: ("'of round ' || record.round_id", "hands AS record"),
    IdKind.DISPUTE: (
        "head.state || ', on round ' || record.round_id",
        "disputes AS record JOIN dispute_heads AS head"
        " ON (head.club_id, head.dispute_id) = (record.club_id, record.id)",
    ),
    IdKind.RECOMPUTATION: (_JOBS, "(SELECT * FROM jobs WHERE kind = 'recomputation') AS record"),
    IdKind.IMPORT: (_JOBS, "(SELECT * FROM jobs WHERE kind = 'import') AS record"),
    # Not those that were signed and may not be served yet.
    IdKind.CHECKPOINT: (
        "'of ' || record.size || ' events'",
        "checkpoints AS record JOIN tree_heads AS head"
        " ON head.club_id = record.club_id AND record.size <= head.served_size",
    ),
    IdKind.WEBHOOK: ("record.state || ', ' || record.url", "webhooks AS record"),
    IdKind.DELIVERY: ("record.state || ', ' || record.kind", "webhook_deliveries AS record"),
    IdKind.LINK: ("concat_ws(', ', record.kind, record.label)", "links AS record"),
    IdKind.KEY: ("concat_ws(', ', record.prefix, record.name)", "api_keys AS record"),
    IdKind.PROPOSAL: (
        "concat_ws(', ', record.kind, to_char(record.proposed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'))",
        "proposals AS record",
    ),
    IdKind.PAYMENT_CLAIM: ("record.reference", "payment_claims AS record"),
    **{kind: ("record.reference", _ENTRIES.format(kind)) for kind in (IdKind.PAYMENT, IdKind.CHARGE)},
}
"""Of each kind: a description of a record in SQL, and the records."""


def list_endings(transaction: Transaction, ending: str, kinds: Collection[IdKind], *, limit: int) -> list[FoundId]:
    """List ids of some kinds that end with a text in small letters, newest first; at most `limit`."""
    selected = " UNION ALL ".join(
        f"SELECT '{kind}' AS kind, record.id, left({description}, {LONGEST_DESCRIPTION}) AS description FROM {records}"
        " WHERE record.club_id = :club_id AND right(record.id::text, :length) = :ending"
        for kind, (description, records) in _SOURCES.items()
        if kind in kinds
    )
    query = text(f"{selected} ORDER BY id DESC LIMIT :limit")
    parameters = {"club_id": transaction.club_id, "ending": ending, "length": len(ending), "limit": limit}
    return [FoundId(IdKind(row.kind), row.id, row.description) for row in transaction.execute(query, parameters)]
