"""Replay a single round, and compare it with its stored results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final
from uuid import UUID

import numpy as np

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
from service.recomputations.packed.rounds import pairs_of
from service.recomputations.queries import Difference, Record, RecordedRound, pack_content
from service.rounds.models import TRANSFER_FIELDS
from service.rounds.queries.stored_round import PaidRow, dump_round, figures_of

REFUSED: Final = -1
"""The status number of an invalid round."""

_OF_PLAYERS: Final = (
    *("points", "fouls", "royalties", "royalties_top", "royalties_middle"),
    *("from_rows", "from_bonuses", "from_fouls", "earned", "stays"),
)
_OF_PAIRS: Final = ("exchanges", "scoops")
_OF_SEATS: Final = ("top_ups", "stacks_before", "stacks")
_OF_HEADS: Final = ("status", "hands", "seats", "players", "opening_stacks", "top_ups", "stacks")


@dataclass(frozen=True, slots=True)
class Replayed:
    """
    A replayed round.

    Attributes:
        history: the history of the round; None if the records cannot be read.
        played: the result; None if the round is invalid.
        differences: the differences from the stored results.
        moved: the change of each player's net points, without zeros.
    """

    recorded: RecordedRound
    history: History | None
    played: PlayedRound | None
    differences: tuple[Difference, ...]
    moved: Mapping[str, Points]

    def digest(self, digest: RoundsDigest) -> None:
        """Add the round to a digest."""
        round_id = self.recorded.id.bytes
        if self.played is None:
            digest.add(round_id, b"", REFUSED)
            return
        played = self.played
        on_time = sum(len(hand.transfers) for hand in played.hands)
        late = b"".join(_pack(_transfer_figures(paid.transfer)) for paid in played.payments[on_time:])
        rounds = _rounds_before_hands(played)
        figures = b"".join(_pack(_figures(before, hand)) for before, hand in zip(rounds, played.hands, strict=True))
        digest.add(round_id, figures, STATUSES.index(played.round.status), late)


def replay_round(recorded: RecordedRound, ruleset: Ruleset, *, is_own: bool) -> Replayed:
    """
    Replay a round from its records, and list the differences.

    Under its own ruleset, each hand is replayed from the stored stacks of the hand before, so that a difference is
    reported once and not in every later hand; the final stacks are compared for the round as a whole. Under another
    ruleset, each hand is replayed from the computed stacks of the hand before.
    """
    history, boards = None, tuple(_compare_boards(recorded))
    try:
        history = recorded.history(ruleset)
        played = replay(history)
    except ScoringError as error:
        refused = _refusal(recorded.id, error)
        named = _compare_hands(recorded, history, is_own=is_own) if history else ()
        return Replayed(recorded, history, None, (*boards, *named, refused), {})
    named = _compare_hands(recorded, history, is_own=is_own)
    differences = (*boards, *named, *_compare_ends(recorded, played, is_own=is_own))
    return Replayed(recorded, history, played, differences, _moved(recorded, played) if differences else {})


def _refusal(round_id: UUID, error: ScoringError) -> Difference:
    path = error.mistakes[0].path
    hand = int(path[1]) + 1 if path[:1] == ("hands",) else None
    return Difference(round_id, hand, "refused", detail=str(error))


def _compare_hands(recorded: RecordedRound, history: History, *, is_own: bool) -> Iterator[Difference]:
    """Yield the differences in hands, up to the first invalid one."""
    stored: list[Points] = []
    try:
        round_ = open_round(history.ruleset, history.seats)
        for hand, record in zip(history.hands, recorded.hands, strict=True):
            if is_own and record["stacks_before"] == stored and len(stored) == len(round_.seats):
                round_ = replace(round_, stacks=dict(zip(round_.seat_numbers, stored, strict=True)))
            for step in steps_at(round_, history, hand.number):
                if isinstance(step, PlayedHand):
                    yield from _compare_hand(recorded, record, round_, step)
                round_ = step.round
            stored = record["stacks"]
    except ScoringError:
        return  # the caller reports the invalid hand


def _compare_boards(recorded: RecordedRound) -> Iterator[Difference]:
    """Yield the hands whose packed boards differ from their content."""
    for record in recorded.hands:
        written = None if record["id"] is None else pack_content(record)
        if written != record["boards"]:
            detail = "the packed boards differ from the boards in the hand's content"
            stored = record["boards"] and record["boards"].hex()
            yield Difference(recorded.id, record["number"], "boards", stored, written and written.hex(), detail)


def _compare_hand(recorded: RecordedRound, record: Record, before: Round, played: PlayedHand) -> Iterator[Difference]:
    computed = figures_of(before, played)._asdict()
    players = sorted(played.hand.by_seat)
    pairs: dict[str, tuple[Any, Any]] = {
        **{name: (_by_seat(players, record[name]), _by_seat(players, computed[name])) for name in _OF_PLAYERS},
        **{name: (record[name], computed[name]) for name in _OF_PAIRS},
        **{
            name: (_by_seat(before.seat_numbers, record[name]), _by_seat(before.seat_numbers, computed[name]))
            for name in _OF_SEATS
        },
        "transfers": (_show(record["transfers"]), [dump_transfer(transfer) for transfer in played.transfers]),
    }
    for name, (stored, found) in pairs.items():
        if stored != found:
            yield Difference(recorded.id, record["number"], name, stored, found)


def _compare_ends(recorded: RecordedRound, played: PlayedRound, *, is_own: bool) -> Iterator[Difference]:
    """Yield the differences in the round as a whole."""
    head, computed = recorded.head, dump_round(played.round)
    on_time = sum(len(hand.transfers) for hand in played.hands)
    late = [dump_transfer(paid.transfer) for paid in played.payments[on_time:]]
    stored_late = _show(recorded.payout["transfers"]) if recorded.payout else []
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
    """Return figures by seat, or as a list if their number differs from that of the seats."""
    if len(seats) != len(figures):
        return list(figures)
    return {str(seat): figure for seat, figure in zip(seats, figures, strict=True)}


def _show(transfers: Sequence[PaidRow]) -> list[dict[str, Any]]:
    """Return stored transfers in the form of `dump_transfer`."""
    return [{"order": order, **transfer} for order, transfer in enumerate(transfers, 1)]


def _rounds_before_hands(played: PlayedRound) -> list[Round]:
    """Return the round before each hand, without the departures between hands, which change no figures."""
    if not played.hands:
        return []
    opened = open_round(played.round.ruleset, played.round.seats)
    return [opened, *(hand.round for hand in played.hands[:-1])]


def _figures(before: Round, played: PlayedHand) -> list[int]:
    """Return the figures of a hand in the order of `Figures`."""
    computed, seats = figures_of(before, played)._asdict(), before.seat_numbers
    players = sorted(played.hand.by_seat)
    listed: list[int] = []
    for name in _OF_PLAYERS:
        by_seat = dict(zip(players, computed[name], strict=True))
        listed += [int(by_seat.get(seat, 0)) for seat in seats]
    listed += [*computed["top_ups"], *computed["stacks_before"], *computed["stacks"]]
    pairs = pairs_of(len(seats))
    for name in _OF_PAIRS:
        listed += _filled(computed[name], pairs)
    transfers = [figure for transfer in played.transfers for figure in _transfer_figures(transfer)]
    return [*listed, *_filled(transfers, pairs * len(TRANSFER_FIELDS))]


def _transfer_figures(transfer: Transfer) -> list[int]:
    return [
        LIMITS.index(transfer.limited_by) if name == "limited_by" else getattr(transfer, name)
        for name in TRANSFER_FIELDS
    ]


def _filled(listed: Sequence[int], size: int) -> list[int]:
    return [*listed, *[0] * (size - len(listed))]


def _pack(figures: Sequence[int]) -> bytes:
    return np.array(figures, "<i8").tobytes()
