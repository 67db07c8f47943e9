"""Corrections, and the stacks that later rounds carried over from a corrected round."""

from typing import Final
from uuid import UUID

from sqlalchemy import text

from evidence.texts import digest_text
from schemas.corrections.comparisons import CarriedOverStack
from service.db import Transaction
from service.rounds.queries.stored_round import StoredRound

# With OFFSET 0, PostgreSQL reads the IDs of a player once, and not for every seat that it compares.
_CARRIED_OVER: Final = text("""
    SELECT next.*, sitting.ids FROM (
        SELECT ARRAY[known.player] || ARRAY(
            SELECT alias FROM aliases WHERE club_id = :club_id AND player = known.player
        ) AS ids
        FROM (
            SELECT DISTINCT coalesce(joined.player, seat.player) AS player FROM round_seats AS seat
            LEFT JOIN aliases AS joined ON (joined.club_id, joined.alias) = (seat.club_id, seat.player)
            WHERE seat.club_id = :club_id AND seat.round_id = :round_id
        ) AS known
        OFFSET 0
    ) AS sitting
    CROSS JOIN LATERAL (
        SELECT round.table_sequence, seat.round_id, seat.seat, seat.player, seat.opening_stack, seat.carried_over
        FROM rounds AS round
        JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
        JOIN round_seats AS seat ON (seat.club_id, seat.round_id, seat.revision)
            = (head.club_id, head.round_id, head.revision) AND seat.player = ANY (sitting.ids)
        WHERE round.club_id = :club_id AND round.table_id = :table_id AND round.table_sequence > :table_sequence
            AND NOT round.imported
        ORDER BY round.table_sequence LIMIT 1
    ) AS next
    WHERE next.carried_over
    ORDER BY next.table_sequence, next.seat
""")


_CORRECTIONS: Final = text("""
    SELECT correction.revision, correction.digest, texts.salt
    FROM corrections AS correction
    JOIN submissions AS submission
        ON (submission.club_id, submission.id) = (correction.club_id, correction.submission_id)
    JOIN texts ON (texts.club_id, texts.digest) = (submission.club_id, submission.text)
    WHERE correction.club_id = :club_id AND correction.round_id = :round_id
    ORDER BY correction.revision
""")


def find_revision(transaction: Transaction, round_id: UUID, identity: str) -> int | None:
    """
    Find the revision of a round that the same correction made; None also if its request body was erased.

    There is at most one: the identity contains the version of the round that the correction is based on.
    """
    for row in transaction.execute(_CORRECTIONS, {"club_id": transaction.club_id, "round_id": round_id}):
        if digest_text(identity, bytes(row.salt)) == bytes(row.digest):
            revision: int = row.revision
            return revision
    return None


def list_carried_over(transaction: Transaction, before: StoredRound) -> tuple[CarriedOverStack, ...]:
    """
    List the stacks that players carried over from a round to their next round at the table.

    Players of every revision of the round are included; imported rounds are not.
    """
    asked = {
        "club_id": transaction.club_id,
        "round_id": before.id,
        "table_id": before.table_id,
        "table_sequence": before.table_sequence,
    }
    return tuple(
        CarriedOverStack(str(row.round_id), row.seat, row.player, row.opening_stack, row.ids)
        for row in transaction.execute(_CARRIED_OVER, asked)
    )
