"""The case file of a dispute: one page with everything about it, to print, to save, and to read without the console."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from flask import url_for

from schemas.base import Dumped
from schemas.corrections.comparisons import RoundComparison
from schemas.explanations.output import dump_explanation_view, show_names
from schemas.hands import HandView
from schemas.ledger.page_queries import Evenings
from schemas.rulesets import dump_ruleset
from scoring.cards import Card
from scoring.hand import Seat
from scoring.ruleset import Points, Ruleset
from service.clubs.scopes import KeyScope
from service.console.views.addresses import show_evenings
from service.console.views.corrections.boards import (
    ShownBoard,
    ShownComparison,
    mark_changes,
    show_boards,
    show_comparison,
)
from service.console.views.disputes.case_evidence import find_evidence
from service.console.views.pages import render
from service.console.views.rounds.reading import HandLine, ReadRound, list_hand_lines, list_pair_points, read_round
from service.console.views.ruleset_fields import GROUPS
from service.console.views.session import allows, current_club
from service.corrections.actions.amend import snapshot_recorded
from service.corrections.actions.correct import compare_revisions
from service.db import Transaction
from service.disputes.actions.cases import get_case
from service.disputes.queries import disputes
from service.disputes.queries.cases import StoredCase
from service.http.authentication import current_transaction
from service.players.actions import list_names
from service.rounds.actions.reading import explain_hand
from service.rounds.actions.settlements import get_settlement
from service.rounds.queries.records import get_records
from service.rounds.queries.revisions import MadeRevision, list_made

MOST_EXPLAINED: Final = 5
"""The number of corrected hands that are explained, if the dispute is about no hand."""


@dataclass(frozen=True, slots=True)
class CaseCorrection:
    """
    What the corrections that name a dispute have changed; most often there is one.

    Attributes:
        before: the revision before the first of them.
        after: the revision that the last one made.
        compared: the round before and after them.
        shown: the same, as pages show it.
    """

    before: int
    after: int
    compared: RoundComparison
    shown: ShownComparison


@dataclass(frozen=True, slots=True)
class HandSide:
    """
    A hand in a revision.

    Attributes:
        words: how it is in the revision: as recorded or as corrected.
        boards: those of all players, with the cards marked that differ from the other side.
        explanation: why each point, and each payment in order.
        names: the players of the round, by seat.
        points_between: the points of each player against each other one.
    """

    words: str
    revision: int
    boards: Sequence[ShownBoard]
    explanation: Dumped
    names: Mapping[Seat, str]
    points_between: Mapping[tuple[Seat, Seat], Points]


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row whose cards a correction has changed."""

    player: str
    row: str
    before: Sequence[Card]
    after: Sequence[Card]


@dataclass(frozen=True, slots=True)
class CaseHand:
    """A hand as it was disputed and, if it was corrected, as it is after that."""

    number: int
    sides: Sequence[HandSide]
    changed: Sequence[ChangedRow]
    is_removed: bool


def render_case_file(dispute_id: UUID) -> str:
    """Render everything about a dispute as one page to print."""
    transaction = current_transaction()
    case = get_case(transaction, dispute_id).case
    read = read_round(case.round_id, case.revision)
    entries = disputes.list_entries(transaction, dispute_id)
    revisions = list_made(transaction, case.round_id)
    correction = _find_correction(transaction, read, [each for each in revisions if each.dispute == dispute_id])
    hands = list(_show_hands(transaction, case, read, correction))
    players = [*read.names.values(), *case.players.values(), *_players_of(hands)]
    evening = current_club().evening_of(read.stored.opened_at)
    return render(
        "dispute_print.html",
        page_address=url_for("console.show_dispute", dispute_id=dispute_id),
        as_of=transaction.now,
        case=case,
        read=read,
        entries=entries,
        display_names=list_names(transaction, filter(None, [case.author, *players])),
        evening=show_evenings(Evenings(evening, evening)),
        stakes=list(_describe_stakes(read.happened.ruleset)),
        hands=hands,
        hand_lines=_list_hands(transaction, read) if case.hand is None else [],
        correction=correction,
        compared=None if correction is None else _compare(case, correction, hands),
        revisions=[each for each in revisions if each.number > case.revision],
        settlement=get_settlement(transaction, case.round_id),
        is_auditor=allows(KeyScope.AUDIT),
        evidence=find_evidence(transaction, case.round_id, dispute_id, case.hand, is_auditor=allows(KeyScope.AUDIT)),
    )


def _find_correction(
    transaction: Transaction, read: ReadRound, revisions: Sequence[MadeRevision]
) -> CaseCorrection | None:
    """Return what the revisions that answer a dispute have changed; None if there are none."""
    if not revisions:
        return None
    before, after = revisions[0].number - 1, revisions[-1].number
    compared = compare_revisions(transaction, read.stored, before, after)
    return CaseCorrection(before, after, compared, show_comparison(compared))


def _show_hands(
    transaction: Transaction, case: StoredCase, read: ReadRound, correction: CaseCorrection | None
) -> Iterator[CaseHand]:
    """Yield the disputed hand or, if the dispute is about none, the first ones whose cards were corrected."""
    recorded = snapshot_recorded(get_records(transaction, case.round_id, case.revision), read.happened).hands
    corrected = () if correction is None else correction.compared.after.hands
    if case.hand is not None:
        numbers = [case.hand]
    else:
        changed = [] if correction is None else [hand.number for hand in correction.shown.hands if hand.boards]
        numbers = [number for number in changed if number <= len(recorded)][:MOST_EXPLAINED]
    for number in numbers:
        old = recorded[number - 1]
        new = corrected[number - 1] if number <= len(corrected) else None
        sides = [_show_side(transaction, "as recorded", case.revision, old, new)]
        if correction is not None and new is not None:
            sides.append(_show_side(transaction, "as corrected", correction.after, new, old))
        is_removed = correction is not None and number in correction.shown.removed
        yield CaseHand(number, sides, list(_list_changed(correction, number)), is_removed)


def _show_side(transaction: Transaction, words: str, revision: int, hand: HandView, other: HandView | None) -> HandSide:
    assert hand.id is not None, "the hand is recorded"
    explanation = dump_explanation_view(explain_hand(transaction, UUID(hand.id), revision))
    boards = show_boards(hand) if other is None else mark_changes(show_boards(hand), show_boards(other))
    return HandSide(words, revision, boards, explanation, show_names(explanation), list_pair_points(explanation))


def _list_changed(correction: CaseCorrection | None, number: int) -> Iterator[ChangedRow]:
    """Yield the rows of a hand that the corrections because of the dispute have changed."""
    hands = () if correction is None else correction.shown.hands
    for old, new in (boards for hand in hands if hand.number == number for boards in hand.boards):
        for row, other in zip(old.rows, new.rows, strict=True):
            if row.moved:
                yield ChangedRow(old.player, row.row.value, row.cards, other.cards)


def _compare(case: StoredCase, correction: CaseCorrection, hands: Sequence[CaseHand]) -> ShownComparison:
    """Return what was corrected, without the boards of hands that the page shows in the same two revisions."""
    shown = correction.shown
    if correction.before != case.revision:
        return shown
    numbers = [hand.number for hand in hands]
    return replace(shown, hands=[replace(hand, boards=()) if hand.number in numbers else hand for hand in shown.hands])


def _list_hands(transaction: Transaction, read: ReadRound) -> list[HandLine]:
    """Return all hands of the disputed revision, as lines."""
    return list_hand_lines(read, get_settlement(transaction, read.stored.id, read.revision))


def _players_of(hands: Sequence[CaseHand]) -> Iterator[str]:
    for hand in hands:
        for side in hand.sides:
            yield from side.names.values()


def _describe_stakes(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield the rules of the stakes in words: their labels and values."""
    dumped = dump_ruleset(ruleset)
    for group in GROUPS:
        for field in group.fields:
            if field.path[0] == "stakes":
                yield field.label, field.in_words(dumped)
