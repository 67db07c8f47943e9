"""Find rounds by their own references and by those of their hands in force."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import text

from service.db import Transaction

_LAST: Final = "\U0010ffff"
"""The last character: no reference begins with it."""
_SELECT: Final = """
    SELECT round.id, {hand} AS hand, {reference} AS reference, round.opened_at, playing_at.name AS table_name
    FROM rounds AS round
    JOIN tables AS playing_at ON (playing_at.club_id, playing_at.id) = (round.club_id, round.table_id)
"""
# With these operators, PostgreSQL reads the index in any collation, and also for a statement that it has prepared.
_BY_REFERENCE: Final = f"""
    {_SELECT.format(hand="CAST(NULL AS integer)", reference="round.reference")}
    WHERE round.club_id = :club_id AND round.reference IS NOT NULL
        AND round.reference ~>=~ :begin AND round.reference ~<~ :end
    ORDER BY round.reference USING ~<~ LIMIT :limit
"""
_BY_ID: Final = f"""
    {_SELECT.format(hand="CAST(NULL AS integer)", reference="round.reference")}
    WHERE round.club_id = :club_id AND round.id = CAST(:round_id AS uuid)
"""
_BY_HAND: Final = f"""
    {_SELECT.format(hand="hand.number", reference="hand.reference")}
    JOIN hands AS hand ON (hand.club_id, hand.round_id) = (round.club_id, round.id)
    JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
    JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision, score.number, score.hand_id)
        = (head.club_id, head.round_id, head.revision, hand.number, hand.id)
    WHERE round.club_id = :club_id AND hand.club_id = :club_id AND hand.reference IS NOT NULL
        AND hand.reference = :begin
    LIMIT :limit
"""
_FIND: Final = text(f"({_BY_ID}) UNION ALL ({_BY_REFERENCE}) UNION ALL ({_BY_HAND}) LIMIT :limit")


@dataclass(frozen=True, slots=True)
class FoundRound:
    """A round that was found, by its ID or a reference; `hand` is the number of the hand that has the reference."""

    id: UUID
    hand: int | None
    reference: str | None
    opened_at: datetime
    table_name: str


def find_by_text(transaction: Transaction, written: str, limit: int) -> list[FoundRound]:
    """List rounds with an ID, whose references begin with a text, or with a hand in force that has this reference."""
    parameters = {
        "club_id": transaction.club_id,
        "round_id": _read_id(written),
        "begin": written,
        "end": written + _LAST,
        "limit": limit,
    }
    rows = transaction.execute(_FIND, parameters)
    return [FoundRound(row.id, row.hand, row.reference, row.opened_at, row.table_name) for row in rows]


def _read_id(written: str) -> UUID | None:
    try:
        return UUID(written)
    except ValueError:
        return None
