"""Import the rounds of a chunk of lines; an invalid line does not stop the others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from uuid import UUID

from evidence.events import FinalReason
from schemas.base import MOST_SHOWN, WireError
from schemas.documents import dump_played_document
from schemas.hands import Irregularity
from schemas.problems import dump_mistakes, refuse
from schemas.settlements import SettlementView, view_settlement
from scoring.errors import ScoringError
from scoring.history import Paid, Step, without_needless_marks
from scoring.round import PlayedHand
from scoring.round import open_round as seat_players
from service.db import Transaction
from service.errors import Busy, DatabaseError, ExpectedDiffers, RoundConflict, RoundOpen, RulesetConflict, ServiceError
from service.imports.actions.lines import (
    Known,
    ReadLine,
    Recorded,
    SettledLines,
    SettledRound,
    UnreadLine,
    find_known,
    read_lines,
)
from service.logs import format_exception, get_log
from service.memory import no_garbage_collection
from service.metrics.counters import check_balance
from service.rounds.actions.checks import check_expected, replay_exactly
from service.rounds.actions.documents import (
    add_steps,
    is_document_of,
    reference_taken,
    refuse_other_hands,
    table_of,
)
from service.rounds.actions.opening import build_round, given_opening_time, opening_event, view_round
from service.rounds.actions.recording import build_record
from service.rounds.actions.settlements import settlement_of
from service.rounds.queries import rounds
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange, Submission, table_has_open_round, write_rounds
from service.rulesets import queries as rulesets
from service.rulesets.actions import store_ruleset
from service.tables.actions import build_table, store_table
from service.tables.queries import StoredTable


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """
    The result of a line.

    Attributes:
        line: the number of the line.
        status: whether the line was stored, was stored before, or was refused.
        round_id: the round, unless the line was refused.
        problem: the code, detail and errors of the problem, if the line was refused.
        hands: the number of stored hands.
    """

    line: int
    status: Literal["stored", "replayed", "refused"]
    round_id: UUID | None = None
    problem: dict[str, Any] | None = None
    hands: int = 0


AT_ONCE: Final = 75
"""The number of rounds that are written with one statement."""
_REFUSALS: Final = (ScoringError, RulesetConflict, RoundConflict, RoundOpen, ExpectedDiffers)
"""The errors that refuse a line; any other error ends the import."""


@no_garbage_collection()
def import_rounds(
    transaction: Transaction, lines: Sequence[tuple[int, bytes]], *, is_final: bool
) -> list[ImportedLine]:
    """
    Record rounds from lines, each a round document, with the same result as `play_document`.

    A line is stored or refused as a whole, and does not affect the others. A line that was stored before, or that
    repeats an earlier one, is a replay. Rounds are settled in groups, and written in groups while the next are settled;
    a few hundred lines are a good number.

    Args:
        transaction: the club's transaction; tables that do not exist are inserted.
        lines: the lines with their numbers.
        is_final: whether settlements are final at once; otherwise they are provisional for the correction window.

    Raises:
        Busy: another import of the same tables held their locks for too long.
    """
    waiting: list[RoundChange] = []
    read = list(read_lines(transaction, lines))
    documents = [line for line in read if isinstance(line, ReadLine)]
    known = find_known(transaction, documents)
    settled = SettledLines(line for line in documents if line.identity not in known.recorded)
    imported = []
    for line in read:
        imported.append(_import(transaction, known, line, settled, waiting, is_final=is_final))
        if len(waiting) >= AT_ONCE:
            _write(transaction, known, waiting)
    _write(transaction, known, waiting)
    transaction.send()
    return imported


def _write(transaction: Transaction, known: Known, waiting: list[RoundChange]) -> None:
    rulesets, tables = known.take_unwritten()
    for ruleset in rulesets:
        store_ruleset(transaction, ruleset)
    for table in tables:
        store_table(transaction, table)
    write_rounds(transaction, *waiting)
    transaction.start()
    waiting.clear()


def _import(
    transaction: Transaction,
    known: Known,
    line: ReadLine | UnreadLine,
    settled: SettledLines,
    waiting: list[RoundChange],
    *,
    is_final: bool,
) -> ImportedLine:
    if isinstance(line, UnreadLine):
        return _refused(line.number, line.error)
    try:
        recorded = _find_recorded(transaction, known, line)
        if recorded is not None:
            knows_more = any(submitted.hand.knows_more for submitted in line.document.hands)
            if recorded.is_new and (knows_more or line.document.expected is not None):
                _write(transaction, known, waiting)
            if knows_more:
                refuse_other_hands(transaction, recorded.id, line.document)
            _check_replay(transaction, line, recorded)
            return ImportedLine(line.number, "replayed", recorded.id)
        table = known.tables.get(line.document.table) or build_table(transaction, table_of(line.document), line.ruleset)
        change, stored = _play(transaction, known, table, line, settled.find(line.number), is_final=is_final)
    except _REFUSALS as error:
        return _refused(line.number, error)
    waiting.append(change)
    known.add(table, line.identity, stored)
    return ImportedLine(line.number, "stored", stored.id, hands=len(line.document.hands))


def _refused(number: int, error: WireError | ScoringError | ServiceError) -> ImportedLine:
    refusal = refuse(error)
    errors = dump_mistakes(refusal.mistakes[:MOST_SHOWN])
    problem = {"code": refusal.code, "detail": refusal.detail, "errors": errors}
    return ImportedLine(number, "refused", problem=problem)


def _find_recorded(transaction: Transaction, known: Known, line: ReadLine) -> Recorded | None:
    recorded = known.recorded.get(line.identity)
    if recorded is None or recorded.digest == line.digest:
        return recorded
    if not recorded.is_new:
        stored = rounds.get(transaction, recorded.id)
        if is_document_of(transaction, stored, line.document.table, line.digest):
            return recorded
    raise reference_taken(line.document.reference, recorded.id)


def _check_replay(transaction: Transaction, line: ReadLine, recorded: Recorded) -> None:
    if line.document.expected is not None:
        stored = rounds.get(transaction, recorded.id)
        _check(line, stored, settlement_of(transaction, stored))


def _check(line: ReadLine, stored: StoredRound, settlement: SettlementView) -> None:
    check_expected(line.document.expected, dump_played_document(view_round(stored), settlement))


def _play(
    transaction: Transaction,
    known: Known,
    table: StoredTable,
    line: ReadLine,
    settled: SettledRound | None,
    *,
    is_final: bool,
) -> tuple[RoundChange, StoredRound]:
    """Build a line's round for writing, from its bulk settlement or by replaying it."""
    document, ruleset = line.document, line.ruleset
    if known.has_other(ruleset):
        raise rulesets.ruleset_conflict(ruleset)
    opened_at = given_opening_time(
        transaction.now, document.opened_at, (hand.played_at for hand in line.document.hands)
    )
    opened = build_round(
        transaction,
        table,
        settled.opened if settled else seat_players(ruleset, document.seats),
        table_sequence=known.next_sequence(table.id),
        imported=True,
        opened_at=opened_at or transaction.now,
        reference=document.reference,
        point_value=document.point_value,
        currency=document.currency,
        digest=line.digest,
    )
    submission = Submission("document", line.received)
    change = RoundChange.opening(transaction, opened, opening_event(opened, submission=submission))
    change.add_submission(submission)
    if settled is None:
        history = without_needless_marks(document.history(ruleset))
        played = list(replay_exactly(opened.round, history, opened.point_value))
        after = add_steps(change, played, document, submission)
    else:
        for submitted, figures in zip(document.hands, settled.hands, strict=True):
            change.add_hand(build_record(opened.id, submitted, figures.stacks, submission), figures)
        after = settled.after
        check_balance(opened.id, after)
    if after.is_open and table.id in known.open_at:
        raise table_has_open_round()
    if is_final and not after.is_open:
        change.finalize(FinalReason.IMPORT)
    stored = change.finish(after)
    if settled is None and document.expected is not None:
        _check(line, stored, _settlement(stored, played))
    return change, stored


def _settlement(stored: StoredRound, played: Sequence[Step]) -> SettlementView:
    """Return the settlement of a round that is not written yet."""
    payments = [Paid(step.round.hands, transfer) for step in played for transfer in step.transfers]
    irregular = [
        Irregularity(step.hand.number, step.irregular)
        for step in played
        if isinstance(step, PlayedHand) and step.accepted
    ]
    view = view_settlement(
        stored.round, payments, stored.revision, stored.point_value, stored.currency, irregular=irregular
    )
    finality = stored.finality
    return replace(view, state=finality.settlement_state, provisional_until=finality.provisional_until)


_log = get_log(__name__)


def isolate_lines(
    transaction: Transaction, lines: Sequence[tuple[int, bytes]], *, is_final: bool
) -> list[ImportedLine]:
    """
    Import lines together; after an unhandled exception, import each half separately.

    The lines that raise the exception are refused with `internal-error`; all others are stored.

    Raises:
        DatabaseError, Busy: the cause is the database and not a line.
    """
    try:
        with transaction.savepoint():
            return import_rounds(transaction, lines, is_final=is_final)
    except (DatabaseError, Busy):
        raise
    except Exception as error:
        if len(lines) == 1:
            [(number, _)] = lines
            _log.error("line_failed", line=number, exception=format_exception(error), request_id=transaction.request_id)
            return [refuse_failed(number, transaction.request_id)]
    middle = len(lines) // 2
    first = isolate_lines(transaction, lines[:middle], is_final=is_final)
    return [*first, *isolate_lines(transaction, lines[middle:], is_final=is_final)]


def refuse_failed(number: int, request_id: str | None) -> ImportedLine:
    """Return the result of a line that the service failed to process."""
    report = f"report request {request_id} and this line" if request_id else "report this line"
    detail = (
        f"line {number} could not be stored because of an internal error; other lines are not affected; {report} to"
        " the operator of the service"
    )
    problem: dict[str, Any] = {"code": "internal-error", "detail": detail, "errors": []}
    return ImportedLine(number, "refused", problem=problem)
