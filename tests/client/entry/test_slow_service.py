"""A service that is slow or never responds."""

import time

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import add_hand, numbers_of, open_evening

MOST_WAITED = 20
"""Seconds on a busy machine; the client waits for 3."""


def test_an_unresponsive_service_ends_the_command_before_anything_is_typed(
    by_proxy: dict[str, str], proxy: Proxy, table: str
) -> None:
    open_evening(by_proxy, table)
    proxy.way, proxy.request_count = Way.SILENT, 0
    began_at = time.monotonic()
    result = ofc("hand", "add", table, **by_proxy)
    assert (result.code, result.out) == (3, "")
    assert result.err == f"Error: {proxy.url} did not respond within 3 seconds\n"
    assert time.monotonic() - began_at < MOST_WAITED
    assert proxy.request_count == 1


def test_a_slow_service_records_the_hand(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    round_id = open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    proxy.latency, proxy.request_count = 1.0, 0
    add_hand(by_proxy, table)
    assert numbers_of(client, round_id) == [1, 2]
    assert proxy.request_count == 5, "the table, its round, the document and the ruleset; and the hand"
