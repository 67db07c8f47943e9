"""The part of the story with webhooks, links and API keys."""

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.examples.record_examples import Recorder, next_cursor, read_two_pages


def add_a_webhook(recorder: Recorder) -> None:
    """Add a webhook, read its deliveries, change it and remove it."""
    body = {"url": "https://club.example/webhooks", "kinds": ["round.completed", "settlement.finalized"]}
    recorder.refuse("webhook-refused", "add_webhook", {}, {**body, "url": "https://10.0.0.7/webhooks"})
    one = {"webhook_id": str(recorder.record("add_webhook", {}, {**body, "description": "the club's bot"})["id"])}
    recorder.record("add_webhook", {}, body)
    read_two_pages(recorder, "list_webhooks")
    recorder.call("get_webhook", one)
    recorder.call("get_webhook_secret", one)
    recorder.record("rotate_webhook_secret", one, {"overlap_seconds": 3600})
    sent = recorder.record("test_webhook", one, None)
    recorder.record("test_webhook", one, None)
    page = recorder.call("list_webhook_deliveries", {**one, "limit": 1, "state": "waiting"})
    recorder.call("list_webhook_deliveries", {**one, "limit": 1, "cursor": next_cursor(page)})
    recorder.record("redeliver_message", {**one, "delivery_id": str(sent["id"])}, None)
    recorder.call("update_webhook", one, {"state": "disabled"})
    recorder.refuse("webhook-conflict", "test_webhook", one)
    recorder.call("remove_webhook", one)


def lend_the_table(recorder: Recorder, house: House, table: str) -> None:
    """A phone with which anna records the rounds of one table."""
    body = {"table": table, "kind": "scorekeeper", "label": "Anna's phone", "expires_in": 43_200}
    at_table = {"table_id": table}
    recorder.refuse("link-address-unknown", "issue_link", {}, body, base_url="http://other.example")
    issued = recorder.call("issue_link", {}, body)
    recorder.call("issue_link", {}, {"table": table})
    recorder.call("issue_link", {}, {"table": table, "kind": "player", "player": "ben"})
    read_two_pages(recorder, "list_links", {"table": table, "state": "valid"})
    key, recorder.api = recorder.api, Api(house.app, str(issued["url"]).partition("#")[2])
    recorder.call("get_link")
    at_device = {**at_table, "device_id": "0b7f6a52-6f0e-4a43-9a63-0f5a3c1f8d11"}
    recorder.call("show_scorekeeper", at_device, {"hand": 4})
    recorder.call("list_scorekeepers", at_table)
    recorder.call("hide_scorekeeper", at_device)
    recorder.api = key
    recorder.call("revoke_link", {"link_id": str(issued["id"])})


def look_after_the_keys(recorder: Recorder) -> None:
    """The keys of the club, one of which was lost."""
    lost = recorder.call("create_key", {}, {"name": "table tablet", "preset": "scorekeeper"})
    scoreboard = {"name": "scoreboard", "scopes": ["read"], "expires_at": "2099-12-31T23:00:00Z"}
    recorder.call("create_key", {}, scoreboard, form="scopes")
    read_two_pages(recorder, "list_keys")
    recorder.call("revoke_key", {"key_id": str(lost["id"])})
    recorder.call("issue_console_link")


def sign_a_phone_in(recorder: Recorder) -> None:
    """A phone becomes a scorekeeper of the club."""
    code = str(recorder.call("issue_phone_link")["url"]).partition("#")[2]
    secrets = [f"ofc_link_{number:043}" for number in (1, 2)]
    signing_in = [{"code": code, "secret": secret, "label": "Anna's phone"} for secret in secrets]
    link = recorder.call("sign_in_phone", {}, signing_in[0])
    recorder.refuse("link-ended", "sign_in_phone", {}, signing_in[1])
    recorder.call("revoke_link", {"link_id": str(link["id"])})
