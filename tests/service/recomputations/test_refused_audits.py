"""Requests to apply an audit that cannot be applied."""

from uuid import uuid4

import pytest

from tests.service.recomputations.test_applied_audits import apply, audit, play_at
from tests.service.recomputations.test_recomputations import START
from tests.support.api_client import Api, Document
from tests.support.application import House
from tests.support.process_jobs import Club, rounds_to_import
from tests.support.worker_process import lines_of, post_import


@pytest.fixture
def club(house: House, api: Api) -> Club:
    return Club(house, api)


def test_audits_that_cannot_be_applied_are_refused(club: Club) -> None:
    api = club.api
    play_at(api, "kitchen")
    waiting = api.post(START, {"scope": {}, "mode": "audit", "reason": "waits"})
    cancelled = api.post(START, {"scope": {}, "mode": "audit", "reason": "is cancelled"})
    assert api.request("POST", f"{cancelled.headers['Location']}/cancel").status == 200
    club.work_on(cancelled.headers["Location"])
    audited = audit(club)
    applied = apply(club, audited)
    imported = post_import(api, lines_of(rounds_to_import(1, "attic")))
    for audit_id, code in [
        (str(uuid4()), "audit-unknown"),
        (imported["id"], "audit-unknown"),
        (waiting["id"], "audit-unfinished"),
        (cancelled["id"], "audit-unfinished"),
        (applied["id"], "not-an-audit"),
        ("the last one", "not-an-id"),
    ]:
        refused = api.post(START, {"mode": "apply", "audit": audit_id, "reason": "agreed"})
        assert (refused.status, refused["code"]) == (422, "request-invalid"), audit_id
        assert refused.mistakes == {"#/audit": code}, audit_id


def test_an_audit_of_another_club_is_unknown(club: Club, other_api: Api) -> None:
    audited = audit(club)
    refused = other_api.post(START, {"mode": "apply", "audit": audited["id"], "reason": "agreed"})
    assert refused.mistakes == {"#/audit": "audit-unknown"}


@pytest.mark.parametrize(
    ("fields", "mistakes"),
    [
        ({"scope": {}}, {"#/scope": "audit-alone"}),
        ({"ruleset": "turbo"}, {"#/ruleset": "audit-alone"}),
        ({"mode": "audit"}, {"#/mode": "not-a-choice"}),
        ({"audit": None}, {"#/scope": "field-missing"}),
        ({"audit": None, "mode": "audit"}, {"#/scope": "field-missing"}),
    ],
)
def test_an_audit_is_applied_with_its_own_rounds_and_rules(
    club: Club, fields: Document, mistakes: dict[str, str]
) -> None:
    audited = audit(club)
    body = {"mode": "apply", "audit": audited["id"], "reason": "agreed", **fields}
    refused = club.api.post(START, body)
    assert (refused.status, refused.mistakes) == (422, mistakes)
