"""Add, list and read tables, and show who is entering a hand at them."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.events import TableCreated
from schemas.base import ComparedMistake, show
from schemas.tables import SCOREKEEPER_LIFETIME, Scorekeeper, TableRequest, TableView
from scoring.errors import Mistake
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import NotFound, TableConflict
from service.rulesets.actions import ruleset_named, store_ruleset
from service.tables import queries as tables
from service.tables.queries import StoredTable


def view_table(stored: StoredTable) -> TableView:
    """Return the view of a stored table."""
    return TableView(
        id=str(stored.id),
        name=stored.name,
        ruleset=f"{stored.ruleset_name}@{stored.ruleset_version}",
        point_value=stored.point_value,
        currency=stored.currency,
        minimum_stack=stored.minimum_stack,
        correction_window_minutes=stored.correction_window_minutes,
        created_at=stored.created_at,
    )


def get_table(transaction: Transaction, table_id: UUID) -> TableView:
    """
    Return a table.

    Raises:
        NotFound: the club has no table with this ID.
    """
    return view_table(tables.get(transaction, table_id))


def list_tables(
    transaction: Transaction,
    *,
    name: str | None = None,
    containing: str | None = None,
    after: UUID | None = None,
    limit: int,
) -> Page[TableView]:
    """List the club's tables, the newest first, the one with a name, or those with a text in their names."""
    page = tables.list_page(transaction, name=name, containing=containing, after=after, limit=limit + 1)
    return cut_page(page, limit, view_table)


def find_table(transaction: Transaction, name: str) -> TableView:
    """
    Return the table with a name.

    Raises:
        NotFound: the club has no table with this name.
    """
    table = tables.find(transaction, name)
    if table is None:
        raise NotFound(f"there is no table named {name!r}")
    return view_table(table)


@dataclass(frozen=True, slots=True)
class AddedTable:
    """A table, and whether the request that created it is a replay."""

    view: TableView
    is_replay: bool


def add_table(transaction: Transaction, request: TableRequest) -> AddedTable:
    """
    Create a table. The same table sent again is the existing one.

    Raises:
        RulesetUnknown: the ruleset does not exist.
        TableConflict: the club has another table with this name.
    """
    ruleset = ruleset_named(transaction, request.ruleset)
    tables.lock(transaction, request.name)
    other = tables.find(transaction, request.name)
    if other is None:
        return AddedTable(view_table(create_table(transaction, request, ruleset)), is_replay=False)
    differences = tuple(_find_differences(other, request))
    if differences:
        detail = f"table {other.id} has the name {request.name!r} and other values; expected a unique name in the club"
        raise TableConflict(detail, (Mistake(TableConflict.code, ("name",), detail), *differences))
    return AddedTable(view_table(other), is_replay=True)


def _find_differences(recorded: StoredTable, request: TableRequest) -> Iterator[Mistake]:
    """List the differences of a table from the recorded one. A ruleset without a version is compared by its name."""
    name = recorded.ruleset_name
    same = (name, f"{name}@{recorded.ruleset_version}")
    received = asdict(request)
    stored = {**asdict(view_table(recorded)), "ruleset": request.ruleset if request.ruleset in same else same[1]}
    for field, value in received.items():
        if value != stored[field]:
            detail = f"{show(stored[field])} is recorded, {show(value)} was received"
            yield ComparedMistake(TableConflict.code, (field,), detail, {"recorded": stored[field], "received": value})


def create_table(transaction: Transaction, request: TableRequest, ruleset: Ruleset) -> StoredTable:
    """Create a table with a ruleset, and store both."""
    table = build_table(transaction, request, ruleset)
    store_ruleset(transaction, ruleset)
    store_table(transaction, table)
    return table


def build_table(transaction: Transaction, request: TableRequest, ruleset: Ruleset) -> StoredTable:
    """Build a table with a new ID, without storing it."""
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


def store_table(transaction: Transaction, table: StoredTable) -> None:
    """
    Store a new table, whose ruleset is stored.

    Raises:
        TableConflict: the club has a table with this name.
    """
    event = TableCreated(
        id=table.id,
        name=table.name,
        ruleset=f"{table.ruleset_name}@{table.ruleset_version}",
        point_value=table.point_value,
        currency=table.currency,
        minimum_stack=table.minimum_stack,
        correction_window_minutes=table.correction_window_minutes,
    )
    tables.add(transaction, table, event.encode())


def show_scorekeeper(transaction: Transaction, table_id: UUID, scorekeeper: Scorekeeper) -> None:
    """
    Show for a few seconds that a hand is being entered on a device.

    Raises:
        NotFound: the club has no table with this ID.
    """
    table = tables.get(transaction, table_id)
    tables.write_scorekeeper(transaction, table.id, scorekeeper, transaction.now + SCOREKEEPER_LIFETIME)


def hide_scorekeeper(transaction: Transaction, table_id: UUID, device: UUID) -> None:
    """
    Remove a device from the scorekeepers of a table.

    Raises:
        NotFound: the club has no table with this ID.
    """
    tables.remove_scorekeeper(transaction, tables.get(transaction, table_id).id, device)


def list_scorekeepers(transaction: Transaction, table_id: UUID) -> list[Scorekeeper]:
    """
    List the devices on which hands of a table are being entered.

    Raises:
        NotFound: the club has no table with this ID.
    """
    return tables.list_scorekeepers(transaction, tables.get(transaction, table_id).id)
