"""
Write hands with their scores, transfers and events, and the heads of their rounds.

A posted hand, a document, an import, a correction, an undo and a recomputation each build a `RoundChange` for every
round, and `write_rounds` writes any number of them with one statement.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final
from uuid import UUID

from evidence import canonical_json
from evidence.events import DepartureRecorded, FinalReason, RoundClosed, SettlementFinalized
from schemas.ledger.journal import Counted
from schemas.metadata import Metadata, write_metadata
from schemas.money import dump_unit
from scoring import SCORER_VERSION
from scoring.hand import Seat
from scoring.history import Closing, Departure
from scoring.round import Departed, PlayedHand
from scoring.round_state import Round
from scoring.ruleset import Points, Ruleset
from service.audit_trail.queries.events import EventKind, EventWriter
from service.db import Transaction
from service.db.base import Base
from service.db.batch import Batch, part
from service.errors import Busy, RoundConflict, RoundOpen, ServiceError
from service.metrics.counters import check_balance, count_stored_hands
from service.rounds.models import (
    ClosingRecord,
    DepartureRecord,
    HandRecord,
    HandScoreRecord,
    PayoutRecord,
    RoundHeadRecord,
    RoundRecord,
    RoundSeatRecord,
    SettlementRecord,
    SubmissionRecord,
)
from service.rounds.queries.journal import RESULTS, EntryRecord, post_round
from service.rounds.queries.new_records import HandToRecord, Submission, write_reason
from service.rounds.queries.player_results import remove_stored, store_ended
from service.rounds.queries.stored_round import (
    Finality,
    HandFigures,
    StoredRound,
    dump_finality,
    dump_round,
    figures_of,
    in_order,
    paid_rows,
)
from service.texts import queries as texts
from service.texts.models import TextField
from service.texts.queries import MetadataOwner, NewText

_AS_OPENED: Final = {column.name for column in RoundRecord.__table__.columns} - {"club_id", "unit", "unit_digits"}
_HEAD: Final = RoundHeadRecord.metadata.tables[RoundHeadRecord.__tablename__]
_CHANGING: Final = [column.name for column in _HEAD.columns if column.name not in ("club_id", "round_id", "table_id")]
# If another transaction has changed the round, the number of an event or a hand is no longer unique.
_UPDATE_HEADS: Final = part(
    "changed_heads",
    f"""
    UPDATE round_heads AS head SET {", ".join(f"{name} = changed.{name}" for name in _CHANGING)}
    FROM {{records}} AS changed
    WHERE head.club_id = changed.club_id AND head.round_id = changed.round_id AND head.version < changed.version
    """,
    _HEAD,
)


class RoundChange:
    """
    Collects the records of a change of one round: first the steps, each with its event, then the head.

    Attributes:
        before: the round before the change, or before its first hand if it is new.
        records: the collected records.
        hands: the number of recorded hands.
        after: the round after the change, when it is finished.
    """

    def __init__(
        self,
        transaction: Transaction,
        before: StoredRound,
        *,
        revision: int | None = None,
        counted: Counted | None = None,
    ) -> None:
        """
        Begin a change.

        Args:
            transaction: in which the round was locked.
            before: the round as it was locked.
            revision: the revision that the change adds, if it adds one.
            counted: what the journal has of the round so far; None for nothing.
        """
        self.records = Batch()
        self.hands = 0
        self.before = before
        self.after = before
        self._transaction = transaction
        self._now = transaction.now
        self._revision = revision or before.revision
        self._of_revision = {"club_id": transaction.club_id, "round_id": before.id, "revision": self._revision}
        self._events = EventWriter(transaction, self.records)
        self._version, self._last_event = before.version, before.last_event
        self._counted = counted
        self._result: object = None
        self._finality = before.finality
        self._is_new = False

    @classmethod
    def opening(
        cls, transaction: Transaction, opened: StoredRound, event: bytes, *, carried_over: Collection[Seat] = ()
    ) -> "RoundChange":
        """
        Begin with the opening of a new round.

        Args:
            transaction: in which the ruleset and the table have been inserted.
            opened: the round before its first hand.
            event: the encoded event payload.
            carried_over: the seats whose stacks carried over from an earlier round.
        """
        change = cls(transaction, opened)
        change._is_new = True
        change._version = opened.version - 1
        record = {name: getattr(opened, name) for name in _AS_OPENED} | dump_unit(opened.unit)
        change.records.insert(RoundRecord, {"club_id": transaction.club_id, **record})
        change.add_settlement(opened.round.ruleset)
        for seat in opened.round.seats:
            change.add_seat(seat.seat, seat.player, seat.opening_stack, carried_over=seat.seat in carried_over)
        change.add_event(EventKind.ROUND_OPENED, event)
        return change

    def conflicts(self) -> dict[str, ServiceError]:
        """Return the error that the violation of a constraint means, by the constraint's name."""
        if self._is_new:
            taken = RoundConflict(f"the table already has a round with the reference {self.before.reference!r}")
            return {"rounds_reference_key": taken, "round_heads_one_open": table_has_open_round()}
        reopened = RoundOpen("the revision would reopen the round, and its table has another open round")
        return {**dict.fromkeys(_NUMBERS, changed_meanwhile(self.before)), "round_heads_one_open": reopened}

    @property
    def has_results(self) -> bool:
        """Whether the change adds hands or a revision, or ends the round."""
        return self.after.revision != self.before.revision or self.after.round is not self.before.round

    def insert(self, model: type[Base], *records: Mapping[str, Any]) -> None:
        """Add records of the revision to a table."""
        self.records.insert(model, *[{**self._of_revision, **record} for record in records])

    def add_event(self, kind: EventKind, content: bytes) -> None:
        """Add an event, which increments the round's version."""
        self._version += 1
        event, self._last_event = self._events.add(
            kind, content, round_id=self.before.id, sequence=self._version, previous=self._last_event
        )
        if kind in RESULTS:
            self._result = event

    def add_submission(self, submission: Submission, hand_id: UUID | None = None) -> None:
        """Add a request body: that of a hand alone, or of the round. All hands of a document refer to the same one."""
        record = {
            "club_id": self._of_revision["club_id"],
            "id": submission.id,
            "kind": submission.kind,
            **submission.columns,
            "received_at": self._now,
        }
        self.records.insert(SubmissionRecord, record)
        if submission.has_texts:
            of = hand_id or self.before.id
            self.add_texts(NewText(TextField.SUBMISSION, submission.salted, of, self.before.id))

    def add_texts(self, *added: NewText) -> None:
        """Add texts, of which events and records have the digests."""
        texts.insert(self._transaction, self.records, added)

    def add_metadata(self, owner: MetadataOwner, metadata: Metadata) -> None:
        """Add the metadata of the new round or of a new hand, if it has some, with their event."""
        if metadata:
            texts.add_metadata(self._transaction, self.records, owner, write_metadata(metadata))

    def move_metadata(self, moved: Mapping[UUID, UUID]) -> None:
        """Move the metadata of hands to the records that replace them, given by their IDs, with the events."""
        texts.move_metadata(self._transaction, self.records, self.before.id, moved)

    def add_settlement(self, ruleset: Ruleset, *, reason: bytes | None = None, adjusts: int | None = None) -> None:
        """Add the revision: its ruleset, the digest of its reason, and the final revision that it adjusts."""
        record = {"reason": reason, "created_at": self._now, "adjusts_revision": adjusts}
        self.insert(SettlementRecord, {**_ruleset_columns(ruleset), **record})

    def add_seat(self, seat: Seat, player: str, opening_stack: Points, *, carried_over: bool) -> None:
        """Add a seat of the revision."""
        record = {"seat": seat, "player": player, "opening_stack": opening_stack, "carried_over": carried_over}
        self.insert(RoundSeatRecord, record)

    def add_played(self, before: Round, played: PlayedHand, hand: HandToRecord) -> None:
        """Add a played hand with its result and event, given the round before it."""
        check_balance(self.before.id, played.round)
        self.add_hand(hand, figures_of(before, played))

    def add_hand(self, hand: HandToRecord, figures: HandFigures) -> None:
        """Add a hand with its result and event."""
        self.add_hand_record(hand)
        self.add_score(self.before.round.ruleset, hand.submitted.hand.number, hand.id, figures)
        self.add_event(EventKind.HAND_RECORDED, hand.event)
        self.hands += 1

    def add_hand_record(self, hand: HandToRecord) -> None:
        """Add a hand without its result."""
        submitted, played = hand.submitted, hand.submitted.hand
        record = {
            "club_id": self._of_revision["club_id"],
            "id": hand.id,
            "round_id": self.before.id,
            "number": played.number,
            "button": played.button,
            "played_at": submitted.played_at,
            "recorded_at": self._now,
            "submission_id": hand.submission_id,
            "digest": submitted.digest,
            "content": submitted.content,
            "seats": played.seats,
            "fantasyland": played.fantasyland,
            "boards": played.boards,
            "reference": hand.reference,
        }
        self.records.insert(HandRecord, record)

    def add_score(self, ruleset: Ruleset, number: int, hand_id: UUID, figures: HandFigures) -> None:
        """Add the result of a hand, with its transfers."""
        record = {
            **self._of_revision,
            **_ruleset_columns(ruleset),
            "number": number,
            "hand_id": hand_id,
            "scorer_version": SCORER_VERSION,
            **figures._asdict(),
        }
        self.records.insert(HandScoreRecord, record)

    def add_ending(self, before: Round, departed: Departed, ending: Departure | Closing) -> None:
        """Add a departure or closing with its payout, reason and event, given the round before it."""
        check_balance(self.before.id, departed.round)
        self.add_payout(before, departed)
        ended: dict[str, Any] = {"after_hand": ending.after_hand, "reason": self._add_reason(ending)}
        if isinstance(ending, Closing):
            self.insert(ClosingRecord, {**ended, "recorded_at": self._now})
            closed = RoundClosed(round=self.before.id, **ended)
            self.add_event(closed.kind, closed.encode())
        else:
            ended["seat"] = ending.seat
            self.insert(DepartureRecord, {**ended, "position": len(before.left) + 1, "recorded_at": self._now})
            left = DepartureRecorded(round=self.before.id, **ended)
            self.add_event(left.kind, left.encode())

    def _add_reason(self, ending: Departure | Closing) -> bytes | None:
        """Add the reason of a departure or closing, and return its digest; None if it has none."""
        if ending.reason is None:
            return None
        seats = self.before.round.seats
        left = next((each.player for each in seats if isinstance(ending, Departure) and each.seat == ending.seat), None)
        reason = write_reason(ending.reason, self.before.id, player=left)
        self.add_texts(reason)
        return reason.digest

    def add_payout(self, before: Round, departed: Departed) -> None:
        """Add the payout of a departure or closing, if it has transfers."""
        transfers, seats = paid_rows(departed.transfers), before.seat_numbers
        if transfers:
            record = {
                "number": before.hands,
                "stacks_before": in_order(seats, before.stacks),
                "stacks": in_order(seats, departed.round.stacks),
                "transfers": transfers,
            }
            self.insert(PayoutRecord, record)

    def finalize(self, because: FinalReason) -> None:
        """Finalize the settlement of the revision, and add the event."""
        event = SettlementFinalized(round=self.before.id, revision=self._revision, because=because)
        self.add_event(event.kind, event.encode())
        self._finality = replace(self._finality, final_revision=self._revision)

    def finish(
        self,
        round_: Round | None = None,
        *,
        dealt: Iterable[Iterable[Seat]] = (),
        finality: Finality | None = None,
        keeps_window: bool = False,
    ) -> StoredRound:
        """
        Add the head of the round after the change and what it adds to the journal, and return the round.

        Args:
            round_: the round after the change, if it changes.
            dealt: of each hand of that round, the seats that were dealt in.
            finality: the changed settlement state, if it changes.
            keeps_window: whether the correction window does not start again.
        """
        after = self.after = self.before.changed(
            self._now,
            round_,
            revision=self._revision,
            finality=finality or self._finality,
            keeps_window=keeps_window,
            version=self._version,
            last_event=self._last_event,
        )
        columns = dump_round(after.round)
        head = {
            **self._of_revision,
            **_ruleset_columns(after.round.ruleset),
            **columns,
            "state": canonical_json(columns["state"]),
            **dump_finality(after.finality),
            "table_id": after.table_id,
            "version": after.version,
            "last_event": after.last_event,
        }
        if self._is_new:
            self.records.insert(RoundHeadRecord, head)
        else:
            self.records.add(_UPDATE_HEADS, head)
        entry = post_round(self._counted, after, dealt) if self.has_results else None
        if entry is not None:
            posted = {"club_id": self._of_revision["club_id"], "id": self._result, "posted_at": self._now}
            self.records.insert(EntryRecord, {**posted, **entry})
        return after


_NUMBERS: Final = (
    "events_sequence_key",
    "hand_scores_pkey",
    "payouts_pkey",
    "departures_pkey",
    "closings_pkey",
    "settlements_pkey",
    # Of a charge of a hand: something else was recorded under its reference.
    "entries_reference_key",
)
"""The constraints that a change violates if another transaction has changed the round since it was read."""


def _ruleset_columns(ruleset: Ruleset) -> dict[str, Any]:
    return {"ruleset_name": ruleset.name, "ruleset_version": ruleset.version}


def write_rounds(transaction: Transaction, *changes: RoundChange) -> None:
    """
    Write changes of rounds, each of another round, with one statement, and the results of rounds that have ended.

    They are sent with the next statement, or with the commit. One statement writes all records, because triggers check
    scores and transfers together at its end.

    Raises:
        Busy, RoundConflict, RoundOpen: as `RoundChange.conflicts`, when the statement is sent.
    """
    changed = Busy("A round was changed by another request since it was read; retry the request.")
    conflicts: dict[str, ServiceError] = dict.fromkeys(_NUMBERS, changed)
    if len(changes) == 1:
        conflicts = changes[0].conflicts()
    batch = Batch()
    for change in changes:
        batch.extend(change.records)
    batch.write(transaction, **conflicts)
    changed_results = [change for change in changes if change.has_results]
    remove_stored(transaction, [change.before.id for change in changed_results if not change.before.round.is_open])
    store_ended(transaction, [change.before.id for change in changed_results if not change.after.round.is_open])
    hands = sum(change.hands for change in changes)
    if hands:
        transaction.after_commit.append(partial(count_stored_hands, hands))


def table_has_open_round() -> RoundOpen:
    """Return the conflict of a second open round at a table."""
    return RoundOpen("the table already has an open round; finish or close it first")


def changed_meanwhile(before: StoredRound) -> Busy:
    """Return the conflict of a round whose version has changed since it was read."""
    return Busy(f"round {before.id} was changed by another request after version {before.version}; retry the request")
