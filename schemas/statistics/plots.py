"""Plots of what was played: their figures, as JSON and as a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from schemas.base import Dumped, WireSchema
from schemas.clubs import ClubView, OfRoundsOrEvening
from schemas.fields import Choice, DateField, Inner, Integer, Listing, Number, Text, Time, UuidField
from schemas.fields import show_time as show_moment
from schemas.game_fields import PlayerField
from schemas.ledger.csv_rows import dump_rows, raw_field, text_cell
from schemas.pages import PERIOD_END, PERIOD_START, QuerySchema

MOST_PLACES: Final = 1000
"""The number of places of a plot that is drawn."""
MOST_SERIES: Final = 8
"""The number of players that have a line, or a row and a column of the matrix."""
MOST_BARS: Final = 30
"""The number of players that have a bar."""
_DECIMALS: Final = 4


class PlotName(StrEnum):
    """What a plot shows."""

    STACKS = "stacks"
    NET = "net"
    SOURCES = "sources"
    HEAD_TO_HEAD = "head-to-head"
    CAPS = "caps"
    FOULS = "fouls"
    DISTRIBUTION = "distribution"


class PlotPlace(NamedTuple):
    """
    A place of a plot: a hand, a round, a period, a player, or a range of points. Other attributes are None.

    Attributes:
        round: the round.
        hand: the number of the hand in it; 0 is the start of the round.
        opened_at: when the round was opened.
        player: the player; None for the sum of the players who are left out.
        first: the first evening of a period.
        last: its last evening.
        low: the least points of a range.
        high: its most points.
        hands: the number of hands that were counted.
        fouls: the number of foul boards among them.
    """

    round: UUID | None = None
    hand: int | None = None
    opened_at: datetime | None = None
    player: str | None = None
    first: date | None = None
    last: date | None = None
    low: int | None = None
    high: int | None = None
    hands: int | None = None
    fouls: int | None = None


Value = int | float | None


@dataclass(frozen=True, slots=True)
class PlotSeries:
    """
    The values of one player, or of one source of points, at each place; None where there is none.

    Attributes:
        name: the player's ID, or what the values are.
        values: the values, in the order of the places.
        is_player: whether the name is that of a player.
        lows: the lower ends of their 95 % intervals, if they have any.
        highs: the upper ends.
    """

    name: str
    values: Sequence[Value]
    is_player: bool = False
    lows: Sequence[Value] | None = None
    highs: Sequence[Value] | None = None


@dataclass(frozen=True, slots=True)
class PlotView:
    """
    The figures of a plot.

    Attributes:
        plot: what it shows.
        places: the places, in order.
        series: the values at them.
        club: the club, whose evenings and time zone count.
        table_name: the name of the table, if the plot is of one.
        reference: the reference of the round, if the plot is of one that has a reference.
        is_one_round: whether the plot is of one round.
        player: the player, if the plot is of one.
        opened_from: the start of the period.
        opened_before: its end.
        omitted: the number of players who are left out, because others have more hands.
        others: the sums of these players, with the least and the most of any of them where the plot has lines; None if
            there are none, or if they have a place of their own.
        highlight: the player whose line is in color; None for the one with the most points at the end.
        names: what each player is called on a drawing, by ID; those without an entry are called by their ID.
        period: what each place is of, if it is an evening, a week, a month or a year.
    """

    plot: PlotName
    places: Sequence[PlotPlace]
    series: Sequence[PlotSeries]
    club: ClubView
    table_name: str | None = None
    reference: str | None = None
    is_one_round: bool = False
    player: str | None = None
    opened_from: datetime | None = None
    opened_before: datetime | None = None
    omitted: int = 0
    others: PlotSeries | None = None
    highlight: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    period: str | None = None

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the club."""
        return ZoneInfo(self.club.time_zone)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not any(value is not None for each in self.series for value in each.values)


_PERIODS: Final = ("first", "last")
_PLACES: Final[Mapping[PlotName, tuple[str, ...]]] = {
    PlotName.STACKS: ("round", "hand"),
    PlotName.NET: ("opened_at", "round"),
    PlotName.SOURCES: ("player", "hands"),
    PlotName.HEAD_TO_HEAD: ("player",),
    PlotName.CAPS: ("player",),
    PlotName.FOULS: (*_PERIODS, "hands", "fouls"),
    PlotName.DISTRIBUTION: ("low", "high"),
}
"""The attributes of places that each plot has: the first columns of its table."""


def _list_attributes(view: PlotView) -> tuple[str, ...]:
    """List the attributes of the places of a plot."""
    return _PERIODS if view.plot is PlotName.NET and view.period is not None else _PLACES[view.plot]


@dataclass(frozen=True, slots=True)
class PlotColumn:
    """A column of a plot's table: the attribute of places that it has, or else a text that a user may have chosen."""

    name: str
    place: bool = False
    is_player: bool = False


def list_columns(view: PlotView) -> list[PlotColumn]:
    """List the columns of a plot's table: those of the places, then one for each series, with its interval."""
    columns = [PlotColumn(name, place=True) for name in _list_attributes(view)]
    for each in view.series:
        columns.append(PlotColumn(each.name, is_player=each.is_player))
        if each.lows is not None:
            columns += [PlotColumn(f"{each.name}_low"), PlotColumn(f"{each.name}_high")]
    return columns


def list_rows(view: PlotView) -> Iterator[list[Any]]:
    """Yield the rows of a plot's table: the values of `list_columns`."""
    names = _list_attributes(view)
    columns = [part for each in view.series for part in (each.values, each.lows, each.highs) if part is not None]
    for index, place in enumerate(view.places):
        yield [getattr(place, name) for name in names] + [_round(values[index]) for values in columns]


def dump_plot_rows(view: PlotView, *, raw: bool | None = False) -> bytes:
    """Encode the table of a plot as CSV with a header; texts may be raw."""
    header = [text_cell(column.name, raw=raw) for column in list_columns(view)]
    return dump_rows([header]) + dump_rows([_cell(value, raw) for value in row] for row in list_rows(view))


def _cell(value: Any, raw: bool | None) -> Any:
    if isinstance(value, datetime):
        return show_moment(value)
    if isinstance(value, float):
        return f"{value:.{_DECIMALS}f}"
    return text_cell(value, raw=raw) if isinstance(value, str) else value if value is None else _plain(value)


def _plain(value: Any) -> Any:
    return value if isinstance(value, int) else str(value)


def _round(value: Value) -> Value:
    return round(value, _DECIMALS) if isinstance(value, float) else value


class PlotQuerySchema(OfRoundsOrEvening, QuerySchema):
    """The rounds and players of a plot."""

    round_id = UuidField(data_key="round", description="Only this round.")
    player = PlayerField(description="Only the figures of this player.")
    highlight = PlayerField(
        description="Player whose line is in color, and who has a line even if others have more hands. Without it, the"
        " player with the most points at the end."
    )
    raw = raw_field()


class PlotPlaceSchema(WireSchema):
    """A place of a plot: a hand, a round, a period, a player or a range of points. Other fields are null."""

    round = UuidField(required=True, allow_none=True, description="ID of the round.")
    hand = Integer(
        least=0, required=True, allow_none=True, description="Number of the hand; 0 is the start of the round."
    )
    opened_at = Time(required=True, allow_none=True, description="Time when the round was opened.")
    player = PlayerField(
        required=True,
        allow_none=True,
        description="The operator's ID of the player. Null for the sum of the players who are left out.",
    )
    first = DateField(required=True, allow_none=True, description="First evening of the period.")
    last = DateField(required=True, allow_none=True, description="Last evening of the period.")
    low = Integer(required=True, allow_none=True, description="Least points of the range.")
    high = Integer(required=True, allow_none=True, description="Most points of the range.")
    hands = Integer(least=0, required=True, allow_none=True, description="Number of boards that were counted.")
    fouls = Integer(least=0, required=True, allow_none=True, description="Number of foul boards among them.")


class PlotSeriesSchema(WireSchema):
    """The values of a player, or of a source of points, at each place."""

    name = Text(
        longest=100,
        required=True,
        metadata={"example": "ann"},
        description="The operator's ID of the player, or what the values are, for example `royalties`.",
    )
    figures = Listing(
        Number(allow_none=True),
        most=MOST_PLACES,
        required=True,
        description="The values, in the order of the places. Null where there is none.",
    )
    lows = Listing(
        Number(allow_none=True),
        most=MOST_PLACES,
        required=True,
        allow_none=True,
        description="Lower ends of the 95 % intervals of the values. Null if they have none.",
    )
    highs = Listing(
        Number(allow_none=True),
        most=MOST_PLACES,
        required=True,
        allow_none=True,
        description="Upper ends of the 95 % intervals of the values. Null if they have none.",
    )


class PlotOthersSchema(WireSchema):
    """The values of the players who are left out, at each place."""

    figures = Listing(
        Number(allow_none=True),
        most=MOST_PLACES,
        required=True,
        description="Their sums, in the order of the places. Null where there is none.",
    )
    lows = Listing(
        Number(allow_none=True),
        most=MOST_PLACES,
        required=True,
        allow_none=True,
        description="The least of any of them. Null if the plot has no lines.",
    )
    highs = Listing(
        Number(allow_none=True),
        most=MOST_PLACES,
        required=True,
        allow_none=True,
        description="The most of any of them. Null if the plot has no lines.",
    )


class PlotSchema(WireSchema):
    """The figures of a plot."""

    name = Choice({each.value: each for each in PlotName}, required=True, description="Name of the plot.")
    opened_from = PERIOD_START
    opened_before = PERIOD_END
    omitted_players = Integer(
        least=0,
        required=True,
        description=f"Number of players who are left out, because a plot shows at most {MOST_SERIES} as lines and"
        f" {MOST_BARS} as bars: those with the most hands.",
    )
    others = Inner(
        PlotOthersSchema,
        required=True,
        allow_none=True,
        description="The players who are left out. Null if there are none, or if the last place is their sum.",
    )
    places = Listing(
        Inner(PlotPlaceSchema), most=MOST_PLACES, required=True, description="The places of the plot, in order."
    )
    series = Listing(
        Inner(PlotSeriesSchema), most=MOST_SERIES, required=True, description="The values at these places."
    )


def dump_plot(view: PlotView) -> Dumped:
    """Encode the figures of a plot."""
    return {
        "name": view.plot.value,
        "from": show_moment(view.opened_from),
        "to": show_moment(view.opened_before),
        "omitted_players": view.omitted,
        "others": None if view.others is None else _dump_series(view.others),
        "places": [_dump_place(place) for place in view.places],
        "series": [{"name": each.name, **_dump_series(each)} for each in view.series],
    }


def _dump_series(series: PlotSeries) -> Dumped:
    return {
        "figures": _dump_values(series.values),
        "lows": None if series.lows is None else _dump_values(series.lows),
        "highs": None if series.highs is None else _dump_values(series.highs),
    }


def _dump_place(place: PlotPlace) -> Dumped:
    return {
        "round": None if place.round is None else str(place.round),
        "hand": place.hand,
        "opened_at": show_moment(place.opened_at),
        "player": place.player,
        "first": None if place.first is None else place.first.isoformat(),
        "last": None if place.last is None else place.last.isoformat(),
        "low": place.low,
        "high": place.high,
        "hands": place.hands,
        "fouls": place.fouls,
    }


def _dump_values(values: Iterable[Value]) -> list[Value]:
    return [_round(value) for value in values]
