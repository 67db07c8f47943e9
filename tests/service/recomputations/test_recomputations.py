"""Recomputations over HTTP, processed by a real worker."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.api_client import Api, ApiResponse, Document
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.database.recomputed_rounds import tamper
from tests.support.sample_rounds import COMPLETE, SIXES, THREE, add_table, hand, open_round, play, seats
from tests.support.worker_process import wait_for, working

START = "/v1/recomputations"
ZERO = "0" * 64


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    """A database of these tests' own, for nobody else's jobs are to be done here."""
    with open_house(embedded_postgres) as opened:
        yield opened


@pytest.fixture(scope="module", autouse=True)
def worker(house: House) -> Iterator[None]:
    with working(house.logins):
        yield


def recompute(api: Api, **fields: Any) -> ApiResponse:
    """Recompute, and wait until it is done."""
    sent = api.post(START, {"scope": {}, "mode": "audit", "reason": "checked again", **fields})
    assert sent.status == 202, sent
    return wait_for(api, sent.headers["Location"])


def differences(api: Api, job: ApiResponse) -> list[Document]:
    return list(api.get(f"{START}/{job['id']}/differences?limit=100")["differences"])


def play_rounds(api: Api, count: int) -> tuple[str, list[str]]:
    """Complete rounds of three hands at one table."""
    table = add_table(api)
    ids = []
    for _ in range(count):
        round_id = open_round(api, table, seats=seats(SIXES))["id"]
        play(api, round_id, *COMPLETE)
        ids.append(round_id)
    return table, ids


def pay_less(house: House, round_id: str) -> None:
    """Change a stored transfer: one point less is paid than due, without a limit."""
    change = "transfers[1].paid = (transfers[1]).paid - 1"
    tamper(
        house.owner_url,
        f"UPDATE hand_scores SET {change} WHERE round_id = %s AND number = 2 AND revision = 1",
        round_id,
    )


def test_unchanged_records_have_no_differences(api: Api) -> None:
    play_rounds(api, 3)
    ended = recompute(api)
    assert ended["state"] == "succeeded"
    assert ended["progress"] == {"done": 9, "total": 9}
    digest = ended["summary"].pop("digest")
    assert ended["summary"] == {
        "rounds": 3, "hands": 9, "differing": 0, "applied": 0, "skipped": 0,
        "tables": 0, "changing": 0, "changing_final": 0, "players": 0, "net_moved": {}, "moved": [],
        "unit_digits": {}, "payments": {"points": [], "money": []}, "payments_are": "fewest",
    }  # as a table  # fmt: skip
    assert len(digest) == 64
    assert digest != ZERO
    assert recompute(api)["summary"]["digest"] == digest
    assert differences(api, ended) == []


def test_a_scope_without_rounds_has_empty_results(api: Api) -> None:
    ended = recompute(api)
    assert (ended["state"], ended["progress"]) == ("succeeded", {"done": 0, "total": 0})
    assert (ended["summary"]["rounds"], ended["summary"]["digest"]) == (0, ZERO)


@pytest.mark.smoke
def test_a_changed_transfer_is_found_and_gets_a_new_revision(house: House, api: Api) -> None:
    _, (first, second, _) = play_rounds(api, 3)
    right = api.get(f"/v1/rounds/{second}/settlement")
    pay_less(house, second)
    ended = recompute(api)
    assert ended["summary"]["differing"] == 1
    [finding] = differences(api, ended)
    assert (finding["round"], finding["hand"], finding["column"], finding["detail"]) == (second, 2, "transfers", None)
    assert [paid["paid"] for paid in finding["stored"]] != [paid["paid"] for paid in finding["expected"]]
    assert api.get(f"/v1/rounds/{second}/settlement")["revision"] == 1, "an audit changes nothing"

    applied = recompute(api, mode="apply", reason="a transfer was cut")
    assert (applied["summary"]["differing"], applied["summary"]["applied"], applied["summary"]["skipped"]) == (1, 1, 0)
    assert applied["summary"]["digest"] == ended["summary"]["digest"]
    assert [each["column"] or each["kind"] for each in differences(api, applied)] == ["transfers", "applied"]
    anew = api.get(f"/v1/rounds/{second}/settlement")
    window = {"provisional_until": right["provisional_until"]}
    assert {**anew.document, "revision": 1, "reason": None, **window} == right.document
    assert (anew["revision"], anew["reason"]) == (2, "a transfer was cut")
    assert api.get(f"/v1/rounds/{first}/settlement")["revision"] == 1
    [(event,)] = house.query("SELECT content FROM events WHERE kind = 'round.recomputed' AND round_id = %s", second)
    assert json.loads(event)["recomputation"] == applied["id"]
    assert recompute(api)["summary"]["differing"] == 0


def test_another_ruleset_shows_changed_nets(api: Api) -> None:
    _, ids = play_rounds(api, 2)
    before = [api.get(f"/v1/rounds/{round_id}/settlement").document for round_id in ids]
    ended = recompute(api, ruleset="turbo", reason="what if")
    assert (ended["ruleset"], ended["mode"], ended["reason"]) == ("turbo@1", "audit", "what if")
    assert [api.get(f"/v1/rounds/{round_id}/settlement").document for round_id in ids] == before
    assert sum(ended["summary"]["net_moved"].values()) == 0


def test_a_scope_names_tables_rounds_rulesets_and_times(api: Api) -> None:
    table, (first, second) = play_rounds(api, 2)
    opened = "2099-01-01T00:00:00Z"
    for scope, count in [
        ({"table": table}, 2),
        ({"rounds": [second]}, 1),
        ({"ruleset": "pineapple"}, 2),
        ({"ruleset": "turbo@1"}, 0),
        ({"from": opened}, 0),
        ({"to": opened, "rounds": [first]}, 1),
    ]:
        ended = recompute(api, scope=scope)
        assert ended["summary"]["rounds"] == count, scope
        assert {name: value for name, value in ended["scope"].items() if value} == (
            {**scope, "ruleset": "pineapple@1"} if scope.get("ruleset") == "pineapple" else scope
        )


def test_unknown_tables_rounds_and_rulesets_are_refused(api: Api, other_api: Api) -> None:
    table, [round_id] = play_rounds(other_api, 1)
    scope = {"table": table, "rounds": [round_id]}
    refused = api.post(START, {"scope": scope, "mode": "audit", "reason": "x"})
    assert (refused.status, refused["code"]) == (422, "request-invalid")
    assert [(each["pointer"], each["code"]) for each in refused["errors"]] == [
        ("#/scope/table", "table-unknown"),
        ("#/scope/rounds/0", "round-unknown"),
    ]
    for fields in ({"scope": {"ruleset": "none"}}, {"scope": {}, "ruleset": "none"}):
        refused = api.post(START, {"mode": "audit", "reason": "x", **fields})
        assert (refused.status, refused["code"]) == (422, "ruleset-unknown")
        assert refused["errors"][0]["pointer"] == ("#/scope/ruleset" if fields["scope"] else "#/ruleset")
    refused = api.post(START, {"scope": {"rounds": []}, "mode": "look"})
    assert {each["pointer"] for each in refused["errors"]} == {"#/scope/rounds", "#/mode", "#/reason"}


def test_differences_come_in_pages_and_as_lines(house: House, api: Api) -> None:
    _, ids = play_rounds(api, 3)
    for round_id in ids:
        pay_less(house, round_id)
    ended = recompute(api)
    address, paged = f"{START}/{ended['id']}/differences?limit=2", []
    while address:
        page = api.get(address)
        paged += page["differences"]
        address = page.headers["Link"].split(">")[0][1:] if "Link" in page.headers else ""
    assert [each["round"] for each in paged] == ids
    headers = {"Authorization": f"Bearer {api.key}", "Accept": "application/x-ndjson"}
    response = api.app.test_client().get(f"{START}/{ended['id']}/differences", headers=headers)
    assert response.mimetype == "application/x-ndjson"
    assert [json.loads(line) for line in response.get_data(as_text=True).splitlines()] == paged


def test_an_open_round_is_audited_but_not_changed(house: House, api: Api) -> None:
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, hand(1, 1, THREE), hand(2, 2, THREE))
    pay_less(house, round_id)
    ended = recompute(api, mode="apply")
    assert (ended["summary"]["differing"], ended["summary"]["applied"], ended["summary"]["skipped"]) == (1, 0, 1)
    findings = differences(api, ended)
    assert [each["column"] or each["kind"] for each in findings] == ["transfers", "skipped"]
    assert findings[-1]["detail"] == "the round is open; the round was not changed"


def test_a_changed_ruleset_is_reported_with_its_rounds(house: House, api: Api) -> None:
    _, ids = play_rounds(api, 2)
    change = (
        "UPDATE rulesets SET content = jsonb_set(content, '{points,row}', '2') WHERE name = 'pineapple' AND club_id ="
        " (SELECT club_id FROM rounds WHERE id = %s)"
    )
    tamper(house.owner_url, change, ids[0])
    ended = recompute(api)
    first, *others = differences(api, ended)
    assert (first["round"], first["kind"], first["column"]) == (None, "record-differs", "digest")
    assert first["detail"] == "pineapple@1 has changed since it was added: its digest differs"
    assert first["stored"] != first["expected"]
    assert {each["round"] for each in others} == set(ids)
    assert ended["summary"]["differing"] == 2


def test_a_recomputation_is_paused_resumed_and_cancelled(api: Api) -> None:
    play_rounds(api, 1)
    fields = {"scope": {}, "mode": "audit", "reason": "checked again"}
    key = {"Idempotency-Key": "once"}
    sent = api.request("POST", START, json=fields, headers=key)
    again = api.request("POST", START, json=fields, headers=key)
    assert (again.status, again["id"], again.headers["Idempotent-Replayed"]) == (202, sent["id"], "true")
    address = sent.headers["Location"]
    assert wait_for(api, address)["state"] == "succeeded"
    assert api.request("POST", f"{address}/cancel")["state"] == "succeeded"
    for verb in ("pause", "resume"):
        refused = api.request("POST", f"{address}/{verb}")
        assert (refused.status, refused["code"]) == (409, "job-ended")
    tried = api.post(f"{START}?dry_run=true", fields)
    assert tried.status == 202
    assert api.get(tried.headers["Location"]).status == 404
