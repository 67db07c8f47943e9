"""The stored figures of players in rounds, compared with those that the records of the rounds lead to."""

from decimal import Decimal
from typing import Any, Final

from sqlalchemy import text

from service.db import Transaction
from service.statistics.queries.seats import CHANGED, SEATS
from service.verification.queries.audited import Row, Stretch, in_stretch

_IN_STRETCH: Final = """
    {0}.club_id = :club_id AND {0}.round_id > :after AND {0}.round_id <= :upto
        AND (CAST(:only AS uuid[]) IS NULL OR {0}.round_id = ANY (:only))
"""
_COLUMNS: Final = """
    round_id, player, table_id, ruleset_name, ruleset_version, opened_at, place, point_value, currency, top_ups,
    received, paid, not_received, not_paid, hands, points, squares, fouls, fantasyland_hands, fantasyland_entered,
    fantasyland_stayed, best, worst, points_by_hand
"""
_DIFFERENCES: Final = text(f"""
    WITH got AS (
        SELECT round_id, revision, payee AS seat, sum(paid) AS received, sum(due) - sum(paid) AS not_received
        FROM transfers WHERE {_IN_STRETCH.format("transfers")} GROUP BY round_id, revision, payee
    ), gave AS (
        SELECT round_id, revision, payer AS seat, sum(paid) AS paid, sum(due) - sum(paid) AS not_paid
        FROM transfers WHERE {_IN_STRETCH.format("transfers")} GROUP BY round_id, revision, payer
    ), board AS (
        SELECT score.round_id, score.revision, score.number, unnest(hand.seats) AS seat, unnest(score.points) AS points,
            unnest(score.fouls) AS is_foul, unnest(hand.fantasyland) AS dealt, unnest(score.earned) AS earned
        FROM hand_scores AS score JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
        WHERE {_IN_STRETCH.format("score")} AND {_IN_STRETCH.format("hand")}
    ), played AS (
        SELECT round_id, revision, seat, count(*) AS hands, sum(points) AS points,
            sum(CAST(points AS numeric) * points) AS squares, count(*) FILTER (WHERE is_foul) AS fouls,
            count(*) FILTER (WHERE dealt > 0) AS fantasyland_hands,
            count(*) FILTER (WHERE dealt = 0 AND earned > 0) AS fantasyland_entered,
            count(*) FILTER (WHERE dealt > 0 AND earned > 0) AS fantasyland_stayed,
            max(points) AS best, min(points) AS worst, array_agg(points ORDER BY number) AS points_by_hand
        FROM board GROUP BY round_id, revision, seat
    ), expected AS (
        SELECT round_id, player, table_id, ruleset_name, ruleset_version, opened_at, place, point_value, currency,
            top_ups, coalesce(received, 0), coalesce(paid, 0), coalesce(not_received, 0), coalesce(not_paid, 0),
            coalesce(hands, 0), coalesce(points, 0), coalesce(squares, 0), coalesce(fouls, 0),
            coalesce(fantasyland_hands, 0), coalesce(fantasyland_entered, 0), coalesce(fantasyland_stayed, 0),
            coalesce(best, 0), coalesce(worst, 0), coalesce(points_by_hand, '{{}}')
        FROM ({SEATS} WHERE {_IN_STRETCH.format("head")}) AS seat
        LEFT JOIN got USING (round_id, revision, seat)
        LEFT JOIN gave USING (round_id, revision, seat) LEFT JOIN played USING (round_id, revision, seat)
    ), stored AS (
        SELECT {_COLUMNS} FROM round_statistics WHERE {_IN_STRETCH.format("round_statistics")}
    ), differences AS (
        SELECT true AS is_stored, * FROM (TABLE stored EXCEPT ALL TABLE expected) AS surplus
        UNION ALL SELECT false, * FROM (TABLE expected EXCEPT ALL TABLE stored) AS missing
    )
    SELECT * FROM differences WHERE (round_id IN ({CHANGED})) IS NOT TRUE
""")


def list_differences(transaction: Transaction, stretch: Stretch) -> tuple[list[Row], list[Row]]:
    """
    List the figures of players that differ from the records of their rounds: stored rows, and the expected ones.

    Rounds that have changed since they were measured are omitted: their stored figures are not read. So are the figures
    for which every board would have to be scored again.
    """
    stored: list[Row] = []
    expected: list[Row] = []
    for found in transaction.execute(_DIFFERENCES, in_stretch(transaction, stretch)).mappings():
        row = {name: _whole(value) for name, value in found.items()}
        (stored if row.pop("is_stored") else expected).append(row)
    return stored, expected


def _whole(value: Any) -> Any:
    """Return a sum as the integer that it is; a changed one may be none."""
    return int(value) if isinstance(value, Decimal) and value.is_finite() and value % 1 == 0 else value
