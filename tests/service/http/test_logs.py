"""The log of the service: enough to identify a request, and no secrets."""

import json
import logging
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from flask import Flask, request

from service.app import create_app
from service.config import Config
from service.http.services import services_of
from service.logs import get_log, make_formatter, start_logging
from tests.support.database.postgres import Logins
from tests.support.log_capture import Log
from tests.support.race import at_once
from tests.support.sample_rounds import SIXES, THREE, hand, seats
from tests.support.server_process import Running, command, running

WRONG_KEY = "ofc_" + "wrong" * 8


@pytest.fixture
def app(logins: Logins) -> Iterator[Flask]:
    """Return a new application for this test."""
    application = create_app(Config(logins.service))
    yield application
    services_of(application).database.close()


def test_every_request_logs_one_line_without_secrets(tmp_path: Path) -> None:
    with running(tmp_path, OFC_WORKERS="2") as service:
        key = (tmp_path / "api-key").read_text().strip()
        responses = send_every_kind(service, key)
        send_what_is_no_request(service)
        assert service.stop() == 0
        lines = [json.loads(line) for line in service.log.splitlines()]
    requests = [line for line in lines if line["event"] == "request"]
    by_id = {line["request_id"]: line for line in requests}
    assert len(requests) == len(by_id)
    # Beside these, `up` itself requests links to the console and for a phone, and the tables of the club, and until it
    # is ready whether the service is well.
    others = by_id.keys() - {response.headers["Request-Id"] for response in responses}
    assert len([each for each in others if by_id[each]["route"] != "/healthz"]) == 3
    assert len(by_id) - len(others) == len(responses)
    for response in responses:
        line = by_id[response.headers["Request-Id"]]
        assert (line["method"], line["status"]) == (response.request.method, response.status_code)
        assert line["problem" if response.is_error else "operation"]
        assert 0 < line["duration_ms"] < 60_000
        assert ("key" in line) == ("club" in line) == (response.status_code not in (401, 404))
    routes = {line["route"] for line in by_id.values()} - {"/healthz", "/v1/console-links", "/v1/phone-links"}
    assert routes == {"/v1/tables", "/v1/tables/{table_id}/rounds", "/v1/rounds/{round_id}/hands", None}
    assert [line["url"] for line in lines if line["event"] == "ready"] == [service.url]
    for secret in (key, key[4:], WRONG_KEY, "basic-secret", "malformed-secret", "ann", "kitchen", "forged", "Authoriz"):
        assert secret not in json.dumps(lines)


def send_every_kind(service: Running, key: str) -> list[httpx2.Response]:
    """Record a hand, and send requests with secrets in keys, headers and URLs."""
    with httpx2.Client(
        base_url=service.url, headers={"Authorization": f"Bearer {key}"}, timeout=60, trust_env=False, verify=False
    ) as client:
        table = client.post("/v1/tables", json={"name": "kitchen", "ruleset": "pineapple"})
        round_ = client.post(f"/v1/tables/{table.json()['id']}/rounds", json={"seats": seats(SIXES)})
        hands = f"/v1/rounds/{round_.json()['id']}/hands"
        played = [client.post(hands, json=hand(1, 3, THREE)) for _ in range(2)]
        assert [response.status_code for response in (table, round_, *played)] == [201] * 4
        refused = [
            client.post(hands, json=hand(0, 3, THREE)),
            client.get("/v1/tables", headers={"Authorization": f"Bearer {WRONG_KEY}"}),
            client.get("/v1/tables", headers={"Authorization": "Basic basic-secret"}),
            client.get(f"/nowhere/{key}/%0a%7b%22event%22%3a%22forged%22%7d?key={key}&player=ann"),
        ]
        assert [response.status_code for response in refused] == [422, 401, 401, 404]
    return [table, round_, *played, *refused]


def send_what_is_no_request(service: Running) -> None:
    """Send a malformed header, which a web server could log."""
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as client:
        client.sendall(b"GET /v1/tables HTTP/1.1\r\nHost: x\r\nAuthorization Bearer malformed-secret\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("form", ["json", "text"])
def test_logged_values_cannot_break_a_line(form: str, log: Log) -> None:
    nasty = 'a\nb\r\x1b[31m\x00\u2028\u202e\x85 event=forged {"event": "forged"}'
    record = logging.LogRecord("library", logging.WARNING, "", 0, "%s", (nasty,), None)
    formatter = make_formatter({"OFC_LOG": form})
    lines = [formatter.format(record), logged_by_us(log, form, nasty=nasty), logged_by_us(log, form, nasty="\x1b")]
    for line in lines:
        assert len(line.splitlines()) == 1
        assert line.isascii()
        assert line.isprintable()
    if form == "json":
        assert [json.loads(lines[0])["event"], json.loads(lines[1])["nasty"]] == [nasty, nasty]


def test_an_event_is_the_same_line_for_every_handler(log: Log) -> None:
    second = Log()
    handler = logging.StreamHandler(second)
    handler.setFormatter(make_formatter({"OFC_LOG": "json"}))
    logging.getLogger().addHandler(handler)
    get_log("service.tests").error("something", status=500)
    assert [event["status"] for event in log.events] == [500]
    assert second.lines == log.lines


def test_a_dictionary_logged_by_a_library_is_text(log: Log) -> None:
    logging.getLogger("library").warning({"status": 500})
    assert [(event["event"], event["logger"]) for event in log.events] == [("{'status': 500}", "library")]


def logged_by_us(log: Log, form: str, **fields: Any) -> str:
    """Log an event and return the written line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", log)
        start_logging({"OFC_LOG": form})
    before = len(log.getvalue())
    get_log("service.tests").error("something", **fields)
    return log.getvalue()[before:].removesuffix("\n")


def test_a_method_with_line_breaks_is_logged_in_one_line(app: Flask, log: Log) -> None:
    app.test_client().open("/healthz", method='GET\n{"event": "forged"}')
    assert [event["event"] for event in log.events] == ["request"]


def test_an_unhandled_exception_is_logged_with_the_request_id_and_without_values(app: Flask, log: Log) -> None:
    @app.get("/broken")
    def fail() -> str:
        try:
            raise KeyError(request.args["player"])
        except KeyError as error:
            message = f"new row violates 'x'\nDETAIL: Failing row contains ({error})"
            raise ValueError(message) from error

    response = app.test_client().get("/broken?player=Ann")
    assert response.status_code == 500
    assert response.json is not None
    error, request_event = log.events
    assert (error["event"], error["level"]) == ("unhandled_exception", "error")
    assert (
        error["request_id"]
        == request_event["request_id"]
        == response.json["request_id"]
        == response.headers["Request-Id"]
    )
    assert (request_event["problem"], request_event["level"]) == ("internal-error", "error")
    traceback = error["exception"].splitlines()
    assert "KeyError: '…'" in traceback
    assert "ValueError: new row violates '…'" in traceback
    assert any("in fail" in line for line in traceback)
    assert "Ann" not in log.getvalue()


def test_the_text_format_writes_tracebacks_on_indented_lines(log: Log) -> None:
    written = logged_by_us(log, "text", exception="Traceback\n  File x\nKeyError: '\x1b'", status=500)
    assert written.splitlines()[1:] == ["    Traceback", "      File x", "    \"KeyError: '\\x1b'\""]
    assert written.splitlines()[0].endswith("[error    ] something status=500")


@pytest.mark.parametrize(("is_terminal", "first"), [(True, "2"), (False, "{")])
def test_the_auto_format_is_text_on_a_terminal_and_json_otherwise(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, first: str
) -> None:
    log = Log()
    monkeypatch.setattr(log, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stderr", log)
    record = logging.LogRecord("library", logging.WARNING, "", 0, "something", (), None)
    assert make_formatter({"OFC_LOG": "auto"}).format(record)[0] == first


@pytest.mark.parametrize("form", ["json", "text"])
def test_secrets_are_removed_from_every_log_line(form: str, log: Log) -> None:
    lines = logged_by_us(log, form, url="postgresql://ofc:hidden@db/ofc", header="Bearer hidden", key=WRONG_KEY)
    assert "hidden" not in lines
    assert "wrong" not in lines
    assert "postgresql://ofc:***@db/ofc" in lines


def test_lines_of_several_threads_do_not_mix(log: Log) -> None:
    def write(number: int) -> None:
        for _ in range(100):
            get_log("service.tests").info("something", number=number, long="x" * 5000)
            logging.getLogger("library").warning("something else")

    at_once(*(partial(write, number) for number in range(4)))
    assert Counter(event["event"] for event in log.events) == {"something": 400, "something else": 400}


def test_a_closed_stderr_does_no_harm(app: Flask, monkeypatch: pytest.MonkeyPatch, log: Log) -> None:
    assert app.test_client().get("/healthz").status_code == 200
    log.close()
    assert app.test_client().get("/healthz").status_code == 200
    monkeypatch.setattr(sys, "stderr", None)
    assert app.test_client().get("/healthz").status_code == 200


@pytest.mark.parametrize(("name", "right"), [("OFC_LOG", "json, text or auto"), ("OFC_LOG_LEVEL", "info, warning or")])
def test_an_unknown_log_format_is_rejected(tmp_path: Path, name: str, right: str) -> None:
    refused = command("up", "--port", "0", "--data", str(tmp_path), **{name: "xml"})
    assert refused.stderr.startswith(f"Error: {name} is 'xml'; expected {right}")
    assert len(refused.stderr.splitlines()) == refused.returncode == 1


def test_a_higher_log_level_omits_successful_requests(app: Flask, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", log)
    start_logging({"OFC_LOG_LEVEL": "warning"})
    assert app.test_client().get("/healthz").status_code == 200
    get_log("service.requests").warning("something")
    assert [event["event"] for event in log.events] == ["something"]


def test_requests_succeed_when_the_log_cannot_be_written(app: Flask, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_text: str) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(log, "write", fail)
    assert app.test_client().get("/healthz").status_code == 200
