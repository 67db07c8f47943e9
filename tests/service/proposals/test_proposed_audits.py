"""Audits that change final settlements are applied when another key confirms it."""

from uuid import uuid4

import pytest

from tests.service.recomputations.test_applied_audits import OTHER, apply, audit, revision_of
from tests.service.recomputations.test_recomputations import START
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.api_settlements import make_final, refused
from tests.support.application import House
from tests.support.auditors import auditor, confirm, require_second_auditor, withdraw
from tests.support.check_club import check_everywhere
from tests.support.process_jobs import Club
from tests.support.sample_rounds import complete_round


@pytest.fixture
def club(house: House, api: Api) -> Club:
    require_second_auditor(house, api)
    return Club(house, api)


@pytest.fixture
def second(house: House, api: Api) -> Api:
    return auditor(house, api)


def final(api: Api, name: str) -> str:
    round_id = complete_round(api, name=name)
    make_final(api, round_id)
    return round_id


def propose(api: Api, audited: str, reason: str = "agreed") -> ApiResponse:
    return api.post(f"{START}/{audited}/proposals", {"reason": reason})


def needs_second(response: ApiResponse) -> bool:
    return (response.status, response["code"]) == (409, "second-auditor-required")


@pytest.mark.smoke
def test_an_audit_is_applied_to_final_rounds_when_another_key_confirms_it(club: Club, second: Api) -> None:
    api, round_id = club.api, final(club.api, "kitchen")
    audited = audit(club)
    body = {"mode": "apply", "audit": audited["id"], "reason": "agreed"}
    before = club.house.count_records()
    assert needs_second(api.post(START, {**body, "final": True}))
    whole = {"mode": "apply", "scope": {}, "ruleset": OTHER, "reason": "agreed", "final": True}
    assert needs_second(api.post(START, whole))
    assert club.house.count_records() == before
    proposal = propose(api, audited["id"])
    assert proposal.status == 201, proposal
    assert (proposal["kind"], proposal["audit"], proposal["comparison"]) == ("recomputation", audited["id"], None)
    assert proposal["digest"] == audited["summary"]["digest"]
    path = proposal.headers["Location"]
    assert confirm(api, path)["code"] == "not-second-auditor"
    confirmed = confirm(second, path)
    assert (confirmed.status, confirmed["state"]) == (201, "confirmed")
    assert replayed(confirm(second, path))
    job = club.work_on(f"{START}/{confirmed['end']['recomputation']}")
    assert (job["state"], job["summary"]["applied"], job["reason"]) == ("succeeded", 1, "agreed")
    assert revision_of(api, round_id) == 2
    check_everywhere(club.house, api)


def test_without_final_rounds_an_audit_is_applied_with_one_key(club: Club) -> None:
    round_id, closed = complete_round(club.api, name="kitchen"), final(club.api, "attic")
    apply(club, audit(club))
    assert (revision_of(club.api, round_id), revision_of(club.api, closed)) == (2, 1)


def test_rounds_that_have_changed_since_the_audit_are_left_alone(club: Club, second: Api) -> None:
    api = club.api
    changed, untouched = final(api, "kitchen"), final(api, "attic")
    audited = audit(club)
    path = propose(api, audited["id"]).headers["Location"]
    require_second_auditor(club.house, api, is_required=False)
    correction = {"reason": "misread", "version": api.get(f"/v1/rounds/{changed}")["version"]}
    void = [
        {"op": "remove", "path": "/hands/2"},
        {"op": "add", "path": "/closed", "value": {"after_hand": 2, "reason": "a card was exposed"}},
    ]
    assert api.post(f"/v1/rounds/{changed}/corrections", {**correction, "patch": void}).status == 201
    require_second_auditor(club.house, api)
    job = club.work_on(f"{START}/{confirm(second, path)['end']['recomputation']}")
    assert (job["summary"]["applied"], job["summary"]["skipped"]) == (1, 1)
    assert (revision_of(api, changed), revision_of(api, untouched)) == (2, 2)
    check_everywhere(club.house, api)


def test_one_proposal_of_an_audit_waits(club: Club, second: Api) -> None:
    final(club.api, "kitchen")
    audited = str(audit(club)["id"])
    path = propose(club.api, audited).headers["Location"]
    assert replayed(propose(club.api, audited))
    assert refused(propose(second, audited, "another"), "proposal-refused", "proposal-waiting")
    assert withdraw(second, path).status == 201
    assert propose(second, audited, "another").status == 201


def test_only_audits_that_have_succeeded_are_proposed(club: Club) -> None:
    complete_round(club.api)
    running = club.api.post(START, {"mode": "audit", "scope": {}, "reason": "weekly"})
    assert propose(club.api, running["id"]).status in (409, 422)
    assert propose(club.api, str(uuid4())).status == 404
    applied = apply(club, audit(club))
    assert propose(club.api, str(applied["id"])).status in (409, 422)


def test_an_audit_is_proposed_with_both_scopes(club: Club) -> None:
    final(club.api, "kitchen")
    audited = str(audit(club)["id"])
    for scopes in (("read", "recompute"), ("read", "correct-final")):
        narrow = auditor(club.house, club.api, "narrow", scopes=scopes)
        response = propose(narrow, audited)
        assert (response.status, response["code"]) == (403, "scope-missing")
    allowed = auditor(club.house, club.api, "narrow", scopes=("read", "recompute", "correct-final"))
    assert propose(allowed, audited).status == 201
