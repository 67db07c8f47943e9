"""`POST /v1/hands`: hands of many rounds in one request."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from schemas.hand_lines import MOST_LINES
from service.db import Transaction
from service.rounds.actions import recording_many
from service.rounds.queries.rounds import lock
from service.rounds.views import hands
from service.rounds.views.hands import MOST_BATCHES, MOST_BATCHES_OF_CLUB, batch_place
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    NOBODYS,
    THREE,
    add_table,
    close,
    dealt_again,
    hand,
    hands_of,
    open_round,
    play,
    start_round,
    undo,
)

Document = dict[str, Any]
TYPE = {"Content-Type": "application/x-ndjson"}


def send(api: Api, *lines: Document | bytes, query: str = "", **headers: str) -> ApiResponse:
    content = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return api.request("POST", f"/v1/hands{query}", data=content, headers={**TYPE, **headers})


def results(response: ApiResponse) -> list[Document]:
    assert response.status == 200, response
    assert response.headers["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.text.splitlines()]


def line(round_: str | Document, played: Document, **more: Any) -> Document:
    return {"round": round_, **dealt_again(played), **more}


def statuses(response: ApiResponse) -> list[str]:
    return [result["status"] for result in results(response)]


@pytest.fixture
def rounds(api: Api) -> list[str]:
    """Three open rounds, each at a table of its own."""
    return [start_round(api, name=name) for name in ("kitchen", "attic", "cellar")]


def test_hands_of_many_rounds_are_recorded_as_if_each_was_posted_alone(api: Api, other_api: Api) -> None:
    together, alone = start_round(api, name="together"), start_round(other_api, name="alone")
    second = start_round(api, name="second")
    lines = [
        line(together, COMPLETE[0]),
        line(second, COMPLETE[0]),
        line(together, COMPLETE[1]),
        line(together, COMPLETE[2]),
    ]
    outcomes = results(send(api, *lines))
    assert [result["line"] for result in outcomes] == [1, 2, 3, 4]
    assert {result["status"] for result in outcomes} == {"recorded"}
    assert [result["round"] for result in outcomes] == [together, second, together, together]
    for played, result in zip(COMPLETE, (outcomes[0], *outcomes[2:]), strict=True):
        expected = play(other_api, alone, played).document
        ids = {"id", "recorded_at", "round"}
        assert {name: value for name, value in result["hand"].items() if name not in ids} == {
            name: value for name, value in expected.items() if name not in ids
        }
        assert result["hand"]["round"]["version"] == expected["round"]["version"]
        assert result["hand"]["round"]["next"] == expected["round"]["next"]
        assert api.get(f"/v1/hands/{result['hand']['id']}").status == 200
    settled = api.get(f"/v1/rounds/{together}/settlement").document
    same = other_api.get(f"/v1/rounds/{alone}/settlement").document
    assert (settled["net"], settled["transfers"]) == (same["net"], same["transfers"])
    assert settled["state"] == "provisional"


def test_a_round_is_named_by_its_table_and_reference(api: Api) -> None:
    table = add_table(api, name="kitchen")
    round_id = open_round(api, table, reference="evening/1")["id"]
    named = {"table": "kitchen", "reference": "evening/1"}
    outcomes = results(send(api, line(named, COMPLETE[0]), line({**named, "reference": "evening/2"}, COMPLETE[0])))
    assert [(result["status"], result["round"]) for result in outcomes] == [("recorded", round_id), ("refused", None)]
    assert outcomes[1]["problem"]["code"] == "not-found"
    assert "'evening/2' at a table 'kitchen'" in outcomes[1]["problem"]["detail"]


@pytest.mark.smoke
def test_a_refused_hand_stops_its_round_and_no_other(api: Api, rounds: list[str], house: House) -> None:
    first, second, third = rounds
    wrong = hand(2, 3, THREE)
    response = send(
        api,
        line(first, COMPLETE[0]),
        line(second, COMPLETE[0]),
        line(first, wrong),
        line(first, COMPLETE[1]),
        line(second, COMPLETE[1]),
        line(third, COMPLETE[0]),
    )
    assert statuses(response) == ["recorded", "recorded", "refused", "not_attempted", "recorded", "recorded"]
    refused, skipped = results(response)[2:4]
    assert (refused["round"], refused["hand"]) == (first, None)
    assert refused["problem"]["status"] == 422
    assert {error["pointer"] for error in refused["problem"]["errors"]} == {"#/button"}
    assert refused["problem"] == {**send_alone(api, first, wrong), "request_id": response.headers["Request-Id"]}
    assert (skipped["hand"], skipped["problem"]) == (None, None)
    assert [api.get(f"/v1/rounds/{round_id}")["hands"] for round_id in rounds] == [1, 2, 1]


def send_alone(api: Api, round_id: str, played: Document) -> Document:
    response = api.post(f"/v1/rounds/{round_id}/hands", dealt_again(played))
    assert response.status >= 400
    document: Document = response.document
    return document


def test_the_same_lines_again_are_replays(api: Api, rounds: list[str], house: House) -> None:
    lines = [line(round_id, played) for round_id in rounds for played in COMPLETE]
    first = results(send(api, *lines))
    stored = house.count_records()
    again = send(api, *lines)
    assert statuses(again) == ["replayed"] * len(lines)
    ids = [result["hand"]["id"] for result in first]
    assert [result["hand"]["id"] for result in results(again)] == ids
    assert house.count_records() == stored


def test_a_hand_that_is_in_the_request_twice_is_recorded_once(api: Api, rounds: list[str]) -> None:
    other = hand(1, 1, {1: HIGH, 2: LOW, 3: MID})
    response = send(api, *(line(rounds[0], COMPLETE[0]),) * 2, line(rounds[0], other), line(rounds[0], COMPLETE[1]))
    assert statuses(response) == ["recorded", "replayed", "refused", "not_attempted"]
    first, second, conflict, _ = results(response)
    assert second["hand"]["id"] == first["hand"]["id"]
    assert conflict["problem"]["code"] == "hand-conflict"


def test_an_idempotency_key_repeats_the_whole_response(api: Api, rounds: list[str]) -> None:
    lines = [line(rounds[0], COMPLETE[0]), line(rounds[1], COMPLETE[1])]
    key = {"Idempotency-Key": "batch-1"}
    first = send(api, *lines, **key)
    assert statuses(first) == ["recorded", "refused"]
    play(api, rounds[1], COMPLETE[0])
    again = send(api, *lines, **key)
    assert (again.text, again.headers["Idempotent-Replayed"]) == (first.text, "true")
    assert again.headers["Content-Type"] == "application/x-ndjson"
    assert send(api, lines[0], **key)["code"] == "idempotency-key-reused"


def test_a_dry_run_records_nothing(api: Api, rounds: list[str], house: House) -> None:
    stored = house.count_records()
    assert statuses(send(api, line(rounds[0], COMPLETE[0]), query="?dry_run=true")) == ["recorded"]
    assert house.count_records() == stored


def test_the_expected_result_is_checked_line_by_line(api: Api, rounds: list[str]) -> None:
    right, wrong = {"stacks": {"1": 112}}, {"stacks": {"1": 113}}
    response = send(
        api,
        line(rounds[0], COMPLETE[0], expected=right),
        line(rounds[0], COMPLETE[1], expected=wrong),
        line(rounds[1], COMPLETE[0]),
    )
    assert statuses(response) == ["recorded", "refused", "recorded"]
    problem = results(response)[1]["problem"]
    assert problem["code"] == "expected-differs"
    assert api.get(f"/v1/rounds/{rounds[0]}")["hands"] == 1


def test_the_same_boards_twice_are_refused_unless_they_were_dealt_again(api: Api, rounds: list[str]) -> None:
    twice = {"round": rounds[0], **COMPLETE[1]}
    assert statuses(send(api, line(rounds[0], COMPLETE[0]), twice)) == ["recorded", "refused"]
    response = send(api, twice)
    assert results(response)[0]["problem"]["code"] == "same-deal"


def test_an_undone_hand_counts_again_when_it_is_named(api: Api, rounds: list[str]) -> None:
    recorded = play(api, rounds[0], COMPLETE[0])["id"]
    undo(api, rounds[0], 1)
    response = send(api, line(rounds[0], COMPLETE[0], restores=recorded), line(rounds[0], COMPLETE[1]))
    assert statuses(response) == ["recorded", "recorded"]


@pytest.mark.parametrize(
    ("sent", "code", "pointer", "words"),
    [
        (b"{", "json-syntax", "", "expected"),
        (b"[]", "not-an-object", "", "expected an object with `round` and a hand"),
        (b'{"number": 1}', "field-missing", "/round", "expected the ID of a round"),
        (b'{"round": 7}', "round-unreadable", "/round", "is 7; expected the ID of a round"),
        (b'{"round": "kitchen"}', "round-unreadable", "/round", "is 'kitchen'"),
        (b'{"round": {"table": "kitchen"}}', "field-missing", "/round/reference", "is required"),
        (b'{"round": {"table": "kitchen", "reference": null}}', "field-null", "/round/reference", "is null"),
    ],
)
def test_an_unreadable_line_is_refused_alone(
    api: Api, rounds: list[str], sent: bytes, code: str, pointer: str, words: str
) -> None:
    response = send(api, line(rounds[0], COMPLETE[0]), sent, line(rounds[0], COMPLETE[1]))
    assert statuses(response) == ["recorded", "refused", "recorded"]
    refused = results(response)[1]
    assert refused["round"] is None
    first = refused["problem"]["errors"][0]
    assert (first["pointer"], words in first["detail"]) == (f"#{pointer}", True)
    assert code in (first["code"], "json-syntax")


def test_every_mistake_of_an_invalid_hand_is_named(api: Api, rounds: list[str]) -> None:
    broken = {**hand(7, 9, THREE), "players": [{"seat": 1, "top": ["As", "1x"]}], "colour": "red"}
    response = send(api, line(rounds[0], broken), line(rounds[0], COMPLETE[0]))
    assert statuses(response) == ["refused", "not_attempted"]
    mistakes, alone = results(response)[0]["problem"]["errors"], send_alone(api, rounds[0], broken)["errors"]
    assert len(mistakes) > 5
    assert sorted(map(str, mistakes)) == sorted(map(str, alone))


def test_rounds_of_another_club_are_not_found(api: Api, other_api: Api, rounds: list[str]) -> None:
    foreign = start_round(other_api, name="foreign")
    named = {"table": "foreign", "reference": "x"}
    response = send(
        api,
        line(foreign, COMPLETE[0]),
        line(NOBODYS, COMPLETE[0]),
        line(named, COMPLETE[0]),
        line(rounds[0], COMPLETE[0]),
    )
    assert statuses(response) == ["refused", "refused", "refused", "recorded"]
    assert [(each["round"], each["problem"]["code"]) for each in results(response)[:3]] == [(None, "not-found")] * 3
    assert other_api.get(f"/v1/rounds/{foreign}")["hands"] == 0


@pytest.mark.parametrize("count", [0, MOST_LINES + 1])
def test_too_few_or_too_many_lines_are_refused_whole(api: Api, count: int) -> None:
    response = send(api, *[b"{}"] * count)
    assert (response.status, response.codes) == (422, {"list-length"})
    assert f"expected 1 to {MOST_LINES} lines" in response["detail"]


def test_blank_lines_are_skipped_and_counted(api: Api, rounds: list[str]) -> None:
    response = send(api, b"", line(rounds[0], COMPLETE[0]), b"  ", line(rounds[0], COMPLETE[1]), b"")
    assert [result["line"] for result in results(response)] == [2, 4]


def test_other_media_types_are_refused(api: Api) -> None:
    response = api.request("POST", "/v1/hands", data=b"{}", headers={"Content-Type": "application/json"})
    assert response.status == 415


def test_the_number_of_statements_does_not_grow_with_the_hands(api: Api) -> None:
    def count(*lines: Document) -> int:
        with recorded_statements() as statements:
            assert set(statuses(send(api, *lines))) == {"recorded"}
        return len(statements)

    few = [start_round(api, name=f"few {number}") for number in range(2)]
    many = [start_round(api, name=f"many {number}") for number in range(12)]
    assert count(*(line(each, COMPLETE[0]) for each in few)) == count(*(line(each, COMPLETE[0]) for each in many))
    assert count(*(line(each, COMPLETE[1]) for each in few)) == count(*(line(each, COMPLETE[1]) for each in many))


@pytest.mark.parametrize(
    "error", ["RAISE EXCEPTION 'refused by the test'", "INSERT INTO closings SELECT * FROM closings"]
)
def test_one_hand_that_the_database_refuses_costs_only_itself(
    api: Api, rounds: list[str], house: House, error: str
) -> None:
    """The second error violates the constraint of a change that another request made meanwhile."""
    assert close(api, start_round(api, name="closed")).status == 200
    refusing = f"""
        CREATE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.round_id = '{rounds[0]}' AND NEW.number = 2 THEN {error}; END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER refuse_one BEFORE INSERT ON hands FOR EACH ROW EXECUTE FUNCTION refuse_one()
    """
    with house.owner.outside_clubs() as connection:
        connection.exec_driver_sql(refusing)
    key = {"Idempotency-Key": "batch-1"}
    lines = [line(round_id, played) for played in COMPLETE for round_id in rounds]
    response = send(api, *lines, **key)
    assert statuses(response) == ["recorded"] * 3 + [
        "refused",
        "recorded",
        "recorded",
        "not_attempted",
        "recorded",
        "recorded",
    ]
    assert results(response)[3]["problem"]["code"] == "busy"
    assert [api.get(f"/v1/rounds/{round_id}")["hands"] for round_id in rounds] == [1, 3, 3]
    with house.owner.outside_clubs() as connection:
        connection.exec_driver_sql("DROP TRIGGER refuse_one ON hands; DROP FUNCTION refuse_one")
    assert statuses(send(api, *lines, **key)) == ["replayed"] * 3 + ["recorded", "replayed", "replayed"] + [
        "recorded",
        "replayed",
        "replayed",
    ]


def test_requests_with_the_same_rounds_in_other_orders_do_not_block_each_other(
    api: Api, rounds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands, "batch_turn", lambda _club_id: nullcontext())  # as in several processes
    with ThreadPoolExecutor(6) as pool:
        orders = [rounds, rounds[::-1], rounds[1:] + rounds[:1]] * 2
        responses = list(pool.map(lambda order: send(api, *(line(each, COMPLETE[0]) for each in order)), orders))
    all_statuses = [status for response in responses for status in statuses(response)]
    assert sorted(all_statuses) == ["recorded"] * 3 + ["replayed"] * 15
    assert [api.get(f"/v1/rounds/{round_id}")["hands"] for round_id in rounds] == [1, 1, 1]


def test_a_batch_is_refused_while_many_are_waiting(house: House, api: Api, other_api: Api, rounds: list[str]) -> None:
    club = club_of(house, api)
    others = start_round(other_api)
    with ExitStack() as waiting:
        for _ in range(MOST_BATCHES_OF_CLUB):
            waiting.enter_context(batch_place(club))
        refused = send(api, line(rounds[0], COMPLETE[0]))
        assert (refused.status, refused.document["code"]) == (429, "batches-busy")
        assert refused.headers["Retry-After"] == "1"
        assert play(api, rounds[0], COMPLETE[0]).status == 201
        assert statuses(send(other_api, line(others, COMPLETE[0]))) == ["recorded"], "one club leaves places to others"
        for _ in range(MOST_BATCHES - MOST_BATCHES_OF_CLUB):
            waiting.enter_context(batch_place(uuid4()))
        assert send(other_api, line(others, COMPLETE[1])).status == 429
    assert statuses(send(api, line(rounds[0], COMPLETE[0]))) == ["replayed"]


def test_a_round_that_another_request_holds_is_refused_alone(house: House, api: Api, rounds: list[str]) -> None:
    lines = [line(round_id, played) for played in COMPLETE[:2] for round_id in rounds]
    key = {"Idempotency-Key": "batch-1"}
    with database_of(house).transaction(club_of(house, api)) as other:
        lock(other, UUID(rounds[1]))
        response = send(api, *lines, **key)
    assert statuses(response) == ["recorded", "refused", "recorded", "recorded", "not_attempted", "recorded"]
    refused = results(response)[1]
    assert (refused["round"], refused["problem"]["code"]) == (rounds[1], "busy")
    again = send(api, *lines, **key)
    assert statuses(again) == ["replayed", "recorded", "replayed", "replayed", "recorded", "replayed"]
    assert "Idempotent-Replayed" not in again.headers, "the first response was not the last word on every line"
    assert send(api, *lines, **key).headers["Idempotent-Replayed"] == "true"


def test_rounds_are_written_in_groups(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_many, "WRITTEN_AT_ONCE", 6)
    many = [start_round(api, name=f"table {number}") for number in range(20)]
    lines = [line(round_id, played) for round_id in many for played in COMPLETE]
    assert statuses(send(api, *lines)) == ["recorded"] * len(lines)
    assert {len(hands_of(api, round_id)) for round_id in many} == {len(COMPLETE)}


@pytest.mark.parametrize("text", ["'; DROP TABLE rounds; --", "a\x00b", "\u202eevil", "x" * 100_000, "{{ 7 * 7 }}"])
def test_a_text_in_the_name_of_a_round_is_only_a_text(api: Api, rounds: list[str], text: str) -> None:
    named = {"table": text, "reference": text}
    response = send(api, line(named, COMPLETE[0]), line(rounds[0], COMPLETE[0]))
    assert statuses(response) == ["refused", "recorded"]


@pytest.mark.parametrize("moment", ["lock_all", "write_rounds"])
def test_a_connection_lost_during_a_batch_stores_nothing_and_can_be_retried(
    api: Api, house: House, rounds: list[str], monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    module = recording_many.rounds if moment == "lock_all" else recording_many
    whole = getattr(module, moment)

    def lose_the_connection(transaction: Transaction, *arguments: Any) -> Any:
        result = whole(transaction, *arguments)
        driver = transaction.connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        house.query("SELECT pg_terminate_backend(%s, 5000)", driver.info.backend_pid)
        return result

    lines = [line(round_id, COMPLETE[0]) for round_id in rounds]
    with monkeypatch.context() as patched:
        patched.setattr(module, moment, lose_the_connection)
        response = send(api, *lines)
    assert (response.status, response["code"]) == (503, "database-unavailable")
    assert [hands_of(api, round_id) for round_id in rounds] == [[] for _ in rounds]
    assert set(statuses(send(api, *lines))) == {"recorded"}
