"""Settlements over HTTP: provisional, confirmed, final, and adjusted where a final one is corrected."""

import json
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import pytest

from service.jobs.kinds import KINDS
from service.jobs.sweeping import sweep
from service.usecases.add_ruleset import keep_ruleset
from service.usecases.create_key import create_key
from service.usecases.find_club import find_club
from service.usecases.find_ruleset import ruleset_named
from tests.oracle import PRESETS, random_document
from tests.service.house import House
from tests.service.importing import club_of, database_of, import_all, lines_of
from tests.service.racing import at_once
from tests.service.recomputing import named, recompute
from tests.service.rounds_to_play import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    THREE,
    Document,
    close,
    document_of,
    hand,
    play,
    play_to_the_end,
    post_document,
    start_round,
    undo,
    without,
)
from tests.service.speaking import Answer, Api

AT_ONCE = 20
OTHER_HAND = [{"op": "replace", "path": "/hands/1", "value": hand(2, 2, {1: LOW, 2: MID, 3: HIGH})}]
"""In hand 2, seat 1 had the cards of seat 3, and the other way round."""
WINDOW = "correction_window_minutes"


def complete_round(api: Api, **table: Any) -> str:
    round_id = start_round(api, **table)
    play_to_the_end(api, round_id)
    return round_id


def settlement_of(api: Api, round_id: str, revision: int | None = None) -> Answer:
    found = api.get(f"/v1/rounds/{round_id}/settlement" + (f"?revision={revision}" if revision else ""))
    assert found.status == 200, found
    return found


def confirm(api: Api, round_id: str, seat: int, **more: Any) -> Answer:
    return api.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat, **more})


def make_final(api: Api, round_id: str) -> None:
    for seat in (1, 2, 3):
        assert confirm(api, round_id, seat).status == 201
    assert settlement_of(api, round_id)["state"] == "final"


def correct(api: Api, round_id: str, patch: Any = OTHER_HAND, **more: Any) -> Answer:
    return api.post(f"/v1/rounds/{round_id}/corrections", {"reason": "misread", "patch": patch, **more})


def sweep_all(house: House) -> None:
    sweep(database_of(house), KINDS, lambda _club: None)


def replayed(answer: Answer) -> bool:
    assert answer.status == 201, answer
    return answer.headers.get("Idempotent-Replayed") == "true"


def refused(answer: Answer, code: str, mistake: str) -> bool:
    return (answer.status, answer["code"], [each["code"] for each in answer["errors"]]) == (409, code, [mistake])


def another_key(house: House, api: Api, *scopes: str) -> Api:
    [(name,)] = house.ask("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    club = find_club(house.owner, name)
    return Api(house.app, create_key(house.owner, club, name="narrow", scopes=scopes).secret)


def events_of(house: House, round_id: str) -> list[tuple[int, str]]:
    return house.ask("SELECT sequence, kind FROM events WHERE round_id = %s ORDER BY sequence", round_id)


# --- states ---


def test_a_settlement_is_provisional_for_the_table_s_window_from_the_last_hand_on(api: Api) -> None:
    round_id = start_round(api, **{WINDOW: 45})
    play(api, round_id, *COMPLETE[:2])
    before = settlement_of(api, round_id)
    assert (before["state"], before["provisional_until"], before["confirmed"]) == ("open", None, [])
    last = play(api, round_id, COMPLETE[2])
    found = settlement_of(api, round_id)
    assert (found["state"], found["adjustment"]) == ("provisional", None)
    until = timedelta(minutes=45) + datetime.fromisoformat(last["recorded_at"])
    assert datetime.fromisoformat(found["provisional_until"]) == until
    for shown in (last["round"], api.get(f"/v1/rounds/{round_id}")):
        assert shown["state"] == "provisional"


def test_a_round_that_was_closed_or_sent_whole_is_provisional_too(api: Api) -> None:
    closed = start_round(api)
    play(api, closed, *COMPLETE[:1])
    assert close(api, closed)["state"] == "provisional"
    sent = post_document(api, document_of(hands=COMPLETE, table="parlour"))
    assert sent["settlement"]["state"] == sent["round"]["state"] == "provisional"
    half = post_document(api, document_of(hands=COMPLETE[:1], table="cellar"))
    assert half["settlement"]["state"] == half["round"]["state"] == "open"


def test_a_settlement_whose_window_has_passed_is_final_once_a_worker_has_swept(api: Api, house: House) -> None:
    round_id = complete_round(api, **{WINDOW: 0})
    waiting = complete_round(api, name="parlour")
    assert settlement_of(api, round_id)["state"] == "provisional"
    sweep_all(house)
    found = settlement_of(api, round_id)
    assert (found["state"], found["provisional_until"]) == ("final", None)
    assert api.get(f"/v1/rounds/{round_id}")["version"] == 5
    assert events_of(house, round_id)[-1] == (5, "settlement.finalized")
    assert settlement_of(api, waiting)["state"] == "provisional"


def test_a_document_that_comes_again_is_answered_with_the_settlement_as_it_stands(api: Api, house: House) -> None:
    document = document_of(hands=COMPLETE)
    round_id = post_document(api, document)["round"]["id"]
    confirm(api, round_id, 2)
    house.change("UPDATE round_heads SET provisional_until = now() WHERE round_id = %s", round_id)
    sweep_all(house)
    again = post_document(api, document)
    assert replayed(again)
    assert (again["settlement"]["state"], again["settlement"]["confirmed"]) == ("final", [2])
    assert again["settlement"] == settlement_of(api, round_id).document


def test_imported_settlements_are_final_unless_they_are_to_be_provisional(api: Api, house: House) -> None:
    club = club_of(house, api)
    documents = [document_of(hands=COMPLETE, reference=f"r/{number}") for number in range(2)]
    [final] = import_all(house, club, lines_of(documents[:1]), is_final=True)
    [provisional] = import_all(house, club, lines_of(documents[1:]), is_final=False)
    assert settlement_of(api, str(final.round_id))["state"] == "final"
    assert settlement_of(api, str(provisional.round_id))["state"] == "provisional"
    exported = [api.get(f"/v1/rounds/{each.round_id}/document").document for each in (final, provisional)]
    for state in (True, False):
        again = import_all(house, club, lines_of(exported), is_final=state)
        assert [each.status for each in again] == ["replayed", "replayed"]


def test_what_a_line_expects_is_held_against_the_state_that_it_is_imported_in(api: Api, house: House) -> None:
    club = club_of(house, api)
    expecting = {**document_of(hands=COMPLETE), "expected": {"settlement": {"state": "final", "confirmed": []}}}
    for is_final, status in ((False, "refused"), (True, "stored"), (False, "replayed")):
        [became] = import_all(house, club, lines_of([expecting]), is_final=is_final)
        assert became.status == status


def test_rounds_are_listed_by_the_state_of_their_settlement(api: Api, house: House) -> None:
    final = complete_round(api, **{WINDOW: 0})
    sweep_all(house)
    provisional = complete_round(api, name="parlour")
    opened = start_round(api, name="cellar")
    for state, ids in {"final": [final], "provisional": [provisional], "open": [opened], "disputed": []}.items():
        listed = api.get(f"/v1/rounds?state={state}")["rounds"]
        assert [each["id"] for each in listed] == ids
        assert {each["state"] for each in listed} <= {state}
    wrong = api.get("/v1/rounds?state=superseded")
    assert (wrong.status, wrong.mistakes) == (422, {"#/query/state": "not-a-choice"})


# --- confirmations ---


def test_a_settlement_that_everyone_has_confirmed_is_final(api: Api, house: House) -> None:
    round_id = complete_round(api)
    until = settlement_of(api, round_id)["provisional_until"]
    for seat, confirmed in ((3, [3]), (1, [1, 3])):
        answer = confirm(api, round_id, seat)
        assert not replayed(answer)
        assert (answer["state"], answer["confirmed"], answer["provisional_until"]) == ("provisional", confirmed, until)
    last = confirm(api, round_id, 2, revision=1)
    assert (last["state"], last["confirmed"], last["provisional_until"]) == ("final", [1, 2, 3], None)
    assert last.document == settlement_of(api, round_id).document
    told = [(sequence, kind) for sequence, kind in events_of(house, round_id) if sequence > 4]
    assert told == [*((number, "settlement.confirmed") for number in (5, 6, 7)), (8, "settlement.finalized")]
    contents = house.ask("SELECT content FROM events WHERE round_id = %s AND sequence > 6 ORDER BY sequence", round_id)
    assert [json.loads(content) for (content,) in contents] == [
        {"round": round_id, "revision": 1, "seat": 2},
        {"round": round_id, "revision": 1, "because": "confirmed"},
    ]


def test_the_same_word_again_changes_nothing_also_once_it_is_final(api: Api, house: House) -> None:
    round_id = complete_round(api)
    confirm(api, round_id, 1)
    before = house.count_records()
    assert replayed(confirm(api, round_id, 1))
    assert house.count_records() == before
    make_final(api, round_id)
    before = house.count_records()
    again = confirm(api, round_id, 3)
    assert replayed(again)
    assert again["state"] == "final"
    assert house.count_records() == before


def test_of_equal_words_at_once_one_is_kept(api: Api, house: House) -> None:
    round_id = complete_round(api)
    answers = at_once(*[partial(confirm, api, round_id, 2)] * AT_ONCE)
    assert [replayed(answer) for answer in answers].count(False) == 1
    assert settlement_of(api, round_id)["confirmed"] == [2]
    assert events_of(house, round_id)[-1] == (5, "settlement.confirmed")


def test_words_of_all_players_at_once_make_a_settlement_final_once(api: Api, house: House) -> None:
    round_id = complete_round(api)
    at_once(*[partial(confirm, api, round_id, seat) for seat in (1, 2, 3) * 4])
    assert settlement_of(api, round_id)["state"] == "final"
    kinds = [kind for _, kind in events_of(house, round_id)]
    assert (kinds.count("settlement.confirmed"), kinds.count("settlement.finalized")) == (3, 1)


def test_only_a_provisional_settlement_can_be_confirmed(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, *COMPLETE[:1])
    before = house.count_records()
    assert refused(confirm(api, round_id, 1), "confirmation-refused", "settlement-open")
    play(api, round_id, *COMPLETE[1:])
    confirm(api, round_id, 1)
    house.change("UPDATE round_heads SET provisional_until = now() WHERE round_id = %s", round_id)
    sweep_all(house)
    answer = confirm(api, round_id, 2)
    assert refused(answer, "confirmation-refused", "settlement-final")
    assert "nothing left to confirm" in answer["detail"]
    assert house.count_records()["confirmations"] == before["confirmations"] + 1


@pytest.mark.parametrize(
    ("body", "status", "mistakes"),
    [
        ({"seat": 4}, 422, {"#/seat": "seat-unknown"}),
        ({"seat": 0}, 422, {"#/seat": "out-of-range"}),
        ({}, 422, {"#/seat": "field-missing"}),
        ({"seat": 1, "revision": 2}, 409, {"#/revision": "settlement-superseded"}),
        ({"seat": 1, "revision": 2**53 - 1}, 409, {"#/revision": "settlement-superseded"}),
    ],
)
def test_what_is_wrong_with_a_confirmation_is_named(
    api: Api, house: House, body: Document, status: int, mistakes: Document
) -> None:
    round_id = complete_round(api)
    before = house.count_records()
    answer = api.post(f"/v1/rounds/{round_id}/confirmations", body)
    assert (answer.status, answer.mistakes) == (status, mistakes)
    assert house.count_records() == before


def test_a_new_revision_is_confirmed_anew_and_the_old_one_keeps_its_confirmations(api: Api) -> None:
    round_id = complete_round(api)
    confirm(api, round_id, 1)
    first = settlement_of(api, round_id)["provisional_until"]
    correct(api, round_id)
    found = settlement_of(api, round_id)
    assert (found["state"], found["confirmed"], found["adjustment"]) == ("provisional", [], None)
    assert found["provisional_until"] > first
    old = settlement_of(api, round_id, 1)
    assert (old["state"], old["confirmed"], old["provisional_until"]) == ("superseded", [1], None)
    assert replayed(confirm(api, round_id, 1, revision=1))
    assert refused(confirm(api, round_id, 2, revision=1), "confirmation-refused", "settlement-superseded")
    assert not replayed(confirm(api, round_id, 1, revision=2))


def test_a_confirmation_that_is_tried_is_not_kept(api: Api, house: House) -> None:
    round_id = complete_round(api)
    before = house.count_records()
    tried = api.post(f"/v1/rounds/{round_id}/confirmations?dry_run=true", {"seat": 1})
    assert tried["confirmed"] == [1]
    assert house.count_records() == before


# --- what is final is not undone, and is corrected only by who may ---


def test_a_hand_of_a_final_settlement_is_not_undone_but_corrected(api: Api, house: House) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    before = house.count_records()
    assert refused(undo(api, round_id, 3), "undo-refused", "settlement-final")
    assert house.count_records() == before
    correct(api, round_id)
    assert settlement_of(api, round_id)["state"] == "provisional"
    assert refused(undo(api, round_id, 3), "undo-refused", "settlement-final")


def test_a_hand_of_a_provisional_settlement_is_undone_and_the_round_is_open_again(api: Api) -> None:
    round_id = complete_round(api)
    confirm(api, round_id, 1)
    assert undo(api, round_id, 3)["state"] == "open"
    played = hand(3, 3, {1: LOW, 2: MID, 3: HIGH})
    assert play(api, round_id, played)["round"]["state"] == "provisional"
    assert settlement_of(api, round_id)["confirmed"] == []


def test_who_may_correct_may_not_correct_what_is_final(api: Api, house: House) -> None:
    round_id, allowed = complete_round(api), another_key(house, api, "read", "correct", "correct-final")
    narrow = another_key(house, api, "read", "correct")
    assert correct(narrow, round_id).status == 201
    make_final(api, round_id)
    before = house.count_records()
    back = [{"op": "replace", "path": "/hands/1", "value": hand(2, 2, THREE)}]
    answer = correct(narrow, round_id, back)
    assert (answer.status, answer["code"]) == (403, "scope-missing")
    assert "correct-final" in answer["detail"]
    assert house.count_records() == before
    # What was corrected before it was final is known again.
    assert correct(allowed, round_id, back).status == 201
    assert settlement_of(api, round_id)["state"] == "provisional"
    assert correct(narrow, round_id).status == 403


def test_a_round_whose_settlement_was_final_is_not_opened_again(api: Api, house: House) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    before = house.count_records()
    shorter = [{"op": "remove", "path": "/hands/2"}]
    answer = correct(api, round_id, shorter)
    assert (answer.status, answer.mistakes) == (422, {"#/document/closed": "settlement-final"})
    assert house.count_records() == before
    closed = {"op": "add", "path": "/closed", "value": {"after_hand": 2, "reason": "the third was never played"}}
    assert correct(api, round_id, [*shorter, closed]).status == 201


# --- adjustments ---


def test_what_a_correction_of_a_final_settlement_changes_is_paid_from_player_to_player(api: Api) -> None:
    round_id = complete_round(api, point_value=10, currency="EUR")
    make_final(api, round_id)
    # Seat 1 won 12 in each of three hands, and lost 12 in one of them as it turns out.
    right = {
        "from_revision": 1,
        "transfers": [{"payer": "ann", "payee": "cyd", "points": 24, "money": 240}],
    }
    answer = correct(api, round_id)
    assert answer["adjustment"] == settlement_of(api, round_id)["adjustment"] == right
    assert correct(api, round_id)["adjustment"] == right
    assert settlement_of(api, round_id, 1)["adjustment"] is None


def test_an_adjustment_goes_from_the_last_settlement_that_was_final(api: Api) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    correct(api, round_id)
    third = [{"op": "replace", "path": "/hands/2", "value": hand(3, 3, {1: LOW, 2: MID, 3: HIGH})}]
    twice = correct(api, round_id, third)["adjustment"]
    assert twice == {
        "from_revision": 1,
        "transfers": [{"payer": "ann", "payee": "cyd", "points": 48, "money": None}],
    }
    make_final(api, round_id)
    back = [{"op": "replace", "path": "/hands/2", "value": COMPLETE[2]}]
    assert correct(api, round_id, back)["adjustment"] == {
        "from_revision": 3,
        "transfers": [{"payer": "cyd", "payee": "ann", "points": 24, "money": None}],
    }


def test_a_correction_of_a_final_settlement_that_moves_no_points_is_paid_by_nobody(api: Api) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    later = [{"op": "add", "path": "/hands/0/played_at", "value": "2026-11-20T20:15:00Z"}]
    assert correct(api, round_id, later)["adjustment"] == {"from_revision": 1, "transfers": []}


@pytest.mark.parametrize("name", ["pineapple", "progressive-round", "turbo", "classic"])
def test_nets_that_were_final_and_the_adjustment_are_the_nets_there_are(api: Api, name: str) -> None:
    """Each a random round that, as it turns out, was quite another."""
    rng = Random(name)
    corrected = 0
    for number in range(6):
        one, other = (without(random_document(rng, PRESETS[name]), "reference") for _ in range(2))
        posted = post_document(api, {**one, "table": f"{name} {number}"})
        round_id, sitting = posted["round"]["id"], posted["round"]["seats"]
        if posted["round"]["status"] == "open":
            close(api, round_id)
        before = by_player(sitting, settlement_of(api, round_id)["net"])
        for seat in sitting:
            assert confirm(api, round_id, seat["seat"]).status == 201
        told = api.get(f"/v1/rounds/{round_id}/document").document
        amended = {**other, **{part: told[part] for part in ("table", "reference", "point_value", "currency")}}
        closed = {"after_hand": len(other["hands"]), "reason": "the room closes"}
        answer = correct(api, round_id, None, document=amended)
        if answer.status != 201:  # it would be open
            answer = correct(api, round_id, None, document={**amended, "closed": closed})
        assert answer.status == 201, answer
        corrected += 1
        after = by_player(answer["round"]["seats"], settlement_of(api, round_id)["net"])
        for paid in answer["adjustment"]["transfers"]:
            before[paid["payer"]] = before.get(paid["payer"], 0) - paid["points"]
            before[paid["payee"]] = before.get(paid["payee"], 0) + paid["points"]
            assert paid["points"] > 0
        assert {player: net for player, net in before.items() if net} == {
            player: net for player, net in after.items() if net
        }
    assert corrected == 6


def by_player(sitting: list[Document], nets: Document) -> dict[str, int]:
    return {seat["player"]: nets[str(seat["seat"])] for seat in sitting}


# --- recomputations ---


def test_a_recomputation_leaves_final_settlements_unless_it_is_told_not_to(api: Api, house: House) -> None:
    round_id = complete_round(api)
    make_final(api, round_id)
    with database_of(house).transaction(club_of(house, api)) as transaction:
        rules = ruleset_named(transaction, "pineapple-2-4-us-none")
        keep_ruleset(transaction, rules)
        left = recompute(transaction, ruleset=rules, applies=True)
        assert (left.differing, left.applied, left.skipped) == (1, 0, 1)
        assert "final" in str(left.differences[-1].detail)
        done = recompute(transaction, ruleset=rules, applies=True, final=True)
        assert (done.applied, done.skipped, named(done)[-1][2]) == (1, 0, "applied")
    found = settlement_of(api, round_id)
    assert (found["state"], found["adjustment"]["from_revision"]) == ("provisional", 1)


def test_a_recomputation_of_final_settlements_needs_the_scope_for_it(api: Api, house: House) -> None:
    asked = {"scope": {}, "mode": "apply", "reason": "yearly audit", "final": True}
    narrow = another_key(house, api, "recompute")
    answer = narrow.post("/v1/recomputations", asked)
    assert (answer.status, answer["code"]) == (403, "scope-missing")
    assert narrow.post("/v1/recomputations", {**asked, "final": False}).status == 202
    allowed = another_key(house, api, "recompute", "correct-final").post("/v1/recomputations", asked)
    assert (allowed.status, allowed["final"]) == (202, True)


# --- races ---


def has_no_gap(house: House, round_id: str) -> bool:
    [(version,)] = house.ask("SELECT version FROM round_heads WHERE round_id = %s", round_id)
    return [sequence for sequence, _ in events_of(house, round_id)] == list(range(1, version + 1))


def test_a_last_word_and_a_sweep_at_once_make_a_settlement_final_once(api: Api, house: House) -> None:
    for attempt in range(3):
        round_id = complete_round(api, name=f"table {attempt}", **{WINDOW: 0})
        confirm(api, round_id, 1)
        confirm(api, round_id, 2)
        answer, *_ = at_once(partial(confirm, api, round_id, 3), *[partial(sweep_all, house)] * 2)
        assert answer.status == 201 or refused(answer, "confirmation-refused", "settlement-final")
        assert settlement_of(api, round_id)["confirmed"] == ([1, 2, 3] if answer.status == 201 else [1, 2])
        sweep_all(house)
        assert settlement_of(api, round_id)["state"] == "final"
        kinds = [kind for _, kind in events_of(house, round_id)]
        assert kinds.count("settlement.finalized") == 1
        assert has_no_gap(house, round_id)


def test_a_correction_and_a_sweep_at_once_come_one_after_the_other(api: Api, house: House) -> None:
    adjusted = 0
    for attempt in range(3):
        round_id = complete_round(api, name=f"table {attempt}", **{WINDOW: 0})
        answer, _ = at_once(partial(correct, api, round_id), partial(sweep_all, house))
        # Without a version, a correction is of the round as it was when the request came.
        assert answer.status == 201 or (answer.status, answer["code"]) == (409, "round-changed")
        final_first = [kind for _, kind in events_of(house, round_id)][4] == "settlement.finalized"
        if answer.status == 201:
            assert (answer["adjustment"] is not None) == final_first
            adjusted += final_first
        sweep_all(house)
        assert settlement_of(api, round_id)["state"] == "final"
        assert has_no_gap(house, round_id)
