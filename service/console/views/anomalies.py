"""What is unusual about a round as sentences."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from markupsafe import Markup

from schemas.disputes import Ratio, RoundAnomaly
from scoring.hand import Seat
from service.console.views.pages import console
from service.rounds.views.explanations import isolate_names

Names = Sequence[str]


def _mean(ratio: Ratio) -> str:
    """
    Return a ratio as a number with one digit at most.

    >>> _mean(Ratio(30, 10)), _mean(Ratio(7, 2))
    ('3', '3.5')
    """
    return f"{ratio.count / ratio.of:,.1f}".removesuffix(".0")


def _count(ratio: Ratio, noun: str, have: str) -> str:
    """
    Return a number of cases out of all.

    >>> _count(Ratio(1, 5), "hands", "{was} accepted"), _count(Ratio(2, 5), "hands", "{was} accepted")
    ('1 of 5 hands was accepted', '2 of 5 hands were accepted')
    """
    is_one = ratio.count == 1
    verbs = {"was": "was" if is_one else "were", "has": "has" if is_one else "have"}
    return f"{ratio.count} of {ratio.of} {noun} {have.format(**verbs)}"


def _lost(ratio: Ratio, names: Names) -> str:
    points = "point" if ratio.count == 1 else "points"
    return f"Caps cut {ratio.count:,} {points} between {names[0]} and {names[1]}"


_PHRASES: Final[Mapping[str, Callable[[Ratio, Names], str]]] = {
    "corrected-after-final": lambda ratio, _: _count(ratio, "revisions", "{was} made after the settlement was final"),
    "irregular-hands": lambda ratio, _: _count(ratio, "hands", "{was} accepted as played"),
    "unconfirmed": lambda ratio, _: _count(ratio, "players", "{has} not confirmed the settlement"),
    "foul-rate": lambda ratio, names: f"{ratio.count} of {names[0]}'s {ratio.of} boards were foul",
    "points-lost-to-caps": _lost,
}


def say_anomaly(anomaly: RoundAnomaly, names: Mapping[Seat, str]) -> str:
    """
    Return what is unusual as a sentence.

    >>> fouls = RoundAnomaly("foul-rate", (2,), Ratio(6, 7), Ratio(0, 12), "")
    >>> say_anomaly(fouls, {2: "ann"})
    "6 of ann's 7 boards were foul; usually 0 of 12."
    >>> say_anomaly(RoundAnomaly("irregular-hands", (), Ratio(1, 5), Ratio(0, 0), ""), {})
    '1 of 5 hands was accepted as played.'
    """
    phrase = _PHRASES[anomaly.code](anomaly.found, [names.get(seat, f"seat {seat}") for seat in anomaly.seats])
    if not anomaly.usual.of:
        return f"{phrase}."
    if anomaly.code == "points-lost-to-caps":
        return f"{phrase}; usually {_mean(anomaly.usual)} for two players and a round."
    return f"{phrase}; usually {anomaly.usual.count:,} of {anomaly.usual.of:,}."


@console.app_template_filter("anomaly")
def show_anomaly(anomaly: RoundAnomaly, players: Mapping[Seat, str], display_names: Mapping[str, str]) -> Markup:
    """Return what is unusual as a sentence for HTML, with the names of players."""
    names = {seat: display_names.get(player, player) for seat, player in players.items()}
    return isolate_names(say_anomaly(anomaly, names), names)
