"""Evenings on the pages of links: titles of rounds, the sum of each player, and a text to share."""

import re
from datetime import time
from xml.etree.ElementTree import Element

import pytest

from service.clubs.actions import set_up_club
from tests.service.links.linked_table import issue, issue_to_round, table_of
from tests.service.links.test_link_pages import Visitor, parse
from tests.service.links.test_round_page import section, text_of, texts
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of
from tests.support.sample_rounds import SIXES, THREE, hand, open_round, play

FRIDAY = "Friday 20 November 2026"
SATURDAY = "Saturday 21 November 2026"


def play_round(api: Api, table: str, opened_at: str, hands: int = 1) -> str:
    """Play a round with the same cards in each hand, and close it."""
    round_id = str(open_round(api, table, SIXES, opened_at=opened_at)["id"])
    for number in range(1, hands + 1):
        play(api, round_id, hand(number, number, THREE))
    closed = api.post(f"/v1/rounds/{round_id}/close", {"reason": "late"})
    assert closed.status == 200, closed
    return round_id


def shared_text(page: Element) -> list[str]:
    """Return the lines of the text to share, without the characters that isolate names."""
    [area] = page.iter("textarea")
    return re.sub("[\u2068\u2069]", "", area.text or "").splitlines()


@pytest.fixture
def table(house: House, api: Api) -> str:
    """A table in Berlin with two rounds on a Friday, the second after midnight, and one on Saturday."""
    [(club,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    set_up_club(house.owner, club, time_zone="Europe/Berlin", evening_begins=time(6))
    table = table_of(api, "friday", point_value=10, unit="EUR")
    for opened_at, hands in (
        ("2026-11-20T20:14:00Z", 1),
        ("2026-11-20T23:15:00Z", 2),
        ("2026-11-21T19:00:00Z", 1),
    ):
        play_round(api, table, opened_at, hands)
    return table


@pytest.fixture
def viewer(house: House, api: Api, table: str) -> Visitor:
    return Visitor(house, issue(api, table))


@pytest.mark.smoke
def test_rounds_have_their_number_in_the_evening_and_their_time(viewer: Visitor) -> None:
    page = parse(viewer.get())
    links = [(text_of(link), str(link.get("href"))) for link in section(page, "rounds").iter("a")]
    evenings = [(SATURDAY, f"{viewer.address}/evenings/2026-11-21"), (FRIDAY, f"{viewer.address}/evenings/2026-11-20")]
    assert [each for each in links if "evenings" in each[1]] == evenings
    titles = ["Round 1, 20:00", "Round 2, 00:15", "Round 1, 21:14"]
    assert [title for title, address in links if "/rounds/" in address] == titles
    for title, address in links:
        if "/rounds/" in address:
            shown = parse(viewer.get(address.removeprefix(viewer.address)))
            [heading], [named] = shown.iter("h1"), shown.iter("title")
            assert (text_of(heading), named.text) == (title, f"{title} · friday")


def test_an_evening_has_the_sum_and_the_money_of_each_player(api: Api, viewer: Visitor, table: str) -> None:
    page = parse(viewer.get("/evenings/2026-11-20"))
    statement = api.get(f"/v1/tables/{table}/statement?evening=2026-11-20")
    assert statement["rounds"] == 2
    rows = [[text_of(cell) for cell in row] for row in section(page, "evening").iter("tr")][1:]
    assert [(row[0], row[1]) for row in rows] == [(each["player"], "2") for each in statement["players"]]
    for row, each in zip(rows, statement["players"], strict=True):
        sign = "+" if each["net"] > 0 else "−" if each["net"] else ""
        assert row[2:] == [f"{sign}{abs(each['net'])}", f"{sign}€{abs(each['money']['EUR']) / 100:.2f}"]
    assert any(each["net"] for each in statement["players"])
    # The money of each round is beside its points.
    assert "ann +24 +€2.40" in text_of(section(page, "rounds"))
    [heading] = page.iter("h1")
    assert text_of(heading) == FRIDAY


def test_the_page_of_the_table_has_the_sum_of_the_newest_evening(viewer: Visitor) -> None:
    page = parse(viewer.get())
    evening = section(page, "evening")
    assert text_of(evening).startswith(SATURDAY)
    assert "cyd pays ann €1.20" in text_of(evening)


def test_the_text_to_share_has_results_payments_and_the_address(viewer: Visitor) -> None:
    path = "/evenings/2026-11-20"
    assert shared_text(parse(viewer.get(path))) == [
        f"friday, {FRIDAY}",
        "ann +36 (+€3.60)",
        "bob 0 (€0.00)",
        "cyd −36 (−€3.60)",
        "cyd pays ann €3.60",
        f"http://localhost{viewer.address}{path}",
    ]
    [link] = [str(each.get("href")) for each in parse(viewer.get(path)).iter("a") if text_of(each) == "Round 1, 21:14"]
    text = shared_text(parse(viewer.get(link.removeprefix(viewer.address))))
    assert text[:3] == [f"friday, {FRIDAY}", "Round 1, 21:14", "ann +12 (+€1.20)"]
    assert text[-1] == f"http://localhost{link}"


def test_the_text_of_a_personal_link_has_no_address(house: House, api: Api, table: str) -> None:
    bob = Visitor(house, issue(api, table, kind="player", player="bob"))
    page = parse(bob.get("/evenings/2026-11-20"))
    assert "ofc_link_" not in "".join(shared_text(page))
    assert shared_text(page)[-1] == "cyd pays ann €3.60"
    assert text_of(section(page, "evening")).count("You") == 1
    assert "bob You" in text_of(section(page, "evening"))


def test_a_host_that_is_not_allowed_is_in_no_text(viewer: Visitor) -> None:
    page = parse(viewer.get("/evenings/2026-11-20", headers={"Host": "elsewhere.example"}))
    assert shared_text(page)[-1] == "cyd pays ann €3.60"


def test_a_link_to_a_round_shows_no_other_round(house: House, api: Api, table: str) -> None:
    [newest, *_] = api.get(f"/v1/rounds?table={table}")["rounds"]
    link = Visitor(house, issue_to_round(api, newest["id"]))
    page = parse(link.get())
    [heading] = page.iter("h1")
    assert text_of(heading) == "Round, 20:00"
    assert not list(page.iter("nav"))
    assert link.get("/evenings/2026-11-21").status_code == 404


@pytest.mark.parametrize("day", ["yesterday", "2026-11-31", "0001-01-01", "9999-12-31", "2026-W47-5"])
def test_a_page_of_no_evening_is_not_found(viewer: Visitor, day: str) -> None:
    assert viewer.get(f"/evenings/{day}").status_code == 404


def test_an_evening_without_a_round_is_shown_as_empty(viewer: Visitor) -> None:
    assert "No round was opened on this evening." in viewer.show("/evenings/2026-11-19")


def test_rounds_on_further_pages_have_their_numbers(house: House, api: Api) -> None:
    table = table_of(api, "attic")
    for minute in range(32):
        play_round(api, table, f"2026-11-20T20:{minute:02}:00Z", hands=0)
    viewer = Visitor(house, issue(api, table))
    first = parse(viewer.get())
    assert texts(section(first, "rounds"), "nets")
    [older] = [str(link.get("href")) for link in first.iter("a") if link.text == "Older rounds"]
    assert text_of(section(first, "rounds")).startswith(f"Rounds {FRIDAY} Round 32, 20:31")
    second = parse(viewer.get(older.removeprefix(viewer.address)))
    assert text_of(section(second, "rounds")).startswith(f"Rounds {FRIDAY} Round 2, 20:01")
    assert not [each for each in second.iter() if each.get("id") == "evening"]


def test_the_number_of_statements_does_not_grow_with_the_rounds(house: House, api: Api, viewer: Visitor) -> None:
    other = table_of(api, "single")
    play_round(api, other, "2026-11-20T20:14:00Z")
    single = Visitor(house, issue(api, other))
    counts = []
    for visitor, path in (
        (single, ""),
        (viewer, ""),
        (single, "/evenings/2026-11-20"),
        (viewer, "/evenings/2026-11-20"),
    ):
        visitor.get(path)
        with recorded_statements() as statements:
            assert visitor.get(path).status_code == 200
        counts.append(len(statements))
    assert counts[0] == counts[1]
    assert counts[2] == counts[3]
