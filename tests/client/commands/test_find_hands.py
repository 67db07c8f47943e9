"""`ofc hand find`, `ofc imports` and `ofc recompute list`."""

import json
from pathlib import Path

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc, read_example, write
from tests.support.sample_rounds import FOUL, SIXES, THREE, hand, seats

BESIDE = "KhQd7h / 9s9d6c4h3c / ThTs8h8s6s"
LAST = "QsJc6d / 7s7d3d3h2d / QcQh4d4c3s"
"""Two boards from one deck with the foul one."""


@pytest.fixture
def round_id(client: Client, table: str) -> str:
    """A round in whose second hand ann is foul."""
    hands = [hand(1, 1, THREE), hand(2, 2, {1: FOUL, 2: BESIDE, 3: LAST})]
    document = {"ruleset": "pineapple", "table": table, "seats": seats(SIXES), "hands": hands}
    return str(client.play_document(document)["round"]["id"])


def test_hands_are_found_by_player_foul_and_table(
    reached: dict[str, str], client: Client, round_id: str, table: str
) -> None:
    every = list(client.list_hands(round_id))
    hands = ofc("hand", "find", "--table", table, "--json", **reached).document["hands"]
    assert [each["id"] for each in hands] == [each["id"] for each in reversed(every)]
    assert {each["round"] for each in hands} == {round_id}
    for options, number in ((("--foul",), 2), (("--no-foul",), 1)):
        result = ofc(
            "hand", "find", "--player", "ann", "--from", "-7d", "--table", table, *options, "--json", **reached
        )
        assert [each["number"] for each in result.document["hands"]] == [number]
    shown = ofc("hand", "find", "--table", table, "--foul", **reached).out
    assert f"hand 2 of round {round_id}" in shown
    assert ", foul · bob" in shown
    limited = ofc("hand", "find", "--table", table, "--limit", "1", "--json", **reached).document["hands"]
    assert [each["number"] for each in limited] == [2]
    for nothing in (("--fantasyland",), ("--player", "nobody"), ("--to", "2020-01-01"), ("--ruleset", "turbo")):
        assert ofc("hand", "find", "--table", table, *nothing, **reached).text == "No hands."


def test_imports_are_listed(reached: dict[str, str], client: Client, table: str, tmp_path: Path) -> None:
    line = json.dumps({**read_example("turbo"), "table": table})
    assert ofc("import", write(tmp_path, f"{line}\n", "rounds.ndjson"), **reached).code == 0
    newest, *_ = ofc("imports", "--json", **reached).document["imports"]
    assert newest == client.get_import(newest["id"])
    assert (newest["state"], newest["summary"]["rounds"]) == ("succeeded", 1)
    shown = ofc("imports", "--state", "succeeded", "--limit", "1", **reached).out.splitlines()
    assert len(shown) == 2
    assert newest["id"] in shown[1]
    assert "1 of 1" in shown[1]


def test_recomputations_are_listed(reached: dict[str, str], client: Client, round_id: str) -> None:
    start = ("--reason", "audit", "--round", round_id, "--watch", "--json")
    started = ofc("recompute", "start", *start, **reached).document
    newest, *_ = ofc("recompute", "list", "--json", **reached).document["recomputations"]
    assert newest == client.get_recomputation(started["id"])
    assert started["id"] in ofc("recompute", "list", "--state", "succeeded", **reached).out
