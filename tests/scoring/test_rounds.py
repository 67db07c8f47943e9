"""The round as a fold: what the golden cases do not show step by step."""

from dataclasses import replace

import pytest

from scoring.errors import HandError, RoundError, ScoringError
from scoring.history import Closing, Departure, History, replay
from scoring.presets import PRESETS
from scoring.round import close_round, depart, open_round, play_hand
from scoring.round_state import NextHand, RoundStatus
from tests.support.scoring.notation import hand_of, pointer_to, ruleset_of, seats_of

HIGH = "AhKd9c / JsJd8c5h2c / AsAdTcTh4s"
MID = "KsQd7h / 9s9d6c4h3c / KcKh8s8h5c"
LOW = "QsJc6d / 7s7d5s3h2d / QcQh4d4c3s"
QUEENS = "QsQd4c / KsKd9h8h3c / AhJh7h6h2h"
SEVENS = "Ac8d2s / TsTc5d5c6s / 7s7d7cJdJs"
THREE = {1: HIGH, 2: MID, 3: LOW}
QQ, PINEAPPLE = PRESETS["pineapple-qq"], PRESETS["pineapple"]
SEATS = seats_of({1: "ann 100", 2: "bob 100", 3: "cyd 100"})


def test_players_can_be_in_any_order() -> None:
    assert open_round(QQ, reversed(SEATS)) == open_round(QQ, SEATS)


def test_the_players_of_a_hand_can_be_in_any_order() -> None:
    round_ = open_round(QQ, SEATS)
    played = play_hand(round_, hand_of(1, 2, THREE))
    shuffled = play_hand(round_, hand_of(1, 2, {3: LOW, 1: HIGH, 2: MID}))
    assert (shuffled.round, shuffled.score, shuffled.transfers) == (played.round, played.score, played.transfers)


def test_a_round_is_left_as_it_was_by_the_hand_that_follows() -> None:
    round_ = open_round(QQ, SEATS)
    play_hand(round_, hand_of(1, 2, THREE, {2: 10}))
    assert round_ == open_round(QQ, SEATS)


def test_the_first_button_is_any_seat_and_the_hand_that_moves_it_decides_who_has_had_it() -> None:
    round_ = open_round(QQ, SEATS)
    assert round_.next_hand == NextHand(1, None, (1, 2, 3), {})
    for number, button in enumerate((3, 1, 2), start=1):
        round_ = play_hand(round_, hand_of(number, button, THREE)).round
    assert round_.status is RoundStatus.COMPLETE
    assert round_.next_hand is None


def test_every_error_of_a_hand_is_reported_at_once() -> None:
    with pytest.raises(HandError) as refused:
        play_hand(open_round(QQ, SEATS), hand_of(7, 9, {1: HIGH, 2: {"board": HIGH, "discards": "2d"}}, {8: 0}))
    assert [(mistake.code, pointer_to(mistake.path)) for mistake in refused.value.mistakes[:6]] == [
        ("seat-unknown", "#/top_ups/0/seat"),
        ("top-up-points", "#/top_ups/0/points"),
        ("hand-number", "#/number"),
        ("seat-unknown", "#/button"),
        ("player-missing", "#/players"),
        ("discards-count", "#/players/1/discards"),
    ]
    assert [mistake.code for mistake in refused.value.mistakes[6:]] == ["card-twice"] * 13


def test_a_duplicate_player_in_a_hand_is_reported() -> None:
    hand = hand_of(1, 1, THREE)
    twice = replace(hand, players=(*hand.players[:2], replace(hand.players[2], seat=2)))
    with pytest.raises(HandError) as refused:
        play_hand(open_round(QQ, SEATS), twice)
    assert [(mistake.code, pointer_to(mistake.path)) for mistake in refused.value.mistakes] == [
        ("seat-twice", "#/players/2/seat"),
        ("player-missing", "#/players"),
    ]


def test_a_player_who_does_not_play_is_reported_once_whatever_they_were_dealt() -> None:
    round_ = open_round(PINEAPPLE, seats_of({1: "ann 100", 2: "bob 12", 3: "cyd 100"}))
    round_ = play_hand(round_, hand_of(1, 1, {1: HIGH, 2: LOW, 3: MID})).round
    with pytest.raises(HandError) as refused:
        play_hand(round_, hand_of(2, 3, {1: HIGH, 2: {"board": LOW, "fantasyland": 14}, 3: MID}))
    assert [mistake.code for mistake in refused.value.mistakes] == ["player-busted"]


def test_a_busted_player_can_leave() -> None:
    round_ = open_round(QQ, seats_of({1: "ann 100", 2: "bob 12", 3: "cyd 100"}))
    round_ = play_hand(round_, hand_of(1, 1, {1: HIGH, 2: LOW, 3: MID})).round
    assert round_.still_playing == (1, 3)
    left = depart(round_, 2).round
    assert left.left == {2}
    with pytest.raises(HandError, match="seat 2 has left; only players who have not can add points"):
        play_hand(left, hand_of(2, 3, {1: HIGH, 3: MID}, {2: 50}))


def test_a_departed_player_keeps_points_and_place_in_the_standings() -> None:
    round_ = play_hand(open_round(QQ, SEATS), hand_of(1, 1, THREE)).round
    left = depart(round_, 1).round
    assert left.stacks == round_.stacks
    assert left.nets == {1: 12, 2: 0, 3: -12}


def test_a_button_whose_holder_leaves_moves_on_from_where_it_stood() -> None:
    round_ = play_hand(open_round(QQ, SEATS), hand_of(1, 2, THREE)).round
    assert depart(round_, 2).round.next_hand == NextHand(2, 3, (1, 3), {})


def test_a_round_may_be_closed_before_its_first_hand() -> None:
    for name in ("pineapple", "progressive-round"):
        closed = close_round(open_round(PRESETS[name], SEATS))
        assert closed.round.status is RoundStatus.CLOSED
        assert closed.transfers == ()


def test_a_player_without_points_is_busted_when_the_round_is_closed_in_a_sequence() -> None:
    round_ = open_round(QQ, seats_of({1: "ann 100", 2: "bob 4"}))
    round_ = play_hand(round_, hand_of(1, 1, {1: QUEENS, 2: SEVENS})).round
    assert round_.still_playing == (1, 2)
    assert close_round(round_).round.still_playing == (1,)


def test_a_hand_is_refused_whole_and_its_top_ups_with_it() -> None:
    round_ = open_round(QQ, SEATS)
    with pytest.raises(HandError):
        play_hand(round_, hand_of(1, 1, {1: HIGH, 2: MID}, {2: 10}))
    assert round_.stacks == {1: 100, 2: 100, 3: 100}


def test_top_ups_count_towards_the_opening_stack_of_the_sequence() -> None:
    round_ = open_round(QQ, seats_of({1: "ann 2", 2: "bob 100"}))
    played = play_hand(round_, hand_of(1, 1, {1: HIGH, 2: LOW}, {1: 2}))
    assert played.round.stacks == {1: 8, 2: 96}
    assert played.round.nets == {1: 4, 2: -4}


def test_a_pair_that_ties_under_scope_round_pays_nothing() -> None:
    ruleset = PRESETS["progressive-round"]
    round_ = open_round(ruleset, seats_of({1: "ann 100", 2: "bob 100"}))
    round_ = play_hand(round_, hand_of(1, 1, {1: HIGH, 2: LOW})).round
    played = play_hand(round_, hand_of(2, 2, {1: LOW, 2: HIGH}))
    assert played.round.status is RoundStatus.COMPLETE
    assert played.transfers == ()


def test_a_ruleset_without_points_moves_none() -> None:
    free = {"row": 0, "majority_bonus": 0, "scoop_bonus": 0, "foul_penalty": 0}
    ruleset = ruleset_of({"like": "pineapple", "points": free, "royalties": {"top": {}, "middle": {}, "bottom": {}}})
    played = play_hand(open_round(ruleset, SEATS), hand_of(1, 1, THREE))
    assert played.transfers == ()
    assert [exchange.points for exchange in played.score.exchanges] == [0, 0, 0]


# --- histories ---

HANDS = tuple(hand_of(number, number, THREE) for number in (1, 2, 3))


def test_a_history_plays_as_its_hands_do_one_by_one() -> None:
    round_ = open_round(QQ, SEATS)
    hands = []
    for hand in HANDS:
        hands.append(play_hand(round_, hand))
        round_ = hands[-1].round
    played = replay(History(QQ, tuple(SEATS), HANDS))
    assert played.hands == tuple(hands)
    assert played.round == round_
    assert [(paid.hand, paid.transfer) for paid in played.payments] == [
        (hand.hand.number, transfer) for hand in hands for transfer in hand.transfers
    ]


def test_departures_happen_after_their_hand_in_the_order_in_which_they_are_written() -> None:
    history = History(QQ, tuple(SEATS), (HANDS[0], hand_of(2, 3, {1: HIGH, 3: LOW})), (Departure(2, 1),))
    assert replay(history).round.status is RoundStatus.COMPLETE
    assert replay(history).round.left == {2}


def test_payments_of_a_departure_have_the_number_of_the_hand_before_it() -> None:
    ruleset = ruleset_of({"like": "progressive-round", "leaving": "between_hands"})
    history = History(ruleset, tuple(SEATS), HANDS[:2], (Departure(3, 2),))
    payments = replay(history).payments
    assert [(paid.hand, paid.transfer.payer, paid.transfer.paid) for paid in payments] == [
        (2, 3, 12),
        (2, 3, 12),
        (2, 2, 12),
    ]


def test_payments_of_a_closing_have_the_number_of_the_hand_before_it() -> None:
    history = History(PRESETS["progressive-round"], tuple(SEATS), HANDS[:1], closed=Closing(1, "the room closes"))
    assert {paid.hand for paid in replay(history).payments} == {1}


@pytest.mark.parametrize(
    ("history", "pointers"),
    [
        (History(QQ, tuple(SEATS), (HANDS[0], HANDS[2])), ["#/hands/1/number", "#/hands/1/button"]),
        (History(QQ, tuple(SEATS), (*HANDS, HANDS[0])), ["#/hands/3"]),
        (History(PINEAPPLE, tuple(SEATS), HANDS, (Departure(1, 1),)), ["#/departures/0/seat"]),
        (History(QQ, tuple(SEATS), HANDS, (Departure(1, 0),)), ["#/departures/0"]),
        (History(QQ, tuple(SEATS), HANDS, (Departure(1, -1),)), ["#/departures/0/after_hand"]),
        (History(QQ, tuple(SEATS), HANDS, closed=Closing(3, "late")), ["#/closed"]),
        (
            History(QQ, tuple(SEATS), HANDS, (Departure(1, 4),), Closing(2, "early")),
            ["#/departures/0/after_hand", "#/closed/after_hand"],
        ),
        (History(QQ, tuple(SEATS[:1]), HANDS), ["#/seats"]),
    ],
)
def test_the_first_error_of_a_history_is_reported_with_its_pointer(history: History, pointers: list[str]) -> None:
    with pytest.raises(ScoringError) as refused:
        replay(history)
    assert [pointer_to(mistake.path) for mistake in refused.value.mistakes] == pointers


def test_a_history_may_stop_where_it_is() -> None:
    assert replay(History(QQ, tuple(SEATS))).round == open_round(QQ, SEATS)
    with pytest.raises(RoundError, match="the number of players is 1"):
        replay(History(QQ, tuple(SEATS[:1])))
