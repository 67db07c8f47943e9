"""Many connections at once to a real server: each change is made once, and no point is lost."""

import json
import socket
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

import httpx2
import pytest

from tests.oracle import PRESETS, play, random_document
from tests.support.api_settlements import without_players
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    SIXES,
    THREE,
    TWO,
    Document,
    changed,
    document_of,
    hand,
    seats,
    without,
)
from tests.support.server_process import wait_until
from tests.support.shared_server import Served

CONNECTIONS = 20


def statuses(responses: list[httpx2.Response]) -> list[int]:
    return sorted(response.status_code for response in responses)


def replays(responses: Sequence[httpx2.Response]) -> int:
    return sum(response.headers.get("Idempotent-Replayed") == "true" for response in responses)


# --- hands ---


def test_of_two_hands_with_one_number_sent_at_once_one_is_recorded(served: Served) -> None:
    for _ in range(8):
        path = f"/v1/rounds/{served.new_round()}/hands"
        one, other = hand(1, 1, THREE), hand(1, 1, {1: LOW, 2: MID, 3: HIGH})
        responses = served.at_once((path, one), (path, other))
        assert statuses(responses) == [201, 409]
        first, second = sorted(responses, key=lambda response: response.status_code)
        assert second.json()["code"] == "hand-conflict"
        recorded = {**without(first.json(), "round", "metadata"), "corrected": False}
        assert served.get(path)["hands"] == [recorded]


def check_processed_once(
    responses: Sequence[httpx2.Response], later: Sequence[httpx2.Response], *, has_key: bool
) -> None:
    """Check that one of equal requests was processed, and that those that met it in progress can be retried."""
    processed = [response for response in responses if response.is_success]
    refused = [response for response in responses if not response.is_success]
    assert replays(processed) == len(processed) - 1
    assert replays(later) == len(later)
    assert {response.content for response in (*processed, *later)} == {processed[0].content}
    for response in refused:
        assert (response.status_code, response.json()["code"]) == (409, "idempotency-key-in-use")
        assert int(response.headers["Retry-After"]) >= 1
    assert has_key or not refused


@pytest.mark.parametrize("key", [None, "3f1c8b4e-hand"], ids=["its own identity", "an idempotency key"])
def test_the_same_hand_sent_twenty_times_at_once_is_one_hand(served: Served, key: str | None) -> None:
    round_id = served.new_round()
    path = f"/v1/rounds/{round_id}/hands"
    sent = [(path, hand(1, 1, THREE))] * CONNECTIONS
    responses = served.at_once(*sent, retry_key=key)
    check_processed_once(responses, served.at_once(sent[0], retry_key=key), has_key=key is not None)
    assert len({response.headers["Request-Id"] for response in responses}) == CONNECTIONS
    for table in ("hands", "hand_scores"):
        assert served.records.query(f"SELECT count(*) FROM {table} WHERE round_id = %s", round_id) == [(1,)]
    assert served.get(f"/v1/rounds/{round_id}")["version"] == 2


@pytest.mark.parametrize(
    ("path", "document"), [("departures", {"seat": 3}), ("close", {"reason": "late"}), ("undo", {"number": 1})]
)
def test_requests_with_the_same_idempotency_key_at_once_are_processed_once(
    served: Served, path: str, document: Document
) -> None:
    round_id = served.new_round("pineapple-qq")
    played = served.post(f"/v1/rounds/{round_id}/hands", hand(1, 1, THREE))
    assert played.status_code == 201
    body = {**document, "hand": played.json()["id"]} if path == "undo" else document
    requests = [(f"/v1/rounds/{round_id}/{path}", body)] * CONNECTIONS
    key = f"once-{round_id}"
    responses = served.at_once(*requests, retry_key=key)
    check_processed_once(responses, served.at_once(requests[0], retry_key=key), has_key=True)
    assert served.get(f"/v1/rounds/{round_id}")["version"] == 3


def test_two_consecutive_hands_at_once_are_recorded_in_order(served: Served) -> None:
    for _ in range(6):
        round_id = served.new_round()
        path = f"/v1/rounds/{round_id}/hands"
        next_hand = hand(2, 2, {1: LOW, 2: MID, 3: HIGH})
        first, second = served.at_once((path, hand(1, 1, THREE)), (path, next_hand))
        assert first.status_code == 201
        assert second.status_code in (201, 409)
        assert len(served.get(path)["hands"]) == (2 if second.status_code == 201 else 1)
        if second.status_code == 409:
            assert served.post(path, next_hand).status_code == 201


# --- rounds ---


def test_of_two_rounds_opened_at_once_at_one_table_one_is_opened(served: Served) -> None:
    for _ in range(8):
        path = f"/v1/tables/{served.new_table()}/rounds"
        one, other = {"seats": seats(SIXES)}, {"seats": seats({1: "dan 5", 2: "eve 5"})}
        responses = served.at_once((path, one), (path, other))
        assert statuses(responses) == [201, 409]
        assert {response.json().get("code") for response in responses} == {None, "round-open"}


def test_a_round_opened_twenty_times_at_once_by_its_reference_is_one_round(served: Served) -> None:
    table = served.new_table()
    opening = {"seats": seats(SIXES), "reference": "friday/1"}
    responses = served.at_once(*[(f"/v1/tables/{table}/rounds", opening)] * CONNECTIONS)
    assert statuses(responses) == [201] * CONNECTIONS
    assert replays(responses) == CONNECTIONS - 1
    assert len({response.json()["id"] for response in responses}) == 1
    assert len(served.get(f"/v1/rounds?table={table}")["rounds"]) == 1


@pytest.mark.parametrize("what", ["close", "departures"])
def test_a_hand_and_a_closing_at_once_are_serialized(served: Served, what: str) -> None:
    outcomes = Counter[tuple[int, int]]()
    for _ in range(8):
        round_id = served.new_round("pineapple-qq")
        hands = f"/v1/rounds/{round_id}/hands"
        assert served.post(hands, hand(1, 1, THREE)).status_code == 201
        end: Document = {"reason": "late"} if what == "close" else {"seat": 3}
        played, ended = served.at_once(
            (hands, hand(2, 2, THREE, dealt_again=True)), (f"/v1/rounds/{round_id}/{what}", end)
        )
        outcomes[played.status_code, ended.status_code] += 1
        document = served.get(f"/v1/rounds/{round_id}/document")
        after = len(document["hands"])
        assert after == (2 if played.status_code == 201 else 1)
        assert after == (document["closed"] or document["departures"][0])["after_hand"]
    allowed = {(201, 200), (409, 200)} if what == "close" else {(201, 201), (422, 201)}
    assert set(outcomes) <= allowed


def test_two_closings_at_once_are_stored_once(served: Served) -> None:
    for path, document, right in (("close", {"reason": "late"}, 200), ("departures", {"seat": 3}, 201)):
        round_id = served.new_round("pineapple-qq")
        served.post(f"/v1/rounds/{round_id}/hands", hand(1, 1, THREE))
        responses = served.at_once(*[(f"/v1/rounds/{round_id}/{path}", document)] * 5)
        assert (statuses(responses), replays(responses)) == ([right] * 5, 4)
        assert served.get(f"/v1/rounds/{round_id}")["version"] == 3


# --- documents ---


@pytest.mark.parametrize("reference", [{"reference": "friday/1"}, {}])
def test_the_same_document_sent_ten_times_at_once_is_one_round(served: Served, reference: Document) -> None:
    table = f"made by a document {len(reference)}"
    document = document_of(hands=[hand(1, 1, THREE), hand(2, 2, THREE)], **reference, table=table)
    responses = served.at_once(*[("/v1/documents", document)] * 10)
    assert statuses(responses) == [201] * 10
    assert replays(responses) == 9
    assert all(response.json() == responses[0].json() for response in responses)
    table_id = responses[0].json()["round"]["table"]
    assert len(served.get(f"/v1/rounds?table={table_id}")["rounds"]) == 1
    assert served.records.query("SELECT count(*) FROM tables WHERE name = %s", table) == [(1,)]


def test_documents_for_one_new_table_sent_at_once_share_it(served: Served) -> None:
    documents = [
        document_of(sitting={1: f"ann {stack}", 2: "bob 50"}, hands=[hand(1, 1, TWO), hand(2, 2, TWO)], table="shared")
        for stack in range(100, 110)
    ]
    responses = served.at_once(*[("/v1/documents", document) for document in documents])
    assert statuses(responses) == [201] * 10
    assert replays(responses) == 0
    assert len({response.json()["round"]["table"] for response in responses}) == 1
    assert len({response.json()["round"]["id"] for response in responses}) == 10


def test_a_document_and_its_table_at_once_cause_no_internal_error(served: Served) -> None:
    for number in range(5):
        name = f"contended {number}"
        document = document_of(hands=[hand(1, 1, THREE)], table=name)
        table = {"name": name, "ruleset": "progressive"}
        responses = served.at_once(("/v1/documents", document), ("/v1/tables", table), ("/v1/tables", table))
        assert all(response.status_code in (201, 409) for response in responses)
        assert served.post("/v1/documents", document).status_code == 201
        assert served.records.query("SELECT count(*) FROM tables WHERE name = %s", name) == [(1,)]


# --- rulesets ---


def test_a_ruleset_added_ten_times_at_once_is_one_version(served: Served) -> None:
    own = without(changed(PRESETS["pineapple"], ("name", "contended")), "version")
    responses = served.at_once(*[("/v1/rulesets", own)] * 10)
    assert statuses(responses) == [201] * 10
    assert all(response.json() == responses[0].json() for response in responses)
    others = [changed(own, ("points/scoop_bonus", bonus)) for bonus in range(10, 18)]
    responses = served.at_once(*[("/v1/rulesets", other) for other in others])
    stored = [response.json() for response in responses if response.status_code == 201]
    assert sorted(ruleset["version"] for ruleset in stored) == list(range(2, 2 + len(stored)))
    for ruleset in stored:
        assert served.get(f"/v1/rulesets/contended@{ruleset['version']}") == ruleset
    assert set(statuses(responses)) <= {201, 409}


def test_tables_set_up_at_once_share_the_preset_that_the_club_uses_for_the_first_time(served: Served) -> None:
    tables = [{"name": f"classic {number}", "ruleset": "classic"} for number in range(10)]
    assert statuses(served.at_once(*[("/v1/tables", table) for table in tables])) == [201] * 10
    assert served.records.query("SELECT count(*) FROM rulesets WHERE name = 'classic'") == [(1,)]


# --- slow senders ---


def test_slow_clients_hold_no_transaction_open(served: Served) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    body = json.dumps({"name": "slow", "ruleset": "pineapple"}).encode()
    head = "POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    head += f"Authorization: {served.headers['Authorization']}\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=20) as client:
        client.sendall(head.encode() + body[:10])
        time.sleep(0.5)
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"
        )
        assert wait_until(lambda: served.records.query(waiting) == [(0,)], 5)
        client.sendall(body[10:])
        assert client.recv(1000).startswith(b"HTTP/1.1 201")


# --- everything at once ---


def test_hands_from_twenty_connections_are_all_recorded_and_no_point_is_lost(served: Served) -> None:
    rounds = [round_to_play(number) for number in range(50)]
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        ids = list(pool.map(lambda round_: play_by_hand(served, round_), rounds))
    recorded = {
        str(round_id): (opening, added, now, hands)
        for round_id, opening, added, now, hands in served.records.query(
            "SELECT h.round_id, points_sum(h.opening_stacks), points_sum(h.top_ups), points_sum(h.stacks),"
            " (SELECT count(*) FROM hands WHERE hands.round_id = h.round_id)"
            " FROM round_heads h WHERE h.round_id::text = ANY(%s)",
            ids,
        )
    }
    assert len(recorded) == 50
    for round_id, document in zip(ids, rounds, strict=True):
        opening, added, now, hands = recorded[round_id]
        assert now == opening + added
        assert hands == len(document["hands"])
        expected = play(document, PRESETS[document["ruleset"].partition("@")[0]])["settlement"]
        settled = without_players(served.get(f"/v1/rounds/{round_id}/settlement"))
        assert {part: settled[part] for part in expected} == {**expected, "money": None}


def round_to_play(number: int) -> Document:
    """A random round without departures, so that it is its hands alone, and without money."""
    for attempt in range(100):
        rng = Random(f"{number} {attempt}")
        document = random_document(rng, PRESETS[list(PRESETS)[number % len(PRESETS)]])
        if not document["departures"] and "closed" not in document and document["hands"]:
            return without(document, "point_value", "unit", "departures")
    raise AssertionError("every random round has departures or is closed")


def play_by_hand(served: Served, document: Document) -> str:
    """Post a round hand by hand over one connection, every third hand twice."""
    with served.connect() as client:
        table = client.post("/v1/tables", json={"name": document["table"], "ruleset": document["ruleset"]}).json()
        opened = client.post(f"/v1/tables/{table['id']}/rounds", json={"seats": document["seats"]}).json()
        for played in document["hands"]:
            for _ in range(2 if played["number"] % 3 == 0 else 1):
                response = client.post(f"/v1/rounds/{opened['id']}/hands", json=played)
                assert response.status_code == 201, response.text
    return str(opened["id"])
