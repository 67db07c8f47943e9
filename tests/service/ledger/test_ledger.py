"""The ledger over HTTP: every payment in force, as pages and as CSV."""

import csv
import io
from collections import Counter
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle import PRESETS, random_document
from tests.scoring.test_against_oracle import spoil
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    NOBODYS,
    THREE,
    Document,
    add_table,
    close,
    correct_round,
    document_of,
    hand,
    open_round,
    play,
    post_document,
    walk,
    without,
)

CSV = {"Accept": "text/csv"}


def ledger(api: Api, query: str = "") -> list[Document]:
    return [paid for page in walk(api, f"/v1/ledger{query}") for paid in page["payments"]]


def read_csv(api: Api, query: str = "") -> list[dict[str, str]]:
    response = api.request("GET", f"/v1/ledger{query}", headers=CSV)
    assert response.status == 200, response
    return list(csv.DictReader(io.StringIO(response.text, newline=""), strict=True))


def posted(api: Api, **document: Any) -> ApiResponse:
    response = post_document(api, document_of(**document))
    assert response.status == 201, response
    return response


@pytest.mark.smoke
def test_a_payment_has_its_place_and_what_was_due_and_paid(api: Api) -> None:
    table = add_table(api, point_value=25, currency="EUR")
    round_ = open_round(api, table, {1: "ann 100", 2: "bob 100", 3: "cyd 4"}, reference="friday/1")
    play(api, round_["id"], hand(1, 1, THREE, played_at="2026-11-20T20:15:00Z"))
    place = {
        "played_at": "2026-11-20T20:15:00Z",
        "table": table,
        "table_name": "kitchen",
        "round": round_["id"],
        "reference": "friday/1",
        "hand": 1,
        "currency": "EUR",
        "currency_digits": 2,
        "revision": 1,
        "final": False,
    }
    assert ledger(api) == [
        {**place, "payer": "cyd", "payee": "bob", "due": 6, "paid": 4, "limited_by": "payer_stack", "amount": 100},
        {**place, "payer": "bob", "payee": "ann", "due": 6, "paid": 6, "limited_by": None, "amount": 150},
        {**place, "payer": "cyd", "payee": "ann", "due": 6, "paid": 0, "limited_by": "payer_stack", "amount": 0},
    ]


def test_without_a_point_value_there_are_points_only(api: Api) -> None:
    opened = open_round(api, add_table(api))
    play(api, opened["id"], hand(1, 1, THREE))
    [first, *_] = ledger(api)
    assert (first["paid"], first["amount"], first["currency"], first["currency_digits"]) == (6, None, None, None)
    assert first["played_at"] == opened["opened_at"]
    assert {(paid["amount"], paid["currency"]) for paid in read_csv(api)} == {("", "")}


def test_an_empty_ledger_has_no_payments(api: Api) -> None:
    open_round(api, add_table(api))
    assert ledger(api) == []
    assert read_csv(api) == []


def test_a_settlement_becomes_final(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)["round"]["id"]
    assert {paid["final"] for paid in ledger(api)} == {False}
    for seat in (1, 2, 3):
        api.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat})
    assert {paid["final"] for paid in ledger(api)} == {True}
    assert {paid["final"] for paid in read_csv(api)} == {"true"}


def test_only_the_payments_of_the_revision_in_force_are_listed(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)["round"]["id"]
    assert sum(paid["paid"] for paid in ledger(api, "?player=ann")) == 36
    patch = [{"op": "replace", "path": "/hands/1", "value": hand(2, 2, {1: LOW, 2: MID, 3: HIGH})}]
    corrected = correct_round(api, round_id, {"reason": "seats exchanged", "patch": patch})
    assert corrected.status == 201, corrected
    assert {paid["revision"] for paid in ledger(api)} == {2}
    assert net(ledger(api)) == {"ann": 12, "bob": 0, "cyd": -12}


def test_a_payout_at_the_end_of_a_round_is_listed_with_the_last_hand(api: Api) -> None:
    opened = open_round(api, add_table(api, "progressive-round"))
    play(api, opened["id"], hand(1, 1, THREE))
    assert ledger(api) == []
    close(api, opened["id"])
    assert {paid["hand"] for paid in ledger(api, "?limit=1")} == {1}
    assert net(ledger(api, "?limit=1")) == {"ann": 12, "bob": 0, "cyd": -12}


SITTINGS = [("kitchen", "ann"), ("attic", "ann"), ("kitchen", "dan"), ("attic", "dan")]
CLOSED = {"after_hand": 1, "reason": "midnight"}


@pytest.fixture
def rounds(api: Api) -> list[Document]:
    """Four rounds of three hands at two tables, the oldest first."""
    return [
        posted(
            api,
            table=name,
            hands=COMPLETE,
            sitting={1: f"{first} 100", 2: "bob 100", 3: "cyd 100"},
            opened_at=f"2026-10-2{day}T19:00:00Z",
            reference=f"{day}",
        )["round"]
        for day, (name, first) in enumerate(SITTINGS)
    ]


def references(listed: list[Any]) -> str:
    return "".join(sorted({paid["reference"] for paid in listed}))


def test_payments_are_filtered_by_table_player_and_period(api: Api, rounds: list[Document]) -> None:
    kitchen = rounds[0]["table"]
    for query, numbers in (
        ("", "0123"),
        (f"?table={kitchen}", "02"),
        ("?player=ann", "01"),
        (f"?player=dan&table={kitchen}", "2"),
        ("?player=nobody", ""),
        (f"?table={NOBODYS}", ""),
        ("?from=2026-10-21T19:00:00Z", "123"),
        ("?to=2026-10-21T19:00:00Z", "0"),
        ("?from=2026-10-21T19:00:00Z&to=2026-10-22T19:00:00Z", "1"),
    ):
        assert references(ledger(api, query)) == references(read_csv(api, query)) == numbers, query
    assert {"ann"} < {paid["payee"] for paid in ledger(api)}
    assert all("ann" in (paid["payer"], paid["payee"]) for paid in ledger(api, "?player=ann"))


@pytest.mark.parametrize("limit", [1, 2, 7, 18, 36, 1000])
def test_pages_contain_every_payment_once_and_in_order(api: Api, rounds: list[Document], limit: int) -> None:
    whole = api.get("/v1/ledger?limit=1000")["payments"]
    assert [paid["reference"] for paid in whole] == sorted(paid["reference"] for paid in whole)
    assert len(whole) == 4 * 3 * 3
    pages = [page["payments"] for page in walk(api, f"/v1/ledger?limit={limit}")]
    assert [paid for page in pages for paid in page] == whole
    assert all(len(page) == limit for page in pages[:-1])
    assert len(read_csv(api, f"?limit={limit}")) == min(limit, len(whole))


def test_a_correction_between_two_pages_leaves_the_cursor_valid(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)["round"]["id"]
    first = api.get("/v1/ledger?limit=4")
    patch = [{"op": "replace", "path": "/hands/0/played_at", "value": "2026-11-20T19:30:00Z"}]
    assert correct_round(api, round_id, {"reason": "time", "patch": patch}).status == 201
    rest = api.get(f"/v1/ledger?cursor={first['next_cursor']}")["payments"]
    assert [(paid["hand"], paid["revision"]) for paid in rest] == [(2, 2), (2, 2), (3, 2), (3, 2), (3, 2)]


def test_the_payments_of_another_club_are_not_listed(api: Api, other_api: Api, rounds: list[Document]) -> None:
    assert ledger(other_api) == read_csv(other_api) == []
    assert ledger(other_api, f"?table={rounds[0]['table']}") == []
    cursor = api.get("/v1/ledger?limit=1")["next_cursor"]
    refused = other_api.get(f"/v1/ledger?cursor={cursor}")
    assert (refused.status, refused.mistakes) == (422, {"#/query/cursor": "not-a-cursor"})
    refused = other_api.request("GET", f"/v1/ledger?cursor={cursor}", headers=CSV)
    assert (refused.status, refused.mistakes) == (422, {"#/query/cursor": "not-a-cursor"})


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("limit=0", "limit", "out-of-range"),
        ("limit=1001", "limit", "out-of-range"),
        ("cursor=x", "cursor", "not-a-cursor"),
        ("cursor=" + "A" * 22, "cursor", "not-a-cursor"),
        ("cursor=" + "_" * 27, "cursor", "not-a-cursor"),
        ("cursor=" + "A" * 27, "cursor", "not-a-cursor"),
        ("table=kitchen", "table", "not-an-id"),
        ("player=", "player", "text-length"),
        ("from=yesterday", "from", "not-a-time"),
        ("from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z", "from", "out-of-range"),
        ("seat=1", "seat", "field-unknown"),
    ],
)
@pytest.mark.parametrize("headers", [{}, CSV])
def test_an_invalid_query_is_rejected(api: Api, query: str, pointer: str, code: str, headers: dict[str, str]) -> None:
    response = api.request("GET", f"/v1/ledger?{query}", headers=headers)
    assert (response.status, response.mistakes) == (422, {f"#/query/{pointer}": code})


# --- CSV ---


def test_csv_has_a_header_decimal_amounts_and_iso_times(api: Api) -> None:
    for place, (point_value, currency) in enumerate([(25, "EUR"), (333, "JPY"), (5, "KWD")]):
        money = {"point_value": point_value, "currency": currency}
        posted(
            api,
            hands=[hand(1, 1, THREE)],
            reference=f"{place}",
            opened_at=f"2026-11-20T19:0{place}:00Z",
            closed=CLOSED,
            **money,
        )
    response = api.request("GET", "/v1/ledger", headers=CSV)
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    lines = response.text.split("\r\n")
    assert lines[0] == (
        "played_at,table,round,reference,hand,payer,payee,due,paid,limited_by,amount,currency,revision,final"
    )
    assert lines[-1] == ""
    assert lines[1].startswith("2026-11-20T19:00:00Z,kitchen,")
    assert lines[1].endswith(",0,1,cyd,bob,6,6,,1.50,EUR,1,false")
    listed = read_csv(api)
    assert {(paid["amount"], paid["currency"]) for paid in listed} == {
        ("1.50", "EUR"), ("1998", "JPY"), ("0.030", "KWD"),
    }  # as a table  # fmt: skip


def test_csv_quotes_separators_and_disarms_formulas(api: Api) -> None:
    posted(
        api,
        table="=HYPERLINK(1)",
        reference='+1, "x"',
        sitting={1: "@ann 100", 2: "-bob 100", 3: "Zoë 100"},
        hands=[hand(1, 1, THREE)],
    )
    [first, *_] = read_csv(api)
    assert (first["table"], first["reference"]) == ("'=HYPERLINK(1)", '\'+1, "x"')
    assert {paid["payee"] for paid in read_csv(api)} == {"'@ann", "'-bob"}
    assert {paid["payer"] for paid in read_csv(api)} == {"'-bob", "Zoë"}
    assert ledger(api)[0]["table_name"] == "=HYPERLINK(1)"


def test_csv_with_raw_ids_has_the_texts_as_they_are_stored(house: House, api: Api) -> None:
    names = "+49170 100", "＝1+1 100", "@ben 100"  # noqa: RUF001 - a wide form
    posted(api, table="-x", sitting=dict(enumerate(names, start=1)), hands=[hand(1, 1, THREE)])
    visitor = Visitor.signed_in(house, api)
    for path in ("/v1/statement", "/v1/plots/net"):
        assert "'" in api.request("GET", path, headers=CSV).text
        raw = api.request("GET", f"{path}?ids=raw", headers=CSV)
        assert raw.status == 200, raw
        assert "'" not in raw.text
        assert all(name.split()[0] in raw.text for name in names)
    players = {paid[column] for paid in read_csv(api, "?ids=raw") for column in ("payer", "payee")}
    assert players == {"+49170", "＝1+1", "@ben"}  # noqa: RUF001 - a wide form
    assert {paid["table"] for paid in read_csv(api, "?ids=raw")} == {"-x"}
    assert {paid["payer"] for paid in read_csv(api)} <= {"'+49170", "'＝1+1", "'@ben"}  # noqa: RUF001 - a wide form
    for page in ("/players", "/ledger", "/statement?period=all", "/plots?plot=net", "/tables"):
        file = f"{page}{'&' if '?' in page else '?'}format=csv"
        assert ",'" in visitor.get(file).text.replace("\n'", ",'"), page
        assert "'" not in visitor.get(f"{file}&ids=raw").text, page
    assert api.get("/v1/ledger?ids=safe").mistakes == {"#/query/ids": "not-a-choice"}


# --- sums ---


def net(payments: list[Document], amount: str = "paid") -> dict[str, int]:
    sums: Counter[str] = Counter()
    for paid in payments:
        sums[paid["payee"]] += paid[amount]
        sums[paid["payer"]] -= paid[amount]
    return dict(sums)


@given(seed=st.integers(0, 2**32), name=st.sampled_from(sorted(PRESETS)), corrections=st.integers(0, 3))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.no_cover
def test_payments_add_up_to_the_statement(api: Api, seed: int, name: str, corrections: int) -> None:
    """Random rounds, corrected at random: for each player and currency, as JSON and as CSV."""
    rng = Random(seed)
    response = post_document(api, {**random_document(rng, PRESETS[name]), "table": f"table {uuid4()}"})
    assert response.status == 201, response
    round_ = response["round"]
    for attempt in range(corrections):
        document = api.get(f"/v1/rounds/{round_['id']}/document").document
        if document["hands"]:
            amended = without(spoil(rng, document), "irregular")
            request = {"reason": f"attempt {attempt}", "document": amended, "irregular": "stands"}
            assert correct_round(api, round_["id"], request).status in (200, 201, 409, 422)
    statement = api.get(f"/v1/tables/{round_['table']}/statement")
    payments = ledger(api, f"?table={round_['table']}&limit=5")
    paid = net(payments)
    assert {each["player"]: each["net"] for each in statement["players"]} == {
        each["player"]: paid.get(each["player"], 0) for each in statement["players"]
    }
    for each in statement["players"]:
        for currency, won in each["money"].items():
            in_currency = [line for line in payments if line["currency"] == currency]
            assert net(in_currency, "amount").get(each["player"], 0) == won
        assert (
            net(ledger(api, f"?table={round_['table']}&player={each['player']}")).get(each["player"], 0)
            == (each["net"])
        )
    as_csv = [{**line, "paid": int(line["paid"])} for line in read_csv(api, f"?table={round_['table']}")]
    assert net(as_csv) == paid
