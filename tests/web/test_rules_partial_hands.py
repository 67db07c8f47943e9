"""The rules in WebAssembly score hands that are still being set."""

import json

import pytest

from tests.support.api_client import Api
from tests.support.browser.compared_round import middle_of_a_round
from tests.support.sample_rounds import Document
from tests.web.browser_rules import BrowserRules


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
    round_ = both.round_
    for placed in range(13):
        partial = cut_off(hand, placed)
        both.check_refused(json.dumps(partial), f"{name}, {placed} cards")
        scored = browser.score(round_, partial)
        assert (scored["kind"], scored["errors"]) == ("partial", []), (name, placed)
        for board in scored["boards"]:
            right = final[board["seat"]]
            assert set(board["rows"]) == {row for row, cards in (("bottom", 5), ("middle", 10)) if placed >= cards}
            assert not board["foul"] or right["foul"]
            for row, figures in board["rows"].items():
                royalty = 0 if board["foul"] else figures["royalty"] if right["foul"] else right["rows"][row]["royalty"]
                assert figures == {**right["rows"][row], "royalty": royalty}
    without_last = {**cut_off(hand, 13), "players": cut_off(hand, 13)["players"][:-1]}
    scored = browser.score(round_, without_last)
    assert (scored["kind"], scored["errors"], len(scored["boards"])) == ("partial", [], len(final) - 1)
    assert browser.score(round_, {})["kind"] == "partial"


def test_mistakes_that_more_cards_do_not_correct_are_reported_at_once(api: Api, browser: BrowserRules) -> None:
    both, _, hand = middle_of_a_round(api, browser, "pineapple")
    partial = cut_off(hand, 7)
    partial["players"][0]["middle"][1] = partial["players"][1]["bottom"][0]
    partial["players"][0]["player"] = "zoe"
    partial["button"] = 77
    scored = browser.score(both.round_, partial)
    assert scored["kind"] == "partial"
    assert {error["code"] for error in scored["errors"]} == {"card-twice", "player-wrong", "seat-unknown"}
    assert len(scored["problem"]["errors"]) > len(scored["errors"])
