"""A round as one document, as imports, exports and evidence files use it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from marshmallow import post_load, validates_schema

from evidence.charges import ChargePer, StandingCharge, charge_of, dump_charge
from schemas.base import Dumped, WireError, WireSchema, load, show
from schemas.fields import Choice, ExpectedField, Inner, Integer, Listing, Time, build_time, show_time
from schemas.game_fields import (
    MOST_HANDS,
    MOST_PLAYERS,
    ChargeAmountField,
    ChargePerField,
    OpeningStackField,
    PlayerField,
    PointValueField,
    ReasonField,
    ReferenceField,
    RulesetReference,
    SeatField,
    TableNameField,
    UnitCodeField,
    UnitDigitsField,
)
from schemas.hand_identity import digest_hands, identify_hand
from schemas.hands import (
    HandSchema,
    IrregularHandSchema,
    Irregularity,
    SubmittedHand,
    build_submitted,
    dump_hand,
    dump_irregular,
    find_dealt_mistakes,
)
from schemas.json_schema import CompiledSchema
from schemas.ledger.hand_charges import HandChargesField
from schemas.money import Unit, load_unit
from schemas.pages import CursorField, OfRounds, QueryInteger, QuerySchema
from schemas.round_settlements import RoundSettlementSchema, dump_round_settlement, view_round_settlement
from schemas.rounds import RoundSchema, RoundView, WarningsField, dump_round
from schemas.settlements import SettlementView
from schemas.strict_json import read_json
from schemas.tables import NewMoney, check_charge, check_unit
from scoring.errors import Mistake
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class RoundDocument:
    """Everything that happened in a round, and the table where it was played, without results."""

    ruleset: str
    table: str
    reference: str | None
    point_value: int | None
    unit: str | None
    seats: tuple[RoundSeat, ...]
    hands: tuple[SubmittedHand, ...]
    departures: tuple[Departure, ...] = ()
    closed: Closing | None = None
    irregular: tuple[Irregularity, ...] = ()
    opened_at: datetime | None = None
    charge_per: ChargePer | None = None
    charge_amount: int | None = None
    expected: Mapping[str, Any] | None = None
    unit_digits: int | None = None

    @property
    def money_unit(self) -> Unit | None:
        """The unit of the point value, if its digits are known."""
        return load_unit(self.unit, self.unit_digits)

    @property
    def standing_charge(self) -> StandingCharge | None:
        """What the house charges the players of the round; None if it charges nothing."""
        return charge_of(self.charge_per, self.charge_amount)

    @property
    def has_texts(self) -> bool:
        """Whether it contains texts of people: reasons of departures or of the closing."""
        endings = (*self.departures, *((self.closed,) if self.closed else ()))
        return any(ending.reason is not None for ending in endings)

    def history(self, ruleset: Ruleset) -> History:
        """Return the input of the rules."""
        hands = tuple(submitted.hand for submitted in self.hands)
        accepted = tuple(hand.number for hand in self.irregular)
        return History(ruleset, self.seats, hands, self.departures, self.closed, accepted)


class DocumentSeatSchema(WireSchema):
    """A player of the round and the stack that they started with."""

    seat = SeatField(required=True, description="Seat number, counted clockwise from 1.")
    player = PlayerField(required=True, description="The operator's ID of the player.")
    stack = OpeningStackField(required=True)

    @post_load(pass_original=True)
    def _build(self, _read: dict[str, Any], received: dict[str, Any], **_: Any) -> RoundSeat:
        return _build_seat(received)


class DocumentDepartureSchema(WireSchema):
    """A player who left the round after a hand."""

    seat = SeatField(required=True, description="Seat of the player who left.")
    after_hand = Integer(
        least=0,
        most=MOST_HANDS,
        required=True,
        description="Number of the last hand before the departure. 0 if the player left before the first hand.",
    )
    reason = ReasonField(load_default=None, allow_none=True, description="Why the player left, in one line.")

    @post_load(pass_original=True)
    def _build(self, _read: dict[str, Any], received: dict[str, Any], **_: Any) -> Departure:
        return _build_departure(received)


class DocumentClosingSchema(WireSchema):
    """When and why a round ended early."""

    after_hand = Integer(
        least=0,
        most=MOST_HANDS,
        required=True,
        description="Number of the last hand of the round. 0 if no hand was played.",
    )
    reason = ReasonField(
        required=True,
        allow_none=True,
        description="Why the round ended early, in one line. Null if the reason was erased.",
    )


def find_document_mistakes(received: Any) -> Iterator[Mistake]:
    """List duplicate cards and seats in the hands of a document that is not valid as a whole."""
    hands = received.get("hands") if isinstance(received, dict) else None
    for index, hand in enumerate(hands[:MOST_HANDS] if isinstance(hands, list) else ()):
        yield from (mistake.under("hands", index) for mistake in find_dealt_mistakes(hand))


class RoundDocumentSchema(CompiledSchema):
    """Everything that happened in a round, as one document without results."""

    ruleset = RulesetReference(required=True)
    table = TableNameField(required=True)
    reference = ReferenceField(load_default=None)
    opened_at = Time(
        load_default=None,
        allow_none=True,
        description="Time when the round was opened. If omitted: the first `played_at` of its hands, or else now.",
    )
    point_value = PointValueField(load_default=None)
    unit = UnitCodeField(load_default=None)
    unit_digits = UnitDigitsField(
        load_default=None,
        description="Number of digits after the decimal point of amounts in the unit. It can be omitted in requests.",
    )
    charge_per = ChargePerField(load_default=None)
    charge_amount = ChargeAmountField(load_default=None)
    seats = Listing(
        Inner(DocumentSeatSchema),
        least=1,
        most=MOST_PLAYERS,
        required=True,
        description="The players of the round with their opening stacks.",
    )
    hands = Listing(
        Inner(HandSchema),
        most=MOST_HANDS,
        required=True,
        description="The hands of the round, in the order in which they were played.",
    )
    departures = Listing(
        Inner(DocumentDepartureSchema),
        most=MOST_PLAYERS,
        load_default=(),
        description="Players who left for the rest of the round.",
    )
    closed = Inner(
        DocumentClosingSchema,
        load_default=None,
        allow_none=True,
        description="When and why the round ended early. Null if it did not.",
    )
    irregular = Listing(
        Inner(IrregularHandSchema),
        most=MOST_HANDS,
        load_default=(),
        description="Hands accepted as played. Omitted if there is none.",
    )

    def find_more(self, received: Any) -> Iterator[Mistake]:
        """List duplicate cards and seats in the hands."""
        return find_document_mistakes(received)

    @validates_schema(skip_on_field_errors=False)
    def _check_unit(self, read: dict[str, Any], **_: Any) -> None:
        check_unit(read)

    @validates_schema(skip_on_field_errors=False)
    def _check_charge(self, read: dict[str, Any], **_: Any) -> None:
        check_charge(read)

    def build(self, received: dict[str, Any]) -> RoundDocument:
        """Build the document."""
        point_value, closed = received.get("point_value"), received.get("closed")
        charge_per, charge_amount = received.get("charge_per"), received.get("charge_amount")
        unit_digits = received.get("unit_digits")
        return RoundDocument(
            ruleset=received["ruleset"],
            table=received["table"],
            reference=received.get("reference"),
            point_value=None if point_value is None else int(point_value),
            unit=received.get("unit"),
            charge_per=None if charge_per is None else ChargePer(charge_per),
            charge_amount=None if charge_amount is None else int(charge_amount),
            unit_digits=None if unit_digits is None else int(unit_digits),
            seats=tuple(map(_build_seat, received["seats"])),
            hands=tuple(map(build_submitted, received["hands"])),
            departures=tuple(map(_build_departure, received.get("departures", _NONE))),
            closed=None if closed is None else Closing(int(closed["after_hand"]), closed["reason"]),
            irregular=tuple([Irregularity(int(each["hand"])) for each in received.get("irregular", _NONE)]),
            opened_at=build_time(received.get("opened_at")),
            expected=received.get("expected"),
        )


_NONE: Final = ()


def _build_seat(received: Mapping[str, Any]) -> RoundSeat:
    return RoundSeat(int(received["seat"]), received["player"], int(received["stack"]))


def _build_departure(received: Mapping[str, Any]) -> Departure:
    return Departure(int(received["seat"]), int(received["after_hand"]), received.get("reason"))


class DocumentHandRequestSchema(HandSchema):
    """A hand of a round document to play."""

    charges = HandChargesField()


class RoundDocumentRequestSchema(NewMoney, RoundDocumentSchema):
    """A round document to play, optionally with charges of its hands and the expected result."""

    hands = Listing(
        Inner(DocumentHandRequestSchema),
        most=MOST_HANDS,
        required=True,
        description="The hands of the round, in the order in which they were played.",
    )
    expected = ExpectedField()


class RoundWithSettlementSchema(WireSchema):
    """A round and its settlement."""

    round = Inner(RoundSchema, required=True, description="The round as it is now.")
    settlement = Inner(RoundSettlementSchema, required=True, description="The settlement of the round.")
    warnings = WarningsField()


_DOCUMENT: Final = RoundDocumentSchema()
_REQUEST: Final = RoundDocumentRequestSchema()


def load_document(received: object) -> RoundDocument:
    """
    Parse a round document.

    Raises:
        WireError: it is not valid.
    """
    document: RoundDocument = load(_DOCUMENT, received)
    return document


def read_document(line: bytes) -> RoundDocument:
    """
    Parse a line of an import, with the same rules as the request body of `POST /v1/documents`.

    >>> seats = b'[{"seat": 1, "player": "ann", "stack": 9}]'
    >>> line = b'{"ruleset": "turbo", "table": "kitchen", "seats": %s, "hands": []}' % seats
    >>> read_document(line).seats
    (RoundSeat(seat=1, player='ann', opening_stack=9),)

    Raises:
        WireError: it is not JSON, or not a valid round document.
    """
    document: RoundDocument = load(_REQUEST, read_json(line))
    return document


def dump_document(document: RoundDocument) -> Dumped:
    """Encode a round document, with seats, players, departures and irregular hands sorted."""
    irregular = {"irregular": dump_irregular(document.irregular)} if document.irregular else {}
    opened_at = {"opened_at": show_time(document.opened_at)} if document.opened_at else {}
    charge = dump_charge(document.charge_per, document.charge_amount) if document.standing_charge else {}
    digits = {} if document.unit_digits is None else {"unit_digits": document.unit_digits}
    return {
        "ruleset": document.ruleset,
        "table": document.table,
        "reference": document.reference,
        **opened_at,
        "point_value": document.point_value,
        "unit": document.unit,
        **digits,
        **charge,
        "seats": [
            {"seat": seat.seat, "player": seat.player, "stack": seat.opening_stack}
            for seat in sorted(document.seats, key=lambda seat: seat.seat)
        ],
        "hands": [dump_hand(submitted) for submitted in document.hands],
        "departures": [
            {"seat": departure.seat, "after_hand": departure.after_hand, "reason": departure.reason}
            for departure in sorted(document.departures, key=lambda departure: departure.after_hand)
        ],
        "closed": document.closed and {"after_hand": document.closed.after_hand, "reason": document.closed.reason},
        **irregular,
    }


def with_digits(document: RoundDocument, unit: Unit | None) -> RoundDocument:
    """
    Return a document with the digits of its unit, which is known.

    Raises:
        WireError: the document has other digits.
    """
    digits = None if unit is None else unit.digits
    if document.unit_digits not in (None, digits):
        detail = f"is {document.unit_digits}; expected {digits}, which are the digits of the unit {show(document.unit)}"
        raise WireError((Mistake("unit-digits", ("unit_digits",), detail),))
    return replace(document, unit_digits=digits)


def digest_document(document: RoundDocument) -> bytes:
    """Return the digest of a document without its opening time, the digits of its unit, and its reasons."""
    return digest_hands(_dump_head(document), [submitted.content for submitted in document.hands])


def identify(document: RoundDocument) -> bytes:
    """
    Return the digest that identifies a round's document at its table, whoever recorded it.

    The name of the table is not part of it, because the table can be renamed, and no reason is, because it can be
    erased.
    """
    head = _dump_head(document)
    del head["table"]
    return digest_hands(head, [identify_hand(submitted.hand) for submitted in document.hands])


def _dump_head(document: RoundDocument) -> Dumped:
    """Encode what digests have of a document besides its hands."""
    numbers = tuple(Irregularity(hand.number) for hand in document.irregular)
    departures = tuple(replace(departure, reason=None) for departure in document.departures)
    closed = document.closed and replace(document.closed, reason=None)
    unnamed = replace(document, irregular=numbers, departures=departures, closed=closed)
    return dump_document(replace(unnamed, hands=(), opened_at=None, unit_digits=None))


def dump_played_document(view: RoundView, settlement: SettlementView) -> Dumped:
    """Encode a round and its settlement."""
    return {"round": dump_round(view), "settlement": dump_round_settlement(view_round_settlement(view, settlement))}


MOST_LINES: Final = 10_000
EXPORTED: Final = ("hands", "results", "transfers")
"""What a Parquet file can have a row for."""


class ExportQuerySchema(OfRounds, QuerySchema):
    """Filters of an export."""

    records = Choice(
        {name: name for name in EXPORTED},
        description="What the rows of a Parquet file are: hands, the result of each player in a hand, or transfers."
        " Only with Parquet; `hands` if omitted.",
    )
    limit = QueryInteger(
        least=1,
        most=MOST_LINES,
        description="Maximum number of lines; the header `Link` then leads to the next ones. All rounds if omitted."
        " Not with Parquet.",
    )
    cursor = CursorField(
        description="Cursor from the header `Link` of the lines before. The first line if omitted. Not with Parquet."
    )
