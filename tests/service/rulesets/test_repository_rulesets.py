"""Queries of rulesets, tables, keys and clubs."""

from dataclasses import replace
from hashlib import sha256
from uuid import UUID

import pytest
from sqlalchemy import text
from uuid_utils.compat import uuid7

from scoring.presets import PRESETS
from service.clubs.queries import clubs, keys
from service.db import Database
from service.errors import ClubTaken, NotFound, RulesetConflict, TableConflict
from service.rulesets import queries as rulesets
from service.tables import queries as tables
from tests.support.database.insert_records import EVENT, PINEAPPLE, SECRET, add_club, add_table
from tests.support.database.postgres import Logins

pytestmark = pytest.mark.every_server


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def test_every_preset_round_trips(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        for preset in PRESETS.values():
            rulesets.add(transaction, preset, EVENT)
            assert rulesets.get(transaction, preset.name, 1) == preset
        assert rulesets.list_all(transaction) == sorted(PRESETS.values(), key=lambda preset: preset.name)


def test_a_ruleset_added_twice_is_stored_once_with_one_event(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        for _ in range(2):
            rulesets.add(transaction, PINEAPPLE, EVENT)
        assert transaction.execute(text("SELECT count(*) FROM events WHERE kind = 'ruleset.added'")).scalar_one() == 1


def test_a_stored_version_cannot_get_other_rules(database: Database, club_id: UUID) -> None:
    dearer = replace(PINEAPPLE, points=replace(PINEAPPLE.points, row=2))
    with database.transaction(club_id) as transaction:
        rulesets.add(transaction, PINEAPPLE, EVENT)
        with pytest.raises(RulesetConflict, match="pineapple@1"):
            rulesets.add(transaction, dearer, EVENT)
        rulesets.add(transaction, replace(dearer, version=10), EVENT)
        rulesets.add(transaction, replace(dearer, version=9), EVENT)
        assert rulesets.find_newest(transaction, "pineapple") == replace(dearer, version=10)
        assert rulesets.get(transaction, "pineapple", 1) == PINEAPPLE


def test_a_missing_ruleset_is_not_found(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        assert rulesets.find_newest(transaction, "pineapple") is None
        assert rulesets.find(transaction, "pineapple", 1) is None
        with pytest.raises(NotFound, match="pineapple@1"):
            rulesets.get(transaction, "pineapple", 1)


def test_a_rolled_back_ruleset_is_not_stored(database: Database, club_id: UUID) -> None:
    dearer = replace(PINEAPPLE, points=replace(PINEAPPLE.points, row=2))
    with database.transaction(club_id, rolled_back=True) as transaction:
        rulesets.add(transaction, dearer, EVENT)
        assert rulesets.get(transaction, "pineapple", 1) == dearer
    with database.transaction(club_id) as transaction:
        rulesets.add(transaction, PINEAPPLE, EVENT)
        assert rulesets.get(transaction, "pineapple", 1) == PINEAPPLE


def test_tables_round_trip_and_are_listed_newest_first(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        records = [add_table(transaction, name=f"table {number}") for number in range(3)]
        assert tables.get(transaction, records[1].id) == records[1]
        assert tables.find(transaction, "table 2") == records[2]
        assert tables.find(transaction, "table 3") is None
        assert tables.list_page(transaction, limit=2) == [records[2], records[1]]
        assert tables.list_page(transaction, after=records[1].id, limit=2) == [records[0]]
        with pytest.raises(NotFound):
            tables.get(transaction, uuid7())


def test_table_names_are_unique_in_a_club(database: Database, club_id: UUID, logins: Logins) -> None:
    with database.transaction(club_id) as transaction:
        add_table(transaction)
    with database.transaction(add_club(logins.owner, "away")) as transaction:
        add_table(transaction)
    with pytest.raises(TableConflict, match="kitchen"), database.transaction(club_id) as transaction:
        add_table(transaction)


def test_a_key_is_found_by_its_secret_without_a_club(database: Database, club_id: UUID) -> None:
    with database.session() as session:
        key = keys.find(session, sha256(SECRET + b"home").digest())
        assert key is not None
        assert (key.club_id, key.name, key.scopes) == (club_id, "first", ("read", "write"))
        assert keys.find(session, sha256(SECRET + b"away").digest()) is None
    with database.outside_clubs() as connection:
        assert connection.execute(text("SELECT count(*) FROM api_keys")).scalar_one() == 0


def test_the_last_use_of_a_key_is_recorded_once_a_minute(database: Database, club_id: UUID) -> None:
    for _ in range(2):
        with database.session() as session:
            assert keys.find(session, sha256(SECRET + b"home").digest()) is not None
    with database.transaction(club_id) as transaction:
        used = transaction.execute(text("SELECT last_used_at, xmin FROM api_keys")).one()
        assert used.last_used_at is not None
    with database.session() as session:
        keys.find(session, sha256(SECRET + b"home").digest())
    with database.transaction(club_id) as transaction:
        assert transaction.execute(text("SELECT last_used_at, xmin FROM api_keys")).one() == used


def test_a_revoked_key_is_unauthorized(database: Database, club_id: UUID, logins: Logins) -> None:
    owner = Database(logins.owner, role=None)
    with owner.transaction(club_id) as transaction:
        transaction.execute(text("UPDATE api_keys SET revoked_at = now()"))
    owner.close()
    with database.session() as session:
        assert keys.find(session, sha256(SECRET + b"home").digest()) is None


def test_a_club_is_created_once(club_id: UUID, logins: Logins) -> None:
    with pytest.raises(ClubTaken, match="home"):
        add_club(logins.owner, "home")


def test_the_owner_finds_a_club_by_its_name(club_id: UUID, logins: Logins) -> None:
    owner = Database(logins.owner, role=None)
    with owner.transaction(uuid7()) as transaction:
        club = clubs.find(transaction, "home")
        assert club is not None
        assert club.id == club_id
        assert clubs.find(transaction, "away") is None
    owner.close()
