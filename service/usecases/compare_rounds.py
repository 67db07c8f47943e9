"""What a round came to, so that it can be laid beside what it would come to."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from schemas.corrections import CarriedOver, HandSide, RoundSide
from scoring.hand import Seat
from scoring.history import Paid, PlayedRound
from scoring.ruleset import Points
from scoring.settlement import Transfer
from service.database import Transaction
from service.repository import corrections, revisions, transfers
from service.repository.histories import StoredHistory
from service.repository.stored_round import StoredRound


def recorded_side(transaction: Transaction, round_id: UUID, revision: int, happened: StoredHistory) -> RoundSide:
    """Say what a revision of a round came to, as it was recorded."""
    paid = transfers.list_paid(transaction, round_id, revision)
    then = revisions.get(transaction, round_id, revision)
    names = {seat.seat: seat.player for seat in happened.seats}
    sides = tuple(
        HandSide(
            hand=stored.hand,
            ruleset=stored.ruleset,
            players=stored.players,
            score=stored.score,
            transfers=_paid_after(paid, stored.hand.number),
            stacks=then.stacks if stored is happened.hands[-1] else stored.stacks,
            irregular=stored.irregular,
        )
        for stored in happened.hands
    )
    return RoundSide(sides, _by_player(names, then.nets), _by_player(names, then.stacks))


def played_side(played: PlayedRound) -> RoundSide:
    """Say what a round comes to that was played again."""
    names = {seat.seat: seat.player for seat in played.round.seats}
    sides = tuple(
        HandSide(
            hand=hand.hand,
            ruleset=hand.round.ruleset,
            players=names,
            score=hand.score,
            transfers=_paid_after(played.payments, hand.hand.number),
            stacks=played.round.stacks if hand is played.hands[-1] else hand.round.stacks,
            irregular=hand.irregular,
        )
        for hand in played.hands
    )
    return RoundSide(sides, _by_player(names, played.round.nets), _by_player(names, played.round.stacks))


def find_carried_over(transaction: Transaction, stored: StoredRound) -> tuple[CarriedOver, ...]:
    """Find who opened the table's next round with what this one had left him."""
    return tuple(
        CarriedOver(str(found.round_id), found.seat, found.player, found.opening_stack)
        for found in corrections.list_carried_over(transaction, stored)
    )


def _paid_after(paid: Sequence[Paid], number: int) -> tuple[Transfer, ...]:
    return tuple(each.transfer for each in paid if each.hand == number)


def _by_player(names: Mapping[Seat, str], points: Mapping[Seat, Points]) -> dict[str, Points]:
    return {names[seat]: points[seat] for seat in sorted(names)}
