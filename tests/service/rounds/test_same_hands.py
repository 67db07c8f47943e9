"""The same hand twice: the order of cards in a row, discards and streets."""

from functools import partial
from typing import Any

import pytest

from tests.support.api_client import Api, ApiResponse
from tests.support.api_corrections import correct
from tests.support.application import House
from tests.support.race import at_once
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    REST,
    SIXES,
    THREE,
    TWO,
    Document,
    cards,
    changed,
    document_of,
    hand,
    hands_of,
    open_round,
    play,
    post_document,
    start_round,
    undo,
    without,
)

STREETS = [
    {"dealt": cards("AhKdJsAsAd"), "top": ["Ah", "Kd"], "middle": ["Js"], "bottom": ["As", "Ad"]},
    {"dealt": cards("9cJd2h"), "top": ["9c"], "middle": ["Jd"], "discards": ["2h"]},
    {"dealt": cards("8c5h6h"), "middle": ["8c", "5h"], "discards": ["6h"]},
    {"dealt": cards("2cTcJh"), "middle": ["2c"], "bottom": ["Tc"], "discards": ["Jh"]},
    {"dealt": cards("Th4sTs"), "bottom": ["Th", "4s"], "discards": ["Ts"]},
]
"""How the board HIGH came about."""

OTHER_STREETS = changed({"s": STREETS}, ("s/3", {**STREETS[4]}), ("s/4", {**STREETS[3]}))["s"]

WITH_STREETS = hand(1, 1, {1: {"board": HIGH, "streets": STREETS}, 2: MID, 3: LOW})
PLAIN = hand(1, 1, THREE)


def reordered(played: Document) -> Document:
    """The same hand, the cards of each row written the other way round."""
    players = [
        {**player, **{row: player[row][::-1] for row in ("top", "middle", "bottom")}} for player in played["players"]
    ]
    return {**played, "players": players}


def post(api: Api, round_id: str, played: Document) -> ApiResponse:
    return api.post(f"/v1/rounds/{round_id}/hands", played)


def is_replay(response: ApiResponse) -> bool:
    return response.headers.get("Idempotent-Replayed") == "true"


def replays(first: ApiResponse, again: ApiResponse) -> bool:
    return is_replay(again) and without(again.document, "round") == without(first.document, "round")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (PLAIN, reordered(PLAIN)),
        (PLAIN, {**PLAIN, "played_at": "2026-11-20T20:15:00Z"}),
        ({**PLAIN, "played_at": "2026-11-20T20:15:00Z"}, {**PLAIN, "played_at": "2026-11-20T20:16:00Z"}),
        (WITH_STREETS, reordered(PLAIN)),
        (PLAIN, WITH_STREETS),
        (WITH_STREETS, WITH_STREETS),
        (PLAIN, hand(1, 1, {**THREE, 1: {"board": HIGH, "discards": cards("2hJh6hTs")}})),
        (
            hand(1, 1, {**THREE, 1: {"board": HIGH, "discards": cards("2hJh6hTs")}}),
            hand(1, 1, {**THREE, 1: {"board": HIGH, "discards": cards("Ts6hJh2h")}}),
        ),
    ],
    ids=[
        "rows reordered",
        "a time added",
        "another time",
        "without streets",
        "streets added",
        "the same streets",
        "discards added",
        "discards reordered",
    ],
)
def test_the_same_hand_in_another_order_or_with_more_is_a_replay(
    api: Api, house: House, first: Document, second: Document
) -> None:
    round_id = start_round(api)
    recorded = post(api, round_id, first)
    assert recorded.status == 201, recorded
    records = house.count_records()
    again = post(api, round_id, second)
    assert replays(recorded, again), again
    assert house.count_records() == records
    document = api.get(f"/v1/rounds/{round_id}/document")["hands"][0]["players"][0]
    assert document["top"] == first["players"][0]["top"]
    assert (document["streets"] is None) == ("streets" not in first["players"][0])


def test_a_repeated_hand_with_more_details_is_validated(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, PLAIN)
    response = post(api, round_id, hand(1, 1, {**THREE, 1: {"board": HIGH, "discards": ["2h", "2h", "6h", "Ts"]}}))
    assert response.status == 422
    assert set(response.codes) == {"card-twice"}


def test_other_streets_are_another_hand(api: Api) -> None:
    round_id = start_round(api)
    assert post(api, round_id, WITH_STREETS).status == 201
    other = hand(1, 1, {1: {"board": HIGH, "streets": OTHER_STREETS}, 2: MID, 3: LOW})
    response = post(api, round_id, other)
    assert (response.status, response["code"]) == (409, "hand-conflict")
    assert "#/players/0/streets/3/dealt" in response.mistakes
    assert "#/players/0/top" not in response.mistakes


def test_a_conflict_names_every_difference(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, PLAIN)
    other = hand(1, 2, {3: LOW, 2: {"board": MID, "fantasyland": 14}, 1: "AhKd9d / JsJd8c5h2c / AsAdTcTh4s"})
    response = post(api, round_id, other)
    assert (response.status, response["code"]) == (409, "hand-conflict")
    differences = {
        mistake["pointer"]: (mistake["code"], mistake["recorded"], mistake["received"])
        for mistake in response["errors"]
    }
    assert differences == {
        "#/button": ("hand-conflict", 1, 2),
        "#/players/1/fantasyland": ("hand-conflict", 0, 14),
        "#/players/2/top": ("hand-conflict", ["Ah", "Kd", "9c"], ["Ah", "Kd", "9d"]),
    }


def test_a_document_is_the_same_round_in_another_order_of_cards(api: Api, house: House) -> None:
    for reference in (None, "friday/1"):
        more = {"reference": reference} if reference else {}
        document = document_of(hands=[WITH_STREETS, *COMPLETE[1:]], **more)
        first = post_document(api, document)
        assert first.status == 201, first
        records = house.count_records()
        plain = {**document, "hands": [reordered(PLAIN), *COMPLETE[1:]]}
        timed = changed(plain, ("hands/1/played_at", "2026-11-20T20:15:00Z"))
        for same in (plain, timed, document):
            again = post_document(api, same)
            assert is_replay(again), again
            assert again["round"]["id"] == first["round"]["id"]
        other = changed(document, ("hands/0/players/0/streets", OTHER_STREETS))
        refused = post_document(api, other)
        assert (refused.status, refused["code"]) == (409, "round-conflict")
        assert "#/hands/0/players/0/streets/3/dealt" in refused.mistakes
        assert house.count_records() == records


def test_a_correction_that_only_reorders_cards_preserves_the_record(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, WITH_STREETS, COMPLETE[1])
    before = hands_of(api, round_id)
    records = house.count_records()
    patch = [{"op": "replace", "path": "/hands/0", "value": reordered(PLAIN)}]
    response = correct(api, round_id, patch=patch)
    assert (response.status, response["changed"]) == (200, False)
    assert house.count_records() == records
    # Together with a change, the hand that is the same keeps its record.
    second = hand(2, 2, {1: MID, 2: HIGH, 3: LOW})
    correct(api, round_id, patch=[*patch, {"op": "replace", "path": "/hands/1", "value": second}])
    after = hands_of(api, round_id)
    assert after[0]["id"] == before[0]["id"]
    assert after[1]["id"] != before[1]["id"]


def test_a_correction_can_add_discards_and_streets(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, PLAIN)
    correct(api, round_id, patch=[{"op": "replace", "path": "/hands/0", "value": reordered(WITH_STREETS)}])
    corrected = api.get(f"/v1/rounds/{round_id}/document")["hands"][0]["players"][0]
    assert corrected["streets"] is not None
    assert corrected["top"] == PLAIN["players"][0]["top"]


# --- a number that is not the next ---


def test_a_number_that_is_not_the_next_is_a_conflict_with_the_number_expected(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, PLAIN)
    records = house.count_records()
    response = post(api, round_id, hand(4, 2, {1: LOW, 2: MID, 3: HIGH}))
    assert (response.status, response["code"]) == (409, "hand-number")
    [mistake] = response["errors"]
    assert (mistake["pointer"], mistake["received"], mistake["expected"]) == ("#/number", 4, 2)
    assert house.count_records() == records


# --- the same deal under two numbers ---


@pytest.mark.parametrize("number", [2, 5])
def test_the_same_deal_under_a_later_number_is_refused(api: Api, house: House, number: int) -> None:
    round_id = start_round(api)
    play(api, round_id, PLAIN)
    records = house.count_records()
    response = post(api, round_id, reordered(hand(number, 2, THREE)))
    assert (response.status, response["code"]) == (409, "same-deal")
    assert "hand 1" in response["detail"]
    assert "dealt_again" in response["detail"]
    assert [(mistake["recorded"], mistake["expected"]) for mistake in response["errors"]] == [(1, 2)]
    assert house.count_records() == records
    assert api.post(f"/v1/rounds/{round_id}/hands?dry_run=true", hand(2, 2, THREE))["code"] == "same-deal"
    # The same number repeats the hand, and who insists records it.
    assert is_replay(post(api, round_id, reordered(PLAIN)))
    insisted = post(api, round_id, {**hand(2, 2, THREE), "dealt_again": True})
    assert insisted.status == 201
    assert not is_replay(insisted)
    assert is_replay(post(api, round_id, hand(2, 2, THREE)))


def test_a_complete_round_accepts_no_hand_with_any_deal(api: Api) -> None:
    round_id = start_round(api, sitting={1: "ann 100", 2: "bob 100"})
    play(api, round_id, hand(1, 1, TWO))
    last = {1: LOW, 2: REST}
    assert play(api, round_id, hand(2, 2, last))["round"]["status"] == "complete"
    assert post(api, round_id, hand(3, 1, last))["code"] == "round-complete"


def test_undone_deals_and_deals_of_other_rounds_are_ignored(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, PLAIN)
    second = {1: LOW, 2: MID, 3: HIGH}
    play(api, round_id, hand(2, 2, second))
    undo(api, round_id, 2)
    assert post(api, round_id, hand(2, 2, {1: MID, 2: LOW, 3: HIGH})).status == 201
    assert post(api, round_id, hand(3, 3, second)).status == 201
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    again = open_round(api, table, SIXES)
    assert post(api, str(again["id"]), PLAIN).status == 201


def test_documents_and_corrections_may_have_a_deal_twice(api: Api) -> None:
    assert post_document(api, document_of(hands=COMPLETE)).status == 201
    round_id = start_round(api, name="attic")
    play(api, round_id, PLAIN, hand(2, 2, {1: LOW, 2: MID, 3: HIGH}))
    response: Any = correct(api, round_id, patch=[{"op": "replace", "path": "/hands/1", "value": hand(2, 2, THREE)}])
    assert response.status == 201


def test_of_two_scorekeepers_with_the_same_hand_one_records_it(api: Api) -> None:
    for turn in range(6):
        round_id = start_round(api, name=f"table {turn}")
        hands = [PLAIN, reordered(PLAIN), hand(2, 2, THREE), reordered(hand(2, 2, THREE))]
        responses = at_once(*[partial(post, api, round_id, played) for played in hands])
        assert api.get(f"/v1/rounds/{round_id}")["hands"] == 1
        assert sorted(map(is_replay, responses[:2])) == [False, True]
        assert {response["code"] for response in responses[2:]} <= {"same-deal", "hand-number"}
