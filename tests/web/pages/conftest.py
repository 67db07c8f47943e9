"""A browser, a service and the scorekeeper's page, as a scorekeeper has them."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.support.browser.chromium import open_chromium
from tests.support.browser.keeper_page import KeeperPage
from tests.support.server_process import Running, running

OpenKeeper = Callable[..., KeeperPage]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Until Playwright is stopped, its event loop stays the one of the thread; other tests run loops of their own.
    with sync_playwright() as playwright:
        try:
            with open_chromium(playwright) as browser:
                yield browser
        except OSError as error:
            pytest.skip(str(error))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("up") / "ofc") as up:
        yield up


@pytest.fixture(scope="module")
def api(service: Running) -> Iterator[httpx2.Client]:
    key = (service.directory / "api-key").read_text().strip()
    headers = {"Authorization": f"Bearer {key}"}
    with httpx2.Client(base_url=service.url, headers=headers, trust_env=False) as client:
        # With one table only, the page opens it without asking.
        for name in ("first table", "second table"):
            client.post("/v1/tables", json={"name": name, "ruleset": "pineapple"})
        yield client


SAVE_DATA = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
"""A device that saves data does not load the rules: only the service scores."""


@pytest.fixture
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    context.set_default_timeout(10_000)
    if request.node.get_closest_marker("with_rules") is None:
        context.add_init_script(SAVE_DATA)
    yield context
    context.close()


@pytest.fixture
def open_keeper(context: BrowserContext, service: Running, api: httpx2.Client) -> Iterator[OpenKeeper]:
    """Open the page; at the end, check that no page did what its policy forbids or failed in another way."""
    violations: list[Any] = []
    pages: list[KeeperPage] = []

    def open_page(path: str = "/keeper/") -> KeeperPage:
        page = KeeperPage(context.new_page(), service.url, api, violations)
        page.open(path)
        pages.append(page)
        return page

    yield open_page
    assert violations == []


@pytest.fixture
def keeper(open_keeper: OpenKeeper) -> KeeperPage:
    return open_keeper()
