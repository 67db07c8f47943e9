"""The statement of the club, and what it shares with those of single tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

from flask import Response

from schemas.ledger.club_statements import (
    ClubStatementView,
    PlayerAtTable,
    PlayerInClub,
    PlayerResult,
    dump_club_statement,
    dump_statement_rows,
)
from schemas.ledger.page_queries import Evenings, StatementPageQuerySchema
from schemas.ledger.settling import Settled, Worth
from schemas.ledger.statements import StatementView
from schemas.money import Unit, show_decimal
from schemas.pages import show_cursor
from scoring.settle_up import Payment
from service.clubs.scopes import KeyScope
from service.console.views.accounting.months import list_months, players_of_months
from service.console.views.addresses import (
    address_with,
    period_of,
    read_query,
    show_evenings,
    suggest_tables,
)
from service.console.views.exports import Column, send_blocks, send_list, wants_raw
from service.console.views.navigation.finding import PLAYER, find_all, refuse_unknown
from service.console.views.pages import console, console_page, render
from service.console.views.session import current_club
from service.db import Transaction
from service.http.authentication import current_transaction
from service.http.formats import format_money
from service.http.responses import encode_json
from service.ledger.actions.statements import get_club_statement, get_club_totals, list_tables_of
from service.ledger.queries.statements import list_tables_without_value
from service.players.actions import list_names
from service.rounds.actions.reading import list_rounds
from service.rounds.queries.overviews import UNSETTLED, count_unsettled
from service.rounds.queries.round_filter import RoundFilter
from service.tables.queries import list_names as list_table_names

T = TypeVar("T")
_SIZE: Final = 200
"""The number of lines of a statement on one page."""
_PLAYERS: Final = 50
"""The number of players whose tables are read for one page."""
_MOST_PRINTED: Final = 200
"""The number of players up to which a print page has their tables."""
_PARTS: Final = 2**32
"""A cursor is the place of a player times this number, and the number of the line of this player."""
_MOST_PAYMENTS: Final = 100
_FEWEST_SHOWN: Final = 10
"""The number of payments on a page, which lists share equally, and the number that each list has at least."""
_MOST_LISTS: Final = 10
"""The number of tables whose points have no value up to which a page settles up each of them."""


@dataclass(frozen=True, slots=True)
class PaymentList:
    """
    Payments that settle up: in points of one worth, or in money of one unit.

    Attributes:
        title: what they are in, in words.
        unit: the unit of the money; None for points.
        worth: what the points are worth; None for money.
        table: the name of the table, if the points have no value.
        most: the number of payments that a page shows.
    """

    title: str
    unit: Unit | None
    worth: Worth | None
    table: str | None
    payments: Sequence[Payment]
    is_fewest: bool
    most: int

    @property
    def first(self) -> Sequence[Payment]:
        """The payments that a page shows; files and the print page have all."""
        return self.payments[: self.most]


@dataclass(frozen=True, slots=True)
class ListedPayment:
    """A payment in points of one worth, or in money of one unit."""

    within: PaymentList
    payment: Payment

    @property
    def amount(self) -> str:
        """The amount as a decimal number."""
        return _show_decimal(self.payment.amount, self.within.unit)

    @property
    def point_value(self) -> str | None:
        """The value of a point as a decimal number; None for money, and for points without a value."""
        worth = self.within.worth
        return None if worth is None or worth.point_value is None else _show_decimal(worth.point_value, worth.unit)

    @property
    def point_unit(self) -> str | None:
        """The unit of that value."""
        worth = self.within.worth
        return worth.unit.code if worth and worth.unit else None


def _show_decimal(amount: int, unit: Unit | None) -> str:
    return str(amount) if unit is None else show_decimal(amount, unit)


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A line of a statement: a player's result in total, or at one table."""

    player: str
    table: str | None
    table_name: str | None
    result: PlayerResult


PAYMENTS: Final[Sequence[Column[ListedPayment]]] = (
    Column("payer", lambda listed: listed.payment.payer),
    Column("payee", lambda listed: listed.payment.payee),
    Column("amount", lambda listed: listed.amount, is_decimal=True),
    Column("unit", lambda listed: listed.within.unit and listed.within.unit.code),
    Column("point_value", lambda listed: listed.point_value, is_decimal=True),
    Column("point_unit", lambda listed: listed.point_unit),
    Column("table", lambda listed: listed.within.table),
)


@console.get("/statement")
@console_page(KeyScope.READ)
def show_club_statement() -> str | Response:
    """Render the statement over the tables of a filter, of the last evening if none is chosen, or send it as a file."""
    query = read_query(StatementPageQuerySchema())
    if query["evenings"] == Evenings() and query["period"] is None:
        query["evenings"] = _last_evening()
    transaction, sent = current_transaction(), query["player"]
    query, unknown = find_all(transaction, query, {"player": PLAYER})
    if unknown and query["form"] is not None:
        refuse_unknown(unknown[0])
    tables = () if unknown else query["tables"]
    filter_ = RoundFilter(tables=tables, player=query["player"], **period_of(query))
    if query["form"] in ("csv", "json"):
        whole = get_club_statement(transaction, filter_, query["settle_up"])
        rows, document = partial(dump_statement_rows, whole, raw=wants_raw()), partial(dump_club_statement, whole)
        return send_statement("statement", query, whole, rows, document)
    unlisted = list_tables_without_value(transaction, filter_)
    if len(unlisted) <= _MOST_LISTS:
        unlisted = []
    view = get_club_totals(transaction, filter_, query["settle_up"], with_value=bool(unlisted))
    is_print = query["form"] == "print"
    results, next_cursor = _print(transaction, filter_, view) if is_print else _page(transaction, filter_, view, query)
    payments = list_payments(view.settled, has_others=bool(unlisted))
    months = [] if is_print or unknown else list_months(transaction, filter_, query["evenings"])
    players = _players_of(results, payments, is_print=is_print) | players_of_months(months)
    return render(
        "statement_print.html" if is_print else "statement.html",
        view=view,
        settlements=count_settlements(view, filter_),
        rounds_filter=None if query["tables"] else find_rounds(query["evenings"], player=query["player"]),
        results=results,
        months=months,
        unknown=unknown,
        sent_player=sent,
        suggested=PLAYER.suggest(transaction),
        next_cursor=next_cursor,
        has_tables=not is_print or len(view.players) <= _MOST_PRINTED,
        units=view.units,
        payments=payments,
        unlisted=unlisted,
        display_names=list_names(transaction, players),
        period=show_evenings(query["evenings"]),
        tables=suggest_tables(query["tables"] or ()),
        chosen={str(table) for table in query["tables"] or ()},
        query=query,
        page_address=address_with(format=None),
        as_of=transaction.now,
    )


def _print(
    transaction: Transaction, filter_: RoundFilter, view: ClubStatementView
) -> tuple[Sequence[ResultLine], None]:
    """Return the lines of all players: with their tables, if the players are few."""
    in_order = view.in_order
    if len(in_order) > _MOST_PRINTED:
        return [ResultLine(each.player, None, None, each.result) for each in in_order], None
    tables = list_tables_of(transaction, filter_, [each.player for each in in_order])
    return [line for each in in_order for line in list_results(each, tables[each.player])], None


def _page(
    transaction: Transaction, filter_: RoundFilter, view: ClubStatementView, query: Mapping[str, Any]
) -> tuple[Sequence[ResultLine], str | None]:
    """Return the lines of a page, and the cursor of the next page."""
    begin, part = divmod(0 if query["cursor"] is None else query["cursor"].int, _PARTS)
    in_order = view.in_order
    shown = in_order[begin : begin + _PLAYERS]
    tables = list_tables_of(transaction, filter_, [each.player for each in shown])
    listed = [
        (_PARTS * place + number, line)
        for place, each in enumerate(shown, start=begin)
        for number, line in enumerate(list_results(each, tables[each.player]))
    ][part:]
    following = listed[_SIZE][0] if len(listed) > _SIZE else _PARTS * (begin + _PLAYERS)
    is_last = following >= _PARTS * len(in_order)
    return [line for _, line in listed[:_SIZE]], None if is_last else show_cursor(UUID(int=following))


def _players_of(results: Iterable[ResultLine], payments: Iterable[PaymentList], *, is_print: bool) -> set[str]:
    """Return the players of results, and of the payments that are shown."""
    shown = (payment for each in payments for payment in (each.payments if is_print else each.first))
    paying = {player for payment in shown for player in (payment.payer, payment.payee)}
    return {line.player for line in results} | paying


def _last_evening() -> Evenings:
    """Return the evening of the newest round; without rounds, any period."""
    newest = list_rounds(current_transaction(), RoundFilter(), after=None, limit=1).items
    day = current_club().evening_of(newest[0].opened_at) if newest else None
    return Evenings(day, day)


def cut_lines(lines: Sequence[T], query: Mapping[str, Any], size: int | None = None) -> tuple[Sequence[T], str | None]:
    """Return the lines of a page, and the cursor of the next page. A print page has all lines."""
    if query["form"] == "print":
        return lines, None
    begin = 0 if query["cursor"] is None else query["cursor"].int
    end = begin + (size or _SIZE)
    return lines[begin:end], show_cursor(UUID(int=end)) if end < len(lines) else None


def send_statement(
    name: str,
    query: Mapping[str, Any],
    view: ClubStatementView | StatementView,
    rows: Callable[[], bytes],
    document: Callable[[], Any],
) -> Response:
    """Send a statement as CSV (`rows`), its payments as CSV, or both as JSON (`document`)."""
    if query["form"] == "json":
        return send_blocks(name, "json", [encode_json(document()) + b"\n"])
    if query.get("part") == "payments":
        return send_list(f"{name}-payments", "csv", PAYMENTS, flatten_payments(list_payments(view.settled)))
    return send_blocks(name, "csv", [rows()])


def count_settlements(view: ClubStatementView | StatementView, filter_: RoundFilter) -> list[tuple[str, int]]:
    """Return how many rounds of a statement have a settlement in each state; open ones are left aside."""
    unsettled = count_unsettled(current_transaction(), filter_)
    final = view.rounds - view.open_rounds - sum(unsettled.values())
    counted = [("final", final), *((state.value, unsettled.get(state, 0)) for state in UNSETTLED)]
    return [(state, count) for state, count in counted if count]


def find_rounds(evenings: Evenings, **others: str | None) -> dict[str, str]:
    """Return the query of the list of rounds for a period and other filters."""
    query = {"from": evenings.first, "to": evenings.last, **others}
    return {name: str(value) for name, value in query.items() if value is not None}


def list_payments(settled: Settled, *, has_others: bool = False) -> list[PaymentList]:
    """
    Return the payments of a statement: in points of each worth, and in each unit.

    Args:
        settled: the payments.
        has_others: whether the rounds have other points, which are settled up elsewhere.
    """
    tables = list_table_names(current_transaction(), [UUID(each.table) for each in settled.in_points if each.table])
    names = {str(table): name for table, name in tables.items()}
    most = max(_FEWEST_SHOWN, _MOST_PAYMENTS // max(1, len(settled.in_points) + len(settled.in_money)))
    is_only = len(settled.in_points) == 1 and not has_others
    in_points = []
    for worth, each in settled.in_points.items():
        table = names.get(worth.table or "")
        title = "In points" if is_only else f"In points {_describe_worth(worth, table)}"
        in_points.append(PaymentList(title, None, worth, table, each.payments, each.is_fewest, most))
    return in_points + [
        PaymentList(f"In {unit.code}", unit, None, None, each.payments, each.is_fewest, most)
        for unit, each in settled.in_money.items()
    ]


def _describe_worth(worth: Worth, table: str | None) -> str:
    if worth.point_value is None or worth.unit is None:
        return f"at {table}"
    return f"of {format_money(worth.point_value, worth.unit)}"


def flatten_payments(lists: Iterable[PaymentList]) -> Iterator[ListedPayment]:
    """Yield the payments of all lists."""
    for each in lists:
        for payment in each.payments:
            yield ListedPayment(each, payment)


def list_results(each: PlayerInClub, tables: Sequence[PlayerAtTable]) -> list[ResultLine]:
    """Return a line for a player, followed by one for each of several tables, in the order of their names."""
    if len(tables) == 1:
        [only] = tables
        return [ResultLine(each.player, only.table, only.table_name, each.result)]
    in_order = sorted(tables, key=lambda at: at.table_name)
    return [
        ResultLine(each.player, None, None, each.result),
        *(ResultLine(each.player, at.table, at.table_name, at.result) for at in in_order),
    ]
