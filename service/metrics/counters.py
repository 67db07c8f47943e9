"""What is counted, in Prometheus' terms."""

import os
from typing import Final
from uuid import UUID

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from scoring.round_state import Round
from service.logs import get_log
from service.metrics.workers import DIRECTORY

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_log = get_log("service.metrics")
_own = CollectorRegistry()

_requests = Counter(
    "ofc_requests", "Requests answered, by operation and status.", ["operation", "status"], registry=_own
)
_seconds = Histogram(
    "ofc_request_seconds",
    "How long answers took, from the first look at the request until the answer was ready to be sent.",
    ["operation"],
    registry=_own,
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
_under_way = Gauge(
    "ofc_requests_under_way", "Requests that are being answered.", registry=_own, multiprocess_mode="livesum"
)
_problems = Counter("ofc_problems", "Requests refused, by operation and problem.", ["operation", "code"], registry=_own)
_replays = Counter("ofc_replays", "Requests answered with what was stored before.", ["operation"], registry=_own)
_hands = Counter("ofc_hands_stored", "Hands stored and committed.", registry=_own)
_imbalance = Gauge(
    "ofc_points_imbalance",
    "Points that came from nowhere or were lost, over all rounds read and changed since the start; must be 0.",
    registry=_own,
    multiprocess_mode="sum",
)


def count_beginning() -> None:
    """Count a request that has come."""
    _under_way.inc()


def count_end() -> None:
    """Count that a request is over, however it went."""
    _under_way.dec()


def count_answer(operation: str, status: int, seconds: float, problem: str | None, *, is_replay: bool) -> None:
    """Count an answer."""
    _requests.labels(operation, str(status)).inc()
    _seconds.labels(operation).observe(seconds)
    if problem is not None:
        _problems.labels(operation, problem).inc()
    if is_replay:
        _replays.labels(operation).inc()


def count_stored_hands(number: int = 1) -> None:
    """Count hands that are committed."""
    _hands.inc(number)


def check_balance(round_id: UUID, round_: Round) -> None:
    """
    Notice a round whose players together have more or less than they brought.

    Asked of every round as it is read, and of what every hand, departure and closing makes of it before that is
    written, or all of them together where an import settles many rounds at once: the rules, the records and whoever may
    have changed them by hand are all watched. The database refuses most of this as well; here it is seen, also where it
    is refused.
    """
    imbalance = sum(round_.nets.values())
    if imbalance:
        _imbalance.inc(abs(imbalance))
        _log.error("points_imbalance", round_id=str(round_id), points=imbalance)


def show_metrics() -> bytes:
    """Write everything counted, by all workers together, in Prometheus' text format."""
    if DIRECTORY not in os.environ:
        return generate_latest(_own)
    together = CollectorRegistry()
    MultiProcessCollector(together, os.environ[DIRECTORY])
    return generate_latest(together)
