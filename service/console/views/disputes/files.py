"""The tables of a dispute as files: its history, what its correction changed, and the settlement in force."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.disputes import DisputeEntry
from schemas.fields import show_time
from schemas.money import show_decimal
from schemas.settlements import SettlementView
from scoring.hand import Seat
from scoring.ruleset import Points
from service.console.views.corrections.boards import ComparedNet, ShownComparison
from service.console.views.exports import Column
from service.disputes.queries.cases import StoredCase

PARTS: Final = ("history", "comparison", "settlement")
HISTORY: Final[Sequence[Column[DisputeEntry]]] = (
    Column("version", lambda entry: entry.version),
    Column("at", lambda entry: show_time(entry.at)),
    Column("kind", lambda entry: entry.kind),
    Column("by", lambda entry: entry.by),
    Column("words", lambda entry: entry.words),
    Column("correction", lambda entry: entry.correction),
)


@dataclass(frozen=True, slots=True)
class NetLine:
    """The net points of a player: before and after a correction, or in the settlement in force."""

    case: StoredCase
    net: ComparedNet
    stack: Points | None = None

    def value_of(self, points: Points) -> str | None:
        """Return the value of points as a decimal number; None if points have no value."""
        if self.case.point_value is None or self.case.unit is None:
            return None
        return show_decimal(points * self.case.point_value, self.case.unit)


COMPARISON: Final[Sequence[Column[NetLine]]] = (
    Column("player", lambda line: line.net.player),
    Column("before", lambda line: line.net.before),
    Column("after", lambda line: line.net.after),
    Column("change", lambda line: line.net.change),
    Column("amount", lambda line: line.value_of(line.net.change), is_decimal=True),
    Column("unit", lambda line: line.case.unit and line.case.unit.code),
)
SETTLEMENT: Final[Sequence[Column[NetLine]]] = (
    Column("player", lambda line: line.net.player),
    Column("stack", lambda line: line.stack),
    Column("points", lambda line: line.net.after),
    Column("amount", lambda line: line.value_of(line.net.after), is_decimal=True),
    Column("unit", lambda line: line.case.unit and line.case.unit.code),
)


def list_history(case: StoredCase, entries: Sequence[DisputeEntry]) -> Iterator[DisputeEntry]:
    """Yield the history of a dispute, which begins with its claim."""
    yield DisputeEntry(1, "opened", case.author, case.claim, None, case.opened_at)
    yield from entries


def list_compared(case: StoredCase, comparison: ShownComparison | None) -> Iterator[NetLine]:
    """Yield what the correction of a dispute changed for each player; nothing without a correction."""
    for net in () if comparison is None else comparison.nets:
        yield NetLine(case, net)


def list_settlement(case: StoredCase, settlement: SettlementView, players: Mapping[Seat, str]) -> Iterator[NetLine]:
    """Yield the settlement in force for each player."""
    for seat, player in sorted(players.items()):
        net = settlement.nets[seat]
        yield NetLine(case, ComparedNet(player, net, net), settlement.stacks[seat])
