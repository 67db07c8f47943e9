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
from service.recomputations.packed.reading import have_changed, read_packed
from service.recomputations.packed.rounds import Figures, Flags, PackedRounds, RoundGroup

_SIZE: Final = 32
_MODULUS: Final = 1 << 8 * _SIZE


@dataclass(slots=True)
class RoundsDigest:
    """
    The sum of a SHA-256 for each round, modulo 2²⁵⁶.

    A sum, for it is the same whatever comes first and in however many parts; of hashes that begin with the round's id,
    for two rounds that swap their results then change it. It is no XOR: of those, any digest can be made from a few
    hundred rounds by linear algebra, and a round counted twice would vanish.

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
        Count a round in.

        Args:
            round_id: whose.
            figures: what its hands come to, as bytes of one layout.
            status: how it stands then.
            late: what was paid after its last hand.
        """
        digest = sha256(round_id)
        digest.update(figures)
        digest.update(b"%d " % status + late)
        self.total = (self.total + int.from_bytes(digest.digest(), "big")) % _MODULUS

    def add_all(self, other: str) -> None:
        """Count in what another digest has, written by `hex`."""
        self.total = (self.total + int(other, 16)) % _MODULUS

    def hex(self) -> str:
        """Write it."""
        return self.total.to_bytes(_SIZE, "big").hex()


Rulesets = Mapping[tuple[str, int], Ruleset | None]
"""Every ruleset that the club has stored, by name and version; None where it cannot be read."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """
    A round that has to be looked at by itself.

    Attributes:
        version: when it was read.
        differs: whether arrays have shown that something else was stored.
        is_digested: whether what it comes to is in the digest already.
    """

    round_id: UUID
    version: int
    differs: bool
    is_digested: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """What a stretch of rounds comes to, but for the suspects that are not digested yet."""

    rounds: int
    hands: int
    digest: RoundsDigest
    suspects: Sequence[Suspect]


def audit_rounds(transaction: Transaction, stretch: Stretch, rulesets: Rulesets, other: Ruleset | None) -> Audit:
    """
    Play the rounds of a stretch again, and find those of which something else was stored.

    Nothing keeps others from changing a round meanwhile: one that changed is a suspect.

    Args:
        transaction: whose club's.
        stretch: which rounds.
        rulesets: that they may stand under.
        other: the rules to play them by, where those are others than their own.
    """
    packed = read_packed(transaction, stretch, list(rulesets))
    in_force = list(rulesets.values())
    differs, is_settled = np.zeros(len(packed.ids), np.bool_), np.zeros(len(packed.ids), np.bool_)
    settled = []
    for group in packed.groups():
        ruleset = other or in_force[group.ruleset - 1]
        if ruleset is not None:
            audited = audit_group(ruleset, group)
            is_settled[group.places] = ~audited.by_itself
            differs[group.places] = audited.differs
            settled.append((group, audited.computed, audited.settlement))
    is_settled &= ~have_changed(transaction, stretch, packed)
    digest = RoundsDigest()
    for group, computed, settlement in settled:
        _digest(digest, packed, group, computed, settlement, is_settled)
    suspects = tuple(_suspects(packed, differs & is_settled, is_settled))
    return Audit(len(packed.ids), int(packed.lengths.sum()), digest, suspects)


@dataclass(frozen=True, slots=True)
class AuditedGroup:
    """
    Rounds that were played again side by side.

    Attributes:
        settlement: what they come to.
        computed: the same, as records have it.
        by_itself: [rounds], which have to be played by themselves: they cannot be, or something was paid late.
        differs: [rounds], of which of the others something else was stored.
    """

    settlement: BulkSettlement
    computed: Figures
    by_itself: Flags
    differs: Flags


def audit_group(ruleset: Ruleset, group: RoundGroup) -> AuditedGroup:
    """Play rounds that are alike again, and hold them against what was stored."""
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
    """Lay all that a figure says of a hand side by side; of no hands, too."""
    return figure.reshape(len(figure), prod(figure.shape[1:]))


def _digest(
    digest: RoundsDigest,
    packed: PackedRounds,
    group: RoundGroup,
    computed: Figures,
    settlement: BulkSettlement,
    is_settled: Flags,
) -> None:
    """Count rounds in that were settled, and have not changed since they were read."""
    content = np.concatenate([_flat(figure) for figure in computed], axis=1).astype("<i8").data
    statuses = settlement.expected.status[settlement.final].tolist()
    starts = group.rounds.starts.tolist()
    lengths = group.rounds.lengths.tolist()
    for place, start, length, status in zip(group.places.tolist(), starts, lengths, statuses, strict=True):
        if is_settled[place]:
            digest.add(packed.ids[place].ljust(16, b"\0"), content[start : start + length], status)


def _suspects(packed: PackedRounds, differs: Flags, is_settled: Flags) -> Iterator[Suspect]:
    for place in np.flatnonzero(differs | ~is_settled).tolist():
        yield Suspect(
            packed.round_id(place), int(packed.versions[place]), bool(differs[place]), bool(is_settled[place])
        )
