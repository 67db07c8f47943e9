"""Lists over HTTP: filters and pages."""

from datetime import datetime, timedelta
from urllib.parse import quote
from uuid import UUID

import pytest

from schemas.pages import show_cursor
from tests.support.api_client import Api
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    NOBODYS,
    THREE,
    add_table,
    close,
    hand,
    open_round,
    play,
    read_round,
    start_round,
    undo,
    walk,
    without,
)


@pytest.fixture
def rounds(api: Api) -> dict[str, str]:
    """Return five rounds at two tables, in the order in which they were opened."""
    kitchen, attic = add_table(api), add_table(api, "turbo", "attic")
    opened: dict[str, str] = {"kitchen": kitchen, "attic": attic}
    for name, table, sitting in (
        ("first", kitchen, {1: "ann 50", 2: "bob 50", 3: "cyd 50"}),
        ("second", attic, {1: "dan 50", 2: "ann 50"}),
        ("third", kitchen, {1: "bob", 2: "cyd"}),
        ("fourth", attic, {1: "dan", 2: "eve 9"}),
        ("fifth", kitchen, {1: "ann 50", 2: "cyd"}),
    ):
        reference = {"reference": "evening/1"} if name in ("first", "fourth") else {}
        opened[name] = open_round(api, table, sitting, **reference)["id"]
        if name in ("first", "second", "third"):
            close(api, opened[name])
    return opened


def listed(api: Api, query: str = "") -> list[str]:
    return [round_["id"] for page in walk(api, f"/v1/rounds?limit=2&{query}") for round_ in page["rounds"]]


def test_rounds_are_listed_the_newest_first(api: Api, other_api: Api, rounds: dict[str, str]) -> None:
    newest_first = [rounds[name] for name in ("fifth", "fourth", "third", "second", "first")]
    assert listed(api) == newest_first
    assert [len(page["rounds"]) for page in walk(api, "/v1/rounds?limit=2")] == [2, 2, 1]
    assert [len(page["rounds"]) for page in walk(api, "/v1/rounds?limit=5")] == [5]
    assert [len(page["rounds"]) for page in walk(api, "/v1/rounds")] == [5]
    assert listed(other_api) == []


def test_a_round_in_a_list_equals_the_round(api: Api, rounds: dict[str, str]) -> None:
    for round_ in api.get("/v1/rounds")["rounds"]:
        assert round_ == read_round(api, round_["id"])


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("table={kitchen}", ["fifth", "third", "first"]),
        ("table={attic}", ["fourth", "second"]),
        (f"table={NOBODYS}", []),
        ("table_name=attic", ["fourth", "second"]),
        ("table_name=Attic", []),
        ("reference=evening%2F1", ["fourth", "first"]),
        ("reference=evening%2F1&table_name=kitchen", ["first"]),
        ("reference=evening", []),
        ("player=ann", ["fifth", "second", "first"]),
        ("player=nobody", []),
        ("player=an", []),
        ("status=open", ["fifth", "fourth"]),
        ("status=closed", ["third", "second", "first"]),
        ("status=complete", []),
        ("table={kitchen}&player=ann&status=open", ["fifth"]),
        ("table={attic}&player=ann&status=open", []),
        ("player=cyd&status=closed", ["third", "first"]),
    ],
)
def test_rounds_are_listed_by_table_player_and_status(
    api: Api, rounds: dict[str, str], query: str, names: list[str]
) -> None:
    assert listed(api, query.format(**rounds)) == [rounds[name] for name in names]


def test_rounds_are_filtered_by_opening_time(api: Api, rounds: dict[str, str]) -> None:
    opened_at = {name: api.get(f"/v1/rounds/{rounds[name]}")["opened_at"] for name in ("first", "third", "fifth")}
    assert listed(api, f"from={opened_at['third']}") == [rounds[name] for name in ("fifth", "fourth", "third")]
    assert listed(api, f"to={opened_at['third']}") == [rounds[name] for name in ("second", "first")]
    between = f"from={opened_at['first']}&to={opened_at['fifth']}&table={rounds['kitchen']}"
    assert listed(api, between) == [rounds[name] for name in ("third", "first")]
    assert listed(api, f"from={opened_at['third']}&to={opened_at['third']}") == []


def test_times_are_accepted_in_any_time_zone(api: Api, rounds: dict[str, str]) -> None:
    third = datetime.fromisoformat(api.get(f"/v1/rounds/{rounds['third']}")["opened_at"])
    local = (third + timedelta(hours=2)).isoformat().replace("+00:00", "+02:00")
    assert listed(api, f"to={quote(local)}") == [rounds["second"], rounds["first"]]


def test_the_link_to_the_next_page_has_the_query_parameters(api: Api) -> None:
    table = add_table(api)
    player = "zoë & co/é=1?"
    for _ in range(3):
        opened = api.post(
            f"/v1/tables/{table}/rounds",
            {"seats": [{"seat": 1, "player": player, "stack": 5}, {"seat": 2, "player": "bob", "stack": 5}]},
        )
        close(api, opened["id"])
    pages = list(walk(api, f"/v1/rounds?status=closed&limit=1&player={quote(player)}&table={table}"))
    assert [len(page["rounds"]) for page in pages] == [1, 1, 1]


def test_rounds_opened_between_two_pages_change_neither_page(api: Api, rounds: dict[str, str]) -> None:
    pages = walk(api, "/v1/rounds?limit=2")
    next(pages)
    start_round(api, name="hall")
    later = [round_["id"] for page in pages for round_ in page["rounds"]]
    assert later == [rounds[name] for name in ("third", "second", "first")]


def test_hands_are_listed_in_playing_order(api: Api) -> None:
    round_id = start_round(api)
    played = [play(api, round_id, hand(number, number, THREE)).document for number in (1, 2, 3)]
    pages = list(walk(api, f"/v1/rounds/{round_id}/hands?limit=2"))
    assert [len(page["hands"]) for page in pages] == [2, 1]
    assert [shown for page in pages for shown in page["hands"]] == [
        {**without(response, "round", "metadata"), "corrected": False} for response in played
    ]


def test_a_page_has_100_items_and_the_cursor_of_the_next(api: Api) -> None:
    for number in range(101):
        api.put(f"/v1/players/p{number}", {"display_name": f"Player {number}"})
    first = api.get("/v1/players")
    assert (len(first["players"]), first["has_more"]) == (100, True)
    last = api.get(f"/v1/players?cursor={first['next_cursor']}")
    assert (len(last["players"]), last["has_more"], last["next_cursor"]) == (1, False, None)


def test_a_list_without_cursors_is_one_page(api: Api) -> None:
    response = api.get("/v1/rulesets")
    assert (response["has_more"], response["next_cursor"]) == (False, None)


# --- invalid queries ---


@pytest.mark.parametrize("list_", ["/v1/tables", "/v1/players", "/v1/rounds", "/v1/rounds/{round}/hands"])
@pytest.mark.parametrize(
    ("query", "name", "code"),
    [
        ("cursor=x", "cursor", "not-a-cursor"),
        ("cursor=", "cursor", "not-a-cursor"),
        ("cursor=AAAA", "cursor", "not-a-cursor"),
        ("cursor=%00", "cursor", "not-a-cursor"),
        ("cursor=%C3%A9", "cursor", "not-a-cursor"),
        (f"cursor={NOBODYS}", "cursor", "not-a-cursor"),
        ("cursor=AaH6hGSgcIWX84r9vW68Jw!!", "cursor", "not-a-cursor"),
        ("cursor=AaH6hGSgcIWX84r9vW68Jw%3D%3D", "cursor", "not-a-cursor"),
        ("limit=0", "limit", "out-of-range"),
        ("limit=101", "limit", "out-of-range"),
        ("limit=-1", "limit", "out-of-range"),
        ("limit=1_0", "limit", "not-an-integer"),
        ("limit=%D9%A3", "limit", "not-an-integer"),
        ("limit=", "limit", "not-an-integer"),
        ("limit=2.0", "limit", "not-an-integer"),
        ("limit=1000", "limit", "out-of-range"),
        ("limit=" + "9" * 5000, "limit", "out-of-range"),
        ("page=2", "page", "field-unknown"),
    ],
)
def test_invalid_page_parameters_are_rejected(
    api: Api, many_rounds: str, list_: str, query: str, name: str, code: str
) -> None:
    response = api.get(f"{list_.format(round=many_rounds)}?{query}")
    assert response.status == 422
    assert response["code"] == "request-invalid"
    assert response.mistakes == {f"#/query/{name}": code}


@pytest.mark.parametrize("list_", ["/v1/rounds", "/v1/export", "/v1/tables/{table}/statement"])
def test_a_period_that_ends_before_it_starts_is_rejected(api: Api, list_: str) -> None:
    table = add_table(api)
    response = api.get(f"{list_.format(table=table)}?from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z")
    assert response.status == 422
    assert response.mistakes == {"#/query/from": "out-of-range"}
    assert "after the end at 2026-11-20T00:00:00" in response["errors"][0]["detail"]


@pytest.fixture
def many_rounds(api: Api) -> str:
    return start_round(api)


@pytest.mark.parametrize(
    ("query", "pointer", "code", "words"),
    [
        ("status=finished", "status", "not-a-choice", "is 'finished'; expected one of open, complete, closed"),
        ("status=", "status", "not-a-choice", "expected one of open, complete, closed"),
        ("table=kitchen", "table", "not-an-id", "is 'kitchen'; expected a UUID"),
        (f"table={{{NOBODYS}}}", "table", "text-length", "is 38 characters long"),
        (f"table={NOBODYS.replace('-', '')}", "table", "not-an-id", "expected a UUID"),
        ("player=", "player", "text-length", "is empty"),
        (
            "player=%00",
            "player",
            "text-characters",
            "expected a name or id without control, format and private characters",
        ),
        ("from=yesterday", "from", "not-a-time", "is 'yesterday'; expected RFC 3339 with an offset"),
        ("from=2026-11-20", "from", "not-a-time", "RFC 3339 with an offset"),
        ("to=2026-11-20T20:15:00", "to", "not-a-time", "RFC 3339 with an offset"),
        ("to=2026-13-20T20:15:00Z", "to", "not-a-time", "RFC 3339 with an offset"),
        ("to=0001-01-01T00:00:00%2B23:59", "to", "not-a-time", "outside the calendar"),
        (
            "seat=1",
            "seat",
            "field-unknown",
            "is unknown; expected one of limit, cursor, from, to, table, table_name, reference, player, status",
        ),
    ],
)
def test_an_invalid_filter_is_rejected(api: Api, query: str, pointer: str, code: str, words: str) -> None:
    response = api.get(f"/v1/rounds?{query}")
    assert response.status == 422
    assert response.mistakes == {f"#/query/{pointer}": code}
    assert words in response["errors"][0]["detail"]


def test_all_invalid_query_parameters_are_reported_together(api: Api) -> None:
    response = api.get("/v1/rounds?limit=x&cursor=x&status=x&table=x&from=x&to=x&x=x")
    assert set(response.mistakes) == {
        f"#/query/{name}" for name in ("limit", "cursor", "status", "table", "from", "to", "x")
    }


def test_a_duplicate_query_parameter_is_rejected(api: Api) -> None:
    response = api.get("/v1/rounds?status=open&status=closed")
    assert response.status == 422
    assert response.mistakes == {"#/query/status": "field-twice"}


@pytest.mark.parametrize("path", ["/v1/rounds", "/v1/export"])
def test_a_cursor_of_another_list_is_rejected(api: Api, other_api: Api, path: str) -> None:
    """Rounds are listed in the order of their opening, so a cursor of another list has no position."""
    start_round(api)
    for id_ in (start_round(other_api), NOBODYS):
        response = api.get(f"{path}?cursor={show_cursor(UUID(id_))}")
        assert (response.status, response.mistakes) == (422, {"#/query/cursor": "not-a-cursor"})


def test_a_cursor_of_another_round_is_rejected(api: Api) -> None:
    """Hands are listed by number, so a cursor of another round has no position."""
    one, other = start_round(api, name="one"), start_round(api, name="other")
    elsewhere = play(api, other, hand(1, 1, THREE))["id"]
    play(api, one, hand(1, 1, THREE))
    for id_ in (elsewhere, one, NOBODYS):
        response = api.get(f"/v1/rounds/{one}/hands?cursor={show_cursor(UUID(id_))}")
        assert response.status == 422
        assert response["code"] == "request-invalid"
        assert response.mistakes == {"#/query/cursor": "not-a-cursor"}


def test_a_cursor_stays_valid_after_its_hand_was_undone(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, hand(1, 1, THREE))
    last = play(api, round_id, hand(2, 2, THREE))["id"]
    assert undo(api, round_id, 2).status == 201
    play(api, round_id, hand(2, 2, {1: MID, 2: HIGH, 3: LOW}), hand(3, 3, THREE))
    after = api.get(f"/v1/rounds/{round_id}/hands?cursor={show_cursor(UUID(last))}")
    assert [shown["number"] for shown in after["hands"]] == [3]
