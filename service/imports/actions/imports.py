"""Start and read imports, and list their results."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.fields import MOST_INTEGER
from schemas.jobs.progress import JobView
from service.config import ImportLimits, Retention
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import ImportQuotaExceeded, NotFound
from service.imports import queries as imports
from service.imports.queries import Piece
from service.jobs.queries import jobs
from service.jobs.queries.jobs import JobState, Progress, StoredJob

KIND: Final = "import"
COUNTED: Final = ("rounds", "replayed", "refused", "hands")


def get_import(transaction: Transaction, import_id: UUID) -> JobView:
    """
    Return an import with its progress and results so far.

    Raises:
        NotFound: the import does not exist.
    """
    return view_import(transaction, jobs.get(transaction, import_id, KIND))


def list_imports(
    transaction: Transaction, *, state: JobState | None = None, after: UUID | None, limit: int
) -> Page[JobView]:
    """List the club's imports with their progress and results so far, newest first."""
    import_jobs = jobs.list_page(transaction, KIND, state, after=after, limit=limit + 1)
    return cut_page(import_jobs, limit, lambda listed: _view(listed.job, listed.progress))


def count_imports(transaction: Transaction, state: JobState | None, limit: int) -> int:
    """Count the club's imports, up to a limit."""
    return jobs.count(transaction, KIND, state, limit)


def view_import(transaction: Transaction, job: StoredJob) -> JobView:
    """Sum the results of an import so far: stored rounds and hands, replayed lines, refused lines."""
    return _view(job, jobs.get_progress(transaction, job.id))


def _view(job: StoredJob, progress: Progress) -> JobView:
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
    Return an import and the results of its lines so far, in blocks of whole lines, in the order of the file.

    Each block is read in its own transaction, begun by `read`, so that slow clients do not keep one open.

    Raises:
        NotFound: the import does not exist, or its results were deleted.
    """
    job = jobs.get(transaction, import_id, KIND)
    check_results_remain(transaction, job, retention)
    return job, _blocks(import_id, read)


def _blocks(import_id: UUID, read: Callable[[], AbstractContextManager[Transaction]]) -> Iterator[bytes]:
    line = 0
    while True:
        with read() as transaction:
            result = imports.find_results_after(transaction, import_id, line)
        if result is None:
            return
        line, content = result
        yield content


@dataclass(frozen=True, slots=True)
class LineResult:
    """
    The result of a line of an import.

    Attributes:
        line: the number of the line.
        status: `stored`, `replayed` or `refused`.
        round_id: the round; None if the line was refused.
        problem: the detail and the errors of the refusal, if any.
    """

    line: int
    status: str
    round_id: str | None
    problem: Mapping[str, Any] | None

    @property
    def id(self) -> UUID:
        """The place of the line in the list, as the cursor of a page."""
        return UUID(int=self.line)


def check_results_remain(transaction: Transaction, job: StoredJob, retention: Retention) -> None:
    """
    Check that the results of an import were not deleted.

    Raises:
        NotFound: they were.
    """
    if job.ended_at is not None and job.ended_at < transaction.now - timedelta(days=retention.import_days):
        raise NotFound(
            f"the results of import {job.id} were deleted {retention.import_days} days after its end;"
            " its summary is still available, and the same file can be imported again"
        )


def list_line_results(
    transaction: Transaction, import_id: UUID, *, status: str | None = None, after: UUID | None, limit: int
) -> Page[LineResult]:
    """
    List the results of lines so far, in the order of the file: all, or those with a status.

    A page can have fewer than `limit` lines, and a next page nevertheless.

    Raises:
        NotFound: the import does not exist.
    """
    jobs.get(transaction, import_id, KIND)
    last = 0 if after is None else min(after.int, MOST_INTEGER)
    pieces = imports.list_results(
        transaction, import_id, from_line=last + 1, containing=_needle(status).encode(), limit=_PIECES
    )
    results = [
        LineResult(result["line"], result["status"], result["round"], result["problem"])
        for piece in pieces
        for result in map(json.loads, piece.splitlines())
        if result["line"] > last and status in (None, result["status"])
    ]
    page = cut_page(results, limit, lambda each: each)
    if page.next_after is None and len(pieces) == _PIECES and results:
        return Page(page.items, results[-1].id)
    return page


def count_line_results(transaction: Transaction, import_id: UUID, status: str | None, limit: int) -> int:
    """Count the results of lines so far, up to a limit: all, or those with a status."""
    return imports.count_results(transaction, import_id, _needle(status), limit)


def _needle(status: str | None) -> str:
    """Return what the result of each line contains, or of each with a status: in a text, a quote is escaped."""
    return '"line":' if status is None else f'"status":"{status}"'


_PIECES: Final = 8
"""How many pieces a page of results reads. Each has at least one line of the list."""

MOST_LINES: Final = 300
MOST_BYTES: Final = 1024 * 1024
"""A piece is one chunk of the job: at most so many lines, and about so many bytes."""
LONGEST_LINE: Final = 1024 * 1024
"""The longest accepted line, in bytes. A longer line is cut one byte after it, so that it is still too long."""

_RETRY_AFTER: Final = 60
"""Seconds."""

Begin = Callable[[], AbstractContextManager[Transaction]]


@dataclass(frozen=True, slots=True)
class ReceivedImport:
    """A received import that is not started: the number of lines that are not blank, and the digest of all bytes."""

    job_id: UUID
    lines: int
    sha256: bytes


@dataclass(frozen=True, slots=True)
class StartedImport:
    """A queued import, and whether the request is a replay."""

    view: JobView
    is_replay: bool


def receive_import(begin: Begin, received: Iterable[bytes], limits: ImportLimits) -> ReceivedImport:
    """
    Store the request body block by block, each in its own transaction: it may have gigabytes and take hours.

    After an error, the stored pieces are deleted; after a crash, the workers delete them.

    Raises:
        ImportQuotaExceeded: the club has too many running imports, or too many bytes that wait.
        ImportTooLarge: the import has too many lines.
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
        for pieces in cut_into_pieces(digested()):
            with begin() as transaction:
                imports.add_pieces(transaction, job_id, pieces)
            lines += sum(piece.lines for piece in pieces)
    except BaseException:
        discard_import(begin, job_id)
        raise
    return ReceivedImport(job_id, lines, digest.digest())


def check_quota(transaction: Transaction, limits: ImportLimits) -> None:
    """
    Check the club's quota of running imports, including that of the transaction.

    Raises:
        ImportQuotaExceeded: the club has too many running imports, or too many bytes that wait.
    """
    jobs.lock_request(transaction, KIND, {})
    under_way, waiting = imports.count_under_way(transaction, KIND)
    if under_way > limits.under_way:
        detail = f"the club has {limits.under_way} running imports, which is the limit"
        raise ImportQuotaExceeded(f"{detail}; wait until one has ended, or cancel one", _RETRY_AFTER)
    if waiting > limits.waiting_mebibytes * 1024 * 1024:
        detail = f"more than {limits.waiting_mebibytes} MiB of the club's imports wait to be processed"
        raise ImportQuotaExceeded(f"{detail}; wait until some have ended, or cancel one", _RETRY_AFTER)


def start_import(transaction: Transaction, received: ReceivedImport, state: str, limits: ImportLimits) -> StartedImport:
    """
    Queue a received import.

    If the same bytes are already being imported, that import is returned: the client sent them again.

    Args:
        transaction: the club's transaction.
        received: the received import.
        state: the settlement state of imported rounds that have ended: final or provisional.
        limits: the club's quota.

    Raises:
        ImportQuotaExceeded: with this import, the club exceeds its quota.
    """
    parameters = {"sha256": received.sha256.hex(), "state": state}
    jobs.lock_request(transaction, KIND, parameters)
    same = jobs.find_same_active(transaction, KIND, parameters)
    if same is not None:
        return StartedImport(view_import(transaction, same), is_replay=True)
    check_quota(transaction, limits)
    job = jobs.lock(transaction, received.job_id)
    job = jobs.change(
        transaction, job, JobState.QUEUED, parameters=parameters, total=received.lines, received=received.lines
    )
    return StartedImport(view_import(transaction, job), is_replay=False)


def discard_import(begin: Begin, job_id: UUID) -> None:
    """Delete the pieces of an import that was not started, and cancel its job."""
    with begin() as transaction:
        job = jobs.lock(transaction, job_id)
        if job.state is JobState.RECEIVING:
            imports.remove_pieces(transaction, job_id)
            jobs.change(transaction, job, JobState.CANCELLED)


def cut_into_pieces(blocks: Iterable[bytes]) -> Iterator[list[Piece]]:
    r"""
    Split a stream into pieces of whole lines, in constant memory, and yield those that each block completes.

    >>> pieces = [piece for pieces in cut_into_pieces([b"1\n", b"\n2", b"3"]) for piece in pieces]
    >>> [(piece.first_line, piece.lines, piece.content) for piece in pieces]
    [(1, 2, b'1\n\n23\n')]
    """
    number, line_number, first_line, lines, content = 1, 0, 1, 0, bytearray()
    for block in _split(blocks):
        complete = []
        for line in block:
            line_number += 1
            content += line + b"\n"
            lines += bool(line.strip())
            if lines >= MOST_LINES or len(content) >= MOST_BYTES:
                if lines:
                    complete.append(Piece(number, first_line, lines, bytes(content)))
                    number += 1
                first_line, lines, content = line_number + 1, 0, bytearray()
        if complete:
            yield complete
    if lines:
        yield [Piece(number, first_line, lines, bytes(content))]


def _split(blocks: Iterable[bytes]) -> Iterator[Iterator[bytes]]:
    """Yield the lines that each block completes, without their line feeds; the last line needs none."""
    rest = b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n")
        yield (line[: LONGEST_LINE + 1] for line in whole)
        rest = rest[: LONGEST_LINE + 1]
    if rest:
        yield iter([rest])
