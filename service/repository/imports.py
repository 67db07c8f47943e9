"""What imports have received, until it is stored, and what became of every line."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import delete, insert, select

from service.database import Transaction
from service.models import ImportPieceRecord, ImportResultRecord

_PIECE: Final = ImportPieceRecord
_RESULT: Final = ImportResultRecord


@dataclass(frozen=True, slots=True)
class Piece:
    """
    Some lines of a file, whole, in order.

    Attributes:
        number: its place among the pieces, from 1.
        first_line: the number of its first line in the file; the blank ones are counted and kept.
        lines: how many of them are not blank.
        content: the lines, each with its end.
    """

    number: int
    first_line: int
    lines: int
    content: bytes


def add_piece(transaction: Transaction, job_id: UUID, piece: Piece) -> None:
    """Keep a piece that was received."""
    transaction.execute(
        insert(_PIECE).values(
            club_id=transaction.club_id,
            job_id=job_id,
            number=piece.number,
            first_line=piece.first_line,
            lines=piece.lines,
            content=piece.content,
            received_at=transaction.now,
        )
    )


def list_sizes(transaction: Transaction, job_id: UUID) -> list[tuple[int, int]]:
    """List the pieces of an import: the number of each, and of its lines."""
    query = select(_PIECE.number, _PIECE.lines).where(_PIECE.club_id == transaction.club_id, _PIECE.job_id == job_id)
    return [(found.number, found.lines) for found in transaction.execute(query.order_by(_PIECE.number))]


def get_piece(transaction: Transaction, job_id: UUID, number: int) -> Piece:
    """Read a piece that is not stored yet."""
    query = select(_PIECE.number, _PIECE.first_line, _PIECE.lines, _PIECE.content).where(
        _PIECE.club_id == transaction.club_id, _PIECE.job_id == job_id, _PIECE.number == number
    )
    found = transaction.execute(query).one()
    return Piece(found.number, found.first_line, found.lines, found.content)


def remove_piece(transaction: Transaction, job_id: UUID, number: int) -> None:
    """Remove a piece that is stored."""
    transaction.execute(
        delete(_PIECE).where(_PIECE.club_id == transaction.club_id, _PIECE.job_id == job_id, _PIECE.number == number)
    )


def remove_pieces(transaction: Transaction, job_id: UUID) -> None:
    """Remove all that is left of what an import received."""
    transaction.execute(delete(_PIECE).where(_PIECE.club_id == transaction.club_id, _PIECE.job_id == job_id))


def add_results(transaction: Transaction, job_id: UUID, number: int, content: bytes) -> None:
    """Keep what became of the lines of a piece: one JSON document a line."""
    transaction.execute(
        insert(_RESULT).values(club_id=transaction.club_id, job_id=job_id, number=number, content=content)
    )


def find_results_after(transaction: Transaction, job_id: UUID, number: int) -> tuple[int, bytes] | None:
    """Find the results of the first piece after one that is stored; with them, its number."""
    query = (
        select(_RESULT.number, _RESULT.content)
        .where(_RESULT.club_id == transaction.club_id, _RESULT.job_id == job_id, _RESULT.number > number)
        .order_by(_RESULT.number)
        .limit(1)
    )
    found = transaction.execute(query).one_or_none()
    return None if found is None else (found.number, found.content)
