"""Events of the audit trail as sentences."""

import re
from uuid import UUID

import pytest

from evidence.events import PAYLOADS, EventPayload
from service.console.views.trail.names import TrailNames
from service.console.views.trail.phrases import phrase
from tests.evidence.example_events import EXAMPLES
from tests.service.console.test_signing_in import signed_in_with
from tests.service.feed.test_api_feed import join
from tests.support.api_client import Api
from tests.support.api_disputes import CLAIM, opened, step
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, text_of
from tests.support.full_club import live
from tests.support.sample_rounds import complete_round


def test_every_kind_of_event_has_a_phrase() -> None:
    without = [kind for kind, payload in PAYLOADS.items() if phrase.dispatch(payload) is phrase.dispatch(EventPayload)]
    assert without == []


@pytest.mark.parametrize("payload", EXAMPLES, ids=lambda payload: type(payload).__name__)
def test_a_phrase_needs_no_names(payload: EventPayload) -> None:
    text = phrase(payload, TrailNames())
    assert text == " ".join(text.split())
    assert re.match(r"[a-z]+ ", text)
    assert not re.search(r"None|UUID|[a-z]_[a-z]{1,6}\b|\{", text)


def sentences_of(visitor: Visitor) -> list[str]:
    """Return the sentences of the audit trail, the oldest first."""
    return [row["sentence"] for row in reversed(read_files(visitor, "/audit"))]


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def test_sentences_name_the_author_and_the_hand_of_a_dispute(visitor: Visitor, house: House, api: Api) -> None:
    round_id = complete_round(api, name="quick")
    dispute = opened(api, round_id, hand=1, by="bob")
    step(api, dispute, "review")
    step(api, dispute, "comments", comment="which card?")
    step(api, dispute, "resolve", state="rejected", reason="the camera shows it")
    join(house, api)
    assert sentences_of(visitor)[-8:] == [
        "first opened a round at quick with ann, bob and cyd",
        *(f"first recorded hand {number} at quick" for number in (1, 2, 3)),
        "first opened bob's dispute of hand 1 at quick",
        "first started the review of bob's dispute of hand 1 at quick",
        "first commented on bob's dispute of hand 1 at quick",
        "first rejected bob's dispute of hand 1 at quick",
    ]
    assert "first rejected bob's dispute of hand 1 at quick. dispute.resolved" in text_of(visitor.show("/audit"))


def test_display_names_are_shown_and_isolated_from_the_text(visitor: Visitor, house: House, api: Api) -> None:
    round_id = complete_round(api, name="quick")
    assert api.put("/v1/players/bob", {"display_name": "بوب"}).status in (200, 201)
    opened(api, round_id, claim=CLAIM, by="bob")
    join(house, api)
    assert "first opened بوب's dispute of the round at quick" in sentences_of(visitor)
    assert "<bdi>بوب</bdi>&#39;s dispute of the round at <bdi>quick</bdi>" in visitor.get("/audit").text


def test_other_keys_read_what_happened_and_not_who_did_it(house: House, api: Api) -> None:
    complete_round(api, name="quick")
    join(house, api)
    reader = signed_in_with(house, api, "read")
    assert "Somebody recorded hand 3 at quick" in sentences_of(reader)
    assert "first" not in " ".join(sentences_of(reader))


def test_everything_that_can_happen_in_a_club_is_a_sentence(house: House, api: Api) -> None:
    live(house, api)
    step(api, opened(api), "withdraw")
    join(house, api)
    rows = read_files(Visitor.signed_in(house, api), "/audit")
    assert {row["kind"] for row in rows} == {*PAYLOADS}
    # The name of the club has an ID.
    sentences = {row["sentence"] for row in rows if row["kind"] != "club.created"}
    unnamed = re.compile(r"None|\ba (?:table|dispute|record|key|hand)\b|seat \d|another key|a player paid|of a change")
    assert [each for each in sentences if unnamed.search(each)] == []
    assert [each for each in sentences if _has_id(each)] == []


def _has_id(sentence: str) -> bool:
    return any(len(word) == 36 and word.count("-") == 4 and UUID(word) for word in re.split(r"[ ,;]", sentence))
