"""The search of the console: what it finds of the club, and nothing of another one, whatever is written into it."""

from urllib.parse import quote, urlencode
from xml.etree.ElementTree import Element

import pytest

from service.clubs.scopes import PRESET_SCOPES, KeyScope
from service.console.views.navigation.menu import CLUB, SUBJECTS
from service.console.views.navigation.search import LONGEST
from tests.service.console.test_signing_in import signed_in_with
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_lists import count_statements
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.sample_rounds import (
    COMPLETE,
    add_table,
    cards,
    correct_round,
    document_of,
    find_record,
    open_round,
    play,
    post_document,
    start_round,
    undo,
)

NOTHING = "Nothing has"
MOST_STATEMENTS = 20
"""Those of the session, the club and the layout included."""


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def search(visitor: Visitor, text: str) -> Element:
    return visitor.show(f"/search?{urlencode({'q': text})}")


def found_by(visitor: Visitor, text: str) -> dict[str, list[tuple[str, str]]]:
    """Return the titles and addresses of the results of each kind."""
    return {
        "".join(next(section.iter("h2")).itertext()): [
            ("".join(link.itertext()), link.attrib["href"].removeprefix("/console")) for link in section.iter("a")
        ]
        for section in search(visitor, text).iter("section")
    }


def add_round(api: Api, reference: str = "2026-07 A", table: str = "friday") -> str:
    """Record a round of which everything can be found, and return its ID."""
    sitting = {1: "ann 100", 2: "p-117 100", 3: "cyd_1 100"}
    opened = open_round(api, add_table(api, name=table), sitting, reference=reference)
    first, second, third = COMPLETE
    play(api, opened["id"], first, second | {"reference": f"{reference} hand 2"}, third)
    return str(opened["id"])


def test_players_are_found_by_a_part_of_their_id_or_name(visitor: Visitor, api: Api) -> None:
    add_round(api)
    assert api.put("/v1/players/p-117", {"display_name": "Béla Bartók"}).status == 201
    assert found_by(visitor, "AN")["Players"] == [("ann", "/players/ann")]
    assert api.put("/v1/players/annika", {"display_name": "Ann"}).status == 201
    assert found_by(visitor, "ann")["Players"] == [("ann", "/players/ann"), ("Ann", "/players/annika")]
    for text in ("p-117", "117", "bartók", "Béla"):
        assert found_by(visitor, text)["Players"] == [("Béla Bartók", "/players/p-117")], text


def test_aliases_lead_to_their_player(visitor: Visitor, api: Api) -> None:
    add_round(api)
    assert api.post("/v1/players/ann/aliases", {"alias": "annie-old"}).status == 201
    assert found_by(visitor, "annie-old")["Players"] == [("ann", "/players/ann")]


def test_tables_are_found_by_name_reference_and_id(visitor: Visitor, api: Api) -> None:
    table = add_table(api, name="Main room", reference="T-9")
    for text in ("main", "ROOM", "T-9", table):
        assert found_by(visitor, text)["Tables"] == [("Main room", f"/tables/{table}")], text
    assert api.patch(f"/v1/tables/{table}", {"is_archived": True}).status == 200
    for text in ("main", "T-9", table):
        assert found_by(visitor, text) == {"Archived tables": [("Main room", f"/tables/{table}")]}, text


def test_rounds_and_hands_are_found_by_id_and_reference(visitor: Visitor, api: Api) -> None:
    round_id = add_round(api)
    address = f"/rounds/{round_id}"
    for text in (round_id, round_id.upper(), "2026-07 A", "2026-0"):
        assert found_by(visitor, text)["Rounds and hands"] == [("2026-07 A", address)], text
    assert found_by(visitor, "2026-07 A hand 2") == {
        "Rounds and hands": [("Hand 2: 2026-07 A hand 2", f"{address}/hands/2")]
    }


def test_the_reference_of_a_hand_leads_to_its_record_in_force(visitor: Visitor, api: Api) -> None:
    round_id = add_round(api)
    results = [("Hand 2: 2026-07 A hand 2", f"/rounds/{round_id}/hands/2")]
    change = {"hand": 2, "seat": 1, "row": "top", "cards": cards("AhKd3d")}
    assert correct_round(api, round_id, {"reason": "misread", "changes": [change]}).status == 201
    assert found_by(visitor, "2026-07 A hand 2") == {"Rounds and hands": results}
    assert "3d" in text_of(visitor.show(results[0][1])).replace("3♦", "3d")


def test_the_reference_of_a_hand_that_was_undone_finds_nothing(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api, name="friday")
    play(api, round_id, COMPLETE[0] | {"reference": "first of all"})
    assert found_by(visitor, "first of all")["Rounds and hands"][0][1] == f"/rounds/{round_id}/hands/1"
    assert undo(api, round_id, 1).status == 201
    assert NOTHING in text_of(search(visitor, "first of all"))
    play(api, round_id, COMPLETE[0] | {"reference": "first of all", "restores": find_record(api, round_id, 1)})
    assert [title for title, _ in found_by(visitor, "first of all")["Rounds and hands"]] == ["Hand 1: first of all"]


def test_payments_are_found_by_their_reference(visitor: Visitor, api: Api) -> None:
    add_round(api)
    unit = api.get("/v1/tables")["tables"][0]["id"]
    paid = {"payer": "p-117", "payee": "ann", "unit": unit, "amount": 1, "reference": "cash 17"}
    assert api.post("/v1/payments", paid).status == 201
    [(title, address)] = found_by(visitor, "cash 17")["Payments and charges"]
    assert (title, address) == ("cash 17", "/money?player=p-117#recorded")


def test_more_results_are_a_link_or_a_sentence(visitor: Visitor, api: Api) -> None:
    for number in range(12):
        name = f"room {number}"
        add_round(api, f"night {number:02}", name)
        if number == 0:
            [table] = api.get("/v1/tables")["tables"]
            assert api.patch(f"/v1/tables/{table['id']}", {"is_archived": True}).status == 200
    results = found_by(visitor, "room")
    assert len(results["Tables"]) == 11
    label, address = results["Tables"][-1]
    assert label == "All tables with “room”"
    assert "11 tables" in text_of(visitor.show(address))
    assert results["Archived tables"] == [("room 0", f"/tables/{table['id']}")]
    page = text_of(search(visitor, "night"))
    assert "night 09" in page
    assert "night 10" not in page
    assert "There are more than these." in page
    assert "There are more" not in text_of(search(visitor, "night 1"))


@pytest.mark.parametrize(
    "text",
    ["%", "_", "\\", "'", '"', "a%n", "*", "🂡", "ﬀ", "\u0301", "=1+1", "x" * 200, "00000000-0000", " ", "{0}", "<b>"],
)
def test_characters_have_no_meaning(visitor: Visitor, api: Api, text: str) -> None:
    add_round(api)
    document = search(visitor, text)
    assert [*found_by(visitor, text)] == (["Players"] if text == "_" else [])
    assert (f"{NOTHING} “{text}”" in text_of(document)) is (text not in ("_", " "))
    [field] = [each for each in document.iter("input") if each.attrib.get("id") == "q"]
    assert field.attrib["value"] == text.strip()


@pytest.mark.parametrize("text", ["50%", "a_b", "it's", 'the "big" one', "back\\slash", "Ωmega 🂡", "<b>", "{0}"])
def test_characters_are_found_where_they_are(visitor: Visitor, api: Api, text: str) -> None:
    add_round(api, reference=text, table=f"room {text}")
    assert api.put("/v1/players/ann", {"display_name": text}).status == 201
    results = {kind: [title for title, _ in listed] for kind, listed in found_by(visitor, text).items()}
    assert results == {"Players": [text], "Tables": [f"room {text}"], "Rounds and hands": [text]}


def test_the_end_of_an_id_finds_nothing(visitor: Visitor, api: Api) -> None:
    assert NOTHING in text_of(search(visitor, add_round(api)[-6:]))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (f"q={'x' * 201}", "the search is 201 characters long; expected 1 to 200 characters."),
        (f"q={'x' * 5000}", "the search is 5000 characters long; expected 1 to 200 characters."),
        ("q=a%00b", "control, format and private characters"),
        ("q=a%1Bb", "control, format and private characters"),
        ("q=a%E2%80%AEb", "control, format and private characters"),
        ("text=ann", "Validation failed"),
    ],
)
def test_invalid_searches_are_refused_in_words(visitor: Visitor, api: Api, query: str, message: str) -> None:
    add_round(api)
    response = visitor.get(f"/search?{query}")
    assert response.status_code == 422
    assert message in text_of(parse(response))
    assert not [*parse(response).iter("section")]


def test_the_fields_take_no_longer_search_than_the_page(visitor: Visitor, api: Api) -> None:
    add_round(api)
    fields = [each for each in search(visitor, "x").iter("input") if each.attrib["name"] == "q"]
    assert {each.attrib.get("maxlength") for each in fields} == {str(LONGEST)}
    assert len(fields) == 2, "that of the header, and that of the page"
    assert visitor.get(f"/search?q={'x' * LONGEST}").status_code == 200


def test_bytes_that_are_no_text_are_refused_or_find_nothing(visitor: Visitor, api: Api) -> None:
    add_round(api)
    response = visitor.get("/search?q=%FFann")
    assert response.status_code in (200, 422)
    assert "/players/ann" not in response.text


def test_the_number_of_statements_does_not_grow_with_results(visitor: Visitor, api: Api) -> None:
    add_round(api, "night 00", "room 0")
    searches = ("ann", "room", "night", "n", "nothing at all")
    few = [count_statements(visitor, f"/search?q={quote(text)}") for text in searches]
    for number in range(1, 14):
        add_round(api, f"night {number:02}", f"room {number}")
        assert api.put(f"/v1/players/ann{number}", {"display_name": f"Ann {number}"}).status == 201
    many = [count_statements(visitor, f"/search?q={quote(text)}") for text in searches]
    assert many == few
    assert max(many) <= MOST_STATEMENTS
    assert count_statements(visitor, "/search") < min(many)


def test_no_search_finds_records_of_another_club(visitor: Visitor, api: Api, other_api: Api) -> None:
    round_id = add_round(other_api)
    [table] = other_api.get("/v1/tables")["tables"]
    paid = {"payer": "p-117", "payee": "ann", "unit": table["id"], "amount": 1, "reference": "cash 17"}
    assert other_api.post("/v1/payments", paid).status == 201
    assert other_api.put("/v1/players/p-117", {"display_name": "Béla"}).status == 201
    assert other_api.post("/v1/players/ann/aliases", {"alias": "annie"}).status == 201
    written = ("ann", "p-117", "Béla", "annie", "friday", table["id"], round_id, "2026-07 A hand 2", "2026", "cash 17")
    for text in written:
        document = search(visitor, text)
        assert NOTHING in text_of(document), text
        assert not [*document.iter("section")], text
    post_document(api, document_of(table="ours", sitting={1: "ann 100", 2: "dan 100"}, hands=[]))
    assert found_by(visitor, "ann") == {"Players": [("ann", "/players/ann")]}


@pytest.mark.parametrize("scope", KeyScope)
def test_the_search_needs_the_scope_of_what_it_finds(house: House, api: Api, scope: KeyScope) -> None:
    round_id = add_round(api)
    limited = signed_in_with(house, api, scope)
    for text in ("ann", "friday", round_id, "2026-07 A hand 2"):
        response = limited.get(f"/search?q={quote(text)}")
        assert response.status_code == (200 if scope is KeyScope.READ else 403), text
        [main] = parse(response).iter("main")
        links = [link.attrib["href"] for section in main.iter("section") for link in section.iter("a")]
        assert (links != []) is (scope is KeyScope.READ), text
        assert (round_id in str(links)) is (scope is KeyScope.READ and text not in ("ann", "friday")), text


@pytest.mark.parametrize(
    "scopes", [("audit",), ("admin",), ("imports", "recompute"), ("write", "webhooks"), *PRESET_SCOPES.values()]
)
def test_the_menu_and_the_search_open_with_the_scopes_of_the_key(
    house: House, api: Api, scopes: tuple[str, ...]
) -> None:
    add_round(api)
    limited = signed_in_with(house, api, *scopes)
    entries = [entry for _, pages in SUBJECTS for entry in pages] + [*CLUB]
    opened = {entry.title for entry in entries if set(entry.scopes) & set(scopes)}
    first = limited.get("/", follow_redirects=True)
    [header] = [each for each in parse(first).iter("header") if each.attrib.get("class") == "console-bar"]
    listed = {"".join(link.itertext()).strip(): link.attrib["href"] for link in header.iter("a")}
    can_read = "read" in scopes
    assert ("Search" in listed) is can_read
    assert ([form for form in header.iter("form") if form.attrib.get("role") == "search"] != []) is can_read
    club = {entry.title for entry in CLUB}
    assert listed.keys() & club == opened & club
    for address in listed.values():
        assert limited.get(address.removeprefix("/console")).status_code == 200, address
    response = limited.get("/search?q=ann")
    assert response.status_code == (200 if can_read else 403)
    assert ("/players/ann" in response.text) is can_read


def test_every_subject_has_one_place_in_the_menu(visitor: Visitor) -> None:
    [header] = [each for each in visitor.show("/").iter("header") if each.attrib.get("class") == "console-bar"]
    [menu] = header.iter("details")
    within = [*menu.iter("a")]
    assert ["".join(each.itertext()).strip() for each in header.iter("a") if each not in within] == [
        "Home", "Disputes", "Rounds", "Money", "Players", "Search",
    ]  # as a line  # fmt: skip
    assert "".join(next(menu.iter("summary")).itertext()).strip() == "Club"


def test_a_filter_finds_names_as_people_write_them(visitor: Visitor, api: Api) -> None:
    round_id = add_round(api, table="Friday night")
    assert api.put("/v1/players/p-117", {"display_name": "Béla Bartók"}).status == 201
    for query in ("player=béla", "player=Bartók", "player=117", "table=friday", "table=FRIDAY night"):
        page = visitor.show(f"/rounds?{quote(query, safe='=')}")
        assert f"/console/rounds/{round_id}" in [each.attrib.get("href") for each in page.iter("a")], query
    several = visitor.show("/rounds?player=n")
    assert "There is no player" not in text_of(several)
    [suggested] = [each for each in visitor.show("/rounds").iter("datalist") if each.attrib["id"] == "player-suggested"]
    assert [option.attrib["value"] for option in suggested.iter("option")] == ["ann", "cyd_1", "p-117"]


def test_a_filter_asks_which_of_several_is_meant(visitor: Visitor, api: Api) -> None:
    for number in range(9):
        add_table(api, name=f"room {number}")
    text = text_of(visitor.show("/rounds?table=room"))
    assert "8 or more tables match “room”. Which one?" in text
    assert "No rounds match" not in text
    assert "Several tables match “room”" not in text
