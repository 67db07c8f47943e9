"""A browser, a service and the scorekeeper's page, as a scorekeeper has them."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage, collect_violations
from tests.support.server_process import Running, command, running

# A busy machine draws late. A condition that is met ends the wait.
expect.set_options(timeout=20_000)

OpenScorekeeper = Callable[..., ScorekeeperPage]
OpenPage = Callable[[str], Page]

IN_BOTH_SCHEMES = pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
"""Checks a page in light and in dark colours; `make test` checks it in light ones."""


@pytest.fixture(scope="module")
def browser(chromium: Browser) -> Browser:
    return chromium


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("up") / "ofc") as up:
        yield up


@pytest.fixture(scope="module")
def key(service: Running, request: pytest.FixtureRequest) -> str:
    """The API key of a club of its own for each module."""
    # A worker that takes tests of a module again, after those of another, sets this up again.
    club = f"{request.module.__name__.rpartition('.')[2]} {uuid.uuid4()}"
    where = ("--data", str(service.directory))
    result = command("club", "create", club, *where)
    assert result.returncode == 0, result.stderr
    return command("key", "create", "--club", club, "--name", "pages", *where).stdout.strip()


@pytest.fixture(scope="module")
def api(service: Running, key: str) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {key}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False) as client:
        # With one table only, the page opens it without asking.
        for name in ("first table", "second table"):
            client.post("/v1/tables", json={"name": name, "ruleset": "pineapple"})
        yield client


SAVE_DATA = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
"""A device that saves data does not load the rules: only the service scores."""


@pytest.fixture
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    context.set_default_timeout(20_000)
    if request.node.get_closest_marker("with_rules") is None:
        context.add_init_script(SAVE_DATA)
    yield context
    context.close()


@pytest.fixture
def open_scorekeeper(context: BrowserContext, service: Running, api: httpx2.Client) -> Iterator[OpenScorekeeper]:
    """Open the page; at the end, check that no page did what its policy forbids or failed in another way."""
    violations: list[Any] = []
    pages: list[ScorekeeperPage] = []

    def open_page(path: str = "/scorekeeper/") -> ScorekeeperPage:
        page = ScorekeeperPage(context.new_page(), service.url, api, violations)
        page.open(path)
        pages.append(page)
        return page

    yield open_page
    assert violations == []


@pytest.fixture
def scorekeeper(open_scorekeeper: OpenScorekeeper) -> ScorekeeperPage:
    return open_scorekeeper()


@pytest.fixture
def open_page(context: BrowserContext, service: Running) -> Iterator[OpenPage]:
    """Open any page of the service; at the end, check that no page did what its policy forbids."""
    violations: list[Any] = []

    def open_address(path: str) -> Page:
        page = context.new_page()
        collect_violations(page, violations)
        page.goto(service.url + path)
        return page

    yield open_address
    assert violations == []


@pytest.fixture
def table(api: httpx2.Client) -> LinkedTable:
    """A table with a complete round."""
    table = LinkedTable(api)
    table.complete()
    return table


@pytest.fixture
def plain(browser: Browser) -> Iterator[BrowserContext]:
    """A browser in which no script runs."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    context.set_default_timeout(20_000)
    yield context
    context.close()
