"""Compute the figures of plots."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import accumulate
from typing import Any, Final, NamedTuple

from sqlalchemy import Row

from schemas.base import WireError
from schemas.clubs import ClubView
from schemas.statistics.intervals import rate_interval
from schemas.statistics.plots import (
    MOST_BARS,
    MOST_SERIES,
    PlotName,
    PlotPlace,
    PlotSeries,
    PlotView,
    Value,
)
from scoring.errors import Mistake
from scoring.sources import PointSources
from service.db import Transaction
from service.players.actions import list_names
from service.players.queries.aliases import read_aliases
from service.plots import queries
from service.plots.queries import PlotFilter
from service.rounds.queries import rounds
from service.tables.actions import get_table

_MOST_HANDS: Final = 600
_MOST_ROUNDS: Final = 400
"""The number of rounds that are places of their own. Of more, the places of `net` are evenings or longer periods."""
_MOST_PERIODS: Final = 45
_MOST_RANGES: Final = 40
_FANTASYLAND: Final = "fantasyland"
SOURCES: Final = (*PointSources._fields, _FANTASYLAND)
"""The series of the plot `sources`."""
CAPS: Final = ("received", "not_received", "paid", "not_paid")
"""The series of the plot `caps`."""


class _PlotParts(NamedTuple):
    """The places and the series of a plot, and the players who are left out, as `PlotView` has them."""

    places: Sequence[PlotPlace] = ()
    series: Sequence[PlotSeries] = ()
    omitted: int = 0
    others: PlotSeries | None = None
    period: str | None = None


def get_plot(transaction: Transaction, club: ClubView, plot: PlotName, filter_: PlotFilter) -> PlotView:
    """
    Return the figures of a plot, in the revisions in force.

    The stacks are those of a round, or of the newest evening that the filter matches, at the table of its last round.

    Raises:
        NotFound: the round or the table does not exist.
        WireError: the plot needs a filter that matches fewer hands.
    """
    if filter_.player is not None or filter_.highlight is not None:
        aliases = read_aliases(transaction)
        player, highlight = (each and aliases.player_of(each) for each in (filter_.player, filter_.highlight))
        filter_ = replace(filter_, player=player, highlight=highlight)
    round_ = None if filter_.round_id is None else rounds.get(transaction, filter_.round_id)
    if plot is PlotName.STACKS and round_ is None:
        filter_ = _choose_evening(transaction, filter_, club)
    table_id = round_.table_id if round_ is not None else filter_.table_id
    table = None if table_id is None else get_table(transaction, table_id)
    parts = _BUILDERS[plot](transaction, filter_, club)
    return PlotView(
        plot=plot,
        club=club,
        table_name=None if table is None else table.name,
        reference=None if round_ is None else round_.reference,
        is_one_round=round_ is not None,
        player=filter_.player,
        opened_from=filter_.opened_from,
        opened_before=filter_.opened_before,
        highlight=filter_.highlight,
        names={} if filter_.has_all_players else _name_players(transaction, parts, filter_.player),
        **parts._asdict(),
    )


def find_newest_evening(transaction: Transaction, club: ClubView) -> date | None:
    """Find the evening of the newest round of the club; None if it has no round."""
    newest = queries.find_newest(transaction, PlotFilter())
    return None if newest is None else club.evening_of(newest.opened_at)


def _choose_evening(transaction: Transaction, filter_: PlotFilter, club: ClubView) -> PlotFilter:
    """Narrow a filter to the evening and the table of its newest round."""
    newest = queries.find_newest(transaction, filter_)
    if newest is None:
        return filter_
    begin, end = club.evening(club.evening_of(newest.opened_at))
    return replace(
        filter_,
        table_id=newest.table_id,
        opened_from=begin if filter_.opened_from is None else max(begin, filter_.opened_from),
        opened_before=end if filter_.opened_before is None else min(end, filter_.opened_before),
    )


def _name_players(transaction: Transaction, parts: _PlotParts, player: str | None) -> dict[str, str]:
    """Return what players are called on a drawing: by their display names, with the ID where two have the same."""
    shown = [each.name for each in parts.series if each.is_player]
    shown += [each.player for each in parts.places if each.player is not None]
    ids = dict.fromkeys([*shown, *([] if player is None else [player])])
    names = list_names(transaction, ids)
    counted = Counter(names.get(each, each) for each in ids)
    return {each: name if counted[name] == 1 else f"{name} ({each})" for each, name in names.items()}


def _plot_stacks(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return the stack of each player at the start of each round and after each hand."""
    rows = _few(queries.list_rounds(transaction, filter_, _MOST_ROUNDS + 1), _MOST_ROUNDS, "rounds")
    hands = defaultdict(list)
    for each in _few(queries.list_stacks(transaction, filter_, _MOST_HANDS + 1), _MOST_HANDS, "hands"):
        hands[each.round_id].append(each)
    counted, aliases = Counter[str](), read_aliases(transaction)
    for each in rows:
        counted.update(dict.fromkeys(aliases.players_of(each.players), 1 + len(hands[each.id])))
    places: list[PlotPlace] = []
    values: dict[str, list[Value]] = {player: [] for player in counted}
    for each in rows:
        stacks = [(0, each.opening_stacks), *((hand.number, hand.stacks) for hand in hands[each.id])]
        for number, held in stacks:
            by_player = dict(zip(aliases.players_of(each.players), held, strict=True))
            places.append(PlotPlace(round=each.id, hand=number, opened_at=each.opened_at))
            for player, of_player in values.items():
                of_player.append(by_player.get(player))
    return _lines_of(places, values, counted, filter_)


def _plot_net(transaction: Transaction, filter_: PlotFilter, club: ClubView) -> _PlotParts:
    """Return the points that each player has won or lost since the start, after each round or each period."""
    rows = queries.list_openings(transaction, filter_, _MOST_ROUNDS + 1)
    period, starts, indexes = None, None, {each.id: index for index, each in enumerate(rows)}
    places = [PlotPlace(round=each.id, opened_at=each.opened_at) for each in rows]
    if len(rows) > _MOST_ROUNDS:
        period, days, starts = _divide(transaction, filter_, club)
        last = {each.place: each.last for each in queries.list_last_openings(transaction, filter_, starts)}
        indexes = {place: index for index, place in enumerate(last)}
        places = [PlotPlace(first=days[place - 1], last=club.evening_of(at)) for place, at in last.items()]
    values: dict[str, list[Value]] = {}
    counted: dict[str, int] = {}
    for each in queries.list_nets(transaction, filter_, starts):
        nets: list[int | None] = [None] * len(places)
        for place, net in zip(each.places, each.nets, strict=True):
            nets[indexes[place]] = net
        first = next(index for index, net in enumerate(nets) if net is not None)
        values[each.player] = [*nets[:first], *accumulate(net or 0 for net in nets[first:])]
        counted[each.player] = each.hands
    return _lines_of(places, values, counted, filter_)._replace(period=period)


def _lines_of(
    places: Sequence[PlotPlace], values: Mapping[str, Sequence[Value]], counted: Mapping[str, int], filter_: PlotFilter
) -> _PlotParts:
    """Return the lines of the players with the most hands, and the band of the others."""
    chosen, omitted = _choose(counted, filter_, MOST_SERIES)
    series = [PlotSeries(player, values[player], is_player=True) for player in chosen]
    if not omitted:
        return _PlotParts(places, series)
    present = [
        [value for value in at if value is not None]
        for at in zip(*(values[player] for player in counted if player not in chosen), strict=True)
    ]
    others = PlotSeries(
        "others",
        [sum(at) if at else None for at in present],
        lows=[min(at, default=None) for at in present],
        highs=[max(at, default=None) for at in present],
    )
    return _PlotParts(places, series, omitted, others)


def _plot_sources(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return the points of each player by what they are for; those of hands in Fantasyland are one sum."""
    return _bars_of(queries.list_sources(transaction, filter_), SOURCES, filter_, lambda each: -sum(each))


def _plot_caps(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return the points that each player received and paid, and those that were due and, because of caps, not paid."""

    def order(sums: Sequence[int]) -> int:
        received, _, paid, _ = sums
        return paid - received

    parts = _bars_of(queries.list_caps(transaction, filter_), CAPS, filter_, order)
    return parts._replace(places=[each._replace(hands=None) for each in parts.places])


def _bars_of(
    rows: Iterable[Row[Any]], names: Sequence[str], filter_: PlotFilter, order: Callable[[Sequence[int]], int]
) -> _PlotParts:
    """Return the bars of the players with the most hands, in an order of their sums, and one of all others."""
    sums = {each.player: [int(getattr(each, name)) for name in names] for each in rows}
    counted = {each.player: int(each.hands) for each in rows}
    chosen, omitted = _choose(counted, filter_, MOST_BARS)
    chosen.sort(key=lambda player: (order(sums[player]), player))
    places = [PlotPlace(player=player, hands=counted[player]) for player in chosen]
    shown = [sums[player] for player in chosen]
    if omitted:
        left_out = counted.keys() - chosen
        places.append(PlotPlace(hands=sum(counted[player] for player in left_out)))
        shown.append([sum(of_name) for of_name in zip(*(sums[player] for player in left_out), strict=True)])
    series = [PlotSeries(name, [each[number] for each in shown]) for number, name in enumerate(names)]
    return _PlotParts(places, series, omitted)


def _plot_head_to_head(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return the points of each player against each other, before caps."""
    counted = {each.player: int(each.hands) for each in queries.list_hand_counts(transaction, filter_)}
    columns, omitted = _choose(counted, replace(filter_, player=None), MOST_SERIES)
    rows = columns if filter_.player is None or not columns else [filter_.player]
    pairs = queries.list_pairs(transaction, filter_, columns if omitted else None)
    points = {(pair.player, pair.opponent): int(pair.points) for pair in pairs}
    places = [PlotPlace(player=player) for player in rows]
    series = [PlotSeries(other, [points.get((row, other)) for row in rows], is_player=True) for other in columns]
    others = PlotSeries("others", [points.get((row, None)) for row in rows]) if omitted else None
    return _PlotParts(places, series, omitted, others)


def _plot_fouls(transaction: Transaction, filter_: PlotFilter, club: ClubView) -> _PlotParts:
    """Return the rate of foul boards by evening, week, month or year, with its interval."""
    period, days, starts = _divide(transaction, filter_, club)
    if not starts:
        return _PlotParts()
    places = [
        PlotPlace(first=days[row.place - 1], last=club.evening_of(row.last), hands=int(row.hands), fouls=int(row.fouls))
        for row in queries.list_fouls(transaction, filter_, starts)
    ]
    counted = [(each.fouls or 0, each.hands or 1) for each in places]
    ends = [rate_interval(*of) for of in counted]
    rates = [fouls / hands for fouls, hands in counted]
    series = PlotSeries("rate", rates, lows=[low for low, _ in ends], highs=[high for _, high in ends])
    return _PlotParts(places, [series] if places else [], period=period)


def _divide(transaction: Transaction, filter_: PlotFilter, club: ClubView) -> tuple[str, list[date], list[datetime]]:
    """Divide the time of the rounds into evenings, weeks, months or years: their first days, and when they start."""
    span = queries.find_span(transaction, filter_)
    if span is None:
        return "evening", [], []
    first, last = map(club.evening_of, span)
    period, longest, begin = _period_of((last - first).days + 1)
    days = [begin(first)]
    while (following := begin(days[-1] + timedelta(days=longest))) <= last:
        days.append(following)
    return period, days, [club.evening(day)[0] for day in days]


def _period_of(days: int) -> tuple[str, int, Callable[[date], date]]:
    """Return the name of a period, its most days, and a function that returns the first day of the one of a day."""
    if days <= _MOST_PERIODS:
        return "evening", 1, lambda day: day
    if days <= 7 * _MOST_PERIODS:
        return "week", 7, lambda day: day - timedelta(days=day.weekday())
    if days <= 30 * _MOST_PERIODS:
        return "month", 31, lambda day: day.replace(day=1)
    return "year", 366, lambda day: day.replace(month=1, day=1)


def _plot_distribution(transaction: Transaction, filter_: PlotFilter, _club: ClubView) -> _PlotParts:
    """Return how many boards won or lost each range of points."""
    counted = {int(row.points): int(row.boards) for row in queries.count_points(transaction, filter_)}
    if not counted:
        return _PlotParts()
    width = range_width(min(counted), max(counted))
    boards: dict[int, int] = Counter()
    for points, count in counted.items():
        boards[points // width] += count
    ranges = range(min(boards), max(boards) + 1)
    places = [PlotPlace(low=each * width, high=(each + 1) * width - 1) for each in ranges]
    return _PlotParts(places, [PlotSeries("hands", [boards[each] for each in ranges])])


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


def _choose(counted: Mapping[str, int], filter_: PlotFilter, most: int) -> tuple[list[str], int]:
    """Return the players with the most hands, in the order of their names, and the number of the others."""
    if filter_.player is not None:
        return [filter_.player] if filter_.player in counted else [], 0
    by_hands = sorted(counted, key=lambda player: (player != filter_.highlight, -counted[player], player))
    chosen = by_hands if filter_.has_all_players else by_hands[:most]
    return sorted(chosen), len(counted) - len(chosen)


def _few(rows: Sequence[Row[Any]], most: int, what: str) -> Sequence[Row[Any]]:
    """
    Return what was found, unless it is too much for one plot.

    Raises:
        WireError: it is too much.
    """
    if len(rows) > most:
        detail = f"matches more than {most:,} {what}; expected a round or a shorter period"
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
