"""The first minute: fresh data, `ofc-server up --lan`, the QR code, a table, three names, and the first hand."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from service.server.address import draw_code
from tests.service.server.test_address import needs_network
from tests.support.browser.first_minute import NAMES, NewPhone, find_address
from tests.support.server_process import Running, running
from tests.web.pages.conftest import SAVE_DATA

MOST_TAPS = 12
"""Before the first card, beside the names. `benchmarks/scorekeeper_page.py` reports them with the time."""


@pytest.fixture
def new_phone(browser: Browser) -> Iterator[Callable[[], NewPhone]]:
    contexts: list[BrowserContext] = []

    def open_phone() -> NewPhone:
        context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
        contexts.append(context)
        context.set_default_timeout(60_000)
        context.add_init_script(SAVE_DATA)
        return NewPhone(context.new_page())

    yield open_phone
    for context in contexts:
        context.close()


@needs_network
@pytest.mark.smoke
def test_the_first_hand_is_recorded_with_few_taps(tmp_path: Path, new_phone: Callable[[], NewPhone]) -> None:
    service = Running(tmp_path / "ofc", options=["--lan"])
    try:
        address = find_address(service.output)
        assert draw_code(address) in service.output
        phone = new_phone()
        assert phone.place_first_card(address) <= MOST_TAPS
        assert "#" not in phone.page.url
        phone.save_hand()
        key = (service.directory / "api-key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False) as client:
            [round_] = client.get("/v1/rounds").json()["rounds"]
        assert ([each["player"] for each in round_["seats"]], round_["hands"]) == ([*NAMES], 1)
    finally:
        service.close()


def test_a_phone_stays_signed_in_when_the_service_is_killed(tmp_path: Path, new_phone: Callable[[], NewPhone]) -> None:
    phone = new_phone()
    with running(tmp_path) as service:
        port = service.url.rpartition(":")[2]
        phone.page.goto(find_address(service.output))
        phone.type_names()
        service.up.kill()
        assert service.left_over(seconds=60) == []
        phone.tap("button", "Start the first hand")
        expect(phone.page.get_by_role("alert")).to_contain_text("The service does not respond")
    again = Running(tmp_path, options=["--port", port])
    try:
        phone.tap("button", "Start the first hand")
        expect(phone.page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    finally:
        again.close()
