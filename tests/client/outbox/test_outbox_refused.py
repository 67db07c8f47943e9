"""The outbox when the service refuses a request that waits."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from client.api import Client
from tests.support.client.outbox_queue import waiting
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import PLAIN, add_hand, given, is_saved, numbers_of, open_evening, undo_first
from tests.support.sample_rounds import HIGH, LOW, MID, hand


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


# --- refused ---


@pytest.fixture
def refused(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> tuple[str, str]:
    """Two rounds for which two hands each wait; of the first one somebody else records another first hand."""
    rounds = open_evening(by_proxy, f"{table}-1"), open_evening(by_proxy, f"{table}-2")
    proxy.way = Way.AWAY
    for button in (1, 2):
        for number in (1, 2):
            add_hand(by_proxy, f"{table}-{number}", button=button, waits=True)
    client.record_hand(rounds[0], hand(1, 3, {1: MID, 2: HIGH, 3: LOW}))
    proxy.way = Way.THROUGH
    return rounds


def test_a_refusal_stops_only_its_round(
    by_proxy: dict[str, str], client: Client, table: str, refused: tuple[str, str]
) -> None:
    result = ofc("queue", "flush", **by_proxy)
    assert result.code == 1
    lines = result.text.splitlines()
    assert lines[:2] == [f"Sent: hand 1 at {table}-2.", f"Sent: hand 2 at {table}-2."]
    assert lines[2].startswith(f"1  hand 1 at {table}-1, round ")
    assert lines[3] == "   refused: Hand number conflict (hand-conflict)"
    assert "#/button  3 is recorded, 1 was received" in result.text
    assert "Both boards" in lines
    assert "   `ofc queue drop 1` drops it; `ofc queue flush` tries it again" in lines
    assert lines[-1] == "   waits behind a refused request"
    assert [numbers_of(client, round_id) for round_id in refused] == [[1], [1, 2]]
    stopped = ofc("hand", "add", f"{table}-1", **by_proxy)
    assert stopped.code == 1
    assert stopped.err.startswith("outbox 1: Hand number conflict (hand-conflict)\n")
    assert stopped.err.endswith("`ofc queue drop 1` drops it; `ofc queue flush` tries it again.\n")
    stopped = ofc("round", "open", f"{table}-1", "ann=9", "ben=9", **by_proxy)
    assert stopped.code == 1
    assert stopped.err.startswith("outbox 1: Hand number conflict (hand-conflict)\n")
    assert waiting(by_proxy) == ["record_hand hand-conflict", "record_hand"]


def test_a_refused_request_is_dropped_or_retried(
    by_proxy: dict[str, str], client: Client, refused: tuple[str, str]
) -> None:
    ofc("queue", "flush", **by_proxy)
    assert ofc("queue", "drop", "1", text="no\n", **by_proxy).out == "Nothing was dropped.\n"
    undo_first(client, refused[0])
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert [numbers_of(client, round_id) for round_id in refused] == [[1, 2], [1, 2]]


def test_a_dropped_request_is_never_sent(by_proxy: dict[str, str], client: Client, refused: tuple[str, str]) -> None:
    ofc("queue", "flush", **by_proxy)
    for number in ("1", "3"):
        assert ofc("queue", "drop", number, "--yes", **by_proxy).out.startswith("Dropped: hand ")
    assert ofc("queue", "flush", **by_proxy).text == "No requests wait."
    assert numbers_of(client, refused[0]) == [1]
    gone = ofc("queue", "drop", "1", "--yes", **by_proxy)
    assert gone.code == 2
    assert "Error: no request 1 waits for " in gone.err


def test_a_wrong_key_refuses_no_queued_request(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, tmp_path: Path
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.THROUGH
    wrong = tmp_path / "wrong-key"
    wrong.write_text("ofc_nobodys")
    result = ofc("queue", "flush", **{**by_proxy, "OFC_API_KEY_FILE": str(wrong)})
    assert result.code == 1
    assert "(key-unknown)" in result.err
    assert waiting(by_proxy) == ["record_hand"]
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


@pytest.mark.parametrize(
    ("status", "code", "times", "left"),
    [(500, "internal-error", 1, "record_hand internal-error"), (409, "busy", 4, "record_hand")],
)
def test_a_failing_service_removes_nothing_from_the_outbox(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, status: int, code: str, times: int, left: str
) -> None:
    rounds = [open_evening(by_proxy, f"{table}-{number}") for number in (1, 2)]
    problem = {"title": "No", "status": status, "code": code, "detail": "not now", "errors": []}
    proxy.done = [(status, json.dumps(problem).encode())] * times
    result = ofc("hand", "add", f"{table}-1", *given(*PLAIN, button=1), **by_proxy)
    assert result.code == 1
    assert result.out.endswith("Not sent; it waits in the outbox as 1, and `ofc queue flush` sends it.\n")
    assert waiting(by_proxy) == [left]
    proxy.way = Way.AWAY
    add_hand(by_proxy, f"{table}-2", button=1, waits=True)
    proxy.way, proxy.done = Way.THROUGH, [(status, json.dumps(problem).encode())] * times
    ofc("queue", "flush", **by_proxy)
    assert [numbers_of(client, round_id) for round_id in rounds] == [[], [1]]
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert [numbers_of(client, round_id) for round_id in rounds] == [[1], [1]]


def test_requests_not_sent_because_the_service_is_busy_are_reported(
    by_proxy: dict[str, str], proxy: Proxy, table: str
) -> None:
    for name in (f"{table}-1", f"{table}-2"):
        open_evening(by_proxy, name)
    proxy.way = Way.AWAY
    for name in (f"{table}-1", f"{table}-2"):
        add_hand(by_proxy, name, button=1, waits=True)
    problem = {"title": "No", "status": 409, "code": "busy", "detail": "somebody else is changing the same round"}
    proxy.way, proxy.done = Way.THROUGH, [(409, json.dumps(problem).encode())] * 4
    result = ofc("queue", "flush", **by_proxy)
    assert result.code == 3
    assert result.err == (
        f"Error: {proxy.url} could not accept all waiting requests: somebody else is changing the same round\n"
    )
    sent, waits = result.out.splitlines()
    assert sent == f"Sent: hand 1 at {table}-2."
    assert waits.startswith(f"1  hand 1 at {table}-1, round ")
    assert ofc("queue", "flush", **by_proxy).code == 0


def test_a_queued_hand_that_was_undone_counts_only_on_request(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    ofc("hand", "add", table, *given(*PLAIN, button=1), "--played-at", "2026-11-20T21:00:00Z", **by_proxy)
    proxy.way = Way.AWAY
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    again = ofc("hand", "add", table, *given(*PLAIN, button=1), "--played-at", "2026-11-20T21:00:00Z", **by_proxy)
    assert is_saved(again)
    assert "is not a hand that was undone" in ofc("queue", "restore", "3", **by_proxy).err
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 1
    assert waiting(by_proxy) == ["record_hand hand-undone"]
    assert "`ofc queue restore 3` restores it" in ofc("queue", "list", **by_proxy).out
    assert numbers_of(client, round_id) == []
    assert ofc("queue", "restore", "3", **by_proxy).text == f"Sent: hand 1 at {table}."
    assert numbers_of(client, round_id) == [1]
