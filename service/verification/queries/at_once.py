"""What is kept of many rounds and their events, read for who holds all of them against each other at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from uuid import UUID

import numpy as np
from sqlalchemy import text

from service.db import Transaction
from service.ledger.queries.events import EventKind
from service.recomputations.packed.rows import (
    BIG,
    BYTE,
    FLAG,
    ID,
    INTEGER,
    SMALL,
    Column,
    Rows,
    read_beginnings,
    read_tailed,
    split_rows,
)
from service.verification.queries.audited import OF_ROUNDS, Stretch, in_stretch

KINDS: Final = tuple(EventKind)
"""What the number in `kind` stands for; another number for what is none of these."""
DOCUMENT, HAND = 1, 2
"""What the number in `kind` of a submission stands for."""
EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""What times are counted from, in microseconds."""

_ID_TEXT: Final = 36
_PARTS_OF_ID: Final = ((0, 8, 0), (8, 12, 1), (12, 16, 2), (16, 20, 3), (20, 32, 4))
"""The digits of an id that stand together as text: from where, to where, and how many hyphens come before."""
_HASH: Final = 32
_USUAL: Final = (EventKind.HAND_RECORDED, EventKind.ROUND_OPENED, EventKind.SETTLEMENT_FINALIZED)
# In this order each is looked for.
_KIND: Final = " ".join(f"WHEN '{kind}' THEN {KINDS.index(kind)}" for kind in dict.fromkeys((*_USUAL, *KINDS)))
# PostgreSQL would sort wide rows on disk; they are put in order when they have come.
_EVENTS: Final = f"""
    SELECT round_id, sequence, (CASE kind {_KIND} ELSE -1 END)::smallint, at, hash, id,
        coalesce(actor, '00000000-0000-0000-0000-000000000000'), actor IS NOT NULL,
        coalesce(request_id, ''), heading, content
    FROM events WHERE club_id = %(club_id)s AND round_id > %(after)s AND round_id <= %(upto)s
"""
_EVENT: Final = (
    Column("round", ID),
    Column("sequence", INTEGER),
    Column("kind", SMALL),
    Column("at", BIG),
    Column("hash", BYTE, size=_HASH),
    Column("id", ID),
    Column("actor", ID),
    Column("has_actor", FLAG),
)
_WRITTEN: Final = 3
"""So many columns of an event are of any length: what its request was called, its heading, and its content."""
_HANDS: Final = """
    SELECT round_id, number, id, submission_id, recorded_at, coalesce(played_at, '2000-01-01 00:00Z'),
        played_at IS NOT NULL, digest, content::text
    FROM hands WHERE club_id = %(club_id)s AND round_id > %(after)s AND round_id <= %(upto)s
"""
_HAND: Final = (
    Column("round", ID),
    Column("number", INTEGER),
    Column("id", ID),
    Column("submission", ID),
    Column("recorded_at", BIG),
    Column("played_at", BIG),
    Column("is_timed", FLAG),
    Column("digest", BYTE, size=_HASH),
)
_SUBMISSIONS: Final = f"""
    SELECT id, (CASE kind WHEN 'document' THEN {DOCUMENT} WHEN 'hand' THEN {HAND} ELSE 0 END)::smallint,
        received_at, sha256, content
    FROM submissions WHERE club_id = %(club_id)s AND id IN (
        SELECT submission_id FROM hands WHERE club_id = %(club_id)s AND round_id > %(after)s AND round_id <= %(upto)s
    )
"""
_SUBMISSION: Final = (
    Column("id", ID),
    Column("kind", SMALL),
    Column("received_at", BIG),
    Column("sha256", BYTE, size=_HASH),
)
# Of rounds of one revision, and what is said twice is the same.
_ROUNDS: Final = """
    SELECT head.round_id, round.table_id, round.table_sequence, round.imported, round.digest, round.opened_at,
        round.recorded_at,
        round.correction_window_minutes, head.version, head.open_disputes, head.last_event,
        coalesce(head.provisional_until, '2000-01-01 00:00Z'), head.provisional_until IS NOT NULL,
        json_build_array(
            round.reference, round.point_value, round.currency, head.players, head.state, head.settlement_state,
            head.final_revision
        )::text
    FROM round_heads AS head
    JOIN rounds AS round ON (round.club_id, round.id, round.table_id) = (head.club_id, head.round_id, head.table_id)
    JOIN settlements AS settlement ON (settlement.club_id, settlement.round_id) = (head.club_id, head.round_id)
    WHERE head.club_id = %(club_id)s AND head.round_id > %(after)s AND head.round_id <= %(upto)s
        AND round.club_id = %(club_id)s AND round.id > %(after)s AND round.id <= %(upto)s
        AND settlement.club_id = %(club_id)s AND settlement.round_id > %(after)s AND settlement.round_id <= %(upto)s
        AND (head.revision, settlement.revision, settlement.created_at) = (1, 1, round.recorded_at)
        AND settlement.reason IS NULL AND settlement.adjusts_revision IS NULL
        AND (settlement.ruleset_name, settlement.ruleset_version) = (head.ruleset_name, head.ruleset_version)
"""
_ROUND: Final = (
    Column("round", ID),
    Column("table", ID),
    Column("table_sequence", INTEGER),
    Column("imported", FLAG),
    Column("digest", BYTE, size=_HASH),
    Column("opened_at", BIG),
    Column("recorded_at", BIG),
    Column("window", INTEGER),
    Column("version", INTEGER),
    Column("open_disputes", SMALL),
    Column("last_event", BYTE, size=_HASH),
    Column("provisional_until", BIG),
    Column("is_provisional", FLAG),
)
_IN_STRETCH: Final = "club_id = :club_id AND round_id > :after AND round_id <= :upto"
_CARRIED: Final = text(f"SELECT round_id, seat FROM round_seats WHERE {_IN_STRETCH} AND carried_over IS NOT FALSE")
_DEPARTURES: Final = text(f"""
    SELECT round_id, position, seat, after_hand, reason, recorded_at FROM departures
    WHERE {_IN_STRETCH} AND revision = 1 ORDER BY round_id, position
""")
_CLOSINGS: Final = text(f"""
    SELECT round_id, after_hand, reason, recorded_at FROM closings WHERE {_IN_STRETCH} AND revision = 1
""")
_CONFIRMATIONS: Final = text(f"""
    SELECT round_id, seat, confirmed_at FROM confirmations WHERE {_IN_STRETCH} AND revision = 1
""")
_BY_THEMSELVES: Final = text(
    " UNION ".join(
        f"SELECT round_id FROM {table} WHERE {_IN_STRETCH}"
        for table in ("payouts", "adjustments", "corrections", "disputes", "dispute_entries")
    )
)
_COUNTED: Final = tuple(table for table in OF_ROUNDS if table != "dispute_heads")
_COUNTS: Final = text(
    "SELECT "
    + ", ".join(
        f"(SELECT count(*) FROM {table} WHERE club_id = :club_id AND {key} > :after AND {key} <= :upto"
        f" AND {key} <> ALL (:but)) AS {table}"
        for table, key in ((table, "id" if table == "rounds" else "round_id") for table in _COUNTED)
    )
)


T = TypeVar("T", str, bytes)


@dataclass(frozen=True, slots=True)
class Tailed:
    """
    Records as arrays.

    Attributes:
        rows: their columns, but for the last.
        tails: the last column of each, as bytes.
    """

    rows: Rows
    tails: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class KeptEvents:
    """
    Events of rounds, in order, as arrays.

    Attributes:
        rows: their columns that are all of one size.
        written: of each what its request was called, its heading and its content, each after its length.
    """

    rows: Rows
    written: Sequence[bytes]

    def content(self, place: int) -> bytes:
        """What one of them says."""
        written, first = self.written[place], 0
        for _ in range(_WRITTEN - 1):
            first += 4 + int.from_bytes(written[first : first + 4])
        return written[first + 4 :]


def read_events(transaction: Transaction, stretch: Stretch) -> KeptEvents:
    """Read the events of rounds, in order."""
    copied = split_rows(transaction.copy_out(_EVENTS, in_stretch(transaction, stretch)))
    return KeptEvents(*_in_order(*read_beginnings(copied, _EVENT, _WRITTEN), "id", "sequence", "round"))


def read_hands(transaction: Transaction, stretch: Stretch) -> Tailed:
    """Read the hands of rounds, by round and number; the last column is what happened, as JSON."""
    hands = _read(transaction, stretch, _HANDS, _HAND)
    return Tailed(*_in_order(hands.rows, hands.tails, "number", "round"))


def read_submissions(transaction: Transaction, stretch: Stretch) -> Tailed:
    """Read in what the hands of rounds came; the last column is all of it."""
    return _read(transaction, stretch, _SUBMISSIONS, _SUBMISSION)


def read_rounds(transaction: Transaction, stretch: Stretch) -> Tailed:
    """
    Read the rounds that are of one revision and of which nothing is said in two ways.

    The last column is a list, as JSON: reference, point value, currency, players, state, state of the settlement, and
    the revision that is final.
    """
    return _read(transaction, stretch, _ROUNDS, _ROUND)


def list_carried_over(transaction: Transaction, stretch: Stretch) -> Sequence[Any]:
    """List the seats whose stack came from the round before."""
    return transaction.execute(_CARRIED, in_stretch(transaction, stretch)).all()


def list_departures(transaction: Transaction, stretch: Stretch) -> Sequence[Any]:
    """List who left, by round and position."""
    return transaction.execute(_DEPARTURES, in_stretch(transaction, stretch)).all()


def list_closings(transaction: Transaction, stretch: Stretch) -> Sequence[Any]:
    """List the rounds that were closed early."""
    return transaction.execute(_CLOSINGS, in_stretch(transaction, stretch)).all()


def list_confirmations(transaction: Transaction, stretch: Stretch) -> Sequence[Any]:
    """List who has said that a settlement is right."""
    return transaction.execute(_CONFIRMATIONS, in_stretch(transaction, stretch)).all()


def list_unusual(transaction: Transaction, stretch: Stretch) -> set[UUID]:
    """List the rounds that something is kept of which is of few rounds."""
    return set(transaction.execute(_BY_THEMSELVES, in_stretch(transaction, stretch)).scalars())


def count_records(transaction: Transaction, stretch: Stretch, but: Sequence[UUID]) -> Mapping[str, int]:
    """Count the records of each table that are of a stretch, but not of some rounds."""
    return dict(transaction.execute(_COUNTS, {**in_stretch(transaction, stretch), "but": list(but)}).mappings().one())


def _read(transaction: Transaction, stretch: Stretch, query: str, columns: Sequence[Column]) -> Tailed:
    rows = split_rows(transaction.copy_out(query, in_stretch(transaction, stretch)))
    return Tailed(*read_tailed(rows, columns))


def _in_order(rows: Rows, ends: Sequence[bytes], *by: str) -> tuple[Rows, Sequence[bytes]]:
    """Put records in the order of some columns, the most important last."""
    order = np.lexsort([rows[name] for name in by])
    if (np.diff(order) == 1).all():
        return rows, ends
    return rows[order], [ends[place] for place in order.tolist()]


def written_ids(column: Any) -> Any:
    """Write ids as texts: [ids, 36]."""
    digits = np.frombuffer(column.tobytes().hex().encode(), np.uint8).reshape(-1, 32)
    written = np.full((len(digits), _ID_TEXT), ord("-"), np.uint8)
    for first, last, hyphens in _PARTS_OF_ID:
        written[:, first + hyphens : last + hyphens] = digits[:, first:last]
    return written


def ids_of(column: Any) -> list[str]:
    """Read a column of ids, as texts."""
    return texts_of(written_ids(column))


def texts_of(column: Any) -> list[str]:
    """Read a column of texts that are all of one length."""
    return _cut(column.tobytes().decode(), column.shape[1])


def hexes_of(column: Any) -> list[str]:
    """Read a column of bytes as hexadecimal digits."""
    return _cut(column.tobytes().hex(), 2 * column.shape[1])


def digests_of(column: Any) -> list[bytes]:
    """Read a column of bytes that are all of one length."""
    return _cut(column.tobytes(), column.shape[1])


def _cut(joined: T, length: int) -> list[T]:
    return [joined[start : start + length] for start in range(0, len(joined), length)]
