"""Files of other tools: they are recognized, read, compared with our results, and made rounds."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.formats.registry import find_format, get_format, list_formats
from client.offline.file_hands import Claims, FileHand, Unread
from client.offline.file_results import compare, find_field, find_ruleset
from client.offline.file_rounds import FileOptions, build_rounds
from client.offline.score import play_round, read_preset, score_hand
from tests.client.formats.sample_files import EVENING, SAMPLES, WRITERS, hands, read_sample
from tests.support.client.run_ofc import ofc

PINEAPPLE = read_preset("pineapple")
WITH_CARDS = [name for name in WRITERS if not name.startswith("pokernow")]
IN_FULL = ["poker-arena.jsonl", "csv.csv"]


def read_hands(content: bytes, name: str) -> list[FileHand]:
    parts = list(find_format(content, name).read(content))
    assert not [part for part in parts if isinstance(part, Unread)], parts
    return [part for part in parts if isinstance(part, FileHand)]


@pytest.mark.parametrize("name", WRITERS)
def test_the_samples_are_those_of_the_evening(name: str) -> None:
    assert SAMPLES.joinpath(name).read_bytes() == WRITERS[name]()


@pytest.mark.parametrize("name", WRITERS)
def test_a_sample_is_recognized_by_its_own_format_only(name: str) -> None:
    content = read_sample(name)
    detecting = [each.name for each in list_formats() if each.detect(content)]
    assert detecting == [name.rsplit(".", 1)[0]]


def test_there_is_a_sample_of_every_format() -> None:
    assert {name.rsplit(".", 1)[0] for name in WRITERS} == {each.name for each in list_formats()}


@pytest.mark.parametrize("name", WITH_CARDS)
def test_the_results_of_a_sample_agree_with_ours(name: str) -> None:
    comparison = compare(read_hands(read_sample(name), name), PINEAPPLE)
    assert (comparison.agreeing, comparison.differences, comparison.refused) == (len(hands()), (), ())


@pytest.mark.parametrize("name", IN_FULL)
def test_hands_become_the_rounds_that_were_played(name: str, tmp_path: Path) -> None:
    output = tmp_path / "rounds.ndjson"
    converted = ofc("convert", SAMPLES / name, "--stack", "60", "--table", "friday", "--to", "ndjson", "-o", output)
    assert (converted.code, converted.err) == (0, "")
    [converted_round] = map(json.loads, output.read_text().splitlines())
    evening = json.loads(EVENING.read_text())
    evening["seats"] = [{**seat, "stack": 60} for seat in evening["seats"]]
    played, original = play_round(converted_round), play_round(evening)
    assert played["round"]["seats"] == original["round"]["seats"]
    assert [hand["transfers"] for hand in played["hands"]] == [hand["transfers"] for hand in original["hands"]]


def test_streets_and_discards_are_converted(tmp_path: Path) -> None:
    converted = ofc("convert", SAMPLES / "poker-arena.jsonl", "--stack", "60", "--to", "ndjson")
    first = json.loads(converted.out)["hands"][0]["players"][0]
    assert [len(street["dealt"]) for street in first["streets"]] == [5, 3, 3, 3, 3]
    assert sum(len(street["discards"]) for street in first["streets"]) == 4


def test_the_stacks_of_the_file_are_used() -> None:
    content = read_sample("recorder.sql")
    assert [player.stack for player in read_hands(content, "recorder.sql")[0].players] == [200, 200]


def change_csv(**values: str) -> bytes:
    """Return the table with other values in the first line of a hand."""
    header, first, *lines = SAMPLES.joinpath("csv.csv").read_text().splitlines()
    line = dict(zip(header.split(","), first.split(","), strict=True)) | values
    return "\n".join([header, ",".join(line.values()), *lines]).encode()


@pytest.mark.parametrize(
    ("values", "difference"),
    [
        ({"points": "7"}, "hand 1: the file has +7 points for ann; here +6"),
        ({"royalties": "12"}, "hand 1: the file has 12 royalties for ann; here 11"),
        ({"foul": "yes"}, "hand 1: the board of ann is foul in the file; here it is not foul"),
    ],
)
def test_other_results_in_a_file_are_reported(values: dict[str, str], difference: str) -> None:
    comparison = compare(read_hands(change_csv(**values), "csv"), PINEAPPLE)
    assert (comparison.differences, comparison.agreeing) == ((difference,), len(hands()) - 1)


def test_other_royalties_of_a_row_are_reported_with_the_row_in_words() -> None:
    text = SAMPLES.joinpath("poker-arena.jsonl").read_text()
    changed = text.replace('"royalties": {"top": 7,', '"royalties": {"top": 6,', 1).encode()
    [difference] = compare(read_hands(changed, "arena"), PINEAPPLE).differences
    assert difference == "hand 1: the file pays ann 6 for the top; here pair of queens, four kicker pays 7"


def test_the_file_shows_the_ruleset_of_its_results() -> None:
    evening = json.loads(EVENING.read_text())
    russian = read_preset("pineapple-2-4-russian-unlimited")
    points = []
    for hand in evening["hands"]:
        played = play_hand_of(hand, russian)
        points += [player["points"] for player in played["players"]]
    header, *lines = SAMPLES.joinpath("csv.csv").read_text().splitlines()
    index = header.split(",").index("points")
    changed = []
    for line, value in zip(lines, points, strict=True):
        cells = line.split(",")
        cells[index] = str(value)
        changed.append(",".join([*cells[: index + 1], "", ""]))
    read = read_hands("\n".join([header, *changed]).encode(), "csv")
    best = find_ruleset(read)
    assert compare(read, best).agreeing == len(hands())
    assert compare(read, PINEAPPLE).agreeing < len(hands())


def play_hand_of(hand: dict[str, Any], ruleset: dict[str, Any]) -> dict[str, Any]:
    boards = [{key: player[key] for key in player if key != "discards"} for player in hand["players"]]
    return dict(score_hand({"players": boards}, ruleset))


def test_the_field_that_explains_a_file_is_found() -> None:
    custom = {**PINEAPPLE, "name": "custom", "points": {**PINEAPPLE["points"], "foul_penalty": 3}}
    foul = change_csv(top="Ks Kd 9h", middle="Qs Qd 4c 8h 3c")
    points = [player["points"] for player in play_hand_of({"players": _boards(foul)}, custom)["players"]]
    assert points[0] < 0
    claimed = change_csv(top="Ks Kd 9h", middle="Qs Qd 4c 8h 3c", points=str(points[0]), royalties="", foul="")
    [hand, *_] = read_hands(claimed, "csv")
    ann, *others = hand.players
    silent = replace(hand, players=(ann, *(replace(player, claims=Claims()) for player in others)))
    field = find_field([silent], PINEAPPLE)
    assert field is not None
    assert field[0] == "points.foul_penalty 3"


def _boards(content: bytes) -> list[dict[str, Any]]:
    return [player.document() | {"discards": None} for player in read_hands(content, "csv")[0].players]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"Poker Hand #1: Hold'em", 'the format is not known; the file begins with "Poker Hand #1: Hold\'em"'),
        (b"\x00\x01\xff", "the format is not known"),
    ],
)
def test_an_unknown_file_is_refused_with_the_formats(content: bytes, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "unknown"
    file.write_bytes(content)
    for command in ("convert", "import"):
        refused = ofc(command, file)
        if content or command == "convert":
            assert refused.code == 2
            assert reason in refused.err
            assert "expected one of the formats poker-arena, chipzen" in refused.err


def test_an_import_names_the_format_of_a_file_of_another_tool() -> None:
    refused = ofc("import", SAMPLES / "giovinco.jsonl")
    assert (refused.code, refused.err.strip().split("; ")[-1]) == (2, "expected round documents, or --format giovinco")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("Qs Qd 4c", "Qs Qd X1"), "'X1' is a joker; expected a card, no ruleset has jokers"),
        (("Qs Qd 4c", "Qs Qd"), "the top has 2 cards; expected 3"),
        (("Qs Qd 4c", "Qs Qd 1c"), "'1c' is not a card; expected a rank and a suit, for example As or 10s"),
        (("1,ann,", "1,,"), "a board has no player; expected a name in the column `player`"),
        (("1,ann,", "1,bob,"), "two players have the name bob; expected one player for each name"),
    ],
)
def test_a_hand_that_cannot_be_read_does_not_stop_the_others(change: tuple[str, str], reason: str) -> None:
    content = SAMPLES.joinpath("csv.csv").read_text().replace(*change, 1).encode()
    parts = list(get_format("csv").read(content))
    assert parts[0] == Unread("line 2", reason)
    assert all(isinstance(part, FileHand) for part in parts[1:])
    assert len(parts) == len(hands())


@pytest.mark.parametrize("name", WRITERS)
def test_a_damaged_file_loses_no_whole_hand_unseen(name: str) -> None:
    content = read_sample(name)
    form = get_format(name.rsplit(".", 1)[0])
    for end in range(0, len(content), max(1, len(content) // 40)):
        for part in form.read(content[:end]) if form.detect(content[:end]) else ():
            assert part is not None


VALUES: list[Any] = [None, True, -1, 10**30, 0.5, "", "Xx", "X1", [], {}, [None], {"cards": [1]}, [[]]]


@pytest.mark.parametrize("name", [name for name in WRITERS if "json" in name])
@given(data=st.data())
def test_a_wrong_value_anywhere_in_a_file_is_reported(name: str, data: st.DataObject) -> None:
    text = SAMPLES.joinpath(name).read_text()
    objects = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    part: Any = objects
    while True:
        key = data.draw(st.sampled_from(range(len(part)) if isinstance(part, list) else sorted(part)))
        if not isinstance(part[key], list | dict) or not part[key] or data.draw(st.booleans()):
            break
        part = part[key]
    part[key] = data.draw(st.sampled_from(VALUES))
    content = json.dumps(objects).encode()
    parts = list(get_format(name.rsplit(".", 1)[0]).read(content))
    readable = [each for each in parts if isinstance(each, FileHand)]
    compare(readable, PINEAPPLE)
    list(build_rounds(readable, FileOptions("friday", PINEAPPLE, stack=60, button="cyd")))


def test_what_the_file_does_not_have_has_to_be_given() -> None:
    refused = ofc("convert", SAMPLES / "csv.csv", "--to", "ndjson")
    assert refused.code == 2
    assert "the stack of ann is not known; expected it in the file, or --stack POINTS for everybody" in refused.err
    refused = ofc("convert", SAMPLES / "swc.jsonl", "--to", "ndjson", "--stack", "60")
    assert "the button is not known; expected it in the file, or --button PLAYER" in refused.err
    converted = ofc("convert", SAMPLES / "swc.jsonl", "--to", "ndjson", "--stack", "60", "--button", "cyd")
    assert converted.code == 0
    assert [hand["button"] for hand in json.loads(converted.out)["hands"]] == [3, 3, 1, 2]


def test_a_ledger_without_cards_has_balances_only() -> None:
    shown = ofc("convert", SAMPLES / "pokernow-ledger.csv")
    assert shown.text.splitlines()[1:] == ["  ann: bought 3000, won +700", "  ben: bought 2000, won -700"]
    refused = ofc("convert", SAMPLES / "pokernow-ledger.csv", "--to", "ndjson", "--stack", "60")
    assert (refused.code, "there is no hand to convert" in refused.err) == (2, True)


def test_the_formats_are_listed_with_what_they_cannot_know() -> None:
    listed = ofc("formats").text
    for each in list_formats():
        assert f"{each.name}  {each.title}" in listed
        assert f"cannot know: {each.unknown}" in listed


def test_the_page_of_the_docs_has_every_format() -> None:
    page = EVENING.parents[1].joinpath("docs", "formats.md").read_text()
    for each in list_formats():
        for text in (f"### {each.name}\n", f"| reads | {each.reads} |", f"| loses | {each.loses} |"):
            assert text in page
        assert f"| cannot know | {each.unknown} |" in page
