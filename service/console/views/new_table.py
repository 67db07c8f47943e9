"""The form that creates a table of the club, and opens its first round."""

from collections.abc import Mapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import load
from schemas.rounds import RoundRequest, RoundRequestSchema
from schemas.rulesets import describe_ruleset
from schemas.tables import TableRequestSchema
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import read_form
from service.console.views.tables import read_value
from service.db import Transaction
from service.errors import TableConflict
from service.http.authentication import current_transaction, require_scope
from service.ledger.actions.checks import read_form_amount
from service.rounds.actions.opening import describe_opening, open_round
from service.rounds.actions.reading import list_rounds
from service.rounds.queries.round_filter import RoundFilter
from service.rulesets.actions import list_rulesets
from service.tables.actions import AddedTable, add_table
from service.units.actions import list_units

_FIELDS: Final = ("name", "ruleset", "unit", "minimum_stack")
_TABLE: Final = TableRequestSchema()
_ROUND: Final = RoundRequestSchema()
_FIRST: Final = {"ruleset": "pineapple", "stack": "100"}
"""What the form suggests."""
_SEATS: Final = range(1, 5)
"""No ruleset has more seats: the deck has cards for four. The form shows those of the chosen game."""
_ROUNDS: Final = 50
"""In how many rounds of the club known players are looked for."""


@console.get("/tables/new")
@console_page(KeyScope.TABLES)
def show_new_table() -> str:
    """Render the form that creates a table."""
    transaction = current_transaction()
    rulesets = list_rulesets(transaction)
    return render(
        "new_table.html",
        rulesets=[(each.name, f"{describe_ruleset(each)} ({each.name})", each.players.max) for each in rulesets],
        units=[each.unit.code for each in list_units(transaction)],
        seats=range(1, 1 + max(each.players.max for each in rulesets)),
        known=_list_known(transaction),
        chosen=_FIRST | read_form(),
    )


def _list_known(transaction: Transaction) -> list[str]:
    """List the players of the newest rounds of the club, the last ones first."""
    played = list_rounds(transaction, RoundFilter(), after=None, limit=_ROUNDS).items
    return list(dict.fromkeys(seat.player for each in played for seat in each.round.seats))


@console.post("/tables/new")
@console_form(KeyScope.TABLES, show_again=show_new_table)
def create_table() -> BaseResponse:
    """
    Create a table, open its first round if players are given, and show its page.

    The form sent twice creates one table and opens one round.
    """
    form = {name: value for name, text in read_form().items() if (value := text.strip())}
    transaction = current_transaction()
    fields: dict[str, Any] = {name: read_value(name, form[name]) for name in _FIELDS if name in form}
    if "point_value" in form:
        fields["point_value"] = read_form_amount(transaction, form["point_value"], form.get("unit", ""))
    added = add_table(transaction, load(_TABLE, fields))
    seats = _read_seats(form)
    if seats:
        require_scope(KeyScope.WRITE)
        _open_first_round(transaction, added, load(_ROUND, {"seats": seats}))
    return redirect(url_for("console.show_table", table_id=added.view.id), HTTPStatus.SEE_OTHER)


def _open_first_round(transaction: Transaction, added: AddedTable, request: RoundRequest) -> None:
    """
    Open the first round of a table, unless the form has opened it before: the form never opens a second one.

    Raises:
        TableConflict: the table existed, and its first round has other seats.
    """
    table_id = UUID(added.view.id)
    if added.is_replay:
        rounds = list_rounds(transaction, RoundFilter(table_id=table_id), after=None, limit=1, oldest_first=True).items
        if rounds and describe_opening(rounds[0].round.seats) == [asdict(each) for each in request.seats]:
            return
        if rounds:
            detail = "the first round of the table with this name has other seats; expected another name"
            raise TableConflict(detail, (Mistake(TableConflict.code, ("name",), detail),))
    open_round(transaction, table_id, request)


def _read_seats(form: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the players of the form by their seats, each with the same stack."""
    stack = form.get("stack", "")
    points = int(stack) if stack.isdecimal() and stack.isascii() and len(stack) < _LONGEST_STACK else stack or None
    players = ((seat, form.get(f"player{seat}")) for seat in _SEATS)
    return [{"seat": seat, "player": player, "stack": points} for seat, player in players if player]


_LONGEST_STACK: Final = 16
