"""Import the rounds of a chunk of lines; an invalid line does not stop the others."""

from collections.abc import Iterator, Sequence
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
from service.database_errors import DatabaseError
from service.db import Transaction
from service.errors import (
    Busy,
    ExpectedDiffers,
    PaymentConflict,
    RoundConflict,
    RoundOpen,
    RulesetConflict,
    ServiceError,
)
from service.imports.actions.lines import (
    ReadLine,
    Recorded,
    SettledLines,
    UnreadLine,
    find_known,
    read_lines,
)
from service.ledger.actions.hand_charges import HandCharges
from service.logs import format_exception, get_log
from service.memory import no_garbage_collection
from service.metrics.counters import check_balance
from service.players.queries.aliases import hold_aliases
from service.rounds.actions.charges import add_charges, compare_charges
from service.rounds.actions.checks import check_expected, refuse_aliases_together, replay_exactly
from service.rounds.actions.documents import (
    add_steps,
    is_document_of,
    reference_taken,
    refuse_other_hands,
    submission_of,
    table_of,
)
from service.rounds.actions.opening import build_round, given_opening_time, opening_event, view_round
from service.rounds.actions.recording import build_record
from service.rounds.actions.recording_many import RoundWriter, record_lines
from service.rounds.actions.settlements import settlement_of
from service.rounds.queries import rounds
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange, table_has_open_round
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


_REFUSALS: Final = (
    ScoringError,
    WireError,
    RulesetConflict,
    RoundConflict,
    PaymentConflict,
    RoundOpen,
    ExpectedDiffers,
)
"""The errors that refuse a line."""
_log: Final = get_log(__name__)


@no_garbage_collection()
def import_rounds(
    transaction: Transaction, lines: Sequence[tuple[int, bytes]], *, is_final: bool
) -> list[ImportedLine]:
    """
    Record rounds from lines, each a round document, with the same result as `play_document`.

    A line is stored or refused as a whole, and does not affect the others. A line that was stored before, or that
    repeats an earlier one, is a replay. A line that raises an unhandled exception is refused with `internal-error`.
    Usual rounds are settled together; a few hundred lines are a good number.

    Args:
        transaction: the club's transaction; tables that do not exist are inserted.
        lines: the lines with their numbers.
        is_final: whether settlements are final at once; otherwise they are provisional for the correction window.

    Raises:
        DatabaseError: the database cannot be used.
        Busy: another import of the same tables held their locks for too long.
    """

    def record(some: Sequence[tuple[int, bytes]], _: Sequence[ImportedLine]) -> list[ImportedLine]:
        return list(_RoundLines(transaction, some, is_final=is_final).record())

    def refuse(line: tuple[int, bytes], error: Exception) -> ImportedLine:
        number, request_id = line[0], transaction.request_id
        _log.error("line_failed", line=number, exception=format_exception(error), request_id=request_id)
        return refuse_failed(number, request_id)

    return record_lines(
        transaction, lines, record, refuse, is_fault=lambda error: not isinstance(error, (DatabaseError, Busy))
    )


def _refused(number: int, error: WireError | ScoringError | ServiceError) -> ImportedLine:
    refusal = refuse(error)
    errors = dump_mistakes(refusal.mistakes[:MOST_SHOWN])
    problem = {"code": refusal.code, "detail": refusal.detail, "errors": errors}
    return ImportedLine(number, "refused", problem=problem)


class _RoundLines:
    """Records the rounds of lines at their tables, which it locks."""

    def __init__(self, transaction: Transaction, lines: Sequence[tuple[int, bytes]], *, is_final: bool) -> None:
        self._transaction, self._is_final = transaction, is_final
        self._lines = list(read_lines(transaction, lines))
        documents = [line for line in self._lines if isinstance(line, ReadLine)]
        self._known = find_known(transaction, documents)
        self._settled = SettledLines(line for line in documents if line.identity not in self._known.recorded)
        self._aliases = hold_aliases(transaction)
        self._writer = RoundWriter(transaction, self._store_referenced)
        self._charges = HandCharges(transaction)

    def record(self) -> Iterator[ImportedLine]:
        """Yield the result of each line."""
        for line in self._lines:
            yield _refused(line.number, line.error) if isinstance(line, UnreadLine) else self._record(line)
        self._writer.write()

    def _store_referenced(self) -> None:
        rulesets, tables = self._known.take_unwritten()
        for ruleset in rulesets:
            store_ruleset(self._transaction, ruleset)
        for table in tables:
            store_table(self._transaction, table)

    def _record(self, line: ReadLine) -> ImportedLine:
        document = line.document
        self._write_repeated(line)
        try:
            recorded = self._find_recorded(line)
            if recorded is not None:
                self._check_replay(line, recorded)
                return ImportedLine(line.number, "replayed", recorded.id)
            table = self._known.tables.get(document.table)
            table = table or build_table(self._transaction, table_of(document), line.ruleset, document.money_unit)
            change, stored = self._play(table, line)
        except _REFUSALS as error:
            return _refused(line.number, error)
        self._known.add(table, line.identity, stored)
        self._writer.add(change)
        return ImportedLine(line.number, "stored", stored.id, hands=len(document.hands))

    def _write_repeated(self, line: ReadLine) -> None:
        """Write the rounds before a line that is compared with one of them: their errors are not those of the line."""
        recorded = self._known.recorded.get(line.identity)
        if recorded is not None and recorded.is_new and (_knows_more(line) or line.document.expected is not None):
            self._writer.write()
            self._transaction.send()

    def _find_recorded(self, line: ReadLine) -> Recorded | None:
        """Find the round of a line as `play_document` does: at its table, or at one that once had the table's name."""
        recorded = self._known.recorded.get(line.identity)
        former = self._known.former.get(line.identity, ())
        for candidate in former if recorded is None else (recorded, *former):
            if self._is_round_of(candidate, line):
                return candidate
        if recorded is not None:
            raise reference_taken(line.document.reference, recorded.id)
        return None

    def _is_round_of(self, recorded: Recorded, line: ReadLine) -> bool:
        has_same_digest = recorded.digest == line.digest
        if has_same_digest or recorded.is_new:
            return has_same_digest
        stored = rounds.get(self._transaction, recorded.id)
        return is_document_of(self._transaction, stored, line.document.table, line.digest)

    def _check_replay(self, line: ReadLine, recorded: Recorded) -> None:
        """Check what a line has in addition to the recorded round."""
        compare_charges(recorded.id, line.document, self._charges)
        if _knows_more(line):
            refuse_other_hands(self._transaction, recorded.id, line.document)
        if line.document.expected is not None:
            stored = rounds.get(self._transaction, recorded.id)
            _check(line, stored, settlement_of(self._transaction, stored))

    def _play(self, table: StoredTable, line: ReadLine) -> tuple[RoundChange, StoredRound]:
        """Build a line's round for writing, from its bulk settlement or by replaying it."""
        transaction, document, ruleset = self._transaction, line.document, line.ruleset
        if self._known.has_other(ruleset):
            raise rulesets.ruleset_conflict(ruleset)
        refuse_aliases_together(self._aliases, [seat.player for seat in document.seats])
        settled = self._settled.find(line.number)
        played_at = (hand.played_at for hand in document.hands)
        opened = build_round(
            transaction,
            table,
            settled.opened if settled else seat_players(ruleset, document.seats),
            table_sequence=self._known.next_sequence(table.id),
            imported=True,
            opened_at=given_opening_time(transaction.now, document.opened_at, played_at) or transaction.now,
            reference=document.reference,
            point_value=document.point_value,
            unit=document.money_unit,
            charge=document.standing_charge,
            digest=line.digest,
        )
        submission = submission_of(document, line.received)
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
        if after.is_open and table.id in self._known.open_at:
            raise table_has_open_round()
        add_charges(change, document, self._charges)
        if self._is_final and not after.is_open:
            change.finalize(FinalReason.IMPORT)
        stored = change.finish(after, dealt=[submitted.hand.seats for submitted in document.hands])
        if settled is None and document.expected is not None:
            _check(line, stored, _settlement(stored, played))
        return change, stored


def _knows_more(line: ReadLine) -> bool:
    return any(submitted.hand.knows_more for submitted in line.document.hands)


def _check(line: ReadLine, stored: StoredRound, settlement: SettlementView) -> None:
    check_expected(line.document.expected, dump_played_document(view_round(stored), settlement))


def _settlement(stored: StoredRound, played: Sequence[Step]) -> SettlementView:
    """Return the settlement of a round that is not written yet."""
    payments = [Paid(step.round.hands, transfer) for step in played for transfer in step.transfers]
    irregular = [
        Irregularity(step.hand.number, step.irregular)
        for step in played
        if isinstance(step, PlayedHand) and step.accepted
    ]
    view = view_settlement(
        stored.round, payments, stored.revision, stored.point_value, stored.unit, irregular=irregular
    )
    finality, charge = stored.finality, stored.standing_charge
    dealt = (step.hand.seats for step in played if isinstance(step, PlayedHand))
    return replace(
        view,
        state=finality.settlement_state,
        provisional_until=finality.provisional_until,
        charged={} if charge is None else charge.charge(dealt),
    )


def refuse_failed(number: int, request_id: str | None) -> ImportedLine:
    """Return the result of a line that the service failed to process."""
    report = f"report request {request_id} and this line" if request_id else "report this line"
    detail = (
        f"line {number} could not be stored because of an internal error; other lines are not affected; {report} to"
        " the operator of the service"
    )
    problem: dict[str, Any] = {"code": "internal-error", "detail": detail, "errors": []}
    return ImportedLine(number, "refused", problem=problem)
