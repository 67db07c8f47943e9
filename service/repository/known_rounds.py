"""Which rounds of many a club has already: looked for in a few queries, however many there are."""

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from sqlalchemy import text

from service.database import Transaction

_BY_REFERENCE: Final = text("""
    SELECT wanted.table_id, wanted.reference, round.id, round.digest
    FROM unnest(CAST(:table_ids AS uuid[]), CAST(:wanted AS text[])) AS wanted (table_id, reference)
    JOIN rounds AS round ON round.club_id = :club_id
        AND round.table_id = wanted.table_id AND round.reference = wanted.reference
""")
_BY_DIGEST: Final = text("""
    SELECT DISTINCT ON (round.table_id, round.digest) round.table_id, round.digest, round.id
    FROM unnest(CAST(:table_ids AS uuid[]), CAST(:wanted AS bytea[])) AS wanted (table_id, digest)
    JOIN rounds AS round ON round.club_id = :club_id
        AND round.table_id = wanted.table_id AND round.digest = wanted.digest AND round.reference IS NULL
    ORDER BY round.table_id, round.digest, round.id
""")
_OPEN: Final = text("""
    SELECT table_id FROM round_heads
    WHERE club_id = :club_id AND status = 'open' AND table_id = ANY (CAST(:table_ids AS uuid[]))
""")


def list_by_reference(
    transaction: Transaction, wanted: Iterable[tuple[UUID, str]]
) -> Mapping[tuple[UUID, str], tuple[UUID, bytes]]:
    """Give the id and digest of every round that has one of these references at its table."""
    table_ids, references = _columns(wanted)
    parameters = {"club_id": transaction.club_id, "table_ids": table_ids, "wanted": references}
    listed = transaction.execute(_BY_REFERENCE, parameters)
    return {(found.table_id, found.reference): (found.id, found.digest) for found in listed}


def list_by_digest(transaction: Transaction, wanted: Iterable[tuple[UUID, bytes]]) -> Mapping[tuple[UUID, bytes], UUID]:
    """Give the id of the first round of a table that has no reference and one of these contents."""
    table_ids, digests = _columns(wanted)
    parameters = {"club_id": transaction.club_id, "table_ids": table_ids, "wanted": digests}
    return {(found.table_id, found.digest): found.id for found in transaction.execute(_BY_DIGEST, parameters)}


def list_tables_with_open_round(transaction: Transaction, table_ids: Iterable[UUID]) -> set[UUID]:
    """Say which of some tables have an open round."""
    return set(transaction.execute(_OPEN, {"club_id": transaction.club_id, "table_ids": [*table_ids]}).scalars())


def _columns(wanted: Iterable[tuple[UUID, object]]) -> tuple[list[UUID], list[object]]:
    listed = [*wanted]
    return [table_id for table_id, _ in listed], [value for _, value in listed]
