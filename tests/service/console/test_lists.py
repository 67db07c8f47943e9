"""Every list of the console: page, files, cursors, filters, statements, and that another club sees nothing of it."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4
from xml.etree.ElementTree import Element

import pytest

from schemas.fields import Choice
from schemas.rulesets import dump_ruleset
from scoring.presets import PRESETS
from service.clubs.actions import create_key
from service.console.views.accounting.claims import CLAIMS
from service.console.views.accounting.ledger import LEDGER
from service.console.views.accounting.money import PAYMENTS
from service.console.views.audit import EVENTS
from service.console.views.disputes.lists import DISPUTES
from service.console.views.findings import FINDINGS
from service.console.views.jobs import DIFFERENCES, JOBS, LINES
from service.console.views.keys import KEYS, SESSIONS
from service.console.views.links import LINKS
from service.console.views.listing import Listing
from service.console.views.players import PLAYERS
from service.console.views.proposals.pages import PROPOSALS
from service.console.views.rounds.lists import ROUNDS
from service.console.views.rulesets import RULESETS
from service.console.views.tables import TABLES
from service.console.views.webhooks import DELIVERIES, WEBHOOKS
from tests.service.console.sentences.test_findings import finding, verified
from tests.service.console.test_jobs import imported, started, work_on
from tests.service.console.test_rulesets import add_house_rules
from tests.service.console.test_webhooks import URL, add
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.feed.test_api_feed import join
from tests.service.links.linked_table import issue
from tests.support.api_client import Api
from tests.support.api_disputes import opened, step
from tests.support.application import House
from tests.support.auditors import proposed, withdraw
from tests.support.browser.console_lists import count_statements, read_files
from tests.support.browser.console_visitor import Visitor, table_cells, text_of
from tests.support.process_jobs import rounds_to_import
from tests.support.sample_rounds import add_table, complete_round
from tests.support.worker_process import lines_of

OTHER_RULES = "pineapple-2-4-us-none"
Add = Callable[[House, Api, range], str]
"""Adds rows of these numbers to a list, and returns the path of its page."""


@dataclass(frozen=True)
class Case:
    """
    A list, and how to fill it.

    Attributes:
        listing: the list.
        add: adds rows.
        shown: the column of the files whose values the rows of the page have too.
        some: a query with which the list has some of the rows.
        nothing: a query with which it has none.
        others: further queries for which the number of statements is compared.
        item: the column of the files that identifies a row of the page, if a row has several lines in the files.
    """

    listing: Listing[Any]
    add: Add
    shown: str
    some: str = ""
    nothing: str = ""
    others: tuple[str, ...] = ()
    item: str | None = None


def add_rounds(path: str) -> Add:
    def add_numbered(_: House, api: Api, numbers: range) -> str:
        for number in numbers:
            sitting = {1: "ann 100", 2: f"bob{number} 100", 3: f"cyd{number} 100"}
            complete_round(api, name=f"table {number}", sitting=sitting, point_value=10, unit="EUR")
        return path

    return add_numbered


def add_keys(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        create_key(house.owner, stored_club(house, api), name=f"key {number}", scopes=("read",))
    return "/keys"


def add_sessions(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        key = create_key(house.owner, stored_club(house, api), name=f"key {number}", scopes=("read",))
        visitor = Visitor.signed_in(house, Api(house.app, key.secret))
        if number == 0:
            visitor.submit("/", "/sign-out", {})
    return "/keys/sessions"


def add_links(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        issue(api, add_table(api, name=f"table {number}"), kind="viewer", label=f"screen {number}")
    return "/links"


def add_webhooks(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        add(api, url=f"{URL}/{number}")
    return "/webhooks"


def add_deliveries(_: House, api: Api, numbers: range) -> str:
    webhook = add(api, url=f"{URL}/{uuid4()}")["id"]
    for _number in numbers:
        assert api.request("POST", f"/v1/webhooks/{webhook}/test").status == 202
    return f"/webhooks/{webhook}"


def add_imports(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        page = imported(Visitor.signed_in(house, api), lines_of(rounds_to_import(1)) + b"{}\n" * number)
        if number == 0:
            work_on(house, api, page)
    return "/jobs"


def add_recomputations(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        page = started(Visitor.signed_in(house, api), reason=f"check {number}")
        if number == 0:
            work_on(house, api, page)
    return "/jobs?kind=recomputation"


def add_lines(house: House, api: Api, numbers: range) -> str:
    content = lines_of(rounds_to_import(1)) + b"{}\n" * (len(numbers) - 1) + f"{{{' ' * numbers.stop}\n".encode()
    page = imported(Visitor.signed_in(house, api), content)
    if numbers:
        work_on(house, api, page)
    return page


def add_differences(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        complete_round(api, name=f"table {number}")
    page = started(Visitor.signed_in(house, api), ruleset=OTHER_RULES, reason=f"to {numbers.stop}")
    work_on(house, api, page)
    return page


def add_disputes(tab: str) -> Add:
    def add_in_state(_: House, api: Api, numbers: range) -> str:
        for number in numbers:
            dispute = opened(api, complete_round(api, name=f"table {number}"), claim=f"claim {number}")
            if tab != "open":
                step(api, dispute, "review")
            if tab == "decided":
                step(api, dispute, "resolve")
        return f"/disputes?tab={tab}"

    return add_in_state


def add_events(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        add_table(api, name=f"table {number}")
    if numbers:
        join(house, api)
    return "/audit"


def add_payments(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        complete_round(api, name=f"table {number}", point_value=10, unit="EUR")
        payer = "cyd" if number % 2 else "bob"
        paid = {"payer": payer, "payee": "ann", "unit": "EUR", "amount": 100, "reference": f"paid {number}"}
        assert api.post("/v1/payments", paid).status == 201
    return "/money"


def add_proposals(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        path = proposed(api, complete_round(api, name=f"table {number}"), reason=f"misread {number}")
        if number == 0:
            withdraw(api, path)
    return "/proposals"


def add_claims(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        complete_round(api, name=f"table {number}", point_value=10, unit="EUR")
        payer = "cyd" if number % 2 else "bob"
        paid = {"payer": payer, "payee": "ann", "unit": "EUR", "amount": 100, "reference": f"claimed {number}"}
        claimed = api.post("/v1/payment-claims", paid)
        assert claimed.status == 201
        if number == 1:
            assert api.post(f"/v1/payment-claims/{claimed['id']}/withdraw", None).status == 201
    return "/money/claims"


def add_rulesets(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        add_house_rules(api, points=dump_ruleset(PRESETS["pineapple"])["points"] | {"scoop_bonus": number + 5})
    return "/rulesets"


def add_findings(house: House, api: Api, numbers: range) -> str:
    verified(house, api, [finding(number, UUID(int=number + 1)) for number in range(numbers.stop)])
    return "/findings"


CASES = {
    "tables": Case(TABLES, add_rounds("/tables"), "name", "name=LE 1", "name=100%"),
    "rounds": Case(
        ROUNDS, add_rounds("/rounds"), "table", "player=bob1", "from=2100-01-01", ("unusual=true",), "round"
    ),
    "players": Case(PLAYERS, add_rounds("/players"), "player", "name=BOB", "name=nobody", ("sort=hands",)),
    "ledger": Case(LEDGER, add_rounds("/ledger"), "payer", "player=bob1", "kind=reversal"),
    "payments": Case(PAYMENTS, add_payments, "reference", "player=bob", "unit=USD"),
    "proposals": Case(PROPOSALS, add_proposals, "reason", "state=withdrawn", "state=confirmed"),
    "claims": Case(CLAIMS, add_claims, "reference", "player=bob", "state=declined", ("state=pending",)),
    "keys": Case(KEYS, add_keys, "name"),
    "sessions": Case(SESSIONS, add_sessions, "key_name", "state=ended"),
    "links": Case(LINKS, add_links, "label", "table=table 1", "kind=player"),
    "webhooks": Case(WEBHOOKS, add_webhooks, "url"),
    "deliveries": Case(DELIVERIES, add_deliveries, "kind", nothing="state=delivered"),
    "imports": Case(JOBS["import"], add_imports, "state", "state=succeeded", "state=failed"),
    "recomputations": Case(JOBS["recomputation"], add_recomputations, "reason", "state=succeeded", "state=failed"),
    "lines": Case(LINES, add_lines, "line", "status=refused", "status=stored"),
    "differences": Case(DIFFERENCES, add_differences, "round"),
    **{
        f"{tab} disputes": Case(
            listing, add_disputes(tab), "claim", "table=table 1", "reviewer=nobody", ("unusual=true", "sort=money")
        )
        for tab, listing in DISPUTES.items()
    },
    "events": Case(EVENTS[True], add_events, "kind", "table=table 1", f"round={UUID(int=0)}"),
    "findings": Case(
        FINDINGS, add_findings, "sentence", f"round={UUID(int=1)}", f"round={UUID(int=0)}", ("state=new",)
    ),
    "rulesets": Case(RULESETS, add_rulesets, "ruleset"),
}


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
    check_orders(case, visitor, path, whole)
    check_unknown_names(case, visitor, path)
    choices = [f"{each.name}=no-choice" for each in case.listing.filters if isinstance(each.read, Choice)]
    for query in ("cursor=x", "format=xml", "unknown=1", *choices):
        assert visitor.get(join_query(path, query)).status_code == 422, query
    check_form(case, visitor.show(path))

    monkeypatch.setattr("service.console.views.listing.PAGE_SIZE", 2)
    monkeypatch.setattr("service.console.views.listing.FILE_PAGE", 2)
    pages = [rows_of(case, page) for page in walk(visitor, path)]
    assert [len(page) for page in pages[:-1]] == [2] * (len(pages) - 1)
    assert [row for page in pages for row in page] == whole
    check_same(case, whole, files_of(case, visitor, path))
    monkeypatch.setattr("service.console.views.listing.MOST_COUNTED", 2)
    assert f"2+ {case.listing.rows[1]}" in text_of(visitor.show(path))


def count_shown(case: Case, page: Element) -> int:
    """Return how many results a page says that its list has."""
    [head] = [each for each in page.iter("p") if each.attrib.get("class") == "list-head"]
    number, noun = "".join(head.itertext()).split()[:2]
    assert noun.rstrip(",") in case.listing.rows
    return int(number)


def check_orders(case: Case, visitor: Visitor, path: str, whole: list[str]) -> None:
    """Check that every order has all rows, that the oldest come last unless they come first, and that headings lead."""
    rows = {
        order.name: rows_of(case, visitor.show(join_query(path, f"sort={order.name}"))) for order in case.listing.orders
    }
    for name, listed in rows.items():
        assert sorted(listed) == sorted(whole), name
    # The lines of an entry of the ledger are in the order of payment.
    if {"newest", "oldest"} <= rows.keys() and case.listing is not LEDGER:
        assert rows["newest"] == rows["oldest"][::-1]
    headings = [each for each in visitor.show(path).iter("th") if each.attrib.get("scope") == "col"]
    linked_to = {each.attrib["href"].partition("sort=")[2] for heading in headings for each in heading.iter("a")}
    assert linked_to <= rows.keys()
    columns = {order.column for order in case.listing.orders} - {None}
    assert len([each for each in headings if each.find("a") is not None]) == len(columns)


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
