"""Import the rounds of a chunk of lines; an invalid line does not stop the others."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.base import MOST_SHOWN, WireError
from schemas.documents import dump_played_document
from schemas.hands import Irregularity, SubmittedHand
from schemas.problems import dump_mistakes
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
from service.refusals import refusal_of
from service.rounds.actions.checks import check_expected, replay_exactly
from service.rounds.actions.documents import (
    ending_event,
    is_document_of,
    reference_taken,
    refuse_other_hands,
    table_of,
)
from service.rounds.actions.opening import build_round, given_opening_time, opening_event, view_round
from service.rounds.actions.recording import hand_event
from service.rounds.actions.settlements import settlement_of
from service.rounds.queries import rounds
from service.rounds.queries.batch import DOCUMENT, EndingStep, HandStep, RoundRecords, WholeRound
from service.rounds.queries.hand_records import HandFigures, Submission, figures_of
from service.rounds.queries.stored_round import StoredRound
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
    records = RoundRecords(transaction)
    read = list(read_lines(transaction, lines))
    documents = [line for line in read if isinstance(line, ReadLine)]
    known = find_known(transaction, documents)
    settled = SettledLines(line for line in documents if line.identity not in known.recorded)
    imported = []
    for line in read:
        imported.append(_import(transaction, known, line, settled, records, is_final=is_final))
        if records.are_many:
            _write(transaction, known, records)
    _write(transaction, known, records)
    return imported


def _write(transaction: Transaction, known: Known, records: RoundRecords) -> None:
    rulesets, tables = known.take_unwritten()
    for ruleset in rulesets:
        store_ruleset(transaction, ruleset)
    for table in tables:
        store_table(transaction, table)
    records.write()


def _import(
    transaction: Transaction,
    known: Known,
    line: ReadLine | UnreadLine,
    settled: SettledLines,
    records: RoundRecords,
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
                _write(transaction, known, records)
            if knows_more:
                refuse_other_hands(transaction, recorded.id, line.document)
            _check_replay(transaction, line, recorded)
            return ImportedLine(line.number, "replayed", recorded.id)
        table = known.tables.get(line.document.table) or build_table(transaction, table_of(line.document), line.ruleset)
        whole = _play(transaction, known, table, line, settled.find(line.number), is_final=is_final)
    except _REFUSALS as error:
        return _refused(line.number, error)
    records.add(whole)
    known.add(table, line.identity, whole.stored)
    return ImportedLine(line.number, "stored", whole.opened.id, hands=len(line.document.hands))


def _refused(number: int, error: WireError | ScoringError | ServiceError) -> ImportedLine:
    refusal = refusal_of(error)
    errors = dump_mistakes(refusal.mistakes[:MOST_SHOWN])
    problem = {"code": refusal.code, "detail": refusal.detail, "errors": errors}
    return ImportedLine(number, "refused", problem=problem)


def _find_recorded(transaction: Transaction, known: Known, line: ReadLine) -> Recorded | None:
    recorded = known.recorded.get(line.identity)
    if recorded is None or recorded.digest == line.digest:
        return recorded
    if not recorded.is_new:
        stored = rounds.get(transaction, recorded.id)
        if is_document_of(transaction, stored, line.document.table, line.digest, line.written_digest):
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
) -> WholeRound:
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
    submission = Submission(DOCUMENT, line.received)
    event = opening_event(opened, submission=submission)
    steps: list[HandStep | EndingStep]
    if settled is None:
        history = without_needless_marks(document.history(ruleset))
        played = list(replay_exactly(opened.round, history, opened.point_value))
        steps, after = list(_steps(opened, line, played)), played[-1].round if played else opened.round
    else:
        steps = [_hand_step(opened.id, *each) for each in zip(line.document.hands, settled.hands, strict=True)]
        after = settled.after
        check_balance(opened.id, after)
    whole = WholeRound(opened, event, steps, after, submission, is_final)
    if after.is_open and table.id in known.open_at:
        raise rounds.table_has_open_round()
    if settled is None and document.expected is not None:
        _check(line, whole.stored, _settlement(whole.stored, played))
    return whole


def _steps(opened: StoredRound, line: ReadLine, played: Iterable[Step]) -> Iterator[HandStep | EndingStep]:
    """Yield the steps of a round that was replayed alone."""
    departures = iter(sorted(line.document.departures, key=lambda departure: departure.after_hand))
    before = opened.round
    for step in played:
        check_balance(opened.id, step.round)
        if isinstance(step, PlayedHand):
            yield _hand_step(opened.id, line.document.hands[step.hand.number - 1], figures_of(before, step))
        else:
            ending = next(departures, None) or line.document.closed
            assert ending is not None, "every step is a hand, a departure or the closing"
            yield EndingStep(before, step, ending, ending_event(opened.id, ending))
        before = step.round


def _hand_step(round_id: UUID, submitted: SubmittedHand, figures: HandFigures) -> HandStep:
    hand_id, is_irregular = uuid7(), figures.irregular is not None
    event = hand_event(round_id, hand_id, submitted.content, figures.stacks, is_irregular=is_irregular)
    return HandStep(hand_id, submitted, submitted.digest, event, figures)


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
