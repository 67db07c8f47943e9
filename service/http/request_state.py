"""The data of a request that the parts of the service share."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING
from uuid import UUID

from flask import g
from uuid_utils.compat import uuid7

from service.clubs.queries.keys import StoredKey
from service.db import Transaction

if TYPE_CHECKING:
    from service.http.rate_limits import Window


@dataclass(slots=True)
class RequestState:
    """
    The state of a request.

    Attributes:
        route: the path template in the contract; None if no route matches.
        operation: the ID of the operation, or the endpoint of a page.
        request_id: the ID of the request in the log and the response.
        begun: when the request began, by `perf_counter`.
        in_flight: functions to call when the request ends.
        key: the key or the link of the request; None before authentication.
        session_id: the ID of the session of the console, for the log.
        transaction: sees the club of the key; None without a key.
        resources: what is released after the response, if the response may be streamed.
        is_stream: whether the response is counted as a streamed one.
        rate_limit: what remains of the limit of the key.
        body: the received body; None before it was read.
        problem: the code of the problem of the response.
        stores_response: whether the response is stored under its idempotency key.
        plots: the number of plots that the page has so far.
        language: the language of the texts of the response.
    """

    route: str | None
    operation: str
    request_id: str = field(default_factory=lambda: str(uuid7()))
    begun: float = field(default_factory=perf_counter)
    in_flight: ExitStack = field(default_factory=ExitStack)
    key: StoredKey | None = None
    session_id: UUID | None = None
    transaction: Transaction | None = None
    resources: ExitStack | None = None
    is_stream: bool = False
    rate_limit: "Window | None" = None
    body: bytes | None = None
    problem: str | None = None
    stores_response: bool = True
    plots: int = 0
    language: str = "en"


def begin_request(state: RequestState) -> RequestState:
    """Begin a request, and return its state."""
    g.request_state = state
    return state


def current_request() -> RequestState:
    """Return the state of the current request."""
    state: RequestState = g.request_state
    return state


def find_request() -> RequestState | None:
    """Return the state of the current request; None if it has not begun."""
    state: RequestState | None = g.get("request_state")
    return state
