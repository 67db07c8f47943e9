"""Filters of the hands in force of a club."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, any_, case, func, literal, select

from service.db import Transaction
from service.players.queries.aliases import read_aliases
from service.rounds.models import HandRecord, HandScoreRecord, RoundHeadRecord, RoundRecord, RoundSeatRecord
from service.rounds.queries.round_filter import RoundFilter, where_rounds


@dataclass(frozen=True, slots=True)
class HandFilter(RoundFilter):
    """
    A filter for hands of the rounds that match; None matches any.

    Attributes:
        player: a player whom the hand was dealt to, by any of their IDs.
        played_from, played_before: when the hand was played, or recorded if that is not known; the end is excluded.
        foul: whether the player's board is foul, or any board without a player.
        fantasyland: whether the player was in Fantasyland, or any player.
        hand_reference: the client's ID of the hand.
    """

    played_from: datetime | None = None
    played_before: datetime | None = None
    foul: bool | None = None
    fantasyland: bool | None = None
    hand_reference: str | None = None


_HAND: Final = HandRecord
_HEAD: Final = RoundHeadRecord
_ROUND: Final = RoundRecord
_SCORE: Final = HandScoreRecord
_SEAT: Final = RoundSeatRecord
# The expression of the index `hands_played`.
_played_at: Final = case((_HAND.played_at.is_(None), _HAND.recorded_at), else_=_HAND.played_at)


def is_in_force() -> ColumnElement[bool]:
    """Return an expression: whether the newest revision of the round has this record."""
    score = _SCORE.__table__.alias("in_force")
    return (
        select(score.c.hand_id)
        .join(_HEAD, and_(_HEAD.club_id == score.c.club_id, _HEAD.round_id == score.c.round_id))
        .where(
            score.c.club_id == _HAND.club_id,
            score.c.round_id == _HAND.round_id,
            score.c.revision == _HEAD.revision,
            score.c.number == _HAND.number,
            score.c.hand_id == _HAND.id,
        )
        .correlate(_HAND)
        .exists()
    )


def select_in_force(transaction: Transaction, filter_: HandFilter) -> Select[UUID, int]:
    """Return a query of the ids and revisions of the hands in force that match a filter."""
    query = (
        select(_HAND.id, _SCORE.revision)
        .join(_HEAD, and_(_HEAD.club_id == _HAND.club_id, _HEAD.round_id == _HAND.round_id))
        .join(
            _SCORE,
            and_(
                _SCORE.club_id == _HAND.club_id,
                _SCORE.round_id == _HAND.round_id,
                _SCORE.revision == _HEAD.revision,
                _SCORE.number == _HAND.number,
                _SCORE.hand_id == _HAND.id,
            ),
        )
        .where(
            _HAND.club_id == transaction.club_id,
            where_rounds(transaction, replace(filter_, player=None), table=_HEAD.__tablename__),
            *_conditions(filter_),
        )
    )
    if filter_.needs_round:
        query = query.join(_ROUND, and_(_ROUND.club_id == _HEAD.club_id, _ROUND.id == _HEAD.round_id))
    if filter_.player is None:
        return query
    dealt_in = and_(
        _SEAT.club_id == _HEAD.club_id,
        _SEAT.round_id == _HEAD.round_id,
        _SEAT.revision == _HEAD.revision,
        _SEAT.player.in_(read_aliases(transaction).ids_of(filter_.player)),
        _SEAT.seat == any_(_HAND.seats),
    )
    return query.join(_SEAT, dealt_in)


def _conditions(filter_: HandFilter) -> Iterator[ColumnElement[bool]]:
    if filter_.played_from is not None:
        yield _played_at >= filter_.played_from
    if filter_.played_before is not None:
        yield _played_at < filter_.played_before
    if filter_.hand_reference is not None:
        yield _HAND.reference == filter_.hand_reference
    # Fouls and Fantasyland are in the order of the hand's seats.
    place = func.array_position(_HAND.seats, _SEAT.seat)
    foul, dealt = (
        (any_(_SCORE.fouls), any_(_HAND.fantasyland))
        if filter_.player is None
        else (_SCORE.fouls[place], _HAND.fantasyland[place])
    )
    if filter_.foul is not None:
        yield (literal(True) == foul) == literal(filter_.foul)
    if filter_.fantasyland is not None:
        yield (literal(0) < dealt) == literal(filter_.fantasyland)
