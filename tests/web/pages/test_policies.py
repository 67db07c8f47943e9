"""Every page of the service in a browser: none does what its policy forbids."""

import httpx2
import pytest
from playwright.sync_api import BrowserContext, expect

from service.http.problem_kinds import PROBLEM_KINDS
from tests.support.browser.linked_table import LinkedTable
from tests.web.pages.conftest import OpenPage

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(
    "path",
    ["/", "/docs", "/problems", f"/problems/{min(PROBLEM_KINDS)}", "/scorekeeper/", "/board/", "/console/sign-in"],
)
def test_a_page_without_a_secret_keeps_its_policy(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    response = page.reload(wait_until="networkidle")
    assert response is not None
    assert response.status == 200
    assert "default-src 'none'" in response.headers["content-security-policy"]
    expect(page.locator("h1").first).to_be_visible()


def test_the_reference_shows_the_operations(open_page: OpenPage) -> None:
    page = open_page("/docs")
    page.get_by_role("searchbox", name="Search operations").fill("hands")
    expect(page.get_by_text("/v1/rounds/{round_id}/hands", exact=True).first).to_be_visible()
    page.locator(".opblock-summary-control").first.click()
    expect(page.get_by_text("Responses").first).to_be_visible()


def test_the_pages_of_a_round_keep_their_policies(
    open_page: OpenPage, api: httpx2.Client, context: BrowserContext
) -> None:
    table = LinkedTable(api)
    round_ = table.complete()
    link = str(table.link("player", player="ben")["url"])
    shared = api.post("/v1/links", json={"round": round_})
    assert shared.status_code == 201, shared.text
    [hand, *_] = table.get(f"/v1/rounds/{round_}/hands")["hands"]
    explained = f"/v1/hands/{hand['id']}/explanation"
    context.set_extra_http_headers({"Authorization": api.headers["Authorization"], "Accept": "text/html"})
    paths = [explained, str(httpx2.URL(shared.json()["url"]).path)]
    paths += [httpx2.URL(link).path + end for end in ("", f"/rounds/{round_}", f"/rounds/{round_}/hands/1")]
    for path in paths:
        page = open_page(path)
        expect(page.locator("h1")).to_be_visible()
        assert "default-src 'none'" in api.get(path, headers={"Accept": "text/html"}).headers["Content-Security-Policy"]


def test_what_a_policy_forbids_is_found(context: BrowserContext, open_page: OpenPage) -> None:
    """A page that breaks its policy is found by what the other tests collect."""
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto(open_page("/board/").url)
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "globalThis.isRun = true";
        document.head.append(script);
    }""")
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate("globalThis.isRun === undefined")
    assert any("Content Security Policy" in text for text in messages)
