"""Insert and read revisions: whole settlements of a replayed round, and when each was made, by whom and why."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Row, select, text

from scoring.hand import Seat
from scoring.history import Closing, History, PlayedRound
from scoring.round import Departed, open_round
from scoring.round_state import Round, RoundSeat
from scoring.ruleset import Points
from scoring.settle_up import find_adjustment
from service.audit_trail.queries.events import EventKind
from service.db import Transaction
from service.rounds.models import (
    AdjustmentRecord,
    ClosingRecord,
    DepartureRecord,
    HandScoreRecord,
    PayoutRecord,
    RoundSeatRecord,
    SettlementRecord,
)
from service.rounds.queries.stored_round import StoredRound, figures_of
from service.rounds.queries.writer import RoundChange, write_rounds


@dataclass(frozen=True, slots=True)
class RevisionToRecord:
    """
    A replayed round, ready to be inserted as a revision.

    Attributes:
        history: the replayed history.
        played: its result.
        hand_ids: the ids of the hands' records, in order; the records exist already.
        reason: the reason for the revision.
    """

    history: History
    played: PlayedRound
    hand_ids: Sequence[UUID]
    reason: str


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """The players, stacks and nets of a stored revision."""

    players: Mapping[Seat, str]
    stacks: Mapping[Seat, Points]
    nets: Mapping[Seat, Points]

    @property
    def nets_by_player(self) -> dict[str, Points]:
        """The net points of each player, by name."""
        return {self.players[seat]: net for seat, net in self.nets.items()}


def build_revision(
    transaction: Transaction, before: StoredRound, given: RevisionToRecord, kind: EventKind, event: bytes
) -> RoundChange:
    """
    Build the newest revision of a round from a replayed round. Earlier revisions do not change.

    Args:
        transaction: in which the round was locked.
        before: the round as it was locked.
        given: the replayed round; the caller finishes the change with its result.
        kind: the kind of event.
        event: the encoded event payload.
    """
    history, final = given.history, before.finality.final_revision
    change = RoundChange(transaction, before, revision=before.revision + 1)
    change.add_settlement(history.ruleset, reason=given.reason, adjusts=final)
    _add_as_before(transaction, change, before, history)
    rounds = [open_round(history.ruleset, history.seats), *(hand.round for hand in given.played.hands)]
    for round_, played, hand_id in zip(rounds, given.played.hands, given.hand_ids, strict=False):
        # Departures between hands change none of the figures.
        change.add_score(history.ruleset, played.hand.number, hand_id, figures_of(round_, played))
    late = given.played.payments[sum(len(hand.transfers) for hand in given.played.hands) :]
    if late:
        departed = Departed(tuple(paid.transfer for paid in late), given.played.round)
        change.add_payout(given.played.hands[-1].round, departed)
    if final is not None:
        change.insert(AdjustmentRecord, *_adjustment(get(transaction, before.id, final), given.played.round))
    change.add_event(kind, event)
    return change


def add(
    transaction: Transaction, before: StoredRound, given: RevisionToRecord, kind: EventKind, event: bytes
) -> StoredRound:
    """
    Insert a replayed round as its newest revision, as `build_revision`, and update the round's head.

    Returns:
        The round with its new revision.

    Raises:
        Busy: another transaction has changed the round since it was read.
        RoundOpen: the revision reopens the round, and its table has an open round.
    """
    change = build_revision(transaction, before, given, kind, event)
    after = change.finish(given.played.round)
    write_rounds(transaction, change)
    return after


def get(transaction: Transaction, round_id: UUID, revision: int) -> StoredRevision:
    """Return the result of an existing revision."""
    return list_by_revision(transaction, round_id, revision)[revision]


def list_by_revision(
    transaction: Transaction, round_id: UUID, revision: int | None = None
) -> dict[int, StoredRevision]:
    """Return the results of each revision of a round, or of one, in order."""

    def of(record: Any) -> tuple[ColumnElement[bool], ...]:
        of_round = record.club_id == transaction.club_id, record.round_id == round_id
        return of_round if revision is None else (*of_round, record.revision == revision)

    seat, score, payout = RoundSeatRecord, HandScoreRecord, PayoutRecord
    sitting = select(seat.revision, seat.seat, seat.player, seat.opening_stack).where(*of(seat))
    scored = select(score.revision, score.top_ups, score.stacks).where(*of(score)).order_by(score.number)
    paid_out = transaction.execute(select(payout.revision, payout.stacks).where(*of(payout)))
    late = {found.revision: found.stacks for found in paid_out}
    seats: dict[int, list[Row[Any]]] = defaultdict(list)
    for found in transaction.execute(sitting.order_by(seat.revision, seat.seat)):
        seats[found.revision].append(found)
    scores: dict[int, list[Row[Any]]] = defaultdict(list)
    for found in transaction.execute(scored):
        scores[found.revision].append(found)
    return {number: _result(seats[number], scores[number], late.get(number)) for number in seats}


def _result(seats: Sequence[Row[Any]], scores: Sequence[Row[Any]], late: Sequence[Points] | None) -> StoredRevision:
    opened = [each.opening_stack for each in seats]
    stacks = late or (scores[-1].stacks if scores else opened)
    brought = [sum(points) for points in zip(opened, *(each.top_ups for each in scores), strict=True)]
    numbers = [each.seat for each in seats]
    nets = [stack - points for stack, points in zip(stacks, brought, strict=True)]
    return StoredRevision(
        {each.seat: each.player for each in seats},
        dict(zip(numbers, stacks, strict=True)),
        dict(zip(numbers, nets, strict=True)),
    )


def get_reason(transaction: Transaction, round_id: UUID, revision: int) -> str | None:
    """Return the reason for a revision; None for the first."""
    return list_reasons(transaction, round_id, revision)[revision]


def list_reasons(transaction: Transaction, round_id: UUID, revision: int | None = None) -> dict[int, str | None]:
    """Return the reason for each revision of a round, or for one."""
    made = SettlementRecord
    query = select(made.revision, made.reason).where(made.club_id == transaction.club_id, made.round_id == round_id)
    if revision is not None:
        query = query.where(made.revision == revision)
    return {found.revision: found.reason for found in transaction.execute(query)}


def _add_as_before(transaction: Transaction, change: RoundChange, before: StoredRound, history: History) -> None:
    """Add seats, departures and the closing; unchanged ones keep `carried_over` and `recorded_at`."""
    seat, departure, closing = RoundSeatRecord, DepartureRecord, ClosingRecord

    def of(record: Any) -> tuple[ColumnElement[bool], ...]:
        return (
            record.club_id == transaction.club_id,
            record.round_id == before.id,
            record.revision == before.revision,
        )

    carried = select(seat.seat, seat.player, seat.opening_stack).where(*of(seat), seat.carried_over)
    carried_over = {RoundSeat(found.seat, found.player, found.opening_stack) for found in transaction.execute(carried)}
    for sitting in history.seats:
        change.add_seat(sitting.seat, sitting.player, sitting.opening_stack, carried_over=sitting in carried_over)
    if history.departures:
        left = select(departure.seat, departure.after_hand, departure.recorded_at).where(*of(departure))
        left_at = {(found.seat, found.after_hand): found.recorded_at for found in transaction.execute(left)}
        for position, each in enumerate(sorted(history.departures, key=lambda each: each.after_hand), start=1):
            recorded_at = left_at.get((each.seat, each.after_hand), transaction.now)
            change.insert(DepartureRecord, {**asdict(each), "position": position, "recorded_at": recorded_at})
    if history.closed:
        closed = select(closing.after_hand, closing.reason, closing.recorded_at).where(*of(closing))
        closed_at = {
            Closing(found.after_hand, found.reason): found.recorded_at for found in transaction.execute(closed)
        }
        recorded_at = closed_at.get(history.closed, transaction.now)
        change.insert(ClosingRecord, {**asdict(history.closed), "recorded_at": recorded_at})


def _adjustment(settled: StoredRevision, round_: Round) -> list[dict[str, Any]]:
    """Return the records of the payments that adjust a final settlement to a new revision."""
    names = {seat.seat: seat.player for seat in round_.seats}
    nets = {names[seat]: net for seat, net in round_.nets.items()}
    return [
        {"position": position, "payer": paid.payer, "payee": paid.payee, "points": paid.amount}
        for position, paid in enumerate(find_adjustment(settled.nets_by_player, nets).payments, start=1)
    ]


@dataclass(frozen=True, slots=True)
class MadeRevision:
    """
    How a revision of a round was made.

    Attributes:
        number: the number of the revision, from 1.
        reason: the reason of the undo, correction or recomputation; None in the first.
        ruleset: the ruleset, as `name@version`.
        adjusts: the final revision that it corrects; None if no settlement was final.
        dispute: the dispute whose correction it is.
        author: the name of the key, or the label of the link, that made it; None for the service itself.
    """

    number: int
    reason: str | None
    created_at: datetime
    ruleset: str
    adjusts: int | None
    dispute: UUID | None
    author: str | None


# A revision and its event have the same time, which is that of their transaction.
_LIST: Final = text("""
    SELECT made.revision AS number, made.reason, made.created_at, made.adjusts_revision AS adjusts,
        made.ruleset_name || '@' || made.ruleset_version AS ruleset, correction.dispute,
        coalesce(key.name, link.label) AS author
    FROM settlements AS made
    LEFT JOIN corrections AS correction ON (correction.club_id, correction.round_id, correction.revision)
        = (made.club_id, made.round_id, made.revision)
    LEFT JOIN LATERAL (
        SELECT event.actor FROM events AS event
        WHERE (event.club_id, event.round_id, event.at) = (made.club_id, made.round_id, made.created_at)
        ORDER BY event.sequence LIMIT 1
    ) AS event ON true
    LEFT JOIN api_keys AS key ON (key.club_id, key.id) = (made.club_id, event.actor)
    LEFT JOIN table_links AS link ON (link.club_id, link.id) = (made.club_id, event.actor)
    WHERE made.club_id = :club_id AND made.round_id = :round_id
    ORDER BY made.revision
""")


def list_made(transaction: Transaction, round_id: UUID) -> list[MadeRevision]:
    """List the revisions of a round, the first one first."""
    found = transaction.execute(_LIST, {"club_id": transaction.club_id, "round_id": round_id})
    return [MadeRevision(**record) for record in found.mappings()]
