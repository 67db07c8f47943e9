"""Stored results of players in rounds, which statements, statistics and plots sum up, compared with the records."""

from collections.abc import Collection, Iterator
from typing import Final
from uuid import UUID

from service.db import Transaction
from service.replays.comparing import compare_records
from service.replays.findings import Finding
from service.replays.stretches import Stretch
from service.verification.queries.figures import list_differing

SUMMED_UP: Final = ("rounds", "round_heads", "hands", "hand_scores", "payouts")
"""The tables from whose records the results of players follow."""


def compare_figures(transaction: Transaction, stretch: Stretch, wrong: Collection[UUID] = ()) -> Iterator[Finding]:
    """
    Compare the stored results of the players of some rounds with those that follow from the records of the rounds.

    The records are compared with the events elsewhere. What follows from wrong ones is not compared.

    Args:
        transaction: of the club; it reads one moment.
        stretch: the rounds.
        wrong: rounds of which records in `SUMMED_UP` differ from their events.
    """
    stored, expected = (
        [row for row in rows if row["round_id"] not in wrong] for rows in list_differing(transaction, stretch)
    )
    by_key = {(row["round_id"], row["player"]): row for row in expected}
    return compare_records(transaction.club_id, "round_statistics", stored, by_key)
