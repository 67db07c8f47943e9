"""Read the payments of rounds in the revisions in force."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Row, and_, select, text

from schemas.accounting.payment_lines import LedgerLine, PaymentPlace
from schemas.settlements import SettlementState
from service.db import Transaction
from service.rounds.models import RoundHeadRecord, RoundRecord
from service.rounds.queries.rounds import PLACE, RoundFilter, RoundPlace, round_conditions
from service.tables.models import TableRecord

_ROUND: Final = RoundRecord
_HEAD: Final = RoundHeadRecord
_TABLE: Final = TableRecord
_PAYMENTS: Final = text("""
    SELECT wanted.place, paid.number, paid.late, paid.position, paid.payer, paid.payee, paid.due, paid.paid,
        paid.limited_by, hand.played_at
    FROM unnest(CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[])) WITH ORDINALITY
        AS wanted (round_id, revision, place)
    JOIN transfers AS paid ON (paid.club_id, paid.round_id, paid.revision)
        = (CAST(:club_id AS uuid), wanted.round_id, wanted.revision)
    JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision, score.number)
        = (paid.club_id, paid.round_id, paid.revision, paid.number)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
    WHERE wanted.place > 1 OR (paid.number, paid.late, paid.position) > (:number, :late, :position)
    ORDER BY wanted.place, paid.number, paid.late, paid.position
    LIMIT :limit
""")


def list_rounds(
    transaction: Transaction, wanted: RoundFilter, *, since: RoundPlace | None, after: RoundPlace | None, limit: int
) -> Sequence[Row[Any]]:
    """List rounds that begin with `since` or follow `after`, oldest first, with their tables and players."""
    query = (
        select(
            _ROUND.id,
            _ROUND.opened_at,
            _ROUND.table_id,
            _ROUND.reference,
            _ROUND.point_value,
            _ROUND.currency,
            _HEAD.revision,
            _HEAD.seats,
            _HEAD.players,
            _HEAD.settlement_state,
            _TABLE.name.label("table_name"),
        )
        .join(_HEAD, and_(_HEAD.club_id == _ROUND.club_id, _HEAD.round_id == _ROUND.id))
        .join(_TABLE, and_(_TABLE.club_id == _ROUND.club_id, _TABLE.id == _ROUND.table_id))
        .where(_ROUND.club_id == transaction.club_id, *round_conditions(wanted))
        .order_by(_ROUND.opened_at, _ROUND.id)
        .limit(limit)
    )
    if since is not None:
        query = query.where(since.bound <= PLACE)
    if after is not None:
        query = query.where(after.bound < PLACE)
    return transaction.execute(query).all()


def place_of(round_: Row[Any]) -> RoundPlace:
    """Return the position of a listed round."""
    return RoundPlace(round_.opened_at, round_.id)


def list_payments(
    transaction: Transaction, rounds: Sequence[Row[Any]], *, after: PaymentPlace | None, limit: int
) -> list[LedgerLine]:
    """List payments of rounds in order; `after` is the place of a payment of the first of these rounds, if any."""
    parameters = {
        "club_id": transaction.club_id,
        "round_ids": [each.id for each in rounds],
        "revisions": [each.revision for each in rounds],
        "number": 0 if after is None else after.hand,
        "late": after is not None and after.late,
        "position": 0 if after is None else after.order,
        "limit": limit,
    }
    players = [dict(zip(each.seats, each.players, strict=True)) for each in rounds]
    return [
        _line(rounds[paid.place - 1], players[paid.place - 1], paid)
        for paid in transaction.execute(_PAYMENTS, parameters)
    ]


def _line(round_: Row[Any], players: dict[int, str], paid: Row[Any]) -> LedgerLine:
    return LedgerLine(
        place=PaymentPlace(round_.id, paid.number, paid.late, paid.position),
        played_at=paid.played_at or round_.opened_at,
        table=str(round_.table_id),
        table_name=round_.table_name,
        reference=round_.reference,
        payer=players[paid.payer],
        payee=players[paid.payee],
        due=paid.due,
        paid=paid.paid,
        limited_by=paid.limited_by,
        point_value=round_.point_value,
        currency=round_.currency,
        revision=round_.revision,
        is_final=round_.settlement_state == SettlementState.FINAL,
    )
