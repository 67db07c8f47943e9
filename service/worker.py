"""
A worker: hears of jobs through the queue and does them, several chunks at once, each in a process of its own.

Its first process hears, sweeps and says that it lives; its children work. None of them keeps anything that would be
missed: whichever is killed, its chunk is done again by another.
"""

import mmap
import os
import signal
import socket
import threading
import time
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar, Final
from uuid import UUID

from celery import Celery, signals
from celery.apps.worker import Worker as EveryWorker
from celery.exceptions import WorkerShutdown
from celery.worker.consumer import Consumer as EveryConsumer
from kombu.transport.sqlalchemy import Channel as DatabaseChannel
from uuid_utils.compat import uuid7

from service.config import Config
from service.database import Database
from service.errors import Busy, DatabaseError
from service.jobs.kinds import KINDS
from service.jobs.sweep import sweep
from service.jobs.work import Worker
from service.logs import get_log, start_logging
from service.repository import workers
from service.tasks import WORK_ON_JOB, announcer, make_celery

_SWEEPS_EVERY: Final = 2.0
_LOOKS_EVERY: Final = 0.5
_PAUSE: Final = 1.0
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

_log = get_log(__name__)
_forking = threading.Lock()
"""Held while the sweeping thread is at work, and while a child is made: a child must not inherit half a sweep."""


class Consumer(EveryConsumer):  # type: ignore[misc]  # Celery is not typed
    """What takes messages from the queue."""

    class Blueprint(EveryConsumer.Blueprint):  # type: ignore[misc]  # Celery is not typed
        """Its parts, but for the delayed delivery that RabbitMQ would get 28 queues for: nothing is sent to be late."""

        default_steps: ClassVar[list[str]] = [
            step for step in EveryConsumer.Blueprint.default_steps if "delayed_delivery" not in step
        ]

    def on_connection_error_after_connected(self, error: Exception) -> None:
        """Wait a moment before the next attempt: where the database is the broker, it may be starting."""
        super().on_connection_error_after_connected(error)
        time.sleep(_PAUSE)


class JobWorker(EveryWorker):  # type: ignore[misc]  # Celery is not typed
    """Celery's worker, stopped as everything else here is."""

    def install_platform_tweaks(self, worker: EveryWorker) -> None:
        """Stop at the first signal, whichever it is, once the chunks under way are done; hear no further ones."""
        for number in _STOPPING:
            signal.signal(number, self._stop)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        for one in _STOPPING:
            signal.signal(one, signal.SIG_IGN)
        signals.worker_shutting_down.send(sender=self.hostname, sig=number, how="Warm", exitcode=0)
        raise WorkerShutdown(0)


def run_worker(config: Config, concurrency: int) -> None:
    """
    Work until told to stop by SIGTERM or SIGINT; chunks under way are then done, and nothing more is begun.

    Raises:
        DatabaseError: the database does not answer, or awaits its migrations.
    """
    database = Database(config.database_url, pool_size=2)
    database.check_head()
    # Seen by the children, and written whole: whoever is killed while he looks at it locks nobody out.
    stopping = mmap.mmap(-1, 1)
    celery = make_celery(config)
    _take_part(celery, config, stopping)
    os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_forking.release)
    sweeping = threading.Thread(target=_sweep_on, args=(config, database, concurrency, stopping), daemon=True)

    @signals.worker_ready.connect(weak=False)
    def begin(**_: Any) -> None:
        sweeping.start()
        _log.info("worker_ready", concurrency=concurrency, process=os.getpid())

    @signals.worker_shutting_down.connect(weak=False)
    def stop(**_: Any) -> None:
        stopping[0] = 1

    for not_ours in ("You're running the worker with superuser privileges", "\nIn Celery 5.1 we introduced"):
        warnings.filterwarnings("ignore", message=not_ours)
    worker = JobWorker(
        app=celery,
        concurrency=concurrency,
        pool="prefork",
        optimization="fair",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    stopping[0] = 1
    if sweeping.is_alive():
        sweeping.join(timeout=2 * _SWEEPS_EVERY)
    _log.info("worker_stopped", process=os.getpid())


def _take_part(celery: Celery, config: Config, stopping: mmap.mmap) -> None:
    """Tell Celery what a child does when it begins, and what with a message."""
    first_process = os.getpid()
    working: list[Worker] = []

    @signals.setup_logging.connect(weak=False)
    def leave_logging_alone(**_: Any) -> None:
        start_logging()

    @signals.worker_process_init.connect(weak=False)
    def begin_child(**_: Any) -> None:
        # Ctrl-C reaches the whole group; the parent lets its children end what they have begun.
        for number in _STOPPING[1:]:
            signal.signal(number, signal.SIG_IGN)
        # The parent's connections stay the parent's.
        for engine, _session in DatabaseChannel._engines.values():
            engine.dispose(close=False)
        DatabaseChannel._engines.clear()
        threading.Thread(target=_end_with, args=(first_process,), daemon=True).start()
        database = Database(config.database_url, pool_size=4)
        working[:] = [
            Worker(
                name=f"{socket.gethostname()}:{os.getpid()}",
                database=database,
                kinds=KINDS,
                announce=announcer(config, database),
                is_stopping=lambda: stopping[0] == 1,
            )
        ]

    @celery.task(name=WORK_ON_JOB)
    def work_on_job(club_id: str, job_id: str) -> None:
        try:
            working[0].work_on(UUID(club_id), UUID(job_id))
        except (DatabaseError, Busy) as error:
            _log.warning("work_interrupted", job=job_id, error=str(error))


def _end_with(first_process: int) -> None:
    """End a child whose parent was killed: what it was writing is rolled back, and done again by another."""
    while os.getppid() == first_process:
        time.sleep(_LOOKS_EVERY)
    os._exit(1)


def _sweep_on(config: Config, database: Database, concurrency: int, stopping: mmap.mmap) -> None:
    """Say every few seconds that the worker lives, and take up what was left lying."""
    worker_id = uuid7()
    announce = announcer(config, database)
    while stopping[0] == 0:
        with _forking:
            _do_or_log(lambda: _look_around(database, announce, worker_id, concurrency))
        next_at = time.monotonic() + _SWEEPS_EVERY
        while stopping[0] == 0 and time.monotonic() < next_at:
            time.sleep(_LOOKS_EVERY)
    _do_or_log(lambda: _take_leave(database, worker_id))


def _look_around(database: Database, announce: Callable[[UUID], None], worker_id: UUID, concurrency: int) -> None:
    with database.outside_clubs() as connection:
        workers.report(connection, worker_id, socket.gethostname(), os.getpid(), concurrency)
    sweep(database, KINDS, announce)


def _take_leave(database: Database, worker_id: UUID) -> None:
    with database.outside_clubs() as connection:
        workers.remove(connection, worker_id)


def _do_or_log(act: Callable[[], None]) -> None:
    """Do something that will be done again in a while, whatever goes wrong with it."""
    try:
        act()
    except (DatabaseError, Busy) as error:
        _log.warning("sweep_interrupted", error=str(error))
    except Exception:
        _log.exception("sweep_failed")
