"""A round as one document: import, export and evidence all use it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson
from marshmallow import post_load, validates_schema

from schemas.base import Dumped, WireSchema, load
from schemas.fields import MOST_INTEGER, Anything, Inner, Integer, Listing
from schemas.hands import (
    MOST_HANDS,
    MOST_PLAYERS,
    HandSchema,
    PlayerField,
    SeatField,
    StackField,
    SubmittedHand,
    canonical_json,
    digest_of,
    dump_hand,
)
from schemas.irregular import IrregularHand, IrregularHandSchema, dump_irregular
from schemas.rounds import ReasonField, ReferenceField, RoundSchema, RoundView, dump_round
from schemas.rulesets import RulesetReference
from schemas.settlements import SettlementSchema, SettlementView, dump_settlement_view
from schemas.tables import CurrencyField, PointValueField, TableNameField, check_currency
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class RoundDocument:
    """Everything that happened in a round, the table it was played at, and no result."""

    ruleset: str
    table: str
    reference: str | None
    point_value: int | None
    currency: str | None
    seats: tuple[RoundSeat, ...]
    hands: tuple[SubmittedHand, ...]
    departures: tuple[Departure, ...] = ()
    closed: Closing | None = None
    irregular: tuple[IrregularHand, ...] = ()
    expected: Mapping[str, Any] | None = None

    def history(self, ruleset: Ruleset) -> History:
        """Give what the rules need of it."""
        hands = tuple(submitted.hand for submitted in self.hands)
        standing = frozenset(hand.number for hand in self.irregular)
        return History(ruleset, self.seats, hands, self.departures, self.closed, standing)


class DocumentSeatSchema(WireSchema):
    """A player and the stack he opened the round with."""

    seat = SeatField(required=True)
    player = PlayerField(required=True)
    stack = StackField(least=0, most=MOST_INTEGER, required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> RoundSeat:
        return RoundSeat(read["seat"], read["player"], read["stack"])


class DocumentDepartureSchema(WireSchema):
    """A player who left after a hand."""

    seat = SeatField(required=True)
    after_hand = Integer(least=0, most=MOST_HANDS, required=True)
    reason = ReasonField(load_default=None, allow_none=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> Departure:
        return Departure(**read)


class DocumentClosingSchema(WireSchema):
    """When and why the round ended early."""

    after_hand = Integer(least=0, most=MOST_HANDS, required=True)
    reason = ReasonField(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> Closing:
        return Closing(**read)


class RoundDocumentSchema(WireSchema):
    """A round as one document."""

    ruleset = RulesetReference(required=True)
    table = TableNameField(required=True)
    reference = ReferenceField(load_default=None)
    point_value = PointValueField(load_default=None)
    currency = CurrencyField(load_default=None)
    seats = Listing(Inner(DocumentSeatSchema), least=1, most=MOST_PLAYERS, required=True)
    hands = Listing(Inner(HandSchema), most=MOST_HANDS, required=True)
    departures = Listing(Inner(DocumentDepartureSchema), most=MOST_PLAYERS, load_default=())
    closed = Inner(DocumentClosingSchema, load_default=None, allow_none=True)
    irregular = Listing(
        Inner(IrregularHandSchema),
        most=MOST_HANDS,
        load_default=(),
        metadata={"description": "Hands that stand though they could not have followed; left out where there is none."},
    )

    @validates_schema(skip_on_field_errors=False)
    def _check_currency(self, read: dict[str, Any], **_: Any) -> None:
        check_currency(read)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> RoundDocument:
        lists = {name: tuple(read[name]) for name in ("seats", "hands", "departures")}
        lists["irregular"] = tuple(sorted(set(read["irregular"]), key=lambda hand: hand.number))
        return RoundDocument(**{**read, **lists})


class DocumentRequestSchema(RoundDocumentSchema):
    """A round to play whole, and if one likes what it should come to."""

    expected = Anything(load_default=None)


class PlayedDocumentSchema(WireSchema):
    """A round that was played whole, and its settlement."""

    round = Inner(RoundSchema, required=True)
    settlement = Inner(SettlementSchema, required=True)


_DOCUMENT: Final = RoundDocumentSchema()


def load_document(received: object) -> RoundDocument:
    """
    Read a round document.

    Raises:
        WireError: it has not the shape of one.
    """
    document: RoundDocument = load(_DOCUMENT, received)
    return document


def dump_document(document: RoundDocument) -> Dumped:
    """Write a round document: every field, seats, players and departures in order, and what is irregular, if any is."""
    irregular = {"irregular": dump_irregular(document.irregular)} if document.irregular else {}
    return {
        "ruleset": document.ruleset,
        "table": document.table,
        "reference": document.reference,
        "point_value": document.point_value,
        "currency": document.currency,
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


def digest_document(document: RoundDocument) -> bytes:
    """Take the digest of what happened in a round; why hands are irregular is no part of it."""
    told = tuple(IrregularHand(hand.number) for hand in document.irregular)
    return digest_of(dump_document(replace(document, irregular=told)))


def dump_played_document(view: RoundView, settlement: SettlementView) -> Dumped:
    """Write a round that was played whole, and its settlement."""
    return {"round": dump_round(view), "settlement": dump_settlement_view(settlement)}


def canonical_document(head: RoundDocument, hands: Sequence[bytes]) -> bytes:
    """
    Write a round document as `canonical_json` would.

    >>> head = RoundDocument("turbo@1", "kitchen", None, None, None, (RoundSeat(1, "ann", 9),), ())
    >>> canonical_document(head, []) == canonical_json(dump_document(head))
    True

    Args:
        head: the document, the hands left out.
        hands: the canonical JSON of each.
    """
    return canonical_json({**dump_document(head), "hands": [orjson.Fragment(hand) for hand in hands]})
