import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from schemas.settlements import SettlementState
from service.db import Transaction
from service.imports import queries as imports
from service.imports.actions.imports import LONGEST_LINE
from service.imports.actions.rounds import ImportedLine, import_rounds, refuse_failed
from service.imports.queries import Piece
from service.jobs.queries.chunks import Chunk, Done, Part, Plan
from service.jobs.queries.jobs import JobState, StoredJob

_COUNTED_AS = {"stored": "rounds", "replayed": "replayed", "refused": "refused"}


class ImportKind:
    """The job kind `import`: a chunk is a piece of the received file."""

    unit: ClassVar[str] = "lines"

    def plan(self, transaction: Transaction, job: StoredJob) -> Plan:
        """Return one chunk for each piece. The lines were counted when they were received."""
        sizes = imports.list_sizes(transaction, job.id)
        return Plan(job.received, [Part(lines, {"piece": number}) for number, lines in sizes])

    def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
        """Import the lines of a piece, and store their results."""
        piece = imports.find_piece(transaction, job.id, chunk.part.what["piece"])
        if piece is None:
            raise LookupError(f"piece {chunk.part.what['piece']} of import {job.id} was not found")
        lines = list(_lines_of(piece))
        too_long = {number for number, line in lines if len(line) > LONGEST_LINE}
        whole = [entry for entry in lines if entry[0] not in too_long]
        is_final = job.parameters.get("state") != SettlementState.PROVISIONAL
        imported = import_rounds(transaction, whole, is_final=is_final)
        imported += [_refuse_too_long(number) for number in too_long]
        imported.sort(key=lambda line: line.line)
        return _end_piece(transaction, job, piece, imported)

    def split(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Sequence[Part]:
        """Split a piece into one piece and one chunk for each line."""
        piece = imports.find_piece(transaction, job.id, chunk.part.what["piece"])
        if piece is None or piece.lines == 1:
            return []
        numbers = imports.split_piece(transaction, job.id, piece, list(_lines_of(piece)))
        return [Part(1, {"piece": number}) for number in numbers]

    def give_up(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done | None:
        """Refuse the only line of a chunk that keeps failing."""
        piece = imports.find_piece(transaction, job.id, chunk.part.what["piece"])
        if piece is None:
            return None
        refused = [refuse_failed(number, job.request_id) for number, _ in _lines_of(piece)]
        return _end_piece(transaction, job, piece, refused)

    def end(self, transaction: Transaction, job: StoredJob) -> None:
        """Delete the remaining pieces, unless the job failed: then they are needed to find the cause."""
        if job.state is not JobState.FAILED:
            imports.remove_pieces(transaction, job.id)


def _end_piece(transaction: Transaction, job: StoredJob, piece: Piece, imported: Sequence[ImportedLine]) -> Done:
    """Delete a piece and insert the results of its lines."""
    imports.add_results(transaction, job.id, piece.first_line, b"".join(map(_dump, imported)))
    imports.remove_piece(transaction, job.id, piece.number)
    counted = Counter(_COUNTED_AS[line.status] for line in imported)
    hands = sum(line.hands for line in imported)
    return Done(counted["rounds"] + counted["replayed"] + counted["refused"], {**counted, "hands": hands})


def _lines_of(piece: Piece) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(piece.content.removesuffix(b"\n").split(b"\n"), piece.first_line):
        if line.strip():
            yield number, line


def _refuse_too_long(number: int) -> ImportedLine:
    detail = f"the line is longer than {LONGEST_LINE} bytes; expected at most {LONGEST_LINE}"
    return ImportedLine(number, "refused", problem={"code": "body-too-large", "detail": detail, "errors": []})


def _dump(imported: ImportedLine) -> bytes:
    document = {
        "line": imported.line,
        "status": imported.status,
        "round": imported.round_id and str(imported.round_id),
        "problem": imported.problem,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
