"""Lock the round of a record, and list the records of a hand in all revisions of its round."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import text

from scoring.same_hand import BoardsOfHand, match_deals, match_hands
from service.db import Transaction

_LOCK_ROUND: Final = text("""
    SELECT FROM round_heads WHERE club_id = :club_id AND round_id = ANY (ARRAY(
        SELECT CAST(:record_id AS uuid)
        UNION ALL SELECT round_id FROM hands WHERE club_id = :club_id AND id = :record_id
    )) FOR UPDATE
""")
_LIST_RECORDS: Final = text("""
    SELECT score.revision, score.number, hand.id, hand.seats, hand.boards,
        coalesce(correction.submission_id = hand.submission_id, false) AS is_corrected
    FROM hand_scores AS score
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
    LEFT JOIN corrections AS correction ON (correction.club_id, correction.round_id, correction.revision)
        = (score.club_id, score.round_id, score.revision)
    WHERE score.club_id = :club_id AND score.round_id = (
        SELECT round_id FROM hands WHERE club_id = :club_id AND id = :hand_id
    )
    ORDER BY score.revision, score.number
""")


class _Record(NamedTuple):
    """The record of a hand in a revision, and whether it is one of the correction that made the revision."""

    id: UUID
    boards: BoardsOfHand
    is_corrected: bool


def lock_round(transaction: Transaction, record_id: UUID) -> None:
    """Lock the round with an ID, or that of the hand with the ID, until the transaction ends, if there is one."""
    transaction.execute(_LOCK_ROUND, {"club_id": transaction.club_id, "record_id": record_id})


def list_records(transaction: Transaction, hand_id: UUID) -> list[UUID]:
    """
    List the records of the same hand in all revisions of its round, oldest first; only the ID if it is of no hand.

    The record of a correction is of the hand that it corrects, also if that had another number. A hand that was undone
    is the same as the one entered instead, if that has the same boards.
    """
    parameters = {"club_id": transaction.club_id, "hand_id": hand_id}
    revisions: dict[int, list[_Record]] = defaultdict(list)
    for row in transaction.execute(_LIST_RECORDS, parameters):
        record = _Record(row.id, (row.number, row.seats, bytes(row.boards)), row.is_corrected)
        revisions[row.revision].append(record)
    records: dict[UUID, list[UUID]] = {}
    undone: list[_Record] = []
    for before, after in pairwise([[], *(revisions[number] for number in sorted(revisions))]):
        replaced = dict(_list_replaced(before, after))
        for record in (each for each in after if each.id not in records):
            earlier = replaced.get(record.id) or _find_undone(record, undone)
            records[record.id] = [] if earlier is None else records[earlier]
            records[record.id].append(record.id)
        in_force = {record.id for record in after}
        undone = [record for record in undone if records[record.id][-1] not in in_force]
        undone += [record for record in before if records[record.id][-1] not in in_force]
    return records.get(hand_id, [hand_id])


def _list_replaced(before: Sequence[_Record], after: Sequence[_Record]) -> Iterator[tuple[UUID, UUID]]:
    """Yield the records of a revision that are of hands of the revision before, with their records there."""
    boards = [[record.boards for record in records] for records in (before, after)]
    deals, hands = match_deals(*boards), match_hands(*boards)
    ids = {record.boards[0]: record.id for record in before}
    for record in after:
        number = record.boards[0]
        matched = hands.get(number) if record.is_corrected else deals.get(number)
        if matched is not None:
            yield record.id, ids[matched]


def _find_undone(record: _Record, undone: Sequence[_Record]) -> UUID | None:
    """Find the newest undone record with the number and the boards of a record that is of no hand before."""
    number = record.boards[0]
    same = (each.id for each in reversed(undone) if match_deals([each.boards], [record.boards]) == {number: number})
    return next(same, None)
