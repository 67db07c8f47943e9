"""Send one message: sign it, connect to a checked address, and read the status of the response."""

import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from typing import Final
from uuid import UUID

from standardwebhooks.webhooks import Webhook

from service.errors import WebhookRefused
from service.version import VERSION
from service.webhooks.addresses import Address, AllowedAddresses, Target, resolve

CONNECT_SECONDS: Final = 5.0
RESPONSE_SECONDS: Final = 10.0
"""Maximum time from the connection to the end of the response's headers."""
_MOST_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of an attempt: the status of the response, or why there is none."""

    status: int | None
    error: str | None

    @property
    def is_success(self) -> bool:
        """Whether the endpoint has accepted the message: any status from 200 to 299."""
        return self.status is not None and 200 <= self.status < 300


def sign(message_id: UUID, moment: datetime, body: bytes, secrets: Sequence[bytes]) -> dict[str, str]:
    """Return the headers of Standard Webhooks; the message is signed with each secret."""
    signatures = [Webhook(secret).sign(str(message_id), moment, body.decode()) for secret in secrets]
    return {
        "webhook-id": str(message_id),
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def send(url: str, message_id: UUID, body: bytes, secrets: Sequence[bytes], allowed: AllowedAddresses) -> Attempt:
    """
    Send a message, and return the result.

    Redirects are not followed, and the body of the response is not read.
    """
    target = Target.of(url)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"Tablestakes/{VERSION}",
        "Connection": "close",
        **sign(message_id, datetime.now(UTC), body, secrets),
    }
    try:
        addresses = resolve(target, allowed)
        status = _post(target, addresses, body, headers)
    except WebhookRefused as error:
        return Attempt(None, str(error))
    except TimeoutError:
        return Attempt(None, f"no response within {RESPONSE_SECONDS:.0f} seconds")
    except (OSError, HTTPException, ValueError) as error:
        return Attempt(None, f"{type(error).__name__}: {error}"[:_MOST_SHOWN])
    if 200 <= status < 300:
        return Attempt(status, None)
    redirects = "; redirects are not followed" if 300 <= status < 400 else ""
    return Attempt(status, f"the endpoint responded with {status}{redirects}")


def _post(target: Target, addresses: Sequence[Address], body: bytes, headers: dict[str, str]) -> int:
    connection = HTTPConnection(target.host, target.port)
    plain = _connect(target, addresses)
    with _limited(plain) as is_late:
        try:
            # Not by name: it could resolve to another address now. TLS still verifies the name.
            connection.sock = _encrypt(plain, target.host) if target.is_encrypted else plain
            connection.request("POST", target.path, body, headers)
            status = connection.getresponse().status
        except (OSError, HTTPException, ValueError) as error:
            if is_late.is_set():
                raise TimeoutError from error
            raise
        finally:
            connection.close()
            plain.close()
    return status


def _connect(target: Target, addresses: Sequence[Address]) -> socket.socket:
    failure: OSError = OSError("no address")
    for address in addresses:
        try:
            return socket.create_connection((str(address), target.port), CONNECT_SECONDS)
        except OSError as error:
            failure = error
    raise failure


def _encrypt(plain: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


@contextmanager
def _limited(connected: socket.socket) -> Iterator[threading.Event]:
    """
    Shut a connection down after a time, whatever it does, and set the event then.

    The timeout of a socket is for one operation, so an endpoint that sends a byte now and then would never end.
    """
    connected.settimeout(RESPONSE_SECONDS)
    # A socket that is wrapped for TLS gives its descriptor away.
    handle = connected.dup()
    is_late = threading.Event()

    def shut_down() -> None:
        is_late.set()
        with suppress(OSError):  # it is closed
            handle.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(RESPONSE_SECONDS, shut_down)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()
        handle.close()
