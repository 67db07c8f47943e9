"""
The rules in WebAssembly have the results and the refusals of the service, for every hand of random rounds.

A failure names its seed. `OFC_SEED=1234` in the environment begins there.
"""

import copy
import json
import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from tests.oracle import PRESETS, play, random_document, random_ruleset
from tests.service.rounds.test_over_http_against_oracle import parts_that_differ
from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import Document, close, depart, without
from tests.web.browser_rules import BrowserRules

FIRST_SEED = int(os.environ.get("OFC_SEED", "0"))
EACH = 2
MANY = 24
"""So many rounds of each of the 21 presets are more than 500."""
OF_RECORDS = ("id", "in_force", "played_at", "recorded_at")
"""Fields of a recorded hand that a hand which is not recorded has not."""
OF_ROUNDS = ("hands", "next", "seats", "status")
"""Fields of a round that are results of the rules."""


class Both:
    """A round in the service, and the same round in the browser."""

    def __init__(self, api: Api, browser: BrowserRules, document: Document, ruleset: Document) -> None:
        self.api, self.browser = api, browser
        money = {name: document[name] for name in ("point_value", "currency") if name in document}
        table = api.post("/v1/tables", {"name": document["table"], "ruleset": document["ruleset"], **money})
        opening = {"seats": document["seats"], "reference": document["reference"]}
        self.id = api.post(f"/v1/tables/{table['id']}/rounds", opening)["id"]
        self.ruleset = api.get(f"/v1/rulesets/{document['ruleset']}").document
        assert self.ruleset == {**self.ruleset, **ruleset}

    @property
    def given(self) -> Document:
        """What the page knows of the round."""
        return {"document": self.api.get(f"/v1/rounds/{self.id}/document").document, "ruleset": self.ruleset}

    def ask(self, hand: object) -> ApiResponse:
        """Score a hand with a dry run of the service."""
        return self.api.post(f"/v1/rounds/{self.id}/hands?dry_run=true", hand)

    def record(self, hand: Document) -> ApiResponse:
        return self.api.post(f"/v1/rounds/{self.id}/hands", hand)

    def check(self, hand: Document, where: str) -> Document:
        """Check that both have the same result for a hand, and return it."""
        answer, scored = self.ask(hand), self.browser.score(self.given, hand)
        assert answer.status == 201, (where, answer.document)
        assert scored["kind"] == "complete", (where, scored)
        result: Document = scored["result"]
        assert result == results_of(answer.document), where
        return scored

    def check_refused(self, text: str, where: str) -> str:
        """Check that both refuse a hand for the same reasons, and return the code of the problem."""
        path = f"/v1/rounds/{self.id}/hands?dry_run=true"
        answer = self.api.ask("POST", path, data=text.encode(), content_type="application/json")
        assert answer.status >= 400, (where, answer.document)
        scored = self.browser.score_text(json.dumps(self.given), text)
        assert scored["kind"] in ("refused", "partial"), (where, scored)
        assert scored["problem"] == {name: answer[name] for name in ("code", "detail", "errors")}, where
        return str(answer["code"])


def results_of(recorded: Document) -> Document:
    """Return what the rules say of a recorded hand."""
    return {
        **without(recorded, *OF_RECORDS),
        "round": {name: recorded["round"][name] for name in OF_ROUNDS},
    }


def check_boards(scored: Document, where: str) -> None:
    """Check that complete boards have the figures of the hand, except points."""
    players = {player["seat"]: without(player, "player", "points") for player in scored["result"]["players"]}
    boards = {board["seat"]: without(board, "complete") for board in scored["boards"]}
    assert boards == players, where


def check_round(api: Api, browser: BrowserRules, ruleset: Document, rng: Random, where: str) -> int:
    document = random_document(rng, ruleset, small_stacks=rng.random() < 0.75)
    both, expected = Both(api, browser, document, ruleset), play(document, ruleset)
    for hand, right in zip(document["hands"], expected["hands"], strict=True):
        number = hand["number"]
        scored = both.check(hand, f"{where}, hand {number}")
        check_boards(scored, f"{where}, hand {number}")
        assert parts_that_differ(right, scored["result"]) == [], f"{where}, hand {number}, oracle"
        assert both.record(hand).status == 201, where
        for departure in document["departures"]:
            if departure["after_hand"] == number:
                assert depart(api, both.id, departure["seat"]).status == 201, where
    if document.get("closed"):
        assert close(api, both.id).status == 200, where
    return len(document["hands"])


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.no_cover
def test_rounds_under_every_preset_have_the_results_of_the_service(api: Api, browser: BrowserRules, name: str) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + EACH):
        where = f"{name}, seed {seed}"
        check_round(api, browser, PRESETS[name], Random(f"in browser: {where}"), where)


@pytest.mark.verify
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.no_cover
def test_500_rounds_have_the_results_of_the_service(api: Api, browser: BrowserRules, name: str) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + MANY):
        where = f"{name}, seed {seed}"
        check_round(api, browser, PRESETS[name], Random(f"in browser: {where}"), where)


@pytest.mark.no_cover
def test_rounds_under_custom_rulesets_have_the_results_of_the_service(api: Api, browser: BrowserRules) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + 4):
        where = f"custom, seed {seed}"
        rng = Random(f"in browser: {where}")
        ruleset = random_ruleset(rng)
        assert api.post("/v1/rulesets", ruleset).status == 201, where
        check_round(api, browser, ruleset, rng, where)


# --- refusals ---

Change = Callable[[Document], Any]


def _duplicate_card(hand: Document) -> None:
    hand["players"][1]["top"][0] = hand["players"][0]["bottom"][4]


def _duplicate_and_unknown_card(hand: Document) -> None:
    _duplicate_card(hand)
    hand["players"][0]["middle"][2] = "1x"


def _player(index: int, **values: Any) -> Change:
    return lambda hand: hand["players"][index].update(values)


def _hand(**values: Any) -> Change:
    return lambda hand: hand.update(values)


def _row(row: str, cards: Callable[[list[str]], list[str]]) -> Change:
    return lambda hand: hand["players"][0].update({row: cards(hand["players"][0][row])})


CHANGES: dict[str, Change] = {
    "unknown field": _hand(winner="ann"),
    "unknown field of a player": _player(0, points=12),
    "misspelled field": lambda hand: hand.update(top_up=hand.pop("top_ups", [])),
    "duplicate card": _duplicate_card,
    "duplicate and unknown card": _duplicate_and_unknown_card,
    "unknown card": lambda hand: hand["players"][0]["middle"].__setitem__(2, "10s"),
    "card that is no text": lambda hand: hand["players"][0]["middle"].__setitem__(2, 7),
    "short row": _row("middle", lambda cards: cards[:4]),
    "long row": _row("top", lambda cards: [*cards, "As"]),
    "empty row": _row("bottom", lambda _: []),
    "row that is no list": _player(0, top="QsQd4c"),
    "missing row": lambda hand: hand["players"][0].pop("bottom"),
    "null row": _player(0, bottom=None),
    "wrong number": lambda hand: hand.update(number=hand["number"] + 3),
    "number as text": lambda hand: hand.update(number=str(hand["number"])),
    "number 0": _hand(number=0),
    "missing number": lambda hand: hand.pop("number"),
    "unknown button": _hand(button=900),
    "wrong button": lambda hand: hand.update(button=next(seat for seat in range(1, 99) if seat != hand["button"])),
    "missing button": lambda hand: hand.pop("button"),
    "unknown seat": _player(0, seat=77),
    "seat twice": lambda hand: hand["players"][1].update(seat=hand["players"][0]["seat"]),
    "seat as a fraction": _player(0, seat=1.5),
    "player missing": lambda hand: hand["players"].pop(),
    "no players": _hand(players=[]),
    "too many players": lambda hand: hand.update(players=hand["players"][:1] * 5),
    "player that is no object": lambda hand: hand["players"].append("ann"),
    "wrong player": _player(0, player="zoe"),
    "wrong player and short row": lambda hand: hand["players"][0].update(player="zoe", top=[]),
    "Fantasyland not earned": _player(0, fantasyland=14),
    "Fantasyland of 12 cards": _player(0, fantasyland=12),
    "Fantasyland as text": _player(0, fantasyland="14"),
    "discards": _player(0, discards=["2c", "3c", "4c", "5c", "6c", "7c"]),
    "streets": _player(0, streets=[{"dealt": ["2c"]}]),
    "top-up of nobody": _hand(top_ups=[{"seat": 77, "points": 5}]),
    "top-up of 0": _hand(top_ups=[{"seat": 1, "points": 0}]),
    "too many points": lambda hand: hand.update(top_ups=[{"seat": hand["players"][0]["seat"], "points": 10**12}]),
    "time that does not exist": _hand(played_at="2026-02-30T10:00:00Z"),
    "other result expected": _hand(expected={"stacks": {"1": -4}, "number": 9}),
    "ID expected": _hand(expected={"id": "019aa", "stacks": {"1": -4}, "round": {"version": 9}}),
}


def changed(hand: Document, change: Change) -> Document:
    changed = copy.deepcopy(hand)
    change(changed)
    return changed


def middle_of_a_round(api: Api, browser: BrowserRules, name: str) -> tuple[Both, Document, Document]:
    """A round with a hand, that hand, and the next."""
    for seed in range(1000):
        document = random_document(Random(f"refused: {name} {seed}"), PRESETS[name], small_stacks=False)
        if len(document["hands"]) > 2 and not document["departures"]:
            both = Both(api, browser, {**document, "point_value": 10_000_000, "currency": "EUR"}, PRESETS[name])
            first, second = document["hands"][:2]
            assert both.record(first).status == 201
            return both, first, second
    raise AssertionError(name)


@pytest.mark.parametrize("name", ["pineapple", "deuce-to-seven", "pineapple-qq"])
@pytest.mark.no_cover
def test_invalid_hands_are_refused_as_by_the_service(api: Api, browser: BrowserRules, name: str) -> None:
    both, _, hand = middle_of_a_round(api, browser, name)
    codes, accepted = set(), set()
    for what, change in CHANGES.items():
        spoiled = changed(hand, change)
        if both.ask(spoiled).status == 201:
            accepted.add(what)
            both.check(spoiled, f"{name}, {what}")
        elif what == "ID expected":
            found = browser.score(both.given, spoiled)["problem"]
            assert (found["code"], len(found["errors"])) == ("expected-differs", 1)
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
    other = changed(second, _hand(number=1))
    assert both.check_refused(json.dumps(other), "another hand") == "hand-conflict"
    with_discards = changed(first, _player(0, discards=["2c"]))
    both.check_refused(json.dumps(with_discards), "other discards")


def test_the_same_cards_again_are_refused_as_by_the_service(api: Api, browser: BrowserRules) -> None:
    both, first, second = middle_of_a_round(api, browser, "classic")
    again = {**second, "players": [{**player, "fantasyland": 0} for player in first["players"]]}
    assert both.check_refused(json.dumps(again), "the same cards") in ("same-deal", "hand-invalid")
    scored, answer = (
        both.browser.score(both.given, {**again, "dealt_again": True}),
        both.ask({**again, "dealt_again": True}),
    )
    assert (scored["kind"] == "complete") == (answer.status == 201)


def test_a_hand_after_the_end_is_refused_as_by_the_service(api: Api, browser: BrowserRules) -> None:
    both, _, second = middle_of_a_round(api, browser, "pineapple")
    assert close(api, both.id).status == 200
    assert both.check_refused(json.dumps(second), "closed") == "round-closed"
    assert both.check_refused(json.dumps(changed(second, _duplicate_card)), "closed") == "round-closed"
    assert both.check_refused(json.dumps({**second, "winner": 1}), "closed") == "request-invalid"


def test_hands_that_wait_to_be_sent_are_part_of_the_round(api: Api, browser: BrowserRules) -> None:
    both, first, second = middle_of_a_round(api, browser, "pineapple")
    given = both.given
    names = {seat["seat"]: seat["player"] for seat in given["document"]["seats"]}
    request = {
        **first,
        "dealt_again": True,
        "expected": {"number": 1},
        "players": [{**player, "player": names[player["seat"]]} for player in first["players"]],
    }
    queued = {**given, "document": {**given["document"], "hands": [request]}}
    assert browser.score(queued, second) == browser.score(given, second)


# --- hands that are still being set ---


def cut_off(hand: Document, placed: int) -> Document:
    """Return a hand whose players have placed so many cards, the bottom first."""
    players = []
    for player in hand["players"]:
        cut, left = {"seat": player["seat"], "fantasyland": player.get("fantasyland", 0)}, placed
        for row in ("bottom", "middle", "top"):
            cut[row] = player[row][:left]
            left -= len(cut[row])
        players.append(cut)
    return {**hand, "players": players}


@pytest.mark.parametrize("name", ["pineapple", "deuce-to-seven", "progressive"])
@pytest.mark.no_cover
def test_a_hand_that_is_being_set_is_partial_and_no_mistake(api: Api, browser: BrowserRules, name: str) -> None:
    both, _, hand = middle_of_a_round(api, browser, name)
    final = {player["seat"]: player for player in both.check(hand, name)["result"]["players"]}
    given = both.given
    for placed in range(13):
        partial = cut_off(hand, placed)
        both.check_refused(json.dumps(partial), f"{name}, {placed} cards")
        scored = browser.score(given, partial)
        assert (scored["kind"], scored["errors"]) == ("partial", []), (name, placed)
        for board in scored["boards"]:
            right = final[board["seat"]]
            assert set(board["rows"]) == {row for row, cards in (("bottom", 5), ("middle", 10)) if placed >= cards}
            assert not board["foul"] or right["foul"]
            for row, found in board["rows"].items():
                royalty = 0 if board["foul"] else found["royalty"] if right["foul"] else right["rows"][row]["royalty"]
                assert found == {**right["rows"][row], "royalty": royalty}
    without_last = {**cut_off(hand, 13), "players": cut_off(hand, 13)["players"][:-1]}
    scored = browser.score(given, without_last)
    assert (scored["kind"], scored["errors"], len(scored["boards"])) == ("partial", [], len(final) - 1)
    assert browser.score(given, {})["kind"] == "partial"


def test_mistakes_that_more_cards_do_not_correct_are_reported_at_once(api: Api, browser: BrowserRules) -> None:
    both, _, hand = middle_of_a_round(api, browser, "pineapple")
    partial = cut_off(hand, 7)
    partial["players"][0]["middle"][1] = partial["players"][1]["bottom"][0]
    partial["players"][0]["player"] = "zoe"
    partial["button"] = 77
    scored = browser.score(both.given, partial)
    assert scored["kind"] == "partial"
    assert {error["code"] for error in scored["errors"]} == {"card-twice", "player-wrong", "seat-unknown"}
    assert len(scored["problem"]["errors"]) > len(scored["errors"])


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        (lambda given: given.pop("document"), "request-invalid", "#/document"),
        (lambda given: given["document"].update(seats=[]), "request-invalid", "#/seats"),
        (lambda given: given["ruleset"].update(name="other"), "round-invalid", "#/document/ruleset"),
        (lambda given: given["ruleset"].pop("points"), "request-invalid", "#/points"),
        (lambda given: given["document"]["hands"][0].update(button=99), "hand-invalid", "#/hands/0/button"),
    ],
)
def test_a_round_that_is_not_valid_is_refused(
    api: Api, browser: BrowserRules, change: Change, code: str, pointer: str
) -> None:
    both, _, second = middle_of_a_round(api, browser, "pineapple")
    given = both.given
    change(given)
    scored = browser.score(given, second)
    assert scored["kind"] == "round_refused"
    assert scored["problem"]["code"] == code
    assert pointer in [error["pointer"] for error in scored["problem"]["errors"]]


def test_the_worker_recovers_from_json_that_nests_too_deeply(api: Api, browser: BrowserRules) -> None:
    both, _, second = middle_of_a_round(api, browser, "pineapple")
    scored = browser.score_text(json.dumps(both.given), "[" * 20_000)
    assert (scored["kind"], scored["problem"]["code"]) == ("refused", "json-invalid")
    both.check(second, "afterwards")
