"""A real worker delivers messages; killed in the middle of a delivery, another one delivers again."""

from http.server import BaseHTTPRequestHandler
from threading import Event

from tests.support.sample_rounds import COMPLETE, add_table, open_round, play
from tests.support.server_process import wait_until
from tests.support.webhook_receiver import ALLOW, Received, Receiver, Sending
from tests.support.worker_process import working


def test_a_worker_that_is_killed_before_the_result_is_stored_loses_nothing(club: Sending, receiver: Receiver) -> None:
    is_killed = Event()

    def respond_after_the_kill(_received: Received, handler: BaseHTTPRequestHandler) -> None:
        is_killed.wait(60)
        handler.send_response(204)
        handler.end_headers()

    receiver.respond = respond_after_the_kill
    round_id = open_round(club.api, add_table(club.api))["id"]
    play(club.api, round_id, *COMPLETE)
    with working(club.house.logins, OFC_WEBHOOK_ALLOW=ALLOW) as worker:
        assert wait_until(lambda: len(receiver.received) == 1, 30), worker.log
        worker.kill()
    is_killed.set()
    receiver.respond = 204
    assert [delivery["state"] for delivery in club.deliveries] == ["waiting"] * 4
    club.let_time_pass("1 minute")
    with working(club.house.logins, OFC_WEBHOOK_ALLOW=ALLOW) as worker:
        assert wait_until(lambda: all(each["state"] == "delivered" for each in club.deliveries), 30), worker.log
        assert worker.stop() == 0
    assert [message["data"].get("number") for message in receiver.messages] == [1, 1, 2, 3, None]
    first, again, *_ = receiver.received
    assert (first.id, first.body) == (again.id, again.body)
    assert len({received.id for received in receiver.received}) == 4
