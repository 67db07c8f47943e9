"""A round played again by itself, and held against all that was stored of it."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final
from uuid import UUID

from schemas.settlements import dump_transfer
from scoring.bulk.transfers import LIMITS
from scoring.errors import ScoringError
from scoring.hand import Seat
from scoring.history import History, PlayedRound, replay, steps_at
from scoring.round import PlayedHand, open_round
from scoring.round_state import Round
from scoring.ruleset import Points, Ruleset
from scoring.settlement import Transfer
from service.recomputations.actions.audit import RoundsDigest
from service.recomputations.packed.queries import STATUSES
from service.recomputations.packed.rounds import TRANSFER_FIELDS, pairs_of
from service.recomputations.queries import Difference, Record, RecordedRound, pack_content
from service.rounds.queries.hand_records import score_parameters
from service.rounds.queries.stored_round import dump_round

REFUSED: Final = -1
"""Stands for a status where a round cannot have been played like this."""

_OF_PLAYERS: Final = ("points", "fouls", "royalties", "earned", "stays")
_OF_SEATS: Final = ("top_ups", "stacks_before", "stacks")
_OF_HEADS: Final = ("status", "hands", "seats", "players", "opening_stacks", "top_ups", "stacks")


@dataclass(frozen=True, slots=True)
class Replayed:
    """
    A round played again.

    Attributes:
        history: what was played; None where the records do not say it.
        played: what it came to; None where it cannot have been.
        differences: from what was stored.
        moved: what each player's net would be more than it is; only who has any difference.
    """

    recorded: RecordedRound
    history: History | None
    played: PlayedRound | None
    differences: tuple[Difference, ...]
    moved: Mapping[str, Points]

    def digest(self, digest: RoundsDigest) -> None:
        """Count the round in."""
        round_id = self.recorded.id.bytes
        if self.played is None:
            digest.add(round_id, b"", REFUSED)
            return
        played = self.played
        on_time = sum(len(hand.transfers) for hand in played.hands)
        late = b"".join(_pack(_transfer_figures(paid.transfer)) for paid in played.payments[on_time:])
        stood = _stood(played)
        figures = b"".join(_pack(_figures(before, hand)) for before, hand in zip(stood, played.hands, strict=True))
        digest.add(round_id, figures, STATUSES.index(played.round.status), late)


def replay_round(recorded: RecordedRound, ruleset: Ruleset, *, is_own: bool) -> Replayed:
    """
    Play a round again from its records.

    Under its own ruleset, a hand that was played from what the hand before it was stored to have left is played from
    that, so that a difference is named where it arose, and not in every hand after it; what it comes to in the end is
    the round's own difference. Under another ruleset, every hand is played from what the one before would have left.
    """
    history, boards = None, tuple(_name_boards(recorded))
    try:
        history = recorded.history(ruleset)
        played = replay(history)
    except ScoringError as error:
        refused = _refusal(recorded.id, error)
        named = _name_hands(recorded, history, is_own=is_own) if history else ()
        return Replayed(recorded, history, None, (*boards, *named, refused), {})
    named = _name_hands(recorded, history, is_own=is_own)
    differences = (*boards, *named, *_name_ends(recorded, played, is_own=is_own))
    return Replayed(recorded, history, played, differences, _moved(recorded, played) if differences else {})


def _refusal(round_id: UUID, error: ScoringError) -> Difference:
    path = error.mistakes[0].path
    hand = int(path[1]) + 1 if path[:1] == ("hands",) else None
    return Difference(round_id, hand, "refused", detail=str(error))


def _name_hands(recorded: RecordedRound, history: History, *, is_own: bool) -> Iterator[Difference]:
    """Name what differs in hands, as far as they can be played."""
    stored: list[Points] = []
    try:
        round_ = open_round(history.ruleset, history.seats)
        for hand, record in zip(history.hands, recorded.hands, strict=True):
            if is_own and record["stacks_before"] == stored and len(stored) == len(round_.seats):
                round_ = replace(round_, stacks=dict(zip(round_.seat_numbers, stored, strict=True)))
            for step in steps_at(round_, history, hand.number):
                if isinstance(step, PlayedHand):
                    yield from _name_hand(recorded, record, round_, step)
                round_ = step.round
            stored = record["stacks"]
    except ScoringError:
        return  # where nothing has been wrong before, the refusal says so


def _name_boards(recorded: RecordedRound) -> Iterator[Difference]:
    """Name the hands whose packed boards are not those that their content names."""
    for record in recorded.hands:
        written = None if record["id"] is None else pack_content(record)
        if written != record["boards"]:
            detail = "the packed boards are not those that the hand's content names"
            stored = record["boards"] and record["boards"].hex()
            yield Difference(recorded.id, record["number"], "boards", stored, written and written.hex(), detail)


def _name_hand(recorded: RecordedRound, record: Record, before: Round, played: PlayedHand) -> Iterator[Difference]:
    computed = score_parameters(before, played)
    computed["top_ups"] = computed["added"]
    on_time = [_show(transfer) for transfer in recorded.transfers.get((record["number"], False), ())]
    paid = [dump_transfer(transfer) for transfer in played.transfers]
    players = sorted(played.hand.by_seat)
    pairs: dict[str, tuple[Any, Any]] = {
        **{name: (_by_seat(players, record[name]), _by_seat(players, computed[name])) for name in _OF_PLAYERS},
        "exchanges": (record["exchanges"], computed["exchanges"]),
        **{
            name: (_by_seat(before.seat_numbers, record[name]), _by_seat(before.seat_numbers, computed[name]))
            for name in _OF_SEATS
        },
        "transfers": (on_time, paid),
        "transfer_count": (record["transfer_count"], len(paid)),
    }
    for name, (stored, found) in pairs.items():
        if stored != found:
            yield Difference(recorded.id, record["number"], name, stored, found)


def _name_ends(recorded: RecordedRound, played: PlayedRound, *, is_own: bool) -> Iterator[Difference]:
    """Name what differs in the round as a whole."""
    head, computed = recorded.head, dump_round(played.round)
    on_time = sum(len(hand.transfers) for hand in played.hands)
    late = [dump_transfer(paid.transfer) for paid in played.payments[on_time:]]
    stored_late = [_show(each) for (_, is_late), paid in recorded.transfers.items() if is_late for each in paid]
    if stored_late != late or bool(recorded.payout) != bool(late):
        yield Difference(recorded.id, None, "late_transfers", stored_late, late)
    for name in _OF_HEADS if is_own else ("status", "stacks"):
        stored, found = head[name], computed[name]
        if stored != found:
            if name in ("opening_stacks", "top_ups", "stacks"):
                seats = played.round.seat_numbers
                stored, found = _by_seat(seats, stored), _by_seat(seats, found)
            yield Difference(recorded.id, None, name, stored, found)
    if is_own and recorded.is_open and head["state"] != computed["state"]:
        yield Difference(recorded.id, None, "state", head["state"], computed["state"])


def _moved(recorded: RecordedRound, played: PlayedRound) -> dict[str, Points]:
    head = recorded.head
    stored = {
        player: stack - opening - added
        for player, stack, opening, added in zip_longest(
            head["players"], head["stacks"], head["opening_stacks"], head["top_ups"], fillvalue=0
        )
    }
    nets = {seat.player: played.round.nets[seat.seat] for seat in played.round.seats}
    moved = {player: net - stored.get(player, 0) for player, net in nets.items()}
    return {player: points for player, points in moved.items() if points}


def _by_seat(seats: Sequence[Seat], figures: Sequence[Any]) -> Any:
    """Show figures by seat; as they are, where they are not as many."""
    if len(seats) != len(figures):
        return list(figures)
    return {str(seat): figure for seat, figure in zip(seats, figures, strict=True)}


def _show(transfer: Record) -> dict[str, Any]:
    """Show a stored transfer as a computed one is shown."""
    return {"order": transfer["position"], **{name: transfer[name] for name in TRANSFER_FIELDS}}


def _stood(played: PlayedRound) -> list[Round]:
    """Say where the round stood before each hand; departures between change none of its figures."""
    if not played.hands:
        return []
    opened = open_round(played.round.ruleset, played.round.seats)
    return [opened, *(hand.round for hand in played.hands[:-1])]


def _figures(before: Round, played: PlayedHand) -> list[int]:
    """List what a hand comes to in the order of `Figures`."""
    computed, seats = score_parameters(before, played), before.seat_numbers
    players = sorted(played.hand.by_seat)
    listed: list[int] = []
    for name in _OF_PLAYERS:
        by_seat = dict(zip(players, computed[name], strict=True))
        listed += [int(by_seat.get(seat, 0)) for seat in seats]
    listed += [*computed["added"], *computed["stacks_before"], *computed["stacks"]]
    pairs = pairs_of(len(seats))
    listed += _filled(computed["exchanges"], pairs)
    transfers = [figure for transfer in played.transfers for figure in _transfer_figures(transfer)]
    return [*listed, *_filled(transfers, pairs * len(TRANSFER_FIELDS)), len(played.transfers)]


def _transfer_figures(transfer: Transfer) -> list[int]:
    return [
        LIMITS.index(transfer.limited_by) if name == "limited_by" else getattr(transfer, name)
        for name in TRANSFER_FIELDS
    ]


def _filled(listed: Sequence[int], size: int) -> list[int]:
    return [*listed, *[0] * (size - len(listed))]


def _pack(figures: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(figures)}q", *figures)
