"""What a link can see: the records of its table, and none of others."""

import json
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlalchemy import text
from uuid_utils.compat import uuid7

from service.audit_trail.actions import join_events
from service.clubs.actions import create_key, revoke_key
from service.clubs.queries import keys
from service.clubs.queries.clubs import StoredClub
from tests.oracle import PRESETS
from tests.service.http.test_other_clubs import SENT
from tests.service.links.linked_table import (
    ALLOWED,
    NDJSON,
    Played,
    issue,
    link_to,
    play_at,
    secret_of,
    table_of,
)
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.import_lines import club_of, database_of
from tests.support.race import at_once
from tests.support.sample_rounds import (
    NOBODYS,
    THREE,
    hand,
    open_round,
)


def records_of(played: Played) -> dict[str, str]:
    return {
        "table_id": played.table,
        "round_id": played.round,
        "hand_id": played.hand,
        "device_id": played.round,
        "payment_id": played.payment,
        "payment_claim_id": played.claim,
    }


def test_every_object_of_another_table_is_refused_like_an_unknown_one(
    house: House, club: Api, mine: Played, other: Played
) -> None:
    link = link_to(house, club, mine.table)
    unknown = Played(*(str(uuid7()) for _ in range(7)))
    called = set()
    before = house.count_records()
    for path, item in club.contract["paths"].items():
        for method, operation in item.items():
            name = operation["operationId"] if method != "parameters" else ""
            if name not in ALLOWED or "_id}" not in path:
                continue
            body = {"json": SENT[name]} if SENT.get(name) else {}
            theirs = link.request(method.upper(), path.format_map(records_of(other)), **body)
            nobodys = link.request(method.upper(), path.format_map(records_of(unknown)), **body)
            assert theirs.status == nobodys.status == 404, (name, theirs)
            assert without_ids(theirs, other) == without_ids(nobodys, unknown), name
            called.add(name)
    assert called >= {"get_table", "open_round", "record_hand", "get_hand", "reverse_payment", "confirm_payment_claim"}
    assert house.count_records() == before


def without_ids(response: ApiResponse, played: Played) -> str:
    detail = str(response["detail"])
    for record_id in vars(played).values():
        detail = detail.replace(record_id, "ID")
    return detail


def test_lists_have_the_records_of_one_table(link: Api, mine: Played, other: Played) -> None:
    assert [table["id"] for table in link.get("/v1/tables")["tables"]] == [mine.table]
    assert {each["id"] for each in link.get("/v1/rounds")["rounds"]} >= {mine.round, mine.complete}
    assert {each["table"] for each in link.get("/v1/rounds")["rounds"]} == {mine.table}
    hands = link.get("/v1/hands")["hands"]
    assert mine.hand in {each["id"] for each in hands}
    assert other.hand not in {each["id"] for each in hands}
    for path, name in (
        ("/v1/tables?name=monday", "tables"),
        (f"/v1/rounds?table={other.table}", "rounds"),
        (f"/v1/hands?table={other.table}", "hands"),
    ):
        assert link.get(path)[name] == [], path


def test_the_statement_of_the_club_has_the_results_of_one_table(
    club: Api, link: Api, mine: Played, other: Played
) -> None:
    def tables_of(api: Api, query: str = "") -> set[str]:
        players = api.get(f"/v1/statement{query}")["players"]
        return {table["table"] for player in players for table in player["tables"]}

    assert tables_of(club) >= {mine.table, other.table}
    assert tables_of(link) == tables_of(link, f"?tables={mine.table}") == {mine.table}
    theirs, nobodys = (link.get(f"/v1/statement?tables={table}") for table in (other.table, NOBODYS))
    assert (theirs.status, theirs.document) == (nobodys.status, nobodys.document) == (200, theirs.document)
    assert theirs["rounds"] == 0
    csv = link.request("GET", "/v1/statement", headers={"Accept": "text/csv"})
    assert csv.status == 200
    assert {line.split(",")[1] for line in csv.text.splitlines()[1:]} == {"friday"}


def test_cursors_of_another_table_are_unknown(club: Api, link: Api, mine: Played, other: Played) -> None:
    cursor = club.get("/v1/rounds?limit=1")["next_cursor"]
    assert club.get("/v1/rounds?limit=1")["rounds"][0]["id"] == other.round
    assert link.get(f"/v1/rounds?cursor={cursor}").codes == {"not-a-cursor"}


def test_events_are_those_of_one_table(house: House, club: Api, mine: Played, other: Played, link: Api) -> None:
    while join_events(database_of(house), club_of(house, club), None):
        if not house.query("SELECT 1 FROM waiting_events WHERE club_id = %s", club_of(house, club)):
            break
    everything = listed(club, "/v1/events?limit=1000")
    assert {event["table"] for event in everything} >= {mine.table, other.table}
    seen = listed(link, "/v1/events?limit=1000")
    visible = [event for event in everything if event["table"] == mine.table]
    assert [event["position"] for event in seen] == [event["position"] for event in visible]
    assert {"round.opened", "hand.recorded"} <= {event["kind"] for event in seen}
    for query in (f"table={other.table}", f"round={other.round}", f"table={other.table}&kind=hand.recorded"):
        assert listed(link, f"/v1/events?{query}") == [], query
    assert listed(link, f"/v1/events?round={mine.round}") != []
    assert {event["round"] for event in listed(link, "/v1/events?kind=hand.recorded")} == {mine.round, mine.complete}


def listed(api: Api, path: str) -> list[dict[str, Any]]:
    response = api.get(path)
    assert response.status == 200, response
    return [json.loads(line) for line in response.text.splitlines()]


def test_hands_of_another_table_are_refused_in_a_batch(house: House, api: Api) -> None:
    mine, other = table_of(api, "friday"), table_of(api, "monday")
    link = link_to(house, api, mine)
    rounds_there = [open_round(api, table, reference="first")["id"] for table in (mine, other)]
    named = [{"table": name, "reference": "first"} for name in ("friday", "monday")]
    for places in (rounds_there, named):
        lines = b"\n".join(json.dumps({"round": place, **hand(1, 1, THREE)}).encode() for place in places)
        response = link.request("POST", "/v1/hands", data=lines, headers=NDJSON)
        results = [json.loads(line) for line in response.text.splitlines()]
        assert [result["status"] for result in results][1] == "refused"
        assert results[0]["status"] in ("recorded", "replayed")
        assert results[1]["problem"]["code"] == "not-found"
    assert api.get(f"/v1/rounds/{rounds_there[1]}")["hands"] == 0


def test_a_link_gets_no_stored_response_of_another_table(house: House, api: Api) -> None:
    mine, other = table_of(api, "friday"), table_of(api, "monday")
    link = link_to(house, api, mine)
    round_id = open_round(api, other)["id"]
    options = {"json": hand(1, 1, THREE), "headers": {"Idempotency-Key": "hand-1"}}
    assert api.request("POST", f"/v1/rounds/{round_id}/hands", **options).status == 201
    assert link.request("POST", f"/v1/rounds/{round_id}/hands", **options).status == 404
    mine_round = open_round(link, mine)["id"]
    assert link.request("POST", f"/v1/rounds/{mine_round}/hands", **options).status == 201
    assert api.request("POST", f"/v1/rounds/{round_id}/hands", **options).headers["Idempotent-Replayed"] == "true"


def test_a_custom_ruleset_of_another_table_is_not_visible(house: House, api: Api) -> None:
    for name in ("saturday", "sunday"):
        assert api.post("/v1/rulesets", {**PRESETS["pineapple"], "name": name}).status == 201
    link = link_to(house, api, table_of(api, "friday", ruleset="saturday"))
    table_of(api, "monday", ruleset="sunday")
    names = {ruleset["name"] for ruleset in link.get("/v1/rulesets")["rulesets"]}
    assert "saturday" in names
    assert "sunday" not in names
    assert [link.get(f"/v1/rulesets/{name}").status for name in ("saturday@1", "sunday@1", "turbo")] == [200, 404, 200]


def test_records_of_another_club_are_not_found(house: House, link: Api, other_api: Api) -> None:
    theirs = play_at(other_api, "friday")
    for path in (f"/v1/tables/{theirs.table}", f"/v1/rounds/{theirs.round}", f"/v1/hands/{theirs.hand}"):
        assert link.get(path).status == 404
    assert theirs.table not in {each["id"] for each in link.get("/v1/tables")["tables"]}


# --- the setting of the transaction ---


def test_the_table_of_a_link_does_not_leak_to_the_next_transaction(
    house: House, club: Api, mine: Played, other: Played, link: Api
) -> None:
    pool = database_of(house)
    every = {each["id"] for each in club.get("/v1/tables")["tables"]}
    assert {mine.table, other.table} <= every
    for _ in range(20):
        assert [each["id"] for each in link.get("/v1/tables")["tables"]] == [mine.table]
        assert link.post(f"/v1/rounds/{NOBODYS}/close", {"reason": "late"}).status == 404
        assert {each["id"] for each in club.get("/v1/tables")["tables"]} == every
    with pool.session() as session:
        transaction = session.reading(club_of(house, club), UUID(mine.table))
        seen = transaction.execute(text("SELECT current_table(), count(*) FROM tables")).one()
        assert tuple(seen) == (UUID(mine.table), 1)
    with pool.session() as session:
        transaction = session.reading(club_of(house, club))
        assert transaction.execute(text("SELECT current_table()")).scalar_one() is None


def test_a_secret_sets_the_club_and_the_table_of_its_transaction(house: House, club: Api, mine: Played) -> None:
    settings = text("SELECT current_club(), current_table(), count(DISTINCT table_id) FROM round_heads")
    link = issue(club, mine.table, kind="scorekeeper")
    issuer = create_key(house.owner, StoredClub(club_of(house, club), "", datetime.now(UTC)), name="issuer")
    ended = issue(Api(house.app, issuer.secret), mine.table, kind="scorekeeper")
    revoke_key(house.owner, issuer.key.prefix)
    expected = {
        secret_of(link): (club_of(house, club), UUID(mine.table), 1),
        secret_of(ended): (None, None, 0),
        issuer.secret: (None, None, 0),
    }
    for secret, seen in expected.items():
        for is_reading in (True, False):
            with database_of(house).session() as session:
                _, begun = keys.begin(session, sha256(secret.encode()).digest(), is_reading=is_reading)
                assert tuple(begun.connection.execute(settings).one()) == seen


def test_links_and_keys_do_not_disturb_each_other_on_shared_connections(
    house: House, club: Api, mine: Played, other: Played
) -> None:
    links = [link_to(house, club, each.table) for each in (mine, other)]
    expected = [{mine.table}, {other.table}, {each["id"] for each in club.get("/v1/tables")["tables"]}]

    def look(api: Api) -> list[set[str]]:
        return [{each["id"] for each in api.get("/v1/tables")["tables"]} for _ in range(15)]

    seen = at_once(*(partial(look, each) for each in (*links, club)))
    assert seen == [[tables] * 15 for tables in expected]


HIDDEN = ("api_keys", "players", "jobs", "units")


def test_a_transaction_of_one_table_sees_no_rows_of_others(house: House, club: Api, mine: Played) -> None:
    club.put("/v1/players/ann", {"display_name": "Ann"})
    assert club.post("/v1/units", {"code": "chips", "name": "Chips", "digits": 0}).status == 201
    with database_of(house).session() as session:
        transaction = session.reading(club_of(house, club), UUID(mine.table))
        for table in ("rounds", "round_heads", "disputes", "player_rounds", "player_opponents"):
            ids = transaction.execute(text(f"SELECT DISTINCT table_id FROM {table}")).scalars().all()
            assert list(map(str, ids)) == [mine.table], table
        hands = "SELECT DISTINCT round.table_id FROM hands JOIN rounds AS round ON round.id = hands.round_id"
        assert list(map(str, transaction.execute(text(hands)).scalars())) == [mine.table]
        every = transaction.execute(text("SELECT count(*) FROM hands")).scalar_one()
        assert every == 4
        for table in HIDDEN:
            assert transaction.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0, table
