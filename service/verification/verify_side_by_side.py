"""A whole database held against its events by several processes, each at another page."""

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
from service.verification.verify_database import Page, Position, after_page, begin, foresee_page, look

_AHEAD: Final = 2
"""So many pages each other process is given, that none waits for the next."""
_KEPT: Final = 4
"""So many pages for each process, and no more, are looked at before the next one has come."""

_mine: Database | None = None
"""The database, in a process that looks at pages."""


def verify_side_by_side(
    database: Database,
    clubs: Sequence[UUID],
    kept: Sequence[Checkpoint] = (),
    start: Position | None = None,
    *,
    processes: int,
) -> Iterator[Page]:
    """
    Look at everything that is kept, as `verify_database` does, in several processes; the pages come in the same order.

    This process is one of them: it begins at once, while the others are loaded, and looks at what they have no time
    for. Pages that they get are foreseen from how far the records go now. Where one ends elsewhere, as more was
    recorded meanwhile, those after it are looked at anew.

    Args:
        database: as the owner of its tables, or a superuser; every process opens connections of its own.
        clubs: whose records, in the order of their ids.
        kept: checkpoints that somebody kept elsewhere, of any of the clubs.
        start: where to go on; None for the beginning.
        processes: how many.
    """
    pool = ProcessPoolExecutor(max(processes - 1, 1), get_context("spawn"), _open, (database,))
    given: deque[tuple[Position, Future[Page]]] = deque()
    position = following = begin(clubs, start)
    most = _KEPT * processes
    try:
        begun = _begin_processes(pool, processes - 1)
        while position is not None:
            while following is not None and len(given) < most and _have_time(begun, given):
                given.append((following, pool.submit(_verify, following, kept)))
                following = after_page(clubs, following, foresee_page(database, following))
            is_next_there = bool(given) and given[0][1].done()
            if following is not None and len(given) < most and not is_next_there:
                page = look(database, following, kept)
                given.append((following, _done(page)))
                following = after_page(clubs, following, page.position)
                continue
            page = given.popleft()[1].result()
            position = after_page(clubs, position, page.position)
            yield Page(page.findings, position, page.events)
            if position != (given[0][0] if given else following):
                for _, foreseen in given:
                    foreseen.cancel()
                given.clear()
                following = position
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_processes(pool: ProcessPoolExecutor, count: int) -> Collection[Future[None]]:
    """Begin so many processes; nothing is done before the first of them is loaded."""
    return [pool.submit(_be_loaded) for _ in range(count)]


def _be_loaded() -> None:
    """Do nothing, in a process that can now look at pages."""


def _have_time(begun: Collection[Future[None]], given: Iterable[tuple[Position, Future[Page]]]) -> bool:
    """Whether the processes should have another page: none before one is loaded, and of many some too early."""
    under_way = sum(not page.done() for _, page in given)
    return under_way < _AHEAD * sum(each.done() for each in begun)


def _done(page: Page) -> Future[Page]:
    looked: Future[Page] = Future()
    looked.set_result(page)
    return looked


def _open(database: Database) -> None:
    """Be a process that looks at pages: it leaves Ctrl-C to its parent, and ends with it, however that ends."""
    global _mine
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _mine = database
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


def _verify(position: Position, kept: Sequence[Checkpoint]) -> Page:
    assert _mine is not None
    return look(_mine, position, kept)
