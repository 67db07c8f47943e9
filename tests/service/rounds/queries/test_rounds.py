"""Insert and read whole rounds."""

from datetime import timedelta
from random import Random
from uuid import UUID

import pytest
from sqlalchemy import select
from uuid_utils.compat import uuid7

from schemas.documents import load_document
from schemas.hands import SubmittedHand
from schemas.rulesets import load_ruleset
from scoring.history import Closing, replay
from scoring.round import close_round, open_round
from scoring.round_state import RoundSeat, RoundStatus
from service.db import Database, Transaction
from service.errors import Busy, NotFound, RoundConflict, RoundOpen
from service.rounds.models import RoundSeatRecord
from service.rounds.queries import hands, rounds
from service.rounds.queries.records import get_records
from service.rounds.queries.round_filter import RoundFilter
from service.rounds.queries.stored_round import StoredRound
from tests.oracle import PRESETS as ORACLE_PRESETS
from tests.oracle import random_document, random_ruleset
from tests.support.database.insert_records import (
    EXAMPLE,
    PINEAPPLE,
    add_club,
    add_document,
    add_hand,
    add_round,
    add_table,
    end_round,
    example_round,
)
from tests.support.database.postgres import Logins
from tests.support.race import at_once

pytestmark = pytest.mark.every_server


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def test_random_rounds_under_every_ruleset_round_trip(database: Database, club_id: UUID) -> None:
    rng = Random(2026)
    late = 0
    for rules in [*ORACLE_PRESETS.values(), *(random_ruleset(rng) for _ in range(60))]:
        ruleset = load_ruleset(rules)
        document = load_document(random_document(rng, rules))
        played = replay(document.history(ruleset))
        with database.transaction(club_id) as transaction:
            table = add_table(transaction, ruleset, document.table)
            opened = add_round(transaction, table, open_round(ruleset, document.seats))
            after = add_document(transaction, opened, document)
        with database.reading(club_id) as transaction:
            stored = rounds.get(transaction, opened.id)
            paid = get_records(transaction, opened.id, stored.revision).paid
            departures = list(get_records(transaction, opened.id, stored.revision).departed)
            closing = get_records(transaction, opened.id, stored.revision).closed
            recorded = hands.list_page(transaction, opened.id, stored.revision)

        assert stored == after
        assert stored.round == played.round
        assert stored.version == 1 + len(played.hands) + len(departures) + (closing is not None)
        assert paid == list(played.payments)
        assert departures == list(document.departures)
        assert closing == document.closed
        assert [hand.hand for hand in recorded] == [hand.hand for hand in played.hands]
        assert [hand.played_at for hand in recorded] == [submitted.played_at for submitted in document.hands]
        assert [hand.score for hand in recorded] == [hand.score for hand in played.hands]
        assert [hand.transfers for hand in recorded] == [hand.transfers for hand in played.hands]
        assert [hand.stacks for hand in recorded] == [hand.round.stacks for hand in played.hands]
        late += len(paid) - sum(len(hand.transfers) for hand in played.hands)
    assert late > 0, "no round was paid out by a departure or a closing"


def test_a_round_is_found_by_its_reference_and_by_its_content(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        table = add_table(transaction)
        named = add_round(transaction, table, example_round(), reference="friday")
        named = close(transaction, named)
        unnamed = add_round(transaction, table, example_round())
        assert rounds.find_by_reference(transaction, table.id, "friday") == named
        assert rounds.find_by_reference(transaction, table.id, "saturday") is None
        assert rounds.list_alike(transaction, [table.id], "friday", bytes(32)) == [named]
        assert rounds.list_alike(transaction, [table.id], None, unnamed.digest) == [unnamed]
        assert rounds.list_alike(transaction, [table.id], None, bytes(32)) == []
        assert rounds.list_alike(transaction, [club_id], None, unnamed.digest) == []
        assert rounds.list_alike(transaction, [], None, unnamed.digest) == []
        assert rounds.find_following(transaction, named) == unnamed.id
        assert rounds.find_following(transaction, unnamed) is None
        assert rounds.find_open(transaction, table.id) == unnamed.id
        assert rounds.find_open(transaction, uuid7()) is None


def test_a_table_has_one_open_round(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        table = add_table(transaction)
        add_round(transaction, table, example_round())
    with pytest.raises(RoundOpen), database.transaction(club_id) as transaction:
        add_round(transaction, table, example_round())


def test_a_reference_belongs_to_one_round_of_a_table(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        table = add_table(transaction)
        close(transaction, add_round(transaction, table, example_round(), reference="friday"))
        elsewhere = add_table(transaction, name="parlour")
        add_round(transaction, elsewhere, example_round(), reference="friday")
    with pytest.raises(RoundConflict), database.transaction(club_id) as transaction:
        add_round(transaction, table, example_round(), reference="friday")


def test_seats_and_stacks_are_stored(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        opened = add_round(transaction, add_table(transaction), example_round(), carried_over=[2])
        add_hand(transaction, opened, SubmittedHand(EXAMPLE))
        seats = transaction.execute(select(RoundSeatRecord.__table__).order_by(RoundSeatRecord.seat)).all()
    assert [(seat.seat, seat.player, seat.opening_stack, seat.carried_over) for seat in seats] == [
        (1, "ann", 3, False),
        (2, "bob", 50, True),
        (3, "cleo", 50, False),
    ]


def test_a_round_of_another_club_is_not_found(database: Database, club_id: UUID, logins: Logins) -> None:
    with database.transaction(club_id) as transaction:
        opened = add_round(transaction, add_table(transaction), example_round())
    elsewhere = add_club(logins.owner, "away")
    for look in (rounds.get, rounds.lock):
        with pytest.raises(NotFound, match=str(opened.id)), database.transaction(elsewhere) as transaction:
            look(transaction, opened.id)


def test_rounds_are_listed_newest_first_page_by_page(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        opened = [
            add_round(transaction, add_table(transaction, name=f"table {number}"), example_round())
            for number in range(5)
        ]
        for after, listed in ((None, opened[:2:-1]), (opened[3], [opened[2], opened[1]]), (opened[1], [opened[0]])):
            place = None if after is None else rounds.find_place(transaction, after.id)
            assert rounds.list_page(transaction, RoundFilter(), after=place, limit=2) == listed
        assert rounds.find_place(transaction, uuid7()) is None


def test_rounds_are_filtered_by_table_player_status_and_time(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        kitchen, parlour = add_table(transaction), add_table(transaction, name="parlour")
        first = close(transaction, add_round(transaction, kitchen, example_round()))
        dan = open_round(PINEAPPLE, [RoundSeat(1, "dan", 5), RoundSeat(2, "ann", 5)])
        second = add_round(transaction, parlour, dan)
        moment = timedelta(microseconds=1)
        for filter_, expected in (
            (RoundFilter(table_id=kitchen.id), [first]),
            (RoundFilter(player="dan"), [second]),
            (RoundFilter(player="ann"), [second, first]),
            (RoundFilter(player="Ann"), []),
            (RoundFilter(status=RoundStatus.OPEN), [second]),
            (RoundFilter(status=RoundStatus.CLOSED, table_id=parlour.id), []),
            (RoundFilter(opened_from=first.opened_at, opened_before=first.opened_at + moment), [second, first]),
            (RoundFilter(opened_before=first.opened_at), []),
            (RoundFilter(opened_from=first.opened_at + moment), []),
        ):
            assert rounds.list_page(transaction, filter_, limit=10) == expected, filter_


def test_two_hands_at_once_wait_for_each_other(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        opened = add_round(transaction, add_table(transaction), example_round())

    def record() -> int:
        with database.transaction(club_id) as transaction:
            before = rounds.lock(transaction, opened.id)
            if before.round.hands == 0:
                add_hand(transaction, before, SubmittedHand(EXAMPLE))
            return before.round.hands

    assert sorted(at_once(record, record)) == [0, 1]
    with database.reading(club_id) as transaction:
        assert rounds.get(transaction, opened.id).version == 2


def test_a_change_with_a_stale_version_fails(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        before = add_round(transaction, add_table(transaction), example_round())
        add_hand(transaction, before, SubmittedHand(EXAMPLE))
    with pytest.raises(Busy, match="version 1"), database.transaction(club_id) as transaction:
        add_hand(transaction, before, SubmittedHand(EXAMPLE))
    with pytest.raises(Busy, match="version 1"), database.transaction(club_id) as transaction:
        close(transaction, before)


def test_a_round_locked_for_too_long_is_busy(database: Database, club_id: UUID, database_url: str) -> None:
    with database.transaction(club_id) as transaction:
        opened = add_round(transaction, add_table(transaction), example_round())
    separator = "&" if "?" in database_url else "?"
    hasty = Database(f"{database_url}{separator}options=-c%20lock_timeout%3D50ms")
    with database.transaction(club_id) as transaction:
        rounds.lock(transaction, opened.id)
        with pytest.raises(Busy), hasty.transaction(club_id) as other:
            rounds.lock(other, opened.id)
    hasty.close()


def close(transaction: Transaction, before: StoredRound) -> StoredRound:
    closing = Closing(before.round.hands, "the room closes")
    return end_round(transaction, before, close_round(before.round), closing)
