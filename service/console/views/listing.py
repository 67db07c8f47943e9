"""
The lists of the console.

A list is declared once. Its page, its filter form, its links to other pages and its files as CSV and JSON follow.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote

from flask import Response, request

from schemas.base import WireField
from schemas.fields import Choice, Text
from schemas.pages import CursorField, QuerySchema, show_cursor
from service.console.views.addresses import address_with, read_query, suggest_tables
from service.console.views.exports import Column, send_list
from service.console.views.pages import render
from service.console.views.session import console_state
from service.db import Transaction
from service.db.pages import Page
from service.http.authentication import READING, current_transaction
from service.http.streams import reserve_stream
from service.players.actions import list_names

PAGE_SIZE: Final = 50
"""How many rows of a list a page shows."""
FILE_PAGE: Final = 500
"""How many rows of a list are read at once for a file."""

T = TypeVar("T")
Query = Mapping[str, Any]
"""The values of the filters of a list by their names, and its cursor."""


@dataclass(frozen=True, slots=True)
class Filter:
    """
    A field of the filter form of a list, and so a parameter of its address.

    Attributes:
        name: of the parameter.
        read: parses it; None if the schema of the list has it.
        label: of the input; None if the form has no input for it.
        options: for a selection, the values with their labels; the first one is chosen by default.
        kind: of the input: `text`, `date` or `hidden`.
        attributes: further attributes of the input.
    """

    name: str
    read: WireField | None = None
    label: str | None = None
    options: Sequence[tuple[str, str]] = ()
    kind: str = "text"
    attributes: Mapping[str, Any] = field(default_factory=dict)


NAME: Final = {"autocapitalize": "none", "spellcheck": "false", "autocomplete": "off", "maxlength": 100}
"""The attributes of an input for a name or an ID."""
TABLE_NAME: Final = {**NAME, "list": "table-names"}
"""Those of an input for the name of a table, which suggests the names of tables."""
EVENINGS: Final = (
    Filter("from", label="First evening", kind="date"),
    Filter("to", label="Last evening", kind="date"),
)
"""The inputs for a period in evenings of the club, for a list with `schema=EveningsQuerySchema`."""


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
        none: the text of the page if the list is empty.
        no_match: its text if no row matches the filter; by default the same.
        filters: the fields of its form.
        schema: the schema to which the filters and the cursor are added.
        cursor: parses the cursor; `show_cursor` returns the cursor of a place.
        players: returns the players of a row, whose display names the page shows.
        lines: returns the rows of files for a row of the page; by default the row itself.
        label: of its table, for screen readers; by default the title.
        style: further classes of its table.
        is_stacked: whether a row is shown as a card on a phone.
    """

    name: str
    title: str
    columns: Sequence[Column[T]]
    read: Callable[[Transaction, Query, Any, int], Page[T] | Part[T]]
    none: str
    no_match: str | None = None
    filters: Sequence[Filter] = ()
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
        }
        fields |= {each.name: each.read for each in self.filters if each.read is not None}
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
        display_names: those of players on the page, by ID.
        tables: the names of tables that a filter suggests.
        address: of the page without a query.
    """

    listing: Listing[T]
    query: Query
    rows: Sequence[T]
    note: str | None
    next_cursor: str | None
    display_names: Mapping[str, str]
    tables: Sequence[str]
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
        return address_with(**dict.fromkeys(("cursor", "evening", *shown))) if self.is_filtered else None

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
    part = listing.read(transaction, query, query["cursor"], PAGE_SIZE)
    players = {player for row in part.items for player in listing.players(row)} if listing.players else set()
    suggests = any(each.attributes.get("list") == "table-names" for each in listing.filters)
    return ShownList(
        listing,
        query,
        part.items,
        part.note if isinstance(part, Part) else None,
        None if part.next_after is None else listing.show_cursor(part.next_after),
        list_names(transaction, players) if players else {},
        [name for _, name in suggest_tables()] if suggests else [],
        console_state().page_path or quote(request.path),
    )


def send_list_file(listing: Listing[T], **places: Any) -> Response | None:
    """Send all rows of a list that match the query of the request; None if it does not ask for a file, or is a form."""
    query = read_query(listing.query) | places
    if query["form"] is None or request.method not in READING:
        return None
    reserve_stream()
    # The first part is read before the response begins: an error in it is a page.
    transaction = current_transaction()
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
