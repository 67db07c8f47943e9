"""Insert revisions, whole settlements of a replayed round, and list when each was made, by whom and why."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from scoring.history import History, PlayedRound
from scoring.round import Departed, open_round
from scoring.round_state import Round
from scoring.settle_up import find_adjustment
from service.audit_trail.queries.events import EventKind
from service.db import Transaction
from service.rounds.models import (
    AdjustmentRecord,
    ClosingRecord,
    DepartureRecord,
)
from service.rounds.queries.journal import find_posted
from service.rounds.queries.received import EndingReasons
from service.rounds.queries.records import RevisionResult, RoundRecords, get_records
from service.rounds.queries.stored_round import StoredRound, figures_of
from service.rounds.queries.writer import RoundChange, write_rounds
from service.texts.models import TextField
from service.texts.queries import NewText, content_of, write_text


@dataclass(frozen=True, slots=True)
class RevisionToRecord:
    """
    A replayed round, ready to be inserted as a revision.

    Attributes:
        history: the replayed history.
        played: its result.
        hand_ids: the ids of the hands' records, in order; the records exist already.
        reason: the reason for the revision; None if it was erased before.
        endings: the reasons of its departures and its closing, if some are new.
    """

    history: History
    played: PlayedRound
    hand_ids: Sequence[UUID]
    reason: NewText | None
    endings: EndingReasons | None = None


def write_reason(reason: str, round_id: UUID, job_id: UUID | None = None) -> NewText:
    """Return the reason of a revision of a round as a text, of the round or of the job that makes revisions of many."""
    return write_text(reason, job_id or round_id, TextField.REASON, round_id=round_id)


def build_revision(
    transaction: Transaction,
    before: StoredRound,
    revision: RevisionToRecord,
    kind: EventKind,
    event: bytes,
    records: RoundRecords | None = None,
) -> RoundChange:
    """
    Build the newest revision of a round from a replayed round. Earlier revisions do not change.

    The change is finished: further records can be added to it, but no events.

    Args:
        transaction: in which the round was locked.
        before: the round as it was locked.
        revision: the replayed round.
        kind: the kind of event.
        event: the encoded event payload.
        records: those of the round's newest revision, if they were read already.
    """
    history, final = revision.history, before.finality.final_revision
    change = RoundChange(transaction, before, revision=before.revision + 1, counted=find_posted(transaction, before))
    if revision.reason is not None:
        change.add_texts(revision.reason)
    digest = None if revision.reason is None else revision.reason.digest
    change.add_settlement(history.ruleset, reason=digest, adjusts=final)
    recorded = records or get_records(transaction, before.id, before.revision)
    _add_as_before(transaction, change, recorded, history, revision.endings or EndingReasons(recorded, {}))
    rounds = [open_round(history.ruleset, history.seats), *(hand.round for hand in revision.played.hands)]
    for round_, played, hand_id in zip(rounds, revision.played.hands, revision.hand_ids, strict=False):
        # Departures between hands change none of the figures.
        change.add_score(history.ruleset, played.hand.number, hand_id, figures_of(round_, played))
    late = revision.played.payments[sum(len(hand.transfers) for hand in revision.played.hands) :]
    if late:
        departed = Departed(tuple(paid.transfer for paid in late), revision.played.round)
        change.add_payout(revision.played.hands[-1].round, departed)
    if final is not None:
        settled = get_records(transaction, before.id, final).result
        change.insert(AdjustmentRecord, *_adjustment(settled, revision.played.round))
    change.add_event(kind, event)
    change.finish(revision.played.round, dealt=[hand.seats for hand in history.hands])
    return change


def add(
    transaction: Transaction,
    before: StoredRound,
    revision: RevisionToRecord,
    kind: EventKind,
    event: bytes,
    records: RoundRecords | None = None,
) -> StoredRound:
    """
    Insert a replayed round as its newest revision, as `build_revision`.

    Returns:
        The round with its new revision.

    Raises:
        Busy: another transaction has changed the round since it was read.
        RoundOpen: the revision reopens the round, and its table has an open round.
    """
    change = build_revision(transaction, before, revision, kind, event, records)
    write_rounds(transaction, change)
    return change.after


def _add_as_before(
    transaction: Transaction, change: RoundChange, records: RoundRecords, history: History, reasons: EndingReasons
) -> None:
    """Add seats, departures and the closing; unchanged ones keep `carried_over` and `recorded_at`."""
    seats = zip(records.round_seats, records.seats, strict=True)
    carried_over = {sitting for sitting, seat in seats if seat["carried_over"]}
    for sitting in history.seats:
        change.add_seat(sitting.seat, sitting.player, sitting.opening_stack, carried_over=sitting in carried_over)
    left_at = {(left["seat"], left["after_hand"]): left["recorded_at"] for left in records.departures}
    for position, each in enumerate(sorted(history.departures, key=lambda each: each.after_hand), start=1):
        recorded_at = left_at.get((each.seat, each.after_hand), transaction.now)
        left = {**asdict(each), "reason": reasons.find(each), "position": position, "recorded_at": recorded_at}
        change.insert(DepartureRecord, left)
    if history.closed:
        recorded_at = transaction.now
        if records.closing is not None and records.closed == history.closed:
            recorded_at = records.closing["recorded_at"]
        reason = reasons.find(history.closed)
        change.insert(ClosingRecord, {**asdict(history.closed), "reason": reason, "recorded_at": recorded_at})
    change.add_texts(*reasons.added)


def _adjustment(settled: RevisionResult, round_: Round) -> list[dict[str, Any]]:
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
        reason: the reason of the undo, correction or recomputation; None in the first, or after it was erased.
        has_reason: whether it has one, erased or not.
        ruleset: the ruleset, as `name@version`.
        adjusts: the final revision that it corrects; None if no settlement was final.
        dispute: the dispute whose correction it is.
        author: the name of the key, or the label of the link, that made it; None for the service itself.
    """

    number: int
    reason: str | None
    has_reason: bool
    created_at: datetime
    ruleset: str
    adjusts: int | None
    dispute: UUID | None
    author: str | None


# A revision and its event have the same time, which is that of their transaction.
_LIST: Final = text(f"""
    SELECT made.revision AS number, {content_of("made.reason")} AS reason, made.reason IS NOT NULL AS has_reason,
        made.created_at, made.adjusts_revision AS adjusts,
        made.ruleset_name || '@' || made.ruleset_version AS ruleset, correction.dispute,
        coalesce(key.name, key.prefix, link.label, link.kind) AS author
    FROM settlements AS made
    LEFT JOIN corrections AS correction ON (correction.club_id, correction.round_id, correction.revision)
        = (made.club_id, made.round_id, made.revision)
    LEFT JOIN LATERAL (
        SELECT event.actor FROM events AS event
        WHERE (event.club_id, event.round_id, event.at) = (made.club_id, made.round_id, made.created_at)
        ORDER BY event.sequence LIMIT 1
    ) AS event ON true
    LEFT JOIN api_keys AS key ON (key.club_id, key.id) = (made.club_id, event.actor)
    LEFT JOIN links AS link ON (link.club_id, link.id) = (made.club_id, event.actor)
    WHERE made.club_id = :club_id AND made.round_id = :round_id
    ORDER BY made.revision
""")


def list_made(transaction: Transaction, round_id: UUID) -> list[MadeRevision]:
    """List the revisions of a round, the first one first."""
    rows = transaction.execute(_LIST, {"club_id": transaction.club_id, "round_id": round_id})
    return [MadeRevision(**record) for record in rows.mappings()]
