"""Shorthand for corrections over HTTP."""

import json
from typing import Any

from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    KINGS,
    LOW,
    MID,
    QUEENS,
    SEVENS,
    Document,
    cards,
    correct_round,
    hand,
    play,
    read_round,
    start_round,
)

FIRST, SECOND, LAST = COMPLETE
SWAPPED = [
    {"op": "replace", "path": f"/hands/1/players/{index}/{row}", "value": cards(text)}
    for index, board in ((0, LOW), (2, HIGH))
    for row, text in zip(("top", "middle", "bottom"), board.split("/"), strict=True)
]
"""In hand 2, seat 1 had the cards of seat 3, and the other way round."""
VOID = [
    {"op": "remove", "path": "/hands/2"},
    {"op": "add", "path": "/closed", "value": {"after_hand": 2, "reason": "a card was exposed"}},
]
ENTERS = hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS})
IN_FANTASYLAND = hand(2, 3, {1: {"board": HIGH, "fantasyland": 14}, 2: MID, 3: {"board": LOW, "fantasyland": 14}})
NO_QUEENS = [
    {"op": "replace", "path": f"/hands/0/players/0/{row}", "value": cards(text)}
    for row, text in zip(("top", "middle", "bottom"), ["5s3d4c ", " KsKd9h8h3c ", " AhJh7h6h2h"], strict=True)
]
"""Seat 1 had no queens on top, and has not earned the Fantasyland that it was dealt."""


def correct(api: Api, round_id: str, *, query: str = "", **more: Any) -> ApiResponse:
    return correct_round(api, round_id, {"reason": "misread", **more}, query)


def part_of(api: Api, round_id: str, part: str, revision: int | None = None) -> ApiResponse:
    response = api.get(f"/v1/rounds/{round_id}/{part}" + (f"?revision={revision}" if revision else ""))
    assert response.status == 200, response
    return response


def sent_corrections(house: House, round_id: str) -> list[Document]:
    """Return the stored request bodies of a round's corrections."""
    bodies = house.query(
        """
        SELECT texts.content FROM corrections
        JOIN submissions ON (submissions.club_id, submissions.id) = (corrections.club_id, submission_id)
        JOIN texts ON (texts.club_id, texts.digest) = (submissions.club_id, submissions.text)
        WHERE corrections.round_id = %s ORDER BY revision
        """,
        round_id,
    )
    return [json.loads(body) for (body,) in bodies]


def round_of(api: Api, round_id: str) -> Document:
    return read_round(api, round_id)


def in_fantasyland(api: Api) -> str:
    """Start a round in whose second hand seat 1 and seat 3 are in Fantasyland."""
    round_id = start_round(api)
    play(api, round_id, ENTERS, IN_FANTASYLAND)
    return round_id


def refused(api: Api, house: House, round_id: str, **fields: Any) -> ApiResponse:
    """Post a correction that is refused and stores nothing."""
    records = house.count_records()
    response = correct(api, round_id, **fields)
    assert house.count_records() == records
    return response
