"""Pages on which two IDs are one player: those of the console, on which they are joined, and those of links."""

import re

import pytest

from tests.service.console.test_disputes import csrf_of, rows_of
from tests.service.links.linked_table import issue
from tests.service.links.test_link_pages import CONFIRM, DISPUTE, parse
from tests.service.links.test_link_pages import Visitor as LinkVisitor
from tests.service.links.test_link_pages import text_of as text_of_section
from tests.service.links.test_round_page import section
from tests.service.players.test_aliases import join
from tests.support.api_client import Api
from tests.support.api_disputes import opened
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, text_of
from tests.support.sample_rounds import COMPLETE, SIXES, add_table, open_round, play

BOTH = {"player": "bob", "alias": "bobby"}
JOIN = "/player-aliases/join"
PART = "/player-aliases/part"


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.fixture
def rounds(api: Api) -> list[str]:
    """A round of bob and one of bobby, in which they won 0 and lost 36 points of 0.10 EUR."""
    table = add_table(api, point_value=10, unit="EUR")
    sittings = (SIXES, {1: "ann 100", 2: "cyd 100", 3: "bobby 100"})
    played = [str(open_round(api, table, sitting)["id"]) for sitting in sittings[:1]]
    play(api, played[0], *COMPLETE)
    played.append(str(open_round(api, table, sittings[1])["id"]))
    play(api, played[1], *COMPLETE)
    return played


def test_the_page_of_a_player_leads_to_a_join_that_lists_what_changes(visitor: Visitor, rounds: list[str]) -> None:
    assert "Join another ID" in str(visitor.get("/players/bob").text)
    page = visitor.show(f"{JOIN}?player=bob&alias=bobby")
    assert rows_of(page) == [
        ["bob", "1", "3", "0"],
        ["bobby", "1", "3", "−36"],
        ["Together", "2", "6", "−36"],
        ["EUR", "€0.00", "−€3.60", "−€3.60"],
    ]
    assert "Are bob and bobby the same person?" in text_of(page)


def test_ids_are_joined_and_parted_on_the_pages(visitor: Visitor, api: Api, rounds: list[str]) -> None:
    joined = visitor.submit(f"{JOIN}?player=bob&alias=bobby", JOIN, {})
    assert (joined.status_code, joined.location) == (303, "/console/players/bob")
    for known_as in ("bob", "bobby"):
        page = text_of(visitor.show(f"/players/{known_as}"))
        assert "Also bobby" in page
        assert re.search(r"\bRounds ?2", page)
    [ann, bob, cyd] = rows_of(visitor.show("/players"))
    assert [row[0] for row in (ann, bob, cyd)] == ["ann", "bob", "cyd"]
    parted = visitor.submit(f"{PART}?player=bob&alias=bobby", PART, {})
    assert (parted.status_code, parted.location) == (303, "/console/players/bob")
    assert len(rows_of(visitor.show("/players"))) == 4


def test_a_join_that_is_impossible_names_the_rounds(visitor: Visitor, rounds: list[str]) -> None:
    page = visitor.show(f"{JOIN}?player=ann&alias=bob")
    assert "Both IDs sat in one round, so they are two people." in text_of(page)
    assert [link.get("href") for link in page.iter("a") if rounds[0] in str(link.get("href"))]
    assert "Join them" not in text_of(page)
    assert visitor.get(f"{JOIN}?player=ann&alias=ann").status_code == 422


def test_a_join_that_became_impossible_is_refused_on_its_page(visitor: Visitor, api: Api, rounds: list[str]) -> None:
    form = {**BOTH, "csrf": csrf_of(visitor.show())}
    assert join(api, "dan", "bobby").status == 201
    refused = visitor.send(JOIN, form)
    assert refused.status_code == 409
    assert "The ID is joined to another player." in refused.text


def test_players_are_found_by_an_alias(visitor: Visitor, api: Api, rounds: list[str]) -> None:
    join(api, "bob", "bobby")
    join(api, "bob", "robert")
    for text in ("ROBERT", "bobb", "bob"):
        [row] = rows_of(visitor.show(f"/players?name={text}"))
        assert row[:3] == ["bob", "2", "6"], text
    for order in ("hands", "points"):
        assert len(rows_of(visitor.show(f"/players?sort={order}"))) == 3


def test_disputes_are_found_by_any_id(visitor: Visitor, api: Api, rounds: list[str]) -> None:
    opened(api, rounds[1], by="bobby")
    assert rows_of(visitor.show("/disputes?player=bob")) == []
    join(api, "bob", "bobby")
    for known_as in ("bob", "bobby"):
        assert len(rows_of(visitor.show(f"/disputes?player={known_as}"))) == 1


def test_a_what_if_of_a_table_has_one_player(visitor: Visitor, api: Api, rounds: list[str]) -> None:
    join(api, "bob", "bobby")
    [_, bob, _] = sorted(rows_of(visitor.show("/rulesets/what-if?ruleset=pineapple-2-4-us-none&table=kitchen")))
    assert (bob[0], bob[3]) == ("bob", "−36")


# --- links ---


@pytest.mark.parametrize("known_as", ["bob", "bobby"])
def test_the_link_of_a_player_shows_the_rounds_of_all_ids_as_theirs(
    house: House, api: Api, rounds: list[str], known_as: str
) -> None:
    join(api, "bob", "bobby")
    table = api.get(f"/v1/rounds/{rounds[0]}")["table"]
    visitor = LinkVisitor(house, issue(api, table, kind="player", player=known_as))
    page = parse(visitor.get())
    # In the sum of the evening the player has one line, with the points of all IDs.
    assert text_of_section(section(page, "evening")).count("You") == 1
    assert "bob You 2 −36" in text_of_section(section(page, "evening"))
    assert text_of_section(section(page, "rounds")).count("You") == 2
    for round_id, seated in zip(rounds, ("bob", "bobby"), strict=True):
        assert f'<bdi>{seated}</bdi> <span class="you">You</span>' in visitor.get(f"/rounds/{round_id}").text
        assert visitor.send(round_id, CONFIRM).status_code == 303
        assert "You have confirmed these results." in visitor.show(f"/rounds/{round_id}")
        assert visitor.send(round_id, DISPUTE).status_code == 303
        [dispute] = api.get(f"/v1/disputes?round={round_id}")["disputes"]
        assert dispute["by"] == seated
        assert "You dispute hand 1" in visitor.show(f"/rounds/{round_id}")


def test_the_link_to_a_table_sums_up_as_the_club_does(house: House, api: Api, rounds: list[str]) -> None:
    join(api, "bob", "bobby")
    table = api.get(f"/v1/rounds/{rounds[0]}")["table"]
    link = Api(house.app, issue(api, table)["url"].rsplit("/", 1)[1])
    for path in ("/v1/statement", f"/v1/tables/{table}/statement"):
        assert link.get(path).document == api.get(path).document
    assert link.get("/v1/players/bob").status == 403
