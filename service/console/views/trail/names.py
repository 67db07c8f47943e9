"""What events are about, by name: players, tables, rounds, disputes, payments, proposals, keys and links."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final, TypeVar
from uuid import UUID

from evidence import Event, EvidenceError, read_event
from evidence.events import (
    ChargeRecorded,
    EventPayload,
    MetadataChanged,
    PaymentClaimed,
    PaymentRecorded,
    TextsErased,
    decode_event,
)
from schemas.ledger.units import table_of
from schemas.money import Unit
from scoring.hand import Seat
from service.audit_trail.queries import events as stored_events
from service.clubs.queries import keys
from service.db import Transaction
from service.disputes.queries import disputes
from service.disputes.queries.disputes import StoredDispute
from service.http.formats import format_amount
from service.links import queries as links
from service.players.actions import list_names
from service.rounds.queries import hands, overviews
from service.rounds.queries.overviews import RoundOverview
from service.tables import queries as tables

_AMOUNTS: Final = (PaymentRecorded, PaymentClaimed, ChargeRecorded)
"""The payloads that have an amount."""
_PLAYERS: Final = ("player", "alias", "payer", "payee", "by")
"""The fields of payloads that name a player."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TrailNames:
    """
    The names of what events are about. Each method returns a part of a sentence.

    Attributes:
        actors: the names of keys and the labels of links, by ID; empty for those who do not see them.
        hands: the rounds and numbers of hands, by ID.
        events: the payloads of payments, charges, claims and proposals, by ID.
        shown: the display names of players, by ID.
        used: every name that a sentence contains, which pages isolate from the text around it.
    """

    actors: Mapping[UUID, str] = field(default_factory=dict)
    tables: Mapping[UUID, str] = field(default_factory=dict)
    rounds: Mapping[UUID, RoundOverview] = field(default_factory=dict)
    disputes: Mapping[UUID, StoredDispute] = field(default_factory=dict)
    hands: Mapping[UUID, tuple[UUID, int]] = field(default_factory=dict)
    events: Mapping[UUID, EventPayload] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def name(self, text: str) -> str:
        """Return a name that somebody has chosen."""
        self.used.add(text)
        return text

    def player(self, player: str | None) -> str:
        """Return a player, or the house."""
        return "the house" if player is None else self.name(self.shown.get(player, player))

    def players(self, players: Iterable[str]) -> str:
        """Return several players."""
        *others, last = map(self.player, players)
        return f"{', '.join(others)} and {last}" if others else last

    def seat(self, round_id: UUID, seat: Seat) -> str:
        """Return the player in a seat of a round."""
        of = self.rounds.get(round_id)
        return self.player(of.players[seat]) if of is not None and seat in of.players else f"seat {seat}"

    def at(self, round_id: UUID) -> str:
        """Return where a round is played."""
        of = self.rounds.get(round_id)
        return "at a table" if of is None else f"at {self.name(of.table)}"

    def table(self, table_id: UUID) -> str:
        """Return a table."""
        return self.name(self.tables[table_id]) if table_id in self.tables else "a table"

    def actor(self, actor: UUID, otherwise: str) -> str:
        """Return a key or a link."""
        return self.name(self.actors[actor]) if actor in self.actors else otherwise

    def amount(self, amount: int, unit: str, digits: int) -> str:
        """Return an amount of money, or of the points of a table."""
        table_id = table_of(unit)
        of = "" if table_id is None else f" of {self.table(table_id)}"
        return f"{format_amount(amount, Unit(unit, digits))}{of}"

    def dispute(self, dispute_id: UUID) -> str:
        """Return a dispute: whose it is, and what it is about."""
        of = self.disputes.get(dispute_id)
        if of is None:
            return "a dispute"
        whose = "the" if of.author is None else f"{self.player(of.author)}'s"
        return f"{whose} dispute of {self.disputed(of.round_id, of.hand, of.seat, of.board_row)}"

    def disputed(self, round_id: UUID, hand: int | None, seat: Seat | None, row: str | None) -> str:
        """Return what a dispute is about."""
        what = "the round" if hand is None else f"hand {hand}"
        if seat is not None:
            what = f"{self.seat(round_id, seat)}'s {f'{row} row' if row else 'result'} of {what}"
        return f"{what} {self.at(round_id)}"

    def record(self, record_id: UUID) -> str:
        """Return a record of any kind, as far as it is known."""
        if record_id in self.rounds:
            return f"the round {self.at(record_id)}"
        if record_id in self.hands:
            round_id, number = self.hands[record_id]
            return f"hand {number} {self.at(round_id)}"
        if record_id in self.disputes:
            return self.dispute(record_id)
        if record_id in self.tables:
            return f"the table {self.table(record_id)}"
        if record_id in self.actors:
            return f"{self.actor(record_id, 'a key')}"
        return "a payment" if record_id in self.events else "a record"


@dataclass(frozen=True, slots=True)
class DecodedEvent:
    """An event with its payload; None if this release cannot decode it."""

    event: Event
    payload: EventPayload | None


def decode(event: Event) -> DecodedEvent:
    """Decode the payload of an event."""
    try:
        return DecodedEvent(event, decode_event(event.kind, event.content))
    except EvidenceError:
        return DecodedEvent(event, None)


def read_names(transaction: Transaction, events: Sequence[DecodedEvent], *, sees_actors: bool) -> TrailNames:
    """Read the names of what events are about, which takes a constant number of statements."""
    payloads = [each.payload for each in events if each.payload is not None]
    named = _ids_of(payloads)
    others = _read(transaction, stored_events.list_by_id, named)
    read = [decode(read_event(each.written)) for each in others]
    about = {each.event.id: each.payload for each in read if each.payload is not None}
    named |= _ids_of(about.values()) | {each.event.round_id for each in events if each.event.round_id is not None}
    described = {each.record for each in payloads if isinstance(each, TextsErased | MetadataChanged)}
    played = _read(transaction, hands.list_places, {each for each in described if each is not None})
    named |= {round_id for _, round_id, _ in played}
    disputed = {each.id: each for each in _read(transaction, disputes.list_by_id, named)}
    rounds = {each.id: each for each in _read(transaction, overviews.list_by_id, named)}
    actors: Mapping[UUID, str] = {}
    if sees_actors:
        ids = named | {each.event.actor for each in events if each.event.actor is not None}
        actors = {**links.list_labels(transaction, ids), **keys.list_names(transaction, ids)}
    return TrailNames(
        actors,
        tables.list_names(transaction, named),
        rounds,
        disputed,
        {hand_id: (round_id, number) for hand_id, round_id, number in played},
        about,
        list_names(transaction, _players_of([*payloads, *about.values()], rounds.values(), disputed.values())),
    )


def _read(
    transaction: Transaction, list_by_id: Callable[[Transaction, Collection[UUID]], Sequence[T]], ids: Collection[UUID]
) -> Sequence[T]:
    return list_by_id(transaction, ids) if ids else ()


def _ids_of(payloads: Iterable[EventPayload]) -> set[UUID]:
    """Return all IDs that payloads contain, and the tables whose points are amounts."""
    values = [getattr(payload, each.name) for payload in payloads for each in fields(payload)]
    units = [table_of(payload.unit) for payload in payloads if isinstance(payload, _AMOUNTS)]
    return {value for value in (*values, *units) if isinstance(value, UUID)}


def _players_of(
    payloads: Iterable[EventPayload], rounds: Iterable[RoundOverview], disputed: Iterable[StoredDispute]
) -> set[str]:
    """Return the players that the sentences about events name."""
    of_payloads = (getattr(payload, name, None) for payload in payloads for name in _PLAYERS)
    of_rounds = (player for each in rounds for player in each.players.values())
    return {each for each in (*of_payloads, *of_rounds, *(each.player for each in disputed)) if each is not None}
