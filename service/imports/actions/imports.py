"""Start and read imports, and list their results."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.jobs import JobView
from service.config import ImportLimits, Retention
from service.db import Transaction
from service.errors import ImportQuotaExceeded, ImportTooLarge, NotFound
from service.imports import queries as imports
from service.imports.queries import Piece
from service.jobs.queries import jobs, wake_ups
from service.jobs.queries.jobs import JobState, StoredJob

KIND: Final = "import"
COUNTED: Final = ("rounds", "replayed", "refused", "hands")


def get_import(transaction: Transaction, import_id: UUID) -> JobView:
    """
    Show an import as it stands.

    Raises:
        NotFound: the club has none with this id.
    """
    return view_import(transaction, jobs.get(transaction, import_id, KIND))


def view_import(transaction: Transaction, job: StoredJob) -> JobView:
    """Add up what an import came to so far: rounds and hands stored, lines that were there before, lines refused."""
    progress = jobs.get_progress(transaction, job.id)
    counted: Counter[str] = Counter()
    for result in progress.results:
        counted.update(result)
    return JobView(
        job.id,
        job.state.value,
        progress.done,
        job.total,
        {name: counted[name] for name in COUNTED},
        job.created_at,
        job.started_at,
        job.ended_at,
        job.failure,
    )


def list_import_results(
    transaction: Transaction,
    import_id: UUID,
    read: Callable[[], AbstractContextManager[Transaction]],
    retention: Retention,
) -> tuple[StoredJob, Iterator[bytes]]:
    """
    Give what became of the lines of an import so far, in blocks of whole lines, in the order of the file.

    Each block is read in a transaction of its own, begun by `read`: who reads slowly keeps none open.

    Raises:
        NotFound: the club has none with this id, or it ended too long ago.
    """
    job = jobs.get(transaction, import_id, KIND)
    if job.ended_at is not None and job.ended_at < transaction.now - timedelta(days=retention.import_days):
        raise NotFound(
            f"the results of import {import_id} were removed {retention.import_days} days after its end;"
            " the summary of the import stays, and the same file can be imported again"
        )
    return job, _blocks(import_id, read)


def _blocks(import_id: UUID, read: Callable[[], AbstractContextManager[Transaction]]) -> Iterator[bytes]:
    line = 0
    while True:
        with read() as transaction:
            found = imports.find_results_after(transaction, import_id, line)
        if found is None:
            return
        line, content = found
        yield content


MOST_LINES: Final = 300
MOST_BYTES: Final = 1024 * 1024
"""A piece is one chunk of the job: so many lines, or so many bytes, whichever come first."""
LONGEST_LINE: Final = 1024 * 1024
"""Of a line that is longer so much is kept, and one byte that tells."""

_RETRY_AFTER: Final = 60
"""Seconds."""

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


def receive_import(begin: Begin, received: Iterable[bytes], limits: ImportLimits) -> ReceivedImport:
    """
    Store what is being received, piece by piece, each in a transaction of its own: it may be gigabytes, and take hours.

    Whatever interrupts it leaves nothing behind, but for a crash, whose remains the workers clear away.

    Raises:
        ImportQuotaExceeded: too many of the club's imports are under way, or too much of them waits.
        ImportTooLarge: it has too many lines.
    """
    job_id, digest, lines = uuid7(), sha256(), 0

    def digested() -> Iterator[bytes]:
        for block in received:
            digest.update(block)
            yield block

    with begin() as transaction:
        jobs.add(transaction, job_id, KIND, {}, state=JobState.RECEIVING)
        check_quota(transaction, limits)
    try:
        for piece in cut_into_pieces(digested(), limits.lines):
            with begin() as transaction:
                imports.add_piece(transaction, job_id, piece)
            lines += piece.lines
    except BaseException:
        discard_import(begin, job_id)
        raise
    return ReceivedImport(job_id, lines, digest.digest())


def check_quota(transaction: Transaction, limits: ImportLimits) -> None:
    """
    See that a club has no more imports under way than it may, that of the transaction included.

    Raises:
        ImportQuotaExceeded: it has too many, or too much of them waits.
    """
    jobs.lock_request(transaction, KIND, {})
    under_way, waiting = imports.count_under_way(transaction, KIND)
    if under_way > limits.under_way:
        detail = f"{limits.under_way} imports of the club are under way, and no more are accepted at once"
        raise ImportQuotaExceeded(f"{detail}; wait until one has ended, or cancel one", _RETRY_AFTER)
    if waiting > limits.waiting_mebibytes * 1024 * 1024:
        detail = f"more than {limits.waiting_mebibytes} MiB of the club's imports wait to be processed"
        raise ImportQuotaExceeded(f"{detail}; wait until some have ended, or cancel one", _RETRY_AFTER)


def start_import(transaction: Transaction, received: ReceivedImport, state: str, limits: ImportLimits) -> StartedImport:
    """
    Make a job of what was received.

    Where the same bytes are being imported at this moment, that is the job: who sends them again has not heard of it.

    Args:
        transaction: of the club.
        received: what is to be imported.
        state: final or provisional, of the settlements of rounds that take no hand.
        limits: how much of the club's imports may wait.

    Raises:
        ImportQuotaExceeded: with this one too much of the club's imports waits.
    """
    asked = {"sha256": received.sha256.hex(), "state": state}
    jobs.lock_request(transaction, KIND, asked)
    same = jobs.find_same_active(transaction, KIND, asked)
    if same is not None:
        return StartedImport(view_import(transaction, same), is_replay=True)
    check_quota(transaction, limits)
    job = jobs.lock(transaction, received.job_id)
    job = jobs.change(transaction, job, JobState.QUEUED, asked=asked, total=received.lines, received=received.lines)
    wake_ups.ensure(transaction, job.id, 1)
    return StartedImport(view_import(transaction, job), is_replay=False)


def discard_import(begin: Begin, job_id: UUID) -> None:
    """Throw away what was received for a job that was not started."""
    with begin() as transaction:
        job = jobs.lock(transaction, job_id)
        if job.state is JobState.RECEIVING:
            imports.remove_pieces(transaction, job_id)
            jobs.change(transaction, job, JobState.CANCELLED)


def cut_into_pieces(blocks: Iterable[bytes], most_lines: int = ImportLimits.lines) -> Iterator[Piece]:
    r"""
    Cut a stream into pieces of whole lines, in memory that does not grow with it.

    >>> [(piece.first_line, piece.lines, piece.content) for piece in cut_into_pieces([b"1\n", b"\n2", b"3"])]
    [(1, 2, b'1\n\n23\n')]

    Raises:
        ImportTooLarge: it has more lines than there may be, blank ones included.
    """
    number, first_line, lines, content = 1, 1, 0, bytearray()
    for line_number, line in enumerate(_split(blocks), 1):
        if line_number > most_lines:
            raise ImportTooLarge(
                f"the import has more than {most_lines} lines, blank ones included; expected at most {most_lines}:"
                " split the file, and import its parts one after the other"
            )
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
