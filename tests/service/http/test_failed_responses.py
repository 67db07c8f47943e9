"""A response that fails at any step releases what it holds: its place, its connection, and its count."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder

import service
from service.db import Database
from service.errors import TooManyRequests
from service.feed.actions import LISTENERS
from service.http.services import services_of
from service.http.streams import MOST_STREAMS, count_stream
from service.metrics.counters import show_metrics
from tests.service.http.test_metrics import read
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor
from tests.support.sample_rounds import complete_round

HOLDING: Final = ("/console/ledger?format=csv", "/v1/events?after=999999999&wait=30", "/v1/export")
"""Addresses of responses that hold a place: they are streamed, or wait for events."""
FOLDER: Final = str(Path(service.__file__).parent)
RELEASING: Final = {"__exit__", "_end_transaction", "_record_idle", "_tear_down", "close", "pop", "release"}
"""Functions that release something. A failure within these is not tested: nothing could then release it."""


class Fault(Exception):
    """The failure of one step."""


def names_of(frame: FrameType | None) -> Iterator[str]:
    """Yield the name of the function of a frame, and of those that called it."""
    while frame is not None:
        yield frame.f_code.co_name
        frame = frame.f_back


class Faults:
    """Lets one call of a function of the service fail; the steps are counted from 1. At step 0 none fails."""

    def __init__(self, step: int) -> None:
        self.step = step
        self.steps: list[str] = []
        self.failed: str | None = None

    def __call__(self, frame: FrameType, _event: str, _argument: object) -> None:
        if not frame.f_code.co_filename.startswith(FOLDER) or frame.f_code.co_name == "<genexpr>":
            return
        if not RELEASING & set(names_of(frame)):
            self.take(frame.f_code.co_qualname)

    def take(self, name: str) -> None:
        """Count a step, and fail if it is the one that fails."""
        self.steps.append(name)
        if len(self.steps) == self.step:
            self.failed = name
            raise Fault(name)

    @contextmanager
    def injected(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self)
        try:
            yield
        finally:
            sys.settrace(before)


@pytest.fixture
def recorded(api: Api) -> Api:
    complete_round(api)
    return api


def headers_of(house: House, api: Api, path: str) -> dict[str, str]:
    if path.startswith("/console"):
        return {"Cookie": f"ofc_console={Visitor.signed_in(house, api).cookie}"}
    return {"Authorization": f"Bearer {api.key}"}


def respond(app: Flask, environ: dict[str, Any], step: int, most_blocks: int) -> Faults:
    """Handle a request as a web server does, with a fault at a step."""
    faults = Faults(step)

    def start_response(*_: Any) -> Callable[[bytes], object]:
        faults.take("start_response")
        return lambda _block: None

    blocks = None
    try:
        with faults.injected():
            blocks = app(environ, start_response)
            for _ in zip(range(most_blocks), blocks, strict=False):
                pass
    except Exception:
        pass
    finally:
        if blocks is not None:
            blocks.close()
    return faults


def read_held(house: House) -> dict[str, float]:
    """Return how many of everything are held, by nobody if no request is in progress."""
    database: Database = services_of(house.app).database
    pool: Any = database.engine.pool
    with ExitStack() as streams:
        free = 0
        with suppress(TooManyRequests):
            while True:
                count_stream(streams)
                free += 1
    return {
        "connections": pool.checkedout(),
        "places of listeners": LISTENERS.taken,
        "requests in flight": read(show_metrics().decode())["ofc_requests_in_flight"],
        "streams": MOST_STREAMS - free,
    }


def first_calls(steps: list[str], most_calls: int | None) -> Iterator[int]:
    """Yield the numbers of the steps that are among the first calls of a function; all of them without a limit."""
    calls: Counter[str] = Counter()
    for number, name in enumerate(steps, start=1):
        calls[name] += 1
        if most_calls is None or calls[name] <= most_calls:
            yield number


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("path", "most_calls"),
    [(HOLDING[0], 2), *(pytest.param(path, None, marks=pytest.mark.verify) for path in HOLDING)],
)
def test_a_response_that_fails_at_any_step_releases_everything(
    house: House, recorded: Api, path: str, most_calls: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A request that waits for events then ends as soon as it waits.
    monkeypatch.setattr(services_of(house.app), "is_stopping", lambda: True)
    headers = headers_of(house, recorded, path)
    before = read_held(house)
    environ = EnvironBuilder(path, headers=headers).get_environ()
    # The first request fills caches, so that it has more steps than later ones.
    _, steps = (respond(house.app, {**environ}, 0, most_blocks=2).steps for _ in range(2))
    failed = []
    for step in first_calls(steps, most_calls):
        failed.append(respond(house.app, {**environ}, step, most_blocks=2).failed)
        assert read_held(house) == before, f"a fault at step {step}: {failed[-1]}"
    assert "start_response" in steps
    assert len(set(failed)) > 50
