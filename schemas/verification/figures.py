"""Verify that documents, settlements and hands of an evidence file follow from its events."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from evidence.files import EvidenceRevision
from evidence.fold import FoldedRound, Revision
from schemas.documents import RoundDocument, dump_document
from schemas.hands import HandView, Irregularity, SubmittedHand
from schemas.money import load_unit
from schemas.scores import dump_recorded_hand
from schemas.settlements import Adjustment, SettlementState, SettlementView, dump_settlement_view, view_settlement
from schemas.verification.findings import Finding, FindingCode
from schemas.verification.report import Document, Report
from scoring.errors import ScoringError
from scoring.history import PlayedRound, replay
from scoring.ruleset import Ruleset
from scoring.settle_up import find_adjustment

Texts = Mapping[bytes, str]


def check_figures(
    report: Report,
    revisions: Sequence[EvidenceRevision],
    round_: FoldedRound,
    rulesets: Mapping[str, Ruleset],
    table: str,
    texts: Texts,
) -> None:
    """
    Compare every revision of the file with the one that its events and cards result in.

    Args:
        report: for what was verified and what failed.
        revisions: those of the file.
        round_: the round as its events have it.
        rulesets: by name and version.
        table: the name that the table had when the round was opened.
        texts: reasons by their digests; those that were erased are absent.
    """
    wrong, hands = len(report.failed), 0
    if len(revisions) != len(round_.revisions):
        values = _count(len(revisions), "revision"), f"{len(round_.revisions)}, as the events say"
        report.failed.append(Finding.of_difference(FindingCode.REVISIONS_COUNT, ("revisions",), *values))
    played: dict[int, PlayedRound] = {}
    for index, revision in enumerate(round_.revisions):
        try:
            played[revision.number] = replay(revision.history(rulesets[revision.ruleset]))
        except ScoringError as error:
            report.fail(error.mistakes, "revisions", index, "document")
    _check_final(report, round_, played)
    for index, (part, revision) in enumerate(zip(revisions, round_.revisions, strict=False)):
        if revision.number in played:
            figures = {
                "revision": part.revision,
                "document": part.document,
                "settlement": part.settlement,
                "hands": list(part.hands),
            }
            expected = _describe(round_, revision, played, table, texts)
            _omit_later_fields(expected["settlement"], part.settlement)
            report.compare(figures, expected, ("revisions", index), FindingCode.FIGURE_DIFFERS)
            hands += len(revision.hands)
    report.failed += _find_other_stacks(round_, played)
    if len(report.failed) == wrong:
        counted = f"{_count(len(round_.revisions), 'revision')} with {_count(hands, 'hand')}"
        report.verified.append(f"{counted} follow from the events, and every figure follows from the cards")


def _omit_later_fields(expected: Document, settlement: Mapping[str, Any]) -> None:
    """Omit the digits of the unit if the settlement has none: it may be older than the field."""
    money = settlement.get("money")
    if expected["money"] is not None and isinstance(money, Mapping) and "unit_digits" not in money:
        del expected["money"]["unit_digits"]


def _check_final(report: Report, round_: FoldedRound, played: Mapping[int, PlayedRound]) -> None:
    """Check that the settlement became final after the last hand."""
    mine = played.get(round_.final_revision or 0)
    if mine is not None and mine.round.is_open:
        detail = f"the settlement of revision {round_.final_revision} is final, and hands can still be played"
        report.failed.append(Finding(FindingCode.EVENT_IMPOSSIBLE, ("events",), detail))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _describe(
    round_: FoldedRound, revision: Revision, played: Mapping[int, PlayedRound], table: str, texts: Texts
) -> Document:
    """Return a revision's part of the file, made from its events."""
    mine = played[revision.number]
    irregular = tuple(Irregularity(hand.hand.number, hand.irregular) for hand in mine.hands if hand.accepted)
    return {
        "revision": revision.number,
        "document": dump_document(_document(round_, revision, table, irregular, texts)),
        "settlement": dump_settlement_view(_settlement(round_, revision, played, irregular, texts)),
        "hands": [dump_recorded_hand(hand) for hand in _hands(round_, revision, mine)],
    }


def _document(
    round_: FoldedRound, revision: Revision, table: str, irregular: tuple[Irregularity, ...], texts: Texts
) -> RoundDocument:
    opening, closed = round_.opening, revision.closed
    return RoundDocument(
        ruleset=revision.ruleset,
        table=table,
        reference=opening.reference,
        point_value=opening.point_value,
        unit=opening.unit,
        unit_digits=opening.unit_digits,
        charge_per=opening.charge_per,
        charge_amount=opening.charge_amount,
        seats=revision.seats,
        hands=tuple(SubmittedHand(each.hand, each.played_at) for each in revision.hands),
        departures=tuple(
            replace(each.departure, reason=_find_text(each.reason, texts)) for each in revision.departures
        ),
        closed=None if closed is None else replace(closed.closing, reason=_find_text(closed.reason, texts)),
        irregular=irregular,
        opened_at=opening.opened_at,
    )


def _find_text(digest: bytes | None, texts: Texts) -> str | None:
    """Return the text of a digest; None if it was erased."""
    return None if digest is None else texts.get(digest)


def _hands(round_: FoldedRound, revision: Revision, mine: PlayedRound) -> Iterator[HandView]:
    in_force = {hand.id for hand in round_.newest.hands}
    for hand, recorded in zip(mine.hands, revision.hands, strict=True):
        yield HandView(
            id=str(recorded.id),
            hand=hand.hand,
            ruleset=mine.round.ruleset,
            players={seat.seat: seat.player for seat in revision.seats},
            played_at=recorded.played_at,
            recorded_at=recorded.recorded_at,
            score=hand.score,
            transfers=hand.transfers,
            stacks=hand.round.stacks,
            in_force=recorded.id in in_force,
            irregular=hand.irregular,
            reference=recorded.reference,
        )


def _settlement(
    round_: FoldedRound,
    revision: Revision,
    played: Mapping[int, PlayedRound],
    irregular: tuple[Irregularity, ...],
    texts: Texts,
) -> SettlementView:
    mine, opening = played[revision.number], round_.opening
    money = opening.point_value, load_unit(opening.unit, opening.unit_digits)
    reason = _find_text(revision.reason, texts)
    view = view_settlement(mine.round, mine.payments, revision.number, *money, reason, irregular)
    state = _state(round_, revision, mine)
    until = None
    if state is SettlementState.PROVISIONAL:
        until = round_.changed_at + timedelta(minutes=opening.correction_window_minutes)
    return replace(
        view,
        state=state,
        provisional_until=until,
        confirmed=tuple(sorted(revision.confirmed)),
        adjustment=_adjustment(revision, played),
    )


def _adjustment(revision: Revision, played: Mapping[int, PlayedRound]) -> Adjustment | None:
    """Return the payments that adjust a final revision to this one."""
    if revision.adjusts is None or revision.adjusts not in played:
        return None
    before, after = (
        {seat.player: each.round.nets[seat.seat] for seat in each.round.seats}
        for each in (played[revision.adjusts], played[revision.number])
    )
    return Adjustment(revision.adjusts, find_adjustment(before, after).payments)


def _state(round_: FoldedRound, revision: Revision, mine: PlayedRound) -> SettlementState:
    if revision.number != round_.newest.number:
        return SettlementState.SUPERSEDED
    if mine.round.is_open:
        return SettlementState.OPEN
    if round_.open_disputes:
        return SettlementState.DISPUTED
    return SettlementState.FINAL if round_.final_revision == revision.number else SettlementState.PROVISIONAL


def _find_other_stacks(round_: FoldedRound, played: Mapping[int, PlayedRound]) -> Iterator[Finding]:
    """Yield findings for hands whose recorded stacks differ from the replayed ones."""
    for recorded in round_.stacks:
        mine = played.get(recorded.revision)
        if mine is not None:
            after = mine.hands[recorded.hand - 1].round
            right = tuple(after.stacks[seat] for seat in after.seat_numbers)
            if recorded.stacks != right:
                path = ("events", recorded.index, "event", "content", "stacks")
                values = str(list(recorded.stacks)), str(list(right))
                subject = f"What event {recorded.index + 1} says of the stacks after hand {recorded.hand}"
                yield replace(Finding.of_difference(FindingCode.FIGURE_DIFFERS, path, *values), subject=subject)
