"""Who pays whom in statements: points of one worth among themselves, and by the fewest payments or by pairs."""

from collections import defaultdict
from random import Random

import pytest

from tests.oracle import PRESETS, random_document
from tests.service.ledger.test_statements import CLOSED, play_at, statement
from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import HIGH, LOW, Document, document_of, hand, open_round, post_document

EUROS, FRANCS = {"point_value": 10, "unit": "EUR"}, {"point_value": 50, "unit": "CHF"}


def play_two(api: Api, table: str, winner: str, loser: str, **value: object) -> str:
    """Record a round in which one of two players wins 6 points; return the ID of its table."""
    sitting = {1: f"{winner} 100", 2: f"{loser} 100"}
    hands = [hand(1, 1, {1: HIGH, 2: LOW})]
    response = post_document(api, document_of(table=table, sitting=sitting, hands=hands, closed=CLOSED, **value))
    assert response.status == 201, response
    return str(response["round"]["table"])


def points_of(summed: ApiResponse) -> list[tuple[object, ...]]:
    """Return the payments in points: the worth of the points, and who pays whom how many."""
    return [
        (paid["point_value"], paid["unit"], paid["table"], paid["payer"], paid["payee"], paid["amount"])
        for paid in summed["payments"]["points"]
    ]


def test_points_of_different_value_are_not_netted(api: Api) -> None:
    play_two(api, "attic", "kim", "uma", **EUROS)
    play_two(api, "cellar", "uma", "kim", **FRANCS)
    summed = statement(api)
    assert points_of(summed) == [(50, "CHF", None, "kim", "uma", 6), (10, "EUR", None, "uma", "kim", 6)]
    assert summed["payments"]["money"] == [
        {"payer": "kim", "payee": "uma", "amount": 300, "unit": "CHF"},
        {"payer": "uma", "payee": "kim", "amount": 60, "unit": "EUR"},
    ]


def test_points_of_the_same_value_are_netted_across_tables(api: Api) -> None:
    play_two(api, "attic", "kim", "uma", **EUROS)
    play_two(api, "cellar", "uma", "kim", **EUROS)
    play_two(api, "cellar", "uma", "kim", point_value=10, unit="CHF")
    assert points_of(statement(api)) == [(10, "CHF", None, "kim", "uma", 6)]


def test_each_table_without_money_is_settled_on_its_own(api: Api) -> None:
    attic = play_two(api, "attic", "kim", "uma")
    cellar = play_two(api, "cellar", "uma", "kim")
    in_order = sorted([(None, None, attic, "uma", "kim", 6), (None, None, cellar, "kim", "uma", 6)], key=str)
    assert sorted(points_of(statement(api)), key=str) == in_order
    assert statement(api)["payments"]["money"] == []


def test_rounds_of_one_table_with_different_values_are_settled_apart(api: Api) -> None:
    table = play_two(api, "attic", "kim", "uma", **EUROS)
    play_two(api, "attic", "uma", "kim", point_value=20, unit="EUR")
    play_two(api, "attic", "uma", "kim")
    summed = api.get(f"/v1/tables/{table}/statement")
    assert points_of(summed) == [
        (10, "EUR", None, "uma", "kim", 6),
        (20, "EUR", None, "kim", "uma", 6),
        (None, None, table, "kim", "uma", 6),
    ]
    assert summed["payments"]["money"] == [{"payer": "kim", "payee": "uma", "amount": 60, "unit": "EUR"}]


@pytest.mark.parametrize("path", ["/v1/statement", "/v1/tables/{table}/statement"])
def test_pairs_settle_what_they_won_from_each_other(api: Api, path: str) -> None:
    """Over two rounds ann wins 6 from bob, who wins 6 from cyd: the fewest payments leave bob out."""
    table = play_two(api, "attic", "ann", "bob", **EUROS)
    play_two(api, "attic", "bob", "cyd", **EUROS)
    address = path.format(table=table)
    fewest, pairs = api.get(f"{address}?settle_up=fewest"), api.get(f"{address}?settle_up=pairs")
    worth = (10, "EUR", None)
    assert points_of(fewest) == [(*worth, "cyd", "ann", 6)]
    assert points_of(pairs) == [(*worth, "bob", "ann", 6), (*worth, "cyd", "bob", 6)]
    assert pairs["payments"]["money"] == [
        {"payer": "bob", "payee": "ann", "amount": 60, "unit": "EUR"},
        {"payer": "cyd", "payee": "bob", "amount": 60, "unit": "EUR"},
    ]
    assert (api.get(address)["payments_are"], pairs["payments_are"]) == ("fewest", "pairs")
    assert pairs["players"] == fewest["players"]


def test_pairs_follow_corrections_and_filters(api: Api) -> None:
    round_ = play_at(api, "kitchen", opened_at="2026-10-20T20:00:00Z", **EUROS)
    play_at(api, "attic", "dan", opened_at="2026-10-21T20:00:00Z", **EUROS)
    of_kitchen = f"?settle_up=pairs&tables={round_['table']}"
    assert {each[3] for each in points_of(statement(api, of_kitchen))} == {"bob", "cyd"}
    assert points_of(statement(api, "?settle_up=pairs&player=dan")) == points_of(
        statement(api, "?settle_up=pairs&evening=2026-10-21")
    )
    rows = [
        {"hand": 1, "seat": 1, "row": row, "cards": text.split()}
        for row, text in (("top", "Ks Qd 7h"), ("middle", "9s 9d 6c 4h 3c"), ("bottom", "Kc Kh 8s 8h 5c"))
    ]
    swapped = [
        *rows,
        *(
            {"hand": 1, "seat": 2, "row": row, "cards": text.split()}
            for row, text in (("top", "Ah Kd 9c"), ("middle", "Js Jd 8c 5h 2c"), ("bottom", "As Ad Tc Th 4s"))
        ),
    ]
    version = api.get(f"/v1/rounds/{round_['id']}")["version"]
    corrected = {"reason": "the boards were exchanged", "changes": swapped, "version": version}
    assert api.post(f"/v1/rounds/{round_['id']}/corrections", corrected).status == 201
    assert {each[4] for each in points_of(statement(api, of_kitchen))} == {"bob", "ann"}
    assert ("ann", "bob", 6) in [each[3:] for each in points_of(statement(api, of_kitchen))]


def test_payments_of_pairs_add_up_to_the_results_of_every_player(api: Api) -> None:
    random = Random(14)
    for number in range(8):
        value = random.choice((EUROS, FRANCS, {}))
        name = random.choice(sorted(PRESETS))
        document: Document = random_document(random, PRESETS[name])
        response = post_document(api, {**document, "table": f"table {number % 3} {name}", **value})
        assert response.status == 201, response
    summed = statement(api, "?settle_up=pairs")
    nets: defaultdict[str, int] = defaultdict(int)
    money: defaultdict[tuple[str, str], int] = defaultdict(int)
    for paid in summed["payments"]["points"]:
        nets[paid["payer"]] -= paid["amount"]
        nets[paid["payee"]] += paid["amount"]
    for paid in summed["payments"]["money"]:
        money[paid["payer"], paid["unit"]] -= paid["amount"]
        money[paid["payee"], paid["unit"]] += paid["amount"]
    assert summed["payments"]["points"]
    for each in summed["players"]:
        assert nets[each["player"]] == each["net"]
        for unit, won in each["money"].items():
            assert money[each["player"], unit] == won


def test_an_open_round_without_payments_has_the_digits_of_its_unit(api: Api) -> None:
    response = api.post("/v1/tables", {"name": "attic", "ruleset": "pineapple", **EUROS})
    open_round(api, response["id"])
    summed = statement(api, "?settle_up=pairs")
    assert summed["unit_digits"] == {"EUR": 2}
    assert summed["payments"] == {"points": [], "money": []}
