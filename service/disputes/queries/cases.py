"""Lists of disputes for those who decide them: with the table, the players, what is at stake, and who reviews."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Interval,
    Row,
    Select,
    Text,
    and_,
    case,
    cast,
    func,
    literal,
    or_,
    select,
    text,
)

from schemas.disputes import DisputeState
from schemas.money import Unit, load_unit
from schemas.settlements import SettlementState
from scoring.hand import Seat
from scoring.ruleset import Points
from service.db import Transaction
from service.db.paging import count_rows
from service.disputes.models import DisputeEntryRecord, DisputeHeadRecord, DisputeRecord
from service.disputes.queries.disputes import WORDS, author_of, claim_of, comment_of
from service.players.queries.aliases import read_aliases
from service.rounds.models import TRANSFERS, RoundHeadRecord, RoundRecord
from service.tables.models import TableRecord

DECIDED: Final = (DisputeState.UPHELD, DisputeState.REJECTED, DisputeState.WITHDRAWN)
"""The states that end a dispute."""


class CaseOrder(StrEnum):
    """The order of a list of disputes."""

    OLDEST = "oldest"
    NEWEST = "newest"
    POINTS = "points"
    """Most points at stake first."""
    MONEY = "money"
    """Most money at stake first, in each unit; points without a value last."""
    WINDOW = "window"
    """Least time left until the settlement becomes final first; those without a window last."""


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """
    Filter for a list of disputes; None matches any.

    Attributes:
        states: the states of the disputes.
        table: the name of the table, which is not archived, or its ID.
        player: any ID of a player of the round, or of the one who opened the dispute.
        reviewer: who started the review.
        round_id: the round.
    """

    states: Sequence[DisputeState]
    table: str | None = None
    player: str | None = None
    reviewer: str | None = None
    round_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class StoredCase:
    """
    A dispute with what a list shows.

    Attributes:
        revision: the revision of the disputed settlement.
        points: the points paid in what is disputed, in that revision.
        settlement_state, provisional_until, in_force, final_revision: of the settlement of the round now.
        window: how long settlements of the round are provisional.
        window_left: how long the settlement can still be corrected without an adjustment; while the dispute pauses the
            window, the whole window. None if the round is open or its settlement is final.
        reviewer, ended_by, ended_at: who started the review and who ended the dispute, if anyone has.
        has_reviewer: whether someone has started the review.
        claim, author, reviewer, ended_by, reason: None also after they were erased.
        reason, correction: why it was ended so, and the revision that corrected the round, if there is one.
    """

    id: UUID
    round_id: UUID
    table_id: UUID
    table: str
    reference: str | None
    revision: int
    hand: int | None
    seat: Seat | None
    board_row: str | None
    claim: str | None
    author: str | None
    opened_at: datetime
    state: DisputeState
    version: int
    players: Mapping[Seat, str]
    points: Points
    point_value: int | None
    unit: Unit | None
    settlement_state: SettlementState
    provisional_until: datetime | None
    in_force: int
    final_revision: int | None
    window: timedelta
    window_left: timedelta | None
    reviewer: str | None
    has_reviewer: bool
    ended_by: str | None
    ended_at: datetime | None
    reason: str | None
    correction: int | None

    @property
    def money(self) -> int | None:
        """The points at stake in minor units; None if points have no value."""
        return None if self.point_value is None else self.points * self.point_value


_DISPUTE: Final = DisputeRecord
_HEAD: Final = DisputeHeadRecord
_ENTRY: Final = DisputeEntryRecord
_ROUND: Final = RoundRecord
_ROUND_HEAD: Final = RoundHeadRecord
_TABLE: Final = TableRecord
_PAID: Final = TRANSFERS.c
_LOCK_OLDEST: Final = text("""
    SELECT dispute.id
    FROM dispute_heads AS head
    JOIN disputes AS dispute ON (dispute.club_id, dispute.id) = (head.club_id, head.dispute_id)
    JOIN round_heads AS round_head ON (round_head.club_id, round_head.round_id) = (dispute.club_id, dispute.round_id)
    WHERE head.club_id = :club_id AND head.state = 'open' AND NOT EXISTS (
        SELECT FROM round_seats AS seat
        WHERE (seat.club_id, seat.round_id) = (dispute.club_id, dispute.round_id)
            AND seat.player = ANY (CAST(:players AS text[]))
    )
    ORDER BY head.dispute_id
    LIMIT 1
    FOR UPDATE OF round_head, head SKIP LOCKED
""")


def list_page(
    transaction: Transaction, filter_: CaseFilter, order: CaseOrder, *, after: StoredCase | None, limit: int
) -> list[StoredCase]:
    """List disputes after `after`, in an order."""
    listed = _select(transaction, filter_).subquery()
    keys = _KEYS[order]
    columns = [key.column(listed.c) for key in keys]
    query = select(listed).order_by(
        *(column.desc() if key.is_descending else column for key, column in zip(keys, columns, strict=True))
    )
    if after is not None:
        query = query.where(_follows(after, keys, columns))
    return [_load(row) for row in transaction.execute(query.limit(limit))]


@dataclass(frozen=True, slots=True)
class _Key:
    """A value by which disputes are sorted: in the database, and of a dispute that was read."""

    column: Callable[[Any], Any]
    value: Callable[[StoredCase], Any]
    is_descending: bool = False


_NO_UNIT: Final = "z" * 13
"""Sorts after every unit."""
_NO_WINDOW: Final = timedelta(days=36_500)
"""Longer than every window."""
_ID: Final = _Key(lambda listed: listed.id, lambda dispute: dispute.id)
_KEYS: Final[Mapping[CaseOrder, Sequence[_Key]]] = {
    CaseOrder.OLDEST: (_ID,),
    CaseOrder.NEWEST: (_Key(_ID.column, _ID.value, is_descending=True),),
    CaseOrder.POINTS: (_Key(lambda listed: listed.points, lambda dispute: dispute.points, is_descending=True), _ID),
    CaseOrder.MONEY: (
        _Key(
            lambda listed: func.coalesce(listed.unit, _NO_UNIT),
            lambda dispute: dispute.unit.code if dispute.unit else _NO_UNIT,
        ),
        _Key(
            lambda listed: func.coalesce(listed.points * listed.point_value, 0),
            lambda dispute: dispute.money or 0,
            is_descending=True,
        ),
        _ID,
    ),
    CaseOrder.WINDOW: (
        _Key(
            lambda listed: func.coalesce(listed.window_left, literal(_NO_WINDOW, Interval)),
            lambda dispute: _NO_WINDOW if dispute.window_left is None else dispute.window_left,
        ),
        _ID,
    ),
}
"""The values by which each order sorts; the last one is unique."""


def _follows(after: StoredCase, keys: Sequence[_Key], columns: Sequence[Any]) -> ColumnElement[bool]:
    """Return the condition that a dispute comes after another one."""
    follows = []
    for place, (key, column) in enumerate(zip(keys, columns, strict=True)):
        same = [columns[each] == keys[each].value(after) for each in range(place)]
        value = key.value(after)
        follows.append(and_(*same, column < value if key.is_descending else column > value))
    return or_(*follows)


def find(transaction: Transaction, dispute_id: UUID) -> StoredCase | None:
    """Find a dispute."""
    query = _select(transaction, CaseFilter(tuple(DisputeState))).where(_DISPUTE.id == dispute_id)
    row = transaction.execute(query).one_or_none()
    return None if row is None else _load(row)


def count(transaction: Transaction, filter_: CaseFilter, limit: int) -> int:
    """Count disputes up to a limit."""
    return count_rows(transaction, _select(transaction, filter_), limit)


def count_by_state(transaction: Transaction, states: Sequence[DisputeState]) -> dict[DisputeState, int]:
    """Count the disputes in each of the states."""
    query = select(_HEAD.state, func.count().label("disputes")).where(
        _HEAD.club_id == transaction.club_id, _HEAD.state.in_([state.value for state in states])
    )
    counted = {DisputeState(row.state): row.disputes for row in transaction.execute(query.group_by(_HEAD.state))}
    return {state: counted.get(state, 0) for state in states}


def lock_oldest_open(transaction: Transaction, *, without: Collection[str] = ()) -> UUID | None:
    """
    Lock the oldest open dispute with its round until the transaction ends; None if no other is free.

    Disputes that another transaction has locked are skipped, so that of two who ask at once each gets another one.

    Args:
        transaction: the club's transaction.
        without: players; disputes of rounds that one of them sat in are skipped.
    """
    parameters = {"club_id": transaction.club_id, "players": list(without)}
    dispute_id: UUID | None = transaction.execute(_LOCK_OLDEST, parameters).scalar_one_or_none()
    return dispute_id


def _select(transaction: Transaction, filter_: CaseFilter) -> Select[Any]:
    review, ending = _ENTRY.__table__.alias("review"), _ENTRY.__table__.alias("ending")
    own = _DISPUTE.club_id == transaction.club_id
    query = (
        select(
            *(column for column in _DISPUTE.__table__.columns if column.name not in ("club_id", *WORDS)),
            claim_of(_DISPUTE).label("claim"),
            author_of(_DISPUTE).label("author"),
            _HEAD.state,
            _HEAD.version,
            _TABLE.name.label("table"),
            _ROUND.reference,
            _ROUND.point_value,
            _ROUND.unit,
            _ROUND.unit_digits,
            _ROUND.correction_window_minutes,
            _ROUND_HEAD.seats,
            _ROUND_HEAD.players,
            _ROUND_HEAD.settlement_state,
            _ROUND_HEAD.provisional_until,
            _ROUND_HEAD.final_revision,
            _ROUND_HEAD.revision.label("in_force"),
            _window_left(transaction.now),
            author_of(review.c).label("reviewer"),
            review.c.version.is_not(None).label("has_reviewer"),
            author_of(ending.c).label("ended_by"),
            ending.c.recorded_at.label("ended_at"),
            comment_of(ending.c).label("reason"),
            ending.c.correction,
            _points_at_stake(),
        )
        .join(_HEAD, and_(_HEAD.club_id == _DISPUTE.club_id, _HEAD.dispute_id == _DISPUTE.id))
        .join(_ROUND, and_(_ROUND.club_id == _DISPUTE.club_id, _ROUND.id == _DISPUTE.round_id))
        .join(_ROUND_HEAD, and_(_ROUND_HEAD.club_id == _DISPUTE.club_id, _ROUND_HEAD.round_id == _DISPUTE.round_id))
        .join(_TABLE, and_(_TABLE.club_id == _DISPUTE.club_id, _TABLE.id == _DISPUTE.table_id))
        .outerjoin(review, and_(_is_entry(review), review.c.kind == DisputeState.UNDER_REVIEW.value))
        .outerjoin(ending, and_(_is_entry(ending), ending.c.kind.in_([state.value for state in DECIDED])))
    )
    return query.where(own, *_conditions(transaction, filter_, author_of(review.c)))


def _is_entry(entries: Any) -> ColumnElement[bool]:
    return and_(entries.c.club_id == _DISPUTE.club_id, entries.c.dispute_id == _DISPUTE.id)


def _window_left(now: datetime) -> Any:
    """Return an expression: how long the settlement of the round can still be corrected without an adjustment."""
    window = func.make_interval(0, 0, 0, 0, 0, _ROUND.correction_window_minutes, type_=Interval)
    is_final = _ROUND_HEAD.final_revision.is_not_distinct_from(_ROUND_HEAD.revision)
    left = case(
        (
            _ROUND_HEAD.settlement_state == SettlementState.PROVISIONAL.value,
            _ROUND_HEAD.provisional_until - literal(now),
        ),
        (and_(_ROUND_HEAD.settlement_state == SettlementState.DISPUTED.value, ~is_final), window),
    )
    return left.label("window_left")


def _points_at_stake() -> Any:
    """Return an expression: the points paid in the disputed round or hand, by or to the disputed seat if any."""
    paid = select(func.coalesce(func.sum(_PAID.paid), 0)).where(
        _PAID.club_id == _DISPUTE.club_id,
        _PAID.round_id == _DISPUTE.round_id,
        _PAID.revision == _DISPUTE.revision,
        or_(_DISPUTE.hand.is_(None), _PAID.number == _DISPUTE.hand),
        or_(_DISPUTE.seat.is_(None), _PAID.payer == _DISPUTE.seat, _PAID.payee == _DISPUTE.seat),
    )
    return paid.correlate(_DISPUTE).scalar_subquery().label("points")


def _conditions(transaction: Transaction, filter_: CaseFilter, reviewer: Any) -> Iterator[ColumnElement[bool]]:
    yield _HEAD.state.in_([state.value for state in filter_.states])
    if filter_.table is not None:
        in_use = and_(_TABLE.name == filter_.table, _TABLE.archived_at.is_(None))
        yield or_(in_use, cast(_TABLE.id, Text) == filter_.table.lower())
    if filter_.player is not None:
        ids = read_aliases(transaction).ids_of(filter_.player)
        yield or_(_ROUND_HEAD.players.overlap(ids), _DISPUTE.author.in_(ids))
    if filter_.reviewer is not None:
        yield reviewer == filter_.reviewer
    if filter_.round_id is not None:
        yield _DISPUTE.round_id == filter_.round_id


def _load(row: Row[Any]) -> StoredCase:
    record = row._asdict()
    window = timedelta(minutes=record.pop("correction_window_minutes"))
    players = dict(zip(record.pop("seats"), record.pop("players"), strict=True))
    read = {
        "state": DisputeState(record["state"]),
        "settlement_state": SettlementState(record["settlement_state"]),
        "points": int(record["points"]),
        "unit": load_unit(record["unit"], record.pop("unit_digits")),
    }
    return StoredCase(**{**record, **read}, window=window, players=players)
