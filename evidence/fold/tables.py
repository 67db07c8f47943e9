"""What the table of a round was when the round was opened, from events outside of rounds."""

from collections.abc import Iterable
from uuid import UUID

from evidence.events import EventPayload, TableChanged, TableCreated


def find_table(
    table_id: UUID, events: Iterable[tuple[UUID, EventPayload]], opening: UUID
) -> TableCreated | TableChanged | None:
    """
    Return the last event of a table before a round was opened at it, which has all its fields.

    Changes after the opening do not count. The order of changes and openings is that of the ids of their events.

    >>> table, (created, opened, changed) = UUID(int=1), map(UUID, ("2" * 32, "3" * 32, "4" * 32))
    >>> money = {"point_value": None, "unit": None, "unit_digits": None}
    >>> of_table = {"id": table, "ruleset": "turbo@1", "minimum_stack": None, **money}
    >>> friday = TableCreated(**of_table, name="friday", correction_window_minutes=30)
    >>> renamed = TableChanged(**of_table, name="monday", correction_window_minutes=30, archived_at=None)
    >>> find_table(table, [(created, friday), (changed, renamed)], opened).name
    'friday'

    Args:
        table_id: the table.
        events: events with their ids, in any order; those of other kinds and tables are ignored.
        opening: the id of the event of the opening.

    Returns:
        The event; None if none of them created the table.
    """
    first: TableCreated | None = None
    changes: dict[UUID, TableChanged] = {}
    for event_id, event in events:
        if isinstance(event, TableCreated) and event.id == table_id:
            first = event
        elif isinstance(event, TableChanged) and event.id == table_id and event_id < opening:
            changes[event_id] = event
    return first if first is None or not changes else changes[max(changes)]
