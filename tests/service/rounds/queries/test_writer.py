"""Everything that inserts hands uses one writer, which writes any number of rounds with one statement."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import text

import service
from schemas.hands import SubmittedHand
from scoring.round import play_hand
from service.db import Database
from service.errors import Busy
from service.rounds.queries import rounds
from service.rounds.queries.new_records import Submission
from service.rounds.queries.writer import RoundChange, write_rounds
from tests.support.api_client import Api
from tests.support.api_corrections import correct
from tests.support.application import House
from tests.support.database.insert_records import (
    EXAMPLE,
    PATIENT,
    add_club,
    add_hand,
    add_round,
    add_table,
    example_round,
    to_record,
)
from tests.support.database.postgres import Logins
from tests.support.database.recomputed_rounds import recompute, tamper
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    THREE,
    complete_round,
    document_of,
    hand,
    post_document,
    record,
    start_round,
    undo,
)

TABLES = ("hands", "hand_scores", "events", "round_heads")


@contextmanager
def one_insert_of_scores() -> Iterator[None]:
    """Check that the block inserts scores with one statement, the writer's."""
    with recorded_statements() as statements:
        yield
    [inserted] = [each for each in statements if "INSERT INTO hand_scores" in each]
    assert "jsonb_populate_recordset(CAST(NULL AS hand_scores), %(hand_scores)s)" in inserted
    for table in ("events", "waiting_events"):
        assert f"INSERT INTO {table} " in inserted
    assert ("INSERT INTO round_heads " in inserted) != ("UPDATE round_heads " in inserted)


def test_only_the_writer_inserts_scores() -> None:
    root = Path(service.__file__).parent
    sources = {path.relative_to(root): path.read_text() for path in root.rglob("*.py")}
    models = "HandRecord|HandScoreRecord|PayoutRecord"
    inserts = re.compile(rf"insert\((?:{models})\b|INSERT INTO (?:{'|'.join(TABLES)})\b")
    paths = [str(path) for path, source in sources.items() if inserts.search(source)]
    assert paths == ["rounds/queries/writer.py"]


def test_a_posted_hand_a_document_an_undo_and_a_correction_are_written_alike(api: Api) -> None:
    round_id = start_round(api)
    with one_insert_of_scores():
        assert record(api, round_id, hand(1, 1, THREE)).status == 201
    with one_insert_of_scores():
        assert post_document(api, document_of(hands=COMPLETE, table="parlour")).status == 201
    complete = complete_round(api, name="attic")
    with one_insert_of_scores():
        assert undo(api, complete, 3).status == 201
    with one_insert_of_scores():
        patch = [{"op": "replace", "path": "/seats/0/player", "value": "dora"}]
        assert correct(api, complete, patch=patch).status == 201


def test_an_import_and_a_recomputation_write_many_rounds_with_one_statement(house: House, api: Api) -> None:
    club = club_of(house, api)
    lines = lines_of(document_of(hands=COMPLETE, reference=str(number)) for number in range(3))
    with one_insert_of_scores():
        imported = import_all(house, club, lines, is_final=False)
    assert {each.status for each in imported} == {"stored"}
    for each in imported[:2]:
        wrong = "UPDATE hand_scores SET royalties = '{1,1,1}' WHERE number = 1 AND round_id = %s"
        tamper(house.owner_url, wrong, each.round_id)
    with database_of(house).transaction(club) as transaction, one_insert_of_scores():
        assert recompute(transaction, applies=True).applied == 2


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def test_hands_of_many_open_rounds_are_written_with_one_statement(database: Database, club_id: UUID) -> None:
    submission = Submission("hand", b"[]")
    with database.transaction(club_id) as transaction:
        opened = [
            add_round(transaction, add_table(transaction, PATIENT, str(number)), example_round(PATIENT))
            for number in range(5)
        ]
    with database.transaction(club_id) as transaction:
        changes, stored = [], []
        for before in [rounds.lock(transaction, each.id) for each in opened]:
            change, after = RoundChange(transaction, before), before.round
            for number, button in ((1, 3), (2, 1)):
                dealt = replace(EXAMPLE, number=number, button=button)
                played = play_hand(after, dealt)
                change.add_played(after, played, to_record(SubmittedHand(dealt), submission.id))
                after = played.round
            changes.append(change)
            stored.append(change.finish(after))
        changes[0].add_submission(submission)
        with recorded_statements() as statements:
            write_rounds(transaction, *changes)
            transaction.send()
        assert len(statements) == 1
    with database.reading(club_id) as transaction:
        assert [rounds.get(transaction, each.id) for each in stored] == stored
        assert {each.version for each in stored} == {3}
        assert transaction.execute(text("SELECT count(*) FROM hand_scores")).scalar_one() == 10


def test_a_batch_fails_if_another_request_has_changed_one_of_its_rounds(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        opened = [
            add_round(transaction, add_table(transaction, PATIENT, str(number)), example_round(PATIENT))
            for number in range(2)
        ]
    with database.transaction(club_id) as transaction:
        add_hand(transaction, opened[0], SubmittedHand(EXAMPLE))

    def record_all() -> None:
        with database.transaction(club_id) as transaction:
            changes = [RoundChange(transaction, before) for before in opened]
            for change in changes:
                played, new_hand = play_hand(change.before.round, EXAMPLE), to_record(SubmittedHand(EXAMPLE))
                change.add_submission(Submission("hand", b"{}", new_hand.submission_id))
                change.add_played(change.before.round, played, new_hand)
                change.finish(played.round)
            write_rounds(transaction, *changes)

    with pytest.raises(Busy, match="changed by another request"):
        record_all()
    with database.reading(club_id) as transaction:
        assert rounds.get(transaction, opened[1].id) == opened[1]
