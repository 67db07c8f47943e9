"""Imports over HTTP, processed by a real worker."""

import gzip
from collections.abc import Iterator

import pytest

from tests.support.api_client import Api
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.sample_rounds import COMPLETE, SIXES, changed, document_of, post_document, without
from tests.support.worker_process import lines_of, post_import, results_of, rounds_to_import, wait_for, working

NDJSON = {"Content-Type": "application/x-ndjson"}


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    """A database of these tests' own, for nobody else's imports are to be done here."""
    with open_house(embedded_postgres) as opened:
        yield opened


@pytest.fixture(scope="module", autouse=True)
def worker(house: House) -> Iterator[None]:
    with working(house.logins):
        yield


def test_every_line_of_a_file_has_a_result(api: Api) -> None:
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


@pytest.mark.smoke
def test_an_invalid_line_stops_no_other_and_a_stored_line_is_a_replay(api: Api) -> None:
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


@pytest.mark.parametrize("requested", [None, "final", "provisional"])
def test_settlements_have_the_state_of_the_import(api: Api, requested: str | None) -> None:
    state, query = requested or "final", f"?state={requested}" if requested else ""
    sent = api.request("POST", f"/v1/imports{query}", data=lines_of(rounds_to_import(1)), headers=NDJSON)
    assert wait_for(api, sent.headers["Location"])["summary"]["rounds"] == 1
    [result] = results_of(api, sent.headers["Location"])
    settlement = api.get(f"/v1/rounds/{result['round']}/settlement")
    assert (settlement["state"], settlement["provisional_until"] is None) == (state, state == "final")
    confirmed = api.post(f"/v1/rounds/{result['round']}/confirmations", {"seat": 1, "revision": 1})
    assert confirmed.status == (409 if state == "final" else 201)


def test_an_unknown_settlement_state_is_refused(api: Api, house: House) -> None:
    before = house.count_records()
    refused = api.request("POST", "/v1/imports?state=disputed", data=lines_of(rounds_to_import(1)), headers=NDJSON)
    assert (refused.status, refused.mistakes) == (422, {"#/query/state": "not-a-choice"})
    assert house.count_records() == before


def test_a_gzip_file_is_decompressed(api: Api) -> None:
    sent = post_import(api, lines_of(rounds_to_import(3)), packed=True)
    assert wait_for(api, sent.headers["Location"])["summary"]["rounds"] == 3


def test_a_gzip_file_with_several_members_is_one_file(api: Api) -> None:
    parts = b"".join(gzip.compress(lines_of([document])) for document in rounds_to_import(3))
    sent = api.request("POST", "/v1/imports", data=parts, headers={**NDJSON, "Content-Encoding": "gzip"})
    assert wait_for(api, sent.headers["Location"])["summary"]["rounds"] == 3


def test_an_empty_file_is_an_empty_import(api: Api) -> None:
    ended = wait_for(api, post_import(api, b"\n\n").headers["Location"])
    assert (ended["state"], ended["progress"]) == ("succeeded", {"done": 0, "total": 0})
    assert results_of(api, f"/v1/imports/{ended['id']}") == []


def test_the_last_line_needs_no_line_feed(api: Api) -> None:
    sent = post_import(api, lines_of(rounds_to_import(2)).rstrip(b"\n"))
    assert wait_for(api, sent.headers["Location"])["summary"]["rounds"] == 2


def test_a_body_larger_than_any_other_may_be_is_imported(api: Api) -> None:
    [document] = rounds_to_import(1)
    padding = b"\n" * 1000 + b" " * 3_000_000 + b"\n"
    sent = post_import(api, padding + lines_of([document]) + b'{"x": "' + b"x" * 2_000_000 + b'"}')
    ended = wait_for(api, sent.headers["Location"])
    assert ended["summary"] == {"rounds": 1, "replayed": 0, "refused": 1, "hands": 3}
    refused = results_of(api, sent.headers["Location"])[1]
    assert (refused["line"], refused["problem"]["code"]) == (1003, "body-too-large")


def test_the_same_file_again_is_replayed_line_by_line(api: Api) -> None:
    content = lines_of(rounds_to_import(3))
    first = wait_for(api, post_import(api, content).headers["Location"])
    second = wait_for(api, post_import(api, content).headers["Location"])
    assert second["id"] != first["id"]
    assert second["summary"] == {"rounds": 0, "replayed": 3, "refused": 0, "hands": 0}


def test_an_idempotency_key_maps_a_repeated_file_to_the_same_import(api: Api, house: House) -> None:
    content, key = lines_of(rounds_to_import(3)), {"Idempotency-Key": "one-file"}
    first = post_import(api, content, **key)
    wait_for(api, first.headers["Location"])
    again = post_import(api, content, **key)
    assert again.status == 202
    assert again.document == first.document
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert post_import(api, content + b"\n", **key)["code"] == "idempotency-key-reused"
    assert house.query("SELECT count(*) FROM import_pieces") == [(0,)], "what was sent in vain is still there"


@pytest.mark.parametrize(
    ("headers", "body", "status", "code"),
    [
        ({"Content-Type": "application/json"}, b"{}", 415, "media-type-unsupported"),
        ({}, b"{}", 415, "media-type-unsupported"),
        ({"Content-Type": "application/x-ndjson", "Content-Encoding": "br"}, b"{}", 415, "media-type-unsupported"),
        ({"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}, b"{}\n", 400, "body-unreadable"),
        (
            {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"},
            gzip.compress(b"{}\n", mtime=0)[:-4],
            400,
            "body-unreadable",
        ),
        ({"Content-Type": "application/x-ndjson", "Idempotency-Key": "ä b"}, b"", 400, "idempotency-key-invalid"),
    ],
)
def test_an_invalid_body_is_refused_and_leaves_nothing(
    api: Api, house: House, headers: dict[str, str], body: bytes, status: int, code: str
) -> None:
    refused = api.request("POST", "/v1/imports", data=body, headers=headers)
    assert (refused.status, refused["code"]) == (status, code)
    assert house.query("SELECT count(*) FROM import_pieces") == [(0,)]
    assert house.query("SELECT count(*) FROM jobs WHERE ended_at IS NULL") == [(0,)]


def test_a_query_is_refused(api: Api) -> None:
    refused = api.request("POST", "/v1/imports?dry_run=true", data=b"", headers=NDJSON)
    assert refused.mistakes == {"#/query/dry_run": "field-unknown"}


def test_an_import_of_another_club_is_not_found(api: Api, other_api: Api, nobody: Api) -> None:
    sent = post_import(api, lines_of(rounds_to_import(1)))
    assert post_import(nobody, b"").status == 401
    for path in ("", "/results"):
        assert other_api.get(sent.headers["Location"] + path).status == 404


def test_an_ended_import_cannot_be_cancelled_paused_or_resumed(api: Api) -> None:
    job = post_import(api, lines_of(rounds_to_import(1))).headers["Location"]
    ended = wait_for(api, job)
    assert api.request("POST", f"{job}/cancel").document == ended.document
    for verb in ("pause", "resume"):
        assert api.request("POST", f"{job}/{verb}")["code"] == "job-ended"


FINALITY = ("state", "provisional_until")
IDS = ("table", "round")


def test_every_hand_s_points_and_the_audit_trail_are_as_those_of_posted_documents(api: Api, other_api: Api) -> None:
    documents = [
        document_of("pineapple", SIXES, COMPLETE),
        document_of("progressive", SIXES, COMPLETE[:1], table="hall"),
    ]
    job = post_import(api, lines_of(documents)).headers["Location"]
    wait_for(api, job)
    for result, document in zip(results_of(api, job), documents, strict=True):
        posted = post_document(other_api, document)
        settled = api.get(f"/v1/rounds/{result['round']}/settlement").document
        # What is imported and over is final on arrival.
        assert without(settled, *FINALITY, *IDS) == without(posted["settlement"], *FINALITY, *IDS)
