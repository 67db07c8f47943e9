"""Rounds played again many at once, and held against what was stored of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any
from uuid import UUID

import numpy as np

from scoring.bulk.settle import BulkSettlement, settle_rounds
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.repository.packed.queries import Stretch
from service.repository.packed.reading import have_changed, read_packed
from service.repository.packed.rounds import (
    Figures,
    Flags,
    PackedRounds,
    RoundGroup,
)
from service.usecases.digest_rounds import RoundsDigest

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
