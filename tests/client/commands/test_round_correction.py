"""`ofc round correct` and `ofc round what-if`: what changes is shown before anything is stored."""

import sys
from pathlib import Path
from typing import Any

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc, write
from tests.support.sample_rounds import HIGH, KINGS, LOW, MID, QUEENS, SEVENS, SIXES, THREE, hand, seats

Document = dict[str, Any]

ENTERS = hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS})
IN_FANTASYLAND = hand(2, 3, {1: {"board": HIGH, "fantasyland": 14}, 2: MID, 3: {"board": LOW, "fantasyland": 14}})
THREE_OF_DIAMONDS = [{"op": "replace", "path": "/hands/0/players/0/top/1", "value": "3d"}]
"""Seat 1 had no queens, and has not earned the Fantasyland that it was dealt."""


@pytest.fixture
def round_id(client: Client, table: str) -> str:
    """A round in which hand 2 is a Fantasyland hand."""
    document = {"ruleset": "pineapple", "table": table, "seats": seats(SIXES), "hands": [ENTERS, IN_FANTASYLAND]}
    return str(client.play_document(document)["round"]["id"])


def correct(reached: dict[str, str], round_id: str, *options: str | Path, text: str | None = None) -> Any:
    return ofc("round", "correct", round_id, "--reason", "misread", *options, text=text, **reached)


def test_a_correction_is_shown_beside_the_record_and_stored_after_confirmation(
    client: Client, reached: dict[str, str], round_id: str, tmp_path: Path
) -> None:
    patch = write(tmp_path, THREE_OF_DIAMONDS)
    result = correct(reached, round_id, "--patch", patch, "--irregular", "accept", text="no\n")
    assert result.code == 0
    assert "Nothing was changed." in result.out
    assert client.get_settlement(round_id)["revision"] == 1
    result = correct(reached, round_id, "--patch", patch, "--irregular", "accept", text="yes\n")
    assert result.code == 0
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert "ann, top Q♠ Q♦ 4♣ → Q♠ 3♦ 4♣" in lines
    assert any(line.startswith("ann +6 → ") for line in lines), result.out
    why = "seat 1 is in Fantasyland and has not earned it in the hand before; expected 0"
    assert f"Hand 2 is irregular and accepted as played: {why}." in " ".join(lines)
    assert "Corrected: the settlement has revision 2." in lines
    assert client.get_settlement(round_id)["reason"] == "misread"
    shown = " ".join(ofc("round", "settlement", round_id, **reached).out.split())
    assert f"Hand 2 is irregular and accepted as played: {why}." in shown


def test_a_later_hand_that_does_not_follow_is_reported(reached: dict[str, str], round_id: str, tmp_path: Path) -> None:
    result = correct(reached, round_id, "--patch", write(tmp_path, THREE_OF_DIAMONDS), "--yes")
    assert result.code == 1
    assert "(hand-irregular)" in result.err
    assert "#/patch" in result.err
    assert "#/hands/1/players/0/fantasyland of the patched document" in " ".join(result.err.split())


def test_an_amended_document_is_stored_with_json_output(
    client: Client, reached: dict[str, str], round_id: str, tmp_path: Path
) -> None:
    amended = {**client.get_document(round_id)}
    amended["seats"][0]["player"] = "zoe"
    result = correct(reached, round_id, "--document", write(tmp_path, amended), "--yes", "--json")
    assert result.code == 0
    assert result.document["revision"] == 2
    assert {each["player"] for each in result.document["net"]} == {"ann", "bob", "cyd", "zoe"}


@pytest.mark.parametrize(("script", "revision"), [("s.replace('\"ann\"', '\"zoe\"')", 2), ("s", 1)])
def test_the_document_can_be_edited(
    client: Client, reached: dict[str, str], round_id: str, tmp_path: Path, script: str, revision: int
) -> None:
    editor = tmp_path / "editor.py"
    body = f"s = path.read_text()\nt = {script}\nif t != s: path.write_text(t)\n"
    editor.write_text(f"import sys\nfrom pathlib import Path\npath = Path(sys.argv[1])\n{body}", encoding="utf-8")
    result = correct({**reached, "EDITOR": f"{sys.executable} {editor}"}, round_id, "--edit", "--yes")
    assert result.code == 0, result.err
    assert ("Nothing was changed." in result.out) == (revision == 1)
    assert client.get_settlement(round_id)["revision"] == revision


def test_exactly_one_way_of_describing_the_correction_is_required(
    reached: dict[str, str], round_id: str, tmp_path: Path
) -> None:
    result = correct(reached, round_id)
    assert (result.code, "Give one of --patch FILE" in result.err) == (2, True)
    result = correct(reached, round_id, "--patch", write(tmp_path, {"op": "test"}))
    assert (result.code, "an object was found; expected a JSON array of changes" in result.err) == (2, True)


def test_the_newest_round_of_a_table_is_corrected_by_the_name_of_the_table(
    client: Client, reached: dict[str, str], round_id: str, table: str, tmp_path: Path
) -> None:
    patch = write(tmp_path, [{"op": "add", "path": "/hands/0/played_at", "value": "2026-11-20T20:15:00Z"}])
    assert "No hand changes." in ofc("round", "what-if", table, "--patch", patch, **reached).out
    assert correct(reached, table, "--patch", patch, "--yes").code == 0
    assert client.get_settlement(round_id)["revision"] == 2


def test_what_if_shows_the_other_result_and_stores_nothing(
    client: Client, reached: dict[str, str], round_id: str, tmp_path: Path
) -> None:
    result = ofc("round", "what-if", round_id, "--ruleset", "classic", **reached)
    assert result.code == 0
    assert "Hand 1" in result.out
    same = ofc("round", "what-if", round_id, "--patch", write(tmp_path, []), **reached)
    assert "No hand changes." in same.out
    as_json = ofc("round", "what-if", round_id, "--ruleset", "classic", "--json", **reached).document
    assert as_json == client.what_if(round_id, {"ruleset": "classic"})
    assert client.get_settlement(round_id)["revision"] == 1
    assert ofc("round", "what-if", round_id, **reached).code == 2


def test_a_void_hand_is_shown_as_removed(client: Client, reached: dict[str, str], table: str, tmp_path: Path) -> None:
    hands = [hand(number, number, THREE) for number in (1, 2, 3)]
    document = {"ruleset": "pineapple", "table": table, "seats": seats(SIXES), "hands": hands}
    complete = str(client.play_document(document)["round"]["id"])
    patch = [{"op": "remove", "path": "/hands/2"}]
    result = correct(reached, complete, "--patch", write(tmp_path, patch), "--yes")
    assert result.code == 0
    assert "Hand 3 · removed" in result.out


# --- rows as options ---


def by_row(*rows: tuple[str, str], hand_: int = 1, seats_: tuple[str, ...] = ("ann",)) -> list[str]:
    named = [part for seat in seats_ for part in ("--seat", seat)]
    return ["--hand", str(hand_), *named, *(part for row in rows for part in ("--row", *row))]


@pytest.fixture
def plain_id(client: Client, table: str) -> str:
    """A round of three hands in which nobody is in Fantasyland."""
    hands = [hand(number, number, THREE) for number in (1, 2, 3)]
    document = {"ruleset": "pineapple", "table": table, "seats": seats(SIXES), "hands": hands}
    return str(client.play_document(document)["round"]["id"])


def test_a_row_is_corrected_by_options_after_confirmation(
    client: Client, reached: dict[str, str], plain_id: str, table: str
) -> None:
    options = by_row(("top", "Qh Qs 9c"), ("bottom", "10c 10h A♠ ad 4s"), hand_=2)
    refused = correct(reached, table, *options, text="yes\n")
    assert refused.code == 1
    assert "#/changes/0/cards/0" in refused.err
    assert "Qh is already in the bottom of seat 3; expected each card once" in " ".join(refused.err.split())
    options = by_row(("top", "2s Kd 9c"), ("bottom", "10c 10h A♠ ad 4s"), hand_=2)
    declined = correct(reached, table, *options, text="no\n")
    assert (declined.code, "Nothing was changed." in declined.out) == (0, True)
    assert client.get_settlement(plain_id)["revision"] == 1
    result = correct(reached, table, *options, text="yes\n")
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert "ann, top A♥ K♦ 9♣ → 2♠ K♦ 9♣" in lines
    assert any(line.startswith(("ann pays ", "bob pays ann ")) for line in lines), result.out
    assert "Corrected: the settlement has revision 2." in lines
    changed = client.get_document(plain_id)["hands"][1]["players"][0]
    assert changed["top"] == ["2s", "Kd", "9c"]
    assert sorted(changed["bottom"]) == sorted(["As", "Ad", "Tc", "Th", "4s"])


def test_one_row_of_each_of_two_players_is_corrected(client: Client, reached: dict[str, str], plain_id: str) -> None:
    options = by_row(("top", "QsKd9c"), ("front", "AhJc6d"), seats_=("ann", "3"))
    assert correct(reached, plain_id, *options, "--yes").code == 0
    players = client.get_document(plain_id)["hands"][0]["players"]
    assert [player["top"] for player in players] == [["Qs", "Kd", "9c"], ["Ks", "Qd", "7h"], ["Ah", "Jc", "6d"]]


def test_a_dry_run_shows_what_changes_and_stores_nothing(
    client: Client, reached: dict[str, str], plain_id: str
) -> None:
    options = by_row(("top", "QsKd9c"), ("top", "AhJc6d"), seats_=("ann", "cyd"))
    result = ofc("round", "correct", plain_id, *options, "--dry-run", **reached)
    assert result.code == 0
    assert result.out.endswith("Nothing was stored: this was a dry run.\n")
    changes = [
        {"hand": 1, "seat": 1, "row": "top", "cards": ["Qs", "Kd", "9c"]},
        {"hand": 1, "seat": 3, "row": "top", "cards": ["Ah", "Jc", "6d"]},
    ]
    version = client.get_round(plain_id)["version"]
    tried = client.correct_round(plain_id, {"reason": "misread", "version": version, "changes": changes}, dry_run=True)
    as_json = ofc("round", "correct", plain_id, *options, "--dry-run", "--json", **reached)
    assert as_json.document == tried
    assert client.get_settlement(plain_id)["revision"] == 1


def test_the_recorded_cards_change_nothing(client: Client, reached: dict[str, str], plain_id: str) -> None:
    result = correct(reached, plain_id, *by_row(("top", "9c Kd Ah")), "--yes")
    assert (result.code, "the round is recorded like this already" in result.out) == (0, True)
    assert client.get_settlement(plain_id)["revision"] == 1


@pytest.mark.parametrize(
    ("options", "mistake"),
    [
        (by_row(("top", "AhKd")), "--row top 'AhKd': the top has 2 cards; expected 3"),
        (by_row(("top", "AhKd9x")), "'9x' is not a valid card; expected a rank"),
        (by_row(("top", "AhKdKd")), "Kd is already in the top"),
        (by_row(("top", "2sKd9c"), hand_=7), "the round has no hand 7; it has hands 1 to 3"),
        (by_row(("top", "2sKd9c"), seats_=("eve",)), "no player 'eve' sits in the round; expected one of 1 (ann)"),
        (by_row(("top", "2sKd9c"), seats_=("ann", "bob")), "2 seats and 1 row are given; expected one --seat for all"),
        (["--hand", "1", "--row", "top", "2sKd9c"], "--seat SEAT missing; expected --hand, --seat and --row together"),
        (by_row(("side", "2sKd9c")), "'side' is not one of"),
    ],
)
def test_rows_that_are_wrong_are_reported_before_anything_is_sent(
    client: Client, reached: dict[str, str], plain_id: str, options: list[str], mistake: str
) -> None:
    result = correct(reached, plain_id, *options, "--yes")
    assert result.code == 2
    assert mistake in " ".join(result.err.split())
    assert client.get_settlement(plain_id)["revision"] == 1


def test_without_a_terminal_a_correction_needs_a_reason(reached: dict[str, str], plain_id: str) -> None:
    result = ofc("round", "correct", plain_id, *by_row(("top", "2sKd9c")), "--yes", **reached)
    assert (result.code, "Without a terminal, give --reason TEXT." in result.err) == (2, True)


def test_what_if_shows_other_rows_and_stores_nothing(client: Client, reached: dict[str, str], plain_id: str) -> None:
    result = ofc("round", "what-if", plain_id, *by_row(("top", "2sKd9c")), "--json", **reached)
    changes = [{"hand": 1, "seat": 1, "row": "top", "cards": ["2s", "Kd", "9c"]}]
    assert result.document == client.what_if(plain_id, {"changes": changes})
    assert client.get_settlement(plain_id)["revision"] == 1
