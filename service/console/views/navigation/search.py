"""The search: players, tables, rounds and references, by what is in the header of every page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from flask import url_for

from schemas.base import WireError
from schemas.fields import Text
from schemas.pages import QuerySchema
from schemas.tables import TableView
from service.clubs.scopes import KeyScope
from service.console.views.addresses import player_address, read_query
from service.console.views.pages import console, console_page, render
from service.console.views.session import club_zone
from service.db import Transaction
from service.http.authentication import current_transaction
from service.http.formats import format_amount, format_short_time
from service.ledger.actions.payments import find_payment
from service.players.actions import find_players
from service.rounds.actions.reading import search_rounds
from service.tables.actions import list_tables, view_table
from service.tables.queries import find_any

_MOST: Final = 10
"""How many results of each kind the page has."""
LONGEST: Final = 200
"""The most characters of a search, which the inputs have too."""


class SearchSchema(QuerySchema):
    """What is searched for."""

    q = Text(longest=LONGEST)


_SEARCH: Final = SearchSchema()


@dataclass(frozen=True, slots=True)
class Result:
    """
    A result of a search.

    Attributes:
        title: of the link.
        address: of its page.
        about: what else is known about it.
    """

    title: str
    address: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """
    The results of one kind.

    Attributes:
        title: what they are.
        first: the first results.
        has_more: whether there are more.
        all: the address of a list with all of them; None if there is none.
    """

    title: str
    first: Sequence[Result]
    has_more: bool = False
    all: str | None = None


@console.get("/search")
@console_page(KeyScope.READ)
def search() -> str:
    """Render what the club has under a text."""
    text = _read_text()
    results = [each for each in _search(current_transaction(), text) if each.first] if text else []
    return render("search.html", text=text, results=results)


def _read_text() -> str:
    """
    Return what is searched for, without spaces around it.

    Raises:
        WireError: it is too long, or has characters that no text has. The mistake is of the search, not of `q`.
    """
    try:
        text: str | None = read_query(_SEARCH)["q"]
    except WireError as error:
        mistakes = (
            replace(each, path=("query", "search")) if each.path == ("query", "q") else each for each in error.mistakes
        )
        raise WireError(tuple(mistakes)) from error
    return (text or "").strip()


def _search(transaction: Transaction, text: str) -> Sequence[Results]:
    known = find_any(transaction, text)
    exact = [] if known is None else [view_table(known)]
    exact += list_tables(transaction, reference=text, limit=1).items
    return (
        _find_players(transaction, text),
        _find_tables(transaction, text, exact, is_archived=False),
        _find_tables(transaction, text, exact, is_archived=True),
        _find_rounds(transaction, text),
        _find_payments(transaction, text),
    )


def _find_players(transaction: Transaction, text: str) -> Results:
    matches = find_players(transaction, text, _MOST + 1)
    results = [
        Result(each.display_name or each.player, player_address(each.player), each.player if each.display_name else "")
        for each in matches[:_MOST]
    ]
    return Results("Players", results, len(matches) > _MOST, url_for("console.list_players", name=text))


def _find_tables(transaction: Transaction, text: str, exact: Sequence[TableView], *, is_archived: bool) -> Results:
    """Find tables by a part of their name, after those with the text as their name, ID or reference."""
    by_name = list_tables(transaction, containing=text, archived=is_archived, limit=_MOST)
    first = [each for each in exact if (each.archived_at is not None) is is_archived]
    matches = [*{each.id: each for each in (*first, *by_name.items)}.values()]
    results = [
        Result(
            each.name,
            url_for("console.show_table", table_id=each.id),
            ", ".join(filter(None, (each.ruleset, each.reference))),
        )
        for each in matches[:_MOST]
    ]
    has_more = len(matches) > _MOST or by_name.next_after is not None
    address = url_for("console.list_tables", name=text, archived="true" if is_archived else None)
    return Results("Archived tables" if is_archived else "Tables", results, has_more, address)


def _find_rounds(transaction: Transaction, text: str) -> Results:
    """Find rounds by their ID and by how their references begin, and hands by their references."""
    matches = search_rounds(transaction, text, _MOST + 1)
    results = []
    for each in matches[:_MOST]:
        opened = format_short_time(each.opened_at, club_zone())
        if each.hand is None:
            title, address = each.reference or "Round", url_for("console.show_round", round_id=each.id)
        else:
            title = f"Hand {each.hand}: {each.reference}"
            address = url_for("console.show_hand", round_id=each.id, number=each.hand)
        results.append(Result(title, address, f"{each.table_name}, {opened}"))
    return Results("Rounds and hands", results, len(matches) > _MOST)


def _find_payments(transaction: Transaction, text: str) -> Results:
    payment = find_payment(transaction, text)
    if payment is None:
        return Results("Payments and charges", ())
    payer, payee = payment.payer or "the house", payment.payee or "the house"
    about = (
        f"{payment.kind.value} of {format_amount(payment.recorded.event.amount, payment.unit)} from {payer} to {payee}"
    )
    address = url_for("console.show_money", player=payment.payer or payment.payee, _anchor="recorded")
    return Results("Payments and charges", [Result(text, address, about)])
