"""Send one message: sign it, connect to an address that the operator allows, and read the status of the response."""

import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import monotonic
from typing import Final, Self
from urllib.parse import urlsplit
from uuid import UUID

from standardwebhooks.webhooks import Webhook

from service.errors import WebhookRefused
from service.trace_context import HEADER as TRACE_HEADER
from service.trace_context import current_trace
from service.version import VERSION

Address = IPv4Address | IPv6Address
_NOT_PUBLIC: Final = tuple(
    map(
        ip_network,
        (
            "168.63.129.16/32",  # platform services of Azure
            "192.0.0.0/24",  # protocol assignments, and metadata of Oracle Cloud
            "192.88.99.0/24",  # relays of 6to4
            "fec0::/10",  # site-local
            "64:ff9b:1::/48",  # translation within a network
            "::ffff:0:0:0/96",  # translated IPv4
            "3fff::/20",  # documentation
            "5f00::/16",  # segment routing
        ),
    )
)
"""Networks that `is_global` of some versions of Python calls global, and that no public endpoint has."""
_WITH_IPV4: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
"""Networks whose addresses end with an IPv4 address: NAT64, and IPv4-compatible."""
_SETTING: Final = "the setting OFC_WEBHOOK_ALLOW of the service"
_NOT_ENCRYPTED: Final = f"the scheme is 'http'; expected 'https', or a host that {_SETTING} names"
_PORTS: Final = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads: its host, its port, and whether the connection is encrypted."""

    host: str
    port: int
    is_encrypted: bool
    path: str

    @classmethod
    def of(cls, url: str) -> Self:
        """Return the target of a valid URL."""
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(parts.hostname or "", parts.port or _PORTS[parts.scheme], parts.scheme == "https", path)

    @property
    def address(self) -> Address | None:
        """The address, if the host is one."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class AllowedAddresses:
    """
    What the operator allows in addition to public addresses: names of hosts, and networks.

    >>> allowed = AllowedAddresses.parse("hooks.internal, 10.1.0.0/16")
    >>> allowed.allows("hooks.internal", ip_address("10.9.9.9")), allowed.allows("club.example", ip_address("10.1.2.3"))
    (True, True)
    >>> allowed.allows("club.example", ip_address("10.9.9.9")), allowed.allows("club.example", ip_address("8.8.8.8"))
    (False, True)
    """

    hosts: frozenset[str] = frozenset()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse names of hosts and networks, separated by commas or spaces."""
        hosts, networks = set(), []
        for part in text.replace(",", " ").split():
            try:
                networks.append(ip_network(part, strict=False))
            except ValueError:
                hosts.add(part.lower())
        return cls(frozenset(hosts), tuple(networks))

    def names(self, host: str, address: Address | None) -> bool:
        """Return whether the operator names the host, or a network with the address."""
        return host.lower() in self.hosts or (
            address is not None and any(address in network for network in self.networks)
        )

    def allows(self, host: str, address: Address) -> bool:
        """Return whether a message for a host may be sent to an address."""
        return self.names(host, address) or is_public(address)


def is_public(address: Address) -> bool:
    """
    Return whether an address is public, and so is the IPv4 address that an IPv6 address contains.

    >>> [is_public(ip_address(text)) for text in ("8.8.8.8", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1")]
    [True, False, False, False]
    """
    return all(
        each.is_global and not each.is_multicast and not any(each in network for network in _NOT_PUBLIC)
        for each in (address, *_contained(address))
    )


def _contained(address: Address) -> Iterator[IPv4Address]:
    if isinstance(address, IPv4Address):
        return
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if any(address in network for network in _WITH_IPV4):
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def resolve(target: Target, allowed: AllowedAddresses) -> list[Address]:
    """
    Resolve the host of a target, and return its allowed addresses, of which there is at least one.

    The caller connects to one of these addresses, so a second resolution cannot lead elsewhere.

    Raises:
        OSError: the name cannot be resolved.
        WebhookRefused: no address is allowed, or the connection would not be encrypted.
    """
    answers = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    # A scope such as `%eth0` only occurs in link-local addresses, which are never public.
    addresses = list(dict.fromkeys(ip_address(str(sockaddr[0]).partition("%")[0]) for *_, sockaddr in answers))
    usable = [address for address in addresses if allowed.allows(target.host, address)]
    if not usable:
        raise WebhookRefused(
            f"the host {target.host!r} has no public address; expected one, or a host that {_SETTING} names"
        )
    if not target.is_encrypted:
        usable = [address for address in usable if allowed.names(target.host, address)]
        if not usable:
            raise WebhookRefused(_NOT_ENCRYPTED)
    return usable


def check_target(target: Target, allowed: AllowedAddresses) -> None:
    """
    Refuse what may not be allowed whatever its name resolves to.

    The name is not resolved. Over `http`, a name must therefore be named by the operator, also if it is in a network
    that the operator names.

    Raises:
        WebhookRefused: the operator does not name the host, or a network with its address, and it is an address that is
            not public, or `localhost`, or the scheme is `http`.
    """
    address = target.address
    if allowed.names(target.host, address):
        return
    is_local = target.host == "localhost" or target.host.endswith(".localhost")
    if is_local or (address is not None and not is_public(address)):
        raise WebhookRefused(
            f"the host {target.host!r} is not public; expected a public host, or one that {_SETTING} names"
        )
    if not target.is_encrypted:
        raise WebhookRefused(_NOT_ENCRYPTED)


CONNECT_SECONDS: Final = 10.0
"""Maximum time until the host is resolved and a connection to one of its addresses is open."""
MOST_ADDRESSES: Final = 4
"""Maximum number of addresses of a host to which a connection is tried."""
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
    trace = current_trace()
    if trace is not None:
        headers[TRACE_HEADER] = trace.header
    connect_until = monotonic() + CONNECT_SECONDS
    try:
        plain = _connect(target, resolve(target, allowed), connect_until)
        status = _post(target, plain, body, headers)
    except WebhookRefused as error:
        return Attempt(None, str(error))
    except TimeoutError:
        return Attempt(None, f"no response within {RESPONSE_SECONDS:.0f} seconds")
    except socket.gaierror as error:
        return Attempt(None, f"the host {target.host!r} could not be resolved: {error.strerror}"[:_MOST_SHOWN])
    except ConnectionRefusedError:
        return Attempt(None, f"port {target.port} of {target.host!r} refuses connections"[:_MOST_SHOWN])
    except (OSError, HTTPException, ValueError) as error:
        return Attempt(None, f"{type(error).__name__}: {error}"[:_MOST_SHOWN])
    if 200 <= status < 300:
        return Attempt(status, None)
    redirects = "; redirects are not followed" if 300 <= status < 400 else ""
    return Attempt(status, f"the endpoint responded with {status}{redirects}")


def _post(target: Target, plain: socket.socket, body: bytes, headers: dict[str, str]) -> int:
    connection = HTTPConnection(target.host, target.port)
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


def _connect(target: Target, addresses: Sequence[Address], until: float) -> socket.socket:
    """Connect to the first address that accepts, each with an equal part of the remaining time."""
    tried = addresses[:MOST_ADDRESSES]
    failure: OSError = TimeoutError()
    for place, address in enumerate(tried):
        seconds = (until - monotonic()) / (len(tried) - place)
        if seconds <= 0:
            break
        try:
            return socket.create_connection((str(address), target.port), seconds)
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
