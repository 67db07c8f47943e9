"""Files that cannot be read, and documents that cannot be: one sentence each, and never a traceback."""

from pathlib import Path
from typing import Any

import pytest

from client.errors import RefusedError
from client.offline.score import play_round
from tests.client.asking import EXAMPLES, ofc, read_example, write
from tests.service.rounds_to_play import WORKED, changed, without

UNREADABLE = {
    "empty": ("", "it is empty; a JSON document is right"),
    "blank": (" \n\t", "it is empty; a JSON document is right"),
    "nul": ('{"ruleset": "\0"}', "line 1, column 14: invalid control character; JSON is right"),
    "not JSON": ('{\n  "ruleset": pineapple\n}', "line 2, column 14: expecting value; JSON is right"),
    "cut off": ('{"ruleset": "pineapple"', "line 1, column 24: expecting ',' delimiter; JSON is right"),
    "two documents": ("{} {}", "line 1, column 4: extra data; JSON is right"),
    "an open text": ('{"a": "As', "line 1, column 7: unterminated string; JSON is right"),
    "a list": ("[]", "a list was found; a JSON object is right"),
    "a text": ('"As"', "a text was found; a JSON object is right"),
    "a number": ("13", "a number was found; a JSON object is right"),
    "true": ("true", "a truth value was found; a JSON object is right"),
    "null": ("null", "null was found; a JSON object is right"),
    "a key twice": ('{"a": {"top": [], "top": []}}', "the key 'top' stands twice in one object; once is right"),
    "no number": ('{"button": NaN}', "NaN is no JSON number"),
    "endless": ('{"button": -Infinity}', "-Infinity is no JSON number"),
    "too large": ('{"button": 1e999}', "1e999 is too large a number"),
    "too long": ('{"button": ' + "1" * 5000 + "}", "a number has thousands of digits; none here has more than sixteen"),
    "deep lists": ('{"a": ' + "[" * 100_000, "objects and lists nest far deeper than in any document here"),
    "deep objects": ('{"a":' * 900 + "1" + "}" * 900, "objects and lists nest far deeper than in any document here"),
    "a row twice": (
        '{"players": [{"top": [], "front": []}]}',
        "#/players/0 has both front and top, which are the same row; one is right",
    ),
}


@pytest.mark.parametrize("command", [["score"], ["post"], ["post", "--whole"]], ids=" ".join)
@pytest.mark.parametrize(("text", "sentence"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_cannot_be_read_is_one_sentence(
    tmp_path: Path, command: list[str], text: str, sentence: str
) -> None:
    path = write(tmp_path, text)
    said = ofc(*command, path)
    assert (said.code, said.out) == (2, "")
    assert said.err == f"Error: {path}: {sentence}\n"


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    said = ofc("score", tmp_path / "nowhere.json")
    assert (said.code, said.err) == (2, f"Error: {tmp_path}/nowhere.json: no such file or directory\n")


def test_a_directory_is_one_sentence(tmp_path: Path) -> None:
    said = ofc("score", tmp_path)
    assert (said.code, said.err) == (2, f"Error: {tmp_path}: is a directory\n")


@pytest.mark.parametrize("command", [["score"], ["verify"], ["import"], ["checkpoint", "prove-inclusion", "0"]])
def test_a_name_that_a_script_left_empty_is_one_sentence(command: list[str]) -> None:
    said = ofc(*command, "")
    assert (said.code, said.out) == (2, "")
    assert said.err == "Error: the name of a file is empty; one of a file that there is, is right\n"


@pytest.mark.parametrize(
    "command",
    ["--data  queue list", "--key-file  table list", "export -o ", "checkpoint make -o ", "score - --svg "],
)
def test_a_path_that_a_script_left_empty_is_not_the_folder_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    said = ofc(*command.split(" "))
    assert (said.code, said.out) == (2, "")
    assert "it is empty; the name of a file or a folder is right" in said.err
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_utf_8_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes('{"player": "Zoë"}'.encode("latin-1"))
    said = ofc("score", path)
    assert (said.code, said.err) == (2, f"Error: {path}: byte 14 is not UTF-8; a JSON file in UTF-8 is right\n")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "marked.json"
    path.write_bytes(b"\xef\xbb\xbf" + (EXAMPLES / "score.json").read_bytes())
    assert ofc("score", path).code == 0


def test_an_empty_standard_input_is_one_sentence() -> None:
    assert ofc("score", "-", text="") == ofc("score", "-", text=b"\n")
    assert ofc("score", "-", text="").err == "Error: -: it is empty; a JSON document is right\n"


def test_unreadable_rules_name_their_own_file(tmp_path: Path) -> None:
    rules = write(tmp_path, "{", "rules.json")
    said = ofc("score", EXAMPLES / "score.json", "--ruleset", rules)
    assert said.code == 2
    assert said.err.startswith(f"Error: {rules}: line 1, column 2")


def test_of_several_files_the_first_unreadable_one_is_told_before_anything_is_posted(tmp_path: Path) -> None:
    said = ofc("post", EXAMPLES / "turbo.json", tmp_path / "nowhere.json", OFC_URL="http://127.0.0.1:9")
    assert (said.code, said.err) == (2, f"Error: {tmp_path}/nowhere.json: no such file or directory\n")


# --- what can be read and cannot be ---

REFUSED: dict[str, tuple[Any, list[str]]] = {
    "an unknown card": (
        changed(WORKED, ("players/0/top", ["Qs", "Qd", "1c"])),
        ["#/players/0/top/2  is '1c'; a rank of 23456789TJQKA and a suit of cdhs, like 'As' or 'Td', is right"],
    ),
    "two unknown cards, one of them in a text": (
        changed(WORKED, ("players/0/top", "QsQdXx"), ("players/2/bottom/4", "Z")),
        ["#/players/0/top/2  is 'Xx'", "#/players/2/bottom/4  is 'Z'"],
    ),
    "half a card": (changed(WORKED, ("players/0/top", "QsQd4")), ["#/players/0/top/2  is '4'"]),
    "several wrong shapes at once": (
        changed(WORKED, ("button", "3"), ("players/0/top", ["Qs"]), ("players/1/seat", 2.5), ("players/2/middle", 7)),
        [
            "#/button  is '3'; a whole number is right",
            "#/players/0/top  has 1 cards; 3 belong there",
            "#/players/1/seat  is 2.5; a whole number is right",
            "#/players/2/middle  is 7; a list is right",
        ],
    ),
    "nothing known": ({"a": 1}, ["#/ruleset  is missing", "#/players  is missing", "#/a  is not known here"]),
    "players that are none": ({**WORKED, "players": [1, None]}, ["#/players/0  is not an object"]),
    "an unknown ruleset": (
        {**WORKED, "ruleset": "badugi"},
        ["#/ruleset  'badugi' is no preset; give rules of your own with --ruleset FILE. Presets: pineapple, "],
    ),
    "an unknown version": ({**WORKED, "ruleset": "pineapple@2"}, ["#/ruleset  'pineapple@2' is no preset"]),
    "a ruleset that is none": ({**WORKED, "ruleset": {}}, ["#/ruleset  is an object; a text is right"]),
    "a card twice": (changed(WORKED, ("players/0/top/0", "Ac")), ["#/players/1/top/0"]),
    "an empty round": ({"hands": []}, ["#/ruleset  is missing", "#/table  is missing", "#/seats  is missing"]),
    "hands that are none": ({"hands": 5}, ["#/hands  is 5; a list is right"]),
}


@pytest.mark.parametrize(("document", "mistakes"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused_with_every_mistake_and_its_place(
    tmp_path: Path, document: Any, mistakes: list[str]
) -> None:
    path = write(tmp_path, document)
    said = ofc("score", path)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith(f"{path}: ")
    assert [mistake for mistake in mistakes if mistake not in said.err] == []


def test_a_round_is_refused_with_the_place_in_its_document(tmp_path: Path) -> None:
    document = read_example("turbo")
    document["hands"][2]["button"] = 1
    said = ofc("score", write(tmp_path, document))
    assert said.code == 1
    assert "#/hands/2/button" in said.err


def test_of_very_many_mistakes_the_first_are_shown(tmp_path: Path) -> None:
    said = ofc("score", write(tmp_path, {**WORKED, **{f"field{number}": 1 for number in range(50)}}))
    assert said.code == 1
    assert said.err.count("#/field") == 20
    assert "… and 30 more" in said.err


def test_mistakes_that_nobody_has_looked_for_are_not_counted() -> None:
    with pytest.raises(RefusedError) as refused:
        play_round({"ruleset": "pineapple", "hands": [7] * 1000})
    assert refused.value.problem["detail"].startswith("200 mistakes or more, the first: ")


def test_a_strange_key_does_not_disturb_the_terminal(tmp_path: Path) -> None:
    said = ofc("score", write(tmp_path, {**WORKED, "\x1b[31m\ud800[/bold]": 1}))
    assert said.code == 1
    assert "\x1b" not in said.err


def test_a_hand_without_what_it_needs_does_not_get_as_far_as_the_rules(tmp_path: Path) -> None:
    players = [without(player, "middle") for player in WORKED["players"]]
    said = ofc("score", write(tmp_path, {**WORKED, "players": players}))
    assert said.code == 1
    assert said.err.count("/middle  is missing; it must be given") == 3
