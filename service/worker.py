"""The workers: Celery's, one process for each queue or several, under a supervisor that restarts them."""

import os
import socket
import sys
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from celery import Celery, signals
from celery.beat import EmbeddedService

from evidence import SigningKey
from service import periodic
from service.audit_trail.signing import read_signing_key
from service.config import Config
from service.db import Database
from service.errors import ServiceError
from service.imports.job import ImportKind
from service.jobs.app import (
    DELIVER,
    JOBS,
    LOOK_AT_JOB,
    PERIODIC,
    WEBHOOKS,
    WORK_ON_CHUNK,
    build_celery,
    build_sender,
    name_of,
)
from service.jobs.kind import Kind
from service.jobs.queries import moments
from service.jobs.work import Worker
from service.logs import get_log, start_logging
from service.memory import limit_arenas
from service.recomputations.job import RecomputationKind
from service.webhooks.delivery import Deliverer
from service.webhooks.sending import AllowedAddresses

KINDS: Final[Mapping[str, Kind]] = MappingProxyType({"import": ImportKind(), "recomputation": RecomputationKind()})
"""Every kind of job that workers of this release can do; they leave others to newer ones."""

_POOLS: Final[Mapping[str, tuple[str, Sequence[str], int]]] = MappingProxyType(
    {"jobs": ("solo", (JOBS,), 1), "others": ("threads", (WEBHOOKS, PERIODIC), 64)}
)
"""The processes of a worker: their pool, their queues, and the messages that each works on at once."""
_REMOVE_EXPIRED: Final = "remove_expired"
_POOL_SIZE: Final = 16
_LOOK_SECONDS: Final = 0.1

# The name of a module that is run as a program is another one.
_log = get_log("service.worker")


def run_worker(config: Config, concurrency: int) -> int:
    """
    Run a worker until SIGTERM or SIGINT: processes for chunks of jobs, and one for everything else.

    Raises:
        DatabaseError: the database does not respond, awaits its migrations, is read-only, or can lose records.
    """
    from service.server.processes import Child
    from service.server.up import Stopped, raise_stopped_on_signals

    check_database(config)
    raise_stopped_on_signals()
    with suppress(Stopped), ExitStack() as stack:
        children = [
            stack.enter_context(Child(f"{name}_worker", ["service.worker", name], config, os.environ))
            for name in ("others", *["jobs"] * concurrency)
        ]
        try:
            while True:
                time.sleep(_LOOK_SECONDS)
                for child in children:
                    child.restart_if_dead()
        finally:
            for child in children:
                child.terminate()
    _log.info("worker_stopped", process=os.getpid())
    return 0


def check_database(config: Config) -> None:
    """
    Check that workers can use the database.

    Raises:
        DatabaseError: the database does not respond, awaits its migrations, is read-only, or can lose records.
    """
    database = Database(config.database_url, pool_size=1)
    try:
        database.check_head()
        database.check_schema()
        database.check_server(allows_data_loss=config.allow_data_loss)
    finally:
        database.close()


def main(name: str) -> None:
    """Run one process of a worker until SIGTERM: `jobs` or `others`."""
    # On SIGHUP, Celery runs the interpreter again with `sys.argv`. There `python -m` is the path of a script, whose
    # folder would hide modules of the standard library.
    sys.argv[:] = sys.orig_argv[1:]
    start_logging(os.environ)
    limit_arenas()
    config = Config.from_environment()
    pool, queues, concurrency = _POOLS[name]
    worker = make_worker_app(config).Worker(
        pool=pool,
        concurrency=concurrency,
        queues=[name_of(config, queue) for queue in queues],
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    sys.exit(worker.exitcode or 0)


def make_worker_app(config: Config) -> Celery:
    """Return the app of a worker with its tasks, which beat sends from every worker that takes the periodic ones."""
    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
    warnings.filterwarnings("ignore", message=r"\s*In Celery 5.1 we introduced an optional breaking change")
    app = build_celery(config)
    # A process of the pool `solo` sends no heartbeats while it works.
    app.conf.update(worker_pool="solo", worker_redirect_stdouts=False, broker_heartbeat=0)
    database = Database(config.database_url, pool_size=_POOL_SIZE, is_worker=True)
    send = build_sender(app)
    worker = Worker(database, KINDS, send=lambda *chunk: send(WORK_ON_CHUNK, *chunk))
    allowed = AllowedAddresses.parse(config.webhook_allow)
    deliverer = Deliverer(database, allowed, lambda *attempt: send(DELIVER, *attempt))
    _connect_signals(app, database)
    _add_tasks(app, worker, deliverer)
    _add_periodic_tasks(app, config, worker, deliverer)
    return app


def _connect_signals(app: Celery, database: Database) -> None:
    beats: list[Any] = []

    @signals.setup_logging.connect(weak=False)
    def set_up_logging(**_: Any) -> None:
        start_logging()

    @signals.worker_ready.connect(weak=False)
    def begin(sender: Any, **_: Any) -> None:
        queues = sorted(name.rpartition(".")[2] for name in app.amqp.queues.consume_from)
        try:
            with database.outside_clubs() as connection:
                moments.record_start(connection, socket.gethostname(), ", ".join(queues))
        except ServiceError as error:
            _log.warning("start_unrecorded", error=str(error))
        if PERIODIC in queues:
            beats.append(EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler"))
            beats[0].start()
            # Beat would begin with it after an hour.
            build_sender(app)(_REMOVE_EXPIRED)
        _log.info("worker_ready", process=os.getpid(), queues=queues)

    @signals.worker_shutting_down.connect(weak=False)
    def end(**_: Any) -> None:
        # Waiting for the thread would delay the signal handler.
        for beat in beats:
            threading.Thread(target=beat.stop, daemon=True).start()


def _add_tasks(app: Celery, worker: Worker, deliverer: Deliverer) -> None:
    @app.task(name=LOOK_AT_JOB)
    def look_at_job(club_id: str, job_id: str) -> None:
        _run(LOOK_AT_JOB, lambda: worker.look_at(UUID(club_id), UUID(job_id)))

    @app.task(name=WORK_ON_CHUNK)
    def work_on_chunk(club_id: str, job_id: str, number: int) -> None:
        _run(WORK_ON_CHUNK, lambda: worker.work_on(UUID(club_id), UUID(job_id), number))

    @app.task(name=DELIVER)
    def deliver(club_id: str, delivery_id: str, attempt: int) -> None:
        _run(DELIVER, lambda: deliverer.deliver(UUID(club_id), UUID(delivery_id), attempt))


def _add_periodic_tasks(app: Celery, config: Config, worker: Worker, deliverer: Deliverer) -> None:
    database = worker.database

    def add(name: str, seconds: float, run: Any) -> None:
        @app.task(name=name)
        def run_periodic() -> None:
            _run(name, lambda: periodic.run_alone(database, name, run))

        # It does not expire, because the clocks of machines can differ: one that comes late finds nothing to do.
        app.conf.beat_schedule[name] = {"task": name, "schedule": seconds}

    add("look_at_jobs", 2, lambda: periodic.look_at_jobs(worker))
    add("grow_trees", 1, lambda: periodic.grow_trees(database, _signing_key(config)))
    add("dispatch_webhooks", 1, deliverer.dispatch)
    if not config.broker_url:
        add("remove_received_messages", 10, lambda: periodic.remove_received_messages(database))
    add("finalize_settlements", 2, lambda: periodic.finalize_due(database))
    add(
        _REMOVE_EXPIRED,
        3600,
        lambda: _log.info("expired_removed", **periodic.remove_expired(database, config.retention)),
    )


def _run(task: str, run: Any) -> None:
    """Run a task; what an unreachable database leaves undone is done after the next message."""
    try:
        run()
    except ServiceError as error:
        _log.warning("task_interrupted", task=task, error=str(error))


def _signing_key(config: Config) -> SigningKey | None:
    """Read the key as it is now; without one events join their trees, and nothing is signed."""
    if config.signing_key_file is None:
        return None
    try:
        return read_signing_key(config.signing_key_file)
    except ServiceError as error:
        _log.warning("signing_key_unreadable", error=str(error))
        return None


if __name__ == "__main__":
    main(*sys.argv[1:])
