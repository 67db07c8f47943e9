"""Counters, gauges and histograms of the service, and their text format."""

import os
from typing import Final
from uuid import UUID

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from scoring.round_state import Round
from service.logs import get_log
from service.metrics.workers import DIRECTORY

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_log = get_log("service.metrics")
_own = CollectorRegistry()

_requests = Counter(
    "ofc_requests", "Requests processed, by operation and status.", ["operation", "status"], registry=_own
)
_seconds = Histogram(
    "ofc_request_seconds",
    "Time from receiving a request until its response is ready to be sent.",
    ["operation"],
    registry=_own,
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
_in_flight = Gauge("ofc_requests_in_flight", "Requests in progress.", registry=_own, multiprocess_mode="livesum")
_problems = Counter("ofc_problems", "Requests refused, by operation and problem.", ["operation", "code"], registry=_own)
_replays = Counter("ofc_replays", "Requests that repeated a stored one.", ["operation"], registry=_own)
_hands = Counter("ofc_hands_stored", "Hands stored and committed.", registry=_own)
_imbalance = Gauge(
    "ofc_points_imbalance",
    "Points gained or lost by all players of a round together, over all rounds since the start; must be 0.",
    registry=_own,
    multiprocess_mode="sum",
)


def count_request_start() -> None:
    """Count a request that has started."""
    _in_flight.inc()


def count_request_end() -> None:
    """Count a request that has ended, with any result."""
    _in_flight.dec()


def count_response(operation: str, status: int, seconds: float, problem: str | None, *, is_replay: bool) -> None:
    """Count a response."""
    _requests.labels(operation, str(status)).inc()
    _seconds.labels(operation).observe(seconds)
    if problem is not None:
        _problems.labels(operation, problem).inc()
    if is_replay:
        _replays.labels(operation).inc()


def count_stored_hands(number: int = 1) -> None:
    """Count committed hands."""
    _hands.inc(number)


def check_balance(round_id: UUID, round_: Round) -> None:
    """
    Log and count a round whose players together have more or fewer points than they brought.

    It is called for every round that is read, and after every hand, departure and closing before the result is written;
    once per round when an import settles many. So it finds errors of the rules and changed records. The database
    refuses most of these too, but does not report them.
    """
    imbalance = sum(round_.nets.values())
    if imbalance:
        _imbalance.inc(abs(imbalance))
        _log.error("points_imbalance", round_id=str(round_id), points=imbalance)


def show_metrics(*others: Collector) -> bytes:
    """
    Return the metrics of all workers in Prometheus' text format.

    Args:
        others: collectors of further metrics, which are the same in every worker.
    """
    together = CollectorRegistry()
    if DIRECTORY in os.environ:
        MultiProcessCollector(together, os.environ[DIRECTORY])
    else:
        together.register(_own)
    for collector in others:
        together.register(collector)
    return generate_latest(together)
