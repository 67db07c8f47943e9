"""
The message queues of the workers.

Messages contain only IDs. Celery spreads them, and PostgreSQL decides what is to be done, so a message that is lost,
late or delivered twice does no harm.
"""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from celery import Celery
from kombu.entity import Exchange, Queue

from service.config import Config
from service.db import Transaction, engine_url
from service.db.broker import QUEUE_IN_DATABASE, queue_options
from service.logs import get_log

JOBS: Final = "jobs"
"""The queue of jobs: one process works on one message at a time."""
WEBHOOKS: Final = "webhooks"
"""The queue of messages to webhooks, which wait for their receivers in threads."""
PERIODIC: Final = "periodic"
"""The queue of periodic tasks."""
LOOK_AT_JOB: Final = "look_at_job"
"""A task. Its arguments are the IDs of a club and a job."""
WORK_ON_CHUNK: Final = "work_on_chunk"
"""A task. Its arguments are the IDs of a club and a job, and the number of a chunk."""
DELIVER: Final = "deliver"
"""A task. Its arguments are the IDs of a club and a delivery, and the number of the attempt."""
_QUEUES: Final = {LOOK_AT_JOB: JOBS, WORK_ON_CHUNK: JOBS, DELIVER: WEBHOOKS}
_TIMEOUT_SECONDS: Final = 3.0

_log = get_log(__name__)


def build_celery(config: Config) -> Celery:
    """
    Create the Celery application; it connects to the broker on first use.

    On RabbitMQ the queues are quorum queues, which survive the loss of a machine, with publisher confirms. Without a
    broker the queues are in the database.
    """
    app = Celery("tablestakes", set_as_current=False)
    app.conf.update(
        broker_url=config.broker_url or _broker_in(config.database_url),
        broker_transport_options=_transport_options(config),
        broker_connection_timeout=_TIMEOUT_SECONDS,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # A message that only starts a thread is acknowledged by the broker itself. So is one about a chunk on Redis and
        # in the database, which give a process no other before it has ended the chunk; RabbitMQ would give it all.
        task_queues=[
            queue_of(config, JOBS, no_ack=not _is_rabbitmq(config)),
            queue_of(config, WEBHOOKS, no_ack=True),
            queue_of(config, PERIODIC, no_ack=True),
        ],
        task_routes={task: {"queue": name_of(config, queue)} for task, queue in _QUEUES.items()},
        task_default_queue=name_of(config, PERIODIC),
        task_default_exchange="",
        task_default_routing_key=name_of(config, PERIODIC),
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_acks_late=True,
        # Over another connection: that to RabbitMQ is kept when it was lost, and the other clients make theirs again.
        task_publish_retry=_is_rabbitmq(config),
        task_publish_retry_policy={"max_retries": 1, "interval_start": 0},
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        enable_utc=True,
    )
    return app


def _is_rabbitmq(config: Config) -> bool:
    return config.broker_url.startswith("amqp")


def name_of(config: Config, queue: str) -> str:
    """Return the name that one of the queues has at the broker."""
    return f"{config.queue}.{queue}"


def queue_of(config: Config, queue: str, *, no_ack: bool = False) -> Queue:
    """Return one of the queues, as the broker is to declare it."""
    arguments = {"x-queue-type": "quorum"} if _is_rabbitmq(config) else None
    name = name_of(config, queue)
    return Queue(name, Exchange(""), routing_key=name, durable=True, queue_arguments=arguments, no_ack=no_ack)


Send = Callable[..., None]
"""Sends a message: the name of a task, and its arguments, which are IDs and numbers."""


def build_sender(app: Celery) -> Send:
    """Return a function that sends messages, and never fails: a periodic task sends again what could not be sent."""

    def send(task: str, *arguments: UUID | int) -> None:
        try:
            app.send_task(task, [each if isinstance(each, int) else str(each) for each in arguments])
        except Exception as error:
            # What the message is about is committed, so the request must succeed whatever this error is.
            _log.warning("message_send_failed", task=task, reason=type(error).__name__)

    return send


def look_after_commit(transaction: Transaction, job_id: UUID, send: Send) -> None:
    """Have a worker look at a job after the commit of a transaction that has changed it."""
    transaction.after_commit.append(lambda: send(LOOK_AT_JOB, transaction.club_id, job_id))


def _broker_in(database_url: str) -> str:
    return f"{QUEUE_IN_DATABASE}+" + engine_url(database_url).render_as_string(hide_password=False)


def _transport_options(config: Config) -> dict[str, Any]:
    if _is_rabbitmq(config):
        return {"confirm_publish": True, "read_timeout": _TIMEOUT_SECONDS, "write_timeout": _TIMEOUT_SECONDS}
    if config.broker_url:
        return {"socket_timeout": _TIMEOUT_SECONDS, "socket_connect_timeout": _TIMEOUT_SECONDS}
    return queue_options(config.database_url)
