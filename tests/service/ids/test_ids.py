"""Whole ids that are found by their ends."""

import re
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from schemas.ids import IdKind
from service.clubs.scopes import KeyScope
from tests.support.api_client import Api
from tests.support.api_disputes import opened
from tests.support.api_settlements import another_key
from tests.support.application import House
from tests.support.auditors import proposed
from tests.support.import_lines import club_of
from tests.support.sample_rounds import add_table, complete_round, find_record, round_of

ENDING = "5eed00"
UNNAMED = {"device_id", "record_id"}
"""Of a scorekeeper's device, which chooses it itself and lists it nowhere, and of any record with texts to erase."""
ADDRESS = "address"
"""The id of a checkpoint is the address of its note."""


def make_one_of_each(house: House, api: Api) -> dict[IdKind, str]:
    """Make a record of each kind; return their ids."""
    round_id = complete_round(api)
    table = round_of(api, round_id)["table"]
    webhook = api.post("/v1/webhooks", {"url": "https://club.example/ofc", "kinds": ["hand.recorded"]})["id"]
    recompute = {"mode": "audit", "scope": {"table": table}, "reason": "a question"}
    owed = {"unit": "EUR", "amount": 100}
    paid = {**owed, "payer": "ann", "payee": "bob"}
    lines = {"data": b"{}\n", "headers": {"Content-Type": "application/x-ndjson"}}
    return {
        IdKind.TABLE: table,
        IdKind.ROUND: round_id,
        IdKind.HAND: find_record(api, round_id, 1),
        IdKind.DISPUTE: opened(api, round_id),
        IdKind.PROPOSAL: proposed(api, complete_round(api, name="proposed")).rpartition("/")[2],
        IdKind.RECOMPUTATION: api.post("/v1/recomputations", recompute)["id"],
        IdKind.IMPORT: api.request("POST", "/v1/imports", **lines)["id"],
        IdKind.CHECKPOINT: api.post("/v1/checkpoints", None)["id"],
        IdKind.WEBHOOK: webhook,
        IdKind.DELIVERY: api.post(f"/v1/webhooks/{webhook}/test", None)["id"],
        IdKind.LINK: api.post("/v1/links", {"table": table})["id"],
        IdKind.KEY: api.get("/v1/keys")["keys"][0]["id"],
        IdKind.PAYMENT: api.post("/v1/payments", {**paid, "reference": "paid"})["id"],
        IdKind.CHARGE: api.post("/v1/charges", {**owed, "player": "ann", "reason": "rake", "reference": "rake"})["id"],
        IdKind.PAYMENT_CLAIM: api.post("/v1/payment-claims", {**paid, "reference": "claimed"})["id"],
    }


@pytest.mark.smoke
def test_an_id_of_any_kind_is_found_by_its_end(house: House, api: Api, other_api: Api) -> None:
    ids = make_one_of_each(house, api)
    assert ids.keys() == set(IdKind)
    for kind, whole in ids.items():
        response = api.get(f"/v1/ids?ending={whole[-6:]}&kind={kind}")
        assert (response["kind"], response["id"]) == (kind, whole)
        assert response["description"]
        assert api.get(f"/v1/ids?ending={whole[-8:].upper()}").document == response.document
        assert api.get(f"/v1/ids?ending={whole}").document == response.document
        assert other_api.get(f"/v1/ids?ending={whole}").status == 404
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d, ann, bob, cyd",
        api.get(f"/v1/ids?ending={ids[IdKind.ROUND][-6:]}&kind=round")["description"],
    )


def test_every_id_in_a_path_can_be_found(api: Api) -> None:
    named = {name for path in api.contract["paths"] for name in re.findall(r"\{(\w+_id|address)\}", path)}
    kinds = {f"{kind}_id" for kind in IdKind if kind is not IdKind.CHECKPOINT}
    assert named - UNNAMED == {*kinds, ADDRESS}


def test_a_kind_is_found_with_a_scope_that_lists_it(house: House, api: Api) -> None:
    ids = make_one_of_each(house, api)
    reader = another_key(house, api, KeyScope.READ)
    refused = reader.get(f"/v1/ids?ending={ids[IdKind.WEBHOOK]}&kind=webhook")
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    assert "expected a key with the scope 'webhooks'" in refused["detail"]
    listed = {"read": {"table", "round", "hand", "dispute", "recomputation", "import", "payment", "charge", "proposal"}}
    listed["read"].add("payment_claim")
    listed |= {"webhooks": {"webhook", "delivery"}, "audit": {"checkpoint"}, "admin": {"link", "key"}}
    for scope, kinds in listed.items():
        key = another_key(house, api, scope)
        matches = {kind for kind, whole in ids.items() if key.get(f"/v1/ids?ending={whole}").status == 200}
        assert matches == kinds
    assert another_key(house, api, KeyScope.SCORE).get(f"/v1/ids?ending={ENDING}").status == 403


def test_several_ids_with_the_same_end_are_listed(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def end_alike() -> UUID:
        return UUID(f"{str(uuid7())[:-6]}{ENDING}")

    monkeypatch.setattr("service.tables.actions.uuid7", end_alike)
    tables = {add_table(api, name=f"table {number}"): number for number in range(2)}
    several = api.get(f"/v1/ids?ending={ENDING}")
    assert (several.status, several["code"]) == (409, "id-ambiguous")
    assert several["detail"] == f"2 ids end with '{ENDING}'; expected more characters of one"
    listed = [f"`{table}`: table, table {number}" for table, number in reversed(tables.items())]
    assert [each["detail"] for each in several["errors"]] == listed
    longer = next(iter(tables))[-12:]
    assert api.get(f"/v1/ids?ending={longer}")["id"] in tables
    for number in range(2, 12):
        add_table(api, name=f"table {number}")
    several = api.get(f"/v1/ids?ending={ENDING}")
    assert several["detail"].startswith("more than 10 ids end with ")
    assert len(several["errors"]) == 10


@pytest.mark.parametrize("ending", ["5eed0", "kitchen", "", "5eed00" * 7])
def test_what_cannot_be_the_end_of_an_id_is_refused(api: Api, ending: str) -> None:
    refused = api.get(f"/v1/ids?ending={ending}")
    assert (refused.status, refused["code"]) == (422, "request-invalid")
    assert refused["errors"][0]["pointer"] == "#/query/ending"


def test_an_unknown_end_is_not_found(api: Api) -> None:
    missing = api.get("/v1/ids?ending=ffffff&kind=round")
    assert (missing.status, missing["code"]) == (404, "not-found")
    assert "there is no round whose id ends with 'ffffff'" in missing["detail"]


def test_a_checkpoint_that_may_not_be_served_is_not_found(house: House, api: Api) -> None:
    add_table(api)
    checkpoint = api.post("/v1/checkpoints", None)["id"]
    house.change("UPDATE tree_heads SET served_size = 0 WHERE club_id = %s", club_of(house, api))
    assert api.get(f"/v1/ids?ending={checkpoint}").status == 404
