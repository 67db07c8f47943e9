"""Replay of stored rounds: every difference is reported, and nothing else."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import select
from uuid_utils.compat import uuid7

from schemas.documents import load_document
from schemas.hands import SubmittedHand
from schemas.rulesets import load_ruleset
from scoring.history import History, replay
from scoring.presets import PRESETS
from scoring.round import open_round
from service.audit_trail.models import EventRecord
from service.db import Database
from service.recomputations.actions.recompute import Recomputed
from service.replays.compare_round import compare_round
from service.replays.findings import FindingKind
from service.replays.in_bulk import RoundsDigest, replay_in_bulk
from service.replays.stretches import Stretch
from service.rounds.queries import hands, rounds
from service.rounds.queries.records import get_records, read_records
from service.rounds.queries.round_filter import RoundFilter
from service.rounds.queries.stored_round import StoredRound
from service.rulesets import queries as rulesets
from tests.oracle import PRESETS as ORACLE_PRESETS
from tests.oracle import random_document, random_ruleset
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.insert_records import (
    EVENT,
    EXAMPLE,
    PINEAPPLE,
    add_club,
    add_document,
    add_hand,
    add_round,
    add_table,
    example_round,
)
from tests.support.database.postgres import Logins
from tests.support.database.recomputed_rounds import add_three_hands, named, recompute, rules_of, settle_wrongly, tamper
from tests.support.examples.evening import FIRST, SECOND
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import close, start_round
from tests.support.server_process import wait_until

TURBO = PRESETS["turbo"]
DEARER = replace(PINEAPPLE, name="dearer", points=replace(PINEAPPLE.points, row=2))


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


@pytest.fixture
def played(database: Database, club_id: UUID) -> list[StoredRound]:
    """Random rounds under every preset and under random rulesets, with top-ups, departures and closings."""
    rng = Random(78)
    played = []
    for rules in [*ORACLE_PRESETS.values(), *(random_ruleset(rng) for _ in range(12))]:
        ruleset = load_ruleset(rules)
        for number in range(3):
            document = replace(load_document(random_document(rng, rules)), table=f"{ruleset} {number}")
            with database.transaction(club_id) as transaction:
                table = add_table(transaction, ruleset, document.table)
                opened = add_round(transaction, table, open_round(ruleset, document.seats))
                played.append(add_document(transaction, opened, document))
    return played


def recompute_all(database: Database, club_id: UUID) -> Recomputed:
    with database.transaction(club_id) as transaction:
        return recompute(transaction)


@pytest.mark.every_server
def test_recorded_rounds_have_no_differences(database: Database, club_id: UUID, played: Sequence[StoredRound]) -> None:
    result = recompute_all(database, club_id)
    assert named(result) == []
    assert (result.rounds, result.hands) == (len(played), sum(each.round.hands for each in played))
    assert (result.differing, result.moved) == (0, {})
    hands = [hand for each in played for hand in range(each.round.hands)]
    assert len(hands) > 100


def test_rounds_in_which_no_hand_was_played_are_audited_too(api: Api, house: House) -> None:
    for name in ("kitchen", "attic"):
        close(api, start_round(api, name=name))
    with database_of(house).transaction(club_of(house, api)) as transaction:
        result = recompute(transaction)
        assert (result.rounds, result.hands, named(result)) == (2, 0, [])


def test_bulk_and_plain_replay_have_the_same_digest_for_any_chunks(
    database: Database, club_id: UUID, played: Sequence[StoredRound]
) -> None:
    by_itself = RoundsDigest()
    with database.transaction(club_id) as transaction:
        stored = {each.id: each.round for each in played}
        for recorded in read_records(transaction, list(stored)):
            replayed = compare_round(recorded, stored[recorded.id].ruleset, is_own=True)
            assert replayed.findings == ()
            by_itself.add(replayed.hashed)
        _, suspects = replay_in_bulk(transaction, Stretch(), rules_of(transaction)).digest()
    few = [suspect for suspect in suspects if not stored[suspect.round_id].is_open]
    assert len(few) < len(played) / 3, "most rounds that have ended are for arrays"
    assert recompute_all(database, club_id).digest == by_itself
    for at_once in (1, 7):
        digest = RoundsDigest()
        ids = sorted(each.id for each in played)
        for start in reversed(range(0, len(ids), at_once)):
            few = ids[start : start + at_once]
            with database.transaction(club_id) as transaction:
                digest.add_all(recompute(transaction, stretch=(few[0], few[-1])).digest.hex())
        assert digest == by_itself


FIGURES = [
    ("hands", "boards", "set_byte(boards, 0, (get_byte(boards, 0) + 1) %% 52)"),
    ("hand_scores", "points", "points[1] + 1"),
    ("hand_scores", "fouls", "NOT fouls[1]"),
    ("hand_scores", "royalties", "royalties[1] + 1"),
    ("hand_scores", "royalties_top", "royalties_top[1] + 1"),
    ("hand_scores", "royalties_middle", "royalties_middle[1] + 1"),
    ("hand_scores", "from_rows", "from_rows[1] + 1"),
    ("hand_scores", "from_bonuses", "from_bonuses[1] + 1"),
    ("hand_scores", "from_fouls", "from_fouls[1] + 1"),
    ("hand_scores", "earned", "earned[1] + 1"),
    ("hand_scores", "stays", "stays[1] + 1"),
    ("hand_scores", "exchanges", "exchanges[1] - 1"),
    ("hand_scores", "scoops", "scoops[1] - 1"),
    ("hand_scores", "top_ups", "top_ups[1] + 1"),
    ("hand_scores", "stacks_before", "stacks_before[1] + 1"),
    ("hand_scores", "stacks", "stacks[1] + 1"),
]


@pytest.mark.every_server
@pytest.mark.parametrize(("table", "column", "value"), FIGURES, ids=[column for _, column, _ in FIGURES])
def test_a_changed_figure_is_reported_with_its_round_and_hand(
    database: Database, logins: Logins, club_id: UUID, table: str, column: str, value: str
) -> None:
    ids = [add_three_hands(database, club_id, f"table {number}") for number in range(3)]
    before = recompute_all(database, club_id)
    place = column if column == "boards" else f"{column}[1]"
    tamper(logins.owner, f"UPDATE {table} SET {place} = {value} WHERE round_id = %s AND number = 2", ids[1])
    result = recompute_all(database, club_id)
    assert {(each.round_id, each.hand) for each in result.findings if each.hand} == {(ids[1], 2)}
    assert {each.round_id for each in result.findings} == {ids[1]}
    assert column in {each.column for each in result.findings}
    assert result.differing == 1
    if column != "boards":
        assert result.digest == before.digest, "the digest is of what is computed"


OF_HAND = "WHERE round_id = %s AND number"
CHANGED = [
    (f"UPDATE hand_scores SET transfers[1].paid = (transfers[1]).paid - 1 {OF_HAND} = 2", 2, "transfers"),
    (f"UPDATE hand_scores SET transfers[2].payer = (transfers[2]).payee {OF_HAND} = 2", 2, "transfers"),
    (f"UPDATE hand_scores SET transfers[1].limited_by = 'payer_stack' {OF_HAND} = 2", 2, "transfers"),
    (f"UPDATE hand_scores SET transfers[1].due = NULL {OF_HAND} = 2", 2, "transfers"),
    (f"UPDATE hand_scores SET transfers = transfers[2:] {OF_HAND} = 3", 3, "transfers"),
    (f"UPDATE hand_scores SET transfers = transfers || transfers {OF_HAND} = 3", 3, "transfers"),
    ("UPDATE hand_scores SET points = '{}' WHERE round_id = %s AND number = 2", 2, "points"),
    ("UPDATE hand_scores SET points = '[0:2]={1,2,3}' WHERE round_id = %s AND number = 2", 2, "points"),
    ("UPDATE hands SET boards = set_byte(boards, 0, 77) WHERE round_id = %s AND number = 2", 2, "content-unplayable"),
    (
        "UPDATE hands SET boards = set_byte(boards, 0, get_byte(boards, 1)) WHERE round_id = %s AND number = 2",
        2,
        "content-unplayable",
    ),
    ("UPDATE hands SET button = 2 WHERE round_id = %s AND number = 1", 1, "exchanges"),
    ("UPDATE hands SET fantasyland[1] = 14 WHERE round_id = %s AND number = 2", 2, "content-unplayable"),
    ("DELETE FROM hands WHERE round_id = %s AND number = 2", 2, "content-unplayable"),
    ("UPDATE round_heads SET stacks[1] = stacks[1] + 1, stacks[2] = stacks[2] - 1 WHERE round_id = %s", None, "stacks"),
    ("UPDATE round_heads SET status = 'closed' WHERE round_id = %s", None, "status"),
    ("UPDATE round_heads SET players[1] = 'nobody' WHERE round_id = %s", None, "players"),
    ("UPDATE round_seats SET opening_stack = opening_stack + 1 WHERE round_id = %s AND seat = 3", 1, "stacks_before"),
]


@pytest.mark.parametrize(("statement", "hand", "what"), CHANGED, ids=[statement[:70] for statement, _, _ in CHANGED])
def test_every_change_by_the_database_owner_is_reported(
    database: Database, logins: Logins, club_id: UUID, statement: str, hand: int | None, what: str
) -> None:
    ids = [add_three_hands(database, club_id, f"table {number}") for number in range(3)]
    tamper(logins.owner, statement, ids[1])
    result = recompute_all(database, club_id)
    assert (ids[1], hand, what) in named(result)
    assert {each.round_id for each in result.findings} == {ids[1]}
    assert (result.rounds, result.differing) == (3, 1)


def test_another_ruleset_shows_changed_nets(database: Database, club_id: UUID) -> None:
    round_id = add_three_hands(database, club_id, "kitchen")
    with database.transaction(club_id) as transaction:
        stored = rounds.get(transaction, round_id)
        played = [hand.hand for hand in hands.list_page(transaction, round_id, 1)]
        result = recompute(transaction, ruleset=DEARER)
        assert rounds.get(transaction, round_id) == stored
    would_be = replay(History(DEARER, stored.round.seats, tuple(played))).round
    moved = {seat.player: would_be.nets[seat.seat] - stored.round.nets[seat.seat] for seat in would_be.seats}
    assert result.moved == {player: points for player, points in moved.items() if points} != {}
    assert sum(result.moved.values()) == 0
    assert result.differing == 1
    assert {each.hand for each in result.findings} == {1, 2, 3, None}


def test_a_hand_that_does_not_follow_under_another_ruleset_is_reported(database: Database, club_id: UUID) -> None:
    """In the second hand two players have fourteen cards of Fantasyland, where seventeen would have been dealt."""
    enter = dict.fromkeys(PINEAPPLE.fantasyland.enter, 17)
    richer = replace(PINEAPPLE, name="richer", fantasyland=replace(PINEAPPLE.fantasyland, enter=enter))
    round_id = add_three_hands(database, club_id, "kitchen", played=[FIRST, SECOND])
    with database.transaction(club_id) as transaction:
        assert named(recompute(transaction)) == []
        result = recompute(transaction, ruleset=richer)
    assert (round_id, 1, "earned") in named(result)
    assert named(result)[-1] == (round_id, 2, "content-unplayable")
    assert "17" in str(result.findings[-1].detail)
    assert (result.differing, result.moved) == (1, {})


@pytest.mark.every_server
def test_rounds_that_differ_get_a_new_revision(database: Database, logins: Logins, club_id: UUID) -> None:
    wrong, right = (add_three_hands(database, club_id, name) for name in ("kitchen", "parlour"))
    with database.transaction(club_id) as transaction:
        before = rounds.get(transaction, wrong)
        stood = rounds.get(transaction, right)
        paid = get_records(transaction, wrong, 1).paid
    tamper(logins.owner, "UPDATE hand_scores SET transfers[1].paid = 0 WHERE round_id = %s AND number = 2", wrong)
    with database.transaction(club_id, actor=uuid7()) as transaction:
        result = recompute(transaction, applies=True)
    assert (result.differing, result.applied, result.skipped) == (1, 1, 0)
    assert named(result)[-1] == (wrong, None, "applied")
    with database.transaction(club_id) as transaction:
        after = rounds.get(transaction, wrong)
        assert after == replace(before, version=before.version + 1, revision=2, finality=after.finality)
        assert get_records(transaction, wrong, 2).paid == paid
        assert get_records(transaction, wrong, 1).paid != paid
        assert rounds.get(transaction, right) == stood
        assert get_records(transaction, wrong, 2).reason == "checked again"
        event = transaction.execute(select(EventRecord.__table__).where(EventRecord.sequence == after.version)).one()
        again = recompute(transaction, applies=True)
    assert (event.kind, event.round_id) == ("round.recomputed", wrong)
    assert json.loads(event.content)["revision"] == 2
    assert (named(again), again.applied, again.digest) == ([], 0, result.digest)


def test_a_bulk_scorer_that_disagrees_with_the_plain_rules_is_reported(
    database: Database, club_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job goes on, the digest is that of the plain rules, and the round is not changed."""
    round_id = add_three_hands(database, club_id, "kitchen")
    before = recompute_all(database, club_id)
    settle_wrongly(monkeypatch)
    result = recompute_all(database, club_id)
    assert named(result) == [(round_id, None, "scorers-disagree")]
    assert (result.rounds, result.hands, result.differing, result.moved) == (1, 3, 1, {})
    assert result.digest == before.digest
    with database.transaction(club_id) as transaction:
        applied = recompute(transaction, applies=True)
        assert rounds.get(transaction, round_id).revision == 1
        what_if = recompute(transaction, ruleset=DEARER)
    assert named(applied) == [(round_id, None, "scorers-disagree"), (round_id, None, "skipped")]
    assert (applied.differing, applied.applied, applied.skipped) == (1, 0, 1)
    assert str(applied.findings[-1].detail).startswith("the bulk scorer and the plain rules have different results")
    assert named(what_if)[-1] == (round_id, None, "scorers-disagree")


@pytest.mark.every_server
def test_a_round_that_changes_meanwhile_is_skipped(database: Database, logins: Logins, club_id: UUID) -> None:
    """Two want to settle the same round anew; the second has read it before the first is done, and waits for it."""
    wrong, other = (add_three_hands(database, club_id, name) for name in ("kitchen", "parlour"))
    for round_id in (wrong, other):
        pay_nothing = "UPDATE hand_scores SET transfers[1].paid = 0 WHERE round_id = %s AND number = 2"
        tamper(logins.owner, pay_nothing, round_id)

    def settle_anew() -> Recomputed:
        with database.transaction(club_id) as transaction:
            return recompute(transaction, applies=True)

    with ThreadPoolExecutor(1) as pool:
        with database.transaction(club_id) as transaction:
            first = recompute(transaction, applies=True, stretch=(wrong, wrong))
            second = pool.submit(settle_anew)
            assert wait_until(lambda: someone_waits_for_a_row(logins.owner))
        late = second.result(timeout=20)
    assert (first.applied, first.skipped) == (1, 0)
    assert (late.differing, late.applied, late.skipped) == (2, 1, 1)
    skipped = [each for each in late.findings if each.kind == FindingKind.SKIPPED]
    assert [(each.round_id, each.detail) for each in skipped] == [
        (wrong, "another request changed the round during the recomputation; the round was not changed")
    ]
    with database.transaction(club_id) as transaction:
        assert [rounds.get(transaction, round_id).revision for round_id in (wrong, other)] == [2, 2]
        assert named(recompute(transaction)) == []


def someone_waits_for_a_row(owner_url: str) -> bool:
    with psycopg.connect(owner_url) as connection:
        query = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'"
        return bool(connection.execute(query).fetchall())


def test_another_ruleset_can_be_applied(database: Database, club_id: UUID) -> None:
    round_id = add_three_hands(database, club_id, "kitchen")
    with database.transaction(club_id) as transaction:
        would = recompute(transaction, ruleset=DEARER)
    with database.transaction(club_id) as transaction:
        rulesets.add(transaction, DEARER, EVENT)
        result = recompute(transaction, ruleset=DEARER, applies=True)
        assert rounds.get(transaction, round_id).round.ruleset == DEARER
        assert named(recompute(transaction)) == []
    assert result.moved == would.moved != {}
    assert result.applied == 1


def test_a_round_with_contradicting_boards_is_skipped(database: Database, logins: Logins, club_id: UUID) -> None:
    round_id = add_three_hands(database, club_id, "kitchen")
    swapped = "set_byte(set_byte(boards, 0, get_byte(boards, 12)), 12, get_byte(boards, 0))"
    tamper(logins.owner, f"UPDATE hands SET boards = {swapped} WHERE round_id = %s AND number = 1", round_id)
    with database.transaction(club_id) as transaction:
        result = recompute(transaction, applies=True)
        assert rounds.get(transaction, round_id).revision == 1
    assert (result.differing, result.applied, result.skipped, result.moved) == (1, 0, 1, {})
    assert (round_id, 1, "boards") in named(result)


def test_open_rounds_are_audited_but_not_changed(database: Database, logins: Logins, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        opened = add_round(transaction, add_table(transaction), example_round())
        add_hand(transaction, opened, SubmittedHand(EXAMPLE))
    assert named(recompute_all(database, club_id)) == []
    tamper(logins.owner, "UPDATE round_heads SET state = state || '{\"button\": 2}' WHERE round_id = %s", opened.id)
    with database.transaction(club_id) as transaction:
        result = recompute(transaction, applies=True)
    assert named(result) == [(opened.id, None, "state"), (opened.id, None, "skipped")]
    assert str(result.findings[-1].detail).startswith("the round is open")


def test_a_scope_selects_rounds(database: Database, club_id: UUID) -> None:
    ids = [add_three_hands(database, club_id, name, rules) for name, rules in (("a", PINEAPPLE), ("b", TURBO))]
    with database.transaction(club_id) as transaction:
        first, second = (rounds.get(transaction, round_id) for round_id in ids)
        scopes = {
            RoundFilter(): 2,
            RoundFilter(table_id=first.table_id): 1,
            RoundFilter(round_ids=(ids[1], uuid7())): 1,
            RoundFilter(ruleset=str(TURBO)): 1,
            RoundFilter(opened_from=second.opened_at): 1,
            RoundFilter(opened_before=second.opened_at): 1,
            RoundFilter(opened_from=first.opened_at, opened_before=first.opened_at): 0,
            RoundFilter(table_id=first.table_id, ruleset=str(TURBO)): 0,
        }
        assert {scope: recompute(transaction, scope).rounds for scope in scopes} == scopes


def test_another_club_s_rounds_are_not_recomputed(database: Database, logins: Logins, club_id: UUID) -> None:
    add_three_hands(database, club_id, "kitchen")
    assert recompute_all(database, add_club(logins.owner, "elsewhere")).rounds == 0
