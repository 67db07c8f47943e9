"""Stored responses after an erasure: those with the text are gone, and late copies are refused."""

from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from service.http import idempotent_responses
from service.http.idempotency import has_texts_of_people
from tests.service.feed.test_api_feed import key_with
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.search_tables import tables_that_hold
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import complete_round

ERASED = "Erasable late copy"
KEY = {"Idempotency-Key": "late-copy"}


def test_a_late_copy_of_an_erased_dispute_is_refused_and_opens_no_second_one(house: House, api: Api) -> None:
    claim = {"round": complete_round(api), "claim": f"{ERASED} claim", "by": "ann"}
    dispute = api.request("POST", "/v1/disputes", json=claim, headers=KEY)["id"]
    address = f"/v1/disputes/{dispute}/comments"
    comment = {"comment": f"{ERASED} comment", "by": "ann"}
    comment_key = {"Idempotency-Key": "late-comment"}
    assert api.request("POST", address, json=comment, headers=comment_key).status == 201
    assert api.delete(f"/v1/texts/{dispute}").status == 204
    late = api.request("POST", "/v1/disputes", json=claim, headers=KEY)
    assert (late.status, late["code"]) == (409, "response-erased")
    assert f"/v1/disputes/{dispute}" in late["detail"]
    late_comment = api.request("POST", address, json=comment, headers=comment_key)
    assert (late_comment.status, late_comment["code"]) == (409, "response-erased")
    assert [each["id"] for each in api.get("/v1/disputes")["disputes"]] == [dispute]
    assert len(api.get(f"/v1/disputes/{dispute}")["history"]) == 1
    assert tables_that_hold(house, ERASED) == set()


def test_changed_metadata_of_a_record_erase_no_response_about_another(api: Api) -> None:
    claim = {"round": complete_round(api), "claim": "the top is misread", "by": "ann"}
    table = api.post("/v1/tables", {"name": "attic", "ruleset": "pineapple-qq", "metadata": {"floor": "second"}})["id"]
    dispute = api.request("POST", "/v1/disputes", json=claim, headers=KEY)["id"]
    assert api.patch(f"/v1/tables/{table}", {"metadata": {"floor": "third"}}).status == 200
    late = api.request("POST", "/v1/disputes", json=claim, headers=KEY)
    assert (late["id"], late.headers["Idempotent-Replayed"]) == (dispute, "true")


def test_an_erasure_waits_for_a_request_whose_response_is_stored_later(house: House, api: Api) -> None:
    dispute = api.post("/v1/disputes", {"round": complete_round(api), "claim": ERASED, "by": "ann"})["id"]
    with ThreadPoolExecutor(1) as threads:
        with database_of(house).transaction(club_of(house, api)) as transaction:
            assert idempotent_responses.try_lock(transaction, "slow")
            erasure = threads.submit(api.delete, f"/v1/texts/{dispute}")
            sleep(0.2)
            assert not erasure.done()
            body = b'{"id": "%s", "claim": "Erasable late copy"}' % dispute.encode()
            response = idempotent_responses.IdempotentResponse(bytes([1]) * 32, 200, None, body, has_texts=True)
            idempotent_responses.add(transaction, "slow", response)
        assert erasure.result().status == 204
    assert tables_that_hold(house, ERASED) == set()


@pytest.mark.parametrize("scope", ["write", "disputes", "audit"])
def test_only_a_key_of_the_scope_admin_erases_a_player(house: House, api: Api, scope: str) -> None:
    assert key_with(house, api, scope).delete("/v1/players/ann")["code"] == "scope-missing"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", False),
        (b'{"number": 1, "metadata": {}, "note": null}', False),
        (b'{"hands": [{"reason": "r"}]}', True),
        (b'{"re\\u0061son": "r"}', True),
        (b'{"metadata": {"a": "b"}}', True),
        (b'{"claim-of": "reason", "title": "\\"reason\\": \\"r\\""}', False),
        (b'{"number": 1}\n{"note": "n"}\n', True),
        (b'{"number": 1}\n{"number": 2}\n', False),
        (b"\x1f\x8b not JSON", True),
    ],
)
def test_a_document_has_texts_if_one_of_its_members_is_one(body: bytes, expected: bool) -> None:
    assert has_texts_of_people(body) is expected
