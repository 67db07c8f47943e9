"""Players: their list with totals, and the statistics of one, whose display name can be set and erased."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import orjson
from flask import Response, redirect
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import WireError, load
from schemas.fields import Text, show_time
from schemas.ledger.page_queries import EveningsQuerySchema, PlayerPageQuerySchema
from schemas.pages import refuse_cursor
from schemas.players import DisplayNameRequestSchema, PlayerPathSchema
from schemas.statistics.intervals import rate_interval
from schemas.statistics.player_statistics import NotedHand, OpponentFigures, PlayerDetails, PlayerFigures
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.console.views.accounting.statements import cut_lines
from service.console.views.addresses import (
    period_of,
    player_address,
    read_query,
    show_evenings,
    table_of,
)
from service.console.views.exports import Column, encode_row, send_blocks, send_list
from service.console.views.listing import EVENINGS, NAME, Filter, Listing, Order, Part, Query, show_list
from service.console.views.metadata import edit_entries, read_changed
from service.console.views.navigation.finding import RULESET, TABLE, find_all, refuse_unknown
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import console_state, read_form
from service.db import Transaction
from service.http.authentication import current_transaction
from service.http.responses import encode_json
from service.players.actions import (
    erase_player,
    get_player_metadata,
    list_aliases,
    list_names,
    name_player,
    search_names,
)
from service.players.views import read_player
from service.statistics.actions import (
    count_players,
    get_player_details,
    list_players_by_figure,
    list_players_by_id,
)
from service.statistics.queries.sums import PlayerSearch, StatisticsFilter

_SIZE: Final = 50
"""The number of opponents on the page of a player."""
_DECIMALS: Final = 4
_FIGURES: Final = ("hands", "points", "fouls", "scoops")
"""The figures by which the list can be in order: most first, then by ID."""

_FINDERS: Final = {"table": TABLE, "ruleset": RULESET}
"""What the texts of the filter on the page of a player mean."""

NamedFigures = tuple[PlayerFigures, str | None]
"""The figures of a player, and their display name."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened, with an interval of 95 %."""

    successes: int
    trials: int

    @property
    def share(self) -> float | None:
        """The part of the trials; None without trials."""
        return self.successes / self.trials if self.trials else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval by Wilson's formula; None without trials."""
        return rate_interval(self.successes, self.trials) if self.trials else None


def rates_of(figures: PlayerFigures) -> dict[str, Rate]:
    """
    Return the rates of a player: fouls in all hands, Fantasyland entered in ordinary hands, and stayed in others.

    >>> rates_of(PlayerFigures("ann", hands=10, fantasyland_hands=2, fantasyland_entered=2))["entered"].share
    0.25
    """
    return {
        "fouls": Rate(figures.fouls, figures.hands),
        "entered": Rate(figures.fantasyland_entered, figures.hands - figures.fantasyland_hands),
        "stayed": Rate(figures.fantasyland_stayed, figures.fantasyland_hands),
    }


def _mean(hands: int, points: int) -> float | None:
    return round(points / hands, _DECIMALS) if hands else None


def _end(interval: tuple[float, float] | None, end: int) -> float | None:
    return None if interval is None else round(interval[end], _DECIMALS)


def _rate_columns(rate: str) -> tuple[Column[NamedFigures], ...]:
    return (
        Column(f"{rate}_rate_low", lambda named: _end(rates_of(named[0])[rate].interval, 0)),
        Column(f"{rate}_rate_high", lambda named: _end(rates_of(named[0])[rate].interval, 1)),
    )


FIGURES: Final[Sequence[Column[NamedFigures]]] = (
    Column("player", lambda named: named[0].player, "Player", "player_name", is_header=True),
    Column("display_name", lambda named: named[1]),
    Column("rounds", lambda named: named[0].rounds, "Rounds", style="figure"),
    Column("hands", lambda named: named[0].hands, "Hands", style="figure"),
    Column("points", lambda named: named[0].points, "Points", "player_points", style="figure"),
    Column(
        "points_per_hand",
        lambda named: _mean(named[0].hands, named[0].points),
        "Points a hand",
        "player_mean",
        style="figure",
    ),
    Column("points_per_hand_low", lambda named: _end(named[0].interval, 0)),
    Column("points_per_hand_high", lambda named: _end(named[0].interval, 1)),
    Column("fouls", lambda named: named[0].fouls, "Fouls", "player_fouls", style="figure"),
    *_rate_columns("fouls"),
    Column("fantasyland_hands", lambda named: named[0].fantasyland_hands),
    Column(
        "fantasyland_entered",
        lambda named: named[0].fantasyland_entered,
        "Fantasyland entered",
        "player_entered",
        style="figure",
    ),
    *_rate_columns("entered"),
    Column("fantasyland_stayed", lambda named: named[0].fantasyland_stayed, "Stayed", "player_stayed", style="figure"),
    *_rate_columns("stayed"),
    Column("royalties_top", lambda named: named[0].royalties_top),
    Column("royalties_middle", lambda named: named[0].royalties_middle),
    Column("royalties_bottom", lambda named: named[0].royalties_bottom),
    Column("scoops", lambda named: named[0].scoops, "Scoops", style="figure"),
    Column("not_received", lambda named: named[0].not_received),
    Column("not_paid", lambda named: named[0].not_paid),
)


def _filter(query: Query, **more: Any) -> StatisticsFilter:
    return StatisticsFilter(ruleset=query["ruleset"], **table_of(query), **period_of(query), **more)


def _search(text: str | None) -> PlayerSearch | None:
    return None if text is None else PlayerSearch(text, tuple(search_names(current_transaction(), text)))


def _read_players(
    transaction: Transaction, query: Query, after: tuple[int, str] | None, limit: int
) -> Part[NamedFigures]:
    """Read players in the order of the query. A place is that of a player in this order."""
    filter_ = _filter(query, search=_search(query["name"]))
    order = query["sort"]
    if order in _FIGURES:
        page = list_players_by_figure(transaction, filter_, order, after=after, limit=limit)
    else:
        page = list_players_by_id(transaction, filter_, after=None if after is None else after[1], limit=limit)
    names = list_names(transaction, [each.player for each in page.players])
    rows = [(each, names.get(each.player)) for each in page.players]
    if page.next_after is None:
        return Part(rows, None)
    last = page.players[-1]
    return Part(rows, (-getattr(last, order) if order in _FIGURES else 0, last.player))


def _count_players(transaction: Transaction, query: Query, limit: int) -> int:
    return count_players(transaction, _filter(query, search=_search(query["name"])), limit)


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
    rows=("player", "players"),
    filters=(
        Filter("name", Text(longest=100), "Name or ID contains", attributes=NAME),
        *EVENINGS,
        Filter("table", label="Table", attributes=NAME, finder=TABLE),
        Filter("ruleset", label="Ruleset", attributes=NAME, finder=RULESET),
    ),
    orders=(
        Order("player", "By ID", "player", is_descending=False),
        *(Order(figure, f"Most {figure} first", figure) for figure in _FIGURES),
    ),
    count=_count_players,
    schema=EveningsQuerySchema,
    cursor=PlaceField(longest=1000),
    show_cursor=_show_cursor,
)


@console.get("/players", endpoint="list_players")
@console_page(KeyScope.READ)
def show_players() -> str | Response:
    """Render the players of a filter with totals, or send them as a file."""
    return show_list(PLAYERS, "players.html", rates_of=rates_of, show_evenings=show_evenings)


NamedOpponent = tuple[OpponentFigures, str | None]
"""The figures against an opponent, and their display name."""

OPPONENTS: Final[Sequence[Column[NamedOpponent]]] = (
    Column("opponent", lambda named: named[0].opponent),
    Column("display_name", lambda named: named[1]),
    Column("rounds", lambda named: named[0].rounds),
    Column("hands", lambda named: named[0].hands),
    Column("points", lambda named: named[0].points),
    Column("points_per_hand", lambda named: _mean(named[0].hands, named[0].points)),
    Column("points_per_hand_low", lambda named: _end(named[0].interval, 0)),
    Column("points_per_hand_high", lambda named: _end(named[0].interval, 1)),
    Column("scoops", lambda named: named[0].scoops),
    Column("scooped", lambda named: named[0].scooped),
    Column("paid", lambda named: named[0].paid),
)

NotedAs = tuple[str, NotedHand]
"""`best` or `worst`, and the hand."""

HANDS: Final[Sequence[Column[NotedAs]]] = (
    Column("list", lambda noted: noted[0]),
    Column("round", lambda noted: str(noted[1].round_id)),
    Column("hand", lambda noted: noted[1].number),
    Column("opened_at", lambda noted: show_time(noted[1].opened_at)),
    Column("table", lambda noted: noted[1].table_name),
    Column("ruleset", lambda noted: noted[1].ruleset),
    Column("points", lambda noted: noted[1].points),
    Column("foul", lambda noted: noted[1].is_foul),
    Column("top", lambda noted: "".join(map(str, noted[1].board.rows.top))),
    Column("middle", lambda noted: "".join(map(str, noted[1].board.rows.middle))),
    Column("bottom", lambda noted: "".join(map(str, noted[1].board.rows.bottom))),
)


def _send_details(form: str, part: str | None, details: PlayerDetails, names: Mapping[str, str]) -> Response:
    """Send a part of what a page shows of a player as a file; as JSON, all of it without a part."""
    player = details.figures.player
    figures: list[NamedFigures] = [(details.figures, names.get(player))]
    opponents: list[NamedOpponent] = [(each, names.get(each.opponent)) for each in details.opponents]
    hands: list[NotedAs] = [
        *(("best", hand) for hand in details.best),
        *(("worst", hand) for hand in details.worst),
    ]
    if part is None and form == "json":
        document = {
            "figures": _encode(FIGURES, figures)[0],
            "opponents": _encode(OPPONENTS, opponents),
            "hands": _encode(HANDS, hands),
        }
        return send_blocks(f"player-{player}", form, [encode_json(document) + b"\n"])
    if part == "opponents":
        return send_list(f"player-{player}-opponents", form, OPPONENTS, opponents)
    if part == "hands":
        return send_list(f"player-{player}-hands", form, HANDS, hands)
    return send_list(f"player-{player}", form, FIGURES, figures)


def _encode(columns: Sequence[Column[Any]], rows: Sequence[Any]) -> list[dict[str, Any]]:
    return [encode_row(columns, row) for row in rows]


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
    sent = query
    query, unknown = find_all(transaction, query, _FINDERS)
    if unknown and query["form"] is not None:
        refuse_unknown(unknown[0])
    details = get_player_details(transaction, _filter(query, player=player, tables=() if unknown else None))
    player = details.figures.player
    is_file = query["form"] in ("csv", "json")
    opponents, next_cursor = (details.opponents, None) if is_file else cut_lines(details.opponents, query, _SIZE)
    names = list_names(transaction, [player, *(each.opponent for each in opponents)])
    metadata = get_player_metadata(transaction, player)
    if is_file:
        return _send_details(query["form"], query["part"], details, names)
    return render(
        "player.html",
        player=player,
        aliases=list_aliases(transaction, player),
        details=details,
        figures=details.figures,
        opponents=opponents,
        next_cursor=next_cursor,
        display_names=names,
        metadata=metadata,
        entries=edit_entries(metadata, read_form()),
        rates=rates_of(details.figures),
        period=show_evenings(query["evenings"]),
        inputs=[
            (name, name.capitalize(), sent[name], finder.suggest(transaction)) for name, finder in _FINDERS.items()
        ],
        unknown=unknown,
        query=query,
    )


@console.post("/player-names")
@console_form(KeyScope.WRITE, show_again=_show_player_again)
def save_player_name() -> BaseResponse:
    """Set or replace the display name of a player, and their metadata if they differ from what the page showed."""
    player, form = _player_of_form(), read_form()
    sent: dict[str, Any] = {"display_name": form.get("display_name", "").strip()}
    metadata = read_changed(form)
    if metadata is not None:
        sent["metadata"] = metadata
    request = load(DisplayNameRequestSchema(), sent)
    name_player(current_transaction(), player, request)
    return redirect(player_address(player), HTTPStatus.SEE_OTHER)


@console.post("/player-names/erase")
@console_form(KeyScope.ADMIN, show_again=_show_player_again)
def erase_player_name() -> BaseResponse:
    """Erase the display name of a player, and the texts by them and about them."""
    player = _player_of_form()
    erase_player(current_transaction(), player)
    return redirect(player_address(player), HTTPStatus.SEE_OTHER)


def _player_of_form() -> str:
    read: dict[str, str] = load(PlayerPathSchema(), {"player": read_form().get("player", "")})
    return read["player"]
