from collections.abc import Iterator

import pytest

from schemas.base import load
from schemas.webhooks.messages import MESSAGES
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.webhook_receiver import ALLOW, Receiver, Sending, receiving, sending


@pytest.fixture(scope="package")
def local_house(embedded_postgres: Server) -> Iterator[House]:
    """A service that may send messages to this machine."""
    with open_house(embedded_postgres, webhook_allow=ALLOW) as opened:
        yield opened


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver, whose messages must be as the contract describes them."""
    with receiving() as started:
        yield started
    for message in started.messages:
        load(MESSAGES[message["type"]](), message)


@pytest.fixture
def club(local_house: House, receiver: Receiver) -> Iterator[Sending]:
    """A club with a webhook to the receiver, of all kinds."""
    with sending(local_house, receiver.url) as sender:
        yield sender
