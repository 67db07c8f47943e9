"""
The lists of the console.

A list is declared once. Its page, its filter form, its orders, its links to other pages, its files as CSV and JSON, the
number of its results and their sums follow.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from flask import Response, request

from schemas.base import WireField
from schemas.fields import Choice, Text
from schemas.ledger.page_queries import PageNumber, Trail
from schemas.pages import CursorField, QuerySchema, show_cursor
from service.console.views.addresses import address_with, page_path, read_query
from service.console.views.exports import Column, send_list
from service.console.views.navigation.finding import Finder, Found, Option, find, refuse_unknown
from service.console.views.pages import render
from service.db import Transaction
from service.db.pages import Page
from service.http.authentication import READING, current_transaction
from service.http.streams import reserve_stream
from service.players.actions import list_names

PAGE_SIZE: Final = 50
"""How many rows of a list a page shows."""
FILE_PAGE: Final = 500
"""How many rows of a list are read at once for a file."""
MOST_COUNTED: Final = 1000
"""How many results are counted: of more, a page says that there are more."""

T = TypeVar("T")
Query = Mapping[str, Any]
"""The values of the filters of a list by their names, and its cursor."""


@dataclass(frozen=True, slots=True)
class Filter:
    """
    A field of the filter form of a list, and so a parameter of its address.

    Attributes:
        name: of the parameter.
        read: parses it; None if the schema of the list has it, or if it is found.
        label: of the input; None if the form has no input for it.
        options: for a selection, the values with their labels; the first one is chosen by default.
        kind: of the input: `text`, `date` or `hidden`.
        attributes: further attributes of the input.
        finder: finds what is meant by what a person writes; the list is filtered by that.
    """

    name: str
    read: WireField | None = None
    label: str | None = None
    options: Sequence[tuple[str, str]] = ()
    kind: str = "text"
    attributes: Mapping[str, Any] = field(default_factory=dict)
    finder: Finder | None = None


NAME: Final = {"autocapitalize": "none", "spellcheck": "false", "autocomplete": "off", "maxlength": 100}
"""The attributes of an input for a name or an ID."""
EVENINGS: Final = (
    Filter("from", label="First evening", kind="date"),
    Filter("to", label="Last evening", kind="date"),
)
"""The inputs for a period in evenings of the club, for a list with `schema=EveningsQuerySchema`."""


@dataclass(frozen=True, slots=True)
class Order:
    """
    An order of a list.

    Attributes:
        name: the value of the parameter `sort`.
        label: the order in words.
        column: the column that is in this order, whose heading leads to it; None if no column is.
        is_descending: whether the largest or newest value comes first.
    """

    name: str
    label: str
    column: str | None = None
    is_descending: bool = True

    @property
    def choice(self) -> tuple[str, str]:
        """The order as an option of a selection."""
        return self.name, self.label


def by_time(column: str) -> tuple[Order, Order]:
    """Return the orders of a list by a time, by default the newest first."""
    return Order("newest", "Newest first", column), Order("oldest", "Oldest first", column, is_descending=False)


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """
    A part of a list, if its places are no IDs, or if it has a note.

    Attributes:
        items: its rows.
        next_after: the place after which the next part starts; None at the end.
        note: a sentence about the part, above its rows.
    """

    items: Sequence[T]
    next_after: Any
    note: str | None = None


Sum = tuple[str, str]
"""A sum of the results of a list: what it is of, and how much it is."""


@dataclass(eq=False)
class Listing(Generic[T]):
    """
    A list of the console.

    Attributes:
        name: of its files, without the ending; names of the query in braces are replaced by their values.
        title: of its page.
        columns: all columns, those of the files and those of the page, in order.
        read: reads a part of it: with a query, from the row after a place, with a limit of rows. It sends the same
            number of statements for any number of rows.
        count: counts its results up to a limit, in one statement or a few, or returns None if the filter does not allow
            that.
        none: the text of the page if the list is empty.
        no_match: its text if no row matches the filter; by default the same.
        rows: what one of its rows is, and what several are.
        filters: the fields of its form.
        orders: the orders that it can have, the default one first.
        sums: returns sums of all results, where they mean something.
        schema: the schema to which the filters and the cursor are added.
        cursor: parses the cursor; `show_cursor` returns the cursor of a place.
        players: returns the players of a row, whose display names the page shows.
        lines: returns the rows of files for a row of the page; by default the row itself.
        label: of its table, for screen readers; by default the title.
        style: further classes of its table.
        is_stacked: whether a phone or an upright tablet shows a row in a few lines, with the headings of its cells.
    """

    name: str
    title: str
    columns: Sequence[Column[T]]
    read: Callable[[Transaction, Query, Any, int], Page[T] | Part[T]]
    count: Callable[[Transaction, Query, int], int | None]
    none: str
    no_match: str | None = None
    rows: tuple[str, str] = ("result", "results")
    filters: Sequence[Filter] = ()
    orders: Sequence[Order] = ()
    sums: Callable[[Transaction, Query], Sequence[Sum]] | None = None
    schema: type[QuerySchema] = QuerySchema
    cursor: WireField = field(default_factory=CursorField)
    show_cursor: Callable[[Any], str] = show_cursor
    players: Callable[[T], Iterable[str]] | None = None
    lines: Callable[[T], Iterable[T]] | None = None
    label: str = ""
    style: str = ""
    is_stacked: bool = True
    query: QuerySchema = field(init=False)
    """Parses the query of the page. Building a schema takes longer than to parse a query."""

    def __post_init__(self) -> None:
        """Build the schema of the query."""
        fields: dict[str, WireField] = {
            "form": Choice({form: form for form in ("csv", "json")}, data_key="format"),
            "ids": Choice({"raw": "raw"}),
            "part": Text(longest=40),
            "cursor": self.cursor,
            "page": PageNumber(),
            "back": Trail(),
        }
        if self.orders:
            names = {order.name: order.name for order in self.orders}
            fields["sort"] = Choice(names, load_default=self.orders[0].name)
        fields |= {each.name: each.read for each in self.filters if each.read is not None}
        fields |= {each.name: Text(longest=100) for each in self.filters if each.finder is not None}
        self.query = type(f"{self.name} query", (self.schema,), fields)()


@dataclass(frozen=True, slots=True)
class ShownList(Generic[T]):
    """
    A page of a list.

    Attributes:
        listing: the list.
        query: the values of its filters.
        rows: the rows of the page.
        note: what is said about the page.
        next_cursor: of the next page; None on the last one.
        total: the number of results, at most one more than is counted; None if it is not known.
        sums: sums of all results.
        display_names: those of players on the page, by ID.
        found: what is meant by the texts in filters.
        suggested: what the inputs of filters suggest, by the names of their parameters.
        address: of the page without a query.
    """

    listing: Listing[T]
    query: Query
    rows: Sequence[T]
    note: str | None
    next_cursor: str | None
    total: int | None
    sums: Sequence[Sum]
    display_names: Mapping[str, str]
    found: Sequence[Found]
    suggested: Mapping[str, Sequence[Option]]
    address: str

    @property
    def columns(self) -> list[Column[T]]:
        """The columns of the page."""
        return [column for column in self.listing.columns if column.heading is not None]

    @property
    def inputs(self) -> list[tuple[Filter, str]]:
        """The inputs of the filter form, with what they contain."""
        return [(each, self._sent(each.name)) for each in self.listing.filters if each.label is not None]

    @property
    def unknown(self) -> Sequence[Found]:
        """The texts in filters that mean nothing, or can mean several."""
        return [each for each in self.found if each.option is None]

    @property
    def order(self) -> Order | None:
        """The order of the list; None if it has one only."""
        return next((each for each in self.listing.orders if each.name == self.query["sort"]), None)

    def next_order(self, column: Column[T]) -> Order | None:
        """Return the order to which the heading of a column leads; None if the list cannot be in its order."""
        orders = [each for each in self.listing.orders if each.column == column.name]
        if self.order in orders:
            return orders[(orders.index(self.order) + 1) % len(orders)]
        return orders[0] if orders else None

    @property
    def counted(self) -> str | None:
        """The number of results in words; None if it is not known."""
        if self.total is None or self.unknown:
            return None
        one, many = self.listing.rows
        if self.total > MOST_COUNTED:
            return f"{MOST_COUNTED:,}+ {many}"
        return f"{self.total:,} {one if self.total == 1 else many}"

    @property
    def is_filtered(self) -> bool:
        """Whether the page has only some rows of the list."""
        chosen = (
            self._sent(each.name) not in ("", each.options[0][0] if each.options else "")
            for each in self.listing.filters
            if each.kind != "hidden"
        )
        return self.query["cursor"] is not None or any(chosen)

    @property
    def reset(self) -> str | None:
        """The address of the list without a filter; None if the page has none."""
        shown = [each.name for each in self.listing.filters if each.kind != "hidden"]
        return address_with(**dict.fromkeys(("cursor", "evening", "sort", *shown))) if self.is_filtered else None

    @property
    def empty(self) -> str:
        """What the page says if it has no rows."""
        return self.listing.no_match or self.listing.none if self.is_filtered else self.listing.none

    def _sent(self, name: str) -> str:
        evenings = self.query.get("evenings")
        if evenings is not None and name in ("from", "to"):
            day = evenings.first if name == "from" else evenings.last
            return "" if day is None else day.isoformat()
        return request.args.get(name, "")


def show_list(listing: Listing[T], template: str = "list.html", **values: Any) -> str | Response:
    """Render the page of a list, or send the list as a file if `?format=` says so."""
    file = send_list_file(listing)
    if file is not None:
        return file
    shown = read_list(listing)
    return render(template, shown=shown, display_names=shown.display_names, title=listing.title, **values)


def read_list(listing: Listing[T], **places: Any) -> ShownList[T]:
    """
    Read the page of a list that the query of the request asks for.

    Args:
        listing: the list.
        places: further values of the query, which are in the path: such as the webhook of the deliveries.
    """
    transaction = current_transaction()
    query = read_query(listing.query) | places
    meanings = _find(transaction, listing, query)
    is_known = all(each.option is not None for each in meanings)
    query |= {each.name: each.option and each.option.value for each in meanings}
    part: Page[T] | Part[T] = Part((), None)
    if is_known:
        part = listing.read(transaction, query, query["cursor"], PAGE_SIZE)
    players = {player for row in part.items for player in listing.players(row)} if listing.players else set()
    return ShownList(
        listing,
        query,
        part.items,
        part.note if isinstance(part, Part) else None,
        None if part.next_after is None else listing.show_cursor(part.next_after),
        listing.count(transaction, query, MOST_COUNTED + 1) if is_known else None,
        listing.sums(transaction, query) if listing.sums and is_known else (),
        list_names(transaction, players) if players else {},
        meanings,
        {each.name: each.finder.suggest(transaction) for each in listing.filters if each.finder is not None},
        page_path(),
    )


def _find(transaction: Transaction, listing: Listing[T], query: Query) -> list[Found]:
    """Find what is meant by the texts in the filters of a list."""
    return [
        find(transaction, each.finder, query[each.name], each.name)
        for each in listing.filters
        if each.finder is not None and query[each.name] is not None
    ]


def send_list_file(listing: Listing[T], **places: Any) -> Response | None:
    """Send all rows of a list that match the query of the request; None if it does not ask for a file, or is a form."""
    query = read_query(listing.query) | places
    if query["form"] is None or request.method not in READING:
        return None
    reserve_stream()
    # The first part is read before the response begins: an error in it is a page.
    transaction = current_transaction()
    query |= {each.name: refuse_unknown(each) for each in _find(transaction, listing, query)}
    part = listing.read(transaction, query, None, FILE_PAGE)
    rows = _read_all(transaction, listing, query, part)
    return send_list(listing.name.format_map(query), query["form"], listing.columns, rows)


def _read_all(transaction: Transaction, listing: Listing[T], query: Query, part: Page[T] | Part[T]) -> Iterator[T]:
    """Yield all rows of a list from its first part, in the snapshot of the request and in constant memory."""
    while True:
        for row in part.items:
            yield from (row,) if listing.lines is None else listing.lines(row)
        if part.next_after is None:
            return
        part = listing.read(transaction, query, part.next_after, FILE_PAGE)
