"""What each revision of a round changed, as the players' page shows it: cards, points, and who pays the difference."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from scoring.board import Row
from scoring.hand import Cards, Seat
from scoring.ruleset import Points
from scoring.settle_up import Payment, find_adjustment
from service.db import Transaction
from service.rounds.queries.histories import StoredHistory, history_of
from service.rounds.queries.records import list_revisions


class ChangedRow(NamedTuple):
    """A row with other cards than before; without any on a side whose hand the player is not in."""

    hand: int
    player: str
    row: Row
    before: Cards
    after: Cards


@dataclass(frozen=True, slots=True)
class RevisionChanges:
    """
    What a revision of a round changed.

    Attributes:
        reason: why it was made.
        rows: the rows with other cards than in the revision before.
        added: the numbers of the hands that the revision before did not have.
        removed: the numbers of the hands that only the revision before had.
        points: how many points each player has more or, below zero, less than in the revision before.
        settled: the revision from which its payments adjust: the last final one or, if none was final, the one before.
        is_adjustment: whether that was final.
        payments: who pays whom, if that revision is settled.
    """

    number: int
    reason: str | None
    rows: Sequence[ChangedRow]
    added: Sequence[int]
    removed: Sequence[int]
    points: Mapping[str, Points]
    settled: int
    is_adjustment: bool
    payments: Sequence[Payment]

    @property
    def may_be_paid(self) -> bool:
        """Whether somebody may have settled the revision before: it was final, or it had as many hands."""
        return self.is_adjustment or not self.added


def list_changes(transaction: Transaction, round_id: UUID) -> list[RevisionChanges]:
    """List what each revision of a round after the first changed, in order, with a fixed number of queries."""
    revisions = list_revisions(transaction, round_id)
    results = {records.revision: records.result for records in revisions}
    happened = {records.revision: history_of(records) for records in revisions}
    changes = []
    for older, newer in pairwise(revisions):
        number, adjusted = newer.revision, newer.adjustment
        old, new = happened[older.revision], happened[number]
        before, after = results[older.revision].nets_by_player, results[number].nets_by_player
        settled = older.revision if adjusted is None else adjusted.from_revision
        numbers = [{stored.hand.number for stored in each.hands} for each in (old, new)]
        changes.append(
            RevisionChanges(
                number=number,
                reason=newer.reason,
                rows=list(_list_rows(old, new, numbers[0] & numbers[1])),
                added=sorted(numbers[1] - numbers[0]),
                removed=sorted(numbers[0] - numbers[1]),
                points={
                    player: change
                    for player in dict.fromkeys([*before, *after])
                    if (change := after.get(player, 0) - before.get(player, 0))
                },
                settled=settled,
                is_adjustment=adjusted is not None,
                payments=find_adjustment(results[settled].nets_by_player, after).payments,
            )
        )
    return changes


def _list_rows(old: StoredHistory, new: StoredHistory, numbers: set[int]) -> Iterator[ChangedRow]:
    """Yield the rows of hands that both have, if their cards differ, in whatever order they are."""
    before, after = (_read_rows(each) for each in (old, new))
    players = {seat.seat: seat.player for each in (old, new) for seat in each.seats}
    for place in sorted({*before, *after}, key=lambda place: (place[0], place[1], [*Row].index(place[2]))):
        hand, seat, row = place
        cards = before.get(place, ()), after.get(place, ())
        if hand in numbers and set(cards[0]) != set(cards[1]):
            yield ChangedRow(hand, players[seat], row, *cards)


def _read_rows(happened: StoredHistory) -> dict[tuple[int, Seat, Row], Cards]:
    return {
        (stored.hand.number, seat, row): cards
        for stored in happened.hands
        for seat, played in stored.hand.by_seat.items()
        for row, cards in played.board.rows.items()
    }
