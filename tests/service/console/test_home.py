"""The home page: open rounds, disputes that wait, settlements soon final, jobs, evidence, and what is unusual."""

import re
from datetime import UTC, datetime
from xml.etree.ElementTree import Element

import pytest

from evidence.cosignatures import CosigningKey
from service.verification.queries.results import VerificationResult, store
from tests.service.console.test_disputes import MONEY, reader_of
from tests.service.disputes.test_unusual_rounds import FOULING, finished
from tests.support.api_client import Api
from tests.support.api_disputes import opened, step
from tests.support.application import House
from tests.support.auditors import proposed
from tests.support.browser.console_visitor import Visitor, text_of
from tests.support.database.recorded_statements import recorded_statements
from tests.support.examples.cosignatures import FRIEND, cosignature_of
from tests.support.import_lines import club_of
from tests.support.process_jobs import Club
from tests.support.sample_rounds import (
    COMPLETE,
    THREE,
    complete_round,
    document_of,
    hand,
    play,
    post_document,
    start_round,
)

SHORT = {"correction_window_minutes": 30}
NUMBERS = [
    "/console/rounds?status=open",
    "/console/rounds?state=provisional",
    "/console/disputes?tab=review",
    "/console/jobs",
]
"""Where the numbers of the page lead."""


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def section(document: Element, title: str) -> tuple[str, list[str]]:
    """Return the text of a part of the page and the addresses of its links."""
    [element] = [each for each in document.iter("section") if title in heading_of(each)]
    return " ".join("".join(element.itertext()).split()), [each.attrib["href"] for each in element.iter("a")]


def heading_of(section: Element) -> str:
    """Return the heading of a part of the page, which is its first one."""
    heading = next(each for each in section.iter() if each.tag in ("h2", "h3"))
    return "".join(heading.itertext())


def test_a_new_club_sees_that_nothing_waits(visitor: Visitor) -> None:
    text = text_of(visitor.show("/"))
    for shown in (
        "Nothing waits for a person",
        "0 rounds open",
        "0 final within the hour",
        "0 disputes in review",
        "0 jobs under way",
        "Last checkpointNone yet",
    ):
        assert shown in text


def test_what_needs_a_person_is_in_the_order_of_its_urgency(visitor: Visitor, api: Api) -> None:
    opened(api, complete_round(api, name="friday", point_value=10, unit="EUR"))
    paid = {"payer": "bob", "payee": "ann", "unit": "EUR", "amount": 100, "reference": "claimed"}
    assert api.post("/v1/payment-claims", paid).status == 201
    document = {"opened_at": "2026-01-02T20:00:00Z", "table": "forgotten", "reference": "1"}
    assert post_document(api, document_of(sitting={1: "ann 100", 2: "bob 100"}, **document)).status == 201
    proposed(api, complete_round(api, name="saturday"))
    headings = ["".join(each.itertext()) for each in visitor.show("/").iter("h3")]
    assert headings[:4] == [
        "Disputes to decide 1",
        "Proposals for a second auditor 1",
        "Payments to confirm 1",
        "Rounds left open 1",
    ]
    text, links = section(visitor.show("/"), "Rounds left open")
    assert "forgotten, 1 open for" in text
    assert links[-1] == "/console/rounds?status=open&sort=oldest"
    text, links = section(visitor.show("/"), "Payments to confirm")
    assert "bob to ann, €1.00" in text
    assert set(links) == {"/console/money/claims?state=pending"}


def test_a_club_without_rounds_sees_the_first_steps(house: House, api: Api, visitor: Visitor) -> None:
    text, links = section(visitor.show("/"), "First steps")
    assert "Create a table" in text
    assert links == ["/console/tables/new", "/console/phones/new", "/console/links/new", "/scorekeeper/"]
    reader = Visitor.signed_in(house, reader_of(house, api, "read"))
    text, links = section(reader.show("/"), "First steps")
    assert "Ask a manager for a table" in text
    assert links == ["/scorekeeper/"]


def test_the_next_step_after_the_first_table_is_a_link_to_it(visitor: Visitor, api: Api) -> None:
    created = visitor.submit("/tables/new", "/tables/new", {"name": "friday", "ruleset": "pineapple"})
    text, links = section(visitor.show("/"), "First steps")
    assert "The club has the table friday." in text
    assert links == [created.location, "/console/phones/new", "/console/links/new?table=friday", "/scorekeeper/"]
    start_round(api, name="saturday")
    assert "First steps" not in text_of(visitor.show("/"))


@pytest.mark.smoke
def test_open_rounds_lead_to_their_pages(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api, name="friday")
    play(api, round_id, hand(1, 1, THREE))
    complete_round(api, name="saturday")
    text, links = section(visitor.show("/"), "Open rounds")
    assert "Open rounds friday 1 hand: ann, bob, cyd; open for 0 min" in text
    assert "saturday" not in text
    assert "1 round open" in text_of(visitor.show("/"))
    assert links == [f"/console/rounds/{round_id}", "/console/rounds?status=open"]
    assert text_of(visitor.show("/rounds?status=open")).count("friday") == 1


def test_disputes_that_wait_lead_to_their_cases(visitor: Visitor, api: Api) -> None:
    dispute_id = opened(api, complete_round(api, name="friday", **MONEY), hand=2, seat=1)
    step(api, opened(api, complete_round(api, name="saturday")), "review")
    text, links = section(visitor.show("/"), "Disputes to decide")
    assert "Disputes to decide 1 friday: Hand 2, ann 0 min old, 12 points (€2.40) at stake" in text
    assert links == [f"/console/disputes/{dispute_id}", "/console/disputes"]
    text, links = section(visitor.show("/"), "Now")
    assert "1 dispute in review" in text
    assert links[:4] == NUMBERS


def test_settlements_that_become_final_within_the_hour(visitor: Visitor, api: Api) -> None:
    complete_round(api, name="friday", **SHORT)
    complete_round(api, name="saturday", correction_window_minutes=120)
    text, links = section(visitor.show("/"), "Now")
    assert "1 final within the hour" in text
    assert links[:4] == NUMBERS


def test_unusual_rounds(visitor: Visitor, api: Api) -> None:
    for _ in range(3):
        finished(api, COMPLETE)
    fouled = finished(api, FOULING)
    text, links = section(visitor.show("/"), "Unusual rounds")
    assert "Unusual rounds 1" in text
    assert "2 of ann's 3 boards were foul; usually 0 of 27." in text
    assert "Of the 4 newest rounds" in text
    assert links == [f"/console/rounds/{fouled}"]


def test_jobs_under_way_and_the_last_recomputation(visitor: Visitor, api: Api, house: House) -> None:
    complete_round(api)
    started = api.post("/v1/recomputations", {"mode": "audit", "scope": {}, "reason": "weekly"})
    assert started.status == 202
    text, links = section(visitor.show("/"), "Jobs under way")
    assert "Jobs under way Recomputation queued" in text
    assert links == [f"/console/jobs/{started['id']}"]
    assert "Recomputation" in text_of(visitor.show(f"/jobs/{started['id']}"))
    Club(house, api).work_on(f"/v1/recomputations/{started['id']}")
    document = visitor.show("/")
    assert "0 jobs under way" in text_of(document)
    assert "1 round, 0 that differ" in section(document, "Evidence")[0]


def test_the_last_checkpoint(visitor: Visitor, api: Api) -> None:
    checkpoint = api.post("/v1/checkpoints", None)
    assert checkpoint.status == 201
    text, _ = section(visitor.show("/"), "Evidence")
    assert f"{checkpoint['size']} events" in text
    assert "not signed yet" not in text


def test_the_witnesses_that_have_cosigned(visitor: Visitor, api: Api) -> None:
    """The time is that of the service, whatever the clock of the witness says."""
    assert "Seen by" not in section(visitor.show("/"), "Evidence")[0]
    for table in ("first", "second"):
        start_round(api, name=table)
        checkpoint = api.post("/v1/checkpoints", None)["id"]
        for key in (FRIEND, CosigningKey.make("ann.example/witness") if table == "first" else FRIEND):
            request = cosignature_of(api, checkpoint, key)
            assert api.post(f"/v1/checkpoints/{checkpoint}/cosignatures", request).status == 201
    text, _ = section(visitor.show("/"), "Evidence")
    assert re.search(r"Seen byann.example/witness, \d+ \w+ ago; friend.example/witness, \d+ \w+ ago", text), text


@pytest.mark.parametrize(
    ("findings", "is_complete", "shown"),
    [
        (0, True, "1,234 events, no findings"),
        (0, False, "1,234 events, no findings, but not everything could be verified"),
        (1, True, "1,234 events, 1 finding"),
        (12, False, "1,234 events, 12 findings"),
    ],
)
def test_the_last_verification(
    visitor: Visitor, api: Api, house: House, findings: int, is_complete: bool, shown: str
) -> None:
    assert "Last verificationNone yet" in text_of(visitor.show("/"))
    ended_at = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
    with house.owner.transaction(club_of(house, api)) as transaction:
        store(transaction, VerificationResult(ended_at, 1234, findings, is_complete), [])
    text, _ = section(visitor.show("/"), "Evidence")
    assert f"20 November 2026, 18:30 UTC, {shown} Last" in text
    other = Visitor.signed_in(house, house.new_client())
    assert "Last verificationNone yet" in text_of(other.show("/"))


def test_evidence_needs_its_scope(house: House, api: Api) -> None:
    reader = Visitor.signed_in(house, reader_of(house, api, "read"))
    assert "Evidence" not in text_of(reader.show("/"))


def test_the_number_of_statements_does_not_depend_on_the_number_of_rounds(visitor: Visitor, api: Api) -> None:
    def add(number: int) -> None:
        opened(api, complete_round(api, name=f"disputed {number}"))
        complete_round(api, name=f"soon {number}", **SHORT)
        start_round(api, name=f"open {number}")

    add(0)
    counts = []
    for begin in (1, 5):
        with recorded_statements() as statements:
            visitor.show("/")
        counts.append(len(statements))
        for number in range(begin, begin + 3):
            add(number)
    assert counts[0] == counts[1]


def test_another_club_sees_nothing(house: House, api: Api) -> None:
    opened(api, complete_round(api, name="friday"))
    start_round(api, name="saturday")
    other = Visitor.signed_in(house, house.new_client())
    text = text_of(other.show("/"))
    assert "friday" not in text
    assert "saturday" not in text
