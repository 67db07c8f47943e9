"""Invisible characters: rejected in new IDs, harmless in stored ones."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from schemas.fields import reading_stored_texts
from schemas.verification.evidence_file import verify
from schemas.verification.report import Outcome
from tests.service.ledger.test_api_evidence import KEY, evidence_of, sign
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.sample_rounds import SIXES, THREE, Document, add_table, correct_round, hand, open_round, play

UNSEEN = [
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200e",
    "\u00ad",
    "\ufeff",
    "\u2028",
    "\u2029",
    "\ue000",
    "\U000e0041",
    "\U0010fffd",
    "\x85",
]
JOINERS = ["\u200c", "\u200d"]
OLD = "ann\u202e"
OLD_TABLE = "old\u200b"
"""IDs that an earlier release accepted."""
HTML = {"Accept": "text/html"}


def refused(response: ApiResponse, pointer: str) -> bool:
    assert response.status == 422, response
    [mistake] = response["errors"]
    assert mistake["code"] == "text-characters", mistake
    return bool(mistake["pointer"] == pointer and "has the character U+" in mistake["detail"])


def requests(api: Api, unseen: str) -> Iterator[tuple[ApiResponse, str]]:
    """Yield every request that contains a new ID."""
    written = f"ann{unseen}"
    yield api.post("/v1/tables", {"name": written, "ruleset": "pineapple"}), "#/name"
    table = add_table(api, name=f"table {ord(unseen)}")
    seats = [{"seat": 1, "player": written, "stack": 5}, {"seat": 2, "player": "bob", "stack": 5}]
    yield api.post(f"/v1/tables/{table}/rounds", {"seats": seats}), "#/seats/0/player"
    sound = [{**seats[0], "player": "ann"}, seats[1]]
    yield api.post(f"/v1/tables/{table}/rounds", {"seats": sound, "reference": written}), "#/reference"
    document = {"ruleset": "pineapple", "table": "kitchen", "seats": seats, "hands": []}
    yield api.post("/v1/documents", document), "#/seats/0/player"
    yield api.post("/v1/documents", {**document, "seats": sound, "table": written}), "#/table"
    yield api.post("/v1/documents", {**document, "seats": sound, "reference": written}), "#/reference"
    yield api.put(f"/v1/players/{quote(written, safe='')}", {"display_name": "Ann"}), "#/path/player"


@pytest.mark.parametrize("unseen", [*UNSEEN, *JOINERS], ids=lambda unseen: f"U+{ord(unseen):04X}")
def test_ids_with_invisible_characters_are_rejected(api: Api, unseen: str) -> None:
    for response, pointer in requests(api, unseen):
        assert refused(response, pointer), (pointer, response)


@pytest.mark.parametrize("unseen", UNSEEN, ids=lambda unseen: f"U+{ord(unseen):04X}")
def test_display_names_and_reasons_with_invisible_characters_are_rejected(api: Api, unseen: str) -> None:
    assert refused(api.put("/v1/players/ann", {"display_name": f"Ann{unseen}"}), "#/display_name")
    round_id = open_round(api, add_table(api), SIXES)["id"]
    assert refused(api.post(f"/v1/rounds/{round_id}/close", {"reason": f"late{unseen}"}), "#/reason")


def test_display_names_and_reasons_can_contain_joiners(api: Api) -> None:
    named = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f680"
    assert api.put("/v1/players/ann", {"display_name": named})["display_name"] == named
    round_id = open_round(api, add_table(api), SIXES)["id"]
    assert api.post(f"/v1/rounds/{round_id}/close", {"reason": named}).status == 200


def stored_before(api: Api) -> Any:
    """Open a round of a player with an ID that is no longer accepted, and record a hand."""
    with reading_stored_texts():
        opened = open_round(api, add_table(api, name=OLD_TABLE), {1: f"{OLD} 100", 2: "bob 100", 3: "cyd 100"})
        assert opened.status == 201, opened
        named = api.put(f"/v1/players/{quote(OLD, safe='')}", {"display_name": "Ann"})
        assert named.status == 201, named
    play(api, opened["id"], hand(1, 1, THREE))
    return opened["id"]


def test_stored_ids_with_invisible_characters_stay_readable(api: Api, house: House) -> None:
    round_id = stored_before(api)
    assert api.get(f"/v1/rounds/{round_id}")["seats"][0]["player"] == OLD
    assert [each["id"] for each in api.get(f"/v1/rounds?player={quote(OLD, safe='')}")["rounds"]] == [round_id]
    assert api.get(f"/v1/tables?name={quote(OLD_TABLE)}")["tables"][0]["name"] == OLD_TABLE
    assert api.get(f"/v1/players/{quote(OLD, safe='')}")["display_name"] == "Ann"
    assert api.delete(f"/v1/players/{quote(OLD, safe='')}").status == 204
    document: Document = dict(api.get(f"/v1/rounds/{round_id}/document").document)
    assert document["seats"][0]["player"] == OLD
    patch = [{"op": "replace", "path": "/seats/1/stack", "value": 90}]
    corrected = correct_round(api, round_id, {"reason": "misread", "patch": patch})
    assert corrected.status == 201, corrected
    sign(house, api)
    report = verify(evidence_of(api, round_id), [KEY.verifier])
    assert report.outcome is Outcome.PASSED, report


def test_pages_isolate_names(api: Api) -> None:
    round_id = stored_before(api)
    [played] = api.get(f"/v1/rounds/{round_id}/hands")["hands"]
    page = api.request("GET", f"/v1/hands/{played['id']}/explanation", headers=HTML).text
    body = page.partition("<body>")[2]
    assert f"<bdi>{OLD}</bdi>" in body
    assert body.replace(f"<bdi>{OLD}</bdi>", "").count(OLD) == 0
    link = api.post(f"/v1/rounds/{round_id}/links", {})
    assert link.status == 201, link
    shown = api.request("GET", link["url"], headers=HTML).text
    assert f"<bdi>{OLD}</bdi>" in shown
    assert shown.replace(f"<bdi>{OLD}</bdi>", "").count(OLD) == 0
