"""
The addresses to which messages may be sent.

A club chooses the URLs of its webhooks, so without a check it could make the service send requests into the operator's
network. Only public addresses are allowed, and what the operator names in OFC_WEBHOOK_ALLOW.
"""

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, Self
from urllib.parse import urlsplit

from service.errors import WebhookRefused

Address = IPv4Address | IPv6Address
_NAT64: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE: Final = IPv6Network("::/96")
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
    return all(each.is_global and not each.is_multicast for each in (address, *_contained(address)))


def _contained(address: Address) -> Iterator[IPv4Address]:
    if isinstance(address, IPv4Address):
        return
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _COMPATIBLE or any(address in network for network in _NAT64):
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def resolve(target: Target, allowed: AllowedAddresses) -> list[Address]:
    """
    Resolve the host of a target, and return its allowed addresses, of which there is at least one.

    The caller connects to one of these addresses, so a second resolution cannot lead elsewhere.

    Raises:
        OSError: the name cannot be resolved.
        WebhookRefused: no address is allowed, or the connection would not be encrypted.
    """
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    # A scope such as `%eth0` only occurs in link-local addresses, which are never public.
    addresses = list(dict.fromkeys(ip_address(str(sockaddr[0]).partition("%")[0]) for *_, sockaddr in found))
    usable = [address for address in addresses if allowed.allows(target.host, address)]
    if not usable:
        raise WebhookRefused(
            f"the host {target.host!r} has no public address; expected one, or a host that the operator allows"
        )
    if not target.is_encrypted:
        usable = [address for address in usable if allowed.names(target.host, address)]
        if not usable:
            raise WebhookRefused("the scheme is 'http'; expected 'https', or a host that the operator allows")
    return usable


def check_target(target: Target, allowed: AllowedAddresses) -> None:
    """
    Refuse what cannot be allowed whatever its name resolves to.

    Raises:
        WebhookRefused: the host is an address that is not public, or `localhost`, or the scheme is `http`.
    """
    address = target.address
    if allowed.names(target.host, address):
        return
    is_local = target.host == "localhost" or target.host.endswith(".localhost")
    if is_local or (address is not None and not is_public(address)):
        raise WebhookRefused(f"the host {target.host!r} is not public; expected a public host")
    if not target.is_encrypted and not allowed.networks:
        raise WebhookRefused("the scheme is 'http'; expected 'https', or a host that the operator allows")
