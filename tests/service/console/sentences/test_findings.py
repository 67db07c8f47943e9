"""Findings of the last verification: the bar on every page, the list, the marks on rounds, and acknowledging them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from service.verification.queries.findings import MOST_STORED, StoredFinding
from service.verification.queries.results import VerificationResult, store
from tests.service.console.test_signing_in import signed_in_with
from tests.service.feed.test_api_feed import join
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.import_lines import club_of
from tests.support.race import at_once
from tests.support.sample_rounds import complete_round
from tests.support.server_process import wait_until

ENDED = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
PAGES = ("/", "/rounds", "/tables", "/audit", "/money", "/keys")


def finding(number: int, round_id: UUID | None = None) -> StoredFinding:
    digest = sha256(str(number).encode()).digest()
    sentence = f"ann's points of hand {number} are 7; the cards say 6. It was changed without the service."
    return StoredFinding(digest, "figure-differs", f"hand_scores number={number}: points", sentence, round_id, number)


def verified(
    house: House, api: Api, findings: Sequence[StoredFinding], ended_at: datetime = ENDED, count: int | None = None
) -> None:
    """Store the result of a verification, as `ofc-server verify --store-result` does."""
    with house.owner.transaction(club_of(house, api)) as transaction:
        result = VerificationResult(ended_at, 10, len(findings) if count is None else count, is_complete=True)
        store(transaction, result, findings)


def bar_of(visitor: Visitor, path: str) -> str | None:
    """Return the text of the bar of a page; None without one."""
    bars = [each for each in visitor.show(path).iter("aside") if each.attrib.get("class") == "findings-bar"]
    return " ".join("".join(bars[0].itertext()).split()) if bars else None


def form_of(visitor: Visitor, path: str = "/findings") -> dict[str, str]:
    """Return the fields of the form that acknowledges findings."""
    [form] = [each for each in visitor.show(path).iter("form") if each.attrib["action"].endswith("/acknowledge")]
    return {each.attrib["name"]: each.attrib["value"] for each in form.iter("input")}


def buttons_of(visitor: Visitor, path: str) -> str:
    """Return the texts of the buttons of a page."""
    return " ".join("".join(each.itertext()) for each in visitor.show(path).iter("button"))


def acknowledge(visitor: Visitor, verified_at: datetime = ENDED) -> int:
    fields = {"verified_at": verified_at.isoformat()}
    return visitor.submit("/findings", "/findings/acknowledge", fields).status_code


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def test_every_page_has_a_bar_until_a_verification_without_findings(visitor: Visitor, house: House, api: Api) -> None:
    assert [bar_of(visitor, path) for path in PAGES] == [None] * len(PAGES)
    verified(house, api, [finding(1), finding(2)])
    for path in PAGES:
        assert str(bar_of(visitor, path)).startswith("2 findings of the last verification"), path
    verified(house, api, [])
    assert bar_of(visitor, "/") is None


def test_acknowledged_findings_have_no_bar_and_stay_in_the_list(visitor: Visitor, house: House, api: Api) -> None:
    verified(house, api, [finding(1), finding(2)])
    assert acknowledge(visitor) == 303
    assert bar_of(visitor, "/") is None
    rows = read_files(visitor, "/findings")
    assert [(row["sentence"], row["acknowledged_by"]) for row in rows] == [
        (finding(number).sentence, "first") for number in (1, 2)
    ]
    assert all(row["acknowledged_at"] for row in rows)
    verified(house, api, [finding(2), finding(3)], ENDED + timedelta(days=1))
    assert str(bar_of(visitor, "/")).startswith("1 finding of the last verification")
    assert [row["hand"] for row in read_files(visitor, "/findings?state=new")] == [3]


def test_the_findings_of_the_filter_are_acknowledged(visitor: Visitor, house: House, api: Api) -> None:
    changed, other = (UUID(complete_round(api, name=name)) for name in ("quick", "attic"))
    verified(house, api, [finding(1, changed), finding(2, other), finding(3, changed), finding(4)])
    path = f"/findings?round={changed}"
    form = form_of(visitor, path)
    assert "Acknowledge the 2 findings of this round" in text_of(visitor.show(path))
    response = visitor.send("/findings/acknowledge", form)
    assert (response.status_code, response.location) == (303, f"/console{path}")
    assert [row["hand"] for row in read_files(visitor, "/findings?state=new")] == [2, 4]
    assert "Acknowledge" not in buttons_of(visitor, path), "nothing of the round is left"
    assert "Acknowledge the finding of this round" in buttons_of(visitor, f"/findings?round={other}&state=new")
    assert "Acknowledge all findings" in buttons_of(visitor, "/findings?state=new")
    join(house, api)
    [row] = read_files(visitor, "/audit?kind=findings.acknowledged")
    assert row["content"]["findings"] == sorted(finding(number).digest.hex() for number in (1, 3))
    assert visitor.send("/findings/acknowledge", form | {"round": "quick"}).status_code == 422


def test_the_audit_trail_has_who_acknowledged_how_many(visitor: Visitor, house: House, api: Api) -> None:
    verified(house, api, [finding(1), finding(2)])
    acknowledge(visitor)
    join(house, api)
    rows = read_files(visitor, "/audit?kind=findings.acknowledged")
    assert [row["sentence"] for row in rows] == ["first acknowledged 2 findings of a verification"]
    assert rows[0]["content"]["findings"] == sorted(finding(number).digest.hex() for number in (1, 2))


def test_findings_that_nobody_has_read_are_not_acknowledged(visitor: Visitor, house: House, api: Api) -> None:
    verified(house, api, [finding(1)])
    verified(house, api, [finding(2)], ENDED + timedelta(days=1))
    response = visitor.submit("/findings", "/findings/acknowledge", {"verified_at": ENDED.isoformat()})
    assert response.status_code == 409
    assert "Another verification has ended meanwhile; read its findings." in text_of(parse(response))
    assert str(bar_of(visitor, "/")).startswith("1 finding")


def test_findings_that_are_stored_meanwhile_are_not_acknowledged(visitor: Visitor, house: House, api: Api) -> None:
    verified(house, api, [finding(1)])
    form = form_of(visitor)
    waiting = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"
        " AND query LIKE '%%hashtextextended%%'"
    )
    with ThreadPoolExecutor(1) as threads:
        with house.owner.transaction(club_of(house, api)) as transaction:
            result = VerificationResult(ENDED + timedelta(days=1), 10, 1, is_complete=True)
            store(transaction, result, [finding(2)])
            response = threads.submit(visitor.send, "/findings/acknowledge", form)
            assert wait_until(lambda: house.query(waiting) == [(1,)])
        assert response.result().status_code == 409
    assert [row["hand"] for row in read_files(visitor, "/findings?state=new")] == [2]


@pytest.mark.parametrize("fields", [{"verified_at": ""}, {"verified_at": "yesterday"}], ids=str)
def test_nothing_is_acknowledged_without_the_time_of_a_verification(
    visitor: Visitor, house: House, api: Api, fields: dict[str, str]
) -> None:
    verified(house, api, [finding(1)])
    response = visitor.submit("/findings", "/findings/acknowledge", fields)
    assert response.status_code == 422
    assert str(bar_of(visitor, "/")).startswith("1 finding")


def test_two_who_acknowledge_at_once_make_one_event(house: House, api: Api) -> None:
    verified(house, api, [finding(number) for number in range(20)])
    visitors = [Visitor.signed_in(house, api) for _ in range(2)]
    forms = [form_of(each) for each in visitors]

    def send(place: int) -> int:
        return visitors[place].send("/findings/acknowledge", forms[place]).status_code

    assert at_once(lambda: send(0), lambda: send(1)) == [303, 303]
    assert send(0) == 303, "sent again, nothing changes"
    join(house, api)
    [row] = read_files(visitors[0], "/audit?kind=findings.acknowledged")
    assert len(row["content"]["findings"]) == 20


def test_findings_that_are_not_listed_keep_the_bar(visitor: Visitor, house: House, api: Api) -> None:
    verified(house, api, [finding(1)], count=MOST_STORED + 5)
    acknowledge(visitor)
    assert str(bar_of(visitor, "/findings")).startswith("1,004 findings")


def test_rounds_with_findings_are_marked(visitor: Visitor, house: House, api: Api) -> None:
    changed, other = complete_round(api, name="quick"), complete_round(api, name="attic")
    verified(house, api, [finding(2, UUID(changed)), finding(3, UUID(changed))])
    rows = {row["round"]: row["findings"] for row in read_files(visitor, "/rounds")}
    assert rows == {changed: 2, other: 0}
    assert "2 findings" in text_of(visitor.show("/rounds?table=quick")).partition("Opened")[2]
    page = text_of(visitor.show(f"/rounds/{changed}"))
    assert "The last verification has 2 findings in this round" in page
    assert f"{finding(2).sentence} figure-differs: hand_scores number=2: points" in page
    assert "findings in this round" not in text_of(visitor.show(f"/rounds/{other}"))
    assert [row["hand"] for row in read_files(visitor, f"/findings?round={changed}")] == [2, 3]


def test_a_finding_of_a_round_that_is_missing_has_no_link(visitor: Visitor, house: House, api: Api) -> None:
    played, missing = complete_round(api), uuid7()
    verified(house, api, [finding(1, UUID(played)), finding(2, missing), finding(3)])
    page = visitor.show("/findings")
    links = [each.attrib["href"] for each in page.iter("a") if "Open the round" in "".join(each.itertext())]
    assert links == [f"/console/rounds/{played}"]
    assert "Missing" in text_of(page)
    assert [row["hand"] for row in read_files(visitor, f"/findings?round={missing}")] == [2]


def test_other_keys_see_the_bar_and_the_mark_only(house: House, api: Api) -> None:
    round_id = complete_round(api)
    verified(house, api, [finding(2, UUID(round_id))])
    reader = signed_in_with(house, api, "read")
    assert str(bar_of(reader, "/")).endswith("Keys with the scope audit see what was found.")
    page = text_of(reader.show(f"/rounds/{round_id}"))
    assert "1 finding in this round" in page
    assert finding(2).sentence not in page
    assert reader.get("/findings").status_code == 403


def test_another_club_sees_nothing(house: House, api: Api, other_api: Api) -> None:
    verified(house, api, [finding(1)])
    visitor = Visitor.signed_in(house, other_api)
    assert bar_of(visitor, "/") is None
    assert read_files(visitor, "/findings") == []
