"""The worker: Celery receives messages and runs a pool of processes, which work on jobs; a thread sweeps."""

import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Mapping
from ctypes import c_bool
from multiprocessing.sharedctypes import RawValue
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from celery import Celery, bootsteps, signals
from celery.worker.request import Request
from kombu.asynchronous import get_event_loop
from uuid_utils.compat import uuid7

from evidence import SigningKey
from service.config import Config
from service.db import Database
from service.db.broker import dispose_after_fork
from service.errors import ServiceError
from service.imports.job import ImportKind
from service.jobs.app import WORK_ON_JOB, build_announcer, build_celery
from service.jobs.kind import Kind
from service.jobs.queries import workers
from service.jobs.work import Worker
from service.ledger.actions import Joiner
from service.ledger.signing import read_signing_key
from service.logs import get_log, start_logging
from service.recomputations.job import RecomputationKind
from service.sweeper import remove_expired, sweep
from service.webhooks.delivery import Deliverer
from service.webhooks.sending import AllowedAddresses

KINDS: Final[Mapping[str, Kind]] = MappingProxyType({"import": ImportKind(), "recomputation": RecomputationKind()})
"""Every kind of job that workers of this release can do; they leave others to newer ones."""

_SWEEP_SECONDS: Final = 2.0
_REMOVAL_SECONDS: Final = 3600.0
_GRACE_SECONDS: Final = 12.0
"""How long a chunk may go on after a worker was asked to stop."""
_START_SECONDS: Final = 30.0
"""How long a process of the pool may take to start."""

_log = get_log(__name__)


def run_worker(config: Config, concurrency: int) -> int:
    """
    Run a worker until SIGTERM or SIGINT, and return its exit code.

    Raises:
        DatabaseError: the database does not respond, awaits its migrations, is read-only, or can lose records.
    """
    # On SIGHUP, Celery runs the interpreter again with `sys.argv`. There `python -m service` is the path of a script,
    # whose folder would hide modules of the standard library.
    sys.argv[:] = sys.orig_argv[1:]
    worker = make_worker_app(config).Worker(
        concurrency=concurrency, quiet=True, without_gossip=True, without_mingle=True, without_heartbeat=True
    )
    worker.start()
    return worker.exitcode or 0


def make_worker_app(config: Config) -> Celery:
    """Return the app of a worker: its task, its processes and its sweeper."""
    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
    warnings.filterwarnings("ignore", message=r"\s*In Celery 5.1 we introduced an optional breaking change")
    app = build_celery(config)
    app.conf.update(worker_pool="prefork", worker_proc_alive_timeout=_START_SECONDS, worker_redirect_stdouts=False)
    app.steps["worker"].add(type("ConfiguredSweeper", (Sweeper,), {"config": config}))
    _register(app, config)
    return app


def _register(app: Celery, config: Config) -> None:
    """Register the task, and what happens when the worker and its processes start and stop."""
    is_stopping = RawValue(c_bool, False)
    processes: list[Worker] = []

    @signals.setup_logging.connect(weak=False)
    def set_up_logging(**_: Any) -> None:
        start_logging()

    @signals.worker_ready.connect(weak=False)
    def log_ready(**_: Any) -> None:
        _log.info("worker_ready", process=os.getpid())

    @signals.worker_process_init.connect(weak=False)
    def open_database(**_: Any) -> None:
        dispose_after_fork()
        database = Database(config.database_url, pool_size=4)
        processes[:] = [
            Worker(
                name=f"{socket.gethostname()}:{os.getpid()}",
                database=database,
                kinds=KINDS,
                announce=build_announcer(config, database),
                is_stopping=lambda: bool(is_stopping.value),
            )
        ]

    @signals.worker_shutting_down.connect(weak=False)
    def end_jobs(**_: Any) -> None:
        if not is_stopping.value:
            is_stopping.value = True
            # A cold shutdown ends the processes; the transactions of their chunks are rolled back.
            cold = threading.Timer(_GRACE_SECONDS, os.kill, (os.getpid(), signal.SIGQUIT))
            cold.daemon = True
            cold.start()

    @app.task(name=WORK_ON_JOB, Request=AcknowledgedRequest)
    def work_on_job(club_id: str, job_id: str) -> None:
        try:
            processes[0].work_on(UUID(club_id), UUID(job_id))
        except ServiceError as error:
            # What is left is in the database, and the sweeper sends another message for it.
            _log.warning("work_interrupted", job=job_id, error=str(error))


class AcknowledgedRequest(Request):
    """
    A message whose consumer connects to the broker again if the message cannot be acknowledged.

    Celery only logs the error. A message that Redis has lost would then count as being worked on for ever, and a worker
    with as many of them as processes receives no other.
    """

    acknowledged: bool

    def acknowledge(self) -> None:
        """Acknowledge the message, once."""
        if self.acknowledged:
            return
        self.acknowledged = True
        try:
            self.message.ack()
        except self.connection_errors as error:
            _log.warning("acknowledgement_failed", reason=type(error).__name__)
            # From here the pool would catch it; the event loop passes it to the consumer, which connects again.
            get_event_loop().call_soon(_raise, error)


def _raise(error: Exception) -> None:
    raise error


class Sweeper(bootsteps.StartStopStep):
    """Sweeps, adds events to trees, reports the worker and delivers messages, in threads of the main process."""

    requires = ("celery.worker.components:Pool",)
    config: Config

    def __init__(self, worker: Any, **options: Any) -> None:
        """
        Check the database.

        Raises:
            DatabaseError: it does not respond, awaits its migrations, is read-only, or can lose records.
        """
        super().__init__(worker, **options)
        self._database = Database(self.config.database_url, pool_size=4)
        self._database.check_head()
        self._database.check_schema()
        self._database.check_server(allows_data_loss=self.config.allow_data_loss)
        # The pool is forked after this.
        self._database.close()
        self._announce = build_announcer(self.config, self._database)
        self._id = uuid7()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(worker,), name="sweeper", daemon=True)
        self._deliverer = Deliverer(self._database, AllowedAddresses.parse(self.config.webhook_allow))
        self._joiner = Joiner(self._database)
        self._delivery = threading.Thread(
            target=self._deliverer.run, args=(self._is_over.is_set,), name="webhooks", daemon=True
        )

    def start(self, worker: Any) -> None:
        """Start the threads, after the pool has been forked."""
        self._thread.start()
        self._joiner.start()
        self._delivery.start()

    def stop(self, worker: Any) -> None:
        """End the threads, and remove the worker from the list of those that live."""
        if not self._thread.is_alive():
            return
        self._is_over.set()
        self._deliverer.stop_waiting()
        self._joiner.stop()
        self._thread.join()
        self._delivery.join()
        try:
            with self._database.outside_clubs() as connection:
                workers.remove_worker(connection, self._id)
        except ServiceError as error:
            _log.warning("sweep_interrupted", error=str(error))
        _log.info("worker_stopped", process=os.getpid())

    terminate = stop

    def _run(self, worker: Any) -> None:
        next_removal = 0.0
        while not self._is_over.is_set():
            try:
                with self._database.outside_clubs() as connection:
                    workers.record_heartbeat(
                        connection, self._id, socket.gethostname(), os.getpid(), worker.concurrency
                    )
                sweep(self._database, KINDS, self._announce, _signing_key(self.config))
                if time.monotonic() >= next_removal:
                    next_removal = time.monotonic() + _REMOVAL_SECONDS
                    _log.info("expired_removed", **remove_expired(self._database, self.config.retention))
            except ServiceError as error:
                _log.warning("sweep_interrupted", error=str(error))
            except Exception:
                _log.exception("sweep_failed")
            self._is_over.wait(_SWEEP_SECONDS)


def _signing_key(config: Config) -> SigningKey | None:
    """Read the key as it is now; without one events join their trees, and nothing is signed."""
    if config.signing_key_file is None:
        return None
    try:
        return read_signing_key(config.signing_key_file)
    except ServiceError as error:
        _log.warning("signing_key_unreadable", error=str(error))
        return None
