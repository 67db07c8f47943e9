"""The statement of a long period on a phone: its months open one by one."""

import httpx2
from playwright.sync_api import expect

from tests.support.browser.check_page import check_width, check_with_axe
from tests.support.sample_rounds import COMPLETE, document_of
from tests.support.server_process import Running
from tests.web.pages.conftest import OpenPage
from tests.web.pages.console.test_console_rounds import send, sign_in

MONTHS = ("March 2026", "February 2026")


def test_the_months_of_a_year_open_on_a_phone(
    open_page: OpenPage, service: Running, key: str, api: httpx2.Client
) -> None:
    players = [f"Maximilian-of-seat-{seat}" for seat in (1, 2, 3)]
    for number in (2, 3):
        document = document_of(
            table="The table of a year",
            sitting={seat: f"{player} 100" for seat, player in enumerate(players, 1)},
            hands=COMPLETE,
            reference=f"2026-{number:02}-10",
            opened_at=f"2026-{number:02}-10T20:00:00Z",
            point_value=10,
            unit="EUR",
        )
        send(api, "/v1/documents", document)
    page = open_page("/console/")
    sign_in(page, key)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{service.url}/console/statement?from=2026-01-01&to=2026-12-31")
    months = page.get_by_role("region", name="Months", exact=True).locator("details")
    for place, month in enumerate(MONTHS):
        opened = months.nth(place)
        expect(opened.get_by_role("table")).to_be_hidden()
        opened.locator("summary").filter(has_text=month).click()
        expect(opened.get_by_role("rowheader", name=players[0])).to_be_visible()
        expect(opened.get_by_role("link", name=f"Statement of {month}")).to_be_visible()
        # Three players of this table, each in one round of the month.
        assert opened.locator("tbody tr").count() == len(players)
        assert opened.locator("tbody td:first-of-type").all_text_contents() == ["1"] * len(players)
        check_width(page)
    check_with_axe(page)
