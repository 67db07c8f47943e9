"""The stored results of chunks add up to what the rounds change, however these are divided."""

import json
from random import Random
from uuid import UUID

import pytest

from schemas.jobs.changes import Changes, dump_changes
from schemas.ledger.settling import Worth, dump_worth, worth_of
from schemas.money import Unit
from service.recomputations.actions.chunk_results import dump_result, sum_results
from service.recomputations.actions.recompute import Recomputed
from service.replays.in_bulk import RoundsDigest

UNITS = (
    worth_of(10, Unit("EUR", 2), "friday"),
    worth_of(20, Unit("EUR", 2), "friday"),
    worth_of(5, Unit("JPY", 0), "friday"),
    worth_of(None, None, "friday"),
    worth_of(None, None, "attic"),
)
PLAYERS = ("ann", "bob", "cyd", "dan", "eve", "fay")
Move = tuple[UUID, Worth, dict[str, int], bool]


def moves_of(rng: Random, count: int) -> list[Move]:
    """Return rounds with their table, what their points are worth, what they move, and whether they are final."""
    moves = []
    for _ in range(count):
        winner, loser = rng.sample(PLAYERS, 2)
        points = rng.randint(-20, 20)
        moved = {winner: points, loser: -points} if points else {}
        moves.append((UUID(int=rng.randrange(4)), rng.choice(UNITS), moved, rng.random() < 0.5))
    return moves


def result_of(moves: list[Move]) -> Recomputed:
    total = Recomputed(len(moves), 3 * len(moves), RoundsDigest(len(moves)), differing=len(moves))
    for table, unit, moved, is_final in moves:
        total.tables.add(table)
        (total.final if is_final else total.provisional).add_round(unit, moved)
    return total


@pytest.mark.parametrize("seed", range(20))
def test_the_sum_does_not_depend_on_the_chunks(seed: int) -> None:
    rng = Random(seed)
    moves = moves_of(rng, 60)
    cuts = sorted(rng.sample(range(61), 7))
    chunks = [moves[start:end] for start, end in zip([0, *cuts], [*cuts, 60], strict=True)]
    stored = [json.loads(json.dumps(dump_result(result_of(chunk)))) for chunk in chunks]
    rng.shuffle(stored)
    total, whole = sum_results(stored), result_of(moves)
    assert total.counted == {"rounds": 60, "hands": 180, "differing": 60, "applied": 0, "skipped": 0}
    assert total.tables == {str(table) for table, _, _, _ in moves}
    assert total.digest == RoundsDigest(60)
    assert dump_changes(total.provisional) == dump_changes(whole.provisional)
    assert dump_changes(total.final) == dump_changes(whole.final)
    changes = Changes.sum(total.provisional, total.final)
    assert changes.rounds == 60
    assert {*changes.by_player} == {player for _, _, moved, _ in moves for player in moved}
    assert sum(changes.nets.values()) == 0
    assert whole.moved == changes.nets


def test_payments_bring_each_player_what_the_changes_move() -> None:
    for seed in range(20):
        changes = Changes()
        for _, unit, moved, _ in moves_of(Random(seed), 30):
            changes.add_round(unit, moved)
        document = dump_changes(changes)
        paid = dict.fromkeys(changes.by_player, 0)
        for payment in document["payments"]["money"]:
            if payment["unit"] == "EUR":
                paid[payment["payee"]] += payment["amount"]
                paid[payment["payer"]] -= payment["amount"]
        assert paid == {each["player"]: each["money"].get("EUR", 0) for each in document["moved"]}
        for worth, nets in changes.moved.items():
            paid = dict.fromkeys(nets, 0)
            for payment in document["payments"]["points"]:
                if dump_worth(worth).items() <= payment.items():
                    paid[payment["payee"]] += payment["amount"]
                    paid[payment["payer"]] -= payment["amount"]
            assert paid == nets


def test_the_size_of_a_result_grows_with_its_players_and_not_with_its_rounds() -> None:
    few, many = (len(json.dumps(dump_result(result_of(moves_of(Random(1), count))))) for count in (200, 20_000))
    assert many < 1.1 * few + 200
    assert many < 3000


def test_points_that_do_not_add_up_are_shown_and_have_no_payments() -> None:
    """The stored stacks of a round were damaged; those of other rounds are settled up."""
    changes = Changes()
    changes.add_round(UNITS[0], {"ann": 5, "bob": -5})
    changes.add_round(UNITS[1], {"ann": 1})
    document = dump_changes(changes)
    assert changes.unbalanced == [UNITS[1]]
    assert [each["money"] for each in document["moved"]] == [{"EUR": 70}, {"EUR": -50}]
    assert document["payments"]["money"] == [{"payer": "bob", "payee": "ann", "amount": 50, "unit": "EUR"}]
    assert [paid["point_value"] for paid in document["payments"]["points"]] == [10]
