"""Replay many rounds at once, compare them with the stored results, and compute their digest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import prod
from typing import Any, Final
from uuid import UUID

import numpy as np

from scoring.bulk.settle import BulkSettlement, settle_rounds
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.recomputations.packed.queries import Stretch
from service.recomputations.packed.reading import read_packed
from service.recomputations.packed.rounds import Figures, Flags, PackedRounds, RoundGroup

_SIZE: Final = 32
_MODULUS: Final = 1 << 8 * _SIZE


@dataclass(slots=True)
class RoundsDigest:
    """
    The sum of the SHA-256 hashes of rounds, modulo 2²⁵⁶.

    A sum does not depend on the order of the rounds or on how they are divided into chunks. Each hash includes the
    round's id, so that two rounds with exchanged results change the sum. XOR would be weaker: any digest could be made
    from a few hundred rounds by linear algebra, and a round counted twice would cancel out.

    >>> one, other = RoundsDigest(), RoundsDigest()
    >>> one.add(b"first", b"6", 1), one.add(b"second", b"-6", 1)
    (None, None)
    >>> other.add(b"second", b"-6", 1), other.add(b"first", b"6", 1)
    (None, None)
    >>> one == other, one.hex()[:16]
    (True, '47c94dbddebd0c4b')
    """

    total: int = 0

    def add(self, round_id: bytes, figures: Any, status: int, late: bytes = b"") -> None:
        """
        Add a round.

        Args:
            round_id: the id of the round.
            figures: the figures of its hands, as bytes in the layout of `Figures`.
            status: the number of its status after the last hand.
            late: the transfers paid after its last hand.
        """
        digest = sha256(round_id)
        digest.update(figures)
        digest.update(b"%d " % status + late)
        self.total = (self.total + int.from_bytes(digest.digest(), "big")) % _MODULUS

    def add_all(self, other: str) -> None:
        """Add another digest, as returned by `hex`."""
        self.total = (self.total + int(other, 16)) % _MODULUS

    def hex(self) -> str:
        """Return the digest as hexadecimal digits."""
        return self.total.to_bytes(_SIZE, "big").hex()


Rulesets = Mapping[tuple[str, int], Ruleset | None]
"""The club's stored rulesets, by name and version; None for one that cannot be read."""


@dataclass(frozen=True, slots=True)
class RoundToReplay:
    """
    A round that must be replayed alone.

    Attributes:
        version: the round's version when it was read.
        differs: whether the bulk replay differs from the stored results.
        is_digested: whether the digest already includes it.
    """

    round_id: UUID
    version: int
    differs: bool
    is_digested: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of a bulk replay; rounds to replay that are not digested are not in the digest."""

    rounds: int
    hands: int
    digest: RoundsDigest
    suspects: Sequence[RoundToReplay]


def audit_rounds(transaction: Transaction, stretch: Stretch, rulesets: Rulesets, other: Ruleset | None) -> Audit:
    """
    Replay the rounds of a range in bulk, and find those whose stored results differ.

    All rounds are read as of one moment, and not locked.

    Args:
        transaction: the club's transaction.
        stretch: the range of rounds.
        rulesets: the rulesets that the rounds may have.
        other: the ruleset to replay with, if not each round's own.
    """
    packed = read_packed(transaction, stretch, list(rulesets))
    numbered = list(rulesets.values())
    differs, is_settled = np.zeros(len(packed.ids), np.bool_), np.zeros(len(packed.ids), np.bool_)
    settled = []
    for group in packed.groups():
        ruleset = other or numbered[group.ruleset - 1]
        if ruleset is not None:
            audited = audit_group(ruleset, group)
            is_settled[group.places] = ~audited.by_itself
            differs[group.places] = audited.differs
            settled.append((group, audited.computed, audited.settlement))
    digest = RoundsDigest()
    for group, computed, settlement in settled:
        _digest(digest, packed, group, computed, settlement, is_settled)
    suspects = tuple(_suspects(packed, differs & is_settled, is_settled))
    return Audit(len(packed.ids), int(packed.lengths.sum()), digest, suspects)


@dataclass(frozen=True, slots=True)
class AuditedGroup:
    """
    A group of rounds replayed in bulk.

    Attributes:
        settlement: the bulk settlement.
        computed: its figures, in the form of the records.
        by_itself: [rounds], whether the round must be replayed alone: it is invalid, or has late transfers.
        differs: [rounds], whether the stored results of another round differ.
    """

    settlement: BulkSettlement
    computed: Figures
    by_itself: Flags
    differs: Flags


def audit_group(ruleset: Ruleset, group: RoundGroup) -> AuditedGroup:
    """Replay a group of rounds in bulk, and compare them with the stored results."""
    settlement = settle_rounds(ruleset, group.rounds)
    by_itself = settlement.refused | (settlement.late_transfers.due > 0).any(axis=1)
    computed = Figures.of(group.rounds, settlement)
    return AuditedGroup(settlement, computed, by_itself, ~by_itself & _differ(group, computed, settlement))


def _differ(group: RoundGroup, computed: Figures, settlement: BulkSettlement) -> Flags:
    rounds = group.rounds
    hands = np.zeros(len(rounds.dealt), np.bool_)
    for stored, found in zip(group.stored, computed, strict=True):
        hands |= _flat(stored != found).any(axis=1)
    differ: Flags = settlement.expected.status[settlement.final] != group.statuses
    differ |= (settlement.final_stacks != group.stacks).any(axis=1) | (settlement.top_ups != group.top_ups).any(axis=1)
    differ[rounds.round_of_hand[hands]] = True
    return differ


def _flat(figure: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Reshape a figure to one row of values per hand, also if there are no hands."""
    return figure.reshape(len(figure), prod(figure.shape[1:]))


def _digest(
    digest: RoundsDigest,
    packed: PackedRounds,
    group: RoundGroup,
    computed: Figures,
    settlement: BulkSettlement,
    is_settled: Flags,
) -> None:
    """Add the settled rounds."""
    content = np.concatenate([_flat(figure) for figure in computed], axis=1).astype("<i8").data
    statuses = settlement.expected.status[settlement.final].tolist()
    starts = group.rounds.starts.tolist()
    lengths = group.rounds.lengths.tolist()
    for place, start, length, status in zip(group.places.tolist(), starts, lengths, statuses, strict=True):
        if is_settled[place]:
            digest.add(packed.ids[place].ljust(16, b"\0"), content[start : start + length], status)


def _suspects(packed: PackedRounds, differs: Flags, is_settled: Flags) -> Iterator[RoundToReplay]:
    for place in np.flatnonzero(differs | ~is_settled).tolist():
        yield RoundToReplay(
            packed.round_id(place), int(packed.versions[place]), bool(differs[place]), bool(is_settled[place])
        )
