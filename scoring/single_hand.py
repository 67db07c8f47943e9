"""Score a single hand without its round."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoring.deal import find_deal_mistakes
from scoring.errors import HandError, Mistake
from scoring.hand import PlayerHand, Seat
from scoring.ruleset import Points, Ruleset
from scoring.score import HandScore, score_hand
from scoring.settlement import Settlement, settle


@dataclass(frozen=True, slots=True)
class SingleHandPlayer:
    """
    A player's board, with the values that are otherwise taken from the round.

    `stays` is how many times in a row they have stayed in Fantasyland; `opening_stack` is their stack if omitted.
    """

    played: PlayerHand
    player: str | None = None
    stays: int = 0
    stack: Points | None = None
    opening_stack: Points | None = None

    @property
    def seat(self) -> Seat:
        """The player's seat."""
        return self.played.seat


@dataclass(frozen=True, slots=True)
class SingleHandScore:
    """The result of a single hand; the settlement is None if the stacks or the button are unknown."""

    score: HandScore
    settlement: Settlement | None


def score_single_hand(
    ruleset: Ruleset, players: Sequence[SingleHandPlayer], button: Seat | None = None
) -> SingleHandScore:
    """
    Score a single hand, and settle it if every stack and the button are known.

    Under scope `round` it is settled as if the round ended here.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> ann = SingleHandPlayer(PlayerHand(1, Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h")), stack=3)
    >>> bob = SingleHandPlayer(PlayerHand(2, Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs")), stack=50)
    >>> single = score_single_hand(PRESETS["pineapple"], [ann, bob], button=2)
    >>> single.score.points, single.settlement.stacks
    ({1: 4, 2: -4}, {1: 6, 2: 47})

    Raises:
        HandError: the hand is invalid, with every mistake.

    Rule: docs/rules.md#points-between-two-players
    """
    played = [player.played for player in players]
    mistakes = [*_player_mistakes(ruleset, players), *find_deal_mistakes(played, ruleset)]
    if mistakes:
        raise HandError(mistakes)
    score = score_hand(played, ruleset, button, {player.seat: player.stays for player in players})
    stacks = {player.seat: player.stack for player in players if player.stack is not None}
    if button is None or len(stacks) < len(players):
        return SingleHandScore(score, None)
    opening = {
        player.seat: stacks[player.seat] if player.opening_stack is None else player.opening_stack for player in players
    }
    return SingleHandScore(score, settle(score.exchanges, stacks, ruleset.stakes.win_limit, opening))


def _player_mistakes(ruleset: Ruleset, players: Sequence[SingleHandPlayer]) -> Iterator[Mistake]:
    fewest, most = 2, ruleset.players.max
    if not fewest <= len(players) <= most:
        detail = f"the number of players is {len(players)}; expected {fewest} to {most} under {ruleset}"
        yield Mistake("players-count", ("players",), detail)
    seats: set[Seat] = set()
    for index, player in enumerate(players):
        path = ("players", index)
        if player.seat in seats:
            yield Mistake("seat-twice", (*path, "seat"), f"seat {player.seat} plays twice; expected one board per seat")
        seats.add(player.seat)
        yield from (mistake.under(*path) for mistake in _stay_mistakes(ruleset, player))
        if player.opening_stack is not None and player.stack is None:
            detail = "an opening stack is given without a stack; expected both, or the stack alone"
            yield Mistake("stack-missing", (*path, "stack"), detail)


def _stay_mistakes(ruleset: Ruleset, player: SingleHandPlayer) -> Iterator[Mistake]:
    if not player.stays:
        return
    limit = ruleset.fantasyland.stay_limit
    if not player.played.fantasyland:
        detail = f"{player.stays} stays are given for a player outside Fantasyland; expected 0"
        yield Mistake("stays-outside", ("stays",), detail)
    elif limit is not None and player.stays > limit:
        detail = f"{player.stays} stays are given; expected at most {limit} in a row under {ruleset}"
        yield Mistake("stays-limit", ("stays",), detail)
    elif player.played.fantasyland != ruleset.fantasyland.stay_cards:
        right = ruleset.fantasyland.stay_cards
        detail = f"Fantasyland of {player.played.fantasyland} cards after a stay is given; expected {right}"
        yield Mistake("stays-cards", ("fantasyland",), detail)
