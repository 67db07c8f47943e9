"""`ofc import --format`: hands of another tool's file are recorded as rounds, and its results are not."""

import json

from client.api import Client
from client.lookup import find_table
from tests.client.formats.sample_files import SAMPLES, hands, names
from tests.support.client.run_ofc import ofc

ARENA = SAMPLES / "poker-arena.jsonl"
OPTIONS = ("--format", "poker-arena", "--ruleset", "pineapple", "--stack", "60")


def test_hands_of_another_tool_are_recorded_once(reached: dict[str, str], table: str) -> None:
    for stored, replayed in ((1, 0), (0, 1)):
        imported = ofc("import", ARENA, *OPTIONS, "--table", table, **reached)
        rounds = f"{stored} round{'' if stored == 1 else 's'} stored"
        assert (imported.code, imported.text) == (0, f"1 line: {rounds}, {replayed} recorded before, 0 refused")
    [exported] = map(json.loads, ofc("export", "--table", table, **reached).out.splitlines())
    assert len(exported["hands"]) == len(hands())
    assert [len(street["dealt"]) for street in exported["hands"][0]["players"][0]["streets"]] == [5, 3, 3, 3, 3]


def test_results_of_the_file_are_not_stored(reached: dict[str, str], client: Client, table: str) -> None:
    text = ARENA.read_text().replace('"points": 6}', '"points": 600}')
    assert text != ARENA.read_text()
    imported = ofc("import", "-", *OPTIONS, "--table", table, text=text, **reached)
    assert imported.code == 0
    round_ = next(iter(client.list_rounds(table=find_table(client, table)["id"])))
    stored = next(iter(client.list_hands(round_["id"])))
    points = {player["player"]: player["points"] for player in stored["players"]}
    assert points == dict(zip(names(), [each["result"]["points"] for each in hands()[0]["players"]], strict=True))


def test_hands_that_cannot_be_read_are_reported_and_the_others_recorded(reached: dict[str, str], table: str) -> None:
    csv = SAMPLES.joinpath("csv.csv").read_text().replace("Qs Qd 4c", "Qs Qd X1", 1)
    options = ("--format", "csv", "--ruleset", "pineapple", "--stack", "60", "--table", table)
    imported = ofc("import", "-", *options, text=csv, **reached)
    assert imported.code == 1
    assert imported.text.splitlines()[:2] == [
        "1 hand not read:",
        "  line 2: 'X1' is a joker; expected a card, no ruleset has jokers",
    ]
    assert "not imported:" in imported.text
    assert "0 refused" in imported.text


def test_options_of_a_format_need_a_format(reached: dict[str, str]) -> None:
    refused = ofc("import", ARENA, "--stack", "60", **reached)
    assert (refused.code, "need --format" in refused.err) == (2, True)
