"""Constraints and triggers of the database: append-only records, and chips that add up."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import TextClause, text
from sqlalchemy.exc import IntegrityError
from uuid_utils.compat import uuid7

from migrations.privileges import APPEND, SERVICE_PRIVILEGES
from schemas.hands import SubmittedHand
from scoring.history import Closing
from scoring.round import PlayedHand, close_round, play_hand
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset
from scoring.settlement import LimitedBy, Transfer
from service.db import Database, Transaction
from service.errors import Busy
from service.rounds.queries.stored_round import StoredRound
from tests.support.database.insert_records import (
    EXAMPLE,
    PATIENT,
    PINEAPPLE,
    add_hand,
    add_round,
    add_table,
    end_round,
    example_round,
    to_record,
    write_hand,
)
from tests.support.database.owned_database import SERVERS, Filled, filled_database, tables_of

CHANGING = {"clubs", "api_keys", "links", "players", "aliases", "tables", "round_heads", "dispute_heads"} | {
    "jobs",
    "job_chunks",
    "import_pieces",
    "import_results",
    "idempotent_responses",
    "waiting_events",
    "tree_heads",
    "round_map_tiles",
    "webhooks",
    "webhook_deliveries",
    "round_statistics",
    "texts",
    "console_sessions",
    "scorekeepers",
    "verifications",
    "verification_findings",
}
"""Tables whose rows can change; all others are append-only."""


@pytest.fixture(scope="module", params=SERVERS)
def filled(request: pytest.FixtureRequest) -> Iterator[Filled]:
    with filled_database(request.getfixturevalue(f"{request.param}_postgres")) as database:
        yield database


@pytest.fixture
def transaction(filled: Filled) -> Iterator[Transaction]:
    database = Database(filled.logins.service)
    with database.transaction(filled.home, rolled_back=True) as begun:
        yield begun
    database.close()


@pytest.mark.smoke
def test_all_other_tables_are_append_only(filled: Filled) -> None:
    records = set(tables_of(filled.admin)) - CHANGING
    assert records == {table for table, privileges in SERVICE_PRIVILEGES.items() if privileges == APPEND}


@pytest.mark.parametrize("change", ["UPDATE {} SET club_id = club_id", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_records_cannot_be_changed_by_service_owner_or_superuser(filled: Filled, change: str) -> None:
    refusals = {
        filled.logins.service: psycopg.errors.InsufficientPrivilege,
        filled.logins.owner: psycopg.errors.RestrictViolation,
        filled.admin: psycopg.errors.RestrictViolation,
    }
    for url, refusal in refusals.items():
        with psycopg.connect(url) as connection:
            for table in set(tables_of(filled.admin)) - CHANGING:
                with pytest.raises(refusal, match=f"permission denied for table {table}|on {table} is refused"):
                    try_to_change(connection, filled.home, change.format(table))


def try_to_change(connection: psycopg.Connection, club_id: UUID, change: str) -> None:
    with connection.transaction():
        connection.execute("SELECT set_config('ofc.club', %s, true)", [str(club_id)])
        connection.execute(change.encode())


@pytest.mark.parametrize("change", ["DELETE FROM tables", "TRUNCATE tables CASCADE"])
def test_a_table_is_permanent(filled: Filled, change: str) -> None:
    for url in (filled.logins.owner, filled.admin):
        with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.RestrictViolation, match="on tables is"):
            try_to_change(connection, filled.home, change)


@pytest.mark.parametrize("column", ["club_id", "id", "created_at"])
def test_a_table_keeps_its_id_and_its_age(transaction: Transaction, column: str) -> None:
    with pytest.raises(Exception, match="permission denied"):
        transaction.execute(text(f"UPDATE tables SET {column} = {column}"))


@pytest.mark.parametrize("column", ["club_id", "round_id", "table_id"])
def test_a_round_head_cannot_be_moved_to_another_round(transaction: Transaction, column: str) -> None:
    with pytest.raises(Exception, match="permission denied"):
        transaction.execute(text(f"UPDATE round_heads SET {column} = {column}"))


Tampering = Callable[[PlayedHand], PlayedHand]


def with_transfer(number: int, **changes: Any) -> Tampering:
    def tamper(played: PlayedHand) -> PlayedHand:
        transfers = list(played.transfers)
        transfers[number - 1] = replace(transfers[number - 1], **changes)
        return replace(played, transfers=tuple(transfers))

    return tamper


def with_transfers(*transfers: Transfer) -> Tampering:
    return lambda played: replace(played, transfers=transfers)


def with_stacks(**stacks: int) -> Tampering:
    changed = {int(seat.removeprefix("seat")): points for seat, points in stacks.items()}
    return lambda played: replace(played, round=replace(played.round, stacks={**played.round.stacks, **changed}))


def with_hand(**changes: Any) -> Tampering:
    return lambda played: replace(played, hand=replace(played.hand, **changes))


def with_points(**points: int) -> Tampering:
    changed = {int(seat.removeprefix("seat")): each for seat, each in points.items()}
    return lambda played: replace(played, score=replace(played.score, points={**played.score.points, **changed}))


# The example pays 3 of 4 from seat 2 to seat 1, 2 from seat 3 to seat 1, and 1 from seat 2 to seat 3.
CUT = LimitedBy.PAYER_STACK
IMPOSSIBLE = "the transfer .* is impossible"
REFUSED: dict[str, tuple[str, Tampering]] = {
    "a transfer above what is due": (IMPOSSIBLE, with_transfer(2, due=1, limited_by=CUT)),
    "a transfer of less than nothing": (IMPOSSIBLE, with_transfer(2, paid=-1, limited_by=CUT)),
    "a transfer of which nothing is due": (IMPOSSIBLE, with_transfer(2, due=0, paid=0)),
    "a transfer to nobody": (IMPOSSIBLE, with_transfer(2, payee=None)),
    "a transfer to oneself": (IMPOSSIBLE, with_transfer(2, payee=3)),
    "a transfer cut off for no reason": (IMPOSSIBLE, with_transfer(1, limited_by=None)),
    "a transfer in full and cut off": (IMPOSSIBLE, with_transfer(2, limited_by=CUT)),
    "a payer with less than nothing": (IMPOSSIBLE, with_transfer(2, payer_stack=-1)),
    "a transfer that leaves what it does not": ("do not add up", with_transfer(2, payer_stack=47, payee_stack=9)),
    "a transfer that did not move": ("do not add up", with_transfer(3, paid=0, limited_by=CUT)),
    "a transfer from an empty seat": ("do not add up", with_transfer(3, payer=7)),
    "chips that move without a transfer": ("do not add up", with_transfers()),
    "a negative stack": ("_negative_check", with_stacks(seat1=-1, seat2=55)),
    "one point too many": ("_conserved_check", with_stacks(seat1=9)),
    "stacks that are another seat's": ("do not add up", with_stacks(seat1=49, seat3=8)),
    "points made of nothing": ("hand_scores_zero_sum_check", with_points(seat1=7)),
    "a hand after one that is not there": ("do not add up", with_hand(number=2)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_database_rejects_inconsistent_records(transaction: Transaction, what: str) -> None:
    reason, tamper = REFUSED[what]
    before = open_example(transaction)
    tampered = tamper(play_hand(before.round, EXAMPLE))
    with pytest.raises(IntegrityError, match=reason):
        write_hand(transaction, before, tampered, to_record(SubmittedHand(tampered.hand)))


def test_the_unchanged_example_is_accepted(transaction: Transaction) -> None:
    add_hand(transaction, open_example(transaction), SubmittedHand(EXAMPLE))


def test_a_hand_starts_with_the_stacks_of_the_hand_before(transaction: Transaction) -> None:
    after = add_hand(transaction, open_example(transaction, QUIET), SubmittedHand(EXAMPLE))
    richer = replace(after, round=replace(after.round, stacks={1: 9, 2: 45, 3: 49}))
    second = replace(EXAMPLE, number=2, button=1)
    with pytest.raises(IntegrityError, match="begins with"):
        write_hand(transaction, richer, play_hand(richer.round, second), to_record(SubmittedHand(second)))


def test_the_first_hand_starts_with_the_opening_stacks(transaction: Transaction) -> None:
    opened = open_example(transaction)
    richer = replace(opened, round=replace(opened.round, stacks={1: 4, 2: 49, 3: 50}))
    with pytest.raises(IntegrityError, match="begins with"):
        write_hand(transaction, richer, play_hand(richer.round, EXAMPLE), to_record(SubmittedHand(EXAMPLE)))


def test_hand_numbers_are_unique_in_a_revision(transaction: Transaction) -> None:
    before = open_example(transaction)
    add_hand(transaction, before, SubmittedHand(EXAMPLE))
    refused = insert_changed("hand_scores", revision=1)
    with pytest.raises(IntegrityError, match="hand_scores_pkey"), transaction.connection.begin_nested():
        transaction.execute(refused)
    with pytest.raises(Busy):
        add_hand(transaction, before, SubmittedHand(EXAMPLE))


def test_no_hand_follows_a_payout(transaction: Transaction) -> None:
    after = add_hand(transaction, open_example(transaction, PATIENT), SubmittedHand(EXAMPLE))
    closed = close(transaction, after)
    second = replace(EXAMPLE, number=2, button=1)
    played = play_hand(replace(after.round, stacks=closed.round.stacks), second)
    for stacks in (after.round.stacks, closed.round.stacks):
        reopened = replace(closed, round=replace(after.round, stacks=stacks))
        with pytest.raises(IntegrityError, match="do not add up"), transaction.connection.begin_nested():
            write_hand(transaction, reopened, replace(played, round=reopened.round), to_record(SubmittedHand(second)))


def test_a_payout_must_match_its_transfers(transaction: Transaction) -> None:
    after = add_hand(transaction, open_example(transaction, PATIENT), SubmittedHand(EXAMPLE))
    closed = close_round(after.round)
    assert closed.transfers
    stacks = closed.round.stacks
    for tampered in (
        replace(closed, round=replace(closed.round, stacks={**stacks, 1: stacks[2], 2: stacks[1]})),
        replace(closed, transfers=closed.transfers[:-1]),
    ):
        with pytest.raises(IntegrityError, match="do not add up"), transaction.connection.begin_nested():
            end_round(transaction, after, tampered, Closing(1, "the room closes"))


@pytest.mark.parametrize(
    ("constraint", "players", "stacks"),
    [
        ("round_seats_player_key", ["ann", "ann", "cleo"], [3, 50, 50]),
        ("round_seats_opening_stack_check", ["ann", "bob", "cleo"], [0, 50, 50]),
        ("round_seats_player_check", ["", "bob", "cleo"], [3, 50, 50]),
    ],
)
def test_every_player_has_one_seat_and_points(
    transaction: Transaction, constraint: str, players: list[str], stacks: list[int]
) -> None:
    table = add_table(transaction, name="study")
    seats = tuple(map(RoundSeat, (1, 2, 3), players, stacks))
    points = {seat.seat: seat.opening_stack for seat in seats}
    seated = replace(example_round(), seats=seats, stacks=points, opening_stacks=points)
    with pytest.raises(IntegrityError, match=constraint):
        add_round(transaction, table, seated)


@pytest.mark.parametrize(
    ("table", "constraint", "changes"),
    [
        ("hands", "hands_boards_check", {"boards": "\\x0001020304050607080910"}),
        ("hands", "hands_fantasyland_check", {"fantasyland": [0, 0]}),
        ("hands", "hands_digest_check", {"digest": "\\x00"}),
        ("submissions", "submissions_sha256_check", {"content": "\\x00"}),
        ("hand_scores", "hand_scores_every_player_check", {"revision": 7, "exchanges": [1]}),
        ("hand_scores", "hand_scores_every_seat_check", {"revision": 7, "top_ups": [0]}),
        ("hand_scores", "hand_scores_negative_check", {"revision": 7, "top_ups": [0, None, 0]}),
        ("dispute_entries", "dispute_entries_comment_required_check", {"version": 3, "comment": None}),
        ("dispute_entries", "dispute_entries_upheld_check", {"version": 3, "kind": "upheld", "comment": None}),
        ("dispute_entries", "dispute_entries_upheld_check", {"version": 3, "kind": "rejected", "correction": 2}),
        ("dispute_entries", "dispute_entries_one_author_check", {"version": 3, "author": None, "author_name": None}),
        ("disputes", "disputes_one_author_check", {"author": None, "author_name": None}),
        ("texts", "texts_owner_check", {"digest": f"\\x{'00' * 32}", "record_id": None, "player": None}),
        ("disputes", "disputes_row_of_a_hand_check", {"hand": None}),
        ("events", "events_numbered_in_round_check", {"round_id": None, "sequence": 1}),
    ],
)
def test_incomplete_records_are_rejected(
    filled: Filled, transaction: Transaction, table: str, constraint: str, changes: dict[str, Any]
) -> None:
    with pytest.raises(IntegrityError, match=constraint):
        transaction.execute(insert_changed(table, **{**fresh_id(table), **changes}))


OF_A_ROUND = ["rounds", "settlements", "round_seats", "round_heads", "departures", "closings", "events"]
OF_A_DISPUTE = ["disputes", "dispute_entries", "dispute_heads"]
OF_A_HAND = ["hands", "hand_scores", "payouts"]


@pytest.mark.parametrize("table", OF_A_ROUND + OF_A_HAND + OF_A_DISPUTE)
def test_foreign_keys_cannot_refer_to_another_club(filled: Filled, table: str) -> None:
    with psycopg.connect(filled.admin) as admin:
        copy = f"""
            INSERT INTO {table}
            SELECT (jsonb_populate_record(NULL::{table}, to_jsonb(found) || jsonb_build_object('club_id', %s::uuid))).*
            FROM {table} AS found WHERE club_id = %s {"AND round_id IS NOT NULL" if table == "events" else ""}
        """
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            admin.execute(copy.encode(), [filled.away, filled.home])


# As the example, but that nobody enters Fantasyland, so the next hand may be any.
QUIET = replace(PATIENT, name="quiet", stakes=PINEAPPLE.stakes)


def open_example(transaction: Transaction, ruleset: Ruleset = PINEAPPLE) -> StoredRound:
    return add_round(transaction, add_table(transaction, ruleset, "study"), example_round(ruleset))


def close(transaction: Transaction, before: StoredRound) -> StoredRound:
    closing = Closing(before.round.hands, "the room closes")
    return end_round(transaction, before, close_round(before.round), closing)


def fresh_id(table: str) -> dict[str, str]:
    return {"id": str(uuid7())} if table in ("hands", "submissions", "events", "disputes") else {}


def insert_changed(table: str, **changes: Any) -> TextClause:
    """Copy the newest row of a table with some columns changed."""
    newest = {"submissions": "id DESC", "events": "id DESC"}
    copied = text(f"""
        INSERT INTO {table}
        SELECT (jsonb_populate_record(CAST(NULL AS {table}), to_jsonb(found) || CAST(:changes AS jsonb))).*
        FROM (SELECT * FROM {table} ORDER BY {newest.get(table, "round_id DESC")} LIMIT 1) AS found
    """)
    return copied.bindparams(changes=json.dumps(changes))
