"""Read what happened in a round: its history by revision, and many rounds as documents without results."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, and_, func, select, text

from schemas.fields import show_time
from schemas.hands import Irregularity
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.rounds.models import (
    RoundHeadRecord,
    RoundRecord,
)
from service.rounds.queries import hands
from service.rounds.queries.hands import StoredHand
from service.rounds.queries.records import RoundRecords, get_records, load_mistakes
from service.rounds.queries.round_filter import RoundFilter, where_rounds
from service.rounds.queries.rounds import PLACE, RoundPlace
from service.tables.models import TableRecord
from service.texts.queries import content_of


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """The history of a revision of a round, with the stored hands."""

    ruleset: Ruleset
    seats: tuple[RoundSeat, ...]
    hands: tuple[StoredHand, ...]
    departures: tuple[Departure, ...]
    closed: Closing | None

    @property
    def history(self) -> History:
        """The history in the form that `scoring.history.replay` accepts."""
        played = tuple(stored.hand for stored in self.hands)
        irregular = frozenset(stored.hand.number for stored in self.hands if stored.is_accepted)
        return History(self.ruleset, self.seats, played, self.departures, self.closed, irregular)


def get(transaction: Transaction, round_id: UUID, revision: int) -> StoredHistory:
    """Return the history of an existing revision."""
    return history_of(get_records(transaction, round_id, revision))


def history_of(records: RoundRecords) -> StoredHistory:
    """Build the history of a revision from its records."""
    ruleset, players = records.ruleset, {seat.seat: seat.player for seat in records.round_seats}
    return StoredHistory(
        ruleset,
        records.round_seats,
        tuple(hands.build_hand(record, ruleset, players) for record in records.hands),
        records.departed,
        records.closed,
    )


_ROUND: Final = RoundRecord
_HEAD: Final = RoundHeadRecord
_TABLE: Final = TableRecord
_OLDEST_FIRST: Final = (_ROUND.opened_at, _ROUND.id)

_OF_REVISION: Final = """
    FROM unnest(CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[])) AS wanted (round_id, revision)
    JOIN {0} AS found ON (found.club_id, found.round_id, found.revision)
        = (CAST(:club_id AS uuid), wanted.round_id, wanted.revision)
"""
_HANDS: Final = text(
    "SELECT found.round_id, found.number, found.irregular, CAST(hands.content AS text) AS content"
    + _OF_REVISION.format("hand_scores")
    + " JOIN hands ON (hands.club_id, hands.id) = (found.club_id, found.hand_id)"
    " ORDER BY found.round_id, found.number"
)
_DEPARTURES: Final = text(
    f"SELECT found.round_id, found.seat, found.after_hand, {content_of('found.reason')} AS reason"
    + _OF_REVISION.format("departures")
    + "ORDER BY found.round_id, found.position"
)
_CLOSINGS: Final = text(
    f"SELECT found.round_id, found.after_hand, {content_of('found.reason')} AS reason" + _OF_REVISION.format("closings")
)


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """The beginning of a round's document, and the number of its hands."""

    place: RoundPlace
    revision: int
    hands: int
    content: dict[str, Any]

    @property
    def id(self) -> UUID:
        """The round's id."""
        return self.place.id


@dataclass(frozen=True, slots=True)
class DocumentParts:
    """A round's document: its head, its hands as stored JSON, departures, closing and irregular hands."""

    head: DocumentHead
    hands: Sequence[str]
    departures: Sequence[dict[str, Any]]
    closed: dict[str, Any] | None
    irregular: Sequence[Irregularity]


def count(transaction: Transaction, filter_: RoundFilter) -> int:
    """Count rounds."""
    return int(transaction.execute(_select_rounds(transaction, select(func.count()), filter_)).scalar_one())


def list_heads(
    transaction: Transaction, filter_: RoundFilter, *, after: RoundPlace | None = None, limit: int
) -> list[DocumentHead]:
    """List rounds after `after`, oldest first."""
    query = _select_rounds(
        transaction, select(_ROUND.__table__, _HEAD.__table__, _TABLE.name.label("table_name")), filter_
    )
    query = query.join(_TABLE, and_(_TABLE.club_id == _ROUND.club_id, _TABLE.id == _ROUND.table_id))
    if after is not None:
        query = query.where(after.bound < PLACE)
    return [_head(row) for row in transaction.execute(query.order_by(*_OLDEST_FIRST).limit(limit))]


def find_last(transaction: Transaction, filter_: RoundFilter, *, after: RoundPlace | None, limit: int) -> UUID | None:
    """Find the last of `limit` rounds after `after`; None if there are no more after it."""
    query = _select_rounds(transaction, select(_ROUND.id), filter_)
    if after is not None:
        query = query.where(after.bound < PLACE)
    ids = list(transaction.execute(query.order_by(*_OLDEST_FIRST).offset(limit - 1).limit(2)).scalars())
    return ids[0] if len(ids) == 2 else None


def list_parts(transaction: Transaction, heads: Iterable[DocumentHead]) -> list[DocumentParts]:
    """Read the documents of rounds in their newest revisions."""
    listed = list(heads)
    parameters = {
        "club_id": transaction.club_id,
        "round_ids": [head.id for head in listed],
        "revisions": [head.revision for head in listed],
    }
    hands, departures, irregular = defaultdict(list), defaultdict(list), defaultdict(list)
    for row in transaction.execute(_HANDS, parameters):
        hands[row.round_id].append(row.content)
        if row.irregular is not None:
            irregular[row.round_id].append(Irregularity(row.number, load_mistakes(row.irregular)))
    for row in transaction.execute(_DEPARTURES, parameters):
        departures[row.round_id].append({"seat": row.seat, "after_hand": row.after_hand, "reason": row.reason})
    closings = {
        row.round_id: {"after_hand": row.after_hand, "reason": row.reason}
        for row in transaction.execute(_CLOSINGS, parameters)
    }
    return [
        DocumentParts(head, hands[head.id], departures[head.id], closings.get(head.id), irregular[head.id])
        for head in listed
    ]


def _select_rounds(transaction: Transaction, columns: Select[Any], filter_: RoundFilter) -> Select[Any]:
    return (
        columns.select_from(_ROUND)
        .join(_HEAD, and_(_HEAD.club_id == _ROUND.club_id, _HEAD.round_id == _ROUND.id))
        .where(_ROUND.club_id == transaction.club_id, where_rounds(transaction, filter_))
    )


def _head(row: Row[Any]) -> DocumentHead:
    seated = zip(row.seats, row.players, row.opening_stacks, strict=True)
    content = {
        "ruleset": f"{row.ruleset_name}@{row.ruleset_version}",
        "table": row.table_name,
        "reference": row.reference,
        "opened_at": show_time(row.opened_at),
        "point_value": row.point_value,
        "unit": row.unit,
        **({} if row.unit_digits is None else {"unit_digits": row.unit_digits}),
        "seats": [{"seat": seat, "player": player, "stack": stack} for seat, player, stack in seated],
    }
    return DocumentHead(RoundPlace(row.opened_at, row.id), row.revision, row.hands, content)
