"""The figures of rounds that anomalies are found in."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import text

from schemas.disputes import Ratio
from scoring.hand import Seat
from scoring.ruleset import Points
from service.db import Transaction

COMPARED: Final = 50
"""The number of other rounds that a round is compared with: the table's newest that have ended."""

Pair = tuple[Seat, Seat]


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """
    Figures of the newest revision of a round.

    Attributes:
        irregular: hands accepted as played that do not follow the hands before them, out of all hands.
        fouls: foul boards of each seat, out of all its boards.
        lost: points that were due between two seats and not paid.
        unconfirmed: seats whose players have not confirmed the settlement in force, out of all seats.
        after_final: revisions made after the settlement was final, out of all revisions.
    """

    irregular: Ratio
    fouls: Mapping[Seat, Ratio]
    lost: Mapping[Pair, Points]
    unconfirmed: Ratio
    after_final: Ratio


@dataclass(frozen=True, slots=True)
class TableFigures:
    """
    Sums over the other rounds of a table.

    Attributes:
        irregular: hands accepted as played that do not follow the hands before them, out of all hands.
        fouls: foul boards, out of all boards.
        lost: points that were due and not paid, per pair and round.
        unconfirmed: seats whose players have not confirmed the settlement in force, out of all seats.
        after_final: revisions made after the settlement was final, out of all revisions.
    """

    irregular: Ratio
    fouls: Ratio
    lost: Ratio
    unconfirmed: Ratio
    after_final: Ratio


_NONE: Final = Ratio(0, 0)
NO_OTHERS: Final = TableFigures(_NONE, _NONE, _NONE, _NONE, _NONE)
"""The sums for a table without other rounds."""

_HEADS: Final = text("""
    SELECT head.round_id, head.hands, (
        SELECT count(*) FROM hand_scores AS score
        WHERE (score.club_id, score.round_id, score.revision) = (head.club_id, head.round_id, head.revision)
            AND score.irregular IS NOT NULL
    ) AS irregular, cardinality(head.seats) AS seats, (
        SELECT count(*) FROM confirmations AS confirmed
        WHERE (confirmed.club_id, confirmed.round_id, confirmed.revision)
            = (head.club_id, head.round_id, head.revision)
    ) AS confirmed, head.revision, (
        SELECT count(made.adjusts_revision) FROM settlements AS made
        WHERE (made.club_id, made.round_id) = (head.club_id, head.round_id)
    ) AS after_final
    FROM round_heads AS head
    WHERE head.club_id = :club_id AND head.round_id = ANY(:round_ids)
""")
_FOULS: Final = text("""
    SELECT head.round_id, board.seat, count(*) FILTER (WHERE board.foul) AS fouls, count(*) AS boards
    FROM round_heads AS head
    JOIN hand_scores AS score
        ON (score.club_id, score.round_id, score.revision) = (head.club_id, head.round_id, head.revision)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
    CROSS JOIN LATERAL unnest(hand.seats, score.fouls) AS board (seat, foul)
    WHERE head.club_id = :club_id AND head.round_id = ANY(:round_ids)
    GROUP BY head.round_id, board.seat
    ORDER BY head.round_id, board.seat
""")
_LOST: Final = text("""
    SELECT head.round_id, least(paid.payer, paid.payee) AS one, greatest(paid.payer, paid.payee) AS other,
        sum(paid.due - paid.paid) AS lost
    FROM round_heads AS head
    JOIN transfers AS paid
        ON (paid.club_id, paid.round_id, paid.revision) = (head.club_id, head.round_id, head.revision)
    WHERE head.club_id = :club_id AND head.round_id = ANY(:round_ids)
    GROUP BY head.round_id, one, other
    ORDER BY head.round_id, one, other
""")
_OTHERS: Final = text("""
    SELECT own.round_id, sum(other.hands) AS hands, sum(scored.irregular) AS irregular,
        sum(scored.fouls) AS fouls, sum(scored.boards) AS boards, sum(cut.lost) AS lost,
        sum(cardinality(other.seats) * (cardinality(other.seats) - 1) / 2) AS pairs,
        sum(cardinality(other.seats)) AS seats, sum(confirmed.seats) AS confirmed,
        sum(other.revision) AS revisions, sum(made.after_final) AS after_final
    FROM round_heads AS own
    CROSS JOIN LATERAL (
        SELECT head.club_id, head.round_id, head.revision, head.hands, head.seats
        FROM rounds AS opened
        JOIN round_heads AS head ON (head.club_id, head.round_id) = (opened.club_id, opened.id)
        WHERE (opened.club_id, opened.table_id) = (own.club_id, own.table_id)
            AND opened.id <> own.round_id AND head.status <> 'open'
        ORDER BY opened.id DESC
        LIMIT :compared
    ) AS other
    CROSS JOIN LATERAL (
        SELECT count(score.irregular) AS irregular,
            coalesce(sum(cardinality(score.fouls)), 0) AS boards,
            coalesce(sum(cardinality(array_positions(score.fouls, true))), 0) AS fouls
        FROM hand_scores AS score
        WHERE (score.club_id, score.round_id, score.revision) = (other.club_id, other.round_id, other.revision)
    ) AS scored
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(paid.due - paid.paid), 0) AS lost
        FROM transfers AS paid
        WHERE (paid.club_id, paid.round_id, paid.revision) = (other.club_id, other.round_id, other.revision)
    ) AS cut
    CROSS JOIN LATERAL (
        SELECT count(*) AS seats
        FROM confirmations AS given
        WHERE (given.club_id, given.round_id, given.revision) = (other.club_id, other.round_id, other.revision)
    ) AS confirmed
    CROSS JOIN LATERAL (
        SELECT count(settled.adjusts_revision) AS after_final
        FROM settlements AS settled
        WHERE (settled.club_id, settled.round_id) = (other.club_id, other.round_id)
    ) AS made
    WHERE own.club_id = :club_id AND own.round_id = ANY(:round_ids)
    GROUP BY own.round_id
""")


def list_figures(transaction: Transaction, round_ids: Collection[UUID]) -> dict[UUID, RoundFigures]:
    """Return the figures of rounds, by round id."""
    asked = {"club_id": transaction.club_id, "round_ids": [*round_ids]}
    fouls: defaultdict[UUID, dict[Seat, Ratio]] = defaultdict(dict)
    lost: defaultdict[UUID, dict[Pair, Points]] = defaultdict(dict)
    for row in transaction.execute(_FOULS, asked):
        fouls[row.round_id][row.seat] = Ratio(row.fouls, row.boards)
    for row in transaction.execute(_LOST, asked):
        lost[row.round_id][row.one, row.other] = int(row.lost)
    return {
        row.round_id: RoundFigures(
            irregular=Ratio(row.irregular, row.hands),
            fouls=fouls[row.round_id],
            lost=lost[row.round_id],
            unconfirmed=Ratio(row.seats - row.confirmed, row.seats),
            after_final=Ratio(row.after_final, row.revision),
        )
        for row in transaction.execute(_HEADS, asked)
    }


def list_others(transaction: Transaction, round_ids: Collection[UUID]) -> dict[UUID, TableFigures]:
    """Return the sums over the other rounds of each round's table; a round without others is omitted."""
    asked = {"club_id": transaction.club_id, "round_ids": [*round_ids], "compared": COMPARED}
    return {
        row.round_id: TableFigures(
            irregular=Ratio(int(row.irregular), int(row.hands)),
            fouls=Ratio(int(row.fouls), int(row.boards)),
            lost=Ratio(int(row.lost), int(row.pairs)),
            unconfirmed=Ratio(int(row.seats - row.confirmed), int(row.seats)),
            after_final=Ratio(int(row.after_final), int(row.revisions)),
        )
        for row in transaction.execute(_OTHERS, asked)
    }
