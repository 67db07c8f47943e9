"""Replay of rounds whose ruleset has changed since it was added."""

from uuid import UUID

import pytest

from scoring.presets import PRESETS
from service.db import Database
from service.recomputations.actions.recompute import check_rulesets
from service.rulesets.queries import digest_ruleset
from tests.support.database.insert_records import PINEAPPLE, add_club
from tests.support.database.postgres import Logins
from tests.support.database.recomputed_rounds import add_three_hands, named, recompute, tamper

TURBO = PRESETS["turbo"]


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


@pytest.mark.every_server
def test_a_changed_ruleset_is_reported_with_its_rounds(database: Database, logins: Logins, club_id: UUID) -> None:
    changed = add_three_hands(database, club_id, "kitchen")
    add_three_hands(database, club_id, "parlour", TURBO)
    worth = "UPDATE rulesets SET content = jsonb_set(content, '{points,row}', '2') WHERE name = %s"
    tamper(logins.owner, worth, PINEAPPLE.name)
    with database.transaction(club_id) as transaction:
        [difference] = check_rulesets(transaction, None)
        assert check_rulesets(transaction, str(TURBO)) == []
        result = recompute(transaction)
    assert difference.stored == digest_ruleset(PINEAPPLE).hex() != difference.expected
    assert difference.detail == "pineapple@1 has changed since it was added: its digest differs"
    assert {each.round_id for each in result.findings} == {changed}
    assert {each.hand for each in result.findings if each.column == "exchanges"} == {1, 2, 3}
    assert (result.rounds, result.differing) == (2, 1)

    with database.transaction(club_id) as transaction:
        refused = recompute(transaction, applies=True)
    assert (refused.differing, refused.applied, refused.skipped) == (1, 0, 1)
    assert "its ruleset has changed since it was added" in str(refused.findings[-1].detail)


@pytest.mark.every_server
def test_an_unreadable_ruleset_is_reported_with_its_rounds(database: Database, logins: Logins, club_id: UUID) -> None:
    broken = add_three_hands(database, club_id, "kitchen")
    add_three_hands(database, club_id, "parlour", TURBO)
    tamper(logins.owner, "UPDATE rulesets SET content = '{}' WHERE name = %s", PINEAPPLE.name)
    with database.transaction(club_id) as transaction:
        [difference] = check_rulesets(transaction, None)
        result = recompute(transaction)
    assert difference.expected is None
    assert difference.detail == "pineapple@1 has changed since it was added: it cannot be read"
    assert named(result) == [(broken, None, "content-unplayable")]
    assert (result.rounds, result.differing) == (2, 1)
