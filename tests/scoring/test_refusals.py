"""Every mistake that the rules can name is provoked here, by its code, and explained to operators."""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cards import parse_cards
from scoring.deal import find_deal_mistakes
from scoring.errors import HandError, Mistake, ScoringError
from scoring.exchange import Exchange
from scoring.history import Closing, Departure, History, replay
from scoring.presets import PRESETS
from scoring.round import close_round, depart, open_round, play_hand
from scoring.round_state import Round
from scoring.ruleset import WinLimit
from scoring.settle_up import find_payments
from scoring.settlement import settle
from scoring.single_hand import SingleHandPlayer, score_single_hand
from tests.support.scoring.notation import board_of, hand_of, player_of, pointer_to, ruleset_of, seats_of

HIGH = "AhKd9c / JsJd8c5h2c / AsAdTcTh4s"
MID = "KsQd7h / 9s9d6c4h3c / KcKh8s8h5c"
LOW = "QsJc6d / 7s7d5s3h2d / QcQh4d4c3s"
QUEENS = "QsQd4c / KsKd9h8h3c / AhJh7h6h2h"
SEVENS = "Ac8d2s / TsTc5d5c6s / 7s7d7cJdJs"
STREETS: list[dict[str, str]] = [
    {"dealt": "AsAdJsJdKd", "top": "Kd", "middle": "JsJd", "bottom": "AsAd"},
    {"dealt": "TcTh8cAh", "top": "Ah", "middle": "8c", "bottom": "TcTh"},
    {"dealt": "4s5h2c9c", "top": "9c", "middle": "5h2c", "bottom": "4s"},
]
QQ = PRESETS["pineapple-qq"]
SEATS = seats_of({1: "ann 100", 2: "bob 100", 3: "cyd 100"})


def deal(first: Any, ruleset: str = "pineapple") -> None:
    """Deal this to seat 1, and something harmless to seat 2."""
    mistakes = find_deal_mistakes([player_of(1, first), player_of(2, MID)], PRESETS[ruleset])
    if mistakes:
        raise HandError(mistakes)


def turbo(street: int, changes: Mapping[str, str], **known: str) -> None:
    """Deal a turbo hand, one of its streets changed."""
    streets = [{**written, **changes} if number == street else written for number, written in enumerate(STREETS)]
    deal({"board": HIGH, "streets": streets, **known}, "turbo")


def played(*boards: str, leaving: int | None = None) -> Round:
    """A round of three after a hand with these boards and the button in seat 1, perhaps with one gone."""
    round_ = play_hand(open_round(QQ, SEATS), hand_of(1, 1, dict(enumerate(boards or (HIGH, MID, LOW), start=1)))).round
    return depart(round_, leaving).round if leaving else round_


def then(round_: Round, button: int, players: Mapping[int, Any], **more: Any) -> None:
    """Play the next hand."""
    play_hand(round_, hand_of(more.pop("number", 2), button, players, **more))


def in_sequence() -> Round:
    """Seat 1 owes a hand in Fantasyland to what it made in the first."""
    seats = seats_of({1: "ann 100", 2: "bob 100"})
    return play_hand(open_round(QQ, seats), hand_of(1, 1, {1: QUEENS, 2: SEVENS})).round


def history(**happened: Any) -> None:
    replay(History(QQ, tuple(SEATS), (hand_of(1, 1, {1: HIGH, 2: MID, 3: LOW}),), **happened))


def alone(fantasyland: int, *, stays: int, ruleset: str = "pineapple-2-4-us-classic") -> None:
    """Score a hand by itself, with a player who has repeated Fantasyland so many times."""
    ann = SingleHandPlayer(player_of(1, {"board": HIGH, "fantasyland": fantasyland}), stays=stays)
    score_single_hand(PRESETS[ruleset], [ann, SingleHandPlayer(player_of(2, MID))])


def changed(**parts: Any) -> None:
    ruleset_of({"like": "pineapple", **parts})


TWO = {1: HIGH, 2: MID}
THREE = {1: HIGH, 2: MID, 3: LOW}

PROVOKED: dict[str, tuple[str, Callable[[], object]]] = {
    "card-unknown": ("#", lambda: parse_cards("Ax")),
    "row-size": ("#/top", lambda: board_of("AhKd / JsJd8c5h2c / AsAdTcTh4s")),
    "card-twice": ("#/players/1/bottom/4", lambda: deal({"board": HIGH, "discards": "2d3dQh5c"})),
    "discards-count": ("#/players/0/discards", lambda: deal({"board": HIGH, "discards": "2d"})),
    "fantasyland-cards": ("#/players/0/fantasyland", lambda: deal({"board": HIGH, "fantasyland": 17})),
    "streets-count": ("#/players/0/streets", lambda: deal({"board": HIGH, "streets": STREETS})),
    "street-dealt": ("#/players/0/streets/1/dealt", lambda: turbo(1, {"dealt": "TcTh8c"})),
    "street-placed": ("#/players/0/streets/1", lambda: turbo(1, {"top": ""})),
    "street-discards": ("#/players/0/streets/1/discards", lambda: turbo(1, {"discards": "Ah"})),
    "street-cards": ("#/players/0/streets/1", lambda: turbo(1, {"dealt": "TcTh8cAc"})),
    "streets-board": ("#/players/0/streets", lambda: turbo(1, {"top": "8c", "middle": "Ah"})),
    "streets-discards": (
        "#/players/0/streets",
        lambda: deal(
            {
                "board": HIGH,
                "fantasyland": 14,
                "discards": "2d",
                "streets": [
                    {
                        "dealt": "AhKd9cJsJd8c5h2cAsAdTcTh4s2h",
                        "top": "AhKd9c",
                        "middle": "JsJd8c5h2c",
                        "bottom": "AsAdTcTh4s",
                        "discards": "2h",
                    }
                ],
            }
        ),
    ),
    "auto-not-dealt": ("#/players/0/streets/1/auto", lambda: turbo(1, {"auto": "AhAh"})),
    "auto-placement": ("#/players/0/streets/1/auto", lambda: turbo(1, {"auto": "8c"})),
    "hand-number": ("#/number", lambda: then(played(), 2, THREE, number=3)),
    "button-wrong": ("#/button", lambda: then(played(), 3, THREE)),
    "seat-unknown": ("#/players/2/seat", lambda: then(played(), 2, {**TWO, 4: LOW, 3: LOW})),
    "player-missing": ("#/players", lambda: then(played(), 2, TWO)),
    "player-left": ("#/players/2/seat", lambda: then(played(leaving=3), 2, THREE)),
    "player-busted": (
        "#/players/1/seat",
        lambda: then(
            play_hand(
                open_round(QQ, seats_of({1: "ann 100", 2: "bob 6", 3: "cyd 100"})),
                hand_of(1, 2, {1: HIGH, 2: LOW, 3: MID}),
            ).round,
            3,
            THREE,
        ),
    ),
    "fantasyland-not-earned": (
        "#/players/1/fantasyland",
        lambda: then(played(), 2, {**THREE, 2: {"board": MID, "fantasyland": 14}}),
    ),
    "fantasyland-owed": ("#/players/0/fantasyland", lambda: then(in_sequence(), 1, TWO)),
    "fantasyland-count": (
        "#/players/0/fantasyland",
        lambda: then(in_sequence(), 1, {1: {"board": HIGH, "fantasyland": 13}, 2: MID}),
    ),
    "top-up-not-allowed": (
        "#/top_ups",
        lambda: play_hand(open_round(PRESETS["pineapple"], SEATS), hand_of(1, 1, THREE, {1: 5})),
    ),
    "top-up-in-sequence": (
        "#/top_ups",
        lambda: then(in_sequence(), 1, {1: {"board": HIGH, "fantasyland": 14}, 2: MID}, top_ups={2: 5}),
    ),
    "top-up-after-departure": ("#/top_ups/0/seat", lambda: then(played(leaving=3), 2, TWO, top_ups={3: 5})),
    "top-up-points": ("#/top_ups/0/points", lambda: then(played(), 2, THREE, top_ups={3: 0})),
    "top-up-twice": ("#/top_ups/1/seat", lambda: play_hand(played(), _topped_up_twice())),
    "departure-not-allowed": ("#/seat", lambda: depart(open_round(PRESETS["turbo"], SEATS), 1)),
    "departure-twice": ("#/seat", lambda: depart(played(leaving=3), 3)),
    "departure-before-first-hand": ("#", lambda: depart(open_round(QQ, SEATS), 1)),
    "departure-in-sequence": ("#/seat", lambda: depart(in_sequence(), 2)),
    "departure-after-hand": ("#/departures/0/after_hand", lambda: history(departures=(Departure(1, 2),))),
    "closed-after-hand": ("#/closed/after_hand", lambda: history(closed=Closing(0, "the room closes"))),
    "irregular-hand": ("#/irregular/0/hand", lambda: history(irregular=frozenset({7}))),
    "round-complete": ("#", lambda: depart(depart(played(leaving=3), 2).round, 1)),
    "round-closed": ("#", lambda: close_round(close_round(played()).round)),
    "players-count": ("#/seats", lambda: open_round(QQ, SEATS[:1])),
    "seat-number": ("#/seats/0/seat", lambda: open_round(QQ, seats_of({0: "ann 1", 1: "bob 1"}))),
    "seat-twice": ("#/seats/1/seat", lambda: open_round(QQ, [SEATS[0], replace(SEATS[1], seat=1)])),
    "player-twice": ("#/seats/1/player", lambda: open_round(QQ, seats_of({1: "ann 1", 2: "ann 1"}))),
    "stack-too-small": ("#/seats/0/stack", lambda: open_round(QQ, seats_of({1: "ann 0", 2: "bob 1"}))),
    "stack-negative": ("#/2", lambda: settle([Exchange(1, 2, 5)], {1: 3, 2: -1}, WinLimit.STACK)),
    "stack-missing": ("#/2", lambda: settle([Exchange(1, 2, 5)], {1: 3}, WinLimit.STACK)),
    "nets-unbalanced": ("#", lambda: find_payments({"ann": 5, "bob": -4})),
    "stays-outside": ("#/players/0/stays", lambda: alone(0, stays=1)),
    "stays-limit": ("#/players/0/stays", lambda: alone(14, stays=2)),
    "stays-cards": ("#/players/0/fantasyland", lambda: alone(15, stays=1, ruleset="progressive")),
    "ruleset-name": ("#/name", lambda: replace(QQ, name="Pineapple!")),
    "ruleset-version": ("#/version", lambda: replace(QQ, version=0)),
    "players-range": ("#/players/min", lambda: changed(players={"min": 1})),
    "deck-too-small": ("#/players/max", lambda: changed(players={"max": 4})),
    "points-range": ("#/royalties/top/QQ", lambda: changed(royalties={"top": {"QQ": -1}})),
    "royalty-unknown": ("#/royalties/middle/nine_low", lambda: changed(royalties={"middle": {"nine_low": 1}})),
    "entry-unknown": ("#/fantasyland/enter/QK", lambda: changed(fantasyland={"enter": {"QK": 14}})),
    "low-needed": ("#/fantasyland/enter_low", lambda: changed(fantasyland={"enter_low": {"cards": 14, "both": 15}})),
    "stay-unknown": (
        "#/fantasyland/stay/top",
        lambda: changed(fantasyland={"stay": {"top": "flush", "middle": None, "bottom": None}}),
    ),
    "stay-limit": ("#/fantasyland/stay_limit", lambda: changed(fantasyland={"stay_limit": -1})),
    "fantasyland-range": ("#/fantasyland/stay_cards", lambda: changed(fantasyland={"stay_cards": 12})),
}


BEYOND_THE_RULES = "points-overflow"
"""What the service refuses beside the rules: points that JSON cannot count exactly."""


def _topped_up_twice() -> Any:
    hand = hand_of(2, 2, THREE, {3: 5})
    return replace(hand, top_ups=hand.top_ups * 2)


def codes_in_the_source() -> set[str]:
    """Every string of the rules that is written like a code; presets and classes of error have names of their own."""
    folder = Path(scoring.__file__).parent
    trees = [ast.parse(path.read_text()) for path in folder.rglob("*.py") if path.stem not in ("presets", "errors")]
    strings = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {string for string in strings if isinstance(string, str) and re.fullmatch(r"[a-z]+(-[a-z]+)+", string)}


def mistakes_of(provoke: Callable[[], object]) -> tuple[Mistake, ...]:
    with pytest.raises(ScoringError) as refused:
        provoke()
    return refused.value.mistakes


@pytest.mark.parametrize("code", PROVOKED)
def test_an_error_has_a_code_a_pointer_and_one_sentence(code: str) -> None:
    place, provoke = PROVOKED[code]
    named = [mistake for mistake in mistakes_of(provoke) if mistake.code == code]
    assert place in [pointer_to(mistake.path) for mistake in named]
    for mistake in named:
        assert not mistake.detail.endswith(".")
        assert "  " not in mistake.detail


def test_every_mistake_that_the_rules_can_name_is_provoked() -> None:
    assert codes_in_the_source() == PROVOKED.keys()


def test_every_mistake_is_explained_to_operators() -> None:
    rules = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    table = rules.partition("## What is refused")[2].partition("\n## ")[0]
    explained = [
        code
        for line in table.splitlines()
        for code in re.findall(r"`([a-z-]+)`", line.split("|")[1] if "|" in line else "")
    ]
    assert sorted(explained) == sorted([*PROVOKED, BEYOND_THE_RULES])


def test_a_hand_by_itself_has_one_board_a_seat() -> None:
    twice = [SingleHandPlayer(player_of(1, HIGH)), SingleHandPlayer(player_of(1, MID))]
    [mistake] = mistakes_of(lambda: score_single_hand(PRESETS["pineapple"], twice))
    assert (mistake.code, pointer_to(mistake.path)) == ("seat-twice", "#/players/1/seat")


def test_an_exception_lists_all_its_errors_in_one_line() -> None:
    with pytest.raises(HandError, match=r"^2 discards .* \(null means unknown\); Ah is already .*once$"):
        deal({"board": HIGH, "discards": "AhQh"})


def test_an_error_can_be_placed_under_an_outer_path() -> None:
    with pytest.raises(HandError) as refused:
        deal({"board": HIGH, "discards": "Qh"})
    further = refused.value.under("hands", 4)
    assert isinstance(further, HandError)
    assert [pointer_to(mistake.path) for mistake in further.mistakes] == ["#/hands/4/players/0/discards"]
