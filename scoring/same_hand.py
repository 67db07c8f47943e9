"""Whether two records are of the same hand, where they differ, and whether two hands are the same deal."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from scoring.board import Row
from scoring.errors import Path
from scoring.hand import Cards, Hand, PlayerHand, Seat, Street, TopUp
from scoring.ruleset import BOARD_SIZE, Points

Value = int | Points | Cards | tuple[Seat, ...] | tuple[TopUp, ...]

BoardsOfHand = tuple[int, Sequence[Seat], bytes]
"""The number, seats and packed boards of a hand, as `Hand.number`, `Hand.seats` and `Hand.boards`."""


class Difference(NamedTuple):
    """
    A difference between two records of a hand.

    Attributes:
        path: the place in the received hand.
        recorded: the recorded value.
        received: the received value.
    """

    path: Path
    recorded: Value
    received: Value


def find_differences(recorded: Hand, received: Hand) -> Iterator[Difference]:
    """
    List where two records of a hand differ. Records of the same hand differ nowhere.

    Rows are compared as sets of cards. Discards and streets are compared if both records have them.

    >>> from scoring.board import Board
    >>> ann = PlayerHand(1, Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"))
    >>> same = PlayerHand(1, Board.of("4cQdQs", "KsKd9h8h3c", "AhJh7h6h2h"))
    >>> bob = PlayerHand(2, Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs"))
    >>> list(find_differences(Hand(1, 1, (ann, bob)), Hand(1, 2, (bob, same))))
    [Difference(path=('button',), recorded=1, received=2)]

    Rule: docs/rules.md#the-same-hand
    """
    yield from _unequal("number", recorded.number, received.number)
    yield from _unequal("button", recorded.button, received.button)
    yield from _unequal("top_ups", _top_ups(recorded), _top_ups(received))
    yield from _unequal("players", recorded.seats, received.seats)
    for index, player in sorted(enumerate(received.players), key=lambda each: each[1].seat):
        other = recorded.by_seat.get(player.seat)
        for difference in () if other is None else _find_differences_of_player(other, player):
            yield difference._replace(path=("players", index, *difference.path))


def is_same_hand(recorded: Hand, received: Hand) -> bool:
    """
    Return whether two records are of the same hand: they agree wherever both have a value.

    Rule: docs/rules.md#the-same-hand
    """
    return next(find_differences(recorded, received), None) is None


def find_same_deal(hand: Hand, earlier: Iterable[BoardsOfHand]) -> int | None:
    """
    Find the number of an earlier hand with the same boards in the same seats.

    >>> from scoring.board import Board
    >>> ann = PlayerHand(1, Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"))
    >>> bob = PlayerHand(2, Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs"))
    >>> first = Hand(1, 1, (ann, bob))
    >>> find_same_deal(Hand(2, 2, (ann, bob)), [(1, first.seats, first.boards)])
    1

    Rule: docs/rules.md#the-same-hand
    """
    seats, boards = hand.seats, hand.boards
    return next(
        (number for number, others, packed in earlier if tuple(others) == seats and _have_same_rows(packed, boards)),
        None,
    )


def find_replaced(before: Sequence[Hand], after: Sequence[Hand]) -> dict[int, int]:
    """
    Return the number of the hand that each hand of a corrected round was before; a new hand has none.

    It is the same deal, or else the hand with the same number that is no other one: a correction changed its cards.

    >>> from scoring.board import Board
    >>> ann = PlayerHand(1, Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"))
    >>> bob = PlayerHand(1, Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs"))
    >>> find_replaced([Hand(1, 1, (ann,)), Hand(2, 1, (bob,))], [Hand(1, 1, (bob,))])
    {1: 2}
    """
    deals: dict[tuple[Sequence[Seat], bytes], list[int]] = defaultdict(list)
    for hand in before:
        deals[hand.seats, _sort_rows(hand.boards)].append(hand.number)
    replaced: dict[int, int] = {}
    # The same boards can have been dealt twice.
    for hand in sorted(after, key=lambda hand: hand.number not in deals[hand.seats, _sort_rows(hand.boards)]):
        same = deals[hand.seats, _sort_rows(hand.boards)]
        if same:
            number = hand.number if hand.number in same else same[0]
            same.remove(number)
            replaced[hand.number] = number
    free = {hand.number for hand in before} - set(replaced.values())
    return replaced | {hand.number: hand.number for hand in after if hand.number in free - replaced.keys()}


_START: Final = {Row.TOP: 0, Row.MIDDLE: Row.TOP.size, Row.BOTTOM: Row.TOP.size + Row.MIDDLE.size}


def _have_same_rows(one: bytes, other: bytes) -> bool:
    """Return whether packed boards have the same cards in each row. Other boards mostly differ in the first row."""
    return all(
        sorted(one[start + at : start + at + row.size]) == sorted(other[start + at : start + at + row.size])
        for start, (row, at) in product(range(0, len(one), BOARD_SIZE), _START.items())
    )


def _sort_rows(boards: bytes) -> bytes:
    """Return packed boards with the cards of each row in order."""
    return b"".join(
        bytes(sorted(boards[start + at : start + at + row.size]))
        for start, (row, at) in product(range(0, len(boards), BOARD_SIZE), _START.items())
    )


def _top_ups(hand: Hand) -> tuple[TopUp, ...]:
    return tuple(sorted(hand.top_ups, key=lambda added: added.seat))


def _unequal(name: str, recorded: Value, received: Value) -> Iterator[Difference]:
    if recorded != received:
        yield Difference((name,), recorded, received)


def _find_differences_of_player(recorded: PlayerHand, received: PlayerHand) -> Iterator[Difference]:
    yield from _unequal("fantasyland", recorded.fantasyland, received.fantasyland)
    for row in Row:
        yield from _unequal_sets(row.value, recorded.board.rows[row], received.board.rows[row])
    if recorded.discards is not None and received.discards is not None:
        yield from _unequal_sets("discards", recorded.discards, received.discards)
    if recorded.streets is not None and received.streets is not None:
        yield from _unequal("streets", len(recorded.streets), len(received.streets))
        for index, (street, other) in enumerate(zip(recorded.streets, received.streets, strict=False)):
            for name, cards in _parts(street).items():
                for difference in _unequal(name, cards, _parts(other)[name]):
                    yield difference._replace(path=("streets", index, name))


def _unequal_sets(name: str, recorded: Cards, received: Cards) -> Iterator[Difference]:
    if sorted(recorded) != sorted(received):
        yield Difference((name,), recorded, received)


def _parts(street: Street) -> dict[str, Cards]:
    """Return the cards of a street, in the order of its JSON."""
    rows = {row.value: street.rows[row] for row in Row}
    return {"dealt": street.dealt, **rows, "discards": street.discards, "auto": street.auto}
