"""A whole database compared with its events by several processes, each at another page."""

import os
import signal
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import connection, get_context, parent_process
from threading import Thread
from typing import Final
from uuid import UUID

from evidence import Checkpoint
from service.db import Database
from service.verification.verify_database import Page, Position, after_page, begin, foresee_page, verify_position

_SUBMITTED: Final = 2
"""The number of pages submitted to each other process, so that none waits for the next."""
_WAITING: Final = 4
"""The most pages for each process that are verified before the next in order is done."""

_database: Database | None = None
"""The database of a worker process."""


def verify_in_parallel(
    database: Database,
    clubs: Sequence[UUID],
    retained: Sequence[Checkpoint] = (),
    start: Position | None = None,
    *,
    processes: int,
) -> Iterator[Page]:
    """
    Verify all records of some clubs in several processes, and yield the pages in the order of `verify_database`.

    This process is one of them: it begins while the others start, and verifies the pages that they have no time for.
    Where a page ends is predicted. Where more was recorded meanwhile and it ends elsewhere, the pages after it are
    verified again.

    Args:
        database: as the owner of its tables, or a superuser; every process opens connections of its own.
        clubs: in the order of their ids.
        retained: checkpoints that were retained elsewhere, of any of the clubs.
        start: where to go on; None for the beginning.
        processes: their number.
    """
    pool = ProcessPoolExecutor(max(processes - 1, 1), get_context("spawn"), _prepare, (database,))
    tasks: deque[tuple[Position, Future[Page]]] = deque()
    position = following = begin(clubs, start)
    most = _WAITING * processes
    try:
        begun = _start_processes(pool, processes - 1)
        while position is not None:
            while following is not None and len(tasks) < most and _have_time(begun, tasks):
                tasks.append((following, pool.submit(_verify, following, retained)))
                following = after_page(clubs, following, foresee_page(database, following))
            is_next_there = bool(tasks) and tasks[0][1].done()
            if following is not None and len(tasks) < most and not is_next_there:
                page = verify_position(database, following, retained)
                tasks.append((following, _done(page)))
                following = after_page(clubs, following, page.position)
                continue
            page = tasks.popleft()[1].result()
            position = after_page(clubs, position, page.position)
            yield Page(page.findings, position, page.events)
            if position != (tasks[0][0] if tasks else following):
                for _, foreseen in tasks:
                    foreseen.cancel()
                tasks.clear()
                following = position
    finally:
        pool.shutdown(cancel_futures=True)


def _start_processes(pool: ProcessPoolExecutor, count: int) -> Collection[Future[None]]:
    """Start so many processes; each future is done once its process is loaded."""
    return [pool.submit(_do_nothing) for _ in range(count)]


def _do_nothing() -> None:
    """Do nothing, in a process that is loaded."""


def _have_time(begun: Collection[Future[None]], tasks: Iterable[tuple[Position, Future[Page]]]) -> bool:
    """Return whether to submit another page; none before a process is loaded."""
    under_way = sum(not page.done() for _, page in tasks)
    return under_way < _SUBMITTED * sum(each.done() for each in begun)


def _done(page: Page) -> Future[Page]:
    done: Future[Page] = Future()
    done.set_result(page)
    return done


def _prepare(database: Database) -> None:
    """Prepare a worker process, which leaves Ctrl-C to its parent and ends when its parent ends."""
    global _database
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _database = database
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


def _verify(position: Position, retained: Sequence[Checkpoint]) -> Page:
    assert _database is not None
    return verify_position(_database, position, retained)
