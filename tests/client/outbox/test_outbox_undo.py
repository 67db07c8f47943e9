"""The outbox when hands are undone while they wait."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from client.api import Client
from tests.support.client.outbox_queue import waiting
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import add_hand, is_saved, numbers_of, open_evening, undo_first
from tests.support.sample_rounds import HIGH, LOW, MID, hand


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


# --- undone while it waits, or while somebody else goes on ---


@pytest.mark.parametrize("is_own", [True, False], ids=["own", "seen"])
def test_a_queued_undo_removes_no_hand_recorded_since(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, is_own: bool
) -> None:
    round_id = open_evening(by_proxy, table)
    if is_own:
        add_hand(by_proxy, table, button=1)
    else:
        client.record_hand(round_id, hand(1, 1, {1: HIGH, 2: MID, 3: LOW}))
        ofc("undo", table, text="no\n", **by_proxy)
    proxy.way = Way.AWAY
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    undo_first(client, round_id)
    others = client.record_hand(round_id, hand(1, 3, {1: MID, 2: HIGH, 3: LOW}))
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).text == f"Sent: undo of hand 1 at {table}.\nNo requests wait."
    assert [recorded["id"] for recorded in client.list_hands(round_id)] == [others["id"]]


def test_an_undo_of_a_queued_hand_has_its_record(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    assert is_saved(ofc("undo", table, "--reason", "wrong cards", "--yes", **by_proxy))
    add_hand(by_proxy, table, HIGH, LOW, MID, button=1, waits=True)
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    undone = [json.loads(body) for path, _key, body in proxy.changes if path.endswith("/undo")]
    records = [next(client.list_hands(round_id, revision))["id"] for revision in (1, 2)]
    assert undone == [
        {"number": 1, "reason": "wrong cards", "hand": records[0]},
        {"number": 1, "hand": records[1]},
    ]
    assert numbers_of(client, round_id) == []


def test_dropping_a_hand_drops_its_undo(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    round_id = open_evening(by_proxy, table, ruleset="pineapple-qq")
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    assert is_saved(ofc("round", "leave", table, "ann", **by_proxy))
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    add_hand(by_proxy, table, HIGH, LOW, MID, button=1, waits=True)
    others = client.record_hand(round_id, hand(1, 3, {1: MID, 2: HIGH, 3: LOW}))
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 1
    first, *along = f"hand 1 at {table}", f"departure from seat 1 at {table}", f"undo of hand 1 at {table}"
    cancelled = ofc("queue", "drop", "1", text="no\n", **by_proxy)
    assert cancelled.err == f"Drop {first}, and with it {', '.join(along)}? [yes/no]\n"
    result = ofc("queue", "drop", "1", "--yes", **by_proxy)
    assert result.text.splitlines() == [f"Dropped: {what}." for what in (first, *along)]
    assert ofc("queue", "flush", **by_proxy).code == 1
    assert waiting(by_proxy) == ["record_hand hand-conflict"]
    assert [recorded["id"] for recorded in client.list_hands(round_id)] == [others["id"]]


def test_dropping_an_undo_leaves_the_hands(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    add_hand(by_proxy, table, HIGH, LOW, MID, button=1, waits=True)
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    assert ofc("queue", "drop", "2", "--yes", **by_proxy).text == f"Dropped: undo of hand 1 at {table}."
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 1
    assert waiting(by_proxy) == ["record_hand hand-conflict", "undo_hand"]
    assert len(ofc("queue", "drop", "3", "--yes", **by_proxy).text.splitlines()) == 2
    assert waiting(by_proxy) == []
    assert numbers_of(client, round_id) == [1]


def test_a_hand_with_an_unknown_record_is_undone_once_the_service_responds(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    """The outbox of an older `ofc` knows no records."""
    round_id = open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    with sqlite3.connect(Path(by_proxy["OFC_DATA"]) / "outbox.sqlite3") as older:
        for column in ("rounds DROP COLUMN records", "rounds DROP COLUMN answer", "rounds DROP COLUMN answered_at"):
            older.execute(f"ALTER TABLE {column}")
        older.execute("ALTER TABLE entries DROP COLUMN table_id")
        for table_ in ("tables", "recomputations"):
            older.execute(f"DROP TABLE {table_}")
        older.execute("PRAGMA user_version = 1")
    older.close()
    proxy.way = Way.AWAY
    result = ofc("undo", table, "--yes", **by_proxy)
    assert result.code == 2
    assert result.err.startswith("Error: the service has not confirmed the record of hand 1 yet; ")
    assert waiting(by_proxy) == []
    proxy.way = Way.THROUGH
    assert ofc("undo", table, "--yes", **by_proxy).code == 0
    assert numbers_of(client, round_id) == []
