"""A service that is slow or never responds: the table does not wait for it."""

import time

import pytest

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import PLAIN, add_hand, given, is_saved, numbers_of, open_evening
from tests.support.client.terminal import ENTER, terminal
from tests.support.sample_rounds import HIGH, LOW, MID, hand

SEATS = ("Seat 1, ann: ", "Seat 2, ben: ", "Seat 3, cyd: ")
MOST_WAITED = 20
"""Seconds on a busy machine; the client waits for 3."""


def test_typing_never_waits_for_an_unresponsive_service(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way, proxy.request_count = Way.SILENT, 0
    with terminal("hand", "add", table, "--button", "1", **by_proxy) as screen:
        for seat, board in zip(SEATS, PLAIN, strict=True):
            assert screen.shows_prompt(seat.rstrip())
            screen.type(board, ENTER)
        typed_at = time.monotonic()
        assert screen.shows("Save hand 1? [yes, no, or a seat to type again]")
        assert time.monotonic() - typed_at < MOST_WAITED
        screen.type("yes", ENTER)
        agreed_at = time.monotonic()
        assert screen.shows("Saved on this machine; 1 hand waits to be sent.")
        assert screen.end() == 0
        assert time.monotonic() - agreed_at < MOST_WAITED
    assert proxy.request_count == 1, "one request for a hand, and no other after it has not responded"
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


@pytest.mark.parametrize(
    "command",
    [
        ["hand", "add", "TABLE", *given(*PLAIN)],
        ["undo", "TABLE", "--yes"],
        ["round", "leave", "TABLE", "ann"],
        ["round", "close", "TABLE", "--reason", "late", "--yes"],
    ],
    ids=lambda command: command[1],
)
def test_every_change_is_queued_once_and_saved(
    by_proxy: dict[str, str], proxy: Proxy, table: str, command: list[str]
) -> None:
    open_evening(by_proxy, table, ruleset="pineapple-qq")
    add_hand(by_proxy, table, button=1)
    proxy.way, proxy.request_count = Way.SILENT, 0
    began_at = time.monotonic()
    result = ofc(*(part.replace("TABLE", table) for part in command), **by_proxy)
    assert is_saved(result), result
    assert "did not respond within 3 seconds" in result.out
    assert time.monotonic() - began_at < MOST_WAITED
    assert proxy.request_count == 1


def test_a_slow_service_records_the_hand(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    round_id = open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    proxy.latency, proxy.request_count = 1.0, 0
    add_hand(by_proxy, table)
    assert numbers_of(client, round_id) == [1, 2]
    assert proxy.request_count == 2, (
        "where nothing has changed elsewhere, one request reads the round, and one records the hand"
    )


def test_a_hand_recorded_by_another_client_is_detected_during_entry(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.latency, proxy.finished_count = 1.0, 0
    client.record_hand(round_id, hand(1, 1, {1: MID, 2: HIGH, 3: LOW}))
    with terminal("hand", "add", table, **by_proxy) as screen:
        assert screen.shows_prompt("Button (seat or player):")
        screen.type("ann")
        # The client has read the round when it sends no further request.
        seen = 0
        while not seen or seen != proxy.finished_count:
            seen = proxy.finished_count
            time.sleep(5)
        screen.type(ENTER)
        assert screen.shows("The round has changed since this machine last read it.")
        assert screen.shows("Next: hand 2, button ben; ann, ben and cyd play")
        for seat, board in zip(SEATS, PLAIN, strict=True):
            assert screen.shows_prompt(seat.rstrip())
            screen.type(board, ENTER)
        assert screen.shows_prompt("Record hand 2? [yes, no, or a seat to type again]")
        screen.type("yes", ENTER)
        assert screen.end() == 0
    assert numbers_of(client, round_id) == [1, 2]
