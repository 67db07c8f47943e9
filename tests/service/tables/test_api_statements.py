"""Statements over HTTP: totals of players, and payments to settle up."""

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.oracle import PRESETS, random_document
from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    SIXES,
    THREE,
    TWO,
    Document,
    add_table,
    close,
    document_of,
    hand,
    open_round,
    play,
    undo,
    walk,
)

NOBODYS = "01a1fa84-64a0-7085-97f3-8afdbd6ebc27"


def statement(api: Api, table: str, query: str = "") -> ApiResponse:
    response = api.get(f"/v1/tables/{table}/statement{query}")
    assert response.status == 200, response
    return response


def sentences(payments: list[Document]) -> list[str]:
    """Write payments as sentences, those of money with their unit."""
    return [
        f"{each['payer']} pays {each['payee']} {each['amount']} {'' if 'table' in each else each['unit']}".strip()
        for each in payments
    ]


def play_round(api: Api, table: str, sitting: dict[int, str], *hands: Document) -> Any:
    """Return a round that is closed after its hands."""
    round_id = open_round(api, table, sitting)["id"]
    if hands:
        play(api, round_id, *hands)
    return close(api, round_id)


def import_round(api: Api, **document: Any) -> ApiResponse:
    played = api.post("/v1/documents", document_of(**document))
    assert played.status == 201, played
    return played


def test_a_table_without_rounds_has_no_payments(api: Api) -> None:
    table = add_table(api)
    nothing = {"opening_stack": 0, "top_ups": 0, "between_rounds": 0, "net": 0, "stack": 0}
    assert statement(api, table).document == {
        "table": table,
        "from": None,
        "to": None,
        "rounds": 0,
        "open_rounds": 0,
        "unit_digits": {},
        "players": [],
        "totals": nothing,
        "payments": {"points": [], "money": []},
        "payments_are": "fewest",
    }


@pytest.mark.smoke
def test_a_statement_sums_up_rounds_by_player(api: Api) -> None:
    table = add_table(api, "pineapple-qq", point_value=25, unit="EUR")
    first = {1: "ann 100", 2: "bob 100", 3: "cyd 100"}
    play_round(api, table, first, hand(1, 1, THREE, top_ups=[{"seat": 3, "points": 40}]))  # +12, 0, -12
    # Bob takes 60 off the table, Cyd stays away, Dan comes.
    play_round(api, table, {1: "ann", 2: "bob 40", 3: "dan 50"}, hand(1, 1, THREE))  # +12, 0, -12
    play_round(api, table, {1: "bob", 2: "cyd 30"}, hand(1, 1, TWO))  # +6, -6
    summed = statement(api, table)
    assert (summed["rounds"], summed["open_rounds"]) == (3, 0)
    assert summed["players"] == [
        {
            "player": "ann",
            "rounds": 2,
            "opening_stack": 100,
            "top_ups": 0,
            "between_rounds": 0,
            "net": 24,
            "stack": 124,
            "money": {"EUR": 600},
            "charges": {},
        },
        {
            "player": "bob",
            "rounds": 3,
            "opening_stack": 100,
            "top_ups": 0,
            "between_rounds": -60,
            "net": 6,
            "stack": 46,
            "money": {"EUR": 150},
            "charges": {},
        },
        {
            "player": "dan",
            "rounds": 1,
            "opening_stack": 50,
            "top_ups": 0,
            "between_rounds": 0,
            "net": -12,
            "stack": 38,
            "money": {"EUR": -300},
            "charges": {},
        },
        {
            "player": "cyd",
            "rounds": 2,
            "opening_stack": 100,
            "top_ups": 40,
            "between_rounds": -98,
            "net": -18,
            "stack": 24,
            "money": {"EUR": -450},
            "charges": {},
        },
    ]
    assert summed["totals"] == {"opening_stack": 350, "top_ups": 40, "between_rounds": -158, "net": 0, "stack": 232}
    assert sentences(summed["payments"]["points"]) == ["cyd pays ann 18", "dan pays ann 6", "dan pays bob 6"]
    assert sentences(summed["payments"]["money"]) == [
        "cyd pays ann 450 EUR",
        "dan pays ann 150 EUR",
        "dan pays bob 150 EUR",
    ]
    assert summed["payments_are"] == "fewest"


def test_the_documented_statement_matches_the_service(api: Api) -> None:
    page = (Path(__file__).parents[3] / "docs" / "integration.md").read_text(encoding="utf-8")
    shown = json.loads(re.findall(r"```json\n(.+?)```", page, re.DOTALL)[-1])
    table = add_table(api, "pineapple-qq", point_value=25, unit="EUR")
    play_round(api, table, SIXES, hand(1, 1, THREE, top_ups=[{"seat": 3, "points": 40}]))
    play_round(api, table, {1: "ann", 2: "bob 40", 3: "cyd 130"}, hand(1, 1, THREE))
    summed = statement(api, table)
    assert {name: summed[name] for name in shown} == shown
    assert summed.document.keys() - shown.keys() == {"table", "from", "to"}


def test_players_are_sorted_by_net_and_then_by_id(api: Api) -> None:
    table = add_table(api)
    play_round(api, table, {1: "zoe 9", 2: "bob 9", 3: "abe 9"})
    assert [each["player"] for each in statement(api, table)["players"]] == ["abe", "bob", "zoe"]
    play_round(api, table, {1: "zoe 9", 2: "bob 9", 3: "abe 9"}, hand(1, 1, THREE))
    assert [each["player"] for each in statement(api, table)["players"]] == ["zoe", "bob", "abe"]


# --- which rounds ---


def test_an_open_round_counts_with_its_current_stacks(api: Api) -> None:
    table = add_table(api)
    round_id = open_round(api, table)["id"]
    play(api, round_id, hand(1, 1, THREE))
    summed = statement(api, table)
    assert (summed["rounds"], summed["open_rounds"]) == (1, 1)
    assert {each["player"]: each["stack"] for each in summed["players"]} == {"ann": 112, "bob": 100, "cyd": 88}
    assert sentences(summed["payments"]["points"]) == ["cyd pays ann 12"]
    undo(api, round_id, 1)
    assert statement(api, table)["payments"]["points"] == []
    close(api, round_id)
    assert statement(api, table)["open_rounds"] == 0


def test_unpaid_exchanges_of_scope_round_do_not_count(api: Api) -> None:
    table = add_table(api, "progressive-round")
    round_id = open_round(api, table)["id"]
    play(api, round_id, hand(1, 1, THREE))
    assert statement(api, table)["payments"]["points"] == []
    close(api, round_id)
    assert sentences(statement(api, table)["payments"]["points"]) == ["cyd pays ann 12"]


def test_rounds_are_filtered_by_their_opening_time(api: Api) -> None:
    table = add_table(api)
    opened = [play_round(api, table, SIXES, hand(1, 1, THREE))["opened_at"] for _ in range(3)]
    for query, rounds, net in (
        ("", 3, 36),
        (f"?from={opened[0]}", 3, 36),
        (f"?from={opened[1]}", 2, 24),
        (f"?to={opened[1]}", 1, 12),
        (f"?from={opened[1]}&to={opened[2]}", 1, 12),
        (f"?from={opened[1]}&to={opened[1]}", 0, None),
        ("?from=2999-12-31T23:59:59Z", 0, None),
    ):
        summed = statement(api, table, query)
        assert summed["rounds"] == rounds
        assert next((each["net"] for each in summed["players"]), None) == net
    shown = statement(api, table, f"?from={opened[1]}&to={opened[2]}")
    assert (shown["from"], shown["to"]) == (opened[1], opened[2])
    assert shown["players"][0]["opening_stack"] == 100


def test_rounds_of_other_tables_do_not_count(api: Api, other_api: Api) -> None:
    kitchen, attic = add_table(api), add_table(api, name="attic")
    theirs = add_table(other_api)
    for client, table in ((api, kitchen), (api, attic), (other_api, theirs)):
        play_round(client, table, SIXES, hand(1, 1, THREE))
    assert statement(api, kitchen)["rounds"] == 1
    for client, table in ((other_api, kitchen), (api, theirs), (api, NOBODYS)):
        response = client.get(f"/v1/tables/{table}/statement")
        assert response.status == 404
        assert response["code"] == "not-found"


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("from=yesterday", "from", "not-a-time"),
        ("to=2026-11-20", "to", "not-a-time"),
        ("from=", "from", "not-a-time"),
        ("status=open", "status", "field-unknown"),
    ],
)
def test_an_invalid_period_is_rejected(api: Api, query: str, pointer: str, code: str) -> None:
    response = api.get(f"/v1/tables/{add_table(api)}/statement?{query}")
    assert response.status == 422
    assert response.mistakes == {f"#/query/{pointer}": code}


# --- money ---


def test_every_round_counts_with_its_unit_and_point_value(api: Api) -> None:
    table = add_table(api, point_value=10, unit="EUR")
    one, other = [hand(1, 1, {1: HIGH, 2: LOW})], [hand(1, 1, {1: MID, 2: HIGH})]
    sitting = {1: "ann 50", 2: "bob 50"}
    closed = {"after_hand": 1, "reason": "midnight"}
    import_round(api, sitting=sitting, hands=one, closed=closed, point_value=10, unit="EUR")
    import_round(api, sitting=sitting, hands=other, closed=closed, point_value=25, unit="EUR")
    import_round(api, sitting=sitting, hands=one, closed=closed, point_value=333, unit="JPY")
    import_round(api, sitting={1: "ann 50", 2: "cyd 50"}, hands=one, closed=closed)
    summed = statement(api, table)
    money = {each["player"]: each["money"] for each in summed["players"]}
    assert money == {
        "ann": {"EUR": 6 * 10 - 6 * 25, "JPY": 6 * 333},
        "bob": {"EUR": 6 * 25 - 6 * 10, "JPY": -6 * 333},
        "cyd": {},
    }
    assert {each["player"]: each["net"] for each in summed["players"]} == {"ann": 12, "bob": -6, "cyd": -6}
    payments = summed["payments"]
    worth = [(each["point_value"], each["unit"], each["table"]) for each in payments["points"]]
    assert worth == [(10, "EUR", None), (25, "EUR", None), (333, "JPY", None), (None, None, table)]
    assert sentences(payments["points"]) == ["bob pays ann 6", "ann pays bob 6", "bob pays ann 6", "cyd pays ann 6"]
    assert sentences(payments["money"]) == ["ann pays bob 90 EUR", "bob pays ann 1998 JPY"]


def test_a_point_value_of_zero_is_money_too(api: Api) -> None:
    table = add_table(api, point_value=0, unit="EUR")
    play_round(api, table, SIXES, hand(1, 1, THREE))
    summed = statement(api, table)
    assert [each["money"] for each in summed["players"]] == [{"EUR": 0}] * 3
    assert summed["payments"]["money"] == []


def test_sums_over_the_largest_integer_are_rejected(api: Api) -> None:
    most = 2**53 - 1
    table = add_table(api)
    opened = [
        play_round(api, table, {1: f"ann {most - 9}", 2: "bob 9"}, hand(1, 1, TWO))["opened_at"] for _ in range(2)
    ]
    response = statement(api, table, f"?to={opened[1]}")
    assert response["totals"] == {"opening_stack": most, "top_ups": 0, "between_rounds": 0, "net": 0, "stack": most}
    assert statement(api, table)["players"][0]["between_rounds"] == -6
    play_round(api, table, {1: f"cyd {most - 9}", 2: "bob 9"}, hand(1, 1, TWO))
    refused = api.get(f"/v1/tables/{table}/statement")
    assert refused.status == 422
    assert refused["code"] == "round-invalid"
    assert refused.mistakes == {"#/query/from": "points-overflow"}
    assert statement(api, table, f"?from={opened[1]}&to={opened[1]}")["rounds"] == 0


# --- payments ---


def test_payments_of_more_than_sixteen_players_are_few(api: Api) -> None:
    """Sixteen players, of whom fifteen lost six to one; then one more player."""
    table = add_table(api)
    for number in range(1, 17):
        play_round(api, table, {1: "bank 500", 2: f"player-{number:02} 6"}, hand(1, 1, {1: HIGH, 2: LOW}))
        summed = statement(api, table)
        assert len(summed["players"]) == number + 1
        assert summed["payments_are"] == ("fewest" if number < 16 else "few")
        assert sentences(summed["payments"]["points"]) == [
            f"player-{loser:02} pays bank 6" for loser in range(1, number + 1)
        ]


def test_players_whose_nets_sum_to_zero_settle_up_among_themselves(api: Api) -> None:
    table = add_table(api)
    play_round(api, table, {1: "ann 100", 2: "bob 100"}, hand(1, 1, TWO))
    play_round(api, table, {1: "cyd 100", 2: "dan 4"}, hand(1, 1, TWO))
    play_round(api, table, {1: "eve 100", 2: "fay 100", 3: "guy 3"}, hand(1, 1, THREE))
    summed = statement(api, table)
    assert {each["player"]: each["net"] for each in summed["players"]} == {
        "ann": 6,
        "bob": -6,
        "cyd": 4,
        "dan": -4,
        "eve": 6,
        "fay": -3,
        "guy": -3,
    }
    assert sentences(summed["payments"]["points"]) == [
        "bob pays ann 6",
        "dan pays cyd 4",
        "fay pays eve 3",
        "guy pays eve 3",
    ]


# --- any rounds ---


@pytest.mark.no_cover
def test_a_statement_is_the_sum_of_its_rounds(api: Api) -> None:
    """Random rounds with many presets and several units are summed up again in plain Python."""
    rng = Random("statement")
    table = add_table(api)
    settled = []
    for name in (*PRESETS, *PRESETS):
        played = api.post("/v1/documents", {**random_document(rng, PRESETS[name]), "table": "kitchen"})
        assert played.status == 201, played
        round_ = played["round"]
        if round_["status"] == "open":
            round_ = close(api, round_["id"]).document
        settled.append((round_, api.get(f"/v1/rounds/{round_['id']}/settlement").document))
    summed = statement(api, table)
    assert summed["rounds"] == len(settled)
    net: Counter[str] = Counter()
    money: dict[str, Counter[str]] = defaultdict(Counter)
    for round_, settlement in settled:
        for seat in round_["seats"]:
            net[seat["player"]] += settlement["net"][str(seat["seat"])]
            if settlement["money"]:
                won = settlement["money"]["net"][str(seat["seat"])]
                money[settlement["money"]["unit"]][seat["player"]] += won
    assert {each["player"]: each["net"] for each in summed["players"]} == dict(net)
    assert sum(each["rounds"] for each in summed["players"]) == sum(len(round_["seats"]) for round_, _ in settled)
    for each in summed["players"]:
        assert each["money"] == {unit: sums[each["player"]] for unit, sums in money.items() if each["player"] in sums}
        assert each["stack"] == each["opening_stack"] + each["top_ups"] + each["between_rounds"] + each["net"]
    for owed, payments in (
        (net, summed["payments"]["points"]),
        *(
            (sums, [payment for payment in summed["payments"]["money"] if payment["unit"] == unit])
            for unit, sums in money.items()
        ),
    ):
        left = Counter(owed)
        for payment in payments:
            left[payment["payer"]] += payment["amount"]
            left[payment["payee"]] -= payment["amount"]
        assert set(left.values()) == {0}
    assert len([round_ for page in walk(api, f"/v1/rounds?table={table}") for round_ in page["rounds"]]) == len(settled)
