"""Rounds that were played whole, recorded many at once: what `rounds`, `hands` and `endings` record step by step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import sha256
from typing import Final

from uuid_utils import uuid7

from schemas.document_lines import KeptHand
from schemas.evidence import Headings, hash_event
from schemas.hands import canonical_json
from scoring import SCORER_VERSION
from scoring.history import Closing, Departure
from scoring.round import Departed
from scoring.round_state import Round
from scoring.ruleset import Ruleset
from service.audit import EventKind
from service.database import Transaction
from service.metrics.counters import count_stored_hands
from service.repository.copied import (
    NOTHING,
    copy_in,
    make_room,
    show_bytes,
    show_list,
    show_plain,
    show_text,
    show_texts,
    show_time,
)
from service.repository.firmness import Firmness
from service.repository.hand_figures import HandFigures, PaidRow, rows_of
from service.repository.round_state import dump_round, in_order
from service.repository.settlement_states import Because, finalized_event
from service.repository.stored_round import StoredRound
from service.repository.submissions import Submission

DOCUMENT: Final = "document"


@dataclass(frozen=True, slots=True)
class HandStep:
    """
    A hand that was played.

    Attributes:
        kept: as it came.
        digest: of its content.
        event: what the audit trail says of it.
        figures: what it came to.
    """

    id: str
    kept: KeptHand
    digest: bytes
    event: bytes
    figures: HandFigures


@dataclass(frozen=True, slots=True)
class EndingStep:
    """A departure or closing, where the round stood before it, what came of it, and what the audit trail says of it."""

    before: Round
    departed: Departed
    ending: Departure | Closing
    event: bytes


@dataclass(frozen=True)
class WholeRound:
    """
    A round played from its document, ready to be recorded.

    Attributes:
        opened: before its first hand.
        event: what the audit trail says of the opening.
        steps: everything after it, in order.
        after: where the round stands after all of it.
        submission: the exact bytes of the document.
        is_final: whether its settlement is final at once, where no hand can come.
    """

    opened: StoredRound
    event: bytes
    steps: Sequence[HandStep | EndingStep]
    after: Round
    submission: Submission
    is_final: bool = False

    @cached_property
    def stored(self) -> StoredRound:
        """The round as it stands after all of it."""
        if not self.steps:
            return self.opened
        opened, ends_final = self.opened, self.ends_final
        # Every step is a change, and so is becoming final; the last of them is made here.
        before = replace(
            opened,
            version=opened.version + len(self.steps) + ends_final - 1,
            firmness=Firmness(final_revision=opened.revision) if ends_final else opened.firmness,
        )
        return before.changed(opened.opened_at, self.after)

    @property
    def ends_final(self) -> bool:
        """Whether its settlement is final."""
        return self.is_final and not self.after.is_open


COLUMNS: Final = {
    "rounds": "club_id, id, table_id, reference, digest, point_value, currency, opened_at, correction_window_minutes",
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
"""The tables that rounds are recorded in, each after those that it refers to, and the columns that are written."""


def _insert(table: str) -> str:
    return f"INSERT INTO {table} ({COLUMNS[table]}) SELECT {COLUMNS[table]} FROM incoming_{table}"


# Chips are checked when the statement ends that adds scores, and must have been paid by then.
_CHIPS: Final = f"WITH paid AS ({_insert('transfers')}), late AS ({_insert('payouts')}) {_insert('hand_scores')}"
_EVENTS: Final = (
    "WITH waiting AS (INSERT INTO waiting_events (club_id, event_id) SELECT club_id, id FROM incoming_events) "
    + _insert("events")
)
_WITH_CHIPS: Final = ("transfers", "payouts")
_ADD: Final = {
    table: {"hand_scores": _CHIPS, "events": _EVENTS}.get(table) or _insert(table)
    for table in COLUMNS
    if table not in _WITH_CHIPS
}
AT_ONCE: Final = 100
"""So many rounds are worth the twenty statements that write them."""


class RoundRecords:
    """
    The records of rounds that were played whole, collected as COPY takes them, until they are written in one go.

    Nothing of a round is held but its records' text, so that many rounds need little memory.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._lines: dict[str, list[str]] = {table: [] for table in COLUMNS}
        self._has_written = False
        self._club = str(transaction.club_id)
        self._now = transaction.now.isoformat()
        self._by_whom = f"{show_plain(transaction.actor)}\t{show_text(transaction.request_id)}\t{self._now}"
        self._headings = Headings(transaction.club_id, transaction.actor, transaction.request_id, transaction.now)
        self._last_event = b""

    @property
    def are_many(self) -> bool:
        """Whether they are worth the statements that write them."""
        return len(self._lines["rounds"]) >= AT_ONCE

    def write(self) -> None:
        """
        Begin to write what has been added; the tables and rulesets have been added before.

        Every record is copied to PostgreSQL first, then each table is added to once: its constraints and triggers look
        at all of it together. Meanwhile the next rounds can be played; whatever is run next waits until it is done.
        """
        if not self._lines["rounds"]:
            return
        if self._has_written:
            self._transaction.start([f"DELETE FROM incoming_{table}" for table in COLUMNS])
        else:
            make_room(self._transaction, COLUMNS)
        for table, columns in COLUMNS.items():
            copy_in(self._transaction, table, columns, self._lines[table])
        self._transaction.start([statement for table, statement in _ADD.items() if self._lines[table]])
        self._transaction.after_commit.append(partial(count_stored_hands, len(self._lines["hands"])))
        self._lines = {table: [] for table in COLUMNS}
        self._has_written = True

    def add(self, whole: WholeRound) -> None:
        """Add a round with everything that happened in it."""
        opened, round_id, submission = whole.opened, str(whole.opened.id), str(whole.submission.id)
        keys = f"{self._club}\t{round_id}\t{opened.revision}"
        self._last_event = b""
        self._add_opening(opened, keys)
        self._add_event(round_id, opened.version, EventKind.ROUND_OPENED, whole.event)
        self._add_submission(submission, whole.submission.content)
        for sequence, step in enumerate(whole.steps, start=opened.version + 1):
            if isinstance(step, HandStep):
                kind = EventKind.HAND_RECORDED
                self._add_hand(round_id, keys, opened.round.ruleset, step, submission)
            else:
                kind = self._add_ending(keys, step)
            self._add_event(round_id, sequence, kind, step.event)
        stored = whole.stored
        if whole.ends_final:
            event = finalized_event(stored.id, stored.revision, Because.IMPORT)
            self._add_event(round_id, stored.version, EventKind.SETTLEMENT_FINALIZED, event)
        self._add_head(stored, round_id)

    def _add_opening(self, opened: StoredRound, keys: str) -> None:
        ruleset = opened.round.ruleset
        self._lines["rounds"].append(
            f"{self._club}\t{opened.id}\t{opened.table_id}\t{show_text(opened.reference)}\t{show_bytes(opened.digest)}\t"
            f"{show_plain(opened.point_value)}\t{show_text(opened.currency)}\t{self._now}\t"
            f"{opened.correction_window_minutes}\n"
        )
        self._lines["settlements"].append(f"{keys}\t{ruleset.name}\t{ruleset.version}\t{self._now}\n")
        self._lines["round_seats"] += [
            f"{keys}\t{seat.seat}\t{show_text(seat.player)}\t{seat.opening_stack}\tf\n" for seat in opened.round.seats
        ]

    def _add_submission(self, submission: str, received: bytes) -> None:
        self._lines["submissions"].append(
            f"{self._club}\t{submission}\t{DOCUMENT}\t{show_bytes(received)}\t{show_bytes(sha256(received).digest())}\t"
            f"{self._now}\n"
        )

    def _add_hand(self, round_id: str, keys: str, ruleset: Ruleset, step: HandStep, submission: str) -> None:
        hand_id, hand = step.id, step.kept.packed
        self._lines["hands"].append(
            f"{self._club}\t{hand_id}\t{round_id}\t{hand.number}\t{hand.button}\t{show_time(step.kept.played_at)}\t"
            f"{self._now}\t{submission}\t{show_bytes(step.digest)}\t{show_text(step.kept.content.decode())}\t"
            f"{show_list(hand.seats)}\t{show_list(hand.fantasyland)}\t{show_bytes(hand.boards)}\n"
        )
        *lists, transfers, irregular = step.figures
        shown = "\t".join(map(show_list, lists))
        self._lines["hand_scores"].append(
            f"{keys}\t{hand.number}\t{hand_id}\t{ruleset.name}\t{ruleset.version}\t{SCORER_VERSION}\t{shown}\t"
            f"{len(transfers)}\t{show_text(irregular)}\n"
        )
        self._add_transfers(f"{keys}\t{hand.number}\tf", transfers)

    def _add_ending(self, keys: str, step: EndingStep) -> EventKind:
        ending, before = step.ending, step.before
        if step.departed.transfers:
            seats, transfers = before.seat_numbers, rows_of(step.departed.transfers)
            stacks_before, stacks = in_order(seats, before.stacks), in_order(seats, step.departed.round.stacks)
            self._lines["payouts"].append(
                f"{keys}\t{before.hands}\t{show_list(stacks_before)}\t{show_list(stacks)}\t{len(transfers)}\n"
            )
            self._add_transfers(f"{keys}\t{before.hands}\tt", transfers)
        ended = f"{ending.after_hand}\t{show_text(ending.reason)}\t{self._now}\n"
        if isinstance(ending, Closing):
            self._lines["closings"].append(f"{keys}\t{ended}")
            return EventKind.ROUND_CLOSED
        self._lines["departures"].append(f"{keys}\t{len(before.gone) + 1}\t{ending.seat}\t{ended}")
        return EventKind.DEPARTURE_RECORDED

    def _add_transfers(self, keys: str, transfers: Sequence[PaidRow]) -> None:
        self._lines["transfers"] += [
            f"{keys}\t{order}\t{payer}\t{payee}\t{due}\t{paid}\t{limited_by or NOTHING}\t{payer_left}\t{payee_left}\n"
            for order, (payer, payee, due, paid, limited_by, payer_left, payee_left) in enumerate(transfers, 1)
        ]

    def _add_head(self, stored: StoredRound, round_id: str) -> None:
        ruleset, stands, firm = stored.round.ruleset, dump_round(stored.round), stored.firmness
        stacks = "\t".join(show_list(stands[name]) for name in ("opening_stacks", "top_ups", "stacks"))
        self._lines["round_heads"].append(
            f"{self._club}\t{round_id}\t{stored.table_id}\t{stands['status']}\t{stored.version}\t{stored.revision}\t"
            f"{ruleset.name}\t{ruleset.version}\t{stands['hands']}\t{show_list(stands['seats'])}\t"
            f"{show_texts(stands['players'])}\t{stacks}\t{show_text(canonical_json(stands['state']).decode())}\t"
            f"{firm.settlement_state}\t{show_time(firm.provisional_until)}\t{show_plain(firm.final_revision)}\t"
            f"{firm.open_disputes}\t{show_bytes(self._last_event)}\n"
        )

    def _add_event(self, round_id: str, sequence: int, kind: EventKind, content: bytes) -> None:
        event_id = str(uuid7())
        heading = self._headings.write(event_id, round_id, sequence, kind.value, self._last_event, content)
        self._last_event = hash_event(heading + content)
        self._lines["events"].append(
            f"{self._club}\t{event_id}\t{round_id}\t{sequence}\t{kind}\t{self._by_whom}\t"
            f"{show_bytes(heading)}\t{show_bytes(content)}\t{show_bytes(self._last_event)}\n"
        )
