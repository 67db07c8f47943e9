"""Whether a round's documents and figures follow from its events: every revision is played again from its cards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from client.offline.findings import Document, Finding, Report
from schemas.chronicles import Chronicle, ToldHand, ToldRevision
from schemas.documents import dump_document
from schemas.evidence_files import EvidenceRevision
from schemas.irregular import IrregularHand
from schemas.rounds import RecordedHand, dump_recorded_hand
from schemas.settlement_states import SettlementState
from schemas.settlements import Adjustment, SettlementView, dump_settlement_view, view_settlement
from scoring.errors import ScoringError
from scoring.history import PlayedRound, replay
from scoring.ruleset import Ruleset
from scoring.settle_up import find_adjustment

_DIFFERS = "figure-differs"


def check_figures(
    report: Report,
    given: Sequence[EvidenceRevision],
    chronicle: Chronicle,
    rulesets: Mapping[str, Ruleset],
    table: str,
) -> None:
    """Hold every revision of the file against what its events tell and its cards come to."""
    wrong, hands = len(report.failed), 0
    if len(given) != len(chronicle.revisions):
        right = f"{len(chronicle.revisions)} revisions, as the events tell"
        report.failed.append(Finding("revisions-count", ("revisions",), f"{len(given)} revisions", right))
    played: dict[int, PlayedRound] = {}
    for index, told in enumerate(chronicle.revisions):
        try:
            played[told.number] = replay(told.history(rulesets[told.ruleset]))
        except ScoringError as error:
            report.fail(error.mistakes, "revisions", index, "document")
    for index, (revision, told) in enumerate(zip(given, chronicle.revisions, strict=False)):
        if told.number in played:
            answer = _answer(chronicle, told, played, table)
            found = {
                "revision": revision.revision,
                "document": revision.document,
                "settlement": revision.settlement,
                "hands": list(revision.hands),
            }
            _leave_out_untold(report, told, found, answer)
            report.compare(found, answer, ("revisions", index), _DIFFERS)
            hands += len(told.hands)
    report.failed += _find_stacks_told_otherwise(chronicle, played)
    if len(report.failed) == wrong:
        counted = f"{_count(len(chronicle.revisions), 'revision')} with {_count(hands, 'hand')}"
        report.verified.append(f"{counted} follow from the events, and every figure from the cards")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _answer(chronicle: Chronicle, told: ToldRevision, played: Mapping[int, PlayedRound], table: str) -> Document:
    """Make a revision's part of the file from its events."""
    mine = played[told.number]
    irregular = tuple(IrregularHand(hand.hand.number, hand.irregular) for hand in mine.hands if hand.irregular)
    return {
        "revision": told.number,
        "document": dump_document(chronicle.document(told, table, irregular)),
        "settlement": dump_settlement_view(_settlement(chronicle, told, played, irregular)),
        "hands": [dump_recorded_hand(hand) for hand in _hands(chronicle, told, mine)],
    }


def _hands(chronicle: Chronicle, told: ToldRevision, mine: PlayedRound) -> Iterator[RecordedHand]:
    in_force = {_record(hand) for hand in chronicle.newest.hands}
    for hand, recorded in zip(mine.hands, told.hands, strict=True):
        yield RecordedHand(
            id=str(recorded.id),
            hand=hand.hand,
            ruleset=mine.round.ruleset,
            players={seat.seat: seat.player for seat in told.seats},
            played_at=recorded.submitted.played_at,
            recorded_at=recorded.recorded_at,
            score=hand.score,
            transfers=hand.transfers,
            stacks=hand.round.stacks,
            in_force=_record(recorded) in in_force,
            irregular=hand.irregular,
        )


def _record(told: ToldHand) -> Any:
    """Tell records of the same number apart, also those whose id no event tells."""
    return told.submitted.hand.number, told.recorded_at


def _settlement(
    chronicle: Chronicle,
    told: ToldRevision,
    played: Mapping[int, PlayedRound],
    irregular: tuple[IrregularHand, ...],
) -> SettlementView:
    mine = played[told.number]
    money = chronicle.point_value, chronicle.currency
    view = view_settlement(mine.round, mine.payments, told.number, *money, told.reason, irregular)
    state = _state(chronicle, told, mine)
    until = None
    if state is SettlementState.PROVISIONAL and chronicle.window is not None:
        until = chronicle.changed_at + timedelta(minutes=chronicle.window)
    adjustment = _adjustment(told, played)
    return replace(
        view, state=state, provisional_until=until, confirmed=tuple(sorted(told.confirmed)), adjustment=adjustment
    )


def _adjustment(told: ToldRevision, played: Mapping[int, PlayedRound]) -> Adjustment | None:
    """Settle up what has changed since a revision was final."""
    if told.adjusts is None or told.adjusts not in played:
        return None
    before, after = (
        {seat.player: each.round.nets[seat.seat] for seat in each.round.seats}
        for each in (played[told.adjusts], played[told.number])
    )
    return Adjustment(told.adjusts, find_adjustment(before, after).payments)


def _state(chronicle: Chronicle, told: ToldRevision, mine: PlayedRound) -> SettlementState:
    if told.number != chronicle.newest.number:
        return SettlementState.SUPERSEDED
    if mine.round.is_open:
        return SettlementState.OPEN
    if chronicle.open_disputes:
        return SettlementState.DISPUTED
    return SettlementState.FINAL if chronicle.final_revision == told.number else SettlementState.PROVISIONAL


def _leave_out_untold(report: Report, told: ToldRevision, found: Document, right: Document) -> None:
    """Say what events from before they told it in full do not tell, and compare the rest."""
    if right["settlement"]["state"] == SettlementState.PROVISIONAL and right["settlement"]["provisional_until"] is None:
        report.unchecked.append(f"/revisions/{told.number - 1}/settlement/provisional_until is not told by the events")
        right["settlement"]["provisional_until"] = found["settlement"].get("provisional_until")
    untold = [index for index, hand in enumerate(told.hands) if hand.id is None]
    for index in untold:
        report.unchecked.append(f"/revisions/{told.number - 1}/hands/{index}/id is not told by the events")
        if index < len(found["hands"]) and "id" in found["hands"][index]:
            right["hands"][index] |= {"id": found["hands"][index]["id"]}


def _find_stacks_told_otherwise(chronicle: Chronicle, played: Mapping[int, PlayedRound]) -> Iterator[Finding]:
    """Find hands of which it was recorded at the time that they left other stacks."""
    for told in chronicle.stacks:
        mine = played.get(told.revision)
        if mine is not None:
            round_ = mine.hands[told.hand - 1].round
            right = tuple(round_.stacks[seat] for seat in round_.seat_numbers)
            if told.stacks != right:
                path = ("events", told.event, "event", "content", "stacks")
                yield Finding(_DIFFERS, path, str(list(told.stacks)), str(list(right)))
