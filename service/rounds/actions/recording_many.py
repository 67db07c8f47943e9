"""Record the hands of many lines in one transaction: those of a batch, and the rounds of an import."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar
from uuid import UUID

from sqlalchemy.exc import DBAPIError

from schemas.base import WireError
from schemas.hand_lines import HandLine, RoundName
from schemas.hands import SubmittedHand
from scoring.errors import ScoringError
from service.database_errors import DatabaseError
from service.db import Transaction
from service.errors import Busy, HandUndone, NotFound, ServiceError
from service.logs import format_exception, get_log
from service.rounds.actions.charges import ChargeRecorder
from service.rounds.actions.hand_references import HandReferences
from service.rounds.actions.recording import HandRecorder, HandResult, find_hand_mistakes
from service.rounds.queries import boards, rounds
from service.rounds.queries.writer import RoundChange, write_rounds

_log: Final = get_log(__name__)

WRITTEN_AT_ONCE: Final = 75
"""The number of rounds that are written with one statement."""

Line = TypeVar("Line")
Result = TypeVar("Result")


class RoundWriter:
    """Writes changes of rounds in groups: PostgreSQL stores one group while the next is computed."""

    def __init__(self, transaction: Transaction, before_write: Callable[[], None] = lambda: None) -> None:
        """
        Begin without changes.

        Args:
            transaction: in which the rounds were locked.
            before_write: writes what the changes refer to, before each group.
        """
        self._transaction = transaction
        self._before_write = before_write
        self._waiting: list[RoundChange] = []

    def add(self, change: RoundChange) -> None:
        """Add the finished change of a round that has no other change here."""
        self._waiting.append(change)
        if len(self._waiting) >= WRITTEN_AT_ONCE:
            self.write()

    def write(self) -> None:
        """Start to write the changes that wait; the next query raises their errors."""
        self._before_write()
        write_rounds(self._transaction, *self._waiting)
        self._transaction.start()
        self._waiting.clear()


def record_lines(
    transaction: Transaction,
    lines: Sequence[Line],
    record: Callable[[Sequence[Line], Sequence[Result]], list[Result]],
    refuse: Callable[[Line, Exception], Result],
    *,
    is_fault: Callable[[Exception], bool],
) -> list[Result]:
    """
    Record lines together, and return the result of each, in order.

    If a line raises an exception, nothing of the lines is stored, and each half of them is recorded separately. So a
    line costs only itself.

    Args:
        transaction: the club's transaction.
        lines: the lines.
        record: records some lines, given the results of all lines before them.
        refuse: returns the result of a line that raises an exception.
        is_fault: whether an exception can be the fault of a line; any other ends the request.
    """

    def record_some(some: Sequence[Line], earlier: Sequence[Result]) -> list[Result]:
        try:
            with transaction.savepoint():
                return record(some, earlier)
        except Exception as error:
            if not is_fault(error):
                raise
            if len(some) == 1:
                return [refuse(some[0], error)]
            _log.error("lines_divided", error=format_exception(error), lines=len(some))
        middle = len(some) // 2
        first = record_some(some[:middle], earlier)
        return [*first, *record_some(some[middle:], [*earlier, *first])]

    return record_some(lines, []) if lines else []


Refusal = WireError | ScoringError | ServiceError
Status = Literal["recorded", "replayed", "undone", "refused", "not_attempted"]
Check = Callable[[HandLine, HandResult], None]


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

    @property
    def stops_round(self) -> bool:
        """Whether later hands of the round are not attempted."""
        return self.status not in ("recorded", "replayed")


def record_hands(
    transaction: Transaction, lines: Sequence[HandLine], check: Check, charge: Callable[[], ChargeRecorder]
) -> list[LineResult]:
    """
    Record hands of any rounds of the club, in the order of the lines.

    A hand that is refused or was undone before stops its round: later hands of the round are not attempted. It never
    affects other rounds. The first hand of a round that another request holds for too long is refused, and so is a hand
    that the database refuses.

    Args:
        transaction: the club's transaction.
        lines: the lines.
        check: raises an error if the result of a line is not as expected.
        charge: returns what records the charges of hands.
    """
    names = {(line.round.table, line.round.reference) for line in lines if isinstance(line.round, RoundName)}
    named = rounds.find_ids(transaction, names)
    round_ids = {line.number: _round_id(line, named) for line in lines}
    busy = rounds.lock_free(transaction, {round_id for round_id in round_ids.values() if round_id is not None})

    def record(some: Sequence[HandLine], earlier: Sequence[LineResult]) -> list[LineResult]:
        stopped = {result.round_id for result in earlier if result.round_id is not None and result.stops_round}
        ids = {line.number: round_ids[line.number] for line in some}
        charges = charge()
        charges.read(_list_hands(some, ids))
        return list(_HandLines(transaction, ids, busy, stopped, check, charges).record(some))

    def refuse(line: HandLine, error: Exception) -> LineResult:
        _log.error("hand_refused", error=format_exception(error), line=line.number)
        refused = Busy("The database refused the hand; retry the request, and report it if this happens again.")
        return LineResult(line, "refused", round_ids[line.number], error=refused)

    return record_lines(
        transaction, lines, record, refuse, is_fault=lambda error: isinstance(error, (DBAPIError, Busy))
    )


def _list_hands(lines: Iterable[HandLine], ids: Mapping[int, UUID | None]) -> Iterator[tuple[UUID, SubmittedHand]]:
    """Yield the hands of the valid lines whose rounds are found, each with its round."""
    for line in lines:
        round_id = ids[line.number]
        if round_id is not None and not isinstance(line.hand, WireError):
            yield round_id, line.hand


def _round_id(line: HandLine, named: Mapping[tuple[str, str], UUID]) -> UUID | None:
    if isinstance(line.round, RoundName):
        return named.get((line.round.table, line.round.reference))
    return line.round


class _HandLines:
    """Records the hands of lines in their rounds, which it locks."""

    def __init__(
        self,
        transaction: Transaction,
        round_ids: Mapping[int, UUID | None],
        busy: Collection[UUID],
        stopped: set[UUID],
        check: Check,
        charges: ChargeRecorder,
    ) -> None:
        self._transaction = transaction
        self._round_ids, self._busy, self._stopped, self._check = round_ids, busy, stopped, check
        self._last = {round_id: number for number, round_id in round_ids.items() if round_id is not None}
        locked = rounds.lock_all(transaction, self._last.keys() - busy - stopped)
        played = {round_id: stored.revision for round_id, stored in locked.items() if stored.round.hands}
        recorded = boards.list_boards_of_rounds(transaction, played)
        references = HandReferences(transaction)
        self._recorders = {
            round_id: HandRecorder(transaction, stored, charges, recorded.get(round_id, ()), references)
            for round_id, stored in locked.items()
        }

    def record(self, lines: Iterable[HandLine]) -> Iterator[LineResult]:
        """Yield the result of each line, and write each round after its last line."""
        writer = RoundWriter(self._transaction)
        for line in lines:
            round_id = self._round_ids[line.number]
            recorder = None if round_id is None else self._recorders.get(round_id)
            result = self._record_line(line, round_id, recorder)
            if result.round_id is not None and result.stops_round:
                self._stopped.add(result.round_id)
            if recorder is not None and recorder.is_changed and self._last[recorder.before.id] == line.number:
                writer.add(recorder.finish())
            yield result
        writer.write()

    def _record_line(self, line: HandLine, round_id: UUID | None, recorder: HandRecorder | None) -> LineResult:
        if round_id in self._stopped:
            return LineResult(line, "not_attempted", round_id)
        if round_id in self._busy:
            held = Busy(f"another request holds the round {round_id}; retry the request")
            return LineResult(line, "refused", round_id, error=held)
        known = None if recorder is None else round_id
        try:
            result = self._record_hand(line, recorder)
        except (Busy, DatabaseError):
            raise
        except (WireError, ScoringError, ServiceError) as error:
            return LineResult(line, "undone" if isinstance(error, HandUndone) else "refused", known, error=error)
        return LineResult(line, "replayed" if result.is_replay else "recorded", known, result)

    def _record_hand(self, line: HandLine, recorder: HandRecorder | None) -> HandResult:
        if isinstance(line.hand, WireError):
            if recorder is None:
                raise line.hand
            mistakes = find_hand_mistakes(self._transaction, recorder.before.id, line.received)
            raise line.hand.with_more(mistakes, line.received)
        if recorder is None:
            raise NotFound(f"there is no round {_describe(line)}")
        return recorder.record(line.hand, line.content, lambda result: self._check(line, result))


def _describe(line: HandLine) -> str:
    if isinstance(line.round, RoundName):
        return f"with the reference {line.round.reference!r} at a table {line.round.table!r}"
    return str(line.round)
