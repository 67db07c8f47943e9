"""Join another ID to a player, and part it: each asks first, and says what changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from flask import redirect, request
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import load
from schemas.ledger.balances import UnitBalances
from schemas.ledger.units import table_of
from schemas.money import Unit
from schemas.players import AliasRequest, AliasRequestSchema, PlayerPathSchema
from schemas.sentences import describe_mistake
from schemas.statistics.player_statistics import PlayerFigures
from service.clubs.scopes import KeyScope
from service.console.views.addresses import player_address
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import read_form
from service.db import Transaction
from service.http.authentication import current_transaction
from service.ledger.actions.balances import get_balances
from service.players.actions import join_player, list_names, part_player, propose_join
from service.statistics.actions import list_statistics
from service.statistics.queries.sums import StatisticsFilter


@dataclass(frozen=True, slots=True)
class JoinedBalance:
    """What a player and an alias are owed or, below zero, owe in one unit, which has a name for people."""

    name: str
    unit: Unit
    of_player: int
    of_alias: int

    @property
    def together(self) -> int:
        """What both are owed together."""
        return self.of_player + self.of_alias


@console.get("/player-aliases/join")
@console_page(KeyScope.WRITE)
def confirm_join() -> str:
    """Render the page that says what changes if another ID is joined to a player, and asks."""
    known_as, alias = _read_fields()
    transaction = current_transaction()
    proposed = propose_join(transaction, known_as, alias)
    player = proposed.player
    figures = [_find_figures(transaction, each) for each in (player, alias)]
    return render(
        "join_player.html",
        player=player,
        alias=alias,
        proposed=proposed,
        reasons=list(dict.fromkeys(describe_mistake(each, {}) for each in proposed.obstacles)),
        figures=figures,
        together=PlayerFigures(
            player,
            rounds=sum(each.rounds for each in figures),
            hands=sum(each.hands for each in figures),
            points=sum(each.points for each in figures),
        ),
        balances=_list_balances(get_balances(transaction).units, player, alias),
        display_names=list_names(transaction, [player, alias]),
    )


@console.post("/player-aliases/join")
@console_form(KeyScope.WRITE, show_again=confirm_join)
def save_join() -> BaseResponse:
    """Join another ID to a player, and show the player."""
    joined = join_player(current_transaction(), *_read_fields())
    return redirect(player_address(joined.view.player), HTTPStatus.SEE_OTHER)


@console.get("/player-aliases/part")
@console_page(KeyScope.WRITE)
def confirm_parting() -> str:
    """Render the page that asks before an alias is parted from a player."""
    player, alias = _read_fields()
    names = list_names(current_transaction(), [player])
    return render("part_player.html", player=player, alias=alias, display_names=names)


@console.post("/player-aliases/part")
@console_form(KeyScope.WRITE, show_again=confirm_parting)
def save_parting() -> BaseResponse:
    """Part an alias from a player, and show the player."""
    player, alias = _read_fields()
    part_player(current_transaction(), player, alias)
    return redirect(player_address(player), HTTPStatus.SEE_OTHER)


def _read_fields() -> tuple[str, str]:
    """
    Return the player and the other ID of the form, or of the query.

    Raises:
        WireError: one is no valid ID.
    """
    sent = read_form() or request.args
    read: dict[str, str] = load(PlayerPathSchema(), {"player": sent.get("player", "")})
    other: AliasRequest = load(AliasRequestSchema(), {"alias": sent.get("alias", "").strip()})
    return read["player"], other.alias


def _find_figures(transaction: Transaction, player: str) -> PlayerFigures:
    """Return the figures of a player, which are 0 without a hand."""
    return next(iter(list_statistics(transaction, StatisticsFilter(player=player)).players), PlayerFigures(player))


def _list_balances(units: Sequence[UnitBalances], player: str, alias: str) -> list[JoinedBalance]:
    """Return the balances of both, in units in which one of them has one."""
    balances = []
    for each in units:
        totals = {balance.account: balance.total for balance in each.balances}
        if player in totals or alias in totals:
            code = each.unit.code
            name = code if table_of(code) is None else f"Points at {each.table_name or code}"
            balances.append(JoinedBalance(name, each.unit, totals.get(player, 0), totals.get(alias, 0)))
    return balances
