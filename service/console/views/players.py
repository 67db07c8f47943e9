"""Players: their list with totals, and the statistics of one, whose display name can be set and erased."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

import orjson
from flask import Response, redirect
from werkzeug.wrappers import Response as BaseResponse

from schemas.accounting.page_queries import PlayerPageQuerySchema, PlayersPageQuerySchema
from schemas.accounting.statistics import PlayerFigures
from schemas.base import WireError, load
from schemas.pages import cursor_error
from schemas.players import DisplayNameRequestSchema, PlayerPathSchema
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.console.views.addresses import player_address
from service.console.views.exports import send_list
from service.console.views.filters import period_of, read_query, show_evenings, suggest_tables, table_of
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.player_files import FIGURES, rates_of, send_details
from service.console.views.session import console_state, read_form
from service.console.views.statements import cut_lines
from service.http.authentication import current_transaction
from service.players.actions import erase_player, list_names, name_player, search_names
from service.players.views import read_player
from service.statistics.actions import (
    PlayerFiguresPage,
    get_player_details,
    list_players_by_figure,
    list_players_by_id,
    list_statistics,
)
from service.statistics.queries.sums import PlayerSearch, StatisticsFilter

_SIZE: Final = 50
_ORDERS: Final[dict[str, Callable[[PlayerFigures], tuple[int, str]]]] = {
    "hands": lambda each: (-each.hands, each.player),
    "points": lambda each: (-each.points, each.player),
}
"""The orders of the list other than that of the IDs: most first, then by ID."""


@console.get("/players", endpoint="list_players")
@console_page(KeyScope.READ)
def show_players() -> str | Response:
    """Render the players of a filter with totals, or send them as a file."""
    query = read_query(PlayersPageQuerySchema())
    wanted = _filter(query, search=_search(query["name"]))
    order = query["sort"] or "player"
    if query["form"] in ("csv", "json"):
        everybody = sorted(
            list_statistics(current_transaction(), wanted).players,
            key=_ORDERS.get(order, lambda each: (0, each.player)),
        )
        names = list_names(current_transaction(), [each.player for each in everybody])
        return send_list("players", query["form"], FIGURES, [(each, names.get(each.player)) for each in everybody])
    page, next_cursor = _list_page(wanted, order, query["cursor"])
    return render(
        "players.html",
        players=page.players,
        display_names=list_names(current_transaction(), [each.player for each in page.players]),
        rates_of=rates_of,
        period=show_evenings(query["evenings"]),
        tables=suggest_tables(),
        query=query,
        next_cursor=next_cursor,
    )


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
    wanted = load(DisplayNameRequestSchema(), {"display_name": read_form().get("display_name", "").strip()})
    name_player(current_transaction(), player, wanted.display_name)
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


def _filter(query: dict[str, Any], **more: Any) -> StatisticsFilter:
    name, _, version = (query["ruleset"] or "").partition("@")
    return StatisticsFilter(
        ruleset_name=name or None,
        ruleset_version=int(version) if version else None,
        **table_of(query),
        **period_of(query),
        **more,
    )


def _search(text: str | None) -> PlayerSearch | None:
    return None if text is None else PlayerSearch(text, tuple(search_names(current_transaction(), text)))


def _list_page(wanted: StatisticsFilter, order: str, cursor: str | None) -> tuple[PlayerFiguresPage, str | None]:
    """Return a page of the list, and the cursor of the next one."""
    transaction = current_transaction()
    after = None if cursor is None else _parse_cursor(cursor)
    if order == "player":
        page = list_players_by_id(transaction, wanted, after=None if after is None else after[1], limit=_SIZE)
        return page, None if page.next_after is None else _show_cursor((0, page.next_after))
    page = list_players_by_figure(transaction, wanted, order, after=after, limit=_SIZE)
    return page, None if page.next_after is None else _show_cursor(_ORDERS[order](page.players[-1]))


def _show_cursor(place: tuple[int, str]) -> str:
    return urlsafe_b64encode(orjson.dumps(place)).decode()


def _parse_cursor(cursor: str) -> tuple[int, str]:
    try:
        value, player = orjson.loads(urlsafe_b64decode(cursor))
    except (ValueError, TypeError):
        value, player = None, None
    if not isinstance(value, int) or not isinstance(player, str) or "\0" in player:
        raise cursor_error(cursor)
    return value, player
