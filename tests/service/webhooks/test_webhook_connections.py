"""How many messages are sent at once: limits of webhooks and clubs, and shares."""

from collections import Counter

import pytest

from service.webhooks import delivery as delivery_module
from service.webhooks.delivery import CONNECTIONS, CONNECTIONS_PER_CLUB, CONNECTIONS_PER_WEBHOOK
from tests.support.application import House
from tests.support.webhook_receiver import KINDS, Receiver, Sending, sending


def test_hanging_endpoints_of_a_club_leave_connections_to_others(
    local_house: House, club: Sending, receiver: Receiver
) -> None:
    addresses = [club.address]
    for number in range(4):
        added = club.api.post("/v1/webhooks", {"url": f"{receiver.url}/{number}", "kinds": KINDS})
        addresses.append(added.headers["Location"])
    for address in addresses * 6:
        assert club.api.post(f"{address}/test", None).status == 202
    hanging = [task for _ in range(10) for task in club.begin()]
    assert len(hanging) == CONNECTIONS_PER_CLUB < CONNECTIONS
    of_webhooks = club.house.query("SELECT webhook_id FROM webhook_deliveries WHERE is_sending")
    assert max(Counter(of_webhooks).values()) <= CONNECTIONS_PER_WEBHOOK
    with sending(local_house, f"{receiver.url}/other") as other:
        other.api.post(f"{other.address}/test", None)
        assert other.deliver() == 1
        assert [received.path for received in receiver.received] == ["/hooks/other"]
    for task in hanging:
        club.deliverer.deliver(*task)
    club.deliver()
    for address in addresses[1:]:
        assert club.api.delete(address).status == 204


def test_a_webhook_never_has_more_than_its_connections(club: Sending) -> None:
    for _ in range(CONNECTIONS_PER_WEBHOOK - 1):
        club.api.post(f"{club.address}/test", None)
    begun = club.begin()
    for _ in range(CONNECTIONS_PER_WEBHOOK):
        club.api.post(f"{club.address}/test", None)
    begun += club.begin()
    assert len(begun) == CONNECTIONS_PER_WEBHOOK
    for task in begun:
        club.deliverer.deliver(*task)
    assert club.deliver() == CONNECTIONS_PER_WEBHOOK - 1


def test_a_failing_webhook_has_one_connection(club: Sending, receiver: Receiver) -> None:
    receiver.respond = 500
    for _ in range(CONNECTIONS_PER_WEBHOOK):
        club.api.post(f"{club.address}/test", None)
    club.deliver()
    club.let_time_pass("1 hour")
    [task] = club.begin()
    receiver.respond = 200
    club.deliverer.deliver(*task)
    assert club.deliver() == CONNECTIONS_PER_WEBHOOK - 1


def test_clubs_share_the_connections(
    local_house: House, club: Sending, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_module, "CONNECTIONS", 2)
    with sending(local_house, f"{receiver.url}/other") as other:
        for _ in range(3):
            club.api.post(f"{club.address}/test", None)
            other.api.post(f"{other.address}/test", None)
        club.deliver()
        paths = [received.path for received in receiver.received]
    assert len(paths) == 6
    assert Counter(paths[:4])["/hooks/other"] == 2
