from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final, Literal
from uuid import UUID

from uuid_utils import uuid7

from schemas.base import MOST_SHOWN, WireError
from schemas.document_lines import KeptHand
from schemas.documents import dump_played_document
from schemas.irregular import IrregularHand
from schemas.problems import dump_mistakes
from schemas.settlements import SettlementView, view_settlement
from scoring.errors import ScoringError
from scoring.history import Paid, Step
from scoring.round import PlayedHand
from scoring.round import open_round as seat_players
from service.database import Transaction
from service.errors import ExpectedDiffers, RoundConflict, RoundOpen, RulesetConflict, ServiceError
from service.metrics.counters import check_balance
from service.refusals import refusal_of
from service.repository import rounds, rulesets
from service.repository.hand_figures import HandFigures, figures_of
from service.repository.stored_round import StoredRound
from service.repository.submissions import Submission
from service.repository.tables import StoredTable
from service.repository.whole_rounds import DOCUMENT, EndingStep, HandStep, RoundRecords, WholeRound
from service.usecases.add_ruleset import keep_ruleset
from service.usecases.add_table import keep_table, new_table
from service.usecases.exact_points import replay_exactly
from service.usecases.expected import check_expected
from service.usecases.get_settlement import settlement_of
from service.usecases.known_before import Known, Recorded, look_up
from service.usecases.open_round import make_round, opening_event
from service.usecases.play_document import ending_event, is_document_of, reference_taken, table_of
from service.usecases.read_lines import ReadLine, UnreadLine, read_lines
from service.usecases.record_hand import hand_event
from service.usecases.settle_lines import SettledLines, SettledRound
from service.usecases.views import view_round
from service.usecases.without_cycles import no_search_for_cycles


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """
    What became of a line.

    Attributes:
        line: its number.
        status: stored, recorded before, or refused.
        round_id: the round, unless the line was refused.
        problem: why it was refused: what the problem's document says beside its kind.
        hands: how many were stored.
    """

    line: int
    status: Literal["stored", "replayed", "refused"]
    round_id: UUID | None = None
    problem: dict[str, Any] | None = None
    hands: int = 0


_REFUSALS: Final = (ScoringError, RulesetConflict, RoundConflict, RoundOpen, ExpectedDiffers)
"""What can be wrong with a line that was read; any other error is not the line's, and ends the import."""


@no_search_for_cycles()
def import_rounds(
    transaction: Transaction, lines: Sequence[tuple[int, bytes]], *, is_final: bool
) -> list[ImportedLine]:
    """
    Record rounds from lines, each a round document, just as `play_document` would record each by itself.

    A line is stored whole or refused whole, and none stops the others. One that was seen before, also among these, is
    answered as it was recorded. Rounds are settled many at once, and many are written in one go while the next are
    settled; some hundred lines are a good number.

    Args:
        transaction: in which tables are made by their names where there are none.
        lines: each with its number.
        is_final: whether settlements are final at once, as history is; otherwise they are provisional for a while.

    Raises:
        Busy: somebody else has been importing rounds of the same tables for too long.
    """
    records = RoundRecords(transaction)
    read = list(read_lines(transaction, lines))
    documents = [line for line in read if isinstance(line, ReadLine)]
    known = look_up(transaction, documents)
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
        keep_ruleset(transaction, ruleset)
    for table in tables:
        keep_table(transaction, table)
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
            if recorded.is_new and line.head.expected is not None:
                _write(transaction, known, records)
            _check_replay(transaction, line, recorded)
            return ImportedLine(line.number, "replayed", recorded.id)
        table = known.tables.get(line.head.table) or new_table(transaction, table_of(line.head), line.ruleset)
        whole = _play(transaction, known, table, line, settled.find(line.number), is_final=is_final)
    except _REFUSALS as error:
        return _refused(line.number, error)
    records.add(whole)
    known.add(table, line.identity, whole.stored)
    return ImportedLine(line.number, "stored", whole.opened.id, hands=len(line.hands))


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
        if is_document_of(transaction, stored, line.head.table, line.digest):
            return recorded
    raise reference_taken(line.head.reference, recorded.id)


def _check_replay(transaction: Transaction, line: ReadLine, recorded: Recorded) -> None:
    if line.head.expected is not None:
        stored = rounds.get(transaction, recorded.id)
        _check(line, stored, settlement_of(transaction, stored))


def _check(line: ReadLine, stored: StoredRound, settlement: SettlementView) -> None:
    check_expected(line.head.expected, dump_played_document(view_round(stored), settlement))


def _play(
    transaction: Transaction,
    known: Known,
    table: StoredTable,
    line: ReadLine,
    settled: SettledRound | None,
    *,
    is_final: bool,
) -> WholeRound:
    """Make a line's round ready to be written, from what it was settled as or by playing it."""
    head, ruleset = line.head, line.ruleset
    if known.has_other(ruleset):
        raise rulesets.stored_with_other_rules(ruleset)
    opened = make_round(
        transaction,
        table,
        settled.opened if settled else seat_players(ruleset, head.seats),
        reference=head.reference,
        point_value=head.point_value,
        currency=head.currency,
        digest=line.digest,
    )
    submission = Submission(DOCUMENT, line.received)
    event = opening_event(opened, submission=submission)
    steps: list[HandStep | EndingStep]
    if settled is None:
        played = list(replay_exactly(opened.round, line.document().history(ruleset), opened.point_value))
        steps, after = list(_steps(opened, line, played)), played[-1].round if played else opened.round
    else:
        called = str(opened.id)
        steps = [_hand_step(called, *each) for each in zip(line.hands, settled.hands, strict=True)]
        after = settled.after
        check_balance(opened.id, after)
    whole = WholeRound(opened, event, steps, after, submission, is_final)
    if after.is_open and table.id in known.open_at:
        raise rounds.one_open()
    if settled is None and head.expected is not None:
        _check(line, whole.stored, _settlement(whole.stored, played))
    return whole


def _steps(opened: StoredRound, line: ReadLine, played: Iterable[Step]) -> Iterator[HandStep | EndingStep]:
    """Write down a round that was played by itself."""
    departures = iter(sorted(line.head.departures, key=lambda departure: departure.after_hand))
    before = opened.round
    for step in played:
        check_balance(opened.id, step.round)
        if isinstance(step, PlayedHand):
            yield _hand_step(str(opened.id), line.hands[step.hand.number - 1], figures_of(before, step))
        else:
            ending = next(departures, None) or line.head.closed
            assert ending is not None, "a step that is no hand is a departure or the closing"
            yield EndingStep(before, step, ending, ending_event(opened.id, ending))
        before = step.round


def _hand_step(called: str, hand: KeptHand, figures: HandFigures) -> HandStep:
    hand_id, is_irregular = uuid7(), figures.irregular is not None
    event = hand_event(called, str(hand_id), hand.content, figures.stacks, is_irregular=is_irregular)
    return HandStep(hand_id, hand, sha256(hand.content).digest(), event, figures)


def _settlement(stored: StoredRound, played: Sequence[Step]) -> SettlementView:
    """Show the settlement of a round that is not written yet."""
    payments = [Paid(step.round.hands, transfer) for step in played for transfer in step.transfers]
    irregular = [
        IrregularHand(step.hand.number, step.irregular)
        for step in played
        if isinstance(step, PlayedHand) and step.irregular
    ]
    view = view_settlement(
        stored.round, payments, stored.revision, stored.point_value, stored.currency, irregular=irregular
    )
    firmness = stored.firmness
    return replace(view, state=firmness.settlement_state, provisional_until=firmness.provisional_until)
