"""Rounds that were played elsewhere, many at once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from schemas.base import WireError
from schemas.documents import RoundDocument, load_document
from schemas.problems import dump_mistakes
from schemas.strict_json import read_json
from scoring.errors import ScoringError
from service.database import Transaction
from service.errors import Busy, DatabaseError, ServiceError
from service.refusals import refusal_of
from service.repository import tables
from service.usecases.play_document import play_document


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """
    What became of a line.

    Attributes:
        line: its number in the file.
        round_id: the round that it is, recorded now or before; None where it was refused.
        problem: why it was refused: `code`, `detail` and `errors` as in a problem document.
        hands: how many were recorded now.
    """

    line: int
    status: Literal["stored", "replayed", "refused"]
    round_id: UUID | None = None
    problem: dict[str, Any] | None = None
    hands: int = 0


def import_rounds(transaction: Transaction, lines: Sequence[tuple[int, bytes]]) -> list[ImportedLine]:
    """
    Play rounds, each from one line with its document: each whole or not at all, whatever becomes of the others.

    A round that was recorded before, perhaps by an earlier line, is a replay.

    Raises:
        DatabaseError, Busy: nothing is recorded; it can be done again.
    """
    read = [(number, line, _read(line)) for number, line in lines]
    # In one order, whoever imports what: two who need each other's tables would wait for each other.
    for table in sorted({found.table for _, _, found in read if isinstance(found, RoundDocument)}):
        tables.lock(transaction, table)
    return [_import_line(transaction, number, line, found) for number, line, found in read]


def _read(line: bytes) -> RoundDocument | WireError:
    try:
        return load_document(read_json(line))
    except WireError as error:
        return error


def _import_line(
    transaction: Transaction, number: int, line: bytes, document: RoundDocument | WireError
) -> ImportedLine:
    try:
        with _undone_if_refused(transaction):
            if isinstance(document, WireError):
                raise document
            played = play_document(transaction, document, line)
    except (Busy, DatabaseError):
        raise
    except (WireError, ScoringError, ServiceError) as error:
        refusal = refusal_of(error)
        problem = {"code": refusal.code, "detail": refusal.detail, "errors": dump_mistakes(refusal.mistakes)}
        return ImportedLine(number, "refused", problem=problem)
    if played.is_replay:
        return ImportedLine(number, "replayed", UUID(str(played.view.id)))
    return ImportedLine(number, "stored", UUID(str(played.view.id)), hands=len(document.hands))


@contextmanager
def _undone_if_refused(transaction: Transaction) -> Iterator[None]:
    """Undo what the block did where an error leaves it, and forget what was to be done after it."""
    to_do = len(transaction.after_commit)
    try:
        with transaction.connection.begin_nested():
            yield
    except BaseException:
        del transaction.after_commit[to_do:]
        raise
