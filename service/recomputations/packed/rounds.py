"""Rounds as arrays: what happened in them, and what was stored of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from scoring.bulk.rounds import BulkRounds
from scoring.bulk.settle import BulkSettlement
from scoring.bulk.transfers import Transfers

TRANSFER_FIELDS: Final = ("payer", "payee", "due", "paid", "limited_by", "payer_stack", "payee_stack")

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Ids = NDArray[np.bytes_]


class Figures(NamedTuple):
    """
    What hands come to, the seats of their rounds in columns: 0 for who does not play.

    Attributes:
        exchanges: [hands, pairs], in paying order.
        transfers: [hands, pairs, fields], in order, fields as in `TRANSFER_FIELDS`; 0 beyond the last.
        transfer_count: [hands, 1].
    """

    points: Integers
    fouls: Integers
    royalties: Integers
    earned: Integers
    stays: Integers
    top_ups: Integers
    stacks_before: Integers
    stacks: Integers
    exchanges: Integers
    transfers: Integers
    transfer_count: Integers

    @classmethod
    def none(cls, hands: int, seats: int) -> "Figures":
        """Give figures that are all 0."""
        pairs = pairs_of(seats)
        wide = {"exchanges": (pairs,), "transfers": (pairs, len(TRANSFER_FIELDS)), "transfer_count": (1,)}
        return cls(*(np.zeros((hands, *wide.get(name, (seats,))), np.int64) for name in cls._fields))

    @classmethod
    def of(cls, rounds: BulkRounds, settlement: BulkSettlement) -> "Figures":
        """Say what hands come to as their records have it."""
        scores, seats = settlement.scores, rounds.seats.shape[1]
        return cls(
            points=scores.points,
            fouls=(scores.fouls > 0).astype(np.int64),
            royalties=scores.royalties.astype(np.int64),
            earned=settlement.earned.astype(np.int64),
            stays=settlement.expected.stays[settlement.before][:, :seats] * rounds.dealt,
            top_ups=rounds.top_ups,
            stacks_before=settlement.stacks_before,
            stacks=settlement.stacks,
            exchanges=settlement.exchanges,
            transfers=_in_order(settlement.transfers, pairs_of(seats)),
            transfer_count=(settlement.transfers.due > 0).sum(axis=1, keepdims=True),
        )

    def take(self, hands: Integers, seats: int) -> "Figures":
        """Give the figures of some hands of rounds with so many seats."""
        cut = {"exchanges": pairs_of(seats), "transfers": pairs_of(seats), "transfer_count": 1}
        return Figures(*(getattr(self, name)[hands, : cut.get(name, seats)] for name in self._fields))


@dataclass(frozen=True, slots=True)
class PackedHands:
    """
    Hands by round and number, the seats of their rounds in columns.

    Attributes:
        of_round: [hands], where the round stands.
        boards: [hands, columns, 13].
        leaves: [hands, columns], who leaves after the hand, in order; 0 stays.
        stored: what was stored of them.
        scorers: [hands], the version of the scorer that did.
        follows: [hands], whether each was stored under the rules of its round, and as what was to come next.
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


@dataclass(frozen=True, slots=True)
class RoundGroup:
    """
    Rounds under one ruleset with as many seats each.

    Attributes:
        ruleset: its place, from 1, in the list that was asked for.
        places: where the rounds stand among all that were read.
        rounds: what happened in them.
        stored: what was stored of their hands.
        statuses: of each, a number of `STATUSES`.
        top_ups, stacks: [rounds, seats], as the head has them.
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
    Rounds that were read, in the order of their ids.

    Attributes:
        ids: 16 bytes each.
        versions: of each, when it was read.
        rulesets: the place of each one's ruleset, from 1; 0 where it is in no list.
        lengths: how many hands each has, as its head says.
        closed: after which hand each was closed; -1 where it was not.
        seat_counts: how many sit in each.
        unusual: which are not for arrays: they are open, something was paid late, or a record is not as it ought to be.
            The rules by themselves say what they come to.
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
        """Give a round's id."""
        return id_of(self.ids[place])

    def groups(self) -> Iterator[RoundGroup]:
        """Give the rounds that are for arrays, those alike together."""
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


def pairs_of(seats: int) -> int:
    """Count the pairs of so many players."""
    return seats * (seats - 1) // 2


def _in_order(transfers: Transfers, pairs: int) -> Integers:
    """Leave out ties, which nobody pays."""
    hands, exchanges = np.nonzero(transfers.due)
    position = (np.cumsum(transfers.due > 0, axis=1) - 1)[hands, exchanges]
    in_order = np.zeros((len(transfers.due), pairs, len(TRANSFER_FIELDS)), np.int64)
    for field, name in enumerate(TRANSFER_FIELDS):
        in_order[hands, position, field] = getattr(transfers, name)[hands, exchanges]
    return in_order


def id_of(packed: bytes) -> UUID:
    """Read an id of an array, which leaves zeros at the end out."""
    return UUID(bytes=packed.ljust(16, b"\0"))
