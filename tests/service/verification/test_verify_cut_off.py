"""Records removed with all their traces, and rewritten ones, are only detected with a checkpoint stored elsewhere."""

from collections.abc import Iterator, Sequence
from uuid import UUID

import psycopg
import pytest

from evidence import Checkpoint, read_note
from service.audit_trail.actions import make_checkpoint
from service.audit_trail.queries import trees
from service.replays.findings import Finding, FindingKind
from service.verification.verify_database import list_clubs, verify_database
from tests.support.application import SIGNING_KEY, House, open_house
from tests.support.database.postgres import Server
from tests.support.database.remove_records import remembered, take_back
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import COMPLETE, play, start_round


@pytest.fixture
def house(embedded_postgres: Server) -> Iterator[House]:
    """A house of its own, whose tables a superuser owns."""
    with open_house(embedded_postgres) as opened:
        yield opened


def sign(house: House, club: UUID) -> Checkpoint:
    with database_of(house).transaction(club) as transaction:
        return Checkpoint.read(read_note(make_checkpoint(transaction, SIGNING_KEY).checkpoint.note).text)


def plant_anew(house: House, *, signed: int) -> None:
    """Queue every event again, as if there were no tree, and retain the checkpoints up to a size."""
    with psycopg.connect(house.owner_url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "DELETE FROM events USING tree_nodes AS node WHERE (node.club_id, node.event_id) = (events.club_id, id)"
            " AND kind = 'checkpoint.sealed' AND position >= %s",
            [signed],
        )
        connection.execute("TRUNCATE tree_nodes, tree_heads, round_map_tiles, waiting_events")
        connection.execute("DELETE FROM checkpoints WHERE size > %s", [signed])
        connection.execute("INSERT INTO waiting_events SELECT club_id, id FROM events")


def verify(house: House, *checkpoints: Checkpoint) -> Sequence[Finding]:
    pages = verify_database(house.owner, list_clubs(house.owner), checkpoints)
    return [finding for page in pages for finding in page.findings]


def test_a_removed_hand_is_detected_only_with_a_later_checkpoint(house: House) -> None:
    api = house.new_client()
    club = club_of(house, api)
    round_id, other = start_round(api, name="kitchen"), start_round(api, name="parlour")
    play(api, round_id, *COMPLETE[:2])
    earlier = sign(house, club)
    with remembered(house.owner_url):
        play(api, round_id, COMPLETE[2])
    play(api, other, *COMPLETE)
    checkpoint = sign(house, club)
    assert verify(house, earlier, checkpoint) == []

    take_back(house.owner_url)
    assert api.get(f"/v1/rounds/{round_id}")["hands"] == 2
    named = {(finding.table, finding.kind) for finding in verify(house)}
    assert ("events", FindingKind.EVENT_MISSING) in named, "the tree is still the one that it was"

    # With the key that signs, the rest follows too; then nothing that is there contradicts anything else.
    plant_anew(house, signed=earlier.size)
    assert sign(house, club).size == checkpoint.size - 1
    assert verify(house) == []
    assert verify(house, earlier) == []
    assert {(finding.table, finding.kind) for finding in verify(house, checkpoint)} == {
        ("tree_nodes", FindingKind.CHECKPOINT_BROKEN)
    }
    play(api, round_id, COMPLETE[2])
    plant_anew(house, signed=earlier.size)
    assert sign(house, club).size == checkpoint.size
    broken = verify(house, checkpoint)
    assert {finding.kind for finding in broken} >= {FindingKind.CHECKPOINT_BROKEN}
    assert [finding.expected for finding in broken if finding.kind == FindingKind.CHECKPOINT_BROKEN] == [
        checkpoint.root
    ]


def test_a_truncated_history_differs_from_a_retained_checkpoint(house: House) -> None:
    newest = sign(house, club_of(house, house.new_client()))
    [finding] = verify(house, Checkpoint(newest.origin, 10_000, bytes(32)))
    assert finding.kind is FindingKind.CHECKPOINT_BROKEN


def test_a_signed_map_that_does_not_follow_from_the_events_is_found(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after the operator has signed the right one again."""
    api = house.new_client()
    club, round_id = club_of(house, api), start_round(api)
    right = sign(house, club)
    play(api, round_id, *COMPLETE[:2])
    with monkeypatch.context() as patched:
        patched.setattr(trees, "get_round_map_root", lambda _: bytes(32))
        wrong = sign(house, club)
    play(api, round_id, COMPLETE[2])
    again = sign(house, club)
    [finding] = verify(house, right, wrong, again)
    assert (finding.kind, finding.table, finding.stored) == (FindingKind.ROUND_MAP_WRONG, "events", bytes(32))


def test_any_deleted_checkpoint_is_missed_and_one_without_its_event_is_surplus(house: House) -> None:
    api = house.new_client()
    club = club_of(house, api)
    sizes = []
    for number in range(3):
        start_round(api, name=f"table {number}")
        sizes.append(sign(house, club).size)
    with psycopg.connect(house.owner_url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("DELETE FROM checkpoints WHERE size = %s", [sizes[1]])
    [finding] = verify(house)
    assert (finding.kind, finding.table) == (FindingKind.RECORD_MISSING, "checkpoints")
    assert finding.key == {"club_id": club, "size": sizes[1]}
    with psycopg.connect(house.owner_url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE checkpoints SET size = %s WHERE size = %s", [sizes[0] - 1, sizes[0]])
    findings = {(each.kind, each.table, each.key["size"]) for each in verify(house) if "size" in each.key}
    assert (FindingKind.RECORD_SURPLUS, "checkpoints", sizes[0] - 1) in findings
    assert (FindingKind.RECORD_MISSING, "checkpoints", sizes[0]) in findings
