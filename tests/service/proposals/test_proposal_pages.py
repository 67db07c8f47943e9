"""Proposals in the console: Home, the page of each, and where corrections, decisions and audits are proposed."""

from xml.etree.ElementTree import Element

import pytest

from tests.service.console.test_dispute import FOUL, MISREAD, part
from tests.service.console.test_disputes import reader_of
from tests.service.console.test_home import section
from tests.service.console.test_jobs import OTHER_RULES, started, work_on
from tests.support.api_client import Api
from tests.support.api_disputes import opened, step
from tests.support.application import House
from tests.support.auditors import auditor, confirm, final_round, proposed, require_second_auditor
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.check_club import check_everywhere
from tests.support.sample_rounds import complete_round, correct_round, settlement_of

BY_SECOND = "take effect when somebody confirms them with another key"


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.fixture
def second(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, auditor(house, api))


@pytest.fixture
def round_id(house: House, api: Api) -> str:
    return final_round(house, api, name="friday", point_value=20, unit="EUR")


@pytest.fixture
def case(api: Api, round_id: str) -> str:
    """The path of a dispute in review about the top row of seat 1 in hand 2."""
    dispute_id = opened(api, round_id, hand=2, seat=1, row="top", by="bob")
    assert step(api, dispute_id, "review").status == 201
    return f"/disputes/{dispute_id}"


def actions_of(document: Element) -> set[str]:
    """Return the last parts of the addresses of the forms of a page."""
    return {each.attrib["action"].rpartition("/")[2] for each in document.iter("form")}


def page_of(path: str) -> str:
    return path.removeprefix("/v1")


@pytest.mark.smoke
def test_a_correction_is_proposed_by_one_auditor_and_confirmed_by_another(
    visitor: Visitor, second: Visitor, api: Api, house: House, round_id: str
) -> None:
    page = f"/rounds/{round_id}/correction?hand=2"
    text = text_of(visitor.show(page))
    assert "A second auditor confirms what changes this round" in text
    assert "Propose the correction" in text
    sent = visitor.submit(page, "/correction", {"decision": "correct", "reason": "misread", **FOUL})
    assert sent.status_code == 303, sent.text
    address = sent.location.removeprefix("/console")
    assert settlement_of(api, round_id)["revision"] == 1
    own = visitor.show(address)
    assert "You cannot confirm this: the key 'first' has proposed it" in text_of(own)
    assert {"confirm", "withdraw"} & actions_of(own) == {"withdraw"}

    text, links = section(second.show("/"), "Proposals for a second auditor")
    assert (
        "Proposals for a second auditor 1 friday: correct a round proposed 0 min ago with the key first: misread"
        in text
    )
    assert links[0] == f"/console{address}"
    for each in (address, f"/rounds/{round_id}", page):
        shown = part(second.show(each), "proposal")
        assert "Waiting" in shown
        assert "+€" in shown, "the preview shows what changes for whom"
        assert "Confirm as second auditor" in shown
    assert second.submit(address, "/confirm", {}).location == f"/console/rounds/{round_id}/revisions"
    assert settlement_of(api, round_id)["revision"] == 2
    assert "Confirmed with the key second" in text_of(visitor.show(address))
    assert actions_of(second.show(address)).isdisjoint({"confirm", "withdraw"})
    assert "Proposals for a second auditor" not in text_of(visitor.show("/"))
    check_everywhere(house, api)


def test_a_decision_with_a_correction_is_proposed_and_the_dispute_upheld_with_it(
    visitor: Visitor, second: Visitor, api: Api, house: House, case: str
) -> None:
    assert BY_SECOND in text_of(visitor.show(case))
    sent = visitor.submit(case, "/decide", {"decision": "uphold", "reason": "the video shows it", **MISREAD})
    assert sent.location.endswith(f"{case}#proposal")
    assert api.get(f"/v1{case}")["state"] == "under_review"
    shown = part(second.show(case), "proposal")
    assert "A correction waits for a second auditor" in shown
    assert "The dispute is upheld with it." in shown
    assert "friday: uphold a dispute" in section(second.show("/"), "Proposals for a second auditor")[0]
    assert second.submit(case, "/confirm", {}).location.endswith(f"{case}#result")
    assert api.get(f"/v1{case}")["state"] == "upheld"
    check_everywhere(house, api)


def test_a_decision_without_a_correction_needs_no_second_auditor(visitor: Visitor, api: Api, case: str) -> None:
    assert visitor.submit(case, "/decide", {"decision": "reject", "reason": "the video shows it"}).status_code == 303
    assert api.get(f"/v1{case}")["state"] == "rejected"


def test_a_proposal_is_refused_with_a_reason(visitor: Visitor, second: Visitor, api: Api, round_id: str) -> None:
    page = page_of(proposed(api, round_id))
    assert "Refuse it" in text_of(second.show(page))
    assert "Withdraw it" in text_of(visitor.show(page))
    assert second.submit(page, "/withdraw", {"proposal_reason": ""}).status_code == 422
    assert second.submit(page, "/withdraw", {"proposal_reason": "no video"}).location == f"/console{page}"
    assert "Withdrawn with the key second" in (text := text_of(visitor.show(page)))
    assert "no video" in text
    assert api.get(f"/v1{page}")["state"] == "withdrawn"


def test_a_round_that_has_changed_is_shown_and_not_confirmed(
    second: Visitor, api: Api, house: House, round_id: str
) -> None:
    page = page_of(proposed(api, round_id))
    form = second.show(page)
    require_second_auditor(house, api, is_required=False)
    patch = [{"op": "replace", "path": "/seats/0/player", "value": "dan"}]
    assert correct_round(api, round_id, {"reason": "it was dan", "patch": patch}).status == 201
    require_second_auditor(house, api)
    [hidden] = [
        each.attrib["value"]
        for element in form.iter("form")
        if element.attrib["action"].endswith("/confirm")
        for each in element.iter("input")
    ]
    response = second.send(f"{page}/confirm", {"csrf": hidden})
    assert response.status_code == 409
    text = text_of(parse(response))
    assert "revision 2 was made by first: it was dan" in text
    assert "The round has changed since revision 1, for which this was proposed." in text
    # A browser that loads the address of the refused form again is at the page of the proposal.
    assert second.get(f"{page}/confirm").location == f"/console{page}"


def test_who_may_not_confirm_reads_why(visitor: Visitor, api: Api, house: House, round_id: str) -> None:
    page = page_of(proposed(api, round_id))
    ann = Visitor.signed_in(house, auditor(house, api, "ann-phone", player="ann"))
    reader = Visitor.signed_in(house, reader_of(house, api, "read"))
    for shown, sentence in (
        (ann.show(page), "the key 'ann-phone' is that of the player 'ann', who sat in round"),
        (reader.show(page), "lacks the scope 'correct-final'"),
    ):
        assert sentence in text_of(shown)
        assert actions_of(shown).isdisjoint({"confirm", "withdraw"})


def test_a_player_sees_no_decision_of_their_own_round(api: Api, house: House, case: str) -> None:
    ann = Visitor.signed_in(house, auditor(house, api, "ann-phone", player="ann"))
    document = ann.show(case)
    assert "This key is that of ann, who sat in the round. Nobody decides a dispute" in text_of(document)
    assert {"decide", "review", "withdraw", "comment"} & actions_of(document) == {"comment"}
    bob = Visitor.signed_in(house, auditor(house, api, "bob-phone", player="bob"))
    assert {"decide", "withdraw", "comment"} & actions_of(bob.show(case)) == {"withdraw", "comment"}
    dan = Visitor.signed_in(house, auditor(house, api, "dan-phone", player="dan"))
    assert {"decide", "withdraw", "comment"} <= actions_of(dan.show(case))


def test_an_audit_is_proposed_and_applied(
    visitor: Visitor, second: Visitor, api: Api, house: House, round_id: str
) -> None:
    page = started(visitor, ruleset=OTHER_RULES, reason="what if")
    work_on(house, api, page)
    assert "A second auditor confirms this" in text_of(visitor.show(page))
    sent = visitor.submit(page, "/apply", {"reason": "agreed", "final": "yes"})
    address = sent.location.removeprefix("/console")
    assert address.startswith("/proposals/")
    assert "Apply an audit" in section(second.show("/"), "Proposals for a second auditor")[0]
    assert "It was proposed to apply this audit with its final rounds" in text_of(second.show(page))
    applied = second.submit(address, "/confirm", {}).location.removeprefix("/console")
    work_on(house, api, applied)
    assert settlement_of(api, round_id)["revision"] == 2


def test_home_shows_proposals_of_a_club_that_requires_no_second_auditor(
    visitor: Visitor, api: Api, house: House
) -> None:
    assert "Proposals for a second auditor" not in text_of(visitor.show("/"))
    path = proposed(api, complete_round(api, name="friday"))
    assert section(visitor.show("/"), "Proposals for a second auditor")[1][0] == f"/console{page_of(path)}"
    assert confirm(auditor(house, api), path).status == 201
    assert "Proposals for a second auditor" not in text_of(visitor.show("/"))
