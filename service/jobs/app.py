"""
The queue between those who ask for jobs and the workers who do them.

A message says "work on job J" and nothing else: jobs, chunks, claims and results are in PostgreSQL, so that a message
that is lost, late or delivered twice harms nothing.
"""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from celery import Celery
from kombu.entity import Exchange, Queue

from service.config import Config
from service.db import Database, Transaction, engine_url
from service.db.broker import QUEUE_IN_DATABASE, queue_options
from service.jobs.queries import wake_ups
from service.logs import get_log

WORK_ON_JOB: Final = "work_on_job"
"""The one task that there is: a club's id and a job's."""
_PATIENCE: Final = 3.0

_log = get_log(__name__)


def make_celery(config: Config) -> Celery:
    """
    Make the way to the broker; nothing is connected before it is used.

    RabbitMQ gets a quorum queue, which survives the loss of a machine, and confirms what it has taken. Where no broker
    is named, the queue is two tables beside the records.
    """
    app = Celery("tablestakes", set_as_current=False)
    app.conf.update(
        broker_url=config.broker_url or _broker_in(config.database_url),
        broker_transport_options=_transport_options(config),
        broker_connection_timeout=_PATIENCE,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        task_queues=[_queue(config)],
        task_default_queue=config.queue,
        task_default_exchange="",
        task_default_routing_key=config.queue,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        # A message is given back where its worker goes; should it be lost all the same, the outbox has it.
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


def announcer(config: Config, database: Database) -> Callable[[UUID], None]:
    """Make what sends a club's messages that are due. What cannot be sent now is sent later, by workers."""
    app = make_celery(config)

    def announce(club_id: UUID) -> None:
        try:
            with database.transaction(club_id) as transaction:
                for wake_up in wake_ups.take_due(transaction):
                    app.send_task(WORK_ON_JOB, (str(club_id), str(wake_up.job_id)))
        except Exception as error:
            # Whatever it is, the work is committed, and whoever asked for it has to be told so.
            _log.warning("message_not_sent", club=str(club_id), reason=type(error).__name__)

    return announce


def announce_after_commit(transaction: Transaction, announce: Callable[[UUID], None]) -> None:
    """Send the messages that a transaction writes once it is committed, and only then."""
    transaction.after_commit.append(lambda: announce(transaction.club_id))


def _queue(config: Config) -> Queue:
    is_rabbitmq = config.broker_url.startswith("amqp")
    arguments = {"x-queue-type": "quorum"} if is_rabbitmq else None
    return Queue(config.queue, Exchange(""), routing_key=config.queue, durable=True, queue_arguments=arguments)


def _broker_in(database_url: str) -> str:
    return f"{QUEUE_IN_DATABASE}+" + engine_url(database_url).render_as_string(hide_password=False)


def _transport_options(config: Config) -> dict[str, Any]:
    if config.broker_url.startswith("amqp"):
        return {"confirm_publish": True, "read_timeout": _PATIENCE, "write_timeout": _PATIENCE}
    if config.broker_url:
        return {"socket_timeout": _PATIENCE, "socket_connect_timeout": _PATIENCE}
    return queue_options(config.database_url)
