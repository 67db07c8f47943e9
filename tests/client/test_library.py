"""Operations of the Python client with many hands and rounds, and with players."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from client import ApiError, Client, NotModified, TransportError
from client.calls import MOST_BYTES, split_lines
from tests.support.client.faulty_server import build_response, faulty
from tests.support.sample_rounds import THREE, document_of, hand

NDJSON = "application/x-ndjson"


def document(table: str, reference: str) -> dict[str, Any]:
    return document_of(
        table=table,
        sitting={1: "ann 100", 2: "bob 100", 3: "cyd 100"},
        hands=[hand(1, 1, THREE)],
        closed={"after_hand": 1, "reason": "midnight"},
        reference=reference,
    )


def test_hands_of_several_rounds_are_recorded_in_one_call(client: Client, table: str) -> None:
    added = client.add_table({"name": table, "ruleset": "pineapple"})
    seats = document(table, "1")["seats"]
    first = client.open_round(added.id, {"seats": seats, "reference": "1"})
    played = hand(1, 1, THREE)
    results = client.record_hands([{"round": {"table": table, "reference": "1"}, **played}])
    assert [(result.line, result.status, result.round) for result in results] == [(1, "recorded", first.id)]
    assert results[0].hand is not None
    assert results[0].hand.round.hands == 1
    again = client.record_hands([{"round": first.id, **played}, {"round": first.id, **played, "number": 9}])
    assert [result.status for result in again] == ["replayed", "refused"]
    assert client.record_hands([]) == []


def test_lines_are_split_into_requests_and_numbered_through() -> None:
    page = build_response(200, '{"line": 1, "status": "replayed"}\n', NDJSON)
    with faulty(page) as server, Client(server.url) as client:
        results = client.record_hands([{"round": "1", "number": number} for number in range(501)])
        assert server.requests == ["POST /v1/hands"] * 2
        assert [result.line for result in results] == [1, 2]


def test_request_bodies_are_limited_to_one_mebibyte() -> None:
    large = {"round": "x" * 400_000}
    assert [len(body.splitlines()) for body in split_lines([large, large, large])] == [2, 1]
    assert all(len(body) <= MOST_BYTES for body in split_lines([large, large, large]))


@pytest.mark.parametrize("body", ["<h1>Welcome</h1>", "[1]\n"])
def test_lines_from_another_server_are_rejected(body: str) -> None:
    expected = pytest.raises(TransportError, match="which is not a response of Tablestakes")
    with faulty(build_response(200, body, NDJSON)) as server, Client(server.url) as client, expected:
        client.record_hands([{}])


def test_rounds_are_imported_and_listed_as_documents(client: Client, table: str) -> None:
    job = client.import_documents([document(table, "1"), document(table, "2"), {"table": table}], is_provisional=True)
    assert job.state == "succeeded"
    assert [result["status"] for result in client.list_import_results(job.id)] == ["stored", "stored", "refused"]
    record = client.find_table(table)
    assert record is not None
    documents = list(client.list_documents(table=record.id, limit="1"))
    assert [each["reference"] for each in documents] == ["1", "2"]
    assert json.loads(json.dumps(documents[0]))["hands"][0]["number"] == 1
    rounds = client.list_rounds(table=record.id, limit="1")
    assert {round_.state for round_ in rounds} == {"provisional"}


def test_threads_share_a_client(client: Client, table: str) -> None:
    def play(number: int) -> Any:
        added = client.add_table({"name": f"{table} {number}", "ruleset": "pineapple"})
        opened = client.open_round(added.id, {"seats": document(table, "1")["seats"]})
        return client.record_hand(opened.id, hand(1, 1, THREE)).round.table, added.id

    with ThreadPoolExecutor(8) as pool:
        played = list(pool.map(play, range(16)))
    assert all(recorded == added for recorded, added in played)
    assert len(set(played)) == 16


def test_display_names_are_set_listed_and_erased(client: Client) -> None:
    player = f"ann/{uuid4()}"
    assert client.name_player(player, {"display_name": "Ann"}).display_name == "Ann"
    assert client.get_player(player).player == player
    assert player in [each.player for each in client.list_players()]
    client.erase_player(player)
    with pytest.raises(ApiError) as refused:
        client.get_player(player)
    assert (refused.value.status, refused.value.code, refused.value.errors) == (404, "not-found", [])
    assert refused.value.request_id


def test_what_has_not_changed_is_not_sent_again(client: Client, table: str) -> None:
    added = client.add_table({"name": table, "ruleset": "pineapple"})
    opened = client.open_round(added.id, {"seats": document(table, "1")["seats"]})
    first = client.get_round(opened.id)
    assert first.etag is not None
    with pytest.raises(NotModified):
        client.get_round(opened.id, if_none_match=first.etag)
    pages = client.list_rounds(table=added.id)
    assert [round_.id for round_ in pages] == [opened.id]
    with pytest.raises(NotModified):
        next(client.list_rounds(table=added.id, if_none_match=pages.etag))
    client.close_round(opened.id, {"reason": "late"})
    client.open_round(added.id, {"seats": document(table, "1")["seats"]})
    parts = client.list_rounds(table=added.id, limit=1)
    assert len(list(parts)) == 2
    with pytest.raises(NotModified):
        next(client.list_rounds(table=added.id, limit=1, if_none_match=parts.etag))
    assert client.get_round(opened.id, if_none_match=first.etag).status == "closed"


def test_a_dry_run_records_nothing(client: Client, table: str) -> None:
    added = client.add_table({"name": table, "ruleset": "pineapple"}, dry_run=True)
    assert (added.name, client.find_table(table)) == (table, None)


def test_an_idempotency_key_is_the_one_that_was_given() -> None:
    with faulty(build_response(201, {"id": "1", "name": "friday", "ruleset": "turbo@1"})) as server:
        with Client(server.url) as client:
            client.add_table({"name": "friday", "ruleset": "turbo"}, idempotency_key="friday")
            client.add_table({"name": "friday", "ruleset": "turbo"})
        assert server.keys[0] == "friday"
        assert server.keys[1] not in (None, "friday")


def test_who_enters_a_hand_is_shown_and_hidden(client: Client, table: str) -> None:
    added = client.add_table({"name": table, "ruleset": "pineapple"})
    device = str(uuid4())
    assert list(client.list_scorekeepers(added.id)) == []
    client.show_scorekeeper(added.id, device, {"hand": 4})
    assert [(each.device, each.hand) for each in client.list_scorekeepers(added.id)] == [(device, 4)]
    client.hide_scorekeeper(added.id, device)
    assert list(client.list_scorekeepers(added.id)) == []


def test_an_import_is_paused_and_resumed(client: Client, table: str) -> None:
    job = client.import_documents([document(table, "1")])
    for change in (client.pause_import, client.resume_import):
        with pytest.raises(ApiError) as refused:
            change(job.id)
        assert refused.value.status == 409, "it has ended"
