"""Hands of all rounds over HTTP: filters and pages."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.dialects import postgresql

from service.rounds.models import HandRecord
from service.rounds.queries.hand_filters import HandFilter, select_in_force
from tests.support.api_client import Api, Document
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    KINGS,
    LOW,
    MID,
    NOBODYS,
    QUEENS,
    SEVENS,
    THREE,
    TWO,
    add_table,
    correct_round,
    depart,
    document_of,
    hand,
    open_round,
    play,
    undo,
    walk,
)

FOUL = "AhKd9c / AsAdTcTh4s / JsJd8c5h2c"
"""The cards of `HIGH` with the middle above the bottom."""


@pytest.fixture
def hands(api: Api) -> dict[str, str]:
    """Return the tables, and five hands of three rounds, in the order in which they were recorded."""
    kitchen, attic = add_table(api, "pineapple-qq"), add_table(api, "turbo", "attic")
    first = open_round(api, kitchen)["id"]
    ids = {"kitchen": kitchen, "attic": attic, "first": first}
    ids["plain"] = play(api, first, hand(1, 1, THREE, played_at="2026-11-20T20:00:00Z"))["id"]
    assert depart(api, first, 3).status == 201
    second = open_round(api, attic, {1: "dan 50", 2: "ann 50"})["id"]
    ids["turbo"] = play(api, second, hand(1, 1, TWO, played_at="2026-11-20T20:05:00Z"))["id"]
    ids["foul"] = play(api, first, hand(2, 2, {1: FOUL, 2: MID}, played_at="2026-11-20T20:10:00Z"))["id"]
    third = open_round(api, kitchen, {1: "eve 50", 2: "fay 50", 3: "gus 50"})["id"]
    ids["entered"] = play(api, third, hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS}))["id"]
    fantasyland = {1: {"board": HIGH, "fantasyland": 14}, 2: MID, 3: {"board": LOW, "fantasyland": 14}}
    ids["fantasyland"] = play(api, third, hand(2, 3, fantasyland))["id"]
    ids["third"] = third
    return ids


def listed(api: Api, query: str = "") -> list[str]:
    return [each["id"] for page in walk(api, f"/v1/hands?limit=2&{query}") for each in page["hands"]]


def names_of(hands: dict[str, str], ids: list[str]) -> list[str]:
    return [name for id_ in ids for name, known in hands.items() if known == id_]


def test_hands_of_all_rounds_are_listed_newest_first(api: Api, other_api: Api, hands: dict[str, str]) -> None:
    assert names_of(hands, listed(api)) == ["fantasyland", "entered", "foul", "turbo", "plain"]
    assert [len(page["hands"]) for page in walk(api, "/v1/hands?limit=2")] == [2, 2, 1]
    assert listed(other_api) == []


def test_a_found_hand_equals_the_hand_with_the_id_of_its_round(api: Api, hands: dict[str, str]) -> None:
    for each in api.get("/v1/hands")["hands"]:
        alone = api.get(f"/v1/hands/{each['id']}").document
        assert {**each, "metadata": {}} == {**alone, "round": alone["round"]["id"]}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("player=ann", ["foul", "turbo", "plain"]),
        ("player=cyd", ["plain"]),
        ("player=an", []),
        ("table={attic}", ["turbo"]),
        ("table={kitchen}&player=eve", ["fantasyland", "entered"]),
        (f"table={NOBODYS}", []),
        ("ruleset=turbo", ["turbo"]),
        ("ruleset=turbo%401", ["turbo"]),
        ("ruleset=turbo%402", []),
        ("ruleset=pineapple-qq%401&player=ann", ["foul", "plain"]),
        ("ruleset=nobodys-rules", []),
        ("foul=true", ["foul"]),
        ("foul=true&player=ann", ["foul"]),
        ("foul=true&player=bob", []),
        ("foul=false", ["fantasyland", "entered", "turbo", "plain"]),
        ("foul=false&player=ann", ["turbo", "plain"]),
        ("foul=false&player=bob", ["foul", "plain"]),
        ("fantasyland=true", ["fantasyland"]),
        ("fantasyland=true&player=gus", ["fantasyland"]),
        ("fantasyland=true&player=fay", []),
        ("fantasyland=false", ["entered", "foul", "turbo", "plain"]),
        ("fantasyland=false&player=fay", ["fantasyland", "entered"]),
        ("fantasyland=false&player=gus", ["entered"]),
        ("from=2026-11-20T20:05:00Z&to=2026-11-20T20:20:00Z", ["foul", "turbo"]),
        ("to=2026-11-20T20:05:00Z", ["plain"]),
        ("from=2026-11-20T20:10:00Z&player=ann", ["foul"]),
        ("from=2026-11-20T20:10:00Z&to=2026-11-20T20:10:00Z", []),
    ],
)
def test_hands_are_found_by_filters(api: Api, hands: dict[str, str], query: str, names: list[str]) -> None:
    assert names_of(hands, listed(api, query.format(**hands))) == names


def test_a_hand_without_a_time_of_play_has_that_of_its_recording(api: Api, hands: dict[str, str]) -> None:
    recorded_at = api.get(f"/v1/hands/{hands['entered']}")["recorded_at"]
    assert names_of(hands, listed(api, f"from={recorded_at}")) == ["fantasyland", "entered"]


def test_only_hands_in_force_are_found(api: Api, hands: dict[str, str]) -> None:
    assert undo(api, hands["third"], 2).status == 201
    patch = [{"op": "replace", "path": "/hands/0/played_at", "value": "2026-11-20T19:00:00Z"}]
    corrected = correct_round(api, hands["first"], {"reason": "played earlier", "patch": patch})
    assert corrected.status == 201, corrected
    replacing, *others = api.get("/v1/hands")["hands"]
    assert (replacing["round"], replacing["number"]) == (hands["first"], 1)
    assert replacing["played_at"] == "2026-11-20T19:00:00Z"
    assert replacing["id"] != hands["plain"]
    assert names_of(hands, [each["id"] for each in others]) == ["entered", "foul", "turbo"]
    assert all(each["in_force"] for each in (replacing, *others))


def test_a_page_of_hands_needs_as_many_statements_as_one_hand(api: Api, hands: dict[str, str]) -> None:
    with recorded_statements() as of_one:
        assert len(api.get("/v1/hands?limit=1")["hands"]) == 1
    with recorded_statements() as of_all:
        assert len(api.get("/v1/hands")["hands"]) == 5
    assert len(of_all) == len(of_one)


@pytest.mark.parametrize(
    ("query", "mistakes"),
    [
        ("foul=1", {"#/query/foul": "not-a-boolean"}),
        ("fantasyland=", {"#/query/fantasyland": "not-a-boolean"}),
        ("table=kitchen", {"#/query/table": "not-an-id"}),
        ("ruleset=Pine!", {"#/query/ruleset": "text-pattern"}),
        ("from=yesterday", {"#/query/from": "not-a-time"}),
        ("from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z", {"#/query/from": "out-of-range"}),
        ("cursor=next", {"#/query/cursor": "not-a-cursor"}),
        ("limit=0", {"#/query/limit": "out-of-range"}),
        ("round=1", {"#/query/round": "field-unknown"}),
    ],
)
def test_an_invalid_filter_of_hands_is_refused(api: Api, query: str, mistakes: dict[str, str]) -> None:
    refused = api.get(f"/v1/hands?{query}")
    assert (refused.status, refused.mistakes) == (422, mistakes)


@pytest.fixture
def own_house(embedded_postgres: Server) -> Iterator[House]:
    """A database of the test's own: plans depend on the records of every club in it."""
    with open_house(embedded_postgres) as opened:
        yield opened


def test_a_period_of_hands_reads_an_index_and_not_all_hands_of_the_club(own_house: House) -> None:
    house, api, other_api = own_house, own_house.new_client(), own_house.new_client()
    days = [date(2026, 1, 1) + timedelta(days=day) for day in range(200)]
    for owner in (api, other_api):
        documents = [
            document_of(reference=str(day), hands=[{**played, "played_at": f"{day}T20:00:00Z"} for played in COMPLETE])
            for day in days
        ]
        import_all(house, club_of(house, owner), lines_of(documents))
    house.change("ANALYZE")
    played_from = datetime(2026, 3, 1, tzinfo=UTC)
    evening = HandFilter(played_from=played_from, played_before=played_from + timedelta(days=1))
    scans = list(scans_of(house, club_of(house, api), evening))
    assert "hands_played" in [scan.get("Index Name") for scan in scans]
    assert sum(scan["Actual Rows"] * scan["Actual Loops"] for scan in scans) <= 5 * len(COMPLETE), scans
    assert len(listed(api, "from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z")) == len(COMPLETE)


def scans_of(house: House, club: UUID, filter_: HandFilter) -> Iterator[Document]:
    """Yield the scans of tables and indexes by which PostgreSQL finds a page of hands."""
    with database_of(house).reading(club) as transaction:
        query = select_in_force(transaction, filter_).order_by(HandRecord.id.desc()).limit(51)
        written = query.compile(dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True})
        # As in a large club, where reading a whole table is never the cheapest plan.
        transaction.execute(text("SET LOCAL enable_seqscan = off"))
        explained = transaction.execute(text(f"EXPLAIN (ANALYZE, FORMAT JSON) {written}".replace(":", "\\:")))
        plans = [explained.scalar_one()[0]["Plan"]]
    while plans:
        plan = plans.pop()
        plans += plan.get("Plans", ())
        if "Scan" in plan["Node Type"]:
            yield plan
