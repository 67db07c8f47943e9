"""Rounds that somebody should know of: open ones, those soon final, and those that can still be corrected."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, select

from schemas.settlements import SettlementState
from scoring.hand import Seat
from scoring.round_state import RoundStatus
from service.db import Transaction
from service.db.paging import count_rows
from service.rounds.models import RoundHeadRecord, RoundRecord
from service.rounds.queries.round_filter import RoundFilter, where_rounds
from service.tables.models import TableRecord

_ROUND: Final = RoundRecord
_HEAD: Final = RoundHeadRecord
_TABLE: Final = TableRecord
UNSETTLED: Final = (SettlementState.PROVISIONAL, SettlementState.DISPUTED)
"""The states of the settlements of rounds that have ended, without `final`."""
_VALUES: Final = tuple(state.value for state in UNSETTLED)


@dataclass(frozen=True, slots=True)
class RoundOverview:
    """A round with its table, players and settlement state."""

    id: UUID
    table: str
    reference: str | None
    opened_at: datetime
    hands: int
    players: Mapping[Seat, str]
    settlement_state: SettlementState
    provisional_until: datetime | None


@dataclass(frozen=True, slots=True)
class RoundOverviews:
    """The first rounds of a kind, and how many there are."""

    rounds: Sequence[RoundOverview]
    total: int


def list_open(transaction: Transaction, *, limit: int) -> RoundOverviews:
    """List open rounds, newest first."""
    query = _select(transaction, _HEAD.status == RoundStatus.OPEN.value)
    return _load(transaction, query.order_by(_ROUND.opened_at.desc(), _ROUND.id.desc()), limit)


def list_by_id(transaction: Transaction, ids: Collection[UUID]) -> Sequence[RoundOverview]:
    """List those of some IDs that are rounds of the club."""
    return _load(transaction, _select(transaction, _HEAD.round_id.in_(ids)), len(ids)).rounds


def list_left_open(transaction: Transaction, before: datetime, *, limit: int) -> RoundOverviews:
    """List rounds that were opened before a time and are open still, the oldest first."""
    query = _select(transaction, and_(_HEAD.status == RoundStatus.OPEN.value, _ROUND.opened_at < before))
    return _load(transaction, query.order_by(_ROUND.opened_at, _ROUND.id), limit)


def count_due(transaction: Transaction, before: datetime, *, limit: int) -> int:
    """Count the rounds whose settlement becomes final before a time, up to a limit."""
    due = select(_HEAD.round_id).where(_HEAD.club_id == transaction.club_id, _HEAD.provisional_until < before)
    return count_rows(transaction, due, limit)


def list_unsettled(transaction: Transaction, *, limit: int) -> RoundOverviews:
    """List the rounds that have ended and whose settlement is not final, newest recorded first."""
    query = _select(transaction, _HEAD.settlement_state.in_(_VALUES))
    return _load(transaction, query.order_by(_HEAD.round_id.desc()), limit)


def count_unsettled(transaction: Transaction, filter_: RoundFilter) -> Mapping[SettlementState, int]:
    """Count the rounds of a filter that have ended and whose settlement is not final, by its state."""
    query = (
        select(_HEAD.settlement_state, func.count().label("rounds"))
        .join(_ROUND, and_(_ROUND.club_id == _HEAD.club_id, _ROUND.id == _HEAD.round_id))
        .where(
            _HEAD.club_id == transaction.club_id,
            _HEAD.settlement_state.in_(_VALUES),
            where_rounds(transaction, filter_),
        )
        .group_by(_HEAD.settlement_state)
    )
    return {SettlementState(row.settlement_state): row.rounds for row in transaction.execute(query)}


def _select(transaction: Transaction, condition: ColumnElement[bool]) -> Select[Any]:
    columns: tuple[Any, ...] = (
        _ROUND.id,
        _ROUND.reference,
        _ROUND.opened_at,
        _TABLE.name.label("table"),
        _HEAD.hands,
        _HEAD.seats,
        _HEAD.players,
        _HEAD.settlement_state,
        _HEAD.provisional_until,
        func.count().over().label("total"),
    )
    return (
        select(*columns)
        .join(_HEAD, and_(_HEAD.club_id == _ROUND.club_id, _HEAD.round_id == _ROUND.id))
        .join(_TABLE, and_(_TABLE.club_id == _ROUND.club_id, _TABLE.id == _ROUND.table_id))
        .where(_ROUND.club_id == transaction.club_id, _HEAD.club_id == transaction.club_id, condition)
    )


def _load(transaction: Transaction, query: Select[Any], limit: int) -> RoundOverviews:
    rows = transaction.execute(query.limit(limit)).all()
    rounds = [
        RoundOverview(
            each.id,
            each.table,
            each.reference,
            each.opened_at,
            each.hands,
            dict(zip(each.seats, each.players, strict=True)),
            SettlementState(each.settlement_state),
            each.provisional_until,
        )
        for each in rows
    ]
    return RoundOverviews(rounds, rows[0].total if rows else 0)
