"""The audit trail: filters, pages, files, and what auditors see only."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from service.clubs.actions import create_key, set_up_club
from tests.service.console.test_signing_in import signed_in_with
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.feed.test_api_feed import join
from tests.service.links.linked_table import issue, secret_of
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.sample_rounds import THREE, add_table, complete_round, hand, open_round, play

XSS = "<script>alert(1)</script>"


def kinds_of(visitor: Visitor, query: str) -> list[str]:
    """Return the kinds of the files of a filter, and check that the page shows the same."""
    rows = [row["kind"] for row in read_files(visitor, f"/audit{query}")]
    shown = [each.findtext("th/a") for each in visitor.show(f"/audit{query}").iter("tr") if each.find("td") is not None]
    assert shown == rows[:50]
    return rows


def test_the_newest_event_is_first_with_its_actor_table_and_round(house: House, api: Api) -> None:
    complete_round(api, name="kitchen")
    join(house, api)
    response = Visitor.signed_in(house, api).get("/audit")
    shown = text_of(parse(response))
    for text in (
        "first recorded hand 3 at kitchen. hand.recorded",
        "hand.recorded",
        "round.opened",
        "table.created",
        "key.created",
        "kitchen",
        "first",
        "the service",
    ):
        assert text in shown
    rows = kinds_of(Visitor.signed_in(house, api), "")
    assert rows[0] == "hand.recorded"
    assert rows[-2:] == ["key.created", "club.created"]


def test_the_files_agree_with_the_feed(house: House, api: Api) -> None:
    complete_round(api)
    join(house, api)
    rows = read_files(Visitor.signed_in(house, api), "/audit")
    listed = [json.loads(line) for line in api.get("/v1/events?limit=1000").text.splitlines()]
    for row, event in zip(reversed(rows), listed, strict=True):
        for name in ("position", "id", "at", "kind", "table", "round", "sequence", "actor", "request_id"):
            assert row[name] == event[name], name
        assert row["content"] == event["content"]


def test_filters_by_kind_table_round_and_actor(house: House, api: Api) -> None:
    kitchen = add_table(api, name="kitchen")
    scorekeeper = issue(api, kitchen, kind="scorekeeper", label="Anna's phone")
    phone = Api(house.app, secret_of(scorekeeper))
    round_id = open_round(phone, kitchen)["id"]
    play(phone, round_id, hand(1, 1, THREE))
    complete_round(api, name="attic")
    join(house, api)
    visitor = Visitor.signed_in(house, api)
    [key] = api.get("/v1/keys")["keys"]
    of_kitchen = ["hand.recorded", "round.opened", "link.issued", "table.created"]
    by_phone = ["hand.recorded", "round.opened"]
    assert kinds_of(visitor, "?table=kitchen") == of_kitchen
    assert kinds_of(visitor, f"?round={round_id}") == by_phone
    assert kinds_of(visitor, f"?round={round_id}&table=kitchen&kind=round.opened") == ["round.opened"]
    assert kinds_of(visitor, f"?round={round_id}&table=attic") == []
    assert kinds_of(visitor, "?kind=table.created&actor=") == ["table.created", "table.created"]
    assert kinds_of(visitor, "?actor=Anna's phone") == by_phone
    assert kinds_of(visitor, f"?actor={scorekeeper['id']}") == by_phone
    assert kinds_of(visitor, "?actor=first&table=kitchen") == ["link.issued", "table.created"]
    assert kinds_of(visitor, f"?actor={key['id']}&kind=table.created") == ["table.created", "table.created"]
    assert kinds_of(visitor, "?actor=service") == ["key.created", "club.created"]
    assert kinds_of(visitor, "?actor=nobody") == []
    assert "No event matches" in text_of(visitor.show("/audit?actor=nobody"))


def test_a_period_is_in_days_of_the_club(house: House, api: Api) -> None:
    club = stored_club(house, api)
    set_up_club(house.owner, club.name, time_zone="Pacific/Kiritimati")
    add_table(api)
    join(house, api)
    visitor = Visitor.signed_in(house, api)
    every = kinds_of(visitor, "")
    today = datetime.now(UTC).astimezone(ZoneInfo("Pacific/Kiritimati")).date()
    before, after = today - timedelta(days=1), today + timedelta(days=1)
    assert kinds_of(visitor, f"?from={before}&to={after}") == every
    assert kinds_of(visitor, f"?to={before - timedelta(days=1)}") == []
    assert kinds_of(visitor, f"?from={after + timedelta(days=1)}") == []
    times = [*visitor.show("/audit").iter("time")]
    assert len(times) == len(every)
    for time in times:
        day, _, minute = (time.text or "").partition(", ")
        assert day == f"{today.day} {today:%b %Y}"
        assert time.attrib["title"] == f"{today.day} {today:%B %Y}, {minute} +14", "the zone is in the title"


@pytest.mark.parametrize(
    "query",
    [
        "?from=yesterday",
        "?to=2026-13-01",
        "?from=0001-01-01",
        "?to=9999-12-31",
        "?kind=unknown",
        "?round=x",
        "?cursor=1",
    ],
)
def test_invalid_filters_are_refused_in_words(house: House, api: Api, query: str) -> None:
    response = Visitor.signed_in(house, api).get(f"/audit{query}")
    assert response.status_code == 422
    assert "expected" in text_of(parse(response))


def test_other_keys_see_neither_actors_nor_keys_and_links(house: House, api: Api) -> None:
    issue(api, add_table(api), kind="viewer")
    join(house, api)
    visitor = signed_in_with(house, api, "read")
    shown = visitor.get("/audit").text
    for hidden in ("key.created", "link.issued", "Actor", "request "):
        assert hidden not in shown
    rows = read_files(visitor, "/audit?actor=first")
    assert [row["kind"] for row in rows if row["kind"] != "ruleset.added"] == ["table.created", "club.created"]
    assert all("actor" not in row and "request_id" not in row for row in rows)
    assert visitor.get("/audit?kind=key.created").status_code == 200
    assert read_files(visitor, "/audit?kind=key.created") == []


def test_text_of_the_records_is_text(house: House, api: Api) -> None:
    create_key(house.owner, stored_club(house, api), name=XSS)
    table = add_table(api, name=XSS)
    round_id = open_round(api, table, reference=XSS)["id"]
    api.post(f"/v1/rounds/{round_id}/close", {"reason": XSS})
    join(house, api)
    document = Visitor.signed_in(house, api).show("/audit")
    assert len(list(document.iter("script"))) == 1
    assert text_of(document).count(XSS) >= 4


def test_events_of_other_clubs_are_not_found(house: House, api: Api, other_api: Api) -> None:
    round_id = complete_round(other_api, name="theirs")
    join(house, other_api)
    visitor = Visitor.signed_in(house, api)
    assert "There is no table “theirs”." in text_of(visitor.show("/audit?table=theirs"))
    assert visitor.get("/audit?table=theirs&format=csv").status_code == 404
    for identifier in (round_id, uuid4()):
        assert read_files(visitor, f"/audit?round={identifier}") == []


def test_keys_without_the_scopes_see_nothing(house: House, api: Api) -> None:
    assert signed_in_with(house, api, "admin").get("/audit").status_code == 403
