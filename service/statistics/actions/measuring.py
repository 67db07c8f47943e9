"""Compute the statistics of rounds from their records."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row

from scoring.bulk.tally import HandTally, tally_hands
from service.db import Database, Transaction
from service.rulesets.actions import get_ruleset
from service.statistics.queries import measuring
from service.statistics.queries.measuring import RoundFigures

_AT_ONCE: Final = 500
"""The number of changes of rounds that are taken into account in one transaction."""
MOST_AT_A_TIME: Final = 5000
"""The number of changes of one club that are taken into account before the next club's turn."""


def update_statistics(database: Database, club_id: UUID) -> int:
    """
    Update the statistics of rounds that have changed, and return the number of rounds.

    It can be interrupted at any time, and several processes may call it at once: one of them does the work.
    """
    updated = 0
    while updated < MOST_AT_A_TIME:
        with database.transaction(club_id) as transaction:
            changed = measuring.take_unmeasured(transaction, _AT_ONCE) if measuring.try_lock(transaction) else set()
            if changed:
                figures = measure_rounds(transaction, changed)
                measuring.replace_statistics(transaction, changed, figures)
        updated += len(changed)
        if not changed:
            break
    return updated


def measure_rounds(transaction: Transaction, round_ids: Collection[UUID]) -> list[RoundFigures]:
    """Compute the figures of the players of rounds, in the revisions in force."""
    hands = measuring.list_hands(transaction, round_ids)
    tallies = _tally(transaction, hands)
    figures: dict[tuple[UUID, str], RoundFigures] = {}
    players: dict[UUID, dict[int, str]] = {}
    for place, hand in enumerate(hands):
        sitting = players.get(hand.round_id)
        if sitting is None:
            sitting = players[hand.round_id] = dict(zip(hand.seats, hand.players, strict=True))
        tally = tallies[place]
        for index, seat in enumerate(hand.hand_seats):
            player = sitting[seat]
            found = figures.get((hand.round_id, player))
            if found is None:
                found = figures[hand.round_id, player] = RoundFigures(
                    hand.round_id,
                    player,
                    hand.table_id,
                    hand.ruleset_name,
                    hand.ruleset_version,
                    hand.opened_at,
                )
            _count(found, hand, tally, index)
    for unpaid in measuring.list_unpaid(transaction, round_ids):
        sitting = players[unpaid.round_id]
        figures[unpaid.round_id, sitting[unpaid.payee]].not_received += int(unpaid.points)
        figures[unpaid.round_id, sitting[unpaid.payer]].not_paid += int(unpaid.points)
    return list(figures.values())


def _tally(transaction: Transaction, hands: Collection[Row[Any]]) -> dict[int, HandTally]:
    """Return royalties by row and scoops of each hand, by its place in `hands`."""
    alike: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    boards: dict[tuple[str, int, int], list[bytes]] = defaultdict(list)
    for place, hand in enumerate(hands):
        kind = hand.ruleset_name, hand.ruleset_version, len(hand.hand_seats)
        alike[kind].append(place)
        boards[kind].append(hand.boards)
    tallies: dict[int, HandTally] = {}
    for (name, version, count), places in alike.items():
        ruleset = get_ruleset(transaction, f"{name}@{version}")
        counted = tally_hands(ruleset, b"".join(boards[name, version, count]), count)
        tallies.update(zip(places, counted, strict=True))
    return tallies


def _count(found: RoundFigures, hand: Row[Any], tally: HandTally, index: int) -> None:
    """Add the figures of the player with this index in the hand."""
    points, in_fantasyland, earned = hand.points[index], hand.fantasyland[index] > 0, hand.earned[index] > 0
    top, middle, bottom = tally.royalties[index]
    found.hands += 1
    found.points += points
    found.squares += points * points
    found.fouls += hand.fouls[index]
    found.fantasyland_entered += earned and not in_fantasyland
    found.fantasyland_stayed += earned and in_fantasyland
    found.royalties_top += top
    found.royalties_middle += middle
    found.royalties_bottom += bottom
    found.scoops += tally.scoops[index]
