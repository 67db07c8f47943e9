"""Responses lost after the commit: the retried request returns them."""

import json
from collections.abc import Iterator

import httpx2
import pytest

from service.app import create_app
from service.clubs.actions import create_club_with_key
from service.config import Config
from service.http.services import services_of
from tests.support.api_client import Api
from tests.support.application import Records
from tests.support.database.broken_connection import Line, breaking_line, breaking_line_to_database
from tests.support.database.postgres import Logins
from tests.support.sample_rounds import (
    SIXES,
    THREE,
    Document,
    changed,
    document_of,
    hand,
    record,
    seats,
    start_round,
    without,
)
from tests.support.shared_server import Served


@pytest.fixture(scope="module")
def line(served: Served) -> Iterator[Line]:
    """Return a service behind a proxy that can break the connection."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    with breaking_line((host, int(port))) as line:
        yield line


def lose(served: Served, line: Line, path: str, document: Document, headers: dict[str, str]) -> None:
    """Send a request that is processed but whose response is lost."""
    broken = line.broken
    line.break_after(f"POST {path} ".encode())
    with served.connect(line.url) as client, pytest.raises(httpx2.TransportError):
        client.post(path, json=document, headers=headers)
    assert line.broken == broken + 1


def send(served: Served, line: Line, path: str, document: Document, headers: dict[str, str]) -> httpx2.Response:
    with served.connect(line.url) as client:
        return client.post(path, json=document, headers=headers)


def test_a_hand_retried_with_its_key_returns_the_first_response(served: Served, line: Line) -> None:
    round_id = served.new_round()
    path, first, key = f"/v1/rounds/{round_id}/hands", hand(1, 1, THREE), {"Idempotency-Key": f"first-{round_id}"}
    lose(served, line, path, first, key)
    assert served.post(path, hand(2, 2, THREE, dealt_again=True)).status_code == 201
    responses = [send(served, line, path, first, key) for _ in range(3)]
    assert [response.status_code for response in responses] == [201] * 3
    assert [response.headers["Idempotent-Replayed"] for response in responses] == ["true"] * 3
    assert {response.content for response in responses} == {responses[0].content}
    assert responses[0].json()["round"]["next"]["number"] == 2, "as it stood when the hand was recorded"
    [stored] = served.records.query("SELECT body FROM idempotent_responses WHERE key = %s", key["Idempotency-Key"])
    assert stored == (responses[0].content,)
    assert [one["number"] for one in served.get(path)["hands"]] == [1, 2]


def test_a_hand_retried_without_a_key_is_recorded_once(served: Served, line: Line) -> None:
    path, first = f"/v1/rounds/{served.new_round()}/hands", hand(1, 1, THREE)
    lose(served, line, path, first, {})
    again = send(served, line, path, first, {})
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")
    assert served.get(path)["hands"] == [{**without(again.json(), "round", "metadata"), "corrected": False}]


@pytest.mark.parametrize("what", ["tables", "rounds", "hands", "departures", "close", "undo", "documents", "rulesets"])
def test_every_recording_operation_is_stored_once_when_retried(served: Served, line: Line, what: str) -> None:
    path, document = something_to_record(served, what)
    key = {"Idempotency-Key": f"once-{what}"}
    lose(served, line, path, document, key)
    done = served.records.count_records()
    first, second = (send(served, line, path, document, key) for _ in range(2))
    assert first.status_code in (200, 201), first.text
    assert first.content == second.content
    assert [response.headers["Idempotent-Replayed"] for response in (first, second)] == ["true", "true"]
    assert served.records.count_records() == done


def something_to_record(served: Served, what: str) -> tuple[str, Document]:
    match what:
        case "tables":
            return "/v1/tables", {"name": "lost table", "ruleset": "pineapple"}
        case "rounds":
            return f"/v1/tables/{served.new_table()}/rounds", {"seats": seats(SIXES)}
        case "hands":
            return f"/v1/rounds/{served.new_round()}/hands", hand(1, 1, THREE)
        case "documents":
            return "/v1/documents", document_of(hands=[hand(1, 1, THREE)], table="lost table of a document")
        case "rulesets":
            preset = served.get("/v1/rulesets/pineapple")
            return "/v1/rulesets", without(changed(preset, ("name", "lost-ruleset")), "version")
        case _:
            round_id = served.new_round("pineapple-qq")
            played = served.post(f"/v1/rounds/{round_id}/hands", hand(1, 1, THREE))
            assert played.status_code == 201
            undo = {"number": 1, "hand": played.json()["id"]}
            ends = {"departures": {"seat": 3}, "close": {"reason": "late"}, "undo": undo}
            return f"/v1/rounds/{round_id}/{what}", ends[what]


# --- between the service and PostgreSQL ---


def test_an_unconfirmed_commit_has_an_unknown_outcome(logins: Logins) -> None:
    with breaking_line_to_database(logins.service) as (line, through):
        app = create_app(Config(through, logins.owner))
        api = Api(app, create_club_with_key(logins.owner, "home"))
        round_id = start_round(api)
        line.break_after(b"COMMIT\0")
        uncertain = record(api, round_id, hand(1, 1, THREE))
        assert line.broken == 1
        assert (uncertain.status, uncertain["code"]) == (504, "outcome-unknown")
        assert "Nothing was stored" not in json.dumps(uncertain.document)
        assert "Retry the same request" in uncertain["detail"]
        again = record(api, round_id, hand(1, 1, THREE))
        assert (again.status, again.headers["Idempotent-Replayed"]) == (201, "true")
        assert Records(logins.owner).query("SELECT count(*) FROM hands") == [(1,)]
        services_of(app).database.close()
