"""Insert hands with one statement, and read them."""

import json
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, text
from uuid_utils.compat import uuid7

from schemas.hands import SubmittedHand, dump_hand, load_hand
from scoring import SCORER_VERSION
from scoring.round import play_hand
from service.audit_trail.models import EventRecord
from service.db import Database, Transaction
from service.errors import NotFound
from service.rounds.models import HandRecord, HandScoreRecord, SubmissionRecord
from service.rounds.queries import boards, hands, rounds
from service.rounds.queries.new_records import Submission
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange, write_rounds
from tests.support.database.insert_records import (
    EVENT,
    EXAMPLE,
    add_club,
    add_hand,
    add_round,
    add_table,
    example_round,
    to_record,
    write_hand,
)
from tests.support.database.postgres import Logins
from tests.support.database.recorded_statements import recorded_statements

pytestmark = pytest.mark.every_server

# Cards in no order, a discard known, a street set by the clock: what the packed board alone does not say.
STREETS: dict[str, Any] = {
    "number": 1,
    "button": 1,
    "players": [
        {
            "seat": 2,
            "top": ["4c", "Qs", "Qd"],
            "middle": ["3c", "Ks", "Kd", "9h", "8h"],
            "bottom": ["2h", "Ah", "Jh", "7h", "6h"],
            "discards": ["2c", "5c", "3d", "Th"],
            "streets": [
                {
                    "dealt": ["4c", "3c", "2h", "Ah", "Jh"],
                    "top": ["4c"],
                    "middle": ["3c"],
                    "bottom": ["2h", "Ah", "Jh"],
                },
                {"dealt": ["7h", "6h", "2c"], "bottom": ["7h", "6h"], "discards": ["2c"], "auto": ["7h", "6h", "2c"]},
                {"dealt": ["Ks", "Kd", "5c"], "middle": ["Ks", "Kd"], "discards": ["5c"]},
                {"dealt": ["9h", "8h", "3d"], "middle": ["9h", "8h"], "discards": ["3d"]},
                {"dealt": ["Qs", "Qd", "Th"], "top": ["Qs", "Qd"], "discards": ["Th"]},
            ],
        },
        {
            "seat": 1,
            "top": ["Ac", "8d", "2s"],
            "middle": ["Ts", "Tc", "5d", "6c", "6s"],
            "bottom": ["7s", "7d", "7c", "Jd", "Js"],
        },
        {
            "seat": 3,
            "top": ["Kh", "Kc", "3s"],
            "middle": ["9s", "9d", "8s", "8c", "4h"],
            "bottom": ["As", "Ad", "Qh", "Qc", "2d"],
        },
    ],
}


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def open_example(transaction: Transaction) -> StoredRound:
    return add_round(transaction, add_table(transaction), example_round())


def test_the_worked_example_reads_back_with_its_transfers_and_stacks(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        before = open_example(transaction)
        hand = to_record(SubmittedHand(EXAMPLE))
        write_hand(transaction, before, play_hand(before.round, EXAMPLE), hand)
        read = hands.get(transaction, hand.id)
        assert read.hand == EXAMPLE
        assert read.players == {1: "ann", 2: "bob", 3: "cleo"}
        assert [(paid.payer, paid.payee, paid.due, paid.paid) for paid in read.transfers] == [
            (2, 1, 4, 3),
            (3, 1, 2, 2),
            (2, 3, 1, 1),
        ]
        assert read.stacks == {1: 8, 2: 46, 3: 49}
        assert read.score.points == {1: 6, 2: -5, 3: -1}
        assert read.scorer_version == SCORER_VERSION
        assert (read.recorded_at, read.ruleset) == (transaction.now, before.round.ruleset)


def test_streets_discards_and_the_order_of_cards_are_preserved(database: Database, club_id: UUID) -> None:
    submitted = load_hand(STREETS)
    with database.transaction(club_id) as transaction:
        before = open_example(transaction)
        hand = to_record(submitted)
        write_hand(transaction, before, play_hand(before.round, submitted.hand), hand)
        read = hands.get(transaction, hand.id)
    by_seat = tuple(sorted(submitted.hand.players, key=lambda player: player.seat))
    assert read.hand.players == by_seat
    assert read.content == json.loads(hand.submitted.content)


def test_a_record_has_the_bytes_received_and_13_bytes_a_board(database: Database, club_id: UUID) -> None:
    received = b'{"number": 1,\n "button": 3 ...}'
    with database.transaction(club_id) as transaction:
        before = open_example(transaction)
        submission = Submission("hand", received)
        hand = to_record(SubmittedHand(EXAMPLE), submission.id)
        write_hand(transaction, before, play_hand(before.round, EXAMPLE), hand, submission)
        record = transaction.execute(select(HandRecord.__table__)).one()
        stored = transaction.execute(select(SubmissionRecord.__table__)).one()
        score = transaction.execute(select(HandScoreRecord.__table__)).one()
    assert record.boards == EXAMPLE.boards == b"".join(player.board.packed for player in EXAMPLE.players)
    assert (stored.id, stored.content, stored.sha256) == (record.submission_id, received, sha256(received).digest())
    assert (score.points, score.royalties, score.earned) == ([6, -5, -1], [11, 6, 8], [14, 0, 14])
    assert (score.fouls, score.exchanges, score.stays) == ([False] * 3, [4, 2, -1], [0, 0, 0])
    assert (score.stacks_before, score.top_ups, score.stacks) == ([3, 50, 50], [0, 0, 0], [8, 46, 49])
    assert (score.ruleset_name, score.ruleset_version, score.revision) == ("pineapple", 1, 1)


def test_hands_of_one_document_share_its_bytes(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        document = Submission("document", b"[...]")
        changes = []
        for name in ("kitchen", "parlour"):
            before = add_round(transaction, add_table(transaction, name=name), example_round())
            changes.append(RoundChange(transaction, before))
            played = play_hand(before.round, EXAMPLE)
            changes[-1].add_played(before.round, played, to_record(SubmittedHand(EXAMPLE), document.id))
            changes[-1].finish(played.round)
        changes[0].add_submission(document)
        write_rounds(transaction, *changes)
        assert transaction.execute(select(HandRecord.submission_id)).scalars().all() == [document.id] * 2


def test_a_hand_is_found_again_by_its_number(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        before = open_example(transaction)
        hand = to_record(SubmittedHand(EXAMPLE))
        write_hand(transaction, before, play_hand(before.round, EXAMPLE), hand)
        [(hand_id, content)] = hands.list_contents(transaction, before.id, 1)
        assert (hand_id, content) == (hand.id, dump_hand(SubmittedHand(EXAMPLE)))
        newest = hands.find_newest(transaction, before.id, [hand_id])
        assert newest is not None
        assert newest.id == hand.id
        assert hands.list_contents(transaction, before.id, 2) == []
        assert hands.find_newest(transaction, before.id, []) is None
        assert hands.find_newest(transaction, uuid7(), [hand_id]) is None
        assert boards.list_boards(transaction, before.id) == [(1, list(EXAMPLE.seats), EXAMPLE.boards)]


def test_a_hand_of_another_club_is_not_found(database: Database, club_id: UUID, logins: Logins) -> None:
    with database.transaction(club_id) as transaction:
        hand = to_record(SubmittedHand(EXAMPLE))
        before = open_example(transaction)
        write_hand(transaction, before, play_hand(before.round, EXAMPLE), hand)
    elsewhere = add_club(logins.owner, "away")
    with pytest.raises(NotFound, match=str(hand.id)), database.transaction(elsewhere) as transaction:
        hands.get(transaction, hand.id)


def test_hands_are_listed_in_the_order_of_play_page_by_page(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        before = open_example(transaction)
        first = add_hand(transaction, before, SubmittedHand(EXAMPLE))
        fantasyland = {1: 14, 3: 14}
        second = load_hand(
            {
                "number": 2,
                "button": 3,
                "players": [
                    {"seat": seat, "fantasyland": fantasyland.get(seat, 0), **board}
                    for seat, board in zip(
                        (1, 2, 3),
                        ({row: player[row] for row in ("top", "middle", "bottom")} for player in STREETS["players"]),
                        strict=True,
                    )
                ],
            }
        )
        add_hand(transaction, first, second)
        listed = hands.list_page(transaction, before.id, 1)
        assert [hand.hand.number for hand in listed] == [1, 2]
        assert listed[1].stays == {1: 0, 2: 0, 3: 0}
        assert hands.list_page(transaction, before.id, 1, limit=1) == listed[:1]
        assert hands.list_page(transaction, before.id, 1, after=listed[0].id, limit=1) == listed[1:]
        assert hands.list_page(transaction, before.id, 1, after=listed[1].id) == []
        assert hands.list_page(transaction, before.id, 2) == []


def test_each_change_of_a_round_is_one_event_numbered_without_a_gap(database: Database, club_id: UUID) -> None:
    actor = uuid7()
    with database.transaction(club_id, actor=actor, request_id="r-1") as transaction:
        before = open_example(transaction)
        add_hand(transaction, before, SubmittedHand(EXAMPLE))
        mine = select(EventRecord.__table__).where(EventRecord.actor == actor)
        events = transaction.execute(mine.order_by(EventRecord.id)).all()
    assert [(event.kind, event.round_id, event.sequence) for event in events] == [
        ("ruleset.added", None, None),
        ("table.created", None, None),
        ("round.opened", before.id, 1),
        ("hand.recorded", before.id, 2),
    ]
    assert {(event.actor, event.request_id, event.at, event.content) for event in events} == {
        (actor, "r-1", transaction.now, EVENT)
    }


def test_a_hand_is_inserted_with_one_statement(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        before = open_example(transaction)
        locked = rounds.lock(transaction, before.id)
        played = play_hand(locked.round, EXAMPLE)
        with recorded_statements() as statements:
            write_hand(transaction, locked, played, to_record(SubmittedHand(EXAMPLE)))
            transaction.send()
        assert len(statements) == 1
        assert transaction.execute(text("SELECT count(*) FROM transfers")).scalar_one() == 3
