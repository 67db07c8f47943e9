"""The pages of tables and the ledger, and their files."""

import json
from collections import Counter
from contextlib import ExitStack
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from service.clubs.actions import create_key
from service.http.streams import MOST_STREAMS, count_stream
from tests.service.disputes.test_dispute_authors import stored_club
from tests.support.api_client import Api
from tests.support.api_disputes import opened
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, rows_of, table_cells, text_of
from tests.support.sample_rounds import (
    COMPLETE,
    NOBODYS,
    THREE,
    add_table,
    cards,
    close,
    complete_round,
    correct_round,
    document_of,
    hand,
    open_round,
    play,
    play_to_the_end,
    post_document,
    start_round,
)

MARKUP = '<img src=x onerror="alert(1)">&amp;\''
"""A text that would run a script where it is not escaped."""


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def play_evenings(api: Api) -> dict[str, str]:
    """Record rounds at tables in euros, in dollars and without money, and return the IDs of the tables."""
    for table, opened_at in (
        ("kitchen", "2026-10-20T20:00:00Z"),
        ("kitchen", "2026-10-21T20:00:00Z"),
        ("attic", "2026-10-21T22:00:00Z"),
    ):
        document = document_of(table=table, hands=COMPLETE, opened_at=opened_at, reference=opened_at)
        assert post_document(api, document | MONEY[table]).status == 201
    return {table["name"]: table["id"] for table in api.get("/v1/tables")["tables"]}


MONEY: dict[str, dict[str, Any]] = {
    "kitchen": {"point_value": 20, "unit": "EUR"},
    "attic": {"point_value": 7, "unit": "USD"},
}


def test_the_list_of_tables(visitor: Visitor, api: Api) -> None:
    assert "The club has no tables yet" in text_of(visitor.show("/tables"))
    kitchen = add_table(api, point_value=20, unit="EUR")
    add_table(api, name="attic")
    open_round(api, kitchen)
    page = visitor.show("/tables")
    head, attic, shown = table_cells(page, "Tables")
    assert head == ["Table", "Ruleset", "A point is", "Now", "Last round opened", "Created ↓"]
    assert attic[:5] == ["attic", "pineapple@1", "points only", "no open round", "never"]
    assert shown[:4] == ["kitchen", "pineapple@1", "EUR 0.20", "round open"]
    assert [each[0] for each in table_cells(visitor.show("/tables?name=CHEN"), "Tables")[1:]] == ["kitchen"]
    assert "No table matches this filter." in text_of(visitor.show("/tables?name=100%"))
    rows = rows_of(visitor.get("/tables?name=chen&format=csv"))
    assert [(row["id"], row["point_value"], row["unit"]) for row in rows] == [(kitchen, "0.20", "EUR")]
    listed = json.loads(visitor.get("/tables?format=json").text)
    assert [each["name"] for each in listed] == ["attic", "kitchen"]


def test_a_table_shows_its_settings_rounds_and_statement(visitor: Visitor, api: Api) -> None:
    table = play_evenings(api)["kitchen"]
    [round_, *_] = api.get(f"/v1/rounds?table={table}")["rounds"]
    page = visitor.show(f"/tables/{table}")
    text = text_of(page)
    assert "A point is€0.20" in text
    assert "No round is open." in text
    assert f"/console/rounds/{round_['id']}" in {link.attrib["href"] for link in page.iter("a")}
    assert table_cells(page, "Results")[1:] == [
        ["ann", "2", "100", "0", "−36", "+72", "136", "+14.40"],
        ["bob", "2", "100", "0", "0", "0", "100", "0.00"],
        ["cyd", "2", "100", "0", "+36", "−72", "64", "−14.40"],
        ["All players", "", "300", "0", "0", "0", "300", ""],
    ]
    assert table_cells(page, "Payments in points")[1:] == [["cyd", "ann", "72"]]
    assert table_cells(page, "Payments in EUR")[1:] == [["cyd", "ann", "14.40"]]


def test_the_ledger_lists_the_payments_of_every_hand(visitor: Visitor, api: Api) -> None:
    assert "The journal has no entries yet" in text_of(visitor.show("/ledger"))
    tables = play_evenings(api)
    page = visitor.show("/ledger?sort=oldest")
    head, first, *_ = lines = table_cells(page, "Entries")
    assert head[0] == "Written ↑"
    assert len(lines) == 1 + 27
    assert first[1:] == [
        "settlement",
        "kitchen",
        "1 2026-10-20T20:00:00Z",
        "cyd",
        "bob",
        "6",
        "6",
        "–",
        "EUR 1.20",
        "not final",
    ]
    assert len(table_cells(visitor.show("/ledger?table=kitchen"), "Entries")) == 1 + 18
    assert len(table_cells(visitor.show("/ledger?player=bob"), "Entries")) == 1 + 18
    assert len(table_cells(visitor.show("/ledger?from=2026-10-21&table=attic&player=bob"), "Entries")) == 1 + 6
    assert len(table_cells(visitor.show("/ledger?kind=settlement"), "Entries")) == 1 + 27
    assert "No entries match" in text_of(visitor.show("/ledger?kind=payment"))
    assert f"/console/tables/{tables['attic']}" in {link.attrib["href"] for link in page.iter("a")}


def test_the_ledger_shows_what_caps_cut_off(visitor: Visitor, api: Api) -> None:
    round_id = open_round(api, add_table(api), {1: "ann 100", 2: "bob 100", 3: "cyd 4"})["id"]
    play(api, round_id, hand(1, 1, THREE))
    close(api, round_id)
    lines = table_cells(visitor.show("/ledger"), "Entries")
    assert lines[1][6:10] == ["6", "4", "payer's stack", "points 4"]


@pytest.mark.parametrize(
    "query", ["", "table=kitchen", "player=bob", "player=ann&from=2026-10-21", "evening=2026-10-20&table=kitchen"]
)
def test_the_ledger_adds_up_to_the_statement_of_the_same_filter(visitor: Visitor, api: Api, query: str) -> None:
    tables = play_evenings(api)
    rows = rows_of(visitor.get(f"/ledger?format=csv&{query}"))
    listed = json.loads(visitor.get(f"/ledger?format=json&{query}").text)
    assert [(row["round"], row["hand"], row["payer"], row["paid"], row["unit"]) for row in rows] == [
        (each["round"], str(each["hand"]), each["payer"], str(each["paid"]), each["unit"]) for each in listed
    ]
    points: Counter[str] = Counter()
    money: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for player, sign in ((row["payer"], -1), (row["payee"], 1)):
            points[player] += sign * int(row["paid"])
            money[player, row["unit"]] += sign * Decimal(row["amount"])  # type: ignore[assignment]  # the sum starts at the integer 0
    parameters = query.replace("table=kitchen", f"table={tables['kitchen']}")
    statement = json.loads(visitor.get(f"/statement?period=all&format=json&{parameters}").text)
    player = dict(part.split("=") for part in query.split("&") if part).get("player")
    for each in statement["players"]:
        if player in (None, each["player"]):
            assert points[each["player"]] == each["net"]
            for unit, minor in each["money"].items():
                assert money[each["player"], unit] == Decimal(minor) / 100


@pytest.mark.parametrize("name", ["=1+1", "+49", "-1+1", "@a"])
def test_no_cell_of_a_file_runs_as_a_formula(visitor: Visitor, api: Api, name: str) -> None:
    table = add_table(api, name=f"{name}!")
    sitting = {1: f"{name} 100", 2: "bob 100", 3: "cyd 100"}
    play_to_the_end(api, open_round(api, table, sitting, reference=f"{name}?")["id"])
    for address in ("/ledger?", "/statement?", f"/tables/{table}?", "/tables?", "/statement?part=payments&"):
        rows = rows_of(visitor.get(f"{address}format=csv"))
        cells = {cell for row in rows for column, cell in row.items() if column not in ("net", "amount", "point_value")}
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
        assert any(cell.startswith(f"'{name}") for cell in cells)


def test_texts_are_escaped(visitor: Visitor, api: Api) -> None:
    table = add_table(api, name=MARKUP)
    seats = [{"seat": seat, "player": player, "stack": 100} for seat, player in ((1, MARKUP), (2, "bob"), (3, "cyd"))]
    opened = api.post(f"/v1/tables/{table}/rounds", {"seats": seats, "reference": MARKUP})
    play_to_the_end(api, opened["id"])
    for path in ("/tables", f"/tables/{table}", f"/tables/{table}?format=print", "/statement", "/ledger", "/money"):
        page = visitor.show(path)
        assert MARKUP in text_of(page)
        assert not [*page.iter("img")]
    queries = ("/ledger?player", "/ledger?table", "/rounds?ruleset", "/statement?player", "/tables?name", "/search?q")
    for query in queries:
        page = visitor.show(f"{query}=%3Cimg%3E")
        assert not [*page.iter("img")], query
        assert "<img>" in [each.attrib.get("value") for each in page.iter("input")], query
    printed = visitor.get("/statement?player=%3Cimg%3E&format=print")
    assert printed.status_code == 404
    assert "<img>" in text_of(parse(printed))


def test_display_names_are_shown_beside_ids(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    dispute_id = opened(api, round_id, hand=2)
    assert api.put("/v1/players/ann", {"display_name": "Ann <b>Example"}).status == 201
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    start_round(api, name="other")
    pages = (
        "/",
        "/statement",
        "/ledger",
        "/money",
        f"/tables/{table}",
        "/disputes",
        f"/disputes/{dispute_id}",
        "/rounds",
    )
    for path in (*pages, *(f"/rounds/{round_id}{part}" for part in ("", "/hands/2", "/revisions"))):
        if path.endswith("/revisions"):
            change = {"hand": 1, "seat": 1, "row": "top", "cards": cards("AhKd3d")}
            assert correct_round(api, round_id, {"reason": "x", "changes": [change]}).status == 201
        page = visitor.show(path)
        if path in ("/ledger", "/disputes", "/rounds"):
            # A list has the ID in the title of the link.
            named = [each for each in page.iter("a") if each.attrib.get("title") == "Ann <b>Example, ann"]
            assert {"".join(each.itertext()) for each in named} == {"Ann <b>Example"}, path
        else:
            assert "Ann <b>Example ann" in text_of(page), path


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/ledger?from=yesterday", "the first day is 'yesterday'; expected a date"),
        ("/ledger?from=2026-10-21&to=2026-10-20", "after the last evening"),
        ("/ledger?evening=2026-10-21&to=2026-10-22", "Choose an evening or a period, not both."),
        ("/ledger?cursor=abc", "not a cursor"),
        ("/ledger?unknown=1", "Load the page again."),
        ("/statement?table=kitchen", "expected a UUID"),
        ("/statement?format=pdf", "expected one of csv, json, print"),
        ("/tables?cursor=%00", "not a cursor"),
    ],
)
def test_invalid_values_are_refused_in_words(visitor: Visitor, path: str, message: str) -> None:
    response = visitor.get(path)
    assert response.status_code == 422
    assert message in text_of(parse(response))


def test_tables_of_other_clubs_are_not_found(visitor: Visitor, other_api: Api) -> None:
    theirs = add_table(other_api, name="theirs")
    play_to_the_end(other_api, open_round(other_api, theirs)["id"])
    assert "There is no table “theirs”." in text_of(visitor.show("/ledger?table=theirs"))
    for path in (f"/tables/{theirs}", f"/tables/{NOBODYS}", "/ledger?table=theirs&format=csv"):
        response = visitor.get(path)
        assert response.status_code == 404
        assert "There is no table" in text_of(parse(response))
    assert "theirs" not in visitor.get("/tables").text
    assert "No rounds match" in text_of(visitor.show(f"/statement?period=all&table={theirs}"))
    assert rows_of(visitor.get("/ledger?format=csv")) == []


@pytest.mark.parametrize(
    "path", ["/tables", f"/tables/{NOBODYS}", "/statement", "/ledger", "/ledger?format=csv", "/money"]
)
def test_the_pages_need_the_scope_read(house: House, api: Api, path: str) -> None:
    key = create_key(house.owner, stored_club(house, api), name="importer", scopes=("imports",))
    response = Visitor.signed_in(house, Api(house.app, key.secret)).get(path)
    assert response.status_code == 403
    assert "expected a key with the scope 'read'" in text_of(parse(response))


def test_other_files_wait_while_too_many_are_sent(visitor: Visitor, api: Api) -> None:
    complete_round(api)
    with ExitStack() as sending:
        for _ in range(MOST_STREAMS):
            count_stream(sending)
        refused = visitor.get("/ledger?format=csv")
        assert refused.status_code == 429
        assert "2 exports are being read" in text_of(parse(refused))
        assert api.get("/v1/export")["code"] == "exports-busy"
    for _ in range(MOST_STREAMS + 1):
        assert len(rows_of(visitor.get("/ledger?format=csv"))) == 9


def test_ids_are_uuids(visitor: Visitor) -> None:
    assert visitor.get("/tables/kitchen").status_code == 404
    assert visitor.get(f"/tables/{UUID(int=0)}").status_code == 404
