"""Limits on requests per key and on failed authentication per address, counted by all web workers together."""

import fcntl
import mmap
import os
import struct
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address
from secrets import token_bytes
from typing import Final

from flask import Flask, Response, current_app, g, request

from service.errors import TooManyRequests
from service.http.request_body import was_body_awaited

_PLACE: Final = struct.Struct("<16sII")
_PLACES_A_GROUP: Final = 8
_GROUP: Final = _PLACE.size * _PLACES_A_GROUP
WHO_LENGTH: Final = 16
SALT: Final = token_bytes(16)
"""For names of who comes that nobody can choose so as to share another's group; the same in every worker."""


class Counts:
    """
    How often each of many has come in the current stretch of time.

    Who comes has one of the eight places of his group. Where all are taken by others of the same stretch, whoever came
    least often loses his: to be forgotten one must be rare, so nobody is helped by bringing a crowd.

    A lock of the system guards a group, for that one is given back also by a worker that is killed.

    >>> counts = Counts(seconds=60)
    >>> ann, bob = b"ann".ljust(16), b"bob".ljust(16)
    >>> counts.add(ann, now=30), counts.add(ann, now=59), counts.add(bob, now=59), counts.find(ann, now=59)
    (1, 2, 1, 2)
    >>> counts.find(ann, now=60), counts.add(ann, now=61)
    (0, 1)
    """

    def __init__(self, seconds: int, groups: int = 1024) -> None:
        self.seconds = seconds
        self._groups = groups
        self._memory = mmap.mmap(-1, groups * _GROUP)
        # An empty file that has no name: only its locks are used, for as long as the process lives.
        self._locks, name = tempfile.mkstemp()
        os.unlink(name)
        self._threads = threading.Lock()

    def add(self, who: bytes, now: float) -> int:
        """Count that somebody comes, and say how often he has come by then in this stretch."""
        stretch, group = int(now // self.seconds), self._group_of(who)
        with self._threads:
            fcntl.lockf(self._locks, fcntl.LOCK_EX, _GROUP, group)
            try:
                places = self._memory[group : group + _GROUP]
                own = _own(places, who)
                place = own if own >= 0 else _rarest(places, stretch)
                count = 1 + (_count_at(places, own, stretch) if own >= 0 else 0)
                _PLACE.pack_into(self._memory, group + place, who, stretch, count)
            finally:
                fcntl.lockf(self._locks, fcntl.LOCK_UN, _GROUP, group)
        return count

    def find(self, who: bytes, now: float) -> int:
        """Say how often somebody has come in this stretch."""
        group = self._group_of(who)
        places = self._memory[group : group + _GROUP]
        own = _own(places, who)
        return _count_at(places, own, int(now // self.seconds)) if own >= 0 else 0

    def has_seen(self, who: bytes, now: float) -> bool:
        """Return whether somebody has come in this stretch or in the one before: within the last so many seconds."""
        group, stretch = self._group_of(who), int(now // self.seconds)
        places = self._memory[group : group + _GROUP]
        own = _own(places, who)
        return own >= 0 and _PLACE.unpack_from(places, own)[1] in (stretch, stretch - 1)

    def seconds_left(self, now: float) -> int:
        """Say how long the stretch still lasts."""
        return self.seconds - int(now % self.seconds)

    def _group_of(self, who: bytes) -> int:
        return int.from_bytes(who[:4], "little") % self._groups * _GROUP


def _own(places: bytes, who: bytes) -> int:
    """Find the place of somebody; -1 where they have none."""
    place = places.find(who)
    while place % _PLACE.size and place >= 0:
        place = places.find(who, place + 1)
    return place


def _count_at(places: bytes, place: int, stretch: int) -> int:
    """Read how often he has come in a stretch who has a place."""
    _who, at, count = _PLACE.unpack_from(places, place)
    return count if at == stretch else 0


def _rarest(places: bytes, stretch: int) -> int:
    """Find the place of whoever came least often in a stretch, and of those whoever came last the longest ago."""

    def rank(place: int) -> tuple[int, int]:
        return _count_at(places, place, stretch), _PLACE.unpack_from(places, place)[1]

    return min(range(0, _GROUP, _PLACE.size), key=rank)


REQUESTS: Final = Counts(seconds=60)
"""Requests, by the key that they carry."""
FAILURES: Final = Counts(seconds=60)
"""Requests with a key that opens nothing, by the address that they come from."""
KNOWN: Final = Counts(seconds=24 * 60 * 60)
"""Keys that have opened something, counted anew each day; one counts as known through the day after, too."""


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
    # Who comes again with his body was counted when he came without.
    count = REQUESTS.find(who, now) if was_body_awaited() else REQUESTS.add(who, now)
    seconds = REQUESTS.seconds_left(now)
    g.pace = Pace(most, max(most - count, 0), seconds)
    if count > most:
        raise TooManyRequests(
            f"the limit of {most} requests a minute for this key is exceeded;"
            " retry after the number of seconds in the header Retry-After",
            seconds,
        )
    if FAILURES.find(_address(), now) >= MOST_FAILURES and not KNOWN.has_seen(who, now):
        raise TooManyRequests(
            f"the limit of {MOST_FAILURES} unknown keys a minute from this address is reached, and this key was not"
            " checked; retry after the number of seconds in the header Retry-After",
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
    network = find_network(
        [request.remote_addr or "", *reversed(request.access_route)], current_app.extensions["ofc_trusted_proxies"]
    )
    return blake2b(network.encode(), digest_size=WHO_LENGTH, key=SALT).digest()


def find_network(senders: Sequence[str], proxies: int) -> str:
    """
    Return the network that a request comes from: an IPv4 address, or the 64 bits that one subscriber has of IPv6.

    Args:
        senders: who sent it to the service, and who to them, and so on, as far as that is said.
        proxies: so many of them are believed.

    >>> find_network(["127.0.0.1", "198.51.100.7", "203.0.113.9"], 1)
    '198.51.100.7'
    >>> find_network(["2001:db8::1"], 1) == find_network(["2001:db8::2"], 0)
    True
    """
    sent = senders[proxies] if proxies < len(senders) else senders[0]
    try:
        address = ip_address(sent)
    except ValueError:
        return sent
    return str(int(address) >> _NETWORK_BITS) if isinstance(address, IPv6Address) else str(address)
