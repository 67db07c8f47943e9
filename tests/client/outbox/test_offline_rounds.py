"""An evening goes on without a network: rounds are opened, looked at and summed up on the scorekeeper's machine."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import stamina

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import PLAIN, add_hand, is_saved, numbers_of, open_evening
from tests.support.sample_rounds import HIGH, LOW, MID, hand


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def waiting(by_proxy: dict[str, str]) -> list[tuple[str, str | None]]:
    """What waits: the operation of each request, and why it was refused."""
    listed = ofc("queue", "list", "--json", **by_proxy).document["waiting"]
    return [(each["operation"], (each["problem"] or {}).get("code")) for each in listed]


def play_round_away(by_proxy: dict[str, str], proxy: Proxy, table: str) -> str:
    """Play a whole round of which the last two hands wait; the network is away then."""
    round_id = open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    proxy.way = Way.AWAY
    for _ in range(2):
        add_hand(by_proxy, table, waits=True)
    return round_id


def test_an_outage_does_not_interrupt_the_evening(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    first = play_round_away(by_proxy, proxy, table)
    opened = ofc("round", "open", table, "ann", "ben", "dan=50", **by_proxy)
    assert is_saved(opened), opened
    assert opened.out.startswith("New round · ")
    assert [line.split()[1:3] for line in opened.out.splitlines()[2:5]] == [
        ["ann", "236"],
        ["ben", "200"],
        ["dan", "50"],
    ]
    assert "Saved on this machine; 2 hands and 1 other change wait to be sent.\n" in opened.out
    opened_at = ofc("round", "show", table, "--json", **by_proxy).document["opened_at"]
    add_hand(by_proxy, table, button=2, waits=True)
    add_hand(by_proxy, table, waits=True)
    proxy.way = Way.THROUGH
    sent = ofc("queue", "flush", **by_proxy)
    reference = opened.out.split(" · ")[1]
    assert sent.out.splitlines() == [
        f"Sent: hand 2 at {table}.",
        f"Sent: hand 3 at {table}.",
        f"Sent: opening of round {reference} at {table}.",
        f"Sent: hand 1 at {table}.",
        f"Sent: hand 2 at {table}.",
        "No requests wait.",
    ]
    second, same = client.list_rounds(table=client.get_round(first)["table"])
    assert (same["id"], same["status"], second["reference"]) == (first, "complete", reference)
    assert datetime.fromisoformat(second["opened_at"]) == datetime.fromisoformat(opened_at)
    assert [(seat["player"], seat["opening_stack"]) for seat in second["seats"]] == [
        ("ann", 236),
        ("ben", 200),
        ("dan", 50),
    ]
    assert numbers_of(client, second["id"]) == [1, 2]
    add_hand(by_proxy, table)
    assert numbers_of(client, second["id"]) == [1, 2, 3]


def test_a_round_that_is_opened_offline_comes_after_the_last_one_although_the_clock_is_late(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    made = ofc("table", "create", table, "--ruleset", "pineapple", "--json", **by_proxy).document
    seats = [{"seat": seat, "player": player, "stack": 200} for seat, player in enumerate(("ann", "ben", "cyd"), 1)]
    ahead = datetime.now(UTC) + timedelta(minutes=4)
    first = client.open_round(made["id"], {"seats": seats, "opened_at": ahead.isoformat()})
    add_hand(by_proxy, table, button=1)
    assert ofc("round", "close", table, "--reason", "late", "--yes", **by_proxy).code == 0
    proxy.way = Way.AWAY
    assert is_saved(ofc("round", "open", table, "ann", "ben", "cyd", **by_proxy))
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    second, same = client.list_rounds(table=made["id"])
    assert same["id"] == first["id"]
    assert datetime.fromisoformat(second["opened_at"]) - ahead == timedelta(microseconds=1)


def test_the_output_reports_that_it_is_from_the_cache(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = play_round_away(by_proxy, proxy, table)
    shown = ofc("round", "show", table, **by_proxy)
    assert shown.code == 0, shown
    first, heading, *_ = shown.out.splitlines()
    assert first.startswith("offline: as of ")
    assert first.endswith(", 2 hands wait")
    assert heading.startswith(f"Round {round_id} · ")
    assert shown.out.endswith("The round is complete after 3 hands.\n")
    by_id = ofc("round", "show", round_id, "--json", **by_proxy).document
    assert (by_id["status"], by_id["offline"]["hands_waiting"]) == ("complete", 2)
    printed = ofc("table", "statement", table, **by_proxy)
    assert printed.out.startswith(first)
    away = ofc("table", "statement", table, "--json", **by_proxy).document
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert "offline" in away
    assert {**away, "offline": None} == {
        **ofc("table", "statement", table, "--json", **by_proxy).document,
        "offline": None,
    }
    proxy.way = Way.AWAY
    early = ofc("table", "statement", table, "--to", "2020-01-01T00:00:00Z", **by_proxy)
    assert "· 0 rounds\nNo rounds have been played." in early.out


def test_a_table_created_but_not_used_can_open_a_round_offline(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    made = ofc(
        "table", "create", table, "--ruleset", "pineapple", "--minimum-stack", "20", "--json", **by_proxy
    ).document
    proxy.way = Way.AWAY
    small = ofc("round", "open", table, "ann=200", "ben=10", **by_proxy)
    assert (small.code, small.out) == (1, "")
    assert "#/seats/1/stack  is 10; expected at least 20, the table's minimum" in small.err
    assert is_saved(
        ofc("round", "open", table, "ann=200", "ben=200", "cyd=200", "--reference", "evening/1", **by_proxy)
    )
    add_hand(by_proxy, table, button=1, waits=True)
    again = ofc("round", "open", table, "ann=200", "ben=200", **by_proxy)
    assert (again.code, again.out) == (1, "")
    assert "(round-open)" in again.err
    listed = ofc("queue", "list", **by_proxy).out
    assert f"1  opening of round evening/1 at {table}" in listed
    assert f"2  hand 1 at {table}, round evening/1" in listed
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    [opened] = client.list_rounds(table=made["id"])
    assert (opened["reference"], opened["hands"]) == ("evening/1", 1)


@pytest.mark.parametrize("sitting", [["ann", "eve"], ["ann", "zed=20", "ann"]])
def test_an_invalid_round_is_refused_offline(
    by_proxy: dict[str, str], proxy: Proxy, table: str, sitting: list[str]
) -> None:
    play_round_away(by_proxy, proxy, table)
    result = ofc("round", "open", table, *sitting, **by_proxy)
    assert (result.code, result.out) == (1, "")
    assert "(round-invalid)" in result.err
    assert waiting(by_proxy) == [("record_hand", None)] * 2


def test_a_lost_response_opens_one_round(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    made = ofc("table", "create", table, "--ruleset", "pineapple", "--json", **by_proxy).document
    proxy.way = Way.LOSES_RESPONSES
    assert is_saved(ofc("round", "open", table, "ann=200", "ben=200", "cyd=200", **by_proxy))
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    [opened] = client.list_rounds(table=made["id"])
    assert opened["hands"] == 1


def test_another_stack_at_the_service_is_an_explained_conflict(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    first = play_round_away(by_proxy, proxy, table)
    assert is_saved(ofc("round", "open", table, "ann", "ben", "cyd", **by_proxy))
    add_hand(by_proxy, table, button=1, waits=True)
    for number, button in ((2, 2), (3, 3)):
        client.record_hand(first, hand(number, button, {1: LOW, 2: MID, 3: HIGH}, dealt_again=True))
    for number in ("2", "3"):
        assert ofc("queue", "drop", number, "--yes", **by_proxy).code == 0
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 1
    assert waiting(by_proxy) == [("open_round", "expected-differs"), ("record_hand", None)]
    listed = ofc("queue", "list", **by_proxy).out
    assert "#/expected/seats/0/opening_stack  " in listed
    assert "236 is expected; the result is 188" in listed
    assert "`ofc queue use-stacks 4` opens it with the stacks that it was played with" in listed
    assert ofc("hand", "add", table, **by_proxy).code == 1
    result = ofc("queue", "use-stacks", "4", **by_proxy)
    assert result.code == 0, result
    newest = next(client.list_rounds(table=client.get_round(first)["table"]))
    assert [seat["opening_stack"] for seat in newest["seats"]] == [236, 200, 164]
    assert (newest["hands"], waiting(by_proxy)) == (1, [])


def test_another_open_round_stops_the_queue_with_an_explanation(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    made = ofc("table", "create", table, "--ruleset", "pineapple", "--json", **by_proxy).document
    proxy.way = Way.AWAY
    assert is_saved(ofc("round", "open", table, "ann=200", "ben=200", "cyd=200", **by_proxy))
    add_hand(by_proxy, table, *PLAIN, button=1, waits=True)
    seats = [{"seat": seat, "player": player, "stack": 9} for seat, player in enumerate(("eve", "fay"), start=1)]
    other = client.open_round(made["id"], {"seats": seats})
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 1
    assert waiting(by_proxy) == [("open_round", "round-open"), ("record_hand", None)]
    assert "finish or close it first" in ofc("queue", "list", **by_proxy).out
    client.close_round(other["id"], "by mistake")
    assert ofc("queue", "flush", **by_proxy).code == 0
    # The round was opened before the other one, offline.
    assert [each["hands"] for each in client.list_rounds(table=made["id"])] == [0, 1]


def test_dropping_a_round_drops_its_hands(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    assert ofc("table", "create", table, "--ruleset", "pineapple", **by_proxy).code == 0
    proxy.way = Way.AWAY
    assert is_saved(ofc("round", "open", table, "ann=200", "ben=200", "cyd=200", "--reference", "a", **by_proxy))
    add_hand(by_proxy, table, button=1, waits=True)
    result = ofc("queue", "drop", "1", "--yes", **by_proxy)
    assert result.out == f"Dropped: opening of round a at {table}.\nDropped: hand 1 at {table}.\n"
    assert waiting(by_proxy) == []
    assert is_saved(ofc("round", "open", table, "ann=200", "ben=200", **by_proxy))
