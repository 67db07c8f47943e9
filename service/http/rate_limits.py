"""Limits on the requests of each key, and on the unknown keys that each address may send."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

from flask import Flask, Response, request
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import FixedWindowRateLimiter

from service.errors import TooManyRequests
from service.http.request_state import current_request
from service.http.services import current_services, services_of
from service.logs import get_log

MOST_FAILURES: Final = 60
"""Requests with an unknown key, of an address in a minute."""

_MINUTE_SECONDS: Final = 60
_REDIS_SECONDS: Final = 0.25
"""The longest wait for a reply of Redis."""
_PAUSE_SECONDS: Final = 5.0
"""After Redis failed, nothing is counted for so long."""
_NETWORK_BITS: Final = 64
"""The part of an IPv6 address that one subscriber has."""

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class Window:
    """The requests of a minute, those that remain in the current one, and the seconds until it ends."""

    limit: int
    remaining: int
    seconds: int


class RateLimits:
    """
    Counts requests and unknown keys, in the memory of this process or in Redis.

    Attributes:
        limit: how many requests a key may send in a minute.
        workers: how many processes count separately; each allows its share of the limits.
    """

    def __init__(self, limit: int, redis_url: str = "") -> None:
        self.limit = limit
        self.workers = 1
        self._is_shared = bool(redis_url)
        self._limiter = FixedWindowRateLimiter(_connect(redis_url) if redis_url else MemoryStorage())
        self._paused_until = 0.0
        self._lock = threading.Lock()

    def add_request(self, key: str) -> bool:
        """Count a request of a key, and return whether it is within the limit."""
        return self._limiter.hit(self._share(self.limit), "key", key)

    def find_window(self, key: str) -> Window:
        """Return what remains of a key's limit."""
        return self._find_window(self._share(self.limit), "key", key)

    def add_unknown(self, network: str) -> bool:
        """Count a request with an unknown key, and return whether it is within the limit."""
        return self._limiter.hit(self._share(MOST_FAILURES), "network", network)

    def find_unknown_window(self, network: str) -> Window:
        """Return what remains of the limit of unknown keys of a network."""
        return self._find_window(self._share(MOST_FAILURES), "network", network)

    def run(self, work: Callable[[], None]) -> None:
        """Count or check something; while Redis fails, skip it, and log that once in each pause."""
        if time.monotonic() < self._paused_until:
            return
        try:
            work()
        except StorageError as error:
            with self._lock:
                is_first = time.monotonic() >= self._paused_until
                self._paused_until = time.monotonic() + _PAUSE_SECONDS
            if is_first:
                _log.warning("rate_limits_off", seconds=_PAUSE_SECONDS, error=str(error.storage_error))

    def _share(self, limit: int) -> RateLimitItem:
        return RateLimitItemPerMinute(limit if self._is_shared else -(-limit // self.workers))

    def _find_window(self, limit: RateLimitItem, *counted: str) -> Window:
        stats = self._limiter.get_window_stats(limit, *counted)
        seconds = round(stats.reset_time - time.time())
        return Window(limit.amount, stats.remaining, min(max(seconds, 1), _MINUTE_SECONDS))


def _connect(url: str) -> RedisStorage:
    # Most services count in memory, and need not wait for this import at their start.
    from redis import ConnectionPool
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    pool = ConnectionPool.from_url(
        url, socket_timeout=_REDIS_SECONDS, socket_connect_timeout=_REDIS_SECONDS, retry=Retry(NoBackoff(), 0)
    )
    return RedisStorage(url, connection_pool=pool, wrap_exceptions=True)


def _name(secret_sha256: bytes) -> str:
    """Return the name under which a key is counted, from which the key cannot be found."""
    return secret_sha256[:16].hex()


def limit_requests(app: Flask, limit: int, redis_url: str = "") -> None:
    """
    Limit the requests of each key in a minute, and add what remains to every response; with 0 there is no limit.

    Args:
        app: the application.
        limit: how many requests a key may send in a minute.
        redis_url: where processes count together; without it each counts in its own memory.
    """
    services_of(app).rate_limits = RateLimits(limit, redis_url) if limit else None
    app.after_request(_add_headers)


def count_request(secret_sha256: bytes) -> None:
    """
    Count a request, before the database is asked for its key.

    Raises:
        TooManyRequests: its key has reached the limit.
    """
    limits: RateLimits | None = current_services().rate_limits
    if limits is not None:
        limits.run(lambda: _count_request(limits, _name(secret_sha256)))


def _count_request(limits: RateLimits, key: str) -> None:
    is_within = limits.add_request(key)
    current_request().rate_limit = window = limits.find_window(key)
    if not is_within:
        raise TooManyRequests(
            f"the limit of {window.limit} requests a minute for this key is exceeded;"
            " retry after the number of seconds in the header Retry-After",
            window.seconds,
        )


def count_unknown() -> None:
    """
    Count a request whose key is unknown, after the database was asked, so that no valid key is ever refused here.

    Raises:
        TooManyRequests: the address has sent too many unknown keys.
    """
    limits: RateLimits | None = current_services().rate_limits
    if limits is not None:
        limits.run(lambda: _count_unknown(limits, _find_sender()))


def _count_unknown(limits: RateLimits, network: str) -> None:
    if not limits.add_unknown(network):
        window = limits.find_unknown_window(network)
        raise TooManyRequests(
            f"the limit of {window.limit} unknown keys a minute from this address is reached, and this key is unknown,"
            " expired or revoked; expected a valid key: valid keys are accepted at any time",
            window.seconds,
        )


def _add_headers(response: Response) -> Response:
    """Add what remains, in the headers of draft-ietf-httpapi-ratelimit-headers."""
    window = current_request().rate_limit
    if window is not None:
        response.headers["RateLimit-Policy"] = f'"key";q={window.limit};w={_MINUTE_SECONDS}'
        response.headers["RateLimit"] = f'"key";r={window.remaining};t={window.seconds}'
    return response


def _find_sender() -> str:
    """Return the network that the current request comes from."""
    senders = [request.remote_addr or "", *reversed(request.access_route)]
    return find_network(senders, current_services().config.trusted_proxies)


def find_network(senders: Sequence[str], proxies: int) -> str:
    """
    Return the network that a request comes from: an IPv4 address, or the 64 bits that one subscriber has of IPv6.

    Args:
        senders: who sent it to the service, and who to them, and so on, as far as the headers name them.
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
