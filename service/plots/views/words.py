"""The titles, descriptions and labels of plots."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Final
from urllib.parse import quote
from uuid import UUID

from babel.dates import format_date, format_datetime

from schemas.statistics.plots import PlotName, PlotPlace, PlotSeries, PlotView, Value
from service.http import formats
from service.plots.views.scales import clean, show_number, show_percent

_LOCALE: Final = "en_GB"
_MOST_DESCRIBED: Final = 6
_OF_PLAYERS: Final = (PlotName.SOURCES, PlotName.HEAD_TO_HEAD, PlotName.CAPS)
"""The plots whose places are players."""
_CONSOLE: Final = "/console"

TITLES: Final[Mapping[PlotName, str]] = {
    PlotName.STACKS: "Stacks after each hand",
    PlotName.NET: "Points won and lost over time",
    PlotName.SOURCES: "Points by source",
    PlotName.HEAD_TO_HEAD: "Head-to-head points",
    PlotName.CAPS: "Points due and paid",
    PlotName.FOULS: "Rate of foul boards",
    PlotName.DISTRIBUTION: "Points in a hand",
}
NOTES: Final[Mapping[PlotName, str]] = {
    PlotName.STACKS: "",
    PlotName.NET: "After caps, added up from round to round. Open rounds count as they are now.",
    PlotName.SOURCES: "Before caps. All points of a player's hands in Fantasyland are one part.",
    PlotName.HEAD_TO_HEAD: "Points of the player of the row against the player of the column, before caps.",
    PlotName.CAPS: "What caps cut off is not owed later.",
    PlotName.FOULS: "Each with its 95 % interval by Wilson.",
    PlotName.DISTRIBUTION: "How many boards won or lost so many points, before caps.",
}
"""What a reader has to know beside the title."""
_AXES: Final[Mapping[PlotName, tuple[str, str]]] = {
    PlotName.STACKS: ("Hands, by the time of the round", "Stack (points)"),
    PlotName.NET: ("Rounds, by time", "Won since the start (points)"),
    PlotName.SOURCES: ("Won or lost (points)", "Player"),
    PlotName.HEAD_TO_HEAD: ("Won or lost against (points)", "Player"),
    PlotName.CAPS: ("← paid, received → (points)", "Player"),
    PlotName.FOULS: ("Evenings", "Foul boards (%)"),
    PlotName.DISTRIBUTION: ("Won or lost in a hand (points)", "Boards (number)"),
}
"""The titles of the horizontal and the vertical axis, with their units."""
LABELS: Final[Mapping[str, str]] = {
    "rows": "Rows",
    "bonuses": "Scoops and majorities",
    "royalties": "Royalties",
    "fouls": "Fouls",
    "fantasyland": "Fantasyland hands",
    "received": "Received",
    "not_received": "Due, not received (caps)",
    "paid": "Paid",
    "not_paid": "Due, not paid (caps)",
    "hands": "Boards",
    "rate": "Foul rate",
    "rate_low": "Low (95 %)",
    "rate_high": "High (95 %)",
    "round": "Round",
    "hand": "Hand",
    "opened_at": "Opened",
    "player": "Player",
    "first": "First evening",
    "last": "Last evening",
    "low": "From",
    "high": "To",
}
"""The labels of series and columns that are not players."""


def title_of(view: PlotView) -> str:
    """Return the title of a plot, with the player, the table, the round and the period that it is about."""
    parts = [TITLES[view.plot]]
    if view.player is not None:
        parts.append(isolate(player_name(view, view.player)))
    if view.table_name is not None:
        parts.append(isolate(view.table_name))
    if view.is_one_round:
        parts.append("one round" if view.reference is None else f"round {isolate(view.reference)}")
    parts += _periods_of(view)
    return " · ".join(parts)


def _periods_of(view: PlotView) -> Iterator[str]:
    """Yield the period, as evenings if it begins and ends with one."""
    first = None if view.opened_from is None else view.club.evening_of(view.opened_from)
    last = None if view.opened_before is None else view.club.evening_of(view.opened_before - timedelta(seconds=1))
    is_first = first is not None and view.club.evening(first)[0] == view.opened_from
    is_last = last is not None and view.club.evening(last)[1] == view.opened_before
    if first is not None and first == last and is_first and is_last:
        yield _show_day(first)
        return
    parts = []
    if first is not None and view.opened_from is not None:
        parts.append(f"from {_show_day(first) if is_first else _show_moment(view, view.opened_from)}")
    if last is not None and view.opened_before is not None:
        parts.append(f"to {_show_day(last)}" if is_last else f"before {_show_moment(view, view.opened_before)}")
    if parts:
        yield " ".join(parts)


def describe(view: PlotView) -> str:
    """Return what a plot shows in sentences, with its main figures."""
    if view.is_empty:
        return "No hands match the filter."
    sentences = [*_DESCRIBED[view.plot](view)]
    if view.omitted:
        sentences.append(tell_others(view))
    return " ".join(sentences)


def axis_titles_of(view: PlotView) -> tuple[str, str]:
    """Return the titles of the horizontal and the vertical axis."""
    x_title, y_title = _AXES[view.plot]
    if view.plot is PlotName.STACKS and view.is_one_round:
        return "Hand (number)", y_title
    return x_title if view.period is None else f"{view.period.capitalize()}s", y_title


def chosen_line_of(view: PlotView) -> int:
    """Return which line is in color: that of the wanted player, or else of the one with the most at the end."""
    names = [each.name for each in view.series]
    if view.highlight in names:
        return names.index(view.highlight)
    ends = [value for each in view.series if (value := _last_of(each)) is not None]
    return next((number for number, each in enumerate(view.series) if ends and _last_of(each) == max(ends)), 0)


def _last_of(series: PlotSeries) -> Value:
    return next((value for value in reversed(series.values) if value is not None), None)


def show_last(view: PlotView, series: PlotSeries) -> str:
    """Return the last value of a line."""
    last = _last_of(series)
    return "" if last is None else show_number(last, signed=view.plot is PlotName.NET)


def count_others(view: PlotView) -> str:
    """Return the number of the players who are left out."""
    return "1 other" if view.omitted == 1 else f"{view.omitted:,} others"


def tell_others(view: PlotView) -> str:
    """Return a sentence about the players who are left out."""
    players = "1 player" if view.omitted == 1 else f"{view.omitted:,} players"
    is_band = view.plot in (PlotName.STACKS, PlotName.NET)
    return f"{players} with fewer hands: {'a band from the least to the most of them' if is_band else 'added up'}."


def _describe_lines(view: PlotView) -> Iterator[str]:
    places = "hands" if view.plot is PlotName.STACKS else "rounds"
    yield f"A step line for each of {len(view.series):,} players, over {_count(view):,} {places}."
    for series in view.series[:_MOST_DESCRIBED]:
        values = [value for value in series.values if value is not None]
        if values:
            low, high = show_number(min(values)), show_number(max(values))
            yield f"{name_of(view, series)}: {show_number(values[-1])} at the end, lowest {low}, highest {high}."


def _count(view: PlotView) -> int:
    return sum(place.hand != 0 for place in view.places)


def _describe_sources(view: PlotView) -> Iterator[str]:
    yield f"A stacked bar for each of {len(view.places):,} players."
    for index, place in enumerate(view.places[:_MOST_DESCRIBED]):
        parts = [
            f"{LABELS[each.name].lower()} {show_number(each.values[index] or 0, signed=True)}" for each in view.series
        ]
        total = sum(each.values[index] or 0 for each in view.series)
        yield f"{isolate(player_of(view, place))}: {show_number(total, signed=True)} in all; {', '.join(parts)}."


def _describe_pairs(view: PlotView) -> Iterator[str]:
    yield f"A matrix with {len(view.places):,} rows and {len(view.series):,} columns of players. {NOTES[view.plot]}"


def _describe_caps(view: PlotView) -> Iterator[str]:
    yield f"A bar to each side for each of {len(view.places):,} players: received and paid."
    received, not_received, paid, not_paid = view.series
    for index, place in enumerate(view.places[:_MOST_DESCRIBED]):
        got, lost = received.values[index] or 0, not_received.values[index] or 0
        gave, kept = paid.values[index] or 0, not_paid.values[index] or 0
        name = isolate(player_of(view, place))
        yield (
            f"{name} received {show_number(got)} of {show_number(got + lost)} points due, and"
            f" paid {show_number(gave)} of {show_number(gave + kept)}."
        )


def _describe_fouls(view: PlotView) -> Iterator[str]:
    hands, fouls = sum(each.hands or 0 for each in view.places), sum(each.fouls or 0 for each in view.places)
    yield f"{fouls:,} of {hands:,} boards were foul, {show_percent(fouls / hands)}."
    yield f"{len(view.places):,} periods, each with its 95 % interval by Wilson."


def _describe_distribution(view: PlotView) -> Iterator[str]:
    [series] = view.series
    values = [value or 0 for value in series.values]
    most = view.places[values.index(max(values))]
    yield f"A histogram of {sum(values):,} boards. Most often: {label_of(view, most)} points, {max(values):,} times."


_DESCRIBED: Final = {
    PlotName.STACKS: _describe_lines,
    PlotName.NET: _describe_lines,
    PlotName.SOURCES: _describe_sources,
    PlotName.HEAD_TO_HEAD: _describe_pairs,
    PlotName.CAPS: _describe_caps,
    PlotName.FOULS: _describe_fouls,
    PlotName.DISTRIBUTION: _describe_distribution,
}


def label_of(view: PlotView, place: PlotPlace) -> str:
    """Return the name of a place."""
    if view.plot is PlotName.DISTRIBUTION:
        low, high = show_number(place.low or 0), show_number(place.high or 0)
        return low if low == high else f"{low} to {high}"
    if view.plot in _OF_PLAYERS:
        return clean(player_of(view, place))
    if place.first is not None:
        return _show_day(place.first) if place.first == place.last else f"{_show_day(place.first)} and later"
    opened = "" if place.opened_at is None else _show_moment(view, place.opened_at)
    if place.hand is None:
        return f"Round of {opened}"
    hand = f"Hand {place.hand}" if place.hand else "Start of the round"
    return hand if view.is_one_round else f"{opened}, {hand.lower()}"


def tick_of(view: PlotView, place: PlotPlace) -> str:
    """Return the short name of a place below the axis."""
    if view.plot is PlotName.STACKS and view.is_one_round:
        return str(place.hand)
    days = [view.places[0], view.places[-1]]
    if place.first is not None:
        begin, end = (day.first for day in days)
        is_long = begin is not None and end is not None and (end - begin).days > 300
        return format_date(place.first, "MMM y" if is_long else "d MMM", locale=_LOCALE)
    assert place.opened_at is not None, "places without a player or a period have a round"
    begin, end = (day.opened_at for day in days)
    hours = 0.0 if begin is None or end is None else (end - begin).total_seconds() / 3600
    form = "HH:mm" if hours < 24 else "d MMM" if hours < 24 * 300 else "MMM y"
    return format_datetime(place.opened_at.astimezone(view.zone), form, locale=_LOCALE)


def text_of_place(view: PlotView, index: int) -> str:
    """Return the name of a place and its values, for those who point at it."""
    place = view.places[index]
    return f"{label_of(view, place)}: {', '.join(_values_at(view, index)) or 'no values'}"


def _values_at(view: PlotView, index: int) -> Iterator[str]:
    place = view.places[index]
    for series in view.series:
        value = series.values[index]
        if view.plot is PlotName.FOULS and series.lows is not None and series.highs is not None:
            low, high = series.lows[index] or 0, series.highs[index] or 0
            interval = f"95 %: {show_percent(low)} to {show_percent(high)}"
            yield f"{place.fouls:,} of {place.hands:,} foul, {show_percent(value or 0)} ({interval})"
        elif view.plot is PlotName.DISTRIBUTION:
            yield f"{value:,} boards"
        elif value is not None:
            yield f"{name_of(view, series)} {show_number(value)}"
    if view.others is not None and view.others.lows is not None and view.others.highs is not None:
        least, most = view.others.lows[index], view.others.highs[index]
        if least is not None and most is not None:
            yield f"{count_others(view)} {show_number(least)} to {show_number(most)}"


def name_of(view: PlotView, series: PlotSeries) -> str:
    """Return the name of a series: the player's, or what the values are."""
    return isolate(player_name(view, series.name)) if series.is_player else LABELS[series.name]


def player_name(view: PlotView, player: str) -> str:
    """Return what a player is called on the drawing."""
    return view.names.get(player, player)


def player_of(view: PlotView, place: PlotPlace) -> str:
    """Return what the player of a place is called; the last place can be the sum of the others."""
    return count_others(view) if place.player is None else player_name(view, place.player)


def address_of(place: PlotPlace) -> str | None:
    """Return the page of the console about a hand, a round or a player."""
    if place.player is not None:
        return address_of_player(place.player)
    if place.round is None:
        return None
    return address_of_hand(place.round, place.hand)


def address_of_hand(round_id: UUID, hand: int | None) -> str:
    """Return the page of the console about a hand, or about its round for the start of the round."""
    return f"{_CONSOLE}/rounds/{round_id}/hands/{hand}" if hand else f"{_CONSOLE}/rounds/{round_id}"


def address_of_player(player: str) -> str:
    """Return the page of the console about a player. Browsers resolve `.` and `..` in a path, but not in a query."""
    if player in (".", ".."):
        return f"{_CONSOLE}/player?id={player}"
    return f"{_CONSOLE}/players/{quote(player, safe='')}"


def isolate(name: str) -> str:
    """Return a name as a drawing can contain it, with its own direction of writing."""
    return formats.isolate(clean(name))


def _show_moment(view: PlotView, moment: datetime) -> str:
    return format_datetime(moment.astimezone(view.zone), "d MMM y, HH:mm", locale=_LOCALE)


def _show_day(day: date) -> str:
    return format_date(day, "d MMM y", locale=_LOCALE)
