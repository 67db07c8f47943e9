"""Read a page of the rows of a query, and count them without reading all of them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, literal, select, text
from sqlalchemy.orm import InstrumentedAttribute

from service.db.transactions import Transaction

Rows = Select[*tuple[Any, ...]]
"""A query of any rows."""


def select_page(
    query: Rows, column: InstrumentedAttribute[UUID], *, after: UUID | None, limit: int, oldest_first: bool = False
) -> Rows:
    """Return the query of the rows after an ID, by which they are in order: the newest first, or the oldest first."""
    if after is not None:
        query = query.where(column > after if oldest_first else column < after)
    return query.order_by(None).order_by(column if oldest_first else column.desc()).limit(limit)


def count_rows(
    transaction: Transaction, query: Rows | str, limit: int | None, parameters: Mapping[str, Any] | None = None
) -> int:
    """
    Count the rows of a query up to a limit: PostgreSQL reads no more than these.

    Args:
        transaction: of the club, which is the parameter `club_id` of the query.
        query: the query, without an order.
        limit: the largest number; None for any.
        parameters: further parameters of the query.
    """
    of_query = {"club_id": transaction.club_id, **(parameters or {})}
    if isinstance(query, str):
        counting = text(f"SELECT count(*) FROM ({query} LIMIT :most) AS counted")
        return int(transaction.execute(counting, {**of_query, "most": limit}).scalar_one())
    rows = query.with_only_columns(literal(1), maintain_column_froms=True).limit(limit).subquery()
    return int(transaction.execute(select(func.count()).select_from(rows), of_query).scalar_one())
