"""Checkpoints and the feed of events, as verified by an independent client."""

import json
import threading
import time
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evidence import (
    Checkpoint,
    EvidenceError,
    VerifierKey,
    hash_event,
    read_event,
    read_note,
    verify_consistency,
    verify_inclusion,
    verify_note,
)
from service.app import create_app
from service.audit_trail.actions import join_events
from service.clubs.actions import create_club, create_key
from service.clubs.scopes import KeyScope
from service.config import Config
from service.http.services import services_of
from service.places import MOST_LISTENERS_OF_CLUB
from tests.evidence import naive
from tests.support.api_client import Api, ApiResponse, Document
from tests.support.application import SIGNING_KEY, House
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import COMPLETE, NOBODYS, SIXES, add_table, play, start_round
from tests.support.server_process import wait_until

KEYS = "/.well-known/tablestakes-checkpoint-keys"


def sign(api: Api) -> tuple[ApiResponse, Checkpoint]:
    """Make a checkpoint, and read its note without a key."""
    response = api.post("/v1/checkpoints", None)
    assert response.status == 201, response
    stranger = Api(api.app, None)
    keys = [VerifierKey.read(key["verifier"]) for key in stranger.get(KEYS)["keys"]]
    note = read_note(stranger.get(response.headers["Location"]).text)
    assert verify_note(note, keys) == [SIGNING_KEY.verifier]
    return response, Checkpoint.read(note.text)


def feed(api: Api, **query: int) -> list[Document]:
    parameters = "&".join(f"{name}={value}" for name, value in query.items())
    response = api.get(f"/v1/events?{parameters}")
    assert response.status == 200, response
    return [json.loads(line) for line in response.text.splitlines()]


def bytes_of(event: Document) -> bytes:
    return b64decode(event["bytes"])


@pytest.mark.smoke
def test_a_client_without_key_verifies_a_whole_round(api: Api) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    _, before = sign(api)
    last = play(api, round_id, *COMPLETE)
    response, after = sign(api)
    assert (response["size"], response["root"]) == (after.size, after.root.hex())
    events = feed(api, limit=1000)
    leaves = [bytes_of(event) for event in events]
    assert naive.mth(leaves) == after.root
    assert naive.mth(leaves[: before.size]) == before.root
    proved = api.get(f"/v1/checkpoints/consistency?from={before.size}&to={after.size}")
    proof = [bytes.fromhex(part) for part in proved["proof"]]
    verify_consistency(before.size, after.size, proof, before.root, after.root)
    mine = [event for event in events if event["round"] == round_id]
    assert [event["sequence"] for event in mine] == list(range(1, len(mine) + 1))
    assert json.loads(read_event(bytes_of(mine[-1])).content)["stacks"] == list(last["stacks"].values())


def test_every_event_of_the_feed_is_proved_to_be_among_those_of_every_checkpoint_since(api: Api) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    signed = [sign(api)[1]]
    play(api, round_id, *COMPLETE)
    signed.append(sign(api)[1])
    for event in feed(api, limit=1000):
        for checkpoint in signed:
            proved = api.get(f"/v1/checkpoints/inclusion?position={event['position']}&size={checkpoint.size}")
            if event["position"] >= checkpoint.size:
                assert (proved.status, proved.codes) == (422, {"position-unknown"})
                continue
            proof = [bytes.fromhex(part) for part in proved["proof"]]
            leaf = hash_event(bytes_of(event))
            verify_inclusion(leaf, event["position"], checkpoint.size, proof, checkpoint.root)
            with pytest.raises(EvidenceError):
                verify_inclusion(leaf[::-1], event["position"], checkpoint.size, proof, checkpoint.root)


def test_the_fields_of_the_feed_match_its_bytes(api: Api) -> None:
    start_round(api, "pineapple", SIXES)
    sign(api)
    for position, entry in enumerate(feed(api)):
        event = read_event(bytes_of(entry))
        assert entry["position"] == position
        assert entry["hash"] == hash_event(bytes_of(entry)).hex()
        assert (entry["id"], entry["kind"], entry["sequence"]) == (str(event.id), event.kind, event.sequence)
        assert entry["content"] == json.loads(event.content)
        assert entry["previous"] == (event.previous.hex() or None)
        assert entry["request_id"] == event.request_id


def test_paging_by_position_returns_every_event_once(api: Api) -> None:
    start_round(api, "pineapple", SIXES)
    sign(api)
    whole = feed(api, limit=1000)
    pages: list[Document] = feed(api, limit=2)
    while page := feed(api, after=pages[-1]["position"], limit=2):
        pages += page
    assert pages == whole


def test_without_new_events_the_newest_checkpoint_is_returned(api: Api) -> None:
    first, _ = sign(api)
    again, _ = sign(api)
    assert again.document == first.document
    add_table(api)
    sign(api)
    listed = api.get("/v1/checkpoints")["checkpoints"]
    assert [each["size"] for each in listed] == [first["size"] + len(feed(api, after=first["size"] - 1)), first["size"]]


def test_a_waiting_request_returns_new_events(house: House, api: Api) -> None:
    _, checkpoint = sign(api)
    club = club_of(house, api)

    def happen() -> None:
        time.sleep(0.7)
        add_table(api)
        join_events(database_of(house), club, None)

    happening = threading.Thread(target=happen)
    begun = time.monotonic()
    happening.start()
    events = feed(api, after=checkpoint.size - 1, wait=30)
    happening.join()
    assert events[0]["position"] == checkpoint.size
    assert 0.5 < time.monotonic() - begun < 20


def test_a_waiting_request_ends_in_time_without_events(api: Api) -> None:
    _, checkpoint = sign(api)
    begun = time.monotonic()
    assert feed(api, after=checkpoint.size - 1, wait=1) == []
    assert 0.9 < time.monotonic() - begun < 10


def test_too_many_waiting_requests_return_at_once(api: Api) -> None:
    _, checkpoint = sign(api)

    def wait_for_events(_: int) -> float:
        begun = time.monotonic()
        assert feed(api, after=checkpoint.size - 1, wait=3) == []
        return time.monotonic() - begun

    requests = MOST_LISTENERS_OF_CLUB + 2
    with ThreadPoolExecutor(requests) as everybody:
        took = sorted(everybody.map(wait_for_events, range(requests)))
    assert took[1] < 3 <= took[2]


def test_waiting_requests_hold_no_connection(house: House, api: Api) -> None:
    _, checkpoint = sign(api)
    with ThreadPoolExecutor(1) as waiting:
        parameters = waiting.submit(feed, api, after=checkpoint.size - 1, wait=2)
        time.sleep(0.8)
        query = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"
        )
        assert wait_until(lambda: house.query(query) == [(0,)], 1)
        assert parameters.result() == []


def test_unknown_sizes_and_positions_are_refused(api: Api) -> None:
    _, checkpoint = sign(api)
    beyond = api.get(f"/v1/checkpoints/consistency?from=1&to={checkpoint.size + 1}")
    assert (beyond.status, beyond.codes) == (422, {"size-unknown"})
    assert f"expected at most {checkpoint.size}, the number of events in the tree" in beyond["errors"][0]["detail"]
    reversed_ = api.get("/v1/checkpoints/consistency?from=2&to=1")
    assert (reversed_.status, reversed_.codes) == (422, {"sizes-reversed"})
    assert api.get("/v1/checkpoints/consistency?from=0&to=1")["proof"] == []
    beyond = api.get(f"/v1/checkpoints/inclusion?position=0&size={checkpoint.size + 1}")
    assert (beyond.status, beyond.codes) == (422, {"size-unknown"})
    assert beyond["errors"][0]["pointer"] == "#/query/size"


def test_an_unknown_checkpoint_is_not_found(nobody: Api) -> None:
    assert nobody.get(f"/v1/checkpoints/{NOBODYS}").status == 404


def test_another_club_has_another_tree(api: Api, other_api: Api) -> None:
    start_round(other_api, "pineapple", SIXES)
    _, mine = sign(api)
    _, theirs = sign(other_api)
    assert mine.origin != theirs.origin
    assert not {event["id"] for event in feed(api)} & {event["id"] for event in feed(other_api)}
    assert len(api.get("/v1/checkpoints")["checkpoints"]) == 1


def test_checkpoints_require_the_scope_audit(house: House) -> None:
    club = create_club(house.owner, f"club of {NOBODYS}")
    reader = Api(house.app, create_key(house.owner, club, name="scoreboard", scopes=[KeyScope.READ]).secret)
    auditor = Api(house.app, create_key(house.owner, club, name="auditor", scopes=[KeyScope.AUDIT]).secret)
    for path in ("/v1/checkpoints", "/v1/checkpoints/consistency?from=0&to=0"):
        assert reader.get(path).status == 403
        assert auditor.get(path).status == 200
    assert reader.post("/v1/checkpoints", None).status == 403
    assert auditor.post("/v1/checkpoints", None).status == 201


@pytest.mark.parametrize("content", [None, "no key at all"])
def test_without_a_readable_key_nothing_is_signed(house: House, api: Api, tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "signing-key"
    if content is not None:
        file.write_text(content)
    app = create_app(Config(house.logins.service, signing_key_file=None if content is None else file))
    refused = Api(app, api.key).post("/v1/checkpoints", None)
    assert (refused.status, refused["code"]) == (409, "signing-key-missing")
    assert str(file) not in refused.text
    services_of(app).database.close()
    assert api.get("/v1/checkpoints")["checkpoints"] == []
