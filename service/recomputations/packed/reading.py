"""Read stored rounds as arrays."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoring.bulk.rounds import MOST_POINTS, MOST_SEATS
from scoring.round_state import RoundStatus
from scoring.ruleset import BOARD_SIZE
from service.db import Transaction
from service.recomputations.packed.queries import (
    DEPARTURES,
    PAYOUTS,
    SEATS,
    STATUSES,
    TRANSFERS,
    VERSIONS,
    Stretch,
    hand_columns,
    head_columns,
    joined_whole,
    packed_queries,
    stretch_parameters,
)
from service.recomputations.packed.rounds import (
    TRANSFER_FIELDS,
    Figures,
    Flags,
    Ids,
    Integers,
    PackedHands,
    PackedRounds,
    pairs_of,
)
from service.recomputations.packed.rows import (
    NULL,
    Rows,
    are_regular,
    by_length,
    read_regular,
    read_rows,
    row_type,
    split_rows,
    values,
)

_SHAPES: Final = [(seats, dealt) for seats in range(2, MOST_SEATS + 1) for dealt in range(2, seats + 1)]
_OF_SEATS: Final = ("top_ups", "stacks_before", "stacks")
_OF_PLAYERS: Final = ("points", "fouls", "royalties", "earned", "stays")
_NONE_ADDED: Final = NULL.to_bytes(4, "big", signed=True)


def read_packed(transaction: Transaction, stretch: Stretch, rulesets: Sequence[tuple[str, int]]) -> PackedRounds:
    """
    Read the newest revisions of the rounds of a range.

    Args:
        transaction: the club's transaction.
        stretch: the range of rounds.
        rulesets: the names and versions of rulesets that rounds may have.

    Raises:
        ValueError: a record has an empty column that cannot be empty.
    """
    copied = _copy(transaction, stretch, rulesets)
    with joined_whole(transaction, stretch.scope):
        packed = _read_heads(copied("heads"))
        _read_seats(packed, read_regular(copied("seats"), SEATS))
        packed = replace(packed, hands=_read_hands(packed, copied("hands")))
        _read_transfers(packed, read_regular(copied("transfers"), TRANSFERS))
        _read_departures(packed, read_regular(copied("departures"), DEPARTURES))
        place, _ = _find(packed.ids, read_regular(copied("payouts"), PAYOUTS))
    packed.unusual[place] = True
    return packed


def have_changed(transaction: Transaction, stretch: Stretch, packed: PackedRounds) -> Flags:
    """Return for each round whether its version has changed since it was read, or it left the scope."""
    place, rows = _find(packed.ids, read_regular(_copy(transaction, stretch, ())("versions"), VERSIONS))
    now = np.zeros_like(packed.versions)
    now[place] = rows["version"]
    changed: Flags = now != packed.versions
    return changed


def _copy(
    transaction: Transaction, stretch: Stretch, rulesets: Sequence[tuple[str, int]]
) -> Callable[[str], list[bytes]]:
    queries = packed_queries(stretch.scope)
    parameters = {
        **stretch_parameters(transaction, stretch),
        "names": [name for name, _ in rulesets],
        "numbers": [version for _, version in rulesets],
    }

    def copied(name: str) -> list[bytes]:
        return split_rows(transaction.copy_out(queries[name], parameters))

    return copied


def _read_heads(messages: list[bytes]) -> PackedRounds:
    count, sorted_rows = len(messages), by_length(messages)
    ids = np.zeros(count, "S16")
    single = {name: np.zeros(count, np.int64) for name in ("version", "ruleset", "status", "hands", "closed")}
    wide = {name: np.zeros((count, MOST_SEATS), np.int64) for name in ("seats", "opening_stacks", "top_ups", "stacks")}
    seat_counts, unusual = np.zeros(count, np.int64), np.ones(count, np.bool_)
    start = 0
    for seats in range(2, MOST_SEATS + 1):
        columns = head_columns(seats)
        rows = read_rows(sorted_rows.pop(row_type(columns).itemsize, []), columns)
        at = slice(start, start + len(rows))
        ids[at], seat_counts[at] = rows["round"], seats
        for name in single:
            single[name][at] = rows[name]
        for name in wide:
            wide[name][at, :seats] = values(rows, name)
        is_open = single["status"][at] == STATUSES.index(RoundStatus.OPEN)
        is_known = (single["ruleset"][at] > 0) & (single["status"][at] >= 0) & (single["hands"][at] >= 0)
        unusual[at] = is_open | ~is_known | ~are_regular(rows, columns)
        start += len(rows)
    for row in (row for rows in sorted_rows.values() for row in rows):
        # The id and the version come first, even if the rest is irregular.
        ids[start], single["version"][start] = row[6:22], int.from_bytes(row[26:30], "big")
        start += 1
    order = np.argsort(ids, kind="stable")
    by_id = {name: column[order] for name, column in {**single, **wide}.items()}
    return PackedRounds(
        ids=ids[order],
        versions=by_id["version"],
        rulesets=by_id["ruleset"],
        statuses=by_id["status"],
        lengths=by_id["hands"],
        closed=by_id["closed"],
        seat_counts=seat_counts[order],
        seats=by_id["seats"],
        opening_stacks=by_id["opening_stacks"],
        top_ups=by_id["top_ups"],
        stacks=by_id["stacks"],
        hands=_no_hands(0, MOST_SEATS),
        unusual=unusual[order],
    )


def _read_seats(packed: PackedRounds, rows: Rows) -> None:
    """Check that the seats of each round match its head."""
    place, rows = _find(packed.ids, rows)
    packed.unusual[place[~rows["is_player"]]] = True
    seat, stack = values(rows, "seat"), values(rows, "opening_stack")
    order = np.lexsort((seat, place))
    place, seat, stack = place[order], seat[order], stack[order]
    counts = np.bincount(place, minlength=len(packed.ids))
    column = _rank(place, counts)
    fits = column < MOST_SEATS
    found = np.zeros((2, len(packed.ids), MOST_SEATS), np.int64)
    found[0, place[fits], column[fits]], found[1, place[fits], column[fits]] = seat[fits], stack[fits]
    packed.unusual[:] |= (counts != packed.seat_counts) | (found[0] != packed.seats).any(axis=1)
    packed.unusual[:] |= (found[1] != packed.opening_stacks).any(axis=1) | (found[1] > MOST_POINTS).any(axis=1)


def _read_hands(packed: PackedRounds, messages: list[bytes]) -> PackedHands:
    """Read hands in order; a round is unusual unless it has each hand once, in a regular record."""
    shaped = list(_shape(packed, messages))
    place = np.concatenate([place for place, *_ in shaped]) if shaped else np.zeros(0, np.int64)
    number = np.concatenate([values(rows, "number") for _, rows, *_ in shaped]) if shaped else place
    order = np.lexsort((number, place))
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    place, number = place[order], number[order]
    columns = int(packed.seat_counts.max(initial=2))
    hands = replace(_no_hands(len(order), columns), of_round=place, numbers=number)
    start = 0
    for _, rows, dealt, seats, added in shaped:
        at = position[start : start + len(rows)]
        _put_hands(hands, at, rows, dealt, seats)
        for row, text in added:
            _put_top_ups(packed, hands, int(at[row]), text)
        start += len(rows)
    counts = np.bincount(place, minlength=len(packed.ids))
    packed.unusual[:] |= counts != packed.lengths
    packed.unusual[place[number != _rank(place, counts) + 1]] = True
    packed.unusual[place[(hands.fantasyland < 0).any(axis=1) | (hands.fantasyland > 255).any(axis=1)]] = True
    return hands


def _shape(
    packed: PackedRounds, messages: list[bytes]
) -> Iterator[tuple[Integers, Rows, Flags, int, list[tuple[int, bytes]]]]:
    """
    Yield hands grouped by seats and players: places of their rounds, rows, players dealt in, seats and top-ups.

    Rounds with a hand of irregular size are unusual.
    """
    sorted_rows = by_length(messages)
    plain = {row_type(hand_columns(*shape)).itemsize: shape for shape in _SHAPES}
    with_top_ups = [row for size, rows in sorted_rows.items() if size not in plain for row in rows]
    texts: dict[int, list[tuple[int, bytes]]] = {size: [] for size in plain}
    for row in with_top_ups:
        size = next((size for size in plain if _has_text_after(row, size)), None)
        if size is None:
            packed.unusual[_find_one(packed.ids, row[6:22])] = True
            continue
        texts[size].append((len(sorted_rows[size]), row[size:]))
        sorted_rows[size].append(row[: size - 4] + _NONE_ADDED)
    for size, (seats, players) in plain.items():
        columns = hand_columns(seats, players)
        rows = read_rows(sorted_rows.get(size, []), columns)
        place, known = _find(packed.ids, rows)
        hand_seats, round_seats = values(known, "seats"), packed.seats[place, :seats]
        dealt = (round_seats[:, :, np.newaxis] == hand_seats[:, np.newaxis, :]).any(axis=2)
        fits = are_regular(known, columns) & (known["seat_count"] == seats) & (packed.seat_counts[place] == seats)
        fits &= (dealt.sum(axis=1) == players) & (np.diff(hand_seats, axis=1) > 0).all(axis=1)
        packed.unusual[place[~fits]] = True
        kept = {row: at for at, row in enumerate(np.flatnonzero(fits).tolist())} if texts[size] else {}
        added = [(kept[row], text) for row, text in texts[size] if row in kept]
        if fits.any():
            yield *_keep(fits, place, known), dealt[fits], seats, added


def _put_hands(hands: PackedHands, at: Integers, rows: Rows, dealt: Flags, seats: int) -> None:
    """Write hands to their places in the arrays."""
    players = rows["seats"].shape[1]
    pairs = pairs_of(players)
    hands.buttons[at] = rows["button"]
    hands.dealt[at, :seats] = dealt
    hands.fantasyland[at, :seats] = _spread(values(rows, "fantasyland"), dealt)
    hands.boards[at, :seats] = _spread(rows["boards"].reshape(len(rows), players, BOARD_SIZE), dealt)
    for name in _OF_PLAYERS:
        getattr(hands.stored, name)[at, :seats] = _spread(values(rows, name), dealt)
    for name in _OF_SEATS:
        getattr(hands.stored, name)[at, :seats] = values(rows, name)
    hands.stored.exchanges[at, :pairs] = values(rows, "exchanges")
    hands.stored.transfer_count[at, 0] = rows["transfer_count"]
    hands.scorers[at], hands.follows[at] = rows["scorer"], rows["follows"]


def _spread(of_players: NDArray[Any], dealt: Flags) -> NDArray[Any]:
    """Move values from the columns of players to those of seats."""
    if dealt.shape[1] == of_players.shape[1]:
        return of_players
    spread = np.zeros((*dealt.shape, *of_players.shape[2:]), of_players.dtype)
    spread[dealt] = of_players.reshape(-1, *of_players.shape[2:])
    return spread


def _put_top_ups(packed: PackedRounds, hands: PackedHands, at: int, text: bytes) -> None:
    """Write the top-ups of a hand's content to the arrays."""
    place = hands.of_round[at]
    seats = packed.seats[place].tolist()
    try:
        top_ups = json.loads(text[1:])  # the first byte is the version of the format
        for top_up in top_ups:
            column = seats.index(top_up["seat"])
            points = top_up["points"]
            if hands.top_ups[at, column] or not 1 <= points <= MOST_POINTS:
                raise ValueError
            hands.top_ups[at, column] = points
    except (ValueError, TypeError, KeyError):
        packed.unusual[place] = True


def _read_transfers(packed: PackedRounds, rows: Rows) -> None:
    """Write transfers to the arrays of their hands, in order."""
    place, rows = _find(packed.ids, rows)
    packed.unusual[place[rows["late"]]] = True
    place, rows = _keep(~rows["late"], place, rows)
    number, position = values(rows, "number"), values(rows, "position") - 1
    hands = packed.hands
    starts = np.searchsorted(hands.of_round, np.arange(len(packed.ids)))
    hand = starts[place] + number - 1
    pairs = hands.stored.transfers.shape[1]
    fits = (number >= 1) & (number <= packed.lengths[place]) & (position >= 0) & (position < pairs)
    fits &= ~packed.unusual[place]
    packed.unusual[place[~fits]] = True
    hand, position = hand[fits], position[fits]
    for field, name in enumerate(TRANSFER_FIELDS):
        hands.stored.transfers[hand, position, field] = rows[name][fits]


def _read_departures(packed: PackedRounds, rows: Rows) -> None:
    """Write who leaves after each hand, and in which order."""
    place, rows = _find(packed.ids, rows)
    order = np.lexsort((rows["position"], place))
    hands = packed.hands
    for at in order.tolist():
        round_, after, seat = int(place[at]), int(rows["after_hand"][at]), int(rows["seat"][at])
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


def _find(ids: Ids, rows: Rows) -> tuple[Integers, Rows]:
    """Return the rows of known rounds with the places of their rounds."""
    if not len(ids):
        return np.zeros(0, np.int64), rows[:0]
    place = np.minimum(np.searchsorted(ids, rows["round"]), len(ids) - 1)
    return _keep(ids[place] == rows["round"], place, rows)


def _keep(which: Flags, place: Integers, rows: Rows) -> tuple[Integers, Rows]:
    """Return the selected rows; if all are selected, without copying them."""
    return (place, rows) if which.all() else (place[which], rows[which])


def _find_one(ids: Ids, packed: bytes) -> Flags:
    is_it: Flags = ids == np.array(packed, "S16")
    return is_it


def _has_text_after(row: bytes, size: int) -> bool:
    """Return whether a row has the length that its last column states."""
    return len(row) > size and row[size - 4 : size] == (len(row) - size).to_bytes(4, "big")


def _rank(place: Integers, counts: Integers) -> Integers:
    """Number the rows of each round from 0; the rows of a round are adjacent."""
    starts = np.cumsum(counts) - counts
    rank: Integers = np.arange(len(place)) - starts[place]
    return rank
