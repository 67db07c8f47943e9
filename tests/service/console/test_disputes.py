"""The list of disputes: tabs, filters, order, pages and files, and the button that takes the next one."""

import csv
import io
from typing import Any
from xml.etree.ElementTree import Element

import pytest

from service.clubs.actions import create_key
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.disputes.test_unusual_rounds import FOULING, finished
from tests.support.api_client import Api
from tests.support.api_disputes import opened, step
from tests.support.api_settlements import make_final
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, complete_round, open_round, play_to_the_end

MONEY = {"point_value": 20, "unit": "EUR"}


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def rows_of(document: Element) -> list[list[str]]:
    """Return the texts of the list's cells."""
    return [
        [" ".join("".join(cell.itertext()).split()) for cell in (*row.iter("th"), *row.iter("td"))]
        for body in document.iter("tbody")
        for row in body.iter("tr")
    ]


def titles(visitor: Visitor, query: str = "") -> list[str]:
    """Return what the disputes of a list are about."""
    return [row[0] for row in rows_of(visitor.show(f"/disputes{query}"))]


def test_a_row_shows_what_is_at_stake_and_for_whom(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api, name="friday", **MONEY)
    opened(api, round_id, hand=2, seat=1, row="top")
    [row] = rows_of(visitor.show("/disputes"))
    assert row[0].startswith("friday: Hand 2, ann, top row")
    assert row[1] == "0 min"
    assert row[2].startswith("Paused; ")
    assert row[3] == "12 EUR 2.40"
    assert row[4] == "ann, bob, cyd"
    assert row[6] == "Nobody"


def test_points_at_stake_are_those_of_the_hand_the_seat_or_the_round(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    for claim, place in enumerate([{}, {"hand": 2}, {"hand": 2, "seat": 1}, {"seat": 1}]):
        opened(api, round_id, claim=f"claim {claim}", **place)
    settlement = api.get(f"/v1/rounds/{round_id}/settlement")["transfers"]
    in_two = [each for each in settlement if each["hand"] == 2]
    of_one = [each for each in settlement if 1 in (each["payer"], each["payee"])]
    expected = [settlement, in_two, [each for each in in_two if each in of_one], of_one]
    assert [row[3] for row in rows_of(visitor.show("/disputes"))] == [
        str(sum(each["paid"] for each in paid)) for paid in expected
    ]


def test_tabs_show_states(visitor: Visitor, api: Api) -> None:
    _, second, third = (opened(api, complete_round(api, name=f"table {each}")) for each in range(3))
    step(api, second, "review")
    step(api, third, "review")
    step(api, third, "resolve")
    text = text_of(visitor.show("/disputes"))
    assert "Open (1)" in text
    assert "In review (1)" in text
    assert titles(visitor)[0].startswith("table 0")
    [reviewed] = rows_of(visitor.show("/disputes?tab=review"))
    assert reviewed[0].startswith("table 1")
    assert reviewed[6] == "first"
    [decided] = rows_of(visitor.show("/disputes?tab=decided"))
    assert decided[0].startswith("table 2")
    assert decided[6] == "Rejected by first"
    assert "left" in decided[2]


def test_filters_by_table_player_and_reviewer(visitor: Visitor, api: Api) -> None:
    opened(api, complete_round(api, name="one"))
    two = complete_round(api, name="two", sitting={1: "ann 100", 2: "dan 100", 3: "eve 100"})
    taken = opened(api, two, by="eve")
    assert len(titles(visitor)) == 2
    assert [title[:3] for title in titles(visitor, "?player=eve")] == ["two"]
    assert [title[:3] for title in titles(visitor, "?table=one&player=")] == ["one"]
    assert titles(visitor, "?table=one&player=eve") == []
    assert "No dispute matches the filter." in text_of(visitor.show("/disputes?table=one&player=eve"))
    step(api, taken, "review")
    assert len(titles(visitor, "?tab=review&reviewer=first")) == 1
    assert titles(visitor, "?tab=review&reviewer=second") == []


@pytest.mark.parametrize("order", ["oldest", "newest", "points", "money", "window"])
def test_pages_show_every_dispute_once_in_order(
    visitor: Visitor, api: Api, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.console.views.listing.PAGE_SIZE", 2)
    round_id = complete_round(api)
    places = [{}, {"hand": 1}, {"hand": 2}, {"hand": 1, "seat": 1}, {"seat": 2}]
    ids = [opened(api, round_id, claim=f"claim {number}", **place) for number, place in enumerate(places)]
    seen: list[str] = []
    path = f"/disputes?sort={order}"
    while path:
        document = visitor.show(path)
        seen += [each.attrib["href"].rpartition("/")[2] for each in links_of(document)]
        [path] = [each.attrib["href"][8:] for each in document.iter("a") if each.attrib.get("rel") == "next"] or [""]
    assert sorted(seen) == sorted(ids)
    if order not in ("points", "money"):
        assert seen == (ids[::-1] if order == "newest" else ids)
    else:
        points = [int(row["points"]) for row in as_csv(visitor, f"?sort={order}")]
        assert order == "money" or points == sorted(points, reverse=True)
        assert [row["dispute"] for row in as_csv(visitor, f"?sort={order}")] == seen


def test_money_is_sorted_in_each_unit(visitor: Visitor, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.console.views.listing.PAGE_SIZE", 1)
    values = {
        "free": {},
        "dollars": {"point_value": 30, "unit": "USD"},
        "cents": {"point_value": 1, "unit": "EUR"},
    }
    for name, money in {**values, "euros": MONEY}.items():
        opened(api, complete_round(api, name=name, **money))
    assert names_in_pages(visitor, "?sort=money") == ["euros", "cents", "dollars", "free"]


def test_the_least_window_left_comes_first(visitor: Visitor, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.console.views.listing.PAGE_SIZE", 1)
    final = complete_round(api, name="final", correction_window_minutes=5)
    make_final(api, final)
    opened(api, final)
    for name, minutes in (("day", 1440), ("hour", 60), ("week", 10080)):
        opened(api, complete_round(api, name=name, correction_window_minutes=minutes))
    assert names_in_pages(visitor, "?sort=window") == ["hour", "day", "week", "final"]
    for dispute in api.get("/v1/disputes")["disputes"]:
        step(api, dispute["id"], "review")
        assert step(api, dispute["id"], "resolve").status == 201
    assert names_in_pages(visitor, "?tab=decided&sort=window") == ["hour", "day", "week", "final"]


def names_in_pages(visitor: Visitor, query: str) -> list[str]:
    """Return the tables of the disputes of a list, page by page."""
    names: list[str] = []
    path = f"/disputes{query}"
    while path:
        document = visitor.show(path)
        names += [row[0].partition(":")[0] for row in rows_of(document)]
        [path] = [each.attrib["href"][8:] for each in document.iter("a") if each.attrib.get("rel") == "next"] or [""]
    return names


def test_only_disputes_of_unusual_rounds(visitor: Visitor, api: Api) -> None:
    usual = [finished(api, COMPLETE) for _ in range(3)]
    fouled = finished(api, FOULING)
    opened(api, usual[0])
    dispute_id = opened(api, fouled)
    document = visitor.show("/disputes?unusual=true")
    [row] = rows_of(document)
    assert "Many fouls" in row[5]
    assert "1 of unusual rounds among 2 examined disputes." in text_of(document)
    assert [row["dispute"] for row in as_csv(visitor, "?unusual=true")] == [dispute_id]
    assert len(as_csv(visitor, "?unusual=")) == 2


def test_another_tab_drops_the_filter_that_it_does_not_show(visitor: Visitor, api: Api) -> None:
    opened(api, complete_round(api, name="waiting"))
    step(api, opened(api, complete_round(api, name="taken")), "review")
    filtered = visitor.show("/disputes?tab=review&reviewer=first&player=ann&sort=points")
    [tab] = [each.attrib["href"] for each in filtered.iter("a") if text_in(each) == "Open (1)"]
    assert "player=ann" in tab, "filters that every tab shows stay"
    assert [title[:7] for title in titles(visitor, tab.removeprefix("/console/disputes"))] == ["waiting"]


def text_in(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def links_of(document: Element) -> list[Element]:
    return [each for body in document.iter("tbody") for row in body.iter("th") for each in row.iter("a")]


def as_csv(visitor: Visitor, query: str) -> list[dict[str, str]]:
    response = visitor.get(f"/disputes{query}&format=csv")
    assert response.status_code == 200
    assert response.mimetype == "text/csv"
    assert response.headers["Content-Disposition"].startswith("attachment; filename=")
    return list(csv.DictReader(io.StringIO(response.text)))


@pytest.mark.parametrize("query", ["?tab=closed", "?sort=age", "?cursor=x", "?format=xml", "?cursor=" + "A" * 22])
def test_invalid_queries_are_explained(visitor: Visitor, query: str) -> None:
    response = visitor.get(f"/disputes{query}")
    assert response.status_code == 422
    assert "expected" in text_of(parse(response))


def test_take_next_takes_the_oldest(visitor: Visitor, api: Api) -> None:
    ids = [opened(api, complete_round(api, name=f"table {each}")) for each in range(2)]
    for dispute_id in ids:
        response = visitor.submit("/disputes", "/disputes/next", {})
        assert response.status_code == 303
        assert response.location == f"/console/disputes/{dispute_id}"
        assert api.get(f"/v1/disputes/{dispute_id}")["state"] == "under_review"
    response = visitor.submit("/disputes", "/disputes/next", {})
    assert response.status_code == 303
    document = visitor.show(response.location.removeprefix("/console"))
    assert "There was no open dispute to take" in text_of(document)
    assert "no open dispute to take" not in text_of(visitor.show("/disputes"))
    assert not [
        each for each in document.iter("a") if "taken=" in each.attrib["href"] and "tab=" in each.attrib["href"]
    ]


def test_of_auditors_who_take_the_next_one_at_once_each_gets_another(house: House, api: Api) -> None:
    ids = {opened(api, complete_round(api, name=f"table {each}")) for each in range(4)}
    visitors = [Visitor.signed_in(house, api) for _ in range(4)]
    taken = at_once(
        *[lambda visitor=visitor: visitor.submit("/disputes", "/disputes/next", {}) for visitor in visitors]
    )
    assert {response.location.rpartition("/")[2] for response in taken} == ids
    assert {api.get(f"/v1/disputes/{each}")["state"] for each in ids} == {"under_review"}


def test_without_the_scope_nobody_takes_a_dispute(house: House, api: Api) -> None:
    dispute_id = opened(api, complete_round(api))
    reader = Visitor.signed_in(house, reader_of(house, api, "read"))
    document = reader.show("/disputes")
    assert [each for each in document.iter("form") if each.attrib["action"].endswith("/next")] == []
    assert reader.send("/disputes/next", {"csrf": csrf_of(document)}).status_code == 403
    assert api.get(f"/v1/disputes/{dispute_id}")["state"] == "open"


def reader_of(house: House, api: Api, *scopes: str) -> Api:
    return Api(house.app, create_key(house.owner, stored_club(house, api), name="narrow", scopes=scopes).secret)


def csrf_of(document: Element) -> str:
    return next(each.attrib["value"] for each in document.iter("input") if each.attrib.get("name") == "csrf")


def test_another_club_sees_nothing(house: House, api: Api) -> None:
    dispute_id = opened(api, complete_round(api))
    other = Visitor.signed_in(house, house.new_client())
    assert titles(other) == []
    assert other.get(f"/disputes/{dispute_id}").status_code == 404
    assert other.get(f"/disputes?cursor={'A' * 22}").status_code == 422


def test_texts_of_people_run_nowhere(visitor: Visitor, api: Api) -> None:
    evil: Any = "<script>alert(1)</script>'\"><b>"
    round_id = str(open_round(api, add_named(api, evil), {1: "<b>a</b> 100", 2: "'\"><i> 100", 3: "cyd 100"})["id"])
    play_to_the_end(api, round_id)
    dispute_id = opened(api, round_id, claim=evil, by="<b>a</b>")
    assert step(api, dispute_id, "comments", comment=evil, by="'\"><i>").status == 201
    decided = opened(api, round_id, claim="<i>other</i>", by="<b>a</b>")
    step(api, decided, "review")
    assert step(api, decided, "resolve", state="rejected", reason=evil).status == 201
    paths = ("/disputes", f"/disputes/{dispute_id}", f"/disputes/{decided}", "/disputes?tab=decided", "/")
    for path in paths:
        document = visitor.show(path)
        assert not [each for each in document.iter() if each.tag in ("b", "i")], path
        assert len(list(document.iter("script"))) == 1
    assert evil in text_of(visitor.show(f"/disputes/{dispute_id}"))


def add_named(api: Api, name: str) -> str:
    return str(api.post("/v1/tables", {"name": name, "ruleset": "pineapple"})["id"])
