"""The list of tables by name: pages whose cursor is a table that was archived, renamed, or that the club lacks."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import event

from schemas.pages import show_cursor
from service.tables.queries import TableOrder, list_page
from tests.service.console.lists.test_lists import linked
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, table_cells
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import add_table

IN_USE = "/tables?sort=name"
ARCHIVED = "/tables?archived=true&sort=name"


@pytest.fixture
def visitor(house: House, api: Api, monkeypatch: pytest.MonkeyPatch) -> Visitor:
    monkeypatch.setattr("service.console.views.listing.PAGE_SIZE", 2)
    return Visitor.signed_in(house, api)


def change(api: Api, table: str, **changes: Any) -> None:
    assert api.patch(f"/v1/tables/{table}", changes).status == 200


def add_tables(api: Api, names: str) -> dict[str, str]:
    """Add a table for each letter in the order of the letters, and return their IDs."""
    return {name: add_table(api, name=name) for name in names}


def names_on(visitor: Visitor, path: str) -> tuple[str, str]:
    """Return the names on a page of the list, as one text, and the address of the next page."""
    page = visitor.show(path)
    return "".join(row[0] for row in table_cells(page, "Tables")[1:]), linked(page, "next") or ""


def names_from(visitor: Visitor, path: str) -> str:
    """Return the names on a page and all that follow."""
    names = ""
    while path:
        shown, path = names_on(visitor, path)
        names += shown
    return names


def test_tables_are_in_the_order_of_their_names(visitor: Visitor, api: Api) -> None:
    add_tables(api, "dbaec")
    assert names_from(visitor, IN_USE) == "abcde"
    assert names_from(visitor, IN_USE.replace("name", "oldest")) == "dbaec"


def test_a_page_goes_on_after_a_table_that_was_archived(visitor: Visitor, api: Api) -> None:
    tables = add_tables(api, "dbaec")
    first, following = names_on(visitor, IN_USE)
    assert first == "ab"
    change(api, tables["b"], is_archived=True)
    assert names_from(visitor, following) == "cde"
    assert names_from(visitor, IN_USE) == "acde"


def test_a_page_of_archived_tables_goes_on_after_one_that_is_in_use_again(visitor: Visitor, api: Api) -> None:
    tables = add_tables(api, "dbaec")
    for table in tables.values():
        change(api, table, is_archived=True)
    first, following = names_on(visitor, ARCHIVED)
    assert first == "ab"
    change(api, tables["b"], is_archived=False)
    assert names_from(visitor, following) == "cde"


def test_a_page_goes_on_after_the_new_name_of_a_table(visitor: Visitor, api: Api) -> None:
    tables = add_tables(api, "dbaec")
    _, following = names_on(visitor, IN_USE)
    change(api, tables["b"], name="cc")
    assert names_from(visitor, following) == "de"
    change(api, tables["b"], name="0")
    assert names_from(visitor, following) == "acde"


def test_archived_tables_of_one_name_are_on_one_page_each(visitor: Visitor, api: Api) -> None:
    ids = []
    for _ in range(5):
        ids.append(add_table(api, name="a"))
        change(api, ids[-1], is_archived=True)
    path, listed = ARCHIVED, []
    while path:
        page = visitor.show(path)
        listed += [
            link.attrib["href"].removeprefix("/console/tables/")
            for body in page.iter("tbody")
            for link in body.iter("a")
            if link.attrib["href"].startswith("/console/tables/")
        ]
        path = linked(page, "next") or ""
    assert listed == sorted(ids)


@pytest.mark.parametrize("path", [IN_USE, ARCHIVED])
def test_a_cursor_of_no_table_of_the_club_begins_with_the_first_one(
    visitor: Visitor, api: Api, other_api: Api, path: str
) -> None:
    for client, names in ((api, "bac"), (other_api, "xbz")):
        for table in add_tables(client, names).values():
            change(client, table, is_archived=path is ARCHIVED)
    theirs = other_api.get(f"/v1/tables?archived={str(path is ARCHIVED).lower()}")["tables"]
    for table in (*[each["id"] for each in theirs], str(uuid4()), str(UUID(int=0)), str(UUID(int=2**128 - 1))):
        assert names_from(visitor, f"{path}&cursor={show_cursor(UUID(table))}") == "abc", table


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("is_first", [False, True])
def test_an_index_has_the_order_by_name(house: House, api: Api, archived: bool, is_first: bool) -> None:
    tables = add_tables(api, "dbaec")
    for table in tables.values():
        change(api, table, is_archived=archived)
    plan = plan_of_page(house, api, archived=archived, after=None if is_first else UUID(tables["b"]))
    nodes = [*walk_plan(plan)]
    index = "tables_archived_name" if archived else "tables_name_key"
    assert index in [node.get("Index Name") for node in nodes], plan
    assert "Sort" not in [node["Node Type"] for node in nodes], plan


def plan_of_page(house: House, api: Api, **page: Any) -> dict[str, Any]:
    """Return the plan by which PostgreSQL reads a page of tables by name."""
    sent: list[tuple[str, Any]] = []

    def record(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        sent.append((statement, parameters))

    with database_of(house).reading(club_of(house, api)) as transaction:
        event.listen(transaction.connection, "before_cursor_execute", record)
        list_page(transaction, order=TableOrder.NAME, limit=3, **page)
        event.remove(transaction.connection, "before_cursor_execute", record)
        [(statement, parameters)] = sent
        # As in a large club, where reading and sorting the whole table is never the cheapest plan.
        transaction.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        transaction.connection.exec_driver_sql("SET LOCAL enable_sort = off")
        explained = transaction.connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
        plan: dict[str, Any] = explained.scalar_one()[0]["Plan"]
    return plan


def walk_plan(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from walk_plan(child)
