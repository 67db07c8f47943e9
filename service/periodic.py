"""What workers do periodically: jobs, trees and checkpoints, settlements that become final, expiry."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, text

from evidence import SigningKey
from service.audit_trail.actions import PAUSE, join_events
from service.audit_trail.queries import trees
from service.config import Retention
from service.db import Database, Transaction
from service.errors import Busy
from service.http import idempotent_responses
from service.imports import queries as imports
from service.jobs.queries import jobs, moments
from service.jobs.work import Worker
from service.logs import get_log
from service.rounds.actions.settlements import finalize_settlements
from service.rounds.queries import settlements
from service.webhooks.delivery import remove_ended

_log = get_log(__name__)

_LOCK: Final = text("SELECT pg_try_advisory_xact_lock(hashtextextended('periodic ' || :task, 0))")
_PURGE: Final = text("DELETE FROM shared.kombu_message WHERE NOT visible")


def run_alone(database: Database, task: str, run: Callable[[], object]) -> None:
    """
    Run a periodic task, unless another worker runs it now, and record that it ran.

    It must do no harm twice: who loses the connection of the lock goes on.
    """
    with database.outside_clubs() as connection:
        if connection.execute(_LOCK, {"task": task}).scalar_one():
            moments.record_run(connection, task)
            run()


def remove_received_messages(database: Database) -> None:
    """Remove the messages of the queue in the database that were received: kombu only marks them."""
    with database.outside_clubs() as connection:
        connection.execute(_PURGE)


def look_at_jobs(worker: Worker) -> None:
    """Look at the jobs of all clubs that have not ended, the oldest first."""
    with worker.database.outside_clubs() as connection:
        unfinished = jobs.list_unfinished(connection)
    for job in unfinished:
        try:
            worker.look_at(job.club_id, job.id)
        except Busy:
            _log.info("job_busy", job=str(job.id))


def grow_trees(database: Database, signing_key: SigningKey | None) -> None:
    """Add the events of all clubs to their trees, and sign those that have grown if there is a key."""
    with database.outside_clubs() as connection:
        growing = trees.list_clubs_due(connection, datetime.now(UTC), PAUSE)
    for club_id in growing:
        try:
            join_events(database, club_id, signing_key)
        except Busy:
            _log.info("tree_busy", club=str(club_id))


def finalize_due(database: Database) -> None:
    """Finalize the settlements of all clubs whose correction window has passed."""
    with database.outside_clubs() as connection:
        due = settlements.list_clubs_due(connection, datetime.now(UTC))
    for club_id in due:
        finalized = finalize_settlements(database, club_id)
        if finalized:
            _log.info("settlements_finalized", club=str(club_id), settlements=finalized)


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
    Remove the responses stored for retries, remains of imports and deliveries that are older than they need to be.

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
    removed = {"responses": 0, "import_records": 0, "deliveries": remove_ended(database)}
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
