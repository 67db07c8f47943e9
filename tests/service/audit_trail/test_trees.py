"""Trees of events: every event joins once, and checkpoints stay consistent."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise, repeat
from pathlib import Path
from uuid import UUID

import pytest

from evidence import (
    Checkpoint,
    SigningKey,
    consistency_ranges,
    inclusion_ranges,
    read_event,
    read_note,
    verify_consistency,
    verify_inclusion,
    verify_note,
)
from evidence.events import CheckpointSealed
from service.audit_trail import actions as ledger
from service.audit_trail.actions import join_events, make_checkpoint, origin_of
from service.audit_trail.queries import checkpoints, trees
from service.audit_trail.queries.events import EventKind, record_event
from service.audit_trail.signing import make_signing_key, read_signing_key, replace_signing_key
from service.db import Database
from service.errors import OperatorError
from service.periodic import grow_trees
from tests.evidence import naive
from tests.support.application import House, open_house
from tests.support.database.insert_records import add_club
from tests.support.database.postgres import Logins, Server
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import COMPLETE, SIXES, record, start_round
from tests.support.server_process import wait_until
from tests.support.worker_process import rounds_to_import

KEY = SigningKey.make("tablestakes")


@pytest.fixture(scope="module")
def grove(embedded_postgres: Server) -> Iterator[House]:
    """A service of its own, whose events only its tests add to trees."""
    with open_house(embedded_postgres) as opened:
        yield opened


def leaves_of(house: House, club: UUID) -> list[bytes]:
    """The events of a club as their places have them, each as its bytes."""
    rows = house.query(
        "SELECT event.heading || event.content, node.position FROM tree_nodes AS node"
        " JOIN events AS event ON (event.club_id, event.id) = (node.club_id, node.event_id)"
        " WHERE node.club_id = %s AND node.level = 0 ORDER BY node.position",
        club,
    )
    assert [position for _, position in rows] == list(range(len(rows)))
    return [leaf for leaf, _ in rows]


def newest_of(leaves: list[bytes]) -> dict[UUID, tuple[int, bytes]]:
    """The newest event of each round, by its number and its hash."""
    newest: dict[UUID, tuple[int, bytes]] = {}
    for leaf in leaves:
        event = read_event(leaf)
        if event.round_id is not None and event.sequence is not None:
            newest[event.round_id] = max(newest.get(event.round_id, (0, b"")), (event.sequence, naive.mth([leaf])))
    return newest


def check_tree(house: House, club: UUID) -> list[Checkpoint]:
    """Check that every event has one position, and that checkpoints match the naive tree and extend each other."""
    leaves = leaves_of(house, club)
    assert len(leaves) == len(set(leaves)) == house.query("SELECT count(*) FROM events WHERE club_id = %s", club)[0][0]
    assert house.query("SELECT FROM waiting_events WHERE club_id = %s", club) == []
    notes = house.query("SELECT note, size, root FROM checkpoints WHERE club_id = %s ORDER BY size", club)
    signed = []
    for note, size, root in notes:
        assert verify_note(read_note(note), [KEY.verifier]) == [KEY.verifier]
        read = Checkpoint.read(read_note(note).text)
        assert (read.origin, read.size, read.root) == (origin_of(club), size, root)
        assert root == naive.mth(leaves[:size])
        sealed = read_event(leaves[size - 1])
        assert sealed.kind == EventKind.CHECKPOINT_SEALED
        assert CheckpointSealed(map_root=naive.map_root(newest_of(leaves[:size]))).encode() == sealed.content
        signed.append(read)
    seals = [number for number, leaf in enumerate(leaves, 1) if read_event(leaf).kind == EventKind.CHECKPOINT_SEALED]
    assert seals == [read.size for read in signed]
    with database_of(house).reading(club) as transaction:
        for old, new in pairwise(signed):
            proof = trees.hash_ranges(transaction, consistency_ranges(old.size, new.size))
            verify_consistency(old.size, new.size, proof, old.root, new.root)
    return signed


def test_every_event_joins_and_is_proved_to_be_there(grove: House) -> None:
    api = grove.new_client()
    club = club_of(grove, api)
    round_id = start_round(api, "pineapple", SIXES)
    assert join_events(database_of(grove), club, KEY) > 0
    for played in COMPLETE:
        assert record(api, round_id, played).status == 201
    with database_of(grove).transaction(club) as transaction:
        result = make_checkpoint(transaction, KEY)
    assert [signed.size for signed in check_tree(grove, club)][-1] == result.checkpoint.size
    leaves = leaves_of(grove, club)
    with database_of(grove).reading(club) as transaction:
        for position, leaf in enumerate(leaves):
            proof = trees.hash_ranges(transaction, inclusion_ranges(position, len(leaves)))
            leaf_hash = naive.mth([leaf])
            verify_inclusion(leaf_hash, position, len(leaves), proof, result.checkpoint.root)


def test_without_new_events_nothing_is_signed(grove: House) -> None:
    club = club_of(grove, grove.new_client())
    with database_of(grove).transaction(club) as transaction:
        first = make_checkpoint(transaction, KEY)
    with database_of(grove).transaction(club) as transaction:
        again = make_checkpoint(transaction, KEY)
    assert (first.is_replay, again.is_replay, again.checkpoint) == (False, True, first.checkpoint)
    assert join_events(database_of(grove), club, KEY) == 0
    grove.change("UPDATE tree_heads SET signed_at = signed_at - interval '1 minute' WHERE club_id = %s", club)
    grow_trees(database_of(grove), KEY)
    assert len(check_tree(grove, club)) == 1


def test_without_a_key_events_join_and_the_next_key_signs_for_all_of_them(grove: House) -> None:
    club = club_of(grove, grove.new_client())
    assert join_events(database_of(grove), club, None) > 0
    assert check_tree(grove, club) == []
    join_events(database_of(grove), club, KEY)
    assert len(check_tree(grove, club)) == 1


def test_events_join_at_once_and_are_signed_once_a_minute(grove: House) -> None:
    api = grove.new_client()
    club = club_of(grove, api)
    database = database_of(grove)
    for number in range(3):
        start_round(api, "pineapple", SIXES, name=f"table {number}")
        grow_trees(database, KEY)
        assert grove.query("SELECT FROM waiting_events WHERE club_id = %s", club) == []
    assert len(check_tree(grove, club)) == 1
    grove.change("UPDATE tree_heads SET signed_at = signed_at - interval '1 minute' WHERE club_id = %s", club)
    grow_trees(database, KEY)
    assert len(check_tree(grove, club)) == 2


def test_twenty_record_while_two_join_and_every_event_has_one_place(grove: House) -> None:
    api = grove.new_client()
    club = club_of(grove, api)
    opened = [start_round(api, "pineapple", SIXES, name=f"table {number}") for number in range(20)]
    is_over = threading.Event()

    def join() -> None:
        while not is_over.is_set():
            join_events(database_of(grove), club, None)
            with database_of(grove).transaction(club) as transaction:
                make_checkpoint(transaction, KEY)

    with ThreadPoolExecutor(22) as everybody:
        joiners = [everybody.submit(join) for _ in range(2)]
        try:
            for played in COMPLETE:
                signed = count_checkpoints(grove, club)
                responses = everybody.map(partial(record, api), opened, repeat(played))
                assert {response.status for response in responses} == {201}
                assert wait_until(partial(has_more_checkpoints, grove, club, signed), 60)
        finally:
            is_over.set()
        for joiner in joiners:
            joiner.result()
    join_events(database_of(grove), club, None)
    assert len(check_tree(grove, club)) >= len(COMPLETE)
    assert len(leaves_of(grove, club)) >= 20 * (1 + len(COMPLETE))


def has_more_checkpoints(house: House, club: UUID, than: int) -> bool:
    return count_checkpoints(house, club) > than


def count_checkpoints(house: House, club: UUID) -> int:
    return len(house.query("SELECT FROM checkpoints WHERE club_id = %s", club))


def test_an_event_committed_late_joins_after_those_that_happened_later(grove: House) -> None:
    club = club_of(grove, grove.new_client())
    join_events(database_of(grove), club, None)
    with database_of(grove).transaction(club) as slow:
        record_event(slow, EventKind.PLAYER_NAMED, b'"slow"')
        slow.send()
        add_event(database_of(grove), club, b'"quick"')
        assert join_events(database_of(grove), club, KEY) == 1
    assert join_events(database_of(grove), club, KEY) == 1
    assert len(check_tree(grove, club)) == 1
    quick, seal, late = map(read_event, leaves_of(grove, club)[-3:])
    assert (quick.content, seal.kind, late.content) == (b'"quick"', "checkpoint.sealed", b'"slow"')
    assert late.id < quick.id < seal.id


def test_many_events_join_in_parts(grove: House, monkeypatch: pytest.MonkeyPatch) -> None:
    club = club_of(grove, grove.new_client())
    import_all(grove, club, lines_of(rounds_to_import(50)))
    monkeypatch.setattr(ledger, "AT_ONCE", 7)
    monkeypatch.setattr(ledger, "MOST_AT_A_TIME", 70)
    assert join_events(database_of(grove), club, KEY) == 70
    with database_of(grove).transaction(club) as transaction:
        first = make_checkpoint(transaction, KEY)
    assert first.checkpoint.size == 141
    while join_events(database_of(grove), club, KEY):
        pass
    grove.change("UPDATE tree_heads SET signed_at = signed_at - interval '1 minute' WHERE club_id = %s", club)
    join_events(database_of(grove), club, KEY)
    assert [signed.size for signed in check_tree(grove, club)] == [141, len(leaves_of(grove, club))]


def test_a_killed_process_leaves_a_consistent_tree(grove: House) -> None:
    api = grove.new_client()
    club = club_of(grove, api)
    before = grove.query("SELECT count(*) FROM waiting_events WHERE club_id = %s", club)
    database = database_of(grove)
    with pytest.raises(Exception, match=r"terminat|closed|lost|answer"), database.transaction(club) as transaction:  # noqa: PT012 - it dies in the middle
        make_checkpoint(transaction, KEY)
        [(process,)] = transaction.connection.exec_driver_sql("SELECT pg_backend_pid()").all()
        grove.change("SELECT pg_terminate_backend(%s)", process)
        transaction.connection.exec_driver_sql("SELECT 1")
    assert grove.query("SELECT count(*) FROM waiting_events WHERE club_id = %s", club) == before
    assert leaves_of(grove, club) == []
    join_events(database, club, KEY)
    assert len(check_tree(grove, club)) == 1


def test_a_locked_tree_is_skipped_and_blocks_no_event(grove: House) -> None:
    club = club_of(grove, grove.new_client())
    join_events(database_of(grove), club, None)
    add_event(database_of(grove), club)
    with database_of(grove).transaction(club) as transaction:
        signed = make_checkpoint(transaction, KEY).checkpoint.size
        add_event(database_of(grove), club)
        assert join_events(database_of(grove), club, KEY) == 0
    assert join_events(database_of(grove), club, KEY) == 1
    assert [each.size for each in check_tree(grove, club)] == [signed]
    assert len(leaves_of(grove, club)) == signed + 1


@pytest.mark.every_server
def test_a_rotated_key_leaves_what_was_signed_before_valid(database: Database, logins: Logins, tmp_path: Path) -> None:
    club = add_club(logins.owner)
    file = tmp_path / "signing-key"
    with database.transaction(club) as transaction:
        old = make_checkpoint(transaction, make_signing_key(file)).checkpoint
    replace_signing_key(file)
    add_event(database, club)
    with database.transaction(club) as transaction:
        new = make_checkpoint(transaction, read_signing_key(file)).checkpoint
    with database.outside_clubs() as connection:
        listed = [each.key for each in checkpoints.list_keys(connection)]
        assert checkpoints.find_note(connection, old.id) == old.note
        assert checkpoints.find_note(connection, club) is None
    assert listed[-1] == read_signing_key(file).verifier
    assert verify_note(read_note(old.note), listed) == listed[:1]
    assert verify_note(read_note(new.note), listed) == listed[1:]


def add_event(database: Database, club: UUID, content: bytes = b"{}") -> None:
    with database.transaction(club) as transaction:
        record_event(transaction, EventKind.PLAYER_NAMED, content)


def test_the_private_key_is_only_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "signing-key"
    key = make_signing_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["signing-key"]
    assert read_signing_key(file).verifier == key.verifier
    with pytest.raises(OperatorError, match="already exists"):
        make_signing_key(file)
    secret = file.read_text().strip()
    file.write_text(secret[:-8])
    with pytest.raises(OperatorError, match="has no valid signing key") as refused:
        read_signing_key(file)
    assert secret[-40:-8] not in str(refused.value)
    with pytest.raises(OperatorError, match="cannot be read"):
        read_signing_key(tmp_path / "nothing")
    with pytest.raises(OperatorError, match="cannot be written"):
        make_signing_key(tmp_path / "nowhere" / "signing-key")
    with pytest.raises(OperatorError, match="is not a valid key name"):
        make_signing_key(tmp_path / "other", "two names")
