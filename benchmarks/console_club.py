"""The club whose pages `benchmarks.console_pages` measures: rounds, disputes, corrections, and one of all else."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Final

from flask import Flask

from benchmarks.import_rounds import Bench
from benchmarks.post_hands import RULESET, SEATS
from benchmarks.read_statistics import fill, make_lines
from tests.support.api_client import Api, ApiResponse

OTHER_RULESET: Final = "pineapple-2-4-us-none"
_MONEY: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"point_value": 10, "unit": "EUR"},
    {"point_value": 25, "unit": "USD"},
)
"""What a point is worth at every third table."""
_PROVISIONAL: Final = 20
"""Every twentieth round is provisional when it is imported."""
_DISPUTES: Final = 400
_CORRECTIONS: Final = 100
_LAST_HAND_VOID: Final = [
    {"op": "remove", "path": "/hands/2"},
    {"op": "add", "path": "/closed", "value": {"after_hand": 2, "reason": "a card was exposed"}},
]


@dataclass(frozen=True, slots=True)
class ClubSize:
    """The numbers of hands, tables and players of the club."""

    hands: int
    tables: int
    players: int


@dataclass(frozen=True, slots=True)
class ChangedRounds:
    """A disputed round with its table, and a corrected round."""

    disputed: str
    corrected: str
    table: str


def make_club(database: Bench, size: ClubSize) -> None:
    """Import the rounds of the club."""
    rounds = size.hands // len(SEATS)
    final, provisional = [], []
    for number, line in enumerate(make_lines(rounds, Random(1), size.tables, size.players - 1)):
        part = provisional if number % _PROVISIONAL == 0 else final
        part.append(json.dumps(_of_table(json.loads(line), number % size.tables)).encode())
    fill(database, iter(final))
    fill(database, iter(provisional), is_final=False)
    fill(database, _open_rounds(size), is_final=False)
    database.analyze()


def _of_table(document: dict[str, Any], table: int) -> dict[str, Any]:
    """Return a document with the point value and the ruleset of its table."""
    ruleset = OTHER_RULESET if table % 10 == 0 else RULESET
    return {**document, **_MONEY[table % len(_MONEY)], "ruleset": ruleset}


def _open_rounds(size: ClubSize) -> Iterator[bytes]:
    """Deal the first hand of a round at every third table, newer than the other rounds."""
    lines = make_lines(size.tables, Random(2), size.tables, size.players - 1)
    for table, line in islice(enumerate(lines), 0, None, 3):
        document = _of_table(json.loads(line), table)
        opened = {"reference": f"open {table}", "opened_at": "2026-01-01T20:00:00Z", "hands": document["hands"][:1]}
        yield json.dumps(document | opened).encode()


def change_rounds(app: Flask, key: str) -> ChangedRounds:
    """Dispute provisional rounds and correct final ones over HTTP, and add what other pages show."""
    api = Api(app, key)
    disputed = _list_rounds(api, "provisional", _DISPUTES)
    for number, round_ in enumerate(disputed):
        claim = {"round": round_["id"], "hand": 1 + number % 3, "claim": f"card {number} was read wrongly"}
        _expect(api.post("/v1/disputes", {**claim, "by": round_["seats"][0]["player"]}), 201)
    corrected = _list_rounds(api, "final", _CORRECTIONS)
    for round_ in corrected:
        body = {"version": round_["version"], "reason": "a card was exposed", "patch": _LAST_HAND_VOID}
        _expect(api.post(f"/v1/rounds/{round_['id']}/corrections", body), 201)
    _add_others(api, disputed[0])
    return ChangedRounds(disputed[0]["id"], corrected[0]["id"], disputed[0]["table"])


def _list_rounds(api: Api, state: str, count: int) -> list[dict[str, Any]]:
    """List the newest rounds of a state of which all hands were played."""
    rounds: list[dict[str, Any]] = []
    cursor: str | None = ""
    while len(rounds) < count and cursor is not None:
        page = api.get(f"/v1/rounds?state={state}&status=complete{cursor and f'&cursor={cursor}'}").document
        rounds += page["rounds"]
        cursor = page["next_cursor"]
    if not rounds:
        raise SystemExit(f"the club has no {state} round")
    return rounds[:count]


def _add_others(api: Api, round_: dict[str, Any]) -> None:
    """Add a ruleset, a webhook, a payment, a link to the table of a round, and a job that waits for a worker."""
    ruleset = api.get(f"/v1/rulesets/{OTHER_RULESET}").document
    _expect(api.post("/v1/rulesets", {**ruleset, "name": "house", "version": 1}), 201)
    webhook = {"url": "https://club.example/hands", "kinds": ["hand.recorded"]}
    _expect(api.post("/v1/webhooks", webhook), 201)
    payer, payee = (seat["player"] for seat in round_["seats"][:2])
    payment = {"payer": payer, "payee": payee, "unit": "EUR", "amount": 500, "reference": "cash"}
    _expect(api.post("/v1/payments", payment), 201)
    _expect(api.post("/v1/links", {"table": round_["table"], "kind": "viewer"}), 201)
    audit = {"mode": "audit", "scope": {"table": round_["table"]}, "reason": "a question of a player"}
    _expect(api.post("/v1/recomputations", audit), 202)


def _expect(response: ApiResponse, expected: int) -> None:
    if response.status != expected:
        raise SystemExit(f"a request of the set-up failed: {response.document}; expected {expected}")
