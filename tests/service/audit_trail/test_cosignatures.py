"""Cosignatures of witnesses: added by those who have them, and served with the note and the evidence."""

from base64 import b64decode, b64encode
from typing import Any

import pytest

from evidence import SigningKey, read_note, verify_note
from evidence.cosignatures import CosigningKey
from tests.support.api_client import Api, ApiResponse
from tests.support.examples.cosignatures import FRIEND, NOW, cosignature_of
from tests.support.sample_rounds import add_table, complete_round

WITNESSES = [CosigningKey.make(f"w{number}.example/witness") for number in range(15)]


@pytest.fixture
def checkpoint(api: Api) -> str:
    return str(api.post("/v1/checkpoints", None)["id"])


def add(api: Api, checkpoint: str, request: dict[str, Any]) -> ApiResponse:
    return api.post(f"/v1/checkpoints/{checkpoint}/cosignatures", request)


def note_of(api: Api, checkpoint: str) -> str:
    return api.get(f"/v1/checkpoints/{checkpoint}").text


def test_a_cosignature_is_in_the_note_the_list_and_the_evidence(api: Api) -> None:
    round_id = complete_round(api)
    checkpoint = api.post("/v1/checkpoints", None)["id"]
    before = note_of(api, checkpoint)
    response = add(api, checkpoint, cosignature_of(api, checkpoint, FRIEND))
    expected = {"witness": FRIEND.verifier.written, "cosigned_at": "2023-11-14T22:13:20Z"}
    assert (response.status, response.document) == (201, expected)
    note = note_of(api, checkpoint)
    assert note.startswith(before)
    assert verify_note(read_note(note), [FRIEND.verifier]) == [FRIEND.verifier]
    assert api.get("/v1/checkpoints")["checkpoints"][0]["cosignatures"] == [expected]
    assert api.post("/v1/checkpoints", None)["cosignatures"] == [expected]
    assert api.get(f"/v1/rounds/{round_id}/evidence")["checkpoint"] == note


def test_the_first_cosignature_of_a_witness_stays(api: Api, checkpoint: str) -> None:
    for at in (NOW, NOW + 60, NOW):
        response = add(api, checkpoint, cosignature_of(api, checkpoint, FRIEND, at))
        assert (response.status, response["cosigned_at"]) == (201, "2023-11-14T22:13:20Z")
    assert note_of(api, checkpoint).count("friend.example/witness") == 1


def test_a_later_checkpoint_has_no_cosignature_of_an_earlier_one(api: Api, checkpoint: str) -> None:
    assert add(api, checkpoint, cosignature_of(api, checkpoint, FRIEND)).status == 201
    add_table(api)
    later = api.post("/v1/checkpoints", None)
    assert (later["id"] != checkpoint, later["cosignatures"]) == (True, [])
    assert "friend.example" not in note_of(api, later["id"])


def test_an_invalid_cosignature_is_refused(api: Api, checkpoint: str) -> None:
    valid = cosignature_of(api, checkpoint, FRIEND)
    signature = b64decode(valid["signature"])
    log = SigningKey.make("tablestakes").verifier.written
    other = CosigningKey.make("friend.example/witness").verifier.written
    late = signature[:4] + (NOW + 1).to_bytes(8, "big") + signature[12:]
    cases = [
        ({**valid, "signature": b64encode(late).decode()}, {"#/signature": "signature-wrong"}),
        ({**valid, "signature": b64encode(signature[:75]).decode()}, {"#/signature": "signature-wrong"}),
        ({**valid, "signature": "AAAA="}, {"#/signature": "note-unreadable"}),
        ({**valid, "witness": other}, {"#/signature": "signature-wrong"}),
        ({**valid, "witness": log}, {"#/witness": "key-unreadable"}),
        ({**valid, "witness": "friend"}, {"#/witness": "key-unreadable"}),
    ]
    for request, mistakes in cases:
        response = add(api, checkpoint, request)
        assert (response.status, response.mistakes) == (422, mistakes)
    assert "friend" not in note_of(api, checkpoint)


def test_a_checkpoint_has_room_for_fifteen_witnesses(api: Api, checkpoint: str) -> None:
    for key in WITNESSES:
        assert add(api, checkpoint, cosignature_of(api, checkpoint, key)).status == 201
    response = add(api, checkpoint, cosignature_of(api, checkpoint, FRIEND))
    assert (response.status, response.mistakes) == (422, {"#/witness": "cosignatures-too-many"})
    assert add(api, checkpoint, cosignature_of(api, checkpoint, WITNESSES[3])).status == 201
    verifiers = [key.verifier for key in WITNESSES]
    assert len(verify_note(read_note(note_of(api, checkpoint)), verifiers)) == 15


def test_an_unknown_checkpoint_and_one_of_another_club_are_not_found(api: Api, other_api: Api, checkpoint: str) -> None:
    request = cosignature_of(api, checkpoint, FRIEND)
    assert add(other_api, checkpoint, request).status == 404
    assert add(api, "01a1fa84-64a0-7085-97f3-00000000003c", request).status == 404
    assert "friend" not in note_of(api, checkpoint)
