"""Compares what is stored with what was acknowledged, after a fault."""

import json
import time
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

import httpx2

from tests.cluster.recorder import Outcome, Play, Recorder, Request
from tests.support.sample_rounds import Document

_LONGEST_SECONDS = 60.0


def settle_unknown(recorder: Recorder, http: httpx2.Client, request: Request) -> None:
    """Send the same request again until its outcome is known: it is then stored once."""
    deadline = time.monotonic() + _LONGEST_SECONDS
    while request.outcome is not Outcome.STORED:
        assert time.monotonic() < deadline, request
        recorder.send(http, request)


def check_plays(recorder: Recorder, plays: Sequence[Play]) -> list[str]:
    """Return what is lost, stored twice, or stored although the response was 503; an empty list if nothing is."""
    findings: list[str] = []
    with recorder.open_client() as http:
        for request in (request for play in plays for request in play.requests):
            if request.outcome in (Outcome.UNKNOWN, Outcome.UNANSWERED):
                settle_unknown(recorder, http, request)
        stored = _list_rounds(http)
        tables = Counter(_list_tables(http))
        for play in plays:
            findings += _check_play(recorder, http, play, stored.get(play.name, []), tables[play.name])
    return findings


def _check_play(recorder: Recorder, http: httpx2.Client, play: Play, rounds: list[Document], tables: int) -> list[str]:
    findings = [f"refused: {each}" for each in play.requests if each.outcome is Outcome.REFUSED]
    for request in play.requests:
        where = f"{play.name}: {request.path} {request.status}"
        makes_round = request.path.endswith(("/rounds", "/documents"))
        makes_table = request.path in ("/v1/tables", "/v1/documents")
        if request.outcome is Outcome.NOT_STORED:
            findings += [f"stored although refused: {where}"] if makes_round and rounds else []
            findings += [f"stored although refused: {where}"] if makes_table and tables else []
        elif request.outcome is Outcome.STORED:
            findings += [f"lost or twice: {where}"] if makes_round and len(rounds) != 1 else []
            findings += [f"lost or twice: {where}"] if makes_table and tables != 1 else []
            findings += _check_replay(recorder, http, request, where)
    if len(rounds) == 1 and any("/hands" in request.path for request in play.requests):
        findings += _check_hands(http, play, rounds[0]["id"])
    return findings


def _check_replay(recorder: Recorder, http: httpx2.Client, request: Request, where: str) -> list[str]:
    """Compare the response with that of the same request now."""
    again = Request(request.path, request.body, request.key, time.monotonic())
    recorder.send(http, again)
    return [] if again.response == request.response else [f"lost: {where}: now {again.status} {again.response[:200]}"]


def _check_hands(http: httpx2.Client, play: Play, round_id: UUID) -> list[str]:
    """Compare the number of hands of a round with what was acknowledged, or settled since."""
    hands = 0
    for request in play.requests:
        if request.outcome is Outcome.STORED:
            is_batch = isinstance(request.body, str)
            hands += request.response.count('"status":"recorded"') if is_batch else request.path.endswith("/hands")
    response = http.get(f"/v1/rounds/{round_id}/document")
    stored = len(json.loads(response.text)["hands"])
    return [] if stored == hands else [f"{play.name}: {stored} hands are stored, {hands} were acknowledged"]


def _list_rounds(http: httpx2.Client) -> dict[str, list[Document]]:
    """Return all rounds by reference."""
    by_reference: dict[str, list[Document]] = {}
    for each in _list_all(http, "/v1/rounds", "rounds"):
        by_reference.setdefault(each["reference"], []).append(each)
    return by_reference


def _list_tables(http: httpx2.Client) -> list[str]:
    return [each["name"] for each in _list_all(http, "/v1/tables", "tables")]


def _list_all(http: httpx2.Client, path: str, name: str) -> list[Document]:
    listed: list[Document] = []
    cursor = ""
    while True:
        response = http.get(f"{path}?limit=100{cursor}")
        assert response.status_code == 200, response.text
        page = response.json()
        listed += page[name]
        if not page.get("next_cursor"):
            return listed
        cursor = f"&cursor={page['next_cursor']}"
