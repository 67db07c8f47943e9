"""How often a key may ask, and how often an address may try keys that open nothing."""

import time
from dataclasses import dataclass
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address
from typing import Final

from flask import Flask, Response, current_app, g, request

from service.allowances import FAILURES, KNOWN, REQUESTS, SALT, WHO_LENGTH
from service.errors import TooManyRequests

MOST_FAILURES: Final = 60
"""Of an address, in a minute."""

_NETWORK_BITS: Final = 64
"""What one subscriber has of IPv6 is one address here."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a key may ask in a minute, how often it still may, and how many seconds are left of the minute."""

    most: int
    left: int
    seconds: int


def pace_requests(app: Flask, most: int, proxies: int = 0) -> None:
    """
    Let every key ask so many times a minute, and say in every answer how often it still may; 0 lets all ask.

    So many proxies before the service are believed when they say whom they heard.
    """
    app.extensions["ofc_rate_limit"] = most
    app.extensions["ofc_trusted_proxies"] = proxies
    app.after_request(_say_pace)


def count_request(secret_sha256: bytes) -> None:
    """
    Count a request before the database is asked who sends it.

    Raises:
        TooManyRequests: its key has asked too often, or its address has tried too many keys that open nothing, and
            this one is not known to open anything.
    """
    most: int = current_app.extensions["ofc_rate_limit"]
    if not most:
        return
    who, now = secret_sha256[:WHO_LENGTH], time.time()
    count = REQUESTS.add(who, now)
    seconds = REQUESTS.seconds_left(now)
    g.pace = Pace(most, max(most - count, 0), seconds)
    if count > most:
        raise TooManyRequests(f"the key may ask {most} times a minute; the header Retry-After says when again", seconds)
    if FAILURES.find(_address(), now) >= MOST_FAILURES and not KNOWN.find(who, now):
        raise TooManyRequests(
            f"{MOST_FAILURES} keys that open nothing have come from this address within a minute, and this one is not"
            " known yet; the header Retry-After says when it is looked at",
            FAILURES.seconds_left(now),
        )


def count_found(secret_sha256: bytes, *, is_known: bool) -> None:
    """Remember that a key opens something, or count that it opens nothing."""
    if not current_app.extensions["ofc_rate_limit"]:
        return
    who, now = secret_sha256[:WHO_LENGTH], time.time()
    if not is_known:
        FAILURES.add(_address(), now)
    elif not KNOWN.find(who, now):
        KNOWN.add(who, now)


def _say_pace(response: Response) -> Response:
    """Say it in the words of the IETF's draft (draft-ietf-httpapi-ratelimit-headers)."""
    pace: Pace | None = g.get("pace")
    if pace is not None:
        response.headers["RateLimit-Policy"] = f'"key";q={pace.most};w={REQUESTS.seconds}'
        response.headers["RateLimit"] = f'"key";r={pace.left};t={pace.seconds}'
    return response


def _address() -> bytes:
    """Name the address that a request comes from; who listens at a socket of the system's has none."""
    proxies: int = current_app.extensions["ofc_trusted_proxies"]
    heard = [request.remote_addr or "", *reversed(request.access_route)]
    sent = heard[proxies] if proxies < len(heard) else heard[0]
    try:
        address = ip_address(sent)
    except ValueError:
        network = sent
    else:
        is_long = isinstance(address, IPv6Address)
        network = str(int(address) >> _NETWORK_BITS) if is_long else str(address)
    return blake2b(network.encode(), digest_size=WHO_LENGTH, key=SALT).digest()
