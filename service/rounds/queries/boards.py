"""List the packed boards of the hands of rounds."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from sqlalchemy import text

from scoring.hand import Seat
from service.db import Query, Statement, Transaction

_LIST_BOARDS: Final = Statement(
    text("""
        SELECT hand.number, hand.seats, hand.boards
        FROM round_heads AS head
        JOIN hand_scores AS score
            ON (score.club_id, score.round_id, score.revision) = (head.club_id, head.round_id, head.revision)
        JOIN hands AS hand ON hand.club_id = score.club_id AND hand.id = score.hand_id
        WHERE head.club_id = current_club() AND head.round_id = :round_id
        ORDER BY score.number
    """)
)


def query_of_boards(round_id: UUID) -> Query:
    """Return the query of `list_boards`, to be read ahead."""
    return _LIST_BOARDS, {"round_id": round_id}


def list_boards(transaction: Transaction, round_id: UUID) -> list[tuple[int, list[Seat], bytes]]:
    """List the number, seats and packed boards of the hands of a round's newest revision."""
    rows = transaction.query(*query_of_boards(round_id))
    return [(each["number"], each["seats"], each["boards"]) for each in rows]


_LIST_BOARDS_OF_ROUNDS: Final = Statement(
    text("""
        SELECT score.round_id, hand.number, hand.seats, hand.boards
        FROM unnest(CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[])) AS wanted (round_id, revision)
        JOIN hand_scores AS score
            ON (score.round_id, score.revision) = (wanted.round_id, wanted.revision) AND score.club_id = :club_id
        JOIN hands AS hand ON hand.club_id = score.club_id AND hand.id = score.hand_id
        ORDER BY score.round_id, score.number
    """)
)


def list_boards_of_rounds(
    transaction: Transaction, revisions: Mapping[UUID, int]
) -> dict[UUID, list[tuple[int, list[Seat], bytes]]]:
    """List the number, seats and packed boards of the hands of revisions of several rounds."""
    parameters = {
        "club_id": transaction.club_id,
        "round_ids": [*revisions],
        "revisions": [*revisions.values()],
    }
    boards: dict[UUID, list[tuple[int, list[Seat], bytes]]] = {round_id: [] for round_id in revisions}
    for each in transaction.query(_LIST_BOARDS_OF_ROUNDS, parameters):
        boards[each["round_id"]].append((each["number"], each["seats"], each["boards"]))
    return boards
