"""Whatever is changed without the service is found, with the table, the record and the column."""

from collections.abc import Iterator, Mapping
from concurrent.futures import wait
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from sqlalchemy import text

from evidence import Checkpoint, SigningKey
from service.audit_trail.actions import make_checkpoint
from service.audit_trail.queries.trees import grow, lock_head
from service.db import Database, Transaction
from service.replays.comparing import AUDITED, UNAUDITED, Comparison
from service.replays.findings import FindingKind
from service.replays.stretches import LAST, Stretch
from service.verification.club_records import expect_club_records, rulesets_of
from service.verification.figures import compare_figures
from service.verification.queries import audited
from service.verification.queries.audited import OF_ROUNDS
from service.verification.rounds import prove_in_bulk
from service.verification.verify_database import Pass, count_events, list_clubs, verify_database
from service.verification.verify_in_parallel import _start_processes, verify_in_parallel
from tests.support.application import open_house
from tests.support.database.compare_findings import agree_on, names
from tests.support.database.corrupt_records import Columns, Table, proven_ids, tampering, undone, verify, verify_all
from tests.support.database.postgres import Server
from tests.support.database.random_corruption import RandomCorruption
from tests.support.full_club import Lived, live

REPLAYED = {"adjustments", "corrections", "disputes", "dispute_entries", "payouts"}
"""Tables whose records in this club belong to rounds that are replayed."""


@pytest.fixture(scope="module")
def lived(embedded_postgres: Server) -> Iterator[Lived]:
    """A database with a club in which everything has happened, and another one."""
    with open_house(embedded_postgres) as house:
        lived = live(house, house.new_client())
        house.new_client()
        yield lived


@pytest.fixture(scope="module")
def hands_in(lived: Lived) -> Iterator[Transaction]:
    owner = Database(lived.house.owner_url, role=None)
    with tampering(owner, lived.club) as transaction:
        yield transaction
    owner.close()


@pytest.fixture(scope="module")
def columns(hands_in: Transaction) -> Mapping[str, Mapping[str, str]]:
    return Columns.of(hands_in).types


OF_THE_TREE = ("tree_nodes", "tree_heads", "round_map_tiles", "checkpoints", "waiting_events")


@pytest.mark.smoke
def test_unchanged_records_have_no_findings(lived: Lived) -> None:
    owner = lived.house.owner
    clubs = list_clubs(owner)
    assert len(clubs) == 2
    pages = list(verify_database(owner, clubs, lived.checkpoints))
    assert [finding for page in pages for finding in page.findings] == []
    [(leaves,)] = lived.house.query("SELECT count(*) FROM tree_nodes WHERE level = 0")
    assert sum(page.events for page in pages) == count_events(owner, clubs) + leaves


def test_verification_resumes_after_an_interruption(lived: Lived) -> None:
    owner = lived.house.owner
    clubs = list_clubs(owner)
    whole = list(verify_database(owner, clubs))
    for page, following in pairwise(whole):
        assert next(verify_database(owner, clubs, start=page.position)) == following


def test_processes_side_by_side_find_the_same_in_the_same_order(lived: Lived, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = lived.house.owner
    clubs = list_clubs(owner)
    nowhere = [Checkpoint(checkpoint.origin, checkpoint.size, bytes(32)) for checkpoint in lived.checkpoints]
    right = list(verify_database(owner, clubs, nowhere))
    assert sum(len(page.findings) for page in right) >= len(nowhere)
    assert list(verify_in_parallel(owner, clubs, nowhere, processes=1)) == right
    module = "service.verification.verify_in_parallel"
    monkeypatch.setattr(f"{module}._start_processes", lambda *pool: wait(_start_processes(*pool)).done)
    assert list(verify_in_parallel(owner, clubs, nowhere, processes=2)) == right
    # Of some passes there seems to be another page, which there is not.
    monkeypatch.setattr(
        f"{module}.foresee_page", lambda _, at: None if at.passing is Pass.TREE else replace(at, after=LAST)
    )
    assert list(verify_in_parallel(owner, clubs, nowhere, right[2].position, processes=2)) == right[3:]


def test_the_audit_in_bulk_proves_all_rounds_that_ended_and_were_never_revised(hands_in: Transaction) -> None:
    rulesets = rulesets_of(expect_club_records(audited.list_loose_events(hands_in))[0])
    ended = text("""
        SELECT round_id FROM round_heads AS head WHERE club_id = :club AND status <> 'open' AND revision = 1
            AND NOT EXISTS (SELECT FROM payouts WHERE (club_id, round_id) = (head.club_id, head.round_id))
            AND NOT EXISTS (
                SELECT FROM hand_scores WHERE (club_id, round_id) = (head.club_id, head.round_id)
                    AND irregular IS NOT NULL
            )
    """)
    ids = hands_in.execute(ended, {"club": hands_in.club_id}).scalars().all()
    assert set(prove_in_bulk(hands_in, Stretch(), rulesets).proven) == set(ids)
    assert ids


@pytest.mark.parametrize("seed", range(5))
def test_rounds_proven_in_bulk_have_the_same_findings_as_replayed_rounds(
    hands_in: Transaction, columns: Mapping[str, Mapping[str, str]], seed: int
) -> None:
    agree_on(hands_in, columns, Random(seed))


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(5, 305))
def test_whatever_is_tampered_with_is_found_in_bulk_as_in_a_replay(
    hands_in: Transaction, columns: Mapping[str, Mapping[str, str]], seed: int
) -> None:
    agree_on(hands_in, columns, Random(seed))


def test_every_column_is_compared_or_has_a_documented_reason(
    columns: Mapping[str, Mapping[str, str]],
) -> None:
    assert {table: set(AUDITED[table].columns) for table in AUDITED} == {
        table: set(those) for table, those in columns.items() if table not in UNAUDITED
    }
    assert set(UNAUDITED) <= set(columns)


def test_every_audited_table_has_records_to_tamper_with(hands_in: Transaction) -> None:
    few = {table for table in AUDITED if len(Table(hands_in, table).rows()) < 2}
    assert few == {"clubs", "tree_heads"}


def test_records_of_proven_rounds_are_tampered_with_first(hands_in: Transaction) -> None:
    proven = set(proven_ids(hands_in))
    tables = {name for name in (*OF_ROUNDS, "events") if "round_id" in AUDITED[name].columns}
    assert {name for name in tables if Table(hands_in, name).rows()[0]["round_id"] in proven} == tables - REPLAYED


@pytest.mark.parametrize("name", AUDITED)
@pytest.mark.no_cover
def test_a_changed_column_is_reported(
    lived: Lived, hands_in: Transaction, columns: Mapping[str, Mapping[str, str]], name: str
) -> None:
    table, unfound = Table(hands_in, name), []
    for column, cover in AUDITED[name].columns.items():
        with undone(hands_in):
            before, after = table.change(column, columns[name][column])
            findings = verify(hands_in, lived.checkpoints, name)
            if cover is Comparison.NOTHING:
                # Which of a tile's two versions was signed is found where it leads to another map.
                assert {finding.table for finding in findings} <= {"round_map_tiles"} & {name}
                continue
            named = [*names(findings, name, before), *names(findings, name, after)]
            if not any(cover is Comparison.KEY or finding.column == column for finding in named):
                unfound.append((column, before[column], after[column], findings[:3]))
    assert unfound == []


@pytest.mark.parametrize("time", ["infinity", "4000-01-01 BC"])
@pytest.mark.no_cover
def test_a_time_outside_the_calendar_is_reported(
    lived: Lived, hands_in: Transaction, columns: Mapping[str, Mapping[str, str]], time: str
) -> None:
    changed = 0
    for name, covered in AUDITED.items():
        table = Table(hands_in, name)
        for column, cover in covered.columns.items():
            if columns[name][column] != "timestamp with time zone" or cover in (Comparison.KEY, Comparison.NOTHING):
                continue
            row = [*table.rows(f"{column} IS NOT NULL"), *table.rows()][0]
            with undone(hands_in):
                table.run(f"UPDATE {name} SET {column} = '{time}' WHERE ctid = '{row['ctid']}'")
                named = names(verify(hands_in, lived.checkpoints, name), name, row)
            assert column in {finding.column for finding in named}
            changed += 1
    assert changed > 10


@pytest.mark.parametrize("name", [name for name, table in AUDITED.items() if len(table.columns) > len(table.key)])
@pytest.mark.no_cover
def test_an_emptied_record_is_reported_with_its_contents(lived: Lived, hands_in: Transaction, name: str) -> None:
    table, covers = Table(hands_in, name), AUDITED[name].columns
    row = max(table.rows(), key=lambda row: sum(value is not None for value in row.values()))
    held = [column for column, cover in covers.items() if cover not in (Comparison.KEY, Comparison.NOTHING)]
    with undone(hands_in):
        table.empty(row)
        named = {finding.column for finding in names(verify(hands_in, lived.checkpoints, name), name, row)}
    # What says of which round it is, and says it no more, is missed there as a whole.
    is_missed = "round_id" in held and None in named
    assert is_missed or {column for column in held if row[column] is not None} <= named


@pytest.mark.parametrize("name", AUDITED)
def test_a_record_that_is_taken_away_and_a_tail_that_is_cut_off_are_missed(
    lived: Lived, hands_in: Transaction, name: str
) -> None:
    table = Table(hands_in, name)
    rows = table.rows()
    for cut in (rows[:1], rows[-3:]):
        with undone(hands_in):
            for row in cut:
                table.delete(row)
            findings = verify(hands_in, lived.checkpoints, name)
            for row in cut:
                kinds = {finding.kind for finding in names(findings, name, row)}
                assert kinds & {FindingKind.RECORD_MISSING, FindingKind.EVENT_MISSING}, (row, findings[:5])


@pytest.mark.parametrize("name", AUDITED)
@pytest.mark.no_cover
def test_an_added_record_is_reported(
    lived: Lived, hands_in: Transaction, columns: Mapping[str, Mapping[str, str]], name: str
) -> None:
    table = Table(hands_in, name)
    with undone(hands_in):
        added = table.insert(table.rows()[0], columns[name])
        is_of_all = name in ("clubs", "tree_heads")
        findings = verify_all(hands_in) if is_of_all else verify(hands_in, lived.checkpoints, name)
        assert names(findings, name, added), (added, findings[:5])


@pytest.mark.parametrize("name", AUDITED)
@pytest.mark.no_cover
def test_two_exchanged_records_are_both_reported(lived: Lived, hands_in: Transaction, name: str) -> None:
    table = Table(hands_in, name)
    contents = [column for column in AUDITED[name].columns if column not in table.key]
    first, *others = table.rows()
    other = next((row for row in others if any(row[column] != first[column] for column in contents)), None)
    if other is None:
        assert name in ("clubs", "tree_heads", "waiting_events")
        return
    with undone(hands_in):
        table.swap(first, other)
        findings = verify(hands_in, lived.checkpoints, name)
        assert names(findings, name, first), findings[:5]
        assert names(findings, name, other), findings[:5]


def test_a_history_rewritten_without_an_event_differs_from_a_retained_checkpoint(
    lived: Lived, hands_in: Transaction
) -> None:
    with undone(hands_in):
        events = Table(hands_in, "events")
        for of_a_name in events.rows("kind LIKE 'player.%' AND position('bob'::bytea IN content) > 0"):
            events.delete(of_a_name)
        hands_in.execute(text(f"DELETE FROM events WHERE {events.mine} AND kind = 'checkpoint.sealed'"))
        for table in OF_THE_TREE:
            hands_in.execute(text(f"DELETE FROM {table} WHERE {events.mine}"))
        hands_in.execute(text(f"INSERT INTO waiting_events SELECT club_id, id FROM events WHERE {events.mine}"))
        hands_in.execute(text("CREATE UNIQUE INDEX ON round_map_tiles (club_id, prefix)"))
        make_checkpoint(hands_in, SigningKey.make("suite"))
        hands_in.execute(text("DROP INDEX round_map_tiles_club_id_prefix_idx"))
        assert verify(hands_in) == []
        broken = [finding for finding in verify(hands_in, lived.checkpoints) if finding.table == "tree_nodes"]
        assert {finding.kind for finding in broken} == {FindingKind.CHECKPOINT_BROKEN}


def test_a_number_that_is_too_large_does_not_block_verification(lived: Lived, hands_in: Transaction) -> None:
    with undone(hands_in):
        nodes = Table(hands_in, "tree_nodes")
        [*_, last] = nodes.rows("level = 0")
        nodes.run(f"UPDATE tree_nodes SET position = 1::bigint << 60 WHERE ctid = '{last['ctid']}'")
        hands_in.execute(text(f"UPDATE tree_heads SET size = 1::bigint << 61 WHERE {nodes.mine}"))
        hands_in.execute(text(f"UPDATE round_heads SET version = 2000000000 WHERE {nodes.mine}"))
        findings = verify(hands_in, lived.checkpoints)
        assert names(findings, "tree_nodes", last)
        assert names(findings, "tree_nodes", {**last, "position": 1 << 60})


@pytest.mark.parametrize("level", [0, 1])
def test_a_subtree_that_is_hidden_in_the_hash_of_the_one_before_it_is_missed(hands_in: Transaction, level: int) -> None:
    with undone(hands_in):
        nodes = Table(hands_in, "tree_nodes")
        before, hidden, *_ = nodes.rows(f"level = {level}")
        more = f"int8send({hidden['position']}) || '\\x{hidden['hash'].hex()}'"
        nodes.run(f"UPDATE tree_nodes SET hash = hash || {more} WHERE ctid = '{before['ctid']}'")
        nodes.delete(hidden)
        findings = verify(hands_in, table="tree_nodes")
        assert "hash" in {finding.column for finding in names(findings, "tree_nodes", before)}
        assert FindingKind.RECORD_MISSING in {finding.kind for finding in names(findings, "tree_nodes", hidden)}


def test_a_last_leaf_of_no_event_is_found(hands_in: Transaction) -> None:
    with undone(hands_in):
        nodes = Table(hands_in, "tree_nodes")
        last = nodes.rows("level = 0")[-1]
        nodes.run(
            "INSERT INTO tree_nodes (club_id, level, position, hash)"
            f" SELECT club_id, level, position + 1, hash FROM tree_nodes WHERE ctid = '{last['ctid']}'"
        )
        nodes.run(f"UPDATE tree_heads SET size = size + 1 WHERE {nodes.mine}")
        findings = verify(hands_in, table="tree_nodes")
        assert names(findings, "tree_nodes", {**last, "position": last["position"] + 1})


def test_a_last_leaf_whose_event_waits_again_is_found(hands_in: Transaction) -> None:
    with undone(hands_in):
        nodes = Table(hands_in, "tree_nodes")
        last = nodes.rows("level = 0")[-1]
        nodes.run(f"UPDATE tree_nodes SET event_id = NULL WHERE ctid = '{last['ctid']}'")
        waiting = f"VALUES ('{hands_in.club_id}', '{last['event_id']}')"
        nodes.run(f"INSERT INTO waiting_events (club_id, event_id) {waiting}")
        hands_in.execute(text(f"DELETE FROM checkpoints WHERE {nodes.mine}"))
        assert names(verify(hands_in, table="tree_nodes"), "tree_nodes", last)


def test_leaves_may_be_in_another_order_than_events(hands_in: Transaction) -> None:
    with undone(hands_in):
        events = Table(hands_in, "events").mine
        for table in OF_THE_TREE:
            hands_in.execute(text(f"DELETE FROM {table} WHERE {events}"))
        hands_in.execute(text(f"DELETE FROM events WHERE {events} AND kind = 'checkpoint.sealed'"))
        head = lock_head(hands_in)
        for some in ("LIMIT 9", "OFFSET 9"):
            waiting = f"SELECT club_id, id FROM events WHERE {events} ORDER BY id DESC {some}"
            hands_in.execute(text(f"INSERT INTO waiting_events {waiting}"))
            head = grow(hands_in, head, 1000)
        assert verify(hands_in, table="tree_nodes") == []


def test_records_of_a_deleted_club_are_found(lived: Lived, hands_in: Transaction) -> None:
    with undone(hands_in):
        hands_in.execute(text("DELETE FROM clubs"))
        unknown = {finding.key["id"] for finding in verify_all(hands_in) if finding.kind is FindingKind.CLUB_UNKNOWN}
        assert lived.club in unknown
        assert len(unknown) == 2


def test_stored_results_of_players_are_compared(hands_in: Transaction) -> None:
    with undone(hands_in):
        figures = Table(hands_in, "round_statistics")
        [row, *_] = figures.rows("received > 0")
        figures.run(f"UPDATE round_statistics SET received = received - 1 WHERE ctid = '{row['ctid']}'")
        [finding] = verify(hands_in)
        assert (finding.kind, finding.column) == (FindingKind.FIGURE_DIFFERS, "received")
        assert repr((finding.stored, finding.expected)) == repr((row["received"] - 1, row["received"]))
        figures.run("DELETE FROM round_statistics WHERE ctid = (SELECT max(ctid) FROM round_statistics)")
        assert {finding.kind for finding in verify(hands_in)} == {FindingKind.RECORD_MISSING}


def test_numbers_that_are_too_large_are_compared_with_the_figures(hands_in: Transaction) -> None:
    with undone(hands_in):
        hands_in.execute(text("UPDATE round_statistics SET squares = 'NaN', best = 9223372036854775807"))
        due, paid = "transfers[1].due = 9223372036854775807", "transfers[1].paid = -9223372036854775808"
        hands_in.execute(text(f"UPDATE hand_scores SET {due}, {paid}"))
        fields = {finding.column for finding in compare_figures(hands_in, Stretch())}
        assert {"received", "paid", "not_received", "not_paid", "squares", "best"} <= fields


WRONG = {"hand_scores": "transfers = '{}'", "rounds": "opened_at = now()", "hands": "fantasyland[1] = 17"}


@pytest.mark.parametrize("table", WRONG)
def test_results_that_follow_from_wrong_records_are_not_listed(hands_in: Transaction, table: str) -> None:
    with undone(hands_in):
        hands_in.execute(text(f"UPDATE {table} SET {WRONG[table]}"))
        assert {finding.table for finding in verify(hands_in)} == {table}
        assert any(compare_figures(hands_in, Stretch()))


def test_results_are_compared_beside_records_from_which_they_do_not_follow(hands_in: Transaction) -> None:
    with undone(hands_in):
        hands_in.execute(text("UPDATE settlements SET reason = 'another'"))
        hands_in.execute(text("UPDATE round_statistics SET received = received + 1"))
        assert {finding.table for finding in verify(hands_in)} == {"settlements", "round_statistics"}


def _damage_and_verify(lived: Lived, hands_in: Transaction, seeds: range) -> None:
    unnamed = []
    for seed in seeds:
        rng = Random(seed)
        with undone(hands_in):
            corruption = RandomCorruption(hands_in, rng)
            damages = [corruption.damage() for _ in range(rng.randint(2, 8))]
            findings = verify(hands_in, lived.checkpoints)
        for damage in damages:
            for rows in damage.rows:
                named = [finding for row in rows for finding in names(findings, damage.table, row)]
                if not any(damage.column in (None, finding.column) for finding in named):
                    unnamed.append((seed, damage))
    assert unnamed == []


@pytest.mark.no_cover
def test_several_corruptions_at_once_are_all_reported(lived: Lived, hands_in: Transaction) -> None:
    _damage_and_verify(lived, hands_in, range(5))


@pytest.mark.verify
def test_several_corruptions_at_once_are_all_reported_in_any_combination(lived: Lived, hands_in: Transaction) -> None:
    _damage_and_verify(lived, hands_in, range(5, 150))
