"""Insert many whole rounds at once, with the same records as step by step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from typing import Final
from uuid import UUID

import uuid_utils
from sqlalchemy import text

from evidence import Headings, canonical_json, hash_event
from evidence.events import FinalReason
from schemas.hands import SubmittedHand
from scoring import SCORER_VERSION
from scoring.history import Closing, Departure
from scoring.round import Departed
from scoring.round_state import Round
from service.db import Statement, Transaction
from service.db.record_arrays import (
    NO_BIG,
    NO_INTEGER,
    find_types,
    incoming,
    show_big,
    show_bigs,
    show_bytes,
    show_flag,
    show_flags,
    show_id,
    show_integer,
    show_json,
    show_records,
    show_small,
    show_smalls,
    show_text,
    show_texts,
    show_time,
)
from service.ledger.queries.events import EventKind
from service.metrics.counters import count_stored_hands
from service.rounds.queries.hand_records import HandFigures, PaidRow, Submission, rows_of
from service.rounds.queries.settlement_states import finalized_event
from service.rounds.queries.stored_round import Finality, StoredRound, dump_round, in_order

DOCUMENT: Final = "document"


@dataclass(frozen=True, slots=True)
class HandStep:
    """
    A played hand.

    Attributes:
        submitted: the hand as received.
        digest: the digest of its content.
        event: the encoded event payload.
        figures: the result.
    """

    id: UUID
    submitted: SubmittedHand
    digest: bytes
    event: bytes
    figures: HandFigures


@dataclass(frozen=True, slots=True)
class EndingStep:
    """A departure or closing, the round before it, its result and its encoded event payload."""

    before: Round
    departed: Departed
    ending: Departure | Closing
    event: bytes


@dataclass(frozen=True)
class WholeRound:
    """
    A round replayed from its document, ready to be inserted.

    Attributes:
        opened: the round before its first hand.
        event: the encoded event payload of the opening.
        steps: the hands, departures and closing, in order.
        after: the round after all steps.
        submission: the bytes of the document.
        is_final: whether its settlement is final at once, if the round has ended.
    """

    opened: StoredRound
    event: bytes
    steps: Sequence[HandStep | EndingStep]
    after: Round
    submission: Submission
    is_final: bool = False

    @cached_property
    def stored(self) -> StoredRound:
        """The round after all steps."""
        if not self.steps:
            return self.opened
        opened, ends_final = self.opened, self.ends_final
        # Every step increments the version, and so does the finalization; `changed` applies the last one.
        before = replace(
            opened,
            version=opened.version + len(self.steps) + ends_final - 1,
            finality=Finality(final_revision=opened.revision) if ends_final else opened.finality,
        )
        return before.changed(opened.recorded_at, self.after)

    @property
    def ends_final(self) -> bool:
        """Whether the settlement is final after all steps."""
        return self.is_final and not self.after.is_open


COLUMNS: Final = {
    "rounds": "club_id, id, table_id, table_sequence, imported, reference, digest, point_value, currency, opened_at,"
    " recorded_at, correction_window_minutes",
    "settlements": "club_id, round_id, revision, ruleset_name, ruleset_version, created_at",
    "round_seats": "club_id, round_id, revision, seat, player, opening_stack, carried_over",
    "submissions": "club_id, id, kind, content, sha256, received_at",
    "hands": "club_id, id, round_id, number, button, played_at, recorded_at, submission_id, digest, content, seats,"
    " fantasyland, boards",
    "hand_scores": "club_id, round_id, revision, number, hand_id, ruleset_name, ruleset_version, scorer_version,"
    " points, fouls, royalties, earned, stays, exchanges, top_ups, stacks_before, stacks, transfer_count,"
    " irregular",
    "payouts": "club_id, round_id, revision, number, stacks_before, stacks, transfer_count",
    "transfers": "club_id, round_id, revision, number, late, position, payer, payee, due, paid, limited_by,"
    " payer_stack, payee_stack",
    "departures": "club_id, round_id, revision, position, seat, after_hand, reason, recorded_at",
    "closings": "club_id, round_id, revision, after_hand, reason, recorded_at",
    "round_heads": "club_id, round_id, table_id, status, version, revision, ruleset_name, ruleset_version, hands,"
    " seats, players, opening_stacks, top_ups, stacks, state, settlement_state, provisional_until, final_revision,"
    " open_disputes, last_event",
    "events": "club_id, id, round_id, sequence, kind, actor, request_id, at, heading, content, hash",
}
"""The tables of a round, each after those that it references, and the inserted columns."""


def _insert(table: str) -> str:
    type_ = incoming(table)
    return f"INSERT INTO {table} ({COLUMNS[table]}) SELECT {COLUMNS[table]} FROM unnest(CAST(:{table} AS {type_}[]))"


@lru_cache(maxsize=64)
def _addition(types: tuple[int, ...]) -> Statement:
    """
    Return the statement that inserts rounds, for connections on which the record types have these OIDs.

    It is a single statement, because triggers check the scores and transfers together at its end.
    """
    *added, events = [_insert(table) for table in COLUMNS]
    parts = [f"added_{place} AS ({each})" for place, each in enumerate(added)]
    parts.append(f"events_added AS ({events} RETURNING club_id, id)")
    waiting = "INSERT INTO waiting_events (club_id, event_id) SELECT club_id, id FROM events_added"
    return Statement(text(f"WITH {', '.join(parts)} {waiting}"))


AT_ONCE: Final = 75
"""The number of rounds that are written with one statement."""


class RoundRecords:
    """
    Collects the records of whole rounds in PostgreSQL's format, and inserts them together.

    It holds only the bytes of the records, so that many rounds need little memory.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._records: dict[str, list[bytes]] = {table: [] for table in COLUMNS}
        self._types: Mapping[str, int] = {}
        self._club = show_id(transaction.club_id)
        self._now = show_time(transaction.now)
        self._by_whom = show_id(transaction.actor) + show_text(transaction.request_id) + self._now
        self._headings = Headings(transaction.club_id, transaction.actor, transaction.request_id, transaction.now)
        self._last_event = b""

    @property
    def are_many(self) -> bool:
        """Whether enough rounds are collected to write them."""
        return len(self._records["rounds"]) >= AT_ONCE

    def write(self) -> None:
        """
        Insert the collected rounds. Their tables and rulesets must be inserted before.

        A single statement inserts into every table, so that constraints and triggers check all records together.
        """
        if not self._records["rounds"]:
            return
        if not self._types:
            self._types = find_types(self._transaction, COLUMNS)
        arrays = {
            table: show_records(self._types[table], columns, self._records[table]) for table, columns in COLUMNS.items()
        }
        self._transaction.query(_addition(tuple(self._types.values())), arrays)
        self._transaction.after_commit.append(partial(count_stored_hands, len(self._records["hands"])))
        self._records = {table: [] for table in COLUMNS}

    def add(self, whole: WholeRound) -> None:
        """Add a round with all its steps."""
        opened, submission, called = whole.opened, whole.submission, str(whole.opened.id)
        round_id = show_id(opened.id)
        keys = self._club + round_id + show_integer(opened.revision)
        of_ruleset = show_text(opened.round.ruleset.name) + show_integer(opened.round.ruleset.version)
        self._last_event = b""
        self._add_opening(opened, keys, of_ruleset)
        self._add_event(round_id, called, opened.version, EventKind.ROUND_OPENED, whole.event)
        self._add("submissions", self._club, *_submission_fields(submission), self._now)
        for sequence, step in enumerate(whole.steps, start=opened.version + 1):
            if isinstance(step, HandStep):
                kind = EventKind.HAND_RECORDED
                self._add_hand(round_id, keys, of_ruleset, step, submission.id)
            else:
                kind = self._add_ending(keys, step)
            self._add_event(round_id, called, sequence, kind, step.event)
        stored = whole.stored
        if whole.ends_final:
            event = finalized_event(stored.id, stored.revision, FinalReason.IMPORT)
            self._add_event(round_id, called, stored.version, EventKind.SETTLEMENT_FINALIZED, event)
        self._add_head(stored, of_ruleset)

    def _add(self, table: str, *fields: bytes) -> None:
        self._records[table].append(b"".join(fields))

    def _add_opening(self, opened: StoredRound, keys: bytes, of_ruleset: bytes) -> None:
        self._add(
            "rounds",
            self._club,
            show_id(opened.id),
            show_id(opened.table_id),
            show_integer(opened.table_sequence),
            show_flag(opened.imported),
            show_text(opened.reference),
            show_bytes(opened.digest),
            NO_BIG if opened.point_value is None else show_big(opened.point_value),
            show_text(opened.currency),
            show_time(opened.opened_at),
            self._now,
            show_integer(opened.correction_window_minutes),
        )
        self._add("settlements", keys, of_ruleset, self._now)
        for seat in opened.round.seats:
            player, stack = show_text(seat.player), show_big(seat.opening_stack)
            self._add("round_seats", keys, show_small(seat.seat), player, stack, _FALSE)

    def _add_hand(self, round_id: bytes, keys: bytes, of_ruleset: bytes, step: HandStep, submission: UUID) -> None:
        hand_id, hand = show_id(step.id), step.submitted.hand
        number = show_integer(hand.number)
        self._add(
            "hands",
            self._club,
            hand_id,
            round_id,
            number,
            show_small(hand.button),
            show_time(step.submitted.played_at),
            self._now,
            show_id(submission),
            show_bytes(step.digest),
            show_json(step.submitted.content),
            show_smalls(hand.seats),
            show_smalls(hand.fantasyland),
            show_bytes(hand.boards),
        )
        figures = step.figures
        self._add(
            "hand_scores",
            keys,
            number,
            hand_id,
            of_ruleset,
            _SCORER,
            show_bigs(figures.points),
            show_flags(figures.fouls),
            show_bigs(figures.royalties),
            show_smalls(figures.earned),
            show_smalls(figures.stays),
            show_bigs(figures.exchanges),
            show_bigs(figures.top_ups),
            show_bigs(figures.stacks_before),
            show_bigs(figures.stacks),
            show_small(len(figures.transfers)),
            show_json(None if figures.irregular is None else figures.irregular.encode()),
        )
        self._add_transfers(keys + number + _FALSE, figures.transfers)

    def _add_ending(self, keys: bytes, step: EndingStep) -> EventKind:
        ending, before = step.ending, step.before
        if step.departed.transfers:
            seats, number, transfers = before.seat_numbers, show_integer(before.hands), rows_of(step.departed.transfers)
            stacks_before, stacks = in_order(seats, before.stacks), in_order(seats, step.departed.round.stacks)
            counted = show_small(len(transfers))
            self._add("payouts", keys, number, show_bigs(stacks_before), show_bigs(stacks), counted)
            self._add_transfers(keys + number + _TRUE, transfers)
        ended = show_integer(ending.after_hand) + show_text(ending.reason) + self._now
        if isinstance(ending, Closing):
            self._add("closings", keys, ended)
            return EventKind.ROUND_CLOSED
        self._add("departures", keys, show_small(len(before.left) + 1), show_small(ending.seat), ended)
        return EventKind.DEPARTURE_RECORDED

    def _add_transfers(self, keys: bytes, transfers: Sequence[PaidRow]) -> None:
        for order, (payer, payee, due, paid, limited_by, payer_stack, payee_stack) in enumerate(transfers, start=1):
            who, what = show_small(order) + show_small(payer) + show_small(payee), show_big(due) + show_big(paid)
            stacks = show_big(payer_stack) + show_big(payee_stack)
            self._add("transfers", keys, who, what, show_text(limited_by), stacks)

    def _add_head(self, stored: StoredRound, of_ruleset: bytes) -> None:
        stands, finality = dump_round(stored.round), stored.finality
        self._add(
            "round_heads",
            self._club,
            show_id(stored.id),
            show_id(stored.table_id),
            show_text(stands["status"]),
            show_integer(stored.version),
            show_integer(stored.revision),
            of_ruleset,
            show_integer(stands["hands"]),
            show_smalls(stands["seats"]),
            show_texts(stands["players"]),
            show_bigs(stands["opening_stacks"]),
            show_bigs(stands["top_ups"]),
            show_bigs(stands["stacks"]),
            show_json(canonical_json(stands["state"])),
            show_text(finality.settlement_state),
            show_time(finality.provisional_until),
            NO_INTEGER if finality.final_revision is None else show_integer(finality.final_revision),
            show_small(finality.open_disputes),
            show_bytes(self._last_event),
        )

    def _add_event(self, round_id: bytes, called: str, sequence: int, kind: EventKind, content: bytes) -> None:
        event_id = uuid_utils.uuid7()
        heading = self._headings.write(str(event_id), called, sequence, kind.value, self._last_event, content)
        self._last_event = hash_event(heading + content)
        self._add(
            "events",
            self._club,
            show_id(event_id),
            round_id,
            show_integer(sequence),
            show_text(kind),
            self._by_whom,
            show_bytes(heading),
            show_bytes(content),
            show_bytes(self._last_event),
        )


_FALSE, _TRUE = show_flag(False), show_flag(True)
_SCORER: Final = show_integer(SCORER_VERSION)


def _submission_fields(submission: Submission) -> tuple[bytes, ...]:
    content = submission.content
    kind = show_text(submission.kind)
    return show_id(submission.id), kind, show_bytes(content), show_bytes(sha256(content).digest())
