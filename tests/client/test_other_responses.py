"""Commands while the service does not respond, or another server responds in its place."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import PLAIN, add_hand, hand_options, numbers_of, open_evening


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def strange(round_id: str) -> list[object]:
    """Return JSON responses of another server: none confirms that the hand was recorded."""
    recorded = {"id": "1", "number": 1, "in_force": True, "round": {"id": round_id}}
    wrong: list[dict[str, object]] = [
        {"id": 1},
        {"number": 2},
        {"in_force": None},
        {"round": [round_id]},
        {"round": {}},
    ]
    return [{"ok": True}, {"tables": [{}]}, {"id": [round_id]}, *({**recorded, **one} for one in wrong)]


def test_a_response_of_another_server_confirms_nothing(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, folder: Path
) -> None:
    round_id = open_evening(by_proxy, table)
    for command in (["hand", "add", table, *hand_options(*PLAIN, button=1)], ["post", f"hand-1-of-{table[:40]}.json"]):
        for response in strange(round_id):
            proxy.done = [(200, json.dumps(response).encode())]
            result = ofc(*command, **by_proxy)
            assert result.code == 3, response
            assert "which is not a response of Tablestakes; is the address right?" in result.err
    assert len([*folder.iterdir()]) == len(strange(round_id)), "each hand that was typed is in a file"
    assert numbers_of(client, round_id) == []


@pytest.mark.parametrize(
    ("command", "options"),
    [(["undo"], ["--yes"]), (["round", "leave"], ["ann"]), (["round", "close"], ["--reason", "late", "--yes"])],
    ids=["undo", "leave", "close"],
)
def test_other_changes_are_not_written_and_can_be_repeated(
    by_proxy: dict[str, str],
    proxy: Proxy,
    client: Client,
    table: str,
    folder: Path,
    command: list[str],
    options: list[str],
) -> None:
    round_id = open_evening(by_proxy, table, ruleset="pineapple-qq")
    add_hand(by_proxy, table, button=1)
    before = client.get_round(round_id)
    for response in strange(round_id):
        proxy.done = [(201, json.dumps(response).encode())]
        assert ofc(*command, table, *options, **by_proxy).code == 3, response
    for way in (Way.AWAY, Way.LOSES_REQUESTS):
        proxy.way = way
        assert ofc(*command, table, *options, **by_proxy).code == 3
    assert client.get_round(round_id) == before
    proxy.way = Way.THROUGH
    assert ofc(*command, table, *options, **by_proxy).code == 0
    assert client.get_round(round_id)["version"] == before["version"] + 1
    assert [*folder.iterdir()] == []


def test_an_undo_whose_response_is_lost_is_repeated_by_the_number_of_its_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table, ruleset="pineapple-qq")
    add_hand(by_proxy, table, button=1)
    proxy.way = Way.LOSES_RESPONSES
    lost = ofc("undo", table, "--yes", **by_proxy)
    assert lost.code == 3
    assert f"`ofc undo {table} --hand 1` repeats it, and undoes no other hand." in lost.err
    proxy.way = Way.THROUGH
    undone = client.get_round(round_id)
    again = ofc("undo", table, "--hand", "1", "--yes", **by_proxy)
    assert (again.code, again.out) == (0, f"Hand 1 at {table} is undone already.\n")
    refused = ofc("undo", table, "--hand", "3", "--yes", **by_proxy)
    assert refused.code == 2
    assert client.get_round(round_id) == undone


@pytest.mark.parametrize(
    "command",
    [
        ["hand", "add", "TABLE"],
        ["hand", "correct", "TABLE", "1", "--button", "2", "--reason", "late"],
        ["undo", "TABLE"],
        ["round", "leave", "TABLE", "ann"],
        ["round", "close", "TABLE", "--reason", "late"],
        ["round", "show", "TABLE"],
        ["round", "open", "TABLE", "ann=200", "ben=200"],
        ["table", "statement", "TABLE"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_without_the_service_no_command_begins(
    by_proxy: dict[str, str], proxy: Proxy, table: str, folder: Path, command: list[str]
) -> None:
    open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    result = ofc(*(part.replace("TABLE", table) for part in command), **by_proxy)
    assert (result.code, result.out) == (3, "")
    assert result.err.splitlines()[-1].startswith(f"Error: {proxy.url} does not respond")
    assert [*folder.iterdir()] == []
