"""The list of rounds: filters, pages, files, what is unusual, and what it refuses."""

import csv
import io
import json
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import pytest

from service.clubs.actions import create_key
from tests.service.disputes.test_dispute_authors import stored_club
from tests.support.api_client import Api
from tests.support.api_corrections import correct
from tests.support.api_disputes import MISREAD, opened
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    SIXES,
    THREE,
    Document,
    add_table,
    close,
    complete_round,
    document_of,
    hand,
    open_round,
    play,
    start_round,
)

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def rounds_on(document: Element) -> list[str]:
    """Return the ids of the rounds of a page, in order."""
    links = (each.attrib.get("href", "") for each in document.iter("a"))
    return [link.rpartition("/")[2] for link in links if link.startswith("/console/rounds/")]


def pages_of(visitor: Visitor, path: str) -> Iterator[Element]:
    """Show a list page by page, as its links lead."""
    while path:
        page = visitor.show(path)
        yield page
        following = [each.attrib["href"] for each in page.iter("a") if each.attrib.get("rel") == "next"]
        path = following[0].removeprefix("/console") if following else ""


def import_rounds(house: House, api: Api, count: int, table: str = "hall") -> None:
    end = {"after_hand": 1, "reason": "late"}
    documents = [
        document_of(sitting=SIXES, hands=[hand(1, 1, THREE)], closed=end, table=table, reference=f"{table}-{number}")
        for number in range(count)
    ]
    import_all(house, club_of(house, api), lines_of(documents))


def test_a_round_is_shown_with_its_players_and_state(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api, point_value=10, unit="EUR")
    page = visitor.show("/rounds")
    assert rounds_on(page) == [round_id]
    assert "kitchen ann +36bob 0cyd −36 3 pineapple@1 Provisional" in text_of(page)


def test_the_menu_marks_the_page(visitor: Visitor) -> None:
    marked = [each.text for each in visitor.show("/rounds").iter("a") if "aria-current" in each.attrib]
    assert marked == ["Rounds"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("table=attic", ["closed"]),
        ("player=dora", ["closed"]),
        ("player=nobody", []),
        ("ruleset=progressive", ["closed"]),
        ("ruleset=progressive@1", ["closed"]),
        ("ruleset=pineapple", ["open", "disputed"]),
        ("ruleset=pineapple@2", []),
        ("status=open", ["open"]),
        ("status=closed", ["closed"]),
        ("state=disputed", ["disputed"]),
        ("state=provisional", ["closed"]),
        ("from=2000-01-01&to=2000-01-02", []),
        ("from=2000-01-01", ["open", "closed", "disputed"]),
        ("to=2000-01-01", []),
        ("table=&player=&status=", ["open", "closed", "disputed"]),
    ],
)
def test_every_filter_selects_rounds(visitor: Visitor, api: Api, query: str, expected: list[str]) -> None:
    disputed = complete_round(api)
    opened(api, disputed)
    closed = start_round(api, "progressive", {1: "ann 100", 2: "dora 100"}, name="attic")
    close(api, closed)
    table = api.get(f"/v1/rounds/{disputed}")["table"]
    names = {"disputed": disputed, "closed": closed, "open": str(open_round(api, table)["id"])}
    assert rounds_on(visitor.show(f"/rounds?{query}")) == [names[name] for name in expected]


def test_a_period_is_in_evenings_of_the_club(house: House, api: Api, visitor: Visitor) -> None:
    house.change("UPDATE clubs SET time_zone = 'Pacific/Kiritimati' WHERE id = %s", club_of(house, api))
    table = api.get(f"/v1/rounds/{complete_round(api)}")["table"]
    late = open_round(api, table, opened_at="2026-03-01T20:00:00Z")
    assert late.status == 201, late
    assert rounds_on(visitor.show("/rounds?from=2026-03-02&to=2026-03-02")) == [late["id"]]
    assert rounds_on(visitor.show("/rounds?to=2026-03-01")) == []
    after_midnight = open_round(api, add_table(api, name="night"), opened_at="2026-03-01T14:00:00Z")
    assert after_midnight.status == 201, after_midnight
    assert rounds_on(visitor.show("/rounds?to=2026-03-01")) == [after_midnight["id"]]
    assert "1 Mar 2026" in text_of(visitor.show(f"/tables/{after_midnight['table']}")), "the page of the table agrees"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=yesterday", "expected a date, for example 2026-11-20"),
        ("status=lost", "expected one of"),
        ("cursor=xyz", "is not a cursor of this list"),
        ("unusual=perhaps", "expected true or false"),
        ("ruleset=" + "x" * 500, "100"),
        ("player=" + "x" * 500, "100"),
    ],
)
def test_an_invalid_filter_is_explained_on_a_page(visitor: Visitor, query: str, sentence: str) -> None:
    response = visitor.get(f"/rounds?{query}")
    assert response.status_code in (400, 422)
    assert sentence in text_of(parse(response))


def test_a_file_uses_a_connection_only_while_it_is_sent(visitor: Visitor, house: House, api: Api) -> None:
    import_rounds(house, api, 5)
    for number in range(30):
        response = visitor.get("/rounds?format=csv", buffered=False)
        if number % 2:
            assert len(list(response.response)) > 1
        response.close()
    assert rounds_on(visitor.show("/rounds")) != []


def test_no_cell_of_a_file_is_a_formula(visitor: Visitor, api: Api) -> None:
    complete_round(api, name="=1+1")
    rows = list(csv.DictReader(io.StringIO(visitor.get("/rounds?format=csv").text)))
    assert {row["table"] for row in rows} == {"'=1+1"}


def test_a_file_has_the_money_of_each_player(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api, name="friday", point_value=20, unit="EUR")
    net = api.get(f"/v1/rounds/{round_id}/settlement")["money"]["net"]
    rows = read_files(visitor, "/rounds")
    assert [(row["amount"], row["unit"]) for row in rows] == [(f"{each / 100:.2f}", "EUR") for each in net.values()]


def test_unusual_rounds_are_marked_and_selected(visitor: Visitor, api: Api) -> None:
    usual = complete_round(api)
    unusual = complete_round(api, name="attic")
    _correct_final(api, unusual)
    page = visitor.show("/rounds")
    assert text_of(page).count("Corrected after it was final") == 1
    selected = visitor.show("/rounds?unusual=true")
    assert unusual in rounds_on(selected)
    assert usual not in rounds_on(selected)
    assert "1 unusual among 2 examined rounds." in text_of(selected)
    row, *_ = json.loads(visitor.get("/rounds?unusual=true&format=json").text)
    assert (row["round"], row["unusual"]) == (unusual, "corrected-after-final")


def _correct_final(api: Api, round_id: str) -> None:
    for seat in (1, 2, 3):
        assert api.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat}).status == 201
    assert correct(api, round_id, patch=MISREAD).status == 201


def test_a_page_of_unusual_rounds_examines_a_hundred_and_goes_on(visitor: Visitor, house: House, api: Api) -> None:
    import_rounds(house, api, 130)
    pages = list(pages_of(visitor, "/rounds?unusual=true"))
    assert ["examined" in text_of(page) for page in pages] == [True, True]
    assert "0 unusual among 100 examined rounds; the next page examines others." in text_of(pages[0])
    assert "0 unusual among 30 examined rounds." in text_of(pages[1])


def test_texts_are_never_markup(house: House, visitor: Visitor, api: Api) -> None:
    sitting: Document = {"seats": [{"seat": 1, "player": SCRIPT, "stack": 9}, {"seat": 2, "player": "b", "stack": 9}]}
    table = api.post("/v1/tables", {"name": SCRIPT, "ruleset": "pineapple"})["id"]
    assert api.post(f"/v1/tables/{table}/rounds", {**sitting, "reference": SCRIPT}).status == 201
    response = visitor.get(f"/rounds?table={SCRIPT}&player={SCRIPT}")
    assert len(rounds_on(parse(response))) == 1
    assert SCRIPT not in response.text
    assert text_of(parse(response)).count(SCRIPT) == 3


def test_the_list_needs_the_scope_to_read(house: House, api: Api) -> None:
    key = create_key(house.owner, stored_club(house, api), name="importer", scopes=("imports",))
    response = Visitor.signed_in(house, Api(house.app, key.secret)).get("/rounds")
    assert response.status_code == 403
    assert "expected a key with the scope 'read'" in text_of(parse(response))


def test_the_page_of_an_open_round_follows_its_hands(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, hand(1, 1, THREE))
    assert "Open" in text_of(visitor.show("/rounds?status=open"))
