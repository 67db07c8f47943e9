"""Replay many rounds at once, compare them with the stored results, and compute their digest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import prod
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np

from scoring.bulk.settle import BulkSettlement, settle_rounds
from scoring.round_state import Round
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.replays.packed.reading import read_packed
from service.replays.packed.rounds import Figures, Flags, PackedRounds, RoundGroup
from service.replays.stretches import Stretch
from service.rounds.queries.stored_round import dump_state

_SIZE: Final = 32
_MODULUS: Final = 1 << 8 * _SIZE


def hash_round(round_id: bytes, figures: Any, status: int, late: bytes = b"") -> bytes:
    """
    Return the SHA-256 hash of the results of a round.

    Args:
        round_id: the id of the round.
        figures: the figures of its hands, as bytes in the layout of `Figures`.
        status: the number of its status after the last hand.
        late: the transfers paid after its last hand.
    """
    digest = sha256(round_id)
    digest.update(figures)
    digest.update(b"%d " % status + late)
    return digest.digest()


@dataclass(slots=True)
class RoundsDigest:
    """
    The sum of the hashes of rounds, modulo 2²⁵⁶.

    A sum does not depend on the order of the rounds or on how they are divided into chunks. Each hash includes the
    round's id, so that two rounds with exchanged results change the sum. XOR would be weaker: any digest could be made
    from a few hundred rounds by linear algebra, and a round counted twice would cancel out.

    >>> first, second = hash_round(b"first", b"6", 1), hash_round(b"second", b"-6", 1)
    >>> one, other = RoundsDigest(), RoundsDigest()
    >>> one.add(first), one.add(second), other.add(second), other.add(first)
    (None, None, None, None)
    >>> one == other, one.hex()[:16]
    (True, '47c94dbddebd0c4b')
    """

    total: int = 0

    def add(self, hashed: bytes) -> None:
        """Add a round, as returned by `hash_round`."""
        self.total = (self.total + int.from_bytes(hashed, "big")) % _MODULUS

    def add_all(self, other: str) -> None:
        """Add another digest, as returned by `hex`."""
        self.total = (self.total + int(other, 16)) % _MODULUS

    def hex(self) -> str:
        """Return the digest as hexadecimal digits."""
        return self.total.to_bytes(_SIZE, "big").hex()


Rulesets = Mapping[tuple[str, int], Ruleset | None]
"""The club's stored rulesets, by name and version; None for one that cannot be read."""
State = Mapping[str, Any]
"""The column `state` of a round's head."""


class ProvenRound(NamedTuple):
    """What stored hands lead to: the state of the head, and the net points of the seats, which are ascending."""

    state: State
    nets: Sequence[int]


@dataclass(frozen=True, slots=True)
class Suspect:
    """
    A round that must be replayed by the plain rules, mostly because it differs from the stored results.

    Attributes:
        version: the round's version when it was read.
        hashed: the hash of its results if it was replayed in bulk; None if it was not.
    """

    round_id: UUID
    version: int
    hashed: bytes | None


@dataclass(frozen=True, slots=True)
class ReplayedGroup:
    """
    A group of rounds replayed in bulk.

    Attributes:
        settlement: the bulk settlement.
        computed: its figures, in the form of the records.
        by_itself: [rounds], whether the round must be replayed alone: it is invalid, or has late transfers.
        differs: [rounds], whether the stored results of another round differ.
    """

    group: RoundGroup
    settlement: BulkSettlement
    computed: Figures
    by_itself: Flags
    differs: Flags

    def hashes(self, packed: PackedRounds) -> Iterator[tuple[int, bytes]]:
        """Yield the place and the hash of each round that need not be replayed alone."""
        content = np.concatenate([_flat(figure) for figure in self.computed], axis=1).astype("<i8").data
        statuses = self.settlement.expected.status[self.settlement.final].tolist()
        rounds = self.group.rounds
        listed = zip(
            *(self.by_itself.tolist(), self.group.places.tolist()),
            *(rounds.starts.tolist(), rounds.lengths.tolist(), statuses),
            strict=True,
        )
        for by_itself, place, start, length, status in listed:
            if not by_itself:
                round_id = packed.ids[place].ljust(16, b"\0")
                yield place, hash_round(round_id, content[start : start + length], status)


@dataclass(frozen=True, slots=True)
class BulkReplay:
    """The rounds of a stretch, and those of them that could be replayed in bulk."""

    packed: PackedRounds
    groups: Sequence[ReplayedGroup]

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return len(self.packed.ids)

    @property
    def hands(self) -> int:
        """The number of hands."""
        return int(self.packed.lengths.sum())

    def digest(self, *, all_suspect: bool = False) -> tuple[RoundsDigest, Sequence[Suspect]]:
        """
        Return the digest of the rounds whose stored results follow from their stored hands, and the other rounds.

        Args:
            all_suspect: whether all rounds are to be replayed by the plain rules, also those that follow.
        """
        digest, hashes = RoundsDigest(), {}
        follows = np.zeros(self.rounds, np.bool_)
        for replayed in self.groups:
            follows[replayed.group.places] = ~(replayed.by_itself | replayed.differs | all_suspect)
            for place, hashed in replayed.hashes(self.packed):
                if follows[place]:
                    digest.add(hashed)
                else:
                    hashes[place] = hashed
        packed = self.packed
        return digest, [
            Suspect(packed.round_id(place), int(packed.versions[place]), hashes.get(place))
            for place in np.flatnonzero(~follows).tolist()
        ]

    def list_differing(self) -> list[UUID]:
        """List the rounds whose stored results differ, of those whose hands were all stored under one ruleset."""
        has_other = np.isin(np.arange(self.rounds), self.packed.hands.of_round[~self.packed.hands.follows])
        places = [place for each in self.groups for place in each.group.places[each.differs].tolist()]
        return [self.packed.round_id(place) for place in places if not has_other[place]]

    def list_proven(self) -> dict[UUID, ProvenRound]:
        """
        List the rounds whose stored results follow from their stored hands, each with its end.

        Results are all columns that are compared with what was played. Rounds with hands that were stored under another
        ruleset or as irregular are omitted.
        """
        proven: dict[UUID, ProvenRound] = {}
        for each in self.groups:
            proven |= _list_proven(self.packed, each)
        return proven


def replay_in_bulk(
    transaction: Transaction, stretch: Stretch, rulesets: Rulesets, other: Ruleset | None = None
) -> BulkReplay:
    """
    Replay the rounds of a stretch at once, and compare them with the stored results.

    All rounds are read as of one moment, and not locked.

    Args:
        transaction: the club's transaction.
        stretch: some thousand rounds.
        rulesets: the rulesets that the rounds may have.
        other: the ruleset to replay with, if not each round's own.

    Raises:
        ValueError: a record has an empty column that cannot be empty.
    """
    packed = read_packed(transaction, stretch, list(rulesets))
    numbered = list(rulesets.values())
    groups = []
    for group in packed.groups():
        ruleset = other or numbered[group.ruleset - 1]
        if ruleset is not None:
            groups.append(_replay_group(ruleset, group))
    return BulkReplay(packed, groups)


def _replay_group(ruleset: Ruleset, group: RoundGroup) -> ReplayedGroup:
    settlement = settle_rounds(ruleset, group.rounds)
    by_itself = settlement.refused | (settlement.late_transfers.due > 0).any(axis=1)
    computed = Figures.of(group.rounds, settlement)
    return ReplayedGroup(group, settlement, computed, by_itself, ~by_itself & _differ(group, computed, settlement))


def _differ(group: RoundGroup, computed: Figures, settlement: BulkSettlement) -> Flags:
    rounds = group.rounds
    hands = np.zeros(len(rounds.dealt), np.bool_)
    for stored, expected in zip(group.stored, computed, strict=True):
        hands |= _flat(stored != expected).any(axis=1)
    differ: Flags = settlement.expected.status[settlement.final] != group.statuses
    differ |= (settlement.final_stacks != group.stacks).any(axis=1) | (settlement.top_ups != group.top_ups).any(axis=1)
    differ[rounds.round_of_hand[hands]] = True
    return differ


def _flat(figure: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Reshape a figure to one row of values per hand, also if there are no hands."""
    return figure.reshape(len(figure), prod(figure.shape[1:]))


def _list_proven(packed: PackedRounds, replayed: ReplayedGroup) -> dict[UUID, ProvenRound]:
    """Return the proven rounds of a group; those that end alike share the columns of a head, except the stacks."""
    group, settlement = replayed.group, replayed.settlement
    is_proven = ~replayed.by_itself & ~replayed.differs
    is_proven &= ~np.isin(group.places, packed.hands.of_round[~packed.hands.follows])
    seats = group.rounds.seats.tolist()
    finals, scope_stacks = settlement.final.tolist(), settlement.opening_stacks.tolist()
    nets = (settlement.final_stacks - group.rounds.stacks - settlement.top_ups).tolist()
    shared: dict[tuple[int, ...], State] = {}
    proven: dict[UUID, ProvenRound] = {}
    for index in np.flatnonzero(is_proven).tolist():
        end = settlement.states[finals[index]]
        if end is None:
            continue
        key = finals[index], *seats[index]
        if key not in shared:
            shared[key] = _dump_end(end, seats[index])
        state = {**shared[key], "scope_stacks": scope_stacks[index]}
        proven[packed.round_id(group.places[index])] = ProvenRound(state, nets[index])
    return proven


def _dump_end(end: Round, seats: Sequence[int]) -> State:
    """Return the state of a round that has ended, whose seats are numbers of columns."""
    seated = replace(
        end,
        had_button=frozenset(seats[column - 1] for column in end.had_button),
        left=frozenset(seats[column - 1] for column in end.left),
        busted=frozenset(seats[column - 1] for column in end.busted),
        sequence=frozenset(seats[column - 1] for column in end.sequence),
        owed={seats[column - 1]: owed for column, owed in end.owed.items()},
    )
    return {**dump_state(seated), "button": None if end.button is None else seats[end.button - 1]}
