"""The feed of events: what it has beside the signed events, its filters, and what a key for reading sees."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from evidence.events import EventKind
from schemas.feed.events import AUDITED_KINDS
from service.audit_trail.actions import join_events
from service.clubs.actions import create_key, find_club
from service.clubs.queries.clubs import StoredClub
from service.clubs.scopes import KeyScope
from service.feed.queries import EventSelection, select_events
from service.http.services import services_of
from service.openapi import build_contract
from tests.support.api_client import Api, ApiResponse, Document, validate
from tests.support.api_corrections import correct
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.database.recorded_statements import recorded_statements
from tests.support.full_club import live
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import (
    COMPLETE,
    NOBODYS,
    SIXES,
    THREE,
    add_table,
    close,
    hand,
    open_round,
    play,
    settlement_of,
    start_round,
    undo,
    without,
)


def join(house: House, api: Api) -> None:
    """Add what has happened in a club to its tree."""
    while join_events(database_of(house), club_of(house, api), None):
        pass


def list_events(api: Api, **query: Any) -> ApiResponse:
    return api.get("/v1/events?" + "&".join(f"{name}={value}" for name, value in query.items()))


def feed(house: House, api: Api, **query: Any) -> list[Document]:
    join(house, api)
    response = list_events(api, **{"limit": 1000, **query})
    assert response.status == 200, response
    return [json.loads(line) for line in response.text.splitlines()]


def owner_of(house: House, api: Api) -> StoredClub:
    [(name,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    return find_club(house.owner, name)


def key_with(house: House, api: Api, *scopes: KeyScope) -> Api:
    return Api(house.app, create_key(house.owner, owner_of(house, api), name="another", scopes=list(scopes)).secret)


def test_every_event_matches_the_schema_of_its_kind(house: House) -> None:
    api = house.new_client()
    live(house, api)
    contract = build_contract(services_of(house.app).contract)
    events = feed(house, api)
    for event in events:
        validate(contract, contract["components"]["schemas"]["Event"], event)
        [name] = [
            reference.rpartition("/")[2]
            for kind, reference in contract["components"]["schemas"]["Event"]["discriminator"]["mapping"].items()
            if kind == event["kind"]
        ]
        validate(contract, {"$ref": f"#/components/schemas/{name}"}, event)
    assert {event["kind"] for event in events} >= {kind.value for kind in EventKind} - {
        "links.revoked",
        "dispute.withdrawn",
        "club.changed",
    }


def test_the_contract_has_one_schema_for_each_kind(house: House) -> None:
    contract = build_contract(services_of(house.app).contract)
    event = contract["components"]["schemas"]["Event"]
    assert set(event["discriminator"]["mapping"]) == {kind.value for kind in EventKind}
    assert [{"$ref": reference} for reference in event["discriminator"]["mapping"].values()] == event["oneOf"]
    content = contract["paths"]["/v1/events"]["get"]["responses"]["200"]["content"]
    assert content["application/x-ndjson"]["x-line-schema"] == {"$ref": "#/components/schemas/Event"}


@pytest.mark.smoke
def test_a_recorded_hand_has_its_points_transfers_and_nets(house: House, api: Api) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    responses = [play(api, round_id, played) for played in COMPLETE]
    events = feed(house, api, kind="hand.recorded")
    assert [event["result"]["number"] for event in events] == [1, 2, 3]
    opening = {"1": 100, "2": 100, "3": 100}
    for event, response in zip(events, responses, strict=True):
        result = event["result"]
        assert result["transfers"] == response["transfers"]
        assert result["stacks"] == response["stacks"]
        assert result["points"] == {str(player["seat"]): player["points"] for player in response["players"]}
        assert result["net"] == {seat: response["stacks"][seat] - opening[seat] for seat in opening}
        assert result["players"] == {"1": "ann", "2": "bob", "3": "cyd"}
        assert (result["hand_id"], result["round_id"], result["revision"]) == (response["id"], round_id, 1)


def test_top_ups_do_not_count_as_won(house: House, api: Api) -> None:
    round_id = start_round(api, "pineapple-qq", SIXES)
    play(api, round_id, COMPLETE[0], {**COMPLETE[1], "top_ups": [{"seat": 2, "points": 30}]}, COMPLETE[2])
    nets = [event["result"]["net"] for event in feed(house, api, kind="hand.recorded")]
    assert nets[-1] == settlement_of(api, round_id)["net"]
    assert [sum(net.values()) for net in nets] == [0, 0, 0]


def test_the_result_of_a_hand_stays_as_it_was_recorded(house: House, api: Api) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    play(api, round_id, COMPLETE[0], COMPLETE[1])
    before = feed(house, api, kind="hand.recorded")
    assert undo(api, round_id, 2, reason="misread").status == 201
    play(api, round_id, hand(2, 2, {1: THREE[2], 2: THREE[3], 3: THREE[1]}), COMPLETE[2])
    events = feed(house, api, kind="hand.recorded,hand.withdrawn")
    assert events[:2] == before
    [withdrawn] = [event for event in events if event["kind"] == "hand.withdrawn"]
    assert withdrawn["result"]["revision"] == 2
    assert withdrawn["result"]["net"] == before[0]["result"]["net"]
    assert events[-1]["result"]["net"] == settlement_of(api, round_id)["net"]


def test_the_end_of_a_round_and_its_corrections_have_the_nets_of_their_revisions(house: House, api: Api) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    play(api, round_id, COMPLETE[0])
    assert close(api, round_id).status == 200
    first = settlement_of(api, round_id)
    change = [{"op": "replace", "path": "/seats/0/stack", "value": 3}]
    assert correct(api, round_id, patch=change).status == 201
    second = settlement_of(api, round_id)
    for seat in (1, 2, 3):
        assert api.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat, "revision": 2}).status == 201
    events = {event["kind"]: event for event in feed(house, api, round=round_id)}
    assert events["round.closed"]["result"]["net"] == first["net"]
    assert events["round.corrected"]["result"]["net"] == second["net"]
    assert events["round.corrected"]["result"]["stacks"] == second["stacks"]
    assert events["settlement.finalized"]["result"]["net"] == second["net"]
    assert events["settlement.finalized"]["result"]["revision"] == 2
    assert "result" not in events["round.opened"]


def test_a_payout_at_a_departure_counts_in_the_result_of_the_end(house: House, api: Api) -> None:
    round_id = start_round(api, "progressive-round", SIXES)
    play(api, round_id, COMPLETE[0])
    assert close(api, round_id).status == 200
    [closed] = feed(house, api, kind="round.closed")
    assert closed["result"]["net"] == settlement_of(api, round_id)["net"]
    assert closed["result"]["stacks"] == settlement_of(api, round_id)["stacks"]
    assert set(closed["result"]["net"].values()) != {0}


def test_results_take_the_same_number_of_statements_for_one_event_and_for_many(house: House, api: Api) -> None:
    rounds = [start_round(api, "pineapple", SIXES, name=f"table {number}") for number in range(4)]
    for round_id in rounds:
        play(api, round_id, *COMPLETE)
    join(house, api)
    assert list_events(api, limit=1000).status == 200
    counts = []
    for limit in (1, 1000):
        with recorded_statements() as statements:
            lines = list_events(api, kind="hand.recorded,round.corrected", limit=limit).text.splitlines()
        counts.append(len(statements))
    assert len(lines) == 12
    assert counts[0] == counts[1]


def test_events_are_filtered_by_kind_table_and_round(house: House, api: Api) -> None:
    tables = [add_table(api, name=name) for name in ("one", "two")]
    rounds = [str(open_round(api, table)["id"]) for table in tables]
    for round_id in rounds:
        play(api, round_id, *COMPLETE[:2])
    whole = feed(house, api)
    for query, expected in (
        ({"kind": "hand.recorded"}, lambda event: event["kind"] == "hand.recorded"),
        (
            {"kind": "round.opened,hand.recorded", "limit": 3},
            lambda event: event["kind"] in ("round.opened", "hand.recorded"),
        ),
        ({"table": tables[1]}, lambda event: event["table"] == tables[1]),
        ({"round": rounds[0]}, lambda event: event["round"] == rounds[0]),
        (
            {"table": tables[0], "kind": "hand.recorded"},
            lambda event: event["round"] == rounds[0] and "result" in event,
        ),
        ({"table": tables[0], "round": rounds[1]}, lambda _event: False),
        ({"round": NOBODYS}, lambda _event: False),
    ):
        matches = [event for event in whole if expected(event)]
        assert feed(house, api, **query) == matches[: query.get("limit", 1000)], query
        after = whole[len(whole) // 2]["position"]
        later = [event for event in matches if event["position"] > after]
        assert feed(house, api, after=after, **query) == later[: query.get("limit", 1000)], query
    assert [event["kind"] for event in whole if event["table"] == tables[0]][:2] == ["table.created", "round.opened"]


def test_a_key_for_reading_sees_no_events_of_keys_and_links_and_nothing_of_keys_in_others(house: House) -> None:
    api = house.new_client()
    live(house, api)
    reader, auditor = key_with(house, api, KeyScope.READ), key_with(house, api, KeyScope.AUDIT)
    for_auditors = feed(house, auditor)
    hidden = {kind.value for kind in AUDITED_KINDS}
    assert {event["kind"] for event in for_auditors} & hidden == hidden - {"links.revoked"}
    secrets = {"bytes", "actor", "request_id"}
    expected = [
        {**event, **dict.fromkeys(secrets), "content": without(event["content"], "key")}
        for event in for_auditors
        if event["kind"] not in hidden
    ]
    assert feed(house, reader) == expected
    assert any(event["actor"] for event in for_auditors)
    ids = {event["content"]["key"] for event in for_auditors if event["kind"] == "key.created"}
    seen = json.dumps(feed(house, reader))
    assert [key_id for key_id in ids if key_id in seen] == []
    refused = list_events(reader, kind="hand.recorded,key.created")
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    scorer = key_with(house, api, KeyScope.SCORE)
    assert list_events(scorer).status == 403


def test_pages_of_a_table_continue_after_events_that_are_hidden(house: House, api: Api) -> None:
    table = add_table(api)
    for _ in range(3):
        issued = api.post("/v1/links", {"table": table})
        assert api.delete(f"/v1/links/{issued['id']}").status == 204
    round_id = str(open_round(api, table)["id"])
    play(api, round_id, COMPLETE[0])
    join(house, api)
    reader = key_with(house, api, KeyScope.READ)
    kinds, after = [], 0
    while page := feed(house, reader, table=table, limit=1, after=after):
        kinds.append(page[0]["kind"])
        after = page[0]["position"]
    assert kinds == ["table.created", "round.opened", "hand.recorded"]


def test_two_clubs_see_only_their_own_events(house: House, api: Api, other_api: Api) -> None:
    mine, theirs = start_round(api), start_round(other_api)
    play(api, mine, COMPLETE[0])
    play(other_api, theirs, COMPLETE[0])
    table = api.get(f"/v1/rounds/{mine}")["table"]
    assert feed(house, other_api, round=mine) == feed(house, other_api, table=table) == []
    own, others = feed(house, api), feed(house, other_api)
    assert Counter(event["kind"] for event in own) == Counter(event["kind"] for event in others)
    assert not {event["id"] for event in own} & {event["id"] for event in others}


@pytest.mark.parametrize(
    ("query", "code", "pointer"),
    [
        ("kind=hand.played", "not-a-choice", "#/query/kind"),
        ("kind=", "not-a-choice", "#/query/kind"),
        ("kind=hand.recorded,", "not-a-choice", "#/query/kind"),
        ("kind=" + ",".join(["hand.recorded"] * (len(EventKind) + 1)), "list-length", "#/query/kind"),
        ("kind=hand.recorded&kind=round.closed", "field-twice", "#/query/kind"),
        ("table=kitchen", "not-an-id", "#/query/table"),
        ("round=" + "x" * 36, "not-an-id", "#/query/round"),
        ("after=-1", "out-of-range", "#/query/after"),
        ("since=1", "field-unknown", "#/query/since"),
    ],
)
def test_invalid_filters_are_refused(api: Api, query: str, code: str, pointer: str) -> None:
    refused = api.get(f"/v1/events?{query}")
    assert refused.status == 422
    assert refused.mistakes[pointer] == code


@pytest.fixture
def own_house(embedded_postgres: Server) -> Iterator[House]:
    """A database of the test's own: plans depend on the records of every club in it."""
    with open_house(embedded_postgres) as opened:
        yield opened


def test_a_filtered_poll_reads_an_index_and_not_the_history_of_the_club(own_house: House) -> None:
    house, api = own_house, own_house.new_client()
    database, club = database_of(house), club_of(house, api)
    table, rounds = add_table(api, name="busy"), []
    for _ in range(2):
        rounds.append(str(open_round(api, table)["id"]))
        play(api, rounds[-1], *COMPLETE)
    rare = add_table(api, name="rare")
    for number in range(150):
        api.put(f"/v1/players/player-{number}", {"display_name": f"Player {number}"})
    join(house, api)
    house.change("ANALYZE")
    for selection in (
        EventSelection(10, kinds=("round.opened", "round.closed")),
        EventSelection(10, table_id=UUID(rare)),
        EventSelection(10, kinds=("hand.recorded",), table_id=UUID(table)),
        EventSelection(10, round_id=UUID(rounds[0])),
    ):
        assert count_read(database, club, selection) <= 60, selection
    assert count_read(database, club, EventSelection(1000)) > 150


def count_read(database: Any, club: UUID, selection: EventSelection) -> int:
    """Count the rows that PostgreSQL reads from tables and indexes for a page of the feed."""
    query = select_events(selection)
    values = {
        "club_id": club, "first": 0, "limit": selection.limit, "hidden": [],
        "kinds": None if selection.kinds is None else list(selection.kinds),
        "table_id": selection.table_id, "round_id": selection.round_id,
    }  # as a table  # fmt: skip
    explained = text(f"EXPLAIN (ANALYZE, FORMAT JSON) {query.text}").bindparams(*query._bindparams.values())
    with database.reading(club) as transaction:
        # As in a large club, where reading a whole table is never the cheapest plan.
        transaction.execute(text("SET LOCAL enable_seqscan = off"))
        [[plan]] = transaction.execute(explained, {name: values[name] for name in query._bindparams})
    return sum(rows_of(plan[0]["Plan"]))


def rows_of(plan: Document) -> list[float]:
    read = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0) if "Scan" in plan["Node Type"] else 0
    inner = [rows for each in plan.get("Plans", ()) for rows in rows_of(each)]
    return [read * plan["Actual Loops"], *inner]
