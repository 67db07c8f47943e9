"""
The message queue of the workers.

A message contains only the IDs of a club and a job. Jobs, chunks, leases and results are in PostgreSQL, so a message
that is lost, late or delivered twice does no harm.
"""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from celery import Celery
from kombu.entity import Exchange, Queue

from service.config import Config
from service.db import Database, Transaction, engine_url
from service.db.broker import QUEUE_IN_DATABASE, queue_options
from service.jobs.queries import workers
from service.logs import get_log

WORK_ON_JOB: Final = "work_on_job"
"""The only Celery task. Its arguments are the IDs of a club and a job."""
_TIMEOUT_SECONDS: Final = 3.0

_log = get_log(__name__)


def build_celery(config: Config) -> Celery:
    """
    Create the Celery application; it connects to the broker on first use.

    On RabbitMQ the queue is a quorum queue, which survives the loss of a machine, with publisher confirms. Without a
    broker the queue is in the database.
    """
    app = Celery("tablestakes", set_as_current=False)
    app.conf.update(
        broker_url=config.broker_url or _broker_in(config.database_url),
        broker_transport_options=_transport_options(config),
        broker_connection_timeout=_TIMEOUT_SECONDS,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        task_queues=[_queue(config)],
        task_default_queue=config.queue,
        task_default_exchange="",
        task_default_routing_key=config.queue,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        # A message is redelivered if its worker is lost. If the message is lost, the outbox sends it again.
        task_acks_late=True,
        task_publish_retry=False,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        enable_utc=True,
    )
    return app


def build_announcer(config: Config, database: Database) -> Callable[[UUID], None]:
    """Return a function that sends a club's due messages. Workers send later what cannot be sent now."""
    app = build_celery(config)

    def announce(club_id: UUID) -> None:
        try:
            with database.transaction(club_id) as transaction:
                for message in workers.claim_due_messages(transaction):
                    app.send_task(WORK_ON_JOB, (str(club_id), str(message.job_id)))
        except Exception as error:
            # The job is committed, so the request must succeed whatever this error is.
            _log.warning("message_send_failed", club=str(club_id), reason=type(error).__name__)

    return announce


def announce_after_commit(transaction: Transaction, announce: Callable[[UUID], None]) -> None:
    """Send the messages of a transaction after its commit."""
    transaction.after_commit.append(lambda: announce(transaction.club_id))


def _queue(config: Config) -> Queue:
    is_rabbitmq = config.broker_url.startswith("amqp")
    arguments = {"x-queue-type": "quorum"} if is_rabbitmq else None
    return Queue(config.queue, Exchange(""), routing_key=config.queue, durable=True, queue_arguments=arguments)


def _broker_in(database_url: str) -> str:
    return f"{QUEUE_IN_DATABASE}+" + engine_url(database_url).render_as_string(hide_password=False)


def _transport_options(config: Config) -> dict[str, Any]:
    if config.broker_url.startswith("amqp"):
        return {"confirm_publish": True, "read_timeout": _TIMEOUT_SECONDS, "write_timeout": _TIMEOUT_SECONDS}
    if config.broker_url:
        return {"socket_timeout": _TIMEOUT_SECONDS, "socket_connect_timeout": _TIMEOUT_SECONDS}
    return queue_options(config.database_url)
