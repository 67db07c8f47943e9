"""The ledger over HTTP: what the end of a round and its later changes add to the journal."""

from itertools import groupby
from random import Random
from urllib.parse import quote
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle import PRESETS, random_document
from tests.scoring.test_against_oracle import spoil
from tests.service.ledger.ledger_lines import exchange_seats, ledger, owed, posted, read_csv
from tests.support.api_client import Api
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    THREE,
    Document,
    add_table,
    close,
    correct_round,
    hand,
    open_round,
    play,
    post_document,
    undo,
    without,
)


@pytest.mark.smoke
def test_a_line_of_a_settlement_has_its_place_and_what_was_due_and_paid(api: Api) -> None:
    table = add_table(api, point_value=25, unit="EUR")
    round_ = open_round(api, table, {1: "ann 100", 2: "bob 100", 3: "cyd 4"}, reference="friday/1")
    play(api, round_["id"], hand(1, 1, THREE, played_at="2026-11-20T20:15:00Z"))
    close(api, round_["id"])
    place = {
        "position": None,
        "kind": "settlement",
        "played_at": "2026-11-20T20:15:00Z",
        "table": table,
        "table_name": "kitchen",
        "round": round_["id"],
        "reference": "friday/1",
        "hand": 1,
        "revision": 1,
        "previous_revision": None,
        "unit": "EUR",
        "unit_digits": 2,
        "note": None,
        "reverses": None,
        "final": False,
    }
    lines = ledger(api)
    assert [without(line, "id", "posted_at", "actor") for line in lines] == [
        {
            **place,
            "line": number,
            "payer": payer,
            "payee": payee,
            "due": 6,
            "paid": paid,
            "limited_by": limit,
            "amount": 25 * paid,
        }
        for number, (payer, payee, paid, limit) in enumerate(
            [("cyd", "bob", 4, "payer_stack"), ("bob", "ann", 6, None), ("cyd", "ann", 0, "payer_stack")], 1
        )
    ]
    assert len({(line["id"], line["posted_at"]) for line in lines}) == 1


def test_a_round_is_listed_from_its_end(api: Api) -> None:
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, hand(1, 1, THREE))
    assert ledger(api) == read_csv(api) == []
    close(api, round_id)
    assert owed(ledger(api)) == {"ann": 12, "bob": 0, "cyd": -12}


def test_points_without_a_value_are_in_the_unit_of_their_table(api: Api) -> None:
    table = add_table(api)
    opened = open_round(api, table)
    play(api, opened["id"], hand(1, 1, THREE))
    close(api, opened["id"])
    [first, *_] = ledger(api)
    assert (first["paid"], first["amount"], first["unit"]) == (6, 6, table)
    assert (first["unit"], first["unit_digits"]) == (table, 0)
    assert first["played_at"] == opened["opened_at"]
    assert {(line["amount"], line["unit"]) for line in read_csv(api)} == {("6", table)}


def test_a_point_value_of_zero_makes_amounts_of_nothing(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE, point_value=0, unit="EUR")["round"]["id"]
    assert {(line["amount"], line["unit"]) for line in ledger(api)} == {(0, "EUR")}
    exchange_seats(api, round_id)
    assert {line["kind"] for line in ledger(api)} == {"settlement"}


def test_an_empty_ledger_has_no_lines_and_a_cursor(api: Api) -> None:
    open_round(api, add_table(api))
    page = api.get("/v1/ledger")
    assert (page["lines"], page["has_more"]) == ([], False)
    assert api.get(f"/v1/ledger?cursor={page['next_cursor']}")["lines"] == []
    assert read_csv(api) == []


def test_a_settlement_becomes_final(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)["round"]["id"]
    assert {line["final"] for line in ledger(api)} == {False}
    for seat in (1, 2, 3):
        api.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat})
    assert {line["final"] for line in ledger(api)} == {True}
    assert {line["final"] for line in read_csv(api)} == {"true"}


def test_a_correction_adds_what_it_changed_and_leaves_what_was_posted(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)["round"]["id"]
    before = ledger(api)
    assert owed(before) == {"ann": 36, "bob": 0, "cyd": -36}
    exchange_seats(api, round_id)
    lines = ledger(api)
    assert lines[: len(before)] == before
    [line] = lines[len(before) :]
    assert (line["kind"], line["revision"], line["previous_revision"]) == ("adjustment", 2, 1)
    assert (line["payer"], line["payee"], line["amount"]) == ("ann", "cyd", 24)
    assert [line[name] for name in ("hand", "due", "paid", "limited_by")] == [None] * 4
    assert owed(lines) == {"ann": 12, "bob": 0, "cyd": -12}


def test_a_correction_of_the_seats_moves_the_result_to_the_new_player(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE, point_value=10, unit="EUR")["round"]["id"]
    patch = [{"op": "replace", "path": "/seats/2/player", "value": "dan"}]
    corrected = correct_round(api, round_id, {"reason": "it was dan", "patch": patch})
    assert corrected.status == 201, corrected
    assert [(line["kind"], line["payer"], line["payee"], line["amount"]) for line in ledger(api)[-1:]] == [
        ("adjustment", "dan", "cyd", 360)
    ]
    assert owed(ledger(api)) == {"ann": 360, "bob": 0, "cyd": 0, "dan": -360}


def test_a_correction_that_changes_no_result_adds_nothing(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)["round"]["id"]
    before = ledger(api)
    patch = [{"op": "replace", "path": "/hands/0/played_at", "value": "2026-11-20T19:30:00Z"}]
    assert correct_round(api, round_id, {"reason": "time", "patch": patch}).status == 201
    assert ledger(api) == before


def test_an_undo_that_opens_the_round_again_takes_back_what_was_counted(api: Api) -> None:
    table = add_table(api)
    round_id = open_round(api, table)["id"]
    play(api, round_id, *COMPLETE)
    settled = ledger(api)
    assert undo(api, round_id, 3).status == 201
    [reversal] = ledger(api)[len(settled) :]
    assert (reversal["kind"], reversal["revision"], reversal["previous_revision"]) == ("reversal", 2, 1)
    assert (reversal["payer"], reversal["payee"], reversal["amount"]) == ("ann", "cyd", 36)
    assert set(owed(ledger(api)).values()) == {0}
    play(api, round_id, hand(3, 3, {1: LOW, 2: MID, 3: HIGH}))
    lines = ledger(api)
    assert [line["kind"] for line in lines[: len(settled) + 1]] == ["settlement"] * len(settled) + ["reversal"]
    assert {(line["kind"], line["revision"]) for line in lines[len(settled) + 1 :]} == {("settlement", 2)}
    assert owed(lines) == {"ann": 12, "bob": 0, "cyd": -12}


def test_a_correction_that_opens_a_closed_round_takes_back_what_was_counted(api: Api) -> None:
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, hand(1, 1, THREE))
    close(api, round_id)
    patch = [{"op": "remove", "path": "/closed"}]
    corrected = correct_round(api, round_id, {"reason": "they play on", "patch": patch})
    assert corrected.status == 201, corrected
    assert ledger(api)[-1]["kind"] == "reversal"
    close(api, round_id)
    assert [kind for kind, _ in groupby(line["kind"] for line in ledger(api))] == [
        "settlement",
        "reversal",
        "settlement",
    ]
    assert owed(ledger(api)) == {"ann": 12, "bob": 0, "cyd": -12}


def test_a_payout_at_the_end_of_a_round_is_listed_with_the_last_hand(api: Api) -> None:
    opened = open_round(api, add_table(api, "progressive-round"))
    play(api, opened["id"], hand(1, 1, THREE))
    assert ledger(api) == []
    close(api, opened["id"])
    assert {line["hand"] for line in ledger(api, "?limit=1")} == {1}
    assert owed(ledger(api, "?limit=1")) == {"ann": 12, "bob": 0, "cyd": -12}


# --- sums ---


@given(seed=st.integers(0, 2**32), name=st.sampled_from(sorted(PRESETS)), corrections=st.integers(0, 3))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.no_cover
def test_lines_add_up_to_the_statement(api: Api, seed: int, name: str, corrections: int) -> None:
    """Random rounds, corrected at random: for each player, as JSON and as CSV; and no line ever changes."""
    rng = Random(seed)
    response = post_document(api, {**random_document(rng, PRESETS[name]), "table": f"table {uuid4()}"})
    assert response.status == 201, response
    round_ = response["round"]
    query = f"?table={round_['table']}"
    posted_before: list[Document] = []
    for attempt in range(corrections):
        document = api.get(f"/v1/rounds/{round_['id']}/document").document
        if document["hands"]:
            amended = without(spoil(rng, document), "irregular")
            request = {"reason": f"attempt {attempt}", "document": amended, "irregular": "stands"}
            assert correct_round(api, round_["id"], request).status in (200, 201, 409, 422)
        lines = [without(line, "final") for line in ledger(api, query)]
        assert lines[: len(posted_before)] == posted_before
        posted_before = lines
    statement = api.get(f"/v1/tables/{round_['table']}/statement")
    lines = ledger(api, f"{query}&limit=5")
    [unit] = {line["unit"] for line in lines} or {None}
    for each in statement["players"]:
        won = each["net"] if unit in (None, round_["table"]) else each["money"][unit]
        expected = 0 if statement["open_rounds"] else won
        assert owed(lines).get(each["player"], 0) == expected
        of_player = ledger(api, f"{query}&player={quote(each['player'])}")
        assert owed(of_player).get(each["player"], 0) == expected
    assert sum(owed(lines).values()) == 0
    as_csv = read_csv(api, query)
    assert [(line["id"], line["line"]) for line in as_csv] == [(line["id"], str(line["line"])) for line in lines]
