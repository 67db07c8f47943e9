"""Files that cannot be read, and documents that cannot be: one sentence each, and never a traceback."""

from pathlib import Path
from typing import Any

import pytest

from client.errors import RefusedError
from client.offline.score import play_round
from tests.support.client.run_ofc import EXAMPLES, ofc, read_example, write
from tests.support.sample_rounds import WORKED, changed, without

UNREADABLE = {
    "empty": ("", "the file is empty; expected a JSON document"),
    "blank": (" \n\t", "the file is empty; expected a JSON document"),
    "nul": ('{"ruleset": "\0"}', "line 1, column 14: invalid control character; expected JSON"),
    "not JSON": ('{\n  "ruleset": pineapple\n}', "line 2, column 14: expecting value; expected JSON"),
    "cut off": ('{"ruleset": "pineapple"', "line 1, column 24: expecting ',' delimiter; expected JSON"),
    "two documents": ("{} {}", "line 1, column 4: extra data; expected JSON"),
    "an open text": ('{"a": "As', "line 1, column 7: unterminated string; expected JSON"),
    "a list": ("[]", "an array was found; expected a JSON object"),
    "a text": ('"As"', "a string was found; expected a JSON object"),
    "a number": ("13", "a number was found; expected a JSON object"),
    "true": ("true", "a boolean was found; expected a JSON object"),
    "null": ("null", "null was found; expected a JSON object"),
    "a key twice": ('{"a": {"top": [], "top": []}}', "the key 'top' is given twice in one object; expected once"),
    "no number": ('{"button": NaN}', "NaN is not a JSON number"),
    "endless": ('{"button": -Infinity}', "-Infinity is not a JSON number"),
    "lost digits": (
        '{"button": 10.00000000000000000001}',
        "10.00000000000000000001 would be read as 10; expected a number with fewer digits",
    ),
    "too large": ('{"button": 1e999}', "1e999 is too large a number"),
    "too long": ('{"button": ' + "1" * 5000 + "}", "a number has thousands of digits; expected at most sixteen"),
    "deep lists": ('{"a": ' + "[" * 100_000, "the JSON is nested too deeply; expected a hand or a round document"),
    "deep objects": (
        '{"a":' * 900 + "1" + "}" * 900,
        "the JSON is nested too deeply; expected a hand or a round document",
    ),
    "a row twice": (
        '{"players": [{"top": [], "front": []}]}',
        "#/players/0 has both front and top, which are the same row; expected one of them",
    ),
}


@pytest.mark.parametrize("command", [["score"], ["post"], ["post", "--whole"]], ids=" ".join)
@pytest.mark.parametrize(("text", "sentence"), UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_file_is_a_one_line_error(tmp_path: Path, command: list[str], text: str, sentence: str) -> None:
    path = write(tmp_path, text)
    result = ofc(*command, path)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"Error: {path}: {sentence}\n"


def test_a_missing_file_is_a_one_line_error(tmp_path: Path) -> None:
    result = ofc("score", tmp_path / "nowhere.json")
    assert (result.code, result.err) == (2, f"Error: {tmp_path}/nowhere.json: no such file or directory\n")


def test_a_directory_is_a_one_line_error(tmp_path: Path) -> None:
    result = ofc("score", tmp_path)
    assert (result.code, result.err) == (2, f"Error: {tmp_path}: is a directory\n")


@pytest.mark.parametrize("command", [["score"], ["verify"], ["import"], ["checkpoint", "prove-inclusion", "0"]])
def test_an_empty_file_name_is_a_one_line_error(command: list[str]) -> None:
    result = ofc(*command, "")
    assert (result.code, result.out) == (2, "")
    assert result.err == "Error: the name of a file is empty; expected the name of an existing file\n"


@pytest.mark.parametrize(
    "command",
    ["--key-file  table list", "export -o ", "checkpoint make -o ", "score - --svg "],
)
def test_an_empty_path_is_not_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    result = ofc(*command.split(" "))
    assert (result.code, result.out) == (2, "")
    assert "the path is empty; expected the name of a file or a directory" in result.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_not_utf_8_is_a_one_line_error(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes('{"player": "Zoë"}'.encode("latin-1"))
    result = ofc("score", path)
    assert (result.code, result.err) == (2, f"Error: {path}: byte 14 is not UTF-8; expected a JSON file in UTF-8\n")


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "marked.json"
    path.write_bytes(b"\xef\xbb\xbf" + (EXAMPLES / "score.json").read_bytes())
    assert ofc("score", path).code == 0


def test_an_empty_standard_input_is_a_one_line_error() -> None:
    assert ofc("score", "-", text="") == ofc("score", "-", text=b"\n")
    assert ofc("score", "-", text="").err == "Error: -: the file is empty; expected a JSON document\n"


def test_invalid_rules_are_reported_with_their_own_file(tmp_path: Path) -> None:
    rules = write(tmp_path, "{", "rules.json")
    result = ofc("score", EXAMPLES / "score.json", "--ruleset", rules)
    assert result.code == 2
    assert result.err.startswith(f"Error: {rules}: line 1, column 2")


def test_the_first_unreadable_file_is_reported_before_anything_is_posted(tmp_path: Path) -> None:
    result = ofc("post", EXAMPLES / "turbo.json", tmp_path / "nowhere.json", OFC_URL="http://127.0.0.1:9")
    assert (result.code, result.err) == (2, f"Error: {tmp_path}/nowhere.json: no such file or directory\n")


# --- what can be read and cannot be ---

REFUSED: dict[str, tuple[Any, list[str]]] = {
    "an unknown card": (
        changed(WORKED, ("players/0/top", ["Qs", "Qd", "1c"])),
        ["#/players/0/top/2  is '1c'; expected a rank of 23456789TJQKA and a suit of cdhs, for example 'As' or 'Td'"],
    ),
    "two unknown cards, one of them in a text": (
        changed(WORKED, ("players/0/top", "QsQdXx"), ("players/2/bottom/4", "Z")),
        ["#/players/0/top/2  is 'Xx'", "#/players/2/bottom/4  is 'Z'"],
    ),
    "half a card": (changed(WORKED, ("players/0/top", "QsQd4")), ["#/players/0/top/2  is '4'"]),
    "several wrong shapes at once": (
        changed(WORKED, ("button", "3"), ("players/0/top", ["Qs"]), ("players/1/seat", 2.5), ("players/2/middle", 7)),
        [
            "#/button  is '3'; expected an integer",
            "#/players/0/top  has 1 cards; expected 3",
            "#/players/1/seat  is 2.5; expected an integer",
            "#/players/2/middle  is 7; expected an array",
        ],
    ),
    "nothing known": ({"a": 1}, ["#/ruleset  is required", "#/players  is required", "#/a  is unknown"]),
    "players that are none": ({**WORKED, "players": [1, None]}, ["#/players/0  is 1; expected an object"]),
    "an unknown ruleset": (
        {**WORKED, "ruleset": "badugi"},
        ["#/ruleset  'badugi' is not a preset; expected one of pineapple, "],
    ),
    "an unknown version": ({**WORKED, "ruleset": "pineapple@2"}, ["#/ruleset  'pineapple@2' is not a preset"]),
    "a ruleset that is none": ({**WORKED, "ruleset": {}}, ["#/ruleset  is an object; expected a string"]),
    "a card twice": (changed(WORKED, ("players/0/top/0", "Ac")), ["#/players/1/top/0"]),
    "an empty round": ({"hands": []}, ["#/ruleset  is required", "#/table  is required", "#/seats  is required"]),
    "hands that are none": ({"hands": 5}, ["#/hands  is 5; expected an array"]),
}


@pytest.mark.parametrize(("document", "mistakes"), REFUSED.values(), ids=REFUSED)
def test_an_invalid_hand_is_refused_with_every_error_and_its_pointer(
    tmp_path: Path, document: Any, mistakes: list[str]
) -> None:
    path = write(tmp_path, document)
    result = ofc("score", path)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"{path}: ")
    assert [mistake for mistake in mistakes if mistake not in result.err] == []


def test_a_round_is_refused_with_the_pointer_into_its_document(tmp_path: Path) -> None:
    document = read_example("turbo")
    document["hands"][2]["button"] = 1
    result = ofc("score", write(tmp_path, document))
    assert result.code == 1
    assert "#/hands/2/button" in result.err


def test_at_most_the_first_errors_are_shown(tmp_path: Path) -> None:
    result = ofc("score", write(tmp_path, {**WORKED, **{f"field{number}": 1 for number in range(50)}}))
    assert result.code == 1
    assert result.err.count("#/field") == 20
    assert "… and 30 more" in result.err


def test_unchecked_errors_are_not_counted() -> None:
    with pytest.raises(RefusedError) as refused:
        play_round({"ruleset": "pineapple", "hands": [7] * 1000})
    assert refused.value.problem["detail"].startswith("200 mistakes or more, the first: ")


def test_an_unusual_key_does_not_disturb_the_terminal(tmp_path: Path) -> None:
    result = ofc("score", write(tmp_path, {**WORKED, "\x1b[31m\ud800[/bold]": 1}))
    assert result.code == 1
    assert "\x1b" not in result.err


def test_a_hand_with_missing_fields_is_refused_before_scoring(tmp_path: Path) -> None:
    players = [without(player, "middle") for player in WORKED["players"]]
    result = ofc("score", write(tmp_path, {**WORKED, "players": players}))
    assert result.code == 1
    assert result.err.count("/middle  is required") == 3
