"""Statements over several tables, over HTTP, as JSON and as CSV."""

import csv
import io
from collections import Counter, defaultdict
from random import Random
from typing import Any

import pytest

from tests.oracle import PRESETS, random_document
from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    NOBODYS,
    THREE,
    Document,
    add_table,
    correct_round,
    document_of,
    hand,
    open_round,
    play,
    post_document,
    undo,
)

CLOSED = {"after_hand": 1, "reason": "midnight"}


def statement(api: Api, query: str = "") -> ApiResponse:
    response = api.get(f"/v1/statement{query}")
    assert response.status == 200, response
    return response


def play_at(api: Api, table: str, third: str = "cyd", **more: Any) -> Document:
    """Return a round in which ann wins 12 points and the third player loses them."""
    sitting = {1: "ann 100", 2: "bob 100", 3: f"{third} 100"}
    response = post_document(
        api, document_of(table=table, sitting=sitting, hands=[hand(1, 1, THREE)], closed=CLOSED, **more)
    )
    assert response.status == 201, response
    round_: Document = response["round"]
    return round_


@pytest.fixture
def tables(api: Api) -> dict[str, str]:
    """Three rounds at two tables, in euros and yen, and one without a point value; their tables."""
    rounds = [
        play_at(api, "kitchen", point_value=10, unit="EUR", opened_at="2026-10-20T20:00:00Z"),
        play_at(api, "kitchen", "dan", point_value=20, unit="EUR", opened_at="2026-10-21T20:00:00Z"),
        play_at(api, "attic", point_value=3, unit="JPY", opened_at="2026-10-21T21:00:00Z"),
        play_at(api, "attic", "dan", opened_at="2026-10-22T20:00:00Z"),
    ]
    return {"kitchen": rounds[0]["table"], "attic": rounds[2]["table"]}


def test_players_are_summed_up_in_total_and_at_each_table(api: Api, tables: dict[str, str]) -> None:
    summed = statement(api)
    assert (summed["rounds"], summed["open_rounds"], summed["from"], summed["to"]) == (4, 0, None, None)
    assert [(each["player"], each["net"]) for each in summed["players"]] == [
        ("ann", 48), ("bob", 0), ("cyd", -24), ("dan", -24),
    ]  # as a table  # fmt: skip
    attic = {"table": tables["attic"], "table_name": "attic", "top_ups": 0, "charges": {}}
    kitchen = {"table": tables["kitchen"], "table_name": "kitchen", "top_ups": 0, "charges": {}}
    assert summed["players"][0] == {
        "player": "ann",
        "rounds": 4,
        "top_ups": 0,
        "net": 48,
        "money": {"EUR": 360, "JPY": 36},
        "charges": {},
        "tables": [
            {**attic, "rounds": 2, "net": 24, "money": {"JPY": 36}},
            {
                **kitchen,
                "rounds": 2,
                "net": 24,
                "money": {"EUR": 360},
            },
        ],
    }
    assert summed["unit_digits"] == {"EUR": 2, "JPY": 0}
    assert summed["payments"] == {
        "points": [
            {"payer": "cyd", "payee": "ann", "amount": 12, "point_value": 10, "unit": "EUR", "table": None},
            {"payer": "dan", "payee": "ann", "amount": 12, "point_value": 20, "unit": "EUR", "table": None},
            {"payer": "cyd", "payee": "ann", "amount": 12, "point_value": 3, "unit": "JPY", "table": None},
            {
                "payer": "dan",
                "payee": "ann",
                "amount": 12,
                "point_value": None,
                "unit": None,
                "table": tables["attic"],
            },
        ],
        "money": [
            {"payer": "cyd", "payee": "ann", "amount": 120, "unit": "EUR"},
            {"payer": "dan", "payee": "ann", "amount": 240, "unit": "EUR"},
            {"payer": "cyd", "payee": "ann", "amount": 36, "unit": "JPY"},
        ],
    }
    assert summed["payments_are"] == "fewest"


def test_rounds_are_filtered_by_table_player_and_period(api: Api, tables: dict[str, str]) -> None:
    for query, net in (
        (f"?tables={tables['kitchen']}", {"ann": 24, "bob": 0, "cyd": -12, "dan": -12}),
        (f"?tables={tables['kitchen']},{tables['attic']}", {"ann": 48, "bob": 0, "cyd": -24, "dan": -24}),
        ("?player=dan", {"ann": 24, "bob": 0, "dan": -24}),
        (f"?player=dan&tables={tables['attic']}", {"ann": 12, "bob": 0, "dan": -12}),
        ("?player=nobody", {}),
        (f"?tables={NOBODYS}", {}),
        ("?from=2026-10-21T00:00:00Z&to=2026-10-22T00:00:00Z", {"ann": 24, "bob": 0, "cyd": -12, "dan": -12}),
        ("?evening=2026-10-20", {"ann": 12, "bob": 0, "cyd": -12}),
    ):
        assert {each["player"]: each["net"] for each in statement(api, query)["players"]} == net, query


def test_open_rounds_count_as_they_are_now(api: Api) -> None:
    play(api, open_round(api, add_table(api))["id"], hand(1, 1, THREE))
    summed = statement(api)
    assert (summed["rounds"], summed["open_rounds"], summed["players"][0]["net"]) == (1, 1, 12)


def test_rounds_of_another_club_do_not_count(api: Api, other_api: Api, tables: dict[str, str]) -> None:
    for query in ("", f"?tables={tables['kitchen']}", "?player=ann"):
        assert statement(other_api, query)["rounds"] == 0
        assert statement(other_api, query)["players"] == []


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("tables=kitchen", "tables", "not-an-id"),
        ("tables=", "tables", "text-length"),
        (f"tables={NOBODYS},", "tables", "text-length"),
        ("tables=" + ",".join([NOBODYS] * 101), "tables", "list-length"),
        ("player=", "player", "text-length"),
        ("evening=today", "evening", "not-a-date"),
        ("evening=2026-02-30", "evening", "not-a-date"),
        ("evening=9999-12-31", "evening", "out-of-range"),
        ("evening=2026-11-20&from=2026-11-20T00:00:00Z", "evening", "period-ambiguous"),
        ("from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z", "from", "out-of-range"),
        ("cursor=x", "cursor", "field-unknown"),
    ],
)
def test_an_invalid_query_is_rejected(api: Api, query: str, pointer: str, code: str) -> None:
    response = api.get(f"/v1/statement?{query}")
    assert (response.status, response.mistakes) == (422, {f"#/query/{pointer}": code})


def test_csv_has_a_row_for_each_player_table_and_unit(api: Api, tables: dict[str, str]) -> None:
    play_at(api, "kitchen", "=cyd", point_value=1, unit="JPY")
    response = api.request("GET", "/v1/statement", headers={"Accept": "text/csv"})
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert response.text.split("\r\n")[:4] == [
        "player,table,rounds,top_ups,net,amount,charge,unit",
        "ann,attic,2,0,24,36,,JPY",
        "ann,kitchen,3,0,36,3.60,,EUR",
        "ann,kitchen,,,,12,,JPY",
    ]
    rows = list(csv.DictReader(io.StringIO(response.text, newline=""), strict=True))
    assert {row["player"] for row in rows} == {"ann", "bob", "cyd", "dan", "'=cyd"}
    assert sum(int(row["net"] or 0) for row in rows) == 0
    [points_only] = [row for row in rows if row["player"] == "dan" and row["table"] == "attic"]
    assert (points_only["net"], points_only["amount"], points_only["unit"]) == ("-12", "", "")


def test_a_statement_is_the_sum_of_the_statements_of_its_tables(api: Api) -> None:
    """Random rounds with several presets and units."""
    rng = Random("tables")
    tables = set()
    for name in sorted(PRESETS)[:8]:
        document = {**random_document(rng, PRESETS[name]), "table": f"table {rng.randrange(3)} {name}"}
        tables.add(post_document(api, document)["round"]["table"])
    net: Counter[str] = Counter()
    money: dict[str, Counter[str]] = defaultdict(Counter)
    for table in tables:
        for each in api.get(f"/v1/tables/{table}/statement")["players"]:
            net[each["player"]] += each["net"]
            money[each["player"]].update(each["money"])
    summed = statement(api)
    assert {each["player"]: each["net"] for each in summed["players"]} == dict(net)
    assert {each["player"]: each["money"] for each in summed["players"]} == {
        player: dict(sums) for player, sums in money.items()
    } | {each["player"]: {} for each in summed["players"] if each["player"] not in money}


def read_all(api: Api) -> list[Document]:
    """Read the statement of all rounds, and those of tables, of players and of periods."""
    table, other = (each["id"] for each in api.get("/v1/tables")["tables"][:2])
    *_, old, newest = api.get("/v1/rounds")["rounds"]
    player, opened = newest["seats"][0]["player"], old["opened_at"]
    filters = ["", f"tables={table}", f"tables={table},{other}", f"player={player}", "player=nobody"]
    filters += [f"from={opened}", f"to={opened}", f"player={player}&from={opened}", f"tables={other}&to={opened}"]
    return [statement(api, f"?{query}").document for query in filters]


@pytest.mark.no_cover
def test_a_statement_follows_hands_endings_and_corrections(api: Api) -> None:
    """Random rounds, and one that is played, closed, and corrected twice, back to what it was."""
    rng = Random("counted")
    for name in sorted(PRESETS):
        document = {**random_document(rng, PRESETS[name]), "table": f"table {rng.randrange(3)} {name}"}
        assert post_document(api, document).status == 201
    statements = read_all(api)
    round_id = open_round(api, add_table(api, "pineapple-qq", "last", point_value=5, unit="EUR"))["id"]

    def correct(*patch: Document) -> None:
        assert correct_round(api, round_id, {"reason": "misread", "patch": [*patch]}).status == 201

    def replace(path: str, value: Any) -> Document:
        return {"op": "replace", "path": path, "value": value}

    for change in (
        lambda: None,
        lambda: play(api, round_id, hand(1, 1, THREE)),
        lambda: play(api, round_id, hand(2, 2, THREE, top_ups=[{"seat": 3, "points": 40}])),
        lambda: undo(api, round_id, 2),
        lambda: correct(replace("/hands/0", hand(1, 1, {1: LOW, 2: MID, 3: HIGH})), replace("/seats/0/player", "dan")),
    ):
        before = statements
        change()
        statements = read_all(api)
        assert statements != before
    assert api.post(f"/v1/rounds/{round_id}/close", {"reason": "midnight"}).status == 200
    closed = read_all(api)
    assert [one["players"] for one in closed] == [one["players"] for one in statements]
    correct(replace("/seats/0/player", "ann"))
    assert [one["players"] for one in read_all(api)] != [one["players"] for one in statements]
    correct(replace("/seats/0/player", "dan"))
    assert [one["players"] for one in read_all(api)] == [one["players"] for one in statements]
