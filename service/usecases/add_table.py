from uuid_utils.compat import uuid7

from schemas.hands import canonical_json
from schemas.tables import TableRequest, TableView
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.repository import tables
from service.repository.tables import StoredTable
from service.usecases.add_ruleset import keep_ruleset
from service.usecases.find_ruleset import ruleset_named
from service.usecases.views import view_table


def add_table(transaction: Transaction, request: TableRequest) -> TableView:
    """
    Set up a table.

    Raises:
        RulesetUnknown: there is no such ruleset.
        TableConflict: the club has a table of this name.
    """
    ruleset = ruleset_named(transaction, request.ruleset)
    return view_table(make_table(transaction, request, ruleset))


def make_table(transaction: Transaction, request: TableRequest, ruleset: Ruleset) -> StoredTable:
    """Keep a table, with the version of the ruleset that it has now."""
    table = new_table(transaction, request, ruleset)
    keep_ruleset(transaction, ruleset)
    keep_table(transaction, table)
    return table


def new_table(transaction: Transaction, request: TableRequest, ruleset: Ruleset) -> StoredTable:
    """Give a table its id and the version of its ruleset; nothing is kept yet."""
    return StoredTable(
        id=uuid7(),
        name=request.name,
        ruleset_name=ruleset.name,
        ruleset_version=ruleset.version,
        point_value=request.point_value,
        currency=request.currency,
        minimum_stack=request.minimum_stack,
        correction_window_minutes=request.correction_window_minutes,
        created_at=transaction.now,
    )


def keep_table(transaction: Transaction, table: StoredTable) -> None:
    """
    Keep a new table; its ruleset is kept already.

    Raises:
        TableConflict: the club has a table of this name.
    """
    event = {
        "id": str(table.id),
        "name": table.name,
        "ruleset": f"{table.ruleset_name}@{table.ruleset_version}",
        "point_value": table.point_value,
        "currency": table.currency,
        "minimum_stack": table.minimum_stack,
        "correction_window_minutes": table.correction_window_minutes,
    }
    tables.add(transaction, table, canonical_json(event))
