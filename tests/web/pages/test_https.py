"""Over HTTPS the page is in a secure context: its service worker runs, and it opens without a network."""

import ssl
from collections.abc import Iterator

import httpx2
import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.keeper_page import KeeperPage, wait_for_worker
from tests.support.browser.linked_table import LinkedTable
from tests.support.certificates import Certificate, make_certificate
from tests.support.server_process import Running
from tests.web.conftest import chromium_or_skip

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def secure(files: Certificate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    options = ["--tls-cert", str(files.certificate), "--tls-key", str(files.key)]
    up = Running(tmp_path_factory.mktemp("secure") / "ofc", options=options)
    yield up
    up.close()


@pytest.fixture
def trusting(files: Certificate, pytestconfig: pytest.Config) -> Iterator[BrowserContext]:
    """A browser that trusts the certificate, and no other unknown one."""
    trust = f"--ignore-certificate-errors-spki-list={files.fingerprint}"
    with chromium_or_skip(pytestconfig, trust) as browser:
        context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
        context.set_default_timeout(20_000)
        yield context


def test_the_page_is_secure_and_opens_without_a_network(
    trusting: BrowserContext, secure: Running, files: Certificate
) -> None:
    key = (secure.directory / "api-key").read_text().strip()
    trusted = ssl.create_default_context(cafile=files.authority)
    headers = {"Authorization": f"Bearer {key}"}
    with httpx2.Client(base_url=secure.url, headers=headers, verify=trusted, timeout=60, trust_env=False) as api:
        table = LinkedTable(api)
        violations: list[object] = []
        keeper = KeeperPage(trusting.new_page(), secure.url, api, violations)
        link = table.link("scorekeeper")["url"]
        assert str(link).startswith("https://")
        keeper.page.goto(link)
        expect(keeper.page.get_by_role("heading", level=1)).to_have_text(table.name)
        assert (
            keeper.page.evaluate("[isSecureContext, 'serviceWorker' in navigator, 'locks' in navigator]") == [True] * 3
        )
        wait_for_worker(keeper.page)
        keeper.enter_hand()
        keeper.expect_hand(1)
        trusting.set_offline(True)
        keeper.page.reload()
        keeper.expect_hand(1)
        trusting.set_offline(False)
        board = trusting.new_page()
        board.goto(table.link()["board_url"])
        expect(board.get_by_role("heading", level=1)).to_have_text(table.name)
        assert violations == []
