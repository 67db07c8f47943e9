"""The boards and the figures of a round, before and after a correction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from schemas.corrections.comparisons import CarriedOverStack, RoundComparison
from schemas.hands import HandView
from schemas.scores import dump_score
from schemas.sentences import describe_mistake
from schemas.settlements import Adjustment
from scoring.board import Row
from scoring.cards import Card
from scoring.hand import Seat
from scoring.history import Departure
from scoring.ruleset import Points
from scoring.settle_up import Payment, find_payments


@dataclass(frozen=True, slots=True)
class ShownRow:
    """
    A row of a board.

    Attributes:
        description: what it makes, in words.
        moved: its cards that are elsewhere, or nowhere, on the board that it is compared with.
    """

    row: Row
    cards: Sequence[Card]
    description: str
    royalty: Points
    moved: frozenset[Card] = frozenset()


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """
    A player's board and its result.

    Attributes:
        won: the points won or lost with the hand, after caps.
        due: the points due, before caps.
        dealt: the cards dealt in Fantasyland; 0 outside of it.
        discards: the known discards.
    """

    seat: Seat
    player: str
    rows: Sequence[ShownRow]
    won: Points
    due: Points
    is_foul: bool
    dealt: int
    earned: int
    discards: Sequence[Card]


@dataclass(frozen=True, slots=True)
class ComparedHand:
    """A hand that a correction changes: the boards that change before and after it, and whether it can follow."""

    number: int
    boards: Sequence[tuple[ShownBoard, ShownBoard]]
    irregular: Sequence[str]


@dataclass(frozen=True, slots=True)
class ComparedNet:
    """The net points of a player before and after a correction."""

    player: str
    before: Points
    after: Points

    @property
    def change(self) -> Points:
        """How much the correction changes."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """
    What a correction changes.

    Attributes:
        hands: the hands with other cards.
        later: the numbers of the other hands whose result changes.
        added, removed: the numbers of the hands that only the settlement after or before it has.
        payments: the fewest payments from the settlement before to the one after it.
    """

    hands: Sequence[ComparedHand]
    later: Sequence[int]
    added: Sequence[int]
    removed: Sequence[int]
    nets: Sequence[ComparedNet]
    payments: Sequence[Payment]
    carried_over: Sequence[CarriedOverStack]
    dropped: Sequence[Departure]
    adjustment: Adjustment | None


def show_boards(hand: HandView) -> list[ShownBoard]:
    """Return the boards of a hand in the order of seats."""
    won = hand.won
    scored = dump_score(hand.ruleset, hand.score, hand.players)["players"]
    return [_show_board(hand, result, won[result["seat"]]) for result in scored]


def _show_board(hand: HandView, result: Mapping[str, Any], won: Points) -> ShownBoard:
    seat = result["seat"]
    played = hand.hand.by_seat[seat]
    streets = played.streets or ()
    discards = played.discards if played.discards is not None else [card for each in streets for card in each.discards]
    rows = [
        ShownRow(row, cards, result["rows"][row.value]["description"], result["rows"][row.value]["royalty"])
        for row, cards in played.board.rows.items()
    ]
    return ShownBoard(
        seat=seat,
        player=hand.players[seat],
        rows=rows,
        won=won,
        due=result["points"],
        is_foul=result["foul"],
        dealt=played.fantasyland,
        earned=result["fantasyland"],
        discards=tuple(discards),
    )


def show_comparison(comparison: RoundComparison) -> ShownComparison:
    """Return what a correction changes: boards, results, net points and payments."""
    before, after = comparison.before, comparison.after
    hands, later = [], []
    added: list[int] = []
    removed: list[int] = []
    for number, (old, new) in enumerate(zip_longest(before.hands, after.hands), start=1):
        if old is None or new is None:
            (added if old is None else removed).append(number)
            continue
        boards = _compare_boards(show_boards(old), show_boards(new))
        if boards:
            hands.append(ComparedHand(number, boards, _new_reasons(old, new)))
        elif (old.transfers, old.score.points, old.irregular) != (new.transfers, new.score.points, new.irregular):
            later.append(number)
            if reasons := _new_reasons(old, new):
                hands.append(ComparedHand(number, (), reasons))
    nets = [
        ComparedNet(player, before.nets.get(player, 0), after.nets.get(player, 0))
        for player in dict.fromkeys([*before.nets, *after.nets])
    ]
    return ShownComparison(
        hands=hands,
        later=later,
        added=added,
        removed=removed,
        nets=nets,
        payments=find_payments({net.player: net.change for net in nets}).payments,
        carried_over=comparison.carried_over,
        dropped=comparison.dropped_departures,
        adjustment=comparison.adjustment,
    )


def mark_changes(before: Iterable[ShownBoard], after: Iterable[ShownBoard]) -> list[ShownBoard]:
    """Return all boards of a hand; of each, the cards are marked that are not in the same row of the other hand."""
    by_seat = {board.seat: board for board in after}
    return [_mark(board, by_seat[board.seat]) if board.seat in by_seat else board for board in before]


def _compare_boards(before: Iterable[ShownBoard], after: Iterable[ShownBoard]) -> list[tuple[ShownBoard, ShownBoard]]:
    """Return the boards whose rows differ, with the cards that moved; only those of seats that are in both hands."""
    by_seat = {board.seat: board for board in after}
    return [
        (_mark(old, new), _mark(new, old))
        for old in before
        if (new := by_seat.get(old.seat)) is not None
        if any(set(one.cards) != set(other.cards) for one, other in zip(old.rows, new.rows, strict=True))
    ]


def _mark(board: ShownBoard, other: ShownBoard) -> ShownBoard:
    rows = [
        replace(row, moved=frozenset(row.cards) - frozenset(compared.cards))
        for row, compared in zip(board.rows, other.rows, strict=True)
    ]
    return replace(board, rows=rows)


def _new_reasons(old: HandView, new: HandView) -> list[str]:
    return (
        [] if old.irregular else [describe_mistake(mistake, new.players).removesuffix(".") for mistake in new.irregular]
    )
