"""The console in a browser: signing in by a printed link, and the pages of keys, links, webhooks, jobs and events."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.check_page import check_width, check_with_axe
from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import collect_violations
from tests.support.client.run_ofc import ofc
from tests.support.process_jobs import rounds_to_import
from tests.support.server_process import Running, command, running, wait_until
from tests.support.worker_process import lines_of
from tests.web.pages.conftest import IN_BOTH_SCHEMES

SIZES = ((390, 844), (768, 1024), (1280, 800))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with a worker, for jobs and for the order of events."""
    with running(tmp_path_factory.mktemp("up") / "ofc", OFC_CONCURRENCY="1") as up:
        yield up


@pytest.fixture(scope="module")
def table(service: Running) -> Iterator[LinkedTable]:
    headers = {"Authorization": f"Bearer {(service.directory / 'api-key').read_text().strip()}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False) as client:
        played = LinkedTable(client, reference="friday/1")
        played.complete()
        yield played


class Manager:
    """A manager of the club at a browser; at the end, no page did what its policy forbids."""

    def __init__(self, browser: Browser, service: Running, **options: Any) -> None:
        self.service = service
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        self.context.set_default_timeout(10_000)
        self.page: Page = self.context.new_page()
        self.violations: list[Any] = []
        collect_violations(self.page, self.violations)

    def sign_in(self) -> None:
        """Sign in with a link that the server's command prints."""
        result = command("console-link", "--url", self.service.url, "--data", str(self.service.directory))
        self.page.goto(result.stdout.strip())
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/console/")

    def open(self, path: str) -> None:
        self.page.goto(f"{self.service.url}/console{path}")

    def press(self, name: str) -> None:
        """Reach a link or a button with the Tab key, check that its focus can be seen, and press Enter."""
        target = self.page.get_by_role("button", name=name).or_(self.page.get_by_role("link", name=name)).first
        expect(target).to_be_visible()
        for _ in range(80):
            self.page.keyboard.press("Tab")
            if target.evaluate("element => element === document.activeElement"):
                break
        assert target.evaluate("element => element === document.activeElement"), f"Tab does not reach {name}"
        assert target.evaluate("element => getComputedStyle(element).outlineStyle") != "none"
        self.page.keyboard.press("Enter")

    def press_in_menu(self, name: str) -> None:
        """Open the menu of the club by keyboard, and press a link of it."""
        self.page.locator(".menu > summary").press("Enter")
        self.press(name)

    def check(self) -> None:
        """Run axe, and check that the page does not scroll sideways at any size."""
        check_with_axe(self.page)
        expect(self.page.get_by_role("heading", level=1)).to_have_count(1)
        for width, height in SIZES:
            self.page.set_viewport_size({"width": width, "height": height})
            check_width(self.page)
        self.page.set_viewport_size({"width": 1280, "height": 800})


@pytest.fixture
def manager(chromium: Browser, service: Running) -> Iterator[Manager]:
    manager = Manager(chromium, service)
    yield manager
    manager.context.close()
    assert manager.violations == []


@pytest.fixture
def without_scripts(chromium: Browser, service: Running) -> Iterator[Manager]:
    manager = Manager(chromium, service, java_script_enabled=False)
    yield manager
    manager.context.close()


def test_a_printed_link_signs_in_once_and_signing_out_ends_the_session(manager: Manager, service: Running) -> None:
    key = service.directory / "api-key"
    result = ofc("console", OFC_URL=service.url, OFC_API_KEY_FILE=str(key))
    address = result.out.splitlines()[0]
    page = manager.page
    page.goto(address)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/console/")
    [cookie] = manager.context.cookies(f"{service.url}/console/")
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/console")
    assert page.evaluate("document.cookie") == ""
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/console/sign-in")
    manager.open("/keys")
    expect(page.get_by_role("heading", name="Sign in to the console")).to_be_visible()
    page.goto(address)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("used before, or has expired")
    manager.open("/keys")
    page.get_by_label("API key").fill(key.read_text().strip())
    page.keyboard.press("Enter")
    page.wait_for_url("**/console/keys")


@IN_BOTH_SCHEMES
def test_every_page_passes_axe_at_every_size(manager: Manager, table: LinkedTable, scheme: Any) -> None:
    manager.page.emulate_media(color_scheme=scheme)
    manager.open("/sign-in")
    manager.check()
    manager.sign_in()
    api = table.api
    link = table.link("viewer", label="TV in the hall")
    added = {"url": "https://club.example/webhooks", "kinds": ["round.completed"]}
    hook = f"/webhooks/{api.post('/v1/webhooks', json=added).json()['id']}"
    assert api.post(f"/v1{hook}/test").status_code == 202
    content, media_type = lines_of([{"not": "a round"}]), {"Content-Type": "application/x-ndjson"}
    job = f"/jobs/{api.post('/v1/imports', content=content, headers=media_type).json()['id']}"
    body = {"scope": {}, "mode": "audit", "ruleset": "pineapple-2-4-us-none", "reason": "what if"}
    recomputation = f"/jobs/{api.post('/v1/recomputations', json=body).json()['id']}"
    [key, *_] = api.get("/v1/keys").json()["keys"]
    for path in (
        "/keys", f"/keys/{key['id']}/revoke", "/keys/new", "/keys/sessions", "/links", "/links/new",
        f"/links/{link['id']}/revoke", "/webhooks", "/webhooks/new", hook, f"{hook}/edit", f"{hook}/remove",
        f"{hook}/rotate", "/jobs", "/jobs?kind=recomputation", job, recomputation, f"{job}/cancel", "/jobs/import",
        "/jobs/recomputation", "/audit", "/audit?kind=hand.recorded", "/unknown",
    ):  # as a table  # fmt: skip
        manager.open(path)
        if path in (job, recomputation):
            expect(manager.page.locator("#progress")).to_contain_text("succeeded", timeout=120_000)
        manager.check()


def test_keys_links_and_webhooks_by_keyboard(manager: Manager, service: Running, table: LinkedTable) -> None:
    manager.sign_in()
    page = manager.page
    lost = command("key", "create", "--club", "home", "--name", "lost phone", "--data", str(service.directory))
    manager.open("/keys")
    manager.press("Revoke lost phone")
    expect(page.get_by_role("heading", name="Revoke a key?")).to_be_visible()
    manager.press("Revoke the key")
    row = page.get_by_role("row", name="lost phone")
    expect(row).to_contain_text("revoked")
    stranger = {"Authorization": f"Bearer {lost.stdout.strip()}"}
    assert httpx2.get(f"{service.url}/v1/tables", headers=stranger, timeout=60, trust_env=False).status_code == 401

    manager.press("New key")
    page.get_by_label("Name, for example").focus()
    page.keyboard.type("Anna's tablet")
    page.get_by_role("radio", name="Scorekeeper").focus()
    page.keyboard.press("Space")
    manager.press("Create the key")
    expect(page.get_by_role("img", name="QR code of the address that signs in")).to_be_visible()
    page.wait_for_function("() => document.querySelector('main img').naturalWidth > 100")
    manager.check()
    holder = {"Authorization": f"Bearer {page.get_by_label('API key').input_value()}"}
    assert httpx2.get(f"{service.url}/v1/tables", headers=holder, timeout=60, trust_env=False).status_code == 200
    manager.press("All keys")
    expect(page.get_by_role("row", name="Anna's tablet")).to_contain_text("read, score, write")

    manager.press_in_menu("Links")
    manager.press("Issue a link")
    expect(page.get_by_role("heading", name="Issue a link to a table")).to_be_visible()
    page.wait_for_load_state()
    page.get_by_label("Table").focus()
    page.keyboard.type(table.name)
    page.get_by_label("Label").focus()
    page.keyboard.type("Anna's phone")
    page.keyboard.press("Enter")
    expect(page.get_by_role("img", name="QR code of the address")).to_be_visible()
    page.wait_for_function("() => document.querySelector('main img').naturalWidth > 100")
    manager.check()
    address = page.get_by_label("Address", exact=True).input_value()
    secret = {"Authorization": f"Bearer {address.partition('#')[2]}"}
    assert (
        httpx2.get(f"{service.url}/v1/link", headers=secret, timeout=60, trust_env=False).json()["label"]
        == "Anna's phone"
    )
    manager.press("All links")
    manager.press("Revoke the link Anna's phone")
    manager.press("Revoke the link")
    expect(page.get_by_role("row", name="Anna's phone")).to_contain_text("revoked")
    assert httpx2.get(f"{service.url}/v1/link", headers=secret, timeout=60, trust_env=False).status_code == 401

    manager.press_in_menu("Webhooks")
    manager.press("Add a webhook")
    page.get_by_label("URL of the endpoint").focus()
    page.keyboard.type("https://club.example/keyboard")
    page.get_by_label("hand.recorded").focus()
    page.keyboard.press("Space")
    manager.press("Add")
    expect(page.get_by_label("Secret that signs")).to_have_value(re.compile("^whsec_"))
    manager.check()
    manager.press("To the webhook")
    manager.press("Send a test message")
    expect(page.get_by_role("row", name="webhook.test")).to_be_visible()
    manager.press("Pause")
    expect(page.get_by_text("on request")).to_be_visible()
    manager.press("Enable")
    manager.press("Remove")
    manager.press("Remove the webhook")
    expect(page.get_by_role("heading", name="Webhooks")).to_be_visible()
    expect(page.get_by_text("https://club.example/keyboard")).to_have_count(0)


def test_a_job_is_started_and_its_progress_followed(manager: Manager, table: LinkedTable, tmp_path: Path) -> None:
    manager.sign_in()
    page = manager.page
    table.api.post("/v1/tables", json={"name": "imported", "ruleset": "pineapple"})
    file = tmp_path / "rounds.ndjson"
    file.write_bytes(lines_of([*rounds_to_import(40, "imported"), {"not": "a round"}]))
    manager.open("/jobs/import")
    page.get_by_label("File of round documents").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#progress")).to_contain_text("succeeded", timeout=120_000)
    expect(page.locator("#progress")).to_contain_text("40, with 40 hands")
    expect(page.get_by_role("row")).to_have_count(42)
    page.get_by_role("link", name="Refused").click()
    expect(page.get_by_role("row")).to_have_count(2)
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.path().read_text().splitlines()[1].startswith("41,refused,,")

    def count_events() -> int:
        manager.open("/audit?table=imported&kind=round.opened")
        return page.get_by_role("row").count()

    # A worker adds the events to the tree of the club soon after they were recorded.
    assert wait_until(lambda: count_events() == 41)
    page.get_by_text("Event ", exact=False).first.click()
    expect(page.locator("pre").first).to_contain_text('"seats"')


def test_everything_works_without_scripts(without_scripts: Manager, service: Running, table: LinkedTable) -> None:
    manager, page = without_scripts, without_scripts.page
    manager.sign_in()
    manager.open("/jobs/recomputation")
    page.get_by_label("Reason").fill("checked again")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("audit: nothing is changed")).to_be_visible()
    # The page is loaded again by itself while the job runs.
    expect(page.get_by_text("succeeded")).to_be_visible(timeout=120_000)
    manager.open("/links/new")
    page.get_by_label("Table").fill(table.name)
    page.get_by_label("For", exact=True).select_option("player")
    page.get_by_role("button", name="Issue the link").click()
    expect(page.get_by_role("alert")).to_contain_text("player")
    page.get_by_label("ID of the player").fill("ben")
    page.get_by_role("button", name="Issue the link").click()
    address = page.get_by_label("Address", exact=True).input_value()
    assert address.startswith(f"{service.url}/links/ofc_link_")
    manager.open("/links?kind=player&state=valid")
    page.get_by_role("link", name="Revoke the link ben").click()
    page.get_by_role("button", name="Revoke the link").click()
    expect(page.get_by_role("heading", name="Links")).to_be_visible()
    manager.open("/audit")
    page.get_by_label("Kind").select_option("link.revoked")

    def is_listed() -> bool:
        page.get_by_role("button", name="Filter").click()
        return page.get_by_role("row").filter(has_text="link.revoked").count() > 0

    assert wait_until(is_listed)
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in to the console")).to_be_visible()
