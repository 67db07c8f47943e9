"""Two disputes of one round: a decision never undoes another one that was made since its page was opened."""

from xml.etree.ElementTree import Element

import pytest

from tests.service.console.test_dispute import MISREAD, decide, fields_of, part
from tests.service.console.test_disputes import MONEY
from tests.support.api_client import Api
from tests.support.api_disputes import CLAIM, opened, step
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.check_club import check_everywhere
from tests.support.sample_rounds import complete_round, settlement_of


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.fixture
def round_id(api: Api) -> str:
    return complete_round(api, name="friday", **MONEY)


@pytest.fixture
def case(api: Api, round_id: str) -> str:
    """The path of a dispute in review about the top row of seat 1 in hand 2."""
    dispute_id = opened(api, round_id, hand=2, seat=1, row="top")
    assert step(api, dispute_id, "review").status == 201
    return f"/disputes/{dispute_id}"


@pytest.fixture
def other(api: Api, round_id: str) -> str:
    """The path of another dispute of the round, in review, about the top row of seat 2 in the same hand."""
    dispute_id = opened(api, round_id, hand=2, seat=2, row="top", by="bob", claim="the seven was the ten of diamonds")
    assert step(api, dispute_id, "review").status == 201
    return f"/disputes/{dispute_id}"


OTHER = {"cards.2.2.top": "Ks Qd Td"}


def board_of(api: Api, round_id: str, number: int, seat: int) -> dict[str, list[str]]:
    """Return the rows of a seat in a hand, as the round's document has them now."""
    document = api.get(f"/v1/rounds/{round_id}/document")
    [played] = [each for each in document["hands"] if each["number"] == number]
    [player] = [each for each in played["players"] if each["seat"] == seat]
    return dict(player)


def test_a_page_names_the_other_disputes_of_the_round(visitor: Visitor, case: str, other: str, api: Api) -> None:
    document = visitor.show(case)
    shown = part(document, "others")
    for words in ("Hand 2, bob, top row", "In review", "the seven was the ten of diamonds", "by bob"):
        assert words in shown
    assert CLAIM not in shown
    assert f"/console{other}" in [link.attrib["href"] for link in document.iter("a")]
    assert decide(visitor, other, "uphold", reason="bob is right", **OTHER).status_code == 303
    for words in ("Upheld by first", "bob is right", "Revision 2"):
        assert words in part(visitor.show(case), "others")
    step(api, opened(api, api.get(f"/v1{case}")["round"], claim="never mind"), "withdraw")
    assert "Withdrawn" in part(visitor.show(case), "others")


@pytest.mark.parametrize("first_answer", ["uphold", "preview", "show"])
def test_a_second_decision_does_not_undo_the_first(
    visitor: Visitor, api: Api, house: House, case: str, other: str, round_id: str, first_answer: str
) -> None:
    """Whatever a page that was opened before the first decision sends, its unchanged rows change nothing."""
    form = without_check(fields_of(visitor.show(other))) | OTHER | {"reason": "bob is right"}
    assert decide(visitor, case, "uphold", reason="misread", **MISREAD).status_code == 303
    pressed = {"show": "2"} if first_answer == "show" else {"decision": first_answer}
    response = visitor.send(f"{other}/decide", form | pressed)
    assert response.status_code == (409 if first_answer == "uphold" else 200)
    assert settlement_of(api, round_id)["revision"] == 2
    document = parse(response)
    new = part(document, "new")
    for words in ("Revision 2", "misread", "Hand 2", "three of diamonds"):
        assert words in new or words in labels_of(document, "new"), words
    assert "New" in part(document, "others")
    fields = fields_of(document)
    assert fields["cards.2.1.top"] == "Ah Kd 3d", "the row has the cards of the first decision"
    assert fields["cards.2.2.top"] == OTHER["cards.2.2.top"], "what was typed stays"
    again = visitor.send(f"{other}/decide", without_check(fields) | {"decision": "uphold", "reason": "bob is right"})
    assert again.status_code == 303
    assert set(board_of(api, round_id, 2, 1)["top"]) == {"Ah", "Kd", "3d"}
    assert set(board_of(api, round_id, 2, 2)["top"]) == {"Ks", "Qd", "Td"}
    check_everywhere(house, api)


def test_other_cards_of_the_same_row_are_changed_by_both_decisions(
    visitor: Visitor, api: Api, case: str, other: str, round_id: str
) -> None:
    form = without_check(fields_of(visitor.show(other))) | {"cards.2.1.top": "Ah Td 9c", "reason": "misread too"}
    assert decide(visitor, case, "uphold", reason="misread", **MISREAD).status_code == 303
    refused = parse(visitor.send(f"{other}/decide", form | {"decision": "uphold"}))
    assert fields_of(refused)["cards.2.1.top"] == "Ah Td 3d"
    again = without_check(fields_of(refused)) | {"decision": "uphold"}
    assert visitor.send(f"{other}/decide", again).status_code == 303
    assert set(board_of(api, round_id, 2, 1)["top"]) == {"Ah", "Td", "3d"}


def test_a_card_that_both_decisions_change_is_entered_again(
    visitor: Visitor, api: Api, case: str, other: str, round_id: str
) -> None:
    form = without_check(fields_of(visitor.show(other))) | {"cards.2.1.top": "Ah Kd Td", "reason": "it was the ten"}
    assert decide(visitor, case, "uphold", reason="misread", **MISREAD).status_code == 303
    refused = parse(visitor.send(f"{other}/decide", form | {"decision": "uphold"}))
    assert fields_of(refused)["cards.2.1.top"] == "Ah Kd 3d"
    assert "Hand 2, ann, top row: you had entered Ah Kd Td" in text_of(refused)
    again = without_check(fields_of(refused)) | {"decision": "uphold", "cards.2.1.top": "Ah Kd Td"}
    assert visitor.send(f"{other}/decide", again).status_code == 303
    assert set(board_of(api, round_id, 2, 1)["top"]) == {"Ah", "Kd", "Td"}


def test_a_decision_about_a_hand_that_was_undone_meanwhile_is_looked_at_again(
    visitor: Visitor, api: Api, round_id: str
) -> None:
    dispute_id = opened(api, round_id, hand=3)
    step(api, dispute_id, "review")
    path = f"/disputes/{dispute_id}"
    form = without_check(fields_of(visitor.show(path))) | {"cards.3.1.top": "Ah Kd 3d", "reason": "misread"}
    document = api.get(f"/v1/rounds/{round_id}/document").document
    closed = {"after_hand": 2, "reason": "the third hand was not played"}
    shorter = {**document, "hands": document["hands"][:2], "closed": closed}
    version = api.get(f"/v1/rounds/{round_id}")["version"]
    corrected = {"reason": "not played", "document": shorter, "version": version}
    assert api.post(f"/v1/rounds/{round_id}/corrections", corrected).status == 201
    refused = visitor.send(f"{path}/decide", form | {"decision": "uphold"})
    assert refused.status_code == 409
    assert "Hand 3, ann, top row: you had entered Ah Kd 3d" in text_of(parse(refused))


def test_a_form_with_the_version_but_not_the_revision_of_the_round_is_refused(
    visitor: Visitor, api: Api, case: str, other: str, round_id: str
) -> None:
    old = without_check(fields_of(visitor.show(other))) | {"decision": "uphold", "reason": "x"} | OTHER
    assert decide(visitor, case, "uphold", reason="misread", **MISREAD).status_code == 303
    mixed = old | {"round_version": str(api.get(f"/v1/rounds/{round_id}")["version"])}
    assert visitor.send(f"{other}/decide", mixed).status_code == 409
    del mixed["revision"]
    assert visitor.send(f"{other}/decide", mixed).status_code == 409
    assert settlement_of(api, round_id)["revision"] == 2


def without_check(fields: dict[str, str]) -> dict[str, str]:
    """Return fields as a browser sends them if the check box is not ticked."""
    return {name: value for name, value in fields.items() if name not in ("irregular", "comment", "withdrawal")}


def labels_of(document: Element, identifier: str) -> str:
    """Return the names of what is shown as a picture in a part of a page: the cards."""
    [element] = [each for each in document.iter() if each.attrib.get("id") == identifier]
    return ", ".join(each.attrib["aria-label"] for each in element.iter("span") if "aria-label" in each.attrib)
