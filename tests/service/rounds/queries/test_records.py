"""The one reader of the records of rounds."""

from collections.abc import Callable
from uuid import UUID

import pytest
from sqlalchemy import event
from uuid_utils.compat import uuid7

from service.db import Database, Transaction
from service.rounds.queries import hands, histories
from service.rounds.queries.records import Revisions, get_records, list_revisions, read_records
from tests.support.database.insert_records import add_club
from tests.support.database.postgres import Logins
from tests.support.database.recomputed_rounds import add_three_hands, recompute, tamper


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def count_statements(transaction: Transaction, read: Callable[[], object]) -> int:
    counted: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        counted.append(statement)

    event.listen(transaction.connection, "before_cursor_execute", count)
    read()
    event.remove(transaction.connection, "before_cursor_execute", count)
    return len(counted)


def revise(database: Database, logins: Logins, club_id: UUID, round_id: UUID) -> None:
    """Change a record, and let a recomputation add the right revision."""
    tamper(logins.owner, "UPDATE hand_scores SET transfers[1].paid = 0 WHERE round_id = %s AND number = 2", round_id)
    with database.transaction(club_id) as transaction:
        assert recompute(transaction, applies=True).applied == 1


def test_any_rounds_and_revisions_are_read_with_as_many_statements(
    database: Database, logins: Logins, club_id: UUID
) -> None:
    ids = [add_three_hands(database, club_id, name) for name in ("attic", "kitchen", "parlour")]
    revise(database, logins, club_id, ids[1])
    with database.reading(club_id) as transaction:
        newest = read_records(transaction, [*reversed(ids), uuid7()])
        assert [(records.id, records.revision) for records in newest] == [(ids[0], 1), (ids[1], 2), (ids[2], 1)]
        every = read_records(transaction, ids, Revisions.EVERY)
        places = [(records.id, records.revision) for records in every]
        assert places == [(ids[0], 1), (ids[1], 1), (ids[1], 2), (ids[2], 1)]
        assert [every[0], *every[2:]] == newest
        assert read_records(transaction, ids, 1) == [every[0], every[1], every[3]]
        assert list_revisions(transaction, ids[1]) == every[1:3]
        counts = {
            count_statements(transaction, read)
            for read in (
                lambda: read_records(transaction, ids),
                lambda: read_records(transaction, ids[:1]),
                lambda: read_records(transaction, ids, Revisions.EVERY),
                lambda: get_records(transaction, ids[1], 2),
            )
        }
    assert len(counts) == 1


def test_records_have_the_values_of_their_revision(database: Database, logins: Logins, club_id: UUID) -> None:
    round_id = add_three_hands(database, club_id, "kitchen")
    revise(database, logins, club_id, round_id)
    with database.reading(club_id) as transaction:
        first, second = list_revisions(transaction, round_id)
        for records in (first, second):
            stored = histories.get(transaction, round_id, records.revision)
            assert list(stored.hands) == hands.list_page(transaction, round_id, records.revision)
            assert stored.history == records.history(records.ruleset)
    assert (first.reason, second.reason) == (None, "checked again")
    assert [paid.transfer.paid for paid in first.paid] != [paid.transfer.paid for paid in second.paid]
    assert first.result == second.result
    assert (first.confirmed, first.adjustment, first.closed, first.departed) == ([], None, None, ())
