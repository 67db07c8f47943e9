"""Imports over HTTP, done by a real worker: what becomes of every line, and of the same line twice."""

from collections.abc import Iterator

import pytest

from tests.service.house import House
from tests.service.rounds_to_play import changed
from tests.service.speaking import Api
from tests.service.working import lines_of, post_import, results_of, rounds_to_import, wait_for, working


@pytest.fixture(scope="module", autouse=True)
def worker(house: House) -> Iterator[None]:
    with working(house.logins):
        yield


def test_a_file_of_rounds_is_stored_and_every_line_accounted_for(api: Api) -> None:
    documents = rounds_to_import(5)
    sent = post_import(api, lines_of(documents))
    assert sent.status == 202
    ended = wait_for(api, sent.headers["Location"])
    assert ended["state"] == "succeeded"
    assert ended["progress"] == {"done": 5, "total": 5}
    assert ended["summary"] == {"rounds": 5, "replayed": 0, "refused": 0, "hands": 15}
    results = results_of(api, sent.headers["Location"])
    assert [(result["line"], result["status"], result["problem"]) for result in results] == [
        (number, "stored", None) for number in range(1, 6)
    ]
    for result, document in zip(results, documents, strict=True):
        stored = api.get(f"/v1/rounds/{result['round']}")
        assert (stored["reference"], stored["status"]) == (document["reference"], "complete")


def test_a_bad_line_stops_no_other_and_a_line_seen_before_is_a_replay(api: Api) -> None:
    first, second = rounds_to_import(2)
    conflict = changed(first, ("seats/0/stack", 101))
    lines = [first, b"{", b"", first, changed(second, ("hands/0/players/0/top/0", "Ax")), second, conflict]
    sent = post_import(api, lines_of(lines))
    ended = wait_for(api, sent.headers["Location"])
    assert ended["summary"] == {"rounds": 2, "replayed": 1, "refused": 3, "hands": 6}
    results = results_of(api, sent.headers["Location"])
    assert [(result["line"], result["status"]) for result in results] == [
        (1, "stored"),
        (2, "refused"),
        (4, "replayed"),
        (5, "refused"),
        (6, "stored"),
        (7, "refused"),
    ]
    assert results[2]["round"] == results[0]["round"]
    assert [result["problem"] and result["problem"]["code"] for result in results] == [
        None,
        "json-invalid",
        None,
        "request-invalid",
        None,
        "round-conflict",
    ]
    assert results[3]["problem"]["errors"][0]["pointer"] == "#/hands/0/players/0/top/0"
