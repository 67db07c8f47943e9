"""The worker process: Celery consumes wake-ups of jobs, and threads work on their chunks."""

import atexit
import gc
import os
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping
from types import FrameType, MappingProxyType
from typing import Any, ClassVar, Final
from uuid import UUID

from celery import Celery, signals
from celery.apps.worker import Worker as EveryWorker
from celery.exceptions import WorkerShutdown
from celery.worker import state
from celery.worker.consumer import Consumer as EveryConsumer
from uuid_utils.compat import uuid7

from evidence import SigningKey
from service.config import Config
from service.db import Database
from service.errors import ServiceError
from service.imports.job import ImportKind
from service.jobs.app import WORK_ON_JOB, build_announcer, build_celery
from service.jobs.kind import Kind
from service.jobs.queries import workers
from service.jobs.work import Worker
from service.ledger.signing import read_signing_key
from service.logs import get_log, start_logging
from service.recomputations.job import RecomputationKind
from service.server.embedded import process as launcher
from service.sweeper import remove_expired, sweep

KINDS: Final[Mapping[str, Kind]] = MappingProxyType({"import": ImportKind(), "recomputation": RecomputationKind()})
"""Every kind of job that workers of this release can do; they leave others to newer ones."""


_SWEEPS_EVERY: Final = 2.0
_REMOVES_EVERY: Final = 3600.0
_LOOKS_EVERY: Final = 0.2
_PAUSE: Final = 1.0
_GRACE_SECONDS: Final = 12.0
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

# This module is also run as a program, under another name.
_log = get_log("service.worker")


class Stopping:
    """Whether somebody has asked this process to stop; the first signal does."""

    def __init__(self) -> None:
        self.is_asked = False
        self.is_working = False
        self.is_hearing = False
        for number in _STOPPING:
            signal.signal(number, self._ask)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.is_asked = True
        # Celery looks at it between two messages; who only waits for one leaves at once.
        state.should_stop = 0
        if self.is_hearing and not self.is_working:
            self.is_hearing = False
            raise WorkerShutdown(0)


class Consumer(EveryConsumer):
    """What takes messages from the queue."""

    class Blueprint(EveryConsumer.Blueprint):
        """Its parts, but for the delayed delivery that RabbitMQ would get 28 queues for: nothing is sent to be late."""

        default_steps: ClassVar[list[str]] = [
            step for step in EveryConsumer.Blueprint.default_steps if "delayed_delivery" not in step
        ]

    def on_connection_error_after_connected(self, error: Exception) -> None:
        """Wait a moment before the next attempt: where the database is the broker, it may be starting."""
        with warnings.catch_warnings(action="ignore"):
            super().on_connection_error_after_connected(error)
        time.sleep(_PAUSE)


class JobWorker(EveryWorker):
    """Celery's worker, which leaves signals to us."""

    def install_platform_tweaks(self, worker: EveryWorker) -> None:
        """Install nothing."""


def run_worker(config: Config, concurrency: int) -> None:
    """
    Work until told to stop by SIGTERM, SIGINT or SIGHUP; chunks under way are then done, and nothing more is begun.

    Raises:
        DatabaseError: the database does not answer, awaits its migrations, is read-only, or can lose records.
    """
    database = Database(config.database_url, pool_size=2)
    database.check_head()
    database.check_schema()
    database.check_server(allows_data_loss=config.allow_data_loss)
    announce, worker_id, stopping = build_announcer(config, database), uuid7(), Stopping()
    processes = [_spawn(config) for _ in range(concurrency)]
    next_sweep = next_removal = 0.0
    while not stopping.is_asked:
        for place, process in enumerate(processes):
            if process.poll() is not None:
                _log.warning("process_restarted", process=process.pid, exit_code=process.returncode)
                time.sleep(_LOOKS_EVERY)
                processes[place] = _spawn(config)
        if time.monotonic() >= next_sweep:
            next_sweep = time.monotonic() + _SWEEPS_EVERY
            try:
                with database.outside_clubs() as connection:
                    workers.record_heartbeat(connection, worker_id, socket.gethostname(), os.getpid(), concurrency)
                sweep(database, KINDS, announce, _signing_key(config))
                if time.monotonic() >= next_removal:
                    next_removal = time.monotonic() + _REMOVES_EVERY
                    _log.info("expired_removed", **remove_expired(database, config.retention))
            except ServiceError as error:
                _log.warning("sweep_interrupted", error=str(error))
            except Exception:
                _log.exception("sweep_failed")
        time.sleep(_LOOKS_EVERY)
    _stop(processes)
    try:
        with database.outside_clubs() as connection:
            workers.remove(connection, worker_id)
    except ServiceError as error:
        _log.warning("sweep_interrupted", error=str(error))
    _log.info("worker_stopped", process=os.getpid())


def _signing_key(config: Config) -> SigningKey | None:
    """Read the key as it is now; without one events join their trees, and nothing is signed."""
    if config.signing_key_file is None:
        return None
    try:
        return read_signing_key(config.signing_key_file)
    except ServiceError as error:
        _log.warning("signing_key_unreadable", error=str(error))
        return None


def _spawn(config: Config) -> subprocess.Popen[bytes]:
    variables = {
        "OFC_DATABASE_URL": config.database_url,
        "OFC_OWNER_URL": "",
        "OFC_BROKER_URL": config.broker_url,
        "OFC_QUEUE": config.queue,
    }
    # With its starter killed, what it was writing is rolled back, and done again by another.
    return launcher.spawn(
        [sys.executable, "-m", "service.worker"], last_signal=signal.SIGKILL, env={**os.environ, **variables}
    )


def _stop(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + _GRACE_SECONDS
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def work(config: Config) -> None:
    """Hear of jobs and do them, one chunk at a time, until told to stop."""
    stopping, celery, database = Stopping(), build_celery(config), Database(config.database_url, pool_size=4)
    worker = Worker(
        name=f"{socket.gethostname()}:{os.getpid()}",
        database=database,
        kinds=KINDS,
        announce=build_announcer(config, database),
        is_stopping=lambda: stopping.is_asked,
    )
    _hear(celery, worker, stopping)
    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
    JobWorker(
        app=celery,
        concurrency=1,
        pool="solo",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    ).start()


def _hear(celery: Celery, worker: Worker, stopping: Stopping) -> None:
    """Tell Celery what to do with a message."""

    @signals.setup_logging.connect(weak=False)
    def leave_logging_alone(**_: Any) -> None:
        start_logging()

    @signals.worker_ready.connect(weak=False)
    def say_so(**_: Any) -> None:
        _log.info("worker_ready", process=os.getpid())
        stopping.is_hearing = True

    @celery.task(name=WORK_ON_JOB)
    def work_on_job(club_id: str, job_id: str) -> None:
        stopping.is_working = True
        try:
            worker.work_on(UUID(club_id), UUID(job_id))
        except ServiceError as error:
            # What is left is in the database, and somebody will be called to it again.
            _log.warning("work_interrupted", job=job_id, error=str(error))
        finally:
            stopping.is_working = False


if __name__ == "__main__":
    atexit.register(gc.freeze)
    start_logging()
    work(Config.from_environment())
