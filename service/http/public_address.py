"""The address at which phones reach the service, for links that people open or scan."""

import socket
from collections.abc import Iterator
from functools import cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from flask import request

from schemas.links import LinkWarning
from service.errors import LinkAddressUnknown
from service.http.services import current_services

_LOCAL_NAMES: Final = ("localhost", "localhost.localdomain")


def find_public_url() -> str:
    """
    Return the address of the service without a final slash: OFC_PUBLIC_URL, or the address of the request.

    Raises:
        LinkAddressUnknown: OFC_PUBLIC_URL is not set, and the host of the request is not allowed.
    """
    if configured := _configured_url():
        return configured
    allowed: tuple[str, ...] = current_services().config.allowed_hosts
    host = urlsplit(f"//{request.host}").hostname or ""
    if not is_allowed_host(host, (*allowed, *_own_names())):
        raise LinkAddressUnknown(
            f"the host of the request is {host[:80]!r}, which is not known to be an address of this service; expected"
            " an address in OFC_PUBLIC_URL, or the host in OFC_ALLOWED_HOSTS"
        )
    return f"{request.scheme}://{request.host}"


def _configured_url() -> str:
    configured: str = current_services().config.public_url
    return configured


def is_encrypted() -> bool:
    """
    Return whether the browser uses HTTPS: with the service itself, or with a proxy in front of it.

    Trusted proxies say so in `X-Forwarded-Proto`. Of one that does not, OFC_PUBLIC_URL has the address.
    """
    if request.is_secure:
        return True
    proxies: int = current_services().config.trusted_proxies
    if proxies:
        schemes: list[str] = [
            scheme.strip().lower() for scheme in request.headers.get("X-Forwarded-Proto", "").split(",")
        ]
        # Each proxy adds a value, or one of them sets the only one.
        outermost = schemes[-min(proxies, len(schemes))]
        if outermost:
            return outermost == "https"
    configured = urlsplit(_configured_url())
    return configured.scheme == "https" and configured.netloc == request.host.lower()


def is_own_origin(origin: str) -> bool:
    """Return whether an origin is that of the service: the scheme and the host of the request, or OFC_PUBLIC_URL."""
    scheme = "https" if is_encrypted() else "http"
    return origin in (f"{scheme}://{request.host}", _configured_url())


def is_allowed_host(host: str, names: tuple[str, ...]) -> bool:
    """
    Return whether a request to a host proves that the service has this address.

    A client reaches an IP address only if it is one of the service or of its proxy. A name can be anything, because a
    client chooses it.

    >>> [is_allowed_host(host, ("club.example",)) for host in ("192.0.2.7", "::1", "club.example", "evil.example")]
    [True, True, True, False]
    """
    return _is_address(host) or host.lower() in (*_LOCAL_NAMES, *names)


def find_warnings(url: str) -> Iterator[LinkWarning]:
    """
    Yield what the recipient of a link at an address has to know.

    >>> [each.code for each in find_warnings("http://127.0.0.1:8000")]
    ['link-loopback']
    >>> [each.code for each in find_warnings("http://192.168.1.20:8000")], list(find_warnings("https://club.example"))
    (['link-readable'], [])
    """
    address = urlsplit(url)
    host = address.hostname or ""
    if is_loopback(host):
        yield LinkWarning(
            "link-loopback",
            f"only this machine reaches {host}; for phones, start the service with `ofc-server up --lan`, or set"
            " OFC_PUBLIC_URL to its public address",
        )
    elif address.scheme != "https":
        yield LinkWarning(
            "link-readable",
            f"the address {url} is not encrypted, so others in the same network can read and use the link; expected"
            " https, with its address in OFC_PUBLIC_URL",
        )


def is_loopback(host: str) -> bool:
    """
    Return whether a host is the machine itself.

    >>> is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("localhost"), is_loopback("192.0.2.1")
    (True, True, True, False)
    """
    return ip_address(host).is_loopback if _is_address(host) else host.lower() in _LOCAL_NAMES


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@cache
def _own_names() -> tuple[str, ...]:
    name = socket.gethostname().lower()
    return name, f"{name}.local"
