"""Received pieces of imports, results of their lines, and rounds that are already recorded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import delete, func, insert, select, text, tuple_

from service.db import Transaction
from service.db.paging import count_rows
from service.imports.models import ImportPieceRecord, ImportResultRecord
from service.jobs.models import JobRecord

_PIECE: Final = ImportPieceRecord
_RESULT: Final = ImportResultRecord


@dataclass(frozen=True, slots=True)
class Piece:
    """
    Consecutive whole lines of a file.

    Attributes:
        number: the number of the piece, from 1.
        first_line: the number of its first line in the file, counting blank lines.
        lines: the number of lines that are not blank.
        content: the lines, including blank ones, each with a line feed.
    """

    number: int
    first_line: int
    lines: int
    content: bytes


def add_piece(transaction: Transaction, job_id: UUID, piece: Piece) -> None:
    """Insert a received piece."""
    add_pieces(transaction, job_id, [piece])


def add_pieces(transaction: Transaction, job_id: UUID, pieces: Sequence[Piece]) -> None:
    """Insert received pieces, of which there is at least one."""
    rows = [
        {
            "club_id": transaction.club_id,
            "job_id": job_id,
            "number": piece.number,
            "first_line": piece.first_line,
            "lines": piece.lines,
            "content": piece.content,
            "received_at": transaction.now,
        }
        for piece in pieces
    ]
    transaction.execute(insert(_PIECE), rows)


def list_sizes(transaction: Transaction, job_id: UUID) -> list[tuple[int, int]]:
    """List the number and the line count of each piece of an import."""
    query = select(_PIECE.number, _PIECE.lines).where(_PIECE.club_id == transaction.club_id, _PIECE.job_id == job_id)
    return [(piece.number, piece.lines) for piece in transaction.execute(query.order_by(_PIECE.number))]


def find_piece(transaction: Transaction, job_id: UUID, number: int) -> Piece | None:
    """Find a piece that is not processed yet."""
    query = select(_PIECE.number, _PIECE.first_line, _PIECE.lines, _PIECE.content).where(
        _PIECE.club_id == transaction.club_id, _PIECE.job_id == job_id, _PIECE.number == number
    )
    row = transaction.execute(query).one_or_none()
    return None if row is None else Piece(row.number, row.first_line, row.lines, row.content)


def remove_piece(transaction: Transaction, job_id: UUID, number: int) -> None:
    """Delete a processed piece."""
    transaction.execute(
        delete(_PIECE).where(_PIECE.club_id == transaction.club_id, _PIECE.job_id == job_id, _PIECE.number == number)
    )


def remove_pieces(transaction: Transaction, job_id: UUID) -> None:
    """Delete the remaining pieces of an import."""
    transaction.execute(delete(_PIECE).where(_PIECE.club_id == transaction.club_id, _PIECE.job_id == job_id))


def count_under_way(transaction: Transaction, kind: str) -> tuple[int, int]:
    """Count the club's imports that have not ended, and their bytes that wait to be processed."""
    of_club = (JobRecord.club_id == transaction.club_id, JobRecord.kind == kind, JobRecord.ended_at.is_(None))
    waiting = (
        select(func.coalesce(func.sum(func.octet_length(_PIECE.content)), 0))
        .join(JobRecord, (JobRecord.club_id == _PIECE.club_id) & (JobRecord.id == _PIECE.job_id))
        .where(*of_club)
        .scalar_subquery()
    )
    counted = select(func.count().label("under_way"), waiting.label("waiting"))
    row = transaction.execute(counted.select_from(JobRecord).where(*of_club)).one()
    return row.under_way, int(row.waiting)


def split_piece(transaction: Transaction, job_id: UUID, piece: Piece, lines: Sequence[tuple[int, bytes]]) -> list[int]:
    """Replace a piece by one piece for each of its lines, and return their numbers."""
    largest = select(func.max(_PIECE.number)).where(_PIECE.club_id == transaction.club_id, _PIECE.job_id == job_id)
    first = transaction.execute(largest).scalar_one() + 1
    numbers = list(range(first, first + len(lines)))
    for number, (line, content) in zip(numbers, lines, strict=True):
        add_piece(transaction, job_id, Piece(number, line, 1, content + b"\n"))
    remove_piece(transaction, job_id, piece.number)
    return numbers


def remove_ended_before(transaction: Transaction, moment: datetime, most: int) -> int:
    """Delete at most `most` results and pieces of imports that ended before a moment, and return their number."""
    removed = 0
    for record, key in ((_RESULT, _RESULT.first_line), (_PIECE, _PIECE.number)):
        of_ended = (
            select(record.job_id, key)
            .join(JobRecord, (JobRecord.club_id == record.club_id) & (JobRecord.id == record.job_id))
            .where(record.club_id == transaction.club_id, JobRecord.ended_at < moment)
            .limit(most - removed)
        )
        chosen = delete(record).where(record.club_id == transaction.club_id, tuple_(record.job_id, key).in_(of_ended))
        removed += transaction.execute(chosen).rowcount
    return removed


def add_results(transaction: Transaction, job_id: UUID, first_line: int, content: bytes) -> None:
    """Insert the results of the lines of a piece: one JSON document per line."""
    transaction.execute(
        insert(_RESULT).values(club_id=transaction.club_id, job_id=job_id, first_line=first_line, content=content)
    )


def find_results_after(transaction: Transaction, job_id: UUID, line: int) -> tuple[int, bytes] | None:
    """Find the first results after a line: the number of their first line, and their content."""
    query = (
        select(_RESULT.first_line, _RESULT.content)
        .where(_RESULT.club_id == transaction.club_id, _RESULT.job_id == job_id, _RESULT.first_line > line)
        .order_by(_RESULT.first_line)
        .limit(1)
    )
    row = transaction.execute(query).one_or_none()
    return None if row is None else (row.first_line, row.content)


_RESULTS: Final = text("""
    SELECT content FROM import_results
    WHERE club_id = :club_id AND job_id = :job_id AND position(CAST(:containing AS bytea) IN content) > 0
        AND first_line >= coalesce((
            SELECT max(first_line) FROM import_results
            WHERE club_id = :club_id AND job_id = :job_id AND first_line <= :line
        ), 0)
    ORDER BY first_line LIMIT :limit
""")


def list_results(
    transaction: Transaction, job_id: UUID, *, from_line: int, containing: bytes, limit: int
) -> list[bytes]:
    """
    List the results of pieces, from that with a line on, whose content has some bytes.

    A piece can begin before the line.
    """
    parameters = {
        "club_id": transaction.club_id,
        "job_id": job_id,
        "line": from_line,
        "containing": containing,
        "limit": limit,
    }
    return [bytes(row.content) for row in transaction.execute(_RESULTS, parameters)]


# A piece without such a line is skipped before its content is split.
_LINES: Final = """
    SELECT FROM import_results AS result
    CROSS JOIN LATERAL string_to_table(convert_from(result.content, 'UTF8'), chr(10)) AS line
    WHERE result.club_id = :club_id AND result.job_id = :job_id
        AND position(convert_to(:containing, 'UTF8') IN result.content) > 0
        AND position(CAST(:containing AS text) IN line) > 0
"""


def count_results(transaction: Transaction, job_id: UUID, containing: str, limit: int) -> int:
    """Count the results of lines that contain a text, up to a limit."""
    return count_rows(transaction, _LINES, limit, {"job_id": job_id, "containing": containing})


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
    ORDER BY round.table_id, round.digest, round.table_sequence
""")
_OPEN: Final = text("""
    SELECT table_id FROM round_heads
    WHERE club_id = :club_id AND status = 'open' AND table_id = ANY (CAST(:table_ids AS uuid[]))
""")


def list_rounds_by_reference(
    transaction: Transaction, pairs: Iterable[tuple[UUID, str]]
) -> Mapping[tuple[UUID, str], tuple[UUID, bytes]]:
    """Return the id and digest of each round that has one of the references at its table."""
    table_ids, references = _columns(pairs)
    parameters = {"club_id": transaction.club_id, "table_ids": table_ids, "wanted": references}
    listed = transaction.execute(_BY_REFERENCE, parameters)
    return {(row.table_id, row.reference): (row.id, row.digest) for row in listed}


def list_rounds_by_digest(
    transaction: Transaction, pairs: Iterable[tuple[UUID, bytes]]
) -> Mapping[tuple[UUID, bytes], UUID]:
    """Return the id of the first round without a reference for each table and content digest."""
    table_ids, digests = _columns(pairs)
    parameters = {"club_id": transaction.club_id, "table_ids": table_ids, "wanted": digests}
    return {(row.table_id, row.digest): row.id for row in transaction.execute(_BY_DIGEST, parameters)}


def list_tables_with_open_round(transaction: Transaction, table_ids: Iterable[UUID]) -> set[UUID]:
    """Return the tables that have an open round."""
    return set(transaction.execute(_OPEN, {"club_id": transaction.club_id, "table_ids": [*table_ids]}).scalars())


def _columns(pairs: Iterable[tuple[UUID, object]]) -> tuple[list[UUID], list[object]]:
    listed = [*pairs]
    return [table_id for table_id, _ in listed], [value for _, value in listed]
