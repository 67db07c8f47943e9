"""Hands accepted as played: whatever is marked, corrected or undone, a round plays, and its record plays the same."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import ScoringError
from scoring.following import OVERRULED
from scoring.hand import Hand
from scoring.history import (
    Departure,
    History,
    PlayedRound,
    accept_irregular,
    drop_late_departures,
    replay,
    without_needless_marks,
)
from scoring.presets import PRESETS
from scoring.round_state import RoundStatus
from tests.support.scoring.strategies import PROPERTY, boards, histories


@st.composite
def changed_histories(draw: st.DrawFn) -> History:
    """A round in which something was changed afterwards, and any of whose hands are marked as accepted."""
    history = draw(histories())
    for change in draw(st.lists(st.sampled_from([_remove, _add, _deal_again, _leave, _move_button]), max_size=3)):
        history = change(draw, history)
    numbers = st.sets(st.integers(1, max(len(history.hands), 1)))
    marked = draw(numbers) if history.hands else set()
    return replace(history, irregular=frozenset(marked), closed=None)


def _numbered(history: History, hands: list[Hand]) -> History:
    return replace(history, hands=tuple(replace(hand, number=number) for number, hand in enumerate(hands, start=1)))


def _remove(draw: st.DrawFn, history: History) -> History:
    hands = list(history.hands)
    if hands:
        del hands[draw(st.integers(0, len(hands) - 1))]
    return _numbered(history, hands)


def _add(draw: st.DrawFn, history: History) -> History:
    hands = list(history.hands)
    if hands:
        hands.insert(draw(st.integers(0, len(hands))), draw(st.sampled_from(hands)))
    return _numbered(history, hands)


def _deal_again(draw: st.DrawFn, history: History) -> History:
    hands = list(history.hands)
    if hands:
        place = draw(st.integers(0, len(hands) - 1))
        players = hands[place].players
        dealt = zip(players, draw(boards(len(players))), strict=True)
        hands[place] = replace(hands[place], players=tuple(replace(player, board=board) for player, board in dealt))
    return _numbered(history, hands)


def _move_button(draw: st.DrawFn, history: History) -> History:
    hands = list(history.hands)
    if hands:
        place = draw(st.integers(0, len(hands) - 1))
        hands[place] = replace(hands[place], button=draw(st.sampled_from([seat.seat for seat in history.seats])))
    return _numbered(history, hands)


def _leave(draw: st.DrawFn, history: History) -> History:
    seat = draw(st.sampled_from([seat.seat for seat in history.seats]))
    others = tuple(each for each in history.departures if each.seat != seat)
    return replace(history, departures=(*others, Departure(seat, draw(st.integers(1, max(len(history.hands), 1))))))


def attempt(history: History) -> PlayedRound | None:
    """Play a round; None where it is refused, which is the one thing that may happen instead."""
    try:
        return replay(history)
    except ScoringError:
        return None


def reasons_of(played: PlayedRound | None) -> list[object] | None:
    return None if played is None else [hand.irregular for hand in played.hands]


def without_marks(played: PlayedRound) -> list[object]:
    results = [(hand.hand, hand.score, hand.transfers, hand.irregular, hand.round.stacks) for hand in played.hands]
    return [results, played.payments, played.round]


@PROPERTY
@given(changed_histories())
def test_the_reasons_do_not_depend_on_the_order_in_which_players_were_sent(history: History) -> None:
    history = accept_irregular(history)
    backwards = [replace(hand, players=hand.in_order.players[::-1]) for hand in history.hands]
    orders = (backwards, [hand.in_order for hand in history.hands])
    sent, stored = (attempt(replace(history, hands=tuple(hands))) for hands in orders)
    assert reasons_of(sent) == reasons_of(stored)


@PROPERTY
@given(changed_histories())
def test_the_recorded_history_of_a_round_replays_the_same(history: History) -> None:
    played = attempt(history)
    if played is None:
        return
    recorded = replace(history, irregular=frozenset(hand.hand.number for hand in played.hands if hand.accepted))
    assert replay(recorded) == played
    assert without_marks(replay(without_needless_marks(history))) == without_marks(played)
    for hand in played.hands[: max(history.irregular, default=1) - 1]:
        assert hand.round.status is RoundStatus.OPEN
    assert sum(played.round.nets.values()) == 0


@PROPERTY
@given(changed_histories())
def test_the_last_hand_of_any_round_can_be_undone(history: History) -> None:
    played = attempt(without_needless_marks(history))
    while played is not None and history.hands:
        number = len(history.hands)
        departures = tuple(each for each in history.departures if each.after_hand < number)
        accepted = frozenset(each for each in history.irregular if each < number)
        history = replace(history, hands=history.hands[:-1], departures=departures, irregular=accepted)
        history = drop_late_departures(accept_irregular(history), departures)
        played = replay(history)
        assert played.round.hands == number - 1


@PROPERTY
@given(changed_histories(), st.sampled_from(sorted(PRESETS)))
def test_a_what_if_refuses_nothing_that_is_only_about_following(history: History, name: str) -> None:
    ruleset = PRESETS[name]
    if attempt(history) is None or len(history.seats) > ruleset.players.max:
        return
    what_if = accept_irregular(replace(history, ruleset=ruleset, irregular=frozenset(), is_what_if=True))
    assert replay(what_if).round.hands == len(history.hands)


@PROPERTY
@given(changed_histories())
def test_what_stops_a_changed_round_is_never_about_following(history: History) -> None:
    accepted = accept_irregular(history)
    try:
        replay(accepted)
    except ScoringError as error:
        of_hands = [mistake for mistake in error.mistakes if mistake.path[:1] == ("hands",)]
        assert not of_hands or any(mistake.code not in OVERRULED for mistake in of_hands)
