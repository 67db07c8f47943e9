"""Show who is entering a hand."""

from uuid import UUID

from schemas.scorekeepers import LIFETIME, Scorekeeper
from service.db import Transaction
from service.scorekeepers import queries as scorekeepers
from service.tables import queries as tables


def show_scorekeeper(transaction: Transaction, table_id: UUID, scorekeeper: Scorekeeper) -> None:
    """
    Show for a few seconds that a hand is being entered on a device.

    Raises:
        NotFound: the club has no table with this ID.
    """
    table = tables.get(transaction, table_id)
    scorekeepers.write(transaction, table.id, scorekeeper, transaction.now + LIFETIME)


def hide_scorekeeper(transaction: Transaction, table_id: UUID, device: UUID) -> None:
    """
    Remove a device from the scorekeepers of a table.

    Raises:
        NotFound: the club has no table with this ID.
    """
    scorekeepers.remove(transaction, tables.get(transaction, table_id).id, device)


def list_scorekeepers(transaction: Transaction, table_id: UUID) -> list[Scorekeeper]:
    """
    List the devices on which hands of a table are being entered.

    Raises:
        NotFound: the club has no table with this ID.
    """
    return scorekeepers.list_current(transaction, tables.get(transaction, table_id).id)
