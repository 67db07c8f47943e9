"""Open rounds."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence import digest_of
from evidence.charges import StandingCharge, charge_of
from evidence.events import RoundOpened
from schemas.base import ComparedMistake, show
from schemas.money import Unit, dump_unit, refuse_inexact
from schemas.rounds import RoundRequest, RoundView, SeatRequest
from scoring.errors import Mistake, RoundError
from scoring.hand import Seat
from scoring.round import open_round as seat_players
from scoring.round_state import Round, RoundSeat, fold_player
from scoring.ruleset import Points, Ruleset
from service.clubs.scopes import require_key
from service.db import Transaction
from service.errors import RoundConflict, RoundOpen
from service.players.queries.aliases import Aliases, hold_aliases
from service.rounds.actions.checks import find_time_mistakes, refuse_aliases_together
from service.rounds.queries import rounds
from service.rounds.queries.received import Submission
from service.rounds.queries.rounds import FIRST
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange, write_rounds
from service.rulesets import queries as rulesets
from service.tables import queries as tables
from service.tables.actions import refuse_archived
from service.tables.queries import StoredTable
from service.texts.queries import MetadataOwner

_OTHER_SEATS: Final = "round-conflict"


def view_round(stored: StoredRound) -> RoundView:
    """Convert a stored round to its view."""
    return RoundView(
        id=str(stored.id),
        table=str(stored.table_id),
        round=stored.round,
        version=stored.version,
        reference=stored.reference,
        point_value=stored.point_value,
        unit=stored.unit,
        charge_per=stored.charge_per,
        charge_amount=stored.charge_amount,
        opened_at=stored.opened_at,
        recorded_at=stored.recorded_at,
        state=stored.finality.settlement_state,
    )


def given_opening_time(
    now: datetime, opened_at: datetime | None, played_at: Iterable[datetime | None] = ()
) -> datetime | None:
    """
    Return the opening time that a request states: explicitly, or as the time of the first hand that has one.

    Raises:
        RoundError: a time is in the future, or too early.
    """
    played = list(played_at)
    of_hands = ((("hands", index, "played_at"), moment) for index, moment in enumerate(played))
    mistakes = list(find_time_mistakes(now, [(("opened_at",), opened_at), *of_hands]))
    if mistakes:
        raise RoundError(mistakes)
    return opened_at or next((moment for moment in played if moment is not None), None)


def next_opening_time(transaction: Transaction, table_id: UUID) -> datetime:
    """
    Return the opening time of a round that is opened now: later than those of all other rounds of the table.

    Imported rounds are ignored. Servers' clocks may differ, but the rounds of a table are in the order of opening.
    """
    newest = rounds.find_newest_opening(transaction, table_id)
    return transaction.now if newest is None else max(transaction.now, newest + timedelta(microseconds=1))


@dataclass(frozen=True, slots=True)
class ChangedRound:
    """
    A round that was opened or changed, as it is now, and whether the request is a replay.

    Attributes:
        warnings: what may be a mistake in the request.
    """

    view: RoundView
    is_replay: bool
    warnings: tuple[Mistake, ...] = ()


def open_round(transaction: Transaction, table_id: UUID, request: RoundRequest) -> ChangedRound:
    """
    Open a round at a table. An omitted stack carries over from the player's last round there that was not imported.

    It carries over whichever of their IDs the player had there. The stack of a round with another point value or
    unit than the table has now does not carry over.

    Raises:
        NotFound: the table does not exist.
        TableArchived: the table is archived.
        RoundOpen: the table has an open round.
        RoundConflict: the reference belongs to a round with other seats.
        RoundError: the seats are invalid, or the opening time is in the future.
    """
    if request.metadata:
        require_key(transaction, "`metadata`")
    table = tables.get(transaction, table_id, for_update=True)
    recorded = request.reference and rounds.find_by_reference(transaction, table_id, request.reference)
    if recorded:
        return _replay(recorded, request)
    refuse_archived(table)
    is_open = rounds.find_open(transaction, table_id)
    if is_open is not None:
        raise RoundOpen(f"round {is_open} is open at this table; finish or close it first")
    players, aliases = [seat.player for seat in request.seats], hold_aliases(transaction)
    last = rounds.list_stacks_left(transaction, table_id, players, aliases)
    money = table.point_value, table.unit and table.unit.code
    carried = {player: each.stack for player, each in last.items() if (each.point_value, each.unit) == money}
    ruleset = rulesets.get(transaction, table.ruleset_name, table.ruleset_version)
    opened_at = given_opening_time(transaction.now, request.opened_at)
    round_ = _seat_players(table, ruleset, request.seats, carried, last)
    refuse_aliases_together(aliases, players)
    change = add_round(
        transaction,
        table,
        round_,
        opened_at=opened_at,
        reference=request.reference,
        point_value=table.point_value,
        unit=table.unit,
        charge=charge_of(table.charge_per, table.charge_amount),
        digest=digest_of(describe_opening(round_.seats)),
        carried_over=[seat.seat for seat in round_.seats if carried.get(seat.player) == seat.opening_stack],
    )
    change.add_metadata(MetadataOwner.of_round(change.before.id), request.metadata)
    opened = change.finish()
    warnings = find_similar_players(transaction, players, aliases)
    write_rounds(transaction, change)
    return ChangedRound(view_round(opened), is_replay=False, warnings=warnings)


def find_similar_players(transaction: Transaction, players: Sequence[str], aliases: Aliases) -> tuple[Mistake, ...]:
    """
    List the new players of a round whose IDs look like those of known players of the club.

    Args:
        transaction: the transaction of the request, before the round is written.
        players: the players, in the order of `seats` in the request.
        aliases: those of the club; nobody who has one, or is one, is new.
    """
    new = {player for player in players if aliases.ids_of(player) == [player]}
    new -= rounds.list_known_players(transaction, new)
    if not new:
        return ()
    keys = {fold_player(player) for player in new}
    known: dict[str, str] = {}
    for player in rounds.list_players(transaction):
        if (folded := fold_player(player)) in keys:
            known.setdefault(folded, player)
    return tuple(_find_similar(players, new, known))


def _find_similar(players: Sequence[str], new: Collection[str], known: Mapping[str, str]) -> Iterator[Mistake]:
    for index, player in enumerate(players):
        other = known.get(fold_player(player)) if player in new else None
        if other is not None:
            detail = f"player {player!r} is new, and looks like the known player {other!r}"
            values = {"recorded": other, "received": player}
            yield ComparedMistake("player-similar", ("seats", index, "player"), detail, values)


def add_round(
    transaction: Transaction,
    table: StoredTable,
    round_: Round,
    *,
    opened_at: datetime | None,
    reference: str | None,
    point_value: int | None,
    unit: Unit | None,
    charge: StandingCharge | None,
    digest: bytes,
    carried_over: list[Seat],
    submission: Submission | None = None,
) -> RoundChange:
    """
    Build the opening of a round with the next number of its table, which must be locked.

    Without `opened_at`, the round is opened now.

    Raises:
        RoundError: the round has too many points.
    """
    opened = build_round(
        transaction,
        table,
        round_,
        table_sequence=rounds.next_sequences(transaction, [table.id])[table.id],
        opened_at=opened_at or next_opening_time(transaction, table.id),
        reference=reference,
        point_value=point_value,
        unit=unit,
        charge=charge,
        digest=digest,
    )
    event = opening_event(opened, carried_over, submission)
    return RoundChange.opening(transaction, opened, event, carried_over=carried_over)


def build_round(
    transaction: Transaction,
    table: StoredTable,
    round_: Round,
    *,
    table_sequence: int,
    opened_at: datetime,
    reference: str | None,
    point_value: int | None,
    unit: Unit | None,
    charge: StandingCharge | None,
    digest: bytes,
    imported: bool = False,
) -> StoredRound:
    """
    Build the stored form of a new round.

    Raises:
        RoundError: the round has too many points.
    """
    refuse_inexact(round_, point_value, "seats")
    return StoredRound(
        id=uuid7(),
        table_id=table.id,
        table_sequence=table_sequence,
        imported=imported,
        reference=reference,
        digest=digest,
        point_value=point_value,
        unit=unit,
        charge_per=None if charge is None else charge.per,
        charge_amount=None if charge is None else charge.amount,
        opened_at=opened_at,
        recorded_at=transaction.now,
        version=FIRST,
        revision=FIRST,
        round=round_,
        correction_window_minutes=table.correction_window_minutes,
    )


def opening_event(
    opened: StoredRound, carried_over: Iterable[Seat] = (), submission: Submission | None = None
) -> bytes:
    """
    Return the encoded event payload of an opening.

    Args:
        opened: the round.
        carried_over: the seats whose stacks carried over from an earlier round.
        submission: the received document, if the round is recorded from one.
    """
    ruleset = opened.round.ruleset
    event = RoundOpened(
        round=opened.id,
        table=opened.table_id,
        table_sequence=opened.table_sequence,
        imported=opened.imported,
        reference=opened.reference,
        digest=opened.digest,
        ruleset=str(ruleset),
        ruleset_digest=rulesets.digest_ruleset(ruleset),
        point_value=opened.point_value,
        **dump_unit(opened.unit),
        charge_per=opened.charge_per,
        charge_amount=opened.charge_amount,
        opened_at=opened.opened_at,
        correction_window_minutes=opened.correction_window_minutes,
        seats=tuple(sorted(opened.round.seats, key=lambda seat: seat.seat)),
        carried_over=tuple(sorted(carried_over)),
        submission=None if submission is None else submission.received,
    )
    return event.encode()


def describe_opening(seats: Iterable[RoundSeat]) -> list[dict[str, object]]:
    """Return the seats, players and stacks of an opening, by seat."""
    ordered = sorted(seats, key=lambda seat: seat.seat)
    return [{"seat": seat.seat, "player": seat.player, "stack": seat.opening_stack} for seat in ordered]


def _replay(recorded: StoredRound, request: RoundRequest) -> ChangedRound:
    differences = list(_find_differences(recorded.round.seats, request.seats))
    if differences:
        detail = (
            f"the reference {request.reference!r} belongs to round {recorded.id}, which was opened with other seats"
        )
        raise RoundConflict(detail, (Mistake(_OTHER_SEATS, ("reference",), detail), *differences))
    return ChangedRound(view_round(recorded), is_replay=True)


def _find_differences(recorded: Iterable[RoundSeat], received: Iterable[SeatRequest]) -> Iterator[Mistake]:
    """List the differences of seats from the recorded ones. An omitted stack is none."""
    missing = {seat.seat: seat for seat in recorded}
    expected = ", ".join(map(str, sorted(missing)))
    for index, seat in enumerate(received):
        opened = missing.pop(seat.seat, None)
        if opened is None:
            detail = f"seat {seat.seat} is not recorded; expected seats {expected}"
            yield Mistake(_OTHER_SEATS, ("seats", index, "seat"), detail)
            continue
        for name, old, new in (("player", opened.player, seat.player), ("stack", opened.opening_stack, seat.stack)):
            if new not in (None, old):
                detail = f"{show(old)} is recorded, {show(new)} was received"
                values = {"recorded": old, "received": new}
                yield ComparedMistake(_OTHER_SEATS, ("seats", index, name), detail, values)
    for number in missing:
        yield Mistake(_OTHER_SEATS, ("seats",), f"seat {number} is recorded, and is not in the request")


def _seat_players(
    table: StoredTable,
    ruleset: Ruleset,
    seats: tuple[SeatRequest, ...],
    carried: Mapping[str, Points],
    known: Collection[str],
) -> Round:
    mistakes = list(_stack_mistakes(seats, carried, known, table))
    refused = {mistake.path[1] for mistake in mistakes}
    # An invalid stack is replaced by 1 here, so that the rest is checked too.
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
    seats: tuple[SeatRequest, ...], carried: Mapping[str, Points], known: Collection[str], table: StoredTable
) -> Iterator[Mistake]:
    """
    List the stacks that are missing or below the table's minimum.

    Args:
        seats: the players of the request.
        carried: the stacks that carry over, by player.
        known: the players who have played at the table, also for another point value or unit.
        table: the table.
    """
    for index, seat in enumerate(seats):
        path = ("seats", index, "stack")
        carries_over = carried.get(seat.player, 0) > 0
        if seat.stack is None and not carries_over:
            why = _explain_missing(seat.player, carried, known)
            detail = f"is required, because player {seat.player!r} {why}; expected the points that they sit down with"
            yield Mistake("stack-missing", path, detail)
        elif (
            seat.stack is not None
            and seat.stack < (table.minimum_stack or 0)
            and seat.stack != carried.get(seat.player)
        ):
            detail = f"is {seat.stack}; expected at least {table.minimum_stack}, the table's minimum"
            yield Mistake("stack-below-minimum", path, detail)


def _explain_missing(player: str, carried: Mapping[str, Points], known: Collection[str]) -> str:
    """Return why no stack of a player carries over."""
    if player in carried:
        return "has none left over"
    if player in known:
        return "played their last round at the table with another point value or unit"
    return "has played no round at the table"
