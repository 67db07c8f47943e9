"""Changes of webhooks in the signed events of the club."""

import json

from service.clubs.scopes import KeyScope
from service.verification.verify_database import verify_database
from tests.service.feed.test_api_feed import feed, key_with
from tests.service.webhooks.test_endpoints import URL, WEBHOOK, add
from tests.support.api_client import Api, Document
from tests.support.application import House
from tests.support.import_lines import club_of

SECRET_PATH = "/hooks/0f3c9a?token=abc123"


def changes(house: House, api: Api) -> list[Document]:
    return [event for event in feed(house, api) if event["kind"].startswith("webhook.")]


def test_each_change_of_a_webhook_is_an_event_with_its_key(house: House, api: Api) -> None:
    added = add(api, url=f"https://club.example{SECRET_PATH}")
    address, webhook = added.headers["Location"], added["id"]
    secret = api.get(f"{address}/secret")["secret"]
    changed = {"url": "https://other.example/hooks", "kinds": ["import.ended"], "state": "disabled"}
    assert api.patch(address, changed).status == 200
    assert api.post(f"{address}/secret/rotate", {"overlap_seconds": 60}).status == 200
    newer = api.get(f"{address}/secret")["secret"]
    assert api.delete(address).status == 204
    events = changes(house, api)
    kinds = ["hand.recorded", "round.completed"]
    disabled = {"host": "other.example", "kinds": ["import.ended"], "state": "disabled"}
    assert [(event["kind"], event["content"]) for event in events] == [
        ("webhook.added", {"webhook": webhook, "host": "club.example", "kinds": kinds, "state": "active"}),
        ("webhook.changed", {"webhook": webhook, **disabled}),
        ("webhook.secret-rotated", {"webhook": webhook, "host": "other.example", "overlap_seconds": 60}),
        ("webhook.removed", {"webhook": webhook, "host": "other.example"}),
    ]
    [(key,)] = house.query("SELECT id FROM api_keys WHERE club_id = %s", club_of(house, api))
    assert [event["actor"] for event in events] == [str(key)] * 4
    seen = json.dumps(events)
    assert [word for word in (secret, newer, secret.removeprefix("whsec_"), "0f3c9a", "abc123") if word in seen] == []
    assert [finding for page in verify_database(house.owner, [club_of(house, api)]) for finding in page.findings] == []


def test_what_changes_nothing_leaves_no_event(house: House, api: Api, other_api: Api) -> None:
    address = add(api).headers["Location"]
    before = changes(house, api)
    assert api.patch(address, WEBHOOK).status == 200
    assert api.post("/v1/webhooks?dry_run=true", WEBHOOK).status in (201, 422)
    assert api.patch(address, {**WEBHOOK, "url": "http://127.0.0.1/"}).status == 422
    assert other_api.patch(address, {**WEBHOOK, "url": f"{URL}/2"}).status == 404
    assert other_api.delete(address).status == 404
    assert other_api.post(f"{address}/secret/rotate", {}).status == 404
    assert (changes(house, api), changes(house, other_api)) == (before, [])
    assert api.patch(address, {**WEBHOOK, "url": f"{URL}/2"}).status == 200
    assert [event["kind"] for event in changes(house, api)] == ["webhook.added", "webhook.changed"]


def test_the_same_request_sent_again_is_one_event(house: House, api: Api) -> None:
    key = {"Idempotency-Key": "add-1"}
    first, again = (api.request("POST", "/v1/webhooks", json=WEBHOOK, headers=key) for _ in range(2))
    assert first.document == again.document
    assert [event["kind"] for event in changes(house, api)] == ["webhook.added"]


def test_only_keys_with_the_scope_audit_see_changes_of_webhooks(house: House, api: Api) -> None:
    add(api)
    reader, auditor = key_with(house, api, KeyScope.READ), key_with(house, api, KeyScope.AUDIT)
    assert changes(house, reader) == []
    assert [event["kind"] for event in changes(house, auditor)] == ["webhook.added"]
    assert reader.get("/v1/events?kind=webhook.added").status == 403
