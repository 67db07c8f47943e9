"""Settlements become final by confirmation or after the correction window, unless disputed."""

import json
from functools import partial
from uuid import UUID

import psycopg
import pytest
from psycopg.errors import CheckViolation

from evidence.events import FinalReason
from schemas.hands import SubmittedHand
from schemas.settlements import SettlementState
from scoring.history import Closing
from scoring.round import close_round
from service.audit_trail.queries.events import EventKind
from service.db import Database, Transaction
from service.periodic import finalize_due
from service.rounds.actions import settlements as settlement_actions
from service.rounds.queries import rounds, settlements
from service.rounds.queries.records import get_records
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange
from tests.support.database.insert_records import (
    EVENT,
    EXAMPLE,
    PATIENT,
    add_club,
    add_hand,
    add_round,
    add_table,
    correct,
    correct_who_sat,
    end_round,
    example_round,
)
from tests.support.database.postgres import Logins
from tests.support.race import at_once

pytestmark = pytest.mark.every_server

OPEN, PROVISIONAL, DISPUTED, FINAL = (
    SettlementState.OPEN,
    SettlementState.PROVISIONAL,
    SettlementState.DISPUTED,
    SettlementState.FINAL,
)


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def closed_rounds(database: Database, club_id: UUID, count: int = 1, *, window: int = 0) -> list[StoredRound]:
    """Rounds of one hand each, closed after it."""
    with database.transaction(club_id) as transaction:
        table = add_table(transaction, PATIENT, "parlour", window=window)
        return [close(transaction, add_round(transaction, table, example_round(PATIENT))) for _ in range(count)]


def close(transaction: Transaction, opened: StoredRound) -> StoredRound:
    played = add_hand(transaction, opened, SubmittedHand(EXAMPLE))
    assert played.finality.settlement_state is OPEN
    closing = Closing(1, "the room closes")
    return end_round(transaction, played, close_round(played.round), closing)


def look(database: Database, round_: StoredRound, club_id: UUID) -> StoredRound:
    with database.reading(club_id) as transaction:
        return rounds.get(transaction, round_.id)


def sweep_once(database: Database) -> None:
    finalize_due(database)


def events_of(logins: Logins, round_id: UUID) -> list[tuple[int, str]]:
    with psycopg.connect(logins.owner) as connection:
        connection.execute("SELECT set_config('ofc.club', club_id::text, true) FROM round_heads LIMIT 1")
        query = "SELECT sequence, kind FROM events WHERE round_id = %s ORDER BY sequence"
        return connection.execute(query, [round_id]).fetchall()


def test_an_ended_round_is_provisional_until_its_window_has_passed(
    database: Database, club_id: UUID, logins: Logins
) -> None:
    [closed] = closed_rounds(database, club_id, window=30)
    assert closed.finality.settlement_state is PROVISIONAL
    assert closed.finality.provisional_until is not None
    assert (closed.finality.provisional_until - closed.opened_at).total_seconds() >= 30 * 60
    sweep_once(database)
    assert look(database, closed, club_id) == closed


def test_a_settlement_becomes_final_by_an_event(database: Database, club_id: UUID, logins: Logins) -> None:
    [closed] = closed_rounds(database, club_id)
    sweep_once(database)
    final = look(database, closed, club_id)
    assert (final.version, final.revision) == (closed.version + 1, closed.revision)
    assert (final.finality.settlement_state, final.finality.final_revision) == (FINAL, 1)
    assert final.finality.provisional_until is None
    assert final.round == closed.round
    with database.reading(club_id) as transaction:
        rows = transaction.connection.exec_driver_sql(
            "SELECT sequence, content FROM events WHERE kind = 'settlement.finalized'"
        ).all()
    assert [(sequence, json.loads(content)) for sequence, content in rows] == [
        (final.version, {"round": str(closed.id), "revision": 1, "because": "window"})
    ]
    sweep_once(database)
    assert look(database, closed, club_id) == final


def test_sweepers_at_once_make_each_settlement_final_once(
    database: Database, club_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlement_actions, "_AT_ONCE", 3)
    closed = closed_rounds(database, club_id, 20)
    at_once(*[partial(sweep_once, database)] * 4)
    sweep_once(database)  # a sweeper leaves what another holds, and may end before it
    assert {look(database, each, club_id).version for each in closed} == {closed[0].version + 1}
    with database.reading(club_id) as transaction:
        counted = "SELECT count(*), count(DISTINCT round_id) FROM events WHERE kind = 'settlement.finalized'"
        assert transaction.connection.exec_driver_sql(counted).one() == (20, 20)


def test_a_sweep_finalizes_a_limited_number_per_club(
    database: Database, club_id: UUID, logins: Logins, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = add_club(logins.owner, "away")
    mine, theirs = closed_rounds(database, club_id, 3), closed_rounds(database, other, 1)
    monkeypatch.setattr(settlement_actions, "_AT_ONCE", 2)
    monkeypatch.setattr(settlement_actions, "MOST_AT_A_TIME", 2)
    sweep_once(database)
    assert [look(database, each, club_id).finality.settlement_state for each in mine] == [FINAL, FINAL, PROVISIONAL]
    assert look(database, theirs[0], other).finality.settlement_state is FINAL


def test_a_locked_round_is_left_to_the_next_sweep(database: Database, club_id: UUID) -> None:
    held, free = closed_rounds(database, club_id, 2)
    with database.transaction(club_id) as transaction:
        rounds.lock(transaction, held.id)
        sweep_once(database)
    assert look(database, held, club_id).finality.settlement_state is PROVISIONAL
    assert look(database, free, club_id).finality.settlement_state is FINAL
    sweep_once(database)
    assert look(database, held, club_id).finality.settlement_state is FINAL


def test_an_interrupted_sweep_leaves_consistent_records(
    database: Database, club_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = closed_rounds(database, club_id, 2)

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(RoundChange, "finalize", fail)
        with pytest.raises(KeyboardInterrupt):
            sweep_once(database)
    assert [look(database, each, club_id) for each in closed] == closed
    sweep_once(database)
    assert {look(database, each, club_id).finality.settlement_state for each in closed} == {FINAL}


def test_the_last_confirmation_finalizes_a_settlement(database: Database, club_id: UUID, logins: Logins) -> None:
    [closed] = closed_rounds(database, club_id, window=30)
    until = closed.finality.provisional_until
    for seat in (2, 1):
        with database.transaction(club_id) as transaction:
            confirmed = settlements.confirm(transaction, rounds.lock(transaction, closed.id), seat)
        assert (confirmed.finality.settlement_state, confirmed.finality.provisional_until) == (PROVISIONAL, until)
    with database.transaction(club_id) as transaction:
        final = settlements.confirm(transaction, rounds.lock(transaction, closed.id), 3)
        assert settlements.list_confirmed(transaction, closed.id, 1) == [1, 2, 3]
    assert final == look(database, closed, club_id)
    assert (final.version, final.finality.settlement_state) == (closed.version + 4, FINAL)
    with database.reading(club_id) as transaction:
        rows = transaction.connection.exec_driver_sql("SELECT sequence, kind FROM events WHERE sequence > 3 ORDER BY 1")
        kinds = [(sequence, kind) for sequence, kind in rows]
    confirmations = [(number, "settlement.confirmed") for number in (4, 5, 6)]
    assert kinds == [*confirmations, (7, "settlement.finalized")]


def test_a_disputed_settlement_waits_until_every_dispute_is_resolved(database: Database, club_id: UUID) -> None:
    [closed] = closed_rounds(database, club_id)
    states = []
    for change in (settlements.open_dispute,) * 2 + (settlements.end_dispute,) * 2:
        with database.transaction(club_id) as transaction:
            after = change(transaction, rounds.lock(transaction, closed.id), EventKind.DISPUTE_RESOLVED, EVENT)
        states.append(after.finality.settlement_state)
        if after.finality.open_disputes:
            sweep_once(database)
        assert look(database, closed, club_id) == after
    assert states == [DISPUTED, DISPUTED, DISPUTED, PROVISIONAL]
    assert after.version == closed.version + 4


def test_a_final_settlement_is_final_again_after_a_dispute_that_changed_nothing(
    database: Database, club_id: UUID
) -> None:
    [closed] = closed_rounds(database, club_id)
    sweep_once(database)
    event = (EventKind.DISPUTE_RESOLVED, EVENT)
    with database.transaction(club_id) as transaction:
        disputed = settlements.open_dispute(
            transaction, rounds.lock(transaction, closed.id), EventKind.DISPUTE_RESOLVED, EVENT
        )
        assert disputed.finality.settlement_state is DISPUTED
        assert (
            settlements.end_dispute(transaction, disputed, EventKind.DISPUTE_RESOLVED, EVENT).finality.settlement_state
            is FINAL
        )
        disputed = settlements.open_dispute(
            transaction, rounds.lock(transaction, closed.id), EventKind.DISPUTE_RESOLVED, EVENT
        )
        corrected = correct(transaction, disputed)
        assert corrected.finality.settlement_state is DISPUTED
        resolved = settlements.end_dispute(transaction, corrected, *event)
        assert (resolved.finality.settlement_state, resolved.finality.final_revision) == (PROVISIONAL, 1)


def test_a_corrected_final_settlement_is_adjusted(database: Database, club_id: UUID) -> None:
    [closed] = closed_rounds(database, club_id)
    with database.transaction(club_id) as transaction:
        assert get_records(transaction, closed.id, 1).adjustment is None
        provisional = correct(transaction, closed)
        assert get_records(transaction, closed.id, 2).adjustment is None
        final = settlements.finalize(transaction, provisional, FinalReason.WINDOW)
        corrected = correct_who_sat(transaction, final)
        assert corrected.finality.settlement_state is PROVISIONAL
        before, after = (get_records(transaction, closed.id, revision).result.nets_by_player for revision in (2, 3))
        adjustment = get_records(transaction, closed.id, 3).adjustment
    assert adjustment is not None
    assert adjustment.from_revision == 2
    [paid] = adjustment.payments
    won = before["ann"]
    assert won > 0
    assert (paid.payer, paid.payee, paid.amount) == ("ann", "dora", won)
    assert after == {"dora": won, "bob": before["bob"], "cleo": before["cleo"]}


def test_a_correction_without_changed_nets_has_no_payments(database: Database, club_id: UUID) -> None:
    [closed] = closed_rounds(database, club_id)
    with database.transaction(club_id) as transaction:
        correct(transaction, settlements.finalize(transaction, closed, FinalReason.WINDOW))
        adjustment = get_records(transaction, closed.id, 2).adjustment
    assert adjustment is not None
    assert (adjustment.from_revision, adjustment.payments) == (1, ())


@pytest.mark.parametrize(
    "change",
    [
        "settlement_state = 'final'",
        "settlement_state = 'open'",
        "final_revision = revision",
        "final_revision = revision + 1",
        "open_disputes = 1",
        "open_disputes = -1",
        "provisional_until = NULL",
    ],
)
def test_the_database_refuses_a_state_that_does_not_follow(
    database: Database, club_id: UUID, logins: Logins, change: str
) -> None:
    [closed] = closed_rounds(database, club_id)
    with psycopg.connect(logins.service) as connection:
        connection.execute("SELECT set_config('ofc.club', %s, true)", [str(club_id)])
        with pytest.raises(CheckViolation):
            connection.execute(f"UPDATE round_heads SET {change} WHERE round_id = '{closed.id}'".encode())
