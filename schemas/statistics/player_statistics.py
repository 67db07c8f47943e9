"""Statistics of players."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from schemas.base import Dumped, WireSchema
from schemas.clubs import OfRoundsOrEvening
from schemas.fields import Inner, Integer, Listing, Number, show_time
from schemas.game_fields import AliasesField, PlayerField, RulesetReference, dump_aliases
from schemas.pages import PERIOD_END, PERIOD_START, QuerySchema
from schemas.statistics.intervals import mean_interval
from scoring.board import Board
from scoring.ruleset import Points

MOST_PLAYERS_LISTED: Final = 100_000
_DECIMALS: Final = 4


class StatisticsQuerySchema(OfRoundsOrEvening, QuerySchema):
    """The rounds of statistics."""

    ruleset = RulesetReference(description="Only hands under this ruleset: all versions, or one as `name@version`.")


class PointsPerHandSchema(WireSchema):
    """The mean of a player's points in a hand, with an interval that contains the true mean in 95 % of cases."""

    mean = Number(required=True, description="Mean of the points in a hand, before caps.")
    low = Number(
        required=True,
        allow_none=True,
        description="Lower end of the 95 % interval, by the normal distribution. Null for fewer than two hands.",
    )
    high = Number(
        required=True, allow_none=True, description="Upper end of the 95 % interval. Null for fewer than two hands."
    )


class RoyaltiesByRowSchema(WireSchema):
    """Royalties by row."""

    top = Integer(least=0, required=True, description="Royalties of top rows.")
    middle = Integer(least=0, required=True, description="Royalties of middle rows.")
    bottom = Integer(least=0, required=True, description="Royalties of bottom rows.")


class PlayerStatisticsSchema(WireSchema):
    """Statistics of a player."""

    player = PlayerField(required=True)
    rounds = Integer(least=0, required=True, description="Number of rounds in which the player was dealt a hand.")
    hands = Integer(least=0, required=True, description="Number of hands that the player was dealt.")
    points = Integer(required=True, description="Points won or, below zero, lost, before caps.")
    points_per_hand = Inner(
        PointsPerHandSchema, required=True, allow_none=True, description="Points in a hand. Null without hands."
    )
    fouls = Integer(least=0, required=True, description="Number of foul boards.")
    fantasyland_entered = Integer(
        least=0, required=True, description="Number of boards that earned Fantasyland in an ordinary hand."
    )
    fantasyland_stayed = Integer(
        least=0, required=True, description="Number of boards that earned Fantasyland again, in Fantasyland."
    )
    royalties = Inner(RoyaltiesByRowSchema, required=True, description="Royalties of boards that are not foul.")
    scoops = Integer(
        least=0, required=True, description="Number of opponents, over all hands, against whom all three rows were won."
    )
    not_received = Integer(
        least=0, required=True, description="Points that were due to the player and, because of caps, not paid."
    )
    not_paid = Integer(
        least=0, required=True, description="Points that were due from the player and, because of caps, not paid."
    )


class StatisticsSchema(WireSchema):
    """Statistics of players."""

    opened_from = PERIOD_START
    opened_before = PERIOD_END
    players = Listing(
        Inner(PlayerStatisticsSchema),
        most=MOST_PLAYERS_LISTED,
        required=True,
        description="The players' statistics, most hands first.",
    )
    aliases = AliasesField()


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """The figures of a player. `squares` is the sum of the squares of the points of each hand."""

    player: str
    rounds: int = 0
    hands: int = 0
    points: Points = 0
    squares: int = 0
    fouls: int = 0
    fantasyland_hands: int = 0
    fantasyland_entered: int = 0
    fantasyland_stayed: int = 0
    royalties_top: Points = 0
    royalties_middle: Points = 0
    royalties_bottom: Points = 0
    scoops: int = 0
    not_received: Points = 0
    not_paid: Points = 0

    @property
    def interval(self) -> tuple[float, float] | None:
        """
        The 95 % interval of the mean points in a hand, by the normal distribution; None for fewer than two hands.

        >>> low, high = PlayerFigures("ann", hands=4, points=8, squares=40).interval
        >>> round(low, 4), round(high, 4)
        (-0.7718, 4.7718)
        """
        return mean_interval(self.hands, self.points, self.squares)


@dataclass(frozen=True, slots=True)
class OpponentFigures:
    """
    The figures of a player against one opponent.

    Attributes:
        opponent: the opponent.
        rounds: the number of rounds in which both were dealt the same hand.
        hands: the number of hands that both were dealt.
        points: points won or, below zero, lost against the opponent, before caps.
        squares: the sum of the squares of the points of each hand.
        scoops: the number of hands in which the player won all three rows.
        scooped: the number of hands in which the opponent won all three rows.
        paid: points received from the opponent less those paid, after caps.
    """

    opponent: str
    rounds: int = 0
    hands: int = 0
    points: Points = 0
    squares: int = 0
    scoops: int = 0
    scooped: int = 0
    paid: Points = 0

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean points in a hand, by the normal distribution; None for fewer than two hands."""
        return mean_interval(self.hands, self.points, self.squares)


@dataclass(frozen=True, slots=True)
class NotedHand:
    """A hand of a player, with the points that it won or, below zero, lost before caps."""

    round_id: UUID
    number: int
    points: Points
    table_id: UUID
    table_name: str
    ruleset: str
    opened_at: datetime
    board: Board
    is_foul: bool


@dataclass(frozen=True, slots=True)
class PlayerDetails:
    """Everything that is shown of one player."""

    figures: PlayerFigures
    opponents: list[OpponentFigures]
    best: list[NotedHand]
    worst: list[NotedHand]


@dataclass(frozen=True, slots=True)
class StatisticsView:
    """Statistics of players."""

    players: list[PlayerFigures]
    opened_from: datetime | None
    opened_before: datetime | None
    aliases: Mapping[str, str] = field(default_factory=dict)


def dump_statistics(view: StatisticsView) -> Dumped:
    """Encode statistics, most hands first."""
    return {
        "from": show_time(view.opened_from),
        "to": show_time(view.opened_before),
        "players": [_dump(each) for each in sorted(view.players, key=lambda each: (-each.hands, each.player))],
        **dump_aliases(view.aliases),
    }


def _dump(figures: PlayerFigures) -> dict[str, Any]:
    low, high = figures.interval or (None, None)
    mean = (
        {
            "mean": _round(figures.points / figures.hands),
            "low": _round(low),
            "high": _round(high),
        }
        if figures.hands
        else None
    )
    return {
        "player": figures.player,
        "rounds": figures.rounds,
        "hands": figures.hands,
        "points": figures.points,
        "points_per_hand": mean,
        "fouls": figures.fouls,
        "fantasyland_entered": figures.fantasyland_entered,
        "fantasyland_stayed": figures.fantasyland_stayed,
        "royalties": {
            "top": figures.royalties_top,
            "middle": figures.royalties_middle,
            "bottom": figures.royalties_bottom,
        },
        "scoops": figures.scoops,
        "not_received": figures.not_received,
        "not_paid": figures.not_paid,
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS)
