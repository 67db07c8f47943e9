"""The list of players and the page of one: totals, intervals, head-to-head, hands, names and files."""

import json
from collections import Counter
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from service.clubs.actions import create_key
from tests.oracle import PRESETS, random_document
from tests.service.console.test_tables_and_ledger import MARKUP
from tests.service.disputes.test_dispute_authors import stored_club
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, rows_of, table_cells, text_of
from tests.support.sample_rounds import (
    COMPLETE,
    FOUL,
    HIGH,
    LOW,
    MID,
    THREE,
    add_table,
    correct_round,
    document_of,
    hand,
    hands_of,
    open_round,
    play,
    play_to_the_end,
    post_document,
    settlement_of,
    undo,
)

CLOSED = {"after_hand": 1, "reason": "midnight"}


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def posted(api: Api, **document: Any) -> str:
    response = post_document(api, document_of(**document))
    assert response.status == 201, response
    return str(response["round"]["id"])


def details_of(visitor: Visitor, player: str, query: str = "") -> dict[str, Any]:
    """Return everything that the page of a player shows, as JSON."""
    response = visitor.get(f"/players/{quote(player, safe='')}?format=json{query}")
    assert response.status_code == 200, response.text
    read = json.loads(response.text)
    assert isinstance(read, dict)
    return read


def test_the_list_of_players_has_totals(visitor: Visitor, api: Api) -> None:
    assert "No players match" in text_of(visitor.show("/players"))
    posted(api, hands=COMPLETE)
    head, ann, bob, cyd = table_cells(visitor.show("/players"), "Players")
    assert head[:5] == ["Player ↑", "Rounds", "Hands", "Points", "Points a hand"]
    assert ann[:5] == ["ann", "1", "3", "+36", "+12.00"]
    assert ann[5] == "0.0 %"
    titles = [each.attrib["title"] for each in visitor.show("/players").iter("span") if "title" in each.attrib]
    assert titles[:2] == ["(+12.00 to +12.00)", "(0.0 to 56.1 %; 0 of 3)"]
    assert bob[:4] == ["bob", "1", "3", "0"]
    assert cyd[:4] == ["cyd", "1", "3", "−36"]


@pytest.mark.parametrize("order", ["player", "hands", "points", "fouls", "scoops"])
def test_players_are_read_page_by_page(visitor: Visitor, api: Api, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.console.views.listing.PAGE_SIZE", 2)
    for number, players in enumerate((("Émile", "bob"), ("bob", "zoë"), ("ann", "bob"), ("Zed", "ann"))):
        sitting = {seat: f"{player} 50" for seat, player in enumerate(players, 1)}
        closed = {"closed": CLOSED} if number < 3 else {}
        posted(api, sitting=sitting, hands=[hand(1, 1, {1: HIGH, 2: MID})], reference=f"{number}", **closed)
    address, names = f"/players?sort={order}", []
    while address:
        page = visitor.show(address)
        names += [cells[0] for cells in table_cells(page, "Players")[1:]]
        following = [link.attrib["href"] for link in page.iter("a") if link.attrib.get("rel") == "next"]
        address = following[0].removeprefix("/console") if following else ""
    listed = [row["player"] for row in rows_of(visitor.get(f"/players?sort={order}&format=csv"))]
    assert len(names) == 5
    assert names == listed
    assert names[0] == {"hands": "bob"}.get(order, "Zed")


def test_players_are_found_by_id_and_name(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE, sitting={1: "Joanna 100", 2: "7 100", 3: "cyd 100"})
    api.put("/v1/players/7", {"display_name": "Anton"})

    def find(name: str) -> list[str]:
        page = visitor.show(f"/players?name={name}")
        return [row[0] for row in table_cells(page, "Players")[1:]] if "No players" not in text_of(page) else []

    assert find("AN") == ["Anton 7", "Joanna"]
    assert find("anto") == ["Anton 7"]
    assert find("%25") == []


def test_a_player_has_figures_opponents_and_hands(visitor: Visitor, api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)
    fouled = {1: FOUL, 2: "QsJc6d / 7s7d5c3h2d / QcQh4d4c3s"}
    sitting = {1: "ann 4", 2: "eve 50"}
    other = posted(api, table="attic", sitting=sitting, hands=[hand(1, 1, fouled)])
    page = visitor.show("/players/ann")
    [lost] = hands_of(api, other)
    points = {each["seat"]: each["points"] for each in lost["players"]}[1]
    assert table_cells(page, "Head-to-head")[1:] == [
        ["bob", "3", "+18", "+6.00 (+6.00 to +6.00)", "3", "0", "+18"],
        ["cyd", "3", "+18", "+6.00 (+6.00 to +6.00)", "3", "0", "+18"],
        ["eve", "1", f"−{-points}", f"−{-points}.00", "0", "0", "−4"],
    ]
    text = text_of(page)
    assert "Fouls25.0 % (4.6 to 69.9 %; 1 of 4)" in text
    assert "Hands4" in text
    details = details_of(visitor, "ann")
    assert [(each["list"], each["round"], each["hand"], each["points"]) for each in details["hands"]] == [
        *(("best", round_id, number, 12) for number in (1, 2, 3)),
        ("best", other, 1, points),
        ("worst", other, 1, points),
        *(("worst", round_id, number, 12) for number in (1, 2, 3)),
    ]
    assert details["hands"][0]["top"] == "AhKd9c"
    assert f"/console/rounds/{other}/hands/1" in {link.attrib["href"] for link in page.iter("a")}
    only = details_of(visitor, "ann", "&table=attic")
    assert [each["opponent"] for each in only["opponents"]] == ["eve"]
    assert "No hands match" in text_of(visitor.show("/players/ann?ruleset=turbo"))


def test_opponents_are_read_page_by_page(visitor: Visitor, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.console.views.players._SIZE", 1)
    posted(api, hands=COMPLETE)
    page = visitor.show("/players/ann")
    [following] = [link.attrib["href"] for link in page.iter("a") if link.attrib.get("rel") == "next"]
    listed = [page, visitor.show(following.removeprefix("/console"))]
    assert [table_cells(each, "Head-to-head")[1][0] for each in listed] == ["bob", "cyd"]
    assert len(rows_of(visitor.get("/players/ann?format=csv&part=opponents"))) == 2


def test_head_to_head_follows_undos_and_corrections(visitor: Visitor, api: Api) -> None:
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, hand(1, 1, THREE), hand(2, 2, THREE))
    undo(api, round_id, 2)
    bob, _cyd = details_of(visitor, "ann")["opponents"]
    assert (bob["hands"], bob["points"]) == (1, 6)
    patch = [{"op": "replace", "path": "/hands/0", "value": hand(1, 1, {1: LOW, 2: MID, 3: HIGH})}]
    correct_round(api, round_id, {"reason": "seats exchanged", "patch": patch})
    details = details_of(visitor, "ann")
    assert {each["opponent"]: each["points"] for each in details["opponents"]} == {"bob": -6, "cyd": -6}
    assert [each["points"] for each in details["hands"]] == [-12, -12]


def expected_pairs(api: Api, rounds: list[str]) -> dict[tuple[str, str], Counter[str]]:
    """Sum up what each player won from each other, from the hands and transfers of rounds."""
    sums: dict[tuple[str, str], Counter[str]] = {}
    for round_id in rounds:
        names = {seat["seat"]: seat["player"] for seat in api.get(f"/v1/rounds/{round_id}")["seats"]}
        for each in hands_of(api, round_id):
            for exchange in each["exchanges"]:
                first, second = (names[seat] for seat in exchange["seats"])
                won = list(exchange["rows"].values())
                for pair, sign in (((first, second), 1), ((second, first), -1)):
                    of = sums.setdefault(pair, Counter())
                    of["hands"] += 1
                    of["points"] += sign * exchange["points"]
                    of["scoops"] += won == [sign] * 3
                    of["scooped"] += won == [-sign] * 3
        for paid in settlement_of(api, round_id)["transfers"]:
            payer, payee = names[paid["payer"]], names[paid["payee"]]
            sums[payee, payer]["paid"] += paid["paid"]
            sums[payer, payee]["paid"] -= paid["paid"]
    return sums


@pytest.mark.no_cover
def test_head_to_head_is_the_sum_of_the_hands(visitor: Visitor, api: Api) -> None:
    """Random rounds under many presets."""
    rng = Random("head-to-head")
    rounds = []
    for name in sorted(PRESETS):
        response = post_document(api, random_document(rng, PRESETS[name]))
        assert response.status == 201, response
        rounds.append(response["round"]["id"])
    sums = expected_pairs(api, rounds)
    assert any(of["paid"] != of["points"] for of in sums.values()), "caps"
    for player in sorted({first for first, _ in sums}):
        details = details_of(visitor, player)
        assert {each["opponent"] for each in details["opponents"]} == {other for one, other in sums if one == player}
        for each in details["opponents"]:
            of = sums[player, each["opponent"]]
            shown = {name: each[name] for name in ("hands", "points", "scoops", "scooped", "paid")}
            assert shown == {name: of[name] for name in shown}
        assert sum(each["points"] for each in details["opponents"]) == details["figures"]["points"]
        assert sum(each["scoops"] for each in details["opponents"]) == details["figures"]["scoops"]
        points = sorted(
            each["points"]
            for round_id in rounds
            for names in [{seat["seat"]: seat["player"] for seat in api.get(f"/v1/rounds/{round_id}")["seats"]}]
            for one in hands_of(api, round_id)
            for each in one["players"]
            if names[each["seat"]] == player
        )
        assert [each["points"] for each in details["hands"] if each["list"] == "worst"] == points[:5]
        assert [each["points"] for each in details["hands"] if each["list"] == "best"] == points[::-1][:5]


@pytest.mark.parametrize("player", ["a/b", "c/statistics", "..", ".", "?x=1#y", "%2e", "a b+c", MARKUP, "=1+1", "ü"])
def test_any_id_has_a_page_and_a_name(visitor: Visitor, api: Api, player: str) -> None:
    seats = [{"seat": seat, "player": who, "stack": 100} for seat, who in ((1, player), (2, "bob"), (3, "cyd"))]
    opened = api.post(f"/v1/tables/{add_table(api)}/rounds", {"seats": seats})
    play_to_the_end(api, opened["id"])
    others = {f"/console/players/{other}" for other in ("bob", "cyd")}
    listed = {
        link.attrib["href"]
        for row in visitor.show("/players").iter("tbody")
        for cell in row.iter("th")
        for link in cell.iter("a")
    }
    [address] = listed - others
    path = address.removeprefix("/console")
    page = visitor.show(path)
    assert not [*page.iter("img")]
    assert player in text_of(page)
    assert table_cells(page, "Head-to-head")[1][0] == "bob"
    files = [link.attrib["href"] for link in page.iter("a") if "part=opponents" in link.attrib["href"]]
    assert [visitor.browser.get(each).status_code for each in files] == [200, 200]
    saved = visitor.submit(path, "/player-names", {"display_name": MARKUP})
    assert (saved.status_code, saved.location) == (303, address)
    for shown in (path, "/players", "/players/bob"):
        named = visitor.show(shown)
        assert MARKUP in text_of(named)
        assert not [*named.iter("img")]
    exported = {row["player"] for row in rows_of(visitor.get("/players?format=csv"))}
    assert exported == {"bob", "cyd", "'=1+1" if player == "=1+1" else player}
    erased = visitor.submit(path, "/player-names/erase", {})
    assert (erased.status_code, erased.location) == (303, address)
    assert api.get("/v1/players")["players"] == []


def test_metadata_are_saved_with_the_name_and_shown(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE)
    form = {"display_name": "Ann", "metadata": "member=0042\r\nsince=2021"}
    assert visitor.submit("/players/ann", "/player-names", form).status_code == 303
    assert api.get("/v1/players/ann")["metadata"] == {"member": "0042", "since": "2021"}
    shown = text_of(visitor.show("/players/ann"))
    assert all(text in shown for text in ("member", "0042", "since", "2021"))
    assert visitor.submit("/players/ann", "/player-names", {"display_name": "Anna"}).status_code == 303
    assert api.get("/v1/players/ann")["metadata"] == {"member": "0042", "since": "2021"}
    assert visitor.submit("/players/ann", "/player-names", {"display_name": "Ann", "metadata": ""}).status_code == 303
    assert api.get("/v1/players/ann")["metadata"] == {}


def test_a_refused_name_is_shown_again(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE)
    refused = visitor.submit("/players/ann", "/player-names", {"display_name": "x" * 101})
    assert refused.status_code == 422
    page = parse(refused)
    assert "is 101 characters long" in text_of(page)
    [name] = [each for each in page.iter("input") if each.attrib.get("name") == "display_name"]
    assert name.attrib["value"] == "x" * 101
    assert visitor.send("/player-names", {"player": "ann", "display_name": "Ann"}).status_code == 403, "no token"
    assert api.get("/v1/players")["players"] == []


def test_names_need_the_scope_write(house: House, api: Api) -> None:
    posted(api, hands=COMPLETE)
    club = stored_club(house, api)
    reader = Visitor.signed_in(house, Api(house.app, create_key(house.owner, club, name="r", scopes=("read",)).secret))
    page = reader.show("/players/ann")
    assert [each.attrib["action"] for each in page.iter("form") if each.attrib["method"] == "post"] == [
        "/console/sign-out"
    ]
    assert reader.send("/player-names", {"player": "ann", "display_name": "Ann"}).status_code == 403
    importer = create_key(house.owner, club, name="importer", scopes=("imports",))
    for path in ("/players", "/players/ann"):
        assert Visitor.signed_in(house, Api(house.app, importer.secret)).get(path).status_code == 403


def test_players_of_other_clubs_are_not_found(visitor: Visitor, other_api: Api) -> None:
    posted(other_api, hands=COMPLETE)
    response = visitor.get("/players/ann")
    assert response.status_code == 404
    assert "has played no round" in text_of(parse(response))
    assert "No players match" in text_of(visitor.show("/players"))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/players?sort=age", "expected one of player, hands, points"),
        ("/players?cursor=abc", "not a cursor"),
        ("/players?cursor=WzEsMl0=", "not a cursor"),
        ("/players/ann?ruleset=" + "x" * 101, "100"),
        ("/players/ann?part=all", "expected one of figures, opponents, hands"),
        ("/player", "Something is missing: the id."),
    ],
)
def test_invalid_values_are_refused_in_words(visitor: Visitor, path: str, message: str) -> None:
    response = visitor.get(path)
    assert response.status_code == 422
    assert message in text_of(parse(response))


def test_files_equal_the_page(visitor: Visitor, api: Api) -> None:
    posted(api, hands=COMPLETE)
    posted(api, table="attic", hands=[hand(1, 1, {1: HIGH, 2: MID})], sitting={1: "ann 50", 2: "eve 50"}, closed=CLOSED)
    for query in ("", "table=attic", "name=a", "sort=points"):
        shown = [row[0] for row in table_cells(visitor.show(f"/players?{query}"), "Players")[1:]]
        rows = rows_of(visitor.get(f"/players?format=csv&{query}"))
        assert [row["player"] for row in rows] == shown
        listed = json.loads(visitor.get(f"/players?format=json&{query}").text)
        assert [str(each["points"]) for each in listed] == [row["points"] for row in rows]
    everything = details_of(visitor, "ann")
    for part in ("opponents", "hands"):
        rows = rows_of(visitor.get(f"/players/ann?format=csv&part={part}"))
        assert [row["points"] for row in rows] == [str(each["points"]) for each in everything[part]]
        assert json.loads(visitor.get(f"/players/ann?format=json&part={part}").text) == everything[part]
    [row] = rows_of(visitor.get("/players/ann?format=csv"))
    assert row["fouls_rate_high"] == str(everything["figures"]["fouls_rate_high"])
