"""The players' pages of a corrected round: what was changed, why, and who pays the difference."""

from xml.etree.ElementTree import Element

import pytest

from tests.service.links.linked_table import issue
from tests.service.links.test_link_pages import Visitor, parse
from tests.support.api_client import Api
from tests.support.api_disputes import opened, step
from tests.support.api_settlements import make_final
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    cards,
    complete_round,
    hand,
    play,
    settlement_of,
    start_round,
    undo,
)

FOUL = [
    {"hand": 2, "seat": 1, "row": "top", "cards": cards("AsAdTs")},
    {"hand": 2, "seat": 1, "row": "bottom", "cards": cards("AhKd9cTh4s")},
]
"""With these rows, seat 1 fouled in hand 2."""


@pytest.fixture
def round_id(api: Api) -> str:
    return complete_round(api, name="friday", point_value=20, unit="EUR")


@pytest.fixture
def bob(house: House, api: Api, round_id: str) -> Visitor:
    table = str(api.get(f"/v1/rounds/{round_id}")["table"])
    return Visitor(house, issue(api, table, kind="player", player="bob"))


def section(page: Element, identifier: str) -> str:
    [element] = [each for each in page.iter() if each.get("id") == identifier]
    return " ".join("".join(element.itertext()).split())


def read(visitor: Visitor, round_id: str, identifier: str) -> str:
    return section(parse(visitor.get(f"/rounds/{round_id}")), identifier)


def correct(api: Api, round_id: str, **more: object) -> None:
    version = api.get(f"/v1/rounds/{round_id}")["version"]
    asked = {"reason": "the video shows it", "changes": FOUL, "version": version, **more}
    assert api.post(f"/v1/rounds/{round_id}/corrections", asked).status == 201


def test_an_adjustment_of_a_final_settlement_is_shown_with_its_payments(api: Api, bob: Visitor, round_id: str) -> None:
    make_final(api, round_id)
    correct(api, round_id)
    adjusted = settlement_of(api, round_id)["adjustment"]["transfers"]
    settling, changed = read(bob, round_id, "settling"), read(bob, round_id, "revisions")
    assert "Who has paid the results of revision 1, which were final, pays only the difference:" in settling
    assert adjusted
    for paid in adjusted:
        names = [f"{paid[side]} You" if paid[side] == "bob" else paid[side] for side in ("payer", "payee")]
        sentence = f"{names[0]} pays {names[1]} €{paid['money'] / 100:.2f}"
        assert sentence in settling.partition("If you have already settled up")[2]
        assert sentence in changed


def test_cards_and_points_that_a_correction_changed_are_shown(api: Api, bob: Visitor, round_id: str) -> None:
    before = settlement_of(api, round_id)["net"]
    correct(api, round_id)
    after = settlement_of(api, round_id)["net"]
    changed = read(bob, round_id, "revisions")
    assert "the video shows it" in changed
    assert "Hand 2, ann, top row: A♥ K♦ 9♣ → A♠ A♦ 10♠" in changed
    assert "Hand 2, ann, bottom row" in changed
    assert "middle row" not in changed
    points = ", ".join(
        f"{name} {change:+d}".replace("-", "−")
        for seat, name in (("1", "ann"), ("2", "bob You"), ("3", "cyd"))
        if (change := after[seat] - before[seat])
    )
    assert f"Points: {points}" in changed


def test_the_reason_of_a_decision_and_the_comments_are_shown_to_who_opened_the_dispute(
    house: House, api: Api, bob: Visitor, round_id: str
) -> None:
    dispute_id = opened(api, round_id, hand=2, by="bob", claim="ann fouled")
    step(api, dispute_id, "review")
    step(api, dispute_id, "comments", comment="which camera?", by="first")
    correct(api, round_id, dispute=dispute_id)
    step(api, dispute_id, "resolve", state="upheld", reason="seen by the left camera")
    shown = read(bob, round_id, f"dispute-{dispute_id}")
    assert "You dispute hand 2: ann fouled (upheld)" in shown
    for words in ("Comment by first", "which camera?", "Upheld by first", "seen by the left camera", "Revision 2"):
        assert words in shown
    table = str(api.get(f"/v1/rounds/{round_id}")["table"])
    cyd = Visitor(house, issue(api, table, kind="player", player="cyd"))
    assert "which camera?" not in cyd.get(f"/rounds/{round_id}").text
    assert "the video shows it" in read(cyd, round_id, "revisions")


def test_every_correction_has_its_own_difference(api: Api, bob: Visitor, round_id: str) -> None:
    correct(api, round_id)
    correct(
        api,
        round_id,
        reason="back",
        changes=[
            {**each, "cards": recorded}
            for each, recorded in zip(FOUL, (cards("AhKd9c"), cards("AsAdTcTh4s")), strict=True)
        ],
    )
    changed = read(bob, round_id, "revisions")
    assert "for who has settled revision 1:" in changed
    assert "for who has settled revision 2:" in changed
    assert "Who has paid the results of revision 2 pays only the difference" in read(bob, round_id, "settling")


def test_an_undo_while_a_round_is_played_is_no_difference_to_pay(house: House, api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, *COMPLETE[:2])
    assert undo(api, round_id, 2).status == 201
    visitor = Visitor(house, issue(api, str(api.get(f"/v1/rounds/{round_id}")["table"]), kind="player", player="bob"))
    assert "Hand 2 was removed." in read(visitor, round_id, "revisions")
    assert "already settled up" not in read(visitor, round_id, "settling")
    play(api, round_id, hand(2, 2, {1: MID, 2: HIGH, 3: LOW}), COMPLETE[2])
    assert "already settled up" not in read(visitor, round_id, "settling")
    assert "To pay" not in read(visitor, round_id, "revisions")


def test_the_number_of_statements_does_not_depend_on_revisions_and_comments(
    api: Api, bob: Visitor, round_id: str
) -> None:
    dispute_id = opened(api, round_id, by="bob")
    correct(api, round_id)
    counts = []
    for number in range(2):
        read(bob, round_id, "revisions")
        with recorded_statements() as statements:
            read(bob, round_id, "revisions")
        counts.append(len(statements))
        top = [{**FOUL[0], "cards": cards("AsAd6s" if number else "AsAd6h")}]
        correct(api, round_id, reason=f"again {number}", changes=top)
        step(api, dispute_id, "comments", comment=f"comment {number}", by="bob")
    assert counts[0] == counts[1]
