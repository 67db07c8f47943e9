"""Delete all records of a test club."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Delete, Table, delete, insert, select, text

from evidence.events import ClubWiped, EventKind
from service.clubs.actions import find_club
from service.clubs.queries.clubs import StoredClub
from service.db import Database, Transaction
from service.errors import Busy, OperatorError
from service.ledger.models import EventRecord, WaitingEventRecord
from service.ledger.queries.events import record_event
from service.models import Base

RETAINED: Final = frozenset({"clubs", "api_keys", "webhooks"})
"""Tables that a wipe does not change: the club, its keys and the endpoints of its webhooks."""
RETAINED_EVENTS: Final = (
    EventKind.CLUB_CREATED,
    EventKind.CLUB_CHANGED,
    EventKind.CLUB_WIPED,
    EventKind.KEY_CREATED,
    EventKind.KEY_REVOKED,
    EventKind.WEBHOOK_ADDED,
    EventKind.WEBHOOK_CHANGED,
    EventKind.WEBHOOK_REMOVED,
    EventKind.WEBHOOK_SECRET_ROTATED,
)
"""Events of the retained records, and of earlier wipes. They join the new tree first."""

# A statement of a wipe can take longer than any of a request.
_PERMIT: Final = text("""
    SELECT set_config('ofc.wiped_club', :club, true), set_config('statement_timeout', '0', true)
""")
# For each deleted round PostgreSQL looks for another one with its key. With old statistics it can choose an index of
# tables for that, and read all rounds of the table each time.
_ANALYZE: Final = text("ANALYZE rounds")


@dataclass(frozen=True, slots=True)
class Wipe:
    """The number of deleted rounds, hands and events."""

    rounds: int
    hands: int
    events: int


def wipe_club(database: Database, name: str) -> Wipe:
    """
    Delete all records of a test club, except the club itself, its keys and the endpoints of its webhooks.

    It waits until no request and no job writes in the club; those that come later wait for it. Everything is deleted in
    one transaction. The triggers of the tables check that the club is a test club.

    Args:
        database: with the login of the owner of the tables; the role of the service cannot delete records.
        name: the name of the club.

    Raises:
        NotFound: no club has this name.
        OperatorError: it is not a test club, or a request or a job in it takes too long.
    """
    club = find_club(database, name)
    refuse_real_club(club)
    try:
        with database.transaction(club.id, is_alone=True) as transaction:
            return _wipe(transaction)
    except Busy as error:
        raise OperatorError(
            f"The club {name!r} is in use: a request or a job did not end in time. Nothing was deleted; try again."
        ) from error


def refuse_real_club(club: StoredClub) -> None:
    """
    Check that a club is a test club.

    Raises:
        OperatorError: it is not.
    """
    if not club.is_test:
        raise OperatorError(
            f"The club {club.name!r} is not a test club, so its records are permanent; expected a club that was created"
            " with `ofc-server club create --test`."
        )


def _wipe(transaction: Transaction) -> Wipe:
    transaction.execute(_PERMIT, {"club": str(transaction.club_id)})
    transaction.execute(_ANALYZE)
    deleted = {name: transaction.execute(statement).rowcount for name, statement in _deletions(transaction)}
    retained = select(EventRecord.club_id, EventRecord.id).where(EventRecord.club_id == transaction.club_id)
    transaction.execute(insert(WaitingEventRecord).from_select(["club_id", "event_id"], retained))
    wipe = Wipe(deleted["rounds"], deleted["hands"], deleted["events"])
    event = ClubWiped(rounds=wipe.rounds, events=wipe.events)
    record_event(transaction, event.kind, event.encode())
    return wipe


def _deletions(transaction: Transaction) -> Iterator[tuple[str, Delete]]:
    """Yield each table with the statement that deletes its records, those of referring records first."""
    table: Table
    for table in reversed(Base.metadata.sorted_tables):
        if table.name not in RETAINED:
            statement = delete(table).where(table.c.club_id == transaction.club_id)
            if table.name == EventRecord.__tablename__:
                statement = statement.where(table.c.kind.not_in(RETAINED_EVENTS))
            yield table.name, statement
