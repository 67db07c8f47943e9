"""Disputes from many connections at once: one request succeeds, and the others get a conflict."""

from collections import Counter

import httpx2

from service.rounds.actions.settlements import finalize_settlements
from tests.support.api_client import Api
from tests.support.api_disputes import CLAIM, MISREAD, body_of, dispute, step
from tests.support.application import House
from tests.support.import_lines import club_of, database_of
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, Document, complete_round
from tests.support.shared_server import Served

CONNECTIONS = 20
PLAIN: Document = {"reason": "misread", "patch": MISREAD}


def play_round(served: Served) -> str:
    round_id = served.new_round()
    for hand in COMPLETE:
        assert served.post(f"/v1/rounds/{round_id}/hands", {**hand, "dealt_again": True}).status_code == 201
    return round_id


def claim(round_id: str, number: int = 1) -> tuple[str, Document]:
    return "/v1/disputes", {"round": round_id, "claim": f"{CLAIM}, {number}", "by": "ann"}


def under_review(served: Served, round_id: str) -> str:
    dispute_id = str(served.post(*claim(round_id)).json()["id"])
    assert served.post(f"/v1/disputes/{dispute_id}/review", body_of("review", 1)).status_code == 201
    return dispute_id


def state_of(house: House, round_id: str) -> str:
    [(state,)] = house.query("SELECT settlement_state FROM round_heads WHERE round_id = %s", round_id)
    return str(state)


def statuses(responses: list[httpx2.Response]) -> list[int]:
    return sorted(response.status_code for response in responses)


def check_trail(served: Served, round_id: str) -> None:
    """The round's events have no gap, and its newest is its version."""
    rows = served.records.query("SELECT sequence FROM events WHERE round_id = %s ORDER BY sequence", round_id)
    version = served.get(f"/v1/rounds/{round_id}")["version"]
    assert [sequence for (sequence,) in rows] == [*range(1, version + 1)]


def test_of_two_resolutions_at_once_one_succeeds(served: Served) -> None:
    winners = Counter[str]()
    for _ in range(8):
        round_id = play_round(served)
        dispute_id = under_review(served, round_id)
        path = f"/v1/disputes/{dispute_id}/resolve"
        verdicts = [
            body_of("resolve", 2, by=auditor, state=state)
            for auditor, state in (("first", "upheld"), ("bob", "rejected"))
        ]
        responses = served.at_once(*[(path, verdict) for verdict in verdicts])
        assert statuses(responses) == [201, 409]
        won, lost = sorted(responses, key=lambda response: response.status_code)
        assert lost.json()["code"] == "dispute-changed"
        assert served.get(f"/v1/disputes/{dispute_id}") == won.json()
        assert [entry["kind"] for entry in won.json()["history"]] == ["under_review", won.json()["state"]]
        winners[won.json()["state"]] += 1
        check_trail(served, round_id)
    assert set(winners) <= {"upheld", "rejected"}


def test_a_resolution_sent_twenty_times_at_once_is_stored_once(served: Served) -> None:
    dispute_id = under_review(served, play_round(served))
    responses = served.at_once(*[(f"/v1/disputes/{dispute_id}/resolve", body_of("resolve", 2))] * CONNECTIONS)
    assert statuses(responses) == [201] * CONNECTIONS
    assert sum(response.headers.get("Idempotent-Replayed") == "true" for response in responses) == CONNECTIONS - 1
    assert served.get(f"/v1/disputes/{dispute_id}")["version"] == 3


def test_twenty_concurrent_claims_are_one_dispute(served: Served) -> None:
    round_id = play_round(served)
    responses = served.at_once(*[claim(round_id)] * CONNECTIONS)
    assert statuses(responses) == [201] * CONNECTIONS
    assert len({response.json()["id"] for response in responses}) == 1
    assert len(served.get(f"/v1/disputes?round={round_id}")["disputes"]) == 1
    check_trail(served, round_id)


def test_claims_and_comments_at_once_are_all_stored(served: Served) -> None:
    round_id = play_round(served)
    opened = served.at_once(*[claim(round_id, number) for number in range(10)])
    assert statuses(opened) == [201] * 10
    path = f"/v1/disputes/{opened[0].json()['id']}/comments"
    responses = served.at_once(*[(path, body_of("comments", 1, comment=f"point {number}")) for number in range(10)])
    assert statuses(responses) == [201] * 10
    assert served.get(path.removesuffix("/comments"))["version"] == 11
    check_trail(served, round_id)


def test_a_correction_and_the_end_of_its_dispute_are_serialized(served: Served) -> None:
    outcomes = Counter[tuple[int, int]]()
    for _ in range(8):
        round_id = play_round(served)
        dispute_id = under_review(served, round_id)
        version = served.get(f"/v1/rounds/{round_id}")["version"]
        corrected, resolved = served.at_once(
            (f"/v1/rounds/{round_id}/corrections", {**PLAIN, "version": version, "dispute": dispute_id}),
            (f"/v1/disputes/{dispute_id}/resolve", body_of("resolve", 2, state="upheld")),
        )
        outcomes[corrected.status_code, resolved.status_code] += 1
        case = served.get(f"/v1/disputes/{dispute_id}")
        if corrected.status_code == 201:
            assert case["corrections"] == [2]
        else:
            assert corrected.json()["code"] in ("dispute-refused", "round-changed")
            assert case["corrections"] == []
        assert case["history"][-1]["correction"] == (2 if corrected.status_code == 201 else None)
        check_trail(served, round_id)
    assert set(outcomes) <= {(201, 201), (409, 201)}, outcomes


def test_two_disputes_of_one_round_resolved_at_once_both_end(served: Served) -> None:
    for _ in range(5):
        round_id = play_round(served)
        both = [str(served.post(*claim(round_id, number)).json()["id"]) for number in (1, 2)]
        responses = served.at_once(*[(f"/v1/disputes/{each}/withdraw", body_of("withdraw", 1)) for each in both])
        assert statuses(responses) == [201, 201]
        check_trail(served, round_id)


def test_a_dispute_opened_during_a_sweep_is_not_lost(house: House, api: Api) -> None:
    rounds = [complete_round(api, name=f"table {n}", correction_window_minutes=0) for n in range(12)]

    def open_disputes() -> list[str]:
        return [dispute(api, round_id)["id"] for round_id in rounds]

    def finalize() -> int:
        return sum(finalize_settlements(database_of(house), club_of(house, api)) for _ in range(3))

    opened, finalized = at_once(open_disputes, finalize)
    outcomes = Counter[str]()
    for round_id, dispute_id in zip(rounds, opened, strict=True):
        assert state_of(house, round_id) == "disputed"
        kinds = [
            kind for (kind,) in house.query("SELECT kind FROM events WHERE round_id = %s ORDER BY sequence", round_id)
        ]
        assert kinds[-1] == "dispute.opened"
        outcomes[kinds[-2]] += 1
        assert step(api, dispute_id, "withdraw").status == 201
        after = "final" if kinds[-2] == "settlement.finalized" else "provisional"
        assert state_of(house, round_id) == after
    assert outcomes["settlement.finalized"] == finalized
    assert outcomes.total() == len(rounds)
