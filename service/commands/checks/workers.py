"""Checks of what works in the background: the broker, workers, periodic tasks, jobs, webhooks and checkpoints."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from service.audit_trail.signing import read_signing_key
from service.commands.checks.check import Check, describe_age
from service.config import Config
from service.db import Database
from service.errors import OperatorError, ServiceError
from service.jobs.app import JOBS, PERIODIC, WEBHOOKS, build_celery, name_of
from service.jobs.queries import moments
from service.jobs.queries.backlog import Backlog, read_ages, read_backlog
from service.jobs.queries.moments import Moment
from service.logs import hide_secrets

NAMES: Final = ("workers", "beat", "jobs", "webhooks", "checkpoints", "records")
LONGEST_AGES: Final[Mapping[str, float]] = MappingProxyType(
    {
        "dispatch_webhooks": 30.0,
        "finalize_settlements": 30.0,
        "grow_trees": 30.0,
        "look_at_jobs": 30.0,
        "remove_expired": 3 * 3600.0,
    }
)
"""The longest time in seconds since each periodic task ran; `service/worker.py` has how often each runs."""
LONGEST_WAIT: Final = 60.0
"""The longest time in seconds that a job is queued, or a message due, before workers count as too few."""
LONGEST_UNSIGNED: Final = 300.0
"""The longest time in seconds from a checkpoint to the next one, if there are new events; one is due each minute."""
_START: Final = "Start `ofc-server up`, or an `ofc-server worker`; if one runs, read its log."


def check_broker(config: Config) -> Check:
    """Check that the broker responds and has the queues, and count their messages."""
    where = "The broker" if config.broker_url else "The queue in the database"
    app = build_celery(config)
    try:
        with app.connection_for_read() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0)
            channel = connection.default_channel
            counts = {
                queue: channel.queue_declare(name_of(config, queue), passive=True).message_count
                for queue in (JOBS, WEBHOOKS, PERIODIC)
            }
    except Exception as error:  # each transport of kombu has errors of its own
        reason = hide_secrets(" ".join(str(error).split())[:200]) or type(error).__name__
        return Check.problem(
            "broker",
            f"{where} cannot be used: {reason}.",
            "Start it, or correct OFC_BROKER_URL; the first worker creates the queues.",
        )
    waiting = ", ".join(f"{queue} {count}" for queue, count in counts.items())
    return Check.ok("broker", f"{where} responds; waiting messages: {waiting}.")


def check_background(database: Database, key_file: Path | None) -> list[Check]:
    """
    Check workers, and what waits for them.

    Args:
        database: with the role of the service.
        key_file: the file of the signing key; None if this machine has none.
    """
    try:
        with database.reading_outside_clubs() as connection:
            starts, _ = moments.list_moments(connection)
            ages = read_ages(connection)
            backlog = read_backlog(connection)
    except ServiceError as error:
        return [Check.unchecked(name, str(error)) for name in NAMES]
    return [
        check_workers(starts, ages),
        check_beat(ages),
        check_jobs(backlog),
        check_webhooks(backlog),
        check_checkpoints(backlog, key_file),
        check_records(backlog),
    ]


def check_workers(starts: Sequence[Moment], ages: Mapping[str, float]) -> Check:
    """Check that a worker has run a periodic task just now."""
    names = ", ".join(each.name for each in starts) or "none"
    if min(ages.values(), default=LONGEST_WAIT) >= LONGEST_AGES["grow_trees"]:
        return Check.problem("workers", f"No worker is active; started in the last 30 days: {names}.", _START)
    return Check.ok("workers", f"Workers are active; started in the last 30 days: {names}.")


def check_beat(ages: Mapping[str, float]) -> Check:
    """
    Check that each periodic task runs.

    >>> check_beat({name: 1.0 for name in LONGEST_AGES} | {"grow_trees": 90.0}).summary
    'Periodic tasks that do not run: grow_trees (90 seconds ago).'
    """
    late = [
        f"{name} ({describe_age(ages[name])} ago)" if name in ages else f"{name} (never)"
        for name, longest in LONGEST_AGES.items()
        if ages.get(name, longest) >= longest
    ]
    if late:
        return Check.problem("beat", f"Periodic tasks that do not run: {', '.join(late)}.", _START)
    return Check.ok("beat", f"All {len(LONGEST_AGES)} periodic tasks run.")


def check_jobs(backlog: Backlog) -> Check:
    """Check that no job waits for a worker."""
    summary = f"{backlog.jobs} jobs are not finished, with {backlog.chunks} chunks to process"
    if backlog.queued_seconds > LONGEST_WAIT:
        waited = f"{summary}; the oldest queued one has waited for {describe_age(backlog.queued_seconds)}."
        return Check.problem("jobs", waited, "Start more workers: `ofc-server worker --concurrency 4`.")
    return Check.ok("jobs", f"{summary}.")


def check_webhooks(backlog: Backlog) -> Check:
    """Check that messages are sent when they are due, and that endpoints accept them."""
    summary = f"{backlog.deliveries} messages are not delivered"
    if backlog.delivery_seconds > LONGEST_WAIT:
        late = f"{summary}; the oldest one has been due for {describe_age(backlog.delivery_seconds)}."
        return Check.problem("webhooks", late, _START)
    if backlog.failing_webhooks:
        failing = f"{summary}; endpoints that fail: {backlog.failing_webhooks}."
        return Check.problem("webhooks", failing, "`ofc webhook list` of each club shows which, and since when.")
    return Check.ok("webhooks", f"{summary}; no endpoint fails.")


def check_checkpoints(backlog: Backlog, key_file: Path | None) -> Check:
    """Check that the signing key can be read, and that checkpoints are signed."""
    if key_file is not None:
        try:
            read_signing_key(key_file)
        except OperatorError as error:
            return Check.problem("checkpoints", str(error), "Without the key, no checkpoints are made.")
    events = f"{backlog.waiting_events} events are not in a tree, {backlog.unsigned_events} in no checkpoint"
    if backlog.checkpoint_seconds > LONGEST_UNSIGNED:
        old = f"{events}; the oldest checkpoint with later events is {describe_age(backlog.checkpoint_seconds)} old."
        remedy = "Start a worker with the key: OFC_SIGNING_KEY_FILE." if key_file is None else _START
        return Check.problem("checkpoints", old, remedy)
    if not backlog.unsigned_events:
        return Check.ok("checkpoints", f"{events}.")
    age = describe_age(backlog.checkpoint_seconds)
    return Check.ok("checkpoints", f"{events}; the oldest checkpoint with later events is {age} old.")


def check_records(backlog: Backlog) -> Check:
    """Check that the last verification of each club has summary nothing."""
    if backlog.findings:
        return Check.problem(
            "records",
            f"The last `ofc-server verify` of each club has {backlog.findings} findings.",
            "See docs/operations.md, Verify the database.",
        )
    return Check.ok("records", "The last stored verification of each club, if there is one, has no findings.")
