"""Corrections and what-ifs that change single rows, over HTTP."""

import json
from functools import partial
from typing import Any

import pytest

from tests.support.api_client import Api, replayed
from tests.support.api_corrections import (
    ENTERS,
    FIRST,
    IN_FANTASYLAND,
    LAST,
    SECOND,
    SWAPPED,
    correct,
    in_fantasyland,
    part_of,
    refused,
    round_of,
    sent_corrections,
)
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.database.recomputed_rounds import named, recompute
from tests.support.import_lines import club_of, database_of
from tests.support.race import at_once
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    Document,
    cards,
    changed,
    complete_round,
    hand,
    play,
    rows,
    start_round,
)


def change(hand_: int, seat: int, row: str, text: str) -> Document:
    return {"hand": hand_, "seat": seat, "row": row, "cards": cards(text)}


def exchange(hand_: int, boards: dict[int, str]) -> list[Document]:
    return [
        {"hand": hand_, "seat": seat, "row": row, "cards": laid}
        for seat, board in boards.items()
        for row, laid in rows(board).items()
    ]


EXCHANGED = exchange(2, {1: LOW, 3: HIGH})
"""The same correction as the patch `SWAPPED`: in hand 2, seat 1 had the cards of seat 3."""
OTHER_CARD = [change(2, 1, "top", "AhKd6h")]
NO_QUEENS = [change(1, 1, "top", "5s3d4c")]


# --- what changes ---


def test_changes_of_rows_have_the_same_result_as_a_patch(api: Api, other_api: Api, house: House) -> None:
    by_row, by_patch = complete_round(api), complete_round(other_api)
    response, patched = correct(api, by_row, changes=EXCHANGED), correct(other_api, by_patch, patch=SWAPPED)
    assert response.status == 201, response
    for part in ("hands", "net", "revision", "changed", "adjustment"):
        assert response[part] == patched[part]
    assert part_of(api, by_row, "document")["hands"] == part_of(other_api, by_patch, "document")["hands"]
    assert part_of(api, by_row, "settlement")["net"] == {"1": 12, "2": 0, "3": -12}
    with database_of(house).transaction(club_of(house, api)) as transaction:
        assert named(recompute(transaction)) == []
    check_everywhere(house, api)


def test_one_row_of_one_seat_changes_and_nothing_else(api: Api) -> None:
    round_id = complete_round(api)
    before = part_of(api, round_id, "document").document
    assert correct(api, round_id, changes=OTHER_CARD).status == 201
    expected = changed(before, ("hands/1/players/0/top", cards("AhKd6h")))
    assert part_of(api, round_id, "document").document == expected


def test_a_hand_that_was_corrected_is_marked_in_the_list_of_its_round(api: Api) -> None:
    round_id = complete_round(api)
    assert correct(api, round_id, changes=OTHER_CARD).status == 201
    for revision, expected in ((1, [False, False, False]), (2, [False, True, False])):
        listed = part_of(api, round_id, "hands", revision)["hands"]
        assert [each["corrected"] for each in listed] == expected


def test_a_card_is_exchanged_between_two_rows(api: Api) -> None:
    round_id = complete_round(api)
    # The king of diamonds and the nine of spades of two players were taken for each other.
    rows_ = [change(2, 1, "top", "Ah9s9c"), change(2, 2, "middle", "Kd9d6c4h3c")]
    response = correct(api, round_id, changes=rows_)
    assert response.status == 201, response
    players = part_of(api, round_id, "document")["hands"][1]["players"]
    assert (players[0]["top"], players[1]["middle"]) == (cards("Ah9s9c"), cards("Kd9d6c4h3c"))


def test_rows_of_several_hands_change_in_one_revision(api: Api) -> None:
    round_id = complete_round(api)
    response = correct(api, round_id, changes=[*EXCHANGED, *exchange(3, {1: LOW, 3: HIGH})])
    assert (response.status, response["revision"]) == (201, 2)
    assert part_of(api, round_id, "settlement")["net"] == {"1": -12, "2": 0, "3": 12}


@pytest.mark.parametrize(
    "same",
    [
        pytest.param([], id="no change"),
        pytest.param([change(2, 1, "top", "AhKd9c")], id="the recorded cards"),
        pytest.param([change(2, 1, "top", "9cAhKd")], id="the recorded cards in another order"),
    ],
)
def test_a_change_that_changes_nothing_adds_no_revision(api: Api, house: House, same: list[Document]) -> None:
    round_id = complete_round(api)
    version = round_of(api, round_id)["version"]
    response = refused(api, house, round_id, changes=same)
    assert (response.status, response["changed"], response["revision"], response["hands"]) == (200, False, 1, [])
    assert round_of(api, round_id)["version"] == version


# --- streets and discards ---

STREETS = [
    {"dealt": cards("AsAdTcTh4s"), "bottom": cards("AsAdTcTh4s")},
    {"dealt": cards("JsJdAc"), "middle": cards("JsJd"), "discards": cards("Ac")},
    {"dealt": cards("8c5hJh"), "middle": cards("8c5h"), "discards": cards("Jh")},
    {"dealt": cards("2cAh9h"), "middle": cards("2c"), "top": cards("Ah"), "discards": cards("9h")},
    {"dealt": cards("Kd9c6h"), "top": cards("Kd9c"), "discards": cards("6h")},
]
BY_STREET = hand(1, 1, {1: {"board": HIGH, "streets": STREETS}, 2: MID, 3: LOW})


def played_by_street(api: Api) -> str:
    round_id = start_round(api)
    play(api, round_id, BY_STREET)
    return round_id


def test_streets_of_a_changed_board_become_unknown_and_discards_stay(api: Api, house: House) -> None:
    round_id = played_by_street(api)
    response = correct(api, round_id, changes=[change(1, 1, "top", "AhKd6s")])
    assert response.status == 201, response
    corrected, second, third = part_of(api, round_id, "document")["hands"][0]["players"]
    assert (corrected["top"], corrected["streets"]) == (cards("AhKd6s"), None)
    assert sorted(corrected["discards"]) == sorted(cards("AcJh9h6h"))
    older = part_of(api, round_id, "document", 1)["hands"][0]["players"]
    assert older[0]["streets"] is not None
    assert older[1:] == [second, third]
    check_everywhere(house, api)


def test_streets_of_a_board_that_does_not_change_stay(api: Api) -> None:
    round_id = played_by_street(api)
    before = part_of(api, round_id, "document")["hands"][0]["players"][0]
    response = correct(api, round_id, changes=[change(1, 1, "top", "9cKdAh"), change(1, 2, "top", "KsQd6s")])
    assert response.status == 201, response
    after = part_of(api, round_id, "document")["hands"][0]["players"]
    assert after[0] == before
    assert after[1]["top"] == cards("KsQd6s")


def test_a_discarded_card_cannot_be_in_a_changed_row(api: Api, house: House) -> None:
    round_id = played_by_street(api)
    response = refused(api, house, round_id, changes=[change(1, 1, "top", "AhKd6h")])
    assert (response.status, response["code"], response.mistakes) == (
        422,
        "hand-invalid",
        {"#/changes/0/cards/2": "card-twice"},
    )
    assert "among the discards of seat 1" in response["errors"][0]["detail"]


# --- what follows from it ---


def test_a_later_hand_that_no_longer_follows_is_refused_or_accepted(api: Api, house: House) -> None:
    round_id = in_fantasyland(api)
    response = refused(api, house, round_id, changes=NO_QUEENS)
    assert (response.status, response["code"]) == (422, "hand-irregular")
    assert response.mistakes == {"#/changes/0": "fantasyland-not-earned"}
    assert response["errors"][0]["detail"].startswith(
        "`changes[0]`: at #/hands/1/players/0/fantasyland of the changed document: "
    )
    accepted = correct(api, round_id, changes=NO_QUEENS, irregular="accept")
    assert accepted.status == 201, accepted
    assert [bool(each["after"]["irregular"]) for each in accepted["hands"]] == [False, True]


def test_the_same_changes_again_are_a_replay(api: Api, house: House) -> None:
    round_id = complete_round(api)
    version = round_of(api, round_id)["version"]
    first = correct(api, round_id, changes=EXCHANGED, version=version)
    records = house.count_records()
    again = correct(api, round_id, changes=EXCHANGED, version=version)
    assert (again.status, again.document, replayed(again)) == (201, first.document, True)
    assert house.count_records() == records


def test_a_dry_run_returns_the_same_as_the_correction(api: Api, house: House) -> None:
    round_id = complete_round(api)
    tried = refused(api, house, round_id, query="?dry_run=true", changes=EXCHANGED)
    done = correct(api, round_id, changes=EXCHANGED)
    assert (tried.status, tried.document) == (done.status, done.document)


def test_changes_of_an_older_version_are_refused(api: Api, house: House) -> None:
    round_id = complete_round(api)
    version = round_of(api, round_id)["version"]
    assert refused(api, house, round_id, changes=EXCHANGED, version=version - 1)["code"] == "round-changed"
    body = {"reason": "misread", "version": version, "changes": EXCHANGED}
    assert api.post(f"/v1/rounds/{round_id}/corrections", body).status == 201


def test_two_corrections_of_one_round_at_once_are_one_revision_each(api: Api) -> None:
    round_id = complete_round(api)
    version = round_of(api, round_id)["version"]
    texts = ("AhKd6h", "AhKd6s")
    requests = [partial(correct, api, round_id, changes=[change(2, 1, "top", text)], version=version) for text in texts]
    responses = at_once(*requests)
    assert sorted(response.status for response in responses) == [201, 409]
    [done] = [text for text, response in zip(texts, responses, strict=True) if response.status == 201]
    assert part_of(api, round_id, "document")["hands"][1]["players"][0]["top"] == cards(done)
    assert part_of(api, round_id, "settlement")["revision"] == 2


def test_the_event_has_the_request_and_the_corrected_document(api: Api, house: House) -> None:
    round_id = complete_round(api)
    version = round_of(api, round_id)["version"]
    assert correct(api, round_id, changes=OTHER_CARD).status == 201
    [(content,)] = house.query(
        "SELECT content FROM events WHERE round_id = %s ORDER BY sequence DESC LIMIT 1", round_id
    )
    event = json.loads(bytes(content))
    assert event["document"]["hands"][1]["players"][0]["top"] == cards("AhKd6h")
    assert sent_corrections(house, round_id) == [{"reason": "misread", "version": version, "changes": OTHER_CARD}]


def test_another_club_cannot_change_a_row(api: Api, other_api: Api, house: House) -> None:
    round_id = complete_round(api)
    assert refused(other_api, house, round_id, changes=OTHER_CARD).status == 404
    assert other_api.post(f"/v1/rounds/{round_id}/what-if", {"changes": OTHER_CARD}).status == 404


# --- what is refused ---

UNKNOWN_CARD = change(2, 1, "top", "AhKd") | {"cards": ["Ah", "Kd", "1x"]}


@pytest.mark.parametrize(
    ("rows_", "mistakes", "detail"),
    [
        ([change(7, 1, "top", "AhKd6h")], {"#/changes/0/hand": "hand-unknown"}, "is 7; expected 1 to 3"),
        ([OTHER_CARD[0], change(2, 4, "top", "5s3d4c")], {"#/changes/1/seat": "seat-unknown"},
         "is 4, which was not dealt in to hand 2; expected one of 1, 2, 3"),
        ([change(2, 1, "front", "AhKd6h")], {"#/changes/0/row": "not-a-choice"}, "top, middle, bottom"),
        ([UNKNOWN_CARD], {"#/changes/0/cards/2": "card-unknown"}, "is '1x'; expected a rank"),
        ([change(2, 1, "top", "AhKd6h6s")], {"#/changes/0/cards": "row-size"}, "has 4 cards; expected 3"),
        ([change(2, 1, "bottom", "AsAdTc")], {"#/changes/0/cards": "row-size"}, "has 3 cards; expected 5"),
        ([change(2, 1, "front", "AhKd6h6s2s2h")],
         {"#/changes/0/row": "not-a-choice", "#/changes/0/cards": "list-length"}, "has 6 items; expected 3 to 5"),
        ([change(2, 1, "top", "AhKdAh")], {"#/changes/0/cards/2": "card-twice"}, "Ah is already in the top of seat 1"),
        ([change(2, 1, "top", "AhKdQs")], {"#/changes/0/cards/2": "card-twice"}, "Qs is already in the top of seat 3"),
        ([change(2, 1, "top", "AhKd6h"), change(2, 3, "top", "QsJc6h")], {"#/changes/1/cards/2": "card-twice"},
         "6h is already in the top of seat 1"),
        ([*OTHER_CARD, *OTHER_CARD], {"#/changes/1": "row-twice"},
         "changes the top of seat 1 in hand 2, as `changes[0]` does; expected one change per row"),
        ([change(2, 1, "top", "AhKdQs"), change(9, 1, "top", "AhKd6h")],
         {"#/changes/0/cards/2": "card-twice", "#/changes/1/hand": "hand-unknown"}, "is 9; expected 1 to 3"),
        ([{"hand": 2, "seat": 1, "row": "top"}], {"#/changes/0/cards": "field-missing"}, "is required"),
        ([{**OTHER_CARD[0], "button": 1}], {"#/changes/0/button": "field-unknown"}, "is unknown"),
    ],
)  # as a table  # fmt: skip
def test_an_invalid_change_is_refused_with_its_mistakes(
    api: Api, house: House, rows_: list[Document], mistakes: dict[str, str], detail: str
) -> None:
    round_id = complete_round(api)
    response = refused(api, house, round_id, changes=rows_)
    assert (response.status, response.mistakes) == (422, mistakes)
    assert detail in " ".join(error["detail"] for error in response["errors"])
    what_if = api.post(f"/v1/rounds/{round_id}/what-if", {"changes": rows_})
    assert (what_if.status, what_if.mistakes) == (422, mistakes)


def test_a_seat_that_was_not_dealt_in_has_no_row_to_change(api: Api, house: House) -> None:
    round_id = start_round(api, "pineapple-qq")
    play(api, round_id, FIRST)
    assert api.post(f"/v1/rounds/{round_id}/departures", {"seat": 3}).status == 201
    play(api, round_id, hand(2, 2, {1: HIGH, 2: MID}))
    response = refused(api, house, round_id, changes=[change(2, 3, "top", "QsJc6d")])
    assert response.mistakes == {"#/changes/0/seat": "seat-unknown"}
    assert "expected one of 1, 2" in response["errors"][0]["detail"]


@pytest.mark.parametrize("names", [("patch", "changes"), ("changes", "document"), ("patch", "changes", "document")])
def test_a_correction_has_exactly_one_form(api: Api, house: House, names: tuple[str, ...]) -> None:
    round_id = complete_round(api)
    document = part_of(api, round_id, "document").document
    forms: dict[str, Any] = {"patch": SWAPPED, "changes": EXCHANGED, "document": document}
    response = refused(api, house, round_id, **{name: forms[name] for name in names})
    assert (response.status, response.mistakes) == (422, {"#": "patch-or-document"})
    assert all(f"`{name}`" in response["errors"][0]["detail"] for name in names)


# --- what if ---


def test_what_if_changes_rows_and_stores_nothing(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, ENTERS, IN_FANTASYLAND)
    records = house.count_records()
    response = api.post(f"/v1/rounds/{round_id}/what-if", {"changes": NO_QUEENS})
    assert response.status == 200, response
    assert house.count_records() == records
    corrected = correct(api, round_id, changes=NO_QUEENS, irregular="accept")
    for part in ("hands", "net", "carried_over", "changed"):
        assert response[part] == corrected[part]


def test_what_if_changes_rows_and_rules_together(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND, LAST)
    both = api.post(f"/v1/rounds/{round_id}/what-if", {"changes": EXCHANGED, "ruleset": "pineapple-2-4-us-none"})
    patched = api.post(f"/v1/rounds/{round_id}/what-if", {"patch": SWAPPED, "ruleset": "pineapple-2-4-us-none"})
    assert both.status == 200, both
    assert both.document == patched.document
    refused_ = api.post(f"/v1/rounds/{round_id}/what-if", {"changes": EXCHANGED, "patch": SWAPPED})
    assert (refused_.status, refused_.mistakes) == (422, {"#": "patch-or-document"})
