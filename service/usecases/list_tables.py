from uuid import UUID

from schemas.tables import TableView
from service.database import Transaction
from service.repository import tables
from service.usecases.pages import Page, cut_page
from service.usecases.views import view_table


def list_tables(transaction: Transaction, *, name: str | None, after: UUID | None, limit: int) -> Page[TableView]:
    """List the club's tables, the newest first, or the one that has a name."""
    return cut_page(tables.list_page(transaction, name=name, after=after, limit=limit + 1), limit, view_table)
