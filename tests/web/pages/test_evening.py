"""An evening by taps: ten hands or more, in several rounds, on a phone that the service scores for."""

import pytest
from playwright.sync_api import expect

from tests.support.browser.scorekeeper_page import ScorekeeperPage
from tests.web.pages.test_offline_rounds import check_with_oracle, deal, list_rounds, play_to_the_end, read_stacks

pytestmark = pytest.mark.smoke

HANDS = 10


def test_an_evening_of_ten_hands_by_taps(scorekeeper: ScorekeeperPage) -> None:
    table = scorekeeper.add_round(stack=1000)["table"]
    boards, hands, stacks = deal(3), 0, []
    while hands < HANDS:
        if stacks:
            scorekeeper.page.get_by_role("button", name="Open the round").tap()
            scorekeeper.expect_hand(1)
            scorekeeper.page.get_by_role("button", name="Back to the round").tap()
        hands += play_to_the_end(scorekeeper, boards, 1)
        stacks.append(read_stacks(scorekeeper))
    expect(scorekeeper.page.get_by_text("waiting")).to_have_count(0)
    rounds = list_rounds(scorekeeper, table)
    assert sum(round_["hands"] for round_ in rounds) == hands
    assert {round_["status"] for round_ in rounds} == {"complete"}
    for round_, shown in zip(rounds, stacks, strict=True):
        check_with_oracle(scorekeeper, round_, shown)
    # Nothing but the cards, Save, and who has the button of a first hand, if it is not known.
    assert 40 * hands <= scorekeeper.taps <= 40 * hands + len(rounds)
