"""Store the results of the players of rounds that have ended."""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from sqlalchemy import text

from service.db import Statement, Transaction
from service.statistics.models import RoundStatisticsRecord

COLUMNS: Final = tuple(column.name for column in RoundStatisticsRecord.__table__.columns)
"""The columns of `round_statistics`, which the view `computed_statistics` has too."""
_INSERT: Final = f"""
    INSERT INTO round_statistics ({", ".join(COLUMNS)})
    SELECT {", ".join(COLUMNS)} FROM computed_statistics WHERE club_id = :club_id AND
"""
_INSERT_ALL: Final = Statement(text(f"{_INSERT} round_id = ANY (:round_ids)"))
# PostgreSQL would not use a general plan for a list, and plan the view each time.
_INSERT_ONE: Final = Statement(text(f"{_INSERT} round_id = :round_id"))
_REMOVE: Final = Statement(
    text("DELETE FROM round_statistics WHERE club_id = :club_id AND round_id = ANY (:round_ids)")
)


def store_ended(transaction: Transaction, round_ids: Collection[UUID]) -> None:
    """Store the results of the players of rounds that have ended, as they follow from the records."""
    if len(round_ids) == 1:
        transaction.write(_INSERT_ONE, {"club_id": transaction.club_id, "round_id": next(iter(round_ids))})
    elif round_ids:
        transaction.write(_INSERT_ALL, {"club_id": transaction.club_id, "round_ids": [*round_ids]})


def remove_stored(transaction: Transaction, round_ids: Collection[UUID]) -> None:
    """Remove the stored results of rounds that have changed after their end."""
    if round_ids:
        transaction.write(_REMOVE, {"club_id": transaction.club_id, "round_ids": [*round_ids]})
