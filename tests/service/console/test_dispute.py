"""The page of a dispute: what it shows, what entered cards would change, and how it is decided."""

from typing import Any
from xml.etree.ElementTree import Element

import pytest
from werkzeug.test import TestResponse

from tests.service.console.test_disputes import MONEY, csrf_of, reader_of
from tests.support.api_client import Api
from tests.support.api_disputes import CLAIM, opened, step
from tests.support.api_settlements import make_final
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.check_club import check_everywhere
from tests.support.database.recorded_statements import recorded_statements
from tests.support.sample_rounds import cards, complete_round, correct_round, hands_of, settlement_of

SEAT_1 = "cards.2.1.top"
MISREAD = {SEAT_1: "AhKd3d"}
"""In hand 2 seat 1 had the three of diamonds on top, where the nine of clubs was recorded."""
FOUL = {"cards.2.1.top": "As Ad Ts", "cards.2.1.bottom": "Ah Kd 9c Th 4s"}
"""With these rows, seat 1 would have fouled."""


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


def decide(visitor: Visitor, case: str, decision: str, **fields: str) -> TestResponse:
    return visitor.submit(case, "/decide", {"decision": decision, **fields})


def fields_of(document: Element) -> dict[str, str]:
    return {
        each.attrib["name"]: each.attrib.get("value", "") for each in document.iter("input") if "name" in each.attrib
    }


def part(document: Element, identifier: str) -> str:
    [element] = [each for each in document.iter() if each.attrib.get("id") == identifier]
    return " ".join("".join(element.itertext()).split())


def test_a_case_shows_the_claim_the_boards_and_the_stakes(visitor: Visitor, case: str) -> None:
    text = text_of(visitor.show(case))
    for shown in (CLAIM, "by ann", "12 points, €2.40", "Paused; ", "first", "Hand 2", "two pair", "Review started"):
        assert shown in text
    assert "Dispute at friday: Hand 2, ann, top row" in text


def test_open_disputes_are_taken_into_review(visitor: Visitor, api: Api, round_id: str) -> None:
    path = f"/disputes/{opened(api, round_id)}"
    assert "Uphold" not in text_of(visitor.show(path))
    assert visitor.submit(path, "/review", {}).status_code == 303
    assert "Uphold" in text_of(visitor.show(path))
    assert api.get(f"/v1{path}")["history"][0]["by"] == "first"


@pytest.mark.smoke
def test_the_preview_shows_what_changes_for_whom_and_stores_nothing(
    visitor: Visitor, api: Api, house: House, case: str, round_id: str
) -> None:
    expected = api.post(
        f"/v1/rounds/{round_id}/what-if",
        {
            "changes": [
                {"hand": 2, "seat": 1, "row": "top", "cards": cards(FOUL["cards.2.1.top"])},
                {"hand": 2, "seat": 1, "row": "bottom", "cards": cards(FOUL["cards.2.1.bottom"])},
            ]
        },
    )
    before = house.count_records()
    document = parse(decide(visitor, case, "preview", **FOUL))
    assert house.count_records() == before
    shown = part(document, "what-if")
    for net in expected["net"]:
        assert f"{net['player']}" in shown
        money = (
            f"{'+' if net['change'] > 0 else '−'}€{abs(net['change']) * 20 // 100}.{abs(net['change']) * 20 % 100:02}"
        )
        assert money in shown
    assert "Foul." in shown
    assert "pays" in shown
    assert fields_of(document)["cards.2.1.top"] == FOUL["cards.2.1.top"], "what was typed is still there"


def test_a_preview_without_changes_has_no_results(visitor: Visitor, case: str) -> None:
    document = parse(decide(visitor, case, "preview", **{SEAT_1: "9c kd AH"}))
    assert "No card is changed yet." in part(document, "what-if")


@pytest.mark.parametrize(
    ("typed", "explained"),
    [
        ("Ah Kd", "Hand 2, ann, top row: has 2 cards; expected 3"),
        ("Ah Kd 1x", "Hand 2, ann, top row: card 3 is '1x'; expected a rank"),
        ("Ah Kd Ks", "Hand 2, ann, top row"),
        ("<b>", "card 1 is '<b'"),
    ],
)
def test_cards_that_cannot_be_are_explained_beside_the_preview(
    visitor: Visitor, case: str, typed: str, explained: str
) -> None:
    response = decide(visitor, case, "preview", **{SEAT_1: typed})
    assert response.status_code == 422
    document = parse(response)
    assert explained in part(document, "what-if")
    assert fields_of(document)[SEAT_1] == typed


def test_changes_of_other_hands_are_carried_along(visitor: Visitor, case: str) -> None:
    response = visitor.submit(case, "/decide", {"show": "3", **MISREAD})
    document = parse(response)
    fields = fields_of(document)
    assert fields[SEAT_1] == MISREAD[SEAT_1]
    assert "cards.3.1.top" in fields
    assert "cards.2.2.top" not in fields
    assert fields["hand"] == "3"


def test_upholding_corrects_the_round_and_ends_the_dispute(
    visitor: Visitor, api: Api, house: House, case: str, round_id: str
) -> None:
    response = decide(visitor, case, "uphold", reason="the video shows it", **MISREAD)
    assert response.status_code == 303
    assert response.location.endswith("#result")
    dispute = api.get(f"/v1{case}")
    assert dispute["state"] == "upheld"
    assert dispute["corrections"] == [2]
    assert dispute["history"][-1]["words"] == "the video shows it"
    settlement = settlement_of(api, round_id)
    assert (settlement["revision"], settlement["reason"]) == (2, "the video shows it")
    shown = part(visitor.show(case), "result")
    assert "Upheld" in shown
    assert "Revision 2 of the settlement corrects the round." in shown
    assert "provisional until" in shown
    check_everywhere(house, api)


def test_the_correction_of_a_final_settlement_shows_the_adjustment(visitor: Visitor, api: Api, round_id: str) -> None:
    make_final(api, round_id)
    dispute_id = opened(api, round_id, hand=2)
    step(api, dispute_id, "review")
    case = f"/disputes/{dispute_id}"
    assert "makes adjustment payments" in text_of(visitor.show(case))
    assert decide(visitor, case, "uphold", reason="misread", **FOUL).status_code == 303
    [adjusted, *more] = settlement_of(api, round_id)["adjustment"]["transfers"]
    shown = part(visitor.show(case), "result")
    assert "Adjustment payments" in shown
    for payment in (adjusted, *more):
        assert f"{payment['payer']} pays {payment['payee']} €{payment['money'] / 100:.2f}" in shown


def test_a_dispute_is_upheld_without_a_correction(visitor: Visitor, api: Api, case: str, round_id: str) -> None:
    assert decide(visitor, case, "uphold", reason="paid in cash").status_code == 303
    assert api.get(f"/v1{case}")["state"] == "upheld"
    assert settlement_of(api, round_id)["revision"] == 1
    assert "Nothing was corrected." in part(visitor.show(case), "result")


def test_rejecting_needs_a_reason(visitor: Visitor, api: Api, case: str) -> None:
    refused = decide(visitor, case, "reject", reason="  ")
    assert refused.status_code == 422
    assert "Something is missing: the reason." in text_of(parse(refused))
    assert decide(visitor, case, "reject", reason="the video shows it otherwise", **MISREAD).status_code == 303
    dispute = api.get(f"/v1{case}")
    assert (dispute["state"], dispute["corrections"]) == ("rejected", [])


def test_a_refused_correction_leaves_the_dispute_in_review(visitor: Visitor, api: Api, house: House, case: str) -> None:
    before = house.count_records()
    response = decide(visitor, case, "uphold", reason="misread", **{SEAT_1: "Ah Kd Ks"})
    assert response.status_code == 422
    document = parse(response)
    assert "Hand 2, ann, top row" in text_of(document)
    assert fields_of(document)["reason"] == "misread"
    assert house.count_records() == before
    assert api.get(f"/v1{case}")["state"] == "under_review"


def test_the_same_decision_sent_twice_is_stored_once(visitor: Visitor, api: Api, case: str) -> None:
    form = {**fields_of(visitor.show(case)), "decision": "uphold", "reason": "misread", **MISREAD}
    form.pop("irregular", None)
    assert [visitor.send(f"{case}/decide", form).status_code for _ in range(2)] == [303, 303]
    dispute = api.get(f"/v1{case}")
    assert (dispute["version"], dispute["corrections"]) == (3, [2])


def test_a_changed_dispute_is_refused_and_what_was_typed_stays(
    visitor: Visitor, api: Api, house: House, case: str
) -> None:
    form = {**fields_of(visitor.show(case)), "decision": "uphold", "reason": "misread", **MISREAD}
    form.pop("irregular", None)
    assert step(api, case.rpartition("/")[2], "comments", comment="wait for the video").status == 201
    before = house.count_records()
    response = visitor.send(f"{case}/decide", form)
    assert response.status_code == 409
    assert house.count_records() == before
    document = parse(response)
    text = text_of(document)
    assert "has changed this dispute or its round since you opened this page" in text
    assert "wait for the video" in text
    assert "New" in part(document, "history")
    fields = fields_of(document)
    assert (fields["reason"], fields[SEAT_1]) == ("misread", MISREAD[SEAT_1])
    fields |= {"decision": "uphold"}
    fields.pop("irregular", None)
    assert visitor.send(f"{case}/decide", fields).status_code == 303, "the page has the new version"


def test_a_round_that_was_corrected_meanwhile_is_refused(visitor: Visitor, api: Api, case: str, round_id: str) -> None:
    form = {**fields_of(visitor.show(case)), "decision": "uphold", "reason": "misread", **MISREAD}
    form.pop("irregular", None)
    change = {"hand": 1, "seat": 1, "row": "top", "cards": cards("AhKd3d")}
    assert correct_round(api, round_id, {"reason": "other", "changes": [change]}).status == 201
    response = visitor.send(f"{case}/decide", form)
    assert response.status_code == 409
    assert "has changed this dispute or its round" in text_of(parse(response))


@pytest.mark.parametrize("decision", ["uphold", "reject"])
def test_a_decision_without_a_correction_is_refused_if_the_round_was_corrected_meanwhile(
    visitor: Visitor, api: Api, house: House, case: str, round_id: str, decision: str
) -> None:
    form = decision_form(visitor, case, decision)
    change = {"hand": 1, "seat": 1, "row": "top", "cards": cards("AhKd3d")}
    assert correct_round(api, round_id, {"reason": "other", "changes": [change]}).status == 201
    before = house.count_records()
    response = visitor.send(f"{case}/decide", form)
    assert response.status_code == 409
    assert house.count_records() == before
    document = parse(response)
    assert "has changed this dispute or its round" in text_of(document)
    assert fields_of(document)["reason"] == form["reason"]
    assert api.get(f"/v1{case}")["state"] == "under_review"
    again = {**fields_of(document), "decision": decision}
    again.pop("irregular", None)
    assert visitor.send(f"{case}/decide", again).status_code == 303, "the page has the new version"


@pytest.mark.parametrize("decision", ["uphold", "reject"])
def test_a_decision_without_a_correction_that_is_sent_twice_is_stored_once(
    visitor: Visitor, api: Api, case: str, decision: str
) -> None:
    form = decision_form(visitor, case, decision)
    assert [visitor.send(f"{case}/decide", form).status_code for _ in range(2)] == [303, 303]
    dispute = api.get(f"/v1{case}")
    assert (dispute["version"], dispute["corrections"]) == (3, [])


def decision_form(visitor: Visitor, case: str, decision: str) -> dict[str, str]:
    """Return the form of a decision without changed cards, as the page sends it."""
    form = {**fields_of(visitor.show(case)), "decision": decision, "reason": "the video shows it"}
    form.pop("irregular", None)
    return form


def test_comments_are_added_to_the_version_that_was_read(visitor: Visitor, api: Api, case: str) -> None:
    typed = "which camera?\nthe left\tone"
    assert visitor.submit(case, "/comment", {"comment": typed}).status_code == 303
    assert api.get(f"/v1{case}")["history"][-1]["words"] == "which camera? the left one"
    form = {"csrf": csrf_of(visitor.show(case)), "version": "1", "comment": "late"}
    response = visitor.send(f"{case}/comment", form)
    assert response.status_code == 409
    [area] = parse(response).iter("textarea")
    assert area.text == "late"


@pytest.mark.parametrize("is_reviewed", [False, True])
def test_a_dispute_is_withdrawn(visitor: Visitor, api: Api, round_id: str, is_reviewed: bool) -> None:
    dispute_id = opened(api, round_id)
    path = f"/disputes/{dispute_id}"
    if is_reviewed:
        step(api, dispute_id, "review")
    form = {name: value for name, value in fields_of(visitor.show(path)).items() if name in ("csrf", "version")}
    step(api, dispute_id, "comments", comment="wait")
    late = visitor.send(f"{path}/withdraw", {**form, "withdrawal": "ann was wrong"})
    assert late.status_code == 409
    assert fields_of(parse(late))["withdrawal"] == "ann was wrong"
    response = visitor.submit(path, "/withdraw", {"withdrawal": "ann was wrong"})
    assert response.status_code == 303
    assert api.get(f"/v1{path}")["state"] == "withdrawn"
    shown = part(visitor.show(path), "result")
    assert "Withdrawn By first" in shown
    assert "ann was wrong" in shown


def test_hostile_forms_change_nothing(visitor: Visitor, api: Api, house: House, case: str) -> None:
    csrf = csrf_of(visitor.show(case))
    before = house.count_records()
    forms: list[dict[str, Any]] = [
        {"decision": "uphold"},
        {"decision": "uphold", "reason": "x", "version": "2; DROP TABLE disputes"},
        {"decision": "reject", "reason": "x" * 2000, "version": "2"},
        {"decision": "reject", "reason": "\u202e", "version": "2"},
        {"decision": "uphold", "reason": "x", "version": "2", "round_version": "-1", **MISREAD},
        {"decision": "uphold", "reason": "x", "version": "2", **MISREAD},
        {"decision": "uphold", "reason": "x", "version": "2", "cards.2.1.top": "A" * 10_000},
    ]
    for form in forms:
        assert visitor.send(f"{case}/decide", {"csrf": csrf, **form}).status_code == 422, form
    old = {"csrf": csrf, "decision": "uphold", "reason": "x", "version": "x", "round_version": "1", **MISREAD}
    assert visitor.send(f"{case}/decide", old).status_code == 409
    assert visitor.send(f"{case}/decide", {"decision": "reject", "reason": "x", "version": "2"}).status_code == 403
    assert visitor.send(f"{case}/decide", {"csrf": csrf, "show": "99999999999", "hand": "x"}).status_code == 200
    assert house.count_records() == before
    assert api.get(f"/v1{case}")["state"] == "under_review"


def test_without_the_scopes_nothing_can_be_decided(house: House, api: Api, case: str, round_id: str) -> None:
    reader = Visitor.signed_in(house, reader_of(house, api, "read"))
    document = reader.show(case)
    assert [each.attrib["action"] for each in document.iter("form")] == ["/console/sign-out", "/console/search"]
    csrf = csrf_of(document)
    for action in ("decide", "comment", "review", "withdraw"):
        assert reader.send(f"{case}/{action}", {"csrf": csrf}).status_code == 403
    auditor = Visitor.signed_in(house, reader_of(house, api, "read", "disputes"))
    assert "This key cannot correct the round" in text_of(auditor.show(case))
    refused = decide(auditor, case, "uphold", reason="misread", **MISREAD)
    assert refused.status_code == 403
    assert "'correct'" in text_of(parse(refused))
    make = reader_of(house, api, "read", "disputes", "correct")
    assert decide(Visitor.signed_in(house, make), case, "uphold", reason="misread", **MISREAD).status_code == 303
    assert settlement_of(api, round_id)["revision"] == 2


def test_a_final_settlement_needs_the_scope_for_it(house: House, api: Api, round_id: str) -> None:
    make_final(api, round_id)
    dispute_id = opened(api, round_id, hand=2)
    step(api, dispute_id, "review")
    case = f"/disputes/{dispute_id}"
    narrow = Visitor.signed_in(house, reader_of(house, api, "read", "disputes", "correct"))
    assert "correct-final" in text_of(narrow.show(case))
    form = {**fields_of(narrow.show(case)), "decision": "uphold", "reason": "misread", **MISREAD}
    refused = narrow.send(f"{case}/decide", form)
    assert refused.status_code == 403
    assert settlement_of(api, round_id)["revision"] == 1
    assert api.get(f"/v1{case}")["state"] == "under_review"


def test_cases_of_another_club_are_not_found(house: House, case: str) -> None:
    other = Visitor.signed_in(house, house.new_client())
    assert other.get(case).status_code == 404
    csrf = csrf_of(other.show("/"))
    for action in ("decide", "comment", "review", "withdraw"):
        form = {"csrf": csrf, "version": "1", "decision": "reject", "reason": "x", "comment": "x"}
        assert other.send(f"{case}/{action}", form).status_code == 404


def test_the_number_of_statements_does_not_depend_on_hands_and_comments(visitor: Visitor, api: Api, case: str) -> None:
    counts = []
    for _ in range(2):
        with recorded_statements() as statements:
            visitor.show(case)
        counts.append(len(statements))
        for number in range(5):
            step(api, case.rpartition("/")[2], "comments", comment=f"comment {number}")
    assert counts[0] == counts[1]
    assert len(hands_of(api, api.get(f"/v1{case}")["round"])) == 3


def test_the_addresses_of_its_forms_lead_to_the_page_of_a_dispute(visitor: Visitor, case: str) -> None:
    assert decide(visitor, case, "preview", **FOUL).status_code == 200, "a page at the address of the form"
    for step_ in ("decide", "review", "comment", "withdraw"):
        opened_again = visitor.get(f"{case}/{step_}")
        assert (opened_again.status_code, opened_again.headers["Location"]) == (303, f"/console{case}")
    assert visitor.get(f"{case}/other").status_code == 404
