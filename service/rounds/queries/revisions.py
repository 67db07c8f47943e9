"""Insert and read revisions: whole settlements of a replayed round."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Row, insert, select, text, update

from scoring.hand import Seat
from scoring.history import History, PlayedRound
from scoring.round import Departed, open_round
from scoring.ruleset import Points
from scoring.settle_up import find_adjustment
from service.db import Transaction
from service.db.failures import conflicts
from service.errors import RoundOpen
from service.ledger.queries.events import EventKind, record_event
from service.rounds.models import HandScoreRecord, PayoutRecord, RoundHeadRecord, RoundSeatRecord, SettlementRecord
from service.rounds.queries import transfers
from service.rounds.queries.hand_records import INSERT_SCORE, score_parameters
from service.rounds.queries.rounds import changed_meanwhile
from service.rounds.queries.stored_round import StoredRound, dump_finality, dump_round


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


# Unchanged seats, departures and closings keep `carried_over` and `recorded_at` of the revision before.
_SEAT: Final = text("""
    INSERT INTO round_seats (club_id, round_id, revision, seat, player, opening_stack, carried_over)
    VALUES (:club_id, :round_id, :revision, :seat, :player, :opening_stack, coalesce((
        SELECT before.carried_over FROM round_seats AS before
        WHERE (before.club_id, before.round_id, before.revision) = (:club_id, :round_id, :revision_before)
            AND (before.seat, before.player, before.opening_stack) = (:seat, :player, :opening_stack)
    ), false))
""")
_DEPARTURE: Final = text("""
    INSERT INTO departures (club_id, round_id, revision, position, seat, after_hand, reason, recorded_at)
    VALUES (:club_id, :round_id, :revision, :position, :seat, :after_hand, :reason, coalesce((
        SELECT before.recorded_at FROM departures AS before
        WHERE (before.club_id, before.round_id, before.revision) = (:club_id, :round_id, :revision_before)
            AND (before.seat, before.after_hand) = (:seat, :after_hand)
    ), :now))
""")
_CLOSING: Final = text("""
    INSERT INTO closings (club_id, round_id, revision, after_hand, reason, recorded_at)
    VALUES (:club_id, :round_id, :revision, :after_hand, :reason, coalesce((
        SELECT before.recorded_at FROM closings AS before
        WHERE (before.club_id, before.round_id, before.revision) = (:club_id, :round_id, :revision_before)
            AND (before.after_hand, before.reason) = (:after_hand, :reason)
    ), :now))
""")
_SCORED_HAND: Final = text(f"WITH paid AS ({transfers.INSERT_TRANSFERS}) {INSERT_SCORE}")


def add(
    transaction: Transaction, before: StoredRound, given: RevisionToRecord, kind: EventKind, event: bytes
) -> StoredRound:
    """
    Insert a replayed round as its newest revision, and update the round's head.

    Earlier revisions do not change.

    Args:
        transaction: in which the round was locked.
        before: the round as it was locked.
        given: the replayed round.
        kind: the kind of event.
        event: the encoded event payload.

    Returns:
        The round with its new revision.

    Raises:
        Busy: another transaction has changed the round since it was read.
        RoundOpen: the revision reopens the round, and its table has an open round.
    """
    after = before.changed(transaction.now, given.played.round, revision=before.revision + 1)
    keys = {
        "club_id": transaction.club_id,
        "round_id": before.id,
        "revision": after.revision,
        "revision_before": before.revision,
        "now": transaction.now,
    }
    closing = [asdict(given.history.closed)] if given.history.closed else []
    changed = changed_meanwhile(before)
    with conflicts(settlements_pkey=changed, events_sequence_key=changed):
        _add_settlement(transaction, after, given)
        for statement, records in (
            (_SEAT, _seats(given.history)),
            (_SCORED_HAND, _hands(given)),
            (_DEPARTURE, _departures(given.history)),
            (_CLOSING, closing),
        ):
            if records:
                transaction.execute(statement, [{**keys, **record} for record in records])
        _add_payout(transaction, after, given.played)
        _adjust(transaction, after, given.played)
        _update_head(transaction, before, after)
        last_event = record_event(transaction, kind, event, round_id=after.id, sequence=after.version)
    return replace(after, last_event=last_event)


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


def _add_settlement(transaction: Transaction, after: StoredRound, given: RevisionToRecord) -> None:
    ruleset = given.history.ruleset
    transaction.execute(
        insert(SettlementRecord).values(
            club_id=transaction.club_id,
            round_id=after.id,
            revision=after.revision,
            ruleset_name=ruleset.name,
            ruleset_version=ruleset.version,
            reason=given.reason,
            created_at=transaction.now,
            adjusts_revision=after.finality.final_revision,
        )
    )


def _seats(history: History) -> list[dict[str, Any]]:
    return [{"seat": seat.seat, "player": seat.player, "opening_stack": seat.opening_stack} for seat in history.seats]


def _hands(given: RevisionToRecord) -> list[dict[str, Any]]:
    """Return the parameters of each hand's score; departures between hands change none of its figures."""
    rounds = [open_round(given.history.ruleset, given.history.seats), *(hand.round for hand in given.played.hands)]
    return [
        {
            "number": played.hand.number,
            "hand_id": hand_id,
            **score_parameters(round_, played),
            **transfers.transfer_parameters(played.transfers, late=False),
        }
        for round_, (played, hand_id) in zip(rounds, zip(given.played.hands, given.hand_ids, strict=True), strict=False)
    ]


def _departures(history: History) -> list[dict[str, Any]]:
    in_order = sorted(history.departures, key=lambda departure: departure.after_hand)
    return [{"position": position, **asdict(departure)} for position, departure in enumerate(in_order, start=1)]


def _add_payout(transaction: Transaction, after: StoredRound, played: PlayedRound) -> None:
    """Insert the payout of the departure or closing that ended the round, if there is one."""
    late = played.payments[sum(len(hand.transfers) for hand in played.hands) :]
    if late:
        departed = Departed(tuple(paid.transfer for paid in late), played.round)
        transfers.add_payout(transaction, after.id, after.revision, played.hands[-1].round, departed)


def _adjust(transaction: Transaction, after: StoredRound, played: PlayedRound) -> None:
    """Insert the payments that adjust a final settlement to the new revision."""
    final = after.finality.final_revision
    if final is None:
        return
    settled = get(transaction, after.id, final)
    names = {seat.seat: seat.player for seat in played.round.seats}
    nets = {names[seat]: net for seat, net in played.round.nets.items()}
    transfers.add_adjustment(transaction, after, find_adjustment(settled.nets_by_player, nets).payments)


def _update_head(transaction: Transaction, before: StoredRound, after: StoredRound) -> None:
    """Update the round's head, unless its version has changed since it was locked."""
    head = RoundHeadRecord
    statement = (
        update(head)
        .where(head.club_id == transaction.club_id, head.round_id == after.id, head.version == before.version)
        .values(
            version=after.version,
            revision=after.revision,
            ruleset_name=after.round.ruleset.name,
            ruleset_version=after.round.ruleset.version,
            **dump_round(after.round),
            **dump_finality(after.finality),
        )
    )
    reopened = RoundOpen("the revision would reopen the round, and its table has another open round")
    with conflicts(round_heads_one_open=reopened):
        if transaction.execute(statement).rowcount != 1:
            raise changed_meanwhile(before)
