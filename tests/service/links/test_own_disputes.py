"""The disputes of a player on the page of their link: the decision, the comments, a reply and a withdrawal."""

from xml.etree.ElementTree import Element

import pytest

from tests.service.links.linked_table import issue, issue_to_round
from tests.service.links.test_link_pages import Visitor, parse, text_in
from tests.support.api_client import Api
from tests.support.api_disputes import opened, step
from tests.support.application import House
from tests.support.auditors import auditor
from tests.support.check_club import check_everywhere
from tests.support.sample_rounds import complete_round

REPLY = "it was on the left camera"


@pytest.fixture
def round_id(api: Api) -> str:
    return complete_round(api)


@pytest.fixture
def table(api: Api, round_id: str) -> str:
    return str(api.get(f"/v1/rounds/{round_id}")["table"])


@pytest.fixture
def bob(house: House, api: Api, table: str) -> Visitor:
    return Visitor(house, issue(api, table, kind="player", player="bob"))


@pytest.fixture
def dispute(api: Api, round_id: str) -> str:
    return opened(api, round_id, by="bob", hand=2, claim="ann fouled")


def show(visitor: Visitor, round_id: str) -> Element:
    return parse(visitor.get(f"/rounds/{round_id}"))


def section(page: Element, dispute: str) -> str:
    """Return the text of the part of the page about a dispute."""
    [element] = [each for each in page.iter("section") if each.attrib.get("id") == f"dispute-{dispute}"]
    return " ".join("".join(element.itertext()).split())


def forms_of(page: Element) -> list[dict[str, str]]:
    """Return the forms about disputes as a browser sends them, without what is typed."""
    buttons = ("comment", "withdraw")
    return [
        {
            each.attrib["name"]: each.attrib.get("value", "")
            for tag in ("input", "button")
            for each in form.iter(tag)
            if "name" in each.attrib
        }
        for form in page.iter("form")
        if {each.attrib.get("value") for each in form.iter("button")} & {*buttons}
    ]


def send(visitor: Visitor, round_id: str, action: str, **typed: str) -> str:
    """Send the form of a page, and return the page that follows."""
    [form] = [each for each in forms_of(show(visitor, round_id)) if each["action"] == action]
    response = visitor.send(round_id, form | typed)
    assert response.status_code == 303, response.text
    assert response.location.endswith(f"/rounds/{round_id}#dispute-{form['dispute']}")
    return section(show(visitor, round_id), form["dispute"])


@pytest.mark.smoke
def test_a_player_replies_to_a_comment_and_withdraws(
    api: Api, house: House, bob: Visitor, round_id: str, dispute: str
) -> None:
    step(api, dispute, "review")
    step(api, dispute, "comments", comment="which camera?", by="first")
    shown = section(show(bob, round_id), dispute)
    assert "You dispute hand 2: ann fouled (under review)" in shown
    assert "Comment by first" in shown
    assert "which camera?" in shown
    shown = send(bob, round_id, "comment", comment=f" {REPLY} ")
    assert shown.index("which camera?") < shown.index("Comment by bob") < shown.index(REPLY)
    entry = api.get(f"/v1/disputes/{dispute}")["history"][-1]
    assert (entry["by"], entry["kind"], entry["words"]) == ("bob", "comment", REPLY)
    shown = send(bob, round_id, "withdraw", reason="I saw the video")
    assert "Withdrawn by bob" in shown
    assert "I saw the video" in shown
    assert forms_of(show(bob, round_id)) == []
    assert api.get(f"/v1/disputes/{dispute}")["state"] == "withdrawn"
    check_everywhere(house, api)


def test_a_dispute_is_withdrawn_without_a_reason(api: Api, bob: Visitor, round_id: str, dispute: str) -> None:
    assert "Withdrawn by bob" in send(bob, round_id, "withdraw")
    assert api.get(f"/v1/disputes/{dispute}")["history"][-1]["words"] is None


def test_the_decision_is_shown_first(api: Api, bob: Visitor, round_id: str, dispute: str) -> None:
    step(api, dispute, "review")
    step(api, dispute, "comments", comment="which camera?", by="first")
    step(api, dispute, "resolve", state="rejected", reason="she did not")
    shown = section(show(bob, round_id), dispute)
    assert shown.index("Rejected by first") < shown.index("Review started by first") < shown.index("which camera?")
    assert shown.count("she did not") == 1
    assert forms_of(show(bob, round_id)) == []


@pytest.mark.parametrize("action", ["comment", "withdraw"])
def test_the_same_form_sent_twice_is_stored_once(
    api: Api, bob: Visitor, round_id: str, dispute: str, action: str
) -> None:
    [form] = [each for each in forms_of(show(bob, round_id)) if each["action"] == action]
    form |= {"comment": REPLY} if action == "comment" else {}
    assert {bob.send(round_id, form).status_code for _ in range(2)} == {303}
    assert len(api.get(f"/v1/disputes/{dispute}")["history"]) == 1


def test_what_is_refused_is_explained_beside_the_form(api: Api, bob: Visitor, round_id: str, dispute: str) -> None:
    [reply, withdrawal] = forms_of(show(bob, round_id))
    refused = bob.send(round_id, reply | {"comment": "x" * 1001})
    assert refused.status_code == 422
    page = parse(refused)
    assert "1000" in section(page, dispute)
    assert [each["comment"] for each in forms_of(page) if "comment" in each] == ["x" * 1001], "what was typed is there"
    step(api, dispute, "review")
    changed = bob.send(round_id, withdrawal)
    assert changed.status_code == 409
    assert "The dispute has changed since this page was opened." in section(parse(changed), dispute)
    step(api, dispute, "resolve", state="rejected", reason="she did not")
    ended = bob.send(round_id, reply | {"comment": REPLY})
    assert ended.status_code == 409
    assert "has ended" in section(parse(ended), dispute)
    assert [each["kind"] for each in api.get(f"/v1/disputes/{dispute}")["history"]] == ["under_review", "rejected"]


def test_a_players_link_is_only_for_their_own_disputes(
    api: Api, house: House, bob: Visitor, table: str, round_id: str, dispute: str
) -> None:
    """Neither those of other players of the round, nor their own of a table or round that the link does not show."""
    of_ann = opened(api, round_id, by="ann", claim="nobody fouled")
    elsewhere = complete_round(api, name="attic")
    at_attic = opened(api, elsewhere, by="bob", claim="cyd fouled")
    other_round = issue_to_round(api, elsewhere, kind="player", player="bob")
    ann = Visitor(house, issue(api, table, kind="player", player="ann"))
    viewer = Visitor(house, issue(api, table))
    shown = text_in(show(bob, round_id))
    assert "ann fouled" in shown
    assert "nobody fouled" not in shown
    assert "ann fouled" not in text_in(show(ann, round_id))
    assert forms_of(show(viewer, round_id)) == []
    before = house.count_records()
    for visitor, at, which in (
        (bob, round_id, of_ann),
        (bob, round_id, at_attic),
        (bob, elsewhere, at_attic),
        (ann, round_id, dispute),
        (viewer, round_id, dispute),
        (Visitor(house, other_round), round_id, dispute),
        (Visitor(house, other_round), elsewhere, dispute),
        (bob, round_id, ""),
        (bob, round_id, "x"),
    ):
        for form in (
            {"action": "comment", "dispute": which, "comment": REPLY},
            {"action": "withdraw", "dispute": which, "version": "1"},
        ):
            assert visitor.send(at, form).status_code == 404, (at, form)
    assert house.count_records() == before
    form = {"action": "comment", "dispute": at_attic, "comment": REPLY}
    assert Visitor(house, other_round).send(elsewhere, form).status_code == 303
    assert api.get(f"/v1/disputes/{at_attic}")["history"][0]["words"] == REPLY


def test_a_link_that_may_not_dispute_only_shows_them(api: Api, house: House, table: str, round_id: str) -> None:
    """A player's link that a key without the scope of disputes has issued only reads."""
    writer = auditor(house, api, "writer", scopes=("read", "write"))
    dispute = opened(api, round_id, by="bob", claim="ann fouled")
    visitor = Visitor(house, issue(writer, table, kind="player", player="bob"))
    assert "ann fouled" in section(show(visitor, round_id), dispute)
    assert forms_of(show(visitor, round_id)) == []
    response = visitor.send(round_id, {"action": "comment", "dispute": dispute, "comment": REPLY})
    assert response.status_code == 404
    assert api.get(f"/v1/disputes/{dispute}")["history"] == []


def test_an_ended_link_sends_nothing(api: Api, house: House, table: str, round_id: str, dispute: str) -> None:
    issued = issue(api, table, kind="player", player="bob")
    visitor = Visitor(house, issued)
    [reply, _] = forms_of(show(visitor, round_id))
    assert api.delete(f"/v1/links/{issued['id']}").status == 204
    assert visitor.send(round_id, reply | {"comment": REPLY}).status_code in (404, 410)
    assert api.get(f"/v1/disputes/{dispute}")["history"] == []
