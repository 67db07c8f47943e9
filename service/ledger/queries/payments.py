"""Insert payments, charges and their reversals: the event, the entry of the journal, and the note."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, TextClause, text

from evidence.events import (
    ChargeRecorded,
    ChargeReversed,
    EventPayload,
    PaymentRecorded,
    PaymentReversed,
    decode_event,
)
from evidence.texts import SaltedText
from schemas.ledger.journal import HOUSE, EntryKind, Posting, account_of, owe
from schemas.ledger.payments import Recorded, Reversal
from schemas.money import Unit
from scoring.errors import Mistake
from service.audit_trail.queries.events import EventWriter
from service.db import Transaction
from service.db.batch import Batch
from service.db.paging import count_rows
from service.errors import Busy, NotFound, PaymentConflict
from service.players.queries.aliases import read_aliases
from service.rounds.queries.journal import EntryRecord, load_worth
from service.texts import queries as texts
from service.texts.models import TextField
from service.texts.queries import NewText


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A stored payment or charge, with its note or reason; None if there is none, or after it was erased."""

    recorded: Recorded
    note: str | None


@dataclass(frozen=True, slots=True)
class ListedRecord(StoredRecord):
    """A stored payment or charge in a list, with the name of its table, and when it was taken back."""

    table_name: str | None
    reversed_at: datetime | None

    @property
    def id(self) -> UUID:
        """Its ID, by which lists are in order."""
        return self.recorded.id

    @property
    def kind(self) -> EntryKind:
        """Whether it is a payment or a charge."""
        return EntryKind.PAYMENT if isinstance(self.recorded.event, PaymentRecorded) else EntryKind.CHARGE

    @property
    def payer(self) -> str | None:
        """The player who paid, or who is charged; None for the house."""
        event = self.recorded.event
        return event.payer if isinstance(event, PaymentRecorded) else event.player

    @property
    def payee(self) -> str | None:
        """The player who was paid; None for the house."""
        event = self.recorded.event
        return event.payee if isinstance(event, PaymentRecorded) else None

    @property
    def unit(self) -> Unit:
        """The unit of the amount."""
        return self.recorded.unit


@dataclass(frozen=True, slots=True)
class EqualRecord:
    """A payment or charge like another one; None in a transaction of a link that cannot see it."""

    stored: StoredRecord | None


@dataclass(frozen=True, slots=True)
class PaidRound:
    """The table of a round, and the unit of what it adds."""

    table_id: UUID
    unit: Unit


@dataclass(frozen=True, slots=True)
class StoredReversal:
    """A stored reversal of a payment or charge, with its reason; None after it was erased."""

    reversal: Reversal
    reason: str | None


def entry_of(event: PaymentRecorded | ChargeRecorded, at: datetime) -> dict[str, Any]:
    """Return the columns of the entry of a payment or charge, except its ID and time, from its event and its time."""
    if isinstance(event, PaymentRecorded):
        posting = Posting(EntryKind.PAYMENT, owe(account_of(event.payee), account_of(event.payer), event.amount))
        played_at = event.paid_at
    else:
        posting = Posting(EntryKind.CHARGE, owe(event.player, HOUSE, event.amount))
        played_at = at
    return {
        "kind": posting.kind.value,
        "played_at": played_at,
        "round_id": event.round,
        "revision": None,
        "previous_revision": None,
        "table_id": event.table,
        "unit": event.unit,
        "unit_digits": event.unit_digits,
        **posting.columns,
        "reference": event.reference,
        "reverses": None,
    }


def reversal_of(recorded: UUID, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of the reversal of a payment or charge, from those of its entry."""
    return {
        **entry,
        "kind": EntryKind.REVERSAL.value,
        "amounts": [-amount for amount in entry["amounts"]],
        "reference": None,
        "reverses": recorded,
    }


_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 3))")
_SELECT: Final = """
    SELECT entry.id, entry.posted_at, entry.reverses, event.kind AS event_kind, event.content, note.content AS note
    FROM entries AS entry
    JOIN events AS event ON (event.club_id, event.id) = (entry.club_id, entry.id)
    LEFT JOIN texts AS note ON (note.club_id, note.record_id) = (entry.club_id, entry.id)
    WHERE entry.club_id = :club_id AND entry.revision IS NULL
"""
_BY_REFERENCE: Final = text(f"{_SELECT} AND entry.reference = :reference")
_BY_REFERENCES: Final = text(f"{_SELECT} AND entry.reference = ANY (CAST(:references AS text[]))")
_BY_ID: Final = text(f"{_SELECT} AND entry.id = :entry_id AND entry.kind = :kind")
_REVERSAL: Final = text(f"{_SELECT} AND entry.reverses = :entry_id")
# These functions see the whole club, also in a transaction of a link.
_EQUAL: Final = text("""
    SELECT find_equal_entry(:kind, :unit, CAST(:accounts AS text[]), CAST(:amounts AS bigint[]),
        CAST(:round_id AS uuid), CAST(:paid_at AS timestamptz))
""")
_IS_USED: Final = text("SELECT is_reference_used(:reference)")
_BALANCE: Final = text("SELECT find_net_balance(:unit, :account)")
_LISTED: Final = """
    SELECT entry.id, entry.posted_at, event.kind AS event_kind, event.content, note.content AS note,
        tables.name AS table_name, reversal.posted_at AS reversed_at
    FROM entries AS entry
    JOIN events AS event ON (event.club_id, event.id) = (entry.club_id, entry.id)
    LEFT JOIN texts AS note ON (note.club_id, note.record_id) = (entry.club_id, entry.id)
    LEFT JOIN tables ON (tables.club_id, tables.id) = (entry.club_id, entry.table_id)
    LEFT JOIN entries AS reversal ON (reversal.club_id, reversal.reverses) = (entry.club_id, entry.id)
    WHERE entry.club_id = :club_id AND entry.revision IS NULL AND entry.reference IS NOT NULL
"""
_OF_FILTER: Final = """
    (CAST(:ids AS text[]) IS NULL OR entry.accounts && CAST(:ids AS text[]))
    AND (CAST(:unit AS text) IS NULL OR entry.unit = CAST(:unit AS text))
"""
_LIST: Final = {
    oldest_first: text(f"""
        {_LISTED} AND {_OF_FILTER}
            AND (CAST(:after AS uuid) IS NULL OR entry.id {">" if oldest_first else "<"} CAST(:after AS uuid))
        ORDER BY entry.id {"ASC" if oldest_first else "DESC"} LIMIT :limit
    """)
    for oldest_first in (False, True)
}
# The positive amount of a payment or charge is the amount itself.
_SUMS: Final = text(f"""
    SELECT entry.kind, entry.unit, entry.unit_digits, sum(greatest(entry.amounts[1], entry.amounts[2])) AS amount
    FROM entries AS entry
    WHERE entry.club_id = :club_id AND entry.revision IS NULL AND entry.reference IS NOT NULL AND {_OF_FILTER}
        AND NOT EXISTS (
            SELECT FROM entries AS reversal
            WHERE (reversal.club_id, reversal.reverses) = (entry.club_id, entry.id)
        )
    GROUP BY entry.kind, entry.unit, entry.unit_digits ORDER BY entry.kind DESC, entry.unit, entry.unit_digits
""")
_FOR_ROUND: Final = text(f"""
    {_LISTED} AND entry.round_id = :round_id AND entry.kind = '{EntryKind.PAYMENT}' AND reversal.id IS NULL
    ORDER BY entry.id
""")
_UNIT: Final = text("SELECT unit, unit_digits FROM entries WHERE club_id = :club_id AND unit = :unit LIMIT 1")
_ROUND: Final = text("""
    SELECT table_id, point_value, unit, unit_digits FROM rounds WHERE club_id = :club_id AND id = :round_id
""")


def lock(transaction: Transaction, name: str) -> None:
    """Lock a reference, or the ID of a payment or charge, until the transaction ends."""
    transaction.execute(_LOCK, {"name": f"{transaction.club_id} {name}"})


def find_by_reference(transaction: Transaction, reference: str) -> StoredRecord | None:
    """Find the payment or charge with a reference, which the transaction can see."""
    return _find(transaction, _BY_REFERENCE, reference=reference)


def refuse_used_reference(transaction: Transaction, reference: str) -> None:
    """
    Check that nothing else in the club has a reference: of a link, it can be one of what it cannot see.

    Raises:
        PaymentConflict: a payment, a charge or a claim has it.
    """
    if transaction.execute(_IS_USED, {"reference": reference}).scalar_one():
        detail = f"the reference {reference!r} is that of another payment, charge or payment claim"
        raise PaymentConflict(detail, (Mistake(PaymentConflict.code, ("reference",), detail),))


def list_by_references(transaction: Transaction, references: Sequence[str]) -> dict[str, StoredRecord]:
    """Return the payments and charges that have one of these references, by it."""
    parameters = {"club_id": transaction.club_id, "references": [*references]}
    listed = [StoredRecord(_load(row), row.note) for row in transaction.execute(_BY_REFERENCES, parameters)]
    return {each.recorded.event.reference: each for each in listed}


def get(transaction: Transaction, entry_id: UUID, kind: EntryKind) -> StoredRecord:
    """
    Read a payment or charge.

    Raises:
        NotFound: the club has none with this ID.
    """
    stored = _find(transaction, _BY_ID, entry_id=entry_id, kind=kind.value)
    if stored is None:
        raise NotFound(f"the club has no {kind.value} {entry_id}")
    return stored


def find_equal(
    transaction: Transaction, event: PaymentRecorded | ChargeRecorded, paid_at: datetime | None
) -> EqualRecord | None:
    """
    Find the newest payment or charge like another one that was not reversed, in the whole club.

    A payment is like another one whatever round they name: the same payment can be recorded with it and without it. Two
    devices that record it have different times, so that payments within twelve hours of each other are compared.

    Args:
        transaction: of the club, or of a link.
        event: the other one.
        paid_at: when it was paid; None for now.
    """
    entry = entry_of(event, transaction.now)
    compared = {name: entry[name] for name in ("kind", "unit", "accounts", "amounts", "round_id")}
    equal: UUID | None = transaction.execute(_EQUAL, {**compared, "paid_at": paid_at}).scalar_one()
    return None if equal is None else EqualRecord(_find(transaction, _BY_ID, entry_id=equal, kind=entry["kind"]))


def _find(transaction: Transaction, query: TextClause, **parameters: Any) -> StoredRecord | None:
    row = transaction.execute(query, {"club_id": transaction.club_id, **parameters}).one_or_none()
    return None if row is None else StoredRecord(_load(row), row.note)


def list_page(
    transaction: Transaction,
    *,
    player: str | None,
    unit: str | None,
    after: UUID | None,
    limit: int,
    oldest_first: bool = False,
) -> list[ListedRecord]:
    """List payments and charges, of a player and in a unit or all, newest first, starting after the ID `after`."""
    parameters = {**_parameters(transaction, player, unit), "after": after, "limit": limit}
    return [_load_listed(row) for row in transaction.execute(_LIST[oldest_first], parameters)]


def count(transaction: Transaction, *, player: str | None, unit: str | None, limit: int) -> int:
    """Count payments and charges, of a player and in a unit or all, up to a limit."""
    return count_rows(transaction, f"{_LISTED} AND {_OF_FILTER}", limit, _parameters(transaction, player, unit))


def sum_amounts(transaction: Transaction, *, player: str | None, unit: str | None) -> list[tuple[EntryKind, int, Unit]]:
    """Sum up payments and charges that were not taken back, of a player and in a unit or all, by kind and unit."""
    rows = transaction.execute(_SUMS, _parameters(transaction, player, unit))
    return [(EntryKind(row.kind), int(row.amount), Unit(row.unit, row.unit_digits)) for row in rows]


def _parameters(transaction: Transaction, player: str | None, unit: str | None) -> dict[str, Any]:
    ids = None if player is None else read_aliases(transaction).ids_of(player)
    return {"club_id": transaction.club_id, "ids": ids, "unit": unit}


def list_for_round(transaction: Transaction, round_id: UUID) -> list[ListedRecord]:
    """List the payments that name a round and were not taken back, oldest first."""
    parameters = {"club_id": transaction.club_id, "round_id": round_id}
    return [_load_listed(row) for row in transaction.execute(_FOR_ROUND, parameters)]


def _load_listed(row: Row[Any]) -> ListedRecord:
    return ListedRecord(_load(row), row.note, row.table_name, row.reversed_at)


def _load(row: Row[Any]) -> Recorded:
    event = decode_event(row.event_kind, bytes(row.content))
    if not isinstance(event, PaymentRecorded | ChargeRecorded):
        raise TypeError(f"the event {row.id} is of the kind {row.event_kind!r}")
    return Recorded(row.id, row.posted_at, event)


def find_reversal(transaction: Transaction, entry_id: UUID) -> StoredReversal | None:
    """Find the reversal of a payment or charge."""
    parameters = {"club_id": transaction.club_id, "entry_id": entry_id}
    row = transaction.execute(_REVERSAL, parameters).one_or_none()
    return None if row is None else StoredReversal(Reversal(row.id, row.posted_at, row.reverses), row.note)


def find_balance(transaction: Transaction, unit: str, account: str) -> int:
    """Return what an account, or the player of one, is owed or, below zero, owes in a unit, in the whole club."""
    return int(transaction.execute(_BALANCE, {"unit": unit, "account": account}).scalar_one())


def find_unit(transaction: Transaction, code: str) -> Unit | None:
    """Find the unit that entries of the journal have by its code; for a link, those that it can see."""
    row = transaction.execute(_UNIT, {"club_id": transaction.club_id, "unit": code}).one_or_none()
    return None if row is None else Unit(row.unit, row.unit_digits)


def find_round(transaction: Transaction, round_id: UUID) -> PaidRound | None:
    """Find the table and the unit of a round."""
    parameters = {"club_id": transaction.club_id, "round_id": round_id}
    row = transaction.execute(_ROUND, parameters).one_or_none()
    if row is None:
        return None
    return PaidRound(row.table_id, load_worth(row).amount_unit)


def record(
    transaction: Transaction,
    event: PaymentRecorded | ChargeRecorded,
    note: SaltedText | None,
    *,
    after: UUID | None = None,
) -> Recorded:
    """Insert a payment or charge, whose reference is locked; `after` is the ID of the event of its claim."""
    added = _insert(transaction, event, entry_of(event, transaction.now), note, after=after)
    return Recorded(added, transaction.now, event)


def add(transaction: Transaction, batch: Batch, event: ChargeRecorded, reason: SaltedText) -> UUID:
    """
    Add a charge to a batch that writes other records too, and return its ID.

    Nothing is recorded under its reference. If another transaction records something under it meanwhile, the batch
    violates the constraint `entries_reference_key`.
    """
    return _add(transaction, batch, event, entry_of(event, transaction.now), reason)


def reverse(
    transaction: Transaction, recorded: Recorded, event: PaymentReversed | ChargeReversed, reason: SaltedText
) -> Reversal:
    """Insert the reversal of a payment or charge, whose ID is locked."""
    entry = reversal_of(recorded.id, entry_of(recorded.event, recorded.recorded_at))
    added = _insert(transaction, event, entry, reason, after=recorded.id)
    return Reversal(added, transaction.now, recorded.id)


def _insert(
    transaction: Transaction,
    event: EventPayload,
    entry: Mapping[str, Any],
    note: SaltedText | None,
    *,
    after: UUID | None = None,
) -> UUID:
    """Insert an event with its entry and note, and return its ID; `after` is that of an earlier event."""
    batch = Batch()
    added = _add(transaction, batch, event, entry, note, after=after)
    taken = Busy("The same payment or charge was recorded by another request; retry the request.")
    batch.write(transaction, entries_reference_key=taken, entries_reverses_key=taken)
    return added


def _add(
    transaction: Transaction,
    batch: Batch,
    event: EventPayload,
    entry: Mapping[str, Any],
    note: SaltedText | None,
    *,
    after: UUID | None = None,
) -> UUID:
    added, _ = EventWriter(transaction, batch).add(event.kind, event.encode(), after=after)
    posted = {"club_id": transaction.club_id, "id": added, "posted_at": transaction.now}
    batch.insert(EntryRecord, {**posted, **entry})
    if note is not None:
        texts.insert(transaction, batch, [NewText(TextField.NOTE, note, UUID(str(added)))])
    return UUID(str(added))
