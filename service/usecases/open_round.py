from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.hands import canonical_json, digest_of
from schemas.rounds import RoundRequest, RoundView, SeatRequest
from scoring.errors import Mistake, RoundError
from scoring.hand import Seat
from scoring.round import open_round as seat_players
from scoring.round_state import Round, RoundSeat
from scoring.ruleset import Points, Ruleset
from service.database import Transaction
from service.errors import RoundConflict, RoundOpen
from service.repository import rounds, rulesets, tables
from service.repository.rounds import FIRST, StoredRound
from service.repository.submissions import Submission
from service.repository.tables import StoredTable
from service.usecases.exact_points import refuse_inexact
from service.usecases.views import view_round


@dataclass(frozen=True, slots=True)
class OpenedRound:
    """A round as it stands, and whether it had been opened before."""

    view: RoundView
    is_replay: bool


class ToldOpening(TypedDict):
    """What the audit trail says of an opening, beside the rules: ids and digests as texts, seats rising."""

    round: str
    table: str
    reference: str | None
    digest: str
    carried_over: Sequence[Seat]
    point_value: int | None
    currency: str | None
    correction_window_minutes: int
    seats: Sequence[Mapping[str, object]]
    submission: Mapping[str, str] | None


def open_round(transaction: Transaction, table_id: UUID, request: RoundRequest) -> OpenedRound:
    """
    Open a round at a table. A stack left out carries over from the table's last round.

    Raises:
        NotFound: the club has no such table.
        RoundOpen: a round is open at the table.
        RoundConflict: the reference belongs to a round with other seats.
        RoundError: these players cannot be seated like this.
    """
    table = tables.get(transaction, table_id)
    tables.lock(transaction, table.name)
    recorded = request.reference and rounds.find_by_reference(transaction, table_id, request.reference)
    if recorded:
        return _replay(recorded, request)
    last = rounds.find_last(transaction, table_id)
    if last is not None and last.round.is_open:
        raise RoundOpen(f"round {last.id} is open at this table; finish or close it first")
    carried = _stacks_carried_over(last)
    ruleset = rulesets.get(transaction, table.ruleset_name, table.ruleset_version)
    round_ = _seat_players(table, ruleset, request.seats, carried)
    opened = keep_round(
        transaction,
        table,
        round_,
        reference=request.reference,
        point_value=table.point_value,
        currency=table.currency,
        digest=digest_of(describe_opening(round_.seats)),
        carried_over=[seat.seat for seat in round_.seats if carried.get(seat.player) == seat.opening_stack],
    )
    return OpenedRound(view_round(opened), is_replay=False)


def keep_round(
    transaction: Transaction,
    table: StoredTable,
    round_: Round,
    *,
    reference: str | None,
    point_value: int | None,
    currency: str | None,
    digest: bytes,
    carried_over: list[Seat],
    submission: Submission | None = None,
) -> StoredRound:
    """
    Keep a round that has just been opened.

    Raises:
        RoundError: it has more points than can be counted exactly.
    """
    opened = make_round(
        transaction, table, round_, reference=reference, point_value=point_value, currency=currency, digest=digest
    )
    event = opening_event(opened, carried_over, submission)
    return rounds.add(transaction, opened, event, carried_over=carried_over)


def make_round(
    transaction: Transaction,
    table: StoredTable,
    round_: Round,
    *,
    reference: str | None,
    point_value: int | None,
    currency: str | None,
    digest: bytes,
) -> StoredRound:
    """
    Give a round that has just been opened what is kept beside the game.

    Raises:
        RoundError: it has more points than can be counted exactly.
    """
    refuse_inexact(round_, point_value, "seats")
    return StoredRound(
        id=uuid7(),
        table_id=table.id,
        reference=reference,
        digest=digest,
        point_value=point_value,
        currency=currency,
        opened_at=transaction.now,
        version=FIRST,
        revision=FIRST,
        round=round_,
        correction_window_minutes=table.correction_window_minutes,
    )


def opening_event(
    opened: StoredRound, carried_over: Iterable[Seat] = (), submission: Submission | None = None
) -> bytes:
    """
    Say for the audit trail what round was opened, by which rules, and whose stacks come from the round before.

    Args:
        opened: the round.
        carried_over: seats whose stack comes from the round before.
        submission: the document that the round came in with, if it did.
    """
    return told_opening(
        told_rules(opened.round.ruleset),
        round=str(opened.id),
        table=str(opened.table_id),
        reference=opened.reference,
        digest=opened.digest.hex(),
        carried_over=sorted(carried_over),
        point_value=opened.point_value,
        currency=opened.currency,
        correction_window_minutes=opened.correction_window_minutes,
        seats=describe_opening(opened.round.seats),
        submission=None if submission is None else submission.told,
    )


def told_rules(ruleset: Ruleset) -> Mapping[str, str]:
    """Say by which rules a round is opened."""
    return {"ruleset": str(ruleset), "ruleset_digest": rulesets.digest_ruleset(ruleset).hex()}


def told_opening(rules: Mapping[str, str], **opening: Unpack[ToldOpening]) -> bytes:
    """Write what the audit trail says of an opening."""
    return canonical_json({**opening, **rules})


def describe_opening(seats: Iterable[RoundSeat]) -> list[dict[str, object]]:
    """Say who sat down where and with what, by seat."""
    ordered = sorted(seats, key=lambda seat: seat.seat)
    return [{"seat": seat.seat, "player": seat.player, "stack": seat.opening_stack} for seat in ordered]


def _replay(recorded: StoredRound, request: RoundRequest) -> OpenedRound:
    opened = {(seat.seat, seat.player): seat.opening_stack for seat in recorded.round.seats}
    asked = {(seat.seat, seat.player): seat.stack for seat in request.seats}
    same = opened.keys() == asked.keys() and all(stack in (None, opened[place]) for place, stack in asked.items())
    if not same:
        detail = (
            f"the reference {request.reference!r} belongs to round {recorded.id}, which was opened with other seats"
        )
        raise RoundConflict(detail, (Mistake("round-conflict", ("reference",), detail),))
    return OpenedRound(view_round(recorded), is_replay=True)


def _stacks_carried_over(last: StoredRound | None) -> Mapping[str, Points]:
    if last is None:
        return {}
    return {seat.player: last.round.stacks[seat.seat] for seat in last.round.seats}


def _seat_players(
    table: StoredTable, ruleset: Ruleset, seats: tuple[SeatRequest, ...], carried: Mapping[str, Points]
) -> Round:
    mistakes = list(_stack_mistakes(seats, carried, table))
    refused = {mistake.path[1] for mistake in mistakes}
    # A stack that is refused already counts as some points here, so that everything else is checked as well.
    sitting = [
        RoundSeat(seat.seat, seat.player, 1 if index in refused else _stack(seat, carried))
        for index, seat in enumerate(seats)
    ]
    try:
        round_ = seat_players(ruleset, sitting)
    except RoundError as error:
        raise RoundError([*error.mistakes, *mistakes]) from error
    if mistakes:
        raise RoundError(mistakes)
    return round_


def _stack(seat: SeatRequest, carried: Mapping[str, Points]) -> Points:
    return carried[seat.player] if seat.stack is None else seat.stack


def _stack_mistakes(
    seats: tuple[SeatRequest, ...], carried: Mapping[str, Points], table: StoredTable
) -> Iterator[Mistake]:
    for index, seat in enumerate(seats):
        path = ("seats", index, "stack")
        carries_over = carried.get(seat.player, 0) > 0
        if seat.stack is None and not carries_over:
            why = "has none left over" if seat.player in carried else "was not in the table's last round"
            detail = f"is missing, and player {seat.player!r} {why}; give the points he sits down with"
            yield Mistake("stack-missing", path, detail)
        elif (
            seat.stack is not None
            and seat.stack < (table.minimum_stack or 0)
            and seat.stack != carried.get(seat.player)
        ):
            detail = f"is {seat.stack}; the table's minimum is {table.minimum_stack}"
            yield Mistake("stack-below-minimum", path, detail)
