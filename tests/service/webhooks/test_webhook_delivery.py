"""How messages are delivered: signed, retried, in order per round, and given up after days."""

import time
from http.server import BaseHTTPRequestHandler

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

from service.webhooks import sending as send_module
from service.webhooks.delivery import LEASE, delay_after
from tests.support.application import House
from tests.support.sample_rounds import COMPLETE, add_table, open_round, play
from tests.support.webhook_receiver import Received, Receiver, Sending, hang, receiving, sending


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


def test_failed_attempts_are_repeated_with_the_same_id_and_body(club: Sending, receiver: Receiver) -> None:
    receiver.respond = 500
    club.api.post(f"{club.address}/test", None)
    assert club.deliver() == 1
    [waiting] = club.deliveries
    assert (waiting["state"], waiting["attempts"], waiting["last_status"]) == ("waiting", 1, 500)
    assert waiting["last_error"] == "the endpoint responded with 500"
    assert club.webhook["failing_since"] is not None
    assert club.deliver() == 0, "it waits for the next attempt"
    club.let_time_pass("5 seconds")
    receiver.respond = 200
    assert club.deliver() == 1
    first, second = receiver.received
    assert (first.id, first.body) == (second.id, second.body)
    assert club.deliveries[0]["state"] == "delivered"
    assert club.webhook["failing_since"] is None


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
    club.let_time_pass("5 seconds")
    assert club.deliver() == 4
    assert [message["data"].get("number") for message in receiver.messages] == [1, 2, 3, None]


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
    club.let_time_pass("5 seconds")
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


def test_a_webhook_is_disabled_after_five_days_of_failures(club: Sending, receiver: Receiver) -> None:
    receiver.respond = 500
    club.api.post(f"{club.address}/test", None)
    club.deliver()
    club.let_time_pass("5 days")
    club.deliver()
    assert (club.webhook["state"], club.webhook["disabled_because"]) == ("disabled", "failing")


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
        assert club.deliveries[0]["last_error"].startswith("ConnectionRefusedError")


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

    for respond in (hang(3), drip):
        receiver.respond = respond
        club.api.post(f"{club.address}/test", None)
        began = time.monotonic()
        assert club.deliver() == 1
        assert time.monotonic() - began < 3
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
    """The process is killed after the delivery, or the result comes after the lease."""
    club.api.post(f"{club.address}/test", None)
    [claimed] = club.deliverer.claim_due()
    assert club.deliverer.claim_due() == []
    club.let_time_pass(f"{LEASE.total_seconds()} seconds")
    [again] = club.deliverer.claim_due()
    assert (again.id, again.attempt) == (claimed.id, 2)
    receiver.respond = 500
    club.deliverer.deliver(claimed)
    assert club.deliveries[0]["last_status"] is None, "the result of an old attempt is not stored"
    receiver.respond = 200
    club.deliverer.deliver(again)
    assert [received.id for received in receiver.received] == [str(claimed.id)] * 2
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
    with sending(club.house, receiver.url) as other:
        other.deliver()
    assert [delivery["state"] for delivery in club.deliveries] == ["delivered"], "the one that has just ended"
