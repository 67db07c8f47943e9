"""Compute the figures of plots."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import accumulate
from typing import Any, Final

from sqlalchemy import Row

from schemas.base import WireError
from schemas.clubs import ClubView
from schemas.statistics.intervals import rate_interval
from schemas.statistics.plots import MOST_PLACES, PlotName, PlotPlace, PlotSeries, PlotView, Value
from scoring.errors import Mistake
from scoring.sources import PointSources
from service.clubs.actions import get_club
from service.db import Transaction
from service.players.queries.aliases import read_aliases
from service.plots import queries
from service.plots.queries import PlotFilter
from service.rounds.queries import rounds
from service.tables.actions import get_table

_MOST_HANDS: Final = 50_000
_MOST_PERIODS: Final = 45
_MOST_RANGES: Final = 40
_FANTASYLAND: Final = "fantasyland"
SOURCES: Final = (*PointSources._fields, _FANTASYLAND)
"""The series of the plot `sources`."""
CAPS: Final = ("received", "not_received", "paid", "not_paid")
"""The series of the plot `caps`."""

_PlotParts = tuple[Sequence[PlotPlace], Sequence[PlotSeries], int]
"""The places, the series, and the number of players who are left out."""


def get_plot(transaction: Transaction, plot: PlotName, filter_: PlotFilter) -> PlotView:
    """
    Return the figures of a plot, in the revisions in force.

    Raises:
        NotFound: the round or the table does not exist.
        WireError: the plot needs a round or a table, or a filter that matches fewer hands.
    """
    club = get_club(transaction)
    round_ = None if filter_.round_id is None else rounds.get(transaction, filter_.round_id)
    table_id = round_.table_id if round_ is not None else filter_.table_id
    table = None if table_id is None else get_table(transaction, table_id)
    if filter_.player is not None:
        filter_ = replace(filter_, player=read_aliases(transaction).player_of(filter_.player))
    places, series, omitted = _BUILDERS[plot](transaction, filter_, club)
    return PlotView(
        plot=plot,
        places=places,
        series=series,
        club=club,
        table_name=None if table is None else table.name,
        reference=None if round_ is None else round_.reference,
        is_one_round=round_ is not None,
        player=filter_.player,
        opened_from=filter_.opened_from,
        opened_before=filter_.opened_before,
        omitted=omitted,
    )


def find_newest_evening(transaction: Transaction, club: ClubView) -> date | None:
    """Find the evening of the newest round of the club; None if it has no round."""
    opened_at = queries.find_newest_opening(transaction)
    return None if opened_at is None else club.evening_of(opened_at)


def _plot_stacks(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return the stack of each player at the start of each round and after each hand."""
    if filter_.round_id is None and filter_.table_id is None:
        detail = "is required for the stacks of a table; expected the ID of a table, or a round in `round`"
        raise WireError((Mistake("field-missing", ("query", "table"), detail),))
    rows = _few(queries.list_rounds(transaction, filter_, _MOST_HANDS + 1), _MOST_HANDS, "rounds")
    hands = defaultdict(list)
    for each in _few(queries.list_stacks(transaction, filter_, _MOST_HANDS + 1), _MOST_HANDS, "hands"):
        hands[each.round_id].append(each)
    counted, aliases = Counter[str](), read_aliases(transaction)
    for each in rows:
        counted.update(dict.fromkeys(aliases.players_of(each.players), 1 + len(hands[each.id])))
    players, omitted = _choose(counted, filter_)
    places: list[PlotPlace] = []
    values: dict[str, list[Value]] = {player: [] for player in players}
    for each in rows:
        stacks = [(0, each.opening_stacks), *((hand.number, hand.stacks) for hand in hands[each.id])]
        for number, held in stacks:
            by_player = dict(zip(aliases.players_of(each.players), held, strict=True))
            places.append(PlotPlace(round=each.id, hand=number, opened_at=each.opened_at))
            for player, of_player in values.items():
                of_player.append(by_player.get(player))
    return places, _series_of_players(values), omitted


def _plot_net(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return the points that each player has won or lost since the start of the period, after each round."""
    if filter_.player is not None:
        return _plot_net_of(transaction, filter_, filter_.player)
    rows = _few(queries.list_rounds(transaction, filter_, MOST_PLACES + 1), MOST_PLACES, "rounds")
    aliases = read_aliases(transaction)
    counted = Counter(player for each in rows for player in aliases.players_of(each.players))
    players, omitted = _choose(counted, filter_)
    values: dict[str, list[Value]] = {player: [] for player in players}
    nets: dict[str, int | None] = dict.fromkeys(players)
    for each in rows:
        for player, opening, added, stack in zip(
            aliases.players_of(each.players), each.opening_stacks, each.top_ups, each.stacks, strict=True
        ):
            if player in nets:
                nets[player] = (nets[player] or 0) + stack - opening - added
        for player, net in nets.items():
            values[player].append(net)
    places = [PlotPlace(round=each.id, opened_at=each.opened_at) for each in rows]
    return places, _series_of_players(values), omitted


def _plot_net_of(transaction: Transaction, filter_: PlotFilter, player: str) -> _PlotParts:
    rows = _few(queries.list_nets(transaction, filter_, MOST_PLACES + 1), MOST_PLACES, "rounds")
    places = [PlotPlace(round=each.round_id, opened_at=each.opened_at) for each in rows]
    nets = [*accumulate(each.net for each in rows)]
    return places, _series_of_players({player: nets} if nets else {}), 0


def _plot_sources(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return the points of each player by what they are for; those of hands in Fantasyland are one sum."""
    sources = {each.player: each for each in queries.list_sources(transaction, filter_)}
    sums = {player: {name: int(getattr(each, name)) for name in SOURCES} for player, each in sources.items()}
    shown = sorted(sums, key=lambda player: (-sum(sums[player].values()), player))
    places = [PlotPlace(player=player, hands=int(sources[player].hands)) for player in shown]
    return places, [PlotSeries(name, [sums[player][name] for player in shown]) for name in SOURCES], 0


def _plot_head_to_head(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return the points of each player against each other, before caps."""
    counted = {each.player: int(each.hands) for each in queries.list_hand_counts(transaction, filter_)}
    columns, omitted = _choose(counted, PlotFilter(most_players=filter_.most_players))
    rows = columns if filter_.player is None or not columns else [filter_.player]
    pairs = queries.list_pairs(transaction, filter_, columns)
    points = {(pair.player, pair.opponent): int(pair.points) for pair in pairs}
    series = [PlotSeries(other, [points.get((row, other)) for row in rows], is_player=True) for other in columns]
    return [PlotPlace(player=player) for player in rows], series, omitted


def _plot_caps(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return the points that each player received and paid, and those that were due and, because of caps, not paid."""
    rows = sorted(queries.list_caps(transaction, filter_), key=lambda each: (each.paid - each.received, each.player))
    places = [PlotPlace(player=each.player) for each in rows]
    return places, [PlotSeries(name, [int(getattr(each, name)) for each in rows]) for name in CAPS], 0


def _plot_fouls(transaction: Transaction, filter_: PlotFilter, club: ClubView) -> _PlotParts:
    """Return the rate of foul boards by evening, week, month or year, with its interval."""
    rows = queries.list_fouls(transaction, filter_)
    if not rows:
        return [], [], 0
    evenings = [club.evening_of(each.opened_at) for each in rows]
    begin = _period_of(evenings[0], evenings[-1])
    counted: dict[date, list[int]] = {}
    last: dict[date, date] = {}
    for each, evening in zip(rows, evenings, strict=True):
        hands, fouls = counted.get(begin(evening), (0, 0))
        counted[begin(evening)] = [hands + int(each.hands), fouls + int(each.fouls)]
        last[begin(evening)] = evening
    places = [
        PlotPlace(first=first, last=last[first], hands=hands, fouls=fouls) for first, (hands, fouls) in counted.items()
    ]
    ends = [rate_interval(fouls, hands) for hands, fouls in counted.values()]
    rates = [fouls / hands for hands, fouls in counted.values()]
    return places, [PlotSeries("rate", rates, lows=[low for low, _ in ends], highs=[high for _, high in ends])], 0


def _period_of(first: date, last: date) -> Callable[[date], date]:
    """Return a function that returns the first day of the period of a day: an evening, a week, a month or a year."""
    days = (last - first).days + 1
    if days <= _MOST_PERIODS:
        return lambda day: day
    if days <= 7 * _MOST_PERIODS:
        return lambda day: day - timedelta(days=day.weekday())
    if days <= 30 * _MOST_PERIODS:
        return lambda day: day.replace(day=1)
    return lambda day: day.replace(month=1, day=1)


def _plot_distribution(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return how many boards won or lost each range of points."""
    counted = {int(row.points): int(row.boards) for row in queries.count_points(transaction, filter_)}
    if not counted:
        return [], [], 0
    width = range_width(min(counted), max(counted))
    boards: dict[int, int] = Counter()
    for points, count in counted.items():
        boards[points // width] += count
    ranges = range(min(boards), max(boards) + 1)
    places = [PlotPlace(low=each * width, high=(each + 1) * width - 1) for each in ranges]
    return places, [PlotSeries("hands", [boards[each] for each in ranges])], 0


def range_width(least: int, most: int) -> int:
    """
    Return the width of ranges of points: 1, 2 or 5 times a power of ten, for at most about forty ranges.

    >>> range_width(-6, 12), range_width(-60, 90), range_width(-(10**9), 10**9)
    (1, 5, 100000000)
    """
    width = 1
    while (most - least) // width >= _MOST_RANGES:
        width = width * 5 // 2 if str(width)[0] == "2" else width * 2
    return width


def _choose(counted: Mapping[str, int], filter_: PlotFilter) -> tuple[list[str], int]:
    """Return the players with the most hands, in the order of their names, and the number of the others."""
    if filter_.player is not None:
        return [filter_.player] if filter_.player in counted else [], 0
    most = sorted(counted, key=lambda player: (-counted[player], player))[: filter_.most_players]
    return sorted(most), len(counted) - len(most)


def _series_of_players(values: Mapping[str, Sequence[Value]]) -> list[PlotSeries]:
    return [PlotSeries(player, of_player, is_player=True) for player, of_player in values.items()]


def _few(rows: Sequence[Row[Any]], most: int, what: str) -> Sequence[Row[Any]]:
    """
    Return what was found, unless it is too much for one plot.

    Raises:
        WireError: it is too much.
    """
    if len(rows) > most:
        detail = f"matches more than {most:,} {what}; expected a round, a table or a shorter period"
        raise WireError((Mistake("list-length", ("query",), detail),))
    return rows


_BUILDERS: Final[Mapping[PlotName, Callable[[Transaction, PlotFilter, ClubView], _PlotParts]]] = {
    PlotName.STACKS: _plot_stacks,
    PlotName.NET: _plot_net,
    PlotName.SOURCES: _plot_sources,
    PlotName.HEAD_TO_HEAD: _plot_head_to_head,
    PlotName.CAPS: _plot_caps,
    PlotName.FOULS: _plot_fouls,
    PlotName.DISTRIBUTION: _plot_distribution,
}
