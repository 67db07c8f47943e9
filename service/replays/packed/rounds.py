"""Rounds as arrays: their hands, and the stored results."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, overload
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from scoring.bulk.rounds import BulkRounds
from scoring.bulk.settle import BulkSettlement
from scoring.bulk.transfers import Transfers
from service.rounds.models import TRANSFER_FIELDS

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Ids = NDArray[np.bytes_]


class Figures(NamedTuple):
    """
    The results of hands, with one column for each seat of the round: 0 for players not dealt in.

    Attributes:
        exchanges, scoops: [hands, pairs], in paying order.
        transfers: [hands, pairs, fields], in order, fields as in `TRANSFER_FIELDS`; 0 beyond the last.
    """

    points: Integers
    fouls: Integers
    royalties: Integers
    royalties_top: Integers
    royalties_middle: Integers
    from_rows: Integers
    from_bonuses: Integers
    from_fouls: Integers
    earned: Integers
    stays: Integers
    top_ups: Integers
    stacks_before: Integers
    stacks: Integers
    exchanges: Integers
    scoops: Integers
    transfers: Integers

    @classmethod
    def none(cls, hands: int, seats: int) -> "Figures":
        """Return figures that are all 0."""
        pairs = pairs_of(seats)
        wide = {"exchanges": (pairs,), "scoops": (pairs,), "transfers": (pairs, len(TRANSFER_FIELDS))}
        return cls(*(np.zeros((hands, *wide.get(name, (seats,))), np.int64) for name in cls._fields))

    @classmethod
    def of(cls, rounds: BulkRounds, settlement: BulkSettlement) -> "Figures":
        """Return the results of a settlement in the form of the records."""
        scores, seats = settlement.scores, rounds.seats.shape[1]
        return cls(
            points=scores.points,
            fouls=(scores.fouls > 0).astype(np.int64),
            royalties=scores.royalties.astype(np.int64),
            royalties_top=scores.royalties_top.astype(np.int64),
            royalties_middle=scores.royalties_middle.astype(np.int64),
            from_rows=scores.from_rows,
            from_bonuses=scores.from_bonuses,
            from_fouls=scores.from_fouls,
            earned=settlement.earned.astype(np.int64),
            stays=settlement.expected.stays[settlement.before][:, :seats] * rounds.dealt,
            top_ups=rounds.top_ups,
            stacks_before=settlement.stacks_before,
            stacks=settlement.stacks,
            exchanges=settlement.exchanges,
            scoops=settlement.scoops,
            transfers=_in_order(settlement.transfers, pairs_of(seats)),
        )

    def take(self, hands: Integers, seats: int) -> "Figures":
        """Return the figures of selected hands, with a number of seats."""
        cut = dict.fromkeys(("exchanges", "scoops", "transfers"), pairs_of(seats))
        return Figures(*(getattr(self, name)[hands, : cut.get(name, seats)] for name in self._fields))


@dataclass(frozen=True, slots=True)
class PackedHands:
    """
    Hands by round and number, with one column for each seat of the round.

    Attributes:
        of_round: [hands], the place of the round.
        boards: [hands, columns, 13].
        leaves: [hands, columns], the order in which players leave after the hand; 0 for those who stay.
        stored: the stored results.
        scorers: [hands], the version of the scorer that computed them.
        follows: [hands], whether the hand was stored under the round's ruleset and not as irregular.
    """

    of_round: Integers
    numbers: Integers
    buttons: Integers
    dealt: Flags
    fantasyland: Integers
    top_ups: Integers
    boards: NDArray[np.uint8]
    leaves: Integers
    stored: Figures
    scorers: Integers
    follows: Flags

    def take(self, hands: Integers) -> "PackedHands":
        """Return selected hands."""
        taken = {name: getattr(self, name)[hands] for name in self.__slots__ if name != "stored"}
        return PackedHands(**taken, stored=Figures(*(figure[hands] for figure in self.stored)))


@dataclass(frozen=True, slots=True)
class RoundGroup:
    """
    Rounds with the same ruleset and number of seats.

    Attributes:
        ruleset: the number of the ruleset, from 1, in the list passed to `read_packed`.
        places: the places of the rounds among all that were read.
        rounds: their hands.
        stored: the stored results of their hands.
        statuses: the status of each round, as an index of `STATUSES`.
        top_ups, stacks: [rounds, seats], as stored in the head.
    """

    ruleset: int
    places: Integers
    rounds: BulkRounds
    stored: Figures
    statuses: Integers
    top_ups: Integers
    stacks: Integers


@dataclass(frozen=True, slots=True)
class PackedRounds:
    """
    Rounds in the order of their ids.

    Attributes:
        ids: 16 bytes each.
        versions: the version of each round when it was read.
        rulesets: the number of each round's ruleset, from 1; 0 if it is not in the list.
        lengths: the number of hands in each head.
        closed: the hand after which each round was closed; -1 if it was not.
        seat_counts: the number of seats of each round.
        unusual: the rounds that must be replayed alone: they are open, have late transfers, or have irregular records.
    """

    ids: Ids
    versions: Integers
    rulesets: Integers
    statuses: Integers
    lengths: Integers
    closed: Integers
    seat_counts: Integers
    seats: Integers
    opening_stacks: Integers
    top_ups: Integers
    stacks: Integers
    hands: PackedHands
    unusual: Flags

    def round_id(self, place: int) -> UUID:
        """Return the id of a round."""
        return id_of(self.ids[place])

    def groups(self) -> Iterator[RoundGroup]:
        """Yield the rounds that are not unusual, grouped by ruleset and number of seats."""
        alike = np.stack([self.rulesets, self.seat_counts], axis=1)
        for ruleset, seats in np.unique(alike[~self.unusual], axis=0).tolist():
            is_like = ~self.unusual & (self.rulesets == ruleset) & (self.seat_counts == seats)
            yield self._group(is_like, ruleset, seats)

    def _group(self, is_like: Flags, ruleset: int, seats: int) -> RoundGroup:
        places = np.flatnonzero(is_like)
        hands, which = self.hands, np.flatnonzero(is_like[self.hands.of_round])
        dealt = hands.dealt[which, :seats]
        rounds = BulkRounds(
            seats=self.seats[places, :seats],
            stacks=self.opening_stacks[places, :seats],
            lengths=self.lengths[places],
            closed=self.closed[places] >= 0,
            odd=np.zeros(len(places), np.bool_),
            buttons=hands.buttons[which],
            dealt=dealt,
            fantasyland=hands.fantasyland[which, :seats].astype(np.uint8),
            top_ups=hands.top_ups[which, :seats],
            leaves=hands.leaves[which, :seats].astype(np.uint8),
            boards=hands.boards[which, :seats][dealt],
        )
        return RoundGroup(
            ruleset,
            places,
            rounds,
            hands.stored.take(which, seats),
            self.statuses[places],
            self.top_ups[places, :seats],
            self.stacks[places, :seats],
        )


@overload
def pairs_of(seats: int) -> int: ...
@overload
def pairs_of(seats: Integers) -> Integers: ...
def pairs_of(seats: int | Integers) -> int | Integers:
    """Return the number of pairs of players."""
    return seats * (seats - 1) // 2


def _in_order(transfers: Transfers, pairs: int) -> Integers:
    """Return the transfers in order, without exchanges of 0 points."""
    hands, exchanges = np.nonzero(transfers.due)
    position = (np.cumsum(transfers.due > 0, axis=1) - 1)[hands, exchanges]
    in_order = np.zeros((len(transfers.due), pairs, len(TRANSFER_FIELDS)), np.int64)
    for field, name in enumerate(TRANSFER_FIELDS):
        in_order[hands, position, field] = getattr(transfers, name)[hands, exchanges]
    return in_order


def id_of(packed: bytes) -> UUID:
    """Return an id of an array as a UUID; NumPy strips trailing zero bytes."""
    return UUID(bytes=packed.ljust(16, b"\0"))
