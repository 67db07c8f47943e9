"""Over HTTPS the pages are in a secure context: of the service itself, and of nginx in front of it."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import BrowserContext, expect

from tests.service.server.test_nginx import NAME, nginx_before
from tests.service.server.test_nginx import pytestmark as needs_nginx
from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, wait_for_worker
from tests.support.certificates import Certificate, make_certificate
from tests.support.server_process import Running, running
from tests.web.conftest import chromium_or_skip
from tests.web.pages.conftest import SAVE_DATA

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
        scorekeeper = ScorekeeperPage(trusting.new_page(), secure.url, api, violations)
        link = table.link("scorekeeper")["url"]
        assert str(link).startswith("https://")
        scorekeeper.page.goto(link)
        expect(scorekeeper.page.get_by_role("heading", level=1)).to_have_text(table.name)
        assert (
            scorekeeper.page.evaluate("[isSecureContext, 'serviceWorker' in navigator, 'locks' in navigator]")
            == [True] * 3
        )
        wait_for_worker(scorekeeper.page)
        scorekeeper.enter_hand()
        scorekeeper.expect_hand(1)
        trusting.set_offline(True)
        scorekeeper.page.reload()
        scorekeeper.expect_hand(1)
        trusting.set_offline(False)
        board = trusting.new_page()
        board.goto(table.link()["board_url"])
        expect(board.get_by_role("heading", level=1)).to_have_text(table.name)
        assert violations == []


@needs_nginx
def test_the_pages_work_behind_nginx(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    with (
        running(tmp_path / "ofc", OFC_TRUSTED_PROXIES="1", OFC_PUBLIC_URL=f"https://{NAME}") as up,
        nginx_before(up.url, tmp_path / "nginx") as (port, files),
        chromium_or_skip(
            pytestconfig,
            f"--host-resolver-rules=MAP {NAME} 127.0.0.1:{port}",
            f"--ignore-certificate-errors-spki-list={files.fingerprint}",
        ) as browser,
        httpx2.Client(base_url=f"https://127.0.0.1:{port}", verify=False, timeout=60, trust_env=False) as api,
    ):
        key = (up.directory / "api-key").read_text().strip()
        api.headers.update({"Authorization": f"Bearer {key}", "Host": NAME})
        table = LinkedTable(api)
        link = str(table.link("scorekeeper")["url"])
        assert link.startswith(f"https://{NAME}/scorekeeper/#")
        context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
        context.set_default_timeout(20_000)
        context.add_init_script(SAVE_DATA)
        violations: list[object] = []
        scorekeeper = ScorekeeperPage(context.new_page(), f"https://{NAME}", api, violations)
        scorekeeper.page.goto(link)
        assert scorekeeper.page.evaluate("isSecureContext")
        wait_for_worker(scorekeeper.page)
        scorekeeper.enter_hand()
        scorekeeper.choose_button(3)
        context.set_offline(True)
        scorekeeper.page.reload()
        scorekeeper.tap_cards(list_cards())
        context.set_offline(False)
        expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
        scorekeeper.save()
        scorekeeper.expect_hand(2)
        expect(scorekeeper.page.get_by_text("waiting", exact=False)).to_have_count(0)
        assert [hand["number"] for hand in table.get(f"/v1/rounds/{table.round}/hands")["hands"]] == [1]

        page = context.new_page()
        page.goto(f"https://{NAME}/console/")
        page.get_by_label("API key").fill(key)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Home")
        [cookie] = context.cookies(f"https://{NAME}/console/")
        assert cookie["secure"]
        assert violations == []
