"""Hypothesis strategies: valid cards, rulesets, hands and rounds."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from scoring.board import Board
from scoring.cards import DECK, Card
from scoring.hand import Hand, PlayerHand, Seat, TopUp
from scoring.history import Closing, Departure, History
from scoring.presets import PRESETS
from scoring.round import close_round, depart, open_round, play_hand
from scoring.round_state import Round, RoundSeat
from scoring.ruleset import (
    BOARD_SIZE,
    DECK_SIZE,
    Leaving,
    PlayerLimits,
    PointRules,
    Ruleset,
    StakesRules,
    StakesScope,
    Variant,
    WinLimit,
)

PROPERTY: Final = settings(suppress_health_check=[HealthCheck.too_slow])
"""Rounds take a while to draw where other things run beside."""
MOST_HANDS: Final = 6
EARNERS: Final = (
    Board.of("AsAdTc", "JcJh7s7h2s", "QcQh9s9h5h"),
    Board.of("3s3d3c", "4s5d6c7s8d", "KsKdKcKh2c"),
)
"""Boards that enter Fantasyland nearly everywhere; the second stays as well."""

small = st.integers(0, 7)
decks = st.integers(0, 2**32).map(lambda seed: Random(seed).sample(DECK, len(DECK)))
"""Shuffled decks: any seed gives a whole one, which the draw of a permutation seldom does."""


@st.composite
def rulesets(draw: st.DrawFn) -> Ruleset:
    """A preset, or one whose points, deal, stakes and leaving are changed."""
    preset = draw(st.sampled_from(list(PRESETS.values())))
    if draw(st.booleans()):
        return preset
    variant = draw(st.sampled_from(Variant))
    most = DECK_SIZE // max({variant.cards_dealt, *preset.fantasyland.deals})
    return replace(
        preset,
        name="changed",
        variant=variant,
        players=PlayerLimits(2, draw(st.integers(2, most))),
        points=draw(st.builds(PointRules, small, small, small, small)),
        stakes=draw(st.builds(StakesRules, st.sampled_from(StakesScope), st.sampled_from(WinLimit))),
        leaving=draw(st.sampled_from(Leaving)),
    )


def set_cards(cards: Sequence[Card]) -> Board:
    """Set cards as a player might: what comes in groups goes down."""
    groups = Counter(card.rank for card in cards)
    by_worth = sorted(cards, key=lambda card: (groups[card.rank], card.rank), reverse=True)
    return Board.laid([*by_worth[10:13], *by_worth[5:10], *by_worth[:5]])


@st.composite
def boards(draw: st.DrawFn, number: int = 2) -> list[Board]:
    """So many boards from one deck: some set well, some as the cards came."""
    deck = draw(decks)
    dealt = [deck[BOARD_SIZE * place : BOARD_SIZE * (place + 1)] for place in range(number)]
    return [_board(draw, cards) for cards in dealt]


def _board(draw: st.DrawFn, cards: Sequence[Card]) -> Board:
    if draw(st.integers(0, 5)) == 0:
        return Board.laid(cards[:BOARD_SIZE])
    return set_cards(cards)


@st.composite
def histories(draw: st.DrawFn, rules: st.SearchStrategy[Ruleset] | None = None) -> History:
    """A round that can have happened, with departures, top-ups and closing where the ruleset has them."""
    ruleset = draw(rulesets() if rules is None else rules)
    number = draw(st.integers(ruleset.players.min, ruleset.players.max))
    numbers = sorted(draw(st.sets(st.integers(1, 9), min_size=number, max_size=number)))
    stacks = st.integers(1, draw(st.sampled_from([30, 500, 6])))
    seats = tuple(RoundSeat(seat, f"player-{seat}", draw(stacks)) for seat in numbers)
    round_, hands, departures = open_round(ruleset, seats), [], []
    for _ in range(draw(st.sampled_from([MOST_HANDS, 3, 1, 0]))):
        if not round_.is_open:
            break
        hands.append(draw(next_hands(round_)))
        round_ = play_hand(round_, hands[-1]).round
        seat = draw(st.none() | st.sampled_from(numbers))
        if seat is not None and may_leave(round_, seat) and draw(st.integers(0, 3)) == 0:
            round_ = depart(round_, seat).round
            departures.append(Departure(seat, round_.hands))
    closed = Closing(round_.hands, "it rains") if round_.is_open and draw(st.booleans()) else None
    if closed:
        close_round(round_)
    return History(ruleset, seats, tuple(hands), tuple(departures), closed)


@st.composite
def next_hands(draw: st.DrawFn, round_: Round) -> Hand:
    """A hand that follows."""
    top_ups: tuple[TopUp, ...] = ()
    may_add = round_.ruleset.leaving is Leaving.BETWEEN_HANDS and not round_.in_sequence
    if may_add and draw(st.integers(0, 3)) == 0:
        adding = draw(st.sets(st.sampled_from([seat for seat in round_.seat_numbers if seat not in round_.left])))
        top_ups = tuple(TopUp(seat, draw(st.integers(1, 20))) for seat in sorted(adding))
        round_ = replace(round_, busted=round_.busted - {top_up.seat for top_up in top_ups})
    following = round_.next_hand
    assert following is not None
    button = following.button or draw(st.sampled_from(following.seats))
    lucky, lucky_board = draw(st.sampled_from([None, *following.seats])), draw(st.sampled_from(EARNERS))
    deck = [card for card in draw(decks) if lucky is None or card not in lucky_board.cards]
    players = []
    for seat in following.seats:
        fantasyland = following.fantasyland[seat].cards if seat in following.fantasyland else 0
        if seat == lucky:
            players.append(PlayerHand(seat, lucky_board, fantasyland))
        else:
            dealt, deck = deck[:BOARD_SIZE], deck[BOARD_SIZE:]
            players.append(PlayerHand(seat, _board(draw, dealt), fantasyland))
    return Hand(following.number, button, tuple(players), top_ups)


def may_leave(round_: Round, seat: Seat) -> bool:
    """Whether a player can leave now."""
    allowed = round_.is_open and round_.ruleset.leaving is Leaving.BETWEEN_HANDS and seat not in round_.left
    return allowed and not (round_.in_sequence and seat in round_.players_next)
