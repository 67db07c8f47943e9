"""A link is scanned with the camera where the browser can read QR codes; elsewhere it is pasted."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.linked_table import LinkedTable
from tests.web.pages.conftest import OpenScorekeeper

pytestmark = pytest.mark.thorough

DETECTOR = """
(() => {
  globalThis.stopped = 0;
  globalThis.BarcodeDetector = class {
    constructor({ formats }) { if (formats.join() !== "qr_code") throw new Error(formats); }
    async detect(video) {
      if (!(video instanceof HTMLVideoElement)) throw new TypeError("expected a video");
      const other = { rawValue: "https://other.example/" };
      return globalThis.seen === undefined ? [other] : [other, { rawValue: globalThis.seen }];
    }
  };
  const canvas = document.createElement("canvas");
  navigator.mediaDevices.getUserMedia = async ({ video }) => {
    if (globalThis.refusal) throw new DOMException("", globalThis.refusal);
    if (video.facingMode !== "environment") throw new TypeError("expected the camera at the back");
    canvas.getContext("2d").fillRect(0, 0, 10, 10);
    const stream = canvas.captureStream(10);
    for (const track of stream.getTracks()) {
      const stop = track.stop.bind(track);
      track.stop = () => { globalThis.stopped += 1; stop(); };
    }
    return stream;
  };
})()
"""
"""A camera and a reader of QR codes, which the Chromium of the tests lacks."""


def test_a_scanned_link_opens_its_table_and_the_camera_is_switched_off(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    context.add_init_script(DETECTOR)
    scorekeeper = open_scorekeeper()
    table = LinkedTable(scorekeeper.api)
    page = scorekeeper.page
    page.get_by_role("button", name="Scan a QR code").click()
    expect(page.get_by_text("Hold the QR code")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Hold the QR code")).to_have_count(0)
    page.wait_for_function("() => globalThis.stopped === 1")
    page.get_by_role("button", name="Scan a QR code").click()
    page.evaluate("url => { globalThis.seen = url }", table.link("scorekeeper")["url"])
    expect(page.get_by_role("heading", level=1)).to_have_text(table.name)
    page.wait_for_function("() => globalThis.stopped === 2")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text(table.name)


@pytest.mark.parametrize(
    ("refusal", "message"),
    [("NotAllowedError", "does not let this page use the camera"), ("NotFoundError", "has no camera")],
)
def test_without_a_camera_the_link_is_pasted(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext, refusal: str, message: str
) -> None:
    context.add_init_script(DETECTOR)
    context.add_init_script(f"globalThis.refusal = '{refusal}'")
    scorekeeper = open_scorekeeper()
    table = LinkedTable(scorekeeper.api)
    page = scorekeeper.page
    page.get_by_role("button", name="Scan a QR code").click()
    expect(page.get_by_role("alert")).to_contain_text(message)
    page.get_by_role("button", name="Back").click()
    page.get_by_label("Link or API key").fill(table.link("scorekeeper")["url"])
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(table.name)


def test_a_browser_that_reads_no_codes_has_no_button(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    context.add_init_script("delete globalThis.BarcodeDetector")
    page = open_scorekeeper().page
    expect(page.get_by_label("Link or API key")).to_be_visible()
    expect(page.get_by_role("button", name="Scan a QR code")).to_have_count(0)


def test_only_the_page_that_scans_may_use_the_camera(open_scorekeeper: OpenScorekeeper) -> None:
    api = open_scorekeeper().api
    assert api.get("/scorekeeper/").headers["Permissions-Policy"].startswith("camera=(self), ")
    assert api.get("/board/").headers["Permissions-Policy"].startswith("camera=(), ")
