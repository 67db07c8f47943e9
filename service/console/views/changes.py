"""What a recomputation changes, as its page and its files show it: points, money, and who pays whom."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flask import Response, request

from schemas.jobs.changes import Changes
from schemas.jobs.recomputations import RecomputationView
from schemas.ledger.settling import money_of
from schemas.money import Unit, show_decimal
from scoring.ruleset import Points
from service.clubs.scopes import KeyScope
from service.console.views.accounting.statements import PAYMENTS, PaymentList, flatten_payments, list_payments
from service.console.views.exports import Column, send_list, wanted_form
from service.console.views.session import allows
from service.http.authentication import current_transaction
from service.players.actions import list_names

MOST_MOVED: Final = 200
"""The number of players whose points are shown: the largest gains and the largest losses, half of each."""


@dataclass(frozen=True, slots=True)
class MovedPlayer:
    """What a player gains or loses: points whatever they are worth, and money by unit."""

    player: str
    points: Points
    money: Mapping[Unit, int]


@dataclass(frozen=True, slots=True)
class _MovedLine:
    """A line of the file: what a player gains or loses, in one unit; further units are on further lines."""

    player: str
    points: Points | None
    amount: str | None
    unit: str | None


_MOVED: Final[Sequence[Column[_MovedLine]]] = (
    Column("player", lambda line: line.player),
    Column("points", lambda line: line.points),
    Column("amount", lambda line: line.amount, is_decimal=True),
    Column("unit", lambda line: line.unit),
)


@dataclass(frozen=True, slots=True)
class ShownChanges:
    """
    What some rounds of a recomputation change.

    Attributes:
        rounds: the number of the rounds.
        players: the number of players whose net points change in at least one of them.
        payments: the payments that settle up the changes.
        is_balanced: whether the points add up to zero; others cannot be settled up.
    """

    rounds: int
    players: int
    payments: Sequence[PaymentList]
    is_balanced: bool


@dataclass(frozen=True, slots=True)
class ShownRecomputation:
    """
    What a recomputation changes.

    Attributes:
        whole: what all its rounds change.
        provisional: what those change whose settlement was never final; None if all or none of the rounds are such.
        final_rounds: the number of rounds whose settlement is or was final.
        moved: the players who gain or lose most, the largest gain first.
        players_moved: the number of players who gain or lose points.
        units: the units of the money that they gain or lose.
    """

    whole: ShownChanges
    provisional: ShownChanges | None
    final_rounds: int
    moved: Sequence[MovedPlayer]
    players_moved: int
    units: Sequence[Unit]

    @property
    def players(self) -> set[str]:
        """The players who are shown."""
        parts = [each for each in (self.whole, self.provisional) if each is not None]
        payments = [payment for part in parts for listed in part.payments for payment in listed.first]
        return {each.player for each in self.moved} | {name for paid in payments for name in (paid.payer, paid.payee)}


def show_recomputation(view: RecomputationView) -> ShownRecomputation:
    """Return what the page of a recomputation shows of its changes."""
    changes, moved = view.changes, _list_moved(view.changes)
    has_both = view.provisional.rounds > 0 and view.final.rounds > 0
    half = MOST_MOVED // 2
    return ShownRecomputation(
        whole=_show_changes(changes),
        provisional=_show_changes(view.provisional) if has_both else None,
        final_rounds=view.final.rounds,
        moved=moved if len(moved) <= MOST_MOVED else [*moved[:half], *moved[-half:]],
        players_moved=len(moved),
        units=changes.units,
    )


def list_shown_names(shown: ShownRecomputation) -> dict[str, str]:
    """Return the display names of the players of a page; a key without the scope `read` sees IDs only."""
    return list_names(current_transaction(), shown.players) if allows(KeyScope.READ) else {}


def send_changes_file(name: str, view: RecomputationView) -> Response | None:
    """Send what players gain or lose, or the payments, as a file; return None if neither is asked for."""
    form, part = wanted_form(), request.args.get("part")
    if form and part == "points":
        return send_list(f"{name}-points", form, _MOVED, _list_lines(_list_moved(view.changes)))
    if form and part == "payments":
        return send_list(f"{name}-payments", form, PAYMENTS, flatten_payments(list_payments(view.changes.settled)))
    return None


def _show_changes(changes: Changes) -> ShownChanges:
    payments = list_payments(changes.settled)
    return ShownChanges(changes.rounds, len(changes.by_player), payments, is_balanced=not changes.unbalanced)


def _list_moved(changes: Changes) -> list[MovedPlayer]:
    """List the players who gain or lose points, the largest gain first."""
    return [
        MovedPlayer(player, sum(nets.values()), money_of(nets))
        for player, nets in changes.in_order
        if any(nets.values())
    ]


def _list_lines(moved: Sequence[MovedPlayer]) -> Iterator[_MovedLine]:
    """Yield the lines of a file. The points of a player are on the first of their lines, so that a column adds up."""
    for each in moved:
        points: Points | None = each.points
        for unit, amount in sorted(each.money.items()):
            yield _MovedLine(each.player, points, show_decimal(amount, unit), unit.code)
            points = None
        if not each.money:
            yield _MovedLine(each.player, points, None, None)
