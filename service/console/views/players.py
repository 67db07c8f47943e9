"""Players: their list with totals, and the statistics of one, whose display name can be set and erased."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

import orjson
from flask import Response, redirect
from werkzeug.wrappers import Response as BaseResponse

from schemas.accounting.page_queries import EveningsQuerySchema, PlayerPageQuerySchema
from schemas.accounting.statistics import PlayerFigures
from schemas.base import WireError, load
from schemas.fields import Choice, Text
from schemas.game_fields import RulesetReference, TableNameField
from schemas.pages import refuse_cursor
from schemas.players import DisplayNameRequestSchema, PlayerPathSchema
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.console.views.addresses import player_address
from service.console.views.filters import period_of, read_query, show_evenings, suggest_tables, table_of
from service.console.views.listing import EVENINGS, NAME, TABLE_NAME, Filter, Listing, Part, Query, show_list
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.player_files import FIGURES, NamedFigures, rates_of, send_details
from service.console.views.session import console_state, read_form
from service.console.views.statements import cut_lines
from service.db import Transaction
from service.http.authentication import current_transaction
from service.players.actions import erase_player, list_names, name_player, search_names
from service.players.views import read_player
from service.statistics.actions import (
    get_player_details,
    list_players_by_figure,
    list_players_by_id,
)
from service.statistics.queries.sums import PlayerSearch, StatisticsFilter

_SIZE: Final = 50
"""The number of opponents on the page of a player."""
_ORDERS: Final[dict[str, Callable[[PlayerFigures], tuple[int, str]]]] = {
    "hands": lambda each: (-each.hands, each.player),
    "points": lambda each: (-each.points, each.player),
}
"""The orders of the list other than that of the IDs: most first, then by ID."""


@console.get("/players", endpoint="list_players")
@console_page(KeyScope.READ)
def show_players() -> str | Response:
    """Render the players of a filter with totals, or send them as a file."""
    return show_list(PLAYERS, "players.html", rates_of=rates_of, show_evenings=show_evenings)


@console.get("/players/<player_part:player>")
@console.get("/player", defaults={"player": None})
@console_page(KeyScope.READ)
def show_player(player: str | None) -> str | Response:
    """Render the statistics of a player, or send them as a file."""
    query = read_query(PlayerPageQuerySchema())
    if player is None and query["player"] is None:
        raise WireError((Mistake("field-missing", ("query", "id"), "is required"),))
    return _show_player(read_player(player) if player is not None else query["player"], query)


def _show_player_again() -> str | Response:
    """Render the page of the player of a form that was refused."""
    return _show_player(_player_of_form(), load(PlayerPageQuerySchema(), {}))


def _show_player(player: str, query: dict[str, Any]) -> str | Response:
    transaction = current_transaction()
    # A path as it was sent: an ID can contain slashes and question marks.
    console_state().page_path = player_address(player).partition("?")[0]
    details = get_player_details(transaction, _filter(query, player=player))
    is_file = query["form"] in ("csv", "json")
    opponents, next_cursor = (details.opponents, None) if is_file else cut_lines(details.opponents, query, _SIZE)
    names = list_names(transaction, [player, *(each.opponent for each in opponents)])
    if is_file:
        return send_details(query["form"], query["part"], details, names)
    return render(
        "player.html",
        player=player,
        details=details,
        figures=details.figures,
        opponents=opponents,
        next_cursor=next_cursor,
        display_names=names,
        rates=rates_of(details.figures),
        period=show_evenings(query["evenings"]),
        tables=suggest_tables(),
        query=query,
    )


@console.post("/player-names")
@console_form(KeyScope.WRITE, show_again=_show_player_again)
def save_player_name() -> BaseResponse:
    """Set or replace the display name of a player."""
    player = _player_of_form()
    request = load(DisplayNameRequestSchema(), {"display_name": read_form().get("display_name", "").strip()})
    name_player(current_transaction(), player, request.display_name)
    return redirect(player_address(player), HTTPStatus.SEE_OTHER)


@console.post("/player-names/erase")
@console_form(KeyScope.WRITE, show_again=_show_player_again)
def erase_player_name() -> BaseResponse:
    """Erase the display name of a player."""
    player = _player_of_form()
    erase_player(current_transaction(), player)
    return redirect(player_address(player), HTTPStatus.SEE_OTHER)


def _player_of_form() -> str:
    read: dict[str, str] = load(PlayerPathSchema(), {"player": read_form().get("player", "")})
    return read["player"]


def _filter(query: Query, **more: Any) -> StatisticsFilter:
    return StatisticsFilter(ruleset=query["ruleset"], **table_of(query), **period_of(query), **more)


def _search(text: str | None) -> PlayerSearch | None:
    return None if text is None else PlayerSearch(text, tuple(search_names(current_transaction(), text)))


def _read_players(
    transaction: Transaction, query: Query, after: tuple[int, str] | None, limit: int
) -> Part[NamedFigures]:
    """Read players in the order of the query. A place is that of a player in this order."""
    filter_ = _filter(query, search=_search(query["name"]))
    order = query["sort"] or "player"
    if order == "player":
        page = list_players_by_id(transaction, filter_, after=None if after is None else after[1], limit=limit)
    else:
        page = list_players_by_figure(transaction, filter_, order, after=after, limit=limit)
    names = list_names(transaction, [each.player for each in page.players])
    rows = [(each, names.get(each.player)) for each in page.players]
    last = None if page.next_after is None else page.players[-1]
    return Part(rows, last and _ORDERS.get(order, _place_by_id)(last))


def _place_by_id(figures: PlayerFigures) -> tuple[int, str]:
    return 0, figures.player


def _show_cursor(place: tuple[int, str]) -> str:
    return urlsafe_b64encode(orjson.dumps(place)).decode()


class PlaceField(Text):
    """The cursor of a page of players: the figure of the last player, and their ID."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            figure, player = orjson.loads(urlsafe_b64decode(value))
        except (ValueError, TypeError):
            figure, player = None, None
        if not isinstance(figure, int) or not isinstance(player, str) or "\0" in player:
            raise self.refuse("not-a-cursor", refuse_cursor(value))
        return figure, player


PLAYERS: Final = Listing[NamedFigures](
    name="players",
    title="Players",
    columns=FIGURES,
    read=_read_players,
    none="No players match. A player is listed as soon as a hand of theirs is recorded.",
    filters=(
        Filter("name", Text(longest=100), "Name or ID contains", attributes=NAME),
        *EVENINGS,
        Filter("table", TableNameField(), "Table", attributes=TABLE_NAME),
        Filter("ruleset", RulesetReference(), "Ruleset", attributes=NAME | {"placeholder": "pineapple or pineapple@1"}),
        Filter(
            "sort",
            Choice({order: order for order in ("player", *_ORDERS)}),
            "Order",
            (("player", "by ID"), ("hands", "most hands first"), ("points", "most points first")),
        ),
    ),
    schema=EveningsQuerySchema,
    cursor=PlaceField(longest=1000),
    show_cursor=_show_cursor,
)
