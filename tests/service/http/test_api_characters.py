"""Invisible characters: rejected in IDs."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import SIXES, THREE, add_table, hand, open_round, play

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
RIGHT_TO_LEFT = "\u05d3\u05e0\u05d4"
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


def test_pages_isolate_names(api: Api) -> None:
    round_id = open_round(api, add_table(api), {1: f"{RIGHT_TO_LEFT} 100", 2: "bob 100", 3: "cyd 100"})["id"]
    play(api, round_id, hand(1, 1, THREE))
    [played] = api.get(f"/v1/rounds/{round_id}/hands")["hands"]
    page = api.request("GET", f"/v1/hands/{played['id']}/explanation", headers=HTML).text
    body = page.partition("<body>")[2]
    assert f"<bdi>{RIGHT_TO_LEFT}</bdi>" in body
    assert body.replace(f"<bdi>{RIGHT_TO_LEFT}</bdi>", "").count(RIGHT_TO_LEFT) == 0
    link = api.post("/v1/links", {"round": round_id})
    assert link.status == 201, link
    shown = api.app.test_client().get(link["url"], headers=HTML).text
    assert f"<bdi>{RIGHT_TO_LEFT}</bdi>" in shown
    shared = f"\u2068{RIGHT_TO_LEFT}\u2069"
    assert shared in shown
    assert shown.replace(f"<bdi>{RIGHT_TO_LEFT}</bdi>", "").replace(shared, "").count(RIGHT_TO_LEFT) == 0
