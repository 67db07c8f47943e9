"""The page with plots: what it shows, its filter, its files, and what it refuses."""

import csv
import io
import json
import re
from urllib.parse import parse_qs, urlsplit
from uuid import UUID
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from flask import render_template_string
from werkzeug.test import TestResponse

from schemas.statistics.plots import PlotName
from service.clubs.actions import create_key
from service.clubs.scopes import KeyScope
from service.console.views.pages import _layout, console_page
from service.console.views.session import COOKIE
from service.http.request_state import RequestState, begin_request
from tests.service.disputes.test_dispute_authors import stored_club
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, is_attachment, parse, text_of
from tests.support.database.recorded_statements import recorded_statements
from tests.support.sample_rounds import COMPLETE, FOUL, MID, NOBODYS, document_of, hand, post_document

CLOSED = {"after_hand": 1, "reason": "midnight"}
MARKUP = "<img/src=x>"


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def play_evening(api: Api, rounds: int = 1, *, ann: str = "ann", table: str = "kitchen") -> tuple[str, str]:
    """Play rounds of one evening at a table, and return the ids of the table and of the last round."""
    for number in range(rounds):
        document = document_of(
            table=table,
            sitting={1: f"{ann} 100", 2: "bob 100", 3: "cyd 100"},
            hands=COMPLETE,
            opened_at=f"2026-11-20T20:{number:02}:00Z",
            reference=f"{number}",
        )
        response = post_document(api, document)
        assert response.status == 201, response
    return response["round"]["table"], response["round"]["id"]


def table_of(document: Element) -> list[list[str]]:
    """Return the table of a plot: its header, and the values of the cells."""
    [table] = document.iter("table")
    [header, *rows] = list(table.iter("tr"))
    shown = [["".join(cell.itertext()).strip() for cell in header]]
    for row in rows:
        cells = [[*cell.iter("data"), *cell.iter("time")] for cell in row]
        shown.append(
            ["".join(element.get("value") or element.attrib["datetime"] for element in cell) for cell in cells]
        )
    return shown


def files_of(document: Element) -> dict[str, str]:
    """Return the addresses of the files of a plot, by what they are called."""
    return {
        "".join(link.itertext()): link.attrib["href"].removeprefix("/console")
        for link in document.iter("a")
        if "download" in link.attrib
    }


def inputs_of(page: Element) -> dict[str, str | None]:
    """Return the values of the inputs of the form, by name."""
    [main] = page.iter("main")
    return {each.attrib["name"]: each.attrib.get("value") for each in main.iter("input") if "id" in each.attrib}


def test_the_page_begins_with_the_newest_evening(api: Api, visitor: Visitor) -> None:
    play_evening(api)
    shown = visitor.show("/plots")
    assert "Points won and lost over time · 20 Nov 2026" in text_of(shown)
    assert inputs_of(shown) == {"player": "", "highlight": "", "from": "2026-11-20", "to": "2026-11-20"}
    assert len(list(shown.iter("h1"))) == 1


def test_a_club_without_rounds_has_empty_plots(visitor: Visitor) -> None:
    for plot in PlotName:
        assert "No hands match the filter." in text_of(visitor.show(f"/plots?plot={plot}"))


def test_stacks_are_those_of_the_newest_evening_of_a_table(api: Api, visitor: Visitor) -> None:
    table, _ = play_evening(api, 2)
    shown = visitor.show("/plots?plot=stacks&from=2026-11-01")
    assert "Stacks after each hand · \u2068kitchen\u2069 · 20 Nov 2026" in text_of(shown)
    assert inputs_of(shown) == {"player": "", "highlight": "", "from": "2026-11-20", "to": "2026-11-20"}
    [chosen] = [each.attrib["value"] for each in shown.iter("option") if "selected" in each.attrib][1:]
    assert chosen == table


def test_a_line_is_chosen_in_the_address_and_on_the_page(api: Api, visitor: Visitor) -> None:
    play_evening(api)
    for query, chosen in (("", "ann"), ("?highlight=cyd", "cyd"), ("?highlight=nobody", "ann")):
        radios = [each for each in visitor.show(f"/plots{query}").iter("input") if each.get("type") == "radio"]
        assert [each.attrib["value"] for each in radios] == ["ann", "bob", "cyd"]
        assert [each.attrib["value"] for each in radios if "checked" in each.attrib] == [chosen]


def test_a_plot_leads_to_the_statement_of_its_rounds(api: Api, visitor: Visitor) -> None:
    table, round_id = play_evening(api, 2)
    for query, of_statement in (
        ("", "from=2026-11-20&to=2026-11-20"),
        (f"plot=fouls&table={table}", f"table={table}&period=all"),
        ("player=ann&from=2026-11-01&to=2026-11-30", "player=ann&from=2026-11-01&to=2026-11-30"),
    ):
        links = [each.attrib["href"] for each in visitor.show(f"/plots?{query}").iter("a")]
        [statement] = [each for each in links if each.startswith("/console/statement?")]
        assert parse_qs(urlsplit(statement).query) == parse_qs(of_statement)
        assert "2 rounds" in text_of(visitor.show(statement.removeprefix("/console")))
    for query in (f"plot=stacks&round={round_id}", "from=2026-11-20T20:00:00Z"):
        assert "statement of these rounds" not in text_of(visitor.show(f"/plots?{query}"))


@pytest.mark.parametrize("plot", list(PlotName))
def test_the_files_are_those_of_the_page(api: Api, visitor: Visitor, plot: str) -> None:
    table, round_id = play_evening(api, 2)
    for query in (f"table={table}", f"table={table}&player=ann&from=2026-11-20&to=2026-11-20", f"round={round_id}"):
        shown = visitor.show(f"/plots?plot={plot}&{query}")
        files = files_of(shown)
        assert files.keys() == {"SVG", "CSV", "JSON"}
        sent = visitor.get(files["CSV"])
        header, *rows = list(csv.reader(io.StringIO(sent.text, newline=""), strict=True))
        [titles, *cells] = table_of(shown)
        assert (len(titles), cells) == (len(header), rows)
        assert is_attachment(sent, plot, "csv")
        listed = json.loads(visitor.get(files["JSON"]).text)
        assert len(listed["places"]) == len(rows)
        drawn = visitor.get(files["SVG"])
        assert drawn.mimetype == "image/svg+xml"
        assert is_attachment(drawn, plot, "svg")
        assert "<style>" in drawn.text
        assert ElementTree.fromstring(drawn.text).tag.endswith("svg")


def test_days_are_evenings_and_both_are_included(api: Api, visitor: Visitor) -> None:
    play_evening(api)
    for query, hands in (
        ("from=2026-11-20", 1),
        ("from=2026-11-21", 0),
        ("to=2026-11-19", 0),
        ("to=2026-11-20", 1),
        ("evening=2026-11-20", 1),
        ("from=2026-11-20T20:00:00Z", 1),
        ("to=2026-11-20T20:00:00Z", 0),
    ):
        listed = visitor.get(f"/plots?plot=net&format=json&{query}").get_json()
        assert len(listed["places"]) == hands, query


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("plot=weather", "expected one of stacks"),
        ("table=kitchen", "expected a UUID"),
        ("from=2026-13-01", "expected a date"),
        ("from=2026-11-21&to=2026-11-19", "expected a moment before it"),
        ("evening=2026-11-20&from=2026-11-20", "not both"),
        ("from=9999-01-01", "expected 1900-01-01 to"),
        ("player=%00", "control, format and private characters"),
        ("highlight=%00", "control, format and private characters"),
    ],
)
def test_an_invalid_filter_is_explained(visitor: Visitor, query: str, sentence: str) -> None:
    response = visitor.get(f"/plots?{query}")
    assert response.status_code == 422
    shown = parse(response)
    assert sentence in text_of(shown)
    assert [form.get("action") for form in shown.iter("form")].count("/console/plots") == 1


def test_ids_of_other_clubs_are_not_found(api: Api, other_api: Api, visitor: Visitor) -> None:
    table, round_id = play_evening(other_api)
    for query in (f"table={table}", f"round={round_id}", f"round={NOBODYS}"):
        assert visitor.get(f"/plots?{query}").status_code == 404


def test_a_key_without_the_scope_sees_no_plots(house: House, api: Api) -> None:
    key = create_key(house.owner, stored_club(house, api), name="writer", scopes=[KeyScope.WRITE])
    visitor = Visitor.signed_in(house, Api(house.app, key.secret))
    assert visitor.get("/plots").status_code == 403


def test_names_are_text(api: Api, visitor: Visitor) -> None:
    table, round_id = play_evening(api, ann=MARKUP, table=f"{MARKUP}table")
    for plot in PlotName:
        response = visitor.get(f"/plots?plot={plot}&table={table}")
        assert MARKUP not in response.text
        assert response.status_code == 200
        assert MARKUP not in visitor.get(f"/plots?plot={plot}&round={round_id}&format=svg").text
    reflected = visitor.get(f"/plots?player={MARKUP}&round={MARKUP}&from={MARKUP}")
    assert MARKUP not in reflected.text
    assert reflected.status_code == 422


def test_the_policy_allows_no_inline_style_and_the_page_has_none(api: Api, visitor: Visitor) -> None:
    table, _ = play_evening(api)
    for plot in PlotName:
        response = visitor.get(f"/plots?plot={plot}&table={table}")
        assert "style-src 'self'" in response.headers["Content-Security-Policy"]
        assert not re.search(r"<style| style=|<script(?! type=\"module\" src)", response.text)


def read(visitor: Visitor, query: str) -> TestResponse:
    response = visitor.get(f"/plots?{query}")
    assert response.status_code == 200, response.text
    return response


def test_the_number_of_statements_does_not_grow_with_hands_players_and_tables(api: Api, visitor: Visitor) -> None:
    counted = []
    for size in (1, 6):
        for number in range(size):
            play_evening(api, 2 * size, table=f"table{size}-{number}", ann=f"ann{number}")
            fouled = document_of(table=f"table{size}-{number}", hands=[hand(1, 1, {1: FOUL, 2: MID})])
            post_document(api, {**fouled, "closed": CLOSED, "seats": fouled["seats"][:2]})
        of_size = []
        for plot in PlotName:
            table = "" if plot is not PlotName.STACKS else f"&table={api.get('/v1/tables')['tables'][0]['id']}"
            read(visitor, f"plot={plot}&from=2020-01-01{table}")
            with recorded_statements() as statements:
                read(visitor, f"plot={plot}&from=2020-01-01{table}")
            of_size.append(len(statements))
        counted.append(of_size)
    assert counted[0] == counted[1]
    assert max(counted[0]) <= 15


def test_every_page_can_embed_plots(house: House, api: Api, visitor: Visitor) -> None:
    _, round_id = play_evening(api)
    template = """
        {% extends "console/layout.html" %}
        {% block body %}{{ plot("stacks", round_id=round_id) }}{{ plot("net", player="ann") }}{% endblock %}
    """

    def show_page() -> str:
        return render_template_string(template, title="A page", round_id=UUID(round_id), **_layout())

    with house.app.test_request_context("/console/", headers={"Cookie": f"{COOKIE}={visitor.cookie}"}):
        begin_request(RequestState(None, "test"))
        shown = console_page(KeyScope.READ)(show_page)().get_data(as_text=True)
    assert shown.count('<figure class="plot panel">') == 2
    assert f"/console/plots?plot=stacks&amp;round={round_id}&amp;format=csv" in shown
    assert "/console/plots?plot=net&amp;player=ann&amp;format=svg" in shown
