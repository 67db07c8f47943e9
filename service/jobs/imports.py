import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from schemas.settlement_states import SettlementState
from service.database import Transaction
from service.repository import imports
from service.repository.chunks import Chunk, Part
from service.repository.imports import Piece
from service.repository.jobs import JobState, StoredJob
from service.usecases.import_rounds import ImportedLine, import_rounds
from service.usecases.start_import import LONGEST_LINE

_COUNTED_AS = {"stored": "rounds", "replayed": "replayed", "refused": "refused"}


class ImportKind:
    """The kind `import`: a chunk is a piece of the file that was received."""

    def plan(self, transaction: Transaction, job: StoredJob) -> Iterator[Part]:
        """Make a chunk of every piece."""
        for number, lines in imports.list_sizes(transaction, job.id):
            yield Part(lines, {"piece": number})

    def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Mapping[str, Any]:
        """Play the rounds of a piece, and keep what became of each line."""
        piece = imports.get_piece(transaction, job.id, chunk.part.what["piece"])
        lines = list(_lines_of(piece))
        too_long = {number for number, line in lines if len(line) > LONGEST_LINE}
        whole = [found for found in lines if found[0] not in too_long]
        imported = import_rounds(transaction, whole, is_final=job.asked.get("state") != SettlementState.PROVISIONAL)
        imported += [_refuse_too_long(number) for number in too_long]
        imported.sort(key=lambda line: line.line)
        imports.add_results(transaction, job.id, piece.number, b"".join(map(_dump, imported)))
        imports.remove_piece(transaction, job.id, piece.number)
        counted = Counter(_COUNTED_AS[line.status] for line in imported)
        return {**counted, "hands": sum(line.hands for line in imported)}

    def set_aside(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> None:
        """Say of every line that the service failed it. The piece stays, for somebody will have to look at it."""
        piece = imports.get_piece(transaction, job.id, chunk.part.what["piece"])
        detail = "the service could not store the lines around this one; import it again, and report it if that fails"
        problem = {"code": "internal-error", "detail": detail, "errors": []}
        refused = [ImportedLine(number, "refused", problem=problem) for number, _ in _lines_of(piece)]
        imports.add_results(transaction, job.id, piece.number, b"".join(map(_dump, refused)))

    def end(self, transaction: Transaction, job: StoredJob) -> None:
        """Throw away what was not stored, unless somebody will have to look at it."""
        if job.state is not JobState.FAILED:
            imports.remove_pieces(transaction, job.id)


def _lines_of(piece: Piece) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(piece.content.removesuffix(b"\n").split(b"\n"), piece.first_line):
        if line.strip():
            yield number, line


def _refuse_too_long(number: int) -> ImportedLine:
    detail = f"the line is longer than {LONGEST_LINE} bytes; no round is"
    return ImportedLine(number, "refused", problem={"code": "body-too-large", "detail": detail, "errors": []})


def _dump(imported: ImportedLine) -> bytes:
    document = {
        "line": imported.line,
        "status": imported.status,
        "round": imported.round_id and str(imported.round_id),
        "problem": imported.problem,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
