"""Charges that hands bring with them: in batches, single hands, documents and imports."""

import json
from typing import Any

import pytest

from tests.service.ledger.ledger_lines import ledger
from tests.service.links.linked_table import link_to
from tests.service.players.test_players import tables_that_hold
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    THREE,
    Document,
    add_table,
    correct_round,
    dealt_again,
    document_of,
    hand,
    open_round,
    play,
    play_to_the_end,
    post_document,
    record,
    start_round,
    undo,
)

NDJSON = {"Content-Type": "application/x-ndjson"}
RAKE = {"player": "ann", "unit": "EUR", "amount": 50, "reason": "rake"}
DRINK = {"player": "bob", "unit": "EUR", "amount": 300, "reason": "a drink"}
BOTH = [RAKE, DRINK]


def with_charges(number: int, *charges: Document, **more: Any) -> Document:
    return dealt_again(hand(number, number, THREE, charges=list(charges), **more))


def send_lines(api: Api, *lines: Document) -> ApiResponse:
    response = api.request("POST", "/v1/hands", data="\n".join(map(json.dumps, lines)), headers=NDJSON)
    assert response.status == 200, response
    return response


def results(response: ApiResponse) -> list[Document]:
    return [json.loads(line) for line in response.text.splitlines()]


def statuses(response: ApiResponse) -> list[str]:
    return [result["status"] for result in results(response)]


def charges(api: Api) -> list[tuple[str, str, int, str]]:
    """The charges of the ledger: reference, player, amount and reason."""
    lines = ledger(api, "?kind=charge")
    return [(line["reference"], line["payer"], line["amount"], line["note"]) for line in lines]


@pytest.mark.smoke
def test_charges_of_the_hands_of_a_batch_are_recorded_with_them(api: Api, house: House) -> None:
    first, second = (start_round(api, name=name, point_value=10, unit="EUR") for name in ("kitchen", "attic"))
    lines = [
        {**with_charges(1, *BOTH), "round": first},
        {**with_charges(1, RAKE), "round": second},
        {**with_charges(2, RAKE), "round": first},
    ]
    assert statuses(send_lines(api, *lines)) == ["recorded"] * 3
    assert sorted(charges(api)) == sorted(
        [
            (f"{first}/1/1", "ann", 50, "rake"),
            (f"{first}/1/2", "bob", 300, "a drink"),
            (f"{second}/1/1", "ann", 50, "rake"),
            (f"{first}/2/1", "ann", 50, "rake"),
        ]
    )
    assert {line["round"] for line in ledger(api, "?kind=charge")} == {first, second}
    assert api.get(f"/v1/rounds/{first}")["seats"][0]["stack"] == 124
    assert verify(house, api) == []
    assert statuses(send_lines(api, *lines)) == ["replayed"] * 3
    assert len(charges(api)) == 4


def test_a_repeated_hand_has_the_same_charges_or_omits_them(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, with_charges(1, *BOTH))
    assert replayed(record(api, round_id, hand(1, 1, THREE)))
    assert replayed(record(api, round_id, with_charges(1, *BOTH)))
    for others, pointers in (
        ([{**RAKE, "amount": 60}, DRINK], {"#/charges/0/amount"}),
        ([RAKE, {**DRINK, "reason": "two drinks"}], {"#/charges/1/reason"}),
        ([RAKE], {"#/charges"}),
        ([*BOTH, RAKE], {"#/charges/2"}),
        ([DRINK, RAKE], {f"#/charges/{index}/{field}" for index in (0, 1) for field in ("player", "amount", "reason")}),
    ):
        refused = record(api, round_id, with_charges(1, *others))
        assert (refused.status, refused["code"], set(refused.mistakes)) == (409, "payment-conflict", pointers)
    assert len(charges(api)) == 2


def test_a_hand_that_was_recorded_without_charges_gets_none_later(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, hand(1, 1, THREE))
    refused = record(api, round_id, with_charges(1, RAKE))
    assert (refused["code"], refused.mistakes) == ("payment-conflict", {"#/charges/0": "payment-conflict"})
    assert charges(api) == []


def test_the_same_hand_twice_in_a_batch_has_its_charges_once(api: Api) -> None:
    round_id = start_round(api)
    once = {**with_charges(1, RAKE), "round": round_id}
    other = {**with_charges(1, {**RAKE, "amount": 51}), "round": round_id}
    later = {**with_charges(2, RAKE), "round": round_id}
    response = send_lines(api, once, once, other, later)
    assert statuses(response) == ["recorded", "replayed", "refused", "not_attempted"]
    assert results(response)[2]["problem"]["code"] == "payment-conflict"
    assert charges(api) == [(f"{round_id}/1/1", "ann", 50, "rake")]


@pytest.mark.parametrize(
    ("changes", "pointer", "code"),
    [
        ({"player": "an"}, "#/charges/1/player", "player-unknown"),
        ({"unit": "ABC"}, "#/charges/1/unit", "unit-unknown"),
        ({"amount": 0}, "#/charges/1/amount", "out-of-range"),
        ({"reason": None}, "#/charges/1/reason", "field-null"),
        ({"round": "1"}, "#/charges/1/round", "field-unknown"),
    ],
)
def test_an_invalid_charge_refuses_its_line_and_no_other_round(
    api: Api, changes: Document, pointer: str, code: str
) -> None:
    first, second = (start_round(api, name=name, point_value=10, unit="EUR") for name in ("kitchen", "attic"))
    lines = [
        {**with_charges(1, RAKE, {**DRINK, **changes}), "round": first},
        {**with_charges(1, DRINK), "round": second},
    ]
    response = send_lines(api, *lines)
    assert statuses(response) == ["refused", "recorded"]
    problem = results(response)[0]["problem"]
    assert {error["pointer"]: error["code"] for error in problem["errors"]} == {pointer: code}
    assert [reference for reference, *_ in charges(api)] == [f"{second}/1/1"]
    assert api.get(f"/v1/rounds/{first}")["hands"] == 0


def test_points_of_the_own_table_can_be_charged_and_those_of_another_cannot(api: Api) -> None:
    table, other = add_table(api), add_table(api, name="attic")
    round_id = str(open_round(api, table)["id"])
    start_round(api, name="cellar", sitting={1: "dan 100", 2: "eve 100"})
    refused = record(api, round_id, with_charges(1, {**RAKE, "unit": other}))
    assert refused.mistakes == {"#/charges/0/unit": "unit-unknown"}
    play(api, round_id, with_charges(1, {**RAKE, "unit": table.upper()}, {**RAKE, "unit": table, "player": "dan"}))
    assert [(payer, amount) for _, payer, amount, _ in charges(api)] == [("ann", 50), ("dan", 50)]


def test_a_hand_that_is_undone_keeps_its_charges_and_is_charged_once_when_it_is_entered_again(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, with_charges(1, RAKE))
    undo(api, round_id, 1)
    assert len(charges(api)) == 1
    again = {1: THREE[2], 2: THREE[1], 3: THREE[3]}
    refused = record(api, round_id, hand(1, 1, again, charges=[{**RAKE, "amount": 10}]))
    assert (refused["code"], set(refused.mistakes)) == ("payment-conflict", {"#/charges/0/amount"})
    play(api, round_id, hand(1, 1, again, charges=[RAKE]))
    assert charges(api) == [(f"{round_id}/1/1", "ann", 50, "rake")]


def test_a_charge_that_was_taken_back_is_not_recorded_again_without_notice(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, with_charges(1, RAKE))
    [charge] = ledger(api, "?kind=charge")
    assert api.post(f"/v1/charges/{charge['id']}/reversal", {"reason": "misread"}).status == 201
    assert replayed(record(api, round_id, with_charges(1, RAKE)))
    undo(api, round_id, 1)
    again = hand(1, 1, {1: THREE[2], 2: THREE[1], 3: THREE[3]})
    refused = record(api, round_id, {**again, "charges": [RAKE]})
    assert (refused["code"], refused.mistakes) == ("payment-conflict", {"#/charges/0": "payment-reversed"})
    play(api, round_id, again)


def test_a_refused_hand_charges_nothing(api: Api) -> None:
    round_id = start_round(api)
    assert record(api, round_id, with_charges(1, RAKE, expected={"number": 2})).status == 422
    assert api.post(f"/v1/rounds/{round_id}/hands?dry_run=true", with_charges(1, RAKE)).status == 201
    assert record(api, round_id, with_charges(2, RAKE)).status == 409
    assert charges(api) == []


def test_a_reference_of_another_charge_is_a_conflict(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, hand(1, 1, THREE))
    taken = {**RAKE, "reference": f"{round_id}/2/1", "amount": 1}
    assert api.post("/v1/charges", taken).status == 201
    refused = record(api, round_id, with_charges(2, RAKE))
    assert (refused["code"], refused.mistakes["#/charges/0/amount"]) == ("payment-conflict", "payment-conflict")


def test_a_link_cannot_charge(api: Api, house: House) -> None:
    table = add_table(api)
    round_id = str(open_round(api, table)["id"])
    link = link_to(house, api, table)
    refused = record(link, round_id, with_charges(1, RAKE))
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    response = send_lines(link, {**with_charges(1, RAKE), "round": round_id})
    assert results(response)[0]["problem"]["code"] == "scope-missing"
    assert record(link, round_id, hand(1, 1, THREE)).status == 201
    assert record(link, round_id, with_charges(1, RAKE))["code"] == "scope-missing"


@pytest.mark.parametrize("is_batch", [False, True])
def test_the_reason_of_a_charge_can_be_erased(api: Api, house: House, is_batch: bool) -> None:
    words = "Bottle of Chateau Erasable"
    document = charged_document("1", {**RAKE, "reason": words})
    round_id = post_document(api, document)["round"]["id"]
    if is_batch:
        round_id = start_round(api, name="attic")
        send_lines(api, {**with_charges(1, {**RAKE, "reason": words}), "round": round_id})
    assert tables_that_hold(house, words) == {"texts"}
    assert {"submissions", "entries"} <= tables_that_hold(house, "ann")
    assert api.request("DELETE", "/v1/players/ann").status == 204
    assert tables_that_hold(house, words) == set()
    assert verify(house, api) == []
    assert replayed(post_document(api, document)), "what was erased is not compared"


# --- documents ---


def charged_document(reference: str, *first: Document, **more: Any) -> Document:
    hands = [{**played, "charges": list(first)} if number == 0 else played for number, played in enumerate(COMPLETE)]
    return document_of(hands=hands, reference=reference, point_value=10, unit="EUR", **more)


def test_the_hands_of_a_document_have_charges(api: Api, house: House) -> None:
    document = charged_document("1", *BOTH)
    round_id = post_document(api, document)["round"]["id"]
    assert [reference for reference, *_ in charges(api)] == [f"{round_id}/1/1", f"{round_id}/1/2"]
    assert replayed(post_document(api, document))
    assert replayed(post_document(api, charged_document("1")))
    refused = post_document(api, charged_document("1", RAKE, {**DRINK, "amount": 1}))
    assert (refused["code"], set(refused.mistakes)) == ("payment-conflict", {"#/hands/0/charges/1/amount"})
    refused = post_document(api, charged_document("2", {**RAKE, "player": "dan"}))
    assert refused.mistakes == {"#/hands/0/charges/0/player": "player-unknown"}
    assert "charges" not in json.dumps(api.get(f"/v1/rounds/{round_id}/document").document)
    assert verify(house, api) == []


def test_an_import_refuses_the_line_of_an_invalid_charge_alone(api: Api, house: House) -> None:
    documents = [charged_document(f"{number}", RAKE) for number in range(12)]
    invalid = charged_document("12", {**RAKE, "player": "dan"})
    again = charged_document("0", {**RAKE, "amount": 51})
    lines = import_all(house, club_of(house, api), lines_of([*documents, invalid, documents[3], again]), is_final=True)
    assert [line.status for line in lines] == [*["stored"] * 12, "refused", "replayed", "refused"]
    assert [problem["code"] for line in lines if (problem := line.problem)] == ["request-invalid", "payment-conflict"]
    assert len(charges(api)) == 12
    assert verify(house, api) == []


def test_a_correction_has_no_charges(api: Api) -> None:
    round_id = start_round(api)
    play_to_the_end(api, round_id)
    document = api.get(f"/v1/rounds/{round_id}/document").document
    document["hands"][0]["charges"] = [RAKE]
    refused = correct_round(api, round_id, {"reason": "rake", "document": document})
    assert refused.mistakes["#/document/hands/0/charges"] == "field-unknown"


def test_the_number_of_statements_does_not_grow_with_the_charges(api: Api) -> None:
    def count(*rounds: str) -> int:
        with recorded_statements() as statements:
            lines = [{**with_charges(1, *BOTH), "round": each} for each in rounds]
            assert set(statuses(send_lines(api, *lines))) == {"recorded"}
        return len(statements)

    few, many = ([start_round(api, name=f"{size} {number}") for number in range(size)] for size in (2, 12))
    assert count(*few) == count(*many)
