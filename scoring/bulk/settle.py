"""Settle many rounds at once: scores, transfers, and the state of each round after each hand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.bulk.round_states import OPEN, REFUSED, Expected, Numbers, RoundStates, bits, states_of
from scoring.bulk.rounds import BulkRounds
from scoring.bulk.rows import are_one_deck
from scoring.bulk.score import earn, score_hands
from scoring.bulk.transfers import Points, Transfers, exchange_order, in_paying_order, pay
from scoring.hand import Seat
from scoring.round_state import Round
from scoring.ruleset import BOARD_SIZE, Ruleset, StakesScope


class HandScores(NamedTuple):
    """
    The scores of hands, with players in columns: 0 for players not dealt in.

    Attributes:
        can_be: [hands], whether all cards come from one deck, and the button is on a seat of the round.
        fouls, royalties, enters, stays: [hands, columns], as in `BulkScore`.
        royalties_top, royalties_middle: [hands, columns], those of the top and of the middle row.
        from_rows, from_bonuses, from_fouls: [hands, columns], parts of the points; the other part is royalties.
        exchanges: [hands, columns, columns], points for the player of the row.
        scoops: [hands, columns, columns], 1 if the player of the row wins all rows, -1 if the other does.
    """

    can_be: NDArray[np.bool_]
    fouls: NDArray[np.uint8]
    royalties: NDArray[np.int32]
    enters: NDArray[np.uint8]
    stays: NDArray[np.bool_]
    royalties_top: NDArray[np.int32]
    royalties_middle: NDArray[np.int32]
    from_rows: Points
    from_bonuses: Points
    from_fouls: Points
    exchanges: Points
    scoops: NDArray[np.int8]

    @property
    def points(self) -> Points:
        """Return the sum of each player's exchanges, before caps: [hands, columns]."""
        points: Points = self.exchanges.sum(axis=2)
        return points


@dataclass(frozen=True, slots=True)
class BulkSettlement:
    """
    The results of rounds, with hands and columns as in `BulkRounds`.

    Values of a hand that was not taken are arbitrary.

    Attributes:
        refused: [rounds], whether the round is invalid; the plain rules explain why.
        taken: [hands], whether the hand was played; if one is not, no later hand of its round is.
        scores: the scores of the hands.
        earned: [hands, columns], the Fantasyland cards that the board has earned.
        exchanges: [hands, exchanges], points for the first player, in paying order.
        scoops: [hands, exchanges], 1 if the first player wins all rows, -1 if the second does, in paying order.
        stacks_before: [hands, columns], before top-ups.
        stacks: [hands, columns], after the hand.
        transfers: the transfers of each hand.
        late_transfers: [rounds, exchanges], the payout of a departure or closing that ended the round.
        before: [hands], the state before the hand, an index of `expected`.
        after: [hands], the state after the hand.
        final: [rounds], the final state.
        final_stacks: [rounds, columns].
        opening_stacks: [rounds, columns], the opening stacks of the last scope.
        top_ups: [rounds, columns], points added in the whole round.
        lengths: [rounds], the number of hands.
        expected: what must follow each state.
        states: each state as a round whose seats are columns, and whose stacks are 1 or 0.
    """

    refused: NDArray[np.bool_]
    taken: NDArray[np.bool_]
    scores: HandScores
    earned: NDArray[np.uint8]
    exchanges: Points
    scoops: Points
    stacks_before: Points
    stacks: Points
    transfers: Transfers
    late_transfers: Transfers
    before: Numbers
    after: Numbers
    final: Numbers
    final_stacks: Points
    opening_stacks: Points
    top_ups: Points
    lengths: Numbers
    expected: Expected
    states: Sequence[Round | None]

    def end_of(self, number: int, opened: Round) -> Round:
        """
        Return a round that has ended, as the plain rules would.

        Args:
            number: the index of a round that was not refused and has ended.
            opened: the round before its first hand.
        """
        state = self.states[self.final[number]]
        assert state is not None, "a refused round has no state"
        assert not state.is_open, "the round has not ended"
        if state.button is None:
            return opened.but(status=state.status)
        seats = opened.seat_numbers

        def seated(columns: Iterable[int]) -> frozenset[Seat]:
            return frozenset([seats[column - 1] for column in columns])

        return opened.but(
            stacks=dict(zip(seats, self.final_stacks[number].tolist(), strict=False)),
            opening_stacks=dict(zip(seats, self.opening_stacks[number].tolist(), strict=False)),
            top_ups=dict(zip(seats, self.top_ups[number].tolist(), strict=False)),
            status=state.status,
            hands=int(self.lengths[number]),
            button=seats[state.button - 1],
            had_button=seated(state.had_button),
            left=seated(state.left),
            busted=seated(state.busted),
        )


def settle_rounds(ruleset: Ruleset, rounds: BulkRounds) -> BulkSettlement:
    """
    Settle many rounds: all first hands, then all second hands, and so on.

    The results are those of `replay`, but discards and streets are not checked, and an invalid hand is
    reported without the reason. A hand of three players takes 0.6 kB; ten thousand rounds are a good number:

    >>> from scoring.board import Board
    >>> from scoring.hand import Hand, PlayerHand
    >>> from scoring.history import History
    >>> from scoring.presets import PRESETS
    >>> from scoring.round_state import RoundSeat
    >>> ann = PlayerHand(1, Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"))
    >>> bob = PlayerHand(4, Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs"))
    >>> seats = (RoundSeat(1, "ann", 3), RoundSeat(4, "bob", 50))
    >>> pineapple = PRESETS["pineapple"]
    >>> history = History(pineapple, seats, (Hand(1, 4, (ann, bob)),))
    >>> settlement = settle_rounds(pineapple, BulkRounds.of([history]))
    >>> settlement.stacks.tolist(), settlement.transfers.due.tolist(), settlement.transfers.payer.tolist()
    ([[6, 47]], [[4]], [[4]])
    >>> settlement.expected.fantasyland[settlement.final].tolist()
    [[14, 0, 0, 0]]

    Args:
        ruleset: the ruleset of all rounds, which may be another than that they were played by.
        rounds: the rounds; odd rounds are refused.

    Raises:
        OverflowError: the rounds have too many different states.

    Rule: docs/rules.md#the-round
    """
    play = _Play(ruleset, rounds)
    for number in range(int(rounds.lengths.max(initial=0))):
        play.hand(number)
    return play.end()


def score_rounds(ruleset: Ruleset, rounds: BulkRounds) -> HandScores:
    """Score the hands of many rounds, grouped by the columns that play."""
    hands, columns = rounds.dealt.shape
    scores = HandScores(
        can_be=np.zeros(hands, np.bool_),
        fouls=np.zeros((hands, columns), np.uint8),
        royalties=np.zeros((hands, columns), np.int32),
        enters=np.zeros((hands, columns), np.uint8),
        stays=np.zeros((hands, columns), np.bool_),
        royalties_top=np.zeros((hands, columns), np.int32),
        royalties_middle=np.zeros((hands, columns), np.int32),
        from_rows=np.zeros((hands, columns), np.int64),
        from_bonuses=np.zeros((hands, columns), np.int64),
        from_fouls=np.zeros((hands, columns), np.int64),
        exchanges=np.zeros((hands, columns, columns), np.int64),
        scoops=np.zeros((hands, columns, columns), np.int8),
    )
    boards = np.zeros((hands, columns, BOARD_SIZE), np.uint8)
    boards[rounds.dealt] = rounds.boards
    players = bits(rounds.dealt)
    for dealt in np.unique(players[players > 0]).tolist():
        at = np.flatnonzero(players == dealt)
        who = np.flatnonzero(rounds.dealt[at[0]])
        place = np.ix_(at, who)
        together = boards[place]
        score = score_hands(ruleset, together)
        scores.can_be[at] = are_one_deck(together)
        scores.fouls[place], scores.royalties[place] = score.fouls, score.royalties
        scores.enters[place], scores.stays[place] = score.enters, score.stays
        scores.royalties_top[place], scores.royalties_middle[place] = score.royalties_top, score.royalties_middle
        scoops, parts = score.scoops, (score.row_points, score.bonuses, score.foul_points)
        for pair, (first, second) in enumerate(combinations(who.tolist(), 2)):
            scores.exchanges[at, first, second] = score.exchanges[:, pair]
            scores.exchanges[at, second, first] = -score.exchanges[:, pair]
            scores.scoops[at, first, second], scores.scoops[at, second, first] = scoops[:, pair], -scoops[:, pair]
            for points, part in zip((scores.from_rows, scores.from_bonuses, scores.from_fouls), parts, strict=True):
                points[at, first] += part[:, pair]
                points[at, second] -= part[:, pair]
    return scores


class _Play:
    """
    Rounds during settlement, the longest first, so that the rounds that have a hand of a number are the first ones.

    Results are written hand by hand; the current state has a row for each round.
    """

    def __init__(self, ruleset: Ruleset, rounds: BulkRounds) -> None:
        hands, columns = rounds.dealt.shape
        self.ruleset, self.rounds = ruleset, rounds
        self.scores = score_rounds(ruleset, rounds)
        self.states: RoundStates = states_of(ruleset)
        self.transfers, self.late = Transfers.none(hands, columns), Transfers.none(len(rounds.lengths), columns)
        self.before, self.after = np.zeros(hands, np.int64), np.zeros(hands, np.int64)
        self.taken, self.began = np.zeros(hands, np.bool_), np.zeros(hands, np.int64)
        self.stacks_before, self.stacks_after = np.zeros((2, hands, columns), np.int64)
        self.order = np.argsort(-rounds.lengths, kind="stable")
        self.starts = rounds.starts[self.order]
        self.lengths = rounds.lengths[self.order]
        at_button = rounds.seats[rounds.round_of_hand] == rounds.buttons[:, np.newaxis]
        self.buttons: Numbers = at_button.argmax(axis=1)
        self.scores.can_be[~at_button.any(axis=1)] = False
        self.seated = rounds.seats[self.order] > 0
        self.stacks = rounds.stacks[self.order]
        self.opening = self.stacks.copy()
        self.totals = np.zeros((len(self.order), columns, columns), np.int64)
        self.last_button = np.zeros(len(self.order), np.int64)
        state = self.states.open(self.seated, self.stacks > 0)
        self.state = np.where(rounds.odd[self.order], REFUSED, state)

    def hand(self, number: int) -> None:
        """Play the hand with a number in every round that has it."""
        active = slice(0, int(np.count_nonzero(self.lengths > number)))
        hands = self.starts[active] + number
        self.before[hands] = self.state[active]
        self.stacks_before[hands] = self.stacks[active]
        began = self._begin(active, hands)
        self.began[hands] = began
        taken = began != REFUSED
        self.taken[hands] = taken
        exchanges = self.scores.exchanges[hands]
        exchanges[~taken] = 0
        if self.ruleset.stakes.scope is StakesScope.ROUND:
            self.totals[active] += exchanges
        else:
            order = exchange_order(self.stacks.shape[1])[bits(self.rounds.dealt[hands]), self.buttons[hands]]
            self.transfers.put(hands, self._pay(active, exchanges, order))
        state = self._end(active, hands, began)
        self._pay_totals(np.flatnonzero(self._is_over(state)), self.transfers, hands)
        self.after[hands] = state
        self.stacks_after[hands] = self.stacks[active]
        self.state[active] = state
        self._depart(active, hands)

    def end(self) -> BulkSettlement:
        """Close the rounds that were closed, and return the results."""
        closed = np.flatnonzero(self.rounds.closed[self.order])
        self.state[closed] = self.states.close(self.state[closed])
        self._pay_totals(closed[self._is_over(self.state[closed])], self.late, self.order)
        rounds, expected = self.rounds, self.states.expected
        final, (final_stacks, opening_stacks) = np.empty_like(self.state), np.empty_like([self.stacks, self.opening])
        final[self.order], final_stacks[self.order], opening_stacks[self.order] = self.state, self.stacks, self.opening
        top_ups = np.zeros_like(self.stacks)
        np.add.at(top_ups, rounds.round_of_hand, rounds.top_ups)
        order = exchange_order(self.stacks.shape[1])[bits(rounds.dealt), self.buttons]
        exchanges = [points for _, _, points in in_paying_order(self.scores.exchanges, order)]
        scoops = [scoop for _, _, scoop in in_paying_order(self.scores.scoops.astype(np.int64), order)]
        columns = slice(0, self.stacks.shape[1])
        return BulkSettlement(
            refused=final == REFUSED,
            taken=self.taken,
            scores=self.scores,
            earned=earn(
                self.ruleset,
                self.scores.enters,
                self.scores.stays,
                rounds.fantasyland,
                expected.stays[self.began, columns],
            ),
            exchanges=np.stack(exchanges, axis=1),
            scoops=np.stack(scoops, axis=1),
            stacks_before=self.stacks_before,
            stacks=self.stacks_after,
            transfers=self.transfers.seated(rounds.seats[rounds.round_of_hand]),
            late_transfers=self.late.seated(rounds.seats),
            before=self.before,
            after=self.after,
            final=final,
            final_stacks=final_stacks,
            opening_stacks=opening_stacks,
            top_ups=top_ups,
            lengths=rounds.lengths,
            expected=expected,
            states=self.states.rounds,
        )

    def _begin(self, active: slice, hands: Numbers) -> Numbers:
        """Check which hands follow, add their top-ups, and open the scope of the stakes."""
        rounds = self.rounds
        began = self.states.begin(
            self.state[active],
            self.buttons[hands],
            rounds.dealt[hands],
            rounds.fantasyland[hands],
            rounds.top_ups[hands],
            self.scores.can_be[hands],
        )
        added = rounds.top_ups[hands] * (began != REFUSED)[:, np.newaxis]
        self.stacks[active] += added
        self.opening[active] += added
        opens = self.states.expected.opens_scope[began][:, np.newaxis]
        np.copyto(self.opening[active], self.stacks[active], where=opens)
        self.last_button[active] = np.where(began != REFUSED, self.buttons[hands], self.last_button[active])
        return began

    def _end(self, active: slice, hands: Numbers, began: Numbers) -> Numbers:
        """Update the states of the rounds after the hand."""
        in_fantasyland = self.rounds.fantasyland[hands] > 0
        return self.states.end(
            began,
            self.buttons[hands],
            self.rounds.dealt[hands],
            np.where(in_fantasyland, np.uint8(0), self.scores.enters[hands]),
            self.scores.stays[hands] & in_fantasyland,
            self.stacks[active] > 0,
        )

    def _depart(self, active: slice, hands: Numbers) -> None:
        """Apply departures, one after the other."""
        leaves = self.rounds.leaves[hands]
        for turn in range(1, int(leaves.max(initial=0)) + 1):
            leaving = np.flatnonzero((leaves == turn).any(axis=1))
            column = (leaves[leaving] == turn).argmax(axis=1)
            self.state[leaving] = self.states.depart(self.state[leaving], column)
            self._pay_totals(leaving[self._is_over(self.state[leaving])], self.late, self.order)

    def _is_over(self, state: Numbers) -> NDArray[np.bool_]:
        is_over: NDArray[np.bool_] = (state != REFUSED) & (self.states.expected.status[state] != OPEN)
        return is_over

    def _pay(self, of: slice | Numbers, exchanges: Points, order: Numbers) -> Transfers:
        stacks = self.stacks[of]
        transfers = pay(exchanges, order, stacks, self.opening[of], self.ruleset.stakes.win_limit)
        self.stacks[of] = stacks
        return transfers

    def _pay_totals(self, ended: Numbers, transfers: Transfers, places: Numbers) -> None:
        """Pay the totals of scope `round` in rounds that have ended, and write the transfers."""
        if self.ruleset.stakes.scope is not StakesScope.ROUND:
            return
        order = exchange_order(self.stacks.shape[1])[bits(self.seated[ended]), self.last_button[ended]]
        transfers.put(places[ended], self._pay(ended, self.totals[ended], order))
        self.totals[ended] = 0
