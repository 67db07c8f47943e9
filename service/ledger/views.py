"""The ledger of a club, and statements over several tables."""

from collections.abc import Iterable
from http import HTTPStatus
from itertools import chain
from typing import Any, Final

from flask import Response

from schemas.ledger.club_statements import (
    ClubStatementQuerySchema,
    ClubStatementSchema,
    dump_club_statement,
    dump_statement_rows,
)
from schemas.ledger.payment_lines import (
    LEDGER_HEADER,
    LedgerPageSchema,
    LedgerQuerySchema,
    dump_ledger_line,
    dump_ledger_rows,
)
from schemas.pages import DEFAULT
from service.clubs.actions import get_club
from service.clubs.scopes import KeyScope
from service.http.authentication import Reach, current_transaction
from service.http.resource import JSON, Resource
from service.http.responses import (
    CSV,
    MEDIA_TYPE,
    NEXT_PAGE,
    best_media_type,
    json_response,
    next_page_link,
    respond_page_before,
)
from service.http.streams import reserve_stream
from service.ledger.actions import export_ledger, get_club_statement, list_ledger
from service.rounds.queries.round_filter import RoundFilter

ledger = Resource("ledger", __name__, description="The payments of a club, for its books.")

_CSV: Final = {"content": {CSV: {"schema": {"type": "string"}}}}


@ledger.route("/v1/ledger", methods=["GET"])
@ledger.operation("list_ledger", KeyScope.READ, forms=(JSON, CSV))
@ledger.arguments(LedgerQuerySchema, location="query")
@ledger.response(200, LedgerPageSchema, headers=NEXT_PAGE)
@ledger.doc(responses={HTTPStatus.OK: _CSV})
def get_ledger(query: dict[str, Any]) -> Response:
    """
    List the payments of the club: one line for each payment between two players, oldest round first.

    The payments are those of the revisions in force, so they follow corrections, and a player's payments add up to
    their net points in the statement of the same rounds. Payments that the caps reduced to nothing are listed too.

    With `Accept: text/csv` the response is CSV (RFC 4180, UTF-8, with a header) as of one moment, with amounts as
    decimal numbers. An apostrophe precedes a text that a spreadsheet would run as a formula, unless `ids` is
    `raw`.
    """
    after, limit, raw = query.pop("cursor"), query.pop("limit"), query.pop("raw")
    transaction = current_transaction()
    filter_ = RoundFilter(**get_club(transaction).period(query))
    if best_media_type((MEDIA_TYPE, CSV)) == CSV and limit is None:
        reserve_stream()
        # Read the first block before the response begins, so that most errors still get a problem document.
        blocks = export_ledger(transaction, filter_, after=after, raw=raw)
        head = [next(blocks), next(blocks, b"")]
        return _csv_response(chain([b"".join(head)], blocks), {})
    page = list_ledger(transaction, filter_, after=after, limit=limit or DEFAULT)
    cursor = None if page.next_after is None else page.next_after.show()
    if best_media_type((MEDIA_TYPE, CSV)) == CSV:
        return _csv_response([LEDGER_HEADER + dump_ledger_rows(page.lines, raw=raw)], next_page_link(cursor))
    return respond_page_before("payments", [dump_ledger_line(line) for line in page.lines], cursor)


@ledger.route("/v1/statement", methods=["GET"])
@ledger.operation("get_club_statement", KeyScope.READ, by_link=Reach.TABLE, forms=(JSON, CSV))
@ledger.arguments(ClubStatementQuerySchema, location="query")
@ledger.response(200, ClubStatementSchema)
@ledger.doc(responses={HTTPStatus.OK: _CSV})
def get_statement(query: dict[str, Any]) -> Response:
    """
    Return the results of rounds at all tables or some, player by player, and the payments that settle them up.

    The rounds are those opened at or after `from` and before `to`, or on an `evening` of the club; all rounds by
    default. Each round counts with its own point value and currency. Open rounds count as they are now. If more than
    sixteen players remain after those with opposite totals have paid each other, the payments are few, but perhaps not
    the fewest. With `Accept: text/csv` the response has a row for each player, table and currency.
    """
    transaction = current_transaction()
    by, raw = query.pop("settle_up"), query.pop("raw")
    view = get_club_statement(transaction, RoundFilter(**get_club(transaction).period(query)), by)
    if best_media_type((MEDIA_TYPE, CSV)) == CSV:
        return _csv_response([dump_statement_rows(view, raw=raw)], {})
    return json_response(dump_club_statement(view))


def _csv_response(blocks: Iterable[bytes], headers: dict[str, str]) -> Response:
    return Response(blocks, headers=headers, content_type=f"{CSV}; charset=utf-8; header=present")
