"""The revisions of a round, and what changed between any two of them."""

import re
from xml.etree.ElementTree import Element

import pytest

from tests.service.console.test_round_replay import TOP, rows_of, section, words
from tests.service.links.linked_table import link_to
from tests.support.api_client import Api
from tests.support.api_corrections import NO_QUEENS, correct, in_fantasyland
from tests.support.api_disputes import opened, step
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, text_of
from tests.support.browser.console_visitor import rows_of as csv_rows
from tests.support.database.recorded_statements import recorded_statements
from tests.support.sample_rounds import COMPLETE, THREE, complete_round, hand, play, settlement_of, start_round, undo


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def test_a_round_that_was_never_changed_has_one_revision(visitor: Visitor, api: Api) -> None:
    page = visitor.show(f"/rounds/{complete_round(api)}/revisions")
    [row] = rows_of(section(page, "revisions"))
    assert row[0] == "Revision 1 In force"
    assert row[2:] == ["first", "pineapple@1", "As first recorded"]
    assert "it was never undone, corrected or recomputed" in text_of(page)


def test_every_revision_has_its_reason_author_and_time(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    dispute_id = opened(api, round_id)
    assert step(api, dispute_id, "review").status == 201
    assert correct(api, round_id, changes=[TOP], dispute=dispute_id, reason="the video shows it").status == 201
    page = visitor.show(f"/rounds/{round_id}/revisions")
    first, second = rows_of(section(page, "revisions"))
    assert (first[0], second[0]) == ("Revision 1", "Revision 2 In force")
    assert second[2:] == ["first", "pineapple@1", "the video shows it Dispute"]
    [time] = [each.attrib["datetime"] for each in list(page.iter("time"))[-1:]]
    assert time.startswith("20")


def test_the_author_of_a_revision_can_be_a_link_to_the_table(visitor: Visitor, house: House, api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, *COMPLETE[:2])
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    phone = link_to(house, api, table, label="<b>phone</b>")
    assert undo(phone, round_id, 2).status == 201
    rows = rows_of(section(visitor.show(f"/rounds/{round_id}/revisions"), "revisions"))
    assert [row[2] for row in rows] == ["first", "<b>phone</b>"]
    assert rows[1][4] == "hand 2 was undone"


def test_the_two_newest_revisions_are_compared_first(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api, point_value=10, unit="EUR")
    assert correct(api, round_id, changes=[TOP]).status == 201
    page = visitor.show(f"/rounds/{round_id}/revisions")
    nets = [settlement_of(api, round_id, revision)["net"] for revision in (1, 2)]
    rows = rows_of(_labelled(section(page, "comparison"), "Net points"))
    signed = [[row[1].replace("−", "-"), row[2].replace("−", "-")] for row in rows]
    assert signed == [[f"{net[seat]:+d}" if net[seat] else "0" for net in nets] for seat in ("1", "2", "3")]
    assert rows[0][3] != "no change"
    changed = section(page, "hand-2")
    assert "ann, top A♥K♦9♣only here: A♥K♦9♣6♥3♦2♠only here: 6♥3♦2♠" in words(changed)
    assert "ann: points before caps" in words(changed)
    assert "Payments in revision 1" in words(changed)
    assert "middle" not in words(changed)
    # A later hand has the same cards and points, and other stacks.
    assert "Of hand 3, only the stacks differ, because earlier hands have changed." in text_of(page)
    assert [each.attrib.get("aria-labelledby") for each in page.iter("section")].count("hand-1") == 0


def _labelled(part: Element, label: str) -> Element:
    [element] = [each for each in part.iter("div") if each.attrib.get("aria-label") == label]
    return element


def test_any_two_revisions_are_compared_in_any_order(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    assert correct(api, round_id, changes=[TOP]).status == 201
    assert correct(api, round_id, reason="back", changes=[{**TOP, "cards": ["Ah", "Kd", "9c"]}]).status == 201
    same = visitor.show(f"/rounds/{round_id}/revisions?from=1&to=3")
    assert "The two revisions have the same cards, points and payments." in text_of(same)
    back = visitor.show(f"/rounds/{round_id}/revisions?from=2&to=1")
    assert "Revision 2 and revision 1" in text_of(back)
    assert "only here: A♥K♦9♣" in words(section(back, "hand-2"))
    equal = visitor.show(f"/rounds/{round_id}/revisions?from=2&to=2")
    assert "have the same cards" in text_of(equal)


def test_the_comparison_of_any_two_revisions_has_the_payments_between_them(visitor: Visitor, api: Api) -> None:
    """Neither of the first two was final, and the newest follows neither of them."""
    round_id = complete_round(api, point_value=10, unit="EUR")
    for number, cards in enumerate((["6h", "3d", "2h"], ["Ah", "Kd", "3d"], ["6h", "3d", "2s"])):
        assert correct(api, round_id, reason=f"again {number}", changes=[{**TOP, "cards": cards}]).status == 201
    for one, other in ((1, 2), (1, 4), (2, 3), (4, 1), (2, 4)):
        before, after = (settlement_of(api, round_id, number)["net"] for number in (one, other))
        changes = {seat: after[seat] - before[seat] for seat in before}
        path = f"/rounds/{round_id}/revisions?from={one}&to={other}"
        shown = section(visitor.show(path), "payments")
        assert f"Payments from revision {one} to revision {other}" in words(shown)
        paid = [re.fullmatch(r"(\w+) pays (\w+) €([0-9.]+)", words(each)) for each in shown.iter("li")]
        nets = {"ann": 0, "bob": 0, "cyd": 0}
        for match in filter(None, paid):
            nets[match[1]] -= round(float(match[3]) * 100)
            nets[match[2]] += round(float(match[3]) * 100)
        assert list(nets.values()) == [10 * changes[seat] for seat in ("1", "2", "3")]
        file = csv_rows(visitor.get(f"{path}&format=csv&part=comparison"))
        listed = [row for row in file if "pays" in row["what"]]
        assert len(listed) == len([each for each in paid if each])
    assert "No payments" in words(section(visitor.show(f"/rounds/{round_id}/revisions?from=2&to=4"), "payments"))


def test_a_hand_that_one_revision_lacks_is_named(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, *COMPLETE[:2])
    assert undo(api, round_id, 2, reason="misdeal").status == 201
    page = visitor.show(f"/rounds/{round_id}/revisions")
    part = section(page, "hand-2")
    assert "Only revision 1 has this hand." in words(part)
    [link] = [each.attrib["href"] for each in part.iter("a")]
    assert visitor.get(link.removeprefix("/console")).status_code == 200


def test_what_is_irregular_after_a_correction_is_a_change(visitor: Visitor, api: Api) -> None:
    round_id = in_fantasyland(api)
    assert correct(api, round_id, patch=NO_QUEENS, irregular="accept").status == 201
    part = words(section(visitor.show(f"/rounds/{round_id}/revisions"), "hand-2"))
    assert "Why it is irregular" in part
    earned = words(section(visitor.show(f"/rounds/{round_id}/revisions"), "hand-1"))
    assert "ann: Fantasyland cards earned 14 0" in earned.replace("14", " 14 ").replace("  ", " ")


def test_other_rules_and_departures_are_changes_of_the_round(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api, "pineapple-qq")
    play(api, round_id, hand(1, 1, THREE))
    patch = [
        {"op": "replace", "path": "/ruleset", "value": "pineapple-kk@1"},
        {"op": "add", "path": "/departures/-", "value": {"seat": 2, "after_hand": 1, "reason": "a train"}},
        {"op": "replace", "path": "/closed", "value": {"after_hand": 1, "reason": "late"}},
    ]
    assert correct(api, round_id, patch=patch).status == 201
    part = words(section(visitor.show(f"/rounds/{round_id}/revisions"), "comparison"))
    assert "pineapple-qq@1pineapple-kk@1" in part
    assert "Departuresnonebob after hand 1" in part
    assert "Closed earlynoneafter hand 1: late" in part


def test_the_number_of_statements_does_not_depend_on_the_number_of_revisions(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    assert correct(api, round_id, changes=[TOP]).status == 201
    path = f"/rounds/{round_id}/revisions?from=1&to=2"
    visitor.show(path)
    with recorded_statements() as few:
        visitor.show(path)
    for number, cards in enumerate((["6h", "3d", "2h"], ["6s", "3d", "2h"], ["6s", "3d", "2s"])):
        assert correct(api, round_id, reason=f"again {number}", changes=[{**TOP, "cards": cards}]).status == 201
    with recorded_statements() as many:
        visitor.show(path)
    assert len(many) == len(few)
