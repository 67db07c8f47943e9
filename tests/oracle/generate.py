"""Random round documents that can be played, each hand following from the one before."""

import copy
from random import Random
from typing import Any

from tests.oracle.boards import board_of, deal, mirrored
from tests.oracle.deal import cards_seen
from tests.oracle.rounds import (
    Round,
    close,
    count_top_ups,
    depart,
    is_out,
    next_button,
    next_seats,
    open_round,
    play_hand,
)
from tests.oracle.rows import DECK, SIZES
from tests.oracle.rulesets import random_ruleset
from tests.oracle.streets import random_streets

__all__ = ["random_document", "random_ruleset"]

PLAYERS = ["ann", "bob", "cleo", "dan"]
MOST_HANDS = 15
CLOSING = ["the room closes", "power cut", "two players had to leave"]


def random_player(
    rng: Random, round_: Round, seat: int, deck: list[str], others: list[dict[str, Any]]
) -> dict[str, Any]:
    """What one player was dealt and how they set it."""
    variant, fantasyland = round_.ruleset["variant"], round_.owed.get(seat, 0)
    seen = cards_seen(variant, fantasyland)
    if others and rng.random() < 0.18:
        board = mirrored(rng, rng.choice(others), deck)
        discards = rng.sample(deck, seen - 13)
        for card in discards:
            deck.remove(card)
    else:
        cards = deal(rng, deck, seen, 0.6 if fantasyland else 0.3)
        board = board_of(rng, cards, round_.ruleset, fantasyland, round_.stays.get(seat, 0))
        discards = [card for card in cards if all(card not in board[row] for row in SIZES)]
    player: dict[str, Any] = {"seat": seat}
    if fantasyland or rng.random() < 0.8:
        player["fantasyland"] = fantasyland
    streets = None
    if rng.random() < 0.3:
        streets, board, discards = random_streets(rng, board, discards, variant, fantasyland)
    player.update(board)
    if rng.random() < 0.8:
        player["discards"] = discards if rng.random() < 0.7 else None
    if streets or rng.random() < 0.2:
        player["streets"] = streets
    return player


def random_top_ups(rng: Random, round_: Round) -> list[dict[str, int]]:
    """Points added before a hand that starts a sequence; who is out asks for them most."""
    if round_.ruleset["leaving"] != "between_hands" or round_.owed:
        return []
    return [
        {"seat": seat, "points": rng.randint(1, 40)}
        for seat in round_.seats
        if seat not in round_.gone and rng.random() < (0.5 if is_out(round_, seat) else 0.06)
    ]


def random_hand(rng: Random, round_: Round) -> dict[str, Any]:
    hand: dict[str, Any] = {"number": round_.hands + 1}
    top_ups = random_top_ups(rng, round_)
    if top_ups:
        round_ = copy.deepcopy(round_)
        count_top_ups(round_, top_ups)
    hand["button"] = rng.choice(round_.seats) if round_.button is None else next_button(round_)
    if rng.random() < 0.5:
        hand["played_at"] = f"2026-11-20T19:{rng.randrange(60):02}:{rng.randrange(60):02}Z"
    if top_ups or rng.random() < 0.3:
        hand["top_ups"] = top_ups
    deck = list(DECK)
    hand["players"] = []
    for seat in next_seats(round_):
        hand["players"].append(random_player(rng, round_, seat, deck, hand["players"]))
    return hand


def random_departures(rng: Random, round_: Round) -> list[dict[str, Any]]:
    """Record a departure now and then, of a player who may leave the round."""
    if round_.ruleset["leaving"] != "between_hands":
        return []
    departures: list[dict[str, Any]] = []
    for seat in round_.seats:
        in_sequence = bool(round_.owed) and seat in next_seats(round_)
        if round_.status == "open" and seat not in round_.gone and not in_sequence and rng.random() < 0.05:
            depart(round_, seat)
            departures.append({"seat": seat, "after_hand": round_.hands})
            if rng.random() < 0.5:
                departures[-1]["reason"] = "last train"
    return departures


def random_head(rng: Random, ruleset: dict[str, Any], small_stacks: bool) -> dict[str, Any]:
    """A document without its hands: who sits where with how much."""
    number = rng.randint(ruleset["players"]["min"], ruleset["players"]["max"])
    number = max(number, rng.randint(ruleset["players"]["min"], ruleset["players"]["max"]))
    seats = sorted(rng.sample(range(1, 10), number)) if rng.random() < 0.5 else list(range(1, number + 1))
    fewest, most = (1, rng.choice([6, 20, 40])) if small_stacks else (100, 500)
    players = rng.sample(PLAYERS, number)
    document: dict[str, Any] = {
        "ruleset": f"{ruleset['name']}@{ruleset['version']}",
        "table": f"table-{rng.getrandbits(48):012x}",
        "reference": f"round-{rng.getrandbits(48):012x}",
        "seats": [
            {"seat": seat, "player": player, "stack": rng.randint(fewest, most)}
            for seat, player in zip(seats, players, strict=True)
        ],
    }
    if rng.random() < 0.5:
        document["point_value"] = rng.choice([1, 5, 10, 25, 100, 333])
        document["unit"] = rng.choice(["EUR", "USD", "JPY"])
    return document


def random_document(rng: Random, ruleset: dict[str, Any], *, small_stacks: bool = True) -> dict[str, Any]:
    """A legal round under the ruleset: complete, closed early, or broken off in the middle."""
    document = random_head(rng, ruleset, small_stacks)
    round_ = open_round(document, ruleset)
    document["hands"], document["departures"] = [], []
    length = MOST_HANDS if rng.random() < 0.6 else rng.randint(1, 6) if rng.random() < 0.97 else 0
    while round_.status == "open" and round_.hands < length:
        hand = random_hand(rng, round_)
        play_hand(round_, hand)
        document["hands"].append(hand)
        document["departures"] += random_departures(rng, round_)
    if round_.status == "open" and rng.random() < 0.5:
        close(round_)
        document["closed"] = {"after_hand": round_.hands, "reason": rng.choice(CLOSING)}
    return document
