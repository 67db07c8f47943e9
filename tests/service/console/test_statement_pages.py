"""Statements of tables and of the club, their files and their print pages."""

import json
from collections import Counter

import pytest

from tests.service.console.test_tables_and_ledger import MONEY, play_evenings
from tests.support.api_client import Api
from tests.support.api_disputes import opened
from tests.support.api_settlements import make_final
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, rows_of, table_cells, text_of
from tests.support.sample_rounds import (
    COMPLETE,
    THREE,
    add_table,
    document_of,
    hand,
    open_round,
    play,
    post_document,
)


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def play_round(api: Api, table: str) -> str:
    round_id = str(open_round(api, table)["id"])
    play(api, round_id, *COMPLETE)
    return round_id


def test_a_statement_of_an_evening(visitor: Visitor, api: Api) -> None:
    table = play_evenings(api)["kitchen"]
    page = visitor.show(f"/tables/{table}?evening=2026-10-20")
    assert "Evening of Tuesday 20 October 2026" in text_of(page)
    assert table_cells(page, "Results")[1][-3:] == ["+36", "136", "+7.20"]
    same = visitor.show(f"/tables/{table}?from=2026-10-20&to=2026-10-20")
    assert table_cells(same, "Results") == table_cells(page, "Results")
    current = [
        "".join(link.itertext())
        for link in page.iter("a")
        if link.attrib.get("aria-current") and "evening=" in link.attrib["href"]
    ]
    assert current == ["20 Oct 2026", "Fewest payments"]
    assert "No rounds match" in text_of(visitor.show(f"/tables/{table}?to=2026-10-19"))


def test_the_open_round_counts_as_it_is_now(visitor: Visitor, api: Api) -> None:
    table = add_table(api)
    round_id = open_round(api, table)["id"]
    play(api, round_id, hand(1, 1, THREE))
    page = visitor.show(f"/tables/{table}")
    assert "1 round, of which 1 is open and counts as now" in text_of(page)
    assert f"/console/rounds/{round_id}" in {link.attrib["href"] for link in page.iter("a")}


def test_a_statement_counts_its_rounds_by_settlement_state(visitor: Visitor, api: Api) -> None:
    tables = [add_table(api), add_table(api, name="attic")]
    played = [[play_round(api, table) for _ in range(2)] for table in tables]
    make_final(api, played[0][0])
    make_final(api, played[1][0])
    opened(api, played[1][1])
    open_round(api, tables[1])
    kitchen = "2 rounds. Settlements: 1 final, 1 provisional."
    club = "5 rounds, of which 1 is open and counts as now. Settlements: 2 final, 1 provisional, 1 disputed."
    for page, text in (
        (f"/tables/{tables[0]}?to=2099-01-01", kitchen),
        (f"/statement?table={tables[0]}", kitchen),
        ("/statement?period=all&player=ann", club),
    ):
        shown = visitor.show(page)
        assert text in text_of(shown)
        assert text in text_of(visitor.show(f"{page}&format=print"))
        links = {"".join(each.itertext()): each.attrib["href"] for each in shown.iter("a")}
        for state in (each.strip(" .") for each in text.partition("Settlements: ")[2].split(",")):
            if "table=" in page:
                assert state not in links, "the list of rounds is not filtered by several tables"
                continue
            rows = rows_of(visitor.get(f"{links[state].removeprefix('/console')}&format=csv"))
            assert f"{len({row['round'] for row in rows})} {rows[0]['state']}" == state


def test_the_club_statement_begins_with_the_last_evening(visitor: Visitor, api: Api) -> None:
    assert "No rounds match" in text_of(visitor.show("/statement"))
    play_evenings(api)
    page = visitor.show("/statement")
    assert "Evening of Wednesday 21 October 2026 2 rounds." in text_of(page)
    tabs = {"".join(link.itertext()): link.attrib for link in page.iter("a")}
    assert tabs["Last evening"]["aria-current"] == "page"
    assert "aria-current" not in tabs["All rounds"]
    everything = visitor.show(tabs["All rounds"]["href"].removeprefix("/console"))
    assert "All rounds 3 rounds." in text_of(everything)


def test_the_club_statement_never_adds_units(visitor: Visitor, api: Api) -> None:
    tables = play_evenings(api)
    page = visitor.show("/statement?period=all")
    assert table_cells(page, "Results")[1:4] == [
        ["ann", "All tables", "3", "0", "+108", "+14.40", "+2.52"],
        ["ann", "attic", "1", "0", "+36", "–", "+2.52"],
        ["ann", "kitchen", "2", "0", "+72", "+14.40", "–"],
    ]
    assert table_cells(page, "Payments in EUR")[1:] == [["cyd", "ann", "14.40"]]
    assert table_cells(page, "Payments in USD")[1:] == [["cyd", "ann", "2.52"]]
    both = visitor.show(f"/statement?period=all&table={tables['kitchen']}&table={tables['attic']}")
    assert table_cells(both, "Results") == table_cells(page, "Results")
    one = visitor.show(f"/statement?period=all&table={tables['attic']}")
    assert table_cells(one, "Results")[1] == ["ann", "attic", "1", "0", "+36", "+2.52"]
    assert "There is no player “nobody”." in text_of(visitor.show("/statement?player=nobody"))


@pytest.mark.parametrize("path", ["/statement?period=all&", "/tables/{kitchen}?", "/statement?evening=2026-10-21&"])
def test_the_files_of_a_statement_are_its_page(visitor: Visitor, api: Api, path: str) -> None:
    address = path.format(**play_evenings(api))
    rows = rows_of(visitor.get(f"{address}format=csv"))
    shown = visitor.show(address)
    cells = table_cells(shown, "Results")
    [heading] = [place for place, name in enumerate(cells[0]) if name == "Net points"]
    nets = {row[0]: row[heading].replace("−", "-").replace("+", "") for row in reversed(cells[1:])}
    summed: Counter[str] = Counter()
    for row in rows:
        summed[row["player"]] += int(row["net"] or 0)
    assert summed == {player: int(net) for player, net in nets.items() if player != "All players"}
    document = json.loads(visitor.get(f"{address}format=json").text)
    assert {each["player"]: each["net"] for each in document["players"]} == summed
    payments = rows_of(visitor.get(f"{address}format=csv&part=payments"))
    listed = [(each["payer"], each["payee"], each["amount"]) for each in document["payments"]["points"]]
    assert [(row["payer"], row["payee"], int(row["amount"])) for row in payments if not row["unit"]] == listed


def test_the_csv_file_of_a_table_has_the_columns_of_its_page(visitor: Visitor, api: Api) -> None:
    table = play_evenings(api)["kitchen"]
    in_dollars = document_of(table="kitchen", hands=COMPLETE, opened_at="2026-10-22T20:00:00Z", reference="dollars")
    assert post_document(api, in_dollars | MONEY["attic"]).status == 201
    rows = rows_of(visitor.get(f"/tables/{table}?format=csv"))
    places = ("rounds", "opening_stack", "top_ups", "between_rounds", "net", "stack")
    shown = table_cells(visitor.show(f"/tables/{table}"), "Results")
    assert shown[0][1:] == [
        *("Rounds", "Opening stack", "Added in rounds", "Between rounds", "Net points", "Stack"),
        *("EUR", "USD"),
    ]
    by_player = {row["player"]: [row[each] for each in places] for row in rows if row["rounds"]}
    plain = str.maketrans("−", "-", "+")
    assert list(by_player.items()) == [
        (cells[0], [each.translate(plain) for each in cells[1:7]]) for cells in shown[1:-1]
    ]
    assert [(row["table"], row["amount"], row["unit"], row["net"]) for row in rows if row["player"] == "ann"] == [
        ("kitchen", "14.40", "EUR", "108"),
        ("kitchen", "2.52", "USD", ""),
    ]


@pytest.mark.parametrize(("lines_of_page", "players_of_page"), [(2, 50), (200, 1), (200, 2), (4, 2)])
def test_a_long_statement_is_read_page_by_page(
    visitor: Visitor, api: Api, monkeypatch: pytest.MonkeyPatch, lines_of_page: int, players_of_page: int
) -> None:
    monkeypatch.setattr("service.console.views.accounting.statements._SIZE", lines_of_page)
    monkeypatch.setattr("service.console.views.accounting.statements._PLAYERS", players_of_page)
    table = play_evenings(api)["kitchen"]
    for path, lines in (("/statement?period=all", 9), (f"/tables/{table}?to=2099-01-01", 3)):
        address, rows = path, []
        while address:
            page = visitor.show(address)
            rows += [cells for cells in table_cells(page, "Results")[1:] if cells[0] != "All players"]
            following = [link.attrib["href"] for link in page.iter("a") if link.attrib.get("rel") == "next"]
            address = following[0].removeprefix("/console") if following else ""
        printed = table_cells(visitor.show(f"{path}&format=print"), "Results")[1:]
        assert rows == [cells for cells in printed if cells[0] != "All players"]
        assert len(rows) == lines
        assert {row["player"] for row in rows_of(visitor.get(f"{path}&format=csv"))} == {"ann", "bob", "cyd"}


def test_the_print_page_of_many_players_has_their_totals(
    visitor: Visitor, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_evenings(api)
    shown = visitor.show("/statement?period=all")
    monkeypatch.setattr("service.console.views.accounting.statements._MOST_PRINTED", 2)
    printed = visitor.show("/statement?period=all&format=print")
    totals = [cells for cells in table_cells(shown, "Results")[1:] if cells[1] == "All tables"]
    assert table_cells(printed, "Results")[1:] == totals
    assert "The results at each table are in the files of the statement." in text_of(printed)
    for name in ("points of €0.20", "points of US$0.07", "EUR", "USD"):
        assert table_cells(printed, f"Payments in {name}") == table_cells(shown, f"Payments in {name}")


def test_the_payments_of_a_page_are_shared_by_its_lists(
    visitor: Visitor, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.console.views.accounting.statements._MOST_PAYMENTS", 4)
    monkeypatch.setattr("service.console.views.accounting.statements._FEWEST_SHOWN", 1)
    for name in "abc":
        play_round(api, add_table(api, name=name))
    page = visitor.show("/statement?period=all&settle_up=pairs")
    printed = visitor.show("/statement?period=all&settle_up=pairs&format=print")
    for name in "abc":
        payments = table_cells(printed, f"Payments in points at {name}")
        assert len(payments) == 1 + 3
        assert table_cells(page, f"Payments in points at {name}") == payments[:2]
    assert text_of(page).count("The first 1 of 3 payments. The files and the print page have all.") == 3


def test_many_tables_whose_points_have_no_value_are_settled_up_in_their_own_statements(
    visitor: Visitor, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_evenings(api)
    play_round(api, add_table(api, name="cellar"))
    both = ("/statement?period=all", "/statement?period=all&settle_up=pairs")
    listed = [table_cells(visitor.show(path), "Payments in points at cellar") for path in both]
    monkeypatch.setattr("service.console.views.accounting.statements._MOST_LISTS", 0)
    for path, payments in zip(both, listed, strict=True):
        page = visitor.show(path)
        assert table_cells(page, "Results")[1][:5] == ["ann", "All tables", "4", "0", "+144"]
        assert table_cells(page, "Payments in EUR")[1:]
        assert "Payments in points at cellar" not in {each.attrib.get("aria-label") for each in page.iter("div")}
        assert "Points without a value: 1 table" in text_of(page)
        [link] = [each.attrib["href"] for each in page.iter("a") if each.attrib["href"].endswith("#settle")]
        monkeypatch.setattr("service.console.views.accounting.statements._MOST_LISTS", 1)
        own = visitor.show(link.removeprefix("/console").removesuffix("#settle"))
        assert table_cells(own, "Payments in points") == payments
        monkeypatch.setattr("service.console.views.accounting.statements._MOST_LISTS", 0)
        assert "at 1 table, are in the files" in text_of(visitor.show(f"{path}&format=print"))


def test_the_print_page_has_nothing_but_the_statement(visitor: Visitor, api: Api) -> None:
    table = play_evenings(api)["kitchen"]
    for path in (f"/tables/{table}", "/statement"):
        page = visitor.show(f"{path}?evening=2026-10-20&format=print")
        assert not [*page.iter("nav"), *page.iter("form"), *page.iter("header"), *page.iter("script")]
        assert (
            table_cells(page, "Results")[1:] == table_cells(visitor.show(f"{path}?evening=2026-10-20"), "Results")[1:]
        )
        [back] = page.iter("a")
        assert back.attrib["href"] == f"/console{path}?evening=2026-10-20"
