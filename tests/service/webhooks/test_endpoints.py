"""Webhooks over HTTP: create, change, list and delete them, and rotate their secrets."""

from base64 import b64decode
from typing import Any

import pytest

from service.http.services import services_of
from service.webhooks.sending import AllowedAddresses
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House

URL = "https://club.example/webhooks"
WEBHOOK: dict[str, Any] = {
    "url": URL,
    "kinds": ["round.completed", "hand.recorded"],
    "description": "the club's own bot",
}


def add(api: Api, **changes: Any) -> ApiResponse:
    added = api.post("/v1/webhooks", {**WEBHOOK, **changes})
    assert added.status == 201, added
    return added


@pytest.mark.smoke
def test_a_webhook_is_created_read_changed_and_deleted(api: Api) -> None:
    added = add(api)
    address = added.headers["Location"]
    assert added.document == {
        "id": address.rpartition("/")[2],
        "url": URL,
        "kinds": ["hand.recorded", "round.completed"],
        "description": "the club's own bot",
        "state": "active",
        "disabled_because": None,
        "failing_since": None,
        "previous_secret_until": None,
        "created_at": added["created_at"],
    }
    assert api.get(address).document == added.document
    changed = api.patch(address, {"url": f"{URL}/2", "kinds": ["import.ended"], "state": "disabled"})
    assert changed.document == {
        **added.document,
        "url": f"{URL}/2",
        "kinds": ["import.ended"],
        "state": "disabled",
        "disabled_because": "request",
    }
    assert api.get(address).document == changed.document
    assert api.delete(address).status == 204
    assert api.get(address).status == 404
    assert api.delete(address).status == 404


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"url": f"{URL}/2"},
        {"kinds": ["import.ended"]},
        {"description": None},
        {"description": "another"},
        {"state": "active"},
        {"kinds": ["import.ended"], "description": "another"},
    ],
)
def test_any_part_of_a_webhook_is_changed_and_the_others_stay(api: Api, changes: dict[str, Any]) -> None:
    added = add(api)
    changed = api.patch(added.headers["Location"], changes)
    assert (changed.status, changed.document) == (200, {**added.document, **changes})


def test_a_webhook_is_disabled_and_enabled_with_its_state_alone(api: Api) -> None:
    added = add(api)
    address = added.headers["Location"]
    disabled = api.patch(address, {"state": "disabled"})
    assert disabled.document == {**added.document, "state": "disabled", "disabled_because": "request"}
    assert api.patch(address, {"state": "active"}).document == added.document


@pytest.mark.parametrize(
    "changes", [{"url": None}, {"kinds": []}, {"kinds": None}, {"state": "paused"}, {"state": None}, {"id": "1"}]
)
def test_an_invalid_change_changes_nothing(api: Api, changes: dict[str, Any]) -> None:
    added = add(api)
    address = added.headers["Location"]
    assert api.patch(address, {"description": "another", **changes}).status == 422
    assert api.get(address).document == added.document


def test_a_webhook_whose_host_is_no_longer_allowed_can_be_disabled_only(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services_of(house.app), "allowed_addresses", AllowedAddresses.parse("hooks.internal"))
    address = add(api, url="http://hooks.internal/").headers["Location"]
    monkeypatch.setattr(services_of(house.app), "allowed_addresses", AllowedAddresses())
    assert api.patch(address, {"state": "disabled", "description": "moved"}).status == 200
    refused = api.patch(address, {"state": "active"})
    assert (refused.status, refused["code"]) == (422, "webhook-refused")
    assert "OFC_WEBHOOK_ALLOW" in refused["detail"]
    assert api.patch(address, {"state": "active", "url": URL}).status == 200


def test_the_list_is_newest_first_and_in_pages(api: Api) -> None:
    ids = [add(api, description=str(number))["id"] for number in range(3)]
    first = api.get("/v1/webhooks?limit=2")
    assert [webhook["id"] for webhook in first["webhooks"]] == [ids[2], ids[1]]
    second = api.get(f"/v1/webhooks?limit=2&cursor={first['next_cursor']}")
    assert [webhook["id"] for webhook in second["webhooks"]] == [ids[0]]
    assert not second["has_more"]


def test_a_club_has_at_most_twenty_webhooks(api: Api) -> None:
    for number in range(20):
        add(api, description=str(number))
    refused = api.post("/v1/webhooks", WEBHOOK)
    assert (refused.status, refused["code"]) == (409, "webhook-conflict")


def test_webhooks_of_another_club_are_not_found(api: Api, other_api: Api) -> None:
    address = add(api).headers["Location"]
    assert other_api.get("/v1/webhooks")["webhooks"] == []
    for path in ("", "/secret", "/deliveries"):
        assert other_api.get(f"{address}{path}").status == 404
    assert other_api.patch(address, WEBHOOK).status == 404
    assert other_api.delete(address).status == 404
    assert other_api.post(f"{address}/test", None).status == 404
    assert other_api.post(f"{address}/secret/rotate", {}).status == 404
    assert api.get(address).status == 200


def test_only_the_operation_of_the_secret_returns_the_secret(house: House, api: Api) -> None:
    added = add(api)
    address = added.headers["Location"]
    first = api.get(f"{address}/secret")
    assert first.headers["Cache-Control"] == "no-store"
    assert first["secret"].startswith("whsec_")
    assert len(b64decode(first["secret"].removeprefix("whsec_"))) == 32
    assert add(api, description="another") is not None
    rotated = api.post(f"{address}/secret/rotate", {"overlap_seconds": 60})
    assert rotated["previous_secret_until"] is not None
    second = api.get(f"{address}/secret")["secret"]
    assert second != first["secret"]
    for response in (added, rotated, api.get(address), api.get("/v1/webhooks")):
        assert "whsec_" not in response.text
    at_once = api.post(f"{address}/secret/rotate", {"overlap_seconds": 0})
    assert at_once["previous_secret_until"] is None


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://10.0.0.7/hooks",
        "https://[::1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://169.254.169.254/latest/meta-data",
        "https://localhost/",
        "https://printer.localhost/",
        "http://club.example/",
    ],
)
def test_urls_that_lead_into_the_operators_network_are_refused(api: Api, url: str) -> None:
    refused = api.post("/v1/webhooks", {**WEBHOOK, "url": url})
    assert (refused.status, refused["code"]) == (422, "webhook-refused")
    address = add(api).headers["Location"]
    assert api.patch(address, {"url": url})["code"] == "webhook-refused"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://club.example/",
        "https://",
        "https://ann:secret@club.example/",
        "https://club.example/#top",
        "https://club.example:0/",
        "https://club.example:66000/",
        "https://[::1/",
        "https://club.example/a b",
        "https://a..b/",
        "https://.example/",
        "https://club.example./",
        "https://-club.example/",
        "https://club_-.example:8443/",
        f"https://{'a' * 64}.example/",
        f"https://{'a.' * 130}example/",
        "https://club%2Eexample/",
        f"https://club.example/{'a' * 500}",
    ],
)
def test_invalid_urls_are_refused(api: Api, url: str) -> None:
    refused = api.post("/v1/webhooks", {**WEBHOOK, "url": url})
    assert refused.status == 422
    assert set(refused.mistakes) == {"#/url"}
    assert set(api.patch(add(api).headers["Location"], {"url": url}).mistakes) == {"#/url"}


def test_a_webhook_needs_known_kinds(api: Api) -> None:
    for kinds in ([], ["webhook.test"], ["hand.praised"], "hand.recorded"):
        assert api.post("/v1/webhooks", {**WEBHOOK, "kinds": kinds}).status == 422
