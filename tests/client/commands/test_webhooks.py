"""`ofc webhook`: the webhooks of a club, their secrets and deliveries."""

from collections.abc import Iterator

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import NOBODYS

URL = "https://club.example/webhooks"


@pytest.fixture
def webhook_id(client: Client) -> Iterator[str]:
    added = client.add_webhook({"url": URL, "kinds": ["round.completed"], "description": "the ledger"})["id"]
    yield str(added)
    if any(listed["id"] == added for listed in client.list_webhooks()):
        client.remove_webhook(added)


def test_a_webhook_is_added_listed_and_deleted_after_confirmation(reached: dict[str, str], client: Client) -> None:
    kinds = ("--kind", "settlement.finalized", "--kind", "round.completed")
    added = ofc("webhook", "add", URL, *kinds, "--description", "books", "--json", **reached).document
    assert (added["url"], added["kinds"]) == (URL, ["round.completed", "settlement.finalized"])
    assert (added["description"], added["state"]) == ("books", "active")
    assert added == client.get_webhook(added["id"])
    assert added in ofc("webhook", "list", "--json", **reached).document["webhooks"]
    assert added["id"] in ofc("webhook", "list", **reached).out
    shown = ofc("webhook", "show", added["id"], **reached)
    assert shown.out.splitlines() == [
        f"webhook {added['id']}: active",
        f"  {URL}",
        "  books",
        "  receives round.completed, settlement.finalized",
    ]
    declined = ofc("webhook", "remove", added["id"], text="no\n", **reached)
    assert (declined.code, "Nothing was changed." in declined.out) == (0, True)
    result = ofc("webhook", "remove", added["id"], text="yes\n", **reached)
    assert (result.code, result.out.splitlines()[-1]) == (0, f"Deleted: webhook {added['id']}.")
    assert added["id"] not in {listed["id"] for listed in client.list_webhooks()}


def test_an_update_changes_only_what_is_given(reached: dict[str, str], client: Client, webhook_id: str) -> None:
    before = client.get_webhook(webhook_id)
    updated = ofc("webhook", "update", webhook_id, "--kind", "hand.recorded", "--json", **reached).document
    assert updated == {**before, "kinds": ["hand.recorded"]}
    disabled = ofc("webhook", "update", webhook_id, "--state", "disabled", **reached)
    assert disabled.out.splitlines()[0] == f"webhook {webhook_id}: disabled (request)"
    webhook = client.get_webhook(webhook_id)
    assert (webhook["kinds"], webhook["description"], webhook["state"]) == (["hand.recorded"], "the ledger", "disabled")
    nothing = ofc("webhook", "update", webhook_id, **reached)
    assert (nothing.code, "Give at least one of --url, --kind" in nothing.err) == (2, True)


def test_a_secret_is_shown_and_rotated(reached: dict[str, str], client: Client, webhook_id: str) -> None:
    old = ofc("webhook", "secret", "show", webhook_id, **reached).text
    assert old == client.get_webhook_secret(webhook_id)["secret"]
    assert old.startswith("whsec_")
    rotated = ofc("webhook", "secret", "rotate", webhook_id, "--overlap", "3600", **reached)
    assert (rotated.code, "the previous secret signs too until" in rotated.out) == (0, True)
    assert ofc("webhook", "secret", "show", webhook_id, **reached).text != old
    ended = ofc("webhook", "secret", "rotate", webhook_id, "--overlap", "0", **reached)
    assert (ended.code, "the previous secret" in ended.out) == (0, False)
    too_long = ofc("webhook", "secret", "rotate", webhook_id, "--overlap", "604801", **reached)
    assert (too_long.code, "#/overlap_seconds" in too_long.err) == (1, True)


def test_a_test_message_is_listed_and_sent_again(reached: dict[str, str], client: Client, webhook_id: str) -> None:
    assert ofc("webhook", "deliveries", webhook_id, **reached).text == "No deliveries."
    sent = ofc("webhook", "test", webhook_id, "--json", **reached).document
    assert sent["kind"] == "webhook.test"
    [listed] = ofc("webhook", "deliveries", webhook_id, "--json", **reached).document["deliveries"]
    assert listed["id"] == sent["id"]
    assert sent["id"] in ofc("webhook", "deliveries", webhook_id, **reached).out
    assert ofc("webhook", "deliveries", webhook_id, "--state", "delivered", **reached).text == "No deliveries."
    again = ofc("webhook", "redeliver", webhook_id, sent["id"], "--json", **reached).document
    assert (again["id"], again["state"]) == (sent["id"], "waiting")
    unknown = ofc("webhook", "redeliver", webhook_id, "nothing", **reached)
    assert (unknown.code, "there is no delivery 'nothing'" in unknown.err) == (2, True)


def test_an_address_that_is_not_public_is_refused(reached: dict[str, str], client: Client) -> None:
    before = list(client.list_webhooks())
    result = ofc("webhook", "add", "https://127.0.0.1/webhooks", "--kind", "round.completed", **reached)
    assert result.code == 1
    assert "127.0.0.1" in result.err
    unknown = ofc("webhook", "add", URL, "--kind", "round.done", **reached)
    assert (unknown.code, "#/kinds/0" in unknown.err) == (1, True)
    assert list(client.list_webhooks()) == before


def test_an_unknown_webhook_is_refused(reached: dict[str, str]) -> None:
    result = ofc("webhook", "show", "nothing", **reached)
    assert (result.code, "there is no webhook 'nothing'; `ofc webhook list` lists all webhooks" in result.err) == (
        2,
        True,
    )
    assert ofc("webhook", "remove", NOBODYS, "--yes", **reached).code == 1
