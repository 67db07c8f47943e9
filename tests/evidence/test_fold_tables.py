"""What the table of a round was when the round was opened: its last event before the opening."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations
from typing import Final
from uuid import UUID

from evidence.events import EventPayload, PlayerErased, TableChanged, TableCreated
from evidence.fold import find_table
from tests.evidence.example_events import EXAMPLES, ROUND, TABLE

CREATED: Final = next(event for event in EXAMPLES if isinstance(event, TableCreated))
CHANGED: Final = next(event for event in EXAMPLES if isinstance(event, TableChanged))
OPENING: Final = 5
OTHER: Final = ROUND
"""The id of another table."""


def find(*events: tuple[int, EventPayload]) -> TableCreated | TableChanged | None:
    return find_table(TABLE, number(events), UUID(int=OPENING))


def number(events: Iterable[tuple[int, EventPayload]]) -> list[tuple[UUID, EventPayload]]:
    return [(UUID(int=event_id), event) for event_id, event in events]


def test_a_table_that_was_not_changed_is_as_it_was_created() -> None:
    assert find((1, CREATED)) == CREATED


def test_the_last_change_before_the_opening_counts_in_any_order_of_the_events() -> None:
    last = replace(CHANGED, name="loft")
    events = [(1, CREATED), (2, CHANGED), (4, last), (6, replace(CHANGED, name="cellar"))]
    assert {find(*ordered) for ordered in permutations(events)} == {last}


def test_changes_after_the_opening_do_not_count() -> None:
    assert find((1, CREATED), (6, CHANGED)) == CREATED


def test_other_events_and_tables_do_not_count() -> None:
    others = [(2, replace(CHANGED, id=OTHER)), (3, PlayerErased(player="ann"))]
    assert find((1, CREATED), *others) == CREATED


def test_a_change_without_the_event_that_created_the_table_is_not_enough() -> None:
    assert find() is find((1, CHANGED)) is find((1, replace(CREATED, id=OTHER))) is None
