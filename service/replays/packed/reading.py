"""Read stored rounds as arrays."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from scoring.bulk.rounds import MOST_POINTS, MOST_SEATS
from scoring.round_state import RoundStatus
from scoring.ruleset import BOARD_SIZE
from service.db import Transaction
from service.db.arrays import Columns, read_arrays
from service.replays.packed.queries import (
    STATUSES,
    packed_queries,
    planner_settings,
)
from service.replays.packed.rounds import (
    Figures,
    Integers,
    PackedHands,
    PackedRounds,
    pairs_of,
)
from service.replays.stretches import Stretch, stretch_parameters
from service.rounds.models import TRANSFER_FIELDS

_OF_HEADS: Final = ("opening_stacks", "top_ups", "stacks")
_OF_SEATS: Final = ("top_ups", "stacks_before", "stacks")
_OF_PLAYERS: Final = (
    *("points", "fouls", "royalties", "royalties_top", "royalties_middle"),
    *("from_rows", "from_bonuses", "from_fouls", "earned", "stays"),
)
_OF_PAIRS: Final = ("exchanges", "scoops")


def read_packed(transaction: Transaction, stretch: Stretch, rulesets: Sequence[tuple[str, int]]) -> PackedRounds:
    """
    Read the newest revisions of the rounds of a range, all as of one moment.

    Args:
        transaction: the club's transaction; what it has written is not read.
        stretch: the range of rounds.
        rulesets: the names and versions of rulesets that rounds may have.

    Raises:
        ValueError: a record has an empty column that cannot be empty.
    """
    parameters = {
        **stretch_parameters(transaction, stretch),
        "names": [name for name, _ in rulesets],
        "numbers": [version for _, version in rulesets],
    }
    with read_arrays(transaction, **planner_settings(stretch.scope)) as arrays:
        read = {name: arrays.query(query, parameters) for name, query in packed_queries(stretch.scope).items()}
    packed = _read_heads(read["heads"])
    _read_seats(packed, read["seats"])
    packed = replace(packed, hands=_read_hands(packed, read["hands"]))
    _read_transfers(packed, read["transfers"])
    _read_departures(packed, read["departures"])
    packed.unusual[_places(packed, read["payouts"])] = True
    return packed


def _places(packed: PackedRounds, rows: Columns) -> Integers:
    """Return the place of the round of each row; all rounds have been read at the same moment."""
    places: Integers = np.searchsorted(packed.ids, rows.values("round_id"))
    return places


def _read_heads(rows: Columns) -> PackedRounds:
    seats, others = rows.lists("seats"), {name: rows.lists(name) for name in _OF_HEADS}
    single = {name: rows.values(name).astype(np.int64) for name in ("version", "ruleset", "status", "hands", "closed")}
    is_regular = (seats.lengths >= 2) & (seats.lengths <= MOST_SEATS) & ~seats.have_null
    for each in others.values():
        is_regular &= (each.lengths == seats.lengths) & ~each.have_null
    is_known = (single["ruleset"] > 0) & (single["status"] >= 0) & (single["hands"] >= 0)
    is_open = single["status"] == STATUSES.index(RoundStatus.OPEN)
    seat_counts = np.where(is_regular, seats.lengths, 0)
    has_seat = np.arange(MOST_SEATS) < seat_counts[:, np.newaxis]
    wide = {name: np.zeros(has_seat.shape, np.int64) for name in ("seats", *_OF_HEADS)}
    for name, each in {"seats": seats, **others}.items():
        wide[name][has_seat] = each.values_of(is_regular)
    return PackedRounds(
        ids=rows.values("round_id"),
        versions=single["version"],
        rulesets=single["ruleset"],
        statuses=single["status"],
        lengths=single["hands"],
        closed=single["closed"],
        seat_counts=seat_counts,
        **wide,
        hands=_no_hands(0, MOST_SEATS),
        unusual=is_open | ~is_known | ~is_regular,
    )


def _read_seats(packed: PackedRounds, rows: Columns) -> None:
    """Check that the seats of each round match its head."""
    place, seat, stack = _places(packed, rows), rows.values("seat"), rows.values("opening_stack")
    packed.unusual[place[~rows.values("is_player")]] = True
    order = np.lexsort((seat, place))
    place, seat, stack = place[order], seat[order], stack[order]
    counts = np.bincount(place, minlength=len(packed.ids))
    column = _rank(place, counts)
    fits = column < MOST_SEATS
    grid = np.zeros((2, len(packed.ids), MOST_SEATS), np.int64)
    grid[0, place[fits], column[fits]], grid[1, place[fits], column[fits]] = seat[fits], stack[fits]
    packed.unusual[:] |= (counts != packed.seat_counts) | (grid[0] != packed.seats).any(axis=1)
    packed.unusual[:] |= (grid[1] != packed.opening_stacks).any(axis=1) | (grid[1] > MOST_POINTS).any(axis=1)


def _read_hands(packed: PackedRounds, rows: Columns) -> PackedHands:
    """Read hands in order; a round is unusual unless it has each hand once, in a regular record."""
    place, columns = _places(packed, rows), int(packed.seat_counts.max(initial=2))
    players, seats = rows.lists("seats").lengths, packed.seat_counts[place]
    lists = {name: rows.lists(name) for name in ("seats", "fantasyland", *_OF_PLAYERS, *_OF_SEATS, *_OF_PAIRS)}
    lengths = {**dict.fromkeys(_OF_PAIRS, pairs_of(players)), **dict.fromkeys(_OF_SEATS, seats)}
    fits = (players >= 2) & (players <= seats) & (rows.lists("boards").lengths == players * BOARD_SIZE)
    for name, each in lists.items():
        fits &= (each.lengths == lengths.get(name, players)) & ~each.have_null
    of_hand = np.zeros((len(place), columns), np.int64)
    of_hand[(np.arange(columns) < players[:, np.newaxis]) & fits[:, np.newaxis]] = lists["seats"].values_of(fits)
    has_seat = np.arange(columns) < seats[:, np.newaxis]
    dealt = has_seat & (packed.seats[place, :columns, np.newaxis] == of_hand[:, np.newaxis, :]).any(axis=2)
    in_order = (np.diff(of_hand, axis=1) > 0) | (of_hand[:, 1:] == 0)
    fits &= (dealt.sum(axis=1) == players) & in_order.all(axis=1)
    packed.unusual[place[~fits]] = True
    has_pair = np.arange(pairs_of(columns)) < pairs_of(players)[:, np.newaxis]
    dealt, has_seat, has_pair = (mask & fits[:, np.newaxis] for mask in (dealt, has_seat, has_pair))
    hands = replace(_no_hands(len(place), columns), of_round=place, dealt=dealt, follows=rows.values("follows"))
    hands.numbers[:], hands.buttons[:] = rows.values("number"), rows.values("button")
    hands.scorers[:] = rows.values("scorer")
    hands.boards[dealt] = rows.lists("boards").values_of(fits).reshape(-1, BOARD_SIZE)
    hands.fantasyland[dealt] = lists["fantasyland"].values_of(fits)
    masks = dict.fromkeys(_OF_PLAYERS, dealt) | dict.fromkeys(_OF_SEATS, has_seat) | dict.fromkeys(_OF_PAIRS, has_pair)
    for name, mask in masks.items():
        getattr(hands.stored, name)[mask] = lists[name].values_of(fits)
    added = rows.lists("added")
    for at, content in zip(np.flatnonzero(added.lengths).tolist(), filter(None, added.to_bytes()), strict=True):
        _put_top_ups(packed, hands, at, content)
    return _in_order(packed, hands)


def _in_order(packed: PackedRounds, hands: PackedHands) -> PackedHands:
    """Sort hands by round and number; rounds that do not have each hand once are unusual."""
    hands = hands.take(np.lexsort((hands.numbers, hands.of_round)))
    counts = np.bincount(hands.of_round, minlength=len(packed.ids))
    packed.unusual[:] |= counts != packed.lengths
    packed.unusual[hands.of_round[hands.numbers != _rank(hands.of_round, counts) + 1]] = True
    packed.unusual[hands.of_round[((hands.fantasyland < 0) | (hands.fantasyland > 255)).any(axis=1)]] = True
    return hands


def _put_top_ups(packed: PackedRounds, hands: PackedHands, at: int, content: bytes) -> None:
    """Write the top-ups of a hand's content to the arrays."""
    place = hands.of_round[at]
    seats = packed.seats[place].tolist()
    try:
        for top_up in json.loads(content):
            column = seats.index(top_up["seat"])
            points = top_up["points"]
            if hands.top_ups[at, column] or not 1 <= points <= MOST_POINTS:
                raise ValueError
            hands.top_ups[at, column] = points
    except (ValueError, TypeError, KeyError, IndexError):
        packed.unusual[place] = True


def _read_transfers(packed: PackedRounds, rows: Columns) -> None:
    """Write transfers to the arrays of their hands, in order."""
    place, hands = _places(packed, rows), packed.hands
    number, position = rows.values("number").astype(np.int64), rows.values("position").astype(np.int64) - 1
    starts = np.searchsorted(hands.of_round, np.arange(len(packed.ids)))
    fits = (number >= 1) & (number <= packed.lengths[place])
    fits &= (position >= 0) & (position < hands.stored.transfers.shape[1])
    packed.unusual[place[~fits]] = True
    fits &= ~packed.unusual[place]
    hand, position = (starts[place] + number - 1)[fits], position[fits]
    for field, name in enumerate(TRANSFER_FIELDS):
        hands.stored.transfers[hand, position, field] = rows.values(name)[fits]


def _read_departures(packed: PackedRounds, rows: Columns) -> None:
    """Write who leaves after each hand, and in which order."""
    place, hands = _places(packed, rows), packed.hands
    order = np.lexsort((rows.values("position"), place))
    departures = np.stack([place, rows.values("after_hand"), rows.values("seat")], axis=1)[order]
    for round_, after, seat in departures.tolist():
        seats = packed.seats[round_, : packed.seat_counts[round_]].tolist()
        first = int(np.searchsorted(hands.of_round, round_))
        if packed.unusual[round_] or not 1 <= after <= packed.lengths[round_] or seat not in seats:
            packed.unusual[round_] = True
            continue
        leaves, column = hands.leaves[first + after - 1], seats.index(seat)
        packed.unusual[round_] |= bool(hands.leaves[first : first + packed.lengths[round_], column].any())
        leaves[column] = leaves.max() + 1


def _no_hands(hands: int, columns: int) -> PackedHands:
    return PackedHands(
        of_round=np.zeros(hands, np.int64),
        numbers=np.zeros(hands, np.int64),
        buttons=np.zeros(hands, np.int64),
        dealt=np.zeros((hands, columns), np.bool_),
        fantasyland=np.zeros((hands, columns), np.int64),
        top_ups=np.zeros((hands, columns), np.int64),
        boards=np.zeros((hands, columns, BOARD_SIZE), np.uint8),
        leaves=np.zeros((hands, columns), np.int64),
        stored=Figures.none(hands, columns),
        scorers=np.zeros(hands, np.int64),
        follows=np.zeros(hands, np.bool_),
    )


def _rank(place: Integers, counts: Integers) -> Integers:
    """Number the rows of each round from 0; the rows of a round are adjacent."""
    starts = np.cumsum(counts) - counts
    rank: Integers = np.arange(len(place)) - starts[place]
    return rank
