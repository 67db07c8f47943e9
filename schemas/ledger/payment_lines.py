"""The ledger: one line for each payment between two players."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self
from uuid import UUID

from schemas.base import Dumped, WireField, WireSchema
from schemas.clubs import OfRoundsOrEvening
from schemas.fields import Boolean, Choice, Inner, Integer, Listing, Time, UuidField, show_time
from schemas.game_fields import CurrencyDigitsField, CurrencyField, PlayerField, ReferenceField, TableNameField
from schemas.ledger.csv_rows import dump_rows, raw_field, text_cell
from schemas.money import find_digits, show_decimal
from schemas.pages import (
    DEFAULT,
    CursorField,
    PageSchema,
    QueryInteger,
    QuerySchema,
    decode_cursor,
    encode_cursor,
    refuse_cursor,
)
from scoring.ruleset import Points
from scoring.settlement import LimitedBy

_CURSOR_BYTES: Final = 20
_CURSOR_LENGTH: Final = 27
_CURSOR_PATTERN: Final = "^[A-Za-z0-9_-]{26}[AEIMQUYcgkosw048]$"
MOST_LINES: Final = 1000


@dataclass(frozen=True, slots=True, order=True)
class PaymentPlace:
    """The place of a payment in the ledger after that of its round: in a payout after a hand it is `late`."""

    round_id: UUID
    hand: int
    late: bool
    order: int

    def show(self) -> str:
        """
        Return the cursor of the page after the payment.

        >>> place = PaymentPlace(UUID(int=7), 3, False, 1)
        >>> PaymentPlace.parse(place.show()) == place
        True
        """
        packed = self.round_id.bytes + self.hand.to_bytes(2) + bytes([self.late, self.order])
        return encode_cursor(packed)

    @classmethod
    def parse(cls, cursor: str) -> Self:
        """
        Parse a cursor.

        Raises:
            ValueError: it is not a cursor.
        """
        packed = decode_cursor(cursor, _CURSOR_BYTES)
        if packed[18] > 1:
            raise ValueError(refuse_cursor(cursor))
        return cls(UUID(bytes=packed[:16]), int.from_bytes(packed[16:18]), bool(packed[18]), packed[19])


class PaymentCursorField(CursorField):
    """The cursor of a page of the ledger."""

    def __init__(self, **options: Any) -> None:
        length = {"minLength": _CURSOR_LENGTH, "maxLength": _CURSOR_LENGTH, "pattern": _CURSOR_PATTERN}
        WireField.__init__(self, described=length, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> PaymentPlace:
        try:
            return PaymentPlace.parse(value)
        except ValueError as error:
            raise self.refuse("not-a-cursor", str(error)) from None


class LedgerQuerySchema(OfRoundsOrEvening, QuerySchema):
    """The page and the filter of the ledger."""

    limit = QueryInteger(
        least=1,
        most=MOST_LINES,
        description=f"Maximum number of payments on the page. If omitted, {DEFAULT} as JSON, and all payments as CSV.",
    )
    cursor = PaymentCursorField(description="The `next_cursor` of the page before. The first page if omitted.")
    player = PlayerField(description="Only payments from or to this player.")
    raw = raw_field()


class LedgerLineSchema(WireSchema):
    """A payment between two players."""

    played_at = Time(
        required=True, description="Time when the hand was played. If unknown, the time when its round was opened."
    )
    table = UuidField(required=True, description="ID of the table.")
    table_name = TableNameField(required=True)
    round = UuidField(required=True, description="ID of the round.")
    reference = ReferenceField(required=True)
    hand = Integer(least=1, required=True, description="Number of the hand with which the payment was made.")
    payer = PlayerField(required=True, description="The operator's ID of the player who pays.")
    payee = PlayerField(required=True, description="The operator's ID of the player who is paid.")
    due = Integer(least=1, required=True, description="Points due from payer to payee before caps.")
    paid = Integer(least=0, required=True, description="Points paid from payer to payee after caps.")
    limited_by = Choice(
        {limit.value: limit for limit in LimitedBy},
        required=True,
        allow_none=True,
        description="What capped the payment: the payer's stack or the payee's win limit. Null if it was paid in full.",
    )
    amount = Integer(
        least=0,
        required=True,
        allow_none=True,
        description="The paid points in money, in minor units of the currency. Null if the round has no point value.",
    )
    currency = CurrencyField(required=True)
    currency_digits = CurrencyDigitsField(required=True)
    revision = Integer(least=1, required=True, description="Number of the revision of the round that is in force.")
    final = Boolean(required=True, description="True if the settlement of the round is final.")


class LedgerPageSchema(PageSchema):
    """One page of the ledger, oldest round first."""

    next_cursor = PaymentCursorField(
        required=True,
        allow_none=True,
        description="Cursor of the next page. Null on the last page. The header `Link` has the address of the"
        " next page.",
    )
    payments = Listing(
        Inner(LedgerLineSchema), most=MOST_LINES, required=True, description="The payments of this page, in order."
    )


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A payment between two players, and its place in the ledger."""

    place: PaymentPlace
    played_at: datetime
    table: str
    table_name: str
    reference: str | None
    payer: str
    payee: str
    due: Points
    paid: Points
    limited_by: str | None
    point_value: int | None
    currency: str | None
    revision: int
    is_final: bool

    @property
    def amount(self) -> int | None:
        """The paid points in minor units of the currency; None without a point value."""
        return None if self.point_value is None else self.paid * self.point_value


def dump_ledger_line(line: LedgerLine) -> Dumped:
    """Encode a payment."""
    return {
        "played_at": show_time(line.played_at),
        "table": line.table,
        "table_name": line.table_name,
        "round": str(line.place.round_id),
        "reference": line.reference,
        "hand": line.place.hand,
        "payer": line.payer,
        "payee": line.payee,
        "due": line.due,
        "paid": line.paid,
        "limited_by": line.limited_by,
        "amount": line.amount,
        "currency": line.currency,
        "currency_digits": find_digits(line.currency),
        "revision": line.revision,
        "final": line.is_final,
    }


LEDGER_COLUMNS: Final = (
    "played_at", "table", "round", "reference", "hand", "payer", "payee", "due", "paid", "limited_by", "amount",
    "currency", "revision", "final",
)  # as a table  # fmt: skip
LEDGER_HEADER: Final = dump_rows([LEDGER_COLUMNS])


def dump_ledger_rows(lines: Iterable[LedgerLine], *, raw: bool | None = False) -> bytes:
    """Encode payments as CSV without a header; amounts are decimal numbers, and texts may be raw."""
    return dump_rows(
        (
            show_time(line.played_at),
            text_cell(line.table_name, raw=raw),
            str(line.place.round_id),
            text_cell(line.reference, raw=raw),
            line.place.hand,
            text_cell(line.payer, raw=raw),
            text_cell(line.payee, raw=raw),
            line.due,
            line.paid,
            line.limited_by,
            None if line.amount is None or line.currency is None else show_decimal(line.amount, line.currency),
            line.currency,
            line.revision,
            line.is_final,
        )
        for line in lines
    )
