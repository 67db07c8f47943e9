"""An import, from the first byte received to the job that workers then do."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.jobs import JobView
from service.database import Transaction
from service.repository import imports, jobs, wake_ups
from service.repository.imports import Piece
from service.repository.jobs import JobState
from service.usecases.get_import import KIND, view_import

MOST_LINES: Final = 300
MOST_BYTES: Final = 1024 * 1024
"""A piece is one chunk of the job: so many lines, or so many bytes, whichever come first."""
LONGEST_LINE: Final = 1024 * 1024
"""Of a line that is longer so much is kept, and one byte that tells."""

Begin = Callable[[], AbstractContextManager[Transaction]]


@dataclass(frozen=True, slots=True)
class ReceivedImport:
    """What was received and not yet started: its lines that are not blank, and the digest of all bytes."""

    job_id: UUID
    lines: int
    sha256: bytes


@dataclass(frozen=True, slots=True)
class StartedImport:
    """An import that workers will do, and whether it had been asked for already."""

    view: JobView
    is_replay: bool


def receive_import(begin: Begin, received: Iterable[bytes]) -> ReceivedImport:
    """
    Store what is being received, piece by piece, each in a transaction of its own: it may be gigabytes, and take hours.

    Whatever interrupts it leaves nothing behind, but for a crash, whose remains the workers clear away.
    """
    job_id, digest, lines = uuid7(), sha256(), 0

    def digested() -> Iterator[bytes]:
        for block in received:
            digest.update(block)
            yield block

    with begin() as transaction:
        jobs.add(transaction, job_id, KIND, {}, state=JobState.RECEIVING)
    try:
        for piece in cut_into_pieces(digested()):
            with begin() as transaction:
                imports.add_piece(transaction, job_id, piece)
            lines += piece.lines
    except BaseException:
        discard_import(begin, job_id)
        raise
    return ReceivedImport(job_id, lines, digest.digest())


def start_import(transaction: Transaction, received: ReceivedImport, state: str) -> StartedImport:
    """
    Make a job of what was received.

    Where the same bytes are being imported at this moment, that is the job: who sends them again has not heard of it.

    Args:
        transaction: of the club.
        received: what is to be imported.
        state: final or provisional, of the settlements of rounds that take no hand.
    """
    asked = {"sha256": received.sha256.hex(), "state": state}
    jobs.lock_asking(transaction, KIND, asked)
    same = jobs.find_same_under_way(transaction, KIND, asked)
    if same is not None:
        return StartedImport(view_import(transaction, same), is_replay=True)
    job = jobs.lock(transaction, received.job_id)
    job = jobs.change(transaction, job, JobState.QUEUED, asked=asked, total=received.lines)
    wake_ups.top_up(transaction, job.id, 1)
    return StartedImport(view_import(transaction, job), is_replay=False)


def discard_import(begin: Begin, job_id: UUID) -> None:
    """Throw away what was received for a job that was not started."""
    with begin() as transaction:
        job = jobs.lock(transaction, job_id)
        if job.state is JobState.RECEIVING:
            imports.remove_pieces(transaction, job_id)
            jobs.change(transaction, job, JobState.CANCELLED)


def cut_into_pieces(blocks: Iterable[bytes]) -> Iterator[Piece]:
    r"""
    Cut a stream into pieces of whole lines, in memory that does not grow with it.

    >>> [(piece.first_line, piece.lines, piece.content) for piece in cut_into_pieces([b"1\n", b"\n2", b"3"])]
    [(1, 2, b'1\n\n23\n')]
    """
    number, first_line, lines, content = 1, 1, 0, bytearray()
    for line_number, line in enumerate(_split(blocks), 1):
        content += line + b"\n"
        lines += bool(line.strip())
        if lines >= MOST_LINES or len(content) >= MOST_BYTES:
            if lines:
                yield Piece(number, first_line, lines, bytes(content))
                number += 1
            first_line, lines, content = line_number + 1, 0, bytearray()
    if lines:
        yield Piece(number, first_line, lines, bytes(content))


def _split(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Give line by line, without its end; the last one needs none."""
    begun = b""
    for block in blocks:
        *whole, begun = (begun + block).split(b"\n")
        yield from (line[: LONGEST_LINE + 1] for line in whole)
        begun = begun[: LONGEST_LINE + 1]
    if begun:
        yield begun
