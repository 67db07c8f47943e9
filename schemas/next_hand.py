"""
Check and play the next hand of a round, as it was received.

The service does so before it stores a hand, and a browser without a network before it queues one: with the same
mistakes, and the same result.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from schemas.base import ComparedMistake, Dumped
from schemas.hand_identity import find_conflicts
from schemas.hands import SubmittedHand
from schemas.partial_documents import parse_partial_hand
from schemas.problems import dump_mistakes
from schemas.rounds import dump_next, dump_seats
from schemas.scores import dump_score
from schemas.settlements import dump_points, dump_transfers
from scoring import same_hand
from scoring.board import Board, ByRow, Row
from scoring.cards import BY_NAME, Card
from scoring.deal import find_deal_mistakes
from scoring.description import describe
from scoring.errors import HandError, Mistake
from scoring.exchange import score_board
from scoring.fantasyland import Fantasyland
from scoring.hand import Hand, Seat
from scoring.partial_hand import find_partial_mistakes
from scoring.round import PlayedHand, play_hand
from scoring.round_state import Round
from scoring.ruleset import Ruleset
from scoring.same_hand import BoardsOfHand
from scoring.unfinished_board import UnfinishedBoard, score_unfinished

WRONG_NUMBER: Final = "hand-number"
"""Code of the mistake of a hand that is not the next, and of its problem."""
SAME_DEAL: Final = "same-deal"
"""Code of the mistake of a hand with the boards of an earlier hand, and of its problem."""


def find_hand_mistakes(round_: Round, received: Any) -> Iterator[Mistake]:
    """
    List the mistakes against the rules in a hand that fails validation, as far as it can be parsed.

    A hand whose number is already recorded is not the next: then only the rules that hold for every hand of the round
    are checked.
    """
    submitted = parse_partial_hand(received)
    hand = submitted.hand
    is_next = hand.number is None or hand.number > round_.hands
    for mistake in find_partial_mistakes(round_, hand, is_next=is_next):
        yield wrong_number(round_, hand.number) if mistake.code == WRONG_NUMBER and hand.number else mistake
    seats = [player.seat for player in hand.players or ()]
    once = [seat if seats.count(seat) == 1 else None for seat in seats]
    yield from _find_misnamed(round_, zip(once, submitted.names, strict=False))


def find_misnamed(round_: Round, submitted: SubmittedHand) -> list[Mistake]:
    """List a mistake for each player whose name differs from the round's player in their seat."""
    seats = (player.seat for player in submitted.hand.players)
    return list(_find_misnamed(round_, zip(seats, submitted.names, strict=False)))


def _find_misnamed(round_: Round, players: Iterable[tuple[Seat | None, str | None]]) -> Iterator[Mistake]:
    sitting = {seat.seat: seat.player for seat in round_.seats}
    for index, (seat, name) in enumerate(players):
        expected = sitting.get(seat) if seat else None
        if name is not None and expected is not None and name != expected:
            detail = f"is {name!r}; expected {expected!r}, the player in seat {seat}"
            yield Mistake("player-wrong", ("players", index, "player"), detail)


def wrong_number(round_: Round, number: int) -> ComparedMistake:
    """Return the mistake of a hand with another number than the next, with the expected number."""
    expected = round_.hands + 1
    detail = f"hand {number} was received; expected hand {expected}"
    return ComparedMistake(WRONG_NUMBER, ("number",), detail, {"received": number, "expected": expected})


def find_repeated_mistakes(round_: Round, submitted: SubmittedHand, *, is_identical: bool) -> list[Mistake]:
    """
    List the mistakes in what a hand that is recorded already adds: discards, streets and names.

    Args:
        round_: the round.
        submitted: the hand.
        is_identical: whether it adds nothing but names.
    """
    misnamed = find_misnamed(round_, submitted)
    return misnamed if is_identical else [*find_deal_mistakes(submitted.hand.players, round_.ruleset), *misnamed]


def play_next_hand(
    round_: Round, submitted: SubmittedHand, boards: Iterable[BoardsOfHand], *, further: Sequence[Mistake] = ()
) -> PlayedHand:
    """
    Play the next hand of a round, which is not recorded yet.

    Args:
        round_: the round.
        submitted: the hand.
        boards: the boards of the earlier hands, which are read only if they matter.
        further: mistakes that only the caller can find.

    Raises:
        RoundError: the round accepts no further hand.
        HandError: the hand is invalid, with all its mistakes. The first one is `WRONG_NUMBER` or `SAME_DEAL` if it is
            not the next hand.
    """
    same_deal = _find_same_deal(round_, submitted, boards)
    if same_deal is not None:
        raise HandError([same_deal])
    misnamed, hand = find_misnamed(round_, submitted), submitted.hand
    try:
        played = play_hand(round_, hand)
    except HandError as error:
        mistakes = [*error.mistakes, *misnamed]
        if hand.number == round_.hands + 1:
            raise HandError([*mistakes, *further]) from error
        number = wrong_number(round_, hand.number)
        raise HandError([number, *(mistake for mistake in mistakes if mistake.path != number.path)]) from error
    if misnamed or further:
        raise HandError([*misnamed, *further])
    return played


def _find_same_deal(round_: Round, submitted: SubmittedHand, boards: Iterable[BoardsOfHand]) -> ComparedMistake | None:
    """
    Return the mistake of a hand with the boards of an earlier hand, unless the request states that it was dealt again.

    A hand that restores a record is not checked: it was accepted before.

    Rule: docs/rules.md#the-same-hand
    """
    following = round_.next_hand
    is_intended = submitted.dealt_again or submitted.restores is not None
    if is_intended or not round_.hands or following is None:
        return None
    number = same_hand.find_same_deal(submitted.hand, boards)
    if number is None:
        return None
    detail = (
        f"hand {number} of this round has the same boards; send number {number} to repeat that hand, or"
        " 'dealt_again': true if the players were dealt the same cards again"
    )
    values = {"received": submitted.hand.number, "recorded": number, "expected": following.number}
    return ComparedMistake(SAME_DEAL, ("number",), detail, values)


def find_conflict(round_: Round, submitted: SubmittedHand, recorded: Hand) -> tuple[str, tuple[Mistake, ...]]:
    """Return the detail and the mistakes of a hand whose number another hand of the round has."""
    number = submitted.hand.number
    expected = f"expected hand {round_.next_hand.number}" if round_.next_hand else "expected no further hand"
    detail = f"hand {number} of this round is recorded with other content; {expected}"
    mistakes = tuple(find_conflicts(recorded, submitted.hand))
    # Without differences, `restores` names an undone record with the same content as the current one.
    return detail, mistakes or (Mistake("hand-conflict", ("number",), detail),)


def dump_played_hand(ruleset: Ruleset, played: PlayedHand) -> Dumped:
    """Encode a played hand and the round after it, like the response to a recorded hand without IDs and times."""
    round_ = played.round
    return {
        "number": played.hand.number,
        "button": played.hand.button,
        "irregular": dump_mistakes(played.irregular),
        **dump_score(ruleset, played.score, {seat.seat: seat.player for seat in round_.seats}),
        "transfers": dump_transfers(played.transfers),
        "stacks": dump_points(round_.stacks),
        "round": dump_played_round(round_),
    }


def dump_played_round(round_: Round) -> Dumped:
    """Encode the state of a round, without IDs and times."""
    return {
        "stakes_scope": round_.ruleset.stakes.scope.value,
        "status": round_.status.value,
        "hands": round_.hands,
        "seats": dump_seats(round_),
        "next": dump_next(round_.next_hand),
    }


def dump_boards_so_far(round_: Round, received: Any) -> list[Dumped]:
    """Encode the score of each readable board of a hand, as far as it is set."""
    players = received.get("players") if isinstance(received, dict) else None
    read = [player for player in players if isinstance(player, dict)] if isinstance(players, list) else []
    rows = [ByRow(*(_read_cards(player.get(row.value), row.size) for row in Row)) for player in read]
    discards = [card for player in read for card in _read_cards(player.get("discards"), len(BY_NAME))]
    seen = {*discards, *(card for board in rows for cards in board for card in cards)}
    return [_dump_board(round_, player, board, seen) for player, board in zip(read, rows, strict=True)]


def _read_cards(names: Any, most: int) -> tuple[Card, ...]:
    """Return the cards of a list; none if it is too long, or has a card that is unknown or repeated."""
    known = isinstance(names, list) and all(isinstance(name, str) and name in BY_NAME for name in names)
    cards = tuple(BY_NAME[name] for name in names) if known else ()
    return cards if len(set(cards)) == len(cards) <= most else ()


def _dump_board(round_: Round, player: Mapping[str, Any], rows: ByRow[tuple[Card, ...]], seen: set[Card]) -> Dumped:
    seat, cards = player.get("seat"), player.get("fantasyland")
    owed = round_.owed.get(seat) if isinstance(seat, int) else None
    dealt = cards if type(cards) is int else 0
    played = Fantasyland(dealt, owed.stays if owed else 0) if dealt else None
    ruleset = round_.ruleset
    is_complete = all(len(row_cards) == row.size for row, row_cards in rows.items())
    if is_complete:
        scored = score_board(0, Board(rows), played, ruleset)
        strengths, royalties = dict(scored.strengths.items()), dict(scored.royalties.items())
        so_far = UnfinishedBoard(strengths, scored.foul is not None, scored.foul, royalties, scored.earned)
    else:
        so_far = score_unfinished(rows, seen, played, ruleset)
    return {
        "seat": seat,
        "complete": is_complete,
        "foul": so_far.is_foul,
        "foul_reason": so_far.foul.value if so_far.foul else None,
        "royalties": sum(so_far.royalties.values()),
        "fantasyland": so_far.fantasyland.cards if so_far.fantasyland else 0,
        "rows": {
            row.value: {
                "category": strength.category.label,
                "description": str(describe(strength, as_low=ruleset.low_middle and row is Row.MIDDLE)),
                "royalty": so_far.royalties[row],
            }
            for row, strength in so_far.strengths.items()
        },
    }
