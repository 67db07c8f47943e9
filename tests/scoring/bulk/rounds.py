"""Valid and invalid rounds for the bulk rules, and the results of a round by the plain rules and in bulk."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from schemas.documents import load_document
from schemas.rulesets import load_ruleset
from scoring.board import ByRow
from scoring.bulk.round_states import STATUSES
from scoring.bulk.rounds import BulkRounds
from scoring.bulk.settle import BulkSettlement
from scoring.bulk.tables import FOULS
from scoring.bulk.transfers import LIMITS, Transfers
from scoring.cards import DECK
from scoring.errors import ScoringError
from scoring.exchange import Exchange
from scoring.hand import Hand, PlayerHand, TopUp
from scoring.history import Closing, Departure, History, replay_steps
from scoring.round import PlayedHand, open_round
from scoring.round_state import Round, RoundStatus
from scoring.ruleset import Ruleset
from scoring.settlement import Transfer
from scoring.sources import split_points
from tests.oracle import PRESETS, random_document, random_ruleset

Shape = dict[str, Any]


def ruleset_and_rounds(rng: Random, name: str, number: int) -> tuple[Ruleset, list[History]]:
    """A preset or, under any other name, a random ruleset, and rounds that can have happened under it."""
    rules = PRESETS[name] if name in PRESETS else random_ruleset(rng)
    ruleset = load_ruleset(rules)
    documents = [random_document(rng, rules, small_stacks=rng.random() < 0.9) for _ in range(number)]
    return ruleset, [bare(load_document(document).history(ruleset)) for document in documents]


def bare(history: History) -> History:
    """A round without discards and streets, at which nobody looks in bulk."""
    return with_players(history, lambda player: PlayerHand(player.seat, player.board, player.fantasyland))


def with_players(history: History, change: Callable[[PlayerHand], PlayerHand]) -> History:
    hands = (replace(hand, players=tuple(map(change, hand.players))) for hand in history.hands)
    return replace(history, hands=tuple(hands))


# --- what cannot be ---


def spoil(rng: Random, history: History) -> History:
    """Change one thing in a round; most of the time it cannot be then."""
    if not history.hands or rng.random() < 0.2:
        return rng.choice(ROUND_CHANGES)(rng, history)
    number = rng.randrange(len(history.hands))
    changed = rng.choice(HAND_CHANGES)(rng, history.hands[number])
    return replace(history, hands=(*history.hands[:number], changed, *history.hands[number + 1 :]))


def _player(rng: Random, hand: Hand, **changes: Any) -> Hand:
    number = rng.randrange(len(hand.players))
    changed = replace(hand.players[number], **changes)
    return replace(hand, players=(*hand.players[:number], changed, *hand.players[number + 1 :]))


def _card(rng: Random, hand: Hand) -> Hand:
    board = rng.choice(hand.players).board
    cards = list(board.cards)
    cards[rng.randrange(13)] = rng.choice(DECK)
    return _player(rng, hand, board=type(board).laid(cards))


def _top_ups(rng: Random, hand: Hand) -> Hand:
    seats = [rng.choice([rng.choice(hand.players).seat, rng.randint(1, 9)]) for _ in range(rng.choice([1, 1, 2]))]
    return replace(hand, top_ups=tuple(TopUp(seat, rng.choice([-3, 0, 1, 9, 40])) for seat in seats))


HAND_CHANGES: Final[Sequence[Callable[[Random, Hand], Hand]]] = (
    lambda rng, hand: replace(hand, button=rng.randint(1, 9)),
    lambda rng, hand: replace(hand, button=rng.choice(hand.players).seat),
    lambda rng, hand: replace(hand, players=tuple(rng.sample(hand.players, len(hand.players) - 1))),
    lambda rng, hand: replace(hand, players=(*hand.players, rng.choice(hand.players))),
    lambda rng, hand: _player(rng, hand, seat=rng.randint(0, 9)),
    lambda rng, hand: _player(rng, hand, fantasyland=rng.choice([0, 13, 14, 15, 16, 17, 31, 32, 46, 300, -1])),
    _card,
    _top_ups,
    _top_ups,
    lambda rng, hand: replace(hand, number=hand.number + rng.choice([-1, 1])),
)


def _departures(rng: Random, history: History) -> History:
    last = len(history.hands)
    more = tuple(
        Departure(
            rng.choice(history.seats).seat if rng.random() < 0.9 else 9, rng.randint(0, last + (rng.random() < 0.1))
        )
        for _ in range(rng.choice([1, 1, 2, 3]))
    )
    return replace(history, departures=history.departures + more)


def _hands(history: History, hands: Sequence[Hand]) -> History:
    return replace(history, hands=tuple(replace(hand, number=at) for at, hand in enumerate(hands, start=1)))


def _seat(rng: Random, history: History) -> History:
    number = rng.randrange(len(history.seats))
    changes: Shape = rng.choice(
        [
            {"opening_stack": rng.choice([-1, 0, 1, 60])},
            {"seat": rng.randint(0, 9)},
            {"player": history.seats[0].player},
        ]
    )
    changed = replace(history.seats[number], **changes)
    return replace(history, seats=(*history.seats[:number], changed, *history.seats[number + 1 :]))


ROUND_CHANGES: Final[Sequence[Callable[[Random, History], History]]] = (
    _departures,
    _departures,
    _departures,
    _seat,
    lambda rng, history: replace(history, closed=Closing(rng.randint(0, len(history.hands)), "it rains")),
    lambda rng, history: replace(history, closed=Closing(len(history.hands), "it rains")),
    lambda rng, history: _hands(history, rng.sample(history.hands, len(history.hands))),
    lambda rng, history: _hands(history, history.hands[1:]),
    lambda rng, history: replace(history, seats=history.seats[1:]),
)


# --- the results of a round ---


def plainly(history: History) -> Shape:
    """What the plain rules say of a round, as far as it can be."""
    came: Shape = {"refused": False, "hands": [], "late": [], "end": None, "over": None}
    try:
        round_ = open_round(history.ruleset, history.seats)
        came["end"] = _state(round_)
        for step in replay_steps(round_, history):
            if isinstance(step, PlayedHand):
                came["hands"].append(_hand(round_, step))
            else:
                came["late"] += map(_transfer, step.transfers)
            round_ = step.round
            came["end"] = _state(round_)
        came["over"] = None if round_.is_open else round_
    except ScoringError:
        came["refused"], came["end"] = True, None
    return came


def _hand(before: Round, played: PlayedHand) -> Shape:
    boards, split = played.score.boards, split_points(played.score)
    scoops = [{(1, 1, 1): 1, (-1, -1, -1): -1}.get(tuple(rows), 0) for rows in map(_rows, played.score.exchanges)]
    return {
        "came as": _state(before),
        "fouls": [board.foul for board in boards],
        "royalties": [board.royalty_points for board in boards],
        "earned": [board.earned.cards if board.earned else 0 for board in boards],
        "points": [played.score.points[board.seat] for board in boards],
        "royalties of two rows": [(board.royalties.top, board.royalties.middle) for board in boards],
        "sources": [(split[board.seat].rows, split[board.seat].bonuses, split[board.seat].fouls) for board in boards],
        "exchanges": [exchange.points for exchange in played.score.exchanges],
        "scoops": scoops,
        "transfers": list(map(_transfer, played.transfers)),
        "left as": _state(played.round),
    }


def _rows(exchange: Exchange) -> ByRow[int]:
    assert exchange.breakdown is not None
    return exchange.breakdown.rows


def _state(round_: Round) -> Shape:
    following = round_.next_hand
    return {
        "status": round_.status,
        "stacks": list(round_.stacks.values()),
        "button": following and following.button,
        "plays": following and list(following.seats),
        "fantasyland": {seat: (owed.cards, owed.stays) for seat, owed in round_.owed.items()},
    }


def _transfer(transfer: Transfer) -> tuple[Any, ...]:
    who = (transfer.payer, transfer.payee)
    return (*who, transfer.due, transfer.paid, transfer.limited_by, transfer.payer_stack, transfer.payee_stack)


def in_bulk(laid: BulkRounds, settlement: BulkSettlement, number: int, history: History) -> Shape:
    """What came of one of many rounds, in the shape of `plainly`."""
    seats = [seat for seat in laid.seats[number].tolist() if seat]
    start = int(laid.starts[number])
    hands = [at for at in range(start, start + int(laid.lengths[number])) if settlement.taken[at]]
    refused = bool(settlement.refused[number])
    end = _state_in_bulk(settlement, int(settlement.final[number]), seats, settlement.final_stacks[number].tolist())
    is_over = not refused and end["status"] is not RoundStatus.OPEN
    opened = open_round(history.ruleset, history.seats) if is_over else None
    return {
        "refused": refused,
        "hands": [_hand_in_bulk(laid, settlement, at, seats) for at in hands],
        "late": _transfers_in_bulk(settlement.late_transfers, number),
        "end": None if refused else end,
        "over": opened and settlement.end_of(number, opened),
    }


def _hand_in_bulk(laid: BulkRounds, settlement: BulkSettlement, at: int, seats: list[int]) -> Shape:
    dealt, scores = laid.dealt[at], settlement.scores
    pairs = int(dealt.sum()) * (int(dealt.sum()) - 1) // 2
    assert not settlement.exchanges[at, pairs:].any()
    assert not settlement.scoops[at, pairs:].any()
    royalties = zip(scores.royalties_top[at, dealt].tolist(), scores.royalties_middle[at, dealt].tolist(), strict=True)
    sources = (scores.from_rows, scores.from_bonuses, scores.from_fouls)
    return {
        "came as": _state_in_bulk(settlement, int(settlement.before[at]), seats, settlement.stacks_before[at].tolist()),
        "fouls": [FOULS[foul] for foul in scores.fouls[at, dealt].tolist()],
        "royalties": scores.royalties[at, dealt].tolist(),
        "earned": settlement.earned[at, dealt].tolist(),
        "points": scores.points[at, dealt].tolist(),
        "royalties of two rows": list(royalties),
        "sources": list(zip(*(points[at, dealt].tolist() for points in sources), strict=True)),
        "exchanges": settlement.exchanges[at, :pairs].tolist(),
        "scoops": settlement.scoops[at, :pairs].tolist(),
        "transfers": _transfers_in_bulk(settlement.transfers, at),
        "left as": _state_in_bulk(settlement, int(settlement.after[at]), seats, settlement.stacks[at].tolist()),
    }


def _state_in_bulk(settlement: BulkSettlement, number: int, seats: list[int], stacks: list[int]) -> Shape:
    status, _, button, plays, cards, stays = (field[number].tolist() for field in settlement.expected)
    is_open = STATUSES[status].value == "open"
    owed = zip(seats, cards, stays, strict=False)
    return {
        "status": STATUSES[status],
        "stacks": stacks[: len(seats)],
        "button": seats[button] if button >= 0 else None,
        "plays": [seat for seat, playing in zip(seats, plays, strict=False) if playing] if is_open else None,
        "fantasyland": {seat: (dealt, stayed) for seat, dealt, stayed in owed if dealt},
    }


def _transfers_in_bulk(transfers: Transfers, at: int) -> list[tuple[Any, ...]]:
    slots = zip(*(getattr(transfers, field)[at].tolist() for field in transfers._fields), strict=True)
    return [(*slot[:4], LIMITS[slot[4]], *slot[5:]) for slot in slots if slot[2]]
