"""`ofc score`: a hand or a round, without a service."""

import copy
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from client.offline.score import find_ruleset
from tests.support.client.run_ofc import EXAMPLES, PRESETS, ofc, read_example, read_expected, write
from tests.support.sample_rounds import WORKED, changed, without

WORKED_EXAMPLE = """\
pineapple@1 · button seat 3

Boards
  seat 1  +6 points, royalties 11, enters Fantasyland with 14 cards
    top     Q♠ Q♦ 4♣        pair of queens, four kicker +7
    middle  K♠ K♦ 9♥ 8♥ 3♣  pair of kings, nine-eight-three kickers
    bottom  A♥ J♥ 7♥ 6♥ 2♥  flush, ace-jack-seven-six-deuce +4
  seat 2  −5 points, royalties 6
    top     A♣ 8♦ 2♠        ace high, eight-deuce kickers
    middle  T♠ T♣ 5♦ 5♣ 6♠  two pair, tens and fives, six kicker
    bottom  7♠ 7♦ 7♣ J♦ J♠  full house, sevens over jacks +6
  seat 3  −1 point, royalties 8, enters Fantasyland with 14 cards
    top     K♥ K♣ 3♠        pair of kings, three kicker +8
    middle  9♠ 9♦ 8♠ 8♣ 4♥  two pair, nines and eights, four kicker
    bottom  A♠ A♦ Q♥ Q♣ 2♦  two pair, aces and queens, deuce kicker

Head-to-head (points for the first player)
pair             top  middle  bottom  rows  bonus  foul  royalties  points
seat 1 : seat 2    ▲       ▼       ▼    −1      0     0         +5      +4
seat 1 : seat 3    ▼       ▼       ▲    −1      0     0         +3      +2
seat 2 : seat 3    ▼       ▲       ▲    +1      0     0         −2      −1

Payments
pays                due  paid  cut off
1. seat 2 → seat 1    4     3        1  seat 1 had a stack of 3 and can win at most 3
2. seat 3 → seat 1    2     2
3. seat 2 → seat 3    1     1
Stacks  seat 1: 8 · seat 2: 46 · seat 3: 49"""


def test_the_worked_example_of_the_rules_is_explained_figure_by_figure() -> None:
    result = ofc("score", EXAMPLES / "score.json")
    assert result.code == 0, result
    assert result.text == WORKED_EXAMPLE


def test_the_worked_example_under_2_4_has_the_figures_of_the_rules(tmp_path: Path) -> None:
    document = changed(WORKED, ("ruleset", "pineapple-2-4-us-none"))
    result = ofc("score", write(tmp_path, document), "--json").document
    assert [exchange["points"] for exchange in result["exchanges"]] == [3, 1, 0]


def test_a_hand_can_be_piped_in() -> None:
    result = ofc("score", "-", text=(EXAMPLES / "score.json").read_text(encoding="utf-8"))
    assert result.text == WORKED_EXAMPLE


def test_without_stacks_the_pairs_are_shown_with_advice(tmp_path: Path) -> None:
    players = [without(player, "stack") for player in WORKED["players"]]
    result = ofc("score", write(tmp_path, {**WORKED, "players": players}))
    assert result.code == 0
    assert result.text.endswith("With a stack for every player and the button, payments are shown too.")


@pytest.mark.parametrize("name", PRESETS)
def test_the_results_of_an_example_are_as_expected_offline(name: str) -> None:
    played = ofc("score", EXAMPLES / f"{name}.json", "--json").document
    expected = read_expected(name)
    assert {part: played["settlement"][part] for part in expected} == expected
    assert len(played["hands"]) == len(read_example(name)["hands"]) == played["round"]["hands"]


@pytest.mark.parametrize("name", PRESETS)
def test_an_example_can_be_explained(name: str) -> None:
    result = ofc("score", EXAMPLES / f"{name}.json")
    hands = read_example(name)["hands"]
    assert result.code == 0
    assert [f"Hand {hand['number']} ·" in result.out for hand in hands] == [True] * len(hands)
    assert f"after {len(hands)} hands." in result.out


def test_top_ups_and_departures_are_shown_where_they_happen() -> None:
    documents = {name: read_example(name) for name in PRESETS}
    printed = {name: ofc("score", EXAMPLES / f"{name}.json").out for name in documents}
    top_ups = [
        f"{player_in(document, top_up['seat'])} adds {top_up['points']} point" in printed[name]
        for name, document in documents.items()
        for hand in document["hands"]
        for top_up in hand.get("top_ups", [])
    ]
    departures = [
        f"{player_in(document, departure['seat'])} leaves after hand {departure['after_hand']}" in printed[name]
        for name, document in documents.items()
        for departure in document.get("departures", [])
    ]
    assert top_ups
    assert departures
    assert all(top_ups + departures)


def player_in(document: Any, seat: int) -> str:
    return next(str(taken["player"]) for taken in document["seats"] if taken["seat"] == seat)


# --- spelling ---


@pytest.mark.parametrize(
    "top",
    [
        ["QS", "qd", "4c"],
        ["Q♠", "Q♦", "4♣"],
        ["Q♤", "Q♢", "4♧"],
        ["Q♠\ufe0f", "Q♦\ufe0f", "4♣\ufe0f"],
        "QsQd4c",
        "Qs Qd 4c",
        "Q♠Q♦4♣",
        "qs, qd, 4c",
    ],
)
def test_spellings_of_cards_are_accepted(tmp_path: Path, top: Any) -> None:
    assert ofc("score", write(tmp_path, changed(WORKED, ("players/0/top", top)))).text == WORKED_EXAMPLE


def test_a_ten_can_be_written_10(tmp_path: Path) -> None:
    written = changed(WORKED, ("players/1/middle", ["10s", "10♣", "5d", "5c", "6s"]))
    assert ofc("score", write(tmp_path, written)).text == WORKED_EXAMPLE
    in_one = changed(WORKED, ("players/1/middle", "10s10♣5d5c6s"))
    assert ofc("score", write(tmp_path, in_one)).text == WORKED_EXAMPLE


def test_rows_can_be_called_front_and_back(tmp_path: Path) -> None:
    document = copy.deepcopy(WORKED)
    for player in document["players"]:
        player["front"], player["back"] = player.pop("top"), player.pop("bottom")
    assert ofc("score", write(tmp_path, document)).text == WORKED_EXAMPLE


def test_spellings_of_streets_and_discards_are_accepted(tmp_path: Path) -> None:
    document = read_example("turbo")
    respelled = copy.deepcopy(document)
    for hand in respelled["hands"]:
        for player in hand["players"]:
            for street in player.get("streets") or []:
                street["dealt"] = "".join(card.replace("T", "10").upper() for card in street["dealt"])
    assert respelled != document
    assert (
        ofc("score", write(tmp_path, respelled), "--json").document
        == ofc("score", write(tmp_path, document), "--json").document
    )


# --- rules of one's own ---


@pytest.fixture
def own_rules(tmp_path: Path) -> Path:
    """Pineapple, in which a row is worth two and no version is given."""
    rules = without(find_ruleset({"ruleset": "pineapple"}, None), "version")
    return write(tmp_path, changed(rules, ("name", "double"), ("points/row", 2)), "double.json")


def test_a_custom_ruleset_replaces_that_of_the_hand(own_rules: Path) -> None:
    result = ofc("score", EXAMPLES / "score.json", "--ruleset", own_rules, "--json").document
    assert result["ruleset"] == "double@1"
    assert [exchange["row_points"] for exchange in result["exchanges"]] == [-2, -2, 2]


def test_a_document_with_a_custom_ruleset_needs_no_ruleset_name(tmp_path: Path, own_rules: Path) -> None:
    hand = write(tmp_path, without(WORKED, "ruleset"))
    assert ofc("score", hand, "--ruleset", own_rules, "--json").document["ruleset"] == "double@1"
    round_ = write(tmp_path, without(read_example("pineapple"), "ruleset"), "round.json")
    assert ofc("score", round_, "--ruleset", own_rules, "--json").document["round"]["ruleset"] == "double@1"


def test_contradictory_rules_are_refused_with_their_file(tmp_path: Path, own_rules: Path) -> None:
    wrong = write(tmp_path, changed(json.loads(own_rules.read_text()), ("players/max", 4)), "wrong.json")
    result = ofc("score", EXAMPLES / "score.json", "--ruleset", wrong)
    assert result.code == 1
    assert f"{wrong}: Invalid ruleset (ruleset-invalid)" in result.err
    assert "#/" in result.err


def test_a_custom_ruleset_cannot_have_the_name_of_a_preset(tmp_path: Path, own_rules: Path) -> None:
    stolen = write(tmp_path, {**json.loads(own_rules.read_text()), "name": "turbo"}, "stolen.json")
    result = ofc("score", EXAMPLES / "score.json", "--ruleset", stolen)
    assert result.code == 1
    assert "turbo is a preset, which never changes; expected another name" in result.err


# --- what is expected ---


def test_an_expected_result_is_checked_and_never_trusted(tmp_path: Path) -> None:
    right = write(tmp_path, {**WORKED, "expected": {"stacks": {"1": 8}}}, "right.json")
    assert ofc("score", right).code == 0
    wrong = write(tmp_path, {**WORKED, "expected": {"stacks": {"1": 9}}}, "wrong.json")
    result = ofc("score", wrong)
    assert (result.code, result.out) == (1, "")
    assert "#/expected/stacks/1  9 is expected; the result is 8" in result.err


def test_the_expected_settlement_of_a_round_is_checked(tmp_path: Path) -> None:
    document = read_example("turbo")
    right = {**document, "expected": {"settlement": read_expected("turbo")}}
    assert ofc("score", write(tmp_path, right)).code == 0
    result = ofc("score", write(tmp_path, changed(right, ("expected/settlement/state", "open"))))
    assert result.code == 1
    assert "#/expected/settlement/state  'open' is expected; the result is 'provisional'" in result.err


# --- the picture ---


def test_the_picture_shows_the_explanation_and_fetches_nothing(tmp_path: Path) -> None:
    picture = tmp_path / "explanation.svg"
    result = ofc("score", EXAMPLES / "score.json", "--svg", picture)
    assert result.text == WORKED_EXAMPLE
    drawn = picture.read_text(encoding="utf-8")
    for shown in ("Boards", "Q♠", "pair of queens, four kicker", "seat 1 had a stack of 3 and can win at most 3"):
        assert f">{shown}</text>" in drawn
    assert [line for line in drawn.splitlines() if "http" in line] == [drawn.splitlines()[0]]
    assert "url(" not in drawn


def test_the_picture_is_the_same_whatever_the_terminal(tmp_path: Path) -> None:
    drawn = []
    for variables in ({"NO_COLOR": "1"}, {"COLUMNS": "40"}, {"FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        ofc("score", EXAMPLES / "score.json", "--svg", tmp_path / "explanation.svg", "--overwrite", **variables)
        drawn.append((tmp_path / "explanation.svg").read_text(encoding="utf-8"))
    assert drawn[0] == drawn[1] == drawn[2]
    assert 'class="red"' in drawn[0]


def test_the_picture_is_written_in_addition_to_json(tmp_path: Path) -> None:
    picture = tmp_path / "explanation.svg"
    result = ofc("score", write(tmp_path, WORKED, "{mine} & <yours>.json"), "--json", "--svg", picture)
    assert result.document["stacks"] == {"1": 8, "2": 46, "3": 49}
    assert ElementTree.parse(picture).getroot()[0].text == "ofc score {mine} & <yours>.json"


def test_an_existing_picture_is_overwritten_only_on_request(tmp_path: Path) -> None:
    picture = tmp_path / "explanation.svg"
    picture.write_text("mine", encoding="utf-8")
    result = ofc("score", EXAMPLES / "score.json", "--svg", picture)
    assert (result.code, result.out) == (2, "")
    assert "already exists; expected another name, or --overwrite" in result.err
    assert picture.read_text(encoding="utf-8") == "mine"


def test_an_unwritable_picture_is_a_one_line_error(tmp_path: Path) -> None:
    result = ofc("score", EXAMPLES / "score.json", "--svg", tmp_path / ("long" * 100))
    assert result.err.endswith("long cannot be written: file name too long\n")
    result = ofc("score", EXAMPLES / "score.json", "--svg", tmp_path / "nowhere" / "explanation.svg")
    assert result.code == 2
    assert result.err.endswith("explanation.svg cannot be written: no such file or directory\n")
