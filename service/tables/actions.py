"""Add, change, list and read tables, and show who is entering a hand at them."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.events import TableChanged, TableCreated
from schemas.base import ComparedMistake, WireError, show
from schemas.metadata import Metadata
from schemas.money import Unit, dump_unit
from schemas.tables import (
    SCOREKEEPER_LIFETIME,
    Scorekeeper,
    TableRequest,
    TableView,
    check_changed_charge,
    check_changed_money,
)
from scoring.errors import Mistake
from scoring.ruleset import Ruleset
from service.clubs.scopes import require_key
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import Busy, NotFound, RoundOpen, TableArchived, TableConflict
from service.rulesets.actions import ruleset_named, store_ruleset
from service.tables import queries as tables
from service.tables.queries import StoredTable, TableOrder
from service.texts.actions import get_metadata, set_metadata
from service.texts.queries import MetadataOwner
from service.units.actions import get_unit


def view_table(stored: StoredTable) -> TableView:
    """Return the view of a stored table."""
    return TableView(
        id=str(stored.id),
        name=stored.name,
        ruleset=f"{stored.ruleset_name}@{stored.ruleset_version}",
        point_value=stored.point_value,
        unit=stored.unit,
        minimum_stack=stored.minimum_stack,
        correction_window_minutes=stored.correction_window_minutes,
        charge_per=stored.charge_per,
        charge_amount=stored.charge_amount,
        created_at=stored.created_at,
        archived_at=stored.archived_at,
        reference=stored.reference,
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
    reference: str | None = None,
    archived: bool = False,
    after: UUID | None = None,
    limit: int,
    order: TableOrder = TableOrder.NEWEST,
) -> Page[TableView]:
    """List the club's tables as `list_page` of the queries does."""
    page = tables.list_page(
        transaction,
        name=name,
        containing=containing,
        reference=reference,
        archived=archived,
        after=after,
        limit=limit + 1,
        order=order,
    )
    return cut_page(page, limit, view_table)


def count_tables(transaction: Transaction, *, containing: str | None, archived: bool, limit: int) -> int:
    """Count the club's tables of a list, up to a limit."""
    return tables.count(transaction, containing=containing, archived=archived, limit=limit)


def find_table(transaction: Transaction, known_as: str) -> TableView:
    """
    Return the table with a name, which is not archived, or with an ID.

    Raises:
        NotFound: the club has no table with this name or ID.
    """
    table = tables.find_any(transaction, known_as)
    if table is None:
        raise NotFound(f"there is no table named {known_as!r}")
    return view_table(table)


@dataclass(frozen=True, slots=True)
class AddedTable:
    """A table with its metadata, and whether the request that created it is a replay."""

    view: TableView
    metadata: Metadata
    is_replay: bool


def add_table(transaction: Transaction, request: TableRequest) -> AddedTable:
    """
    Create a table. The same table sent again is the existing one.

    Raises:
        RulesetUnknown: the ruleset does not exist.
        WireError: the unit does not exist.
        TableConflict: the club has another table with this name.
        ScopeMissing: the request has a link, and sets what links cannot set.
    """
    if request.metadata or request.reference is not None:
        require_key(transaction, "`metadata` and `reference` of a table")
    if request.charge_per is not None:
        require_key(transaction, "a standing charge, which is owed in the whole club,")
    ruleset = ruleset_named(transaction, request.ruleset)
    tables.lock(transaction, request.name)
    other = tables.find(transaction, request.name)
    if other is None:
        unit = None if request.unit is None else get_unit(transaction, request.unit)
        created = create_table(transaction, request, ruleset, unit)
        return AddedTable(view_table(created), request.metadata, is_replay=False)
    differences = tuple(_find_differences(other, request))
    if differences:
        detail = f"table {other.id} has the name {request.name!r} and other values; expected a unique name in the club"
        raise TableConflict(detail, (Mistake(TableConflict.code, ("name",), detail), *differences))
    return AddedTable(view_table(other), get_table_metadata(transaction, other.id), is_replay=True)


def _find_differences(recorded: StoredTable, request: TableRequest) -> Iterator[Mistake]:
    """List the differences of a table from the recorded one. A ruleset without a version is compared by its name."""
    name = recorded.ruleset_name
    same = (name, f"{name}@{recorded.ruleset_version}")
    received = {name: value for name, value in asdict(request).items() if name != "metadata"}
    stored = {
        **asdict(view_table(recorded)),
        "ruleset": request.ruleset if request.ruleset in same else same[1],
        "unit": recorded.unit and recorded.unit.code,
    }
    for field, value in received.items():
        if value != stored[field]:
            detail = f"{show(stored[field])} is recorded, {show(value)} was received"
            yield ComparedMistake(TableConflict.code, (field,), detail, {"recorded": stored[field], "received": value})


def create_table(transaction: Transaction, request: TableRequest, ruleset: Ruleset, unit: Unit | None) -> StoredTable:
    """Create a table with a ruleset and a unit, and store the table and the ruleset."""
    table = build_table(transaction, request, ruleset, unit)
    store_ruleset(transaction, ruleset)
    store_table(transaction, table)
    if request.metadata:
        set_metadata(transaction, MetadataOwner.of_table(table.id), request.metadata)
    return table


def build_table(transaction: Transaction, request: TableRequest, ruleset: Ruleset, unit: Unit | None) -> StoredTable:
    """Build a table with a new ID, without storing it."""
    return StoredTable(
        id=uuid7(),
        name=request.name,
        ruleset_name=ruleset.name,
        ruleset_version=ruleset.version,
        point_value=request.point_value,
        unit=unit,
        charge_per=request.charge_per,
        charge_amount=request.charge_amount,
        minimum_stack=request.minimum_stack,
        correction_window_minutes=request.correction_window_minutes,
        created_at=transaction.now,
        reference=request.reference,
    )


def store_table(transaction: Transaction, table: StoredTable) -> None:
    """
    Store a new table, whose ruleset is stored.

    Raises:
        TableConflict: the club has a table with this name.
    """
    tables.add(transaction, table, TableCreated(**_describe(table)).encode())


def _describe(table: StoredTable) -> dict[str, Any]:
    """Return the fields that the events of a table have."""
    return {
        "id": table.id,
        "name": table.name,
        "ruleset": f"{table.ruleset_name}@{table.ruleset_version}",
        "point_value": table.point_value,
        **dump_unit(table.unit),
        "minimum_stack": table.minimum_stack,
        "correction_window_minutes": table.correction_window_minutes,
        "charge_per": table.charge_per,
        "charge_amount": table.charge_amount,
        "reference": table.reference,
    }


def get_table_metadata(transaction: Transaction, table_id: UUID) -> Metadata:
    """Return the metadata of a table."""
    return get_metadata(transaction, MetadataOwner.of_table(table_id))


def update_table(transaction: Transaction, table_id: UUID, changes: Mapping[str, Any]) -> TableView:
    """
    Change a table for its next rounds, archive it, or bring it back. Rounds keep what they were opened with.

    Args:
        transaction: a transaction of the club of the table.
        table_id: the table.
        changes: fields of a `TableRequest` with its metadata, and `is_archived`; the others stay as they are.

    Raises:
        NotFound: the club has no table with this ID.
        RulesetUnknown: the ruleset does not exist.
        WireError: the unit does not exist; or the table would have a point value without a unit, or a unit without a
            point value; or half of a standing charge, or one whose amount is in another unit.
        TableConflict: the club has another table with the name that the table has after the change.
        RoundOpen: the table has an open round, and cannot be archived.
        Busy: another request gave the table a new name before it was locked, and this one brings the table back.
    """
    # The name that the table has after the change is locked before the table.
    name = changes.get("name", tables.get(transaction, table_id).name)
    tables.lock(transaction, name)
    before = tables.get(transaction, table_id, for_update=True)
    if "metadata" in changes:
        set_metadata(transaction, MetadataOwner.of_table(table_id), changes["metadata"])
    ruleset = ruleset_named(transaction, changes["ruleset"]) if "ruleset" in changes else None
    unit = before.unit
    if "unit" in changes and changes["unit"] != (unit and unit.code):
        unit = None if changes["unit"] is None else get_unit(transaction, changes["unit"])
    after = _apply(before, changes, ruleset, unit, transaction.now)
    if after == before:
        return view_table(before)
    if changes.keys() & {"point_value", "unit"}:
        check_changed_money(after.point_value, None if after.unit is None else after.unit.code)
    if changes.keys() & {"charge_per", "charge_amount"}:
        check_changed_charge(after.charge_per, after.charge_amount)
    elif after.charge_amount is not None and after.unit != before.unit:
        was, now = ("points" if unit is None else unit.code for unit in (before.unit, after.unit))
        detail = (
            f"is required, because it is in {was} now, and the table would have {now}; expected the amount in that"
            " unit, or null for `charge_per` too"
        )
        raise WireError((Mistake("field-missing", ("charge_amount",), detail),))
    is_taking = after.archived_at is None and (after.name != before.name or before.archived_at is not None)
    if is_taking and after.name != name:
        raise Busy(f"table {table_id} was renamed by another request; retry the request")
    if is_taking:
        _refuse_taken_name(transaction, after.name, "name" if "name" in changes else "is_archived")
    if after.archived_at is not None and before.archived_at is None:
        _refuse_open_round(transaction, table_id)
    if ruleset is not None:
        store_ruleset(transaction, ruleset)
    event = TableChanged(**_describe(after), archived_at=after.archived_at)
    tables.replace(transaction, after, event.encode())
    return view_table(after)


_PLAIN: Final = frozenset(
    {"name", "point_value", "minimum_stack", "correction_window_minutes", "charge_per", "charge_amount", "reference"}
)
"""The fields of a request that a stored table has too."""


def _apply(
    before: StoredTable, changes: Mapping[str, Any], ruleset: Ruleset | None, unit: Unit | None, now: datetime
) -> StoredTable:
    """Return a table with changes, a unit and, unless it is None, another ruleset."""
    is_archived = changes.get("is_archived", before.archived_at is not None)
    return replace(
        before,
        **{name: value for name, value in changes.items() if name in _PLAIN},
        unit=unit,
        ruleset_name=before.ruleset_name if ruleset is None else ruleset.name,
        ruleset_version=before.ruleset_version if ruleset is None else ruleset.version,
        archived_at=(before.archived_at or now) if is_archived else None,
    )


def _refuse_taken_name(transaction: Transaction, name: str, field: str) -> None:
    """Raise if a table has the name, which must be locked, that another table has from now on."""
    other = tables.find(transaction, name)
    if other is not None:
        detail = f"table {other.id} has the name {name!r}; expected a unique name in the club"
        raise TableConflict(detail, (Mistake(TableConflict.code, (field,), detail),))


def _refuse_open_round(transaction: Transaction, table_id: UUID) -> None:
    round_id = tables.find_open_round(transaction, table_id)
    if round_id is not None:
        raise RoundOpen(f"round {round_id} is open at this table; finish or close it before the table is archived")


def refuse_archived(table: StoredTable) -> None:
    """
    Check that rounds can be opened at a table, which must be locked.

    Raises:
        TableArchived: the table is archived.
    """
    if table.archived_at is not None:
        detail = f"table {table.id}, {table.name!r}, is archived; bring it back before a round is opened at it"
        raise TableArchived(detail)


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
