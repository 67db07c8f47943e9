from uuid import UUID

from schemas.tables import TableView
from service.database import Transaction
from service.repository import tables
from service.usecases.views import view_table


def get_table(transaction: Transaction, table_id: UUID) -> TableView:
    """
    Show a table.

    Raises:
        NotFound: the club has none with this id.
    """
    return view_table(tables.get(transaction, table_id))
