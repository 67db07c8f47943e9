"""The ledger: the entries of the journal as lines, each of which says who owes whom an amount."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, validates_schema

from schemas.base import Dumped, Sentence, WireSchema
from schemas.clubs import OfRoundsOrEvening
from schemas.fields import Boolean, Characters, Choice, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.game_fields import PlayerField, ReasonField, TableNameField, UnitDigitsField
from schemas.ledger.csv_rows import dump_rows, raw_field, text_cell
from schemas.ledger.journal import EntryKind, player_of
from schemas.ledger.ledger_places import LedgerCursorField
from schemas.ledger.units import UnitField
from schemas.money import Unit, dump_unit, show_decimal
from schemas.pages import DEFAULT, PageSchema, QueryInteger, QuerySchema
from scoring.ruleset import Points
from scoring.settlement import LimitedBy

MOST_LINES: Final = 1000
LONGEST_REFERENCE: Final = 255


_KINDS: Final = {kind.value: kind for kind in EntryKind}


class LedgerQuerySchema(OfRoundsOrEvening, QuerySchema):
    """The page and the filter of the ledger."""

    limit = QueryInteger(
        least=1,
        most=MOST_LINES,
        description=f"Maximum number of lines on the page. If omitted, {DEFAULT} as JSON, and all lines as CSV. Not"
        " with Parquet.",
    )
    cursor = LedgerCursorField(description="The `next_cursor` of an earlier page. The first page if omitted.")
    opened_from = Time(
        data_key="from",
        description="Only entries of rounds opened, and of payments paid, at or after this time. Charges have the time"
        " when they were recorded.",
    )
    opened_before = Time(
        data_key="to", description="Only entries of rounds opened, and of payments paid, before this time."
    )
    posted_from = Time(description="Only entries written at or after this time.")
    posted_before = Time(description="Only entries written before this time.")
    table_id = UuidField(
        data_key="table", description="Only entries of rounds at this table, and of payments of its points."
    )
    player = PlayerField(description="Only lines from or to this player.")
    kind = Choice(_KINDS, description="Only entries of this kind.")
    unit = UnitField(description="Only entries in this unit.")
    reference = Text(
        longest=LONGEST_REFERENCE,
        characters=Characters.ID,
        description="Only entries with this reference: of a payment or charge, or of the round.",
    )
    round_id = UuidField(data_key="round", description="Only entries of the round with this ID.")
    raw = raw_field()

    @validates_schema(skip_on_field_errors=False)
    def _check_posted(self, read: dict[str, Any], **_: Any) -> None:
        begin, end = read.get("posted_from"), read.get("posted_before")
        if begin is not None and end is not None and begin > end:
            detail = f"is {show_time(begin)}, after the end at {show_time(end)}; expected a moment before it"
            raise ValidationError(Sentence("out-of-range", detail), "posted_from")


class LedgerLineSchema(WireSchema):
    """Who owes whom an amount by an entry of the journal."""

    id = UuidField(required=True, description="ID of the entry, which is that of its event.")
    line = Integer(least=1, required=True, description="Number of the line in its entry.")
    position = Integer(
        least=0,
        required=True,
        allow_none=True,
        description="Position of the event of the entry in the tree of the club, by which lines are ordered. Null for"
        " some seconds after the event; such lines come last, and are listed again at their position.",
    )
    kind = Choice(
        _KINDS,
        required=True,
        description="`settlement`: its round ended. `adjustment`: the ended round has another revision. `reversal`: the"
        " round is open again, or a payment or charge was taken back. `payment`, `charge`: one was recorded.",
    )
    posted_at = Time(required=True, description="Time when the entry was written.")
    played_at = Time(
        required=True,
        description="Time when the hand was played; if unknown, and for other entries of a round, the time when the"
        " round was opened. Of a payment the time when it was paid.",
    )
    table = UuidField(
        required=True, allow_none=True, description="ID of the table. Null if the entry belongs to no table."
    )
    table_name = TableNameField(required=True, allow_none=True, description="Name of the table now.")
    round = UuidField(
        required=True, allow_none=True, description="ID of the round. Null if the entry belongs to no round."
    )
    reference = Text(
        longest=LONGEST_REFERENCE,
        characters=Characters.ID,
        required=True,
        allow_none=True,
        description="The client's ID of the payment or charge, or the operator's reference of the round.",
    )
    hand = Integer(
        least=1,
        required=True,
        allow_none=True,
        description="Number of the hand of a settlement with which the points were paid. Null for other lines.",
    )
    revision = Integer(
        least=1,
        required=True,
        allow_none=True,
        description="Number of the revision of the round that the entry follows from. Null without one.",
    )
    previous_revision = Integer(
        least=1,
        required=True,
        allow_none=True,
        description="Number of the revision that counted before, if the entry changes what it added.",
    )
    payer = PlayerField(
        required=True,
        allow_none=True,
        description="The operator's ID of the player who owes the amount, or paid it in a payment. Null for the house.",
    )
    payee = PlayerField(
        required=True,
        allow_none=True,
        description="The operator's ID of the player who is owed the amount, or received it. Null for the house: in an"
        " entry of a round, the line is its standing charge.",
    )
    due = Integer(
        least=1,
        required=True,
        allow_none=True,
        description="Points due from payer to payee before caps. Null except for the payments of a settlement.",
    )
    paid = Integer(
        least=0,
        required=True,
        allow_none=True,
        description="Points paid from payer to payee after caps. Null except for the payments of a settlement.",
    )
    limited_by = Choice(
        {limit.value: limit for limit in LimitedBy},
        required=True,
        allow_none=True,
        description="What capped the payment: the payer's stack or the payee's win limit. Null if nothing did.",
    )
    amount = Integer(least=0, required=True, description="Amount, in the unit.")
    unit = UnitField(required=True)
    unit_digits = UnitDigitsField(required=True, allow_none=False)
    actor = UuidField(
        required=True,
        allow_none=True,
        description="ID of the key or link that did it. Null for the service itself, and without the scope `audit`.",
    )
    note = ReasonField(
        required=True,
        allow_none=True,
        description="Note of a payment, or reason of a charge or of a reversal of either. Null if there is none, or"
        " after it was erased.",
    )
    reverses = UuidField(
        required=True, allow_none=True, description="ID of the payment or charge that the entry takes back."
    )
    final = Boolean(
        required=True, description="False while the settlement of the round now is not final; true without a round."
    )


class LedgerPageSchema(PageSchema):
    """One page of the ledger, in the order in which entries were written."""

    next_cursor = LedgerCursorField(
        required=True,
        description="Cursor of what follows, also on the last page: with it, a client later lists what was written"
        " since. The header `Link` has the address of the next page, if there is one now.",
    )
    lines = Listing(
        Inner(LedgerLineSchema), most=MOST_LINES, required=True, description="The lines of this page, in order."
    )


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """An entry of the journal without its amounts, and what is known about it now: names, notes and finality."""

    id: UUID
    position: int | None
    kind: EntryKind
    posted_at: datetime
    played_at: datetime
    table: str | None
    table_name: str | None
    round: str | None
    reference: str | None
    revision: int | None
    previous_revision: int | None
    unit: Unit
    actor: UUID | None
    note: str | None
    reverses: UUID | None
    is_final: bool


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """
    A line of an entry: the payer owes the payee the amount, or has paid it in a payment.

    Attributes:
        number: its number in the entry.
        payer, payee: accounts.
        played_at: when it was played or paid.
        hand, due, paid, limited_by: of the transfer behind a line of a settlement.
    """

    entry: LedgerEntry
    number: int
    payer: str
    payee: str
    amount: int
    played_at: datetime
    hand: int | None = None
    due: Points | None = None
    paid: Points | None = None
    limited_by: str | None = None


def dump_ledger_line(line: LedgerLine, *, is_audited: bool) -> Dumped:
    """Encode a line; who did it only if that is audited."""
    entry = line.entry
    return {
        "id": str(entry.id),
        "line": line.number,
        "position": entry.position,
        "kind": entry.kind.value,
        "posted_at": show_time(entry.posted_at),
        "played_at": show_time(line.played_at),
        "table": entry.table,
        "table_name": entry.table_name,
        "round": entry.round,
        "reference": entry.reference,
        "hand": line.hand,
        "revision": entry.revision,
        "previous_revision": entry.previous_revision,
        "payer": player_of(line.payer),
        "payee": player_of(line.payee),
        "due": line.due,
        "paid": line.paid,
        "limited_by": line.limited_by,
        "amount": line.amount,
        **dump_unit(entry.unit),
        "actor": str(entry.actor) if is_audited and entry.actor is not None else None,
        "note": entry.note,
        "reverses": None if entry.reverses is None else str(entry.reverses),
        "final": entry.is_final,
    }


LEDGER_TYPES: Final = {
    "id": "string",
    "line": "int",
    "position": "bigint",
    "kind": "string",
    "posted_at": "timestamp",
    "played_at": "timestamp",
    "table": "string",
    "table_name": "string",
    "round": "string",
    "reference": "string",
    "hand": "int",
    "revision": "int",
    "previous_revision": "int",
    "payer": "string",
    "payee": "string",
    "due": "bigint",
    "paid": "bigint",
    "limited_by": "string",
    "amount": "bigint",
    "unit": "string",
    "unit_digits": "smallint",
    "actor": "string",
    "note": "string",
    "reverses": "string",
    "final": "boolean",
}
"""The columns of a Parquet file, with the names of the contract: the types of Spark."""


def dump_ledger_record(line: LedgerLine, *, is_audited: bool) -> tuple[object, ...]:
    """Return the values of a line in the columns of a Parquet file."""
    values = dump_ledger_line(line, is_audited=is_audited)
    times = {"posted_at": line.entry.posted_at, "played_at": line.played_at}
    return tuple((values | times).values())


LEDGER_COLUMNS: Final = (
    "posted_at", "played_at", "kind", "table", "round", "reference", "hand", "payer", "payee", "due", "paid",
    "limited_by", "amount", "unit", "revision", "previous_revision", "final", "id", "line", "reverses", "note",
)  # as a table  # fmt: skip
LEDGER_HEADER: Final = dump_rows([LEDGER_COLUMNS])


def dump_ledger_rows(lines: Iterable[LedgerLine], *, raw: bool | None = False) -> bytes:
    """Encode lines as CSV without a header; amounts are decimal numbers, and texts may be raw."""
    return dump_rows(
        (
            show_time(line.entry.posted_at),
            show_time(line.played_at),
            line.entry.kind.value,
            text_cell(line.entry.table_name, raw=raw),
            line.entry.round,
            text_cell(line.entry.reference, raw=raw),
            line.hand,
            text_cell(player_of(line.payer), raw=raw),
            text_cell(player_of(line.payee), raw=raw),
            line.due,
            line.paid,
            line.limited_by,
            show_decimal(line.amount, line.entry.unit),
            line.entry.unit.code,
            line.entry.revision,
            line.entry.previous_revision,
            line.entry.is_final,
            str(line.entry.id),
            line.number,
            None if line.entry.reverses is None else str(line.entry.reverses),
            text_cell(line.entry.note, raw=raw),
        )
        for line in lines
    )
