"""What the keys of records refer to, as far as it can be read: rounds, hands, players and tables."""

from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import TextClause, text

from service.db import Database, Transaction
from service.replays.findings import Finding
from service.verification.damage import suppress_damage
from service.verification.sentences import NOWHERE, Places, RoundPlace, as_id, find_round, list_ids

_OF_RECORDS: Final = text("""
    SELECT id, round_id, number FROM hands WHERE club_id = :club_id AND id = ANY (:ids)
    UNION ALL SELECT hand_id, round_id, number FROM hand_scores WHERE club_id = :club_id AND hand_id = ANY (:ids)
    UNION ALL SELECT id, round_id, sequence FROM events WHERE club_id = :club_id AND id = ANY (:ids)
    UNION ALL SELECT id, round_id, hand FROM disputes WHERE club_id = :club_id AND id = ANY (:ids)
    UNION ALL SELECT id, round_id, NULL FROM entries WHERE club_id = :club_id AND id = ANY (:ids)
    UNION ALL SELECT id, round_id, NULL FROM payment_claims WHERE club_id = :club_id AND id = ANY (:ids)
    UNION ALL SELECT id, round_id, NULL FROM proposals WHERE club_id = :club_id AND id = ANY (:ids)
""")
_ROUNDS: Final = text("""
    SELECT head.round_id, coalesce(tables.name, head.table_id::text) AS name, round.reference, head.seats, head.players
    FROM round_heads AS head
    LEFT JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
    LEFT JOIN tables ON (tables.club_id, tables.id) = (head.club_id, head.table_id)
    WHERE head.club_id = :club_id AND head.round_id = ANY (:ids)
""")
_DEALT: Final = text("""
    SELECT round_id, number, seats FROM hands WHERE club_id = :club_id AND round_id = ANY (:ids) ORDER BY id
""")
_TABLES: Final = text("SELECT id, name FROM tables WHERE club_id = :club_id AND id = ANY (:ids)")


def find_places(database: Database, club_id: UUID | None, findings: Sequence[Finding]) -> Places:
    """Return what the keys of findings refer to; nothing where PostgreSQL cannot read it, or without a club."""
    if not findings or club_id is None:
        return NOWHERE
    with suppress_damage(), database.reading(club_id) as transaction:
        return _read_places(transaction, findings)
    return NOWHERE


def _read(transaction: Transaction, query: TextClause, ids: Collection[UUID]) -> Sequence[Any]:
    return transaction.execute(query, {"club_id": transaction.club_id, "ids": list(ids)}).all() if ids else ()


def _read_places(transaction: Transaction, findings: Sequence[Finding]) -> Places:
    ids = {each for finding in findings for each in list_ids(finding)}
    of_records = {row.id: (row.round_id, row.number) for row in _read(transaction, _OF_RECORDS, ids)}
    known = Places(of_records=of_records)
    rounds = {round_id for finding in findings if (round_id := find_round(finding, known)[0]) is not None}
    of_tables = {as_id(finding.key["id"]) for finding in findings if finding.table == "tables"}
    return Places(
        {
            row.round_id: RoundPlace(row.name, row.reference, dict(zip(row.seats, row.players, strict=False)))
            for row in _read(transaction, _ROUNDS, rounds)
        },
        of_records,
        {(row.round_id, row.number): row.seats for row in _read(transaction, _DEALT, rounds)},
        {row.id: row.name for row in _read(transaction, _TABLES, of_tables)},
    )
