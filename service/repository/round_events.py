"""The events of a round, and those of its table and its rules, as they are stored and hashed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from service.audit import EventKind
from service.database import Transaction


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event's bytes."""

    id: UUID
    written: bytes


_EVENT: Final = "SELECT id, heading || content AS written FROM events WHERE club_id = :club_id AND "
_OF_ROUND: Final = text(f"{_EVENT} round_id = :round_id ORDER BY sequence")
_OF_TABLE: Final = text(f"""
    {_EVENT} kind = '{EventKind.TABLE_CREATED}' AND convert_from(content, 'UTF8')::jsonb ->> 'id' = :table
""")
_OF_RULESETS: Final = text(f"""
    {_EVENT} kind = '{EventKind.RULESET_ADDED}' AND sha256(content) = ANY (:digests) ORDER BY at, id
""")


def list_of_round(transaction: Transaction, round_id: UUID) -> Sequence[StoredEvent]:
    """List a round's events, in order."""
    return _list(transaction, _OF_ROUND, round_id=round_id)


def list_related(transaction: Transaction, table_id: UUID, rulesets: Collection[bytes]) -> Sequence[StoredEvent]:
    """List the event that made a table, and those that added rules, which are named by their digests."""
    of_table = _list(transaction, _OF_TABLE, table=str(table_id))
    return [*of_table, *_list(transaction, _OF_RULESETS, digests=list(rulesets))]


def _list(transaction: Transaction, query: Any, **parameters: Any) -> list[StoredEvent]:
    found = transaction.execute(query, {"club_id": transaction.club_id, **parameters})
    return [StoredEvent(each.id, bytes(each.written)) for each in found]
