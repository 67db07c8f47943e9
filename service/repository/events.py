"""Events, in the order in which they joined their club's tree."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import text

from service.database import Transaction


@dataclass(frozen=True, slots=True)
class JoinedEvent:
    """An event as its bytes, and its place in the tree."""

    position: int
    written: bytes


_PAGE: Final = text("""
    SELECT node.position, event.heading || event.content AS written FROM tree_nodes AS node
    JOIN events AS event ON event.club_id = node.club_id AND event.id = node.event_id
    WHERE node.club_id = :club_id AND node.level = 0 AND node.position >= :first ORDER BY node.position LIMIT :most
""")


def list_joined(transaction: Transaction, first: int, most: int) -> list[JoinedEvent]:
    """List the events of a club from a place on."""
    found = transaction.execute(_PAGE, {"club_id": transaction.club_id, "first": first, "most": most})
    return [JoinedEvent(each.position, bytes(each.written)) for each in found]
