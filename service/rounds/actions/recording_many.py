"""Record hands of many rounds in one transaction."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from sqlalchemy.exc import DBAPIError

from schemas.base import WireError
from schemas.hand_lines import HandLine, RoundName
from scoring.errors import ScoringError
from service.db import Transaction
from service.errors import Busy, DatabaseError, HandUndone, NotFound, ServiceError
from service.logs import format_exception, get_log
from service.rounds.actions.recording import HandRecorder, HandResult, find_hand_mistakes
from service.rounds.queries import hands, rounds
from service.rounds.queries.writer import write_rounds

Refusal = WireError | ScoringError | ServiceError
Status = Literal["recorded", "replayed", "undone", "refused", "not_attempted"]
Check = Callable[[HandLine, HandResult], None]

_log: Final = get_log(__name__)


@dataclass(frozen=True, slots=True)
class LineResult:
    """
    The result of a line.

    Attributes:
        line: the line.
        status: whether its hand was recorded or replayed, was undone before, was refused or not attempted.
        round_id: the round; None if it was not found.
        result: the recorded hand.
        error: why the hand was not recorded.
    """

    line: HandLine
    status: Status
    round_id: UUID | None = None
    result: HandResult | None = None
    error: Refusal | None = None


def record_hands(transaction: Transaction, lines: Sequence[HandLine], check: Check) -> list[LineResult]:
    """
    Record hands of any rounds of the club, in the order of the lines.

    A hand that is refused or was undone before stops its round: later hands of the round are not attempted. It never
    affects other rounds. The first hand of a round that another request holds for too long is refused. All hands are
    written with one statement; if the database refuses it, they are written one by one, so that one hand costs only
    itself.

    Args:
        transaction: the club's transaction.
        lines: the lines.
        check: raises an error if the result of a line is not as expected.
    """
    found = rounds.find_ids(
        transaction, {(line.round.table, line.round.reference) for line in lines if isinstance(line.round, RoundName)}
    )
    round_ids = [_round_id(line, found) for line in lines]
    busy = rounds.lock_free(transaction, {round_id for round_id in round_ids if round_id is not None})
    try:
        with transaction.savepoint():
            return _record(transaction, lines, round_ids, busy, set(), check)
    except (DBAPIError, Busy) as error:
        _log.error("batch_refused", error=format_exception(error))
    stopped: set[UUID] = set()
    return [
        result
        for line, round_id in zip(lines, round_ids, strict=True)
        for result in _record_alone(transaction, line, round_id, busy, stopped, check)
    ]


def _round_id(line: HandLine, found: dict[tuple[str, str], UUID]) -> UUID | None:
    if isinstance(line.round, RoundName):
        return found.get((line.round.table, line.round.reference))
    return line.round


def _record_alone(
    transaction: Transaction,
    line: HandLine,
    round_id: UUID | None,
    busy: Collection[UUID],
    stopped: set[UUID],
    check: Check,
) -> list[LineResult]:
    """Record one line; if the database refuses it, the line is refused."""
    try:
        with transaction.savepoint():
            return _record(transaction, [line], [round_id], busy, stopped, check)
    except (DBAPIError, Busy) as error:
        _log.error("hand_refused", error=format_exception(error), line=line.number)
        if round_id is not None:
            stopped.add(round_id)
        refused = Busy("The database refused the hand; retry the request, and report it if this happens again.")
        return [LineResult(line, "refused", round_id, error=refused)]


def _record(
    transaction: Transaction,
    lines: Sequence[HandLine],
    round_ids: Sequence[UUID | None],
    busy: Collection[UUID],
    stopped: set[UUID],
    check: Check,
) -> list[LineResult]:
    locked = rounds.lock_all(
        transaction, {round_id for round_id in round_ids if round_id is not None and round_id not in busy}
    )
    boards = hands.list_boards_of_rounds(
        transaction, {round_id: stored.revision for round_id, stored in locked.items() if stored.round.hands}
    )
    recorders = {
        round_id: HandRecorder(transaction, stored, boards.get(round_id, ())) for round_id, stored in locked.items()
    }
    results = []
    for line, round_id in zip(lines, round_ids, strict=True):
        if round_id in stopped:
            results.append(LineResult(line, "not_attempted", round_id))
            continue
        if round_id is not None and round_id in busy:
            stopped.add(round_id)
            held = Busy(f"another request holds the round {round_id}; retry the request")
            results.append(LineResult(line, "refused", round_id, error=held))
            continue
        recorder = None if round_id is None else recorders.get(round_id)
        try:
            result = _record_line(transaction, line, recorder, check)
        except (Busy, DatabaseError):
            raise
        except (WireError, ScoringError, ServiceError) as error:
            known = None if recorder is None else recorder.before.id
            if known is not None:
                stopped.add(known)
            refused: Status = "undone" if isinstance(error, HandUndone) else "refused"
            results.append(LineResult(line, refused, known, error=error))
        else:
            status: Status = "replayed" if result.is_replay else "recorded"
            results.append(LineResult(line, status, round_id, result))
    write_rounds(transaction, *[recorder.finish() for recorder in recorders.values() if recorder.is_changed])
    return results


def _record_line(transaction: Transaction, line: HandLine, recorder: HandRecorder | None, check: Check) -> HandResult:
    if isinstance(line.hand, WireError):
        if recorder is None:
            raise line.hand
        raise line.hand.with_more(find_hand_mistakes(transaction, recorder.before.id, line.received), line.received)
    if recorder is None:
        raise NotFound(f"there is no round {_describe(line)}")
    return recorder.record(line.hand, line.content, lambda result: check(line, result))


def _describe(line: HandLine) -> str:
    if isinstance(line.round, RoundName):
        return f"with the reference {line.round.reference!r} at a table {line.round.table!r}"
    return str(line.round)
