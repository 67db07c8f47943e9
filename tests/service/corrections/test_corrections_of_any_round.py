"""Corrections of random rounds, and many at once: each is made once, and every revision replays to its settlement."""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random
from typing import Any

import httpx2
import pytest

from client.offline.score import play_round
from tests.oracle import PRESETS, play, random_document
from tests.scoring.test_against_oracle import spoil
from tests.support.api_client import Api, ApiResponse
from tests.support.api_settlements import without_players
from tests.support.sample_rounds import HIGH, LOW, MID, Document, correct_round, hand, post_document, without
from tests.support.shared_server import Served

long = partial(pytest.param, marks=pytest.mark.verify)
COMES_TO = ("transfers", "stacks", "net", "standings", "irregular")
CLIENTS, EACH, ROUNDS = 20, 4, 5
DEADLINE = 300


def plays_to_itself(document: Document, settlement: Document) -> None:
    """Compare a settlement with its document replayed by the rules."""
    played, settlement = play_round(document)["settlement"], without_players(settlement)
    assert {part: settlement[part] for part in COMES_TO} == {part: played[part] for part in COMES_TO}
    assert sum(settlement["net"].values()) == 0


def stored(api: Api, round_id: str, part: str, revision: int) -> ApiResponse:
    response = api.get(f"/v1/rounds/{round_id}/{part}?revision={revision}")
    assert response.status == 200
    return response


@pytest.mark.parametrize("name", ["pineapple", "progressive-round", *map(long, ("pineapple-qq", "turbo", "classic"))])
@pytest.mark.no_cover
def test_random_corrections_match_the_oracle_and_their_dry_run(api: Api, name: str) -> None:
    """Random rounds, in which one thing after another is changed, which most often cannot be."""
    rng = Random(name)
    corrected = 0
    for number in range(4):
        document = {**without(random_document(rng, PRESETS[name]), "reference"), "table": f"{name} {number}"}
        posted = post_document(api, document)
        assert posted.status == 201, posted
        round_id, revisions = posted["round"]["id"], 1
        for attempt in range(12):
            original = api.get(f"/v1/rounds/{round_id}/document").document
            if not original["hands"]:
                break
            amended = without(spoil(rng, original), "irregular")
            body = {"reason": f"attempt {attempt}", "document": amended, "irregular": "accept"}
            tried = correct_round(api, round_id, query="?dry_run=true", correction=body)
            done = correct_round(api, round_id, body)
            assert (done.status, outcome_of(done)) == (tried.status, outcome_of(tried))
            if done.status == 201:
                revisions, corrected = revisions + 1, corrected + 1
                agrees_with_the_oracle(api, round_id, name)
        for revision in range(1, revisions + 1):
            of_revision = [stored(api, round_id, part, revision).document for part in ("document", "settlement")]
            plays_to_itself(*of_revision)
        assert api.get(f"/v1/rounds/{round_id}/settlement")["revision"] == revisions
    assert corrected > 2


def outcome_of(response: ApiResponse) -> Document:
    return without(response.document, "request_id")


def agrees_with_the_oracle(api: Api, round_id: str, name: str) -> None:
    document = api.get(f"/v1/rounds/{round_id}/document").document
    settlement = without_players(api.get(f"/v1/rounds/{round_id}/settlement").document)
    standing = frozenset(irregular["hand"] for irregular in document.get("irregular", []))
    right = play(document, PRESETS[name], standing)["settlement"]
    assert {part: settlement[part] for part in COMES_TO[:-1]} == {part: right[part] for part in COMES_TO[:-1]}


# --- many at once ---


class Corrector:
    """A client that corrects rounds, sends every correction twice at once, and asks again where it is original to."""

    def __init__(self, served: Served, number: int, rounds: list[str]) -> None:
        self.served, self.number, self.rounds = served, number, rounds
        self.gives_up_at = time.monotonic() + DEADLINE

    def correct(self) -> None:
        rng = Random(self.number)
        with self.served.connect() as one, self.served.connect() as other, ThreadPoolExecutor(2) as pool:
            for turn in range(EACH):
                round_id = rng.choice(self.rounds)
                played = dict(zip((1, 2, 3), rng.sample((HIGH, MID, LOW), 3), strict=True))
                at = f"2026-11-20T20:{self.number:02}:{turn:02}Z"
                patch = [{"op": "replace", "path": "/hands/1", "value": hand(2, 2, played, played_at=at)}]
                body: Document = {"reason": f"client {self.number}, correction {turn}", "patch": patch}
                while not self._is_made([one, other], pool, round_id, body):
                    assert time.monotonic() < self.gives_up_at, "corrections do not come through"

    def _is_made(
        self, connections: list[httpx2.Client], pool: ThreadPoolExecutor, round_id: str, body: Document
    ) -> bool:
        version = connections[0].get(f"/v1/rounds/{round_id}").json()["version"]

        def send(connection: httpx2.Client) -> Any:
            return connection.post(f"/v1/rounds/{round_id}/corrections", json={**body, "version": version})

        responses = list(pool.map(send, connections))
        statuses = {response.status_code for response in responses}
        assert statuses <= {201, 409}, [response.text for response in responses]
        corrections = [response for response in responses if response.status_code == 201]
        assert sum("Idempotent-Replayed" not in response.headers for response in corrections) == (
            1 if corrections else 0
        )
        return bool(corrections)


@pytest.mark.thorough
def test_repeated_corrections_by_many_clients_make_one_revision_each(served: Served) -> None:
    rounds = [served.new_round() for _ in range(ROUNDS)]
    for round_id in rounds:
        for number in (1, 2, 3):
            played = hand(number, number, {1: HIGH, 2: MID, 3: LOW}, dealt_again=True)
            assert served.post(f"/v1/rounds/{round_id}/hands", played).status_code == 201
    correctors = [Corrector(served, number, rounds) for number in range(CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(Corrector.correct, correctors))
    total = 0
    for round_id in rounds:
        revision = served.get(f"/v1/rounds/{round_id}/settlement")["revision"]
        total += revision - 1
        for each in range(1, revision + 1):
            document = served.get(f"/v1/rounds/{round_id}/document?revision={each}")
            plays_to_itself(document, served.get(f"/v1/rounds/{round_id}/settlement?revision={each}"))
        reasons = served.records.query("SELECT reason FROM settlements WHERE round_id = %s AND revision > 1", round_id)
        assert len(set(reasons)) == len(reasons) == revision - 1
    assert total == CLIENTS * EACH
    assert served.records.query("SELECT count(*) FROM corrections")[0] == (CLIENTS * EACH,)
    assert served.records.query("SELECT count(*) FROM events WHERE kind = 'round.corrected'")[0] == (CLIENTS * EACH,)
