"""Every list of the console: page, files, cursors, filters, statements, and that another club sees nothing of it."""

import sys
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import pytest

from schemas.fields import Choice
from service.console.views.accounting.ledger import LEDGER
from service.console.views.audit import EVENTS
from service.console.views.keys import KEYS, SESSIONS
from service.console.views.listing import Listing
from service.console.views.rulesets import RULESETS
from tests.service.console.lists.cases import CASES, Case
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_lists import count_statements, read_files
from tests.support.browser.console_visitor import Visitor, table_cells, text_of


def list_declared() -> Iterator[Listing[Any]]:
    """Yield every list that a module of the console declares."""
    for name in [name for name in sys.modules if name.startswith("service.console.views")]:
        for value in vars(sys.modules[name]).values():
            yield from (each for each in (value.values() if isinstance(value, dict) else [value]) if is_list(each))


def is_list(value: Any) -> bool:
    return isinstance(value, Listing)


def test_every_list_is_tested() -> None:
    tested = {case.listing for case in CASES.values()}
    assert {each.label or each.title for each in set(list_declared()) - tested - {EVENTS[False]}} == set()


def join_query(path: str, *parameters: str) -> str:
    address, _, query = path.partition("?")
    return "?".join(filter(None, (address, "&".join(filter(None, (query, *parameters))))))


def rows_of(case: Case, page: Element) -> list[str]:
    """Return the rows of the list on a page as texts."""
    label = case.listing.label or case.listing.title
    if not [each for each in page.iter("div") if each.attrib.get("aria-label") == label]:
        return []
    return [" | ".join(cells) for cells in table_cells(page, label)[1:]]


def walk(visitor: Visitor, path: str) -> Iterator[Element]:
    """Yield the pages of a list, from one to the next, and check that each leads back to the one before."""
    before: list[str] = []
    while path:
        page = visitor.show(path)
        assert ("First page" in text_of(page)) is bool(before), path
        back = linked(page, "prev")
        assert (back is not None) is bool(before), path
        if back is not None:
            assert text_of(visitor.show(back)) == before[-1], back
        before.append(text_of(page))
        yield page
        path = linked(page, "next") or ""


def linked(page: Element, relation: str) -> str | None:
    """Return the address of the next page or of the one before."""
    links = [each.attrib["href"] for each in page.iter("a") if each.attrib.get("rel") == relation]
    return links[0].removeprefix("/console") if links else None


def files_of(case: Case, visitor: Visitor, path: str) -> list[str]:
    """Download a list, and return for each row of its pages what that row shows."""
    files = read_files(visitor, path)
    if case.listing is RULESETS:
        files = [each for each in files if each["kind"] == "custom"]
    items = {each[case.item] if case.item else number: each for number, each in enumerate(files)}
    return [str(each[case.shown]) for each in items.values()]


def check_same(case: Case, rows: list[str], files: list[str]) -> None:
    assert len(rows) == len(files)
    assert [value for row, value in zip(rows, files, strict=True) if value not in row] == []


@pytest.mark.parametrize("name", CASES)
def test_list(name: str, house: House, api: Api, other_api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    monkeypatch.setattr("service.console.views.listing.PAGE_SIZE", 100)
    theirs = case.add(house, other_api, range(2))
    assert rows_of(case, Visitor.signed_in(house, other_api).show(theirs))
    visitor = Visitor.signed_in(house, api)
    empty = case.add(house, api, range(0))
    assert empty == theirs or visitor.get(theirs).status_code == 404, "a page of another club"
    if case.listing not in (KEYS, SESSIONS):
        assert case.listing.none in text_of(visitor.show(empty)), "an empty list says so"
        assert (rows_of(case, visitor.show(empty)), files_of(case, visitor, empty)) == ([], [])

    few = case.add(house, api, range(2))
    orders = [f"sort={order.name}" for order in case.listing.orders]
    queries = ("", case.some, case.nothing, *case.others, *orders)
    counted = [count_statements(visitor, join_query(few, query)) for query in queries]
    path = case.add(house, api, range(2, 5))
    assert [count_statements(visitor, join_query(path, query)) for query in queries] == counted

    whole = rows_of(case, visitor.show(path))
    assert len(whole) >= 3
    check_same(case, whole, files_of(case, visitor, path))
    if case.some:
        some = join_query(path, case.some)
        assert 0 < len(rows_of(case, visitor.show(some))) < len(whole)
        check_same(case, rows_of(case, visitor.show(some)), files_of(case, visitor, some))
    if case.nothing:
        nothing = join_query(path, case.nothing)
        assert (case.listing.no_match or case.listing.none) in text_of(visitor.show(nothing))
        assert files_of(case, visitor, nothing) == []
    assert count_shown(case, visitor.show(path)) == len(whole), "the number of results"
    in_order = check_orders(case, visitor, path, whole)
    check_unknown_names(case, visitor, path)
    choices = [f"{each.name}=no-choice" for each in case.listing.filters if isinstance(each.read, Choice)]
    for query in ("cursor=x", "format=xml", "unknown=1", *choices):
        assert visitor.get(join_query(path, query)).status_code == 422, query
    check_form(case, visitor.show(path))

    monkeypatch.setattr("service.console.views.listing.PAGE_SIZE", 2)
    monkeypatch.setattr("service.console.views.listing.FILE_PAGE", 2)
    paged = [count_statements(visitor, join_query(path, query)) for query in ("", *orders)]
    of_one_page = [counted[0], *counted[len(counted) - len(orders) :]]
    # A page needs fewer statements if none of its rows is of a round.
    assert all(several <= one for several, one in zip(paged, of_one_page, strict=True)), "a list with several pages"
    assert {count_shown(case, page) for page in walk(visitor, path)} == {len(whole)}, "the number of results"
    if case.some:
        some = join_query(path, case.some)
        shown = [(count_shown(case, page), len(rows_of(case, page))) for page in walk(visitor, some)]
        assert {number for number, _ in shown} == {sum(rows for _, rows in shown)}, "the number of a filter"
    pages = [rows_of(case, page) for page in walk(visitor, path)]
    assert [len(page) for page in pages[:-1]] == [2] * (len(pages) - 1)
    assert [row for page in pages for row in page] == whole
    check_same(case, whole, files_of(case, visitor, path))
    for order in orders:
        of_order = [rows_of(case, page) for page in walk(visitor, join_query(path, order))]
        assert [row for page in of_order for row in page] == in_order[order], order
    monkeypatch.setattr("service.console.views.listing.MOST_COUNTED", 2)
    assert f"2+ {case.listing.rows[1]}" in text_of(visitor.show(path))


def test_lines_in_more_pieces_than_a_page_reads_have_their_number(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.imports.actions.imports.MOST_LINES", 1)
    page = CASES["lines"].add(house, api, range(12))
    visitor = Visitor.signed_in(house, api)
    assert count_shown(CASES["lines"], visitor.show(page)) == 13
    assert count_shown(CASES["lines"], visitor.show(f"{page}?status=refused")) == 12


def count_shown(case: Case, page: Element) -> int:
    """Return how many results a page says that its list has."""
    [head] = [each for each in page.iter("p") if each.attrib.get("class") == "list-head"]
    number, noun = "".join(head.itertext()).split()[:2]
    assert noun.rstrip(",") in case.listing.rows
    return int(number)


def check_orders(case: Case, visitor: Visitor, path: str, whole: list[str]) -> dict[str, list[str]]:
    """
    Check that every order has all rows, that the oldest come last unless they come first, and that headings lead.

    Returns:
        The rows in each order, by its parameter.
    """
    rows = {
        order.name: rows_of(case, visitor.show(join_query(path, f"sort={order.name}"))) for order in case.listing.orders
    }
    for name, listed in rows.items():
        assert sorted(listed) == sorted(whole), name
    if case.listing is LEDGER:
        # The lines of an entry of the ledger are in the order of payment.
        newest, oldest = (
            [*dict.fromkeys(each["id"] for each in read_files(visitor, f"{path}?sort={order}"))]
            for order in ("newest", "oldest")
        )
        assert newest == oldest[::-1]
    elif {"newest", "oldest"} <= rows.keys():
        assert rows["newest"] == rows["oldest"][::-1]
    headings = [each for each in visitor.show(path).iter("th") if each.attrib.get("scope") == "col"]
    linked_to = {each.attrib["href"].partition("sort=")[2] for heading in headings for each in heading.iter("a")}
    assert linked_to <= rows.keys()
    columns = {order.column for order in case.listing.orders} - {None}
    assert len([each for each in headings if each.find("a") is not None]) == len(columns)
    return {f"sort={name}": listed for name, listed in rows.items()}


def check_unknown_names(case: Case, visitor: Visitor, path: str) -> None:
    """Check that a page says which name is unknown, instead of that nothing matches."""
    for each in case.listing.filters:
        if each.finder is None:
            continue
        unknown = join_query(path, f"{each.name}=nobody or nothing")
        text = text_of(visitor.show(unknown))
        assert f"There is no {each.finder.noun} “nobody or nothing”." in text
        assert case.listing.none not in text
        assert rows_of(case, visitor.show(unknown)) == []
        assert visitor.get(join_query(unknown, "format=csv")).status_code == 404


def check_form(case: Case, page: Element) -> None:
    """Check that the form has an input with a label for each filter."""
    forms = [each for each in page.iter("form") if each.attrib.get("aria-label") == "Filter"]
    inputs = [each for form in forms for tag in ("input", "select") for each in form.iter(tag)]
    named = {each.attrib["name"] for each in inputs}
    sorted_by = {"sort"} if forms and len(case.listing.orders) > 1 else set()
    assert named == {each.name for each in case.listing.filters if each.label is not None} | sorted_by
    labelled = {each.attrib["for"] for form in forms for each in form.iter("label")}
    assert {each.attrib["name"] for each in inputs if each.attrib.get("type") != "hidden"} == labelled
