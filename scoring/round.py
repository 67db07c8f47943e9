"""The hands until everyone has had the button once: a fold over finished hands."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from scoring.deal import find_deal_mistakes
from scoring.errors import HandError, Mistake, RoundError
from scoring.exchange import Exchange
from scoring.fantasyland import Fantasyland
from scoring.following import COMPLETE, OVERRULED, find_following_mistakes, find_top_up_mistakes
from scoring.hand import Hand, Seat, TopUp
from scoring.round_state import Round, RoundSeat, RoundStatus, fold_player
from scoring.ruleset import Leaving, Points, Ruleset, StakesScope
from scoring.score import HandScore, paying_order, score_hand
from scoring.settlement import Settlement, Transfer, settle


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """
    A played hand: its score, its transfers, and the round after it.

    Attributes:
        accepted: whether it was accepted as played.
        irregular: why it does not follow the hands before it; empty where it does.
    """

    hand: Hand
    score: HandScore
    transfers: tuple[Transfer, ...]
    round: Round
    accepted: bool = False
    irregular: tuple[Mistake, ...] = ()


@dataclass(frozen=True, slots=True)
class Departed:
    """The round after a hand, departure or closing, and the payout if the round ended with it."""

    transfers: tuple[Transfer, ...]
    round: Round


def open_round(ruleset: Ruleset, seats: Iterable[RoundSeat]) -> Round:
    """
    Seat players for a round.

    >>> from scoring.presets import PRESETS
    >>> round_ = open_round(PRESETS["pineapple"], [RoundSeat(1, "ann", 200), RoundSeat(4, "bob", 150)])
    >>> round_.next_hand
    NextHand(number=1, button=None, seats=(1, 4), fantasyland={})

    Raises:
        RoundError: too few or too many players, a seat or player twice, or a stack without points.

    Rule: docs/rules.md#the-round
    """
    round_seats = tuple(seats)
    mistakes = list(_seating_mistakes(ruleset, round_seats))
    if mistakes:
        raise RoundError(mistakes)
    seated = tuple(sorted(round_seats, key=lambda seat: seat.seat))
    stacks = {seat.seat: seat.opening_stack for seat in seated}
    return Round(ruleset, seated, stacks, stacks, dict.fromkeys(stacks, 0))


def play_hand(round_: Round, hand: Hand, *, accepted: bool = False, hold_open: bool = False) -> PlayedHand:
    """
    Play a finished hand: validate it, score it, pay the transfers, and return the round after it.

    Args:
        round_: the state of the round before it.
        hand: what happened.
        accepted: whether it counts as it was played even if it does not follow the hands before it.
        hold_open: whether a later hand was accepted as played: the round is not complete before that hand.

    Raises:
        RoundError: the round takes no further hand.
        HandError: the hand cannot have been dealt like this, or cannot follow; every reason is named.

    Rule: docs/rules.md#the-round
    """
    before, irregular = _begin(round_, hand, accepted=accepted)
    if irregular:
        # Their paths are those in the stored hand, whatever the order in which it was sent.
        _, irregular = _begin(round_, hand.in_order, accepted=accepted)
    stays = {seat: owed.stays for seat, owed in before.owed.items()}
    score = score_hand(hand.players, before.ruleset, hand.button, stays)
    transfers: tuple[Transfer, ...] = ()
    if before.ruleset.stakes.scope is StakesScope.ROUND:
        paid = before.but(totals=_add_up(before.totals, score.exchanges))
    else:
        settlement = _settle(before, score.exchanges)
        transfers, paid = settlement.transfers, before.but(stacks=settlement.stacks)
    ended = end_hand(
        paid, hand, {board.seat: board.earned for board in score.boards if board.earned}, hold_open=hold_open
    )
    return PlayedHand(hand, score, transfers + ended.transfers, ended.round, accepted, irregular)


def begin_hand(round_: Round, hand: Hand, *, accepted: bool = False) -> Round:
    """
    Validate a hand, and return the round before its first transfer.

    A hand that is accepted as played need not follow.

    Raises:
        RoundError: the round takes no further hand.
        HandError: the hand cannot have been dealt like this, or cannot follow; every reason is named.

    Rule: docs/rules.md#the-round
    """
    before, _ = _begin(round_, hand, accepted=accepted)
    return before


def end_hand(round_: Round, hand: Hand, earned: Mapping[Seat, Fantasyland], *, hold_open: bool = False) -> Departed:
    """
    Return the round after a hand whose points are paid or added up, with the payout if the round ends.

    Args:
        round_: as `begin_hand` gave it, with the points of this hand.
        hand: that hand.
        earned: what Fantasyland its boards have earned.
        hold_open: see `play_hand`.

    Rule: docs/rules.md#the-round
    """
    after = round_.but(
        hands=hand.number,
        button=hand.button,
        had_button=round_.had_button | {hand.button},
        sequence=frozenset(hand.by_seat) if earned else frozenset(),
        owed=earned,
    )
    return _finish(_bust(after), hold_open=hold_open)


def add_points(round_: Round, top_ups: Collection[TopUp]) -> Round:
    """
    Add the top-ups before the next hand; a busted player who tops up plays on.

    >>> from scoring.presets import PRESETS
    >>> seats = [RoundSeat(1, "ann", 200), RoundSeat(2, "bob", 150), RoundSeat(3, "cyd", 100)]
    >>> round_ = open_round(PRESETS["pineapple-qq"], seats).but(hands=1, button=1, busted=frozenset({2}))
    >>> round_.next_hand
    NextHand(number=2, button=3, seats=(1, 3), fantasyland={})
    >>> add_points(round_, [TopUp(2, 40)]).next_hand
    NextHand(number=2, button=2, seats=(1, 2, 3), fantasyland={})

    Rule: docs/rules.md#leaving-and-top-ups
    """
    if not top_ups:
        return round_
    added = {top_up.seat: top_up.points for top_up in top_ups}
    return round_.but(
        stacks=_sum(round_.stacks, added),
        opening_stacks=_sum(round_.opening_stacks, added),
        top_ups=_sum(round_.top_ups, added),
        busted=round_.busted.difference(added),
    )


def depart(round_: Round, seat: Seat, *, overruled: Collection[str] = frozenset(), hold_open: bool = False) -> Departed:
    """
    Record that a player leaves between two hands.

    Args:
        round_: the state of the round.
        seat: who leaves.
        overruled: codes of mistakes that do not stop the departure, because what came after it was accepted as played.
        hold_open: see `play_hand`.

    Raises:
        RoundError: the ruleset, the sequence or the round does not allow it.

    Rule: docs/rules.md#leaving-and-top-ups
    """
    is_complete = round_.status is RoundStatus.COMPLETE and COMPLETE in overruled
    if not is_complete:
        check_open(round_, "departure")
    mistake = _departure_mistake(round_, seat)
    if mistake and mistake.code not in overruled:
        raise RoundError([mistake])
    departed = round_.but(left=round_.left | {seat})
    return Departed((), departed) if is_complete else _finish(departed, hold_open=hold_open)


def close_round(round_: Round) -> Departed:
    """
    Close a round early: points added up under scope `round` are settled; Fantasyland still owed is void.

    Raises:
        RoundError: the round is no longer open.

    Rule: docs/rules.md#closing-early
    """
    check_open(round_, "closing")
    return _settle_totals(_bust(round_.but(status=RoundStatus.CLOSED, owed={})))


def _begin(round_: Round, hand: Hand, *, accepted: bool) -> tuple[Round, tuple[Mistake, ...]]:
    """Return the round before the first point of a hand is paid, and what was overruled to accept the hand."""
    check_open(round_, "hand")
    top_up_mistakes = list(find_top_up_mistakes(round_, hand))
    before = add_points(round_, hand.top_ups) if _are_overruled(top_up_mistakes, accepted=accepted) else round_
    mistakes = (
        *(_find_end(round_) if accepted else ()),
        *top_up_mistakes,
        *find_following_mistakes(before, hand),
        *find_deal_mistakes(hand.players, round_.ruleset),
        *(_too_few_players(hand) if accepted or len(before.players_next) < 2 else ()),
    )
    if not _are_overruled(mistakes, accepted=accepted):
        raise HandError(mistakes)
    if before.sequence and not hand.belongs_to_hand_before:
        before = before.but(sequence=frozenset())
    scope = before.ruleset.stakes.scope
    if scope is StakesScope.HAND or (scope is StakesScope.FANTASYLAND and not hand.belongs_to_hand_before):
        before = before.but(opening_stacks=before.stacks, busted=_without_points(before))
    return before, mistakes


def _seating_mistakes(ruleset: Ruleset, seats: Sequence[RoundSeat]) -> Iterator[Mistake]:
    fewest, most = ruleset.players.min, ruleset.players.max
    if not fewest <= len(seats) <= most:
        detail = f"the number of players is {len(seats)}; expected {fewest} to {most} under {ruleset}"
        yield Mistake("players-count", ("seats",), detail)
    for index, seat in enumerate(seats):
        before = seats[:index]
        if seat.seat < 1:
            yield Mistake("seat-number", ("seats", index, "seat"), f"seat {seat.seat} is given; expected 1 or more")
        if any(seat.seat == other.seat for other in before):
            detail = f"seat {seat.seat} is taken twice; expected one player per seat"
            yield Mistake("seat-twice", ("seats", index, "seat"), detail)
        same = next((other for other in before if fold_player(seat.player) == fold_player(other.player)), None)
        if same is not None:
            problem = f"player {seat.player!r} sits twice"
            if seat.player != same.player:
                problem = f"player {seat.player!r} looks like player {same.player!r} in seat {same.seat}"
            yield Mistake("player-twice", ("seats", index, "player"), f"{problem}; expected one seat per player")
        if seat.opening_stack < 1:
            detail = f"seat {seat.seat} opens with {seat.opening_stack} points; expected 1 or more"
            yield Mistake("stack-too-small", ("seats", index, "stack"), detail)


def check_open(round_: Round, what: str) -> None:
    """
    Check that the round accepts hands, departures and a closing.

    Raises:
        RoundError: the round is complete or closed.
    """
    if round_.status is RoundStatus.COMPLETE:
        raise RoundError([_complete(round_, what)])
    if round_.status is RoundStatus.CLOSED:
        detail = f"the round was closed after hand {round_.hands}; it accepts no further {what}"
        raise RoundError([Mistake("round-closed", (), detail)])


def _complete(round_: Round, what: str) -> Mistake:
    detail = f"the round is complete after hand {round_.hands}; it accepts no further {what}"
    return Mistake(COMPLETE, (), detail)


def _find_end(round_: Round) -> Iterator[Mistake]:
    """Yield what would have ended the round, or kept a player in it, if no later hand were accepted as played."""
    if round_.hands and _finish(round_, hold_open=False).round.status is RoundStatus.COMPLETE:
        yield _complete(round_, "hand")
    for seat in sorted(round_.left & round_.sequence if round_.in_sequence else ()):
        detail = f"seat {seat} has left in the middle of a Fantasyland sequence; expected them to play it to its end"
        yield Mistake("departure-in-sequence", (), detail)


def _too_few_players(hand: Hand) -> Iterator[Mistake]:
    if len(hand.players) < 2:
        yield Mistake("players-count", ("players",), f"`players` has {len(hand.players)}; expected 2 or more")


def _are_overruled(mistakes: Iterable[Mistake], *, accepted: bool) -> bool:
    """Return whether nothing is wrong, or nothing that stops a hand from being accepted as played."""
    return all(accepted and mistake.code in OVERRULED for mistake in mistakes)


def _departure_mistake(round_: Round, seat: Seat) -> Mistake | None:
    path = ("seat",)
    if seat not in round_.seat_numbers:
        seats = ", ".join(map(str, round_.seat_numbers))
        return Mistake("seat-unknown", path, f"seat {seat} is not in the round; its seats are {seats}")
    if round_.ruleset.leaving is Leaving.BETWEEN_ROUNDS:
        detail = f"{round_.ruleset} lets players leave between rounds only; seat {seat} plays the round to its end"
        return Mistake("departure-not-allowed", path, detail)
    if seat in round_.left:
        return Mistake("departure-twice", path, f"seat {seat} has left already; a player leaves a round once")
    if round_.hands == 0:
        detail = "no hand has been played; a player can leave after the first hand"
        return Mistake("departure-before-first-hand", (), detail)
    if round_.in_sequence and seat in round_.players_next:
        detail = f"seat {seat} plays the Fantasyland hand that comes next; they can leave once the sequence has ended"
        return Mistake("departure-in-sequence", path, detail)
    return None


def _sum(points: Mapping[Seat, Points], added: Mapping[Seat, Points]) -> Mapping[Seat, Points]:
    return {seat: stack + added.get(seat, 0) for seat, stack in points.items()}


def _bust(round_: Round) -> Round:
    """
    Determine who is busted, and which Fantasyland is lost by it.

    Rule: docs/rules.md#busted-and-left
    """
    scope = round_.ruleset.stakes.scope
    if scope is not StakesScope.ROUND:
        busted = _without_points(round_)
        if scope is StakesScope.FANTASYLAND and round_.owed:
            busted -= round_.sequence
        if busted != round_.busted or not busted.isdisjoint(round_.owed):
            owed = {seat: fantasyland for seat, fantasyland in round_.owed.items() if seat not in busted}
            round_ = round_.but(busted=busted, owed=owed)
    return round_.but(sequence=frozenset()) if round_.sequence and not round_.owed else round_


def _without_points(round_: Round) -> frozenset[Seat]:
    return frozenset(seat for seat, stack in round_.stacks.items() if not stack)


def _finish(round_: Round, *, hold_open: bool) -> Departed:
    """
    Complete the round if no further hand can be played.

    Rule: docs/rules.md#completion
    """
    if hold_open:
        return Departed((), round_)
    playing = round_.still_playing
    if len(playing) < 2 or (not round_.owed and round_.had_button.issuperset(playing)):
        return _settle_totals(_bust(round_.but(status=RoundStatus.COMPLETE, owed={})))
    return Departed((), round_)


def _settle_totals(round_: Round) -> Departed:
    """Pay the totals of each pair under scope `round`, in the order of the button's last position."""
    if not round_.totals:
        return Departed((), round_)
    order = paying_order(round_.seat_numbers, round_.button)
    settlement = _settle(round_, [_total(round_.totals, a, b) for a, b in combinations(order, 2)])
    return Departed(settlement.transfers, round_.but(stacks=settlement.stacks, totals={}))


def _settle(round_: Round, exchanges: Sequence[Exchange]) -> Settlement:
    return settle(exchanges, round_.stacks, round_.ruleset.stakes.win_limit, round_.opening_stacks)


def _add_up(
    totals: Mapping[tuple[Seat, Seat], Points], exchanges: Iterable[Exchange]
) -> Mapping[tuple[Seat, Seat], Points]:
    added = dict(totals)
    for exchange in exchanges:
        low, high = sorted((exchange.first, exchange.second))
        points = exchange.points if low == exchange.first else -exchange.points
        added[low, high] = added.get((low, high), 0) + points
    return added


def _total(totals: Mapping[tuple[Seat, Seat], Points], first: Seat, second: Seat) -> Exchange:
    low, high = sorted((first, second))
    points = totals.get((low, high), 0)
    return Exchange(first, second, points if first == low else -points)
