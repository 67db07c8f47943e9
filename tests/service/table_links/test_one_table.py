"""What a link to one table can be used for: the operations of its list, and the records of its table."""

import json
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from uuid_utils.compat import uuid7

from evidence.events import FinalReason
from service.clubs.actions import create_club, create_key
from service.ledger.actions import join_events
from service.rounds.queries import rounds, settlement_states
from service.verification.verify_database import verify_database
from service.wipe import wipe_club
from tests.oracle import PRESETS
from tests.service.http.test_other_clubs import SENT
from tests.service.table_links.linked_table import Played, issue, link_to, play_at, secret_of, table_of
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.api_corrections import SWAPPED, correct
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.import_lines import club_of, database_of
from tests.support.race import at_once
from tests.support.sample_rounds import (
    COMPLETE,
    NOBODYS,
    SIXES,
    THREE,
    close,
    complete_round,
    depart,
    hand,
    open_round,
    operations,
    play,
    record,
    undo,
)

ALLOWED = {
    *("get_link", "get_table", "list_tables", "get_statement", "get_ruleset", "list_rulesets", "list_events"),
    *("open_round", "list_rounds", "get_round", "get_settlement", "get_document", "close_round", "record_departure"),
    *("record_hand", "record_hands", "list_hands", "find_hands", "get_hand", "explain_hand", "undo_hand"),
    *("correct_round", "confirm_settlement"),
}
"""The operations that a scorekeeper's link can be used for."""

WRITING = {
    *("open_round", "close_round", "record_departure", "record_hand", "record_hands", "undo_hand", "correct_round"),
    "confirm_settlement",
}
"""Those of them for which a viewer's link lacks the scope."""

PUBLIC = {"check_health", "check_readiness", "get_contract", "get_metrics", "get_checkpoint", "list_checkpoint_keys"}
BY_TOKEN = {"show_linked_round", "show_linked_hand"}

NDJSON = {"Content-Type": "application/x-ndjson"}


@pytest.fixture(scope="module")
def club(house: House) -> Api:
    return house.new_client()


@pytest.fixture(scope="module")
def mine(club: Api) -> Played:
    return play_at(club, "friday")


@pytest.fixture(scope="module")
def other(club: Api) -> Played:
    """The other table of the same club."""
    return play_at(club, "monday")


@pytest.fixture
def link(house: House, club: Api, mine: Played, other: Played) -> Api:
    assert mine.table != other.table
    return link_to(house, club, mine.table)


# --- operations ---


@pytest.mark.parametrize("kind", ["scorekeeper", "viewer"])
def test_operations_that_are_not_for_links_are_refused(house: House, club: Api, mine: Played, kind: str) -> None:
    link = link_to(house, club, mine.table, kind)
    refused = set()
    for method, path, name in operations(club):
        path = path.replace("{reference}", "turbo").replace("{player}", "ann").replace("{address}", "1")
        if name in PUBLIC | BY_TOKEN:
            continue
        body = {"json": SENT[name]} if SENT.get(name) else {"json": {}} if method in ("POST", "PUT", "PATCH") else {}
        answer = link.ask(method, path.replace("{token}", "x").replace("{number}", "1"), **body)
        if answer.status == 403:
            assert answer["code"] == "scope-missing"
            refused.add(name)
            is_for_links = name in ALLOWED
            assert ("is not for links; expected an API key with the scope" in answer["detail"]) != is_for_links, name
    everything = {name for _, _, name in operations(club)} - PUBLIC - BY_TOKEN
    assert refused == everything - (ALLOWED if kind == "scorekeeper" else ALLOWED - WRITING)


def test_every_operation_of_a_scorekeeper_works_at_the_table(house: House, api: Api) -> None:
    table = table_of(api, "friday", ruleset="pineapple-qq")
    link = link_to(house, api, table)
    round_id = open_round(link, table, SIXES)["id"]
    played = play(link, round_id, hand(1, 1, THREE), hand(2, 2, THREE, top_ups=[{"seat": 3, "points": 20}]))
    assert undo(link, round_id, 2).status == 201
    play(link, round_id, hand(2, 2, THREE))
    corrected = correct(link, round_id, patch=SWAPPED)
    assert corrected.status == 201, corrected
    line = json.dumps({"round": round_id, "dealt_again": True, **hand(3, 3, THREE)}).encode()
    batch = link.ask("POST", "/v1/hands", data=line, headers=NDJSON)
    assert json.loads(batch.text)["status"] == "recorded"
    assert link.post(f"/v1/rounds/{round_id}/confirmations", {"seat": 1}).status == 201
    second = open_round(link, table)["id"]
    play(link, second, hand(1, 1, THREE))
    assert depart(link, second, 3).status == 201
    assert close(link, second).status == 200
    for path in (
        *(f"/v1/rounds/{round_id}{part}" for part in ("", "/settlement", "/document", "/hands")),
        *(f"/v1/hands/{played['id']}{part}" for part in ("", "/explanation")),
        *(f"/v1/tables/{table}{part}" for part in ("", "/statement")),
        "/v1/rulesets/pineapple-qq",
    ):
        assert link.get(path).document == api.get(path).document, path
    check_everywhere(house, api)


def test_a_viewer_reads_the_table_and_changes_nothing(house: House, club: Api, mine: Played) -> None:
    viewer = link_to(house, club, mine.table, "viewer")
    for path in (f"/v1/tables/{mine.table}", f"/v1/rounds/{mine.round}", f"/v1/hands/{mine.hand}", "/v1/rounds"):
        assert viewer.get(path).status == 200, path
    before = house.count_records()
    refused = record(viewer, mine.round, hand(2, 2, THREE))
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    assert "the link 'viewer' has 'read'; expected a key with the scope 'write'" in refused["detail"]
    assert house.count_records() == before


# --- other tables ---


def records_of(played: Played) -> dict[str, str]:
    return {"table_id": played.table, "round_id": played.round, "hand_id": played.hand}


def test_every_object_of_another_table_is_answered_like_an_unknown_one(
    house: House, club: Api, mine: Played, other: Played
) -> None:
    link = link_to(house, club, mine.table)
    unknown = Played(*(str(uuid7()) for _ in range(5)))
    asked = set()
    before = house.count_records()
    for path, item in club.contract["paths"].items():
        for method, operation in item.items():
            name = operation["operationId"] if method != "parameters" else ""
            if name not in ALLOWED or "_id}" not in path:
                continue
            body = {"json": SENT[name]} if SENT.get(name) else {}
            theirs = link.ask(method.upper(), path.format_map(records_of(other)), **body)
            nobodys = link.ask(method.upper(), path.format_map(records_of(unknown)), **body)
            assert theirs.status == nobodys.status == 404, (name, theirs)
            assert without_ids(theirs, other) == without_ids(nobodys, unknown), name
            asked.add(name)
    assert asked >= {"get_table", "open_round", "record_hand", "get_hand", "explain_hand", "correct_round"}
    assert house.count_records() == before


def without_ids(answer: ApiResponse, played: Played) -> str:
    detail = str(answer["detail"])
    for record_id in vars(played).values():
        detail = detail.replace(record_id, "ID")
    return detail


def test_lists_have_the_records_of_one_table(link: Api, mine: Played, other: Played) -> None:
    assert [table["id"] for table in link.get("/v1/tables")["tables"]] == [mine.table]
    assert {each["id"] for each in link.get("/v1/rounds")["rounds"]} >= {mine.round, mine.complete}
    assert {each["table"] for each in link.get("/v1/rounds")["rounds"]} == {mine.table}
    found = link.get("/v1/hands")["hands"]
    assert mine.hand in {each["id"] for each in found}
    assert other.hand not in {each["id"] for each in found}
    for path, name in (
        ("/v1/tables?name=monday", "tables"),
        (f"/v1/rounds?table={other.table}", "rounds"),
        (f"/v1/hands?table={other.table}", "hands"),
    ):
        assert link.get(path)[name] == [], path


def test_cursors_of_another_table_are_unknown(club: Api, link: Api, mine: Played, other: Played) -> None:
    cursor = club.get("/v1/rounds?limit=1")["next_cursor"]
    assert club.get("/v1/rounds?limit=1")["rounds"][0]["id"] == other.round
    assert link.get(f"/v1/rounds?cursor={cursor}").codes == {"not-a-cursor"}


def test_events_are_those_of_one_table(house: House, club: Api, mine: Played, other: Played, link: Api) -> None:
    while join_events(database_of(house), club_of(house, club), None):
        if not house.ask("SELECT 1 FROM waiting_events WHERE club_id = %s", club_of(house, club)):
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
    answer = api.get(path)
    assert answer.status == 200, answer
    return [json.loads(line) for line in answer.text.splitlines()]


def test_hands_of_another_table_are_refused_in_a_batch(house: House, api: Api) -> None:
    mine, other = table_of(api, "friday"), table_of(api, "monday")
    link = link_to(house, api, mine)
    rounds_there = [open_round(api, table, reference="first")["id"] for table in (mine, other)]
    named = [{"table": name, "reference": "first"} for name in ("friday", "monday")]
    for places in (rounds_there, named):
        lines = b"\n".join(json.dumps({"round": place, **hand(1, 1, THREE)}).encode() for place in places)
        answer = link.ask("POST", "/v1/hands", data=lines, headers=NDJSON)
        results = [json.loads(line) for line in answer.text.splitlines()]
        assert [result["status"] for result in results][1] == "refused"
        assert results[0]["status"] in ("recorded", "replayed")
        assert results[1]["problem"]["code"] == "not-found"
    assert api.get(f"/v1/rounds/{rounds_there[1]}")["hands"] == 0


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


# --- final settlements ---


def test_a_link_corrects_provisional_settlements_and_no_final_ones(house: House, api: Api) -> None:
    round_id = complete_round(api)
    link = link_to(house, api, str(api.get(f"/v1/rounds/{round_id}")["table"]))
    assert api.get(f"/v1/rounds/{round_id}")["state"] == "provisional"
    assert correct(link, round_id, patch=SWAPPED).status == 201
    for seat in (1, 2, 3):
        assert link.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat}).status == 201
    assert api.get(f"/v1/rounds/{round_id}")["state"] == "final"
    before = house.count_records()
    refused = correct(link, round_id, patch=[{"op": "replace", "path": "/seats/0/player", "value": "dan"}])
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    assert "expected a key with the scope 'correct-final'" in refused["detail"]
    assert (undo(link, round_id, 3).status, undo(link, round_id, 3)["code"]) == (409, "undo-refused")
    assert house.count_records() == before


# --- retries ---


def test_a_retry_with_the_same_idempotency_key_returns_the_first_response(house: House, api: Api) -> None:
    table = table_of(api)
    link = link_to(house, api, table)
    asked = {"json": {"seats": [{"seat": 1, "player": "ann", "stack": 5}, {"seat": 2, "player": "bob", "stack": 5}]}}
    headers = {"Idempotency-Key": "evening-1"}
    first = link.ask("POST", f"/v1/tables/{table}/rounds", headers=headers, **asked)
    second = link.ask("POST", f"/v1/tables/{table}/rounds", headers=headers, **asked)
    assert (replayed(first), replayed(second), first.text) == (False, True, second.text)
    changed = link.ask("POST", f"/v1/tables/{table}/rounds", headers=headers, json={"seats": []})
    assert changed.status == 422


def test_a_link_gets_no_stored_response_of_another_table(house: House, api: Api) -> None:
    mine, other = table_of(api, "friday"), table_of(api, "monday")
    link = link_to(house, api, mine)
    round_id = open_round(api, other)["id"]
    asked = {"json": hand(1, 1, THREE), "headers": {"Idempotency-Key": "hand-1"}}
    assert api.ask("POST", f"/v1/rounds/{round_id}/hands", **asked).status == 201
    assert link.ask("POST", f"/v1/rounds/{round_id}/hands", **asked).status == 404
    mine_round = open_round(link, mine)["id"]
    assert link.ask("POST", f"/v1/rounds/{mine_round}/hands", **asked).status == 201
    assert api.ask("POST", f"/v1/rounds/{round_id}/hands", **asked).headers["Idempotent-Replayed"] == "true"


def test_two_links_that_record_the_same_hand_at_once_record_it_once(house: House, api: Api) -> None:
    table = table_of(api)
    links = [link_to(house, api, table, label=f"phone {number}") for number in range(4)]
    round_id = open_round(links[0], table)["id"]
    for played in COMPLETE:
        answers = at_once(*(partial(record, each, round_id, played) for each in links))
        assert {answer.status for answer in answers} == {201}
        assert len({answer["id"] for answer in answers}) == 1
        assert sorted(map(replayed, answers)) == [False, True, True, True]
    assert api.get(f"/v1/rounds/{round_id}")["hands"] == 3
    check_everywhere(house, api)


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


def test_links_and_keys_do_not_disturb_each_other_on_shared_connections(
    house: House, club: Api, mine: Played, other: Played
) -> None:
    links = [link_to(house, club, each.table) for each in (mine, other)]
    expected = [{mine.table}, {other.table}, {each["id"] for each in club.get("/v1/tables")["tables"]}]

    def look(api: Api) -> list[set[str]]:
        return [{each["id"] for each in api.get("/v1/tables")["tables"]} for _ in range(15)]

    seen = at_once(*(partial(look, each) for each in (*links, club)))
    assert seen == [[tables] * 15 for tables in expected]


HIDDEN = ("api_keys", "players", "link_secrets", "round_statistics", "jobs")


def test_a_transaction_of_one_table_sees_no_rows_of_others(house: House, club: Api, mine: Played) -> None:
    club.put("/v1/players/ann", {"display_name": "Ann"})
    club.post(f"/v1/rounds/{mine.round}/links", {"expires_in": 60})
    with database_of(house).session() as session:
        transaction = session.reading(club_of(house, club), UUID(mine.table))
        for table in ("rounds", "round_heads", "disputes"):
            found = transaction.execute(text(f"SELECT DISTINCT table_id FROM {table}")).scalars().all()
            assert list(map(str, found)) == [mine.table], table
        hands = "SELECT DISTINCT round.table_id FROM hands JOIN rounds AS round ON round.id = hands.round_id"
        assert list(map(str, transaction.execute(text(hands)).scalars())) == [mine.table]
        every = transaction.execute(text("SELECT count(*) FROM hands")).scalar_one()
        assert every == 4
        for table in HIDDEN:
            assert transaction.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0, table


# --- wipes and verification ---


def test_a_wipe_of_a_test_club_removes_its_links(house: House) -> None:
    name = f"club {uuid7()}"
    made = create_club(house.owner, name, is_test=True)
    api = Api(house.app, create_key(house.owner, made, name="first").secret)
    played = play_at(api, "friday")
    link = link_to(house, api, played.table)
    assert link.get("/v1/link").status == 200
    wipe_club(house.owner, name)
    assert house.ask("SELECT count(*) FROM table_links WHERE club_id = %s", made.id) == [(0,)]
    assert link.get("/v1/link").status == 401
    assert [page for page in verify_database(house.owner, [made.id]) if page.findings] == []


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ("label = 'Ben''s phone'", "label"),
        ("kind = 'viewer'", "kind"),
        ("scopes = '{read}'", "scopes"),
        ("expires_at = expires_at + interval '1 year'", "expires_at"),
        ("revoked_at = now()", "revoked_at"),
        ("secret_sha256 = sha256('mine')", "secret_sha256"),
    ],
)
def test_verification_finds_a_changed_link(house: House, api: Api, change: str, column: str) -> None:
    issued = issue(api, table_of(api), kind="scorekeeper", label="Anna's phone")
    club = club_of(house, api)
    assert [page for page in verify_database(house.owner, [club]) if page.findings] == []
    house.change(f"UPDATE table_links SET {change} WHERE id = %s", issued["id"])
    findings = [finding for page in verify_database(house.owner, [club]) for finding in page.findings]
    assert [(finding.table, finding.column) for finding in findings] == [("table_links", column)]
    assert secret_of(issued) not in str(findings)


def test_a_final_settlement_of_the_window_is_not_corrected_by_a_link(house: House, api: Api) -> None:
    round_id = complete_round(api)
    link = link_to(house, api, str(api.get(f"/v1/rounds/{round_id}")["table"]))
    with database_of(house).transaction(club_of(house, api)) as transaction:
        settlement_states.finalize(transaction, rounds.lock(transaction, UUID(round_id)), FinalReason.WINDOW)
    assert correct(link, round_id, patch=SWAPPED).status == 403
