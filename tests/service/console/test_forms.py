"""Every form of the console, whichever there are: no session, no token, no scope, and records of other clubs."""

import io
from typing import Any
from uuid import uuid4

import pytest
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from tests.service.console.test_disputes import csrf_of
from tests.service.console.test_signing_in import signed_in_with
from tests.service.links.linked_table import issue
from tests.support.api_client import Api
from tests.support.api_disputes import opened
from tests.support.application import House
from tests.support.auditors import proposed
from tests.support.browser.console_visitor import Visitor, parse
from tests.support.sample_rounds import add_table, complete_round

OPEN_TO_ALL = {"console.begin_session"}
"""The form that begins a session."""
ANY_KEY = {"console.end_session"}
"""The forms that need no scope."""
FIELDS = {
    "version": "1",
    "round_version": "1",
    "decision": "reject",
    "reason": "x",
    "proposal_reason": "x",
    "comment": "x",
    "state": "disabled",
    "is_archived": "true",
    "overlap": "0",
    "kind": "player",
    "player": "ann",
    "url": "https://club.example/",
    "kind:hand.recorded": "yes",
}
"""Valid values of what the forms ask for, so that only the ID is wrong."""


PAID = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 1, "reference": "paid"}


def forms_of(house: House) -> list[Rule]:
    """Return the addresses of the forms that need a session."""
    return [
        rule
        for rule in house.app.url_map.iter_rules()
        if rule.endpoint.startswith("console.") and "POST" in (rule.methods or ()) and rule.endpoint not in OPEN_TO_ALL
    ]


def session_of(api: Api) -> str:
    """Begin a session of the console with the key of a client, and return its ID."""
    browser = api.app.test_client()
    assert browser.post("/console/sign-in", data={"key": api.key}).status_code == 303
    [newest, *_] = browser.get("/console/keys/sessions?format=json", buffered=True).get_json()
    return str(newest["id"])


def records_of(api: Api) -> dict[str, Any]:
    """Record one of each kind in the club of a client, and return their IDs by the names in addresses."""
    round_id = complete_round(api)
    table = add_table(api, name="linked")
    webhook = api.post("/v1/webhooks", {"url": "https://club.example/", "kinds": ["hand.recorded"]})
    job = api.post("/v1/recomputations", {"mode": "audit", "scope": {}, "reason": "x"})
    return {
        "round_id": round_id,
        "dispute_id": opened(api, round_id),
        "proposal_id": proposed(api, complete_round(api, name="proposed")).rpartition("/")[2],
        "table_id": table,
        "link_id": issue(api, table)["id"],
        "webhook_id": webhook["id"],
        "delivery_id": str(uuid4()),
        "job_id": job["id"],
        "key_id": api.get("/v1/keys")["keys"][0]["id"],
        "session_id": session_of(api),
        "kind": "payment",
        "entry_id": api.post("/v1/payments", PAID)["id"],
        "claim_id": api.post("/v1/payment-claims", {**PAID, "reference": "claimed"})["id"],
    }


def addresses_of(house: House, records: dict[str, Any]) -> dict[str, str]:
    """Return the address of each form below the console, with the IDs of records."""
    adapter = house.app.url_map.bind("localhost")
    return {
        rule.endpoint: adapter.build(
            rule.endpoint, {name: records[name] for name in rule.arguments}, method="POST"
        ).removeprefix("/console")
        for rule in forms_of(house)
    }


def send(visitor: Visitor, endpoint: str, address: str, form: dict[str, str]) -> TestResponse:
    """Send a form as its page does: with a file if it is an upload."""
    if endpoint != "console.start_import":
        return visitor.send(address, form)
    with_file = {**form, "file": (io.BytesIO(b"{}\n"), "rounds.ndjson")}
    return visitor.send(address, with_file, content_type="multipart/form-data")


@pytest.fixture
def theirs(other_api: Api) -> dict[str, Any]:
    return records_of(other_api)


def test_every_form_needs_a_session_a_token_and_a_scope(house: House, api: Api) -> None:
    everybody, reader = Visitor(house), signed_in_with(house, api, "read")
    visitor = Visitor.signed_in(house, api)
    csrf = csrf_of(reader.show("/"))
    addresses = addresses_of(house, records_of(api))
    assert len(addresses) > 20
    before = house.count_records()
    for endpoint, address in addresses.items():
        signed_out = everybody.send(address, FIELDS)
        assert signed_out.status_code == 303, endpoint
        assert "/console/sign-in" in signed_out.location, endpoint
        assert send(visitor, endpoint, address, FIELDS).status_code == 403, endpoint
        assert send(visitor, endpoint, address, {"csrf": "0" * 64, **FIELDS}).status_code == 403, endpoint
        if endpoint not in ANY_KEY:
            refused = send(reader, endpoint, address, {"csrf": csrf, **FIELDS})
            assert refused.status_code == 403, endpoint
            assert "scope" in "".join(parse(refused).itertext()), endpoint
    assert house.count_records() == before


def test_no_form_changes_records_of_another_club(house: House, api: Api, theirs: dict[str, Any]) -> None:
    visitor = Visitor.signed_in(house, api)
    form = {**FIELDS, "csrf": csrf_of(visitor.show("/"))}
    with_ids = {rule.endpoint for rule in forms_of(house) if rule.arguments}
    before = house.count_records()
    for endpoint, address in addresses_of(house, theirs).items():
        if endpoint in with_ids:
            assert visitor.send(address, form).status_code == 404, endpoint
    assert len(with_ids) > 12
    assert house.count_records() == before
