"""Rounds that were played whole, recorded many at once: what `rounds`, `hands` and `endings` record step by step."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Final
from uuid import UUID

from sqlalchemy import text
from uuid_utils.compat import uuid7

from schemas.hands import canonical_json
from scoring.history import Closing, Departure
from scoring.round import Departed, PlayedHand
from scoring.round_state import Round
from scoring.settlement import Transfer
from service.audit import EventKind
from service.database import Transaction
from service.metrics.counters import check_balance, count_stored_hands
from service.repository.copied import copy_in, show_bytes, show_list, show_plain, show_text, show_texts
from service.repository.hand_records import pack_boards
from service.repository.hands import score_parameters
from service.repository.round_state import dump_round, in_order
from service.repository.stored_round import StoredRound

DOCUMENT: Final = "document"


@dataclass(frozen=True, slots=True)
class HandStep:
    """A hand that was played; `content` is its canonical JSON, `event` what the audit trail says of it."""

    played: PlayedHand
    played_at: datetime | None
    content: bytes
    digest: bytes
    event: bytes


@dataclass(frozen=True, slots=True)
class EndingStep:
    """A departure or closing, what came of it, and what the audit trail says of it."""

    departed: Departed
    ending: Departure | Closing
    event: bytes


@dataclass(frozen=True, slots=True)
class WholeRound:
    """
    A round played from its document, ready to be recorded.

    Attributes:
        opened: before its first hand.
        event: what the audit trail says of the opening.
        steps: everything after it, in order.
        received: the exact bytes of the document.
    """

    opened: StoredRound
    event: bytes
    steps: Sequence[HandStep | EndingStep]
    received: bytes

    @property
    def stored(self) -> StoredRound:
        """The round as it stands after all of it."""
        if not self.steps:
            return self.opened
        last = self.steps[-1]
        after = last.played.round if isinstance(last, HandStep) else last.departed.round
        return replace(self.opened, version=self.opened.version + len(self.steps), round=after)


COLUMNS: Final = {
    "rounds": "club_id, id, table_id, reference, digest, point_value, currency, opened_at",
    "settlements": "club_id, round_id, revision, ruleset_name, ruleset_version, created_at",
    "round_seats": "club_id, round_id, revision, seat, player, opening_stack, carried_over",
    "submissions": "club_id, id, kind, content, sha256, received_at",
    "hands": "club_id, id, round_id, number, button, played_at, recorded_at, submission_id, digest, content, seats,"
    " fantasyland, boards",
    "hand_scores": "club_id, round_id, revision, number, hand_id, ruleset_name, ruleset_version, scorer_version,"
    " points, fouls, royalties, earned, stays, exchanges, top_ups, stacks_before, stacks, transfer_count",
    "payouts": "club_id, round_id, revision, number, stacks_before, stacks, transfer_count",
    "transfers": "club_id, round_id, revision, number, late, position, payer, payee, due, paid, limited_by,"
    " payer_stack, payee_stack",
    "departures": "club_id, round_id, revision, position, seat, after_hand, reason, recorded_at",
    "closings": "club_id, round_id, revision, after_hand, reason, recorded_at",
    "round_heads": "club_id, round_id, table_id, status, version, revision, ruleset_name, ruleset_version, hands,"
    " seats, players, opening_stacks, top_ups, stacks, state",
    "events": "club_id, id, round_id, sequence, kind, actor, request_id, at, content",
}
"""The tables that rounds are recorded in, each after those that it refers to, and the columns that are written."""


def add_all(transaction: Transaction, played: Iterable[WholeRound]) -> None:
    """
    Record rounds that were played whole; their tables and rulesets have been added before.

    Every record is copied to PostgreSQL first, then each table is added to once: its constraints and triggers look at
    all of it together.
    """
    lines = _Lines(transaction)
    for whole in played:
        lines.add_round(whole)
    for table, columns in COLUMNS.items():
        copy_in(transaction, table, columns, lines.of_table[table])
    for statement in _ADD:
        transaction.execute(statement)
    transaction.after_commit.append(partial(count_stored_hands, len(lines.of_table["hands"])))


def _insert(table: str) -> str:
    return f"INSERT INTO {table} ({COLUMNS[table]}) SELECT {COLUMNS[table]} FROM incoming_{table}"


# Chips are checked when the statement ends that adds scores, and must have been paid by then.
_CHIPS: Final = f"WITH paid AS ({_insert('transfers')}), late AS ({_insert('payouts')}) {_insert('hand_scores')}"
_ADD: Final = [
    text(statement)
    for statement in (
        *map(_insert, ("rounds", "settlements", "round_seats", "submissions", "hands")),
        _CHIPS,
        *map(_insert, ("departures", "closings", "round_heads", "events")),
    )
]


class _Lines:
    """Records as COPY takes them, by their table."""

    def __init__(self, transaction: Transaction) -> None:
        self.of_table: dict[str, list[str]] = defaultdict(list)
        self.club = str(transaction.club_id)
        self.now = transaction.now.isoformat()
        self.actor = show_plain(transaction.actor)
        self.request = show_text(transaction.request_id)

    def add_round(self, whole: WholeRound) -> None:
        """Write all records of a round."""
        opened = whole.opened
        submission = uuid7()
        before, revision = opened.round, opened.revision
        keys = f"{self.club}\t{opened.id}\t{revision}"
        self._add_opening(opened, keys)
        self._add_event(opened.id, opened.version, EventKind.ROUND_OPENED, whole.event)
        self._add_submission(submission, whole.received)
        for sequence, step in enumerate(whole.steps, start=opened.version + 1):
            if isinstance(step, HandStep):
                kind, after = EventKind.HAND_RECORDED, step.played.round
                self._add_hand(opened.id, keys, before, step, submission)
            else:
                after = step.departed.round
                kind = self._add_ending(keys, before, step)
            check_balance(opened.id, after)
            self._add_event(opened.id, sequence, kind, step.event)
            before = after
        self._add_head(whole.stored)

    def _add_opening(self, opened: StoredRound, keys: str) -> None:
        ruleset = opened.round.ruleset
        self.of_table["rounds"].append(
            f"{self.club}\t{opened.id}\t{opened.table_id}\t{show_text(opened.reference)}\t{show_bytes(opened.digest)}\t"
            f"{show_plain(opened.point_value)}\t{show_text(opened.currency)}\t{self.now}\n"
        )
        self.of_table["settlements"].append(f"{keys}\t{ruleset.name}\t{ruleset.version}\t{self.now}\n")
        self.of_table["round_seats"] += [
            f"{keys}\t{seat.seat}\t{show_text(seat.player)}\t{seat.opening_stack}\tf\n" for seat in opened.round.seats
        ]

    def _add_submission(self, submission: UUID, received: bytes) -> None:
        self.of_table["submissions"].append(
            f"{self.club}\t{submission}\t{DOCUMENT}\t{show_bytes(received)}\t{show_bytes(sha256(received).digest())}\t"
            f"{self.now}\n"
        )

    def _add_hand(self, round_id: UUID, keys: str, before: Round, step: HandStep, submission: UUID) -> None:
        hand, hand_id = step.played.hand, uuid7()
        by_seat = sorted(hand.players, key=lambda player: player.seat)
        played_at = "\\N" if step.played_at is None else step.played_at.isoformat()
        self.of_table["hands"].append(
            f"{self.club}\t{hand_id}\t{round_id}\t{hand.number}\t{hand.button}\t{played_at}\t{self.now}\t{submission}\t"
            f"{show_bytes(step.digest)}\t{show_text(step.content.decode())}\t"
            f"{show_list(player.seat for player in by_seat)}\t{show_list(player.fantasyland for player in by_seat)}\t"
            f"{show_bytes(pack_boards(by_seat))}\n"
        )
        score = score_parameters(before, step.played)
        lists = "\t".join(map(show_list, (score[name] for name in _LISTS)))
        transfers = step.played.transfers
        self.of_table["hand_scores"].append(
            f"{keys}\t{hand.number}\t{hand_id}\t{score['ruleset_name']}\t{score['ruleset_version']}\t"
            f"{score['scorer_version']}\t{lists}\t{len(transfers)}\n"
        )
        self._add_transfers(keys, hand.number, transfers, "f")

    def _add_ending(self, keys: str, before: Round, step: EndingStep) -> EventKind:
        ending, transfers = step.ending, step.departed.transfers
        if transfers:
            seats = before.seat_numbers
            stacks_before, stacks = in_order(seats, before.stacks), in_order(seats, step.departed.round.stacks)
            self.of_table["payouts"].append(
                f"{keys}\t{before.hands}\t{show_list(stacks_before)}\t{show_list(stacks)}\t{len(transfers)}\n"
            )
            self._add_transfers(keys, before.hands, transfers, "t")
        ended = f"{ending.after_hand}\t{show_text(ending.reason)}\t{self.now}\n"
        if isinstance(ending, Closing):
            self.of_table["closings"].append(f"{keys}\t{ended}")
            return EventKind.ROUND_CLOSED
        self.of_table["departures"].append(f"{keys}\t{len(before.gone) + 1}\t{ending.seat}\t{ended}")
        return EventKind.DEPARTURE_RECORDED

    def _add_transfers(self, keys: str, number: int, transfers: Sequence[Transfer], late: str) -> None:
        self.of_table["transfers"] += [
            f"{keys}\t{number}\t{late}\t{paid.order}\t{paid.payer}\t{paid.payee}\t{paid.due}\t{paid.paid}\t"
            f"{show_text(paid.limited_by)}\t{paid.payer_stack}\t{paid.payee_stack}\n"
            for paid in transfers
        ]

    def _add_head(self, stored: StoredRound) -> None:
        ruleset, stands = stored.round.ruleset, dump_round(stored.round)
        stacks = "\t".join(show_list(stands[name]) for name in ("opening_stacks", "top_ups", "stacks"))
        self.of_table["round_heads"].append(
            f"{self.club}\t{stored.id}\t{stored.table_id}\t{stands['status']}\t{stored.version}\t{stored.revision}\t"
            f"{ruleset.name}\t{ruleset.version}\t{stands['hands']}\t{show_list(stands['seats'])}\t"
            f"{show_texts(stands['players'])}\t{stacks}\t{show_text(canonical_json(stands['state']).decode())}\n"
        )

    def _add_event(self, round_id: UUID, sequence: int, kind: EventKind, content: bytes) -> None:
        self.of_table["events"].append(
            f"{self.club}\t{uuid7()}\t{round_id}\t{sequence}\t{kind}\t{self.actor}\t{self.request}\t{self.now}\t"
            f"{show_bytes(content)}\n"
        )


_LISTS: Final = ("points", "fouls", "royalties", "earned", "stays", "exchanges", "added", "stacks_before", "stacks")
"""What `score_parameters` has for the columns of a hand's score that are lists, in their order."""
