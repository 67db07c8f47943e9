"""Periodic work: settlements that become final, checkpoints, statistics, abandoned jobs, and expired records."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, text

from evidence import SigningKey
from service.config import Retention
from service.db import Database, Transaction
from service.errors import Busy
from service.http import idempotent_responses
from service.imports import queries as imports
from service.jobs.kind import Kind
from service.jobs.queries import jobs, workers
from service.jobs.queries.jobs import JobState, UnfinishedJob
from service.jobs.work import end_if_over, notify_workers
from service.ledger.actions import PAUSE, join_events
from service.ledger.queries import trees
from service.logs import get_log
from service.rounds.actions.settlements import finalize_settlements
from service.rounds.queries import settlements
from service.statistics.actions import update_statistics
from service.statistics.queries import measuring

_CLUBS: Final = text("SELECT * FROM clubs_with_expired_records(:responses, :imports)")


def list_clubs(connection: Connection, responses_before: datetime, imports_before: datetime) -> Sequence[UUID]:
    """
    List the clubs that have responses, or imports that ended, from before a moment each.

    Args:
        connection: from `Database.outside_clubs`.
        responses_before: of responses that were stored for retries.
        imports_before: of ends of imports.
    """
    return connection.execute(_CLUBS, {"responses": responses_before, "imports": imports_before}).scalars().all()


_AT_A_TIME: Final = 500


def remove_expired(database: Database, retention: Retention) -> dict[str, int]:
    """
    Remove the responses stored for retries and the remains of imports that are older than they need to be.

    In all clubs, and in transactions of some hundred rows, so that nobody waits for them.

    Returns:
        How many of each were removed.

    Raises:
        DatabaseError, Busy: the database does not respond; the rest is removed the next time.
    """
    now = datetime.now(UTC)
    responses_before = now - timedelta(days=retention.idempotency_days)
    imports_before = now - timedelta(days=retention.import_days)
    with database.outside_clubs() as connection:
        clubs = list_clubs(connection, responses_before, imports_before)
    removed = {"responses": 0, "import_records": 0}
    for club_id in clubs:
        removed["responses"] += _remove_all(database, club_id, idempotent_responses.remove_before, responses_before)
        removed["import_records"] += _remove_all(database, club_id, imports.remove_ended_before, imports_before)
    return removed


def _remove_all(
    database: Database, club_id: UUID, remove: Callable[[Transaction, datetime, int], int], before: datetime
) -> int:
    removed, last = 0, _AT_A_TIME
    while last == _AT_A_TIME:
        with database.transaction(club_id) as transaction:
            last = remove(transaction, before, _AT_A_TIME)
        removed += last
    return removed


LONGEST_RECEIVED: Final = timedelta(days=1)
"""After this, who was sending what a job is to work on is not coming back."""

_log = get_log(__name__)


def sweep(
    database: Database,
    kinds: Mapping[str, Kind],
    announce: Callable[[UUID], None],
    signing_key: SigningKey | None = None,
) -> None:
    """
    Look once at all clubs' jobs under way, settlements due and events that wait; several may do so at once, and often.

    Raises:
        DatabaseError: the database does not respond.
    """
    with database.outside_clubs() as connection:
        workers.purge_consumed_messages(connection)
        under_way = jobs.list_unfinished(connection)
        slots = sum(worker.concurrency for worker in workers.list_active(connection))
        growing = trees.list_clubs_due(connection, datetime.now(UTC), PAUSE)
        due = settlements.list_clubs_due(connection, datetime.now(UTC))
        unmeasured = measuring.list_clubs_due(connection)
    for job in under_way:
        if job.kind in kinds:
            try:
                _look_at(database, kinds[job.kind], job, slots)
            except Busy:
                _log.info("job_busy", job=str(job.id))
    for club_id in {job.club_id for job in under_way}:
        announce(club_id)
    for club_id in due:
        finalized = finalize_settlements(database, club_id)
        if finalized:
            _log.info("settlements_finalized", club=str(club_id), settlements=finalized)
    for club_id in unmeasured:
        update_statistics(database, club_id)
    for club_id in growing:
        try:
            join_events(database, club_id, signing_key)
        except Busy:
            _log.info("tree_busy", club=str(club_id))


def _look_at(database: Database, kind: Kind, found: UnfinishedJob, slots: int) -> None:
    with database.transaction(found.club_id) as transaction:
        job = jobs.try_lock(transaction, found.id)
        if job is None:
            return
        if job.state is JobState.RECEIVING:
            if job.created_at < transaction.now - LONGEST_RECEIVED:
                kind.end(transaction, jobs.change(transaction, job, JobState.CANCELLED))
        elif not end_if_over(transaction, job, kind):
            notify_workers(transaction, job, slots)
