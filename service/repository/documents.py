"""Rounds as documents, many at a time: from the records, and no result among them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, and_, func, select, text

from service.database import Transaction
from service.models import RoundHeadRecord, RoundRecord, TableRecord
from service.repository.rounds import RoundFilter, round_conditions

_ROUND: Final = RoundRecord
_HEAD: Final = RoundHeadRecord
_TABLE: Final = TableRecord

_OF_REVISION: Final = """
    FROM unnest(CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[])) AS wanted (round_id, revision)
    JOIN {0} AS found ON (found.club_id, found.round_id, found.revision)
        = (CAST(:club_id AS uuid), wanted.round_id, wanted.revision)
"""
_HANDS: Final = text(
    "SELECT found.round_id, CAST(hands.content AS text) AS content"
    + _OF_REVISION.format("hand_scores")
    + " JOIN hands ON (hands.club_id, hands.id) = (found.club_id, found.hand_id)"
    " ORDER BY found.round_id, found.number"
)
_DEPARTURES: Final = text(
    "SELECT found.round_id, found.seat, found.after_hand, found.reason"
    + _OF_REVISION.format("departures")
    + "ORDER BY found.round_id, found.position"
)
_CLOSINGS: Final = text("SELECT found.round_id, found.after_hand, found.reason" + _OF_REVISION.format("closings"))


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """What a round's document begins with, and how many hands it has."""

    id: UUID
    revision: int
    hands: int
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DocumentParts:
    """A round's document: its head, its hands as the JSON that is stored of them, and how it ended."""

    head: DocumentHead
    hands: Sequence[str]
    departures: Sequence[dict[str, Any]]
    closed: dict[str, Any] | None


def count(transaction: Transaction, wanted: RoundFilter) -> int:
    """Count rounds."""
    return int(transaction.execute(_wanted(transaction, select(func.count()), wanted)).scalar_one())


def list_heads(
    transaction: Transaction, wanted: RoundFilter, *, after: UUID | None = None, limit: int
) -> list[DocumentHead]:
    """List rounds, the oldest first, from the one after `after`."""
    query = _wanted(transaction, select(_ROUND.__table__, _HEAD.__table__, _TABLE.name.label("table_name")), wanted)
    query = query.join(_TABLE, and_(_TABLE.club_id == _ROUND.club_id, _TABLE.id == _ROUND.table_id))
    if after is not None:
        query = query.where(_ROUND.id > after)
    return [_head(found) for found in transaction.execute(query.order_by(_ROUND.id).limit(limit))]


def find_last(transaction: Transaction, wanted: RoundFilter, *, after: UUID | None, limit: int) -> UUID | None:
    """Find the last of so many rounds from the one after `after`; None where there are no more beyond it."""
    query = _wanted(transaction, select(_ROUND.id), wanted)
    if after is not None:
        query = query.where(_ROUND.id > after)
    found = list(transaction.execute(query.order_by(_ROUND.id).offset(limit - 1).limit(2)).scalars())
    return found[0] if len(found) == 2 else None


def list_parts(transaction: Transaction, heads: Iterable[DocumentHead]) -> list[DocumentParts]:
    """Read everything that happened in some rounds, as they stand."""
    listed = list(heads)
    parameters = {
        "club_id": transaction.club_id,
        "round_ids": [head.id for head in listed],
        "revisions": [head.revision for head in listed],
    }
    hands, departures = defaultdict(list), defaultdict(list)
    for found in transaction.execute(_HANDS, parameters):
        hands[found.round_id].append(found.content)
    for found in transaction.execute(_DEPARTURES, parameters):
        departures[found.round_id].append({"seat": found.seat, "after_hand": found.after_hand, "reason": found.reason})
    closings = {
        found.round_id: {"after_hand": found.after_hand, "reason": found.reason}
        for found in transaction.execute(_CLOSINGS, parameters)
    }
    return [DocumentParts(head, hands[head.id], departures[head.id], closings.get(head.id)) for head in listed]


def _wanted(transaction: Transaction, columns: Select[Any], wanted: RoundFilter) -> Select[Any]:
    return (
        columns.select_from(_ROUND)
        .join(_HEAD, and_(_HEAD.club_id == _ROUND.club_id, _HEAD.round_id == _ROUND.id))
        .where(_ROUND.club_id == transaction.club_id, *round_conditions(wanted))
    )


def _head(found: Row[Any]) -> DocumentHead:
    seated = zip(found.seats, found.players, found.opening_stacks, strict=True)
    content = {
        "ruleset": f"{found.ruleset_name}@{found.ruleset_version}",
        "table": found.table_name,
        "reference": found.reference,
        "point_value": found.point_value,
        "currency": found.currency,
        "seats": [{"seat": seat, "player": player, "stack": stack} for seat, player, stack in seated],
    }
    return DocumentHead(found.id, found.revision, found.hands, content)
