"""Imported lines have the same results as posted documents."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Barrier
from typing import Any

import pytest

from service.imports.actions import lines as settle_lines
from service.imports.actions.rounds import import_rounds
from service.rounds.actions import recording_many
from tests.oracle import PRESETS, random_document, random_ruleset
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of, database_of, ids_of, import_all, lines_of, records_of, without_ids
from tests.support.sample_rounds import (
    COMPLETE,
    Document,
    add_table,
    changed,
    document_of,
    open_round,
    play_to_the_end,
    post_document,
    undo,
    without,
)

EXAMPLES = Path(__file__).parents[3] / "examples"
NO_JSON = [b"", b"{", b'{"table": 1, "table": 2}', b"[NaN]", b"\xff", b"null", b"[]", b'"\\ud800"']


def post_all(api: Api, lines: list[bytes]) -> list[tuple[str, str | None, Document | None]]:
    """Post lines one by one: what became of each, the round's id, and the problem."""
    results = []
    for line in lines:
        response = api.request("POST", "/v1/documents", data=line, headers={"Content-Type": "application/json"})
        if response.status == 201:
            status = "replayed" if "Idempotent-Replayed" in response.headers else "stored"
            results.append((status, response["round"]["id"], None))
        else:
            problem = {name: response[name] for name in ("code", "detail", "errors")}
            results.append(("refused", None, problem))
    return results


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
        actual, right = (json.dumps(what, sort_keys=True) for what in (each.problem, problem))
        assert without_ids(actual, called) == without_ids(right, called_there), line
        assert each.hands == (len(json.loads(line)["hands"]) if status == "stored" else 0)
    assert records_of(house, club) == records_of(house, other)
    return [each.status for each in imported]


@pytest.mark.parametrize("at_once", [1, 100])
def test_every_example_is_stored_as_if_it_had_been_posted(
    house: House, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(recording_many, "WRITTEN_AT_ONCE", at_once)
    monkeypatch.setattr(settle_lines, "FEWEST", at_once)
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
@pytest.mark.no_cover
def test_random_lines_have_the_same_result_as_posted_documents(
    house: House, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = Random(seed)
    monkeypatch.setattr(recording_many, "WRITTEN_AT_ONCE", [100, 2][seed])
    monkeypatch.setattr(settle_lines, "FEWEST", [1, 100][seed])
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


def test_a_line_seen_before_is_a_replay_however_its_round_was_recorded(house: House, api: Api) -> None:
    by_hand = open_round(api, add_table(api), reference="by hand")["id"]
    play_to_the_end(api, by_hand)
    posted = post_document(api, document_of(hands=COMPLETE, reference="posted"))["round"]["id"]
    undone = post_document(api, document_of(hands=COMPLETE, reference="undone"))["round"]["id"]
    assert undo(api, undone, 3).status == 201
    shorter = document_of(hands=COMPLETE[:2], reference="undone")
    lines = [document_of(hands=COMPLETE, reference=reference) for reference in ("by hand", "posted", "undone")]
    imported = import_all(house, club_of(house, api), lines_of([*lines, shorter, *lines]))
    assert [str(each.round_id) for each in imported] == [by_hand, posted, undone, undone, by_hand, posted, undone]
    assert {each.status for each in imported} == {"replayed"}


def test_expected_values_are_checked_for_replays_too(house: House, api: Api) -> None:
    right, wrong = ({"settlement": {"net": {"1": net}}} for net in (36, 35))
    document = document_of(hands=COMPLETE)
    lines = lines_of([{**document, "expected": expected} for expected in (wrong, right, right, wrong)])
    club = club_of(house, api)
    for at_once in (len(lines), 1):
        became = [each.status for each in import_all(house, club, lines, at_once)]
        assert became == ["refused", "stored" if at_once > 1 else "replayed", "replayed", "refused"]


def test_events_have_the_key_of_the_import(house: House, api: Api) -> None:
    club = club_of(house, api)
    [(key,)] = house.query("SELECT id FROM api_keys WHERE club_id = %s", club)
    with database_of(house).transaction(club, actor=key, request_id="r-7") as transaction:
        import_rounds(transaction, [(1, lines_of([document_of(hands=COMPLETE)])[0])], is_final=True)
    kinds = house.query(
        "SELECT kind, count(*) FROM events WHERE club_id = %s AND actor = %s AND request_id = 'r-7' GROUP BY 1",
        club,
        key,
    )
    assert dict(kinds) == {
        "ruleset.added": 1,
        "table.created": 1,
        "round.opened": 1,
        "hand.recorded": 3,
        "settlement.finalized": 1,
    }


def test_the_settlement_of_an_imported_ended_round_is_final(house: House, api: Api) -> None:
    complete, unfinished = document_of(hands=COMPLETE), document_of(hands=COMPLETE[:2], table="parlour")
    club = club_of(house, api)
    imported = import_all(house, club, lines_of([complete, unfinished]), is_final=True)
    query = """
        SELECT settlement_state, final_revision, provisional_until, version,
            (SELECT count(*) FROM events WHERE events.round_id = round_heads.round_id),
            (SELECT kind FROM events WHERE events.round_id = round_heads.round_id ORDER BY sequence DESC LIMIT 1)
        FROM round_heads WHERE round_id = %s
    """
    rows = [house.query(query, each.round_id) for each in imported]
    assert rows == [[("final", 1, None, 5, 5, "settlement.finalized")], [("open", None, None, 3, 3, "hand.recorded")]]


def test_a_rollback_leaves_nothing(house: House, api: Api) -> None:
    before = house.count_records()
    with database_of(house).transaction(club_of(house, api), rolled_back=True) as transaction:
        [imported] = import_rounds(transaction, [(1, lines_of([document_of(hands=COMPLETE)])[0])], is_final=True)
    assert imported.status == "stored"
    assert house.count_records() == before


@pytest.mark.parametrize("round_", range(3))
def test_workers_with_the_same_lines_store_each_once(house: House, api: Api, round_: int) -> None:
    """Tables and rulesets are new to the club, and every worker meets them in another order."""
    rng = Random(round_)
    documents = [
        {**random_document(rng, rng.choice([*PRESETS.values()])), "table": f"table {number % 9}", "closed": None}
        for number in range(60)
    ]
    complete = [document for document in documents if document["hands"]]
    club, start = club_of(house, api), Barrier(3)

    def work(seed: int) -> list[str]:
        lines = lines_of(complete)
        Random(seed).shuffle(lines)
        start.wait()
        return [each.status for each in import_all(house, club, lines, at_once=len(lines) // 3)]

    with ThreadPoolExecutor(3) as workers:
        became = [status for statuses in workers.map(work, range(3)) for status in statuses]
    counted = Counter(became)
    stored = house.query("SELECT count(*) FROM rounds WHERE club_id = %s", club)[0][0]
    assert counted["stored"] == stored
    references = house.query("SELECT count(DISTINCT (table_id, reference)) FROM rounds WHERE club_id = %s", club)[0][0]
    assert references == stored
    assert counted["replayed"] == 2 * stored
