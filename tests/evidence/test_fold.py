"""The fold: a round is what its events say, and events that cannot follow each other are refused."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from random import Random

import pytest

from evidence import EvidenceError
from evidence.events import (
    CorrectedClosing,
    CorrectedDeparture,
    DisputeCommented,
    DisputeResolved,
    DisputeReviewed,
    DisputeStep,
    DisputeWithdrawn,
    EventPayload,
    PlayerNamed,
    Received,
)
from evidence.fold import FoldedClosing, FoldedDeparture, StoredEvent, fold_round
from evidence.texts import digest_text
from schemas.documents import load_document
from scoring.history import Closing, Departure, replay
from scoring.presets import PRESETS
from tests.evidence.example_events import AT, DISPUTE, OPENED, ROUND, SALT, SEATS, WORDS, hand, hand_id
from tests.evidence.round_events import (
    CLOSED,
    COMMENTED,
    DOCUMENT,
    LEFT,
    MINUTE,
    OTHER,
    PLAYED,
    REJECTED,
    REVIEWED,
    WHY,
    confirmed,
    corrected,
    disputed,
    events_of,
    final,
    fold,
    recomputed,
    recorded,
    sorted_players,
    step,
    stored,
    withdrawn,
)
from tests.oracle import PRESETS as ORACLE_PRESETS
from tests.oracle import random_document

# --- what events make ---


def test_an_opening_creates_a_round_with_one_revision() -> None:
    round_ = fold(OPENED)
    [first] = round_.revisions
    assert round_.opening == OPENED
    assert (first.number, first.created_at, first.ruleset, first.seats) == (1, AT, "pineapple-qq@1", SEATS)
    assert (first.carried_over, first.reason, first.adjusts, first.as_created) == ({2}, None, None, None)
    assert (round_.recorded_at, round_.changed_at, round_.final_revision, round_.open_disputes) == (AT, AT, None, 0)
    assert OPENED.submission is not None
    assert round_.submissions[OPENED.submission.id].kind == "document"


def test_hands_departures_and_the_closing_have_their_times() -> None:
    hand_came_in = Received(OTHER, WORDS)
    round_ = fold(OPENED, recorded(1, submission=hand_came_in), recorded(2, irregular=True), LEFT, CLOSED)
    newest = round_.newest
    assert [each.id for each in newest.hands] == [hand_id(1), hand_id(2)]
    assert [each.recorded_at for each in newest.hands] == [AT + MINUTE, AT + 2 * MINUTE]
    assert OPENED.submission is not None
    assert [each.submission for each in newest.hands] == [OTHER, OPENED.submission.id]
    assert [each.digest for each in newest.hands] == [sha256(hand(number)).digest() for number in (1, 2)]
    assert (newest.scorers, newest.irregular) == ((1, 1), {2})
    assert newest.departures == (FoldedDeparture(Departure(1, 2), LEFT.reason, AT + 3 * MINUTE),)
    assert newest.closed == FoldedClosing(Closing(2), CLOSED.reason, AT + 4 * MINUTE)
    assert [(each.index, each.hand, each.stacks) for each in round_.stacks] == [(1, 1, (90, 110)), (2, 2, (90, 110))]
    assert round_.submissions[OTHER].kind == "hand"


def test_an_undo_adds_a_revision_without_the_hand_and_the_departures_after_it() -> None:
    round_ = fold(*PLAYED, LEFT, withdrawn(2, 2, departures=(1,)), recorded(2, record=3, restores=hand_id(2)))
    first, second = round_.revisions
    assert len(first.hands) == 2
    assert len(first.departures) == 1
    assert second.as_created is not None
    assert [each.id for each in second.as_created.hands] == [hand_id(1)]
    assert second.as_created.scorers == (2,)
    assert (second.departures, second.reason) == ((), WHY)
    assert [each.id for each in second.hands] == [hand_id(1), hand_id(3)]
    assert second.scorers == (2, 1)
    assert set(round_.hands) == {hand_id(1), hand_id(2), hand_id(3)}


def test_an_undo_lists_the_irregular_hands_that_changed() -> None:
    irregular = recorded(2, irregular=True)
    assert fold(OPENED, recorded(1), irregular, withdrawn(2, 2)).newest.irregular == set()
    assert fold(OPENED, recorded(1), irregular, withdrawn(2, 2, irregular=(1,))).newest.irregular == {1}


def test_a_correction_leaves_unchanged_records_and_times() -> None:
    left = CorrectedDeparture(1, 2, digest_text("a bus", SALT))
    document = replace(DOCUMENT, departures=(left,), closed=CorrectedClosing(2, CLOSED.reason))
    round_ = fold(*PLAYED, LEFT, CLOSED, corrected(document=document))
    newest = round_.newest
    assert [(each.id, each.recorded_at) for each in newest.hands] == [
        (hand_id(1), AT + MINUTE),
        (hand_id(3), AT + 5 * MINUTE),
    ]
    assert [(each.reason, each.recorded_at) for each in newest.departures] == [(left.reason, AT + 3 * MINUTE)]
    assert newest.closed is not None
    assert newest.closed.recorded_at == AT + 4 * MINUTE
    assert (newest.irregular, newest.carried_over, newest.scorers, newest.reason) == ({2}, {2}, (3, 3), WHY)
    assert round_.corrections[2].document == document
    assert round_.submissions[OTHER].kind == "correction"


def test_a_recomputation_changes_the_rules_and_nothing_else() -> None:
    round_ = fold(*PLAYED, recomputed(2))
    assert (round_.newest.ruleset, round_.newest.ruleset_digest) == ("other@2", bytes(32))
    assert round_.newest.hands == round_.revisions[0].hands
    assert round_.newest.scorers == (4, 4)


def test_a_revision_after_a_final_one_adjusts_it() -> None:
    round_ = fold(*PLAYED, CLOSED, confirmed(1), confirmed(2), final(), corrected(), final(2))
    first, second = round_.revisions
    assert first.confirmed == {1: AT + 4 * MINUTE, 2: AT + 5 * MINUTE}
    assert (first.adjusts, second.adjusts, second.confirmed) == (None, 1, {})
    assert round_.final_revision == 2


def test_a_confirmation_does_not_count_as_a_change() -> None:
    assert fold(*PLAYED, CLOSED, confirmed(1)).changed_at == AT + 3 * MINUTE
    assert fold(*PLAYED, CLOSED, disputed()).changed_at == AT + 4 * MINUTE


def test_a_dispute_goes_through_its_states() -> None:
    resolved = step(DisputeResolved, DisputeStep.UPHELD, 3, correction=2)
    events: Sequence[EventPayload] = (*PLAYED, disputed(), REVIEWED, corrected(dispute=DISPUTE), resolved, final(2))
    open_, reviewed, *_, ended, _ = [fold(*events[:number]) for number in range(4, len(events) + 1)]
    assert [each.disputes[DISPUTE].state_name for each in (open_, reviewed, ended)] == [
        "open",
        "under_review",
        "upheld",
    ]
    assert [each.open_disputes for each in (open_, reviewed, ended)] == [1, 1, 0]
    assert [entry.event.version for entry in ended.disputes[DISPUTE].entries] == [2, 3]
    withdrawal = step(DisputeWithdrawn, DisputeStep.WITHDRAWN, 3, by="ann")
    assert fold(*PLAYED, disputed(), COMMENTED, withdrawal, confirmed(1)).disputes[DISPUTE].version == 3


def test_events_of_unknown_kinds_are_listed() -> None:
    events = [stored(index, event) for index, event in enumerate(PLAYED)]
    later = StoredEvent(4, "round.blessed", AT + 9 * MINUTE, b"{}")
    round_ = fold_round(ROUND, [*events, later, stored(4, PlayerNamed.of("ann", "Ann Example", bytes(32)))])
    assert round_.unknown == (3, 4)
    assert len(round_.newest.hands) == 2


# --- what is folded is what was recorded ---


@pytest.mark.parametrize("name", ["pineapple", "pineapple-qq", "progressive-round", "turbo", "classic"])
def test_a_round_folded_from_its_events_is_replayed_as_it_was_played(name: str) -> None:
    rng = Random(name)
    for _ in range(5):
        document = load_document({**random_document(rng, ORACLE_PRESETS[name]), "table": "kitchen"})
        history = document.history(PRESETS[name])
        events = list(events_of(document, history))
        newest = fold(*events).newest
        assert newest.history(PRESETS[name]) == replace(
            history,
            hands=tuple(sorted_players(each.hand) for each in document.hands),
            departures=tuple(
                replace(left, reason=None) for left in sorted(document.departures, key=lambda left: left.after_hand)
            ),
            closed=history.closed and replace(history.closed, reason=None),
            irregular=frozenset(),
        )
        assert replay(newest.history(PRESETS[name])).round.stacks == replay(history).round.stacks


# --- what cannot have happened ---


@pytest.mark.parametrize(
    ("events", "code", "why"),
    [
        ((), "events-missing", "there is no event of the round; expected at least its opening"),
        ((recorded(1),), "event-content", "the first event is hand.recorded; expected round.opened"),
        (
            (PlayerNamed.of("ann", "Ann Example", bytes(32)),),
            "event-content",
            "the first event is player.named; expected round.opened",
        ),
        ((replace(OPENED, round=OTHER),), "event-content", f"`round` is {OTHER}; expected {ROUND}"),
        ((replace(OPENED, seats=()),), "list-length", "`seats` has 0 items; expected at least 1"),
        (
            (replace(OPENED, correction_window_minutes=525_601),),
            "event-content",
            "`correction_window_minutes` is 525601; expected 0 to 525600",
        ),
        ((OPENED, OPENED), "event-impossible", "the round is opened a second time"),
        ((OPENED, replace(recorded(1), round=OTHER)), "event-content", f"`round` is {OTHER}; expected {ROUND}"),
        # hands
        ((OPENED, recorded(2)), "event-content", "`hand.number` is 2; expected 1"),
        ((*PLAYED, recorded(2, record=3)), "event-content", "`hand.number` is 2; expected 3"),
        ((*PLAYED, recorded(3, record=2)), "event-content", f"`id` is {hand_id(2)}, which an earlier hand has"),
        (
            (OPENED, recorded(1, restores=OTHER)),
            "event-content",
            f"`restores` is {OTHER}, which no earlier hand has",
        ),
        ((OPENED, recorded(1, hand=b"{}")), "field-missing", "`hand.number` is required"),
        ((*PLAYED, CLOSED, recorded(3)), "event-impossible", "the hand follows the closing of the round"),
        ((*PLAYED, final(), recorded(3)), "event-impossible", "the hand follows the final settlement of revision 1"),
        # departures and the closing
        ((*PLAYED, replace(LEFT, seat=3)), "event-impossible", "nobody sits in seat 3"),
        ((OPENED, LEFT), "event-impossible", "the player leaves after hand 2; expected 0"),
        ((*PLAYED, CLOSED, LEFT), "event-impossible", "the departure follows the closing of the round"),
        ((*PLAYED, CLOSED, CLOSED), "event-impossible", "the closing follows the closing of the round"),
        (
            (*PLAYED, replace(CLOSED, after_hand=1)),
            "event-impossible",
            "the round is closed after hand 1; expected 2",
        ),
        # withdrawals
        ((OPENED, withdrawn(1, 2)), "event-impossible", "the undo follows no hand"),
        ((*PLAYED, withdrawn(1, 2)), "event-content", "`number` is 1; expected 2"),
        ((*PLAYED, withdrawn(2, 2, hand=OTHER)), "event-content", f"`hand` is {OTHER}; expected {hand_id(2)}"),
        ((*PLAYED, withdrawn(2, 2, digest=b"")), "event-content", "`digest` is "),
        ((*PLAYED, LEFT, withdrawn(2, 2, departures=(2,))), "event-content", "`departures` is [2]; expected []"),
        ((*PLAYED, withdrawn(2, 3)), "event-content", "`revision` is 3; expected 2"),
        ((*PLAYED, CLOSED, withdrawn(2, 2)), "event-impossible", "the undo follows the closing of the round"),
        (
            (*PLAYED, final(), recomputed(2), withdrawn(2, 3)),
            "event-impossible",
            "the undo follows a final settlement, which an undo cannot change",
        ),
        # corrections
        ((*PLAYED, corrected(3)), "event-content", "`revision` is 3; expected 2"),
        (
            (*PLAYED, corrected(ruleset="turbo@1")),
            "event-content",
            "`document.ruleset` is pineapple-qq@1; expected turbo",
        ),
        (
            (*PLAYED, corrected(document=replace(DOCUMENT, reference=None))),
            "event-content",
            "`document.reference` is null; expected friday",
        ),
        (
            (*PLAYED, corrected(document=replace(DOCUMENT, point_value=7))),
            "event-content",
            "`document.point_value` is 7; expected 10",
        ),
        (
            (*PLAYED, corrected(document=replace(DOCUMENT, unit="USD"))),
            "event-content",
            "`document.unit` is USD; expected EUR",
        ),
        ((*PLAYED, corrected(hands=(hand_id(1),))), "event-content", "`hands` is 1; expected 2"),
        ((*PLAYED, corrected(hands=(OTHER, hand_id(3)))), "event-content", f"`hands[0]` is {OTHER}; expected"),
        (
            (*PLAYED, corrected(hands=(hand_id(1), hand_id(2)))),
            "event-content",
            f"`hands[1]` is {hand_id(2)}, which another hand has",
        ),
        (
            (*PLAYED, corrected(hands_before=())),
            "event-content",
            f"`hands_before` is []; expected [{hand_id(1)}, {hand_id(2)}]",
        ),
        ((*PLAYED, corrected(recorded=())), "event-content", "`recorded` is []; expected ["),
        (
            (*PLAYED, corrected(document=replace(DOCUMENT, hands=(hand(1), b"{}")))),
            "field-missing",
            "`document.hands[1].number` is required",
        ),
        ((*PLAYED, corrected(dispute=DISPUTE)), "event-impossible", f"dispute {DISPUTE} was not opened before"),
        ((*PLAYED, recomputed(1)), "event-content", "`revision` is 1; expected 2"),
        # confirmations, and becoming final
        ((*PLAYED, confirmed(1, 2)), "event-content", "`revision` is 2; expected 1"),
        (
            (*PLAYED, confirmed(9)),
            "event-impossible",
            "nobody sits in seat 9, so nobody there can confirm the settlement",
        ),
        ((*PLAYED, confirmed(1), confirmed(1)), "event-impossible", "seat 1 confirms revision 1 a second time"),
        ((*PLAYED, final(), confirmed(1)), "event-impossible", "the confirmation follows the final settlement"),
        (
            (*PLAYED, disputed(), confirmed(1)),
            "event-impossible",
            "the settlement is confirmed beside a dispute that has not ended",
        ),
        ((*PLAYED, final(2)), "event-content", "`revision` is 2; expected 1"),
        (
            (*PLAYED, final(), final()),
            "event-impossible",
            "the settlement of revision 1 becomes final a second time",
        ),
        (
            (*PLAYED, disputed(), disputed(dispute=OTHER), final()),
            "event-impossible",
            "the settlement is final beside 2 disputes that have not ended",
        ),
        # disputes
        ((*PLAYED, disputed(), disputed()), "event-impossible", f"dispute {DISPUTE} is opened a second time"),
        ((*PLAYED, disputed(by="")), "event-impossible", "the dispute does not say who claims what"),
        ((*PLAYED, disputed(claim=b"7d")), "event-impossible", "the dispute does not say who claims what"),
        (
            (*PLAYED, disputed(key_name=WORDS)),
            "event-impossible",
            "the dispute does not say who claims what",
        ),
        (
            (OPENED, recorded(1, submission=Received(OTHER))),
            "event-content",
            "`submission` has both digests or none; expected `sha256` or `text`",
        ),
        ((*PLAYED, disputed(revision=2)), "event-impossible", "revision 2 is not in force; expected 1"),
        ((*PLAYED, disputed(hand=3)), "event-impossible", "the dispute is about hand 3; the round has 2"),
        ((*PLAYED, disputed(seat=3)), "event-impossible", "the dispute is about seat 3, in which nobody sits"),
        ((*PLAYED, COMMENTED), "event-impossible", f"dispute {DISPUTE} was not opened before"),
        ((*PLAYED, disputed(), REJECTED), "event-impossible", "the dispute is open; expected under_review"),
        (
            (*PLAYED, disputed(), REVIEWED, step(DisputeReviewed, DisputeStep.UNDER_REVIEW, 3)),
            "event-impossible",
            "the dispute is under_review; expected open",
        ),
        (
            (*PLAYED, disputed(), REVIEWED, REJECTED, step(DisputeCommented, DisputeStep.COMMENT, 4)),
            "event-impossible",
            f"dispute {DISPUTE} has ended before: it is rejected",
        ),
        (
            (*PLAYED, disputed(), step(DisputeReviewed, DisputeStep.WITHDRAWN, 2)),
            "event-impossible",
            "the event does 'withdrawn'; expected 'under_review'",
        ),
        (
            (*PLAYED, disputed(), REVIEWED, step(DisputeResolved, DisputeStep.COMMENT, 3)),
            "event-impossible",
            "the event does 'comment'; expected 'upheld' or 'rejected'",
        ),
        (
            (*PLAYED, disputed(), step(DisputeCommented, DisputeStep.COMMENT, 3)),
            "event-impossible",
            "the dispute has version 1, and the event 3",
        ),
        (
            (*PLAYED, disputed(), step(DisputeCommented, DisputeStep.COMMENT, 2, by="")),
            "event-impossible",
            "the event does not say who did it",
        ),
        (
            (*PLAYED, disputed(), REVIEWED, step(DisputeResolved, DisputeStep.REJECTED, 3)),
            "event-impossible",
            "the dispute is rejected without a reason",
        ),
        (
            (*PLAYED, disputed(), REVIEWED, step(DisputeResolved, DisputeStep.UPHELD, 3)),
            "event-impossible",
            "the dispute is upheld without a correction and without a reason",
        ),
        (
            (*PLAYED, disputed(), REVIEWED, corrected(), step(DisputeResolved, DisputeStep.UPHELD, 3, correction=2)),
            "event-impossible",
            "revision 2 is no correction for the dispute",
        ),
    ],
)
def test_events_that_cannot_follow_are_refused_and_reported(
    events: tuple[EventPayload, ...], code: str, why: str
) -> None:
    with pytest.raises(EvidenceError) as refused:
        fold(*events)
    mistake = refused.value.mistakes[0]
    last = len(events) - 1
    named = f"event {last + 1}, {events[-1].kind}: " if events else ""
    assert mistake.detail.startswith(named + why)
    assert mistake.code == code
    assert mistake.path[:2] == (("events", last) if events else ("events",))


def test_content_that_cannot_be_decoded_is_reported_with_its_event() -> None:
    broken = StoredEvent(2, "hand.recorded", AT, b"{}")
    with pytest.raises(EvidenceError) as refused:
        fold_round(ROUND, [stored(0, OPENED), broken])
    assert ("events", 1, "stacks") in [mistake.path for mistake in refused.value.mistakes]
    assert "event 2, hand.recorded: `stacks` is required" in str(refused.value)
