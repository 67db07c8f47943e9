"""Rounds imported by the line: stored, answered and refused just as documents that are posted one by one."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.oracle import PRESETS, random_document, random_ruleset
from tests.service.house import House
from tests.service.importing import club_of, ids_of, import_all, lines_of, records_of, without_ids
from tests.service.rounds_to_play import (
    Document,
    changed,
    without,
)
from tests.service.speaking import Api

EXAMPLES = Path(__file__).parents[2] / "examples"
NO_JSON = [b"", b"{", b'{"table": 1, "table": 2}', b"[NaN]", b"\xff", b"null", b"[]", b'"\\ud800"']


def post_all(api: Api, lines: list[bytes]) -> list[tuple[str, str | None, Document | None]]:
    """Post lines one by one: what became of each, the round's id, and the problem."""
    answers = []
    for line in lines:
        answer = api.ask("POST", "/v1/documents", data=line, headers={"Content-Type": "application/json"})
        if answer.status == 201:
            status = "replayed" if "Idempotent-Replayed" in answer.headers else "stored"
            answers.append((status, answer["round"]["id"], None))
        else:
            problem = {name: answer[name] for name in ("code", "detail", "errors")}
            answers.append(("refused", None, problem))
    return answers


def check_same(house: House, lines: list[bytes], *, at_once: int = 1000, rulesets: Any = ()) -> list[str]:
    """Import lines into one club and post them in another; say what became of each."""
    importing, posting = house.new_client(), house.new_client()
    for rules in rulesets:
        assert importing.post("/v1/rulesets", rules).status == posting.post("/v1/rulesets", rules).status == 201
    club, other = club_of(house, importing), club_of(house, posting)
    imported, posted = import_all(house, club, lines, at_once), post_all(posting, lines)
    called, called_there = ids_of(house, club), ids_of(house, other)
    assert [each.line for each in imported] == list(range(1, len(lines) + 1))
    for line, each, (status, round_id, problem) in zip(lines, imported, posted, strict=True):
        assert each.status == status, (line, each, problem)
        assert (each.round_id and called[str(each.round_id)]) == (round_id and called_there[round_id]), line
        found, right = (json.dumps(what, sort_keys=True) for what in (each.problem, problem))
        assert without_ids(found, called) == without_ids(right, called_there), line
        assert each.hands == (len(json.loads(line)["hands"]) if status == "stored" else 0)
    assert records_of(house, club) == records_of(house, other)
    return [each.status for each in imported]


def test_every_example_is_stored_as_if_it_had_been_posted(house: House) -> None:
    files = [path.read_bytes() for path in sorted(EXAMPLES.glob("*.json"))]
    lines = [content for content in files if b'"hands"' in content]
    assert len(lines) > 20
    assert set(check_same(house, lines)) == {"stored"}


def bent(rng: Random, document: Document) -> Document | bytes:
    """A document with something wrong in it, mostly."""
    hands = document["hands"]
    at = f"hands/{rng.randrange(len(hands))}" if hands else "seats/0"
    ways: list[tuple[str, Any]] = [
        ("ruleset", "nobody-knows-it"),
        ("point_value", 5),
        ("point_value", 2.5),
        ("seats/0/seat", True),
        ("seats/0/stack", 10**12),
        ("seats/0/stack", 0),
        ("seats/0/player", document["seats"][-1]["player"]),
        ("seats/0/player", "half of \ud800 a pair"),
        ("closed", {"after_hand": rng.randrange(4), "reason": "it rains"}),
        ("departures", [{"seat": document["seats"][0]["seat"], "after_hand": rng.randrange(4)}]),
        ("expected", {"round": {"hands": rng.randrange(4)}, "settlement": {"revision": 1}}),
        ("anything", 1),
    ]
    if hands:
        ways += [
            (f"{at}/number", rng.choice([1, 2, 3.0, 10_001])),
            (f"{at}/button", rng.randint(1, 9)),
            (f"{at}/played_at", rng.choice(["2026-02-30T10:00:00Z", "2026-11-20 10:00:00+05:30", "yesterday", None])),
            (f"{at}/players/0/top/0", rng.choice(["As", "10s", "2d"])),
            (f"{at}/players/0/fantasyland", rng.choice([14, 15, 0.0])),
            (f"{at}/players/0/discards", ["2c"]),
            (f"{at}/top_ups", [{"seat": document["seats"][0]["seat"], "points": 10**12}]),
        ]
    name, value = rng.choice(ways)
    return without(document, rng.choice([*document])) if rng.random() < 0.1 else changed(document, (name, value))


@pytest.mark.parametrize("seed", range(2))
def test_random_lines_right_and_wrong_are_stored_and_refused_as_if_posted(house: House, seed: int) -> None:
    rng = Random(seed)
    own = [random_ruleset(rng) for _ in range(5)]
    rulesets = [*PRESETS.values(), *own]
    documents: list[Document | bytes] = list(NO_JSON)
    for _ in range(45):
        document = random_document(rng, rng.choice(rulesets))
        document["table"] = f"table {rng.randint(1, 6)}"
        if rng.random() < 0.4:
            del document["reference"]
        elif rng.random() < 0.3:
            document["reference"] = f"round {rng.randint(1, 20)}"
        if rng.random() < 0.2:
            document["ruleset"] = document["ruleset"].partition("@")[0]
        documents += [bent(rng, document) for _ in range(rng.randint(0, 2))]
        documents += [document] * rng.choice([1, 1, 1, 2])
    rng.shuffle(documents)
    became = check_same(house, lines_of(documents), at_once=rng.choice([1, 10, 1000]), rulesets=own)
    assert set(became) == {"stored", "replayed", "refused"}
