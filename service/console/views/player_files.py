"""The rates of players' statistics, and their files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Response

from schemas.accounting.intervals import rate_interval
from schemas.accounting.statistics import NotedHand, OpponentFigures, PlayerDetails, PlayerFigures
from schemas.fields import show_time
from service.console.views.exports import Column, encode_row, send_blocks, send_list
from service.http.responses import encode_json

_DECIMALS: Final = 4

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


def send_details(form: str, part: str | None, details: PlayerDetails, names: Mapping[str, str]) -> Response:
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
