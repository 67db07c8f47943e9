"""What holds for every hand and every round."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.board import Board, ByRow
from scoring.cards import SUITS, Card
from scoring.exchange import Exchange, exchange_points, score_board
from scoring.fantasyland import Fantasyland
from scoring.hand import Hand, PlayerHand, Seat, TopUp
from scoring.history import Departure, History, Paid, PlayedRound, replay, replay_steps
from scoring.presets import PRESETS
from scoring.round import open_round
from scoring.round_state import Round, rank_players
from scoring.ruleset import Ruleset, WinLimit
from scoring.score import paying_order, score_hand
from scoring.settlement import LimitedBy, settle
from tests.support.scoring.strategies import PROPERTY, boards, histories, rulesets

# --- hands ---


@PROPERTY
@given(rulesets(), boards(3), st.integers(1, 9), st.lists(st.sampled_from([0, 14]), min_size=3, max_size=3))
def test_points_of_a_hand_are_zero_in_sum(
    ruleset: Ruleset, board_list: list[Board], button: Seat, fantasyland: list[int]
) -> None:
    players = [
        PlayerHand(seat, board, cards) for seat, board, cards in zip((2, 5, 7), board_list, fantasyland, strict=True)
    ]
    score = score_hand(players, ruleset, button)
    assert sum(score.points.values()) == 0
    for exchange in score.exchanges:
        parts = exchange.breakdown
        assert parts is not None
        assert exchange.points == parts.row_points + parts.bonus + parts.foul + parts.royalties
    for player in players:
        won = sum(exchange.points for exchange in score.exchanges if exchange.first == player.seat)
        given_up = sum(exchange.points for exchange in score.exchanges if exchange.second == player.seat)
        assert score.points[player.seat] == won - given_up


@PROPERTY
@given(rulesets(), boards(2), st.booleans())
def test_points_won_equal_points_lost(ruleset: Ruleset, board_list: list[Board], in_fantasyland: bool) -> None:
    played = Fantasyland(14) if in_fantasyland else None
    one, other = (score_board(seat, board, played, ruleset) for seat, board in enumerate(board_list, start=1))
    there, back = exchange_points(one, other, ruleset), exchange_points(other, one, ruleset)
    assert (back.first, back.second, back.points) == (there.second, there.first, -there.points)
    assert there.breakdown is not None
    assert back.breakdown is not None
    assert list(back.breakdown.rows) == [-won for won in there.breakdown.rows]


@PROPERTY
@given(rulesets(), boards(1), st.booleans())
def test_a_foul_earns_nothing(ruleset: Ruleset, board_list: list[Board], in_fantasyland: bool) -> None:
    scored = score_board(1, board_list[0], Fantasyland(14) if in_fantasyland else None, ruleset)
    if scored.foul is not None:
        assert (list(scored.royalties), scored.royalty_points, scored.earned) == ([0, 0, 0], 0, None)


# --- settlements ---


@PROPERTY
@given(
    st.lists(st.integers(0, 60), min_size=4, max_size=4),
    st.lists(st.integers(-80, 80), min_size=6, max_size=6),
    st.sampled_from(WinLimit),
    st.integers(1, 4),
)
def test_a_settlement_creates_and_loses_nothing(
    stacks: list[int], points: list[int], limit: WinLimit, button: Seat
) -> None:
    before = dict(enumerate(stacks, start=1))
    order = paying_order(before, button)
    pairs = [(a, b) for index, a in enumerate(order) for b in order[index + 1 :]]
    settled = settle([Exchange(*pair, won) for pair, won in zip(pairs, points, strict=True)], before, limit)
    assert sum(settled.stacks.values()) == sum(stacks)
    assert min(settled.stacks.values()) >= 0
    assert [transfer.due for transfer in settled.transfers] == [abs(won) for won in points if won]
    for transfer in settled.transfers:
        assert 0 <= transfer.paid <= transfer.due
        assert (transfer.limited_by is None) is (transfer.paid == transfer.due)
        if transfer.limited_by is LimitedBy.PAYER_STACK:
            assert transfer.payer_stack == 0
    if limit is WinLimit.OPENING:
        assert all(settled.stacks[seat] <= 2 * stack for seat, stack in before.items())


# --- rounds ---


def states(history: History) -> list[Round]:
    """The states of the round at its opening and after every step."""
    round_ = open_round(history.ruleset, history.seats)
    return [round_, *(step.round for step in replay_steps(round_, history))]


@PROPERTY
@given(histories())
def test_points_are_conserved_and_no_stack_is_ever_negative(history: History) -> None:
    brought = sum(seat.opening_stack for seat in history.seats)
    for round_ in states(history):
        assert sum(round_.stacks.values()) == brought + sum(round_.top_ups.values())
        assert min(round_.stacks.values()) >= 0
        assert sum(round_.nets.values()) == 0
    added = sum(top_up.points for hand in history.hands for top_up in hand.top_ups)
    assert sum(states(history)[-1].top_ups.values()) == added


@PROPERTY
@given(histories(rulesets().filter(lambda ruleset: ruleset.stakes.win_limit is WinLimit.OPENING)))
def test_no_player_wins_more_over_the_scope_than_their_opening_stack(history: History) -> None:
    for round_ in states(history):
        assert all(stack <= 2 * round_.opening_stacks[seat] for seat, stack in round_.stacks.items())


@PROPERTY
@given(histories())
def test_an_open_round_always_has_a_hand_that_can_come(history: History) -> None:
    for round_ in states(history):
        following = round_.next_hand
        assert (following is not None) is round_.is_open
        if following is not None:
            assert len(following.seats) >= 2
            assert following.fantasyland.keys() <= set(following.seats)
            assert following.button in {None, *round_.seat_numbers}
            assert not round_.left & set(following.seats)


@PROPERTY
@given(histories())
def test_a_round_played_twice_has_the_same_result(history: History) -> None:
    assert replay(history) == replay(history)


@PROPERTY
@given(histories())
def test_places_follow_the_net_points(history: History) -> None:
    nets = states(history)[-1].nets
    standings = rank_players(nets)
    assert {standing.seat: standing.net for standing in standings} == nets
    for one in standings:
        assert one.place == 1 + sum(other.net > one.net for other in standings)


@PROPERTY
@given(histories(), st.permutations(SUITS))
def test_suits_are_equal(history: History, suits: list[str]) -> None:
    exchanged = dict(zip(SUITS, suits, strict=True))

    def other_suit(card: Card) -> Card:
        return Card.parse(str(card)[0] + exchanged[card.suit])

    in_other_suits = with_boards(
        history, lambda board: Board(board.rows.map(lambda cards: tuple(map(other_suit, cards))))
    )
    assert result(replay(in_other_suits)) == result(replay(history))


@PROPERTY
@given(histories(), st.randoms(use_true_random=False))
def test_the_cards_of_a_row_have_no_order(history: History, random: Random) -> None:
    def shuffled(board: Board) -> Board:
        rows = [random.sample(cards, len(cards)) for cards in board.rows]
        return Board(ByRow(*map(tuple, rows)))

    assert result(replay(with_boards(history, shuffled))) == result(replay(history))


@PROPERTY
@given(histories(), st.data())
def test_seats_may_be_numbered_otherwise_as_long_as_the_order_around_the_table_stays(
    history: History, data: st.DataObject
) -> None:
    seats = [seat.seat for seat in history.seats]
    first = data.draw(st.integers(0, len(seats) - 1))
    numbers = sorted(data.draw(st.sets(st.integers(1, 30), min_size=len(seats), max_size=len(seats))))
    renumbered = dict(zip(seats[first:] + seats[:first], numbers, strict=True))
    outcome = result(replay(with_seats(history, renumbered)))
    assert outcome == result(replay(history), renumbered)


def with_boards(history: History, change: Callable[[Board], Board]) -> History:
    """The same round, every board changed."""
    hands = tuple(
        replace(hand, players=tuple(replace(player, board=change(player.board)) for player in hand.players))
        for hand in history.hands
    )
    return replace(history, hands=hands)


def with_seats(history: History, to: Mapping[Seat, Seat]) -> History:
    """The same round, every seat with another number."""

    def renumber(hand: Hand) -> Hand:
        players = tuple(replace(player, seat=to[player.seat]) for player in hand.players)
        return Hand(hand.number, to[hand.button], players, tuple(TopUp(to[t.seat], t.points) for t in hand.top_ups))

    return replace(
        history,
        seats=tuple(replace(seat, seat=to[seat.seat]) for seat in history.seats),
        hands=tuple(map(renumber, history.hands)),
        departures=tuple(Departure(to[each.seat], each.after_hand) for each in history.departures),
    )


def result(played: PlayedRound, to: Mapping[Seat, Seat] | None = None) -> dict[str, object]:
    """Return all results of a round, with renumbered seats if given."""
    round_ = played.round
    seats = to or {seat: seat for seat in round_.seat_numbers}
    following = round_.next_hand

    def paid(payment: Paid) -> tuple[object, ...]:
        transfer = payment.transfer
        return payment.hand, replace(transfer, payer=seats[transfer.payer], payee=seats[transfer.payee])

    return {
        "payments": list(map(paid, played.payments)),
        "stacks": {seats[seat]: stack for seat, stack in round_.stacks.items()},
        "points": [{seats[seat]: won for seat, won in hand.score.points.items()} for hand in played.hands],
        "status": round_.status,
        "playing": {seats[seat] for seat in round_.still_playing},
        "places": {(seats[standing.seat], standing.place) for standing in rank_players(round_.nets)},
        "next": following
        and (
            following.number,
            following.button and seats[following.button],
            {seats[seat] for seat in following.seats},
            {seats[seat]: owed for seat, owed in following.fantasyland.items()},
        ),
    }


def test_the_rounds_that_are_tried_go_far() -> None:
    """Rounds of presets and of changed rules reach Fantasyland, departures, top-ups, and an end."""
    met: set[str] = set()

    @settings(PROPERTY, derandomize=True, max_examples=300)
    @given(histories())
    def look(history: History) -> None:
        played = replay(history)
        met.add(played.round.status.value)
        met.update(["departure"] * bool(history.departures) + ["closing"] * bool(history.closed))
        met.update(["top-up"] * any(hand.top_ups for hand in history.hands))
        met.update(["fantasyland"] * any(player.fantasyland for hand in history.hands for player in hand.players))
        met.update(["foul"] * any(board.foul for hand in played.hands for board in hand.score.boards))
        met.update(["preset" if history.ruleset.name in PRESETS else "changed"])

    look()
    assert met >= {"open", "complete", "closed", "departure", "top-up", "fantasyland", "foul", "preset", "changed"}
