"""How messages are delivered: signed, retried, in order per round, and given up after days."""

import socket
import time
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

from service.webhooks import delivery as delivery_module
from service.webhooks import sending as send_module
from service.webhooks.delivery import (
    REPEATED_AFTER,
    delay_after,
    remove_ended,
)
from service.webhooks.sending import CONNECT_SECONDS, MOST_ADDRESSES
from tests.service.feed.test_api_feed import feed
from tests.support.application import House
from tests.support.import_lines import database_of
from tests.support.sample_rounds import COMPLETE, add_table, open_round, play
from tests.support.webhook_receiver import KINDS, Received, Receiver, Sending, hang, receiving, sending


@pytest.mark.smoke
def test_messages_are_signed_as_standard_webhooks_requires(club: Sending, receiver: Receiver) -> None:
    delivery = club.api.post(f"{club.address}/test", None)
    assert (delivery.status, delivery["state"], delivery["kind"]) == (202, "waiting", "webhook.test")
    assert club.deliver() == 1
    [received] = receiver.received
    assert received.headers["content-type"] == "application/json"
    assert received.id == delivery["id"]
    message = received.verify(club.secret)
    assert message["type"] == "webhook.test"
    assert message["data"] == {"webhook_id": club.webhook["id"]}
    with pytest.raises(WebhookVerificationError):
        received.verify("whsec_" + "A" * 44)
    [delivered] = club.deliveries
    assert (delivered["state"], delivered["attempts"], delivered["last_status"]) == ("delivered", 1, 204)
    assert (delivered["last_error"], delivered["next_attempt_at"]) == (None, None)


def test_both_secrets_sign_until_the_overlap_ends(club: Sending, receiver: Receiver) -> None:
    old = club.secret
    assert club.api.post(f"{club.address}/secret/rotate", {"overlap_seconds": 60}).status == 200
    new = club.secret
    club.api.post(f"{club.address}/test", None)
    club.deliver()
    receiver.received[0].verify(old)
    receiver.received[0].verify(new)
    club.let_time_pass("61 seconds")
    club.api.post(f"{club.address}/test", None)
    club.deliver()
    receiver.received[1].verify(new)
    with pytest.raises(WebhookVerificationError):
        receiver.received[1].verify(old)


@pytest.fixture
def long_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """No attempt is repeated before a test lets time pass."""
    monkeypatch.setattr(delivery_module, "FIRST_DELAY", timedelta(seconds=60))


@pytest.mark.usefixtures("long_delay")
def test_failed_attempts_are_repeated_with_the_same_id_and_body(club: Sending, receiver: Receiver) -> None:
    receiver.respond = 500
    club.api.post(f"{club.address}/test", None)
    assert club.deliver() == 1
    [waiting] = club.deliveries
    assert (waiting["state"], waiting["attempts"], waiting["last_status"]) == ("waiting", 1, 500)
    assert waiting["last_error"] == "the endpoint responded with 500"
    assert club.webhook["failing_since"] is not None
    assert club.deliver() == 0, "it waits for the next attempt"
    club.let_time_pass("60 seconds")
    receiver.respond = 200
    assert club.deliver() == 1
    first, second = receiver.received
    assert (first.id, first.body) == (second.id, second.body)
    assert club.deliveries[0]["state"] == "delivered"
    assert club.webhook["failing_since"] is None


@pytest.mark.usefixtures("long_delay")
def test_a_round_waits_for_its_failed_message_and_other_rounds_do_not(club: Sending, receiver: Receiver) -> None:
    first = open_round(club.api, add_table(club.api))["id"]
    second = open_round(club.api, add_table(club.api, name="attic"))["id"]

    def refuse_first_hand_of_first(received: Received, handler: BaseHTTPRequestHandler) -> None:
        about = received.message["data"]
        handler.send_response(503 if (about["round_id"], about.get("number")) == (first, 1) else 200)
        handler.end_headers()

    receiver.respond = refuse_first_hand_of_first
    play(club.api, first, *COMPLETE)
    play(club.api, second, *COMPLETE)
    club.deliver()
    of_first = [message for message in receiver.messages if message["data"]["round_id"] == first]
    assert [message["data"]["number"] for message in of_first] == [1]
    assert len(receiver.received) == 5
    receiver.received.clear()
    receiver.respond = 200
    club.let_time_pass("60 seconds")
    assert club.deliver() == 4
    assert [message["data"].get("number") for message in receiver.messages] == [1, 2, 3, None]


@pytest.mark.usefixtures("long_delay")
def test_after_a_dead_lettered_message_the_next_one_of_the_round_is_sent(club: Sending, receiver: Receiver) -> None:
    play(club.api, open_round(club.api, add_table(club.api))["id"], *COMPLETE[:2])
    receiver.respond = 500
    club.deliver()
    club.let_time_pass("3 days")
    club.deliver()
    first, second = club.deliveries
    assert (first["state"], first["attempts"]) == ("dead_lettered", 2)
    assert (second["state"], second["attempts"]) == ("waiting", 1)
    receiver.received.clear()
    receiver.respond = 200
    club.let_time_pass("60 seconds")
    club.deliver()
    assert [message["data"]["number"] for message in receiver.messages] == [2]
    assert club.api.post(f"{club.address}/deliveries/{first['id']}/redeliver", None).status == 202
    club.deliver()
    assert [message["data"]["number"] for message in receiver.messages] == [2, 1]
    assert {delivery["state"] for delivery in club.deliveries} == {"delivered"}


def test_delays_grow_to_twelve_hours_and_span_three_days() -> None:
    delays = [delay_after(attempt).total_seconds() for attempt in range(1, 30)]
    assert 2.5 <= delays[0] <= 5
    assert 7.5 / 2 <= delays[1] <= 15
    assert all(6 * 3600 <= delay <= 12 * 3600 for delay in delays[12:])
    assert len({delay_after(20) for _ in range(20)}) > 1, "jitter"


def fail_for(club: Sending, half_days: int) -> None:
    """Send a new message and all that are due, which fail, at once and then twice a day."""
    for _ in range(half_days):
        club.api.post(f"{club.address}/test", None)
        club.deliver()
        club.let_time_pass("12 hours")
    club.api.post(f"{club.address}/test", None)
    club.deliver()


def test_a_webhook_is_disabled_after_five_days_of_failures(club: Sending, receiver: Receiver) -> None:
    receiver.respond = 500
    fail_for(club, 9)
    assert club.webhook["state"] == "active"
    club.let_time_pass("12 hours")
    club.deliver()
    assert (club.webhook["state"], club.webhook["disabled_because"]) == ("disabled", "failing")
    changed = [event for event in feed(club.house, club.api) if event["kind"] == "webhook.changed"]
    assert [(event["content"]["state"], event.get("actor")) for event in changed] == [("disabled", None)]


def test_days_without_attempts_are_no_days_of_failures(club: Sending, receiver: Receiver) -> None:
    receiver.respond = 500
    fail_for(club, 7)
    club.let_time_pass("30 days")
    for _ in range(2):
        fail_for(club, 0)
        assert club.webhook["state"] == "active"
    receiver.respond = 200
    club.let_time_pass("12 hours")
    fail_for(club, 0)
    assert club.webhook["failing_since"] is None


def test_another_url_has_days_of_its_own(club: Sending, receiver: Receiver) -> None:
    receiver.respond = 500
    fail_for(club, 9)
    assert club.api.patch(club.address, {"url": receiver.url, "kinds": KINDS}).status == 200
    assert club.webhook["failing_since"] is not None, "nothing has changed"
    assert club.api.patch(club.address, {"url": f"{receiver.url}/new"}).status == 200
    assert club.webhook["failing_since"] is None
    club.let_time_pass("12 hours")
    club.deliver()
    assert club.webhook["state"] == "active"


def test_an_enabled_webhook_retries_what_waits_for_three_days_again(club: Sending, receiver: Receiver) -> None:
    receiver.respond = 500
    fail_for(club, 0)
    assert club.api.patch(club.address, {"state": "disabled"}).status == 200
    club.let_time_pass("4 days")
    assert club.api.patch(club.address, {"state": "active"}).status == 200
    assert club.deliver() == 1
    assert [each["state"] for each in club.deliveries] == ["waiting"]
    club.let_time_pass("3 days")
    club.deliver()
    assert [each["state"] for each in club.deliveries] == ["dead_lettered"]


def test_a_410_disables_the_webhook(club: Sending, receiver: Receiver) -> None:
    receiver.respond = 410
    club.api.post(f"{club.address}/test", None)
    club.deliver()
    assert (club.webhook["state"], club.webhook["disabled_because"]) == ("disabled", "gone")
    club.let_time_pass("1 hour")
    assert club.deliver() == 0


def test_redirects_are_not_followed(club: Sending, receiver: Receiver) -> None:
    def redirect(_received: Received, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(307)
        handler.send_header("Location", f"{receiver.url}/elsewhere")
        handler.end_headers()

    receiver.respond = redirect
    club.api.post(f"{club.address}/test", None)
    club.deliver()
    assert len(receiver.received) == 1
    assert club.deliveries[0]["last_error"] == "the endpoint responded with 307; redirects are not followed"


def test_a_dead_endpoint_is_a_failed_attempt(local_house: House) -> None:
    with receiving() as receiver:
        url = receiver.url
    with sending(local_house, url) as club:
        club.api.post(f"{club.address}/test", None)
        club.deliver()
        assert club.deliveries[0]["last_status"] is None
        assert club.deliveries[0]["last_error"] == f"port {urlsplit(url).port} of '127.0.0.1' refuses connections"


def test_a_host_that_does_not_exist_is_a_failed_attempt(local_house: House) -> None:
    with sending(local_house, "https://nowhere.invalid/webhooks") as club:
        club.api.post(f"{club.address}/test", None)
        club.deliver()
        assert club.deliveries[0]["last_error"].startswith("the host 'nowhere.invalid' could not be resolved: ")


def test_an_endpoint_that_hangs_or_drips_is_cut_off(
    club: Sending, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_module, "RESPONSE_SECONDS", 0.5)

    def drip(_received: Received, handler: BaseHTTPRequestHandler) -> None:
        for _ in range(100):
            try:
                handler.wfile.write(b"H")
            except OSError:
                return
            time.sleep(0.1)

    for respond in (hang(20), drip):
        receiver.respond = respond
        club.api.post(f"{club.address}/test", None)
        began = time.monotonic()
        assert club.deliver() == 1
        assert time.monotonic() - began < 8
        assert "no response within" in club.deliveries[-1]["last_error"]


def test_a_large_response_is_not_read(club: Sending, receiver: Receiver) -> None:
    def flood(_received: Received, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            for _ in range(10_000):
                handler.wfile.write(b"x" * 100_000)
        except OSError:
            return

    receiver.respond = flood
    club.api.post(f"{club.address}/test", None)
    assert club.deliver() == 1
    assert club.deliveries[0]["state"] == "delivered"


def test_a_message_whose_result_was_not_stored_is_sent_again(club: Sending, receiver: Receiver) -> None:
    """The process is killed after the delivery, or the result comes after another attempt has begun."""
    club.api.post(f"{club.address}/test", None)
    [first] = club.begin()
    assert club.begin() == []
    again: list[Any] = []

    def begin_again(_received: Received, handler: BaseHTTPRequestHandler) -> None:
        club.let_time_pass(f"{REPEATED_AFTER.total_seconds()} seconds")
        again.extend(club.begin())
        handler.send_response(500)
        handler.end_headers()

    receiver.respond = begin_again
    club.deliverer.deliver(*first)
    assert again == [(*first[:2], 2)]
    assert club.deliveries[0]["last_status"] is None, "the result of an old attempt is not stored"
    receiver.respond = 200
    club.deliverer.deliver(*again[0])
    assert [received.id for received in receiver.received] == [str(first[1])] * 2
    club.deliverer.deliver(*first)
    assert len(receiver.received) == 2, "the message of an old attempt starts none"
    assert club.deliveries[0]["state"] == "delivered"


def test_deliveries_are_listed_by_state_and_removed_after_thirty_days(club: Sending, receiver: Receiver) -> None:
    for _ in range(3):
        club.api.post(f"{club.address}/test", None)
    club.deliver()
    club.api.post(f"{club.address}/test", None)
    listed = club.api.get(f"{club.address}/deliveries?state=delivered&limit=2")
    assert (len(listed["deliveries"]), listed["has_more"]) == (2, True)
    rest = club.api.get(f"{club.address}/deliveries?state=delivered&limit=2&cursor={listed['next_cursor']}")
    assert (len(rest["deliveries"]), rest["has_more"]) == (1, False)
    assert len(club.api.get(f"{club.address}/deliveries?state=waiting")["deliveries"]) == 1
    club.let_time_pass("31 days")
    assert remove_ended(database_of(club.house)) == 3
    club.deliver()
    assert [delivery["state"] for delivery in club.deliveries] == ["delivered"], "the one that has just ended"


def test_a_few_addresses_are_tried_within_one_deadline(local_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[str, float]] = []
    clock = [0.0]

    def connect(address: tuple[str, int], timeout: float) -> None:
        tried.append((address[0], timeout))
        clock[0] += timeout
        raise TimeoutError

    def getaddrinfo(_host: str, port: int, **_options: object) -> list[object]:
        clock[0] += slow
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"127.0.0.{last}", port)) for last in range(1, 10)]

    monkeypatch.setattr(send_module, "monotonic", lambda: clock[0])
    with sending(local_house, "http://127.0.0.1:9/", allow="127.0.0.0/8") as club:
        for slow, count in ((0.0, MOST_ADDRESSES), (CONNECT_SECONDS / 2, MOST_ADDRESSES), (CONNECT_SECONDS, 0)):
            tried.clear()
            club.api.post(f"{club.address}/test", None)
            [task] = club.begin()
            with monkeypatch.context() as patched:
                patched.setattr(socket, "getaddrinfo", getaddrinfo)
                patched.setattr(socket, "create_connection", connect)
                club.deliverer.deliver(*task)
            assert [address for address, _ in tried] == [f"127.0.0.{last}" for last in range(1, count + 1)]
            assert sum(seconds for _, seconds in tried) <= CONNECT_SECONDS - slow
            assert "no response within" in club.deliveries[-1]["last_error"]
