"""
Many rounds held against their events at once: which of them are plainly as they were written.

Nothing is named here. A round is plain where its records, told once more by what tells events, come to the very bytes
of its events, and where all its figures are what arrays come to. Any other, also one that is no more than unusual, is
looked at by itself, column by column.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np
import orjson

from evidence.events import FinalReason, RoundOpened
from schemas.settlements import SettlementState
from scoring.bulk.settle import BulkSettlement
from scoring.history import Closing, Departure
from scoring.round_state import Round, RoundSeat
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.imports.actions.lines import no_garbage_collection
from service.ledger.queries.events import EventKind
from service.recomputations.actions.audit import audit_group
from service.recomputations.packed.queries import Scope, joined_whole
from service.recomputations.packed.queries import Stretch as PackedStretch
from service.recomputations.packed.reading import read_packed
from service.recomputations.packed.rounds import Flags, PackedRounds, RoundGroup, id_of
from service.rounds.actions.documents import ending_event
from service.rounds.queries.settlement_states import confirmed_event, finalized_event
from service.rounds.queries.stored_round import dump_state
from service.rulesets.queries import digest_ruleset
from service.verification.chains import are_as_told
from service.verification.queries import at_once
from service.verification.queries.at_once import EPOCH, KINDS, Tailed, digests_of, hexes_of, ids_of
from service.verification.queries.audited import Stretch
from service.verification.retold_hands import RetoldHand, retell_hands

_UNREADABLE: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What records may lead to that nobody could have written; such rounds are looked at one by one."""
_OPENED, _HAND, _LEFT, _CLOSED, _CONFIRMED, _FINAL = map(
    KINDS.index,
    (
        EventKind.ROUND_OPENED,
        EventKind.HAND_RECORDED,
        EventKind.DEPARTURE_RECORDED,
        EventKind.ROUND_CLOSED,
        EventKind.SETTLEMENT_CONFIRMED,
        EventKind.SETTLEMENT_FINALIZED,
    ),
)

_MINUTE: Final = 60_000_000
_NOBODY: Final = UUID(int=0)
_FINALIZED: Final = {
    tuple(finalized_event(_NOBODY, 1, because).split(str(_NOBODY).encode())) for because in FinalReason
}
"""What events tell of a first settlement that became final, before and after the round that it is of."""


class Ending(NamedTuple):
    """After which hand somebody left, or the round was closed, and the event that tells it; times in microseconds."""

    after_hand: int
    kind: int
    event: bytes
    recorded_at: int


class Firm(NamedTuple):
    """How firm a settlement is."""

    state: str
    provisional_until: int | None
    final_revision: int | None
    open_disputes: int


class KeptRound(NamedTuple):
    """What is kept of a round and told with its opening, or says how it stands; times in microseconds."""

    table: str
    table_sequence: int
    imported: bool
    digest: str
    opened_at: int
    recorded_at: int
    window: int
    version: int
    last_event: bytes
    reference: str | None
    point_value: int | None
    currency: str | None
    players: Sequence[str]
    state: Mapping[str, Any]
    finality: Firm


@dataclass(frozen=True, slots=True)
class LookedAt:
    """
    What a look at many rounds has come to.

    Attributes:
        events: how many there are.
        odd: the rounds that are not plain; every record and event of the stretch is of one of these, or plain.
    """

    events: int
    odd: Sequence[UUID]


@no_garbage_collection()
def look_at_once(transaction: Transaction, stretch: Stretch, rulesets: Iterable[Ruleset]) -> LookedAt | None:
    """
    Find the rounds of a stretch that are not plainly as they were written.

    Args:
        transaction: whose club's; it reads one moment.
        stretch: some thousand rounds.
        rulesets: those of the club, as its events tell them.

    Returns:
        None where there is something that is of no round, or cannot be read: all have to be looked at by themselves.
    """
    try:
        return _Look(transaction, stretch, list(rulesets)).look()
    except _UNREADABLE:
        return None


class _Look:
    """A stretch of rounds, each by its place in the order of their ids."""

    def __init__(self, transaction: Transaction, stretch: Stretch, rulesets: Sequence[Ruleset]) -> None:
        self.transaction, self.stretch, self.rulesets = transaction, stretch, rulesets
        first = UUID(int=stretch.after.int + 1)
        packed = read_packed(
            transaction, PackedStretch(Scope(), first, stretch.upto), [(each.name, each.version) for each in rulesets]
        )
        self.packed: PackedRounds = packed
        self.ids = ids_of(packed.ids)
        self.states: dict[int, dict[str, Any]] = {}
        self.events = at_once.read_events(transaction, stretch)
        told = self.events.rows
        self.first = np.searchsorted(told["round"], packed.ids).tolist()
        self.end = np.searchsorted(told["round"], packed.ids, side="right").tolist()
        self.endings, self.confirmed = self._list_endings(), self._list_confirmed()
        self.kinds, self.times = told["kind"].tolist(), told["at"].tolist()
        self.hashes = digests_of(told["hash"])
        self.contents: list[bytes | None] = [None] * len(told)

    def look(self) -> LookedAt:
        """Say which rounds are odd."""
        plain = self._are_as_played() & self._are_numbered()
        unusual = at_once.list_unusual(self.transaction, self.stretch)
        by_themselves = set(map(str, unusual))
        plain &= np.array([id_ not in by_themselves for id_ in self.ids], np.bool_)
        retold = retell_hands(self.transaction, self.stretch, self.packed, plain, self.rulesets)
        plain &= self._are_as_told(plain, retold)
        plain &= self._are_as_written()
        without_head = map(id_of, np.setdiff1d(self.events.rows["round"], self.packed.ids))
        odd = sorted({*without_head, *unusual, *map(self.packed.round_id, np.flatnonzero(~plain).tolist())})
        self._check_counts(plain, odd)
        return LookedAt(len(self.contents), odd)

    def _are_as_played(self) -> Flags:
        """Say which rounds come to the figures that are kept, and keep where those must stand."""
        plain = np.zeros(len(self.ids), np.bool_)
        for group in self.packed.groups():
            audited = audit_group(self.rulesets[group.ruleset - 1], group)
            plain[group.places] = ~audited.by_itself & ~audited.differs
            self._keep_states(group, audited.settlement)
        return plain

    def _keep_states(self, group: RoundGroup, settlement: BulkSettlement) -> None:
        stands: dict[tuple[int, ...], dict[str, Any]] = {}
        finals, openings = settlement.final.tolist(), settlement.opening_stacks.tolist()
        seats = group.rounds.seats.tolist()
        for place, final, seated, stacks in zip(group.places.tolist(), finals, seats, openings, strict=True):
            end = settlement.states[final]
            if end is not None:
                key = final, *seated
                if key not in stands:
                    stands[key] = _state_of(end, seated)
                self.states[place] = {**stands[key], "scope_stacks": stacks}

    def _are_numbered(self) -> Flags:
        """Say of which rounds the events are numbered without a gap."""
        told = self.events.rows["round"]
        number = np.arange(len(told)) - np.searchsorted(told, told) + 1
        gaps = np.unique(told[self.events.rows["sequence"] != number])
        return ~np.isin(self.packed.ids, gaps)

    def _are_as_told(self, plain: Flags, retold: Mapping[int, Sequence[RetoldHand]]) -> Flags:
        """Say which of the rounds that are plain so far are what their events tell."""
        carried: dict[str, list[int]] = defaultdict(list)
        for seat in at_once.list_carried_over(self.transaction, self.stretch):
            carried[str(seat.round_id)].append(seat.seat)
        told = np.zeros(len(plain), np.bool_)
        with joined_whole(self.transaction, Scope()):
            rounds = at_once.read_rounds(self.transaction, self.stretch)
        for place, kept in _kept(self.packed, rounds):
            if plain[place] and place in retold:
                hands, carried_over = retold[place], sorted(carried.get(self.ids[place], ()))
                told[place] = self._is_opened(place, kept, carried_over, hands) and self._goes_on(place, kept, hands)
        return told

    def _are_as_written(self) -> Flags:
        """Say of which rounds the events, of which it is known what they must say, have their bytes and hashes."""
        right = are_as_told(self.transaction.club_id, self.events, self.contents)
        return ~np.isin(self.packed.ids, np.unique(self.events.rows["round"][~right]))

    def _list_endings(self) -> Mapping[str, Sequence[Ending]]:
        """List how rounds ended, by the order that is kept; the closing last."""
        endings: dict[str, list[Ending]] = defaultdict(list)
        for left in at_once.list_departures(self.transaction, self.stretch):
            before = endings[str(left.round_id)]
            if left.position != len(before) + 1:
                raise ValueError("positions of departures are missing")
            event = ending_event(left.round_id, Departure(left.seat, left.after_hand, left.reason))
            before.append(Ending(left.after_hand, _LEFT, event, _microseconds(left.recorded_at)))
        for closed in at_once.list_closings(self.transaction, self.stretch):
            event = ending_event(closed.round_id, Closing(closed.after_hand, closed.reason))
            ending = Ending(closed.after_hand, _CLOSED, event, _microseconds(closed.recorded_at))
            endings[str(closed.round_id)].append(ending)
        return endings

    def _list_confirmed(self) -> Mapping[str, Mapping[bytes, int]]:
        """List who has said that a settlement is right: of each the event, and the time."""
        confirmed: dict[str, dict[bytes, int]] = defaultdict(dict)
        for said in at_once.list_confirmations(self.transaction, self.stretch):
            event = confirmed_event(said.round_id, 1, said.seat)
            confirmed[str(said.round_id)][event] = _microseconds(said.confirmed_at)
        return confirmed

    def _is_opened(self, place: int, kept: KeptRound, carried: Sequence[int], hands: Sequence[RetoldHand]) -> bool:
        """Tell the opening of a round, and what it came in with; say whether its first event can be that."""
        first, packed = self.first[place], self.packed
        documents = {hand.document for hand in hands if hand.document is not None}
        [document] = documents or [None]
        if first == self.end[place] or (self.kinds[first], self.times[first]) != (_OPENED, kept.recorded_at):
            return False
        if document is not None and document.received_at != kept.recorded_at:
            return False
        seats = packed.seats[place].tolist(), kept.players, packed.opening_stacks[place].tolist()
        ruleset = self.rulesets[packed.rulesets[place] - 1]
        opening = RoundOpened(
            round=UUID(self.ids[place]),
            table=UUID(kept.table),
            table_sequence=kept.table_sequence,
            imported=kept.imported,
            reference=kept.reference,
            digest=bytes.fromhex(kept.digest),
            ruleset=str(ruleset),
            ruleset_digest=digest_ruleset(ruleset),
            carried_over=tuple(carried),
            point_value=kept.point_value,
            currency=kept.currency,
            opened_at=EPOCH + timedelta(microseconds=kept.opened_at),
            correction_window_minutes=kept.window,
            seats=tuple(RoundSeat(*seat) for seat in zip(*seats, strict=False)),
            submission=document and document.received,
        )
        self.contents[first] = opening.encode()
        return True

    def _goes_on(self, place: int, kept: KeptRound, hands: Sequence[RetoldHand]) -> bool:
        """Tell the events after the first: hands and endings in order, and what was said then."""
        id_, at, end = self.ids[place], self.first[place], self.end[place]
        contents, kinds, times = self.contents, self.kinds, self.times
        endings, confirmed = self.endings.get(id_, ()), dict(self.confirmed.get(id_, ()))
        last = at + len(hands) + len(endings)
        if last >= end:
            return False
        for number in range(len(hands) + 1):
            if number:
                hand, at = hands[number - 1], at + 1
                if kinds[at] != _HAND or times[at] != hand.recorded_at:
                    return False
                contents[at] = hand.event
            while endings and endings[0].after_hand == number and at < last:
                ending, *endings = endings
                at += 1
                if (kinds[at], times[at]) != (ending.kind, ending.recorded_at):
                    return False
                contents[at] = ending.event
        changed_at, is_final = times[at], False
        if at != last:
            return False
        for at in range(last + 1, end):
            said = contents[at] = self.events.content(at)
            if kinds[at] == _FINAL and not is_final and _is_final(id_, said):
                changed_at, is_final = times[at], True
            elif kinds[at] != _CONFIRMED or confirmed.pop(said, None) != times[at]:
                return False
        return not confirmed and self._stands(place, kept, changed_at, is_final=is_final)

    def _stands(self, place: int, kept: KeptRound, changed_at: int, *, is_final: bool) -> bool:
        """Say whether the head of a round that has ended says how it stands."""
        end = self.end[place]
        until = changed_at + kept.window * _MINUTE
        provisional, final = Firm(SettlementState.PROVISIONAL, until, None, 0), Firm(SettlementState.FINAL, None, 1, 0)
        return (
            kept.finality == (final if is_final else provisional)
            and kept.version == end - self.first[place]
            and kept.last_event == self.hashes[end - 1]
            and kept.state == self.states[place]
        )

    def _check_counts(self, plain: Flags, odd: Sequence[UUID]) -> None:
        """
        See that there is nothing beside what belongs to plain and to odd rounds.

        Raises:
            ValueError: there is.
        """
        packed, rounds = self.packed, int(plain.sum())
        hands = int(packed.lengths[plain].sum())
        counted = dict(at_once.count_records(self.transaction, self.stretch, odd))
        of_plain = [self.ids[place] for place in np.flatnonzero(plain).tolist()]
        endings = counted.pop("departures") + counted.pop("closings")
        right = {
            **dict.fromkeys(counted, 0),
            **dict.fromkeys(("rounds", "round_heads", "settlements"), rounds),
            **dict.fromkeys(("hands", "hand_scores"), hands),
            "round_seats": int(packed.seat_counts[plain].sum()),
            "transfers": int(packed.hands.stored.transfer_count[plain[packed.hands.of_round]].sum()),
            "confirmations": sum(len(self.confirmed.get(id_, ())) for id_ in of_plain),
        }
        if counted != right or endings != sum(len(self.endings.get(id_, ())) for id_ in of_plain):
            raise ValueError("there are records that belong to no round, or twice")


def _state_of(end: Round, seats: Sequence[int]) -> dict[str, Any]:
    """Say what the next hand would have to know after the end of a round, whose seats are columns there."""
    named = end.but(
        had_button=frozenset(seats[column - 1] for column in end.had_button),
        gone=frozenset(seats[column - 1] for column in end.gone),
        out=frozenset(seats[column - 1] for column in end.out),
        sequence=frozenset(seats[column - 1] for column in end.sequence),
        owed={seats[column - 1]: owed for column, owed in end.owed.items()},
    )
    return {**dump_state(named), "button": None if end.button is None else seats[end.button - 1]}


def _is_final(round_id: str, content: bytes) -> bool:
    """Say whether an event tells that the first settlement of a round became final."""
    before, _, after = content.partition(round_id.encode())
    return (before, after) in _FINALIZED


def _kept(packed: PackedRounds, read: Tailed) -> Iterator[tuple[int, KeptRound]]:
    """Give the rounds that were read, each with its place; one that is there twice is not given."""
    rows = read.rows
    places = np.searchsorted(packed.ids, rows["round"])
    once = np.bincount(places, minlength=len(packed.ids))[places] == 1
    tables, digests, hashes = ids_of(rows["table"]), hexes_of(rows["digest"]), digests_of(rows["last_event"])
    sequences, imported, opened, recorded = (
        rows[name].tolist() for name in ("table_sequence", "imported", "opened_at", "recorded_at")
    )
    windows, versions, disputes, until, is_provisional = (
        rows[name].tolist() for name in ("window", "version", "open_disputes", "provisional_until", "is_provisional")
    )
    for at, place in zip(np.flatnonzero(once).tolist(), places[once].tolist(), strict=True):
        reference, point_value, currency, players, state, settlement_state, final = orjson.loads(read.tails[at])
        kept_until = until[at] if is_provisional[at] else None
        yield (
            place,
            KeptRound(
                tables[at],
                sequences[at],
                imported[at],
                digests[at],
                opened[at],
                recorded[at],
                windows[at],
                versions[at],
                hashes[at],
                reference,
                point_value,
                currency,
                players,
                state,
                Firm(settlement_state, kept_until, final, disputes[at]),
            ),
        )


def _microseconds(at: datetime) -> int:
    return (at - EPOCH) // timedelta(microseconds=1)
