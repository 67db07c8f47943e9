"""What a link to one table can be used for: the operations of its list, and provisional settlements."""

import json
from functools import partial
from uuid import UUID

import pytest

from evidence.events import FinalReason
from service.rounds.queries import rounds, settlements
from tests.service.http.test_other_clubs import SENT
from tests.service.links.linked_table import ALLOWED, NDJSON, Played, link_to, table_of
from tests.support.api_client import Api, replayed
from tests.support.api_corrections import SWAPPED, correct
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.import_lines import club_of, database_of
from tests.support.race import at_once
from tests.support.sample_rounds import (
    COMPLETE,
    SIXES,
    THREE,
    close,
    complete_round,
    depart,
    hand,
    open_round,
    operations,
    play,
    record,
    undo,
)

WRITING = {
    *("open_round", "close_round", "record_departure", "record_hand", "record_hands", "undo_hand", "correct_round"),
    *("confirm_settlement", "show_scorekeeper", "hide_scorekeeper", "record_payment", "reverse_payment"),
    *("claim_payment", "confirm_payment_claim", "decline_payment_claim", "withdraw_payment_claim"),
}
"""Operations for which a viewer's link lacks the scope."""
PUBLIC = {"check_health", "check_readiness", "get_contract", "get_metrics", "get_checkpoint", "list_checkpoint_keys"}
PUBLIC |= {"sign_in_phone"}


@pytest.mark.parametrize("kind", ["scorekeeper", "viewer"])
def test_operations_that_are_not_for_links_are_refused(house: House, club: Api, mine: Played, kind: str) -> None:
    link = link_to(house, club, mine.table, kind)
    refused = set()
    for method, path, name in operations(club):
        path = path.replace("{reference}", "turbo").replace("{player}", "ann").replace("{address}", "1")
        if name in PUBLIC:
            continue
        body = {"json": SENT[name]} if SENT.get(name) else {"json": {}} if method in ("POST", "PUT", "PATCH") else {}
        response = link.request(method, path, **body)
        if response.status == 403:
            assert response["code"] == "scope-missing"
            refused.add(name)
            is_for_links = name in ALLOWED
            assert ("is not for links; expected an API key with the scope" in response["detail"]) != is_for_links, name
    everything = {name for _, _, name in operations(club)} - PUBLIC
    assert refused == everything - (ALLOWED if kind == "scorekeeper" else ALLOWED - WRITING)


def test_every_operation_of_a_scorekeeper_works_at_the_table(house: House, api: Api) -> None:
    table = table_of(api, "friday", ruleset="pineapple-qq")
    link = link_to(house, api, table)
    round_id = open_round(link, table, SIXES)["id"]
    played = play(link, round_id, hand(1, 1, THREE), hand(2, 2, THREE, top_ups=[{"seat": 3, "points": 20}]))
    assert undo(link, round_id, 2).status == 201
    play(link, round_id, hand(2, 2, THREE))
    corrected = correct(link, round_id, patch=SWAPPED)
    assert corrected.status == 201, corrected
    line = json.dumps({"round": round_id, "dealt_again": True, **hand(3, 3, THREE)}).encode()
    batch = link.request("POST", "/v1/hands", data=line, headers=NDJSON)
    assert json.loads(batch.text)["status"] == "recorded"
    assert link.post(f"/v1/rounds/{round_id}/confirmations", {"seat": 1}).status == 201
    second = open_round(link, table)["id"]
    play(link, second, hand(1, 1, THREE))
    assert depart(link, second, 3).status == 201
    assert close(link, second).status == 200
    for path in (
        *(f"/v1/rounds/{round_id}{part}" for part in ("", "/settlement", "/document", "/hands")),
        *(f"/v1/hands/{played['id']}{part}" for part in ("", "/explanation")),
        *(f"/v1/tables/{table}{part}" for part in ("", "/statement")),
        "/v1/rulesets/pineapple-qq",
        "/v1/club",
        f"/v1/statement?tables={table}",
    ):
        assert link.get(path).document == api.get(path).document, path
    check_everywhere(house, api)


def test_a_link_lists_the_disputes_of_its_table_only(house: House, club: Api, mine: Played, other: Played) -> None:
    for kind in ("scorekeeper", "viewer"):
        link = link_to(house, club, mine.table, kind)
        assert [dispute["id"] for dispute in link.get("/v1/disputes")["disputes"]] == [mine.dispute]
        assert link.get(f"/v1/disputes?table={other.table}")["disputes"] == []
        assert link.get(f"/v1/disputes/{mine.dispute}").status == 403
    assert len(club.get("/v1/disputes")["disputes"]) == 2


def test_a_viewer_reads_the_table_and_changes_nothing(house: House, club: Api, mine: Played) -> None:
    viewer = link_to(house, club, mine.table, "viewer")
    for path in (f"/v1/tables/{mine.table}", f"/v1/rounds/{mine.round}", f"/v1/hands/{mine.hand}", "/v1/rounds"):
        assert viewer.get(path).status == 200, path
    before = house.count_records()
    refused = record(viewer, mine.round, hand(2, 2, THREE))
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    assert "the link 'viewer' has 'read'; expected a key with the scope 'write'" in refused["detail"]
    assert house.count_records() == before


# --- final settlements ---


def test_a_link_corrects_provisional_settlements_and_no_final_ones(house: House, api: Api) -> None:
    round_id = complete_round(api)
    link = link_to(house, api, str(api.get(f"/v1/rounds/{round_id}")["table"]))
    assert api.get(f"/v1/rounds/{round_id}")["state"] == "provisional"
    assert correct(link, round_id, patch=SWAPPED).status == 201
    for seat in (1, 2, 3):
        assert link.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat}).status == 201
    assert api.get(f"/v1/rounds/{round_id}")["state"] == "final"
    before = house.count_records()
    refused = correct(link, round_id, patch=[{"op": "replace", "path": "/seats/0/player", "value": "dan"}])
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    assert "expected a key with the scope 'correct-final'" in refused["detail"]
    assert (undo(link, round_id, 3).status, undo(link, round_id, 3)["code"]) == (409, "undo-refused")
    assert house.count_records() == before


def test_a_final_settlement_of_the_window_is_not_corrected_by_a_link(house: House, api: Api) -> None:
    round_id = complete_round(api)
    link = link_to(house, api, str(api.get(f"/v1/rounds/{round_id}")["table"]))
    with database_of(house).transaction(club_of(house, api)) as transaction:
        settlements.finalize(transaction, rounds.lock(transaction, UUID(round_id)), FinalReason.WINDOW)
    assert correct(link, round_id, patch=SWAPPED).status == 403


# --- retries ---


def test_a_retry_with_the_same_idempotency_key_returns_the_first_response(house: House, api: Api) -> None:
    table = table_of(api)
    link = link_to(house, api, table)
    options = {"json": {"seats": [{"seat": 1, "player": "ann", "stack": 5}, {"seat": 2, "player": "bob", "stack": 5}]}}
    headers = {"Idempotency-Key": "evening-1"}
    first = link.request("POST", f"/v1/tables/{table}/rounds", headers=headers, **options)
    second = link.request("POST", f"/v1/tables/{table}/rounds", headers=headers, **options)
    assert (replayed(first), replayed(second), first.text) == (False, True, second.text)
    changed = link.request("POST", f"/v1/tables/{table}/rounds", headers=headers, json={"seats": []})
    assert changed.status == 422


def test_two_links_that_record_the_same_hand_at_once_record_it_once(house: House, api: Api) -> None:
    table = table_of(api)
    links = [link_to(house, api, table, label=f"phone {number}") for number in range(4)]
    round_id = open_round(links[0], table)["id"]
    for played in COMPLETE:
        responses = at_once(*(partial(record, each, round_id, played) for each in links))
        assert {response.status for response in responses} == {201}
        assert len({response["id"] for response in responses}) == 1
        assert sorted(map(replayed, responses)) == [False, True, True, True]
    assert api.get(f"/v1/rounds/{round_id}")["hands"] == 3
    check_everywhere(house, api)
