"""Insert and read revisions of replayed rounds."""

from dataclasses import replace
from random import Random
from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from schemas.documents import load_document
from schemas.hands import SubmittedHand
from schemas.rulesets import load_ruleset
from scoring.history import Closing, Departure, History, replay
from scoring.round import close_round, depart, open_round
from scoring.round_state import RoundSeat
from service.audit_trail.models import EventRecord
from service.audit_trail.queries.events import EventKind
from service.db import Database, Transaction
from service.errors import Busy, RoundOpen
from service.rounds.models import RoundSeatRecord
from service.rounds.queries import hands, revisions, rounds
from service.rounds.queries.records import get_records
from service.rounds.queries.revisions import RevisionToRecord, write_reason
from service.rounds.queries.stored_round import StoredRound
from service.texts.models import TextRecord
from tests.oracle import PRESETS as ORACLE_PRESETS
from tests.oracle import random_document, random_ruleset
from tests.support.database.insert_records import (
    EVENT,
    EXAMPLE,
    PATIENT,
    SEATS,
    add_club,
    add_document,
    add_hand,
    add_round,
    add_table,
    end_round,
    example_round,
)
from tests.support.database.postgres import Logins

pytestmark = pytest.mark.every_server


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def play_again(transaction: Transaction, before: StoredRound, history: History) -> StoredRound:
    """Insert a replay of the round's hands as its newest revision."""
    recorded = hands.list_page(transaction, before.id, before.revision, limit=len(history.hands) or 1)
    ids = [hand.id for hand in recorded[: len(history.hands)]]
    revision = RevisionToRecord(history, replay(history), ids, write_reason("misread", before.id))
    return revisions.add(transaction, before, revision, EventKind.HAND_WITHDRAWN, EVENT)


def test_replayed_random_rounds_have_the_same_records(database: Database, club_id: UUID) -> None:
    rng = Random(77)
    late = 0
    for rules in [*ORACLE_PRESETS.values(), *(random_ruleset(rng) for _ in range(20))]:
        ruleset = load_ruleset(rules)
        document = load_document(random_document(rng, rules))
        history = document.history(ruleset)
        with database.transaction(club_id) as transaction:
            table = add_table(transaction, ruleset, document.table)
            opened = add_round(transaction, table, open_round(ruleset, document.seats))
            before = add_document(transaction, opened, document)
        with database.transaction(club_id) as transaction:
            after = play_again(transaction, before, history)
        with database.reading(club_id) as transaction:
            stored = rounds.get(transaction, opened.id)
            first, second = (hands.list_page(transaction, opened.id, revision) for revision in (1, 2))
            paid = [get_records(transaction, opened.id, revision).paid for revision in (1, 2)]
            left = [get_records(transaction, opened.id, revision).departed for revision in (1, 2)]
            closed = [get_records(transaction, opened.id, revision).closed for revision in (1, 2)]
            came_to = [get_records(transaction, opened.id, revision).result for revision in (1, 2)]

        assert stored == after
        same = {"finality": after.finality, "last_event": after.last_event}
        assert after == replace(before, version=before.version + 1, revision=2, **same)
        assert all(hand.in_force for hand in first)
        assert second == [replace(hand, revision=2) for hand in first]
        assert paid[0] == paid[1]
        assert left[0] == left[1]
        assert closed[0] == closed[1]
        assert came_to[0] == came_to[1]
        assert (came_to[0].stacks, came_to[0].nets) == (before.round.stacks, before.round.nets)
        late += len(paid[0]) - sum(len(hand.transfers) for hand in first)
    assert late > 0, "no round was paid out by a departure or a closing"


def test_unchanged_records_preserve_their_times_and_marks(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        opened = add_round(transaction, add_table(transaction, PATIENT), example_round(PATIENT), carried_over=[1, 2])
        after = add_hand(transaction, opened, SubmittedHand(EXAMPLE))
        departure, closing = Departure(2, 1, "last train"), Closing(1, "the room closes")
        after = end_round(transaction, after, depart(after.round, 2), departure)
        after = end_round(transaction, after, close_round(after.round), closing)
        then = transaction.now
    richer = (SEATS[0], RoundSeat(2, "bob", 51), SEATS[2])
    history = History(PATIENT, richer, (EXAMPLE,), (departure,), replace(closing, reason="it rains"))
    with database.transaction(club_id) as transaction:
        play_again(transaction, after, history)
        seats = transaction.execute(
            select(RoundSeatRecord.__table__).where(RoundSeatRecord.revision == 2).order_by(RoundSeatRecord.seat)
        ).all()
        first, second = [get_records(transaction, opened.id, revision) for revision in (1, 2)]
        texts = transaction.execute(select(TextRecord.content, TextRecord.player).order_by(TextRecord.content)).all()
        event = transaction.execute(select(EventRecord.__table__).order_by(EventRecord.id.desc()).limit(1)).one()
    assert [(seat.opening_stack, seat.carried_over) for seat in seats] == [(3, True), (51, False), (50, False)]
    [left], [left_before] = second.departures, first.departures
    assert (left["recorded_at"], left["reason_text"], left["reason"]) == (then, "last train", left_before["reason"])
    assert second.closing is not None
    assert (second.closing["recorded_at"], second.closing["reason_text"]) == (transaction.now, "it rains")
    assert (second.reason, second.settlement_record["created_at"]) == ("misread", transaction.now)
    assert texts == [("it rains", None), ("last train", "bob"), ("misread", None), ("the room closes", None)]
    assert (event.kind, event.sequence) == ("hand.withdrawn", after.version + 1)


def test_a_revision_without_hands_equals_the_opening(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        opened = add_round(transaction, add_table(transaction), example_round())
        before = add_hand(transaction, opened, SubmittedHand(EXAMPLE))
        after = play_again(transaction, before, History(opened.round.ruleset, SEATS))
        assert after.round == opened.round
        assert rounds.get(transaction, opened.id) == after
        assert hands.list_page(transaction, opened.id, 2) == []
        [withdrawn] = hands.list_page(transaction, opened.id, 1)
        assert not withdrawn.in_force
        assert hands.get(transaction, withdrawn.id) == withdrawn
        assert get_records(transaction, opened.id, 2).result.stacks == {1: 3, 2: 50, 3: 50}
        assert get_records(transaction, opened.id, 1).result.nets == {1: 5, 2: -4, 3: -1}


def test_adding_a_revision_with_a_stale_version_fails(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        opened = add_round(transaction, add_table(transaction), example_round())
        before = add_hand(transaction, opened, SubmittedHand(EXAMPLE))
        play_again(transaction, before, History(opened.round.ruleset, SEATS))
    for stale in (before, opened):
        with pytest.raises(Busy, match=f"version {stale.version}"), database.transaction(club_id) as transaction:
            play_again(transaction, stale, History(opened.round.ruleset, SEATS))


def test_a_revision_cannot_reopen_a_round_beside_an_open_one(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        table = add_table(transaction)
        before = add_round(transaction, table, example_round())
        before = end_round(transaction, before, close_round(before.round), Closing(0, "nobody came"))
        add_round(transaction, table, example_round())
    with pytest.raises(RoundOpen), database.transaction(club_id) as transaction:
        play_again(transaction, before, History(before.round.ruleset, SEATS))


def test_chips_that_do_not_add_up_are_refused_in_every_revision(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        opened = add_round(transaction, add_table(transaction), example_round())
        before = add_hand(transaction, opened, SubmittedHand(EXAMPLE))
        [recorded] = hands.list_page(transaction, opened.id, 1)
    history = History(opened.round.ruleset, SEATS, (EXAMPLE,))
    played = replay(history)
    [hand] = played.hands
    exchanged = replace(hand.round, stacks={1: 8, 2: 49, 3: 46})
    wrong = replace(played, hands=(replace(hand, round=exchanged),), round=exchanged)
    revision = RevisionToRecord(history, wrong, [recorded.id], write_reason("misread", before.id))
    with pytest.raises(IntegrityError, match="do not add up"), database.transaction(club_id) as transaction:
        revisions.add(transaction, before, revision, EventKind.HAND_WITHDRAWN, EVENT)
    with database.reading(club_id) as transaction:
        assert rounds.get(transaction, opened.id) == before
