"""The outbox when a request or a process is interrupted, two processes use it, or another server responds."""

import json
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from client.api import Client
from tests.support.client.outbox_queue import ended, start, waiting
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import PLAIN, add_hand, given, is_saved, numbers_of, open_evening


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


# --- cut, killed, twice at once ---


def test_a_response_lost_after_the_commit_records_one_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.LOSES_RESPONSES
    add_hand(by_proxy, table, button=1, waits=True)
    assert numbers_of(client, round_id) == [1]
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]
    hands = [change for change in proxy.changes if change[0].endswith("/hands")]
    assert len(hands) > 1
    assert len(set(hands)) == 1
    assert waiting(by_proxy) == []


@pytest.mark.parametrize("way", [Way.HOLDS_REQUESTS, Way.HOLDS_RESPONSES], ids=["before", "after"])
def test_a_kill_before_or_after_the_commit_records_one_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, way: Way
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = way
    process = start("hand", "add", table, *given(*PLAIN, button=1), **by_proxy)
    assert proxy.held.wait(30)
    _path, key, body = proxy.changes[-1]
    with sqlite3.connect(Path(by_proxy["OFC_DATA"]) / "outbox.sqlite3") as database:
        assert database.execute("SELECT key, body FROM entries").fetchall() == [(key, body)]
    database.close()
    process.send_signal(signal.SIGKILL)
    assert ended(process).code == -signal.SIGKILL
    assert numbers_of(client, round_id) == ([] if way is Way.HOLDS_REQUESTS else [1])
    proxy.released.set()
    proxy.way = Way.THROUGH
    result = ofc("queue", "flush", **by_proxy)
    assert (result.code, result.text) == (0, f"Sent: hand 1 at {table}.\nNo requests wait.")
    assert numbers_of(client, round_id) == [1]
    assert proxy.changes[-1] == (f"/v1/rounds/{round_id}/hands", key, body)


def test_an_interrupted_request_stays_in_the_outbox(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.HOLDS_REQUESTS
    process = start("hand", "add", table, *given(*PLAIN, button=1), **by_proxy)
    assert proxy.held.wait(30)
    process.send_signal(signal.SIGINT)
    result = ended(process)
    assert result.code == 130
    assert "Stopped; it waits in the outbox as 1, and `ofc queue flush` sends it.\n" in result.out
    assert waiting(by_proxy) == ["record_hand"]
    assert numbers_of(client, round_id) == []


def test_two_processes_that_record_the_same_number_record_one_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.delay = 0.5
    hands = [given(*PLAIN, button=1), given(*reversed(PLAIN), button=1)]
    both = [ended(process) for process in [start("hand", "add", table, *hand, **by_proxy) for hand in hands]]
    assert sorted(result.code for result in both) == [0, 1], both
    assert numbers_of(client, round_id) == [1]
    assert waiting(by_proxy) == []


def test_two_processes_that_send_at_once_send_each_hand_once_in_order(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    for button in (1, 2, 3):
        add_hand(by_proxy, table, button=button, waits=True)
    proxy.way, proxy.delay = Way.THROUGH, 0.3
    proxy.changes.clear()
    both = [ended(process) for process in [start("queue", "flush", **by_proxy) for _ in range(2)]]
    assert [result.code for result in both] == [0, 0]
    sent = [line for result in both for line in result.out.splitlines() if line.startswith("Sent")]
    assert sorted(sent) == [f"Sent: hand {number} at {table}." for number in (1, 2, 3)]
    assert [json.loads(body)["number"] for _path, _key, body in proxy.changes] == [1, 2, 3]
    assert numbers_of(client, round_id) == [1, 2, 3]


def test_a_second_sender_waits_for_the_first(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.HOLDS_REQUESTS
    stuck = start("queue", "flush", **by_proxy)
    assert proxy.held.wait(30)
    proxy.way = Way.THROUGH
    other = start("queue", "flush", **by_proxy)
    with pytest.raises(subprocess.TimeoutExpired):
        other.wait(1.5)
    assert numbers_of(client, round_id) == []
    stuck.send_signal(signal.SIGKILL)
    assert ended(stuck).code == -signal.SIGKILL
    assert ended(other).code == 0
    assert numbers_of(client, round_id) == [1]


# --- another server responds ---


def strange(round_id: str) -> list[object]:
    """Return JSON responses of another server: none confirms that the request was processed."""
    hand = {"id": "1", "number": 1, "in_force": True, "round": {"id": round_id}}
    wrong: list[dict[str, object]] = [
        {"id": 1},
        {"number": 2},
        {"in_force": None},
        {"round": [round_id]},
        {"round": {}},
    ]
    return [{"ok": True}, {"tables": [{}]}, {"id": [round_id]}, *({**hand, **one} for one in wrong)]


def test_a_request_refused_by_another_server_stays_in_the_outbox(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.THROUGH
    for response in strange(round_id):
        proxy.done = [(200, json.dumps(response).encode())]
        result = ofc("queue", "flush", **by_proxy)
        assert result.code == 3, response
        assert "which is not a response of Tablestakes; is the address right?" in result.err
        assert waiting(by_proxy) == ["record_hand"]
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


@pytest.mark.parametrize(
    ("command", "options"),
    [(["undo"], ["--yes"]), (["round", "leave"], ["ann"]), (["round", "close"], ["--reason", "late", "--yes"])],
    ids=["undo", "leave", "close"],
)
def test_a_change_refused_by_another_server_stays_in_the_outbox(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, command: list[str], options: list[str]
) -> None:
    round_id = open_evening(by_proxy, table, ruleset="pineapple-qq")
    add_hand(by_proxy, table, button=1)
    before = client.get_round(round_id)
    proxy.way = Way.AWAY
    assert is_saved(ofc(*command, table, *options, **by_proxy))
    [entry] = waiting(by_proxy)
    proxy.way = Way.THROUGH
    for response in strange(round_id):
        proxy.done = [(201, json.dumps(response).encode())]
        assert ofc("queue", "flush", **by_proxy).code == 3, response
        assert waiting(by_proxy) == [entry]
    assert client.get_round(round_id) == before
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert client.get_round(round_id) != before
