"""Scorekeepers who record rounds over HTTP, retry until they receive a response, and store every response."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from threading import Event
from typing import Any
from uuid import UUID

import httpx2

from tests.oracle import PRESETS
from tests.support.api_settlements import without_players
from tests.support.sample_rounds import Document, without
from tests.support.scoring.replayed_rounds import play_document

LONGEST_WAIT = 60.0
PASSING = {
    (409, "busy"),
    (409, "idempotency-key-in-use"),
    (429, "batches-busy"),
    (429, "rate-limited"),
    (503, "database-unavailable"),
    (504, "outcome-unknown"),
}
"""Refusals after which the same request is sent again."""


@dataclass(frozen=True)
class CompletedRequest:
    """A request that received a response in the end."""

    path: str
    document: Document | str
    """The body: a document, or the lines of a batch."""
    key: str | None
    response: httpx2.Response
    begun: float
    ended: float
    attempts: int

    @property
    def body(self) -> Any:
        if isinstance(self.document, str):
            return [json.loads(line) for line in self.response.text.splitlines()]
        return self.response.json()


@dataclass
class PlayedRound:
    """A round as it was played: its document, and how often it was changed after it had been opened."""

    id: str
    document: Document
    changes: int = 0
    recordings: int = 0


@dataclass
class Scorekeeper:
    """Records random rounds, by hand, in batches and whole, at tables of its own, with idempotency keys and without."""

    name: str
    rng: Random
    key: str
    find_url: Callable[[], str]
    documents: Sequence[Document]
    """What is played, again and again, each time as a round of its own."""
    completed: list[CompletedRequest] = field(default_factory=list)
    rounds: list[PlayedRound] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._http = httpx2.Client(
            headers={"Authorization": f"Bearer {self.key}"}, timeout=30, trust_env=False, verify=False
        )

    def close(self) -> None:
        self._http.close()

    def play_until(self, enough: Event) -> None:
        while not enough.is_set():
            names = {name: f"{self.name} {len(self.rounds)}" for name in ("table", "reference")}
            document = {**self.rng.choice(self.documents), **names}
            self.rounds.append(self._play_whole(document) if self.rng.random() < 0.2 else self._play_by_hand(document))

    def post(self, path: str, document: Document | str, *, has_identity: bool = False) -> Any:
        """Post until a response arrives; half of the requests with an identity have no idempotency key."""
        key = None if has_identity and self.rng.random() < 0.5 else str(UUID(int=self.rng.getrandbits(128), version=4))
        completed = self._send(path, document, key)
        self.completed.append(completed)
        return completed.body

    def get(self, path: str) -> Any:
        response = self._http.get(self.find_url() + path)
        assert response.status_code == 200, response.text
        return response.json()

    def _send(self, path: str, document: Document | str, key: str | None) -> CompletedRequest:
        is_batch = isinstance(document, str)
        headers = {"Content-Type": "application/x-ndjson" if is_batch else "application/json"}
        headers |= {"Idempotency-Key": key} if key else {}
        content = document if isinstance(document, str) else json.dumps(document)
        begun, attempts = time.monotonic(), 0
        while True:
            attempts += 1
            try:
                response = self._http.post(self.find_url() + path, content=content, headers=headers)
            except httpx2.TransportError as error:
                last = repr(error)
            else:
                if response.is_success:
                    return CompletedRequest(path, document, key, response, begun, time.monotonic(), attempts)
                last = f"{response.status_code} {response.text}"
                assert (response.status_code, response.json()["code"]) in PASSING, (path, document, key, attempts, last)
            assert time.monotonic() - begun < LONGEST_WAIT, (path, attempts, last)
            time.sleep(0.02)

    def _play_whole(self, document: Document) -> PlayedRound:
        played = self.post("/v1/documents", document, has_identity=True)["round"]
        hands = len(document["hands"])
        return PlayedRound(played["id"], document, played["version"] - 1, hands)

    def _play_by_hand(self, document: Document) -> PlayedRound:
        money = {name: document[name] for name in ("point_value", "unit") if name in document}
        table = self.post("/v1/tables", {"name": document["table"], "ruleset": document["ruleset"], **money})
        opening = {"seats": document["seats"], "reference": document["reference"]}
        opened = self.post(f"/v1/tables/{table['id']}/rounds", opening, has_identity=True)
        round_ = PlayedRound(opened["id"], document)
        leaving = {departure["after_hand"] for departure in document["departures"]}
        is_batched, batch = len(self.rounds) % 2 == 0, list[Document]()
        for hand in document["hands"]:
            batch.append(hand)
            if not is_batched:
                self._record(round_, batch.pop())
            elif hand["number"] in leaving or hand is document["hands"][-1]:
                self._record_batch(round_, batch)
                batch = []
            for departure in document["departures"]:
                if departure["after_hand"] == hand["number"]:
                    self._change(round_, "departures", without(departure, "after_hand"))
        if document.get("closed"):
            self._change(round_, "close", without(document["closed"], "after_hand"))
        return round_

    def _record(self, round_: PlayedRound, hand: Document) -> None:
        """Record a hand; now and then it is undone and put back."""
        recorded = self._change(round_, "hands", hand, has_identity=True)
        while self.rng.random() < 0.1:
            self._change(round_, "undo", {"number": hand["number"], "hand": recorded["id"]}, has_identity=True)
            recorded = self._change(round_, "hands", {**hand, "restores": recorded["id"]}, has_identity=True)

    def _record_batch(self, round_: PlayedRound, hands: Sequence[Document]) -> None:
        """Record hands with one request; all of them are stored, by this attempt or an earlier one."""
        lines = "\n".join(json.dumps({"round": round_.id, **hand}) for hand in hands)
        round_.changes += len(hands)
        round_.recordings += len(hands)
        results = self.post("/v1/hands", lines, has_identity=True)
        assert {result["status"] for result in results} <= {"recorded", "replayed"}, (lines, results)

    def _change(self, round_: PlayedRound, what: str, document: Document, *, has_identity: bool = False) -> Any:
        round_.changes += 1
        round_.recordings += what == "hands"
        return self.post(f"/v1/rounds/{round_.id}/{what}", document, has_identity=has_identity)

    # --- afterwards ---

    def check(self) -> None:
        """Check that every response is replayed, and that every round is stored as it was played."""
        for completed in self.completed:
            self._check_response(completed)
        for round_ in self.rounds:
            self._check_round(round_)

    def _check_response(self, completed: CompletedRequest) -> None:
        again = self._send(completed.path, completed.document, completed.key)
        where = (completed.path, completed.key, again.body, completed.body)
        if completed.key is None and isinstance(completed.document, str):
            for first, replayed in zip(completed.body, again.body, strict=True):
                assert replayed["status"] == "replayed", where
                assert without(replayed["hand"], "round") == without(first["hand"], "round"), where
            return
        assert again.response.headers.get("Idempotent-Replayed") == "true", where
        if completed.key is not None:
            assert again.response.content == completed.response.content, where
        elif completed.path.endswith("/hands"):
            # Undone and put back, the hand has a newer record; the cards and the results are the same.
            hand = self.get(f"/v1/hands/{completed.body['id']}")
            assert without(hand, "round", "in_force") == without(completed.body, "round", "in_force"), where
        else:
            assert _identity(again.body) == _identity(completed.body), where

    def _check_round(self, round_: PlayedRound) -> None:
        record = self.get(f"/v1/rounds/{round_.id}")
        assert record["version"] == 1 + round_.changes, round_
        settlement = without_players(self.get(f"/v1/rounds/{round_.id}/settlement"))
        assert sum(settlement["net"].values()) == 0, round_
        ruleset = PRESETS[round_.document["ruleset"].partition("@")[0]]
        document = self.get(f"/v1/rounds/{round_.id}/document")
        expected = play_document(document, ruleset)["settlement"]
        assert {part: settlement[part] for part in expected} == expected, round_
        assert expected == play_document(round_.document, ruleset)["settlement"], round_
        # The same document is the same round: it was played to the last card, and nothing else was.
        assert self._send("/v1/documents", round_.document, None).body["round"]["id"] == round_.id


def _identity(body: Document) -> Any:
    return body.get("id") or body["round"]["id"]
