"""The rules in WebAssembly refuse hands and rounds for the same reasons as the service."""

import json
from collections.abc import Callable, Iterator

import pytest

from tests.support.api_client import Api
from tests.support.browser.compared_round import (
    Change,
    change_hand,
    change_player,
    changed,
    duplicate_card,
    middle_of_a_round,
)
from tests.support.sample_rounds import Document, close
from tests.web.browser_rules import BrowserRules


def _duplicate_and_unknown_card(hand: Document) -> None:
    duplicate_card(hand)
    hand["players"][0]["middle"][2] = "1x"


def _row(row: str, cards: Callable[[list[str]], list[str]]) -> Change:
    return lambda hand: hand["players"][0].update({row: cards(hand["players"][0][row])})


CHANGES: dict[str, Change] = {
    "unknown field": change_hand(winner="ann"),
    "unknown field of a player": change_player(0, points=12),
    "misspelled field": lambda hand: hand.update(top_up=hand.pop("top_ups", [])),
    "duplicate card": duplicate_card,
    "duplicate and unknown card": _duplicate_and_unknown_card,
    "unknown card": lambda hand: hand["players"][0]["middle"].__setitem__(2, "10s"),
    "card that is no text": lambda hand: hand["players"][0]["middle"].__setitem__(2, 7),
    "short row": _row("middle", lambda cards: cards[:4]),
    "long row": _row("top", lambda cards: [*cards, "As"]),
    "empty row": _row("bottom", lambda _: []),
    "row that is no list": change_player(0, top="QsQd4c"),
    "missing row": lambda hand: hand["players"][0].pop("bottom"),
    "null row": change_player(0, bottom=None),
    "wrong number": lambda hand: hand.update(number=hand["number"] + 3),
    "number as text": lambda hand: hand.update(number=str(hand["number"])),
    "number 0": change_hand(number=0),
    "missing number": lambda hand: hand.pop("number"),
    "unknown button": change_hand(button=900),
    "wrong button": lambda hand: hand.update(button=next(seat for seat in range(1, 99) if seat != hand["button"])),
    "missing button": lambda hand: hand.pop("button"),
    "unknown seat": change_player(0, seat=77),
    "seat twice": lambda hand: hand["players"][1].update(seat=hand["players"][0]["seat"]),
    "seat as a fraction": change_player(0, seat=1.5),
    "player missing": lambda hand: hand["players"].pop(),
    "no players": change_hand(players=[]),
    "too many players": lambda hand: hand.update(players=hand["players"][:1] * 5),
    "player that is no object": lambda hand: hand["players"].append("ann"),
    "wrong player": change_player(0, player="zoe"),
    "wrong player and short row": lambda hand: hand["players"][0].update(player="zoe", top=[]),
    "Fantasyland not earned": change_player(0, fantasyland=14),
    "Fantasyland of 12 cards": change_player(0, fantasyland=12),
    "Fantasyland as text": change_player(0, fantasyland="14"),
    "discards": change_player(0, discards=["2c", "3c", "4c", "5c", "6c", "7c"]),
    "streets": change_player(0, streets=[{"dealt": ["2c"]}]),
    "top-up of nobody": change_hand(top_ups=[{"seat": 77, "points": 5}]),
    "top-up of 0": change_hand(top_ups=[{"seat": 1, "points": 0}]),
    "too many points": lambda hand: hand.update(top_ups=[{"seat": hand["players"][0]["seat"], "points": 10**12}]),
    "time that does not exist": change_hand(played_at="2026-02-30T10:00:00Z"),
    "other result expected": change_hand(expected={"stacks": {"1": -4}, "number": 9}),
    "ID expected": change_hand(expected={"id": "019aa", "stacks": {"1": -4}, "round": {"version": 9}}),
}


@pytest.mark.parametrize("name", ["pineapple", "deuce-to-seven", "pineapple-qq"])
@pytest.mark.no_cover
def test_invalid_hands_are_refused_as_by_the_service(api: Api, browser: BrowserRules, name: str) -> None:
    both, _, hand = middle_of_a_round(api, browser, name)
    codes, accepted = set(), set()
    for what, change in CHANGES.items():
        spoiled = changed(hand, change)
        if both.request(spoiled).status == 201:
            accepted.add(what)
            both.check(spoiled, f"{name}, {what}")
        elif what == "ID expected":
            problem = browser.score(both.round_, spoiled)["problem"]
            assert (problem["code"], len(problem["errors"])) == ("expected-differs", 1)
        else:
            codes.add(both.check_refused(json.dumps(spoiled), f"{name}, {what}"))
    assert accepted <= {"too many points", "Fantasyland not earned"}
    assert {"request-invalid", "hand-invalid", "hand-number", "expected-differs"} <= codes


def texts_of(hand: Document) -> Iterator[tuple[str, str]]:
    """Yield texts that are no JSON or not one hand, with the code of their problem."""
    text = json.dumps(hand)
    yield "", "json-invalid"
    yield "   ", "json-invalid"
    yield text[:-1], "json-invalid"
    yield text + text, "json-invalid"
    yield "\ufeff" + text, "json-invalid"
    yield text.replace('"number":', '"number": 2, "number":', 1), "json-invalid"
    yield text.replace('"button":', '"button": NaN, "other":', 1), "json-invalid"
    yield text.replace('"button":', '"button": 1e999, "other":', 1), "json-invalid"
    yield text.replace('"button":', '"button": 123456789012345678901234567890, "other":', 1), "request-invalid"
    yield text.replace('"button":', '"button": 1.00000000000000000001, "other":', 1), "json-invalid"
    yield text.replace('"button":', '"\\ud800": 1, "button":', 1), "request-invalid"
    yield "null", "request-invalid"
    yield "[1, 2]", "request-invalid"
    yield '"hand"', "request-invalid"
    yield "[" * 500 + "]" * 500, "request-invalid"


def test_texts_that_are_no_hand_are_refused_as_by_the_service(api: Api, browser: BrowserRules) -> None:
    both, _, hand = middle_of_a_round(api, browser, "pineapple")
    for text, code in texts_of(hand):
        assert both.check_refused(text, text[:60]) == code, text


def test_a_hand_that_is_recorded_is_repeated_or_refused_as_by_the_service(api: Api, browser: BrowserRules) -> None:
    both, first, second = middle_of_a_round(api, browser, "pineapple")
    both.check(first, "the same hand")
    reordered = changed(first, lambda hand: hand["players"][0]["middle"].reverse())
    both.check(reordered, "the same hand in another order")
    other = changed(second, change_hand(number=1))
    assert both.check_refused(json.dumps(other), "another hand") == "hand-conflict"
    with_discards = changed(first, change_player(0, discards=["2c"]))
    both.check_refused(json.dumps(with_discards), "other discards")


def test_the_same_cards_again_are_refused_as_by_the_service(api: Api, browser: BrowserRules) -> None:
    both, first, second = middle_of_a_round(api, browser, "classic")
    again = {**second, "players": [{**player, "fantasyland": 0} for player in first["players"]]}
    assert both.check_refused(json.dumps(again), "the same cards") in ("same-deal", "hand-invalid")
    scored, response = (
        both.browser.score(both.round_, {**again, "dealt_again": True}),
        both.request({**again, "dealt_again": True}),
    )
    assert (scored["kind"] == "complete") == (response.status == 201)


def test_a_hand_after_the_end_is_refused_as_by_the_service(api: Api, browser: BrowserRules) -> None:
    both, _, second = middle_of_a_round(api, browser, "pineapple")
    assert close(api, both.id).status == 200
    assert both.check_refused(json.dumps(second), "closed") == "round-closed"
    assert both.check_refused(json.dumps(changed(second, duplicate_card)), "closed") == "round-closed"
    assert both.check_refused(json.dumps({**second, "winner": 1}), "closed") == "request-invalid"


def test_a_round_that_the_service_would_refuse_is_refused(api: Api, browser: BrowserRules) -> None:
    both, _, _ = middle_of_a_round(api, browser, "pineapple")
    document = both.round_["document"]
    twice = {**document, "hands": [], "seats": [document["seats"][0]] * 2}
    assert browser.replay({**both.round_, "document": twice})["kind"] == "round_refused"


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        (lambda round_: round_.pop("document"), "request-invalid", "#/document"),
        (lambda round_: round_["document"].update(seats=[]), "request-invalid", "#/seats"),
        (lambda round_: round_["ruleset"].update(name="other"), "round-invalid", "#/document/ruleset"),
        (lambda round_: round_["ruleset"].pop("points"), "request-invalid", "#/points"),
        (lambda round_: round_["document"]["hands"][0].update(button=99), "hand-invalid", "#/hands/0/button"),
    ],
)
def test_a_round_that_is_not_valid_is_refused(
    api: Api, browser: BrowserRules, change: Change, code: str, pointer: str
) -> None:
    both, _, second = middle_of_a_round(api, browser, "pineapple")
    round_ = both.round_
    change(round_)
    scored = browser.score(round_, second)
    assert scored["kind"] == "round_refused"
    assert scored["problem"]["code"] == code
    assert pointer in [error["pointer"] for error in scored["problem"]["errors"]]


def test_the_worker_recovers_from_json_that_nests_too_deeply(api: Api, browser: BrowserRules) -> None:
    both, _, second = middle_of_a_round(api, browser, "pineapple")
    scored = browser.score_text(json.dumps(both.round_), "[" * 20_000)
    assert (scored["kind"], scored["problem"]["code"]) == ("refused", "json-invalid")
    both.check(second, "afterwards")
