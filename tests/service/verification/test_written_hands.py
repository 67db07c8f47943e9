"""Hands written from arrays: the bytes are those that hands are kept in, written one by one."""

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import numpy as np
import pytest

from evidence import canonical_json
from schemas.fields import show_time
from scoring.cards import NAMES
from service.verification.queries.at_once import EPOCH
from service.verification.written_hands import ArrayHands, write_hands

_RECORD = np.dtype([("number", ">i4"), ("played_at", ">i8"), ("is_timed", "?")])


def _deal(rng: Random) -> dict[str, Any]:
    players = []
    for seat in sorted(rng.sample(range(1, 10), rng.randint(2, 4))):
        cards = [NAMES[card] for card in rng.sample(range(len(NAMES)), 13)]
        player = {"seat": seat, "fantasyland": rng.choice([0, 0, 14, 17]), "discards": None, "streets": None}
        players.append(player | {"top": cards[:3], "middle": cards[3:8], "bottom": cards[8:]})
    played_at = rng.choice([None, datetime(2026, 11, 20, 20, 15, rng.choice([0, 7]), rng.choice([0, 250]), tzinfo=UTC)])
    return {
        "button": players[0]["seat"],
        "number": rng.choice([1, 9, 10, 99, 100, 12345]),
        "played_at": show_time(played_at),
        "players": players,
        "top_ups": [],
    }


def _pack(hands: list[dict[str, Any]]) -> tuple[Any, ArrayHands]:
    rows = np.zeros(len(hands), _RECORD)
    for row, hand in zip(rows, hands, strict=True):
        row["number"], row["is_timed"] = hand["number"], hand["played_at"] is not None
        if hand["played_at"] is not None:
            row["played_at"] = (datetime.fromisoformat(hand["played_at"]) - EPOCH) // timedelta(microseconds=1)
    players = [player for hand in hands for player in hand["players"]]
    boards = [[NAMES.index(card) for row in ("top", "middle", "bottom") for card in player[row]] for player in players]
    return rows, ArrayHands(
        np.array([hand["button"] for hand in hands]),
        np.array([len(hand["players"]) for hand in hands]),
        np.array([player["seat"] for player in players]),
        np.array([player["fantasyland"] for player in players]),
        np.array(boards, np.uint8),
    )


def _show(hand: dict[str, Any]) -> bytes:
    """Write a hand as PostgreSQL shows its `jsonb`: short names first."""

    def in_order(record: dict[str, Any]) -> dict[str, Any]:
        return {name: record[name] for name in sorted(record, key=lambda name: (len(name), name))}

    players = [in_order(player) for player in hand["players"]]
    return json.dumps(in_order({**hand, "players": players})).encode()


def test_hands_are_written_as_they_are_kept() -> None:
    rng = Random(1)
    hands = [_deal(rng) for _ in range(500)]
    written = {}
    for some in write_hands(*_pack(hands)):
        for place, canonical, shown in zip(some.places.tolist(), some.canonical, some.shown, strict=True):
            written[place] = canonical.tobytes(), shown.tobytes()
    assert written == {place: (canonical_json(hand), _show(hand)) for place, hand in enumerate(hands)}


@pytest.mark.parametrize(("name", "number"), [("seat", 12), ("fantasyland", 117), ("seat", -1), ("fantasyland", -1)])
def test_a_hand_with_a_number_that_none_has_is_not_written(name: str, number: int) -> None:
    hands = [_deal(Random(seed)) for seed in (1, 2, 3)]
    hands[1]["players"][-1][name] = number
    assert sorted(place for some in write_hands(*_pack(hands)) for place in some.places.tolist()) == [0, 2]


@pytest.mark.parametrize(("name", "number"), [("button", 10), ("button", -1), ("number", 0), ("number", -1)])
def test_a_hand_whose_button_or_number_cannot_be_is_not_written(name: str, number: int) -> None:
    hands = [_deal(Random(seed)) for seed in (1, 2, 3)]
    hands[1][name] = number
    assert sorted(place for some in write_hands(*_pack(hands)) for place in some.places.tolist()) == [0, 2]
