"""The pages, filters and files of the ledger, and what a client gets that asks again later."""

from typing import Any

import pytest

from service.clubs.scopes import KeyScope
from tests.service.feed.test_api_feed import feed, join, key_with
from tests.service.ledger.ledger_lines import CSV, exchange_seats, ledger, posted, read_csv
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor
from tests.support.import_lines import club_of
from tests.support.sample_rounds import COMPLETE, NOBODYS, THREE, Document, hand, walk

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


def test_lines_are_filtered_by_table_player_and_period(api: Api, rounds: list[Document]) -> None:
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


def test_lines_are_filtered_by_what_their_entries_are(api: Api, rounds: list[Document]) -> None:
    exchange_seats(api, rounds[1]["id"])
    lines = ledger(api)
    adjusted = lines[-1]["posted_at"]
    for query, chosen in (
        ("?kind=settlement", lines[:-1]),
        ("?kind=adjustment", lines[-1:]),
        ("?kind=charge", []),
        (f"?round={rounds[1]['id']}", [line for line in lines if line["reference"] == "1"]),
        (f"?round={NOBODYS}", []),
        ("?reference=1", [line for line in lines if line["reference"] == "1"]),
        ("?reference=none", []),
        (f"?unit={rounds[0]['table']}", [line for line in lines if line["reference"] in "02"]),
        ("?unit=EUR", []),
        (f"?posted_from={adjusted}", lines[-1:]),
        (f"?posted_before={adjusted}", lines[:-1]),
        (f"?posted_from={adjusted}&posted_before={adjusted}", []),
    ):
        assert ledger(api, query) == chosen, query
        assert [line["id"] for line in read_csv(api, query)] == [line["id"] for line in chosen], query


@pytest.mark.parametrize("limit", [1, 2, 7, 18, 36, 1000])
def test_pages_contain_every_line_once_and_in_order(house: House, api: Api, rounds: list[Document], limit: int) -> None:
    for is_joined in (False, True):
        if is_joined:
            join(house, api)
        whole = api.get("/v1/ledger?limit=1000")["lines"]
        assert [line["reference"] for line in whole] == sorted(line["reference"] for line in whole)
        assert len(whole) == 4 * 3 * 3
        assert {line["position"] is None for line in whole} == {not is_joined}
        pages = [page["lines"] for page in walk(api, f"/v1/ledger?limit={limit}")]
        assert [line for page in pages for line in page] == whole
        assert all(len(page) == limit for page in pages[:-1])
        assert len(read_csv(api, f"?limit={limit}")) == min(limit, len(whole))


def test_a_correction_between_two_pages_changes_no_line(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)["round"]["id"]
    whole = ledger(api)
    first = api.get("/v1/ledger?limit=4")
    exchange_seats(api, round_id)
    rest = api.get(f"/v1/ledger?cursor={first['next_cursor']}")["lines"]
    assert first["lines"] + rest[:-1] == whole
    assert rest[-1]["kind"] == "adjustment"


def test_the_last_cursor_lists_what_is_written_later(house: House, api: Api) -> None:
    collected: list[Document] = []
    bookmark = ""

    def ask() -> list[Document]:
        nonlocal bookmark
        page = api.get(f"/v1/ledger?limit=1000{bookmark}")
        bookmark = f"&cursor={page['next_cursor']}"
        collected.extend(line for line in page["lines"] if line["position"] is not None)
        lines: list[Document] = page["lines"]
        return lines

    round_id = posted(api, hands=COMPLETE, reference="0")["round"]["id"]
    assert {line["position"] for line in ask()} == {None}
    join(house, api)
    assert len(ask()) == 9
    assert ask() == []
    exchange_seats(api, round_id)
    [waiting] = ask()
    [waiting_still] = ask()
    assert waiting == waiting_still
    join(house, api)
    [adjustment] = ask()
    assert {**adjustment, "position": None} == waiting
    posted(api, hands=COMPLETE, reference="1")
    join(house, api)
    assert {line["reference"] for line in ask()} == {"1"}
    assert ask() == []
    assert collected == ledger(api)


def test_entries_are_in_the_order_of_the_tree(house: House, api: Api, rounds: list[Document]) -> None:
    """The order is that of the events in the feed, whose positions the lines have."""
    join(house, api)
    positions = {event["id"]: event["position"] for event in feed(house, api)}
    lines = ledger(api)
    assert [line["position"] for line in lines] == sorted(line["position"] for line in lines)
    assert all(positions[line["id"]] == line["position"] for line in lines)


def test_entries_of_another_club_are_not_listed(api: Api, other_api: Api, rounds: list[Document]) -> None:
    assert ledger(other_api) == read_csv(other_api) == []
    assert ledger(other_api, f"?table={rounds[0]['table']}") == []
    cursor = api.get("/v1/ledger?limit=1")["next_cursor"]
    assert other_api.get(f"/v1/ledger?cursor={cursor}")["lines"] == []
    assert read_csv(other_api, f"?cursor={cursor}") == []


def test_who_did_it_is_shown_to_auditors(house: House, api: Api) -> None:
    posted(api, hands=COMPLETE)
    of_rounds = "SELECT DISTINCT actor::text FROM events WHERE club_id = %s AND round_id IS NOT NULL"
    [(actor,)] = house.query(of_rounds, club_of(house, api))
    assert {line["actor"] for line in ledger(api)} == {actor}
    reader = key_with(house, api, KeyScope.READ)
    assert {line["actor"] for line in ledger(reader)} == {None}


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("limit=0", "limit", "out-of-range"),
        ("limit=1001", "limit", "out-of-range"),
        ("cursor=x", "cursor", "not-a-cursor"),
        ("cursor=" + "A" * 22, "cursor", "not-a-cursor"),
        ("cursor=" + "_" * 43, "cursor", "not-a-cursor"),
        ("cursor=" + "_" * 42 + "8", "cursor", "not-a-cursor"),
        ("table=kitchen", "table", "not-an-id"),
        ("player=", "player", "text-length"),
        ("from=yesterday", "from", "not-a-time"),
        ("from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z", "from", "out-of-range"),
        ("posted_from=2026-11-21T00:00:00Z&posted_before=2026-11-20T00:00:00Z", "posted_from", "out-of-range"),
        ("kind=loan", "kind", "not-a-choice"),
        ("unit=E", "unit", "text-pattern"),
        ("round=1", "round", "not-an-id"),
        ("seat=1", "seat", "field-unknown"),
    ],
)
@pytest.mark.parametrize("headers", [{}, CSV])
def test_an_invalid_query_is_rejected(api: Api, query: str, pointer: str, code: str, headers: dict[str, str]) -> None:
    response = api.request("GET", f"/v1/ledger?{query}", headers=headers)
    assert (response.status, response.mistakes) == (422, {f"#/query/{pointer}": code})


# --- CSV ---


def test_csv_has_a_header_decimal_amounts_and_iso_times(api: Api) -> None:
    for place, (point_value, unit) in enumerate([(25, "EUR"), (333, "JPY"), (5, "KWD")]):
        money = {"point_value": point_value, "unit": unit}
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
        "posted_at,played_at,kind,table,round,reference,hand,payer,payee,due,paid,limited_by,amount,unit,"
        "revision,previous_revision,final,id,line,reverses,note"
    )
    assert lines[-1] == ""
    assert ",2026-11-20T19:00:00Z,settlement,kitchen," in lines[1]
    assert ",0,1,cyd,bob,6,6,,1.50,EUR,1,,false," in lines[1]
    assert lines[1].endswith(",1,,")
    listed = read_csv(api)
    assert {(paid["amount"], paid["unit"]) for paid in listed} == {
        ("1.50", "EUR"), ("1998", "JPY"), ("0.030", "KWD"),
    }  # as a table  # fmt: skip


def test_csv_quotes_separators_and_disarms_formulas(api: Api) -> None:
    posted(
        api,
        table="=HYPERLINK(1)",
        reference='+1, "x"',
        sitting={1: "@ann 100", 2: "-bob 100", 3: "Zoë 100"},
        hands=[hand(1, 1, THREE)],
        closed=CLOSED,
    )
    [first, *_] = read_csv(api)
    assert (first["table"], first["reference"]) == ("'=HYPERLINK(1)", '\'+1, "x"')
    assert {paid["payee"] for paid in read_csv(api)} == {"'@ann", "'-bob"}
    assert {paid["payer"] for paid in read_csv(api)} == {"'-bob", "Zoë"}
    assert ledger(api)[0]["table_name"] == "=HYPERLINK(1)"


def test_csv_with_raw_ids_has_the_texts_as_they_are_stored(house: House, api: Api) -> None:
    names = "+49170 100", "＝1+1 100", "@ben 100"  # noqa: RUF001 - a wide form
    posted(api, table="-x", sitting=dict(enumerate(names, start=1)), hands=[hand(1, 1, THREE)], closed=CLOSED)
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
